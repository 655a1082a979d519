# SPDX-License-Identifier: LGPL-2.1-or-later
"""What changes a line that runs: commanding.py FRUIT_LINE FILES [TEST...]

Over HTTP, by people who may, by people who may not, by several at once; while the line is killed. What the log says is compared
with what the decisions say.
"""

import csv
import datetime
import html.parser
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import children
from files import read, write
from running import run_tests

PROGRAM, FILES = sys.argv[1:3]
TIMEOUT = 120
ANNA, BEN = "a" * 32, "b" * 40
GROWER = "=Cervi, \"Paolo\" <script>&amp;"
OUTLETS = {"first": 7, "small": 6, "large": 5}
LONGEST = "L" * 64
# reports have local times: the rules of Europe/Rome, whose table a system need not have
ROME = "CET-1CEST,M3.5.0,M10.5.0/3"
os.environ["TZ"] = ROME
time.tzset()


class Line:
    """Two simulated lanes; all pieces of a recipe's last rule go to an outlet of its own."""

    def __init__(self, folder, keys="token-file=tokens\n", output=True, more="", port=0):
        self.folder = folder
        self.output = os.path.join(folder, "out")
        # two rules lead to outlet 2
        recipe = read(FILES, "apricot.ini").replace("outlet=3\n", "outlet=2\n")
        assert recipe.count("outlet=8\n") == 1
        os.makedirs(os.path.join(folder, "recipes"), exist_ok=True)
        for name, outlet in OUTLETS.items():
            path = ("recipes", name + ".ini") if name != "first" else ("apricot.ini",)
            if not os.path.exists(os.path.join(folder, *path)):
                write(recipe.replace("outlet=8\n", "outlet=%d\n" % outlet), folder, *path)
        write("# who may\nanna %s\nben %s\n" % (ANNA, BEN), folder, "tokens")
        os.chmod(os.path.join(folder, "tokens"), 0o600)
        text = read(FILES, "line1.ini").split("[lane ")[0].replace("deadline-ms=50\n", "deadline-ms=20000\n")
        text = text.replace("[line]\n", "[line]\nrecord=true\nrecipes=recipes\n" + keys)
        text = re.sub("^output=.*", "output=out", text, flags=re.M)
        for lane in "ab":
            text += "[lane %s]\nsource=simulate\ntriggers=0\nempty=.1\nseed=%d\n" % (lane, ord(lane))
        self.config = write(text + more, folder, "line.ini")
        self.log = tempfile.TemporaryFile()
        self.process = children.start([PROGRAM, "run", self.config, "--port", str(port)] + (["--output", self.output] if output else []),
                                      stdout=subprocess.DEVNULL, stderr=self.log)
        self.port = int(self.wait(lambda: re.search(r"http://127\.0\.0\.1:([0-9]+)/", self.said()), "no page")[1])
        if not output:
            self.output = re.search("on; (.*)", self.said())[1]

    def said(self):
        return os.pread(self.log.fileno(), 1 << 24, 0).decode()

    def wait(self, what, why):
        return children.wait_until(what, TIMEOUT, lambda: (why, self.said()), self.process)

    def decisions(self):
        text = read(self.output, "decisions.jsonl")
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def wait_for_pieces(self, n):
        """More than there are now, of each lane."""
        last = {lane: self.last(lane) for lane in "ab"}
        self.wait(lambda: all(self.last(lane) >= last[lane] + n for lane in "ab"), "no pieces")

    def last(self, lane):
        return max((d["piece"] for d in self.decisions() if d["lane"] == lane), default=-1)

    def ask(self, method, path, body=None, **headers):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def get(self, path):
        status, _, text = self.ask("GET", path)
        assert status == 200, (path, status, text)
        return text

    def command(self, what, token=ANNA, status=200):
        """The answer."""
        found, _, text = self.ask("POST", "/command", what if isinstance(what, str) else json.dumps(what),
                                  Authorization="Bearer " + token, Content_Type="application/json")
        assert found == status, (what, found, text)
        return json.loads(text)

    def end(self):
        self.process.terminate()
        assert self.process.wait(TIMEOUT) == 0, self.said()
        return self.said()


def read_commands(folder):
    """Each command's asked and answer, by its id; the last line may be half of one."""
    commands = {}
    for line in read(folder, "commands.jsonl").split("\n")[:-1]:
        entry = json.loads(line)
        commands.setdefault(entry["id"], {}).update(entry)
    return commands


def check_replay(folder):
    done = subprocess.run([PROGRAM, "replay", folder], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0 and " 0 differ" in done.stdout, done


def count_outlets(decisions, **where):
    return {d["outlet"] for d in decisions if all(d[name] == value for name, value in where.items())}


def test_recipes(folder):
    """By name, of a lane, from a piece on: the decisions say so, exactly, and are made again by the recording."""
    line = Line(folder)
    assert json.loads(line.get("/recipes")) == ["large", "small"]
    line.wait_for_pieces(3)
    answer = line.command({"do": "recipe", "recipe": "small", "lane": "b"})
    hashes = {"small": answer["in_force"]["lanes"]["b"]["hash"], "first": answer["in_force"]["lanes"]["a"]["hash"]}
    since = line.last("b")
    start = max(map(line.last, "ab")) + 25
    answer = line.command({"do": "recipe", "recipe": "large", "from": start})
    assert answer["in_force"]["lanes"]["a"]["recipe"] is None and answer["in_force"]["lanes"]["b"]["recipe"] == "small"
    hashes["large"] = answer["in_force"]["lanes"]["a"]["next"]["hash"]
    assert len(set(hashes.values())) == 3
    line.wait(lambda: min(map(line.last, "ab")) >= start + 5, "no pieces")
    line.end()
    decisions = line.decisions()
    for d in decisions:
        if d["piece"] >= start:
            assert d["recipe"] == hashes["large"], d
        elif d["lane"] == "a":
            assert d["recipe"] == hashes["first"], d
        elif d["piece"] > since + 30:
            assert d["recipe"] == hashes["small"], d
    # each lane's changes, in order
    changes = {lane: [d["recipe"] for d in decisions if d["lane"] == lane] for lane in "ab"}
    for lane, names in ("a", ["first", "large"]), ("b", ["first", "small", "large"]):
        assert [h for h, before in zip(changes[lane], [None] + changes[lane]) if h != before] == [hashes[n] for n in names], lane
    check_replay(line.output)


def test_refused(folder):
    """What is wrong, by every way: it says why, it is in the log, and nothing changes."""
    line = Line(folder)
    good = read(folder, "recipes", "small.ini")
    write(good.replace("level=", "level=0.4\n#"), folder, "recipes", "levels.ini") if "\nlevel=" in good else write(
        good.replace("[recipe]\n", "[recipe]\nlevel=0.41\n"), folder, "recipes", "levels.ini")
    done = subprocess.run([PROGRAM, "check", line.config], capture_output=True, text=True)
    assert done.returncode == 1 and "levels.ini: " in done.stderr and "start the line anew" in done.stderr, done
    os.rename(os.path.join(folder, "recipes", "levels.ini"), os.path.join(folder, "recipes", "h\u00f6he.ini"))
    done = subprocess.run([PROGRAM, "check", line.config], capture_output=True, text=True)
    assert done.returncode == 1 and "h\u00f6he.ini: " in done.stderr and "rename it" in done.stderr, done
    os.rename(os.path.join(folder, "recipes", "h\u00f6he.ini"), os.path.join(folder, "recipes", "levels.ini"))
    write("[recipe", folder, "recipes", "broken.ini")
    write(good, folder, "outside.ini")
    os.symlink("/etc/passwd", os.path.join(folder, "recipes", "link.ini"))
    os.symlink(folder, os.path.join(line.output, "lots"))
    before = line.command({"do": "recipe", "recipe": "small"})["in_force"]
    wrong = (({"do": "recipe", "recipe": "levels"}, "start the line anew"), ({"do": "recipe", "recipe": "broken"}, "broken.ini:1: "),
             ({"do": "recipe", "recipe": "none"}, "none.ini"), ({"do": "recipe", "recipe": "../outside"}, "begins with a letter"),
             ({"do": "recipe", "recipe": "/etc/passwd"}, "begins with a letter"), ({"do": "recipe", "recipe": "link"}, "link.ini"),
             ({"do": "recipe", "recipe": "small", "lane": "c"}, "there are: a, b"), ("{", "object of JSON"),
             ({"do": "recipe", "recipe": "large", "from": 0}, "has been decided"), ({"do": "stop"}, '"do" says'),
             ({"do": "lot-end"}, "no lot"), ({"do": "lot-begin", "lot": "L"}, "lots"), ({"do": "recipe", "recipe": "small", "when": 3}, 'has no "when"'))
    line.wait_for_pieces(2)
    for what, why in wrong:
        answer = line.command(what, BEN, status=409)
        assert answer["answer"] == "refused" and why in answer["why"] and answer["in_force"] == before, (what, answer)
        entry = read_commands(line.output)[answer["id"]]
        assert entry["who"] == "ben" and entry["answer"] == "refused" and entry["why"] == answer["why"], entry
    write("[recipe", folder, "apricot.ini")
    line.process.send_signal(signal.SIGHUP)
    line.wait(lambda: read_commands(line.output).get(len(wrong) + 2, {}).get("answer"), "SIGHUP is not in the log")
    entry = read_commands(line.output)[len(wrong) + 2]
    assert entry["who"] == "SIGHUP" and entry["answer"] == "refused" and entry["in_force"] == before, entry
    line.wait_for_pieces(2)
    line.end()
    assert {d["recipe"] for d in line.decisions()[-4:]} == {before["lanes"]["a"]["hash"]}


def test_strangers(folder):
    """Who may not, from where one may not, and what is no request: nothing is in the log of it."""
    line = Line(folder)
    body, good = '{"do":"reload"}', {"Authorization": "Bearer " + ANNA, "Content_Type": "application/json"}

    def ask(status, body=body, **changes):
        headers = {name: value for name, value in {**good, **changes}.items() if value is not None}
        found, headers, text = line.ask("POST", "/command", body, **headers)
        assert found == status and ANNA not in text, (status, found, changes, text)
        return headers

    assert ask(401, Authorization=None)["www-authenticate"] == "Bearer"
    for token in "", "Bearer", "Bearer ", "Bearer " + ANNA[:-1], "Bearer " + ANNA + "a", "Basic " + ANNA, ANNA, "anna":
        ask(401, Authorization=token)
    ask(415, Content_Type="text/plain")
    ask(415, Content_Type=None)
    ask(413, body=json.dumps({"do": "reload"}) + " " * 3000)
    for origin in "http://attacker.example", "null", "http://localhost.attacker.example:80", "x":
        ask(403, Origin=origin)
    ask(421, Host="attacker.example")
    assert line.ask("GET", "/command")[0] == 405 and line.ask("GET", "/command")[1]["allow"] == "POST"
    assert line.ask("POST", "/commands", body, **good)[0] == 405
    for path in "/lots/../commands.jsonl", "/lots/", "/lots/x.json", "/lots/..%2fcommands.jsonl", "/lots/.json":
        assert line.ask("GET", path)[0] == 404, path
    assert not os.path.exists(os.path.join(line.output, "commands.jsonl")) and json.loads(line.get("/commands")) == []
    # from the page itself
    ask(200, Origin="http://127.0.0.1:%d" % line.port)
    ask(200, Origin="http://localhost:1")
    assert ANNA not in line.end() and ANNA not in read(line.output, "commands.jsonl")


def test_no_tokens(folder):
    line = Line(folder, keys="")
    status, _, text = line.ask("POST", "/command", '{"do":"reload"}', Authorization="Bearer " + ANNA, Content_Type="application/json")
    assert status == 403 and "token-file=" in text, (status, text)
    line.end()
    # a file that others may read: nothing begins
    os.chmod(os.path.join(folder, "tokens"), 0o644)
    write(read(line.config).replace("[line]\n", "[line]\ntoken-file=tokens\n"), folder, "line.ini")
    done = subprocess.run([PROGRAM, "check", line.config], capture_output=True, text=True)
    assert done.returncode == 1 and "chmod 600" in done.stderr and ANNA not in done.stderr, done


def test_slow(folder):
    """Bodies that come byte by byte, not at all, or in two parts."""
    line = Line(folder)
    body = b'{"do":"reload"}'
    head = ("POST /command HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
            "Content-Length: %d\r\n\r\n" % (ANNA, len(body))).encode()
    clients = [socket.create_connection(("127.0.0.1", line.port), TIMEOUT) for _ in range(12)]
    for client in clients:
        client.sendall(head + body[:3])
    with socket.create_connection(("127.0.0.1", line.port), TIMEOUT) as client:
        for i in range(len(body)):
            client.sendall(head + body[:1] if i == 0 else body[i:i + 1])
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
    line.command({"do": "reload"})
    # those that say no more have to go, and nothing was done for them
    for client in clients:
        assert client.recv(1) == b""
        client.close()
    line.end()
    assert len(read_commands(line.output)) == 2


def test_two(folder):
    """Two operators at once: all in the log, in an order in which the line has done it."""
    line, answers = Line(folder), []

    def operate(token, recipe):
        for _ in range(10):
            answers.append((recipe, line.command({"do": "recipe", "recipe": recipe}, token)))
    threads = [threading.Thread(target=operate, args=who) for who in ((ANNA, "small"), (BEN, "large"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    line.wait_for_pieces(8)
    line.end()
    commands = read_commands(line.output)
    assert sorted(commands) == list(range(1, 21)) and len(answers) == 20
    for recipe, answer in answers:
        entry = commands[answer["id"]]
        assert entry["asked"]["recipe"] == recipe and entry["who"] == {"small": "anna", "large": "ben"}[recipe], entry
        assert {lane["recipe"] for lane in answer["in_force"]["lanes"].values()} == {recipe}, answer
    last = commands[20]["in_force"]["lanes"]["a"]["hash"]
    assert [d["recipe"] for d in line.decisions()[-2:]] == [last, last]
    check_replay(line.output)


def test_killed(folder):
    """kill -9 while commands come: the next run does what the log says, and its first piece is decided so."""
    for attempt in range(6):
        line = Line(folder, output=False)
        log = os.path.join(folder, "out")
        line.wait_for_pieces(1)
        done = threading.Event()

        def operate():
            try:
                while not done.is_set():
                    for recipe in "small", "large":
                        line.command({"do": "recipe", "recipe": recipe, "lane": "ab"[attempt % 2]})
            except (OSError, http.client.HTTPException):
                pass
        thread = threading.Thread(target=operate)
        thread.start()
        n = len(read_commands(log)) if os.path.exists(os.path.join(log, "commands.jsonl")) else 0
        line.wait(lambda: os.path.exists(os.path.join(log, "commands.jsonl")) and len(read_commands(log)) > n + 3 + attempt, "none")
        line.process.kill()
        line.process.wait()
        done.set()
        thread.join()
        # without the tail of a line that was being written
        text = read(log, "commands.jsonl")
        answers = [json.loads(part) for part in text[:text.rfind("\n") + 1].splitlines()]
        wanted = [entry["in_force"] for entry in answers if entry.get("answer")][-1]
        after = Line(folder, output=False)
        after.wait_for_pieces(1)
        first = {lane: next(d for d in after.decisions() if d["lane"] == lane) for lane in "ab"}
        after.end()
        for lane in "ab":
            assert first[lane]["recipe"] == wanted["lanes"][lane]["hash"], (attempt, lane, wanted, first)
        commands = read_commands(log)
        assert all("answer" in entry for entry in commands.values()), commands
        check_replay(after.output)


def read_sizes():
    """Those of the recipe: name, from, to."""
    sizes = [(name, float(least or 0), float(most or "inf")) for name, least, most in re.findall(
        r"^\[size ([a-z]+)\]\n(?:min-mm=([0-9.]+)\n)?(?:max-mm=([0-9.]+)\n?)?", read(FILES, "apricot.ini"), re.M)]
    assert len(sizes) > 1, sizes
    return sizes


def report_on(decisions, sizes):
    """What a lot's report says, of decisions."""
    report = {"pieces": len(decisions), "statuses": {}, "doubts": {}, "outlets": {}, "defects": {}, "looks": 0, "looks_lost": {}}
    for d in decisions:
        report["statuses"][d["status"]] = report["statuses"].get(d["status"], 0) + 1
        for doubt in d["doubts"]:
            report["doubts"][doubt] = report["doubts"].get(doubt, 0) + 1
        size = next((name for name, least, most in sizes if least <= d["diameter_mm"] < most), "")
        report["outlets"][d["outlet"], size] = report["outlets"].get((d["outlet"], size), 0) + 1
        for name, figures in d["classes"].items():
            if name != "defect" and figures["mm2"]:
                n, mm2 = report["defects"].get(name, (0, 0))
                report["defects"][name] = n + 1, mm2 + figures["mm2"]
        report["looks"] += len(d["views"])
        for view in d["views"]:
            if not view["ok"]:
                why = view["lost"] or "late"
                report["looks_lost"][why] = report["looks_lost"].get(why, 0) + 1
    return report


def check_report(found, wanted):
    for name in "pieces", "looks":
        assert found[name] == wanted[name], (name, found, wanted)
    for name in "statuses", "doubts", "looks_lost":
        assert {key: n for key, n in found[name].items() if n} == wanted[name], (name, found, wanted)
    assert {(o["outlet"], o["size"]): o["pieces"] for o in found["outlets"]} == wanted["outlets"], (found, wanted)
    assert {d["class"]: d["pieces"] for d in found["defects"]} == {name: n for name, (n, _) in wanted["defects"].items()}
    for defect in found["defects"]:
        # each piece's is rounded in its decision
        assert abs(defect["mm2"] - wanted["defects"][defect["class"]][1]) <= .005 * defect["pieces"] + 1e-6, defect


class Page(html.parser.HTMLParser):
    """Rows of the tables of a report's page, by their ids; whatever it would load or run is an error."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.texts, self.at, self.title = {}, [], None, ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        assert tag in ("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "thead", "tbody", "tfoot", "tr",
                       "th", "td"), (tag, attributes)
        assert all(name in ("lang", "charset", "id", "class", "scope") for name, _ in attributes), attributes
        self.at = tag
        if tag == "table":
            self.rows = self.tables.setdefault(dict(attributes)["id"], [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at in ("th", "td"):
            self.rows[-1][-1] += data
        elif self.at == "h1":
            self.title += data


def check_tables(wanted, csv_text, page_text, sizes, names):
    """The table and the page say what a report of decisions does."""
    page, rows = Page(page_text), list(csv.reader(csv_text.splitlines()))
    cells = {(int(row[1]), row[2]): int(row[3]) for row in rows if row[0] == "outlet"}
    assert cells == wanted["outlets"], (cells, wanted)
    head, *grades, last = page.tables["grades"]
    sizes = [name for name, _, _ in sizes]
    assert head == ["outlet", *sizes, "no size", "all", "%"], head
    found = {}
    for row, outlet in zip(grades, sorted({outlet for outlet, _ in wanted["outlets"]}), strict=True):
        assert row[0] == "%d %s" % (outlet, ", ".join(names[outlet])), (row, names)
        found.update({(outlet, size): int(n) for size, n in zip([*sizes, ""], row[1:]) if n != "0"})
        assert int(row[-2]) == sum(map(int, row[1:-2])) and row[-1] == "%.1f" % (100 * int(row[-2]) / wanted["pieces"]), row
    assert found == wanted["outlets"], (found, wanted)
    assert last[0] == "all" and int(last[-2]) == wanted["pieces"] and last[-1] == "100.0", last
    for k, size in enumerate([*sizes, ""]):
        assert int(last[k + 1]) == sum(n for (_, of), n in wanted["outlets"].items() if of == size), last
    for table, kind in ("statuses", "status"), ("doubts", "doubt"), ("looks_lost", "look-lost"):
        assert {row[0]: int(row[1]) for row in page.tables.get(table, [])[1:]} == wanted[table], (table, page.tables[table], wanted)
        assert {row[1]: int(row[3]) for row in rows if row[0] == kind and row[3] != "0"} == wanted[table], (kind, rows)
    defects = {row[0]: (int(row[1]), float(row[3])) for row in page.tables["defects"][1:]}
    assert defects == {row[1]: (int(row[3]), float(row[4])) for row in rows if row[0] == "defect"}, (defects, rows)
    assert {name: n for name, (n, _) in defects.items()} == {name: n for name, (n, _) in wanted["defects"].items()}, defects
    assert all(abs(mm2 - wanted["defects"][name][1]) <= .005 * (n + 1) + 1e-6 for name, (n, mm2) in defects.items()), defects
    return page


def name_outlets(decisions):
    """By the rules that led there, in the order in which they first did."""
    names = {}
    for d in decisions:
        if d["reasons"][0] not in names.setdefault(d["outlet"], []):
            names[d["outlet"]].append(d["reasons"][0])
    return names


def check_facts(page, decisions, **texts):
    facts = dict(page.tables["lot"])
    times = [d["t_trigger_ns"] // 10 ** 9 for d in decisions]
    for name, when in ("First piece", min(times)), ("Last piece", max(times)):
        local = datetime.datetime.fromtimestamp(when).astimezone().isoformat(" ")
        assert facts.pop(name) == local[:19] + " " + local[19:], (name, local)
    assert int(facts.pop("Pieces")) == len(decisions)
    assert int(facts.pop("Of these empty")) == sum(d["reasons"] == ["empty"] for d in decisions)
    assert facts == texts, (facts, texts)


def test_lost_count(folder):
    """A lot that goes on after kill -9 has lost its last pieces, at most, and says so; no piece is counted twice."""
    line = Line(folder, output=False)
    line.command({"do": "lot-begin", "lot": "L", "grower": "Rossi"})
    path = os.path.join(folder, "out", "lots", "L.json")
    line.wait(lambda: os.path.exists(path) and json.loads(read(path))["pieces"] > 5, "no pieces")
    line.process.kill()
    line.process.wait()
    counted = json.loads(read(folder, "out", "lots", "L.json"))
    before = line.decisions()
    assert counted["whole"] and counted["running"] and counted["pieces"] >= 5, counted
    # a page that counts none of them would be there
    assert not os.path.exists(path.replace(".json", ".html"))
    after = Line(folder, output=False)
    after.wait_for_pieces(3)
    after.end()
    found = json.loads(read(folder, "out", "lots", "L.json"))
    assert found["open"] and not found["running"] and not found["whole"], found
    assert found["pieces"] == counted["pieces"] + len(after.decisions()), found
    assert {d["lot"] for d in after.decisions()} == {"L"}
    pieces = [(d["lane"], d["piece"]) for d in before + after.decisions() if "lot" in d]
    assert len(set(pieces)) == len(pieces)
    # as after a loss of power
    os.truncate(os.path.join(folder, "out", "lots", "L.json"), 0)
    last = Line(folder, output=False)
    last.wait_for_pieces(3)
    counted = len(last.decisions())
    last.command({"do": "lot-end"})
    last.end()
    found = json.loads(read(folder, "out", "lots", "L.json"))
    assert found["lot"] == "L" and not found["whole"] and found["pieces"] >= counted, found
    assert found["grower"] == "Rossi" and not found["running"], found
    # one that another one follows at once, before anything of it is counted
    last = Line(folder, output=False)
    for name in "M", "N":
        last.command({"do": "lot-begin", "lot": name})
    last.process.kill()
    last.process.wait()
    last = Line(folder, output=False)
    assert "M" in last.command({"do": "lot-begin", "lot": "M"}, status=409)["why"]
    last.command({"do": "lot-end"})
    last.end()
    for name in "M", "N":
        found = json.loads(read(folder, "out", "lots", name + ".json"))
        assert found["lot"] == name and not found["whole"] and not found["open"] and not found["running"], found
    # it has ended, and no run goes on with it
    os.truncate(path, 0)
    Line(folder, output=False).end()
    found = json.loads(read(folder, "out", "lots", "L.json"))
    assert found["lot"] == "L" and not found["whole"] and not found["open"] and found["pieces"] == 0, found


def test_lots(folder):
    """Which pieces are of which lot, over an end of the line; what is reported of them is what their decisions say."""
    sizes = read_sizes()
    line = Line(folder, output=False)
    log = os.path.join(folder, "out")
    line.wait_for_pieces(2)
    line.command({"do": "lot-begin", "lot": "L-1", "grower": GROWER, "variety": "Pisana", "bin": "7"})
    line.wait_for_pieces(10)
    assert json.loads(line.get("/lots/L-1.json"))["open"] is True
    start = max(map(line.last, "ab")) + 20
    line.command({"do": "lot-begin", "lot": LONGEST, "from": start})
    assert "L-1" in line.command({"do": "lot-begin", "lot": "L-1"}, status=409)["why"]
    line.wait(lambda: min(map(line.last, "ab")) >= start + 4, "no pieces")
    line.end()
    first = line.decisions()
    check_report(json.loads(read(line.output, "run.json")), report_on(first, sizes))
    page = check_tables(report_on(first, sizes), read(line.output, "run.csv"), read(line.output, "run.html"), sizes,
                        name_outlets(first))
    check_facts(page, first)
    assert page.title == "All pieces of the run"
    again = Line(folder, output=False)
    again.wait_for_pieces(4)
    again.command({"do": "lot-end"})
    again.wait_for_pieces(6)
    again.wait(lambda: json.loads(again.get("/lots/%s.json" % LONGEST))["open"] is False, "it is open")
    table, text = again.get("/lots/L-1.csv"), again.get("/lots/L-1.html")
    assert [lot["lot"] for lot in json.loads(again.get("/lots"))] == [LONGEST, "L-1"]
    again.wait(lambda: again.ask("GET", "/run.html")[0] == 200, "no report of the run")
    policies = [again.ask("GET", path)[1]["Content-Security-Policy"] for path in ("/", "/lots/L-1.html", "/run.html")]
    assert ["unsafe-inline" in policy for policy in policies] == [False, True, True], policies
    assert ["script-src" in policy for policy in policies] == [True, False, False], policies
    again.end()
    second = again.decisions()
    for name in "L-1", LONGEST:
        mine = [d for d in first + second if d.get("lot") == name]
        found = json.loads(read(log, "lots", name + ".json"))
        check_report(found, report_on(mine, sizes))
        page = check_tables(report_on(mine, sizes), read(log, "lots", name + ".csv"), read(log, "lots", name + ".html"), sizes,
                            name_outlets(mine))
        check_facts(page, mine, **{"Grower": GROWER, "Variety": "Pisana", "Bin": "7"} if name == "L-1" else {})
        assert page.title == "Lot " + name
        assert found["lot"] == name and found["whole"] and not found["open"] and not found["running"], found
    for lane in "ab":
        names = [d.get("lot") for d in first + second if d["lane"] == lane]
        assert [n for n, before in zip(names, [0] + names) if n != before] == [None, "L-1", LONGEST, None], names
        assert min(d["piece"] for d in first if d["lane"] == lane and d.get("lot") == LONGEST) == start
    assert 'grower,"\'=Cervi, ""Paolo"" <script>&amp;",,,,,\n' in table and table.startswith("kind,name,size,pieces,mm2,weighed,kg\n"), table
    assert Page(text).title == "Lot L-1" and text == read(log, "lots", "L-1.html")
    for run in line, again:
        check_replay(run.output)


def test_unwritable(folder):
    """A lot that ends while its report cannot be written: it is told once, and written when it can be."""
    line = Line(folder)
    line.command({"do": "lot-begin", "lot": "L"})
    path = os.path.join(line.output, "lots", "L.csv")
    line.wait(lambda: os.path.exists(path), "no report")
    line.wait_for_pieces(2)

    def block():
        """A folder has its name; a report may be written until it does."""
        try:
            os.remove(path)
            os.mkdir(path)
        except FileExistsError:
            return False
        return True
    line.wait(block, "no folder")
    line.command({"do": "lot-end"})
    line.wait(lambda: "L.csv" in line.said(), "nothing is said")
    line.wait_for_pieces(25)
    assert json.loads(line.get("/lots/L.json"))["open"] and line.said().count("L.csv") == 1, line.said()
    os.rmdir(path)
    line.wait(lambda: not json.loads(line.get("/lots/L.json"))["open"], "it is open")
    line.wait(lambda: "can be written again" in line.said(), "that is not said")
    check_report(json.loads(line.get("/lots/L.json")), report_on([d for d in line.decisions() if "lot" in d], read_sizes()))
    assert line.get("/lots/L.csv").startswith("kind,")
    line.end()


def test_shifts(folder):
    """Pieces of two shifts, the second one of two runs, by a clock that is set so that it begins soon."""
    sizes = [("small", 30, 40), ("large", 40, 60)]
    start = int(time.time()) + 8
    hour, seconds = start % 86400 // 3600, start % 3600
    zone = datetime.timezone(-datetime.timedelta(seconds=seconds))
    names = [datetime.datetime.fromtimestamp(start - back, zone).strftime("%Y-%m-%d-%H%M") for back in (3600, 0)]
    os.environ["TZ"] = "-00:%02d:%02d" % divmod(seconds, 60)
    try:
        keys = "token-file=tokens\nshifts=%02d:00;%02d:00\n" % (hour, (hour - 1) % 24)
        line = Line(folder, keys, output=False)
        line.wait_for_pieces(4)
        line.wait(lambda: line.ask("GET", "/shifts/%s.json" % names[1])[0] == 200, "no second shift")
        line.wait(lambda: not json.loads(line.get("/shifts/%s.json" % names[0]))["open"], "the first is open")
        line.wait_for_pieces(4)
        line.end()
        again = Line(folder, keys, output=False)
        again.wait_for_pieces(4)
        assert again.ask("GET", "/shifts/..%2fcommands.jsonl")[0] == 404
        shifts = {shift["shift"]: shift for shift in json.loads(again.get("/shifts"))}
        assert set(names) <= set(shifts) and json.loads(again.get("/lots")) == [], shifts
        assert shifts[names[0]] == {key: value for key, value in json.loads(again.get("/shifts/%s.json" % names[0])).items()
                                    if key in shifts[names[0]]} and {"pieces", "open", "whole"} <= set(shifts[names[0]]), shifts
        again.end()
    finally:
        os.environ["TZ"] = ROME
    decisions = line.decisions() + again.decisions()
    log = os.path.join(folder, "out", "shifts")
    assert sorted(os.listdir(log)) == [name + end for name in names for end in (".csv", ".html", ".json")], os.listdir(log)
    for k, name in enumerate(names):
        mine = [d for d in decisions if (d["t_trigger_ns"] >= start * 10 ** 9) == k]
        found = json.loads(read(log, name + ".json"))
        assert len(mine) >= 8 and found["shift"] == name and found["lot"] is None, found
        assert found["whole"] and not found["running"] and found["open"] == (k == 1), found
        check_report(found, report_on(mine, sizes))
        page = check_tables(report_on(mine, sizes), read(log, name + ".csv"), read(log, name + ".html"), sizes, name_outlets(mine))
        assert page.title == "Shift " + name


def test_lost_shift(folder):
    """A run that is killed before anything was counted, and one that cannot start: only what the first one had is missing."""
    keys = "shifts=%s\n" % ";".join("%02d:00" % hour for hour in range(0, 24, 4))
    log = os.path.join(folder, "out", "shifts")

    def are_whole():
        names = [name for name in os.listdir(log) if name.endswith(".json")]
        return [json.loads(read(log, name))["whole"] for name in sorted(names)]
    line = Line(folder, keys, output=False)
    line.end()
    assert all(are_whole()), are_whole()
    lane = read(line.config).partition("[lane ")[0] + "[lane a]\nsource=simulate\nnetwork=false\n"
    done = subprocess.run([PROGRAM, "run", write(lane, folder, "none.ini")], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 1, done
    Line(folder, keys, output=False).end()
    assert all(are_whole()), are_whole()
    shutil.rmtree(log)
    line = Line(folder, keys, output=False)
    line.process.kill()
    line.process.wait()
    Line(folder, keys, output=False).end()
    assert not are_whole()[0], are_whole()


TESTS = (test_recipes, test_refused, test_strangers, test_no_tokens, test_slow, test_two, test_killed, test_lots, test_unwritable,
         test_shifts, test_lost_count, test_lost_shift)


if __name__ == "__main__":
    run_tests(TESTS)
