# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes as Shapely's, pandas's and supervision's objects."""

import importlib
import os
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
# before numpy, which comes with these modules
sys.path[:0] = filter(None, [os.environ.get('CUDASHAPES_PARTNERS')])
from needed import need  # noqa: E402

GstShapes, np = need('GstShapes', 'numpy')

SQUARE = [(0, 0), (10, 0), (10, 10), (0, 10)]
HOLE = [(2, 2), (2, 8), (8, 8), (8, 2)]
ISLAND = [(4, 4), (6, 4), (6, 6), (4, 6)]
LINE = [(0, 0), (3, 4)]


def make_set():
    shape_set = GstShapes.ShapeSet.from_polygons(
        [SQUARE, HOLE, ISLAND, LINE, HOLE], 20, 16,
        closed=[True, True, True, False, True],
        holes=[False, True, False, False, True],
        parents=[None, 0, 1, None, None], class_ids=[1, 1, 1, 2, 3])
    shape_set.add_polygons([SQUARE], kind='hull', parents=[0])
    return shape_set


def load(test, name):
    try:
        return importlib.import_module(name)
    except ImportError:
        test.skipTest('%s is not installed' % name)


class Conversions(unittest.TestCase):
    def test_shapely_polygons_have_their_holes(self):
        load(self, 'shapely')
        square, island, line, ring = make_set().to_shapely()
        self.assertEqual((square.area, island.area), (100 - 36, 4))
        self.assertTrue(square.is_valid)
        self.assertEqual(line.length, 5)
        self.assertEqual(ring.geom_type, 'LinearRing')
        self.assertEqual([h.area for h in make_set().to_shapely('hull')],
                         [100])

    def test_pandas_has_a_row_for_each_polyline(self):
        pandas = load(self, 'pandas')
        frame = make_set().to_pandas()
        self.assertEqual(len(frame), 6)
        self.assertEqual(frame['kind'].tolist(), ['contour'] * 5 + ['hull'])
        self.assertEqual(frame['layer'].tolist(), [0] * 5 + [1])
        self.assertEqual(frame['area'].abs().tolist(),
                         [100, 36, 4, 0, 36, 100])
        self.assertEqual(frame['n_points'].tolist(), [5, 5, 5, 2, 5, 5])
        self.assertTrue(pandas.isna(frame['parent'][0]))
        self.assertEqual(frame['parent'][2], 1)
        self.assertEqual(frame.groupby('class_id')['id'].count().to_dict(),
                         {0: 1, 1: 3, 2: 1, 3: 1})
        empty = GstShapes.ShapeSet.new(8, 8).to_pandas()
        self.assertEqual(list(empty.columns), list(frame.columns))
        self.assertEqual(len(empty), 0)

    def test_supervision_has_boxes_and_masks(self):
        load(self, 'supervision')
        detections = make_set().to_supervision(masks=True)
        self.assertEqual(detections.xyxy.tolist(),
                         [[0, 0, 10, 10], [4, 4, 6, 6]])
        self.assertEqual(detections.class_id.tolist(), [1, 1])
        self.assertEqual(detections.data['id'].tolist(), [0, 2])
        self.assertEqual(detections.mask.shape, (2, 16, 20))
        self.assertTrue(detections.mask[0, 1, 1])
        self.assertFalse(detections.mask[0, 5, 5])
        self.assertTrue(detections.mask[1, 5, 5])
        self.assertIsNone(make_set().to_supervision().mask)
        self.assertEqual(len(GstShapes.ShapeSet.new(8, 8).to_supervision()), 0)
        with self.assertRaisesRegex(ValueError, 'size'):
            GstShapes.ShapeSet.from_polygons([SQUARE]).to_supervision(
                masks=True)

    def make_annotated(self):
        return GstShapes.ShapeSet.from_polygons(
            [SQUARE, SQUARE], confidences=[.75, None], track_ids=[None, 12],
            region_ids=1)

    def test_pandas_has_annotations_where_there_are_any(self):
        pandas = load(self, 'pandas')
        frame = self.make_annotated().to_pandas()
        self.assertEqual(frame['confidence'][0], .75)
        self.assertTrue(pandas.isna(frame['confidence'][1]))
        self.assertTrue(pandas.isna(frame['track_id'][0]))
        self.assertEqual(frame['track_id'][1], 12)
        self.assertEqual(frame['region_id'].tolist(), [1, 1])
        self.assertNotIn('confidence', make_set().to_pandas())

    def test_supervision_has_annotations_where_there_are_any(self):
        load(self, 'supervision')
        detections = self.make_annotated().to_supervision()
        self.assertEqual(detections.confidence[0], .75)
        self.assertTrue(np.isnan(detections.confidence[1]))
        self.assertEqual(detections.tracker_id.tolist(), [-1, 12])
        self.assertEqual(detections.data['region_id'].tolist(), [1, 1])
        detections = make_set().to_supervision()
        self.assertIsNone(detections.confidence)
        self.assertIsNone(detections.tracker_id)
        self.assertNotIn('region_id', detections.data)

    def test_real_contours_make_valid_polygons(self):
        load(self, 'shapely')
        image = np.hypot(*np.ogrid[-40:40, -50:50]) % 20
        lines = GstShapes.find_contours(image, 10.5, as_xy=True)
        closed = [bool((line[0] == line[-1]).all()) for line in lines]
        polygons = GstShapes.ShapeSet.from_polygons(
            lines, closed=closed).to_shapely()
        self.assertEqual(len(polygons), len(lines))
        self.assertTrue(all(p.is_valid for p in polygons))


if __name__ == '__main__':
    unittest.main(verbosity=1)
