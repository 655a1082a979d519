# SPDX-License-Identifier: LGPL-2.1-or-later
"""The local Laplacian filter and statistics, beside their definitions."""

import math
import sys
import unittest

import numpy as np

import cudashapes

try:
    from skimage.color import rgb2lab
except ImportError:
    rgb2lab = None


def down_matrix(n):
    """Halves n samples: weights 1 4 6 4 1, of what is inside."""
    matrix = np.zeros(((n + 1) // 2, n))
    for j in range(len(matrix)):
        for t, weight in enumerate((1, 4, 6, 4, 1)):
            if 0 <= 2 * j + t - 2 < n:
                matrix[j, 2 * j + t - 2] = weight
    return matrix / matrix.sum(1, keepdims=True)


def up_matrix(n):
    """To n samples: the weights that down_matrix() has for them."""
    m = (n + 1) // 2
    matrix = np.zeros((n, m))
    for j in range(m):
        for t, weight in enumerate((1, 4, 6, 4, 1)):
            if 0 <= 2 * j + t - 2 < n:
                matrix[2 * j + t - 2, j] = weight
    return matrix / matrix.sum(1, keepdims=True)


def down(image):
    return down_matrix(image.shape[0]) @ image @ down_matrix(image.shape[1]).T


def up(image, shape):
    return up_matrix(shape[0]) @ image @ up_matrix(shape[1]).T


def pyramid(image):
    levels = [image]
    while min(levels[-1].shape) > 1:
        levels.append(down(levels[-1]))
    return levels


def literal_filter(image, remap):
    """The paper's algorithm: a pyramid for each coefficient."""
    gaussian = pyramid(image)
    result = [np.zeros_like(level) for level in gaussian]
    result[-1] = gaussian[-1]
    for number, level in enumerate(gaussian[:-1]):
        for at in np.ndindex(level.shape):
            levels = pyramid(level[at] + remap(image - level[at]))
            coarse = up(levels[number + 1], level.shape)
            result[number][at] = levels[number][at] - coarse[at]
    for number in reversed(range(len(result) - 1)):
        result[number] = result[number] + up(result[number + 1],
                                             result[number].shape)
    return result[0]


def smooth_curve(sigma, alpha, beta):
    gain = min(max(1 / alpha - 1, -1), 2.24)
    return lambda d: d * (beta + (1 + gain - beta)
                          * np.exp(-d * d / (2 * sigma * sigma)))


class Filter(unittest.TestCase):
    def setUp(self):
        self.image = np.random.default_rng(1).random((11, 14)) * .6 + .2

    def test_floats_are_the_papers_filter(self):
        for sigma, alpha, beta in ((.2, .5, 1.), (.1, 2., .6), (.4, .3, 1.2)):
            want = literal_filter(self.image, smooth_curve(sigma, alpha, beta))
            # coefficients are those of 10 bits, enlarged by the curve
            step = 1.5 / 1023 / min(alpha, 1)
            for quality, error in (('exact', step), ('normal', step + 2e-3)):
                got = cudashapes.local_laplacian(
                    self.image.astype('f4'), sigma, alpha, beta,
                    quality=quality)
                self.assertEqual(got.dtype, 'f4')
                self.assertLess(np.abs(got - want).max(), error,
                                (sigma, alpha, beta, quality))
            self.assertGreater(np.abs(want - self.image).max(), 10 * error)

    def test_codes_are_the_floats_rounded(self):
        want = literal_filter(self.image, smooth_curve(.2, .5, 1.))
        for dtype in ('u1', 'u2', '>u2'):
            largest = np.iinfo(dtype).max
            codes = np.round(self.image * largest).astype(dtype)
            got = cudashapes.local_laplacian(codes, quality='exact')
            self.assertEqual(got.dtype, np.dtype(dtype).newbyteorder('='))
            error = np.abs(got / largest - np.clip(want, 0, 1)).max()
            self.assertLess(error, 2e-3 + 1 / largest)

    def test_gray_colours_are_filtered_as_gray(self):
        codes = np.round(self.image * 255).astype('u1')
        want = cudashapes.local_laplacian(codes)
        for channels in (3, 4):
            picture = np.repeat(codes[..., None], channels, 2)
            picture[..., 3:] = 9
            got = cudashapes.local_laplacian(picture)
            for i in range(3):
                self.assertLessEqual(np.abs(
                    got[..., i].astype(int) - want).max(), 1)
            self.assertTrue((got[..., 3:] == 9).all())

    def test_what_changes_nothing_changes_no_bit(self):
        picture = np.random.default_rng(2).integers(0, 256, (9, 8, 3), 'u1')
        for settings in (dict(alpha=1.), dict(amount=0.),
                         dict(pyramid_levels=1)):
            for image in (picture, picture[..., 0].copy(),
                          self.image.astype('f4')):
                np.testing.assert_array_equal(
                    cudashapes.local_laplacian(image, **settings), image)

    def test_wrong_arguments_are_named(self):
        image = self.image.astype('f4')
        for error, text, given, settings in (
                (ValueError, 'sigma', image, dict(sigma=0)),
                (ValueError, 'quality', image, dict(quality='best')),
                (ValueError, 'curve', image, dict(curve='flat')),
                (ValueError, 'pyramid_levels', image, dict(pyramid_levels=-1)),
                (ValueError, 'noise_guard', image, dict(noise_guard=-.1)),
                (TypeError, 'uint8', self.image, {}),
                (TypeError, 'uint8', image > 0, {}),
                (ValueError, 'shape', image[0], {}),
                (TypeError, 'int32', np.zeros((4, 4), 'i4'), {}),
                (ValueError, 'shape', np.zeros((4, 4, 2), 'u1'), {}),
                (TypeError, 'float32.*0 to 1', self.image, {}),
                (ValueError, 'curve', image, dict(curve=['smooth'])),
                (ValueError, 'masked', np.ma.array(image, mask=image > .5),
                 {})):
            with self.assertRaisesRegex(error, text):
                cudashapes.local_laplacian(given, **settings)


def inside(ring, x, y):
    """Even-odd, by the sides that a ray to the left meets."""
    count = 0
    for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
        if (y0 <= y) != (y1 <= y):
            count += x0 + (y - y0) * (x1 - x0) / (y1 - y0) <= x
    return count % 2 == 1


def members(rings, shape):
    rings = [[tuple(p) for p in ring] for ring in rings]
    return np.array([[sum(inside(ring, x, y) for ring in rings) % 2 == 1
                      for x in range(shape[1])] for y in range(shape[0])])


class Statistics(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        self.gray = rng.integers(0, 256, (18, 23), 'u1')
        self.color = rng.integers(0, 256, (18, 23, 3), 'u1')
        # x, y, away from pixels' centres
        self.polygons = [
            [rng.random((7, 2)) * (22, 17) + .013],
            [np.array([(1.2, 1.3), (20.4, 2.2), (15.7, 16.2), (2.2, 14.6)]),
             np.array([(6.1, 5.2), (6.3, 9.1), (11.2, 8.3)])],
            [np.array([(3.2, 3.2), (3.4, 3.2), (3.3, 3.4)])]]

    def assert_describes(self, stats, values, column=None, places=9):
        pick = (lambda a: a) if column is None else (lambda a: a[:, column])
        for i, polygon in enumerate(self.polygons):
            chosen = values[members(polygon, self.gray.shape)]
            self.assertEqual(int(stats.n_pixels[i]), len(chosen))
            got = [float(pick(getattr(stats, name))[i]) for name in (
                'mean', 'deviation', 'minimum', 'maximum')]
            if not len(chosen):
                self.assertTrue(all(map(math.isnan, got)))
                continue
            for a, b in zip(got, (chosen.mean(), chosen.std(), chosen.min(),
                                  chosen.max())):
                self.assertAlmostEqual(a, float(b), places)

    def test_gray_values(self):
        for image in (self.gray, self.gray.astype('u2') * 257):
            stats = cudashapes.region_stats(image, self.polygons, as_xy=True)
            self.assertEqual(len(stats), 3)
            self.assert_describes(stats, image.astype('f8'))
            rows = cudashapes.region_stats(
                image, [[ring[:, ::-1] for ring in polygon]
                        for polygon in self.polygons])
            np.testing.assert_array_equal(rows.mean, stats.mean)

    def test_luma_is_that_of_bt_709(self):
        stats = cudashapes.region_stats(self.color, self.polygons, as_xy=True)
        luma = self.color @ np.array([.2126, .7152, .0722])
        self.assert_describes(stats, np.round(luma * 256) / 256, places=2)

    def test_probabilities_are_in_steps(self):
        image = np.random.default_rng(4).random((18, 23, 3), 'f4')
        image[4, 5, 1] = np.nan
        for channel in range(3):
            stats = cudashapes.region_stats(image, self.polygons, as_xy=True,
                                            channel=channel)
            want = np.nan_to_num(image[..., channel].astype('f8'))
            self.assert_describes(stats, np.round(want * 65535) / 65535,
                                  places=6)

    @unittest.skipIf(rgb2lab is None, 'scikit-image is not installed')
    def test_lab_is_that_of_scikit_image(self):
        stats = cudashapes.region_stats(self.color, self.polygons, kind='lab',
                                        as_xy=True)
        lab = rgb2lab(self.color)
        for i in range(3):
            for k, polygon in enumerate(self.polygons[:2]):
                chosen = lab[..., i][members(polygon, self.gray.shape)]
                self.assertLess(abs(stats.mean[k, i] - chosen.mean()), .05)
                self.assertLess(abs(stats.deviation[k, i] - chosen.std()), .05)

    def test_contours_and_bands_are_regions(self):
        contours = cudashapes.find_contours(self.gray, 128.)
        stats = cudashapes.region_stats(self.gray, contours)
        self.assertEqual(len(stats), len(contours))
        bands = cudashapes.find_bands(self.gray, [-1, 100, 256])
        for polygons, holds in zip(bands, (lambda a: a <= 100,
                                           lambda a: a > 100)):
            stats = cudashapes.region_stats(self.gray, polygons)
            whole = (stats.n_pixels * np.nan_to_num(stats.mean)).sum()
            inner = self.gray[1:-1, 1:-1]
            self.assertGreaterEqual(whole, inner[holds(inner)].sum())
        self.assertEqual(len(cudashapes.region_stats(self.gray, [])), 0)

    def test_geometries_are_regions(self):
        class Geometry:
            def __init__(self, rings):
                self.__geo_interface__ = {'type': 'Polygon',
                                          'coordinates': rings}

        want = cudashapes.region_stats(self.gray, self.polygons, as_xy=True)
        for as_xy in (False, True):
            got = cudashapes.region_stats(
                self.gray, list(map(Geometry, self.polygons)), as_xy=as_xy)
            np.testing.assert_array_equal(got.mean, want.mean)

    def test_wrong_arguments_are_named(self):
        ring = [(1, 1), (5, 1), (5, 5)]
        for error, text, image, regions, settings in (
                (ValueError, 'kind', self.gray, [ring], dict(kind='mean')),
                (TypeError, r'L\*a\*b', self.gray, [ring], dict(kind='lab')),
                (TypeError, 'gray', self.gray / 2, [ring], dict(kind='gray')),
                (ValueError, 'channel', self.gray, [ring], dict(channel=1)),
                (ValueError, 'shape', self.gray, [np.zeros((3, 3))], {}),
                (ValueError, 'finite', self.gray, [[(1, np.nan), (2, 2)]], {}),
                (ValueError, 'dimensions', self.gray[0], [ring], {}),
                (ValueError, 'masked',
                 np.ma.array(self.gray, mask=self.gray > 5), [ring], {})):
            with self.assertRaisesRegex(error, text):
                cudashapes.region_stats(image, regions, **settings)


if __name__ == '__main__':
    sys.exit(unittest.main(verbosity=1))
