#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random images through the contours kernel and skimage.measure.find_contours(): the same bytes, or a failure.

usage: contours_fuzz.py [CASES [SEED]]; skipped (77) when scikit-image is not installed.
"""
import sys

try:
    import numpy as np
    from skimage.measure import find_contours
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import cskernels


def smooth(rng, shape):
    image = rng.standard_normal(shape)
    for axis in (0, 1):
        image = image + np.roll(image, 1, axis) + np.roll(image, -1, axis)
    return image


def draw(rng):
    """(image, level, mask): ties, plateaus, noise, structure, extremes; small and odd sizes."""
    shape = tuple(rng.integers(2, 14, 2)) if rng.random() < .9 else tuple(rng.integers(14, 70, 2))
    kind = rng.integers(0, 9)
    level = rng.choice([0., .5, 1., rng.random()])
    if kind == 0:
        image = rng.integers(0, 2, shape).astype(float)
    elif kind == 1:
        image = rng.integers(-1, 2, shape).astype(float)
    elif kind == 2:
        image = rng.integers(0, 5, shape) / 4
    elif kind == 3:
        image = rng.random(shape)
    elif kind == 4:
        image = smooth(rng, shape)
    elif kind == 5:
        image = np.indices(shape).sum(0) % 2 + rng.integers(0, 2) * rng.random(shape) * 1e-3
    elif kind == 6:
        image = rng.choice([0., 1e-300, 1e-30, 1., 1e30], shape)
    elif kind == 7:
        image, level = rng.integers(0, 256, shape), float(rng.integers(0, 256)) + rng.choice([0, .5])
    else:
        image = np.round(smooth(rng, shape) * 2) / 2
    dtype = rng.choice(["float64", "float32", "float16", "uint8", "uint16"])
    if dtype.startswith("u") and kind != 7:
        image = np.clip(image * 3 + 1, 0, 255)
        level = float(np.round(level * 3 + 1))
    with np.errstate(over="ignore"):
        image = image.astype(dtype)
    if image.dtype.kind == "f":
        image[~np.isfinite(image)] = 1
        if rng.random() < .25:
            image[rng.random(shape) < .1] = np.nan
    mask = rng.random(shape) < .85 if rng.random() < .25 else None
    return image, level, mask


def bordered(image, level, mask, how):
    """find_contours() of the image with samples around that are as far below the level as those beside them are above it, so
    that lines run half way between them.

    Coordinates are one larger while they are computed, and rounded differently."""
    image = image.astype(np.float64)
    padded = np.full(np.add(image.shape, 2), -1e300)
    with np.errstate(all="ignore"):
        padded[1:-1] = np.pad(np.where(image > level, 2 * level - image, -1e300), ((0, 0), (1, 1)), mode="edge")
        padded[:, 1:-1] = np.pad(np.where(image > level, 2 * level - image, -1e300), ((1, 1), (0, 0)), mode="edge")
    padded[1:-1, 1:-1] = image
    valid = None if mask is None else np.pad(mask, 1, constant_values=True)
    with np.errstate(all="ignore"):
        return [line - 1 for line in find_contours(padded, level, mask=valid, **how)]


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = np.random.default_rng(seed)
    passed = failed = 0
    for case in range(cases):
        image, level, mask = draw(rng)
        how = dict(fully_connected=str(rng.choice(["low", "high"])), positive_orientation=str(rng.choice(["low", "high"])))
        if rng.random() < .2 and 1e-300 not in image:
            expected = bordered(image, level, mask, how)
            ours = cskernels.find_contours(image, level, mask=mask, n_threads=int(rng.choice([1, 2, 5])),
                                           close_at_border=True, **how)
            same = len(ours) == len(expected) and all(
                a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-9) for a, b in zip(ours, expected))
            passed += same
            failed += not same
            if not same and failed <= 3:
                print("FAIL at the border, seed", seed, "case", case, image.dtype, image.shape, "level", level, how)
                print(repr(image), None if mask is None else repr(mask), ours, expected, sep="\n")
            continue
        # NaN and its neighbours interpolate to NaN there and are left out, with a warning
        with np.errstate(all="ignore"):
            expected = find_contours(image.astype(np.float64), level, mask=mask, **how)
        ours = cskernels.find_contours(image, level, mask=mask, n_threads=int(rng.choice([1, 2, 5])), **how)
        same = len(ours) == len(expected) and all(a.tobytes() == np.ascontiguousarray(b).tobytes()
                                                  for a, b in zip(ours, expected))
        passed += same
        failed += not same
        if not same and failed <= 3:
            print("FAIL seed", seed, "case", case, image.dtype, image.shape, "level", level, how)
            print(repr(image), None if mask is None else repr(mask), ours, expected, sep="\n")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
