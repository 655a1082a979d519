#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit_scene.py FILE.png [MAPS.raw]: draws fruits with bruises on the rollers of a sorting machine; the same every time.

MAPS.raw gets what a segmentation network would say of the picture, at a quarter of its size: float32 probabilities of
skin and of bruise, interleaved (height x width x 2), soft at the edges and a little noisy.
"""
import sys

import numpy as np

import files
import png

WIDTH, HEIGHT, SCALE = 960, 544, 4
# centre, radius, colour, number of bruises
FRUITS = ((168, 150, 118, (238, 126, 22), 2), (482, 136, 104, (206, 44, 34), 0), (792, 160, 122, (128, 188, 44), 4),
          (188, 404, 108, (242, 204, 58), 1), (498, 398, 116, (214, 66, 48), 3), (806, 416, 96, (244, 150, 40), 0))
BRUISE = (92, 58, 30)


def smooth_noise(rng, size, cell):
    """Noise of mean 0 and about unit range that varies over CELL pixels, by bilinear interpolation."""
    height, width = size
    grid = rng.standard_normal((height // cell + 2, width // cell + 2))
    y, x = np.arange(height) / cell, np.arange(width) / cell
    j, i = y.astype(int), x.astype(int)
    v, u = (y - j)[:, None], (x - i)[None, :]
    top = grid[np.ix_(j, i)] * (1 - u) + grid[np.ix_(j, i + 1)] * u
    bottom = grid[np.ix_(j + 1, i)] * (1 - u) + grid[np.ix_(j + 1, i + 1)] * u
    return top * (1 - v) + bottom * v


def belt(x, y, rng):
    """Steel rollers, each lit along its crown."""
    crown = np.abs((x / 64) % 1 - .5) * 2
    shade = 62 - 40 * crown ** 2 + 2.5 * smooth_noise(rng, x.shape, 6)
    return shade[..., None] * np.array((.92, .97, 1.06))


def bruises(rng, centre, radius, count):
    """Irregular blobs on the fruit, apart from each other: signed distances, positive inside, for each one a function."""
    placed = []
    while len(placed) < count:
        angle, far = rng.uniform(0, 2 * np.pi), radius * rng.uniform(.1, .62)
        blob = (centre[0] + far * np.cos(angle), centre[1] + far * np.sin(angle), radius * rng.uniform(.1, .19))
        if all(np.hypot(blob[0] - x, blob[1] - y) > 1.7 * (blob[2] + r) for x, y, r, _ in placed):
            placed.append(blob + (rng.uniform(0, 2 * np.pi, 3),))
    return placed


def inside_blob(x, y, blob):
    """Pixels to the blob's edge, positive inside."""
    cx, cy, r, phase = blob
    angle = np.arctan2(y - cy, x - cx)
    edge = r * (1 + .16 * np.sin(2 * angle + phase[0]) + .11 * np.sin(3 * angle + phase[1]) +
                .06 * np.sin(5 * angle + phase[2]))
    return edge - np.hypot(x - cx, y - cy)


def blend(picture, colour, amount):
    picture += (colour - picture) * np.clip(amount, 0, 1)[..., None]


def draw():
    """The picture (height x width x 3), and pixels to the nearest edge of skin and of bruise, positive inside."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    picture = belt(x, y, rng)
    skin, bruise = np.full(x.shape, -99.), np.full(x.shape, -99.)
    grain = smooth_noise(rng, x.shape, 3)
    blotch = smooth_noise(rng, x.shape, 40)
    for cx, cy, r, colour, count in FRUITS:
        dx, dy = (x - cx) / r, (y - cy) / r
        d2 = dx * dx + dy * dy
        inside = (1 - np.sqrt(d2)) * r
        shadow = np.hypot((x - cx - .08 * r) / 1.1, (y - cy - .14 * r) / 1.06)
        blend(picture, picture * .35, (1.12 * r - shadow) / (.3 * r))
        z = np.sqrt(np.clip(1 - d2, 0, 1))
        light = np.clip(-.42 * dx - .5 * dy + .76 * z, 0, None)
        base = np.array(colour) * (1 + .07 * blotch + .025 * grain)[..., None]
        stem = np.exp(-((dx - .18) ** 2 + (dy + .3) ** 2) / .006)
        shade = base * (.2 + .8 * light - .55 * stem)[..., None]
        for blob in bruises(rng, (cx, cy), r, count):
            depth = np.minimum(inside_blob(x, y, blob), inside)
            blend(shade, np.array(BRUISE) * (.3 + .75 * light + .05 * grain)[..., None], .5 + depth / 5)
            bruise = np.maximum(bruise, depth)
        shade += 165 * (light ** 38)[..., None]
        blend(picture, shade, .5 + inside / 2)
        skin = np.maximum(skin, inside)
    picture += rng.standard_normal(picture.shape) * 2
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8), skin, bruise


def probabilities(skin, bruise):
    """What a network would say at a quarter of the size: float32, height x width x 2."""
    rng = np.random.default_rng(11)
    maps = np.stack((skin, bruise), -1).reshape(HEIGHT // SCALE, SCALE, WIDTH // SCALE, SCALE, 2).mean((1, 3))
    doubt = np.stack([smooth_noise(rng, maps.shape[:2], 5) for _ in range(2)], -1)
    return (1 / (1 + np.exp(-maps / (.6 * SCALE) - .35 * doubt))).astype("<f4")


def write_png(path, picture):
    with open(path, "wb") as file:
        file.write(png.encode(picture))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: fruit_scene.py FILE.png [MAPS.raw]")
    picture, skin, bruise = draw()
    try:
        with files.Outputs() as outputs:
            write_png(outputs.name(sys.argv[1]), picture)
            if len(sys.argv) == 3:
                probabilities(skin, bruise).tofile(outputs.name(sys.argv[2]))
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"fruit_scene.py: {error}")


if __name__ == "__main__":
    main()
