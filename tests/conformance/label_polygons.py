# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of label pictures against scikit-image, one label at a time: find_contours (numpy.pad (labels == k, 1), .5), the
same points in the same order. Areas, parents, and what is left out by own means. Outlines of pixels are made of the same
contours, whose points are the middles of pixels' sides; their sides must be those between different labels, each once, and
their areas the numbers of pixels. Where rasterio is installed, its polygons must have the same sides. Pictures in strips give
what the whole gives.

label_polygons.py [PICTURES [SEED]]
"""
import sys

try:
    import numpy as np
    from skimage.measure import find_contours
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
try:
    from rasterio.features import shapes
except ImportError:
    shapes = None

from cskernels import KernelError
from cslabels import CONTOURS, PIXELS, Labels

CLOSED, HOLE = 1, 2
LARGEST = 2 ** 31 - 1
ERROR_LIMIT = 2


# What is expected

def shoelace(ring):
    x, y = (ring - ring[0]).T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)


def holds(ring, point):
    """Whether the point, which is on none of its sides, is inside, by the even-odd rule."""
    (x0, y0), (x1, y1) = ring[:-1].T, ring[1:].T
    cuts = (y0 <= point[1]) != (y1 <= point[1])
    at = x0 + (point[1] - y0) / np.where(cuts, y1 - y0, 1) * (x1 - x0)
    return (cuts & (at < point[0])).sum() % 2 == 1


def corners(ring):
    """The pixels' outline whose sides have a contour's points as their middles, from its last corner in raster order."""
    steps = np.roll(ring[:-1], -1, 0) - np.roll(ring[:-1], 1, 0)
    # half a side to its end, along it: vertical sides are half way between columns
    vertical = ring[:-1, 0] % 1 == .5
    ends = ring[:-1] + .5 * np.where(vertical[:, None], (0, 1), (1, 0)) * np.sign(steps)
    turns = vertical != np.roll(vertical, -1)
    ends = ends[turns]
    first = max(range(len(ends)), key=lambda i: (ends[i, 1], ends[i, 0]))
    ends = np.roll(ends, -first, 0)
    return np.concatenate([ends, ends[:1]])


def parents_of(contours, areas, hierarchy):
    """Of each of a label's contours the smallest of the other kind around it."""
    found = []
    for ring, area in zip(contours, areas):
        around = [i for i, other in enumerate(areas) if (other > 0) != (area > 0) and abs(other) > abs(area)
                  and holds(contours[i], ring[0])] if area < 0 or hierarchy else []
        found.append(min(around, key=lambda i: abs(areas[i])) if around else -1)
        assert area > 0 or around, "a hole in nothing"
    return found


def expected(labels, outline, background, hierarchy, min_area, wanted):
    """Rings as (label, points, area, parent), n_segments, n_dropped"""
    rings, n_segments, n_dropped = [], 0, 0
    for label in np.unique(labels).tolist():
        if label < 0 or label == background or (wanted is not None and label not in wanted):
            continue
        contours = [line[:, ::-1] - 1 for line in find_contours(np.pad(labels == label, 1).astype(float), .5)]
        n_segments += sum(len(line) - 1 for line in contours)
        parents = parents_of(contours, [shoelace(line) for line in contours], hierarchy)
        lines = [corners(line) for line in contours] if outline == PIXELS else contours
        areas = [shoelace(line) for line in lines]
        if outline == PIXELS:
            assert sum(areas) == (labels == label).sum(), "areas of pixels"
        kept = [i for i, area in enumerate(areas) if abs(area) >= min_area]
        n_dropped += len(lines) - len(kept)
        numbers = {i: len(rings) + at for at, i in enumerate(kept)}
        rings += [(label, lines[i], areas[i], numbers.get(parents[i], -1)) for i in kept]
    return rings, n_segments, n_dropped


def compare(got, want, image=0, first_id=0, origin=(0, 0)):
    (lines, records, out), (rings, n_segments, n_dropped) = got, want
    assert (out.n_contours, out.n_segments, out.n_dropped) == (len(rings), n_segments, n_dropped), \
        "%s rings, segments, dropped, not %s" % ((out.n_contours, out.n_segments, out.n_dropped),
                                                 (len(rings), n_segments, n_dropped))
    for i, (line, record, (label, points, area, parent)) in enumerate(zip(lines, records, rings)):
        points = (points + origin).astype(np.float32)
        assert line.shape == points.shape and (line == points).all(), \
            "ring %d of label %d: %s, not %s" % (i, label, line.tolist(), points.tolist())
        flags = CLOSED | (HOLE if area < 0 else 0)
        parent = parent + first_id if parent >= 0 else -1
        for name, value in (("id", i + first_id), ("parent", parent), ("class_id", label), ("image", image), ("kind", 0),
                            ("flags", flags), ("level", .5), ("area", area)):
            assert record[name] == value, "ring %d of label %d: %s %s, not %s" % (i, label, name, record[name], value)
        box = np.concatenate([points.min(0), points.max(0)])
        assert (record["bbox"] == box).all()
        length = np.hypot(*np.diff(points.astype(float), axis=0).T).sum()
        assert abs(record["perimeter"] - length) <= 1e-9 * length


def same(a, b):
    """Two results, bit for bit."""
    assert len(a[0]) == len(b[0]) and all((x == y).all() for x, y in zip(a[0], b[0]))
    assert a[1].tobytes() == b[1].tobytes()
    assert [getattr(a[2], n) for n in ("n_points", "n_segments", "n_dropped")] == \
        [getattr(b[2], n) for n in ("n_points", "n_segments", "n_dropped")]


# Sides of pixels

def sides_of_rings(rings):
    """{(label, x, y, dx, dy)}: unit steps along rings (label, points), in half pixels."""
    found = []
    for label, points in rings:
        points = np.rint(points * 2).astype(int)
        for (x0, y0), (x1, y1) in zip(points[:-1], points[1:]):
            n = max(abs(x1 - x0), abs(y1 - y0)) // 2
            dx, dy = np.sign(x1 - x0), np.sign(y1 - y0)
            found += [(label, x0 + 2 * dx * i, y0 + 2 * dy * i, dx, dy) for i in range(n)]
    return found


def sides_of_pixels(labels, background):
    """The same of the picture: between pixels of different labels one for each, which has its label on the right hand."""
    padded = np.pad(labels.astype(object), 1, constant_values=-1)
    found = []
    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        # along (dx, dy), with y down, the right hand is at (-dy, dx)
        beside = np.roll(padded, (dx, -dy), (0, 1))
        for y, x in np.argwhere((padded != beside) & (padded >= 0) & (padded != background)):
            found.append((padded[y, x], 2 * (x - 1) + dy - dx, 2 * (y - 1) - dx - dy, dx, dy))
    return found


def check_tiling(labels, lines, records, background):
    ours = sides_of_rings(zip(records["class_id"].tolist(), lines))
    assert len(set(ours)) == len(ours), "a side twice"
    assert set(ours) == set(sides_of_pixels(labels, background)), "sides"
    if shapes is None or labels.max() > 2 ** 24 or not labels.size:
        return
    theirs, counts = [], {}
    for shape, value in shapes(labels.astype(np.int32), labels >= 0, connectivity=4):
        if value != background:
            theirs += [(int(value), np.array(ring)[::-1] - .5) for ring in shape["coordinates"]]
            counts[value] = counts.get(value, 0) + 1
    assert set(sides_of_rings(theirs)) == set(ours), "rasterio's sides"
    outer = records["class_id"][records["flags"] & HOLE == 0]
    assert dict(zip(*np.unique(outer, return_counts=True))) == counts, "rasterio's polygons"


# Pictures

def voronoi(rng, shape):
    n = rng.integers(1, 12)
    sites = rng.uniform(0, 1, (n, 2)) * shape
    y, x = np.indices(shape)
    return np.argmin([np.hypot(y - a, x - b) for a, b in sites], 0)


def draw(rng):
    shape = tuple(rng.integers(1, 12, 2)) if rng.random() < .9 else tuple(rng.integers(12, 60, 2))
    kind = rng.integers(9)
    y, x = np.indices(shape)
    if kind < 2:
        labels = voronoi(rng, shape)
    elif kind == 2:
        labels = rng.integers(0, rng.integers(2, 9), shape)
    elif kind == 3:
        labels = (y + x) % 2 * rng.integers(1, 3) + (y % 2) * rng.integers(0, 2)
    elif kind == 4:
        labels = np.full(shape, rng.integers(0, 4))
    elif kind == 5:                   # single pixels
        labels = np.zeros(shape, int)
        labels[rng.integers(0, shape[0], 5), rng.integers(0, shape[1], 5)] = rng.integers(0, 5, 5)
    elif kind == 6:                   # nested
        labels = np.hypot(y - shape[0] / 2, x - shape[1] / 2).astype(int) // rng.integers(1, 3) % rng.integers(2, 4)
    elif kind == 7:                   # each its own, or nearly so
        labels = rng.permutation(y.size).reshape(shape) // rng.integers(1, 3)
    else:                             # stripes and what bridges them
        labels = np.where(rng.random(shape) < .15, rng.integers(0, 4), (y if rng.random() < .5 else x) % 3)
    if rng.random() < .2:
        labels = labels * 0x01010101 % (LARGEST + 1)
    elif rng.random() < .1:
        labels = LARGEST - labels
    return labels


def as_given(rng, labels):
    """In some type, with some strides."""
    names = [name for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8") if labels.max() <= np.iinfo(name).max]
    labels = labels.astype(rng.choice(names))
    if labels.dtype.kind == "i" and rng.random() < .3:
        labels[rng.random(labels.shape) < .1] = rng.choice([-1, np.iinfo(labels.dtype).min])
    given = labels
    how = rng.integers(4)
    if how == 1:
        given = np.asfortranarray(labels)
    elif how == 2:
        wide = np.full((labels.shape[0] * 2, labels.shape[1] * 3 + 1), 99, labels.dtype)
        wide[::2, 1::3] = labels
        given = wide[::2, 1::3]
    elif how == 3:
        wide = np.full((labels.shape[0], labels.shape[1] + 5), 99, labels.dtype)
        wide[:, 2:-3] = labels
        given = wide[:, 2:-3]
    return labels, given


def in_strips(rng, given):
    while len(given):
        n = min(int(rng.integers(1, 5) if rng.random() < .8 else rng.integers(0, 30)), len(given))
        yield given[:n]
        given = given[n:]


def run_case(rng):
    labels, given = as_given(rng, draw(rng))
    present = np.unique(labels[labels >= 0]).tolist()
    background = int(rng.choice([0, 0, -1, 5, present[0] if present else 0]))
    wanted = None
    if rng.random() < .25:
        chosen = [label for label in present if rng.random() < .5] + rng.integers(0, 20, 2).tolist()
        wanted = sorted(set(chosen))
    hierarchy = bool(rng.integers(2))
    min_area = float(rng.choice([0, 0, 0, .75, 3]))
    origin = tuple(int(n) for n in rng.choice([0, 7, 100000], 2))
    first_id = int(rng.choice([0, 1000]))
    n_rings = 0
    for outline in (CONTOURS, PIXELS):
        want = expected(labels, outline, background, hierarchy, min_area, wanted)
        plan = Labels(outline, background, hierarchy, min_area, n_threads=int(rng.choice([1, 2, 5])))
        got = plan.run(given, wanted, origin, first_id)
        compare(got, want, first_id=first_id, origin=origin)
        same(plan.run_strips(in_strips(rng, given), wanted, origin, first_id), got)
        same(plan.run(given, wanted, origin, first_id), got)
        n_rings += len(want[0])
    if wanted is None and min_area == 0:
        lines, records, _ = plan.run(given)
        check_tiling(labels, lines, records, background)
    return n_rings


# Single pictures

def check_errors():
    for labels, place in ((np.array([[0, 2 ** 31]], "u4"), "(1, 0)"), (np.array([[1], [2 ** 40]], "i8"), "(0, 1)"),
                          (np.array([[2 ** 64 - 1]], "u8"), "(0, 0)")):
        for run in (Labels().run, lambda picture: Labels().run_strips([picture])):
            try:
                run(labels)
            except KernelError as error:
                assert error.code == ERROR_LIMIT and place in str(error) and "anew" in str(error), str(error)
            else:
                raise AssertionError("%s is no error" % labels)
    for shape in ((0, 0), (0, 5), (5, 0)):
        lines, records, out = Labels(background=-1).run(np.zeros(shape, "i4"))
        assert not lines and not len(records) and out.n_points == 0
    assert not Labels().run_strips([])[0]


def check_large():
    """A Voronoi picture of many bands, all of it by scikit-image."""
    rng = np.random.default_rng(5)
    coarse = rng.integers(1, 40, (12, 15))
    y, x = np.indices((300, 370))
    jitter = rng.integers(-3, 4, (2, 300, 370))
    labels = coarse[np.clip((y + jitter[0]) // 25, 0, 11), np.clip((x + jitter[1]) // 25, 0, 14)].astype("i4")
    for outline in (CONTOURS, PIXELS):
        want = expected(labels, outline, 0, False, 0, None)
        for n_threads in (1, 4):
            compare(Labels(outline, n_threads=n_threads).run(labels), want)
    lines, records, _ = Labels(PIXELS).run(labels)
    check_tiling(labels, lines, records, 0)


def main():
    n, seed = (int(a) for a in (sys.argv[1:] + ["2000", "1"][len(sys.argv) - 1:])[:2])
    n_rings = 0
    for case in range(n):
        try:
            n_rings += run_case(np.random.default_rng([seed, case]))
        except AssertionError as error:
            sys.exit("label_polygons.py: picture %d of seed %d: %s" % (case, seed, error))
    check_errors()
    check_large()
    print("%d pictures, %d rings: those of scikit-image%s" % (n, n_rings, ", sides of rasterio" if shapes else ""))


if __name__ == "__main__":
    main()
