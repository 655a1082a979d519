# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recipes by registers of a PLC, which is a Modbus server of other people: plc_commands.py FRUIT_LINE FILES [TEST...]

Registers are written and read here by the manual. What the log says is compared with what the decisions say.
"""

import os
import socket
import struct
import subprocess
import sys
import time

import children
from commanding import Line, check_replay, read_commands
from running import run_tests

UNIT, COMMAND, SLOTS = 17, 50, 100
DONE, REFUSED = 1, 2
ALL = 65535
TIMEOUT = 60


class Plc:
    def __init__(self, folder):
        self.port = children.find_port()
        server = os.path.join(os.path.dirname(__file__), "plc_server.py")
        log = os.path.join(folder, "plc.log")
        self.process = children.start([sys.executable, server, str(self.port), log, "0", "6000", "0"])
        self.counter, self.socket = 0, None
        for _ in range(TIMEOUT * 20):
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), TIMEOUT)
                return
            except ConnectionRefusedError:
                time.sleep(.05)
        raise AssertionError("the server does not start")

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


def start(folder, plc):
    more = "[plc]\naddress=127.0.0.1\nport=%d\nunit=%d\nregister=%d\n" % (plc.port, UNIT, SLOTS)
    more += "arrival-ms=21000\ntimeout-ms=3000\nslots=220\ncommand=%d\nrecipes=1:small;2:large;3:none\n" % COMMAND
    return Line(folder, more=more, output=False)


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


TESTS = test_recipes, test_restart


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pymodbus.server"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no pymodbus (tests/run --partners installs it)")
        sys.exit(77)
    run_tests(TESTS)
