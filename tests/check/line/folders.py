# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is planted in output folders: folders.py FRUIT_LINE LINE_SCENE FILES [TEST...]

For each name that a command writes there is a symbolic link of that name to a file of somebody else, or a hard link, or a pipe:
the file stays as it is, and no command hangs. What is made can be read by the owner's group at most.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

import children
from files import read, write

PROGRAM, SCENE, FILES = sys.argv[1:4]
TIMEOUT = 90
VICTIM = b"somebody else's\n" * 100
RUN = "2026-01-02T03-04-05Z"


def write_line(folder, lane="source=simulate\ntriggers=12\n", keys="", groups=""):
    text = read(FILES, "line1.ini").split("[lane ")[0]
    text = text.replace("[line]\n", "[line]\n" + keys).replace("deadline-ms=50\n", "deadline-ms=20000\n")
    write(read(FILES, "apricot.ini"), folder, "apricot.ini")
    return write(text + groups + "[lane a]\n" + lane, folder, "line.ini")


def run(command, status=(0, 1)):
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode in status, done
    return done


class Trap:
    """A folder with something in place of one of the names in it."""

    def __init__(self, folder, name, kind):
        self.victim = os.path.join(folder, "victim")
        self.output = os.path.join(folder, "out")
        path = os.path.join(self.output, name)
        os.makedirs(os.path.dirname(path))
        with open(self.victim, "wb") as file:
            file.write(VICTIM)
        {"link": os.symlink, "name": os.link, "nowhere": lambda _, at: os.symlink(os.path.join(folder, "made"), at),
         "pipe": lambda _, at: os.mkfifo(at), "folder": lambda _, at: os.mkdir(at)}[kind](self.victim, path)
        self.made = os.path.join(folder, "made")

    def check(self, *what):
        with open(self.victim, "rb") as file:
            assert file.read() == VICTIM, what
        assert not os.path.lexists(self.made), what


def try_all(names, work, kinds=("link", "name", "nowhere", "pipe", "folder")):
    """work(folder, trap): runs a command whose output is trap.output."""
    for name in names:
        for kind in kinds:
            with tempfile.TemporaryDirectory() as folder:
                trap = Trap(folder, name, kind)
                done = work(folder, trap)
                trap.check(name, kind, done)


def hash_recipe():
    return hashlib.sha256(read(FILES, "apricot.ini").encode()).hexdigest()[:12]


def test_run(folder):
    """All that a recorded run writes; its segments are small, so that there are several."""
    def work(folder, trap):
        config = write_line(folder, keys="record=true\nsegment-mb=0.01\npictures=1\n")
        return run([PROGRAM, "run", config, "--output", trap.output])
    names = ["decisions.jsonl", "heartbeat", "report.json", "line.ini", "a.events", "recipe-%s.ini" % hash_recipe(),
             "pictures/000.jpg", "commands.jsonl", "run.csv.new", "run.html.new"]
    try_all(names, work, ("link",))
    # these are there for a moment only, but always by the same name
    try_all(["decisions.jsonl.new", "report.txt.new", "pictures/000.json.new", "decisions-000001.jsonl"], work, ("link", "name"))
    try_all(["heartbeat"], work, ("name", "nowhere", "pipe", "folder"))


def test_pictures_elsewhere(folder):
    """The folder of pictures is one of the run's."""
    other = os.path.join(folder, "other")
    os.mkdir(other)
    os.mkdir(os.path.join(folder, "out"))
    os.symlink(other, os.path.join(folder, "out", "pictures"))
    done = run([PROGRAM, "run", write_line(folder), "--output", os.path.join(folder, "out")], (0,))
    assert "there will be no pictures" in done.stderr and os.listdir(other) == []


def test_named_link(folder):
    """A folder that a person names may be a link."""
    os.mkdir(os.path.join(folder, "disk"))
    os.symlink("disk", os.path.join(folder, "out"))
    run([PROGRAM, "run", write_line(folder), "--output", os.path.join(folder, "out")], (0,))
    assert os.path.exists(os.path.join(folder, "disk", "report.json"))


def run_until(folder, output, do, *paths):
    """A recorded run without an end, which is ready when do() is called, until there is something at all paths."""
    config = write_line(folder, "source=simulate\ntriggers=0\n", "record=true\nsegment-mb=0.01\n")
    line = children.start([PROGRAM, "run", config, "--output", output], preexec_fn=lambda: os.umask(0), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    assert "ready" in line.stderr.readline()
    do()
    end = time.monotonic() + TIMEOUT
    while not all(map(os.path.exists, paths)):
        assert time.monotonic() < end and line.poll() is None
        time.sleep(.05)
    line.send_signal(signal.SIGTERM)
    line.communicate(timeout=TIMEOUT)
    assert line.returncode == 0


def test_moved_folder(folder):
    """What has taken a running line's folder's name gets nothing of it."""
    output, other = os.path.join(folder, "out"), os.path.join(folder, "other")

    def move():
        os.mkdir(other)
        os.rename(output, output + ".moved")
        os.symlink(other, output)
    run_until(folder, output, move, os.path.join(output + ".moved", "decisions-000001.jsonl"))
    assert os.listdir(other) == []
    assert json.loads(read(output + ".moved", "report.json"))["adds_up"] is True


def test_fast(folder):
    def work(folder, trap):
        return run([PROGRAM, "run", "--fast", "--record", write_line(folder), "--output", trap.output], (1,))
    try_all(["decisions.jsonl", "a.events"], work)


def test_simulate(folder):
    def work(_, trap):
        return run([PROGRAM, "--simulate", "--seconds", "1", "--record", "--output", trap.output])
    try_all(["decisions.jsonl", "heartbeat", "report.txt", "line.ini", "lane1.events"], work, ("link",))


def publish(folder, trap):
    """Until it has said how it does, or what is in its way: nobody is at the port."""
    groups = "[publish]\ntransport=mqtt\nhost=127.0.0.1\nport=1\n"
    config = write_line(folder, keys="", groups=groups)
    write(re.sub("(?m)^output=.*", "output=out", read(config)), config)
    os.mkdir(os.path.join(trap.output, RUN))
    write("", trap.output, RUN, "decisions.jsonl")
    said = open(os.path.join(folder, "said"), "w+", encoding="utf-8")
    process = children.start([PROGRAM, "publish", config], stdout=subprocess.DEVNULL, stderr=said)
    status, end = os.path.join(trap.output, "publisher.json"), time.monotonic() + TIMEOUT
    while process.poll() is None and not os.path.isfile(status) and not read(said.name):
        assert time.monotonic() < end
        time.sleep(.02)
    time.sleep(.1)
    process.terminate()
    process.wait(TIMEOUT)
    return read(said.name)


def test_publish(folder):
    try_all(["publisher.state", "publisher.state.new", "publisher.state.lock", "publisher.json", "publisher.json.new"], publish)


def test_planted_run(folder):
    """A link with a run's name, to decisions that are not this line's: they are neither published nor deleted."""
    other = os.path.join(folder, "other")
    os.mkdir(other)
    for name in "decisions-000001.jsonl", "decisions-000002.jsonl", "decisions.jsonl":
        write("not a decision\n" * 2000, other, name)
    trap = Trap(folder, "x", "link")
    os.symlink(other, os.path.join(trap.output, "2020-01-01T00-00-00Z"))
    said = publish(folder, trap)
    assert "2020-01-01" not in said and json.loads(read(trap.output, "publisher.json"))["damaged"] == 0, said
    config = write_line(folder, keys="segment-mb=0.01\nkeep-mb=0.01\n", lane="source=simulate\ntriggers=100\n")
    write(re.sub("(?m)^output=.*", "output=out", read(config)), config)
    done = run([PROGRAM, "run", config], (0,))
    assert "deleted" in done.stderr and sorted(os.listdir(other)) == ["decisions-000001.jsonl", "decisions-000002.jsonl",
                                                                      "decisions.jsonl"], done


def test_scene(folder):
    def work(_, trap):
        return run([SCENE, trap.output, "1"])
    try_all(["truth.jsonl", "000000-0.ppm", "000000-1.pgm", "000000-3.f32"], work)


def test_modes(folder):
    """With no umask at all."""
    output = os.path.join(folder, "a", "out")
    run_until(folder, output, lambda: None, os.path.join(output, "decisions-000001.jsonl"), os.path.join(output, "pictures", "000.json"))
    names = []
    for path, _, files in os.walk(os.path.join(folder, "a")):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o750, path
        for name in files:
            names.append(name)
            assert stat.S_IMODE(os.stat(os.path.join(path, name)).st_mode) == 0o640, name
    assert {"decisions.jsonl", "decisions-000001.jsonl", "heartbeat", "report.json", "report.txt", "line.ini", "a.events",
            "000.jpg", "000.json"} <= set(names), names
    assert not [name for name in names if name.endswith(".new")]


def test_read_only(folder):
    """Who may not write to the output is told so before anything is started."""
    output, started = os.path.join(folder, "out"), os.path.join(folder, "started")
    os.mkdir(output, 0o555)
    command = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            print("  setpriv is missing")
            return
        # root as anybody else
        command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    config = write_line(folder, "source=simulate\ntriggers=12\nnetwork=%s %s\n" % (shutil.which("touch"), started))
    for options in ["run"], ["run", "--record"], ["run", "--fast"]:
        for path in output, os.path.join(output, "new"):
            said = run(command + [PROGRAM, *options, "--output", path, config], (1,)).stderr
            assert re.fullmatch("%s[^:\n]*: Permission denied: whoever runs this program has no right to it; change the folder's "
                                "owner or mode, or the output\n" % path, said), said
            assert not os.path.exists(started), options
    # the network is what would have been started
    assert run([PROGRAM, "run", "--output", os.path.join(folder, "other"), config], (1,)) and os.path.exists(started)


TESTS = (test_run, test_pictures_elsewhere, test_named_link, test_moved_folder, test_fast, test_simulate, test_publish,
         test_planted_run, test_scene, test_modes, test_read_only)


def main():
    for test in TESTS:
        if sys.argv[4:] and test.__name__ not in sys.argv[4:]:
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
        print("%s: %.1f s" % (test.__name__, time.monotonic() - begin), flush=True)


if __name__ == "__main__":
    main()
