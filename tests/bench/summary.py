#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""summary.py [BUILD]: the table at the top of docs/benchmarks.md: a frame of each element, milliseconds.

*1 thread*, *all threads*, *GPU*: bench-elements, the whole element on frames of pageable memory, until its result can be read
there. *device*: the GPU's own time for the algorithm, frames and results in its memory (the kernels' --bench). *floor*: of the
device, each byte of the frame and the result moved once, and one node of a graph; of the whole, each byte over the bus. Peers
are measured in the same run, one thread each, where they are installed; the best one counts."""
import argparse
import os
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "kernels", "hull"))
import hull_peers  # noqa: E402
from machine import RAW, TENSOR, Machine, cell  # noqa: E402

# of an H200, measured: bytes a second of its memory and over the bus from pinned memory, seconds of a graph's node
MEMORY, BUS, NODE = 4.27e12, 52e9, 1.1e-6


def optional(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


cv2, measure, contourpy, spatial = map(optional, ("cv2", "skimage.measure", "contourpy", "scipy.spatial"))
if cv2:
    cv2.setNumThreads(1)


def median_ms(function):
    times, begin = [], time.perf_counter()
    while not times or (time.perf_counter() - begin < 2 and len(times) < 30):
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times)[len(times) // 2]


def iso_lines(planes, level):
    peers = {}
    if measure:
        peers["scikit-image"] = lambda: [measure.find_contours(plane, level) for plane in planes]
    if contourpy:
        peers["contourpy"] = lambda: [contourpy.contour_generator(z=plane, name="serial").lines(level) for plane in planes]
    if cv2:
        masks = [(plane > level).view(np.uint8) for plane in planes]
        peers["OpenCV, of pixels"] = lambda: [cv2.findContours(m, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE) for m in masks]
    return peers


def hulls(points):
    peers = {}
    if spatial:
        peers["SciPy"] = lambda: spatial.ConvexHull(points)
    if cv2:
        peers["OpenCV"] = lambda: cv2.convexHull(points)
    return peers


def outlines(picture):
    """Of OpenCV's own contours, which are as long."""
    if not cv2:
        return [], {}
    lines, _ = cv2.findContours((picture > 127).view(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    return lines, {}


def drawn(picture):
    lines, peers = outlines(picture)
    frame = np.zeros(picture.shape + (4,), np.uint8)
    if cv2:
        peers["OpenCV, 8 bits"] = lambda: cv2.polylines(frame, lines, True, (0, 255, 0, 255), 2, cv2.LINE_AA)
    return peers


def inside(picture):
    lines, peers = outlines(picture)

    def statistics():
        for line in lines:
            x, y, w, h = cv2.boundingRect(line)
            mask = np.zeros((h, w), np.uint8)
            cv2.drawContours(mask, [line], 0, 1, cv2.FILLED, offset=(-x, -y))
            cv2.meanStdDev(picture[y:y + h, x:x + w], mask=mask)
    if cv2:
        peers["OpenCV"] = statistics
    return peers


def rows(machine):
    """Of each: name, frames' bytes, caps, line, device time in microseconds, bytes of the result, peers."""
    def device_contours(text):
        _, values = machine.contours(text, "--save", machine.folder)[0]
        names = sorted((f for f in os.listdir(machine.folder) if f.startswith("row-")), key=lambda f: int(f[4:-4]))
        image = np.load(os.path.join(machine.folder, names[0]))
        for name in names:
            os.unlink(os.path.join(machine.folder, name))
        return image, values.get("device us")

    image, device = device_contours("1080p gray8 127.5")
    yield ("`cudacontours`, 1080p, 1,400 contours", image, RAW % ("GRAY8", 1920, 1080), "cudacontours name=x BACKEND level=0.5",
           device, 65452 * 8, iso_lines([image], 127.5))
    maps, device = device_contours("95x511x12 float HWC")
    classes = [np.ascontiguousarray(maps[:, :, i]) for i in range(12)]
    yield ("`cudacontours`, 12 classes of 511x95", maps, TENSOR + "12:511:95:1", "cudacontours name=x BACKEND layout=hwc",
           device, 20348 * 8, iso_lines(classes, .5))
    for n, text in ((4000, "4,000"), (1000000, "1,000,000")):
        points = hull_peers.points("square", n)
        yield ("`cudahull`, %s points" % text, points, TENSOR + "2:%d:1:1" % n, "cudahull name=x BACKEND source=points",
               machine.hull_on_device(n), 32 * 8, hulls(points))
    yield ("`cudallf`, 1080p, rank 8", image, RAW % ("GRAY8", 1920, 1080),
           "cudallf name=x BACKEND curve=power quality=normal rank=8 alpha=0.5 sigma=0.2", machine.llf_on_device(1920, 1080),
           image.nbytes, {})
    black = np.zeros((1024, 1024, 4), np.uint8)
    yield ("`cudacircles`, 100,000 circles, 1024x1024", black, RAW % ("RGBx", 1024, 1024),
           "cudacircles name=x BACKEND scene=rand100k background=frame",
           machine.circles_on_device("rand100k", "1024x1024"), black.nbytes, {})
    colour = np.ascontiguousarray(np.repeat(image[:, :, None], 4, 2))
    finder = "cudacontours backend=cpu level=0.5 ! "
    yield ("`shapeoverlay`, outlines of 1,400 contours, 1080p", colour, RAW % ("RGBx", 1920, 1080),
           finder + "shapeoverlay name=x BACKEND", None, colour.nbytes, drawn(image))
    yield ("`shapestats`, 1,400 contours, 1080p", image, RAW % ("GRAY8", 1920, 1080), finder + "shapestats name=x BACKEND", None,
           1400 * 64, inside(image))
    yield ("`fourierdraw`, 1,000 vectors, 1080p", colour, RAW % ("RGBx", 1920, 1080),
           "fourierdraw name=x BACKEND mode=live detect=iso n-vectors=1000", None, colour.nbytes, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("--run", default="", help="a command before each program's name, in place of BUILD")
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--only", default="", help="rows whose name has this text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments.build, arguments.run, folder)
        print("| element | 1 thread | all, %d | GPU | p99 | floor | device | floor | device / floor | best peer | x, 1 thread "
              "| x, GPU |\n|%s" % (os.cpu_count(), "---|" * 12))
        for name, frame, caps, line, device, result, peers in rows(machine):
            if arguments.only not in name:
                continue
            path = os.path.join(folder, "frame")
            frame.tofile(path)
            one, every, gpu = [machine.element(arguments.frames, path, caps, line, backend, threads)
                               for backend, threads in (("cpu", 1), ("cpu", 0), ("cuda", 0))]
            best = min(((median_ms(run), peer) for peer, run in peers.items()), default=None)
            moved = frame.nbytes + result
            floor = 1e3 * (moved / MEMORY + NODE)
            print("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |" % (
                name, cell(one[0]), cell(every[0]), cell(gpu and gpu[0]), cell(gpu and gpu[1]), cell(1e3 * moved / BUS),
                cell(device and device / 1e3), cell(floor), cell(device and device / 1e3 / floor),
                "%s %s" % (cell(best[0]), best[1]) if best else "-", cell(best and best[0] / one[0]),
                cell(best and gpu and best[0] / gpu[0])), flush=True)


if __name__ == "__main__":
    main()
