# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line in real time: live.py FRUIT_LINE FILES [TEST...]

Every trigger, frame and piece is accounted for, whatever happens: a lane whose
source ends, a recipe that changes, a disk that is full, a signal. Nothing here
depends on how fast the machine is: pieces may be late, but not lost.
"""

import hashlib
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import children
import nothing
from files import read, write
from running import run_tests

PROGRAM, FILES = sys.argv[1:3]
CUPS, VIEWS = 5, 4
VIEW_SIZE = 95 * 511 * 12 * 4
TIMEOUT = 150


def read_decisions(folder):
    text = read(folder, "decisions.jsonl")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def check_losses(report):
    """Each lost frame has its reason, in a report of any time."""
    for lane in report["lanes"].values():
        assert lane["frames"]["lost"] == sum(lane["losses"].values()), lane
    return report


def read_report(folder):
    report = json.loads(read(folder, "report.json"))
    assert report["schema"] == "fruit-line-report/1" and report["adds_up"] is True, report
    for lane in check_losses(report)["lanes"].values():
        frames = lane["frames"]
        assert lane["triggers"] * VIEWS == frames["in_time"] + frames["late"] + frames["lost"], lane
        assert lane["pieces"] == max(lane["triggers"] - CUPS + 1, 0), lane
        assert sum(lane["outlets"].values()) == lane["pieces"] == sum(lane["statuses"].values()), lane
    assert "truth" in report and read(folder, "report.txt")
    return report


def check_pieces(decisions, report):
    """Each piece of each lane once, in order, at the time of its last trigger."""
    for name, lane in report["lanes"].items():
        mine = [d for d in decisions if d["lane"] == name]
        assert [d["piece"] for d in mine] == list(range(lane["pieces"])), (name, lane)
        times = [d["t_trigger_ns"] for d in mine]
        assert times == sorted(times)
        for decision in mine:
            assert (decision["status"] == "ok") <= (not decision["doubts"]), decision
            assert ("lost" in decision["doubts"]) == (not all(v["ok"] for v in decision["views"])), decision
            for view in decision["views"]:
                assert view["ok"] == (view["t_ns"] is not None)


def write_line(folder, recipe="", change=lambda text: text, **lanes):
    """The shipped configuration and recipe, with other lanes; change: of what is before them."""
    text = change(read(FILES, "line1.ini").split("[lane ")[0])
    for name, keys in lanes.items():
        text += "[lane %s]\n%s\n" % (name, keys)
    write(recipe or read(FILES, "apricot.ini"), folder, "apricot.ini")
    return write(text, folder, "line.ini")


def give_time(text):
    """A deadline that slow machines keep: nothing is decided without what comes late, nor lost because it would."""
    assert "deadline-ms=50\n" in text
    return text.replace("deadline-ms=50\n", "deadline-ms=20000\n")


class Run:
    """A run in the background; folder: None for one that it names itself."""

    def __init__(self, arguments, folder, **popen):
        self.folder = folder
        self.log = tempfile.TemporaryFile()
        output = ["--output", folder] if folder else []
        self.process = children.start([PROGRAM, *arguments, *output], stdout=subprocess.PIPE, stderr=self.log, text=True,
                                      **popen)

    def said(self):
        """To standard error, until now; the program goes on where it was."""
        return os.pread(self.log.fileno(), 1 << 24, 0).decode()

    def wait(self, what, why):
        """Until what() is true. Returns it."""
        for _ in range(TIMEOUT * 20):
            if found := what():
                return found
            assert self.process.poll() is None, (why, self.said())
            time.sleep(.05)
        raise AssertionError(why, self.said())

    def wait_for(self, what):
        """Until what(decisions) is true."""
        path = os.path.join(self.folder, "decisions.jsonl")
        self.wait(lambda: os.path.exists(path) and what([json.loads(line) for line in read(path).split("\n")[:-1]]),
                  "decisions did not come")

    def wait_until_said(self, text, times=1):
        self.wait(lambda: self.said().count(text) >= times, "never said: " + text)

    def find_page(self):
        """Returns: its URL"""
        return self.wait(lambda: re.search(r"http://127\.0\.0\.1:[0-9]+/", self.said()), "no page")[0]

    def end(self, status=0):
        out, _ = self.process.communicate(timeout=TIMEOUT)
        err = self.said()
        self.log.close()
        assert self.process.returncode == status, (self.process.returncode, out, err)
        return out, err


def test_simulation(folder):
    out, err = Run(["--simulate", "--seconds", "3", "--lanes", "2", "--record"], folder).end()
    assert "ready after" in err and "against the truth" in out
    report, decisions = read_report(folder), read_decisions(folder)
    check_pieces(decisions, report)
    assert set(report["lanes"]) == {"lane1", "lane2"} and report["simulated"] is True
    for lane in report["lanes"].values():
        assert lane["triggers"] == 30
    assert report["written"]["lines"] == len(decisions) == report["total"]["pieces"] == report["truth"]["pieces"]
    whole = [d for d in decisions if all(v["ok"] for v in d["views"])]
    assert all(20 < d["diameter_mm"] < 80 for d in whole)
    heart = json.loads(read(folder, "heartbeat"))
    assert set(heart) == {"t_ns", "pieces"}
    for name in "line.ini", "lane1.events", "lane2.events", "recipe-%s.ini" % decisions[0]["recipe"][:12]:
        assert os.path.getsize(os.path.join(folder, name)) > 0
    # decided again, from the events alone
    done = subprocess.run([PROGRAM, "replay", folder], capture_output=True, text=True)
    assert done.returncode == 0 and "%d pieces, 0 differ" % len(decisions) in done.stdout, done
    # never over another run
    out, err = Run(["--simulate", "--seconds", "1"], folder).end(1)
    assert "nothing is ever overwritten" in err


def test_signals(folder):
    """A recipe that changes while the line runs; SIGTERM at the end, by somebody who has no patience."""
    config = write_line(folder, a="source=simulate\ntriggers=0")
    recipe = read(folder, "apricot.ini")
    other = recipe.replace("outlet=8", "outlet=7")
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (recipe, other))
    run = Run(["run", config], os.path.join(folder, "out"))
    run.wait_for(lambda decisions: len(decisions) >= 3)
    wrong = recipe.replace("[rule reject]", "[rule"), recipe.replace("level=0.5", "level=0.4")
    for i, text in enumerate(wrong):
        write(text, folder, "apricot.ini")
        run.process.send_signal(signal.SIGHUP)
        run.wait_until_said("recipe %s stays" % old[:12], i + 1)
    write(other, folder, "apricot.ini")
    run.process.send_signal(signal.SIGHUP)
    run.wait_for(lambda decisions: sum(d["recipe"] == new for d in decisions) >= 3)

    def stop():
        run.process.send_signal(signal.SIGTERM)
        assert run.process.poll() in (None, 0), run.said()
        return os.path.exists(os.path.join(run.folder, "report.json"))
    children.wait_until(stop, TIMEOUT)
    _, err = run.end()
    assert "apricot.ini:" in err and err.count("recipe %s stays" % old[:12]) == 2, err
    assert "start the line anew" in err and "recipe %s from now on" % new[:12] in err, err
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    assert report["recipes"] == [old, new]
    hashes = [d["recipe"] for d in decisions]
    n_old = hashes.count(old)
    assert n_old >= 3 and hashes == [old] * n_old + [new] * (len(hashes) - n_old)
    assert all(d["outlet"] != 7 for d in decisions[:n_old])
    assert all(d["outlet"] != 8 for d in decisions[n_old:])


def test_short_source(folder):
    """A lane whose file ends in the middle of a trigger: the other one goes on."""
    nothing.write(os.path.join(folder, "tensors"), 6, VIEWS, VIEW_SIZE, more=10)
    config = write_line(folder, nothing.permit(read(FILES, "apricot.ini")), give_time,
                        a="source=replay\nlocation=tensors", b="source=simulate\ntriggers=10")
    _, err = Run(["run", config], os.path.join(folder, "out")).end()
    assert "a: " in err and "trigger 6 has 10 of" in err, err
    report, decisions = read_report(os.path.join(folder, "out")), read_decisions(os.path.join(folder, "out"))
    check_pieces(decisions, report)
    lanes = report["lanes"]
    assert lanes["a"]["triggers"] == 7 and lanes["b"]["triggers"] == 10
    assert lanes["a"]["losses"]["unfit"] >= VIEWS and lanes["a"]["losses"]["stopped"] == 0, lanes["a"]
    # empty cups; one of them is not known to be empty
    assert lanes["a"]["outlets"] == {"0": 2, "9": 1} and lanes["a"]["empty"] == 2, lanes["a"]
    empty = sum(d["reasons"] == ["empty"] for d in decisions)
    assert json.loads(read(folder, "out", "run.json"))["empty"] == empty == report["total"]["empty"], report["total"]
    # no such file: nothing starts, and nothing is left behind that stops the next run
    config = write_line(folder, a="source=replay\nlocation=missing")
    _, err = Run(["run", config], os.path.join(folder, "missing")).end(1)
    assert "missing" in err


def test_repeat(folder):
    """A file of two triggers, the second one unfit, again and again: in its order, and as long as it is wanted."""
    nothing.write(os.path.join(folder, "tensors"), 1, VIEWS, VIEW_SIZE, more=VIEWS * VIEW_SIZE)
    config = write_line(folder, nothing.permit(read(FILES, "apricot.ini")), give_time,
                        a="source=replay\nlocation=tensors\nrepeat=true")
    Run(["run", config, "--seconds", "1.2"], os.path.join(folder, "out")).end()
    report, decisions = read_report(os.path.join(folder, "out")), read_decisions(os.path.join(folder, "out"))
    check_pieces(decisions, report)
    lane = report["lanes"]["a"]
    assert lane["triggers"] == 12, lane
    assert lane["losses"] == {**dict.fromkeys(lane["losses"], 0), "constant": 6 * VIEWS}, lane
    # nothing is for the last outlet: one of a hundred pieces is painted all the same, from the first on
    pictures = os.path.join(folder, "out", "pictures")
    painted = [json.loads(read(pictures, name))["piece"] for name in os.listdir(pictures) if name.endswith(".json")]
    assert painted == [0] and "8" not in lane["outlets"], (painted, lane["outlets"])
    assert all(view["ok"] == (view["frame_id"] % 2 == 0) for d in decisions for view in d["views"])
    # where nothing says when it ends
    _, err = Run(["run", config, "--fast"], os.path.join(folder, "fast")).end(1)
    assert "lane a has no end" in err, err


def watch_report(run, what, why):
    """Until what(report) is true, of the page's."""
    url = run.find_page()
    run.wait(lambda: what(check_losses(json.loads(fetch(url, "/report.json")[2]))), why)


def test_cut_source(folder):
    """A file that is cut off while it is read: triggers go on, and the frames of each of them are lost for that reason."""
    path = os.path.join(folder, "tensors")
    nothing.write(path, 1000, VIEWS, VIEW_SIZE)
    config = write_line(folder, nothing.permit(read(FILES, "apricot.ini")), give_time, a="source=replay\nlocation=tensors")
    run = Run(["run", config, "--port", "0"], os.path.join(folder, "out"))
    run.wait_for(lambda decisions: len(decisions) >= 1)
    os.truncate(path, VIEWS * VIEW_SIZE)
    watch_report(run, lambda report: report["lanes"]["a"]["losses"]["unfit"] >= 3 * VIEWS, "no frame was lost")
    run.process.send_signal(signal.SIGTERM)
    _, err = run.end()
    # what has been read ahead may be the beginning of another trigger
    assert "the file is shorter than it was" in err or re.search("a: .*tensors: trigger [0-9]+ has [0-9]+ of", err), err
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    assert report["total"]["losses"]["unfit"] >= 3 * VIEWS, report["total"]


# of trigger STOP no picture is answered
STOP, STOPPING = 2, """
import os, struct, sys, time
for n in range(%d):
    magic, tag, rows, columns, channels = struct.unpack("<4s4I", sys.stdin.buffer.read(20))
    sys.stdin.buffer.read(rows * columns * 3)
    belt = struct.pack("<12f", .9, .1, *10 * [0]) + struct.pack("<12f", 1, *11 * [0]) * (rows * columns - 1)
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + belt)
    sys.stdout.buffer.flush()
time.sleep(600)
"""


def test_stop(folder):
    """SIGTERM while triggers wait for a network: what is not looked at any more is counted, as that."""
    # before all is a picture of nothing
    write(STOPPING % (1 + STOP * VIEWS), folder, "network.py")
    config = write_line(folder, change=give_time,
                        a="source=simulate\ntriggers=0\nnetwork=%s network.py\nnetwork-timeout-ms=60000" % sys.executable)
    run = Run(["run", config, "--record", "--port", "0"], os.path.join(folder, "out"))
    watch_report(run, lambda report: report["lanes"]["a"]["triggers"] >= STOP + CUPS
                 and sum(report["lanes"]["a"]["frames"].values()) >= STOP * VIEWS, "no triggers")
    run.process.send_signal(signal.SIGTERM)
    _, err = run.end()
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    # nothing has failed
    assert "a: " not in err, err
    lane = report["lanes"]["a"]
    assert lane["losses"] == {**dict.fromkeys(lane["losses"], 0), "stopped": (lane["triggers"] - STOP) * VIEWS}, lane
    assert "%d were not looked at any more when the line was stopped" % lane["losses"]["stopped"] in read(run.folder, "report.txt")
    looks = {view["frame_id"] for decision in decisions for view in decision["views"] if view["ok"]}
    assert looks == set(range(STOP)), looks
    done = subprocess.run([PROGRAM, "replay", run.folder], capture_output=True, text=True)
    assert done.returncode == 0 and "%d pieces, 0 differ" % len(decisions) in done.stdout, done


# seconds: to load a model, for a picture, and to answer one that is late
LOADING, PICTURE, LATE = 8, 6, 600
NETWORK = """
import os, struct, sys, time
mode, n = sys.argv[1], 0
if mode == "good":
    time.sleep(%d)
while head := sys.stdin.buffer.read(20):
    magic, tag, rows, columns, channels = struct.unpack("<4s4I", head)
    assert magic == b"FLNP" and channels == 3 and len(sys.stdin.buffer.read(rows * columns * 3)) == rows * columns * 3
    n += 1
    # the first view of the second trigger: before all is a picture of nothing
    if n == 6 and mode != "good" and not os.path.exists(mode):
        # once
        open(mode, "w").close()
        if mode == "ends":
            sys.exit("tired")
        if mode == "late":
            time.sleep(%d)
        rows += mode == "wrong"
    belt = struct.pack("<12f", .9, .1, *10 * [0]) + struct.pack("<12f", 1, *11 * [0]) * (rows * columns - 1)
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + belt)
    sys.stdout.buffer.flush()
""" % (LOADING, LATE)


def test_networks(folder):
    """Children that end, answer wrongly or late, once, in the second trigger they see, cost their own lane frames.

    The first two triggers, which is all that is needed, are not too late to be looked at, however slow the machine is."""
    write(NETWORK, folder, "network.py")
    lane = "source=simulate\ntriggers=20\nnetwork=%s network.py %%s\nnetwork-timeout-ms=%d" % (sys.executable, PICTURE * 1000)
    config = write_line(folder, change=give_time, **{mode: lane % mode for mode in ("good", "ends", "wrong", "late")})
    _, err = Run(["run", config], os.path.join(folder, "out")).end()
    report, decisions = read_report(os.path.join(folder, "out")), read_decisions(os.path.join(folder, "out"))
    check_pieces(decisions, report)
    lanes = report["lanes"]
    # a model may take longer to load than a picture's time
    assert lanes["good"]["losses"]["unfit"] == 0, lanes["good"]
    for name, message in (("ends", "the network has ended after 0 of"), ("wrong", "has 96 rows, 511 columns and 12 classes"),
                          ("late", "has not answered in time: 0 of")):
        assert lanes[name]["losses"]["unfit"] >= VIEWS, (name, lanes[name])
        assert "%s: " % name in err and message in err, err
        assert any(not view["ok"] for d in decisions if d["lane"] == name for view in d["views"]), name
    # only belt is seen
    assert all(d["outlet"] in (0, 9) for d in decisions)
    # one that never works: nothing starts
    for network, message in (("no-such-program", "cannot be started"), ("false", "has ended after")):
        config = write_line(folder, wrong="source=simulate\nnetwork=%s" % network)
        _, err = Run(["run", config], os.path.join(folder, network)).end(1)
        assert message in err, err


# the first picture is answered when each lane has one; lane b's after a word from outside
READY = """
import os, struct, sys
name, n = sys.argv[1], 0
while head := sys.stdin.buffer.read(20):
    magic, tag, rows, columns, channels = struct.unpack("<4s4I", head)
    sys.stdin.buffer.read(rows * columns * 3)
    n += 1
    if n == 1:
        open("meet", "w" if name == "a" else "r").close()
    if n == 1 and name == "b":
        open("go").close()
    belt = struct.pack("<12f", .9, .1, *10 * [0]) + struct.pack("<12f", 1, *11 * [0]) * (rows * columns - 1)
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + belt)
    sys.stdout.buffer.flush()
"""


def test_ready(folder):
    """Lanes get ready side by side; what takes long is told; no trigger comes before all are ready."""
    write(READY, folder, "network.py")
    for name in "meet", "go":
        os.mkfifo(os.path.join(folder, name))
    lane = "source=simulate\nnetwork=%s network.py %%s\nnetwork-start-ms=60000\nnetwork-timeout-ms=60000" % sys.executable
    config = write_line(folder, change=give_time, a=lane % "a", b=lane % "b")
    run = Run(["run", config], os.path.join(folder, "out"))
    run.wait_until_said("1 of 2 lanes are ready")
    assert "ready after" not in run.said(), run.said()
    assert not read(run.folder, "decisions.jsonl")
    with open(os.path.join(folder, "go"), "w", encoding="utf-8"):
        pass
    run.wait_until_said("ready after")
    run.wait_for(lambda decisions: {d["lane"] for d in decisions} == {"a", "b"})
    run.process.send_signal(signal.SIGTERM)
    run.end()
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    # what lanes rehearse with is nobody's piece
    assert all(d["outlet"] in (0, 9) for d in decisions), decisions


def fetch(url, path, method="GET"):
    """The status, the type, and the body."""
    address = urllib.parse.urlparse(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read()
    assert int(answer.getheader("Content-Length")) == len(body)
    return answer.status, answer.getheader("Content-Type"), body


def read_metrics(text):
    """Samples by name and labels; the names must have been announced, and histograms must not fall."""
    samples, announced = {}, set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            announced.add(line.split()[2])
        elif not line.startswith("#"):
            found = re.fullmatch(r'((?:fruit_line|process)_[a-z0-9_]+)((?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.]+)', line)
            assert found, line
            name = re.sub("_(bucket|sum|count)$", "", found[1])
            assert name in announced, line
            assert found[1] + found[2] not in samples, line
            samples[found[1] + found[2]] = float(found[3])
    histograms = {}
    for name, value in samples.items():
        if "_bucket{" in name:
            histograms.setdefault(re.sub('_bucket|,?le="[^"]*"', "", name).replace("{}", ""), []).append(value)
    assert len(histograms) == 2, histograms
    for name, buckets in histograms.items():
        assert buckets == sorted(buckets) and len(buckets) > 5
        assert buckets[-1] == samples["_count{".join(name.split("{")) if "{" in name else name + "_count"], name
    return samples


def test_page(folder):
    run = Run(["--simulate", "--seconds", "1000", "--port", "0"], folder)
    url = run.find_page()
    run.wait_for(lambda decisions: len(decisions) >= 8)
    status, kind, page = fetch(url, "/")
    assert status == 200 and kind.startswith("text/html") and b"page.js" in page
    status, kind, text = fetch(url, "/metrics?all")
    assert status == 200 and kind.startswith("text/plain; version=0.0.4"), kind
    metrics = read_metrics(text.decode())
    status, _, text = fetch(url, "/report.json")
    report = check_losses(json.loads(text))
    # fetched later, and counters never fall
    pieces = sum(value for name, value in metrics.items() if name.startswith("fruit_line_pieces_total{"))
    assert 8 <= pieces <= report["total"]["pieces"]
    assert metrics['fruit_line_triggers_total{lane="lane1"}'] <= report["total"]["triggers"]
    # on a slow machine a piece may have no look, and so no latency
    total = report["total"]
    with_looks = sum(report["latency_histogram"]["pieces"])
    assert total["statuses"]["ok"] + total["statuses"]["partial"] <= with_looks <= total["pieces"], report
    # the first piece is a sample; others are those for the last outlet
    for _ in range(TIMEOUT * 10):
        pictures = json.loads(fetch(url, "/pictures.json")[2])
        if pictures:
            break
        time.sleep(.1)
    assert all(picture["decision"]["schema"] == "fruit-line/2" for picture in pictures), pictures
    assert 0 in [picture["decision"]["piece"] for picture in pictures], pictures
    assert all(picture["decision"]["outlet"] == 8 or picture["decision"]["piece"] % 100 == 0 for picture in pictures), pictures
    status, kind, picture = fetch(url, "/pictures/" + pictures[0]["picture"])
    assert status == 200 and kind == "image/jpeg" and picture[:2] == b"\xff\xd8"
    assert fetch(url, "/", "POST")[0] == 405
    # a client that says nothing stops nobody
    address = urllib.parse.urlparse(url)
    with socket.create_connection((address.hostname, address.port)):
        run.process.send_signal(signal.SIGTERM)
        run.end()
    read_report(folder)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def test_full_disk(folder):
    """Decisions are made all the same; those that are not written are counted."""
    run = Run(["--simulate", "--seconds", "3", "--record"], folder, preexec_fn=limit_files)
    _, err = run.end()
    assert "trying again each second" in err, err
    report, decisions = read_report(folder), read_decisions(folder)
    written = report["written"]
    assert written["lines"] == len(decisions) and written["lines_unwritten"] > 0, (written, len(decisions))
    assert report["total"]["pieces"] == 26


TESTS = (test_simulation, test_signals, test_short_source, test_repeat, test_cut_source, test_stop, test_networks, test_ready,
         test_page, test_full_disk)


if __name__ == "__main__":
    run_tests(TESTS)
