# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sets know beyond outlines: sizes of pixels, ellipses, defects,
statistics, indices; and some of a set's shapes."""

import csv
import io
import json
import math
import pickle
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, Gst, GstShapes, np = need('GLib', 'Gst', 'GstShapes', 'numpy')


SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
STATISTICS = {
    'gray': {'pixels': 9, 'mean': 100.5, 'deviation': 2.25, 'min': 97,
             'max': 104},
    'probability': {'pixels': 9, 'mean': .75, 'deviation': .125, 'min': .5,
                    'max': 1}}


def hull(number, points, **more):
    return dict({'id': number, 'kind': 'hull', 'class': 0, 'level': .5,
                 'closed': True, 'hole': False, 'parent': None, 'area': 16,
                 'perimeter': 16, 'centroid': [2, 2], 'bbox': [0, 0, 4, 4],
                 'solidity': .5, 'points': points}, **more)


def line():
    closed = SQUARE + SQUARE[:1]
    full = {
        'feret': [4, math.sqrt(32)],
        'min-area-rect': {'center': [2, 2], 'size': [4, 4], 'angle': 0},
        'enclosing-circle': {'x': 2, 'y': 2, 'r': math.sqrt(8)},
        'enclosing-ellipse': {'center': [2, 2], 'axes': [3, 2], 'angle': 30},
        'indices': [7, 1, 3, 5, 7]}
    return json.dumps({
        'version': 1, 'frame': 0, 'pts': None, 'offset': None, 'width': 64,
        'height': 48, 'pixel-size': [.5, .5], 'shapes': [
            hull(0, closed, **full, statistics=STATISTICS, defects=[
                {'start': [4, 0], 'end': [4, 4], 'farthest': [2.5, 1],
                 'depth': 1.5},
                {'start': [4, 4], 'end': [0, 4], 'farthest': [1, 3],
                 'depth': 1}]),
            hull(1, closed, **full, defects=[])]})


def make_set():
    return GstShapes.ShapeSet.from_json(line())


class Extras(unittest.TestCase):
    def check(self, shape_set):
        first, second = shape_set.hulls()
        self.assertEqual(first.ellipse.center, (2, 2))
        self.assertEqual(first.ellipse.axes, (3, 2))
        self.assertAlmostEqual(first.ellipse.angle, 30)
        self.assertEqual([(d.start, d.end, d.farthest, d.depth)
                          for d in first.defects],
                         [((4, 0), (4, 4), (2.5, 1), 1.5),
                          ((4, 4), (0, 4), (1, 3), 1)])
        self.assertEqual(second.defects, [])
        gray = first.statistics['gray']
        self.assertEqual((gray.n_pixels, gray.mean, gray.deviation,
                          gray.minimum, gray.maximum),
                         (9, 100.5, 2.25, 97, 104))
        self.assertEqual(first.statistics['probability'].mean, .75)
        self.assertEqual(second.statistics, {})
        self.assertEqual(list(first.indices), [7, 1, 3, 5, 7])
        self.assertEqual(shape_set.pixel_size, (.5, .5))
        layer = shape_set[0]
        self.assertEqual(np.asarray(layer.defects())['depth'].tolist(),
                         [1.5, 1])
        self.assertEqual(np.asarray(layer.statistics())['mean'].tolist(),
                         [100.5, .75])
        self.assertEqual(len(layer.ellipses()), 2)
        self.assertEqual(len(layer.indices()), 10)
        for array in (layer.points(), layer.offsets(), layer.polylines(),
                      layer.hull_measures(), layer.ellipses(),
                      layer.defects(), layer.statistics(), layer.indices()):
            self.assertEqual(bytes(array.memoryview()),
                             np.asarray(array).tobytes())

    def test_json_is_read(self):
        self.check(make_set())

    def test_json_is_written_as_it_was_read(self):
        again = json.loads(make_set().to_json())
        shapes = [dict(shape) for shape in again['shapes']]
        for shape in shapes:
            self.assertEqual(shape.pop('area-mm2'), 4)
            self.assertEqual(shape.pop('perimeter-mm'), 8)
            self.assertEqual(shape.pop('feret-mm'), [2, math.sqrt(8)])
            shape['enclosing-ellipse']['angle'] = \
                round(shape['enclosing-ellipse']['angle'], 9)
        expected = json.loads(line())
        for shape in expected['shapes']:
            shape['points'] = [list(point) for point in shape['points']]
        self.assertEqual(dict(again, shapes=shapes), expected)

    def test_serialised_sets_are_the_same(self):
        self.check(pickle.loads(pickle.dumps(make_set())))

    def test_derived_sets_are_the_same(self):
        self.check(make_set().derive())

    def test_truncated_bytes_are_refused(self):
        data = make_set().serialize().get_data()
        for size in range(len(data)):
            with self.assertRaises(GLib.Error):
                GstShapes.ShapeSet.deserialize(data[:size])

    def test_lists_of_no_shape_are_refused(self):
        data = bytearray(make_set().serialize().get_data())
        record = np.asarray(make_set()[0].defects())[1:].tobytes()
        at = bytes(data).index(record)
        data[at] = 2
        with self.assertRaisesRegex(GLib.Error, 'of no shape'):
            GstShapes.ShapeSet.deserialize(bytes(data))

    def test_mistakes_in_json_are_named(self):
        for old, new, words in (
                ('"pixel-size": [0.5, 0.5]', '"pixel-size": [0.5, 0]',
                 'pixel-size is not two positive'),
                ('"depth": 1.5', '"depth": "x"', 'depth is not a number'),
                ('[7, 1, 3, 5, 7]', '[7, 1, 3]', 'indices is not'),
                ('"mean": 100.5', '"mean": []', 'mean is not a number'),
                ('"defects": []', '"defects": 1', 'defects is not an array')):
            self.assertIn(old, line())
            with self.assertRaisesRegex(GLib.Error, words):
                GstShapes.ShapeSet.from_json(line().replace(old, new))

    def test_csv_has_a_cell_for_each_column(self):
        shape_set = make_set()
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(np.array([(1, 2, 3, 0, 0xff, -1)], np.dtype(
                GstShapes.CIRCLE_DESCR)).tobytes())))
        shape_set.add_polygons([SQUARE])
        rows = list(csv.reader(io.StringIO(shape_set.to_csv())))
        self.assertEqual([len(row) for row in rows], [len(rows[0])] * 5)
        cells = [dict(zip(rows[0], row)) for row in rows[1:]]
        self.assertEqual(
            {name: cells[0][name] for name in (
                'area_mm2', 'perimeter_mm', 'feret_min_mm', 'ellipse_major',
                'defects', 'deepest_defect', 'pixels', 'gray_mean', 'gray_max',
                'a_mean', 'probability_max')},
            {'area_mm2': '4', 'perimeter_mm': '8', 'feret_min_mm': '2',
             'ellipse_major': '3', 'defects': '2', 'deepest_defect': '1.5',
             'pixels': '9', 'gray_mean': '100.5', 'gray_max': '104',
             'a_mean': '', 'probability_max': '1'})
        self.assertEqual((cells[1]['defects'], cells[3]['defects']), ('0', ''))
        self.assertEqual((cells[2]['kind'], cells[2]['area_mm2']),
                         ('circle', ''))

    def test_a_flip_reverses_defects_and_indices(self):
        flip = GstShapes.ShapeAffine()
        flip.xx, flip.x0, flip.yy = -1, 63, 1
        flipped = make_set().transform(flip, 64, 48)
        first = next(flipped.hulls())
        self.assertEqual(list(first.indices), [7, 5, 3, 1, 7])
        self.assertEqual((first.defects[0].start, first.defects[0].end),
                         ((59, 4), (59, 0)))
        self.assertEqual(first.defects[0].depth, 1.5)
        self.assertAlmostEqual(first.ellipse.angle, -30)
        self.assertEqual(flipped.pixel_size, (.5, .5))
        self.assertEqual(first.statistics['gray'].mean, 100.5)

    def test_a_shear_maps_the_ellipse(self):
        shear = GstShapes.ShapeAffine()
        shear.xx, shear.xy, shear.x0 = 2, .5, 3
        shear.yx, shear.yy, shear.y0 = .75, 1.25, -4
        before = next(make_set().hulls()).ellipse
        after = next(make_set().transform(shear, 300, 300).hulls()).ellipse
        (x, y), (a, b), (ux, uy) = after.center, after.axes, after.direction
        for angle in np.linspace(0, 6, 20):
            p = before.axes[0] * math.cos(angle)
            q = before.axes[1] * math.sin(angle)
            px = before.center[0] + p * before.direction[0] \
                - q * before.direction[1]
            py = before.center[1] + p * before.direction[1] \
                + q * before.direction[0]
            px, py = 2 * px + .5 * py + 3, .75 * px + 1.25 * py - 4
            u = (px - x) * ux + (py - y) * uy
            v = (py - y) * ux - (px - x) * uy
            self.assertAlmostEqual((u / a) ** 2 + (v / b) ** 2, 1)

    def test_an_uneven_scale_maps_the_ellipse_and_the_pixels(self):
        scaled = make_set().rescale(128, 48)
        self.assertEqual(scaled.pixel_size, (.25, .5))
        first = next(scaled.hulls())
        self.assertIsNone(first.defects)
        # points of the ellipse stay on it
        before = next(make_set().hulls()).ellipse
        (x, y), (a, b), (ux, uy) = (first.ellipse.center, first.ellipse.axes,
                                    first.ellipse.direction)
        for angle in np.linspace(0, 6, 20):
            p = before.axes[0] * math.cos(angle)
            q = before.axes[1] * math.sin(angle)
            px = before.center[0] + p * before.direction[0] \
                - q * before.direction[1]
            py = before.center[1] + p * before.direction[1] \
                + q * before.direction[0]
            px = (px + .5) * 2 - .5
            u = (px - x) * ux + (py - y) * uy
            v = (py - y) * ux - (px - x) * uy
            self.assertAlmostEqual((u / a) ** 2 + (v / b) ** 2, 1)
        metric = first.metric
        self.assertEqual((metric.area, metric.perimeter), (4, 8))
        self.assertEqual(metric.equivalent_diameter, 4 / math.sqrt(math.pi))


class PixelSizes(unittest.TestCase):
    def test_a_set_has_none_unless_it_is_given(self):
        shape_set = GstShapes.ShapeSet.from_polygons([SQUARE], 64, 48)
        self.assertIsNone(shape_set.pixel_size)
        self.assertIsNone(next(shape_set.contours()).metric)
        self.assertNotIn('pixel-size', shape_set.to_json())
        shape_set.pixel_size = .1, .2
        self.assertEqual(shape_set.pixel_size, (.1, .2))
        shape_set.pixel_size = None
        self.assertIsNone(shape_set.pixel_size)

    def test_what_is_no_size_is_refused(self):
        shape_set = GstShapes.ShapeSet.new(64, 48)
        for size in ((0, 1), (1, -1), (float('nan'), 1)):
            with self.assertRaises(ValueError):
                shape_set.pixel_size = size
        buffer = Gst.Buffer.new()
        GstShapes.buffer_add_shape_meta(buffer, shape_set)
        with self.assertRaisesRegex(ValueError, 'published'):
            shape_set.pixel_size = 1, 1

    def test_merged_sets_have_the_later_size(self):
        for later, merged in ((None, (.5, .5)), ((1, 2), (1, 2))):
            first = GstShapes.ShapeSet.from_polygons([SQUARE], 64, 48)
            first.pixel_size = .25, .25
            second = GstShapes.ShapeSet.from_polygons([SQUARE], 32, 24)
            second.pixel_size = later
            buffer = Gst.Buffer.new()
            GstShapes.buffer_add_shape_meta(buffer, first)
            GstShapes.buffer_add_shape_meta(buffer, second)
            self.assertEqual(
                GstShapes.buffer_get_shape_set(buffer).pixel_size, merged)

    def test_a_quarter_turn_swaps_the_sizes(self):
        shape_set = GstShapes.ShapeSet.from_polygons([SQUARE], 64, 48)
        shape_set.pixel_size = .1, .2
        turn = GstShapes.ShapeAffine()
        turn.xy, turn.x0, turn.yx = -1, 47, 1
        self.assertEqual(shape_set.transform(turn, 48, 64).pixel_size,
                         (.2, .1))

    def test_lengths_of_oblong_pixels_are_those_of_stretched_points(self):
        random = np.random.default_rng(3)
        for _case in range(50):
            points = random.normal(size=(12, 2)) * (9, 4)
            polygon = GstShapes.convex_hull(points)
            vertices = points[polygon.vertices].astype('f4')
            # hulls run as vertices do in y down
            shape_set = GstShapes.ShapeSet.from_json(json.dumps({
                'version': 1, 'width': 64, 'height': 48,
                'pixel-size': [.3, 1.7], 'shapes': [hull(
                    0, vertices[list(range(len(vertices))) + [0]].tolist(),
                    area=polygon.area, **{'feret': [0, 0]})]}))
            metric = next(shape_set.hulls()).metric
            expected = GstShapes.convex_hull(
                vertices.astype('f8') * (.3, 1.7))
            self.assertAlmostEqual(metric.perimeter, expected.perimeter, 5)
            self.assertAlmostEqual(metric.feret_max, expected.feret[1], 5)
            self.assertAlmostEqual(metric.feret_min, expected.feret[0], 5)


def named(class_id, number, name=None):
    shape = {'id': number, 'kind': 'contour', 'class': class_id, 'level': .5,
             'closed': False, 'hole': False, 'parent': None, 'area': 0,
             'perimeter': 0, 'centroid': [0, 0], 'bbox': [0, 0, 1, 1]}
    if name is not None:
        shape['class-name'] = name
    return dict(shape, points=[[0, 0], [1, 1]])


def read_named(*shapes):
    return GstShapes.ShapeSet.from_json(json.dumps(
        {'version': 1, 'width': 64, 'height': 48, 'shapes': shapes}))


class ClassNames(unittest.TestCase):
    NAMES = ['skin', '', '"r\u00f6t"']

    def make(self):
        shape_set = GstShapes.ShapeSet.from_polygons(
            [SQUARE, [(20, 20), (29, 20), (29, 29)], [(0, 0), (3, 4)]], 64, 48,
            class_ids=[0, 1, 2], confidences=[.5, .25, None])
        shape_set.get_layer(0).set_class_names(self.NAMES)
        return shape_set

    def check(self, shape_set, layer=0):
        layer = shape_set.get_layer(layer)
        self.assertEqual([layer.get_class_name(i) for i in range(-1, 4)],
                         [None, 'skin', None, self.NAMES[2], None])

    def test_they_survive(self):
        shape_set = self.make()
        self.check(shape_set)
        self.check(pickle.loads(pickle.dumps(shape_set)))
        self.check(shape_set.filter(class_ids=[0]))
        self.check(shape_set.filter(lambda p: False))
        self.check(shape_set.rescale(32, 24))
        self.check(shape_set.derive())
        again = GstShapes.ShapeSet.from_json(shape_set.to_json())
        self.check(again)
        self.assertEqual(again.to_json(), shape_set.to_json())

    def test_a_filter_finds_kinds_and_ids_anew(self):
        shape_set = self.make()
        kept = shape_set.filter(lambda p: p.id == 1)
        self.assertEqual(kept.get_next_id(), 2)
        self.assertFalse(kept.filter(lambda p: False).get_layer(0).has_kind(
            GstShapes.ShapeKind.CONTOUR))

    def test_names_may_be_replaced(self):
        layer = self.make().get_layer(0)
        layer.set_class_names(['', 'x'])
        self.assertEqual([layer.get_class_name(i) for i in range(3)],
                         [None, 'x', None])

    def test_layers_of_json_have_one_name_for_a_class(self):
        shapes = (named(0, 0, 'a'), named(70000, 1, 'b'), named(0, 2, 'a'),
                  named(0, 3, 'c'), named(0, 4), named(1, 5, 'd'))
        shape_set = read_named(*shapes)
        self.assertEqual([layer.get_n_shapes() for layer in shape_set], [3, 1, 2])
        names = [(0, 0, 'a'), (0, 70000, 'b'), (1, 0, 'c'), (2, 0, None),
                 (2, 1, 'd'), (1, 1, None)]
        for other in (shape_set, pickle.loads(pickle.dumps(shape_set))):
            for layer, class_id, name in names:
                self.assertEqual(
                    other.get_layer(layer).get_class_name(class_id), name)
        self.assertEqual(json.loads(shape_set.to_json())['shapes'],
                         list(shapes))

    def test_mistakes_are_named(self):
        for shape, words in (
                (named(0, 0, 7), r'shapes\[1\].class-name is not a text'),
                (named(0, 0, 4097 * 'x'), 'at most 4096 bytes'),
                (named(-1, 0, 'x'), r'shapes\[1\].class is not at least 0')):
            with self.assertRaisesRegex(GLib.Error, words):
                read_named(named(2, 1), shape)
        self.assertEqual(read_named(named(0, 0, 4096 * 'x')).get_layer(
            0).get_class_name(0), 4096 * 'x')

    def test_the_longest_name_is_read_back(self):
        name = 'x' * 4096
        longest = read_named(named(3, 0, name))
        again = GstShapes.ShapeSet.deserialize(longest.serialize().get_data())
        self.assertEqual(next(again.contours()).class_name, name)
        self.assertTrue(again == longest)

    def test_names_are_limited(self):
        most = read_named(*[named(i, i, str(i)) for i in range(65536)])
        self.assertEqual(len(pickle.loads(pickle.dumps(most))[0]), 65536)
        with self.assertRaisesRegex(GLib.Error, 'more than 65536 names'):
            read_named(*[named(i, i, str(i)) for i in range(65537)])
        most.add_layer(self.make().get_layer(0))
        with self.assertRaisesRegex(GLib.Error, 'more than 65536 names'):
            most.serialize()

    def test_invalid_bytes_are_refused(self):
        data = self.make().serialize().get_data()
        at = data.index(b'skin')
        for size in range(len(data)):
            with self.assertRaises(GLib.Error):
                GstShapes.ShapeSet.deserialize(data[:size])
        for offset, byte in ((at, 0), (at, 0xff), (at - 4, 0), (at - 4, 255),
                             (at - 8, 3), (at - 5, 0x80), (at - 12, 0),
                             (at - 12, 3)):
            bad = bytearray(data)
            bad[offset] = byte
            with self.assertRaisesRegex(GLib.Error, 'names|left over'):
                GstShapes.ShapeSet.deserialize(bytes(bad))
        # two names of one class, and names that are not in order
        first, second = data[at - 8:at - 4], data[at + 4:at + 8]
        self.assertLess(int.from_bytes(first, 'little'),
                        int.from_bytes(second, 'little'))
        for ids in (second, second), (first, first), (second, first):
            bad = bytearray(data)
            bad[at - 8:at - 4], bad[at + 4:at + 8] = ids
            with self.assertRaisesRegex(GLib.Error, 'names|left over'):
                GstShapes.ShapeSet.deserialize(bytes(bad))


class Selections(unittest.TestCase):
    def make(self):
        shape_set = GstShapes.ShapeSet.from_polygons(
            [SQUARE, [(20, 20), (29, 20), (29, 29)], [(0, 0), (3, 4)],
             [(1, 1), (1, 2), (2, 2), (2, 1)]], 64, 48,
            closed=[True, True, False, True], class_ids=[1, 2, 1, 1],
            parents=[None, None, None, 0], holes=[False, False, False, True],
            confidences=[.5, .25, None, None])
        shape_set.pixel_size = .5, .5
        return shape_set

    def ids(self, shape_set):
        return [contour.id for contour in shape_set.contours()]

    def test_filters(self):
        shape_set = self.make()
        for words, ids in (
                ({}, [0, 1, 2, 3]), ({'class_ids': [1]}, [0, 2, 3]),
                ({'min_area': 10}, [0, 1]), ({'max_area': 10}, [2, 3]),
                ({'closed': True}, [0, 1, 3]), ({'closed': False}, [2]),
                ({'hole': True}, [3]), ({'kind': 'hull'}, []),
                ({'kind': 'contour', 'class_ids': [2, 7]}, [1])):
            filtered = shape_set.filter(**words)
            self.assertEqual(self.ids(filtered), ids, words)
            self.assertEqual(len(filtered), 1)
            self.assertEqual(filtered.pixel_size, (.5, .5))
        self.assertEqual(self.ids(shape_set.filter(lambda p: p.id > 1)),
                         [2, 3])
        with self.assertRaises(ValueError):
            shape_set.filter(kind='circle')
        with self.assertRaises(ZeroDivisionError):
            shape_set.filter(lambda p: 1 / (p.id - 1))

    def test_what_is_kept_keeps_all_that_is_known(self):
        shape_set = self.make()
        kept = shape_set.filter(lambda p: p.id != 0)
        for contour in kept.contours():
            same = list(shape_set.contours())[contour.id]
            self.assertEqual(contour.points.tolist(), same.points.tolist())
            self.assertEqual((contour.area, contour.confidence),
                             (same.area, same.confidence))
            self.assertEqual(contour.parent, None)
        self.assertEqual(self.ids(shape_set.filter(lambda p: True)),
                         [0, 1, 2, 3])
        self.assertEqual(list(shape_set.filter(lambda p: True).contours())
                         [3].parent, 0)

    def test_lists_follow_their_shapes(self):
        kept = make_set().filter(lambda p: p.id == 1)
        second, = kept.hulls()
        self.assertEqual((second.defects, second.statistics), ([], {}))
        self.assertEqual(list(second.indices), [7, 1, 3, 5, 7])
        kept = make_set().filter(lambda p: p.id == 0)
        first, = kept.hulls()
        self.assertEqual(len(first.defects), 2)
        self.assertEqual(first.statistics['gray'].mean, 100.5)

    def test_regions_by_centroid(self):
        shape_set = self.make()
        left = [(-1, -1), (10, -1), (10, 47), (-1, 47)]
        right = [(10, -1), (63, -1), (63, 47), (10, 47)]
        nowhere = [(50, 0), (60, 0), (60, 5)]
        regions = GstShapes.ShapeSet.from_polygons([nowhere, left, right])
        assigned = shape_set.assign_regions(regions)
        self.assertEqual([c.region_id for c in assigned.contours()],
                         [1, 2, 1, 1])
        self.assertEqual([c.confidence for c in assigned.contours()],
                         [.5, .25, None, None])
        self.assertEqual(assigned.pixel_size, (.5, .5))
        none = shape_set.assign_regions(GstShapes.ShapeSet.new(0, 0))
        self.assertEqual([c.region_id for c in none.contours()], [None] * 4)

    def test_scale(self):
        scaled = self.make().scale(2, 2)
        self.assertEqual((scaled.get_width(), scaled.get_height()), (128, 96))
        self.assertEqual(scaled.pixel_size, (.25, .25))
        square = next(scaled.contours())
        self.assertEqual(square.area, 64)
        self.assertEqual(square.points[0].tolist(), [.5, .5])
        self.assertEqual(square.metric.area, 4)
        for x, y in ((0, 1), (-1, 1), (float('nan'), 1), (1e-9, 1), (1e9, 1)):
            with self.assertRaises(GLib.Error):
                self.make().scale(x, y)


if __name__ == '__main__':
    unittest.main(verbosity=1)
