# SPDX-License-Identifier: LGPL-2.1-or-later
"""Properties of regions, by numpy's own means: of one region at a time."""

import gc
import pickle
import threading
import unittest

import numpy as np

import cudashapes

properties_of = cudashapes.region_properties

LARGEST = 2 ** 31 - 1
TYPES = ('?', 'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', '>i4', '>u2')


def cells(rng, shape, n=9):
    """Regions around random points, 1 to n, and 0 between some of them."""
    y, x = np.indices(shape)
    labels = 1 + np.argmin([np.hypot(y - a, x - b) for a, b in rng.uniform(
        0, 1, (n, 2)) * shape], 0)
    return np.where(rng.random(shape) < .1, 0, labels)


class Case(unittest.TestCase):
    def setUp(self):
        self.labels = cells(np.random.default_rng(3), (61, 83))

    def assert_same(self, got, want):
        self.assertEqual(list(got), list(want))
        for name in want:
            np.testing.assert_array_equal(got[name], want[name], name)


class Properties(Case):
    def test_they_are_those_of_one_region_at_a_time(self):
        got = properties_of(self.labels)
        np.testing.assert_array_equal(got['label'], np.arange(1, 10))
        for i, label in enumerate(got['label']):
            y, x = np.nonzero(self.labels == label)
            box = y.min(), x.min(), y.max() + 1, x.max() + 1
            self.assertEqual([got['bbox-%d' % k][i] for k in range(4)],
                             list(box))
            self.assertEqual(got['num_pixels'][i], len(y))
            self.assertEqual(got['area'][i], len(y))
            self.assertEqual(got['centroid-0'][i], y.mean())
            self.assertEqual(got['centroid-1'][i], x.mean())
            self.assertEqual(got['centroid_local-1'][i],
                             (x - box[1]).mean())
            self.assertEqual(got['extent'][i], len(y) / (
                (box[2] - box[0]) * (box[3] - box[1])))
            self.assertAlmostEqual(got['moments_central-2-0'][i],
                                   ((y - y.mean()) ** 2).sum(), 6)
            values = np.linalg.eigvalsh(np.cov([y, x], bias=True))
            self.assertAlmostEqual(got['axis_major_length'][i],
                                   4 * values[1] ** .5, 9)
            self.assertAlmostEqual(got['axis_minor_length'][i],
                                   4 * values[0] ** .5, 9)
            for j in range(4):
                for k in range(4):
                    name = 'moments-%d-%d' % (j, k)
                    self.assertEqual(got[name][i], (
                        (y - box[0]) ** j * (x - box[1]) ** k).sum(), name)
            self.assertLessEqual(got['area'][i], got['area_convex'][i])
            self.assertEqual(got['solidity'][i],
                             got['area'][i] / got['area_convex'][i])

    def test_a_square_and_a_pixel(self):
        labels = np.zeros((5, 9), int)
        labels[1:4, 1:4] = 2
        labels[4, 8] = 1
        got = properties_of(labels)
        for name, values in (
                ('area_convex', [1, 9]), ('perimeter', [0, 8]),
                ('euler_number', [1, 1]), ('eccentricity', [0, 0]),
                ('feret_diameter_max', [1, 13 ** .5]),
                ('orientation', [-np.pi / 4] * 2)):
            self.assertEqual(got[name].tolist(), values, name)

    def test_names_are_in_the_order_asked_for(self):
        got = properties_of(self.labels, ['solidity', 'bbox', 'label',
                                          'solidity'])
        self.assertEqual(list(got), ['solidity', 'bbox-0', 'bbox-1', 'bbox-2',
                                     'bbox-3', 'label'])
        every = properties_of(self.labels)
        self.assertEqual(len(every), 85)
        for name, column in got.items():
            np.testing.assert_array_equal(column, every[name])
        for name, column in every.items():
            alone = properties_of(self.labels, [name.split('-')[0]])
            np.testing.assert_array_equal(alone[name], column)
            self.assertEqual(column.dtype, 'i8' if name.startswith((
                'label', 'bbox', 'num_pixels', 'euler')) else 'f8')

    def test_spacing_scales(self):
        plain = properties_of(self.labels)
        got = properties_of(self.labels, spacing=(2, 3))
        self.assertNotIn('perimeter', got)
        self.assertNotIn('moments_hu-0', got)
        np.testing.assert_array_equal(got['area'], 6 * plain['area'])
        np.testing.assert_array_equal(got['centroid-1'],
                                      3 * plain['centroid-1'])
        np.testing.assert_allclose(got['moments_central-2-1'],
                                   12 * plain['moments_central-2-1'], 1e-9)
        got = properties_of(self.labels, spacing=.5)
        np.testing.assert_array_equal(got['perimeter'],
                                      .5 * plain['perimeter'])
        np.testing.assert_array_equal(got['feret_diameter_max'],
                                      .5 * plain['feret_diameter_max'])


class Polygons(Case):
    def test_outlines_of_pixels_have_the_pixels_area_and_centroid(self):
        found = cudashapes.label_polygons(self.labels * 3, outline='pixels')
        got = properties_of(found)
        want = properties_of(self.labels * 3)
        np.testing.assert_array_equal(got['label'], want['label'])
        np.testing.assert_array_equal(got['area'], want['area'])
        for k in range(4):
            name = 'bbox-%d' % k
            np.testing.assert_array_equal(got[name], want[name] - .5)
        for name in ('centroid-0', 'centroid-1', 'extent',
                     'equivalent_diameter_area'):
            np.testing.assert_allclose(got[name], want[name], 1e-12)
        np.testing.assert_allclose(got['orientation'], want['orientation'],
                                   1e-9, 1e-9)
        # a pixel has second moments of its own
        for name in ('axis_major_length', 'axis_minor_length'):
            np.testing.assert_allclose(got[name] ** 2,
                                       want[name] ** 2 + 16 / 12, 1e-12)
        self.assertTrue((got['area_convex'] >= want['area_convex']).all())
        self.assertTrue((got['feret_diameter_max']
                         > want['feret_diameter_max']).all())

    def test_lists_of_rings_and_geometries(self):
        square = np.array([(0., 0), (0, 4), (2, 4), (2, 0)])
        hole = square[::-1] * .5 + .5
        closed = np.concatenate((square, square[:1]))
        geometry = {'type': 'Polygon', 'coordinates': [
            square[:, ::-1].tolist(), (square * .5 + .5)[:, ::-1].tolist()]}
        got = properties_of([square, [square, hole], geometry, closed[::-1],
                             np.zeros((0, 2))])
        self.assertEqual(got['label'].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(got['area'].tolist(), [8, 6, 6, 8, 0])
        self.assertEqual(got['perimeter'].tolist(), [12, 18, 18, 12, 0])
        self.assertEqual(got['bbox-3'][:4].tolist(), [4] * 4)
        self.assertEqual(got['centroid-0'][:4].tolist(), [1] * 4)
        np.testing.assert_allclose(got['centroid-1'][:4],
                                   [2, 13 / 6, 13 / 6, 2])
        self.assertEqual(got['solidity'][:4].tolist(), [1, .75, .75, 1])
        np.testing.assert_allclose(got['feret_diameter_max'][:4], 20 ** .5)
        self.assertTrue(np.isnan(got['centroid-0'][4]))
        turned = properties_of([square], ('bbox',), as_xy=True)
        self.assertEqual([float(column[0]) for column in turned.values()],
                         [0, 0, 4, 2])
        self.assertEqual({len(column)
                          for column in properties_of([]).values()}, {0})

    def test_contours_and_instances(self):
        y, x = np.mgrid[:50, :60]
        image = np.exp(-((x - 30) / 9.) ** 2 - ((y - 20) / 6.) ** 2)
        ellipse, = cudashapes.find_contours(image, np.exp(-1))
        got = properties_of([ellipse])
        self.assertAlmostEqual(got['area'][0], 54 * np.pi, delta=1)
        self.assertAlmostEqual(got['axis_major_length'][0], 18, delta=.1)
        self.assertAlmostEqual(got['axis_minor_length'][0], 12, delta=.1)
        self.assertAlmostEqual(got['centroid-1'][0], 30, delta=.01)
        objects = cudashapes.instance_polygons(
            np.stack([image - .4, image - 2, image - .2]).astype('f4'),
            image.shape)
        got = properties_of(objects)
        np.testing.assert_allclose(got['area'], objects.areas)
        self.assertEqual(got['label'].tolist(), [0, 1, 2])

    def test_what_is_wrong_is_named(self):
        square = np.array([(0., 0), (0, 4), (2, 4), (2, 0)])
        for text, given, args in (
                ('no property \'moments\'', [square], dict(
                    properties=['moments'])),
                ('spacing is for labels', [square], dict(spacing=2)),
                ('not finite', [square + np.inf], {}),
                ('shape', [square[:, :1]], {})):
            with self.assertRaisesRegex(ValueError, text):
                properties_of(given, **args)


class Given(Case):
    def test_labels_are_of_all_types_and_layouts(self):
        want = properties_of(self.labels)
        for dtype in TYPES:
            labels = self.labels.astype(dtype)
            got = properties_of(labels)
            if dtype == '?':
                self.assert_same(got, properties_of(
                    (self.labels > 0).astype('i4')))
            else:
                self.assert_same(got, want)
        wide = np.zeros((122, 249), 'i4')
        wide[::2, ::3] = self.labels
        for given in (wide[::2, ::3], np.asfortranarray(self.labels),
                      self.labels[::-1].copy()[::-1], self.labels.tolist()):
            self.assert_same(properties_of(given), want)

    def test_labels_below_1_and_what_is_masked_have_no_region(self):
        labels = np.where(self.labels == 4, -7, self.labels)
        got = properties_of(labels, ('label',))
        self.assertEqual(got['label'].tolist(), [1, 2, 3, 5, 6, 7, 8, 9])
        masked = np.ma.masked_equal(self.labels, 4)
        self.assert_same(properties_of(masked), properties_of(labels))
        for shape in ((0, 0), (0, 5), (5, 0), (5, 6)):
            got = properties_of(np.zeros(shape, int))
            self.assertEqual({len(column) for column in got.values()}, {0})

    def test_labels_may_be_sparse(self):
        labels = self.labels * (LARGEST // 9)
        got = properties_of(labels)
        want = properties_of(self.labels)
        self.assertEqual(got['label'].tolist(),
                         [LARGEST // 9 * i for i in range(1, 10)])
        del got['label'], want['label']
        self.assert_same(got, want)

    def test_what_is_wrong_is_named(self):
        for error, text, labels, args in (
                (ValueError, 'no property \'colour\'', [[1]], (['colour'],)),
                (ValueError, 'name some', [[1]], ([],)),
                (TypeError, 'not one', [[1]], ('area',)),
                (TypeError, 'not float64', [[1.]], ()),
                (ValueError, 'rows, columns', [1, 2], ()),
                (ValueError, 'relabel_sequential', [[LARGEST + 1]], ())):
            with self.assertRaisesRegex(error, text):
                properties_of(labels, *args)
        for text, names, spacing in (
                ('spacing is a number', None, (1, 2, 3)),
                ('spacing is a number', None, 'wide'),
                ('must be positive', None, -1),
                ('the same spacing', ['perimeter'], (1, 2)),
                ('spacing of 1', ['moments_hu'], 2)):
            with self.assertRaisesRegex(ValueError, text):
                properties_of([[1]], names, spacing=spacing)

    def test_columns_outlive_the_call_and_can_be_pickled(self):
        got = properties_of(self.labels, ('area', 'centroid'))
        want = {name: column.copy() for name, column in got.items()}
        for _ in range(20):
            properties_of(self.labels + 1)
        gc.collect()
        self.assert_same(got, want)
        self.assert_same(pickle.loads(pickle.dumps(got)), want)

    def test_threads_do_not_disturb_each_other(self):
        pictures = [cells(np.random.default_rng(i), (40 + i, 70))
                    for i in range(4)]
        wanted = [properties_of(labels) for labels in pictures]
        failed = []

        def work(number):
            try:
                for _ in range(20):
                    self.assert_same(properties_of(pictures[number]),
                                     wanted[number])
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


if __name__ == '__main__':
    unittest.main(verbosity=1)
