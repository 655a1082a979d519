# SPDX-License-Identifier: LGPL-2.1-or-later
"""Properties of regions against scikit-image's regionprops_table: integers and counts equal, numbers as far as scikit-image's own
are exact. It has sums in double precision, so that what cancels is not 0 there.

region_properties.py [PICTURES [SEED]]
"""
import sys
import warnings

try:
    import numpy as np
    import skimage
    from skimage import measure
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from csproperties import _NAMES, column_names, region_properties

VERSION = tuple(int(part) for part in skimage.__version__.split(".")[:2])
# has num_pixels and spacing
IS_NEW = VERSION >= (0, 21)
NAMES = [name for name in _NAMES if IS_NEW or name != "num_pixels"]
TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")


# Pictures

def noise(rng, shape):
    return rng.integers(0, rng.integers(2, 8), shape)


def cells(rng, shape):
    """Voronoi cells of random points, less what is far from all."""
    seeds = rng.random((rng.integers(1, 40), 2)) * shape
    y, x = np.mgrid[:shape[0], :shape[1]]
    distances = (y[..., None] - seeds[:, 0]) ** 2 + (x[..., None] - seeds[:, 1]) ** 2
    return np.where(distances.min(-1) > rng.integers(3, 900), 0, distances.argmin(-1) + 1)


def boxes(rng, shape):
    labels = np.zeros(shape, int)
    for i in range(rng.integers(1, 12)):
        top, left = rng.integers(0, shape)
        labels[top:top + rng.integers(1, 50), left:left + rng.integers(1, 90)] = i + 1
    return labels


def components(rng, shape):
    return measure.label(rng.random(shape) < rng.uniform(.3, .8), connectivity=int(rng.integers(1, 3)))


def disks(rng, shape):
    """Ellipses with holes."""
    labels = np.zeros(shape, int)
    y, x = np.mgrid[:shape[0], :shape[1]]
    for i in range(rng.integers(1, 8)):
        cy, cx = rng.random(2) * shape
        angle, a, b = rng.random() * np.pi, rng.uniform(1, 40), rng.uniform(1, 15)
        u = ((x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)) / a
        v = ((y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)) / b
        labels[(u * u + v * v < 1) & (u * u + v * v > rng.choice((-1, .1, .7)))] = i + 1
    return labels


PICTURES = (noise, cells, boxes, components, disks)


# Comparison

def limit(name, want):
    """How far numbers may be from scikit-image's."""
    large = want["inertia_tensor_eigvals-0"]
    property_name, *index = name.split("-")
    if property_name in ("axis_minor_length", "eccentricity"):
        return 1e-7 * (1 + np.sqrt(large))  # roots of what is rounded
    if property_name == "moments_hu":
        return 1e-9 * (1 + want["moments_hu-0"]) ** 8
    scale = np.abs(want[name]) + large
    if property_name.startswith("moments_") and index:
        order = sum(map(int, index))
        extent = np.hypot(want["bbox-2"] - want["bbox-0"], want["bbox-3"] - want["bbox-1"])
        scale = extent ** order * (want["moments-0-0"] if property_name == "moments_central" else 1.)
    return 1e-12 * (1 + scale)


def compare(got, want):
    assert list(got) == column_names(NAMES)
    for name in got:
        a, b = got[name], want[name]
        assert len(a) == len(b), "%d regions, not %d" % (len(a), len(b))
        if name == "orientation":
            # without a sign along an axis; of a circle there is none
            first, second = want["inertia_tensor_eigvals-0"], want["inertia_tensor_eigvals-1"]
            wrong = np.abs(np.abs(a) - np.abs(b)) * (first - second) > 1e-7 * (1 + first)
            wrong |= (a * b < 0) & (np.abs(want["inertia_tensor-0-1"]) > 1e-7 * (1 + first)) & (
                np.abs(want["inertia_tensor-0-0"] - want["inertia_tensor-1-1"]) > 1e-7 * (1 + first))
        elif a.dtype.kind == "i":
            wrong = a != b
        else:
            wrong = ~((np.abs(a - b) <= limit(name, want)) | (np.isnan(a) & np.isnan(b)))
        assert not wrong.any(), "%s of label %d is %r, not %r" % (name, got["label"][wrong][0], a[wrong][0], b[wrong][0])


def exactly_equal(got, want):
    """What scikit-image has without an error."""
    for name in ("area", "area_bbox", "area_convex", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "euler_number", "extent",
                 "feret_diameter_max", "solidity", "centroid-0", "centroid-1"):
        assert (got[name] == want[name]).all(), name


def relabelled(rng, labels, dtype):
    """Other labels, which need not follow one another; the background may be below 0."""
    largest = min(int(np.iinfo(dtype).max), 20000)
    numbers = np.append(0, rng.choice(largest, labels.max(), False) + 1)
    labels = numbers[labels].astype(dtype)
    if dtype[0] == "i" and rng.integers(2):
        labels[labels == 0] = -1
    return labels


def check_picture(rng):
    shape = rng.integers(1, 100, 2) if rng.integers(5) else rng.integers(1, (12, 300))
    labels = PICTURES[rng.integers(len(PICTURES))](rng, shape)
    if labels.max() == 0 or labels.max() > 120:
        return False
    labels = relabelled(rng, labels, TYPES[rng.integers(len(TYPES))])
    plain = np.maximum(labels.astype("i8"), 0)
    if rng.integers(2):
        wide = np.zeros((shape[0], 2 * shape[1]), labels.dtype)
        wide[:, ::2] = labels
        labels = wide[:, ::2]
    want = measure.regionprops_table(plain, properties=NAMES)
    got = region_properties(labels, NAMES, n_threads=int(rng.integers(1, 4)))
    compare(got, want)
    exactly_equal(got, want)
    if IS_NEW:
        spacing = tuple(rng.uniform(.3, 3., 2))
        some = [name for name in NAMES if not name.startswith("perimeter") and name != "moments_hu"]
        want = measure.regionprops_table(plain, properties=some, spacing=spacing)
        for name, column in region_properties(labels, some, spacing).items():
            assert name.startswith(("orientation", "moments", "eccentricity", "axis_minor", "inertia")) or np.allclose(
                column, want[name], 1e-11, 1e-11), name
    return True


def main():
    n, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 400), (2, 1)))
    warnings.simplefilter("ignore")
    compared = 0
    for i in range(n):
        rng = np.random.default_rng((seed, i))
        try:
            compared += check_picture(rng)
        except AssertionError as error:
            print("picture %d of seed %d: %s" % (i, seed, error))
            sys.exit(1)
    print("%d pictures as scikit-image %s has them" % (compared, skimage.__version__))


if __name__ == "__main__":
    main()
