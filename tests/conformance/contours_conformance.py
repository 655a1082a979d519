#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contours kernel against recorded find_contours() results and the exhaustive digests.

Golden cases are in data/contours.json.
"""
import hashlib
import itertools
import json
import math
import os
import struct
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)
import cskernels

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "contours.json")

# all 3x3 images over {-1, 0, 1}, level 0
DIGESTS = {"low": "5502b7305d072ec8ef3e98eda182fc9dc78ef3079828fd6506f22e94f8b01e3a",
           "high": "e4996863430a6b1bce22aeb444979e462ceb09dd3b1b9fff0d8cb9106e205498"}
# where the meaning deviates on purpose: defaults for integer and masked input
DEVIATIONS = ("O20 ", "O21 ")


def add(digest, lines):
    digest.update(struct.pack("<I", len(lines)))
    for line in lines:
        digest.update(struct.pack("<I", len(line)))
        digest.update(np.ascontiguousarray(line, "<f8").tobytes())


def sha256(lines):
    digest = hashlib.sha256()
    add(digest, lines)
    return digest.hexdigest()


def exhaustive(connected):
    digest = hashlib.sha256()
    plan = cskernels.Contours([(0, 0.)], fully_connected=connected)
    for values in itertools.product((-1., 0., 1.), repeat=9):
        add(digest, [line[:, ::-1] for line in plan.run(np.array(values).reshape(3, 3))[0]])
    return digest.hexdigest()


def load(case):
    if case["name"].startswith("S5 "):
        # scalar by scalar: numpy's vectorised functions differ in the last bit from machine to machine
        axis = np.ogrid[-np.pi:np.pi:100j]
        x3, y2 = [math.sin(v) ** 3 for v in axis], [math.cos(v) ** 2 for v in axis]
        return np.array([[math.sin(math.exp(a + b)) for b in y2] for a in x3])
    rows = [[np.nan if v is None else v for v in row] for row in case["input"]]
    dtype = case["dtype"]
    return np.array(rows, np.float64).astype(dtype if dtype in cskernels.SAMPLE_TYPES else np.float64)


def check(case, n_threads):
    mask = None if case.get("mask") is None else np.array(case["mask"], bool)
    lines = cskernels.find_contours(load(case), case["level"], case["fully_connected"], case["positive_orientation"],
                                    mask=mask, n_threads=n_threads)
    return [len(line) for line in lines] == case["lengths"] and sha256(lines) == case["sha256"]


def main():
    passed = failed = 0

    def report(ok, name):
        nonlocal passed, failed
        passed += ok
        failed += not ok
        if not ok:
            print("FAIL", name)

    for connected, digest in DIGESTS.items():
        report(exhaustive(connected) == digest, f"exhaustive 3x3, fully connected {connected}")
    with open(GOLDEN) as file:
        cases = json.load(file)
    for case in cases:
        if not case["name"].startswith(DEVIATIONS):
            report(check(case, 1), case["name"])
            report(check(case, 4), case["name"] + ", 4 threads")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
