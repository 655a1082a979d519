# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tells others that a line lives: health.py FRUIT_LINE FILES

The service manager's socket, the heartbeat before there is any piece, figures of the process against those of the kernel, views that
are dark, and triggers in bursts. Nothing here depends on how fast the machine is.
"""

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

import children
from files import read

PROGRAM, FILES = sys.argv[1:3]
TIMEOUT = 60


def write_line(folder, keys, lane):
    """The shipped configuration with other keys and another lane."""
    text = read(FILES, "line1.ini").split("[lane ")[0]
    for key, value in keys.items():
        text = re.sub("(?m)^%s=.*" % key, "%s=%s" % (key, value), text)
    for name, content in (("line.ini", text + "[lane a]\n" + lane), ("apricot.ini", read(FILES, "apricot.ini"))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    return os.path.join(folder, "line.ini")


class Run:
    def __init__(self, folder, config, env=None, arguments=()):
        self.output = os.path.join(folder, "out")
        self.process = children.start([PROGRAM, "run", config, "--output", self.output, "--port", "0", *arguments],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                      env=dict(os.environ, **(env or {})))
        while not (found := re.search(r"http://127\.0\.0\.1:([0-9]+)/", line := self.process.stderr.readline())):
            assert line, "no page"
        self.port = int(found[1])

    def fetch(self, path):
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, path), timeout=TIMEOUT) as answer:
            return answer.read().decode()

    def metrics(self):
        """Of the process, and of the line without labels."""
        return {name: float(value) for name, value in re.findall(
            r"(?m)^(process_\w+|fruit_line_\w+) ([0-9.]+)$", self.fetch("/metrics"))}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.said = err = self.process.communicate(timeout=TIMEOUT)[1]
        assert self.process.returncode == 0, err
        return json.loads(read(self.output, "report.json"))


def listen(address):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(address)
    listener.settimeout(TIMEOUT)
    return listener


def test_manager(folder, abstract=False):
    """A line whose first trigger is far away is ready and lives, and says when it stops."""
    path = os.path.join(folder, "notify")
    listener = listen("\0" + path if abstract else path)
    config = write_line(folder, {"triggers-per-second": 0.1},
                        "source=simulate\ntriggers=0\nnetwork=%s %s\n" % (sys.executable, write_network(folder)))
    run = Run(folder, config, {"NOTIFY_SOCKET": "@" + path if abstract else path})
    told = [listener.recv(1000).decode() for _ in range(4)]
    assert told == ["READY=1"] + 3 * ["WATCHDOG=1"], told
    assert json.loads(read(run.output, "heartbeat"))["pieces"] == 0
    # two beats are a second apart, and it is asked at any time
    assert 0 <= run.metrics()["fruit_line_heartbeat_age_seconds"] < TIMEOUT
    # the network's process tells the manager nothing
    assert read(folder, "environment") == "None"
    run.end()
    while (last := listener.recv(1000).decode()) == "WATCHDOG=1":
        pass
    assert last == "STOPPING=1", last
    listener.close()


def write_network(folder):
    """A child that writes down what it has of the manager, and answers that all is belt."""
    path = os.path.join(folder, "network.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write("""
import os, struct, sys
with open(os.path.join(os.path.dirname(__file__), "environment"), "w") as file:
    file.write(str(os.environ.get("NOTIFY_SOCKET")))
while len(head := sys.stdin.buffer.read(20)) == 20:
    magic, tag, rows, columns, channels = struct.unpack("<4s4I", head)
    sys.stdin.buffer.read(rows * columns * channels)
    belt = struct.pack("<12f", .9, .1, *10 * [0]) + struct.pack("<12f", 1, *11 * [0]) * (rows * columns - 1)
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + belt)
    sys.stdout.buffer.flush()
""")
    return path


def test_manager_abstract(folder):
    test_manager(folder, True)


def test_no_manager(folder):
    """A manager that is not there, or cannot be, is no reason to stop."""
    config = write_line(folder, {}, "source=simulate\ntriggers=5\n")
    for i, (path, said) in enumerate((("/no/such/socket", "is not told"), ("relative", "is told nothing"),
                                      ("/" + 200 * "x", "is told nothing"))):
        done = subprocess.run([PROGRAM, "run", config, "--output", os.path.join(folder, str(i))], capture_output=True,
                              text=True, env=dict(os.environ, NOTIFY_SOCKET=path))
        assert done.returncode == 0 and done.stderr.count(said) == 1, done


def test_process(folder):
    """What it says of itself is what the kernel says of it."""
    run = Run(folder, write_line(folder, {}, "source=simulate\ntriggers=0\n"))
    pid, clock = str(run.process.pid), os.sysconf("SC_CLK_TCK")
    stat = read("/proc", pid, "stat").rpartition(")")[2].split()
    before = dict(row.split(":\t", 1) for row in read("/proc", pid, "status").splitlines())
    metrics, report = run.metrics(), json.loads(run.fetch("/report.json"))["health"]
    after = read("/proc", pid, "stat").rpartition(")")[2].split()
    boot = float(re.search(r"(?m)^btime (\d+)", read("/proc", "stat"))[1])
    assert abs(metrics["process_start_time_seconds"] - (boot + int(stat[19]) / clock)) < 2, metrics
    # an eighth for what it took meanwhile
    resident = int(before["VmRSS"].split()[0]) * 1024
    for value in metrics["process_resident_memory_bytes"], report["resident_bytes"]:
        assert abs(value / resident - 1) < .125, (value, resident)
    assert metrics["process_virtual_memory_bytes"] > metrics["process_resident_memory_bytes"]
    cpu = [sum(map(int, fields[11:13])) / clock for fields in (stat, after)]
    assert cpu[0] - 1 / clock <= metrics["process_cpu_seconds_total"] <= cpu[1] + 2 / clock, (cpu, metrics)
    limit = re.search(r"(?m)^Max open files +(\d+)", read("/proc", pid, "limits"))[1]
    assert metrics["process_max_fds"] == float(limit)
    assert abs(metrics["process_threads"] - int(before["Threads"])) <= 3, (metrics, before)
    # connections come and go: as many as the kernel counts, with that which asks, at some time
    for _ in range(TIMEOUT * 10):
        count = len(os.listdir("/proc/%s/fd" % pid))
        metrics, report = run.metrics(), json.loads(run.fetch("/report.json"))["health"]
        if {metrics["process_open_fds"], report["descriptors"]} == {count + 1}:
            break
        time.sleep(.1)
    else:
        raise AssertionError((metrics, report, count))
    assert run.end()["health"]["heartbeat_age_s"] < TIMEOUT


DARK_LINE = """[line]
name=line1
recipe=r.ini
output=out
deadline-ms=20000
triggers-per-second=10
pictures=0
[geometry]
columns=120
rows=60
mm-per-pixel=1
cups=2
cup-first=30
cup-pitch=60
tilt=-45;-15;15;45
[lane a]
source=replay
location=tensors
[lane b]
source=replay
location=nothing
"""
DARK_RECIPE = """[recipe]
name=r
classes=belt;skin;rot
fruit=skin;rot
defects=rot
min-looks=7
undecided-outlet=9
[rule rest]
outlet=1
"""
N_DARK, VIEWS, VIEW, EMPTY = 45, 4, 2, (6, 7, 33)


def is_dark(trigger):
    return 10 <= trigger < 20 or trigger >= 30


def write_tensors(folder):
    """One view sees belt only, for a while and then to the end; some cups have nothing for any view. Another lane's tensors are
    none."""
    rows, columns = np.mgrid[0:60, 0:120]
    with open(os.path.join(folder, "tensors"), "wb") as file:
        for trigger in range(N_DARK):
            tensors = np.zeros((VIEWS, 60, 120, 3), np.float32)
            for cup in range(2):
                if trigger - cup not in EMPTY:
                    tensors[..., 1] += np.clip(22.5 - np.hypot(columns - 30 - 60 * cup, rows - 30), 0, 1).astype(np.float32)
            if is_dark(trigger):
                tensors[VIEW, ..., 1] = 0
            tensors[..., 1] = np.maximum(tensors[..., 1], columns / (1000 + trigger))     # neither constant nor frozen
            tensors[..., 0] = 1 - tensors[..., 1]
            file.write(tensors.tobytes())
    with open(os.path.join(folder, "nothing"), "wb") as file:
        file.truncate(tensors.nbytes * 10000)


def test_dark(folder):
    """A view that sees only belt where others see fruit is told, and once; a lane of which nothing is known is not. Pieces
    that are undecided for it, as all are here, count."""
    write_tensors(folder)
    for name, text in ("line.ini", DARK_LINE), ("r.ini", DARK_RECIPE):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    run = Run(folder, os.path.join(folder, "line.ini"))
    for _ in range(TIMEOUT * 10):
        if json.loads(run.fetch("/report.json"))["lanes"]["a"]["pieces"] == N_DARK - 1:
            break
        time.sleep(.1)
    gauges = re.findall(r'(?m)^fruit_line_view_dark\{lane="(.)",view="(.)"\} ([01])$', run.fetch("/metrics"))
    assert gauges == [(lane, str(view), str(int((lane, view) == ("a", VIEW)))) for lane in "ab" for view in range(VIEWS)], gauges
    lane = run.end()["lanes"]["a"]
    views = lane["seen"]["views"]
    assert [view["dark_since"] is not None for view in views] == [view == VIEW for view in range(VIEWS)], views
    said = re.findall("(?m)^.*view [0-9] (?:has|shows) .*$", run.said)
    assert [line.split(":")[0] for line in said] == ["a"] * 3 and all("view %d " % VIEW in line for line in said), run.said
    assert ["again" in line for line in said] == [False, True, False], said
    if lane["frames"]["lost"] == 0:
        pieces = [piece for piece in range(N_DARK - 1) if piece not in EMPTY]
        none = sum(is_dark(piece + cup) for piece in pieces for cup in range(2))
        for view, counts in enumerate(views):
            expected = {"fruit": 2 * len(pieces), "none": 0, "lost": 0}
            if view == VIEW:
                expected.update(fruit=2 * len(pieces) - none, none=none)
            assert {name: counts[name] for name in expected} == expected, (view, counts, expected)
        assert lane["seen"]["doubts"]["no-fruit"] == sum(is_dark(piece) or is_dark(piece + 1) for piece in pieces), lane
        assert lane["empty"] == len(EMPTY) and lane["statuses"]["undecided"] > 20, lane


def test_two_classes(folder):
    """Marks of a class with some of another one: pieces have both, and a report that counts them says so."""
    rows, columns = np.mgrid[0:60, 0:120]
    with open(os.path.join(folder, "tensors"), "wb") as file:
        for trigger in range(6):
            tensors = np.zeros((VIEWS, 60, 120, 4), np.float32)
            for middle in 30, 90:
                inside, mark = (np.hypot(columns - middle, rows - 30) < radius for radius in (22.5, 8))
                tensors[:, inside] = 0, 1, 0, 0
                tensors[:, mark] = 0, .05, 0, .95
                tensors[:, mark & (columns > middle)] = 0, 0, .4, .6
            tensors[..., 0] = 1 - tensors[..., 1:].sum(-1) + (columns + trigger) / 1e6     # neither constant nor frozen
            file.write(tensors.tobytes())
    recipe = DARK_RECIPE.replace("rot\n", "rot;bruise\n")
    for name, text in (("line.ini", DARK_LINE.partition("[lane b]")[0]), ("r.ini", recipe)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    run = Run(folder, os.path.join(folder, "line.ini"))
    run.process.communicate(timeout=TIMEOUT)
    pieces = [json.loads(line)["classes"] for line in read(run.output, "decisions.jsonl").splitlines()]
    assert len(pieces) == 5 and all(piece["rot"]["mm2"] > 20 and piece["rot"]["count"] == 0 for piece in pieces), pieces
    found = {defect.pop("class"): defect for defect in json.loads(read(run.output, "run.json"))["defects"]}
    for name in "rot", "bruise":
        assert found[name]["pieces"] == 5 and abs(found[name]["mm2"] - sum(piece[name]["mm2"] for piece in pieces)) < .05, found


def test_bursts(folder):
    """Five triggers at twice their pace, then none for as long."""
    run = Run(folder, write_line(folder, {"triggers-per-second": 10}, "source=simulate\ntriggers=40\nburst=5\n"))
    run.process.communicate(timeout=TIMEOUT)
    lines = [json.loads(line) for line in read(run.output, "decisions.jsonl").splitlines()]
    assert [line["piece"] for line in lines] == list(range(36))
    times = [line["t_trigger_ns"] / 1e6 for line in lines]
    steps = [b - a for a, b in zip(times, times[1:])]
    # from the last trigger of a burst to the next one 300 ms, else 50 ms; a slow machine is late for some, but not for most
    gaps = [step for t, step in enumerate(steps, 5) if t % 5 == 0]
    others = [step for t, step in enumerate(steps, 5) if t % 5 != 0]
    assert statistics.median(gaps) > 2 * statistics.median(others), (gaps, others)


def main():
    for test in test_dark, test_two_classes, test_bursts, test_process, test_no_manager, test_manager, test_manager_abstract:
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
        print(test.__name__)


if __name__ == "__main__":
    main()
