# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real mosquitto, who subscribes there, and programs in the background, for tests of publishers."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import children
from files import read, write
from running import run_tests

TIMEOUT = 60
MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

try:
    import paho.mqtt.client as mqtt
except ImportError:
    mqtt = None


def wait_for(what, why):
    children.wait_until(what, TIMEOUT, why)


class Broker:
    """Mosquitto with the shipped configuration, which is in files, at a port of its own."""

    def __init__(self, files, folder, more=""):
        self.port = children.find_port()
        self.store = os.path.join(folder, "broker") + "/"
        self.log = os.path.join(folder, "broker.log")
        os.mkdir(self.store)
        text = read(files, "mosquitto.conf")
        assert "listener 1883 127.0.0.1\n" in text and "persistence_location /var/lib/mosquitto/\n" in text
        text = text.replace("listener 1883 ", "listener %d " % self.port).replace("/var/lib/mosquitto/", self.store)
        # who becomes another user does not end with the test
        self.config = write(text + more + "user root\n", folder, "mosquitto.conf")
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = children.start([MOSQUITTO, "-c", self.config], stdout=log, stderr=log)
        wait_for(self.answers, lambda: "mosquitto does not listen: " + read(self.log))

    def answers(self):
        assert self.process.poll() is None, read(self.log)
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(TIMEOUT)


class Subscriber:
    """What arrives, in order; topics beside it. Its session outlives the broker."""

    def __init__(self, port, topic="fruit-line/#", name="archive"):
        self.lines, self.topics = [], []
        self.ready = threading.Event()
        self.client = mqtt.Client(client_id=name, clean_session=False)
        self.client.on_connect = lambda client, *_: client.subscribe(topic, qos=1)
        self.client.on_subscribe = lambda *_: self.ready.set()
        self.client.on_message = self.add
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port, keepalive=10)
        self.client.loop_start()
        assert self.ready.wait(TIMEOUT), "no subscription"

    def add(self, _client, _user, message):
        self.lines.append(message.payload.decode())
        self.topics.append(message.topic)

    def end(self):
        self.client.disconnect()
        self.client.loop_stop()

    def first(self):
        """First arrivals, in order."""
        return list(dict.fromkeys(self.lines))


class Process:
    """The program in the background; what it says in a file."""

    def __init__(self, program, folder, *arguments, **popen):
        self.log = os.path.join(folder, "%s.log" % arguments[0])
        self.begin = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = children.start([program, *arguments], stdout=log, stderr=log, **popen)

    def said(self):
        return read(self.log)[self.begin:]

    def has_said(self, text):
        ended = self.process.poll() is not None
        assert text in self.said() or not ended, "ended without %s: %s" % (text, self.said())
        return text in self.said()

    def wait_until_said(self, text):
        wait_for(lambda: self.has_said(text), lambda: "not said: %s\n%s" % (text, self.said()))

    def kill(self):
        assert self.process.poll() is None, self.said()
        self.process.kill()
        self.process.wait(TIMEOUT)

    def end(self, status=0):
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.terminate()
        assert self.process.wait(TIMEOUT) == status, self.said()
        return time.monotonic() - begin


def run_all(tests):
    """All at once: they wait most of the time."""
    running = {test.__name__: children.start([sys.executable, *sys.argv[:3], test.__name__], stdout=subprocess.PIPE,
                                             stderr=subprocess.STDOUT, text=True) for test in tests}
    for process in running.values():
        print(process.communicate()[0], end="", flush=True)
    wrong = [name for name, process in running.items() if process.returncode != 0]
    if wrong:
        sys.exit("failed: " + ", ".join(wrong))


def run_with_broker(tests):
    """The main program of PROGRAM FILES [TEST...]: those, or all of @tests, each in a folder of its own."""
    if not MOSQUITTO or not mqtt:
        print("needs mosquitto and paho-mqtt (Debian: mosquitto, python3-paho-mqtt)")
        sys.exit(77)
    if len(sys.argv) == 3:
        run_all(tests)
    else:
        run_tests(tests)
