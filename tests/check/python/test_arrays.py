# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours, bands and hulls of arrays of the host."""

import copy
import gc
import hashlib
import json
import os
import pickle
import struct
import sys
import types
import unittest

import numpy as np

import cudashapes
from cudashapes import _engines, _native

# where the meaning deviates on purpose: defaults for integer and masked input
DEVIATIONS = ('O20 ', 'O21 ')
SQUARE = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0.]])


def lists(contours):
    return [contour.tolist() for contour in contours]


class Contours(unittest.TestCase):
    def test_points_may_be_xy_and_single(self):
        want = cudashapes.find_contours(SQUARE * 3, 1.)[0]
        for dtype in ('float32', np.float32, np.dtype('f4')):
            got = cudashapes.find_contours(SQUARE * 3, 1., as_xy=True,
                                           dtype=dtype)[0]
            self.assertEqual(got.dtype, 'f4')
            self.assertEqual(got[:, ::-1].tolist(),
                             want.astype('f4').tolist())
        with self.assertRaisesRegex(ValueError, 'float32 or float64'):
            cudashapes.find_contours(SQUARE, .5, dtype='f2')

    def test_results_may_be_written_and_outlive_everything(self):
        contour = cudashapes.find_contours(SQUARE, .5)[0]
        want = contour.tolist()
        for _ in range(50):
            cudashapes.find_contours(1 - SQUARE, .5)
        self.assertEqual(contour.tolist(), want)
        contour[0] = 7
        self.assertEqual(contour[0].tolist(), [7, 7])

    def test_a_channel_without_a_middle_takes_nothing_from_others(self):
        image = np.random.default_rng(1).random((20, 30, 3))
        image[..., 1] = np.nan
        image[2, 3, 2] = np.inf
        mask = np.random.default_rng(2).random((20, 30)) < .8
        got = cudashapes.find_contours(image, mask=mask, channel_axis=2)
        self.assertEqual(lists(got[0]), lists(cudashapes.find_contours(
            image[..., 0].copy(), mask=mask)))
        self.assertGreater(len(got[0]), 0)
        self.assertEqual(got[1:], [[], []])

    def test_channels_are_their_planes(self):
        planes = np.random.default_rng(3).random((30, 40, 4))
        for axis in (0, 1, 2, -1, -3):
            image = np.moveaxis(planes, 2, axis)
            for contiguous in (image, np.ascontiguousarray(image)):
                got = cudashapes.find_contours(
                    contiguous, [.2, .4, .5, .9], channel_axis=axis)
                for i, level in enumerate((.2, .4, .5, .9)):
                    self.assertEqual(lists(got[i]), lists(
                        cudashapes.find_contours(planes[..., i].copy(),
                                                 level)))

    def test_bands_fill_the_image_once(self):
        image = np.random.default_rng(4).random((20, 25))
        bands = cudashapes.find_bands(image, [-1, .3, .6, 2], as_xy=True)

        def area(ring):
            x, y = ring[:-1].T
            return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2

        filled = sum(area(outer) - sum(map(area, holes)) for polygons in bands
                     for outer, *holes in polygons)
        self.assertAlmostEqual(filled, 19 * 24, 9)
        for polygons in cudashapes.find_bands(image, [.3, .6],
                                              dtype='float32'):
            self.assertEqual({ring.dtype.name for rings in polygons
                              for ring in rings}, {'float32'})

    def test_a_square_is_one_closed_contour_of_rows_and_columns(self):
        contour, = cudashapes.find_contours(SQUARE, .5)
        self.assertEqual(contour.tolist(), [
            [2.5, 2], [2.5, 1], [2, .5], [1, .5], [.5, 1], [.5, 2], [1, 2.5],
            [2, 2.5], [2.5, 2]])
        self.assertEqual(contour.dtype, np.float64)
        xy, = cudashapes.find_contours(SQUARE, .5, as_xy=True)
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
            got = cudashapes.find_contours(
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
        want = cudashapes.find_contours(image.astype('f8'), 50.5)
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
            got = cudashapes.find_contours(variant, 50.5)
            self.assertEqual(len(got), len(want))
            for a, b in zip(got, want):
                np.testing.assert_array_equal(a, b)

    def test_booleans_are_samples(self):
        got = cudashapes.find_contours(SQUARE > 0, .5)
        np.testing.assert_array_equal(
            got[0], cudashapes.find_contours(SQUARE, .5)[0])

    def test_no_level_is_the_middle(self):
        image = np.array([[0, 0, 0], [0, 200, 0], [0, 0, 100]], 'u1')
        for given, level in ((image, 100), (image.astype('f4') / 3, 100 / 3)):
            np.testing.assert_allclose(
                cudashapes.find_contours(given)[0],
                cudashapes.find_contours(given, level)[0], rtol=1e-6)
        # scikit-image counts what the mask hides, too
        mask = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0]], bool)
        image[2, 2] = 240
        self.assertEqual(
            [c.tolist() for c in cudashapes.find_contours(image, mask=mask)],
            [c.tolist() for c in cudashapes.find_contours(image, 120,
                                                         mask=mask)])

    def test_nothing_but_nan_has_no_contours(self):
        nothing = np.full((4, 4), np.nan)
        self.assertEqual(cudashapes.find_contours(nothing), [])
        self.assertEqual(cudashapes.find_contours(nothing, .5), [])
        self.assertEqual(
            cudashapes.find_contours(nothing, mask=np.ones((4, 4), bool)), [])

    def test_channels_are_found_at_once(self):
        image = np.random.default_rng(2).random((30, 40, 5))
        levels = [.1, .3, .5, .7, .9]
        for layout in (image, np.ascontiguousarray(
                image.transpose(2, 0, 1)).transpose(1, 2, 0)):
            for level in (None, .5, levels):
                got = cudashapes.find_contours(layout, level, channel_axis=-1)
                self.assertEqual(len(got), 5)
                for i, lines in enumerate(got):
                    want = cudashapes.find_contours(
                        image[:, :, i], level[i] if level is levels else level)
                    self.assertEqual([a.tolist() for a in lines],
                                     [b.tolist() for b in want])
        first = cudashapes.find_contours(image.transpose(2, 0, 1), .5,
                                        channel_axis=0)
        self.assertEqual([len(lines) for lines in first], [
            len(lines) for lines in cudashapes.find_contours(
                image, .5, channel_axis=2)])
        self.assertEqual(cudashapes.find_contours(image * 0, .5,
                                                 channel_axis=-1), [[]] * 5)

    def test_contours_can_be_written_and_outlive_everything(self):
        contours = cudashapes.find_contours(SQUARE, .5)
        want = contours[0].copy()
        contours[0] += 1
        others = [cudashapes.find_contours(SQUARE, .25) for _ in range(50)]
        gc.collect()
        np.testing.assert_array_equal(contours[0], want + 1)
        self.assertEqual(len(others), 50)


class ContoursOfAGpu(unittest.TestCase):
    """With the host's memory in place of the GPU's."""

    MODULES = (None, types.SimpleNamespace(__name__='numpy',
                                           from_dlpack=np.asarray))

    def contours(self, module):
        image = np.random.default_rng(1).random((20, 30))
        points, offsets, _ = _engines.engine('cpu').find_contours(
            image, None, -1, struct.pack('d', .5), 0, 0, False)
        return (cudashapes.Contours(_engines.Library(module), points, offsets,
                                    True),
                cudashapes.find_contours(image, .5))

    def test_they_are_found_by_their_points(self):
        for module in self.MODULES:
            got, want = self.contours(module)
            self.assertEqual([got.index(contour) for contour in got],
                             list(range(len(want))))
            for part, first in ((got, 0), (got.part(2, 6), 2)):
                for i, contour in enumerate(part):
                    self.assertEqual((part.index(contour),
                                      part.index(want[first + i]),
                                      part.count(contour)), (i, i, 1))
                    self.assertIn(want[first + i], part)
                self.assertEqual(part.index(part[-2], -3, -1), len(part) - 2)
                with self.assertRaisesRegex(ValueError, 'no such contour'):
                    part.index(part[1], 2)
                for other in (want[0] + 1, want[0][0], want[0][:-1], None, 5,
                              'contour', [1, 2]):
                    self.assertNotIn(other, part)
                    self.assertEqual(part.count(other), 0)
            self.assertNotIn(want[0], part)
            self.assertNotIn(want[0], got.part(0, 0))
            self.assertIs(copy.copy(got), got)

    def test_pickled_they_come_to_the_host_and_want_a_gpu(self):
        for module in self.MODULES:
            got, want = self.contours(module)
            library, points, offsets, swapped, device = \
                got.part(2, 6).__reduce__()[1]
            self.assertEqual((type(points), device), (np.ndarray, 'cpu'))
            self.assertEqual(offsets.tolist(), np.cumsum(
                [0, *map(len, want[2:6])]).tolist())
            self.assertEqual((swapped, points.tolist()), (
                True, np.concatenate(want[2:6])[:, ::-1].tolist()))
            self.assertIs(type(pickle.loads(pickle.dumps(library))),
                          _engines.Library)
            if not _native.probe()[0]:
                with self.assertRaisesRegex(RuntimeError, 'no GPU'):
                    pickle.loads(pickle.dumps(got))

    def test_an_array_of_the_host_is_one_of_numpy_when_it_is_loaded(self):
        got, want = self.contours(None)
        array = pickle.loads(pickle.dumps(got[1]))
        self.assertEqual((type(array), array.tolist()),
                         (np.ndarray, want[1].tolist()))


class FindBands(unittest.TestCase):
    PEAK = np.array([[0, 0, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0]])

    def test_a_peak_is_a_hole_below_and_a_polygon_above(self):
        low, high = cudashapes.find_bands(self.PEAK, [-1, 1.5, 3], as_xy=True)
        (outer, hole), = low
        self.assertEqual(outer.tolist(),
                         [[0, 0], [3, 0], [3, 2], [0, 2], [0, 0]])
        self.assertEqual(hole.tolist(), [[2, .5], [1.5, 1], [2, 1.5], [2.5, 1],
                                         [2, .5]])
        (diamond,), = high
        self.assertEqual(diamond.tolist(), hole[::-1].tolist())
        rows_first = cudashapes.find_bands(self.PEAK, [-1, 1.5, 3])
        self.assertEqual(rows_first[1][0][0].tolist(),
                         diamond[:, ::-1].tolist())

    def test_channels_have_all_levels_each(self):
        image = np.stack([self.PEAK, self.PEAK * 0, self.PEAK / 2], -1)
        together = cudashapes.find_bands(image, [-1, 1, 2], channel_axis=-1)
        self.assertEqual([[len(band) for band in channel]
                          for channel in together], [[1, 1], [1, 0], [1, 1]])
        for channel, found in enumerate(together):
            alone = cudashapes.find_bands(image[..., channel], [-1, 1, 2])
            self.assertEqual(
                [[[r.tolist() for r in p] for p in b] for b in found],
                [[[r.tolist() for r in p] for p in b] for b in alone])

    def test_a_mask_takes_cells_away(self):
        mask = np.ones((3, 4), bool)
        mask[1, 2] = False
        (ring,), = cudashapes.find_bands(self.PEAK * 0., [-1, 1], mask=mask)[0]
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
            for band in cudashapes.find_bands(image, [
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
                cudashapes.find_bands(self.PEAK, levels)


class Refused(unittest.TestCase):
    def refuse(self, exception, text, *args, **kwargs):
        with self.assertRaises(exception) as caught:
            cudashapes.find_contours(*args, **kwargs)
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

    def test_what_came_is_told_and_what_to_do(self):
        stack = np.zeros((4, 4, 3))
        self.refuse(ValueError, 'channel_axis=-1', stack, .5)
        self.refuse(ValueError, '(2, 3, 4, 5)', np.zeros((2, 3, 4, 5)), .5)
        self.refuse(ValueError, 'leave channel_axis out', SQUARE, .5,
                    channel_axis=0)
        for axis in (2., 'c'):
            self.refuse(TypeError, 'an integer', stack, .5, channel_axis=axis)
        self.refuse(ValueError, 'only with a channel_axis', SQUARE, [.2, .5])
        self.refuse(ValueError, str(2 ** 53 + 1), SQUARE, 2 ** 53 + 1)
        self.refuse(ValueError, 'float32 or float64', SQUARE, .5,
                    dtype=object())

    def test_devices_of_others_are_named(self):
        class Elsewhere:
            def __dlpack_device__(self):
                return (10, 0)

        self.refuse(ValueError, 'NVIDIA GPU', Elsewhere(), .5)
        self.refuse(TypeError, 'string', SQUARE, .5, backend=[])
        self.refuse(TypeError, 'string', SQUARE, .5, backend=None)

    def test_backends_that_are_not_there_are_an_error(self):
        self.refuse(ValueError, 'no backend "tpu"', SQUARE, .5, backend='tpu')
        if not cudashapes._native.probe()[0]:
            self.refuse(RuntimeError, 'no GPU', SQUARE, .5, backend='cuda')


class Hulls(unittest.TestCase):
    def test_a_rectangle_has_four_vertices_and_measures(self):
        points = [(1, 1), (3, 0), (0, 0), (2, 1), (0, 2), (3, 2), (1.5, 2)]
        for dtype in ('f4', 'f8', 'f2', '>f8'):
            hull = cudashapes.convex_hull(np.array(points, dtype))
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
        with_edges = cudashapes.convex_hull(points, include_collinear=True)
        self.assertEqual(with_edges.vertices.tolist(), [2, 1, 5, 6, 4])

    def test_integers_are_points(self):
        points = np.array([(0, 0), (4, 0), (4, 4), (0, 4), (2, 2)])
        for dtype in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8'):
            hull = cudashapes.convex_hull(points.astype(dtype))
            self.assertEqual(hull.vertices.tolist(), [0, 1, 2, 3])

    def test_parts_of_several_types_are_doubles(self):
        parts = [np.array([(0, 0), (4, 1)], 'i2'),
                 np.array([(.5, 3), (1, 1)], 'f4')]
        hull = cudashapes.convex_hull(parts)
        self.assertEqual(hull.points.dtype, 'f8')
        self.assertEqual(hull.points.tolist(),
                         [[0, 0], [4, 1], [.5, 3], [1, 1]])
        self.assertEqual(hull.vertices.tolist(), [0, 1, 2])
        self.assertEqual(cudashapes.convex_hull(parts[:1]).points.dtype, 'i2')
        self.assertEqual(
            cudashapes.convex_hull([parts[1], parts[1]]).points.dtype, 'f4')
        for wrong in (complex, str, object):
            with self.assertRaisesRegex(TypeError, 'only real numbers'):
                cudashapes.convex_hull([*parts, parts[0].astype(wrong)])

    def test_columns_of_other_arrays_are_points(self):
        table = np.random.default_rng(5).random((200, 5))
        want = cudashapes.convex_hull(table[:, 1:3].copy()).vertices
        for points in (table[:, 1:3], np.asfortranarray(table)[:, 1:3],
                       table[::-1, 1:3][::-1]):
            np.testing.assert_array_equal(
                cudashapes.convex_hull(points).vertices, want)
        np.testing.assert_array_equal(
            cudashapes.convex_hull(table[::2, 3:0:-2]).vertices,
            cudashapes.convex_hull(table[::2, 3:0:-2].copy()).vertices)

    def test_degenerate_points_have_the_hull_they_have(self):
        self.assertEqual(
            cudashapes.convex_hull([(1, 2)]).vertices.tolist(), [0])
        self.assertEqual(
            cudashapes.convex_hull([(1, 2), (1, 2)]).simplices.shape, (0, 2))
        line = cudashapes.convex_hull([(0, 0), (1, 1), (2, 2)])
        self.assertEqual(line.vertices.tolist(), [0, 2])
        self.assertEqual(line.area, 0)

    def test_points_that_are_not_finite_are_ignored_and_counted(self):
        hull = cudashapes.convex_hull([(0, 0), (np.nan, 1), (4, 0), (0, np.inf),
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
                cudashapes.convex_hull(points)


if __name__ == '__main__':
    unittest.main(verbosity=1)
