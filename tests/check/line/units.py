# SPDX-License-Identifier: LGPL-2.1-or-later
"""The units of pipelines/line/systemd and pipelines/publish/systemd: units.py FRUIT_LINE FILES [TEST...]

systemd finds nothing wrong with them and little exposed, and a line and its publisher work as they confine them: with their
system calls and kinds of sockets alone, as somebody without any rights, in a file system that is read-only but for a folder,
files for nobody else. Of what systemd does that is all that can be done without it.
"""

import ctypes
import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import children
from running import run_tests

PROGRAM, FILES = (os.path.abspath(path) for path in sys.argv[1:3])
LINE, PUBLISHER, SHAPES = "fruit-line@.service", "fruit-line-publish@.service", "cudashapes-publish@.service"
UNITS = {LINE: os.path.join(FILES, "systemd", LINE + ".in"),
         PUBLISHER: os.path.join(FILES, "..", "publish", "systemd", "publish@.service.in")}
UNITS[SHAPES] = UNITS[PUBLISHER]
COMMANDS = {LINE: "fruit-line", PUBLISHER: "fruit-line publish", SHAPES: "cudashapes-publish"}
USERS = {LINE: "fruit-line", PUBLISHER: "fruit-line", SHAPES: "cudashapes-publish"}
# of 10, times 10: what `systemd-analyze security` calls "OK" ends at 4.9
MOST_EXPOSED = {LINE: 18, PUBLISHER: 13, SHAPES: 13}
TIMEOUT = 90
ALLOW, REFUSE, EQUAL = 0x7fff0000, 0x50000 | errno.EPERM, 4     # seccomp(3)
NO_NEW_PRIVS, DENY_WRITE_EXECUTE = 38, 65                       # prctl(2)

if not shutil.which("systemd-analyze"):
    print("skipped: there is no systemd-analyze")
    sys.exit(77)


def analyze(*arguments, status=0):
    done = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == status, done
    return done.stdout + done.stderr


def read_text(name):
    """As it is installed, but for the program's folder."""
    with open(UNITS[name], encoding="utf-8") as file:
        text = file.read()
    for word, value in ("command", COMMANDS[name]), ("user", USERS[name]), ("of", "x"), ("docdir", "/usr/share/doc"):
        text = text.replace("@%s@" % word, value)
    return text


def read_unit(name):
    """Its [Service]: the values of each key."""
    keys = {}
    for key, value in re.findall(r"(?m)^(\w+)=(.*)$", read_text(name).split("[Service]")[1].split("[Install]")[0]):
        keys.setdefault(key, []).append(value)
    return keys


def copy_units(folder):
    """With a program that is there, and names that are no template's."""
    for name in UNITS:
        command = "@bindir@/" + COMMANDS[name].split()[0]
        text = read_text(name)
        assert command in text
        text = text.replace(command, PROGRAM)
        assert not re.search("@[a-z]+@", text), text
        with open(os.path.join(folder, name.replace("@", "")), "w", encoding="utf-8") as file:
            file.write(text)
        yield name, file.name


def test_verify(folder):
    for _, path in copy_units(folder):
        assert analyze("verify", path) == ""
    with open(path, "a", encoding="utf-8") as file:
        file.write("[Service]\nNoNewPrivilege=yes\n")
    assert "Unknown key" in analyze("verify", path)


def test_security(folder):
    for name, path in copy_units(folder):
        analyze("security", "--no-pager", "--offline=yes", "--threshold=%d" % MOST_EXPOSED[name], path)
        keys = read_unit(name)
        assert keys["User"] == [USERS[name]] and keys["UMask"] == ["0077"] and keys["CapabilityBoundingSet"] == [""]
        assert keys["NoNewPrivileges"] == ["yes"] and keys["ProtectSystem"] == ["strict"]
    assert analyze("security", "--no-pager", "--offline=yes", "--threshold=1", path, status=1)


def expand(name):
    """The system calls of a set."""
    calls = set()
    for word in re.findall(r"(?m)^    ([@\w-]+)$", analyze("syscall-filter", name)):
        calls |= expand(word) if word.startswith("@") else {word}
    return calls


def find_calls(keys):
    calls = set()
    for value in keys["SystemCallFilter"]:
        named = set().union(*map(expand, value.lstrip("~").split()))
        calls = calls - named if value.startswith("~") else calls | named
    return calls


def confine(calls, families, deny_write_execute):
    """This process, from now on."""
    libc, seccomp = ctypes.CDLL(None, use_errno=True), ctypes.CDLL("libseccomp.so.2")

    class Comparison(ctypes.Structure):
        _fields_ = [("argument", ctypes.c_uint), ("operation", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

    assert libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    # not every kernel has it
    if deny_write_execute:
        libc.prctl(DENY_WRITE_EXECUTE, 1, 0, 0, 0)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(REFUSE))
    for name in calls - {"socket"}:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert seccomp.seccomp_rule_add(context, ALLOW, number, 0) == 0, name
    number = seccomp.seccomp_syscall_resolve_name(b"socket")
    for family in families:
        one = Comparison(0, EQUAL, getattr(socket, family), 0)
        assert seccomp.seccomp_rule_add_array(context, ALLOW, number, 1, ctypes.byref(one)) == 0
    assert seccomp.seccomp_load(context) == 0


def enter(unit, writable, command):
    """In namespaces of one's own, as whoever may make mounts: becomes the command."""
    keys = read_unit(unit)
    calls = find_calls(keys)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "--bind", writable, writable], check=True)
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        points = [line.split()[4].encode().decode("unicode_escape") for line in file]
    for point in points:
        if point != writable:
            # what is no file system of files may refuse
            done = subprocess.run(["mount", "-o", "remount,bind,ro", point], capture_output=True)
            assert done.returncode == 0 or point.startswith(("/proc", "/sys", "/dev")), (point, done)
    os.umask(int(keys["UMask"][0], 8))
    deny = keys.get("MemoryDenyWriteExecute", ["no"])[0] == "yes"
    rights = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    if os.environ.get("LINE_OTHER_USER"):
        rights += ["--reuid=65534", "--regid=65534", "--clear-groups"]
    # before the filter, which has none of what changes users; --no-new-privs is the filter's
    os.execvp("setpriv", rights + [sys.executable, os.path.abspath(__file__), PROGRAM, FILES, "--confined", str(int(deny)),
                                   ",".join(sorted(calls)), ",".join(keys["RestrictAddressFamilies"][0].split()), *command])


class Service:
    """A program as a unit starts it. May be that of others: as root this becomes somebody else."""

    def __init__(self, unit, folder, *arguments):
        other = os.getuid() == 0
        self.log = open(os.path.join(folder, arguments[0] + ".log"), "w+", encoding="utf-8")
        self.process = children.start(
            ["unshare", "-m" if other else "-rm", sys.executable, os.path.abspath(__file__), PROGRAM, FILES, "--enter", unit, folder,
             PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=self.log, env=dict(
                 os.environ, LINE_OTHER_USER="1" if other else "", GST_REGISTRY=os.path.join(folder, "registry.bin"), HOME="/"))

    def said(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def wait(self, what):
        end = time.monotonic() + TIMEOUT
        while not (found := what()):
            assert self.process.poll() is None and time.monotonic() < end, self.said()
            time.sleep(.05)
        return found

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(TIMEOUT)
        self.log.close()
        return self.process.returncode


NETWORK = """
import os, struct, sys
while len(head := sys.stdin.buffer.read(20)) == 20:
    magic, tag, rows, columns, channels = struct.unpack("<4s4I", head)
    sys.stdin.buffer.read(rows * columns * channels)
    belt = struct.pack("<12f", .9, .1, *10 * [0]) + struct.pack("<12f", 1, *11 * [0]) * (rows * columns - 1)
    sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + belt)
    sys.stdout.buffer.flush()
"""


def write_files(folder):
    def save(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o644)
    with open(os.path.join(FILES, "line1.ini"), encoding="utf-8") as file:
        text = file.read().split("[lane ")[0]
    with open(os.path.join(FILES, "apricot.ini"), encoding="utf-8") as file:
        save("apricot.ini", file.read())
    save("network.py", NETWORK)
    save("line.ini", text.replace("[line]\n", "[line]\nrecord=true\nsegment-mb=0.02\n").replace("deadline-ms=50\n", "deadline-ms=20000\n")
         + "[publish]\ntransport=mqtt\nhost=127.0.0.1\nport=1\n[lane a]\nsource=simulate\ntriggers=0\n"
         "[lane b]\nsource=simulate\ntriggers=0\nnetwork=%s network.py\n" % sys.executable)
    os.chmod(folder, 0o777)


def test_confined(folder):
    """A line with a network and a page, recorded, and its publisher."""
    write_files(folder)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chmod(elsewhere, 0o777)
        trial = Service(LINE, folder, "run", os.path.join(folder, "line.ini"), "--output", os.path.join(elsewhere, "out"))
        trial.process.wait(TIMEOUT)
        if re.search("(?m)^(unshare|mount): ", trial.said()):
            print("no namespaces, no confinement: " + trial.said().strip())
            return
        assert trial.process.returncode == 1 and "Read-only file system" in trial.said(), trial.said()
    line = Service(LINE, folder, "run", os.path.join(folder, "line.ini"), "--port", "0")
    url = line.wait(lambda: re.search(r"http://127.0.0.1:[0-9]+/", line.said()))[0]
    with open("/proc/%d/status" % line.process.pid, encoding="utf-8") as file:
        status = dict(row.split(":\t", 1) for row in file.read().splitlines())
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and int(status["CapEff"], 16) == 0, status
    publisher = Service(PUBLISHER, folder, "publish", os.path.join(folder, "line.ini"))
    output = os.path.join(folder, "fruit-line-output")
    publisher.wait(lambda: os.path.exists(os.path.join(output, "publisher.json")))

    def count():
        with urllib.request.urlopen(url + "report.json", timeout=TIMEOUT) as answer:
            report = json.load(answer)
        with urllib.request.urlopen(url + "pictures.json", timeout=TIMEOUT) as answer:
            return report["total"]["pieces"] > 40 and json.load(answer)
    line.wait(count)
    assert publisher.stop() == 0, publisher.said()
    assert line.stop() == 0, line.said()
    run = [name for name in os.listdir(output) if name.startswith("2")]
    with open(os.path.join(output, run[0], "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["adds_up"] is True and report["lanes"]["b"]["losses"]["unfit"] == 0, report
    assert os.path.exists(os.path.join(output, run[0], "decisions-000001.jsonl"))
    for path, _, names in os.walk(output):
        assert os.stat(path).st_mode & 0o077 == 0 and not any(os.stat(os.path.join(path, name)).st_mode & 0o077 for name in names)


TESTS = test_verify, test_security, test_confined


def main():
    if sys.argv[3:4] == ["--enter"]:
        enter(sys.argv[4], sys.argv[5], sys.argv[6:])
    if sys.argv[3:4] == ["--confined"]:
        deny, calls, families = sys.argv[4:7]
        confine(set(calls.split(",")), families.split(","), deny == "1")
        os.execv(sys.argv[7], sys.argv[7:])
    run_tests(TESTS)


if __name__ == "__main__":
    main()
