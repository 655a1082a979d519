#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""growth.py [BUILD]: how each algorithm's time grows with its work: a table, and the chart of docs/benchmarks.md.

*1 thread* and *GPU*: the whole element on frames of pageable memory (bench-elements); *device*: the GPU's own time, frames and
results in its memory (the kernels' --bench). The exponent is that of the last tenfold: 1 is linear."""
import argparse
import math
import os
import re
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "kernels", "hull"))
import hull_peers  # noqa: E402
from machine import RAW, TENSOR, Machine, cell  # noqa: E402

SIZES = ((320, 180), (640, 360), (1280, 720), (1920, 1080), (3840, 2160), (7680, 4320))


def picture(width, height):
    """Structure at every scale, and a little noise: the same share of pixels near an edge at every size."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    total = sum(np.sin(x / scale * 1.7 + scale) * np.sin(y / scale * 1.3) for scale in (8, 16, 32, 64, 128))
    noise = np.random.default_rng(1).integers(-6, 7, (height, width))
    return np.clip(127 + 30 * total + noise, 0, 255).astype(np.uint8)


def series(machine):
    """Of each: name, unit of work, frames as (work, frame, caps, line), the device's (work, microseconds)."""
    grow = machine.contours("grow") if machine.gpu else []
    yield "contours", "Mpixel", [(w * h / 1e6, picture(w, h), RAW % ("GRAY8", w, h), "cudacontours name=x BACKEND level=0.5")
                                 for w, h in SIZES], [(float(row.split()[1]), values["device us"]) for row, values in grow]
    numbers = (4000, 40000, 400000, 4000000)
    yield "hull", "points", [(n, hull_peers.points("square", n), TENSOR + "2:%d:1:1" % n,
                              "cudahull name=x BACKEND source=points") for n in numbers], \
        [(n, machine.hull_on_device(n)) for n in numbers]
    yield "filter", "Mpixel", [(w * h / 1e6, picture(w, h), RAW % ("GRAY8", w, h),
                                "cudallf name=x BACKEND curve=power quality=normal rank=8 alpha=0.5 sigma=0.2")
                               for w, h in SIZES], [(w * h / 1e6, machine.llf_on_device(w, h)) for w, h in SIZES]
    black = np.zeros((1024, 1024, 4), np.uint8)
    scenes = (10000, "rand10k"), (100000, "rand100k"), (1000000, "rand1m")
    yield "circles", "circles", [(n, black, RAW % ("RGBx", 1024, 1024), "cudacircles name=x BACKEND scene=%s background=frame" % scene)
                                 for n, scene in scenes], \
        [(n, machine.circles_on_device(scene, "1024x1024")) for n, scene in scenes]


def measure(machine, frames):
    """Of each: name, unit, rows of (work, 1 thread, GPU, device), milliseconds or None."""
    for name, unit, inputs, device in series(machine):
        rows = {}
        for work, frame, caps, line in inputs:
            path = os.path.join(machine.folder, "frame")
            frame.tofile(path)
            times = [machine.element(frames, path, caps, line, backend, 1) for backend in ("cpu", "cuda")]
            rows[work] = [time and time[0] for time in times] + [None]
        for work, time in device:
            rows.setdefault(work, [None] * 3)[2] = time and time / 1e3
        yield name, unit, [(work, *rows[work]) for work in sorted(rows)]


def read(path):
    """The same of a table that was printed."""
    tables = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 5 or not cells[1][:1].isdigit():
                continue
            work, unit = cells[1].split()
            if not tables or tables[-1][0] != cells[0]:
                tables.append((cells[0], unit, []))
            tables[-1][2].append((float(work.replace(",", "")), *(None if c == "-" else float(c) for c in cells[2:])))
    return tables


def read_labels(path):
    """The same of what check-labels --bench --backend both has printed: time and length of borders, of one size of picture."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"\d+ cells +\d+ +(\d+) +(\d+) +\d+ +(\d+) +(\d+)", line.strip())
            if match:
                steps, thread, device, host = map(int, match.groups())
                rows.append((steps, thread / 1e3, host / 1e3, device / 1e3))
    return [("polygons of labels, 4.5 Mpixel", "steps along borders", sorted(rows))]


def exponent(rows, column):
    points = [(row[0], row[column]) for row in rows if row[column]]
    if len(points) < 2:
        return None
    (x, y), (x1, y1) = points[-1], next(p for p in reversed(points[:-1]) if p[0] * 8 <= points[-1][0] or p == points[0])
    return math.log(y / y1) / math.log(x / x1)


def draw(tables, path):
    """Milliseconds over work, both logarithmic, a panel for each algorithm."""
    width, height, out = 300, 220, []
    colours = ("#0072b2", "1 thread"), ("#d55e00", "GPU, from pageable memory"), ("#009e73", "device")
    for i, (name, unit, rows) in enumerate(tables):
        left, top = 52 + i % 2 * (width + 70), 30 + i // 2 * (height + 70)
        values = [value for row in rows for value in row[1:] if value]
        x0, x1 = math.log10(rows[0][0]), math.log10(rows[-1][0])
        y0, y1 = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

        def place(work, ms):
            return (left + width * (math.log10(work) - x0) / (x1 - x0), top + height * (y1 - math.log10(ms)) / (y1 - y0))
        out.append('<text x="%d" y="%d" font-weight="bold">%s</text>' % (left, top - 10, name))
        for decade in range(y0, y1 + 1):
            y = place(rows[0][0], 10. ** decade)[1]
            out.append('<path d="M%d %.1fh%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>' % (
                left, y, width, left - 5, y + 4, 10. ** decade))
        for decade in range(math.ceil(x0), math.floor(x1) + 1):
            x = place(10. ** decade, 10. ** y0)[0]
            out.append('<path d="M%.1f %dv%d" stroke="#eee"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (
                x, top, height, x, top + height + 16, "{:,}".format(10 ** decade) if decade >= 0 else "%g" % 10. ** decade))
        out.append('<text x="%d" y="%d" text-anchor="end" fill="#666">%s</text>' % (left + width, top + height + 32, unit))
        for column, (colour, _) in enumerate(colours, 1):
            points = [place(row[0], row[column]) for row in rows if row[column]]
            out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (
                " ".join("%.1f,%.1f" % p for p in points), colour))
            out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*p, colour) for p in points]
    bottom = 30 + (len(tables) + 1) // 2 * (height + 70)
    left = 52
    for colour, text in colours:
        out.append('<text x="%d" y="%d" fill="%s">%s, ms</text>' % (left, bottom, colour, text))
        left += 40 + 7 * len(text)
    size = max(52 + min(len(tables), 2) * (width + 70), left), bottom + 20
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
                   '<rect width="%d" height="%d" fill="white"/>\n%s\n</svg>\n' % (*size, *size, "\n".join(out)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--run", default="", help="a command before each program's name, in place of BUILD")
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("--read", metavar="FILE", help="measure nothing: take the table of that file")
    parser.add_argument("--read-labels", metavar="FILE", help="the same of the output of check-labels --bench --backend both")
    parser.add_argument("--chart", metavar="FILE", help="write an SVG there")
    arguments = parser.parse_args()
    if arguments.read:
        tables = read(arguments.read)
    elif arguments.read_labels:
        tables = read_labels(arguments.read_labels)
    else:
        tables = []
        with tempfile.TemporaryDirectory() as folder:
            print("| algorithm | work | 1 thread | GPU | device |\n|---|---|---|---|---|")
            for name, unit, rows in measure(Machine(arguments.build, arguments.run, folder), arguments.frames):
                for row in rows:
                    print("| %s | %s %s | %s | %s | %s |" % (name, "{:,.0f}".format(row[0]) if row[0] >= 1000 else "%g" % row[0], unit, *map(cell, row[1:])), flush=True)
                print("| %s | *exponent* | %s | %s | %s |" % (name, *(cell(exponent(rows, i)) for i in (1, 2, 3))), flush=True)
                tables.append((name, unit, rows))
    if arguments.chart:
        draw(tables, arguments.chart)


if __name__ == "__main__":
    main()
