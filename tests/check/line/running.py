# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of a program PROGRAM FILES [TEST...], which are functions of a folder."""

import sys
import tempfile
import time


def run_tests(tests):
    """Those that are named, or all, one after the other, each in a folder of its own."""
    for test in tests:
        if sys.argv[3:] and test.__name__ not in sys.argv[3:]:
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
        print("%s: %.1f s" % (test.__name__, time.monotonic() - begin), flush=True)
