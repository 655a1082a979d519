# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of instance networks' fields against the masks that their frameworks make: the field resized by bilinear
interpolation in double precision, a threshold and a box, pixel by pixel.

A pixel may be on the other side only if the exact boundary is within the tolerance of its centre, which points around
it tell. Polygons must be valid by GEOS, with their holes in them, and have the records' areas.

instances.py [CASES [SEED]]
"""
import sys

try:
    import numpy as np
    from shapely.geometry import Polygon
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from csinstances import EDGE, ZEROS, Instances

HOLE = 2


def value(field, x, y, outside):
    """The field at sample positions x (any shape) and y (the same)."""
    height, width = field.shape
    if outside == EDGE:
        x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    else:
        field = np.pad(field, 1)
        x, y = np.clip(x, -1, width) + 1, np.clip(y, -1, height) + 1
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - i, y - j
    i1, j1 = np.minimum(i + 1, field.shape[1] - 1), np.minimum(j + 1, field.shape[0] - 1)
    total = np.zeros(x.shape)
    with np.errstate(invalid="ignore"):
        for weight, row, column in (((1 - a) * (1 - b), j, i), (a * (1 - b), j, i1), ((1 - a) * b, j1, i),
                                    (a * b, j1, i1)):
            # an absent sample is not looked at, even if it is infinite
            total += np.where(weight > 0, weight * field[row, column], 0)
    return total


def is_inside(field, one, x, y, outside, level, width, height, snap=(False, False)):
    """snap: at the nearest sample's column or row instead."""
    _, _, box, origin, step = one
    u, v = (x - origin[0]) / step[0], (y - origin[1]) / step[1]
    if snap[0]:
        u = np.round(u)
        x = origin[0] + u * step[0]
    if snap[1]:
        v = np.round(v)
        y = origin[1] + v * step[1]
    with np.errstate(invalid="ignore"):
        above = value(field, u, v, outside) > level
    return (above & (x >= max(box[0], -.5)) & (x <= min(box[2], width - .5)) & (y >= max(box[1], -.5)) &
            (y <= min(box[3], height - .5)))


def is_rounded(field, one, x, y, outside, level):
    """Whether (x, y) is at samples that are the level, so that rounding says what it is."""
    u, v = (x - one[3][0]) / one[4][0], (y - one[3][1]) / one[4][1]
    at_sample = np.minimum(abs(u - np.round(u)), abs(v - np.round(v))) < 1e-9
    with np.errstate(invalid="ignore"):
        middle = value(field, np.where(abs(u - np.round(u)) < 1e-9, np.round(u), u),
                       np.where(abs(v - np.round(v)) < 1e-9, np.round(v), v), outside)
        return at_sample & (abs(middle - level) < 1e-12)


def fill(rings, width, height):
    """The pixels whose centres are inside of rings, by the even-odd rule."""
    flips = np.zeros((height, width + 1), int)
    for ring in rings:
        ring = ring.astype(float)
        for (x0, y0), (x1, y1) in zip(ring[:-1], ring[1:]):
            low, high = min(y0, y1), max(y0, y1)
            for y in range(max(int(np.ceil(low)), 0), min(int(np.ceil(high)), height)):
                x = x0 + (y - y0) / (y1 - y0) * (x1 - x0)
                flips[y, min(max(int(np.ceil(x)), 0), width)] += 1
    return np.cumsum(flips, 1)[:, :width] % 2 == 1


def check_pixels(field, one, rings, outside, level, width, height, tolerance, margin):
    y, x = np.mgrid[:height, :width].astype(float)
    wanted = is_inside(field, one, x, y, outside, level, width, height)
    got = fill(rings, width, height)
    wrong = np.argwhere((wanted != got) & ~is_rounded(field, one, x, y, outside, level))
    if not len(wrong):
        return wanted, got
    angle = np.arange(96) * (2 * np.pi / 96)
    radius = (tolerance * 1.001 + 3 * margin) * np.array([.02, .1, .2, .35, .5, .65, .8, .9, 1.])
    dx = (radius[:, None] * np.cos(angle)).ravel()
    dy = (radius[:, None] * np.sin(angle)).ravel()
    px = wrong[:, 1][:, None] + dx
    py = wrong[:, 0][:, None] + dy
    near = np.zeros(len(wrong), bool)
    # a box within the margin of a sample is at it
    x0, y0, x1, y1 = one[2]
    one = (*one[:2], [x0 - margin, y0 - margin, x1 + margin, y1 + margin], *one[3:])
    # an object may be as thin as a row of samples
    for snap in ((False, False), (True, False), (False, True), (True, True)):
        around = is_inside(field, one, px, py, outside, level, width, height, snap)
        far = np.zeros(px.shape, bool)
        for axis, at, pixel in ((0, px, wrong[:, 1]), (1, py, wrong[:, 0])):
            if snap[axis]:
                moved = one[3][axis] + np.round((at - one[3][axis]) / one[4][axis]) * one[4][axis]
                far |= abs(moved - pixel[:, None]) > abs(at - pixel[:, None])
        near |= ((around != wanted[wrong[:, 0], wrong[:, 1]][:, None]) & ~far).any(1)
    assert near.all(), "pixels %s differ and are not at the boundary" % wrong[~near][:5].tolist()
    return wanted, got


def check_polygons(lines, records):
    ids = {r["id"]: i for i, r in enumerate(records)}
    outers = {}
    for i, (line, record) in enumerate(zip(lines, records)):
        assert (line[0] == line[-1]).all() and len(line) >= 4
        assert record["flags"] & 1
        ring = Polygon(line.astype(float))
        assert ring.is_valid, "ring %d: %s" % (i, line.tolist())
        area = record["area"]
        assert abs(abs(area) - ring.area) <= 1e-6 * (1 + ring.area)
        if record["flags"] & HOLE:
            assert area < 0 and record["parent"] in ids
            outers[ids[record["parent"]]].append(line)
        else:
            assert area > 0 and record["parent"] == -1
            outers[i] = []
    polygons = []
    for i, holes in outers.items():
        polygon = Polygon(lines[i].astype(float), [h.astype(float) for h in holes])
        assert polygon.is_valid, "polygon %d" % i
        # holes are inside, and outside of each other
        assert abs(polygon.area - (records[i]["area"] + sum(
            Polygon(h.astype(float)).area * -1 for h in holes))) <= 1e-6 * (1 + polygon.area)
        polygons.append((records[i]["image"], polygon))
    by_object = {}
    for image, polygon in polygons:
        by_object.setdefault(image, []).append(polygon)
    for parts in by_object.values():
        for i, a in enumerate(parts):
            for b in parts[:i]:
                assert not a.intersects(b), "two polygons of an object meet"


def random_field(rng, h, w):
    kind = rng.integers(9)
    if kind == 0:
        field = rng.normal(size=(h, w))
    elif kind == 1:
        y, x = np.mgrid[:h, :w]
        field = rng.uniform(.5, 5) - np.hypot(x - rng.uniform(0, w), y - rng.uniform(0, h)) * rng.uniform(.2, 2)
    elif kind == 2:
        field = rng.integers(-1, 2, (h, w)).astype(float)        # ties, saddles with equal corners
    elif kind == 3:
        field = np.where((np.add.outer(np.arange(h), np.arange(w)) % 2) > 0, 1., -1.) * rng.choice([1., 3.], (h, w))
    elif kind == 4:
        y, x = np.mgrid[:h, :w]
        r = np.hypot(x - w / 2, y - h / 2)
        field = np.sin(r * rng.uniform(.3, 2)) + .05 * rng.normal(size=(h, w))
    elif kind == 5:
        field = np.full((h, w), rng.choice([-1., 0., 1.]))
    elif kind == 6:
        field = rng.normal(size=(h, w)) * 10. ** rng.uniform(-28, 28, (h, w))
    elif kind == 7:
        field = rng.normal(size=(h, w))
        field[rng.random((h, w)) < .15] = rng.choice([np.nan, np.inf, -np.inf])
    else:
        coarse = rng.normal(size=(h // 4 + 2, w // 4 + 2))
        y, x = np.mgrid[:h, :w] / 4.
        field = value(coarse, x, y, EDGE)
    return field.astype(np.float32)


def random_object(rng, h, w, width, height):
    kind = rng.integers(6)
    if kind < 3:                      # the field covers the picture, or what is in a letterbox
        step = (width / w, height / h)
        origin = ((step[0] - 1) / 2, (step[1] - 1) / 2)
        if kind == 1:
            origin = (origin[0] - rng.uniform(0, 3) * step[0], origin[1] - rng.uniform(0, 3) * step[1])
    else:                             # the field is in a box
        x, y = rng.uniform(-10, width), rng.uniform(-10, height)
        step = (rng.uniform(.2, 12), rng.uniform(.2, 12))
        origin = (x, y)
    box = [-np.inf, -np.inf, np.inf, np.inf]
    kind = rng.integers(7)
    if kind:
        a, b = rng.uniform(-5, width + 5, 2), rng.uniform(-5, height + 5, 2)
        box = [a.min(), b.min(), a.max(), b.max()]
    if kind == 1:
        box = np.round(box).tolist()
    elif kind == 2:
        box = (np.round(box) - .5).tolist()
    elif kind == 3:                   # edges at samples, or nearly so
        i = rng.integers(0, w, 2)
        j = rng.integers(0, h, 2)
        shift = rng.choice([0., 1e-5, -1e-5, 1e-3, -1e-3])
        box = [origin[0] + i.min() * step[0] + shift, origin[1] + j.min() * step[1] + shift,
               origin[0] + i.max() * step[0] + shift, origin[1] + j.max() * step[1] + shift]
    elif kind == 4 and rng.random() < .3:
        box[2] = box[0] + rng.choice([0., 1e-6, .01, -1.])
    return box, origin, step


def run_case(rng, case):
    h, w = rng.integers(1, 24, 2)
    width, height = (int(n) for n in rng.integers(1, 150, 2))
    if rng.random() < .05:            # samples are close, beside the largest coordinate
        width, height = (width * 130, height % 4 + 1)[::rng.choice([1, -1])]
    outside = int(rng.integers(2))
    level = float(rng.choice([0., 0., .5, -.25]))
    tolerance = float(rng.choice([.1, .1, .01, .001, 1.]))
    n = int(rng.integers(1, 4))
    fields = np.stack([random_field(rng, h, w) for _ in range(n)])
    coefficients = None
    layout = "chw"
    wanted = fields
    grid = (0, 0, 0, 0)
    resized = (0, 0)
    kind = rng.integers(6)
    if kind == 0 and np.isfinite(fields).all() and np.abs(fields).max() < 1e20:
        k = int(rng.integers(1, 6))
        prototypes = np.stack([random_field(rng, h, w) for _ in range(k)])
        prototypes = np.nan_to_num(prototypes, posinf=1, neginf=-1)
        prototypes = np.clip(prototypes, -6e4, 6e4)
        coefficients = rng.normal(size=(n, k)).astype(np.float32)
        if rng.random() < .5:
            prototypes, coefficients = prototypes.astype(np.float16), coefficients.astype(np.float16)
        with np.errstate(all="ignore"):
            sums = np.zeros((n, h, w), np.float32)
            for i in range(k):
                sums += coefficients[:, i, None, None].astype(np.float32) * prototypes[i].astype(np.float32)
        fields, wanted = prototypes, sums
        if rng.random() < .5:
            fields, layout = np.ascontiguousarray(fields.transpose(1, 2, 0)), "hwc"
    elif kind == 1 and np.abs(np.nan_to_num(fields, posinf=0, neginf=0)).max() < 1e20:
        fields = np.clip(np.nan_to_num(fields, posinf=1, neginf=-1), -1e6, 1e6)
        resized = (int(rng.integers(1, 40)), int(rng.integers(1, 40)))
        y, x = np.meshgrid((np.arange(resized[1]) + .5) * h / resized[1] - .5,
                           (np.arange(resized[0]) + .5) * w / resized[0] - .5, indexing="ij")
        wanted = np.stack([value(f.astype(float), x, y, EDGE) for f in fields]).astype(np.float32)
        h, w = resized[1], resized[0]
    elif kind == 2:
        fields = fields.clip(-6e4, 6e4).astype(np.float16)
        wanted = fields.astype(np.float32)
    if rng.random() < .2:
        x, y = int(rng.integers(w)), int(rng.integers(h))
        grid = (x, y, int(rng.integers(1, w - x + 1)), int(rng.integers(1, h - y + 1)))
        w, h = grid[2:]
        wanted = wanted[:, y:y + h, x:x + w]
    instances = []
    for i in range(int(rng.integers(1, 5))):
        instances.append((int(rng.integers(n)), i, *random_object(rng, h, w, width, height)))
    plan = Instances(level, tolerance, n_threads=int(rng.integers(1, 3)))
    lines, records, out = plan.run(fields, instances, width, height, coefficients, layout, outside, resized, grid)
    assert all(np.isfinite(line).all() for line in lines)
    check_polygons(lines, records)
    for i, one in enumerate(instances):
        margin = 2. ** -21 * max(width, height)
        # what is infinite is so in a cell as a whole
        check_pixels(wanted[one[0]].astype(float), one,
                     [line for line, r in zip(lines, records) if r["image"] == i], outside, level, width, height,
                     tolerance, 4 * margin)
        assert all(r["class_id"] == i for r in records[records["image"] == i])
    return len(instances), len(lines)


def check_exact(seed):
    """Large objects at a small tolerance."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        h, w = rng.integers(20, 60, 2)
        y, x = np.mgrid[:h, :w]
        field = (rng.uniform(8, 12) - np.hypot(x - w / 2, y - h / 2) + rng.normal(size=(h, w))).astype(np.float32)
        one = (0, 0, [-np.inf, -np.inf, np.inf, np.inf], (4.5, 4.5), (10., 10.))
        width, height = int(w) * 10, int(h) * 10
        lines, records, _ = Instances(0., .001).run(field[None], [one], width, height)
        wanted, got = check_pixels(field.astype(float), one, lines, EDGE, 0., width, height, .001, 1e-3)
        iou = (wanted & got).sum() / (wanted | got).sum()
        assert wanted.sum() > 10000 and iou >= .9995, (wanted.sum(), iou)


def main():
    n, seed = (int(a) for a in (sys.argv[1:] + ["3000", "1"][len(sys.argv) - 1:])[:2])
    n_objects = n_rings = case = 0
    while n_objects < n:
        rng = np.random.default_rng([seed, case])
        try:
            objects, rings = run_case(rng, case)
        except AssertionError as error:
            sys.exit("instances.py: case %d of seed %d: %s" % (case, seed, error))
        n_objects, n_rings, case = n_objects + objects, n_rings + rings, case + 1
    check_exact(seed)
    print("%d objects, %d rings: their masks, valid" % (n_objects, n_rings))


if __name__ == "__main__":
    main()
