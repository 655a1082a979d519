# SPDX-License-Identifier: LGPL-2.1-or-later
"""A line that is stopped for a while (SIGSTOP): stalls.py FRUIT_LINE FILES

Its triggers go on, for pieces do: each deadline that passes makes a piece late, in the decisions, the report, the page and at
the PLC. Which ones passed is computed here, from when the line was stopped and triggers were planned. Whatever else a slow
machine makes late must be late by its own latency.
"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import live
from live import CUPS, FILES, PROGRAM, Run, check_pieces, fetch, read, read_decisions, read_report, write_line

live.VIEWS = 1
MS = 1000000
PERIOD = 100 * MS
# the line's clock, set at its start, and the time of day may differ by so much
CLOCKS = 10 * MS
SLOTS, CODES = 100, {"ok": 1, "partial": 2, "late": 3, "undecided": 4}


class Plc(threading.Thread):
    """The few bytes of Modbus TCP that the line needs: writes of registers (function 16) are acknowledged, and kept with their
    time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.pieces = self.server.getsockname()[1], []
        self.start()

    def run(self):
        client = self.server.accept()[0].makefile("rwb")
        while head := client.read(8):
            tag, _, size, unit, function = struct.unpack(">HHHBB", head)
            body = client.read(size - 2)
            assert function == 16, function
            first, n = struct.unpack(">HH", body[:4])
            values = struct.unpack(">%dH" % n, body[5:])
            self.pieces += [(time.time_ns(), v[3] + 65536 * v[4], v[6])
                            for v in (values[i:i + 12] for i in range(0, n - n % 12, 12)) if v[6]]
            client.write(struct.pack(">HHHBBHH", tag, 0, 6, unit, function, first, n))
            client.flush()


def start_line(folder, deadline, plc):
    config = write_line(folder, change=lambda text: text.replace("deadline-ms=50", "deadline-ms=%d" % deadline)
                        .replace("tilt=-45;-15;15;45", "tilt=0"), a="source=simulate\ntriggers=0",
                        recipe=read(FILES, "apricot.ini").replace("min-looks=10", "min-looks=4"))
    with open(config, "a", encoding="utf-8") as file:
        file.write("[plc]\naddress=127.0.0.1\nport=%d\nregister=0\nslots=%d\narrival-ms=%d\n" % (plc.port, SLOTS, deadline + 1))
    return Run(["run", config, "--record", "--port", "0"], os.path.join(folder, "out"))


def stop(run):
    """Between a decision and the next trigger. Returns the last piece that is decided."""
    for n in range(8, 100):
        run.wait_for(lambda decisions: len(decisions) > n)
        last = read_decisions_so_far(run.folder)[-1]
        run.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, run.process.pid, os.WSTOPPED | os.WNOWAIT)
        if time.time_ns() + CLOCKS < last["t_trigger_ns"] + PERIOD:
            return last["piece"]
        run.process.send_signal(signal.SIGCONT)
    raise AssertionError("this machine is too slow: each decision takes until the next trigger")


def read_decisions_so_far(folder):
    return [json.loads(line) for line in live.read(folder, "decisions.jsonl").split("\n")[:-1]]


def find_age(decision):
    """Nanoseconds from the last trigger to the decision; None of a piece without looks, which has no latency."""
    looks = [view for view in decision["views"] if view["ok"]]
    if not looks:
        return None
    last = max(looks, key=lambda view: view["t_ns"])
    before = decision["trigger"] - last["frame_id"]
    return sum(decision["latency_us"].values()) * 1000 - before * PERIOD


def check_page(run, least_late):
    """So many are late there, too."""
    url = run.find_page()
    report = json.loads(fetch(url, "/report.json")[2])
    assert report["total"]["statuses"]["late"] >= least_late, report["total"]
    late = re.search(r'\nfruit_line_decisions_total{lane="a",status="late"} ([0-9]+)\n', fetch(url, "/metrics")[2].decode())
    assert int(late[1]) >= least_late


def check_late(decisions, report, passed, deadline):
    late = {d["piece"] for d in decisions if d["status"] == "late"}
    assert passed <= late, (sorted(passed), sorted(late))
    assert report["total"]["statuses"]["late"] == len(late), report["total"]
    for decision in decisions:
        age = find_age(decision)
        # microseconds are rounded three times
        if age is not None and decision["status"] == "late":
            assert age > deadline * MS - 3000, (age, decision)
        elif age is not None:
            assert age <= deadline * MS + 3000, (age, decision)
        else:
            assert decision["status"] in ("late", "undecided")


def check_plc(plc, decisions, counts, passed, deadline):
    arrivals = {d["piece"]: d["t_trigger_ns"] + (deadline + 1) * MS for d in decisions}
    statuses = {d["piece"]: d["status"] for d in decisions}
    there = {piece for t_ns, piece, _ in plc.pieces if t_ns <= arrivals[piece] + CLOCKS}
    assert all(code == CODES[statuses[piece]] for _, piece, code in plc.pieces)
    # none of them could be there before it arrived; all others are, or are counted as well
    assert not there & passed, there & passed
    assert counts["written"] + counts["late"] == len(decisions) and counts["dropped"] == counts["refused"] == 0, counts
    assert counts["late"] >= len(passed) and counts["written"] <= len(there), (counts, len(passed))


def test_stop(folder, deadline, seconds):
    plc = Plc()
    run = start_line(folder, deadline, plc)
    last = stop(run)
    time.sleep(seconds)
    end = time.time_ns() - CLOCKS
    run.process.send_signal(signal.SIGCONT)
    begin = read_decisions_so_far(run.folder)[0]["t_trigger_ns"]
    n = last + int(seconds * 1e9 / PERIOD)
    run.wait_for(lambda decisions: len(decisions) > n + 10)
    planned = [begin + piece * PERIOD for piece in range(n + 10)]
    passed = {piece for piece in range(last + 1, n + 10) if planned[piece] + deadline * MS < end}
    assert len(passed) >= (seconds * 1000 - deadline) * MS / PERIOD - 2
    check_page(run, len(passed))
    run.process.send_signal(signal.SIGTERM)
    run.end()
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    # as planned, whatever happened
    assert [d["t_trigger_ns"] for d in decisions] == [begin + d["piece"] * PERIOD for d in decisions]
    check_late(decisions, report, passed, deadline)
    check_plc(plc, decisions, report["plc"], passed, deadline)
    done = subprocess.run([PROGRAM, "replay", run.folder], capture_output=True, text=True)
    assert done.returncode == 0 and "%d pieces, 0 differ" % len(decisions) in done.stdout, done
    print("stopped for %g s with a deadline of %d ms: %d deadlines passed, %d of %d pieces are late" % (
        seconds, deadline, len(passed), report["total"]["statuses"]["late"], len(decisions)))


def main():
    assert CUPS == 5
    for deadline, seconds in (50, 1.2), (200, 1.2), (50, 3):
        with tempfile.TemporaryDirectory() as folder:
            test_stop(folder, deadline, seconds)


if __name__ == "__main__":
    main()
