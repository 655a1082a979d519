# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit-line and a PLC that counts triggers, too: counting.py FRUIT_LINE FILES

The PLC here is a Modbus server that notes each trigger of the line's plan as the manual says, counts on from a number of its
own, and does wrong what a test wants. Of each piece in its registers it is known from the triggers' times which one it is:
no piece of another number is ever there, and whatever goes out of step is told.
"""

import glob
import json
import os
import signal
import socketserver
import struct
import tempfile
import threading
import time

from live import CUPS, TIMEOUT, Run, read
from small import DEADLINE, write_small_line

UNIT, HEAD, SLOTS_AT, RING_AT, STEP = 17, 90, 100, 1600, 110
SLOTS, SIZE, RING = 60, 12, 16
ARRIVAL = DEADLINE + 500
PERIOD = 100 * 1000000
CODES = {"ok": 1, "partial": 2, "late": 3, "undecided": 4}
MS = 1000000


def words(*longs):
    return [half for value in longs for half in (value & 0xffff, value >> 16 & 0xffff)]


class Counter:
    """Of a lane's light barrier, whose pulses come at start + k PERIOD; some the PLC has not, some it has twice."""

    def __init__(self):
        self.start = None
        # pulses so far, those to come that are not there or twice, and the triggers that were noted
        self.n, self.missing, self.doubled, self.noted = 0, set(), set(), []
        self.next = 0

    def scan(self, now, epoch):
        while self.start is not None and self.start + self.n * PERIOD <= now:
            when = self.start + self.n * PERIOD
            times = [when] * (self.n not in self.missing) + [when + 40 * MS] * (self.n in self.doubled)
            for when in times:
                self.noted.append((epoch, self.next, when))
                self.next = (self.next + 1) % 2 ** 32
            self.n += 1

    def go_on(self, start):
        """By another plan; triggers that have passed are not noted."""
        self.start, self.n = start, (time.time_ns() - start) // PERIOD + 1


class Plc:
    """Registers of 16 bits."""

    def __init__(self, lanes=1):
        self.lock = threading.RLock()
        self.registers = {}
        self.counters = [Counter() for _ in range(lanes)]
        self.noted = self.counters[0].noted
        self.epoch, self.history = 7, []
        self.version, self.delay, self.refuses, self.closes = 1, 0, False, False
        # its clock wraps while the test runs
        self.zero = time.time_ns() - (2 ** 32 - 20000) * MS
        server = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                server.serve(self.request)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, connection):
        file = connection.makefile("rb")
        while head := file.read(8):
            transaction, _, size, unit, function = struct.unpack(">HHHBB", head)
            body = file.read(size - 2)
            assert unit == UNIT
            answer = self.read(*struct.unpack(">HH", body)) if function == 3 else self.write(function, body)
            try:
                connection.sendall(struct.pack(">HHHB", transaction, 0, len(answer) + 1, unit) + answer)
            except (BrokenPipeError, ConnectionResetError):
                return
            if self.closes:
                return

    def read(self, first, n):
        time.sleep(self.delay)
        with self.lock:
            if self.refuses:
                return bytes([0x83, 2])
            self.scan()
            values = [self.registers.get(first + i, 0) for i in range(n)]
        return struct.pack(">BB%dH" % n, 3, 2 * n, *values)

    def write(self, function, body):
        first, n, size = struct.unpack(">HHB", body[:5])
        values = struct.unpack(">%dH" % n, body[5:])
        assert function == 16 and size == 2 * n
        with self.lock:
            self.scan()
            self.registers.update(zip(range(first, first + n), values))
            if SLOTS_AT <= first < RING_AT and any(values):
                self.history += [(time.time_ns(), first + i, values[i:i + SIZE]) for i in range(0, n, SIZE)]
        return struct.pack(">BHH", 16, first, n)

    # the light barriers

    def begin(self, start, number, lane=0):
        """The lane's trigger 0 was at that time."""
        with self.lock:
            counter = self.counters[lane]
            counter.go_on(start)
            counter.next = number + counter.n

    def stop(self):
        with self.lock:
            self.scan()
            self.counters[0].start = None

    def go_on(self, start):
        with self.lock:
            self.counters[0].go_on(start)

    def encoder(self, number):
        """It wraps, too."""
        return (2 ** 32 - 5000 + 100 * number) % 2 ** 32

    def clock(self, when):
        return (when - self.zero) // MS % 2 ** 32

    def scan(self):
        now = time.time_ns()
        for lane, counter in enumerate(self.counters):
            counter.scan(now, self.epoch)
            # a doubled one may not have come yet
            there = [t for t in counter.noted if t[0] == self.epoch and t[2] <= now]
            ring = [0] * 6 * RING
            for _, number, when in there[-RING:]:
                ring[number % RING * 6:number % RING * 6 + 6] = words(number, self.encoder(number), self.clock(when))
            following = (there[-1][1] + 1) % 2 ** 32 if there else counter.next
            values = [self.version, self.epoch] + words(following, self.clock(now)) + ring
            at = RING_AT + lane * STEP
            self.registers.update(zip(range(at, at + len(values)), values))

    def restart(self, number):
        with self.lock:
            self.scan()
            self.epoch += 1
            self.counters[0].next = number

    def miss(self):
        with self.lock:
            self.scan()
            self.counters[0].missing.add(self.counters[0].n + 2)

    def double(self):
        with self.lock:
            self.scan()
            self.counters[0].doubled.add(self.counters[0].n + 2)

    # what is in the slots

    def written(self, its_lane=0):
        """(epoch, number, run, outlet, code, times of its triggers) of all the lane's slots that were written."""
        found, lanes = [], len(self.counters)
        for _, first, values in self.history:
            run, epoch, lane, low, high, outlet, code, *rest = values
            slot, number = (first - SLOTS_AT) // SIZE, low + 65536 * high
            assert (first - SLOTS_AT) % SIZE == 0 and len(values) == SIZE
            assert values[-1] == sum(values[:-1]) % 65536 and slot == number % SLOTS * lanes + lane, values
            if lane != its_lane:
                continue
            times = [when for e, n, when in self.counters[lane].noted if e == epoch and (n - number) % 2 ** 32 < CUPS]
            assert len(times) == CUPS, (values, times)
            last = (number + CUPS - 1) % 2 ** 32
            assert rest[:4] == words(self.encoder(last), self.clock(times[-1])), values
            found.append((epoch, number, run, outlet, code, times))
        return found


def write_config(folder, plc):
    lanes = {"ab"[i]: "source=simulate\ntriggers=0\nempty=0.3\nseed=%d" % i for i in range(len(plc.counters))}
    text = "[plc]\naddress=127.0.0.1\nport=%d\nunit=%d\nheartbeat=%d\nregister=%d\n" % (plc.port, UNIT, HEAD, SLOTS_AT)
    text += "slots=%d\narrival-ms=%d\ntimeout-ms=3000\ntriggers=%d\ntriggers-delay-ms=0\n" % (SLOTS, ARRIVAL, RING_AT)
    if len(lanes) > 1:
        text += "triggers-step=%d\n" % STEP
    return write_small_line(folder, "pictures=0", text, **lanes)


class Line:
    """A run in its own folder of the configuration's output, and what it has decided."""

    def __init__(self, config, plc):
        self.output = os.path.join(os.path.dirname(config), "fruit-line-output")
        before = self.list_runs()
        self.run = Run(["run", config], None)
        self.plc = plc
        self.run.wait(lambda: self.list_runs() - before, "no output")
        self.run.folder = (self.list_runs() - before).pop()

    def list_runs(self):
        return {os.path.dirname(path) for path in glob.glob(os.path.join(self.output, "*", "decisions.jsonl"))}

    def decisions(self, lane="a"):
        path = os.path.join(self.run.folder, "decisions.jsonl")
        lines = read(path).split("\n")[:-1] if os.path.exists(path) else []
        return [d for d in map(json.loads, lines) if d["lane"] == lane]

    def wait_for(self, what):
        """Until what(decision) is true of the last one. Returns it."""
        return self.run.wait(lambda: [d for d in self.decisions()[-1:] if what(d)], "no such decision")[0]

    def wait_for_more(self, n):
        last = self.wait_for(lambda d: True)["piece"] + n
        return self.wait_for(lambda d: d["piece"] >= last)

    def find_start(self, lane="a"):
        """When its trigger 0 was, by plan."""
        first = self.run.wait(lambda: self.decisions(lane), "no decisions")[0]
        return first["t_trigger_ns"] - (CUPS - 1) * PERIOD

    def end(self):
        self.run.process.send_signal(signal.SIGTERM)
        _, err = self.run.end()
        with open(os.path.join(self.run.folder, "report.json"), encoding="utf-8") as file:
            return json.load(file)["plc"], err


def check_pieces(plc, decisions, run, lane=0):
    """Each piece in the PLC is one whose triggers the PLC had at the same times, and it is decided so."""
    by_time = {d["t_trigger_ns"]: d for d in decisions}
    times = [d["t_trigger_ns"] for d in decisions]
    assert times == [times[0] + i * PERIOD for i in range(len(times))]
    n = 0
    for epoch, number, its_run, outlet, code, triggers in plc.written(lane):
        if its_run != run:
            continue
        n += 1
        assert [b - a for a, b in zip(triggers, triggers[1:])] == [PERIOD] * (CUPS - 1), (epoch, number, triggers)
        decision = by_time[triggers[-1]]
        assert outlet == decision["outlet"] and code == CODES[decision["status"]], (number, decision)
    return n


def check_decisions(decisions, plc):
    """A piece's number, where it is said, is the PLC's of its triggers; else the piece is undecided, for that reason. One that
    was decided before the PLC told of what it had missed has a wrong one: later ones say by how much."""
    with plc.lock:
        # of what has come since the line has asked
        plc.scan()
    numbers = {(when, e): n for e, n, when in plc.noted}
    shift, wrong = 0, []
    for d in decisions:
        known = d["plc"]["piece"]
        assert (known is None) == ("number" in d["doubts"]) and (known is None) <= (d["status"] in ("undecided", "late")), d
        shift += d["plc"]["shift"]
        if known is None:
            continue
        right = {numbers.get((d["t_trigger_ns"] - (CUPS - 1) * PERIOD, e)) for _, e in {(0, e) for _, e in numbers}}
        wrong += [(d["piece"], known, right)] if known not in right else []
    return shift, wrong


def check_all(decisions, plc):
    """Nothing goes out of step."""
    found = check_decisions(decisions, plc)
    assert found == (0, []), found


def agreed(decision):
    return decision["plc"]["piece"] is not None


def test_counting(folder):
    """What one side misses, or has twice, is told, and no wrong piece is in the PLC."""
    plc = Plc()
    line = Line(write_config(folder, plc), plc)
    first = line.wait_for_more(3)
    assert first["plc"] == {"piece": None, "shift": 0} and first["encoder"] is None and not plc.written()
    # its numbers wrap soon
    plc.begin(line.find_start(), 2 ** 32 - 60)
    line.wait_for(agreed)
    line.wait_for_more(20)
    check_all(line.decisions(), plc)
    plc.miss()
    line.run.wait_until_said("which had -1 triggers: resynchronised")
    line.wait_for_more(10)
    plc.double()
    line.run.wait_until_said("which had +1 triggers: resynchronised")
    line.wait_for_more(25)
    counts, err = line.end()
    decisions = line.decisions()
    shift, wrong = check_decisions(decisions, plc)
    # some were decided between the fault and the reading
    assert shift == 0 and len(wrong) <= 2 * CUPS, (shift, wrong)
    assert {d["plc"]["shift"] for d in decisions} == {0, -1, 1}
    encoders = {when: plc.encoder(number) for _, number, when in plc.noted}
    known = [d for d in decisions if d["encoder"] is not None]
    assert len(known) >= 50 and all(d["encoder"] == encoders[d["t_trigger_ns"] - (CUPS - 1) * PERIOD] for d in known), known
    n = check_pieces(plc, decisions, decisions[0]["run"])
    assert n == counts["written"] >= 40 and counts["unnumbered"] > 0, counts
    assert counts["triggers"]["resynchronised"] == 2 and counts["triggers"]["agreed"] == 1, counts
    assert counts["triggers"]["missed"] == counts["triggers"]["extra"] == 1, counts
    # it began to count when the line was there
    assert counts["triggers"]["restarts"] == 1 and abs(counts["triggers"]["delay_ms"]) < 25, counts
    assert err.count("its triggers are those of") == 1 and err.count("resynchronised at trigger") == 2, err
    assert plc.registers[HEAD] == 0 and [plc.registers[HEAD + i] for i in range(1, 5)] == [
        decisions[0]["run"], 2] + words(decisions[0]["piece"]), plc.registers


def test_restarts(folder):
    """Either side is ended without warning: numbers go on from the PLC's, and none of the line's own is given again."""
    plc = Plc()
    config = write_config(folder, plc)
    line = Line(config, plc)
    plc.begin(line.find_start(), 500)
    line.wait_for(agreed)
    line.wait_for_more(5)
    plc.restart(3)
    line.run.wait_until_said("counts anew")
    line.wait_for(lambda d: agreed(d) and d["plc"]["piece"] < 500)
    line.wait_for_more(5)
    line.run.process.kill()
    line.run.process.communicate()
    before = line.decisions()
    plc.stop()
    last_number = plc.written()[-1][1]
    again = Line(config, plc)
    plc.go_on(again.find_start())
    again.wait_for(agreed)
    last = again.wait_for_more(30)
    counts, err = again.end()
    after = again.decisions()
    assert after[0]["run"] == before[0]["run"] % 65535 + 1 and after[0]["piece"] > before[-1]["piece"], (after[0], before[-1])
    assert "run %d, pieces from %d on" % (after[0]["run"], after[0]["piece"]) in err, err
    assert agreed(last) and last["plc"]["piece"] > last_number, (last, err)
    check_all(after, plc)
    assert check_pieces(plc, before, before[0]["run"]) >= 5 and check_pieces(plc, after, after[0]["run"]) >= 20
    assert counts["triggers"]["resynchronised"] == 0, counts


def test_answers(folder):
    """A PLC that is slow, refuses, or has something else in these registers."""
    plc = Plc()
    line = Line(write_config(folder, plc), plc)
    plc.begin(line.find_start(), 0)
    line.wait_for(agreed)
    plc.delay = .4
    line.wait_for_more(20)
    plc.delay = 0
    check_all(line.decisions(), plc)
    plc.version = 2
    line.run.wait_until_said("are not what it has noted of its triggers: the first register is not 1")
    line.wait_for(lambda d: "number" in d["doubts"])
    plc.version = 1
    line.wait_for(agreed)
    plc.refuses = True
    line.run.wait_until_said("refuses registers 1600 to 1701, of its triggers: Illegal data address")
    line.wait_for(lambda d: "number" in d["doubts"])
    plc.refuses = False
    line.wait_for(agreed)
    line.wait_for_more(5)
    counts, err = line.end()
    check_all(line.decisions(), plc)
    assert check_pieces(plc, line.decisions(), line.decisions()[0]["run"]) == counts["written"] >= 30
    assert counts["triggers"]["resynchronised"] == 0 and counts["triggers"]["agreed"] == 1, counts
    # one that was always slow
    plc.delay = .4
    line = Line(write_config(folder, plc), plc)
    plc.begin(line.find_start(), 5000)
    plc.epoch += 1
    line.run.wait_until_said("cannot be told apart, and pieces are undecided")
    assert not any(map(agreed, line.decisions()))
    line.end()


def test_closing(folder):
    """A PLC that ends each connection after an answer: it is written to, slowly, and what is said of it has an end."""
    plc = Plc()
    plc.closes = True
    line = Line(write_config(folder, plc), plc)
    line.wait_for_more(60)
    counts, err = line.end()
    # a try in half a second, but for the first ones
    assert 5 < counts["errors"] < 60 and counts["reconnects"] < 60, counts
    assert err.count("\n") < 40, err
    # all slots were cleared, one request after the other
    assert all(plc.registers.get(SLOTS_AT + i) == 0 for i in range(SLOTS * SIZE)), plc.registers


def test_lanes(folder):
    """Each lane has a light barrier and a count of its own."""
    plc = Plc(2)
    line = Line(write_config(folder, plc), plc)
    plc.begin(line.find_start("b"), 70000, 1)
    line.run.wait(lambda: any(map(agreed, line.decisions("b"))), "b is not in step")
    assert not any(map(agreed, line.decisions("a"))) and not plc.written(0)
    plc.begin(line.find_start(), 20)
    line.wait_for(agreed)
    plc.miss()
    line.run.wait_until_said("a: out of step with")
    line.wait_for_more(20)
    counts, err = line.end()
    a, b = line.decisions("a"), line.decisions("b")
    n = check_pieces(plc, a, a[0]["run"], 0), check_pieces(plc, b, a[0]["run"], 1)
    assert min(n) >= 15 and sum(n) == counts["written"] and counts["unnumbered"] > 0, (n, counts)
    assert counts["triggers"]["resynchronised"] == 1 and counts["triggers"]["lanes"] == counts["triggers"]["agreed"] == 2, counts
    assert not any(d["plc"]["shift"] for d in b) and "b: out of step" not in err


def main():
    for test in test_counting, test_restarts, test_answers, test_closing, test_lanes:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
        print("%s: %.1f s" % (test.__name__, time.monotonic() - begin))


if __name__ == "__main__":
    main()
