# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawn pictures with discs, stars and rings, and the mask of each: what the networks of make_golden.py learn to see."""
import numpy as np

CLASSES = ("disc", "star", "ring")


def shape(rng, kind, height, width, cy, cx, size):
    """The mask of a shape about (cx, cy): a disc, a star with five tips, a ring with a hole."""
    y, x = np.mgrid[0:height, 0:width]
    dy, dx = y + .5 - cy, x + .5 - cx
    radius = np.hypot(dy, dx * rng.uniform(.8, 1.25))
    if kind == 0:
        return radius < size
    if kind == 1:
        return radius < size * (.62 + .38 * np.cos(5 * (np.arctan2(dy, dx) + rng.uniform(0, 6))))
    return (radius < size) & (radius > .5 * size)


def picture(rng, height, width, count=None):
    """A picture (height, width, 3) of 8 bits with `count` shapes, later ones in front; masks and classes of what is visible.

    Some shapes are cut by the picture's edge.
    """
    image = np.empty((height, width, 3))
    image[:] = rng.uniform(20, 110, 3)
    image += np.linspace(0, 40, width)[None, :, None] * rng.uniform(-1, 1)
    side = min(height, width)
    masks, classes = [], []
    for _ in range(count or rng.integers(2, 6)):
        kind = int(rng.integers(3))
        mask = shape(rng, kind, height, width, rng.uniform(0, height), rng.uniform(0, width), side * rng.uniform(.15, .32))
        colour = np.array(((230, 60, 50), (70, 220, 60), (70, 90, 240))[kind]) + rng.uniform(-25, 25, 3)
        image[mask] = colour
        masks = [other & ~mask for other in masks] + [mask]
        classes.append(kind)
    image += rng.normal(0, 4, image.shape)
    seen = [i for i, mask in enumerate(masks) if mask.sum() >= .004 * height * width]
    return (np.clip(image, 0, 255).astype(np.uint8), np.array([masks[i] for i in seen]).reshape(-1, height, width),
            np.array([classes[i] for i in seen], int))


def box(mask):
    """The box x1, y1, x2, y2 of a mask, its edges on the borders of pixels."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return np.array((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1), float)
