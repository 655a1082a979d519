# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recipes and weights by registers of a PLC, which is a Modbus server of other people: plc_commands.py FRUIT_LINE FILES [TEST...]

Registers are written and read here by the manual. What the log says is compared with what the decisions say.
"""

import json
import os
import re
import socket
import struct
import subprocess
import sys

import children
from commanding import PROGRAM, Line, check_replay, read_commands, read_sizes
from files import read, write
from running import run_tests

UNIT, COMMAND, SLOTS, WEIGHTS = 17, 50, 100, 5500
DONE, REFUSED = 1, 2
ALL = 65535
TIMEOUT = 60


def check_page(decisions, weights, page):
    """The page's kilograms of each outlet, and of all."""
    table = page.partition('<table id="weights">')[2].partition("</table>")[0]
    told = {int(outlet): float(kg) for outlet, kg in re.findall(r'<th scope="row">(\d+) .*<td>([\d.]+)</td><td>[\d.]+</td></tr>', table)}
    kg = {d["outlet"]: 0 for d in decisions}
    for d in decisions:
        kg[d["outlet"]] += weights.get((d["lane"], d["piece"]), 0) / 1e4
    assert told.keys() == kg.keys() and all(abs(told[outlet] - kg[outlet]) <= .0501 for outlet in kg), (told, kg)
    assert abs(float(re.search(r">Kilograms</th><td>([\d.]+)<", page)[1]) - sum(kg.values())) <= .0501, (page, kg)


class Plc:
    def __init__(self, folder):
        self.port = children.find_port()
        server = os.path.join(os.path.dirname(__file__), "plc_server.py")
        log = os.path.join(folder, "plc.log")
        self.process = children.start_ready([sys.executable, server, str(self.port), log, "0", "6000", "0"])
        self.counter, self.socket = 0, socket.create_connection(("127.0.0.1", self.port), TIMEOUT)

    def ask(self, request):
        """Modbus TCP: what is behind the function's code."""
        self.socket.sendall(struct.pack(">HHHB", 1, 0, len(request) + 1, UNIT) + request)
        answer = b""
        while len(answer) < 6 or len(answer) < 6 + struct.unpack(">H", answer[4:6])[0]:
            part = self.socket.recv(260)
            assert part, "the server has ended"
            answer += part
        assert answer[7] == request[0], answer
        return answer[8:]

    def write(self, first, *values):
        self.ask(struct.pack(">BHHB%dH" % len(values), 16, first, len(values), 2 * len(values), *values))

    def read(self, first, n):
        return struct.unpack(">%dH" % n, self.ask(struct.pack(">BHH", 3, first, n))[1:])

    def give(self, recipe, lane=ALL, piece=None, counter=None):
        """Writes a command, its counter last."""
        self.counter = counter or self.counter + 1
        words = [recipe, lane] + ([0, 0, 0] if piece is None else [1, piece % 65536, piece // 65536 % 65536])
        self.write(COMMAND + 1, *words, (self.counter + sum(words)) % 65536)
        self.write(COMMAND, self.counter)

    def answer(self, line):
        def find():
            counter, answer, total = self.read(COMMAND + 7, 3)
            return answer if counter == self.counter and total == counter + answer else None
        return line.wait(find, "no answer")


def start(folder, plc, keys=""):
    more = "[plc]\naddress=127.0.0.1\nport=%d\nunit=%d\nregister=%d\n" % (plc.port, UNIT, SLOTS)
    more += "arrival-ms=21000\ntimeout-ms=3000\nslots=220\ncommand=%d\nrecipes=1:small;2:large;3:none\n" % COMMAND
    if keys:
        more = more.replace("timeout-ms=3000\n", "timeout-ms=400\n") + keys
    return Line(folder, more=more, output=False)


class Scale:
    """Notes weights, never more at a time than the line has read."""

    def __init__(self, plc, line):
        self.plc, self.line, self.n, self.base = plc, line, 0, 0
        self.weights = {}
        plc.write(WEIGHTS, 1, 9, 0, 0)

    def begin(self, line):
        """Until the line looks at what comes; what it has found there at first it has not counted."""
        self.line = line

        def probe(lane, result):
            self.weigh(lane, 1 << 30, 5)
            return self.counts().get(result)
        line.wait(lambda: probe(9, "refused"), "weights are not read")
        # and that one is behind all of them
        probe(0, "strange")
        line.wait(lambda: self.counts()["strange"], "weights are not read")
        self.base = self.n - sum(self.counts().values())
        return self.counts()["refused"]

    def weigh(self, lane, piece, tenths, damage=0):
        at = WEIGHTS + 4 + 5 * (self.n % 16)
        words = [piece % 65536, piece // 65536, lane, tenths]
        self.plc.write(at, *words, (self.n + sum(words) + damage) % 65536)
        self.n += 1
        self.plc.write(WEIGHTS + 2, self.n % 65536, self.n // 65536)

    def counts(self):
        found = re.findall(r'fruit_line_plc_weights_total{result="(.*)"} (.*)', self.line.get("/metrics"))
        return {name: int(n) for name, n in found}

    def wait(self):
        """Until all are counted."""
        self.line.wait(lambda: sum(self.counts().values()) == self.n - self.base, "weights are not read")

    def weigh_some(self, rounds):
        """Of each lane one that is decided and one that is not, in each round."""
        for i in range(rounds):
            for lane, name in enumerate("ab"):
                for piece in self.line.last(name) - 2, self.line.last(name) + 4:
                    if piece >= 0 and (name, piece) not in self.weights:
                        self.weights[name, piece] = 1000 + 7 * self.n
                        self.weigh(lane, piece, self.weights[name, piece])
            self.wait()

    def check(self, found, decisions, csv, sizes):
        """A report, of these decisions."""
        cells = {}
        for d in decisions:
            if (d["lane"], d["piece"]) in self.weights:
                size = next((name for name, least, most in sizes if least <= d["diameter_mm"] < most), "")
                n, tenths = cells.get((d["outlet"], size), (0, 0))
                cells[d["outlet"], size] = n + 1, tenths + self.weights[d["lane"], d["piece"]]
        for cell in found["outlets"]:
            n, tenths = cells.pop((cell["outlet"], cell["size"]), (0, 0))
            assert cell["weighed"] == n and abs(cell["kg"] - tenths / 1e4) < 1e-6, (cell, n, tenths)
            assert 'outlet,%d,"%s",%d,,%d,%.4f\n' % (cell["outlet"], cell["size"], cell["pieces"], n, tenths / 1e4) in csv, csv
        assert not cells, cells
        weighed = sum(cell["weighed"] for cell in found["outlets"])
        assert found["weighed"] == weighed and found["unweighed"] == len(decisions) - weighed, found
        assert abs(found["kg"] - sum(cell["kg"] for cell in found["outlets"])) < 1e-6
        assert csv.startswith("kind,name,size,pieces,mm2,weighed,kg\n")
        return weighed


def find_hashes(folder):
    """Of recipes by name, by the copies that the log has."""
    hashes = {}
    for entry in read_commands(os.path.join(folder, "out")).values():
        for place in entry["in_force"]["lanes"].values():
            for one in place, place["next"] or {}:
                if one.get("recipe"):
                    hashes[one["recipe"]] = one["hash"]
    return hashes


def test_recipes(folder):
    """Of all lanes, of one, from a piece on; what cannot be is refused, and nothing changes."""
    plc = Plc(folder)
    line = start(folder, plc)
    line.wait_for_pieces(2)
    plc.give(1)
    assert plc.answer(line) == DONE
    before = max(line.last(lane) for lane in "ab")
    plc.give(2, 1, before + 30)
    assert plc.answer(line) == DONE
    line.wait(lambda: line.last("b") > before + 35, "no pieces")
    for recipe, lane, piece, why in ((3, ALL, None, "none.ini"), (9, ALL, None, "no number 9"), (1, 2, None, "no lane 2"),
                                     (1, 0, 0, "has been decided")):
        plc.give(recipe, lane, piece)
        assert plc.answer(line) == REFUSED, why
        entry = read_commands(os.path.join(folder, "out"))[max(read_commands(os.path.join(folder, "out")))]
        assert entry["who"] == "PLC" and entry["answer"] == "refused" and why in entry["why"], entry
        assert entry["asked"]["plc"][:3] == [plc.counter, recipe, lane] and entry["in_force"]["lanes"]["a"]["recipe"] == "small", entry
    # no command, until it is whole
    plc.write(COMMAND, plc.counter + 1)
    line.wait(lambda: "are no command" in line.said(), "no message")
    line.wait_for_pieces(2)
    plc.give(0)
    assert plc.answer(line) == DONE
    line.wait_for_pieces(3)
    line.end()
    commands = [entry for entry in read_commands(os.path.join(folder, "out")).values() if entry["who"] == "PLC"]
    assert len(commands) == 7 and all("answer" in entry for entry in commands), commands
    hashes = find_hashes(folder)
    b = [d for d in line.decisions() if d["lane"] == "b"]
    assert b[0]["recipe"] == b[-1]["recipe"] not in hashes.values()
    for d in b:
        assert (d["recipe"] == hashes["large"]) == (before + 30 <= d["piece"] and d["recipe"] != b[0]["recipe"]), d
    assert hashes["small"] in {d["recipe"] for d in b}
    assert hashes["large"] not in {d["recipe"] for d in line.decisions() if d["lane"] == "a"}
    check_replay(line.output)


def test_restart(folder):
    """A command that was answered is not carried out by the next run; one that was not is."""
    plc = Plc(folder)
    line = start(folder, plc)
    plc.give(1)
    assert plc.answer(line) == DONE
    line.command({"do": "recipe", "recipe": "large"})
    line.process.kill()
    line.process.wait()
    # the PLC has lost the answer, not the command
    plc.write(COMMAND + 7, 0, 0, 0)
    line = start(folder, plc)
    assert plc.answer(line) == DONE
    line.wait_for_pieces(2)
    assert {d["recipe"] for d in line.decisions()} == {find_hashes(folder)["large"]}
    line.end()
    plc.give(0, 0)
    line = start(folder, plc)
    assert plc.answer(line) == DONE
    line.end()
    done = [entry["asked"]["plc"] for entry in read_commands(os.path.join(folder, "out")).values() if entry["who"] == "PLC"]
    assert [words[:3] for words in done] == [[1, 1, ALL], [2, 0, 0]], done


def test_weights(folder):
    """Before and after the decision; what cannot be; a lot that goes on in another run."""
    plc = Plc(folder)
    more = "weights=%d\n" % WEIGHTS
    line = start(folder, plc, more)
    line.wait_for_pieces(3)
    scale = Scale(plc, line)
    refused = scale.begin(line)
    scale.weigh_some(4)
    taken = len(scale.weights)
    assert scale.counts() == {"taken": taken, "missed": 0, "refused": refused, "strange": 1}, scale.counts()
    old = next(piece for lane, piece in scale.weights if lane == "a")
    for lane, piece, tenths, damage in (0, line.last("a"), 60000, 0), (0, line.last("a"), 65535, 0), (9, 1, 5, 0), \
            (0, old, 77, 0), (0, line.last("a") + 5000, 5, 0), (0, line.last("a"), 5, 1):
        scale.weigh(lane, piece, tenths, damage)
    scale.wait()
    assert scale.counts() == {"taken": taken, "missed": 1, "refused": refused + 3, "strange": 3}, scale.counts()
    line.command({"do": "lot-begin", "lot": "L"})
    line.wait_for_pieces(2)
    scale.weigh_some(4)
    line.wait_for_pieces(6)
    metrics = line.get("/metrics")
    line.end()
    sizes = read_sizes()
    first = line.decisions()
    n = scale.check(json.loads(read(line.output, "run.json")), first, read(line.output, "run.csv"), sizes)
    check_page(first, scale.weights, read(line.output, "run.html"))
    assert n == len(scale.weights) >= 20, (n, len(scale.weights))
    for lane in "ab":
        mine = {piece: tenths for (name, piece), tenths in scale.weights.items() if name == lane}
        assert 'fruit_line_weighed_total{lane="%s"} %d\n' % (lane, len(mine)) in metrics, metrics
        kg = sum(map(float, re.findall(r'fruit_line_kilograms_total{lane="%s",outlet=".*"} (.*)' % lane, metrics)))
        assert abs(kg - sum(mine.values()) / 1e4) < .01, (kg, mine)
    line = start(folder, plc, more)
    line.wait_for_pieces(3)
    scale.begin(line)
    scale.weigh_some(3)
    line.wait_for_pieces(6)
    line.command({"do": "lot-end"})
    line.end()
    mine = [d for d in first + line.decisions() if d.get("lot") == "L"]
    lots = os.path.join(folder, "out", "lots")
    n = scale.check(json.loads(read(lots, "L.json")), mine, read(lots, "L.csv"), sizes)
    check_page(mine, scale.weights, read(lots, "L.html"))
    assert n >= 10, n


def test_check(folder):
    """A number of a recipe that is not there is an error of the configuration."""
    plc = Plc(folder)
    line = start(folder, plc)
    line.end()
    done = subprocess.run([PROGRAM, "check", line.config], capture_output=True, text=True)
    assert done.returncode == 1 and "none.ini: it is not there, and has number 3" in done.stderr, done
    write(read(line.config).replace(";3:none", ""), folder, "line.ini")
    subprocess.run([PROGRAM, "check", line.config], check=True, stdout=subprocess.DEVNULL)


def test_killed(folder):
    """Whenever a line is killed, each command is done once, and its answer comes."""
    plc = Plc(folder)
    log = os.path.join(folder, "out", "commands.jsonl")
    for attempt in range(8):
        line = start(folder, plc)
        n = os.path.getsize(log) if os.path.exists(log) else 0
        plc.give(1 + attempt % 2, attempt % 3 if attempt % 3 < 2 else ALL)
        # at once; when it is asked for; when it is answered; when the PLC has been told
        if attempt % 4 == 1:
            line.wait(lambda: os.path.exists(log) and os.path.getsize(log) > n, "nothing is asked")
        elif attempt % 4 == 2:
            line.wait(lambda: os.path.exists(log) and read(log)[n:].count('"answer"') > 0, "nothing is answered")
        elif attempt % 4 == 3:
            assert plc.answer(line) == DONE
        line.process.kill()
        line.process.wait()
        line = start(folder, plc)
        assert plc.answer(line) == DONE, attempt
        line.end()
    done = {}
    for entry in read_commands(os.path.join(folder, "out")).values():
        assert "answer" in entry, entry
        if entry["who"] == "PLC" and entry["answer"] == "done":
            done.setdefault(entry["asked"]["plc"][0], []).append(entry["asked"]["plc"][1])
    assert done == {1 + attempt: [1 + attempt % 2] for attempt in range(8)}, done


TESTS = test_recipes, test_restart, test_check, test_killed, test_weights


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pymodbus.server"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no pymodbus (tests/run --partners installs it)")
        sys.exit(77)
    run_tests(TESTS)
