# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pixels of shapes are those whose centres are inside, decided exactly."""

import json
import random
import struct
import sys
import unittest
from fractions import Fraction

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, GstShapes = need('GLib', 'GstShapes')

CLOSED, HOLE = 1, 2
WIDTH, HEIGHT = 11, 9


def single(value):
    """The nearest float."""
    return struct.unpack('=f', struct.pack('=f', value))[0]


def make_set(shapes, size=(WIDTH, HEIGHT), points=True):
    """Shapes are (points, flags, parent, kind); ids count from 0."""
    records, offsets, data = b'', [0], b''
    for i, (ring, flags, parent, kind) in enumerate(shapes):
        records += struct.pack('=6i10d', i, parent, 0, 0, kind, flags,
                               0, 1, 1, 1, 1, 1, 1, 1, 1, 0)
        data += b''.join(struct.pack('=2f', *point) for point in ring)
        offsets.append(offsets[-1] + len(ring))
    layer = GstShapes.ShapeLayer.new_polylines_bytes(
        GLib.Bytes.new(data) if points else None,
        GLib.Bytes.new(struct.pack('=%dI' % len(offsets), *offsets)),
        GLib.Bytes.new(records), None)
    shape_set = GstShapes.ShapeSet.new(*size)
    shape_set.add_layer(layer)
    return shape_set


def sides(ring):
    ring = [(Fraction(x), Fraction(y)) for x, y in ring]
    return list(zip(ring, ring[1:] + ring[:1]))


def is_on(ring, x, y):
    """Whether (x, y) is on a side."""
    for (ax, ay), (bx, by) in sides(ring):
        if (bx - ax) * (y - ay) == (by - ay) * (x - ax) \
                and min(ax, bx) <= x <= max(ax, bx) \
                and min(ay, by) <= y <= max(ay, by):
            return True
    return False


def is_inside(ring, x, y):
    """By the crossings of a ray upwards."""
    inside = False
    for (ax, ay), (bx, by) in sides(ring):
        if (ax < x) != (bx < x) \
                and y > ay + (by - ay) * (x - ax) / (bx - ax):
            inside = not inside
    return inside


def oracle(outline, holes, size=(WIDTH, HEIGHT)):
    return bytes(
        not any(is_on(ring, x, y) for ring in [outline, *holes])
        and is_inside(outline, x, y)
        and not any(is_inside(hole, x, y) for hole in holes)
        for y in range(size[1]) for x in range(size[0]))


def masks(shape_set, kind=0):
    data = shape_set.get_masks_bytes(kind).get_data()
    size = shape_set.get_width() * shape_set.get_height()
    return [data[i:i + size] for i in range(0, len(data), size)]


def decode(text):
    """The pixels of a document's annotation by its run lengths, row by row."""
    annotations = json.loads(text)['annotations']
    if not annotations:
        return bytes(WIDTH * HEIGHT)
    columns = b''
    for i, n in enumerate(annotations[0]['segmentation']['counts']):
        columns += bytes([i % 2]) * n
    return bytes(columns[x * HEIGHT + y]
                 for y in range(HEIGHT) for x in range(WIDTH))


def ring_of(rng, grid):
    """With corners that often meet pixels, each other and a side."""
    n = rng.randint(3, 9)
    if grid is None:
        points = [(single(rng.uniform(-2, WIDTH + 1)),
                   single(rng.uniform(-2, HEIGHT + 1))) for _ in range(n)]
    else:
        points = [(single(rng.randint(-2 * grid, (WIDTH + 1) * grid) / grid),
                   single(rng.randint(-2 * grid, (HEIGHT + 1) * grid) / grid))
                  for _ in range(n)]
    return points + points[:1]


class Pixels(unittest.TestCase):
    def test_any_rings_by_exact_arithmetic(self):
        rng = random.Random(1)
        for grid in (1, 2, 3, 4, None) * 16:
            outline = ring_of(rng, grid)
            holes = [ring_of(rng, grid) for _ in range(rng.randint(0, 3))]
            shape_set = make_set(
                [(outline, CLOSED, -1, 0)]
                + [(hole, CLOSED | HOLE, 0, 0) for hole in holes])
            expected = oracle(outline, holes)
            self.assertEqual(masks(shape_set), [expected], (outline, holes))
            self.assertEqual(decode(shape_set.to_coco_full('x', 1, 0)),
                             expected, (outline, holes))

    def test_lines_that_miss_a_centre_by_less_than_rounding(self):
        """The sign of a sum of products that doubles do not hold."""
        tiny = 2.**-30
        for far in (2.**20, 2.**24, 2.**40, 2.**70, 2.**100):
            for dx in (0, tiny, -tiny, 2.**-140, -2.**-140):
                # through (4, 4) but for dx
                ring = [(4 - far, 4 - far), (dx, 0), (4 + far, 4 + far),
                        (4 - far, 4 + far)]
                ring = [(single(x), single(y)) for x, y in ring]
                ring += ring[:1]
                self.assertEqual(masks(make_set([(ring, CLOSED, -1, 0)])),
                                 [oracle(ring, [])], (far, dx))
        rng = random.Random(2)
        for _ in range(60):
            p, q = rng.randint(1, 9), rng.randint(1, 8)
            scale = 2. ** rng.randint(0, 40)
            slope = (rng.randint(1, 3), rng.randint(1, 3))
            ring = [(p - scale * slope[0], q - scale * slope[1]),
                    (p + scale * slope[0], q + scale * slope[1]),
                    (p - 3 * scale, q + 5 * scale)]
            ring = [(single(x), single(y)) for x, y in ring]
            ring += ring[:1]
            self.assertEqual(masks(make_set([(ring, CLOSED, -1, 0)])),
                             [oracle(ring, [])], ring)

    def test_extreme_points(self):
        big, small = 3e38, 1e-45
        for ring in ([(-big, -big), (big, -big), (big, big), (-big, big)],
                     [(-small, -small), (small, -big), (big, big)],
                     [(0, small), (10, small), (10, 8 + small), (0, 8)],
                     [(-big, -3), (-big, -2), (-big / 2, -1)],
                     [(big, 3), (big, 4), (big / 2, 5)]):
            ring = [(single(x), single(y)) for x, y in ring]
            self.assertEqual(masks(make_set([(ring, CLOSED, -1, 0)])),
                             [oracle(ring, [])], ring)

    def test_which_shapes_have_pixels(self):
        square = [(1.5, 1.5), (4.5, 1.5), (4.5, 4.5), (1.5, 4.5), (1.5, 1.5)]
        inner = [(2.5, 2.5), (3.5, 2.5), (3.5, 3.5), (2.5, 3.5), (2.5, 2.5)]
        nowhere = [(0, 0), (float('nan'), 1), (1, 1), (0, 0)]
        shape_set = make_set([
            (inner, CLOSED | HOLE, 1, 0), (square, CLOSED, -1, 0),
            (square, 0, -1, 0), (inner, CLOSED | HOLE, -1, 0),
            (square, CLOSED, -1, 1), (nowhere, CLOSED, -1, 0),
            (square, CLOSED, -1, 0), (nowhere, CLOSED | HOLE, 6, 0),
            ([(3, 3)], CLOSED, -1, 0), ([], CLOSED, -1, 0)])
        found = masks(shape_set)
        self.assertEqual([sum(mask) for mask in found], [8, 0, 0, 0, 0])
        self.assertEqual(found[0], oracle(square, [inner]))
        self.assertEqual([sum(mask) for mask in masks(shape_set, 1)], [9])

    def test_labels_are_ids(self):
        squares = [[(x - .5, -.5), (x + 3.5, -.5), (x + 3.5, 3.5),
                    (x - .5, 3.5), (x - .5, -.5)] for x in (0, 2, 7)]
        shape_set = make_set([(ring, CLOSED, -1, 0) for ring in squares])
        labels = struct.unpack('=%di' % (WIDTH * HEIGHT),
                               shape_set.get_labels_bytes(0).get_data())
        expected = [0] * (WIDTH * HEIGHT)
        for i, ring in enumerate(squares):
            for at, inside in enumerate(oracle(ring, [])):
                if inside:
                    expected[at] = i + 1
        self.assertEqual(list(labels), expected)
        self.assertEqual(labels[:WIDTH], (1, 1, 2, 2, 2, 2, 0, 3, 3, 3, 3))
        empty = GstShapes.ShapeSet.new(3, 2)
        self.assertEqual(empty.get_labels_bytes(0).get_data(), bytes(24))
        self.assertEqual(empty.get_masks_bytes(0).get_size(), 0)

    def test_sets_without_pixels_are_refused(self):
        ring = [(0, 0), (2, 0), (2, 2), (0, 0)]
        for wrong, message in (
                (make_set([(ring, CLOSED, -1, 0)], (0, 0)), 'size'),
                (make_set([(ring, CLOSED, -1, 0)], points=False), 'points'),
                (make_set([(ring, CLOSED, -1, 0)] * 3, (32768, 32768)),
                 '2 GiB'),
                (make_set([], (2**31, 1)), '2 GiB')):
            for get in (wrong.get_masks_bytes, wrong.get_labels_bytes):
                if not wrong.get_n_layers() and get == wrong.get_masks_bytes:
                    continue
                with self.assertRaisesRegex(GLib.Error, message):
                    get(0)


if __name__ == '__main__':
    unittest.main()
