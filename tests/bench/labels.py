#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""labels.py: polygons of all labels of a picture of 2500 x 1800 pixels, cells around random points, by cudashapes and by others
in the same run. Milliseconds, medians; what is not installed is left out. Those that look through the whole picture for one
label do so for a few, and the row is their time for all.

labels.py [LABELS]
"""
import sys
import time

import numpy as np

WIDTH, HEIGHT, STRIP, A_FEW = 2500, 1800, 256, 5


def optional(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        return None


cudashapes, cupy, cv2, features, measure = map(
    optional, ("cudashapes", "cupy", "cv2", "rasterio.features", "skimage.measure"))


def cells(n):
    """Regions around points, one in each square of a grid, about n: which point of the squares around is nearest."""
    rows = max(round((n * HEIGHT / WIDTH) ** .5), 1)
    columns = max(round(n / rows), 1)
    sites = np.random.default_rng(1).uniform(0, 1, (2, rows + 2, columns + 2))
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype("f4")
    y, x = (y + .5) * (rows / HEIGHT), (x + .5) * (columns / WIDTH)
    i, j = y.astype(int), x.astype(int)
    nearest, labels = np.full(y.shape, np.inf, "f4"), np.zeros(y.shape, "i4")
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            a, b = i + di, j + dj
            away = (a + sites[0, a, b] - y) ** 2 + (b + sites[1, a, b] - x) ** 2
            away[(a < 0) | (b < 0) | (a >= rows) | (b >= columns)] = np.inf
            labels[away < nearest] = (a * columns + b + 1)[away < nearest]
            nearest = np.minimum(nearest, away)
    return labels


def milliseconds(function, seconds=1.):
    """The median of calls for a second."""
    times, begin = [], time.perf_counter()
    function()
    while not times or (time.perf_counter() - begin < seconds and len(times) < 1000):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times)[len(times) // 2]


def row(what, function, factor=1.):
    print("| %s | %.3g |" % (what, factor * milliseconds(function)), flush=True)


def crops(labels):
    """Each label's mask with a border of one pixel, and where it is: as a loop over scikit-image's regionprops()."""
    for region in measure.regionprops(labels):
        yield np.pad(region.image, 1), region.slice


def by_cudashapes(labels):
    find = cudashapes.label_polygons
    for outline in ("contours", "pixels"):
        row("cudashapes, CPU: outline='%s'" % outline, lambda: find(labels, outline=outline, backend="cpu"))
    row("the same, every ring as an array", lambda: dict(find(labels, outline="pixels", backend="cpu")))
    strips = [labels[y:y + STRIP] for y in range(0, HEIGHT, STRIP)]
    row("the same in strips of %d rows" % STRIP,
        lambda: cudashapes.label_polygons_of_strips(strips, outline="pixels"))
    if cupy and cupy.cuda.is_available():
        there = cupy.asarray(labels)
        for outline in ("contours", "pixels"):
            row("cudashapes, GPU, polygons there: outline='%s'" % outline, lambda: find(there, outline=outline))


def by_others(labels, n):
    whole = n / A_FEW
    few = np.linspace(1, n, A_FEW).astype(int)
    if features:
        row("rasterio, `features.shapes()` (GDAL's polygonize)", lambda: list(features.shapes(labels, connectivity=4)))
    if measure:
        row("scikit-image, `find_contours()` of each label's box",
            lambda: [measure.find_contours(mask, .5) for mask, _ in crops(labels)])
        row("scikit-image, `find_contours(labels == k, .5)`",
            lambda: [measure.find_contours(np.pad(labels == k, 1), .5) for k in few], whole)
    if cv2 and measure:
        row("OpenCV, `findContours()` of each label's box",
            lambda: [cv2.findContours(mask.view("u1"), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE) for mask, _ in crops(labels)])
    if cv2:
        row("OpenCV, `findContours()` of `labels == k`",
            lambda: [cv2.findContours((labels == k).view("u1"), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE) for k in few], whole)


def main():
    labels = cells(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
    n = int(labels.max())
    print("| polygons of %d labels, %d x %d | ms |\n|---|---|" % (n, WIDTH, HEIGHT))
    if cudashapes:
        by_cudashapes(labels)
    by_others(labels, n)


if __name__ == "__main__":
    main()
