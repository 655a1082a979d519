#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""properties.py: properties of all regions of a picture of 2500 x 1800 pixels, cells around random points, by cudashapes and by
others in the same run. Milliseconds, medians; what is not installed is left out.

properties.py [LABELS]
"""
import sys

from labels import HEIGHT, WIDTH, cells, cudashapes, cupy, cv2, measure, optional, row

SUMS = ("label", "bbox", "area", "centroid")
ELLIPSES = SUMS + ("axis_major_length", "axis_minor_length", "eccentricity", "orientation")
HULLS = ELLIPSES + ("perimeter", "euler_number", "area_convex", "solidity", "feret_diameter_max")
SETS = {"sums": SUMS, "and ellipses": ELLIPSES, "and perimeters and hulls": HULLS, "all, moments too": None}


def by_cudashapes(labels):
    find = cudashapes.region_properties
    for what, names in SETS.items():
        row("cudashapes, CPU: " + what, lambda: find(labels, names, backend="cpu"))
    if cupy and cupy.cuda.is_available():
        there = cupy.asarray(labels)
        for what, names in SETS.items():
            row("cudashapes, GPU, columns there: " + what, lambda: find(there, names))


def by_others(labels):
    cucim = optional("cucim.skimage.measure")
    for what in ("sums", "and ellipses", "and perimeters and hulls"):
        if measure:
            row("scikit-image, `regionprops_table()`: " + what,
                lambda: measure.regionprops_table(labels, properties=SETS[what]))
        if cucim:
            there = cupy.asarray(labels)
            row("cuCIM, `regionprops_table()`: " + what,
                lambda: cucim.regionprops_table(there, properties=SETS[what]))
    if cv2:
        # which finds the components of a mask, and their boxes, areas and centroids
        row("OpenCV, `connectedComponentsWithStats()`", lambda: cv2.connectedComponentsWithStats((labels % 2).astype("u1")))


def main():
    labels = cells(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
    print("| properties of %d regions, %d x %d | ms |\n|---|---|" % (labels.max(), WIDTH, HEIGHT))
    if cudashapes:
        by_cudashapes(labels)
    by_others(labels)


if __name__ == "__main__":
    main()
