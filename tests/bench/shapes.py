#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""shapes.py [FRAMES]: milliseconds of processor time that Python takes to read all arrays of 24 contours of 141 points
each from a buffer, and the process' memory after a tenth of FRAMES (20,000) and at the end."""
import math
import resource
import sys
import time

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstShapes", "1.0")
from gi.repository import Gst, GstShapes
import numpy as np

SHAPES, POINTS = 24, 141


def make_buffer():
    angles = np.linspace(0, 2 * math.pi, POINTS)
    ring = np.stack([np.cos(angles), np.sin(angles)], 1) * 30
    polygons = [ring + (50 + 70 * (i % 6), 50 + 70 * (i // 6)) for i in range(SHAPES)]
    buffer = Gst.Buffer.new_wrapped(bytes(16))
    GstShapes.buffer_add_shape_meta(buffer, GstShapes.ShapeSet.from_polygons(polygons, 500, 320))
    return buffer


def read(buffer):
    """A checksum of everything, so that it is really read."""
    total = 0.
    for contour in GstShapes.buffer_get_shape_set(buffer).contours():
        total += contour.points[0, 0] + contour.area + contour.perimeter
    return total


def read_arrays(buffer):
    shapes, total = GstShapes.buffer_get_shape_set(buffer), 0
    for i in range(shapes.get_n_layers()):
        layer = shapes.get_layer(i)
        for array in (layer.points(), layer.offsets(), layer.polylines(), layer.moments()):
            total += len(array) if array is not None else 0
    return total


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2 ** 20


def measure(name, function, buffer, frames):
    times, early = [], 0
    for i in range(frames):
        begin = time.thread_time()
        function(buffer)
        times.append(time.thread_time() - begin)
        if i == frames // 10:
            early = resident()
    times.sort()
    print("%-24s %.4f ms, least %.4f; %.1f MiB after %d frames, %.1f after %d" % (
        name, times[len(times) // 2] * 1e3, times[0] * 1e3, early, frames // 10, resident(), frames))


def main():
    Gst.init(None)
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    buffer = make_buffer()
    measure("arrays of the set", read_arrays, buffer, frames)
    measure("contour by contour", read, buffer, frames)


if __name__ == "__main__":
    main()
