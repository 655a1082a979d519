# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that tests start in the background: they end when the test ends, however that is."""

import ctypes
import signal
import socket
import subprocess

PR_SET_PDEATHSIG = 1    # prctl(2)
LIBC = ctypes.CDLL(None)


def start(command, preexec_fn=None, **popen):
    """subprocess.Popen of a program that is killed when the thread that has started it ends."""
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if preexec_fn:
            preexec_fn()
    return subprocess.Popen(command, preexec_fn=prepare, **popen)


def find_port():
    """One at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
