# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and hulls of numpy arrays from Python, without a pipeline."""

import gc
import hashlib
import json
import os
import subprocess
import sys
import threading
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, GstShapes, np = need('GLib', 'GstShapes', 'numpy')

# where the meaning deviates on purpose: defaults for integer and masked input
DEVIATIONS = ('O20 ', 'O21 ')
SQUARE = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0.]])


def rss():
    with open('/proc/self/statm', encoding='ascii') as statm:
        return int(statm.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


class Contours(unittest.TestCase):
    def test_a_square_is_one_closed_contour_of_rows_and_columns(self):
        contour, = GstShapes.find_contours(SQUARE, .5)
        self.assertEqual(contour.tolist(), [
            [2.5, 2], [2.5, 1], [2, .5], [1, .5], [.5, 1], [.5, 2], [1, 2.5],
            [2, 2.5], [2.5, 2]])
        self.assertEqual(contour.dtype, np.float64)
        xy, = GstShapes.find_contours(SQUARE, .5, as_xy=True)
        np.testing.assert_array_equal(xy, contour[:, ::-1])

    def test_recorded_results_of_scikit_image(self):
        with open(os.environ['CONTOURS_GOLDEN'], encoding='utf-8') as file:
            cases = json.load(file)
        compared = 0
        for case in cases:
            if 'input' not in case or not case['input'] \
                    or case['name'].startswith(DEVIATIONS) \
                    or min(case['shape']) < 2:
                continue
            image = np.array([[np.nan if v is None else v for v in row]
                              for row in case['input']],
                             'f8').astype(case['dtype'])
            mask = case.get('mask')
            got = GstShapes.find_contours(
                image, case['level'], case['fully_connected'],
                case['positive_orientation'],
                mask=None if mask is None else np.array(mask, bool))
            self.assertEqual([len(line) for line in got], case['lengths'],
                             case['name'])
            digest = hashlib.sha256(len(got).to_bytes(4, 'little'))
            for line in got:
                digest.update(len(line).to_bytes(4, 'little'))
                digest.update(np.ascontiguousarray(line, '<f8').tobytes())
            self.assertEqual(digest.hexdigest(), case['sha256'], case['name'])
            compared += 1
        self.assertGreater(compared, 50)

    def test_every_type_and_memory_order_gives_the_same(self):
        rng = np.random.default_rng(1)
        image = rng.integers(0, 100, (21, 34))
        want = GstShapes.find_contours(image.astype('f8'), 50.5)
        self.assertGreater(len(want), 10)
        padded = np.zeros((21, 70), 'f4')
        padded[:, :68:2] = image
        variants = [image.astype(t) for t in (
            'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f2', 'f4',
            'longdouble', '>f8', '>u2')]
        variants += [np.asfortranarray(image), image[::-1][::-1],
                     padded[:, :68:2], image[::-1].copy()[::-1],
                     image.tolist()]
        for variant in variants:
            got = GstShapes.find_contours(variant, 50.5)
            self.assertEqual(len(got), len(want))
            for a, b in zip(got, want):
                np.testing.assert_array_equal(a, b)

    def test_booleans_are_samples(self):
        got = GstShapes.find_contours(SQUARE > 0, .5)
        np.testing.assert_array_equal(
            got[0], GstShapes.find_contours(SQUARE, .5)[0])

    def test_no_level_is_the_middle(self):
        image = np.array([[0, 0, 0], [0, 200, 0], [0, 0, 100]], 'u1')
        for given, level in ((image, 100), (image.astype('f4') / 3, 100 / 3)):
            np.testing.assert_allclose(
                GstShapes.find_contours(given)[0],
                GstShapes.find_contours(given, level)[0], rtol=1e-6)
        # scikit-image counts what the mask hides, too
        mask = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], bool)
        image[2, 2] = 240
        self.assertEqual(
            [c.tolist() for c in GstShapes.find_contours(image, mask=mask)],
            [c.tolist() for c in GstShapes.find_contours(image, 120,
                                                         mask=mask)])

    def test_nothing_but_nan_has_no_contours(self):
        nothing = np.full((4, 4), np.nan)
        self.assertEqual(GstShapes.find_contours(nothing), [])
        self.assertEqual(GstShapes.find_contours(nothing, .5), [])
        self.assertEqual(
            GstShapes.find_contours(nothing, mask=np.ones((4, 4), bool)), [])

    def test_channels_are_found_at_once(self):
        image = np.random.default_rng(2).random((30, 40, 5))
        levels = [.1, .3, .5, .7, .9]
        for layout in (image, np.ascontiguousarray(
                image.transpose(2, 0, 1)).transpose(1, 2, 0)):
            for level in (None, .5, levels):
                got = GstShapes.find_contours(layout, level, channel_axis=-1)
                self.assertEqual(len(got), 5)
                for i, lines in enumerate(got):
                    want = GstShapes.find_contours(
                        image[:, :, i], level[i] if level is levels else level)
                    self.assertEqual([a.tolist() for a in lines],
                                     [b.tolist() for b in want])
        first = GstShapes.find_contours(image.transpose(2, 0, 1), .5,
                                        channel_axis=0)
        self.assertEqual([len(lines) for lines in first], [
            len(lines) for lines in GstShapes.find_contours(
                image, .5, channel_axis=2)])
        self.assertEqual(GstShapes.find_contours(image * 0, .5,
                                                 channel_axis=-1), [[]] * 5)

    def test_contours_can_be_written_and_outlive_everything(self):
        contours = GstShapes.find_contours(SQUARE, .5)
        want = contours[0].copy()
        contours[0] += 1
        others = [GstShapes.find_contours(SQUARE, .25) for _ in range(50)]
        gc.collect()
        np.testing.assert_array_equal(contours[0], want + 1)
        self.assertEqual(len(others), 50)

    def test_threads_do_not_disturb_each_other(self):
        rng = np.random.default_rng(3)
        images = [rng.random((40 + i, 50)) for i in range(6)]
        want = [[c.tobytes() for c in GstShapes.find_contours(i, .5)]
                for i in images]
        wrong = []

        def work(first):
            for i in range(60):
                k = (first + i) % len(images)
                got = GstShapes.find_contours(images[k], .5)
                if [c.tobytes() for c in got] != want[k]:
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_memory_does_not_grow(self):
        images = [np.random.default_rng(4).random((20 + i, 30))
                  for i in range(6)]

        def work(n):
            for i in range(n):
                GstShapes.find_contours(images[i % 6], .5)
                GstShapes.convex_hull(images[i % 6][:, :2])

        work(2000)
        gc.collect()
        before = rss()
        work(10000)
        gc.collect()
        self.assertLess(rss() - before, 2 << 20)


class FindBands(unittest.TestCase):
    PEAK = np.array([[0, 0, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0]])

    def test_a_peak_is_a_hole_below_and_a_polygon_above(self):
        low, high = GstShapes.find_bands(self.PEAK, [-1, 1.5, 3], as_xy=True)
        (outer, hole), = low
        self.assertEqual(outer.tolist(),
                         [[0, 0], [3, 0], [3, 2], [0, 2], [0, 0]])
        self.assertEqual(hole.tolist(), [[2, .5], [1.5, 1], [2, 1.5], [2.5, 1],
                                         [2, .5]])
        (diamond,), = high
        self.assertEqual(diamond.tolist(), hole[::-1].tolist())
        rows_first = GstShapes.find_bands(self.PEAK, [-1, 1.5, 3])
        self.assertEqual(rows_first[1][0][0].tolist(),
                         diamond[:, ::-1].tolist())

    def test_channels_have_all_levels_each(self):
        image = np.stack([self.PEAK, self.PEAK * 0, self.PEAK / 2], -1)
        together = GstShapes.find_bands(image, [-1, 1, 2], channel_axis=-1)
        self.assertEqual([[len(band) for band in channel]
                          for channel in together], [[1, 1], [1, 0], [1, 1]])
        for channel, found in enumerate(together):
            alone = GstShapes.find_bands(image[..., channel], [-1, 1, 2])
            self.assertEqual(
                [[[r.tolist() for r in p] for p in b] for b in found],
                [[[r.tolist() for r in p] for p in b] for b in alone])

    def test_a_mask_takes_cells_away(self):
        mask = np.ones((3, 4), bool)
        mask[1, 2] = False
        (ring,), = GstShapes.find_bands(self.PEAK * 0., [-1, 1], mask=mask)[0]
        self.assertEqual(ring.tolist(), [[0, 0], [0, 1], [2, 1], [2, 0],
                                         [0, 0]])

    def test_sides_do_not_lie_on_each_other(self):
        """Samples and levels that are neighbouring doubles, so that ends of
        contours are rounded to pixels: sides along rows and columns of pixels
        are some band's once."""
        for seed in range(100):
            rng = np.random.default_rng(seed)
            image = rng.choice([.25, .5, .75], (5, 6))
            image = np.nextafter(image, image + rng.integers(-1, 2, (5, 6)))
            for band in GstShapes.find_bands(image, [
                    .25, np.nextafter(.25, 1), .5, np.nextafter(.5, 1), .75]):
                sides = {}
                for ring in (ring for polygon in band for ring in polygon):
                    for a, b in zip(ring.tolist(), ring[1:].tolist()):
                        for k in 0, 1:
                            if a[k] == b[k] == int(a[k]):
                                sides.setdefault((k, a[k]), []).append(
                                    sorted((a[1 - k], b[1 - k])))
                for along in map(sorted, sides.values()):
                    for one, other in zip(along, along[1:]):
                        self.assertLessEqual(one[1], other[0], (seed, along))

    def test_levels_that_are_none_are_named(self):
        for levels in (1, [1], [1, 1], [2, 1], [1, np.nan], [[1, 2]]):
            with self.assertRaisesRegex(ValueError, 'levels'):
                GstShapes.find_bands(self.PEAK, levels)
        engine = GstShapes.ShapeEngine.new('cpu', -1)
        image = GstShapes.ShapeImage()
        array = np.zeros((4, 4))
        image.data, image.channels = array.ctypes.data, 1
        image.type = GstShapes.ShapeNumber.F64
        image.width = image.height = 4
        image.pixel_stride, image.row_stride, image.channel_stride = 8, 32, 8
        for levels in ([], [1], [1, 1]):
            with self.assertRaisesRegex(GLib.Error, 'level'):
                engine.find_contours(image, None, levels,
                                     GstShapes.ShapeContoursFlags.BANDS)


class Refused(unittest.TestCase):
    def refuse(self, exception, text, *args, **kwargs):
        with self.assertRaises(exception) as caught:
            GstShapes.find_contours(*args, **kwargs)
        self.assertIn(text, str(caught.exception))

    def test_arguments_that_are_wrong_are_named(self):
        image = np.zeros((4, 4))
        self.refuse(ValueError, '2 dimensions', np.zeros(4))
        self.refuse(ValueError, 'at least 2 x 2', np.zeros((1, 4)))
        self.refuse(ValueError, 'no channels', np.zeros((4, 4, 0)),
                    channel_axis=-1)
        self.refuse(ValueError, 'channel_axis', np.zeros((4, 4, 1)))
        self.refuse(ValueError, 'channel_axis', image, channel_axis=-1)
        self.refuse(ValueError, 'fully_connected', image, .5, 'middle')
        self.refuse(ValueError, 'positive_orientation', image, .5, 'low', 1)
        self.refuse(ValueError, 'finite', image, np.inf)
        self.refuse(ValueError, 'one for each', image, [1, 2])
        self.refuse(ValueError, 'shape', image, .5, mask=np.ones((3, 4), bool))
        self.refuse(TypeError, 'bool', image, .5, mask=np.ones((4, 4)))
        self.refuse(TypeError, 'complex', image * 1j, .5)
        self.refuse(TypeError, 'real', np.full((4, 4), 'a'), .5)

    def test_backends_that_are_not_there_are_an_error(self):
        self.refuse(ValueError, 'no backend "tpu"', SQUARE, .5, backend='tpu')
        if GstShapes.ShapeEngine.new('auto', -1).get_active_backend() == 'cpu':
            self.refuse(RuntimeError, 'no GPU', SQUARE, .5, backend='cuda')

    def test_the_library_checks_what_other_callers_pass(self):
        engine = GstShapes.ShapeEngine.new('cpu', -1)
        image, mask = GstShapes.ShapeImage(), GstShapes.ShapeImage()
        flags = GstShapes.ShapeContoursFlags(0)
        for text, members in (
                ('no channels', {}),
                ('no data', {'channels': 1, 'width': 4, 'height': 4}),
                ('type', {'data': SQUARE.ctypes.data,
                          'type': GstShapes.ShapeNumber.I32})):
            for name, value in members.items():
                setattr(image, name, value)
            with self.assertRaisesRegex(GLib.Error, text):
                engine.find_contours(image, None, [], flags)
        image.type = GstShapes.ShapeNumber.F64
        image.pixel_stride, image.row_stride, image.channel_stride = 8, 32, 8
        with self.assertRaisesRegex(GLib.Error, 'levels'):
            engine.find_contours(image, None, [1, 2], flags)
        mask.data, mask.channels = SQUARE.ctypes.data, 1
        with self.assertRaisesRegex(GLib.Error, 'pixels'):
            engine.find_contours(image, mask, [.5], flags)
        result = engine.find_contours(image, None, [.5], flags)
        parts = GstShapes.ShapeArrayType
        self.assertEqual(result.get_address(parts.POINTS)[1], 9)
        self.assertEqual(result.get_address(parts.INDICES), (0, 0))

    def test_without_the_plugin_the_error_names_it(self):
        code = ('import gi\n'
                'gi.require_version("GstShapes", "1.0")\n'
                'from gi.repository import GstShapes\n'
                'try:\n'
                '    GstShapes.ShapeSet.from_masks([[[0, 1], [1, 0]]])\n'
                'except RuntimeError as error:\n'
                '    print(error)\n')
        environment = dict(os.environ, GST_PLUGIN_PATH='',
                           GST_PLUGIN_PATH_1_0='', GST_REGISTRY_DISABLE='yes',
                           GST_PLUGIN_SYSTEM_PATH_1_0='')
        result = subprocess.run([sys.executable, '-c', code], text=True,
                                stdout=subprocess.PIPE, env=environment,
                                check=True)
        self.assertIn('cudashapes', result.stdout)
        self.assertIn('GST_PLUGIN_PATH', result.stdout)


class Hulls(unittest.TestCase):
    def test_a_rectangle_has_four_vertices_and_measures(self):
        points = [(1, 1), (3, 0), (0, 0), (2, 1), (0, 2), (3, 2), (1.5, 2)]
        for dtype in ('f4', 'f8', 'f2', '>f8'):
            hull = GstShapes.convex_hull(np.array(points, dtype))
            self.assertEqual(hull.vertices.tolist(), [2, 1, 5, 4])
            self.assertEqual((hull.area, hull.perimeter), (6, 10))
            self.assertEqual(hull.centroid, (1.5, 1))
            self.assertEqual(hull.bbox, (0, 0, 3, 2))
            self.assertEqual(hull.feret, (2, 13 ** .5))
            self.assertEqual(sorted(hull.rect[1]), [2, 3])
            self.assertEqual(hull.circle, ((1.5, 1), 3.25 ** .5))
            self.assertEqual(hull.simplices.tolist(),
                             [[2, 1], [1, 5], [5, 4], [4, 2]])
            self.assertEqual(hull.n_ignored, 0)
        with_edges = GstShapes.convex_hull(points, include_collinear=True)
        self.assertEqual(with_edges.vertices.tolist(), [2, 1, 5, 6, 4])

    def test_integers_are_points(self):
        points = np.array([(0, 0), (4, 0), (4, 4), (0, 4), (2, 2)])
        for dtype in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8'):
            hull = GstShapes.convex_hull(points.astype(dtype))
            self.assertEqual(hull.vertices.tolist(), [0, 1, 2, 3])

    def test_parts_of_several_types_are_doubles(self):
        parts = [np.array([(0, 0), (4, 1)], 'i2'),
                 np.array([(.5, 3), (1, 1)], 'f4')]
        hull = GstShapes.convex_hull(parts)
        self.assertEqual(hull.points.dtype, 'f8')
        self.assertEqual(hull.points.tolist(),
                         [[0, 0], [4, 1], [.5, 3], [1, 1]])
        self.assertEqual(hull.vertices.tolist(), [0, 1, 2])
        self.assertEqual(GstShapes.convex_hull(parts[:1]).points.dtype, 'i2')
        self.assertEqual(
            GstShapes.convex_hull([parts[1], parts[1]]).points.dtype, 'f4')
        for wrong in (complex, str, object):
            with self.assertRaisesRegex(TypeError, 'only real numbers'):
                GstShapes.convex_hull([*parts, parts[0].astype(wrong)])

    def test_columns_of_other_arrays_are_points(self):
        table = np.random.default_rng(5).random((200, 5))
        want = GstShapes.convex_hull(table[:, 1:3].copy()).vertices
        for points in (table[:, 1:3], np.asfortranarray(table)[:, 1:3],
                       table[::-1, 1:3][::-1]):
            np.testing.assert_array_equal(
                GstShapes.convex_hull(points).vertices, want)
        np.testing.assert_array_equal(
            GstShapes.convex_hull(table[::2, 3:0:-2]).vertices,
            GstShapes.convex_hull(table[::2, 3:0:-2].copy()).vertices)

    def test_degenerate_points_have_the_hull_they_have(self):
        self.assertEqual(
            GstShapes.convex_hull([(1, 2)]).vertices.tolist(), [0])
        self.assertEqual(
            GstShapes.convex_hull([(1, 2), (1, 2)]).simplices.shape, (0, 2))
        line = GstShapes.convex_hull([(0, 0), (1, 1), (2, 2)])
        self.assertEqual(line.vertices.tolist(), [0, 2])
        self.assertEqual(line.area, 0)

    def test_points_that_are_not_finite_are_ignored_and_counted(self):
        hull = GstShapes.convex_hull([(0, 0), (np.nan, 1), (4, 0), (0, np.inf),
                                      (0, 3)])
        self.assertEqual((hull.vertices.tolist(), hull.n_ignored),
                         ([0, 2, 4], 2))

    def test_arguments_that_are_wrong_are_named(self):
        for exception, text, points in (
                (ValueError, r'\(n, 2\)', np.zeros((3, 3))),
                (ValueError, r'\(n, 2\)', np.zeros(4)),
                (ValueError, 'no finite point', np.zeros((0, 2))),
                (ValueError, 'no finite point', np.full((3, 2), np.nan)),
                (TypeError, 'real', np.zeros((3, 2), complex))):
            with self.assertRaisesRegex(exception, text):
                GstShapes.convex_hull(points)


if __name__ == '__main__':
    unittest.main(verbosity=1)
