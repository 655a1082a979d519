#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hull_peers.py [MAX-POINTS]: times of SciPy's (Qhull's) and OpenCV's convex hulls, on what check-hull --bench measures.

Milliseconds, the median of up to 9 runs, single precision points as check-hull makes them (splitmix64, seed 42).
"""
import statistics
import sys
import time

import numpy as np

SEED, KINDS = 42, {"square": 0, "disk": 1, "circle": 2, "gaussian": 3, "annulus": 5}


def uniforms(kind, n):
    """Two numbers of 0 .. 1 a point, as hull_data.c draws them."""
    state = np.uint64(SEED * 1000 + KINDS[kind]) + np.arange(1, 2 * n + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    z ^= z >> np.uint64(31)
    return ((z >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(n, 2).T


def points(kind, n):
    u, v = uniforms(kind, n)
    if kind == "square":
        return np.stack((u, v), 1).astype(np.float32)
    radius = {"disk": np.sqrt(u), "circle": np.ones(n), "gaussian": np.sqrt(-2 * np.log(u + 2.0**-60)),
              "annulus": 1 + 1e-3 * u}[kind]
    return (radius * np.array((np.cos(2 * np.pi * v), np.sin(2 * np.pi * v)))).T.astype(np.float32).copy()


def median_ms(function, argument):
    times, begin = [], time.perf_counter()
    while len(times) < 9 and (len(times) < 1 or time.perf_counter() - begin < 3):
        start = time.perf_counter()
        function(argument)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def main():
    peers = []
    try:
        import scipy
        from scipy.spatial import ConvexHull
        peers.append((f"SciPy {scipy.__version__}", ConvexHull))
    except ImportError:
        pass
    try:
        import cv2
        cv2.setNumThreads(1)
        peers.append((f"OpenCV {cv2.__version__}", cv2.convexHull))
    except ImportError:
        pass
    if not peers:
        print("neither SciPy nor OpenCV is here")
        return 77
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 4000000
    print(f"{'points':9} {'':9} " + " ".join(f"{name:>14}" for name, _ in peers))
    for kind in ("square", "disk", "gaussian", "circle", "annulus"):
        for n in (4000, 40000, 400000, 1000000, 4000000, 10000000):
            if n <= limit:
                xy = points(kind, n)
                print(f"{kind:9} {n:9} " + " ".join(f"{median_ms(hull, xy):14.3f}" for _, hull in peers), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
