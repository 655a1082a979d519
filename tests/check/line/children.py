# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that tests start in the background: they end when the test ends, however that is."""

import ctypes
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1    # prctl(2)
LIBC = ctypes.CDLL(None)


def start(command, preexec_fn=None, **popen):
    """subprocess.Popen of a program that is killed when the thread that has started it ends."""
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if preexec_fn:
            preexec_fn()
    return subprocess.Popen(command, preexec_fn=prepare, **popen)


def start_ready(command, **popen):
    """The same of one that prints a line when it is ready, after that."""
    process = start(command, stdout=subprocess.PIPE, text=True, **popen)
    assert process.stdout.readline(), "%s has ended" % (command,)
    return process


def wait_until(what, seconds, why="nothing came", process=None):
    """What what() returns when that is true: of what another program does and tells nobody. @why: of the failure, or returns it.
    @process: that must not have ended."""
    end = time.monotonic() + seconds
    while not (found := what()):
        told = why() if callable(why) else why
        assert time.monotonic() < end, told
        assert process is None or process.poll() is None, told
        time.sleep(.05)
    return found


def find_port():
    """One at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
