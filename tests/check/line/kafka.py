# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decisions to Kafka: kafka.py FRUIT_LINE KAFKA_MOCK

A cluster of librdkafka's own, whose brokers go down and refuse, a publisher that
is killed, and kcat, which reads what has arrived: every line, those of a lane in
order, under its key. Exits with 77 where kcat is missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import children

PROGRAM, MOCK = sys.argv[1:3]
TIMEOUT = 60
IN_FLIGHT = 100
CONFIG = """[line]
name=line1
recipe=apricot.ini
output=out
deadline-ms=50
[geometry]
columns=64
rows=16
mm-per-pixel=0.8
cups=1
cup-first=31
cup-pitch=62
tilt=0
[lane a]
source=simulate
[publish]
transport=kafka
brokers=%s
topic=decisions
in-flight=%d
options=reconnect.backoff.ms=50;reconnect.backoff.max.ms=500
"""


def make_line(piece, run):
    return json.dumps({"schema": "fruit-line/1", "line": "line1", "lane": "ab"[piece % 2], "piece": piece // 2,
                       "t_trigger_ns": run * 10 ** 12 + piece, "padding": "x" * 1000}, separators=(",", ":"))


def append_lines(folder, run, begin, end):
    path = os.path.join(folder, "out", "2026-01-02T03-04-%02dZ" % run)
    os.makedirs(path, exist_ok=True)
    lines = [make_line(piece, run) for piece in range(begin, end)]
    with open(os.path.join(path, "decisions.jsonl"), "a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    return lines


class Publisher:
    def __init__(self, folder):
        self.log = os.path.join(folder, "log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = children.start([PROGRAM, "publish", os.path.join(folder, "line.ini")], stdout=log, stderr=log)

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def wait_for(self, what):
        for _ in range(TIMEOUT * 20):
            if what():
                return
            assert self.process.poll() is None, self.said()
            time.sleep(.05)
        raise AssertionError(self.said())


def count_acknowledged(folder):
    """Lines before the saved position; all runs but the last are whole."""
    try:
        with open(os.path.join(folder, "out", "publisher.state"), encoding="utf-8") as file:
            state = json.load(file)
    except FileNotFoundError:
        return 0
    count = state["lines"]
    for name in sorted(os.listdir(os.path.join(folder, "out"))):
        if name[0] == "2" and name < state["run"]:
            with open(os.path.join(folder, "out", name, "decisions.jsonl"), encoding="utf-8") as file:
                count += len(file.readlines())
    return count


def read_topic(brokers):
    done = subprocess.run(["kcat", "-C", "-b", brokers, "-t", "decisions", "-o", "beginning", "-e", "-q", "-f", "%k %s\n"],
                          capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def check(arrived, written, kills):
    for key in "line1/a", "line1/b":
        mine = [line for line in written if '"lane":"%s"' % key[-1] in line]
        first = list(dict.fromkeys(line for one, line in arrived if one == key))
        missing = [(place, line) for place, line in enumerate(mine) if line not in first]
        assert not missing, (key, len(missing), len(mine), missing[:3])
        assert first == mine, (key, "not in order")
    assert len(arrived) - len(written) <= kills * IN_FLIGHT, (len(arrived), len(written))
    return len(arrived) - len(written)


def test(folder, mock):
    def order(words):
        mock.stdin.write(words + "\n")
        mock.stdin.flush()
        assert mock.stdout.readline() == "done\n"
    brokers = mock.stdout.readline().strip()
    with open(os.path.join(folder, "line.ini"), "w", encoding="utf-8") as file:
        file.write(CONFIG % (brokers, IN_FLIGHT))
    written = append_lines(folder, 1, 0, 1500)
    order("fail 3")
    publisher = Publisher(folder)
    publisher.wait_for(lambda: count_acknowledged(folder) >= 200)
    publisher.process.kill()
    publisher.process.wait(TIMEOUT)
    publisher = Publisher(folder)
    publisher.wait_for(lambda: count_acknowledged(folder) == len(written))
    order("down")
    written += append_lines(folder, 2, 0, 300)
    publisher.wait_for(lambda: "trying again until it works" in publisher.said())
    assert count_acknowledged(folder) == 1500
    order("up")
    publisher.wait_for(lambda: count_acknowledged(folder) == len(written))
    begin = time.monotonic()
    publisher.process.terminate()
    assert publisher.process.wait(TIMEOUT) == 0, publisher.said()
    seconds = time.monotonic() - begin
    duplicates = check(read_topic(brokers), written, 1)
    print("%d lines, %d duplicates, ended in %.2f s" % (len(written), duplicates, seconds))


def main():
    if not shutil.which("kcat"):
        print("needs kcat (Debian: kcat)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, \
            children.start([MOCK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as mock:
        try:
            test(folder, mock)
        finally:
            mock.stdin.close()


if __name__ == "__main__":
    main()
