#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""network_tensors.py FILE.raw: what YOLO-seg would put out for the picture of fruit_scene.py; the same every time.

Two tensors of float32 one after the other: 1 x 38 x 8400, with box, scores of fruit and of bruise, and 32 coefficients of
each candidate, and 1 x 32 x 160 x 160, the prototypes. The network's input is 640 x 640 pixels, the picture in its middle.
Several candidates are of one object, as a network's are.
"""
import sys

import numpy as np

import files
import fruit_scene

SIDE, STEP, PROTOTYPES, CANDIDATES, CLASSES = 640, 4, 32, 8400, 2


def to_input(samples, gain, top):
    """samples of the picture where the prototypes' are; far outside of everything in the borders."""
    at = (np.arange(SIDE // STEP) + .5) * STEP
    x, y = at / gain - .5, (at - top) / gain - .5
    inside = (y >= 0) & (y < samples.shape[0])
    grid = samples[np.ix_(np.clip(np.rint(y), 0, samples.shape[0] - 1).astype(int),
                          np.clip(np.rint(x), 0, samples.shape[1] - 1).astype(int))]
    return np.where(inside[:, None], grid, -99)


def boxes_of(above):
    """The boxes of the connected pixels of a mask: x0, y0, x1, y1."""
    left = above.copy()
    while left.any():
        start = tuple(np.argwhere(left)[0])
        stack, seen = [start], []
        left[start] = False
        while stack:
            y, x = stack.pop()
            seen.append((x, y))
            for there in ((y, x + 1), (y, x - 1), (y + 1, x), (y - 1, x)):
                if 0 <= there[0] < left.shape[0] and 0 <= there[1] < left.shape[1] and left[there]:
                    left[there] = False
                    stack.append(there)
        low, high = np.min(seen, 0), np.max(seen, 0) + 1
        yield (*low, *high)


def tensors():
    """The two tensors."""
    rng = np.random.default_rng(1)
    _, skin, bruise = fruit_scene.draw()
    gain = SIDE / fruit_scene.WIDTH
    top = round((SIDE - fruit_scene.HEIGHT * gain) / 2 - .1)
    candidates = np.zeros((4 + CLASSES + PROTOTYPES, CANDIDATES), np.float32)
    candidates[4:6] = .01 * rng.random((CLASSES, CANDIDATES))
    prototypes = np.zeros((PROTOTYPES, SIDE // STEP, SIDE // STEP), np.float32)
    where = iter(rng.permutation(CANDIDATES))
    for number, distance in enumerate((skin, bruise)):
        prototypes[number] = to_input(distance, gain, top)
        for box in boxes_of(prototypes[number] > -4):
            x0, y0, x1, y1 = (STEP * n for n in box)
            for _ in range(rng.integers(2, 6)):       # of one object, a little beside each other
                at = next(where)
                candidates[:4, at] = ((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0) + rng.normal(scale=.4, size=4)
                candidates[4 + number, at] = rng.uniform(.6, .97)
                candidates[6 + number, at] = .4
    return candidates, prototypes


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: network_tensors.py FILE.raw")
    try:
        with files.Outputs() as outputs:
            np.concatenate([tensor.ravel() for tensor in tensors()]).astype("<f4").tofile(outputs.name(sys.argv[1]))
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"network_tensors.py: {error}")


if __name__ == "__main__":
    main()
