# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of shapejsonenc leave the machine: published.py CUDASHAPES_PUBLISH FILES [TEST...]

A real mosquitto, eight streams in files that grow and files that follow each other, real pipelines, and what can go wrong:
publisher and broker killed, files cut short, disks full. Every line arrives, byte for byte, those of a source in order. Exits
with 77 where mosquitto or paho-mqtt is missing. On loopback only.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(sys.path[0] + "/../line")

import children
from broker import TIMEOUT, Broker, Process, Subscriber, run_with_broker, wait_for
from files import read, write

PROGRAM, FILES = sys.argv[1:3]
IN_FLIGHT = 20
STREAMS = 8
LINES_PER_FILE = 40


def write_config(folder, port, shapes="", publish=""):
    os.makedirs(os.path.join(folder, "out"), exist_ok=True)
    return write("[shapes]\nname=test\nfolder=out\n%s[publish]\nhost=127.0.0.1\nport=%d\nin-flight=%d\n%s" %
                 (shapes, port, IN_FLIGHT, publish), folder, "publish.ini")


def read_stream(folder, stream):
    """Whole lines of its files, in the order of their names; the test's own notion of a stream."""
    path = os.path.join(folder, "out", stream)
    return [line for name in sorted(os.listdir(path)) for line in read(path, name).split("\n")[:-1]]


def read_status(folder):
    path = os.path.join(folder, "out", "publisher.json")
    return json.loads(read(path)) if os.path.exists(path) else {"waiting_bytes": -1, "errors": 0}


def of_topic(subscriber, topic):
    return [line for line, one in zip(subscriber.lines, subscriber.topics) if one == topic]


class Cameras(threading.Thread):
    """Writes 30 lines a second to each stream until it is told to end, as pipelines would: the streams with odd numbers have a
    file that grows, the others a new one after some lines, and the last one no source."""

    def __init__(self, folder):
        super().__init__()
        self.written = [[] for _ in range(STREAMS)]
        self.folders = [os.path.join(folder, "out", "cam%d" % i) for i in range(STREAMS)]
        for path in self.folders:
            os.makedirs(path)
        self.is_ending = threading.Event()

    def make_line(self, stream, frame):
        line = {"version": 1, "frame": frame, "source": "café/%d" % stream, "shapes": [{"points": [[i + .5, frame] for i in
                range(frame % 300)]}]}
        if stream == STREAMS - 1:
            del line["source"]
        return json.dumps(line, ensure_ascii=False)

    def run(self):
        frame = 0
        while not self.is_ending.wait(1 / 30):
            for stream, path in enumerate(self.folders):
                name = "lines.jsonl" if stream % 2 else "2026-%06d.jsonl" % (frame // LINES_PER_FILE)
                line = self.make_line(stream, frame)
                with open(os.path.join(path, name), "ab", buffering=0) as file:
                    file.write(line.encode() + b"\n")
                self.written[stream].append(line)
            frame += 1

    def count(self):
        return sum(map(len, self.written))

    def end(self):
        self.is_ending.set()
        self.join()


def test_kills(folder):
    """The publisher is killed twice, the broker once."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port, "shapes/#")
    config = write_config(folder, broker.port)
    store = os.path.join(broker.store, "mosquitto.db")
    wait_for(lambda: os.path.exists(store), "the broker does not save")
    saved = os.path.getmtime(store)
    publisher = Process(PROGRAM, folder, config)
    cameras = Cameras(folder)
    cameras.start()

    def wait_for_more(what=subscriber.first):
        count = cameras.count() + 10 * IN_FLIGHT
        wait_for(lambda: len(what()) >= count, publisher.said)
    try:
        wait_for_more()
        publisher.kill()
        wait_for_more(lambda: sum(cameras.written, []))
        publisher = Process(PROGRAM, folder, config)
        wait_for_more()
        wait_for(lambda: os.path.getmtime(store) > saved, "the broker does not save")
        broker.end(signal.SIGKILL)
        publisher.wait_until_said("trying again until it works")
        wait_for_more(lambda: sum(cameras.written, []))
        broker.start()
        wait_for_more()
        publisher.kill()
        publisher = Process(PROGRAM, folder, config)
    finally:
        cameras.end()
    wait_for(lambda: len(subscriber.first()) >= cameras.count(), publisher.said)
    publisher.wait_until_said("connected")
    seconds = publisher.end()
    # the end of a publisher that had all acknowledged, or of the next one
    publisher = Process(PROGRAM, folder, config)
    wait_for(lambda: read_status(folder)["waiting_bytes"] == 0 and read_status(folder)["connected_since_ns"], "lines wait")
    status = read_status(folder)
    publisher.end()
    for stream, written in enumerate(cameras.written):
        topic = "shapes/cam%d" % stream if stream == STREAMS - 1 else "shapes/café/%d" % stream
        assert read_stream(folder, "cam%d" % stream) == written
        first = list(dict.fromkeys(of_topic(subscriber, topic)))
        assert first == written, (topic, len(first), len(written), set(written) - set(first))
        assert status["streams"]["cam%d" % stream]["lines"] == len(written) if stream % 2 else len(written) > LINES_PER_FILE
    duplicates = len(subscriber.lines) - cameras.count()
    # two kills and an end of the publisher, one of the broker
    assert 0 <= duplicates <= 4 * IN_FLIGHT, duplicates
    assert status["gaps"] == status["damaged"] == status["waiting_lines"] == 0, status
    assert "not published" not in read(publisher.log) and "any more" not in read(publisher.log), read(publisher.log)
    print("  %d lines of %d streams, %d duplicates, ended in %.2f s" % (cameras.count(), STREAMS, duplicates, seconds))
    subscriber.end()
    broker.end()


def run_pipeline(count, source, *sink):
    # its lines have the time of the day, as a camera's may
    subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", "num-buffers=%d" % count,
                    "timestamp-offset=%d" % time.time_ns(), "!",
                    "video/x-raw,format=GRAY8,width=64,height=48", "!", "cudacontours", "!", "shapejsonenc",
                    "source-id=" + source, "!", *sink], check=True, timeout=TIMEOUT)


def test_pipelines(folder):
    """What the standard sinks write, started again in each of the ways that the page names."""
    if not shutil.which("gst-launch-1.0"):
        print("  without pipelines: gst-launch-1.0 is missing")
        return
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port, "shapes/#")
    publisher = Process(PROGRAM, folder, write_config(folder, broker.port))
    paths = {name: os.path.join(folder, "out", name) for name in ("grows", "follow", "cut")}
    for path in paths.values():
        os.makedirs(path)
    for start in "12":
        run_pipeline(20, "grows", "filesink", "append=true", "buffer-mode=unbuffered", "location=" + paths["grows"] + "/a.jsonl")
        run_pipeline(20, "follow", "multifilesink", "next-file=max-size", "max-file-size=10000",
                     "location=%s/%s-%%06d.jsonl" % (paths["follow"], start))
    assert len(os.listdir(paths["follow"])) >= 6
    for name in "grows", "follow":
        written = read_stream(folder, name)
        assert len(written) == 40
        wait_for(lambda: len(of_topic(subscriber, "shapes/" + name)) >= len(written), publisher.said)
        assert of_topic(subscriber, "shapes/" + name) == written
    # without append=true a file is cut short, which is told; what was published before is not lost
    written = []
    for count in 20, 5, 30:
        run_pipeline(count, "cut", "filesink", "buffer-mode=unbuffered", "location=" + paths["cut"] + "/a.jsonl")
        written += read_stream(folder, "cut")
        wait_for(lambda: len(of_topic(subscriber, "shapes/cut")) >= len(written), publisher.said)
    assert of_topic(subscriber, "shapes/cut") == written and len(written) == 55
    publisher.wait_until_said("the file was truncated, or is another one; going on with a.jsonl")
    # one of the time before may say that nothing waits
    wait_for(lambda: read_status(folder)["acknowledged"] == len(subscriber.lines), publisher.said)
    publisher.end()
    status = read_status(folder)
    assert status["gaps"] == 2 and status["waiting_lines"] == 0, (status, publisher.said())
    subscriber.end()
    broker.end()


def write_stream(folder, stream, name, *lines):
    path = os.path.join(folder, "out", stream)
    os.makedirs(path, exist_ok=True)
    write("".join(line + "\n" for line in lines), path, name)
    return list(lines)


def make_lines(count, padding=100):
    return ['{"version":1,"frame":%d,"shapes":[],"padding":"%s"}' % (i, "x" * padding) for i in range(count)]


def test_full_disk(folder):
    """With no room for its state the publisher sends what may be repeated, and no more."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port, "shapes/#")
    config = write_config(folder, broker.port)
    written = write_stream(folder, "a", "a.jsonl", *make_lines(5 * IN_FLIGHT))
    publisher = Process(PROGRAM, folder, config,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY)))
    publisher.wait_until_said("nothing is published until that can be written")
    wait_for(lambda: read_status(folder)["errors"] >= 2, "it does not try again")
    assert subscriber.lines == written[:IN_FLIGHT]
    resource.prlimit(publisher.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    publisher.wait_until_said("can be written again")
    wait_for(lambda: len(subscriber.lines) >= len(written), publisher.said)
    publisher.end()
    assert subscriber.lines == written
    subscriber.end()
    broker.end()


def test_damaged(folder):
    """What is no line is told, with its file and number, and passed over; so is what is gone."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port, "shapes/#")
    config = write_config(folder, broker.port)
    first, second, third, fourth = make_lines(4)
    write_stream(folder, "a", "a.jsonl", first, "{", '{"source":"#"}', "", second, '{"source":1}')
    path = os.path.join(folder, "out", "a")
    with open(os.path.join(path, "a.jsonl"), "a", encoding="utf-8") as file:
        file.write(third[:20])
    write_stream(folder, "a", "b.jsonl", '{"a":"' + "x" * (1 << 24) + '"}', fourth)
    publisher = Process(PROGRAM, folder, config)
    wait_for(lambda: len(subscriber.lines) >= 3, publisher.said)
    wait_for(lambda: read_status(folder)["waiting_bytes"] == 0, publisher.said)
    assert subscriber.lines == [first, second, fourth]
    for text in ("a.jsonl:2: it is no JSON object", 'a.jsonl:3: its "source" makes no topic', "a.jsonl:4: it is no JSON object",
                 'a.jsonl:6: its "source" is no text', "a.jsonl:7: it has no end", "b.jsonl:1: it is too long"):
        assert text in publisher.said(), publisher.said()
    assert read_status(folder)["damaged"] == 6
    publisher.end()
    # while nobody publishes a file comes, and goes
    os.unlink(os.path.join(path, "b.jsonl"))
    write_stream(folder, "a", "c.jsonl", third)
    publisher = Process(PROGRAM, folder, config)
    publisher.wait_until_said("b.jsonl:3 and what follows it is not there any more; going on with c.jsonl")
    wait_for(lambda: len(subscriber.lines) >= 4, publisher.said)
    publisher.end()
    assert subscriber.lines[3] == third
    subscriber.end()
    broker.end()


def test_keep(folder):
    """Nothing is deleted before it is acknowledged; then the oldest files are."""
    broker = Broker(FILES, folder)
    subscriber = Subscriber(broker.port, "shapes/#")
    broker.end()
    config = write_config(folder, broker.port, "keep-mb=0.01\n")
    written = []
    for i in range(5):
        written += write_stream(folder, "a", "%d.jsonl" % i, *('{"frame":%d,"padding":"%s"}' % (10 * i + k, "x" * 400)
                                                               for k in range(10)))
    publisher = Process(PROGRAM, folder, config)
    publisher.wait_until_said("there are more lines than keep-mb says")
    assert len(os.listdir(os.path.join(folder, "out", "a"))) == 5
    broker.start()
    publisher.wait_until_said("2.jsonl: deleted, as keep-mb and keep-days say; all of it is acknowledged")
    publisher.wait_until_said("there are again as many lines as keep-mb says")
    wait_for(lambda: len(subscriber.lines) >= len(written), publisher.said)
    publisher.end()
    assert read_status(folder)["deleted_files"] == 3
    assert subscriber.lines == written and read_stream(folder, "a") == written[30:]
    subscriber.end()
    broker.end()


def expect_error(folder, message, *arguments):
    one = Process(PROGRAM, folder, *arguments)
    assert one.process.wait(TIMEOUT) == 1 and message in one.said(), one.said()


def test_start(folder):
    """What stops a publisher from starting, and what does not."""
    port = children.find_port()
    config = write_config(folder, port)
    check = subprocess.run([PROGRAM, "--check", config], capture_output=True, text=True, timeout=TIMEOUT)
    assert check.returncode == 0 and check.stdout == config + ": good\n", check
    assert os.listdir(os.path.join(folder, "out")) == []
    publisher = Process(PROGRAM, folder, config)
    publisher.wait_until_said("trying again until it works")
    expect_error(folder, "another publisher has this folder", config)
    # a stream that begins later
    lines = write_stream(folder, "a", "a.jsonl", *make_lines(3))
    wait_for(lambda: read_status(folder).get("waiting_lines") == 3, publisher.said)
    assert read_status(folder)["waiting_bytes"] == sum(len(line) + 1 for line in lines)
    assert publisher.said().count("trying again") == 1, publisher.said()
    publisher.end()
    state = os.path.join(folder, "out", "publisher.state")
    for text in "{}", "\0" * 100, read(state)[:50] if os.path.exists(state) else "{":
        write(text, state)
        expect_error(folder, "publisher.state is damaged: correct it, or move it away", config)
        assert read(state) == text
    os.unlink(state)
    secret = write("secret\n", folder, "password")
    os.chmod(secret, 0o644)
    expect_error(folder, "others than its owner may use it", write_config(folder, port, publish="username=a\n"
                                                                          "password-file=password\n"))
    expect_error(folder, "publish.ini:8: unknown key \"x\"", write_config(folder, port, publish="x=1\n"))
    expect_error(folder, "No such file", os.path.join(folder, "missing.ini"))
    usage = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=TIMEOUT)
    assert usage.returncode == 2 and "CONFIG" in usage.stderr, usage


if __name__ == "__main__":
    run_with_broker([test_kills, test_pipelines, test_keep, test_full_disk, test_damaged, test_start])
