# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whatever array is given: read as it is, left as it is, or refused in words."""

import gc
import itertools
import resource
import unittest

import numpy as np

import cudashapes


def picture(seed=1, shape=(17, 23), largest=200):
    return np.random.default_rng(seed).integers(0, largest, shape)


def copies(contours):
    return [contour.tobytes() for contour in contours]


def find(image, level=100.5, **kwargs):
    return cudashapes.find_contours(image, level, **kwargs)


def layouts(array):
    """The same values, however they lie in memory."""
    yield 'rows', np.ascontiguousarray(array)
    yield 'Fortran', np.asfortranarray(array)
    for axis in range(array.ndim):
        yield 'backwards %d' % axis, np.flip(np.flip(array, axis).copy(), axis)
    wide = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    wide[tuple(slice(1, None, 2) for _ in array.shape)] = array
    yield 'steps', wide[tuple(slice(1, None, 2) for _ in array.shape)]
    room = np.zeros(array.nbytes + 1, 'u1')
    odd = room[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    yield 'unaligned', odd
    record = np.zeros(array.shape, [('pad', 'u1'), ('value', array.dtype)])
    record['value'] = array
    yield 'field', record['value']
    yield 'swapped', array.astype(array.dtype.newbyteorder())
    fixed = array.copy()
    fixed.flags.writeable = False
    yield 'read-only', fixed


class Layouts(unittest.TestCase):
    def assert_left_alone(self, call, *arrays):
        was = [(a.copy(), a.dtype, a.strides) for a in arrays]
        result = call(*arrays)
        for array, (values, dtype, strides) in zip(arrays, was):
            np.testing.assert_array_equal(array, values)
            self.assertEqual((array.dtype, array.strides), (dtype, strides))
        return result

    def test_images_may_lie_in_any_way(self):
        for dtype in ('u1', 'u2', 'i1', 'i2', 'i4', 'i8', 'f2', 'f4', 'f8'):
            image = picture(largest=120).astype(dtype)
            want = copies(find(image.astype('f8'), 60.25))
            self.assertGreater(len(want), 9)
            for name, given in layouts(image):
                with self.subTest(dtype=dtype, layout=name):
                    self.assertEqual(copies(self.assert_left_alone(
                        lambda a: find(a, 60.25), given)), want)

    def test_channels_may_lie_in_any_way(self):
        planes = picture(shape=(11, 13, 4)).astype('f4')
        for axis in range(-3, 3):
            image = np.moveaxis(planes, 2, axis)
            want = [copies(find(planes[..., i])) for i in range(4)]
            for name, given in layouts(image):
                with self.subTest(axis=axis, layout=name):
                    got = self.assert_left_alone(
                        lambda a: find(a, channel_axis=axis), given)
                    self.assertEqual(list(map(copies, got)), want)

    def test_masks_may_lie_in_any_way(self):
        image, mask = picture().astype('f4'), picture(2) > 40
        want = copies(find(np.where(mask, image, np.nan)))
        for name, given in layouts(mask):
            with self.subTest(name):
                self.assertEqual(copies(self.assert_left_alone(
                    lambda a, m: find(a, mask=m), image, given)), want)

    def test_points_may_lie_in_any_way(self):
        for dtype in ('i2', 'u4', 'i8', 'f2', 'f4', 'f8'):
            points = picture(3, (40, 2), 90).astype(dtype)
            want = cudashapes.convex_hull(points)
            for name, given in layouts(points):
                with self.subTest(dtype=dtype, layout=name):
                    got = self.assert_left_alone(cudashapes.convex_hull, given)
                    self.assertEqual(got.vertices.tolist(),
                                     want.vertices.tolist())
                    self.assertEqual((got.area, got.feret, got.rect),
                                     (want.area, want.feret, want.rect))

    def test_filtered_and_measured_images_may_lie_in_any_way(self):
        ring = np.array([(2.2, 2.3), (2.1, 19.7), (14.6, 18.2), (13.3, 3.4)])
        for dtype, shape in itertools.product(('u1', 'u2', 'f4'), (
                (17, 23), (17, 23, 3), (17, 23, 4))):
            image = picture(4, shape).astype(dtype)
            if dtype == 'f4':
                image /= 200
            colors = len(shape) == 3
            filtered = None
            if not colors or dtype == 'u1':
                filtered = cudashapes.local_laplacian(image)
            want = cudashapes.region_stats(image, [ring])
            for name, given in layouts(image):
                with self.subTest(dtype=dtype, shape=shape, layout=name):
                    if filtered is not None:
                        np.testing.assert_array_equal(self.assert_left_alone(
                            cudashapes.local_laplacian, given), filtered)
                    got = self.assert_left_alone(
                        lambda a: cudashapes.region_stats(a, [ring]), given)
                    for what in ('n_pixels', 'mean', 'deviation', 'minimum',
                                 'maximum'):
                        np.testing.assert_array_equal(getattr(got, what),
                                                      getattr(want, what))

    def test_rings_may_lie_in_any_way(self):
        image = picture().astype('u1')
        ring = np.array([(2.2, 2.3), (2.1, 19.7), (14.6, 18.2), (13.3, 3.4)])
        want = cudashapes.region_stats(image, [ring]).mean.tolist()
        for name, given in layouts(ring):
            with self.subTest(name):
                got = self.assert_left_alone(
                    lambda a: cudashapes.region_stats(image, [a]), given)
                self.assertEqual(got.mean.tolist(), want)


class Values(unittest.TestCase):
    def test_masked_values_are_nan(self):
        image, hidden = picture(), picture(2) > 160
        want = copies(find(np.where(hidden, np.nan, image)))
        for dtype in ('u1', 'i4', 'f4', 'f8'):
            given = np.ma.array(image.astype(dtype), mask=hidden)
            self.assertEqual(copies(find(given)), want)
            np.testing.assert_array_equal(given.data, image)
        points = np.ma.array([(0, 0), (4, 0), (99, 99), (0, 4)],
                             mask=[(0, 0), (0, 0), (1, 0), (0, 0)])
        hull = cudashapes.convex_hull(points)
        self.assertEqual((hull.area, hull.n_ignored), (8, 1))

    def test_integers_that_are_no_doubles_are_named(self):
        image = np.zeros((4, 5), 'i8')
        for value in (2 ** 53 + 1, -2 ** 53 - 1, 2 ** 63 - 1):
            image[2, 3] = value
            for given in (image, image.tolist()):
                with self.assertRaisesRegex(ValueError, 'subtract') as caught:
                    find(given)
                self.assertIn('[2, 3]', str(caught.exception))
                self.assertIn(str(value), str(caught.exception))
        image[2, 3] = 2 ** 53
        self.assertEqual(len(find(image)), 1)

    def test_far_points_have_their_hull(self):
        far = np.array([(0, 0), (3, 0), (3, 3), (0, 3), (1, 1)], 'i8')
        for offset in (2 ** 53, 2 ** 62, -2 ** 62):
            hull = cudashapes.convex_hull(far + offset)
            self.assertEqual((hull.area, len(hull.vertices)), (9, 4))
        far[0] = -2 ** 60 - 1
        with self.assertRaisesRegex(ValueError, 'round|double'):
            cudashapes.convex_hull(far)

    def test_objects_and_words_are_refused(self):
        for given in (np.full((4, 4), None), np.full((4, 4), 'a'),
                      np.zeros((4, 4), 'M8[s]'), np.zeros((4, 4), 'c8')):
            with self.assertRaises(TypeError):
                find(given)
            with self.assertRaises(TypeError):
                cudashapes.convex_hull(given[:, :2])
            with self.assertRaises(TypeError):
                cudashapes.local_laplacian(given)
            with self.assertRaises(TypeError):
                cudashapes.region_stats(given, [])

    def test_levels_are_finite_numbers(self):
        image = picture()
        for level in (np.nan, np.inf, -np.inf, '3', 1j, 2 ** 53 + 1, [],
                      [[1]], object()):
            with self.subTest(level=level), \
                    self.assertRaises((TypeError, ValueError)):
                find(image, level)
        want = copies(find(image, 100.))
        for level in (100, np.float32(100), np.int8(100), np.array(100),
                      np.array(100, '>i4'), True * 100):
            self.assertEqual(copies(find(image, level)), want)


class Sizes(unittest.TestCase):
    def test_shapes_that_are_no_image_are_refused(self):
        for shape in ((), (0,), (5,), (0, 0), (0, 5), (5, 0), (1, 5), (5, 1),
                      (1, 1), (4, 4, 4), (2, 2, 2, 2)):
            with self.subTest(shape=shape), self.assertRaises(ValueError):
                find(np.zeros(shape))
        for shape in ((), (4,), (4, 3), (4, 1), (2, 2, 2), (0, 2)):
            with self.subTest(shape=shape), self.assertRaises(ValueError):
                cudashapes.convex_hull(np.zeros(shape))
        for shape in ((), (4,), (2, 2, 2, 2)):
            for call in (cudashapes.local_laplacian,
                         lambda a: cudashapes.region_stats(a, [])):
                with self.subTest(shape=shape), self.assertRaises(ValueError):
                    call(np.zeros(shape, 'u1'))

    def test_smallest_images_are_read(self):
        self.assertEqual(find(np.zeros((2, 2), 'u1')), [])
        self.assertEqual(len(find(np.array([[0, 0], [0, 200]]))), 1)
        for shape in ((1, 1), (1, 9), (9, 1)):
            one = np.full(shape, 77, 'u1')
            np.testing.assert_array_equal(cudashapes.local_laplacian(one), one)
            stats = cudashapes.region_stats(one, [
                [(-.5, -.5), (-.5, 9.5), (9.5, 9.5), (9.5, -.5)]])
            self.assertEqual((int(stats.n_pixels[0]), float(stats.mean[0])),
                             (one.size, 77))

    def test_huge_images_are_refused_before_they_are_copied(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        with open('/proc/self/statm', encoding='ascii') as file:
            pages = int(file.read().split()[0])
        # a copy has 2 GiB at least
        resource.setrlimit(resource.RLIMIT_AS, (
            pages * resource.getpagesize() + (1 << 30), hard))
        try:
            for dtype in ('u1', 'f8', '>f4', '?'):
                huge = np.broadcast_to(np.zeros((), dtype), (1 << 15, 1 << 16))
                with self.assertRaisesRegex(ValueError, 'too large'):
                    find(huge)
                with self.assertRaisesRegex(ValueError, 'too large'):
                    find(huge[..., None], channel_axis=2)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class Results(unittest.TestCase):
    def test_they_outlive_everything_and_are_the_callers(self):
        image = picture().astype('f4')
        made = {
            'contours': lambda: find(image)[0],
            'bands': lambda: cudashapes.find_bands(image, [50, 150])[0][0],
            'hull': lambda: cudashapes.convex_hull(find(image)[0]).vertices,
            'filter': lambda: cudashapes.local_laplacian(image / 200),
            'stats': lambda: cudashapes.region_stats(
                image.astype('u1'), find(image)).mean,
        }
        for name, make in made.items():
            with self.subTest(name):
                result = make()
                if isinstance(result, list):
                    result = result[0]
                was = result.tobytes()
                gc.collect()
                for _ in range(30):
                    make()
                self.assertEqual(result.tobytes(), was)
                self.assertTrue(result.flags.writeable)
                self.assertTrue(result.flags.aligned)
                self.assertTrue(result.dtype.isnative)
                result[...] = 0


if __name__ == '__main__':
    unittest.main(verbosity=1)
