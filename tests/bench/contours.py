#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""contours.py CHECK_CONTOURS [OPTION...]: this project's contours compared with its peers, on the same images.

Runs `CHECK_CONTOURS --bench` (which takes the options), then scikit-image, OpenCV and contourpy, where they are
installed, on the images that it measured, and prints one Markdown table: times in milliseconds, and how many times
faster than contourpy each of ours is. OpenCV's findContours gives integer borders of a mask, not iso-lines.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

PEERS = {}
try:
    from skimage.measure import find_contours
    PEERS["scikit-image"] = lambda plane, level: find_contours(plane, level)
except ImportError:
    pass
try:
    import cv2
    PEERS["OpenCV"] = lambda plane, level: cv2.findContours((plane > level).view(np.uint8), cv2.RETR_CCOMP,
                                                            cv2.CHAIN_APPROX_NONE)
except ImportError:
    pass
try:
    import contourpy
    PEERS["contourpy"] = lambda plane, level: contourpy.contour_generator(z=plane, name="serial").lines(level)
except ImportError:
    pass
# scikit-image needs a minute for the largest
MAX_SEGMENTS = {"scikit-image": 1_000_000, "OpenCV": 10_000_000, "contourpy": 10_000_000}


def planes(image):
    if image.ndim == 2:
        return [image]
    # the smallest dimension is the channels
    axis = int(np.argmin(image.shape))
    return [np.ascontiguousarray(np.take(image, c, axis)) for c in range(image.shape[axis])]


def time_peer(function, image, level):
    """Milliseconds: the median of as many runs as fit in a second, at least one."""
    parts = planes(image)
    times, begin = [], time.perf_counter()
    while not times or (time.perf_counter() - begin < 1 and len(times) < 30):
        start = time.perf_counter()
        for part in parts:
            function(part, level)
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[len(times) // 2]


def run_ours(arguments, folder):
    """(column names, [(name, level, {column: value})]) from the program's table"""
    out = subprocess.run(arguments + ["--bench", "--save", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("case "))
    columns = re.findall(r"segments|contours|cpu 1 us|cpu all us|busy us|33ms us|device us|call us|pinned us|driver us|pageable us|ns/cell|"
                         r"ns/seg", lines[head])
    rows = []
    for line in lines[head + 1:]:
        if "MISMATCH" in line:
            sys.exit(f"contours.py: the backends differ: {line}")
        # some names are wider than their column
        name, *values = line.rsplit(maxsplit=len(columns))
        rows.append((name.strip(), dict(zip(columns, map(float, values)))))
    return columns, rows


def level_of(name, image):
    if image.dtype != np.uint8:
        return .5
    return 128. if "128" in name else 127.5


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        columns, rows = run_ours(sys.argv[1:], folder)
        ours = [c for c in columns if c.endswith(" us")]
        head = ["case", "segments", "contours"] + [c[:-3] for c in ours] + list(PEERS)
        if "contourpy" in PEERS:
            head += [f"x, {c[:-3]}" for c in ours]
        print("Times in ms. cpu 1, cpu all: threads; device: the GPU's work alone; call: a run on an image in GPU memory; "
              "pinned, pageable: end to end; driver: pageable, the driver's copy; x: contourpy's time over ours.\n")
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
        images = sorted((f for f in os.listdir(folder)), key=lambda f: int(re.search(r"\d+", f)[0]))
        for (name, values), file in zip(rows, images):
            image = np.load(os.path.join(folder, file))
            peers = {peer: time_peer(function, image, level_of(name, image))
                     for peer, function in PEERS.items() if values["segments"] <= MAX_SEGMENTS[peer] and
                     image.size < 50e6}
            cells = [name, "%d" % values["segments"], "%d" % values["contours"]]
            cells += ["%.3f" % (values[c] / 1e3) for c in ours]
            cells += ["%.3g" % peers[p] if p in peers else "-" for p in PEERS]
            if "contourpy" in PEERS:
                cells += ["%.1f" % (peers["contourpy"] * 1e3 / values[c]) if "contourpy" in peers else "-" for c in ours]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
