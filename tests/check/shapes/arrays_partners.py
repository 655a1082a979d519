# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and hulls of arrays beside scikit-image's and SciPy's."""

import os
import sys
import unittest
import unittest.mock

SKIP = 77

try:
    import gi
    gi.require_version('GstShapes', '1.0')
    from gi.repository import GstShapes
    import numpy as np
    from scipy.spatial import ConvexHull
    from skimage import measure
except (ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

sys.path.insert(0, os.environ['CONFORMANCE_FOLDER'])
import contours_fuzz  # noqa: E402

CASES = 3000


class FindContours(unittest.TestCase):
    def assert_same(self, image, *args, **kwargs):
        got = GstShapes.find_contours(image, *args, **kwargs)
        want = measure.find_contours(image, *args, **kwargs)
        self.assertEqual([c.shape for c in got], [c.shape for c in want])
        for a, b in zip(got, want):
            self.assertEqual(a.tobytes(), np.ascontiguousarray(b).tobytes())

    def test_random_images_masks_and_nan_give_the_same_bytes(self):
        rng = np.random.default_rng(11)
        for _ in range(CASES):
            image, level, mask = contours_fuzz.draw(rng)
            self.assert_same(image, level, rng.choice(['low', 'high']),
                             rng.choice(['low', 'high']), mask=mask)

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
        tests = os.path.join(os.path.dirname(measure.__file__), 'tests',
                             'test_find_contours.py')
        if not os.path.exists(tests):
            self.skipTest('this scikit-image comes without its tests')
        try:
            import pytest
        except ImportError:
            self.skipTest('pytest is not installed')
        with unittest.mock.patch.object(measure, 'find_contours',
                                        GstShapes.find_contours):
            self.assertEqual(pytest.main(['-q', '-p', 'no:cacheprovider',
                                          tests]), 0)


class Hull(unittest.TestCase):
    def test_vertices_are_those_of_scipy(self):
        rng = np.random.default_rng(13)
        for _ in range(500):
            points = rng.standard_normal((rng.integers(3, 300), 2)) \
                * 10. ** rng.integers(-3, 4)
            got, want = GstShapes.convex_hull(points), ConvexHull(points)
            start = want.vertices.tolist().index(got.vertices[0])
            self.assertEqual(got.vertices.tolist(),
                             np.roll(want.vertices, -start).tolist())
            np.testing.assert_allclose([got.area, got.perimeter],
                                       [want.volume, want.area], rtol=1e-9)
            self.assertEqual({frozenset(s) for s in got.simplices.tolist()},
                             {frozenset(s) for s in want.simplices.tolist()})


if __name__ == '__main__':
    unittest.main(verbosity=1)
