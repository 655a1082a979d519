# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras: gige.py FRUIT_LINE FILES NUMBER_NETWORK SKIN_NETWORK [FAKE_CAMERAS]

Real GigE Vision on loopback, sent by libaravis' own fake cameras. Each picture
shows which pulse of the light barrier it is of, or when it was taken; a network
finds that and the view in it, and makes shapes of it, which the recording keeps
with the trigger and the view that they were taken for. So a picture of another
trigger or view is noticed. Nothing depends on how fast the machine is: pictures
may be missing, never out of step.
"""

import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import children
import dashboard
import live

PROGRAM, FILES, NETWORK, SKIN_NETWORK = map(os.path.abspath, sys.argv[1:5])
FAKE = sys.argv[5] if len(sys.argv) > 5 else None
VIEWS, CUPS, CLASSES = 4, 5, 12
# one for each test run on this machine
NET = "127.%d.%d." % (random.randrange(10, 250), random.randrange(1, 250))
ADDRESSES = [NET + str(1 + v) for v in range(VIEWS)]
SQUARE = 10


def camera_lane(keys="", network=NETWORK):
    text = "source=camera\ncameras=%s\npacket-size=8000\nframe-retention-ms=200\n%s\n" % (";".join(ADDRESSES), keys)
    return text + ("network=%s %d\n" % (network, CLASSES) if network else "")


def write_config(folder, deadline=2000, rate=10, change=lambda text: text, **lanes):
    path = live.write_line(folder, **lanes)
    text = live.read(path).replace("deadline-ms=50", "deadline-ms=%d" % deadline)
    return live.write(change(text.replace("triggers-per-second=10", "triggers-per-second=%g" % rate)), path)


class Cameras:
    """The fake cameras, in a process of their own."""

    def __enter__(self):
        self.process = children.start([FAKE, *ADDRESSES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if line != "ready\n":
            assert self.process.wait() == 77
            print("skipped: there can be no cameras at %s" % NET)
            sys.exit(77)
        return self

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        assert answer[1:] == ["pulses", "so", "far"], (command, answer)
        return int(answer[0])

    def __exit__(self, *error):
        self.process.stdin.close()
        assert self.process.wait(timeout=live.TIMEOUT) == 0 or error[0]
        self.process.stdout.close()


def read_events(path):
    """(type, view, time, trigger, trigger's time, boxes of fruit) of each event: docs/fruit-line.md."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"FLEV\2\0\0\0"
    at = 8
    while at < len(data):
        kind, view, _, when, trigger = struct.unpack_from("<IHHqQ", data, at)
        at += 24
        boxes, trigger_time = [], None
        if kind == 4:
            at += 64
        elif kind == 1:
            trigger_time, _, contours, points, turns = struct.unpack_from("<qqIII", data, at)
            at += 28
            for k in range(contours):
                group, *_ = struct.unpack_from("<i", data, at + 96 * k)
                if group == CLASSES:
                    boxes.append(struct.unpack_from("<4d", data, at + 96 * k + 24))
            at += 96 * contours + 8 * points + 4 * turns
        yield kind, view, when, trigger, trigger_time, boxes


def decode(boxes):
    """(number, view) of a picture, out of its squares."""
    bits = 0
    for left, top, right, bottom in boxes:
        column, row = (left + .5 - 6) / 42, (top + .5 - 4) / 22
        assert abs(column - round(column)) < .1 and abs(row - round(row)) < .1, (left, top)
        assert abs(right - left - SQUARE) < .1 and abs(bottom - top - SQUARE) < .1, (left, right)
        bits |= 1 << round(row) * 12 + round(column)
    assert bits >> 36 == 1, "no number was found in a picture"
    return bits & 0xffffffff, bits >> 32 & 15


def check_run(folder):
    """All that must hold of any run. Returns: report, decisions, looks by (trigger, view)."""
    report, decisions = live.read_report(folder), live.read_decisions(folder)
    live.check_pieces(decisions, report)
    lane = report["lanes"]["lane1"]
    looks, lost = {}, set()
    for kind, view, _, trigger, trigger_time, boxes in read_events(os.path.join(folder, "lane1.events")):
        if kind == 1:
            number, shown = decode(boxes)
            assert shown == view, ("a picture of another view", trigger, view, shown)
            looks[trigger, view] = number, trigger_time
        elif kind == 2:
            lost.add((trigger, view))
    # each view of each trigger once
    assert not lost & set(looks)
    assert lost | set(looks) == {(t, v) for t in range(lane["triggers"]) for v in range(VIEWS)}
    assert lane["frames"]["lost"] == len(lost), lane
    with open(os.path.join(FILES, "..", "..", "docs", "report.schema.json"), encoding="utf-8") as file:
        members = json.load(file)["$defs"]["camera"]["required"]
    assert len(report["cameras"]) == VIEWS
    for camera in report["cameras"]:
        assert list(camera) == members, camera
        v = camera["view"]
        assert camera["camera"] == ADDRESSES[v] and camera["lane"] == "lane1"
        assert camera["frames"] + camera["incomplete"] + camera["missing"] == lane["triggers"], (camera, lane)
        if not lane["losses"]["slow"] + lane["losses"]["crowded"] + lane["losses"]["unfit"]:
            # pictures that came, but were not looked at any more
            assert 0 <= camera["frames"] - sum(look[1] == v for look in looks) <= lane["losses"]["stopped"], camera
    # a piece without some of its looks says so; a look that is late comes after its decision
    for piece in range(lane["pieces"]):
        found = [(piece + c, v) in looks for c in range(CUPS) for v in range(VIEWS)]
        used = [view["ok"] for view in decisions[piece]["views"]]
        assert used == found or (lane["frames"]["late"] and all(f or not u for f, u in zip(found, used))), piece
        assert ("lost" in decisions[piece]["doubts"]) == (not all(used)), decisions[piece]
    done = subprocess.run([PROGRAM, "replay", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return report, decisions, looks


def count_views(looks, triggers):
    return [sum((t, v) in looks for t in triggers) for v in range(VIEWS)]


def share_of_frames(before, after):
    """Of a camera's triggers."""
    frames, *lost = (after[name] - before[name] for name in ("frames", "incomplete", "missing"))
    return round(frames / max(frames + sum(lost), 1), 3)


def longest_gap(looks, view, begin, end):
    """Triggers in succession without a look."""
    gaps, gap = [range(0)], begin
    for t in range(begin, end + 1):
        if t == end or (t, view) in looks:
            gaps.append(range(gap, t))
            gap = t + 1
    return max(gaps, key=len)


def wait_for(what, message):
    for _ in range(live.TIMEOUT * 20):
        if what():
            return
        time.sleep(.05)
    raise AssertionError(message)


class Line:
    """fruit-line with cameras, in the background; what it says is read when it has ended."""

    def __init__(self, folder, keys, network=NETWORK, **config):
        self.folder = os.path.join(folder, "out")
        self.path = write_config(folder, lane1=camera_lane(keys, network), **config)
        self.log = os.path.join(folder, "log")
        for _ in range(10):
            with open(self.log, "w", encoding="utf-8") as log:
                self.process = children.start([PROGRAM, "run", self.path, "--record", "--port", "0", "--output", self.folder],
                                              stdout=subprocess.DEVNULL, stderr=log)
            wait_for(lambda: self.process.poll() is not None or "/ shows it" in live.read(self.log), "no page")
            # a camera that a busy machine keeps from answering in time: as a person would, once more
            if self.process.poll() is None or not re.search("there is no answer|did not follow", live.read(self.log)):
                break
            shutil.rmtree(self.folder)
        self.wait_for("/ shows it")
        self.url = re.search("http://[0-9.:]+/", live.read(self.log))[0]

    def get_cameras(self):
        return json.loads(live.fetch(self.url, "/report.json")[2])["cameras"]

    def wait_for_frames(self, view, act=lambda: time.sleep(.2)):
        """Until there are more pictures of the view."""
        before, end = self.get_cameras()[view]["frames"], time.monotonic() + live.TIMEOUT
        while self.get_cameras()[view]["frames"] == before:
            assert time.monotonic() < end, ("no pictures", view, live.read(self.log))
            act()

    def wait_for(self, text, times=1):
        def said():
            assert self.process.poll() is None, live.read(self.log)
            return live.read(self.log).count(text) >= times
        wait_for(said, "never said: " + text)

    def be_quiet(self):
        """The first trigger is that of all cameras, if they were quiet before."""
        time.sleep(.7)

    def end(self):
        # what has come is finished
        time.sleep(.5)
        self.process.terminate()
        status = self.process.wait(timeout=live.TIMEOUT)
        assert status == 0, live.read(self.log)
        return live.read(self.log)


def check_pulses(looks, pulses, triggers):
    """Every trigger is a pulse of the light barrier, and every picture shows it."""
    shifts = {number - trigger for (trigger, _), (number, _) in looks.items()}
    assert len(shifts) == 1, ("out of step", shifts)
    shift, = shifts
    assert triggers <= pulses - shift and triggers >= pulses - shift - 1, (triggers, pulses, shift)
    return shift


def test_hardware(folder):
    """Triggers at 10/s, a pause of 5 s, 2 % of the packets lost, a camera killed and back."""
    with Cameras() as cameras:
        # pictures' times may be off by a quarter of what is said here
        line = Line(folder, "trigger=hardware\nframe-timeout-ms=500", rate=6)
        line.be_quiet()
        cameras.do("barrier 10 25")
        first = cameras.do("wait")
        time.sleep(5)
        cameras.do("loss .02")
        cameras.do("barrier 10 25")
        second = cameras.do("wait")
        cameras.do("loss 0")
        cameras.do("barrier 10 70")
        time.sleep(1)
        before = line.get_cameras()
        cameras.do("kill 2")
        line.wait_for(ADDRESSES[2] + ": is gone")
        # the page is brought up to date each second
        time.sleep(1.5)
        meanwhile = line.get_cameras()
        check_metrics(live.fetch(line.url, "/metrics")[2].decode(), 2)
        cameras.do("back 2")
        line.wait_for(ADDRESSES[2] + ": is back")
        cameras.do("wait")

        def go_on():
            cameras.do("barrier 10 10")
            cameras.do("wait")
        line.wait_for_frames(2, go_on)
        last = cameras.do("loss 0")
        line.end()
    report, decisions, looks = check_run(line.folder)
    lane, cams = report["lanes"]["lane1"], report["cameras"]
    assert check_pulses(looks, last, lane["triggers"]) == 0
    views = [count_views(looks, span) for span in (range(first), range(first, second), range(second, last))]
    print("pictures of %d, %d, %d triggers: %s; losses: %s" % (first, second - first, last - second, views, lane["losses"]))
    # losses are counted as what they are; those of triggers that are too slow for anybody are not told apart
    assert lane["losses"]["incomplete"] > 0 and lane["losses"]["missing"] > 0, lane["losses"]
    assert sum(c["incomplete"] for c in cams) >= lane["losses"]["incomplete"]
    assert sum(c["missing"] for c in cams) >= lane["losses"]["missing"]
    assert [c["reconnects"] for c in cams] == [0, 0, 1, 0] and all(c["state"] == "running" for c in cams), cams
    # the one that was killed is back, and costs its own views
    gone = longest_gap(looks, 2, second, last)
    assert gone and any((t, 2) in looks for t in range(gone.stop, last)), gone
    assert any(d["status"] == "partial" for d in decisions)
    # the others are undisturbed while it is gone; a machine that is busy may miss some
    shares = [share_of_frames(before[v], meanwhile[v]) for v in range(VIEWS)]
    print("share of pictures that came while it was gone: %s" % shares)
    assert sum(shares[v] for v in range(VIEWS) if v != 2) >= 1.5 and shares[2] < .7, shares
    check_pictures(line.folder)


def check_metrics(text, gone):
    """While a camera is gone; all that the dashboard and the alerts ask for is there."""
    running = dict(re.findall(r'(?m)^fruit_line_camera_running\{lane="lane1",view="(\d)"\} ([01])$', text))
    assert running == {str(v): "01"[v != gone] for v in range(VIEWS)}, running
    dashboard.check_queries(json.loads(live.read(FILES, "grafana.json")), text, of_cameras=True)
    asked = set(re.findall(r"fruit_line_camera_\w+", live.read(FILES, "alerts.yml")))
    assert asked and asked <= set(re.findall(r"(?m)^(\w+)", text)), asked


def check_pictures(folder):
    """Rejects show what the cameras saw: neither dark nor gray."""
    folder = os.path.join(folder, "pictures")
    names = [name for name in os.listdir(folder) if name.endswith(".jpg")]
    assert names
    assert max(os.path.getsize(os.path.join(folder, name)) for name in names) > 30000


def test_software(folder):
    """The line triggers; a camera comes back; pictures are of the time of their trigger."""
    rate = 8
    with Cameras() as cameras:
        line = Line(folder, "frame-timeout-ms=500", rate=rate)
        time.sleep(1.5)
        cameras.do("loss .02")
        time.sleep(1.5)
        cameras.do("loss 0")
        cameras.do("kill 1")
        line.wait_for(ADDRESSES[1] + ": is gone")
        cameras.do("back 1")
        line.wait_for(ADDRESSES[1] + ": is back")
        line.wait_for_frames(1)
        log = line.end()
    report, decisions, looks = check_run(line.folder)
    lane, cams = report["lanes"]["lane1"], report["cameras"]
    times = [decision["t_trigger_ns"] for decision in decisions]
    # triggers are those that were planned
    assert max(after - before for before, after in zip(times, times[1:])) - 1e9 / rate < 2
    worst = 0
    for (trigger, view), (number, when) in looks.items():
        late = (number - when // 1000000 + 0x800000) % 0x1000000 - 0x800000
        # half the time between triggers, that synchronising allows, and a quarter of tolerance
        assert abs(late) < 750 / rate, ("out of step", trigger, view, late)
        worst = max(worst, abs(late))
    print("%d triggers, pictures within %d ms; losses: %s" % (lane["triggers"], worst, lane["losses"]))
    assert lane["losses"]["incomplete"] > 0 and [c["reconnects"] for c in cams] == [0, 1, 0, 0], (lane, cams, log)
    assert all(c["frames"] > 0 for c in cams)
    assert lane["losses"]["missing"] > 0, lane


def test_turns(folder):
    """How far pieces turn, by the texture of their skin: the network finds nothing else."""
    with Cameras() as cameras:
        line = Line(folder, "trigger=hardware\nframe-timeout-ms=500", SKIN_NETWORK, rate=6)
        line.be_quiet()
        cameras.do("barrier 10 40")
        cameras.do("wait")
        line.end()
    decisions = live.read_decisions(line.folder)
    turns = [d["turn"] for d in decisions if d["turn_measured"]]
    print("%d of %d pieces' turns are measured" % (len(turns), len(decisions)))
    # a machine that is busy may miss pictures
    assert len(turns) >= 5 and all(abs(turn - 72) < 1.5 for turn in turns), turns


class Questions:
    """Something at an address that answers every third question of a camera's control protocol, and that nonsense."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 3956))
        self.thread = threading.Thread(target=self.run)
        self.n = 0

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(1024)
            if not question:
                return
            self.n += 1
            if self.n % 3 == 0:
                self.socket.sendto(b"nonsense", sender)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.socket.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()


def start(folder, config):
    done = subprocess.run([PROGRAM, "run", config, "--seconds", "1", "--output", tempfile.mkdtemp(dir=folder)],
                          capture_output=True, text=True, timeout=live.TIMEOUT, check=False)
    assert done.returncode == 1, done
    return done.stderr


def test_start(folder):
    """What a camera cannot do is said at the start, with what it can."""
    lane = camera_lane()
    with Cameras():
        for change, words in (
                (lambda text: text.replace("columns=511", "columns=2500"), ("of the sensor's 2048 x 2048", "columns=2500")),
                (lambda text: text + "pixel-format=Mono16\n", ("pixel-format=Mono16 is of no use", "RGB8, Mono16")),
                (lambda text: text + "trigger=hardware\ntrigger-source=Line7\n", ("trigger-source: ", "Line7")),
                (lambda text: text + "features=NoSuchThing=1\n", ("features: ", "NoSuchThing")),
                (lambda text: text.replace(NET + "3", NET + "9"), ("view 2, camera %s9: there is no answer" % NET,)),
        ):
            text = start(folder, write_config(folder, change=change, lane1=lane))
            assert all(word in text for word in words), (words, text)
        # questions may be lost
        with Questions(NET + "9") as questions:
            text = start(folder, write_config(folder, change=lambda text: text.replace(NET + "3", NET + "9"), lane1=lane))
            assert questions.n >= 3 and "view 2, camera %s9: " % NET in text and "no answer" not in text, (questions.n, text)
        done = subprocess.run([PROGRAM, "run", "--fast", write_config(folder, lane1=lane)], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 1 and "can only be run in real time" in done.stderr, done
        # gray and Bayer pictures are taken, too
        for name in "Mono8", "BayerRG8":
            line = Line(os.path.join(folder, "."), "pixel-format=%s\n" % name, rate=6)
            for _ in range(live.TIMEOUT * 10):
                time.sleep(.1)
                if os.path.getsize(os.path.join(line.folder, "decisions.jsonl")):
                    break
            line.process.terminate()
            assert line.process.wait() == 0
            report = live.read_report(line.folder)
            frames = report["total"]["frames"]
            assert frames["in_time"] + frames["late"] > 0, report
            os.rename(line.folder, line.folder + name)


def test_check(folder):
    """What is wrong with keys is said with the line."""
    for keys, words in (
            ("cameras=a;b;c\n", "a camera for each view, in their order, between semicolons: 4, as \"tilt\" has, not 3"),
            ("cameras=a;b;c;a\n", "\"cameras\" has the camera \"a\""),
            ("cameras=a;b;c;d\ntrigger=light\n", "\"trigger\" is software"),
            ("cameras=a;b;c;d\ntrigger-source=Line1\n", "are for trigger=hardware"),
            ("cameras=a;b;c;d\nmin-cameras=2\n", "are for trigger=hardware"),
            ("cameras=a;b;c;d\ntrigger=hardware\nmin-cameras=5\n", "\"min-cameras\""),
            ("cameras=a;b;c;d\ntrigger=hardware\nmin-cameras=0\n", "\"min-cameras\""),
            ("cameras=a;b;c;d\nexposure-us=100;200\n", "one number for all views, or 4"),
            ("cameras=a;b;c;d\noffset-x=-1\n", "must be a number from 0"),
            ("cameras=a;b;c;d\nexposure=100\n", "exposure"),
            ("cameras=a;b;c;d\n", "network"),
    ):
        network = "" if words == "network" else "network=true\n"
        path = write_config(folder, lane1="source=camera\n" + keys + network)
        done = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and words in done.stderr and "line.ini:" in done.stderr, (keys, done)
    path = write_config(folder, lane1="source=camera\ncameras=a;b;c;d\nnetwork=true\n")
    done = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == bool(FAKE), done
    assert FAKE or "built without" in done.stderr, done


def main():
    tests = [test_check]
    if FAKE:
        tests += [test_start, test_turns, test_hardware, test_software]
    for test in tests:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder)
            except AssertionError:
                # what the line said
                log = os.path.join(folder, "log")
                print(live.read(log) if os.path.exists(log) else "no log", file=sys.stderr)
                raise
        print("%s: %.1f s" % (test.__name__, time.monotonic() - begin), flush=True)
    if not FAKE:
        print("skipped: the rest needs libaravis")
        sys.exit(77)


if __name__ == "__main__":
    main()
