#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""streams.py [BUILD]: frames a second of several streams in one process, each with a pipeline of its own.

Each stream repeats one 1080p gray frame of pageable memory, as fast as its element takes it, which is read from the caches
more often than a camera's frames would be. *copies*: as many frames of page-locked memory a second could be copied to the GPU,
one after the other (bench-copy, in the same run). *CPU ms*: processors' time for a frame, start and end of the process
included."""
import argparse
import math
import os
import re
import resource
import sys
import tempfile

import numpy as np

from machine import Machine, cell

ELEMENTS = {
    "cudacontours": "cudacontours level=0.5 backend=%s n-threads=1",
    "cudallf": "cudallf curve=power quality=normal rank=8 backend=%s n-threads=1",
}
WIDTH, HEIGHT = 1920, 1080


def picture():
    """Round spots, of which each has one contour."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    return (127.5 + 127 * np.sin(x / 20.) * np.sin(y / 20.)).astype(np.uint8)


def measure(machine, path, element, n_streams, n_frames):
    branch = ["filesrc", "location=" + path, "!", "rawvideoparse", "format=gray8", "width=%d" % WIDTH, "height=%d" % HEIGHT, "!",
              "imagefreeze", "num-buffers=%d" % n_frames, "!", *element.split(), "!", "fakesink", "sync=false"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = machine.program("gst-launch-1.0", *(branch * n_streams))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Execution ended after (\d+):(\d+):([\d.]+)", done.stdout)
    if done.returncode or not found:
        sys.exit("%s: %s" % (element, done.stderr or done.stdout))
    seconds = 3600 * int(found[1]) + 60 * int(found[2]) + float(found[3])
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return n_streams * n_frames / seconds, 1e3 * busy / (n_streams * n_frames)


def run(arguments):
    """Measures and prints; returns element, backend, streams and rate of each."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments.build, arguments.run, folder)
        path = os.path.join(folder, "frame")
        picture().tofile(path)
        copy = re.search(r"1080p gray +\d+ +\d+ +([\d.]+)", machine.program("bench-copy").stdout) if machine.gpu else None
        copies = 1e6 / float(copy[1]) if copy else None
        print("| element | backend | streams | frames/s | CPU ms | of copies |\n|---|---|---|---|---|---|")
        for name, element in ELEMENTS.items():
            for backend in ("cpu", "cuda") if machine.gpu else ("cpu",):
                rate, _ = measure(machine, path, element % backend, 1, 50)
                for n in map(int, arguments.streams.split(",")):
                    rate, busy = measure(machine, path, element % backend, n, max(20, int(rate * arguments.seconds / n)))
                    rows.append((name, backend, n, rate))
                    print("| `%s` | %s | %d | %s | %s | %s |" % (
                        name, backend, n, cell(rate), cell(busy), cell(rate / copies) if backend == "cuda" and copies else "-"),
                        flush=True)
    return rows


def read(path):
    """The rows of a table that an earlier run has printed."""
    with open(path, encoding="utf-8") as file:
        cells = ([cell.strip(" `") for cell in line.strip().strip("|").split("|")] for line in file)
        return [(row[0], row[1], int(row[2]), float(row[3])) for row in cells if row[0] in ELEMENTS]


def draw(rows, path):
    """How many cameras of 30 pictures a second that is: bars, logarithmic from 0.1 to 1000."""
    left, width, bars, y, out = 250, 380, [], 24, []
    for name in ELEMENTS:
        rates = {backend: [row[2:] for row in rows if row[:2] == (name, backend)] for backend in ("cpu", "cuda")}
        bars.append((name, None, None))
        for backend, colour, one, every in (("cpu", "#0072b2", "CPU, one thread", "CPU, all cores, %d streams"),
                                            ("cuda", "#d55e00", "GPU, one stream", "GPU, %d streams")):
            if rates[backend]:
                n, best = max(rates[backend], key=lambda row: row[1])
                bars += [(one, colour, dict(rates[backend])[1]), (every % n, colour, best)]
    for decade in range(-1, 4):
        x = left + width * (decade + 1) / 4
        out.append('<path d="M%.0f 10V%d" stroke="#ddd"/><text x="%.0f" y="%d" text-anchor="middle" fill="#666">%g</text>' % (
            x, 14 + 24 * len(bars), x, 30 + 24 * len(bars), 10. ** decade))
    for text, colour, rate in bars:
        if rate is None:
            out.append('<text x="10" y="%d" font-weight="bold">%s</text>' % (y, text))
        else:
            cameras = rate / 30
            length = width * (math.log10(max(cameras, .1)) + 1) / 4
            out.append('<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.0f" height="14" fill="%s"/>'
                       '<text x="%.0f" y="%d">%s</text>' % (left - 8, y, text, left, y - 11, length, colour, left + length + 6, y,
                                                            cell(cameras)))
        y += 24
    out.append('<text x="%d" y="%d" text-anchor="end" fill="#666">cameras of 1080p gray at 30 pictures a second</text>' % (
        left + width, y + 28))
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 %d" font-family="sans-serif" font-size="13">'
                   '<rect width="700" height="%d" fill="white"/>\n%s\n</svg>\n' % (y + 40, y + 40, "\n".join(out)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(os.path.dirname(__file__), "..", "..", "build"))
    parser.add_argument("--run", default="", help="a command before each program's name, in place of BUILD")
    parser.add_argument("--streams", default="1,2,4,8,16,32")
    parser.add_argument("--seconds", type=float, default=2, help="about so long for each number")
    parser.add_argument("--read", metavar="FILE", help="measure nothing: take the table of that file")
    parser.add_argument("--chart", metavar="FILE", help="write an SVG there")
    arguments = parser.parse_args()
    rows = read(arguments.read) if arguments.read else run(arguments)
    if arguments.chart:
        draw(rows, arguments.chart)

if __name__ == "__main__":
    main()
