#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Iso-bands of random images: valid polygons for Shapely that tile the picture, of the areas of contourpy's filled
contours.

usage: contours_bands.py [CASES [SEED]]; skipped (77) when contourpy or Shapely is not installed.
"""
import sys

try:
    import contourpy
    import numpy as np
    from shapely.geometry import Polygon
    from shapely.validation import explain_validity
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import cskernels


def smooth(image):
    for axis in (0, 1):
        image = image + np.roll(image, 1, axis) + np.roll(image, -1, axis)
    return image / 9


def draw(rng):
    """(image, levels): noise, structure, plateaus, ties, infinite and almost equal samples."""
    shape = tuple(rng.integers(2, 14, 2)) if rng.random() < .9 else tuple(rng.integers(14, 70, 2))
    kind = rng.integers(0, 8)
    if kind == 0:
        image, levels = rng.integers(0, 4, shape).astype(float), [0., 1., 2.5]
    elif kind == 1:
        image, levels = rng.random(shape), [.2, .5, .6]
    elif kind == 2:
        image, levels = smooth(smooth(rng.standard_normal(shape))), [-.2, 0., .1]
    elif kind == 3:
        image, levels = rng.choice([0., .5, 1., np.inf, -np.inf], shape), [.25, .5]
    elif kind == 4:
        image, levels = np.floor(smooth(rng.integers(0, 256, shape))), [100., 120., 128.]
        image = image.astype(np.uint8)
    elif kind == 5:
        image, levels = .5 + 1e-16 * rng.integers(-3, 4, shape), [.5 - 1e-16, .5]
    elif kind == 6:
        # a level barely above a plateau: crossings that are almost pixels
        image = rng.choice([0., 1., 255.], shape)
        levels = [10. ** rng.uniform(-323.5, -9), [.5, 1 + 2.3e-16, 255 - 3e-14][rng.integers(0, 3)]]
    else:
        image, levels = np.round(smooth(rng.standard_normal(shape)), 1), [-.1, 0., .1]
    return image, levels


def polygons(lines, records):
    """A dictionary of level to polygons."""
    holes = {}
    for line, record in zip(lines, records):
        if record["flags"] & 2:
            holes.setdefault(record["parent"], []).append(line)
    assert -1 not in holes
    found = {}
    for line, record in zip(lines, records):
        if not record["flags"] & 2:
            found.setdefault(record["level"], []).append(Polygon(line, holes.get(record["id"])))
    return found


def has_saddle(image, levels):
    """Whether the cells of a level depend on the rule for saddles."""
    for level in levels:
        high = image > level
        diagonal = (high[:-1, :-1] == high[1:, 1:]) & (high[1:, :-1] == high[:-1, 1:])
        if (diagonal & (high[:-1, :-1] != high[1:, :-1])).any():
            return True
    return False


def count_around(tiles, points):
    """For each point how many tiles it is in: crossings of a ray to the right. GEOS's predicates fail for lines this near
    to one another."""
    counts = np.zeros(len(points), int)
    x, y = points.T[:, :, None]
    for part in tiles:
        rings = [np.array(ring.coords) for ring in (part.exterior, *part.interiors)]
        (ax, ay), (bx, by) = np.concatenate([r[:-1] for r in rings]).T, np.concatenate([r[1:] for r in rings]).T
        with np.errstate(all="ignore"):
            crosses = ((ay > y) != (by > y)) & (ax + (y - ay) / (by - ay) * (bx - ax) > x)
        counts += crosses.sum(1) % 2
    return counts


def check_tiles(image, mask, levels, bands, tolerance, rng):
    """Valid, disjoint, together what the cells above all levels leave of the picture."""
    for parts in bands.values():
        for part in parts:
            assert part.is_valid, explain_validity(part)
    valid = ~np.isnan(image) if mask is None else mask & ~np.isnan(image)
    cells = valid[:-1, :-1] & valid[1:, :-1] & valid[:-1, 1:] & valid[1:, 1:]
    tiles = [part for parts in bands.values() for part in parts]
    total = sum(part.area for part in tiles)
    points = rng.random((20, 2)) * (image.shape[1] - 1, image.shape[0] - 1)
    assert (count_around(tiles, points) <= 1).all(), "bands overlap"
    if levels[0] == -np.finfo(float).max and np.isfinite(image).all():
        assert abs(total - cells.sum()) < tolerance * image.size, "bands do not cover all"


def check_closed(image, levels, how, bands, closed, tolerance):
    """Up to the picture's edge: the bands of the picture with its outermost samples once more around, of which the outer half
    is left out; as lines there are at right angles to the edge, that is where their points are moved to."""
    wide = cskernels.Contours([(0, level) for level in levels], bands=True, **how)
    lines, records, _ = wide.run(np.pad(image, 1, mode="edge"), None)
    limits = np.array([image.shape[1], image.shape[0]]) - .5
    expected = polygons([np.clip(line - 1, -.5, limits) for line in lines], records)
    for level in set(bands) | set(closed) | set(expected):
        parts = closed.get(level, [])
        for part in parts:
            assert part.is_valid, explain_validity(part)
            assert part.bounds[0] >= -.5 and part.bounds[2] <= limits[0] and part.bounds[3] <= limits[1]
        areas = [sum(part.area for part in found.get(level, [])) for found in (closed, expected)]
        assert abs(areas[0] - areas[1]) < tolerance * image.size, (level, *areas)


def check_contourpy(image, mask, levels, bands, tolerance):
    """contourpy decides saddles by the mean, includes the lower level, and knows no infinities."""
    if image.dtype != np.float64 or not np.isfinite(image).all() or has_saddle(image, levels) or \
            np.isin(image, levels).any():
        return 0
    z = image if mask is None else np.ma.array(image, mask=~mask)
    generator = contourpy.contour_generator(z=z, fill_type="OuterOffset", corner_mask=False)
    for low, high in zip(levels, levels[1:]):
        expected = 0.
        points, offsets = generator.filled(low, high)
        for ring, ends in zip(points, offsets):
            parts = [ring[a:b] for a, b in zip(ends, ends[1:])]
            expected += Polygon(parts[0], parts[1:]).area
        area = sum(part.area for part in bands.get(low, []))
        assert abs(area - expected) < tolerance * image.size, (low, area, expected)
    return 1


def main(n_cases, seed):
    n_compared = 0
    for case in range(n_cases):
        rng = np.random.default_rng([seed, case])
        image, levels = draw(rng)
        if rng.random() < .5:
            levels = [-np.finfo(float).max, *levels, np.finfo(float).max]
        mask = rng.random(image.shape) < .9 if rng.random() < .3 else None
        points = str(rng.choice(["float64", "float32"]))
        how = dict(fully_connected=str(rng.choice(["low", "high"])), points=points,
                   positive_orientation=str(rng.choice(["low", "high"])))
        plan = cskernels.Contours([(0, level) for level in levels], bands=True, n_threads=int(rng.integers(1, 4)), **how)
        lines, records, _ = plan.run(image, mask)
        try:
            bands = polygons(lines, records)
            tolerance = 1e-9 if points == "float64" else 1e-5
            check_tiles(image, mask, levels, bands, tolerance, rng)
            plan = cskernels.Contours([(0, level) for level in levels], bands=True, close_at_border=True, **how)
            closed = polygons(*plan.run(image, mask)[:2])
            if mask is None and not np.isnan(image).any():
                check_closed(image, levels, how, bands, closed, tolerance)
            for part in sum(closed.values(), []):
                assert part.is_valid, explain_validity(part)
            n_compared += check_contourpy(image, mask, levels, bands, tolerance)
        except AssertionError as error:
            print(f"case {case} of seed {seed}, {image.shape}, {how}: {error!r}")
            return 1
    print(f"{n_cases} images tiled, {n_compared} as contourpy fills them")
    return 0 if n_compared > n_cases // 50 else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3] + ["2000", "0"][len(sys.argv) - 1:])))
