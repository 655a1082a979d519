# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that tests start in the background: they end when the test ends, however that is.

Run as a program it is its own test.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1    # prctl(2)
LIBC = ctypes.CDLL(None)
PATIENCE = 60


def start(command, preexec_fn=None, **popen):
    """subprocess.Popen of a program that is killed when the thread that has started it ends."""
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if preexec_fn:
            preexec_fn()
    return subprocess.Popen(command, preexec_fn=prepare, **popen)


def is_there(pid):
    """One that nobody has waited for yet is not."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def main():
    """A test that is killed, and so cannot end what it has started."""
    if len(sys.argv) > 1:
        print(start(["sleep", "1000"], stdout=subprocess.DEVNULL).pid, flush=True)
        time.sleep(1000)
    parent = subprocess.Popen([sys.executable, __file__, "parent"], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    assert is_there(child)
    parent.kill()
    parent.communicate()
    for _ in range(PATIENCE * 20):
        if not is_there(child):
            print("a child ends with its parent")
            return
        time.sleep(.05)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("the child is still there")


if __name__ == "__main__":
    main()
