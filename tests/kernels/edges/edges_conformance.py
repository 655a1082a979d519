#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""edges_conformance.py CHECK-EDGES: edges beside scikit-image's and OpenCV's Canny.

Both ways, most edge pixels must have one of the other's within one pixel; and no pixel may be drawn twice, as following
borders around thin edges does.
"""
import subprocess
import sys

try:
    import numpy as np
    import cv2
    from scipy import ndimage
    from skimage import data, feature
except ImportError as error:
    print(f"not here: {error}")
    sys.exit(77)


def chains(program, image, sigma, low, high):
    height, width = image.shape
    text = subprocess.run([program, "--solve", str(width), str(height), str(sigma), str(low), str(high)],
                          input=image.tobytes(), stdout=subprocess.PIPE, check=True).stdout.decode()
    return [np.array(line.split(), float).reshape(-1, 2) for line in text.splitlines()]


def pixels(points, shape):
    mask = np.zeros(shape, bool)
    at = np.clip(np.rint(points).astype(int), 0, np.array(shape)[::-1] - 1)
    mask[at[:, 1], at[:, 0]] = True
    return mask


def near(a, b):
    """Part of the pixels of a that have one of b within one pixel."""
    return 1.0 if not a.any() else ndimage.binary_dilation(b, np.ones((3, 3)))[a].mean()


def drawn_twice(found):
    """Part of the points that were there before, but for the ends of chains, which junctions share."""
    inner = np.concatenate([chain[1:-1] for chain in found if len(chain) > 2] + [np.empty((0, 2))])
    return 1 - len(np.unique(inner, axis=0)) / max(len(inner), 1)


def borders_twice(edges):
    contours, _ = cv2.findContours(edges.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    points = np.concatenate([c.reshape(-1, 2) for c in contours])
    return 1 - len(np.unique(points, axis=0)) / len(points)


def main():
    program, failed = sys.argv[1], False
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:240, :320]
    images = {
        "disks": np.where(np.hypot(x - 100, y - 90) < 60, 210, np.where(np.hypot(x - 230, y - 150) < 50, 120, 40)),
        "waves": 127 + 80 * np.tanh(4 * np.sin(x * .05 + 2 * np.sin(y * .07))) + 40 * np.sin(y * .09),
        "noisy squares": ((x // 40 + y // 35) % 2) * 120 + 60 + rng.integers(-12, 13, x.shape),
    }
    try:
        images["camera"] = data.camera()
        images["coins"] = data.coins()
    except Exception:  # some versions fetch them
        pass
    for name, image in images.items():
        image = np.clip(image, 0, 255).astype(np.uint8)
        sigma, low, high = 2, 30, 90
        found = chains(program, image, sigma, low, high)
        ours = pixels(np.concatenate(found), image.shape)
        skimage = feature.canny(image / 255., sigma=sigma, low_threshold=low / 255, high_threshold=high / 255,
                                mode="nearest")
        blurred = cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
        opencv = cv2.Canny(blurred, low, high, L2gradient=True) > 0
        # borders differ: the methods extrapolate differently
        inside = np.zeros(image.shape, bool)
        inside[8:-8, 8:-8] = True
        row = [near(ours & inside, skimage), near(skimage & inside, ours), near(ours & inside, opencv),
               near(opencv & inside, ours)]
        twice = drawn_twice(found)
        print(f"{name:14} {len(found):5} chains, {ours.sum():6} pixels; near scikit-image's {row[0]:.4f}, and back "
              f"{row[1]:.4f}; near OpenCV's {row[2]:.4f}, and back {row[3]:.4f}; drawn twice {twice:.4f}, by borders "
              f"of OpenCV's {borders_twice(opencv):.4f}")
        failed |= min(row) < .9 or twice > 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
