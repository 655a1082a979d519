# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is not known of shapes is not 0, and is taken from their points."""

import csv
import json
import math
import random
import struct
import sys
import unittest
from fractions import Fraction

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, Gst, GstShapes = need('GLib', 'Gst', 'GstShapes')

NAN = math.nan
CLOSED = 1
POLYLINE = struct.Struct('=6i10d')
UNKNOWN = (NAN,) * 8
ZERO = (0,) * 8
SQUARE = [(10, 20), (30, 20), (30, 40), (10, 40), (10, 20)]
OF_SQUARE = (400, 80, 20, 30, 10, 20, 30, 40)


def make_set(shapes, points=True, size=(64, 48)):
    """Shapes are (points, measures, flags, kind, parent, solidity)."""
    records, offsets, data = b'', [0], b''
    for i, (ring, measures, flags, kind, parent, solidity) \
            in enumerate(shapes):
        records += POLYLINE.pack(i, parent, 0, 0, kind, flags, .5, *measures,
                                 solidity)
        data += b''.join(struct.pack('=2f', *point) for point in ring)
        offsets.append(offsets[-1] + len(ring))
    shape_set = GstShapes.ShapeSet.new(*size)
    shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
        GLib.Bytes.new(data) if points else None,
        GLib.Bytes.new(struct.pack('=%dI' % len(offsets), *offsets)),
        GLib.Bytes.new(records), None))
    return shape_set


def unknown(ring=None, **more):
    return make_set([(ring or SQUARE, UNKNOWN, CLOSED, 0, -1, 0)], **more)


def records(shape_set, layer=0):
    return list(POLYLINE.iter_unpack(
        shape_set.get_polylines_bytes(layer).get_data()))


def measures(shape_set, index=0, layer=0):
    return records(shape_set, layer)[index][7:15]


def oracle(ring, closed):
    """By rational numbers; lengths have no others than decimals."""
    at = [(Fraction(x), Fraction(y)) for x, y in ring]
    pairs = list(zip(at, at[1:]))
    cross = [ax * by - bx * ay for (ax, ay), (bx, by) in pairs]
    if not closed:
        (ax, ay), (bx, by) = at[-1], at[0]
        cross.append(ax * by - bx * ay)
    area = sum(cross) / 2
    lengths = [math.hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in pairs]
    if closed and area:
        centroid = [sum(c * (a[k] + b[k]) for c, (a, b) in zip(cross, pairs))
                    / (6 * area) for k in range(2)]
    else:
        centroid = [sum(n * float(a[k] + b[k])
                        for n, (a, b) in zip(lengths, pairs))
                    / (2 * sum(lengths)) for k in range(2)]
    low, high = [[f(p[k] for p in at) for k in range(2)] for f in (min, max)]
    # rings that cross themselves would have it elsewhere
    centroid = [min(max(c, a), b) for c, a, b in zip(centroid, low, high)]
    return [float(v) for v in (area, sum(lengths), *centroid, *low, *high)]


def contours(properties):
    """Of a picture with shapes of any size."""
    pipeline = Gst.parse_launch(
        'videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=GRAY8,'
        'width=160,height=120 ! cudacontours backend=cpu %s '
        '! appsink name=out sync=false' % properties)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name('out').emit('pull-sample')
    pipeline.set_state(Gst.State.NULL)
    return GstShapes.buffer_get_shape_set(sample.get_buffer())


class Measures(unittest.TestCase):
    def near(self, got, wanted, message=None):
        for a, b in zip(got, wanted):
            self.assertTrue(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9),
                            '%s, not %s: %s' % (got, wanted, message))

    def test_they_are_those_of_the_points(self):
        rng = random.Random(1)
        for n in (2, 3, 4, 7, 33, 300, 600):
            for closed in (0, 1):
                ring = [(rng.randint(-80, 800) / 8, rng.randint(-80, 800) / 8)
                        for _ in range(n)]
                if closed:
                    ring.append(ring[0])
                shape_set = make_set([(ring, UNKNOWN, closed, 0, -1, 0)])
                self.near(measures(shape_set.compute_measures()),
                          oracle(ring, closed), (n, closed))
                self.assertTrue(all(map(math.isnan, measures(shape_set))))

    def test_they_are_the_bits_of_cudacontours(self):
        for properties in ('level=0.5', 'level=0.1', 'level=0.9'):
            known = contours(properties + ' measures=basic')
            blank = b''.join(
                POLYLINE.pack(*record[:7], *UNKNOWN, record[15])
                for record in records(known))
            shape_set = GstShapes.ShapeSet.new(160, 120)
            shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
                known.get_points_bytes(0), known.get_offsets_bytes(0),
                GLib.Bytes.new(blank), None))
            self.assertEqual(
                shape_set.compute_measures().get_polylines_bytes(0).get_data(),
                known.get_polylines_bytes(0).get_data())
            self.assertGreater(len(records(known)), 10)

    def test_what_is_known_stays(self):
        partly = (7, NAN, 1, NAN, NAN, 2, 3, 4)
        shape_set = make_set([(SQUARE, partly, CLOSED, 0, -1, 0)])
        self.assertEqual(measures(shape_set.compute_measures()),
                         (7, 80, 1, 30, 10, 2, 3, 4))
        complete = make_set([(SQUARE, OF_SQUARE, CLOSED, 0, -1, 0)])
        self.assertEqual(
            complete.compute_measures().get_layer(0).get_address(0),
            complete.get_layer(0).get_address(0))

    def test_what_cannot_be_known_does_not_become_0(self):
        bad = [*SQUARE[:2], (NAN, 3), *SQUARE[2:]]
        for shape_set in (unknown(points=False), unknown(bad)):
            self.assertTrue(all(map(math.isnan,
                                    measures(shape_set.compute_measures()))))
            shape = json.loads(shape_set.to_json())['shapes'][0]
            self.assertEqual([shape[key] for key in (
                'area', 'perimeter', 'centroid', 'bbox')], [None] * 4)
            row = list(csv.DictReader(shape_set.to_csv().splitlines()))[0]
            for key in ('area', 'perimeter', 'centroid_x', 'bbox_y1'):
                self.assertEqual(row[key], '')
            assigned = shape_set.assign_regions(unknown())
            self.assertEqual(assigned.get_annotations_bytes(0).get_data(),
                             struct.pack('=fiq', -1, -1, -1))

    def test_solidity_is_of_the_contour(self):
        triangle = [(10, 20), (30, 20), (30, 40), (10, 20)]
        shape_set = make_set([
            (triangle, UNKNOWN, CLOSED, 0, -1, 0),
            (SQUARE, UNKNOWN, CLOSED, 1, 0, NAN),
            (SQUARE, OF_SQUARE, CLOSED, 1, 0, NAN),
            (SQUARE, UNKNOWN, CLOSED, 1, 0, .25),
            (SQUARE, UNKNOWN, CLOSED, 1, 99, NAN),
            (SQUARE, UNKNOWN, CLOSED, 1, -1, NAN),
            ([(1, 1), (1, 1)], UNKNOWN, CLOSED, 1, 0, NAN)])
        solidities = [record[15]
                      for record in records(shape_set.compute_measures())]
        self.assertEqual(solidities[:4], [0, .5, .5, .25])
        self.assertTrue(all(map(math.isnan, solidities[4:6])))
        self.assertEqual(solidities[6], 0)
        self.assertIsNone(json.loads(shape_set.to_json())['shapes'][1][
            'solidity'])

    def test_records_of_nothing_but_0_are_not_measured(self):
        shape_set = make_set([(SQUARE, ZERO, CLOSED, 0, -1, 0),
                              (SQUARE, ZERO, CLOSED, 1, 0, 0),
                              (SQUARE, (1, *ZERO[1:]), CLOSED, 0, -1, 0)])
        self.assertEqual([measures(shape_set, i) for i in range(3)],
                         [OF_SQUARE, OF_SQUARE, (1, *ZERO[1:])])
        self.assertTrue(math.isnan(records(shape_set)[1][15]))
        self.assertEqual(
            measures(make_set([(SQUARE, ZERO, CLOSED, 0, -1, 0)],
                              points=False)), ZERO)

    def test_whoever_needs_one_has_it(self):
        shape_set = unknown()
        shape_set.pixel_size = .5, .5
        regions = make_set([
            ([(0, 0), (9, 0), (9, 9), (0, 0)], ZERO, CLOSED, 0, -1, 0),
            ([(9, 9), (60, 9), (60, 60), (9, 60), (9, 9)], ZERO, CLOSED, 0,
             -1, 0)])
        assigned = shape_set.assign_regions(regions)
        self.assertEqual(assigned.get_annotations_bytes(0).get_data(),
                         struct.pack('=fiq', -1, 1, -1))
        seen = []
        kept = shape_set.filter(
            lambda polyline: seen.append(polyline.area) or True)
        self.assertEqual((seen, len(records(kept))), ([400], 1))
        known, metric = shape_set.get_metric(0, 0)
        self.assertEqual((known, metric.area, metric.perimeter),
                         (True, 100, 40))
        shape = json.loads(shape_set.to_json())['shapes'][0]
        self.assertEqual((shape['area-mm2'], shape['perimeter-mm']),
                         (100, 40))

    def test_maps_leave_unknown_what_is_unknown(self):
        shape_set = make_set([(SQUARE, UNKNOWN, CLOSED, 0, -1, 0),
                              (SQUARE, OF_SQUARE, CLOSED, 0, -1, 0),
                              ([(0, 0), (0, 0)], (0,) * 8, CLOSED, 0, -1, 0)])
        for mapped in (shape_set.rescale(128, 96), shape_set.scale(3, 1)):
            self.assertTrue(all(map(math.isnan, measures(mapped, 0))))
        self.assertEqual(measures(shape_set.scale(2, 2), 1),
                         (1600, 160, 40.5, 60.5, 20.5, 40.5, 60.5, 80.5))
        self.assertEqual(measures(shape_set.scale(2, 2), 2),
                         (0, 0, .5, .5, .5, .5, .5, .5))

    def test_lines_that_lack_them_are_measured(self):
        points = [list(point) for point in SQUARE]
        for shape in ({'points': points},
                      {'points': points, 'centroid': None, 'bbox': None,
                       'area': None, 'perimeter': None},
                      {'points': points, 'area': 400, 'perimeter': 80,
                       'centroid': [None, 30],
                       'bbox': [10, None, None, 40]}):
            line = {'shapes': [{'kind': 'contour', 'closed': True, **shape}]}
            self.assertEqual(
                measures(GstShapes.ShapeSet.from_json(json.dumps(line))),
                OF_SQUARE)
        for shape in ({}, {'centroid': None, 'bbox': None}):
            line = {'shapes': [{'kind': 'hull', 'closed': True, **shape}]}
            found = GstShapes.ShapeSet.from_json(json.dumps(line))
            self.assertTrue(all(map(math.isnan, records(found)[0][7:])))
            again = GstShapes.ShapeSet.from_json(found.to_json())
            self.assertEqual(again.to_json(), found.to_json())


if __name__ == '__main__':
    unittest.main()
