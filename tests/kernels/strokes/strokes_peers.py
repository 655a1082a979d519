#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""strokes_peers.py CHECK-STROKES [POINTS]...: travel with the pen up after vpype's linesort, and its time, on what
check-strokes --bench measures."""
import subprocess
import sys
import time

try:
    import numpy as np
    import vpype
    import vpype_cli
except ImportError as error:
    print(f"not here: {error}")
    sys.exit(77)


def travel(lines):
    return sum(abs(a[-1] - b[0]) for a, b in zip(lines, lines[1:]))


def main():
    for n in [int(a) for a in sys.argv[2:]] or [1000, 20000, 83600]:
        text = subprocess.run([sys.argv[1], "--lines", str(n)], stdout=subprocess.PIPE, check=True).stdout.decode()
        lines = [np.array(line.split(), float).view(complex) for line in text.splitlines()]
        for options in ("", " --two-opt"):
            if options and n > 20000:
                continue  # takes minutes
            document = vpype.Document()
            document.add(vpype.LineCollection(lines), 1)
            start = time.perf_counter()
            result = vpype_cli.execute("linesort" + options, document)
            seconds = time.perf_counter() - start
            print(f"{n:8} points {len(lines):6} contours: vpype {vpype.__version__} linesort{options}: travel "
                  f"{travel(list(result.layers[1])):.0f}, input {travel(lines):.0f}; {seconds * 1e3:.0f} ms", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
