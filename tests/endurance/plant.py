# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a line talks to, for an endurance run: a PLC (pymodbus), a broker (mosquitto) with a subscriber, the publisher. They
are real ones, at ports of their own on loopback. Which of them are there depends on what is installed."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from faults import Fault
from line import FILES, TIMEOUT, read, write

CHECKS = os.path.join(FILES, "..", "..", "tests", "check", "line")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"

FIRST, SLOTS, SIZE, HEAD = 100, 64, 12, 5       # registers of the PLC
IN_FLIGHT = 20


def find_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Partner:
    """A process that is killed and started again."""

    def __init__(self, command, log):
        self.command, self.log = command, log
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def send(self, number):
        self.process.send_signal(number)


class Plc:
    """A PLC for all lanes. Its log has what was written to it."""

    def __init__(self, folder, lanes):
        self.port, self.lanes = find_port(), lanes
        self.written = os.path.join(folder, "plc.jsonl")
        self.partner = Partner([PYTHON, os.path.join(CHECKS, "plc_server.py"), str(self.port), self.written, str(FIRST - HEAD),
                                str(HEAD + lanes * SLOTS * SIZE), "0"], os.path.join(folder, "plc.log"))

    @staticmethod
    def is_there():
        return subprocess.run([PYTHON, "-c", "import pymodbus"], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def configure(self):
        return "[plc]\naddress=127.0.0.1\nport=%d\nunit=17\nregister=%d\nslots=%d\narrival-ms=2000\nheartbeat=%d\n" % (
            self.port, FIRST, SLOTS, FIRST - HEAD)

    def pieces(self):
        """(lane's number, piece, outlet) of what was written."""
        found = set()
        for record in map(json.loads, read(self.written).splitlines()):
            values = record["values"] if record["register"] >= FIRST and any(record["values"]) else []
            for at in range(0, len(values), SIZE):
                _, _, lane, low, high, outlet, *_ = values[at:at + SIZE]
                assert (record["register"] + at - FIRST) % (SIZE * self.lanes) == SIZE * lane, record
                found.add((lane, low + 65536 * high, outlet))
        return found


class Broker:
    """Mosquitto as it is shipped, somebody who keeps all that is published, and the publisher."""

    def __init__(self, build, folder):
        self.port, self.folder, self.build = find_port(), folder, build
        store = os.path.join(folder, "store") + "/"
        os.mkdir(store)
        # as root mosquitto becomes another user
        os.chmod(folder, 0o755)
        os.chmod(store, 0o777)
        config = write(read(FILES, "mosquitto.conf").replace("listener 1883 ", "listener %d " % self.port).replace(
            "/var/lib/mosquitto/", store), folder, "mosquitto.conf")
        self.partner = Partner([shutil.which("mosquitto", path=PATH), "-c", config], os.path.join(folder, "broker.log"))
        self.wait()
        self.arrived = os.path.join(folder, "arrived.jsonl")
        self.subscriber = Partner([shutil.which("mosquitto_sub", path=PATH), "-p", str(self.port), "-q", "1", "-i", "soak", "-c",
                                   "-t", "fruit-line/#"], self.arrived)
        self.publisher = None

    def wait(self):
        for _ in range(TIMEOUT * 20):
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(.05)
        raise SystemExit("mosquitto does not start")

    @staticmethod
    def is_there():
        return bool(shutil.which("mosquitto", path=PATH) and shutil.which("mosquitto_sub", path=PATH))

    def configure(self):
        return "[publish]\nhost=127.0.0.1\nport=%d\nin-flight=%d\n" % (self.port, IN_FLIGHT)

    def publish(self, config):
        program = os.path.join(self.build, "pipelines", "line", "fruit-line")
        self.publisher = Partner([program, "publish", config], os.path.join(self.folder, "publisher.log"))


class Plant:
    """All that are there."""

    def __init__(self, build, folder, lanes):
        self.plc = Plc(folder, lanes) if Plc.is_there() else None
        self.broker = Broker(build, folder) if Broker.is_there() else None
        self.config = "".join(part.configure() for part in (self.plc, self.broker) if part)

    def faults(self):
        return ((PlcKilled, PlcSilent) if self.plc else ()) + ((BrokerKilled, PublisherKilled) if self.broker else ())

    def close(self):
        parts = [self.plc and self.plc.partner] + ([self.broker.publisher, self.broker.subscriber, self.broker.partner]
                                                   if self.broker else [])
        for partner in filter(None, parts):
            partner.kill()


class PlcKilled(Fault):
    """Pieces that are not in it in time are counted, no other ones; what is in it is what was decided."""
    name, length = "PLC killed", 3.

    def start(self):
        self.line.plant.plc.partner.kill()

    def stop(self):
        self.line.plant.plc.partner.start()

    def judge(self, report, decisions):
        plc, counts = self.line.plant.plc, report["plc"]
        ended = sum(counts[name] for name in ("written", "late", "dropped", "refused", "unnumbered"))
        self.check(ended == report["total"]["pieces"], "%d pieces ended at the PLC, %d were decided" % (
            ended, report["total"]["pieces"]))
        decided = {(self.line.lanes.index(d["lane"]), d["piece"], d["outlet"])
                   for d in map(json.loads, read(decisions.path).splitlines())}
        there = plc.pieces()
        self.check(there <= decided, "in the PLC, but not decided: %s" % sorted(there - decided)[:5])
        self.check(len(there) >= counts["written"], "%d pieces are written, the PLC has had %d" % (counts["written"], len(there)))
        self.check(counts["written"] > 0, "no piece is in the PLC")
        return self.wrong


class PlcSilent(Fault):
    """It takes what it is sent and does not answer."""
    name, length = "PLC silent", 3.

    def start(self):
        self.line.plant.plc.partner.send(signal.SIGSTOP)

    def stop(self):
        self.line.plant.plc.partner.send(signal.SIGCONT)


class BrokerKilled(Fault):
    """Every decision arrives, first arrivals in order."""
    name, length = "broker killed", 3.

    def start(self):
        self.line.plant.broker.partner.kill()

    def stop(self):
        self.line.plant.broker.partner.start()

    def count_missing(self, expected):
        arrived, seen = [], set()
        for text in read(self.line.plant.broker.arrived).splitlines():
            if text not in seen:
                seen.add(text)
                arrived.append(text)
        places = {text: i for i, text in enumerate(expected)}
        order = [places[text] for text in arrived if text in places]
        return len(expected) - len(order), order == sorted(order)

    def judge(self, report, decisions):
        expected = read(decisions.path).splitlines()
        missing, in_order = self.count_missing(expected)
        for _ in range(TIMEOUT):
            if not missing:
                break
            time.sleep(1)
            missing, in_order = self.count_missing(expected)
        self.check(not missing, "%d of %d decisions have not arrived" % (missing, len(expected)))
        self.check(in_order, "first arrivals are not in order")
        return self.wrong


class PublisherKilled(Fault):
    name, length = "publisher killed", 1.

    def start(self):
        self.line.plant.broker.publisher.kill()

    def stop(self):
        self.line.plant.broker.publisher.start()
