# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is done to a line while it runs. A fault is a class: start() and stop() are called in turn, with `length` seconds
between them, and judge() at the end returns what was wrong. FAULTS lists them; a new one is one more entry."""
import contextlib
import glob
import http.client
import json
import mmap
import os
import re
import resource
import signal
import socket
import threading
import time

from line import NETWORK_MS, VIEWS, read, write


class Fault:
    name, length = "", 2.

    def __init__(self, line):
        self.line, self.times, self.wrong = line, 0, []

    def start(self):
        """Begins it; called again and again."""

    def stop(self):
        """Ends it."""

    def judge(self, report, decisions):
        """report: the last one; decisions: a Decisions. Returns: a list of what was wrong."""
        return self.wrong

    def check(self, good, what):
        if not good:
            self.wrong.append(what)


class Recipe(Fault):
    """The recipe is changed and read again: good ones decide, wrong ones change nothing."""
    name, length = "recipe", 1.

    def __init__(self, line):
        super().__init__(line)
        text = line.recipe
        self.texts = [(text.replace("outlet=8", "outlet=7"), True), (text.replace("[rule reject]", "[rule"), False),
                      (text, True), (text.replace("level=0.5", "level=0.4"), False)]
        self.asked = {True: 0, False: 0}

    def start(self):
        text, good = self.texts[self.times % len(self.texts)]
        write(text, self.line.folder, "apricot.ini")
        self.line.process.send_signal(signal.SIGHUP)
        self.asked[good] += 1

    def judge(self, report, decisions):
        for good, said in (True, "from now on"), (False, " stays"):
            self.check(self.line.count_said(said) == self.asked[good], "%d recipes that are %s, but \"%s\" %d times" % (
                self.asked[good], "good" if good else "wrong", said, self.line.count_said(said)))
        hashes = set(report["recipes"])
        self.check(len(hashes) == min(self.asked[True] + 1, 2) and hashes == decisions.recipes,
                   "recipes %s decided, the report has %s" % (decisions.recipes, hashes))
        return self.wrong


class Network(Fault):
    """The child process with the network; it costs frames of its own lane, and another one is started."""

    def start(self):
        self.lost = self.line.report()["lanes"][self.line.network_lane]["losses"]["unfit"]
        children = self.line.children()
        self.check(len(children) == 1, "%d children before it" % len(children))
        for child in children:
            os.kill(child, self.signal)

    def judge(self, report, decisions):
        lost = report["lanes"][self.line.network_lane]["losses"]["unfit"]
        self.check(not self.times or lost >= self.times * VIEWS, "%d frames lost in %d times" % (lost, self.times))
        return self.wrong


class NetworkKilled(Network):
    name, length, signal = "network killed", 3., signal.SIGKILL


class NetworkHangs(Network):
    name, length, signal = "network hangs", 3. + NETWORK_MS / 1000, signal.SIGSTOP


class DiskFull(Fault):
    """No file may grow; decisions wait, and are written later."""
    name, length = "disk full", 4.

    def start(self):
        size = os.path.getsize(os.path.join(self.line.output, "decisions.jsonl"))
        self.said = self.line.count_said("can be written again")
        resource.prlimit(self.line.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def stop(self):
        waiting = self.line.report()["health"]["bytes_unsaved"]
        self.check(waiting > 0, "nothing waited for the disk")
        resource.prlimit(self.line.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def judge(self, report, decisions):
        self.check(report["written"]["lines_unwritten"] == 0, "%d lines are not written" %
                   report["written"]["lines_unwritten"])
        for said in "trying again each second", "can be written again":
            self.check(self.line.count_said(said) >= self.times, "\"%s\" was said %d times, not %d" % (
                said, self.line.count_said(said), self.times))
        return self.wrong


class Hammer(Fault):
    """Clients that ask again and again, for all there is."""
    name, length = "clients hammer", 4.
    PATHS = ("/metrics", "/report.json", "/pictures.json", "/")

    def __init__(self, line):
        super().__init__(line)
        self.answers, self.is_over = 0, threading.Event()

    def ask(self, n):
        while not self.is_over.wait(.04):
            path = self.PATHS[n % len(self.PATHS)]
            n += 1
            try:
                body = self.line.fetch(path)
                if path.endswith(".json"):
                    json.loads(body)
                elif path == "/metrics":
                    self.check(b"\nprocess_resident_memory_bytes " in body, "/metrics: %r" % body[-200:])
                self.answers += 1
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.wrong.append("%s: %s" % (path, error))

    def start(self):
        self.is_over.clear()
        self.threads = [threading.Thread(target=self.ask, args=(i,)) for i in range(4)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def judge(self, report, decisions):
        self.check(not self.times or self.answers > self.times * 10, "%d answers" % self.answers)
        return self.wrong


class Stall(Fault):
    """Clients that say nothing, or half of it, or do not read the answer: the page answers meanwhile and afterwards."""
    name, length = "clients stall", 5.

    def start(self):
        self.clients = []
        for i in range(80):
            client = socket.create_connection(("127.0.0.1", self.line.port))
            with contextlib.suppress(OSError):      # its place may have been taken
                client.sendall((b"", b"GET /pictures.js", b"GET /report.json HTTP/1.1\r\nHost: localhost\r\n\r\n")[i % 3])
            self.clients.append(client)
        self.fetch("while others wait")

    def fetch(self, when):
        try:
            self.line.fetch("/metrics")
        except OSError as error:
            self.wrong.append("the page does not answer %s: %s" % (when, error))

    def stop(self):
        for client in self.clients:
            client.close()
        self.fetch("afterwards")


class Failing(Fault):
    """Shapes cannot be computed: that costs frames, and lanes' pipelines are made anew. By failing.c, preloaded."""
    name, length = "backend fails", 3.
    LIBRARY = "tests/endurance/libfailing.so"

    @classmethod
    def prepare(cls, build, folder):
        """(library, variables), or None where it has not been built."""
        library = os.path.join(build, cls.LIBRARY)
        if not os.path.exists(library):
            return None
        cls.control = os.path.join(folder, "failing")
        with open(cls.control, "wb") as file:
            file.write(b"\0")
        return library, {"FAILING_CONTROL": cls.control}

    def set(self, every):
        with open(self.control, "r+b") as file, mmap.mmap(file.fileno(), 1) as page:
            page[0] = every

    def start(self):
        self.set(3)

    def stop(self):
        self.set(0)

    def judge(self, report, decisions):
        lanes = [lane for name, lane in report["lanes"].items() if name != self.line.network_lane]
        lost = sum(lane["losses"]["unfit"] for lane in lanes)
        # whose turn it is, and how often, is chance
        self.check(not self.times or lost >= VIEWS, "%d frames lost in %d times" % (lost, self.times))
        self.check(decisions.is_well_at_end(), "lanes without good pieces at the end")
        return self.wrong


class Clock(Fault):
    """The clock is stepped by hours, inside of the line only, by clock_steps.c of the line's tests, preloaded."""
    name, length = "clock stepped", 2.

    @classmethod
    def prepare(cls, build, folder):
        found = glob.glob(os.path.join(build, "tests/check/line/*clock*step*.so"))
        if not found:
            return None
        cls.folder = os.path.join(folder, "clock")
        os.mkdir(cls.folder)
        return found[0], {"CLOCK_STEPS": cls.folder}

    def start(self):
        # from then on it is stepped all the time
        write("", self.folder, "go")

    def judge(self, report, decisions):
        asked = os.path.join(self.folder, "asked")
        self.check(not self.times or os.path.exists(asked), "the library has not been at work")
        return self.wrong


# in the order in which they come
FAULTS = (Recipe, NetworkKilled, Hammer, DiskFull, NetworkHangs, Stall, Failing, Clock)
