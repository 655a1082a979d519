# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that somebody else has made: hostile.py FRUIT_LINE FILES [TEST...]

A line goes on while a wrong recipe is read; nothing waits for a pipe or reads a device; what files say never reaches a
terminal as it is. Nothing here depends on how fast the machine is.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import urllib.request

import children
from files import read, write
from running import run_tests

PROGRAM, FILES = sys.argv[1:3]
TIMEOUT = 60
# seconds: longer than anything here takes, shorter than what reads each line for each line
HANGS = 10


# bytes of addresses; a sanitizer takes far more of them
LIMIT = ["prlimit", "--as=4000000000"]
if b"Sanitizer" in subprocess.run([*LIMIT, PROGRAM, "--help"], capture_output=True).stderr:
    LIMIT = []


def write_line(folder, lane="source=simulate\ntriggers=0\n", more=""):
    """The shipped configuration with another lane."""
    write(read(FILES, "apricot.ini"), folder, "apricot.ini")
    return write(read(FILES, "line1.ini").split("[lane ")[0] + more + "[lane a]\n" + lane, folder, "line.ini")


def run_program(*arguments, status=1):
    """What it says, to both; no character of it is one that a terminal obeys. It neither hangs nor eats the machine."""
    done = subprocess.run([*LIMIT, PROGRAM, *arguments], capture_output=True, timeout=TIMEOUT)
    text = (done.stdout + done.stderr).decode()
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text), repr(text)
    assert done.returncode == status, (done.returncode, text)
    return text


class Run:
    def __init__(self, folder, config, *arguments):
        self.output = os.path.join(folder, "out")
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as log:
            self.process = children.start([PROGRAM, "run", config, "--output", self.output, "--port", "0", *arguments],
                                          stdout=subprocess.DEVNULL, stderr=log)
        self.wait(lambda: re.search("http://[^/]*/", read(self.log)))
        self.wait(lambda: read(self.output, "heartbeat"))
        self.url = re.search("http://[^/]*/", read(self.log))[0]

    def wait(self, what):
        end = time.monotonic() + TIMEOUT
        while not what():
            assert self.process.poll() is None and time.monotonic() < end, read(self.log)
            time.sleep(.05)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(TIMEOUT) == 0, read(self.log)
        return read(self.log)

    def fetch(self, path):
        with urllib.request.urlopen(self.url + path, timeout=HANGS) as answer:
            return answer.read().decode()

    def heartbeat_age(self):
        return time.time() - json.loads(read(self.output, "heartbeat"))["t_ns"] / 1e9


def test_recipe(folder):
    """Wrong recipes of 400 kB, of which each line is one, and pipes: the heart beats, and /metrics answers."""
    good = read(FILES, "apricot.ini")
    wrong = ("[recipe]\n" + "".join("k%d=%s\n" % (i, "x" * 12) for i in range(19900)),
             good + "".join("[limits l%d]\nrot-mm2=1\n" % i for i in range(9000)),
             "[recipe]\nclasses=" + 200000 * "a;" + "\n")
    run = Run(folder, write_line(folder))
    for i, text in enumerate(wrong):
        assert len(text) > 200000
        write(text, folder, "apricot.ini")
        run.process.send_signal(signal.SIGHUP)
        while read(run.log).count(" stays\n") == i:
            assert run.heartbeat_age() < HANGS
            assert "fruit_line_heartbeat_age_seconds" in run.fetch("metrics")
    os.unlink(os.path.join(folder, "apricot.ini"))
    os.mkfifo(os.path.join(folder, "apricot.ini"))
    run.process.send_signal(signal.SIGHUP)
    run.wait(lambda: read(run.log).count(" stays\n") == len(wrong) + 1)
    os.unlink(os.path.join(folder, "apricot.ini"))
    write(good.replace("outlet=8", "outlet=7"), folder, "apricot.ini")
    run.process.send_signal(signal.SIGHUP)
    run.wait(lambda: " from now on\n" in read(run.log))
    said = run.end()
    assert "and 19" in said and "only regular files" in said and len(said) < 60000, (len(said), said[:5000])


def test_help(folder):
    """What is asked for goes to the output, what is wrong to the errors; each option is where it is looked for."""
    del folder
    for arguments, status in (["--help"], 0), ([], 2), (["--what"], 2), (["run", "--help"], 0), (["run"], 2):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == status, done
        assert "fruit-line" in (done.stderr if status else done.stdout) and not (done.stdout if status else done.stderr), done
    said = run_program("run", "--help", status=0)
    assert "fruit-line run [OPTION" in said, said
    for option in "-o, --output=FOLDER", "-s, --seconds=N", "--record", "-p, --port=N", "--fast":
        assert re.search("^  %s   *[A-Z]" % option, said, re.M), (option, said)


def test_check(folder):
    """Each of these is told in some lines."""
    config = write_line(folder)
    text = read(config)
    for change in ("[recipe\033[31m]\n", "k\033]0;title\007=1\n", "[\u202eline]\n", "a=\x80\n"):
        write(text + change, folder, "line.ini")
        run_program("check", config)
    write(text.encode() + b"name=\xff\xfe\n", folder, "line.ini")
    assert "not UTF-8" in run_program("check", config)
    write(text + "".join("[lane l%d]\nsource=camera\ncameras=a;a;a;a\n" % i for i in range(6000)), folder, "line.ini")
    assert len(run_program("check", config)) < 20000
    for make in (lambda path: os.mkfifo(path), lambda path: os.symlink("/dev/zero", path)):
        os.unlink(config)
        make(config)
        assert "only regular files" in run_program("check", config)


def test_sources(folder):
    """Pipes and devices in place of tensors and pictures."""
    source = os.path.join(folder, "source")
    config = write_line(folder, lane="source=replay\nlocation=source\n")
    for make in (lambda path: os.mkfifo(path), lambda path: os.symlink("/dev/zero", path)):
        make(source)
        assert "no regular file" in run_program("run", config, "--output", os.path.join(folder, "out"))
        shutil.rmtree(os.path.join(folder, "out"))
        assert "only regular files" in run_program("calibrate", config, "a", source)
        os.unlink(source)


def write_secret(text, *names, mode=0o600):
    path = write(text, *names)
    os.chmod(path, mode)
    return path


# in no file, no message, no table of processes
SECRET = "hunter2-4711"


def publish(folder, *keys, status=1):
    """What a publisher says that does not start."""
    said = run_program("publish", write_line(folder, more="[publish]\n" + "".join(key + "\n" for key in keys)), status=status)
    assert SECRET not in said, said
    return said


def start_publisher(folder, *keys):
    """One that starts. Returns what it says then"""
    config = write_line(folder, more="[publish]\n" + "".join(key + "\n" for key in keys))
    with subprocess.Popen([PROGRAM, "publish", config], stderr=subprocess.PIPE, text=True) as publisher:
        assert "decisions in" in (said := publisher.stderr.readline()), said
        publisher.terminate()
        said = publisher.stderr.read()
        assert publisher.wait(TIMEOUT) == 0 and SECRET not in said
        return said


def read_tree(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                yield os.path.join(path, name), file.read()


def test_secrets(folder):
    """Nobody else may have a secret; what does not fit is told without it."""
    mqtt = "host=127.0.0.1", "port=%d" % children.find_port(), "username=line"
    password = os.path.join(folder, "password")
    for mode in 0o640, 0o604, 0o660, 0o666, 0o755:
        write_secret(SECRET + "\n", password, mode=mode)
        if os.geteuid() == 0:
            # a group that has somebody in it
            os.chown(password, 0, 4711)
        assert "chmod 600" in publish(folder, *mqtt, "password-file=password"), oct(mode)
        os.unlink(password)
    os.mkfifo(password, 0o600)
    assert "only regular files" in publish(folder, *mqtt, "password-file=password")
    os.unlink(password)
    os.symlink("/dev/zero", password)
    assert "only regular files" in publish(folder, *mqtt, "password-file=password")
    os.unlink(password)
    write_secret(SECRET + 70000 * "x", password)
    assert "larger than 64" in publish(folder, *mqtt, "password-file=password")
    if os.geteuid() == 0:
        write_secret(SECRET + "\n", password)
        os.chown(password, 4711, 4711)
        assert "belongs to user 4711" in publish(folder, *mqtt, "password-file=password")
        # as systemd makes credentials, whose access list shows as the group's right
        os.chown(password, 0, 0)
        os.chmod(password, 0o440)
        start_publisher(folder, *mqtt, "password-file=password")
    # to another machine without TLS; it is this one by a name of all
    write_secret(SECRET + "\n", password)
    other = "host=0.0.0.0", mqtt[1], "username=line", "password-file=password"
    assert "add \"tls=true\"" in publish(folder, *other)
    assert "warning: mqtt 0.0.0.0" in start_publisher(folder, *other, "credentials-without-tls=true")
    assert "warning" not in start_publisher(folder, *mqtt, "password-file=password")
    # secrets in the wrong place
    assert "recordings copy this file" in publish(folder, "host=127.0.0.1", "username=a", "password=" + SECRET)
    assert '"host" must be' in publish(folder, "host=a:%s@127.0.0.1" % SECRET)
    kafka = "transport=kafka", "brokers=127.0.0.1:%d" % children.find_port()
    assert "is a secret" in publish(folder, *kafka, "options=sasl.password=" + SECRET)
    assert "must be NAME=VALUE" in publish(folder, *kafka, "options=linger.ms=5;sasl.password " + SECRET)
    if "built without" in publish(folder, *kafka, "secrets-file=secrets"):
        return
    write_secret("sasl.password=%s\n" % SECRET, folder, "secrets", mode=0o644)
    assert "chmod 600" in publish(folder, *kafka, "secrets-file=secrets")
    for text, message in ((SECRET, "line 1 must be NAME=VALUE"), ("\n# a\nlinger.ms=%s\n" % SECRET, "line 3 is no secret"),
                          ("sasl.passwordx=%s\n" % SECRET, "line 1 is refused"), ("%s.secret=1\n" % SECRET, "line 1 is refused")):
        write_secret(text, folder, "secrets")
        assert message in publish(folder, *kafka, "secrets-file=secrets")
    # a good one
    write_secret("# a\n\n sasl.password = %s \n" % SECRET, folder, "secrets")
    start_publisher(folder, *kafka, "secrets-file=secrets")


def test_recording(folder):
    """Of a line that publishes with a password nothing has the password, and its configuration is not for everybody."""
    write_secret(SECRET + "\n", folder, "password")
    config = write_line(folder, more="[publish]\nhost=127.0.0.1\nport=%d\nusername=line\npassword-file=password\n" % children.find_port())
    umask = os.umask(0)
    run = Run(folder, config, "--record")
    os.umask(umask)
    log = os.path.join(folder, "publish.log")
    with open(log, "wb") as file:
        publisher = children.start([PROGRAM, "publish", config], stdout=file, stderr=file)
    run.wait(lambda: "trying again" in read(log))
    run.wait(lambda: "fruit_line_publisher_up" in run.fetch("metrics"))
    for process in run.process, publisher:
        for name in "cmdline", "environ":
            assert SECRET.encode() not in open("/proc/%d/%s" % (process.pid, name), "rb").read()
    for path in "metrics", "report.json", "publisher.json", "":
        assert SECRET not in run.fetch(path), path
    publisher.terminate()
    assert publisher.wait(TIMEOUT) == 0, read(log)
    run.end()
    for name in os.listdir(run.output):
        if name.endswith(".ini"):
            assert stat.S_IMODE(os.stat(os.path.join(run.output, name)).st_mode) == 0o640, name
    for path, content in read_tree(folder):
        assert SECRET.encode() not in content or path == os.path.join(folder, "password"), path
    run_program("replay", run.output, status=0)


def start_broker(mosquitto, folder, log):
    """Returns its port, at which it listens. A port that was free may be another's a moment later: then another one is tried."""
    for _ in range(5):
        port = children.find_port()
        text = "listener %d 127.0.0.1\ncertfile %s/broker.crt\nkeyfile %s/broker.key\npassword_file %s/passwords\n" % (
            port, folder, folder, folder)
        with open(log, "wb") as file:
            broker = children.start([mosquitto, "-v", "-c", write(text, folder, "mosquitto.conf")], stdout=file, stderr=file)
        for _ in range(TIMEOUT * 20):
            if broker.poll() is not None or re.search("mosquitto version .* running", read(log)):
                break
            time.sleep(.05)
        if broker.poll() is None:
            return port
    raise AssertionError("the broker does not start: " + read(log))


def hear(publisher, wanted, log):
    """What it says until it has said @wanted. One that never does is killed."""
    said, timer = "", threading.Timer(TIMEOUT, publisher.kill)
    timer.start()
    while wanted not in said:
        line = publisher.stderr.readline()
        assert line, "it never said: %s, but: %s; the broker: %s" % (wanted, said, read(log)[-4000:])
        said += line
    timer.cancel()
    return said


def test_trust(folder):
    """TLS by what the system trusts: a broker of no known authority gets no password."""
    mosquitto = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not mosquitto or not shutil.which("openssl"):
        print("  mosquitto or openssl is missing")
        return
    os.chmod(folder, 0o755)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "broker.key", "-out", "broker.crt"],
                   cwd=folder, check=True, capture_output=True)
    os.chmod(os.path.join(folder, "broker.key"), 0o644)
    subprocess.run(["mosquitto_passwd", "-b", "-c", "passwords", "line", SECRET], cwd=folder, check=True)
    os.chmod(os.path.join(folder, "passwords"), 0o644)
    log = os.path.join(folder, "broker.log")
    port = start_broker(mosquitto, folder, log)
    write_secret(SECRET + "\n", folder, "password")
    write_secret(read(folder, "broker.key"), folder, "own.key")
    keys = "host=127.0.0.1\nport=%d\ntls=true\nusername=line\npassword-file=password\n" % port
    status = os.path.join(folder, "fruit-line-output", "publisher.json")
    for more, trusted in (("", False), ("", True), ("cert-file=broker.crt\nkey-file=own.key\n", True),
                          ("cert-file=broker.crt\nkey-file=own.key\n", False)):
        config = write_line(folder, more="[publish]\n" + keys + more)
        environment = {**os.environ, "SSL_CERT_FILE": os.path.join(folder, "broker.crt" if trusted else "none")}
        wanted = "mqtt 127.0.0.1:%d: connected" % port if trusted else "trying again"
        publisher = children.start([PROGRAM, "publish", config], stderr=subprocess.PIPE, env=environment, text=True)
        said = hear(publisher, wanted, log)
        assert "refused" not in said or not trusted, said
        publisher.terminate()
        assert publisher.wait(TIMEOUT) == 0 and SECRET not in said
        publisher.stderr.close()
        assert os.path.exists(status)
    os.chmod(os.path.join(folder, "own.key"), 0o644)
    assert "own.key: it has a secret" in run_program("publish", config)


TESTS = test_recipe, test_help, test_check, test_sources, test_secrets, test_recording, test_trust


if __name__ == "__main__":
    run_tests(TESTS)
