# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page and its clients: web.py FRUIT_LINE FILES [TEST...]

Strangers, crowds, clients that say nothing, a byte now and then, or too much, and those that do not read what they asked for.
Where a network of one's own may be made, with addresses besides loopback, clients have those, too.
"""

import html.parser
import json
import os
import re
import resource
import select
import socket
import subprocess
import sys
import time

import children
from running import run_tests

PROGRAM, FILES = sys.argv[1:3]
TIMEOUT = 90
HERE, OTHER, CROWD = "192.0.2.1", "192.0.2.2", ["192.0.2.%d" % i for i in range(3, 11)]
HAS_NETWORK = os.environ.get("LINE_WEB_NETWORK") == "1"
GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
SCRIPTS = "/page.js", "/draw.js", "/charts.js", "/commands.js", "/messages.js"
PATHS = ("/", *SCRIPTS, "/page.css", "/messages/en.json", "/messages/de.json", "/messages/it.json", "/messages/es.json",
         "/report.json", "/metrics", "/publisher.json", "/pictures.json", "/alarms.json", "/trends.json", "/in-force.json")


class Line:
    """A simulated line with a page."""

    def __init__(self, folder, keys=""):
        with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
            text = file.read().split("[lane ")[0]
        text = text.replace("[line]\n", "[line]\n" + keys).replace("deadline-ms=50\n", "deadline-ms=20000\n")
        with open(os.path.join(FILES, "apricot.ini"), encoding="utf-8") as file:
            recipe = file.read()
        for name, content in ("line.ini", text + "[lane a]\nsource=simulate\ntriggers=0\n"), ("apricot.ini", recipe):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        self.output = os.path.join(folder, "out")
        self.process = children.start([PROGRAM, "run", os.path.join(folder, "line.ini"), "--output", self.output, "--port", "0"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not (found := re.search(r"http://(?:[0-9.]+|\[[0-9a-f:]+\]):([0-9]+)/", line := self.process.stderr.readline())):
            assert line, "no page"
        self.port = int(found[1])

    def connect(self, to="127.0.0.1", by=None, **options):
        client = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET)
        for name, value in options.items():
            client.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        if by:
            client.bind((by, 0))
        client.settimeout(TIMEOUT)
        client.connect((to, self.port))
        return client

    def ask(self, request, **connect):
        """(status, headers, body) of what is answered to these bytes."""
        with self.connect(**connect) as client:
            client.sendall(request)
            return read_answer(client)

    def get(self, path, **connect):
        return self.ask(GET % path.encode(), **connect)

    def ask_as(self, host, **connect):
        return self.ask(b"GET /report.json HTTP/1.1\r\nHost: " + host.encode() + b"\r\n\r\n", **connect)[0]

    def count_ticks(self, thread):
        """Of time that a thread has had."""
        tasks = "/proc/%d/task" % self.process.pid
        for task in os.listdir(tasks):
            with open(os.path.join(tasks, task, "stat"), encoding="utf-8") as file:
                name, _, rest = file.read().rpartition(")")
            if name.endswith("(" + thread):
                return sum(map(int, rest.split()[11:13]))
        raise AssertionError("no thread " + thread)

    def end(self):
        self.process.terminate()
        error = self.process.communicate(timeout=TIMEOUT)[1]
        assert self.process.returncode == 0, error
        with open(os.path.join(self.output, "report.json"), encoding="utf-8") as file:
            assert json.load(file)["adds_up"] is True


def read_answer(client):
    parts = []
    while more := client.recv(1 << 20):
        parts.append(more)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    return int(first.split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in rest)}, body


def is_open(client):
    """Whether the line has not closed it, which sends nothing."""
    if not select.select([client], [], [], 0)[0]:
        return True
    try:
        return client.recv(1) != b""
    except OSError:
        return False


def wait_until_closed(client):
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionError:
        pass


def test_names(folder):
    """A name that is not the line's, as after DNS rebinding, gets nothing."""
    line = Line(folder, "hosts=packhouse.example; line-1\n")
    port = ":%d" % line.port
    good = ("localhost", "LOCALHOST" + port, "localhost.", "127.0.0.1", "127.0.0.1" + port, "127.9.9.9", "[::1]", "[::1]" + port,
            "packhouse.example", "Packhouse.Example" + port, "line-1")
    strange = ("attacker.example", "attacker.example" + port, "localhost.attacker.example", "127.0.0.1.attacker.example",
               "192.0.2.7", "[2001:db8::1]" + port, "0.0.0.0", "example", "*", socket.gethostname() + ".attacker.example")
    wrong = ("", ":80", "[::1", "[]", "[localhost]:80", "localhost:http", "localhost:80:80", "127.0.0.1:80@attacker.example")
    for hosts, status in (good, 200), (strange, 421), (wrong, 400):
        for host in hosts:
            assert line.ask_as(host) == status, (host, status)
    for path in (*PATHS, "/pictures/000.jpg", "/nothing"):
        status, _, body = line.ask(b"GET %s HTTP/1.1\r\nHost: attacker.example\r\n\r\n" % path.encode())
        assert status == 421 and b'"hosts"' in body and b"fruit_line" not in body, (path, body)
    for head, status in (b"", 400), (b"Host: localhost\r\nHost: attacker.example\r\n", 400), (b"hOsT:localhost\r\n", 200), (
            b"X: 1\r\n Host: localhost\r\n", 400), (b"Host : localhost\r\n", 400):
        assert line.ask(b"GET / HTTP/1.1\r\n" + head + b"\r\n")[0] == status, head
    # of old programs; no browser's
    assert line.ask(b"GET / HTTP/1.0\r\n\r\n")[0] == 200
    assert line.ask(b"GET / HTTP/1.0\r\nHost: attacker.example\r\n\r\n")[0] == 421
    line.end()


def test_any_name(folder):
    """Who wants to be asked for by any name says so."""
    line = Line(folder, "hosts=*\n")
    assert line.ask_as("attacker.example") == 200
    line.end()


def test_wrong_names(folder):
    for hosts in "http://line/", "line:8080", "a b":
        line = os.path.join(folder, "line.ini")
        with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
            text = file.read().replace("[line]\n", "[line]\nhosts=%s\n" % hosts)
        with open(line, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PROGRAM, "check", line], capture_output=True, text=True)
        assert done.returncode == 1 and "line.ini:" in done.stderr and "hosts" in done.stderr, done


def test_all_addresses(folder):
    """Listening at all of them, any address is its own, and the machine's name; no other name is."""
    line = Line(folder, "address=0.0.0.0\n")
    for host, status in ("192.0.2.7", 200), ("localhost", 200), (socket.gethostname(), 200), ("attacker.example", 421):
        assert line.ask_as(host) == status, host
    if HAS_NETWORK:
        assert line.ask_as(HERE, to=HERE, by=OTHER) == 200
        assert line.ask_as("attacker.example", to=HERE, by=OTHER) == 421
    line.end()


def test_ipv6(folder):
    """At all addresses of both kinds: clients of either are told apart."""
    try:
        with socket.socket(socket.AF_INET6) as free:
            free.bind(("::1", 0))
    except OSError:
        print("there is no IPv6")
        return
    line = Line(folder, "address=::\n")
    for to in "::1", "127.0.0.1":
        for host, status in ("[::1]", 200), ("[2001:db8::1]:80", 200), ("localhost", 200), ("attacker.example", 421):
            assert line.ask_as(host, to=to) == status, (to, host)
    if HAS_NETWORK:
        crowds = [line.connect(HERE, address) for address in CROWD for _ in range(10)]
        for to, by in ("::1", None), ("127.0.0.1", None), (HERE, OTHER):
            assert line.get("/metrics", to=to, by=by)[0] == 200
        for client in crowds:
            client.close()
    line.end()


class Page(html.parser.HTMLParser):
    """What a strict policy keeps from running."""
    wrong = None

    def __init__(self):
        super().__init__()
        self.ids = set()

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.ids.add(names.get("id"))
        if tag == "style" or (tag == "script" and "src" not in names) or "style" in names or any(
                name.startswith("on") for name in names):
            self.wrong = (tag, names)


def test_headers(folder):
    line = Line(folder)
    for path in (*PATHS, "/nothing", "/pictures/000.jpg"):
        status, headers, body = line.get(path)
        policy = dict((part.split(None, 1) + [""])[:2] for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert set(policy.values()) == {"'none'", "'self'"}, policy
        for name, value in (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
                            ("cache-control", "no-store"), ("x-frame-options", "DENY"), ("connection", "close"),
                            ("cross-origin-resource-policy", "same-origin")):
            assert headers[name] == value, (path, name, headers)
        assert int(headers["content-length"]) == len(body)
        head = line.ask(b"HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
        assert head[0] == status and head[2] == b"" and int(head[1]["content-length"]) > 0
    page = Page()
    page.feed(line.get("/")[2].decode())
    assert page.wrong is None, page.wrong
    # what the scripts fill is there
    filled = {name for script in SCRIPTS for name in re.findall(r'\$\("([\w-]+)"\)', line.get(script)[2].decode())}
    assert "alarms" in filled and filled <= page.ids, filled - page.ids
    line.end()


def test_requests(folder):
    """What is no request for something that is there is refused."""
    line = Line(folder)
    for method in b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"CONNECT", b"get", b"GETS":
        status, headers, _ = line.ask(method + b" / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
        assert status == 405 and headers["allow"] == "GET, HEAD", method
    host = b"\r\nHost: localhost\r\n\r\n"
    for first in (b"", b"GET", b"GET /", b"GET  / HTTP/1.1", b"GET / HTTP/1.1 ", b"GET / HTTP/2.0", b"GET / http/1.1", b"GET x HTTP/1.1",
                  b"GET http://localhost/ HTTP/1.1", b"GET /\0 HTTP/1.1", b"\x16\x03\x01\x02\0", b"GET * HTTP/1.1"):
        assert line.ask(first + host)[0] == 400, first
    assert line.ask(b"GET / HTTP/1.1\r\nno header\r\n" + host[2:])[0] == 400
    assert line.ask(b"GET /metrics?all HTTP/1.1\nHost: localhost\n\n")[0] == 200
    # pictures that are none of the line's, beside the folder and in it
    os.makedirs(os.path.join(line.output, "pictures"), exist_ok=True)
    for name in "x.jpg", "000.jpg", "pictures/x.jpg", "pictures/0000.jpg", "pictures/00a.jpg":
        with open(os.path.join(line.output, name), "wb") as file:
            file.write(b"nobody is to have this")
    for path in ("/pictures/../heartbeat", "/pictures/../x.jpg", "/pictures/../000.jpg", "/pictures/./x.jpg", "/pictures/x.jpg",
                 "/pictures/00a.jpg", "/../heartbeat", "/heartbeat", "//", "/pictures/", "/pictures/0000.jpg", "/pictures/000.json",
                 "/pictures/00%30.jpg", "/pictures/..%2f..%2fetc/passwd", "/report.json/", "/\xff"):
        assert line.get(path)[0] == 404, path
    # one that is too long is told so, though not all of it is read
    for long in b"GET /" + b"x" * 100000, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100000, b"\n" + b"x" * 8191:
        with line.connect() as client:
            try:
                client.sendall(long)
                status = read_answer(client)[0]
                assert status == 431, (long[:20], status)
            except ConnectionError:
                assert len(long) > 10000, "turned away before it had said too much"
    line.end()


def test_silence(folder):
    """Those who wait for nothing keep nobody waiting: the answer comes before they have to go."""
    line = Line(folder)
    for attempt in range(10):
        clients = [line.connect() for _ in range(12)]
        assert line.get("/metrics")[0] == 200
        at_once = all(map(is_open, clients))
        for client in clients:
            wait_until_closed(client)
            client.close()
        if at_once:
            break
    assert at_once
    line.end()


def crowd(line, addresses, n):
    """n clients, whatever becomes of them."""
    return [line.connect(to, by) for to, by in (addresses * n)[:n]]


def test_crowds(folder):
    """80 that say nothing, 200 that say a byte at a time, and 80 that do not read: all others are answered."""
    line = Line(folder, "address=0.0.0.0\n")
    asked = [("127.0.0.1", None)] + ([(HERE, OTHER), (HERE, HERE)] if HAS_NETWORK else [])
    origins = [[("127.0.0.1", None)]] + ([[(HERE, CROWD[0])], [(HERE, address) for address in CROWD]] if HAS_NETWORK else [])
    for origin in origins:
        silent = crowd(line, origin, 80)
        for _ in range(11):
            for to, by in asked:
                assert line.get("/metrics", to=to, by=by)[0] == 200
        slow = crowd(line, origin, 200)
        for byte in b"GET /metrics HTTP/1.1":
            for client in slow:
                try:
                    client.send(bytes([byte]))
                except OSError:
                    pass
            for to, by in asked:
                assert line.get("/metrics", to=to, by=by)[0] == 200
        deaf = crowd(line, origin, 80)
        for client in deaf:
            try:
                client.send(GET % b"/report.json")
            except OSError:
                pass
        for to, by in asked:
            assert line.get("/metrics", to=to, by=by)[0] == 200
        # there are never more descriptors than clients may be
        assert len(os.listdir("/proc/%d/fd" % line.process.pid)) < 64 + 60
        for client in silent + slow + deaf:
            client.close()
    line.end()


def test_share(folder):
    """Clients that ask all the time have a quarter of a core; twice that is what the clock's ticks may hide."""
    line = Line(folder)
    assert line.get("/metrics")[0] == 200
    ticks, begin = line.count_ticks("line-web"), time.monotonic()
    while time.monotonic() < begin + 3:
        clients = crowd(line, [("127.0.0.1", None)], 12)
        for client in clients:
            client.sendall(GET % b"/report.json")
        for client in clients:
            assert read_answer(client)[0] == 200
            client.close()
    share = (line.count_ticks("line-web") - ticks) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - begin)
    assert .01 < share < .5, share
    line.end()


def test_deadlines(folder):
    """A request and an answer have their time as a whole, however busy the client is."""
    line = Line(folder)
    with open(os.path.join(line.output, "pictures", "500.jpg"), "wb") as file:
        file.truncate(30 << 20)
    with line.connect() as busy, line.connect(SO_RCVBUF=4096) as lazy:
        lazy.sendall(GET % b"/pictures/500.jpg")
        got, end = 0, time.monotonic() + TIMEOUT
        for sent in b"x" * 10000:
            try:
                busy.send(bytes([sent]))
            except OSError:
                break
            # never at rest for long
            if is_open(lazy):
                got += len(lazy.recv(100, socket.MSG_DONTWAIT)) if select.select([lazy], [], [], 0)[0] else 0
            time.sleep(.05)
            assert time.monotonic() < end
        else:
            raise AssertionError("a request without an end is waited for")
        try:
            while part := lazy.recv(4096):
                got += len(part)
                time.sleep(.01)
                assert time.monotonic() < end
        except ConnectionError:
            pass
        assert got < 30 << 20
    assert len(line.get("/pictures/500.jpg")[2]) == 30 << 20
    line.end()


def test_no_descriptors(folder):
    """Nobody can be accepted for a while: it neither ends nor spins."""
    line = Line(folder, "pictures=0\n")
    # all that the line itself opens
    assert line.get("/metrics")[0] == 200
    used = len(os.listdir("/proc/%d/fd" % line.process.pid))
    before = resource.prlimit(line.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(line.process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
    clients = [line.connect() for _ in range(8)]
    ticks = line.count_ticks("line-web")
    time.sleep(1)
    assert line.count_ticks("line-web") - ticks < os.sysconf("SC_CLK_TCK") / 2
    resource.prlimit(line.process.pid, resource.RLIMIT_NOFILE, before)
    assert line.get("/metrics")[0] == 200
    for client in clients:
        client.close()
    line.end()


def test_links(folder):
    """Only files that are the run's own are shown."""
    secret = os.path.join(folder, "secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write('"secret"')
    line = Line(folder)
    pictures = os.path.join(line.output, "pictures")
    for name in "500.jpg", "500.json":
        os.symlink(secret, os.path.join(pictures, name))
    os.mkfifo(os.path.join(pictures, "501.jpg"))
    os.mkfifo(os.path.join(pictures, "501.json"))
    os.mkdir(os.path.join(pictures, "502.jpg"))
    for name in "500.jpg", "501.jpg", "502.jpg":
        assert line.get("/pictures/" + name)[0] == 404, name
    assert b"secret" not in line.get("/pictures.json")[2]
    os.rename(pictures, pictures + ".old")
    os.mkdir(os.path.join(folder, "other"))
    with open(os.path.join(folder, "other", "503.jpg"), "w", encoding="utf-8") as file:
        file.write("secret")
    os.symlink(os.path.join(folder, "other"), pictures)
    assert line.get("/pictures/503.jpg")[0] == 404 and json.loads(line.get("/pictures.json")[2]) == []
    line.end()
    assert os.listdir(os.path.join(folder, "other")) == ["503.jpg"]


TESTS = (test_names, test_any_name, test_wrong_names, test_all_addresses, test_ipv6, test_headers, test_requests, test_silence, test_crowds, test_share,
         test_deadlines, test_no_descriptors, test_links)


def enter_network():
    """Starts this again in a network of its own, if that may be made."""
    addresses = "".join(" && ip addr add %s/32 dev lo" % address for address in (HERE, OTHER, *CROWD))
    make = "ip link set lo up" + addresses
    try:
        if subprocess.run(["unshare", "-rn", "sh", "-c", make], capture_output=True).returncode:
            return
    except OSError:
        return
    os.environ["LINE_WEB_NETWORK"] = "1"
    os.execvp("unshare", ["unshare", "-rn", "sh", "-c", make + ' && exec "$@"', "sh", sys.executable, *sys.argv])


def main():
    if "LINE_WEB_NETWORK" not in os.environ:
        enter_network()
        print("there are no addresses besides loopback")
    run_tests(TESTS)


if __name__ == "__main__":
    main()
