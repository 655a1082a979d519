# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decisions leave the machine: publish.py FRUIT_LINE FILES

A real mosquitto with the shipped configuration, a running line, and what can go
wrong: broker and publisher killed, disks full, lines refused. Every line
arrives, first arrivals in order; duplicates are no more than were on their way.
Exits with 77 where mosquitto or paho-mqtt is missing. On loopback only.
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import children
import nothing
from broker import TIMEOUT, Broker, Process, Subscriber, run_with_broker, wait_for
from files import read, write

PROGRAM, FILES = sys.argv[1:3]
IN_FLIGHT = 20


def write_secret(text, *names):
    """As its owner should have it; others make the publisher refuse it."""
    path = write(text, *names)
    os.chmod(path, 0o600)
    return path


GEOMETRY = "[geometry]\ncolumns=64\nrows=16\nmm-per-pixel=5\ncups=1\ncup-first=31\ncup-pitch=62\ntilt=-45;-15;15;45\n"
VIEWS, VIEW_SIZE = 4, 64 * 16 * 12 * 4


def write_line(folder, port, keys="", publish="", lanes=2):
    """A line of small views of nothing, ten pieces a second in each lane, that needs next to no time."""
    text = "[line]\nname=line1\nrecipe=apricot.ini\noutput=fruit-line-output\ndeadline-ms=200\npictures=0\n" + keys + GEOMETRY
    for i in range(lanes):
        text += "[lane lane%d]\nsource=replay\nlocation=tensors\n" % (i + 1)
    text += "[publish]\nhost=127.0.0.1\nport=%d\nin-flight=%d\n%s\n" % (port, IN_FLIGHT, publish)
    # more than any test takes
    nothing.write(os.path.join(folder, "tensors"), 5000, VIEWS, VIEW_SIZE)
    recipe = nothing.permit(read(FILES, "apricot.ini")).replace("min-looks=10", "min-looks=1")
    write(recipe.replace("min-area=1\n", "min-area=0.1\n"), folder, "apricot.ini")
    return write(text, folder, "line.ini")


def find_runs(folder):
    output = os.path.join(folder, "fruit-line-output")
    names = sorted(name for name in os.listdir(output) if name[0] == "2") if os.path.isdir(output) else []
    return [os.path.join(output, name) for name in names]


def read_spool(folder):
    """All decisions of all runs, in order; the test's own notion of a spool."""
    lines = []
    for run in find_runs(folder):
        for name in sorted(os.listdir(run)):
            if name.startswith("decisions"):
                lines += read(run, name).split("\n")[:-1]
    return lines


def read_status(folder):
    path = os.path.join(folder, "fruit-line-output", "publisher.json")
    return json.loads(read(path)) if os.path.exists(path) else {"waiting_lines": -1}


def check_arrivals(subscriber, written, disturbances):
    first = subscriber.first()
    assert first == written, (len(first), len(written), set(written) - set(first))
    duplicates = len(subscriber.lines) - len(first)
    assert duplicates <= disturbances * IN_FLIGHT, duplicates
    # by what the promise says they are recognised
    keys = {(d["line"], d["lane"], d["piece"], d["t_trigger_ns"]) for d in map(json.loads, first)}
    assert len(keys) == len(first)
    for line, topic in zip(subscriber.lines, subscriber.topics):
        decision = json.loads(line)
        assert topic == "fruit-line/%s/%s" % (decision["line"], decision["lane"]), topic
    return duplicates


def test_kills(folder):
    """The publisher killed twice, the broker once, two runs: every line arrives, and the line takes no notice."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port)
    config = write_line(folder, broker.port, "segment-mb=0.03\n", lanes=4)
    store = os.path.join(broker.store, "mosquitto.db")
    wait_for(lambda: os.path.exists(store), "the broker does not save")
    saved = os.path.getmtime(store)
    publisher = Process(PROGRAM, folder, "publish", config)
    line = Process(PROGRAM, folder, "run", config, "--seconds", "1000")
    wait_for(lambda: len(subscriber.lines) >= 20, "nothing arrives")
    publisher.kill()
    # more than one that is killed may have sent twice
    count = len(read_spool(folder)) + 2 * IN_FLIGHT
    wait_for(lambda: len(read_spool(folder)) >= count, "the line waits")
    publisher = Process(PROGRAM, folder, "publish", config)
    count = len(read_spool(folder))
    wait_for(lambda: len(subscriber.first()) >= count + 10, "no more arrives")
    # the subscriber's session is on the disk
    wait_for(lambda: os.path.getmtime(store) > saved, "the broker does not save")
    broker.end(signal.SIGKILL)
    publisher.wait_until_said("trying again until it works")
    count = len(read_spool(folder)) + 2 * IN_FLIGHT
    wait_for(lambda: len(read_spool(folder)) >= count, "the line waits for the broker")
    broker.start()
    count = len(read_spool(folder))
    wait_for(lambda: len(subscriber.first()) >= count + 10, "no more arrives after the broker's end")
    publisher.kill()
    # a second run, while nobody publishes
    assert line.end() < TIMEOUT
    line = Process(PROGRAM, folder, "run", config, "--seconds", "3")
    publisher = Process(PROGRAM, folder, "publish", config)
    assert line.process.wait(TIMEOUT) == 0, line.said()
    runs = find_runs(folder)
    written = read_spool(folder)
    wait_for(lambda: len(subscriber.first()) >= len(written), lambda: publisher.said())
    wait_for(lambda: read_status(folder)["waiting_lines"] == 0, "lines wait")
    status = read_status(folder)
    assert status["waiting_bytes"] == 0 and status["connected_since_ns"] and status["reconnects"] == 0, status
    seconds = publisher.end()
    duplicates = check_arrivals(subscriber, written, 3)
    assert len(runs) == 2 and len([name for name in os.listdir(runs[0]) if name.startswith("decisions-")]) >= 2
    lost = frames = 0
    for run in runs:
        report = json.loads(read(run, "report.json"))
        assert report["adds_up"] and report["written"]["lines_unwritten"] == 0, report["written"]
        lost += report["total"]["frames"]["lost"]
        frames += report["total"]["triggers"] * 4
    print("  %d lines, %d duplicates, publisher ended in %.2f s, the line: %d of %d frames lost" %
          (len(written), duplicates, seconds, lost, frames))
    subscriber.end()
    broker.end()
    # sessions that outlive a connection: what is on its way is known to the broker
    sessions = re.findall(r" as (\S+) \(p\d, c(\d)", read(broker.log))
    ours = [clean for name, clean in sessions if name != "archive"]
    assert len(ours) >= 4 and set(ours) == {"0"}, sessions


def test_full_disks(folder):
    """The line's disk is full in the middle of a line, then the publisher's; then there is room."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port)
    config = write_line(folder, broker.port)
    most = 20000
    line = Process(PROGRAM, folder, "run", config, "--seconds", "1000",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY)))
    line.wait_until_said("trying again each second")
    whole = read_spool(folder)
    path = os.path.join(find_runs(folder)[0], "decisions.jsonl")
    assert os.path.getsize(path) == most and not read(path).endswith("\n") and len(whole) >= 3
    # with no room for its state (1 KiB; what it says has less) it sends what may be repeated, and no more
    publisher = Process(PROGRAM, folder, "publish", config,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY)))
    publisher.wait_until_said("nothing is published until that can be written")
    wait_for(lambda: len(subscriber.lines) >= len(whole), "whole lines do not arrive")
    assert subscriber.lines == whole[:IN_FLIGHT]
    resource.prlimit(line.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    line.wait_until_said("can be written again")
    # the publisher knows of them, and sends none
    wait_for(lambda: read_status(folder)["waiting_lines"] >= len(whole) + 2 * IN_FLIGHT, lambda: read_status(folder))
    assert len(subscriber.lines) <= IN_FLIGHT
    resource.prlimit(publisher.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    publisher.wait_until_said("can be written again")
    line.end()
    written = read_spool(folder)
    wait_for(lambda: len(subscriber.first()) >= len(written), "not all arrives")
    publisher.end()
    assert check_arrivals(subscriber, written, 0) == 0
    report = json.loads(read(find_runs(folder)[0], "report.json"))
    assert report["adds_up"] and report["written"]["lines_unwritten"] == 0 and report["written"]["lines"] == len(written)
    subscriber.end()
    broker.end()


def read_metrics(url):
    with urllib.request.urlopen(url + "metrics", timeout=TIMEOUT) as answer:
        return dict(one.rsplit(" ", 1) for one in answer.read().decode().splitlines() if one.startswith("fruit_line_"))


def test_keep(folder):
    """The oldest decisions are deleted, but not before they are acknowledged."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port)
    config = write_line(folder, broker.port, "segment-mb=0.01\nkeep-mb=0.03\n", lanes=4)
    line = Process(PROGRAM, folder, "run", config, "--seconds", "1000", "--port", "0")
    line.wait_until_said("are not acknowledged: they are kept")
    run = find_runs(folder)[0]
    assert os.path.exists(os.path.join(run, "decisions-000001.jsonl")) and "deleted" not in line.said()
    kept = read_spool(folder)
    publisher = Process(PROGRAM, folder, "publish", config)
    line.wait_until_said("decisions-000001.jsonl: deleted, as keep-mb and keep-days say; all of it is acknowledged")
    line.wait_until_said("decisions are again as keep-mb and keep-days say")
    url = re.search(r"http://[0-9.:]+/", line.said())[0]
    # a status is none after 5 seconds, which a busy machine may take for the next one
    wait_for(lambda: read_metrics(url)["fruit_line_publisher_up"] == "1", "the publisher tells nothing")
    metrics = read_metrics(url)
    assert int(metrics["fruit_line_deleted_files_total"]) >= 1
    assert int(metrics["fruit_line_acknowledged_total"]) >= len(kept) - IN_FLIGHT
    wait_for(lambda: read_metrics(url)["fruit_line_publisher_connected"] == "1", "the publisher has no connection")
    line.end()
    rest = read_spool(folder)
    wait_for(lambda: rest[-1] in subscriber.lines, "not all arrives")
    publisher.end()
    report = json.loads(read(run, "report.json"))
    deleted = report["written"]["deleted_files"]
    assert deleted >= 1 and report["written"]["deleted_bytes"] >= deleted * 10000
    assert not any(os.path.exists(os.path.join(run, "decisions-%06d.jsonl" % (i + 1))) for i in range(deleted))
    # the subscriber has what is deleted
    assert len(subscriber.lines) == report["written"]["lines"] and subscriber.lines[:len(kept)] == kept
    assert subscriber.lines[-len(rest):] == rest
    subscriber.end()
    broker.end()


def write_runs(folder, *counts):
    """Finished runs without a line: names of their times, lines as they might be."""
    lines = []
    for n, count in enumerate(counts):
        run = os.path.join(folder, "fruit-line-output", "2026-01-02T03-04-%02dZ" % n)
        os.makedirs(run)
        mine = ['{"schema":"fruit-line/2","line":"line1","lane":"lane1","piece":%d,"t_trigger_ns":%d,"padding":"%s"}' %
                (i, n * 10**12 + i, "x" * 1500) for i in range(count)]
        write("".join(one + "\n" for one in mine), run, "decisions.jsonl")
        lines += mine
    return lines


def test_refusals(folder):
    """Wrong passwords and lines that the broker denies are told, not lost; TLS."""
    if not shutil.which("openssl"):
        print("  without TLS: openssl is missing")
        return
    def run_quietly(*words):
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    run_quietly("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "broker.key", "-out", "broker.crt")
    os.chmod(os.path.join(folder, "broker.key"), 0o644)
    run_quietly("mosquitto_passwd", "-b", "-c", "passwords", "line", "secret")
    os.chmod(os.path.join(folder, "passwords"), 0o644)
    tls = children.find_port()
    acl = write("topic read #\nuser line\ntopic write other/#\n", folder, "acl")
    more = "acl_file %s\nlistener %d 127.0.0.1\ncertfile %s/broker.crt\nkeyfile %s/broker.key\npassword_file %s/passwords\n"
    broker = Broker(FILES, folder, more % (acl, tls, folder, folder, folder))
    subscriber = Subscriber(broker.port)
    lines = write_runs(folder, 30, 0, 25)
    publish = "username=line\npassword-file=password\nca-file=broker.crt\n"
    config = write_line(folder, tls, "", publish)
    write_secret("wrong\n", folder, "password")
    publisher = Process(PROGRAM, folder, "publish", config)
    publisher.wait_until_said("the broker refuses the connection: Not authorized")
    publisher.end()
    write("secret\n", folder, "password")
    publisher = Process(PROGRAM, folder, "publish", config)
    # mosquitto 2.0.11 may end the connection before the reason is read
    wait_for(lambda: "the broker refuses a line: Not authorized" in publisher.said() or
             "may this user publish to the topic?" in publisher.said(), publisher.said)
    assert not subscriber.lines
    write("topic read #\nuser line\ntopic write fruit-line/#\n", folder, "acl")
    broker.process.send_signal(signal.SIGHUP)
    wait_for(lambda: len(subscriber.lines) >= len(lines), publisher.said)
    assert publisher.said().count("refuses a line") <= 1, publisher.said()
    publisher.end()
    assert subscriber.first() == lines
    subscriber.end()
    broker.end()


def test_start(folder):
    """What stops a publisher from starting, and what does not."""
    port = children.find_port()
    lines = write_runs(folder, 3)
    config = write_line(folder, port)
    # no broker: it waits, says so once, and ends at once
    publisher = Process(PROGRAM, folder, "publish", config)
    publisher.wait_until_said("trying again until it works")
    second = Process(PROGRAM, folder, "publish", config)
    assert second.process.wait(TIMEOUT) == 1 and "another publisher has this folder" in second.said()
    wait_for(lambda: read_status(folder)["waiting_lines"] == len(lines) and read_status(folder)["errors"] >= 2,
             lambda: read_status(folder))
    status = read_status(folder)
    assert status["waiting_bytes"] == sum(len(line) + 1 for line in lines), status
    assert status["connected_since_ns"] is None and "refused" in status["last_error"].lower(), status
    assert publisher.said().count("trying again") == 1, publisher.said()
    publisher.end()
    # one that takes connections and says nothing
    with socket.create_server(("127.0.0.1", port)) as server:
        server.settimeout(TIMEOUT)
        publisher = Process(PROGRAM, folder, "publish", config)
        silent = server.accept()[0]
        assert silent.recv(1) == b"\x10", "no CONNECT"
        print("  with a broker that is silent: ended in %.2f s" % publisher.end())
        silent.close()
    state = os.path.join(folder, "fruit-line-output", "publisher.state")
    for text, message in (("{}", "publisher.state is damaged"), ("\0" * 100, "publisher.state is damaged"),
                          ('{"schema":"fruit-line-publisher-state/1","line":"line2","run":"","segment":0,"offset":0,"lines":0}',
                           'publisher.state is that of line "line2", not of "line1"')):
        write(text, state)
        publisher = Process(PROGRAM, folder, "publish", config)
        assert publisher.process.wait(TIMEOUT) == 1 and message in publisher.said(), publisher.said()
        assert read(state) == text
    os.unlink(state)
    config = write_line(folder, port, publish="username=a\npassword-file=missing\n")
    publisher = Process(PROGRAM, folder, "publish", config)
    assert publisher.process.wait(TIMEOUT) == 1 and "missing" in publisher.said(), publisher.said()
    config = write(read(config).split("[publish]")[0], folder, "line.ini")
    publisher = Process(PROGRAM, folder, "publish", config)
    assert publisher.process.wait(TIMEOUT) == 1 and "has no group [publish]" in publisher.said(), publisher.said()


if __name__ == "__main__":
    run_with_broker([test_kills, test_keep, test_full_disks, test_refusals, test_start])
