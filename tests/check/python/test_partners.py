# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and hulls of arrays beside scikit-image's and SciPy's."""

import os
import sys
import unittest
import unittest.mock

try:
    import numpy as np
    from scipy.spatial import ConvexHull
    from skimage import measure
except ImportError as missing:
    print('skipped:', missing)
    sys.exit(77)

import cudashapes


def draw(rng):
    """(image, level, mask): noise, ties, plateaus, structure, NaN."""
    shape = rng.integers(2, 40, 2)
    kind = rng.integers(0, 4)
    if kind == 0:
        image = rng.integers(0, 3, shape).astype(float)
    elif kind == 1:
        image = rng.standard_normal(shape)
    elif kind == 2:
        image = np.indices(shape).sum(0) % 2. + rng.random(shape) * 1e-3
    else:
        image = np.add.accumulate(rng.standard_normal(shape), 1)
    image = image.astype(rng.choice(['f8', 'f4', 'f2']))
    if rng.random() < .3:
        image[rng.random(shape) < .1] = np.nan
    mask = rng.random(shape) < .85 if rng.random() < .3 else None
    return image, float(rng.choice([0, .5, 1])), mask


class FindContours(unittest.TestCase):
    def assert_same(self, image, *args, **kwargs):
        got = cudashapes.find_contours(image, *args, **kwargs)
        want = measure.find_contours(image, *args, **kwargs)
        self.assertEqual([c.shape for c in got], [c.shape for c in want])
        for a, b in zip(got, want):
            self.assertEqual(a.tobytes(), np.ascontiguousarray(b).tobytes())

    def test_random_images_give_scikit_images_bytes(self):
        rng = np.random.default_rng(11)
        for _ in range(3000):
            image, level, mask = draw(rng)
            self.assert_same(image, level, str(rng.choice(['low', 'high'])),
                             str(rng.choice(['low', 'high'])), mask=mask)

    def test_without_a_level_it_is_the_same_middle(self):
        rng = np.random.default_rng(12)
        for i in range(300):
            image = rng.standard_normal(tuple(rng.integers(2, 40, 2)))
            image[rng.random(image.shape) < .05] = np.nan
            if np.isnan(image).all():
                continue
            mask = rng.random(image.shape) < .9 if i % 2 else None
            self.assert_same(image, mask=mask)

    def test_scikit_images_own_tests_pass(self):
        tests = os.path.join(os.environ.get(
            'SKIMAGE_TESTS', os.path.join(os.path.dirname(measure.__file__),
                                          'tests')), 'test_find_contours.py')
        if not os.path.exists(tests):
            self.skipTest('this scikit-image comes without its tests')
        try:
            import pytest
        except ImportError:
            self.skipTest('pytest is not installed')
        with unittest.mock.patch.object(measure, 'find_contours',
                                        cudashapes.find_contours):
            self.assertEqual(pytest.main(['-q', '-p', 'no:cacheprovider',
                                          tests]), 0)


class Hull(unittest.TestCase):
    def test_vertices_are_those_of_scipy(self):
        rng = np.random.default_rng(13)
        for _ in range(500):
            points = rng.standard_normal((rng.integers(3, 300), 2)) \
                * 10. ** rng.integers(-3, 4)
            got, want = cudashapes.convex_hull(points), ConvexHull(points)
            start = want.vertices.tolist().index(got.vertices[0])
            self.assertEqual(got.vertices.tolist(),
                             np.roll(want.vertices, -start).tolist())
            np.testing.assert_allclose([got.area, got.perimeter],
                                       [want.volume, want.area], rtol=1e-9)
            self.assertEqual({frozenset(s) for s in got.simplices.tolist()},
                             {frozenset(s) for s in want.simplices.tolist()})


if __name__ == '__main__':
    unittest.main(verbosity=1)
