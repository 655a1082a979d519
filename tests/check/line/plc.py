# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line and a PLC, which is a Modbus server of other people: plc.py FRUIT_LINE FILES

Every piece is in its slot before it arrives, or counted as not being there; whatever the PLC does, decisions stay on
time. What a register holds is written here a second time, from the manual.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import children
from live import TIMEOUT, PROGRAM, Run, check_pieces, read, read_decisions, read_report
from small import DEADLINE, check_on_time, write_small_line

UNIT, FIRST, HEARTBEAT = 17, 100, 95
# of a slot, by the layout
SIZES = {1: 4, 2: 12}
ARRIVAL = DEADLINE + 500
CODES = {"ok": 1, "partial": 2, "late": 3, "undecided": 4}
LANE = "source=simulate\ntriggers=%d\nempty=0.3"
# processes; a test that fails leaves none behind
STARTED = []

# nanoseconds by which the line's clock, set at its start, and the server's, the time of day, may differ
CLOCKS = 10 * 1000000


class Plc:
    """A PLC that can be killed, and come back."""

    def __init__(self, folder, slots, lanes, heartbeat=True, layout=2):
        self.layout, self.size = layout, SIZES[layout]
        self.port, self.slots, self.lanes = children.find_port(), slots, lanes
        self.log = os.path.join(folder, "plc.log")
        self.first = HEARTBEAT if heartbeat else FIRST
        self.count = FIRST + self.size * slots * lanes - self.first
        self.process = None

    def start(self, value=0):
        server = os.path.join(os.path.dirname(__file__), "plc_server.py")
        arguments = [self.port, self.log, self.first, self.count, value]
        self.process = children.start_ready([sys.executable, server, *map(str, arguments)])
        STARTED.append(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def writes(self):
        """The lines of the log that are whole."""
        if not os.path.exists(self.log):
            return []
        return [json.loads(line) for line in read(self.log).split("\n")[:-1]]

    def pieces(self):
        return [w for w in self.slot_writes() if w["register"] >= FIRST and any(w["values"])]

    def slot_writes(self):
        """Writes, but for several pieces at once, which are apart; not of zeros."""
        for w in self.writes():
            size = self.size if w["register"] >= FIRST and any(w["values"]) else len(w["values"])
            for i in range(0, len(w["values"]), size):
                yield {**w, "register": w["register"] + i, "values": w["values"][i:i + size]}

    def decode(self, values):
        """(piece, outlet, code) of a slot."""
        if self.layout == 1:
            low, high, outlet, code = values
        else:
            run, epoch, lane, low, high, outlet, code, *_, total = values
            assert run > 0 and epoch == 0 and lane < self.lanes and total == sum(values[:-1]) % 65536, values
        return low + 65536 * high, outlet, code

    def wait_for(self, run, n):
        """Until so many more pieces have been written."""
        n += len(self.pieces())
        for _ in range(TIMEOUT * 20):
            if len(self.pieces()) >= n:
                return
            assert run.process.poll() is None, run.said()
            time.sleep(.05)
        raise AssertionError("no pieces come")


def write_config(folder, plc, timeout=3000, **lanes):
    text = "[plc]\naddress=127.0.0.1\nport=%d\nunit=%d\n" % (plc.port, UNIT)
    text += "layout=%d\nregister=%d\nheartbeat=%d\n" % (plc.layout, FIRST, HEARTBEAT)
    text += "slots=%d\narrival-ms=%d\ntimeout-ms=%d\n" % (plc.slots, ARRIVAL, timeout)
    return write_small_line(folder, "pictures=0", text, **lanes)


def start_line(config, folder):
    run = Run(["run", config], os.path.join(folder, "out"))
    STARTED.append(run.process)
    return run


def check_writes(plc, decisions, report, is_ordered=True):
    """Each write against the decisions. Returns for each lane the pieces that were there before they arrived."""
    names = list(report["lanes"])
    decided = {(d["lane"], d["piece"]): d for d in decisions}
    there, delays = {name: set() for name in names}, []
    last, slots = {name: -1 for name in names}, {}
    for write_ in plc.slot_writes():
        if write_["register"] == HEARTBEAT:
            assert plc.layout == 1 and len(write_["values"]) == 1 or write_["values"][1:] == [
                decisions[0]["run"], 2, 0, 0], write_
            continue
        slot, rest = divmod(write_["register"] - FIRST, plc.size)
        lane, slot = divmod(slot, plc.slots) if plc.layout == 1 else divmod(slot, plc.lanes)[::-1]
        name, values = names[lane], write_["values"]
        if not any(values):
            # before the first piece only
            assert last[name] == -1, write_
            continue
        assert rest == 0 and len(values) == plc.size and (plc.layout == 1 or values[:3:2] == [decisions[0]["run"], lane])
        piece, outlet, code = plc.decode(values)
        decision = decided[name, piece]
        assert slot == piece % plc.slots and outlet == decision["outlet"] and code == CODES[decision["status"]], write_
        # once more if it was not acknowledged
        assert piece >= last[name] or not is_ordered, (write_, last)
        last[name] = piece
        arrival = decision["t_trigger_ns"] + ARRIVAL * 1000000
        if write_["t_ns"] <= arrival + CLOCKS:
            there[name].add(piece)
            # nothing that a PLC could still want was in the slot
            old = slots.get((lane, slot))
            assert old is None or old[0] == piece or old[1] <= write_["t_ns"], (write_, old)
            slots[lane, slot] = piece, arrival
        else:
            delays.append((write_["t_ns"] - arrival) / 1e9)
    # sent just before they arrived; a PLC that hangs finds what was sent to it
    assert len(delays) <= 3 and all(delay < 1 for delay in delays) or not is_ordered, delays
    return there


def finish(run, plc, is_ordered=True):
    """The report's counts against the server's log. Returns messages, counts, pieces that were there."""
    out, err = run.end()
    report, decisions = read_report(run.folder), read_decisions(run.folder)
    check_pieces(decisions, report)
    counts, total = report["plc"], report["total"]
    there = check_writes(plc, decisions, report, is_ordered)
    assert "PLC: %d pieces written" % counts["written"] in out, out
    assert counts["written"] + counts["late"] + counts["dropped"] + counts["refused"] == total["pieces"], report
    assert counts["unnumbered"] == 0 and counts["triggers"] is None and all(d["plc"] is None for d in decisions)
    # some may have been written without an acknowledgement in time
    n = sum(map(len, there.values()))
    assert counts["written"] <= n <= counts["written"] + counts["late"], (n, counts)
    check_on_time(report, decisions)
    return err, counts, there


def test_old(folder):
    test_plc(folder, 1)


def test_plc(folder, layout=2):
    """All is there, in order, in time; registers of an earlier run are cleared first."""
    plc = Plc(folder, slots=60, lanes=2, layout=layout)
    plc.start(value=7)
    config = write_config(folder, plc, a=LANE % 30, b=LANE % 30)
    run = start_line(config, folder)
    plc.wait_for(run, 30)
    run.process.send_signal(signal.SIGTERM)
    err, counts, there = finish(run, plc)
    plc.kill()
    assert err.count("PLC 127.0.0.1:%d: answers" % plc.port) == 1, err
    assert counts["late"] == counts["dropped"] == counts["refused"] == 0 < counts["written"], counts
    assert counts["errors"] == counts["reconnects"] == 0 and counts["answering"] is True, counts
    assert all(pieces == set(range(len(pieces))) for pieces in there.values())
    assert counts["written"] == sum(map(len, there.values())) >= 30, counts
    assert 0 < counts["latency_us"]["p50"] <= counts["latency_us"]["p99"] <= counts["latency_us"]["max"], counts
    zeros = [w for w in plc.writes() if w["register"] >= FIRST and not any(w["values"])]
    assert sum(len(w["values"]) for w in zeros) == 2 * plc.size * 60, zeros
    assert len({plc.decode(w["values"])[1] for w in plc.pieces()}) > 1
    beats = [w["values"][0] for w in plc.writes() if w["register"] == HEARTBEAT]
    assert len(beats) > 1 and beats == [*range(1, len(beats)), 0], beats
    print("acknowledged after %(p50)d us (p50), %(p99)d us (p99), %(max)d us (max)" % counts["latency_us"])


def test_killed(folder):
    """There is no PLC at the start; then one, which dies and comes back."""
    plc = Plc(folder, slots=60, lanes=1)
    config = write_config(folder, plc, a=LANE % 0)
    run = start_line(config, folder)
    run.wait_for(lambda decisions: len(decisions) >= 3)
    plc.start()
    plc.wait_for(run, 3)
    plc.kill()
    n = len(read_decisions(run.folder))
    # longer than the way to the outlet
    run.wait_for(lambda decisions: len(decisions) >= n + 45)
    plc.start()
    plc.wait_for(run, 3)
    run.process.send_signal(signal.SIGTERM)
    err, counts, there = finish(run, plc)
    plc.kill()
    assert err.count(": answers") == 2 and err.count("cannot be reached: Connection refused") == 2, err
    # not more often than is of use
    assert 2 < counts["errors"] < 50, counts
    assert counts["reconnects"] >= 1 and counts["late"] > 0 == counts["refused"], counts
    assert len(there["a"]) >= 6


def test_silent(folder):
    """A PLC that takes connections, and hangs. Who waited for it would be late: it has twice the deadline."""
    plc = Plc(folder, slots=60, lanes=1)
    plc.start()
    config = write_config(folder, plc, timeout=2 * DEADLINE, a=LANE % 0)
    run = start_line(config, folder)
    plc.wait_for(run, 3)
    plc.process.send_signal(signal.SIGSTOP)
    n = len(read_decisions(run.folder))
    run.wait_for(lambda decisions: len(decisions) >= n + 50)
    plc.process.send_signal(signal.SIGCONT)
    plc.wait_for(run, 5)
    # at the end what waits is written
    plc.process.send_signal(signal.SIGSTOP)
    n = len(read_decisions(run.folder))
    run.wait_for(lambda decisions: len(decisions) >= n + 3)
    run.process.send_signal(signal.SIGTERM)
    time.sleep(.3)
    plc.process.send_signal(signal.SIGCONT)
    err, counts, there = finish(run, plc, is_ordered=False)
    plc.kill()
    assert err.count("no answer within 4000 ms") == 1 and err.count(": answers") == 2, err
    assert counts["late"] > 0 and 0 < counts["reconnects"] <= counts["errors"] < 50, counts
    assert max(there["a"]) == len(read_decisions(run.folder)) - 1, there


def test_refused(folder):
    """A PLC without the registers of one lane, and of the heartbeat."""
    plc = Plc(folder, slots=60, lanes=1, heartbeat=False, layout=1)
    plc.start()
    config = write_config(folder, plc, a=LANE % 20, b=LANE % 20)
    run = start_line(config, folder)
    plc.wait_for(run, 16)
    err, counts, there = finish(run, plc)
    plc.kill()
    for what in "registers 340 to 579, of b", "register 95, of the heartbeat":
        assert err.count("refuses %s: Illegal data address; it must have them" % what) == 1, err
    assert err.count("refuses") == 2 and err.count(": answers") == 1 and counts["reconnects"] == 0, err
    assert counts["refused"] == counts["written"] == len(there["a"]) == 16 and not there["b"], counts
    assert counts["errors"] > 16, counts


def check_support():
    """What a program without libmodbus says of [plc]."""
    with tempfile.TemporaryDirectory() as folder:
        config = write_config(folder, Plc(folder, slots=60, lanes=1), a=LANE % 1)
        done = subprocess.run([PROGRAM, "check", config], capture_output=True, text=True)
        if done.returncode == 0:
            return
        assert done.returncode == 1 and "built without libmodbus" in done.stderr, done
        _, err = Run(["run", config], os.path.join(folder, "out")).end(1)
        assert "built without libmodbus" in err and not os.path.exists(os.path.join(folder, "out")), err
    print("skipped: this program was built without libmodbus")
    sys.exit(77)


def main():
    check_support()
    if subprocess.run([sys.executable, "-c", "import pymodbus.server"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no pymodbus (tests/run --partners installs it)")
        sys.exit(77)
    for test in test_plc, test_old, test_killed, test_silent, test_refused:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder)
            finally:
                for process in STARTED:
                    process.kill()
        print("%s: %.1f s" % (test.__name__, time.monotonic() - begin))


if __name__ == "__main__":
    main()
