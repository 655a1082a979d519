# SPDX-License-Identifier: LGPL-2.1-or-later
"""A line that is watched from outside: its process, files and page."""
import glob
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "..", "pipelines", "line")
VIEWS, CUPS = 4, 5
TIMEOUT = 60
NETWORK_MS = 1000       # that the network's child has for a picture


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def write(text, *names):
    """Whole or not at all, for others read it at any time."""
    path = os.path.join(*names)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
    return path


def processes():
    """(pid, parent, state) of all."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = read("/proc", name, "stat").rpartition(")")[2].split()
            except OSError:
                continue
            yield int(name), int(fields[1]), fields[0]


class Line:
    """fruit-line with lanes that are simulated; every other one gets its triggers in bursts, and the last one has its tensors
    from a child process. preloads: libraries; env: variables of theirs; plant: a Plant, which it talks to."""

    def __init__(self, build, folder, lanes, rate, deadline_ms, preloads=(), env=None, plant=None):
        self.folder, self.runs, self.rate, self.plant = folder, os.path.join(folder, "runs"), rate, plant
        self.recipe = read(FILES, "apricot.ini")
        write(self.recipe, folder, "apricot.ini")
        self.lanes = ["lane%d" % (i + 1) for i in range(lanes)]
        self.network_lane = self.lanes[-1]
        self.config = write(self.configure(deadline_ms), folder, "line.ini")
        environment = dict(os.environ, GST_PLUGIN_PATH=os.path.join(build, "gst"),
                           GST_REGISTRY=os.path.join(folder, "registry"), GST_REGISTRY_FORK="no", **(env or {}))
        if preloads:
            environment["LD_PRELOAD"] = ":".join(preloads)
        self.begin, self.said = time.monotonic(), []
        self.process = subprocess.Popen(
            [os.path.join(build, "pipelines", "line", "fruit-line"), "run", self.config, "--port", "0"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()
        self.port = self.find_port()
        # a run's folder is named for its time
        self.output = glob.glob(os.path.join(self.runs, "*", "decisions.jsonl"))[0].rpartition("/")[0]

    def configure(self, deadline_ms):
        text = read(FILES, "line1.ini").split("[lane ")[0]
        text = re.sub("output=.*", "output=runs", text)
        text = re.sub("deadline-ms=.*", "deadline-ms=%d" % deadline_ms, text)
        text = re.sub("triggers-per-second=.*", "triggers-per-second=%g" % self.rate, text)
        text += self.plant.config if self.plant else ""
        for i, name in enumerate(self.lanes):
            text += "[lane %s]\nsource=simulate\nseed=%d\ntriggers=0\nempty=0.05\nburst=%d\n" % (
                name, i + 1, 10 if i % 2 == 0 and name != self.network_lane else 0)
        return text + "network=%s %s\nnetwork-timeout-ms=%d\n" % (
            sys.executable, os.path.join(HERE, "network.py"), NETWORK_MS)

    def listen(self):
        for text in self.process.stderr:
            self.said.append((time.monotonic() - self.begin, text.rstrip("\n")))

    def find_port(self):
        for _ in range(TIMEOUT * 20):
            for _, text in list(self.said):
                if found := re.search(r"http://127\.0\.0\.1:([0-9]+)/", text):
                    return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(.05)
        raise SystemExit("the line does not start: %s" % "\n".join(text for _, text in self.said))

    def get_time(self):
        return time.monotonic() - self.begin

    def count_said(self, what):
        return sum(what in text for _, text in list(self.said))

    def is_alive(self):
        return self.process.poll() is None

    def children(self):
        return [pid for pid, parent, state in processes() if parent == self.pid and state != "Z"]

    def measure(self):
        """Memory in kB, descriptors, threads and seconds of processors' time, as the kernel counts them."""
        status = dict(row.split(":\t", 1) for row in read("/proc", str(self.pid), "status").splitlines())
        times = read("/proc", str(self.pid), "stat").rpartition(")")[2].split()[11:13]
        return {"rss_kb": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                "descriptors": len(os.listdir("/proc/%d/fd" % self.pid)),
                "cpu_s": sum(map(int, times)) / os.sysconf("SC_CLK_TCK")}

    def heartbeat_age(self):
        """By the file's time, for a clock may be stepped inside of the line."""
        return time.time() - os.stat(os.path.join(self.output, "heartbeat")).st_mtime

    def fetch(self, path, timeout=TIMEOUT):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise OSError("%s: %d" % (path, answer.status))
            return body
        finally:
            connection.close()

    def report(self):
        return json.loads(self.fetch("/report.json"))

    def end(self):
        """The exit status and the report."""
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return "it does not end", None
        path = os.path.join(self.output, "report.json")
        return self.process.returncode, json.loads(read(path)) if os.path.exists(path) else None
