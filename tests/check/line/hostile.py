# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that somebody else has made: hostile.py FRUIT_LINE FILES [TEST...]

A line goes on while a wrong recipe is read; nothing waits for a pipe or reads a device; what files say never reaches a
terminal as it is. Nothing here depends on how fast the machine is.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import children

PROGRAM, FILES = sys.argv[1:3]
PATIENCE = 60
# seconds: longer than anything here takes, shorter than what reads each line for each line
HANGS = 10


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def write(text, *names):
    path = os.path.join(*names)
    with open(path, "wb" if isinstance(text, bytes) else "w", encoding=None if isinstance(text, bytes) else "utf-8") as file:
        file.write(text)
    return path


def write_line(folder, lane="source=simulate\ntriggers=0\n", more=""):
    """The shipped configuration with another lane."""
    write(read(FILES, "apricot.ini"), folder, "apricot.ini")
    return write(read(FILES, "line1.ini").split("[lane ")[0] + more + "[lane a]\n" + lane, folder, "line.ini")


def run_program(*arguments, status=1):
    """What it says, to both; no character of it is one that a terminal obeys. It neither hangs nor eats the machine."""
    done = subprocess.run(["prlimit", "--as=4000000000", PROGRAM, *arguments], capture_output=True, timeout=PATIENCE)
    text = (done.stdout + done.stderr).decode()
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text), repr(text)
    assert done.returncode == status, (done.returncode, text)
    return text


class Run:
    def __init__(self, folder, config, *arguments):
        self.output = os.path.join(folder, "out")
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as log:
            self.process = children.start([PROGRAM, "run", config, "--output", self.output, "--port", "0", *arguments],
                                          stdout=subprocess.DEVNULL, stderr=log)
        self.wait(lambda: re.search("http://[^/]*/", read(self.log)))
        self.wait(lambda: read(self.output, "heartbeat"))
        self.url = re.search("http://[^/]*/", read(self.log))[0]

    def wait(self, what):
        end = time.monotonic() + PATIENCE
        while not what():
            assert self.process.poll() is None and time.monotonic() < end, read(self.log)
            time.sleep(.05)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, read(self.log)
        return read(self.log)

    def fetch(self, path):
        with urllib.request.urlopen(self.url + path, timeout=HANGS) as answer:
            return answer.read().decode()

    def heartbeat_age(self):
        return time.time() - json.loads(read(self.output, "heartbeat"))["t_ns"] / 1e9


def test_recipe(folder):
    """Wrong recipes of 400 kB, of which each line is one, and pipes: the heart beats, and /metrics answers."""
    good = read(FILES, "apricot.ini")
    wrong = ("[recipe]\n" + "".join("k%d=%s\n" % (i, "x" * 12) for i in range(19900)),
             good + "".join("[limits l%d]\nrot-mm2=1\n" % i for i in range(9000)),
             "[recipe]\nclasses=" + 200000 * "a;" + "\n")
    run = Run(folder, write_line(folder))
    for i, text in enumerate(wrong):
        assert len(text) > 200000
        write(text, folder, "apricot.ini")
        run.process.send_signal(signal.SIGHUP)
        while read(run.log).count(" stays\n") == i:
            assert run.heartbeat_age() < HANGS
            assert "fruit_line_heartbeat_age_seconds" in run.fetch("metrics")
    os.unlink(os.path.join(folder, "apricot.ini"))
    os.mkfifo(os.path.join(folder, "apricot.ini"))
    run.process.send_signal(signal.SIGHUP)
    run.wait(lambda: read(run.log).count(" stays\n") == len(wrong) + 1)
    os.unlink(os.path.join(folder, "apricot.ini"))
    write(good.replace("outlet=8", "outlet=7"), folder, "apricot.ini")
    run.process.send_signal(signal.SIGHUP)
    run.wait(lambda: " from now on\n" in read(run.log))
    said = run.end()
    assert "and 19" in said and "only regular files" in said and len(said) < 60000, (len(said), said[:5000])


def test_check(folder):
    """Each of these is told in some lines."""
    config = write_line(folder)
    text = read(config)
    for change in ("[recipe\033[31m]\n", "k\033]0;title\007=1\n", "[\u202eline]\n", "a=\x80\n"):
        write(text + change, folder, "line.ini")
        run_program("check", config)
    write(text.encode() + b"name=\xff\xfe\n", folder, "line.ini")
    assert "not UTF-8" in run_program("check", config)
    write(text + "".join("[lane l%d]\nsource=camera\ncameras=a;a;a;a\n" % i for i in range(6000)), folder, "line.ini")
    assert len(run_program("check", config)) < 20000
    for make in (lambda path: os.mkfifo(path), lambda path: os.symlink("/dev/zero", path)):
        os.unlink(config)
        make(config)
        assert "only regular files" in run_program("check", config)


TESTS = test_recipe, test_check


def main():
    for test in TESTS:
        if sys.argv[3:] and test.__name__ not in sys.argv[3:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
        print(test.__name__, flush=True)


if __name__ == "__main__":
    main()
