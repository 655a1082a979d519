#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hull_conformance.py CHECK-HULL HULL.JSON [BACKEND]: the golden hulls, which were computed in rational arithmetic.

Each case: name, dtype, points, hull_ccw_xy_from_lexmin. BACKEND: cpu, cuda, or both, which must agree. Skips (77) where
the file or the GPU is not there.
"""
import json
import os
import shlex
import subprocess
import sys


def main():
    program, path = sys.argv[1:3]
    backend = sys.argv[3] if len(sys.argv) > 3 else "cpu"
    if not os.path.exists(path):
        print(f"no {path}: nothing to compare with")
        return 77
    with open(path) as f:
        cases = json.load(f)
    text = "".join(f"{c['dtype']} {len(c['points'])}\n" +
                   "".join(f"{x!r} {y!r}\n" for x, y in c["points"]) for c in cases)
    # of a cross-compiled program
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    run = subprocess.run([*wrapper, program, "--solve", "--backend", backend], input=text, capture_output=True, text=True)
    if run.returncode:
        print(run.stdout + run.stderr)
        return run.returncode
    lines = [line for line in run.stdout.splitlines() if line[:1].isdigit()]
    failed = 0
    for case, line in zip(cases, lines, strict=True):
        indices = [int(word) for word in line.split()[1:]]
        points = case["points"]
        hull = [points[i] for i in indices]
        # of equal points the first counts
        lowest = all(points.index(points[i]) == i for i in indices)
        if hull != case["hull_ccw_xy_from_lexmin"] or not lowest:
            failed += 1
            print(f"FAILED: {case['name']}: {hull}, not {case['hull_ccw_xy_from_lexmin']}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
