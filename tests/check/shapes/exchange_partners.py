# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures through other people's libraries and back, pixel for pixel."""

import importlib
import json
import os
import sys
import tempfile
import unittest

sys.path.append(sys.path[0] + '/../lib')
# before numpy, which comes with these modules
sys.path[:0] = filter(None, [os.environ.get('CUDASHAPES_PARTNERS')])
from needed import need  # noqa: E402

GLib, GstShapes, np = need('GLib', 'GstShapes', 'numpy')

ShapeSet = GstShapes.ShapeSet


def load(test, name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        test.skipTest('%s is not installed: %s' % (name, error))
    if name == 'shapely' and int(module.__version__.split('.')[0]) < 2:
        test.skipTest('shapely %s is too old' % module.__version__)
    return module


def pictures(n, seed):
    """Masks with objects at all borders, single pixels, holes, islands."""
    rng = np.random.default_rng(seed)
    yield np.ones((1, 5, 6), bool)
    yield ~np.eye(7, dtype=bool)[None]
    for _ in range(n):
        height, width = rng.integers(1, 25, 2)
        density = rng.choice([.1, .3, .5, .8, .95])
        masks = rng.random((2, height, width)) < density
        masks[:, rng.integers(height), rng.integers(width)] = True
        yield masks


def by_region(shape_set, masks):
    """The masks of the shapes of each region, joined."""
    joined = np.zeros_like(masks)
    for contour, mask in zip((c for c in shape_set.contours() if not c.hole),
                             shape_set.to_masks()):
        joined[contour.region_id] |= mask
    return joined


def each(n, seed):
    for masks in pictures(n, seed):
        for connected in ('low', 'high'):
            yield masks, ShapeSet.from_masks(masks, fully_connected=connected)


class OpenCV(unittest.TestCase):
    def fill(self, cv2, masks, shapes):
        lines, holes = {}, {}
        for contour, line in zip(shapes.contours(), shapes.to_cv()):
            if contour.hole:
                holes.setdefault(contour.parent, []).append(line)
            else:
                lines[contour.id] = line
        for number, mask in zip(lines, masks):
            rings = [lines[number], *holes.get(number, ())]
            filled, drawn = (np.zeros(mask.shape, 'u1') for _ in range(2))
            cv2.fillPoly(filled, rings, 1)
            cv2.drawContours(drawn, rings, -1, 1, cv2.FILLED)
            np.testing.assert_array_equal(filled, mask)
            np.testing.assert_array_equal(drawn, mask)

    def test_contours_fill_the_pixels_of_masks(self):
        cv2 = load(self, 'cv2')
        for masks, shapes in each(150, 1):
            self.fill(cv2, shapes.to_masks(), shapes)

    def test_any_level_between_the_samples(self):
        cv2 = load(self, 'cv2')
        rng = np.random.default_rng(2)
        for level in (.5, 60, 127.5, 254.5) * 30:
            image = np.zeros(tuple(rng.integers(3, 30, 2)))
            image[1:-1, 1:-1] = rng.integers(
                0, 256, (image.shape[0] - 2, image.shape[1] - 2))
            lines = GstShapes.find_contours(image, level, as_xy=True)
            areas = [c.area for c in ShapeSet.from_polygons(lines).contours()]
            shapes = ShapeSet.from_polygons(
                lines, *image.shape[::-1], holes=[a < 0 for a in areas])
            filled = np.zeros(image.shape, 'u1')
            cv2.fillPoly(filled, shapes.to_cv(), 1)
            # what equals the level is not above it
            if not (image == level).any():
                np.testing.assert_array_equal(filled, image > level)

    def test_a_level_that_samples_have_adds_these(self):
        """What the pages say of it: OpenCV and readers of COCO set some of the
        samples that equal the level, which masks are without."""
        cv2, mask_of = load(self, 'cv2'), load(self, 'pycocotools.mask')
        rng = np.random.default_rng(12)
        n_added = {'cv': 0, 'coco': 0}
        for _ in range(40):
            image = np.zeros(tuple(rng.integers(6, 20, 2)))
            image[1:-1, 1:-1] = rng.integers(
                0, 3, (image.shape[0] - 2, image.shape[1] - 2))
            lines = GstShapes.find_contours(image, 1, as_xy=True)
            shapes = ShapeSet.from_polygons(
                lines, *image.shape[::-1], holes=[
                    c.area < 0 for c in ShapeSet.from_polygons(lines)[0]])
            # without their holes
            shapes = shapes.filter(hole=False)
            masks = shapes.to_masks()
            found = json.loads(shapes.to_coco('a', 'polygons', 'shape'))
            polygons = [mask_of.decode(mask_of.merge(mask_of.frPyObjects(
                a['segmentation'], *image.shape))) > 0
                for a in found['annotations']]
            for name, filled in (('cv', [cv2.fillPoly(
                    np.zeros(image.shape, 'u1'), [line], 1) > 0
                    for line in shapes.to_cv()]), ('coco', polygons)):
                if len(filled) != len(masks):
                    continue           # a contour without an area
                added = np.array(filled, bool) & ~masks
                self.assertTrue((image[added.any(axis=0)] == 1).all())
                self.assertFalse((masks & ~np.array(filled, bool)).any())
                n_added[name] += added.sum()
        self.assertGreater(min(n_added.values()), 0)

    def test_its_contours_and_hierarchy_come_back(self):
        cv2 = load(self, 'cv2')
        for masks in pictures(100, 3):
            mask = masks[0].astype('u1')
            for mode in (cv2.RETR_TREE, cv2.RETR_CCOMP):
                contours, hierarchy = cv2.findContours(
                    mask, mode, cv2.CHAIN_APPROX_NONE)
                shapes = ShapeSet.from_cv(contours, hierarchy,
                                          *mask.shape[::-1])
                self.assertEqual([line.tolist() for line in contours],
                                 [line.tolist() for line in shapes.to_cv()])
                again = np.zeros_like(mask)
                cv2.fillPoly(again, shapes.to_cv(), 1)
                np.testing.assert_array_equal(again, mask)
                holes = [c.hole for c in shapes.contours()]
                for contour in shapes.contours():
                    if contour.parent is not None:
                        self.assertNotEqual(contour.hole,
                                            holes[contour.parent])
                # RETR_CCOMP puts everything at one of two depths
                self.assertEqual(sum(holes), sum(
                    c.hole for c in ShapeSet.from_masks(
                        mask, fully_connected='high').contours()))

    def test_hulls_take_its_contours(self):
        cv2 = load(self, 'cv2')
        image = np.zeros((60, 60), 'u1')
        cv2.circle(image, (30, 30), 20, 255, -1)
        contours, _ = cv2.findContours(image, cv2.RETR_LIST,
                                       cv2.CHAIN_APPROX_NONE)
        hull = GstShapes.convex_hull(contours[0])
        want = cv2.convexHull(contours[0])
        self.assertEqual({tuple(p) for p in hull.points[hull.vertices]},
                         {tuple(p) for p in want[:, 0]})
        self.assertEqual(hull.area, cv2.contourArea(want))


class Supervision(unittest.TestCase):
    def test_masks_are_those_of_the_picture(self):
        load(self, 'supervision')
        for masks, shapes in each(60, 4):
            detections = shapes.to_supervision(masks=True)
            joined = np.zeros_like(masks)
            for region, mask in zip(detections.data['region_id'],
                                    detections.mask):
                joined[region] |= mask
            np.testing.assert_array_equal(joined, masks)

    def test_detections_come_back(self):
        supervision = load(self, 'supervision')
        for masks in pictures(40, 5):
            detections = supervision.Detections(
                xyxy=np.zeros((len(masks), 4)), mask=masks,
                class_id=np.arange(len(masks)) + 3,
                confidence=np.full(len(masks), .5),
                tracker_id=np.arange(len(masks)) + 7)
            shapes = ShapeSet.from_supervision(detections)
            np.testing.assert_array_equal(by_region(shapes, masks), masks)
            for c in shapes.contours():
                self.assertEqual((c.class_id, c.confidence, c.track_id),
                                 (c.region_id + 3, .5, c.region_id + 7))
        boxes = supervision.Detections(xyxy=np.array([[1, 2, 5, 9.]]))
        box, = ShapeSet.from_supervision(boxes, 20, 20).contours()
        self.assertEqual((box.bbox, box.class_id, box.track_id),
                         ((1, 2, 5, 9), 0, None))
        nothing = ShapeSet.from_supervision(supervision.Detections.empty())
        self.assertEqual(list(nothing.contours()), [])
        again = ShapeSet.from_supervision(shapes.to_supervision(masks=True))
        np.testing.assert_array_equal(again.to_labels() > 0,
                                      shapes.to_labels() > 0)

    def test_a_mask_is_a_detection(self):
        """Whatever is in it; box and area are those of the pixels."""
        supervision = load(self, 'supervision')
        for masks, shapes in each(60, 11):
            masks = masks[masks.any(axis=(1, 2))]
            boxes = supervision.mask_to_xyxy(masks)
            for given in shapes, ShapeSet.from_coco(shapes.to_coco('a')):
                found = given.to_supervision(masks=True)
                if len(masks):
                    np.testing.assert_array_equal(found.mask, masks)
                    # its boxes end at the last pixels' centres
                    np.testing.assert_array_equal(
                        found.xyxy, boxes + (-.5, -.5, .5, .5))
                self.assertEqual(len(found), len(masks))
            alone = shapes.to_supervision(group_by='shape')
            self.assertEqual(len(alone), sum(
                not c.hole for c in shapes.contours()))
            regions = shapes.to_supervision(group_by='region')
            self.assertEqual(len(regions), len(masks))
            self.assertAlmostEqual(alone.data['area'].sum() if len(alone)
                                   else 0, regions.data['area'].sum()
                                   if len(alone) else 0)

    def test_what_is_known_of_parts(self):
        load(self, 'supervision')
        square = np.array([(0, 0), (4, 0), (4, 4), (0, 4)])
        shapes = ShapeSet.from_polygons(
            [square, square + 10, square + 20, square], 40, 40,
            class_ids=[1, 1, 1, 2], track_ids=[3, 3, None, 3],
            confidences=[None, .5, None, .25])
        found = shapes.to_supervision()
        self.assertEqual(found.xyxy.tolist(), [
            [0, 0, 14, 14], [20, 20, 24, 24], [0, 0, 4, 4]])
        self.assertEqual(found.data['id'].tolist(), [0, 2, 3])
        self.assertEqual(found.data['area'].tolist(), [32, 16, 16])
        self.assertEqual(found.class_id.tolist(), [1, 1, 2])
        self.assertEqual(found.tracker_id.tolist(), [3, -1, 3])
        np.testing.assert_array_equal(found.confidence, [.5, np.nan, .25])
        self.assertEqual(len(shapes.to_supervision(group_by='class')), 2)
        with self.assertRaisesRegex(ValueError, 'group_by'):
            shapes.to_supervision(group_by='colour')

    def test_a_shape_without_all_points_is_named(self):
        shapes = ShapeSet.from_json(
            '{"width":9,"height":9,"shapes":[{"id":4,"kind":"contour",'
            '"closed":true,"points":[[1,1],[null,1],[4,4]]}]}')
        for name, convert in (('shapely', shapes.to_shapely),
                              ('supervision', shapes.to_supervision)):
            load(self, name)
            with self.assertRaisesRegex(ValueError, 'shape 4'):
                convert()

    def test_regions_and_names_come_back(self):
        load(self, 'supervision')
        labels = np.zeros((20, 20), int)
        labels[1:5, 1:5], labels[8:12, 8:12] = 30, 17
        shapes = ShapeSet.from_labels(labels, class_ids={30: 2, 17: 0})
        shapes[0].set_class_names(['sound', '', 'rotten'])
        for masks in (True, False):
            again = ShapeSet.from_supervision(
                shapes.to_supervision(masks=masks), 20, 20)
            self.assertEqual(
                [(c.region_id, c.class_id, c.class_name)
                 for c in again.contours()],
                [(c.region_id, c.class_id, c.class_name)
                 for c in shapes.contours()])
        with self.assertRaisesRegex(ValueError, 'masks are of 20 x 20'):
            ShapeSet.from_supervision(shapes.to_supervision(masks=True), 9, 20)

    def test_boxes_are_known_without_measures(self):
        load(self, 'supervision')
        shapes = ShapeSet.from_masks(np.ones((1, 4, 6), bool))
        records = np.array(shapes.polylines(0))
        for name in ('area', 'bbox_x0', 'bbox_y0', 'bbox_x1', 'bbox_y1'):
            records[name] = np.nan
        unmeasured = ShapeSet.new(6, 4)
        unmeasured.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            shapes.get_points_bytes(0), shapes.get_offsets_bytes(0),
            GLib.Bytes.new(records.tobytes()), None))
        self.assertTrue(np.isnan(
            np.asarray(unmeasured.polylines(0))['area']).all())
        got, want = (s.to_supervision() for s in (unmeasured, shapes))
        self.assertEqual(got.xyxy.tolist(), want.xyxy.tolist())
        self.assertEqual(got.data['area'].tolist(),
                         want.data['area'].tolist())
        self.assertEqual(got.xyxy.tolist(), [[-.5, -.5, 5.5, 3.5]])


class Coco(unittest.TestCase):
    def open(self, document):
        coco = load(self, 'pycocotools.coco').COCO
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.json')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(document)
            stdout, sys.stdout = sys.stdout, open(os.devnull, 'w',
                                                  encoding='utf-8')
            try:
                return coco(path)
            finally:
                sys.stdout.close()
                sys.stdout = stdout

    def test_its_run_lengths_are_read(self):
        mask_of = load(self, 'pycocotools.mask')
        for masks in pictures(150, 6):
            n, height, width = masks.shape
            runs = [mask_of.encode(np.asfortranarray(mask.astype('u1')))
                    for mask in masks]
            document = {
                'images': [{'id': 1, 'width': width, 'height': height}],
                'annotations': [
                    {'id': i, 'image_id': 1, 'category_id': 1,
                     'segmentation': run, 'attributes': {'region_id': i}}
                    for i, run in enumerate(runs)]}
            np.testing.assert_array_equal(
                by_region(ShapeSet.from_coco(document), masks), masks)

    def test_boxes_and_areas_are_those_it_sees(self):
        """Of what is written; of what is read, the same."""
        for masks, shapes in each(20, 7):
            text = shapes.to_coco('a.png')
            coco = self.open(text)
            again = ShapeSet.from_coco(text)
            self.assertEqual(len(coco.getAnnIds()),
                             masks.any(axis=(1, 2)).sum())
            np.testing.assert_array_equal(by_region(again, masks), masks)


class Shapely(unittest.TestCase):
    def joined(self, shapely, polygons, masks):
        """The pixels whose centres are inside, by GEOS."""
        height, width = masks.shape[1:]
        y, x = np.mgrid[:height, :width]
        points = shapely.points(x.ravel(), y.ravel())
        joined = np.zeros_like(masks)
        for region, polygon in polygons:
            joined[region] |= shapely.contains(polygon, points).reshape(
                height, width)
        return joined

    def regions(self, shapes):
        return [c.region_id for c in shapes.contours() if not c.hole]

    def test_polygons_are_valid_and_have_the_pixels(self):
        shapely = load(self, 'shapely')
        for masks, shapes in each(60, 8):
            polygons = shapes.to_shapely()
            self.assertTrue(all(p.is_valid for p in polygons))
            np.testing.assert_array_equal(self.joined(
                shapely, zip(self.regions(shapes), polygons), masks), masks)

    def test_polygons_that_touch_themselves_are_valid(self):
        """Levels that equal samples, and masks joined at their corners."""
        shapely = load(self, 'shapely')
        rng = np.random.default_rng(10)
        touching = 0
        for _ in range(150):
            image = rng.integers(0, 4, tuple(rng.integers(4, 20, 2)))
            lines = [line for line in GstShapes.find_contours(
                image, rng.integers(1, 3), 'high', as_xy=True)
                if (line[0] == line[-1]).all()]
            shapes = ShapeSet.from_polygons(lines)
            as_given = [shapely.Polygon(line) for line in lines]
            touching += sum(not p.is_valid for p in as_given)
            for given, line, shape in zip(as_given, lines,
                                          shapes.to_shapely()):
                self.assertTrue(shape.is_valid)
                self.assertLessEqual(
                    set(shapely.get_coordinates(shape).astype('f4')
                        .ravel().tolist()),
                    set(line.astype('f4').ravel().tolist()))
                self.assertAlmostEqual(shape.area, given.buffer(0).area, 4)
        self.assertGreater(touching, 20)

    def test_polygons_come_back(self):
        load(self, 'shapely')
        for masks, shapes in each(60, 9):
            again = ShapeSet.from_shapely(
                shapes.to_shapely(), *masks.shape[:0:-1],
                region_ids=self.regions(shapes))
            np.testing.assert_array_equal(by_region(again, masks), masks)

    def test_geometries_of_every_kind_are_taken(self):
        shapely = load(self, 'shapely')
        box = shapely.box(0, 0, 4, 4)
        ring = box.difference(shapely.box(1, 1, 2, 2))
        both = shapely.MultiPolygon([ring, shapely.box(6, 6, 8, 8)])
        line = shapely.LineString([(0, 0), (3, 4)])
        shapes = ShapeSet.from_shapely(
            [box, ring, both, line, box.exterior, shapely.Point(1, 2),
             shapely.Polygon()], 9, 9, class_ids=range(7))
        self.assertEqual(
            [(c.class_id, c.closed, c.hole, c.parent, abs(c.area))
             for c in shapes.contours()],
            [(0, True, False, None, 16), (1, True, False, None, 16),
             (1, True, True, 1, 1), (2, True, False, None, 16),
             (2, True, True, 3, 1), (2, True, False, None, 4),
             (3, False, False, None, 0), (4, True, False, None, 16),
             (5, False, False, None, 0)])
        self.assertEqual(GstShapes.convex_hull(both).area,
                         both.convex_hull.area)
        self.assertEqual(GstShapes.convex_hull([box, line]).area, 16)
        self.assertEqual(len(ShapeSet.from_polygons([ring])[0]), 2)
        self.assertEqual(len(ShapeSet.from_shapely(both)[0]), 3)
        with self.assertRaisesRegex(TypeError, r'geometries\[1\]'):
            ShapeSet.from_shapely([box, [(0, 0), (1, 1)]])
        for flat in both, ring, line, shapely.Point(1, 2):
            high = shapely.force_3d(flat, 7)
            self.assertTrue(high.has_z)
            self.assertEqual(ShapeSet.from_shapely(high),
                             ShapeSet.from_shapely(flat))
            self.assertEqual(GstShapes.convex_hull(high).area,
                             flat.convex_hull.area)

    def test_sets_and_shapes_have_a_geo_interface(self):
        shapely = load(self, 'shapely')
        third = np.float32(1 / 3)
        shapes = ShapeSet.from_polygons(
            [[(0, 0), (9, third), (9, 9), (0, 9)],
             [(1, 1), (1, 2), (2, 2), (2, 1)], [(0, 0), (3, 4)]], 20, 20,
            holes=[0, 1, 0], parents=[None, 0, None], closed=[1, 1, 0])
        square, hole, line = map(shapely.geometry.shape, shapes.contours())
        self.assertEqual(len(square.interiors), 1)
        self.assertIn((9., float(third)), list(square.exterior.coords))
        self.assertEqual((hole.area, line.length), (1, 5))
        features = shapes.__geo_interface__['features']
        self.assertEqual(len(features), 2)
        self.assertTrue(shapely.geometry.shape(features[0]['geometry']
                                               ).equals(square))

    def test_tables_take_sets(self):
        geopandas = load(self, 'geopandas')
        masks = np.zeros((1, 9, 9), bool)
        masks[0, 2:5, 2:5] = True
        shapes = ShapeSet.from_masks(masks, class_ids=4)
        frame = geopandas.GeoDataFrame.from_features(shapes)
        self.assertEqual(frame['class'].tolist(), [4])
        self.assertEqual(frame.geometry.area.tolist(),
                         [c.area for c in shapes.contours()])
        again = ShapeSet.from_shapely(frame.geometry, 9, 9)
        np.testing.assert_array_equal(again.to_masks(), masks)
        again = ShapeSet.from_shapely(list(frame.geometry), 9, 9)
        np.testing.assert_array_equal(again.to_masks(), masks)


if __name__ == '__main__':
    unittest.main(verbosity=1)
