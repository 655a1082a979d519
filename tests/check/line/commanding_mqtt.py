# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands to a line by a broker: commanding_mqtt.py FRUIT_LINE FILES [TEST...]

A real mosquitto, somebody else's client, a running line and its publisher. What is answered is compared with the line's log.
"""

import json
import os
import queue
import signal
import subprocess
import sys

import children
from broker import MOSQUITTO, TIMEOUT, Broker, Process, mqtt, wait_for
from commanding import ANNA, Line, read_commands
from files import read, write
from running import run_tests

PROGRAM, FILES = sys.argv[1:3]
TOPIC = "fruit-line/test/command"


class Master:
    """Who gives commands: sends at QoS 1, and has all answers in order."""

    def __init__(self, port, name="master"):
        self.answers = queue.Queue()
        ready = queue.Queue()
        self.client = mqtt.Client(client_id=name)
        self.client.username_pw_set(name, name)
        self.client.on_connect = lambda client, *_: client.subscribe(TOPIC + "/answer", qos=1)
        self.client.on_subscribe = lambda *_: ready.put(None)
        self.client.on_message = lambda client, user, message: self.answers.put(message)
        self.client.connect("127.0.0.1", port, keepalive=10)
        self.client.loop_start()
        ready.get(timeout=TIMEOUT)

    def send(self, what, retain=False):
        text = what if isinstance(what, (str, bytes)) else json.dumps(what)
        self.client.publish(TOPIC, text, qos=1, retain=retain).wait_for_publish(TIMEOUT)

    def answer(self):
        message = self.answers.get(timeout=TIMEOUT)
        assert not message.retain
        return json.loads(message.payload)

    def ask(self, what):
        self.send(what)
        return self.answer()

    def end(self):
        self.client.disconnect()
        self.client.loop_stop()


def start(folder, more="", rights=""):
    """Broker, line, publisher, master."""
    broker, port = Broker(FILES, folder, rights), children.find_port()
    write(ANNA + "\n", folder, "token")
    os.chmod(os.path.join(folder, "token"), 0o600)
    publish = "[publish]\nhost=127.0.0.1\nport=%d\ncommand-topic=%s\ncommand-token-file=token\n%s" % (broker.port, TOPIC, more)
    line = Line(folder, keys="token-file=tokens\nport=%d\n" % port, more=publish, output=False, port=port)
    publisher = Process(PROGRAM, folder, "publish", line.config)
    publisher.wait_until_said("commands by %s: ready" % TOPIC)
    return broker, line, publisher, Master(broker.port)


def count(folder):
    path = os.path.join(folder, "out", "commands.jsonl")
    return len(read_commands(os.path.join(folder, "out"))) if os.path.exists(path) else 0


def check_commands(folder, more):
    broker, line, publisher, master = start(folder, more)
    answer = master.ask({"do": "recipe", "recipe": "small", "ref": 7})
    assert answer["ref"] == 7 and answer["answer"] == "done" and answer["id"] == 1, answer
    assert {lane["recipe"] for lane in answer["in_force"]["lanes"].values()} == {"small"}, answer
    entry = read_commands(os.path.join(folder, "out"))[1]
    assert entry["who"] == "anna" and entry["asked"] == {"do": "recipe", "recipe": "small"}, entry
    # the same once more: the same answer, and nothing else
    assert master.ask({"do": "recipe", "recipe": "small", "ref": 7}) == answer and count(folder) == 1
    answer = master.ask({"do": "recipe", "recipe": "none", "ref": "x"})
    assert answer["ref"] == "x" and answer["answer"] == "refused" and "none.ini" in answer["why"], answer
    answer = master.ask({"do": "lot-begin", "lot": "L"})
    assert answer["ref"] is None and answer["answer"] == "done", answer
    # without a ref it is another one
    answer = master.ask({"do": "lot-begin", "lot": "L"})
    assert answer["answer"] == "refused" and "there was a lot" in answer["why"], answer
    n = count(folder)
    for what in "", "{", "[]", b"\xff\0", "x" * 5000, {"do": "reload", "ref": [1]}, {"do": "reload", "ref": "r" * 65}:
        assert master.ask(what)["answer"] == "refused", what
    assert count(folder) == n and master.ask({"do": "fly", "ref": 1})["answer"] == "refused"
    publisher.end()
    master.end()
    line.end()
    broker.end()


def test_commands(folder):
    """Carried out, answered; twice, once; what is none."""
    check_commands(folder, "")


def test_old_protocol(folder):
    check_commands(folder, "mqtt-version=3\n")


def test_old_commands(folder):
    """What is retained, or came while nobody was there, is not carried out; decisions are."""
    broker, line, publisher, master = start(folder)
    publisher.end()
    master.send({"do": "reload", "ref": 1})
    master.send({"do": "recipe", "recipe": "small", "ref": 2}, retain=True)
    publisher = Process(PROGRAM, folder, "publish", line.config)
    publisher.wait_until_said("commands by %s: ready" % TOPIC)
    assert master.ask({"do": "recipe", "recipe": "large", "ref": 3})["ref"] == 3
    broker.end(signal.SIGKILL)
    publisher.wait_until_said("the connection is lost")
    broker.start()
    wait_for(lambda: publisher.said().count("commands by %s: ready" % TOPIC) == 2, publisher.said)
    master.end()
    master = Master(broker.port)
    answer = master.ask({"do": "recipe", "recipe": "small", "ref": 4})
    assert answer["ref"] == 4 and answer["id"] == 2, answer
    publisher.end()
    master.end()
    line.end()
    broker.end()


def test_rights(folder):
    """With the access list of the manual only the master gives commands."""
    manual = read(FILES, "..", "..", "docs", "publishing.md").split("### Commands")[1]
    rules = manual.split("```text\n")[1].split("```")[0].replace("fruit-line/line1/command", TOPIC)
    acl, passwords = write(rules + "user stranger\ntopic read #\n", folder, "acl"), os.path.join(folder, "passwords")
    write("", folder, "passwords")
    for name in "publisher", "master", "stranger":
        subprocess.run(["mosquitto_passwd", "-b", passwords, name, name], check=True)
    os.chmod(write("publisher\n", folder, "password"), 0o600)
    broker, line, publisher, master = start(folder, "username=publisher\npassword-file=password\n",
                                            "acl_file %s\npassword_file %s\n" % (acl, passwords))
    stranger = Master(broker.port, "stranger")
    stranger.send({"do": "reload", "ref": 1})
    # the publisher's decisions arrive as before
    wait_for(lambda: read_published(line) > 5, "no decision is acknowledged")
    answer = master.ask({"do": "reload", "ref": 2})
    assert answer["ref"] == 2 and answer["id"] == 1 and count(folder) == 1, answer
    assert stranger.answer() == answer
    for one in stranger, master:
        one.end()
    publisher.end()
    line.end()
    broker.end()


def read_published(line):
    path = os.path.join(line.folder, "out", "publisher.json")
    return json.loads(read(path))["acknowledged"] if os.path.exists(path) else 0


def test_no_line(folder):
    """A line that is not there, that does not know the token; then it is there."""
    broker, line, publisher, master = start(folder)
    line.end()
    answer = master.ask({"do": "reload", "ref": 5})
    assert answer["ref"] == 5 and answer["answer"] == "refused" and "does not answer" in answer["why"], answer
    write("x" * 32 + "\n", folder, "token")
    line = Line(folder, keys=line_keys(line), more=line_more(line), output=False, port=line.port)
    answer = master.ask({"do": "reload", "ref": 6})
    assert answer["answer"] == "refused" and answer["why"].startswith("401"), answer
    write(ANNA + "\n", folder, "token")
    os.chmod(os.path.join(folder, "token"), 0o644)
    answer = master.ask({"do": "reload", "ref": 8})
    assert answer["answer"] == "refused" and "chmod 600" in answer["why"] and ANNA not in answer["why"], answer
    os.chmod(os.path.join(folder, "token"), 0o600)
    # it was not sent: the same ref may be
    assert master.ask({"do": "reload", "ref": 5})["answer"] == "done"
    line.process.send_signal(signal.SIGSTOP)
    for i in range(12):
        master.send({"do": "reload", "ref": 100 + i})
    first = [master.answer() for _ in range(3)]
    assert {answer["answer"] for answer in first} == {"busy"}, first
    line.process.send_signal(signal.SIGCONT)
    rest = [master.answer() for _ in range(9)]
    # the first may have been waiting still when the ninth came
    assert [answer["answer"] for answer in rest].count("done") >= 8, rest
    assert sorted(answer["ref"] for answer in first + rest) == list(range(100, 112))
    publisher.end()
    master.end()
    line.end()
    broker.end()


def line_keys(line):
    return "token-file=tokens\nport=%d\n" % line.port


def line_more(line):
    with open(line.config, encoding="utf-8") as file:
        return "[publish]" + file.read().split("[publish]")[1]


TESTS = test_commands, test_old_protocol, test_old_commands, test_rights, test_no_line


if __name__ == "__main__":
    if not MOSQUITTO or not mqtt:
        print("needs mosquitto and paho-mqtt (Debian: mosquitto, python3-paho-mqtt)")
        sys.exit(77)
    run_tests(TESTS)
