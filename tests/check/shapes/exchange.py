# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures through every format and back, pixel for pixel.

The oracle counts crossings in integers and asks nobody of ours.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from collections import Counter

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, Gst, GstShapes, np = need('GLib', 'Gst', 'GstShapes', 'numpy')

ShapeSet = GstShapes.ShapeSet


def twice(value):
    """Coordinates are halves; integers are exact."""
    doubled = int(2 * value)
    assert doubled == 2 * value
    return doubled


def edges_of(rings):
    """The sides of rings, twice as large; what is drawn there and back is
    none."""
    counted = Counter()
    for ring in rings:
        ring = [(twice(x), twice(y)) for x, y in ring]
        for a, b in zip(ring, ring[1:] + ring[:1]):
            if counted[b, a]:
                counted[b, a] -= 1
            elif a != b:
                counted[a, b] += 1
    return [edge for edge, n in counted.items() for _ in range(n % 2)]


def inside(edges, x, y):
    """Whether x, y is inside of what is between edges, and on none."""
    odd = False
    for (ax, ay), (bx, by) in edges:
        turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if turn == 0 and min(ax, bx) <= x <= max(ax, bx) \
                and min(ay, by) <= y <= max(ay, by):
            return False
        if (ay > y) != (by > y) and (turn > 0) == (by > ay):
            odd = not odd
    return odd


def draw(rings, width, height, center=0):
    """The pixels of rings; center: where that of the first pixel is."""
    edges = edges_of(rings)
    return np.array([[inside(edges, 2 * x + twice(center), 2 * y + twice(center))
                      for x in range(width)] for y in range(height)], bool)


def pictures(n, seed):
    """Masks with objects at all borders, single pixels, holes, islands."""
    rng = np.random.default_rng(seed)
    yield np.ones((1, 5, 6), bool)
    yield np.zeros((2, 4, 4), bool)
    for size in ((1, 1), (1, 5), (6, 1)):
        yield np.ones((1, *size), bool)
    nested = np.ones((1, 9, 9), bool)
    nested[0, 1:8, 1:8] = False
    nested[0, 2:7, 2:7] = True
    nested[0, 3:6, 3:6] = False
    nested[0, 4, 4] = True
    yield nested
    yield ~nested
    for _ in range(n):
        height, width = rng.integers(1, 10, 2)
        density = rng.choice([.1, .3, .5, .8, .95])
        yield rng.random((2, height, width)) < density


def by_region(shape_set, n):
    """The masks of the shapes of each region, joined."""
    height, width = shape_set.get_height(), shape_set.get_width()
    joined = np.zeros((n, height, width), bool)
    outlines = [c for c in shape_set.contours() if not c.hole]
    masks = shape_set.to_masks()
    assert len(outlines) == len(masks)
    for contour, mask in zip(outlines, masks):
        joined[contour.region_id] |= mask
    return joined


class Formats(unittest.TestCase):
    """What is written has the pixels that were there."""

    def each(self, n=60, seed=1):
        for number, masks in enumerate(pictures(n, seed)):
            for connected in ('low', 'high'):
                with self.subTest(number=number, connected=connected):
                    yield masks, ShapeSet.from_masks(
                        masks, fully_connected=connected)

    def assert_joined(self, masks, found, center=0):
        """found: (region, rings) of each shape"""
        joined = np.zeros_like(masks)
        for region, rings in found:
            mask = draw(rings, masks.shape[2], masks.shape[1], center)
            self.assertFalse((joined[region] & mask).any())
            joined[region] |= mask
        np.testing.assert_array_equal(joined, masks)

    def test_masks_and_labels(self):
        for masks, shapes in self.each(300):
            np.testing.assert_array_equal(by_region(shapes, len(masks)), masks)
            for region, mask in enumerate(masks):
                alone = ShapeSet.from_masks(mask)
                ids = [c.id + 1 for c in alone.contours() if not c.hole]
                labels = alone.to_labels()
                np.testing.assert_array_equal(labels > 0, mask)
                self.assertEqual(sorted(set(labels[mask].tolist())), ids)
                self.assertEqual((labels.dtype, labels.shape),
                                 (np.int32, mask.shape))

    def test_points_of_contours(self):
        for masks, shapes in self.each():
            rings = {}
            for c in shapes.contours():
                if c.hole:
                    rings[c.parent].append(c.points.tolist())
                else:
                    rings[c.id] = [c.points.tolist()]
            self.assert_joined(masks, [
                (c.region_id, rings[c.id]) for c in shapes.contours()
                if not c.hole])

    def test_geojson(self):
        for masks, shapes in self.each():
            found = []
            for feature in shapes.__geo_interface__['features']:
                geometry = feature['geometry']
                polygons = geometry['coordinates'] \
                    if geometry['type'] == 'MultiPolygon' \
                    else [geometry['coordinates']]
                found.append((feature['properties']['region-id'],
                              [ring for rings in polygons for ring in rings]))
            self.assert_joined(masks, found)

    def test_coco(self):
        for masks, shapes in self.each():
            document = json.loads(shapes.to_coco('a.png'))
            self.assert_joined(masks, [
                (a['attributes']['region_id'],
                 [np.reshape(p, (-1, 2)).tolist()
                  for p in a['segmentation']])
                for a in document['annotations']], .5)

    def test_svg(self):
        name = '{http://www.w3.org/2000/svg}path'
        for masks, shapes in self.each():
            root = xml.etree.ElementTree.fromstring(shapes.to_svg())
            found = []
            for path in root.iter(name):
                rings = [[tuple(map(float, point.split(',')))
                          for point in ring.split()]
                         for ring in re.findall(r'M([^MZ]*)Z', path.get('d'))]
                found.append((int(path.get('data-region-id')), rings))
            self.assert_joined(masks, found)

    def test_opencvs_contours_go_through_pixels_of_the_object(self):
        for masks, shapes in self.each():
            for contour, line in zip(shapes.contours(), shapes.to_cv()):
                self.assertEqual((line.dtype, line.shape[1:]),
                                 (np.int32, (1, 2)))
                x, y = line[:, 0].T
                self.assertTrue(masks[contour.region_id][y, x].all())
                steps = np.abs(np.diff(line[:, 0], axis=0, append=line[0]))
                self.assertLessEqual(steps.max(), 1)
                if len(line) > 1:
                    self.assertTrue((steps.max(axis=1) == 1).all())


class OpenCV(unittest.TestCase):
    def square(self, n, x, y):
        image = np.zeros((40, 40))
        image[y:y + n, x:x + n] = 1
        lines = GstShapes.find_contours(image, .5, as_xy=True)
        line, = ShapeSet.from_polygons(lines, 40, 40).to_cv()
        return line[:, 0]

    def test_squares_have_their_pixels_everywhere(self):
        for n in (1, 2, 3, 5):
            for x, y in ((10, 10), (11, 10), (10, 11), (11, 11)):
                line = self.square(n, x, y)
                self.assertEqual(line.min(axis=0).tolist(), [x, y])
                self.assertEqual(line.max(axis=0).tolist(),
                                 [x + n - 1, y + n - 1])
                self.assertEqual(len(line), max(4 * (n - 1), 1))

    def test_any_level_between_the_samples_is_the_same(self):
        image = np.zeros((20, 20))
        image[5:9, 6:11] = 200
        image[6:8, 8] = 0
        want = None
        for level in (1, 20, 100, 127.5, 199):
            lines = GstShapes.find_contours(image, level, as_xy=True)
            shapes = ShapeSet.from_polygons(lines)
            shapes = ShapeSet.from_polygons(
                lines, 20, 20, holes=[c.area < 0 for c in shapes.contours()])
            got = [line.tolist() for line in shapes.to_cv()]
            self.assertEqual(got, want or got)
            want = got

    def test_what_is_not_on_the_grid_goes_to_the_nearest_halves_up(self):
        polygon = [(.4, .4), (2.5, 3.5), (1.5, 7.6), (-.5, 4.5)]
        line, = ShapeSet.from_polygons([polygon]).to_cv()
        self.assertEqual(line[:, 0].tolist(),
                         [[0, 0], [3, 4], [2, 8], [0, 5]])
        line, = ShapeSet.from_polygons([[(.5, 1), (1.5, 1), (1.6, 1)]],
                                       closed=False).to_cv()
        self.assertEqual(line[:, 0].tolist(), [[1, 1], [2, 1]])
        point, = ShapeSet.from_polygons([[(.1, .1), (.2, .1), (.1, .2)]]
                                        ).to_cv()
        self.assertEqual(point[:, 0].tolist(), [[0, 0]])

    def test_corners_of_the_picture_are_its_pixels(self):
        corners = [(-.5, -.5), (7.5, -.5), (7.5, 4.5), (-.5, 4.5)]
        line, = ShapeSet.from_polygons([corners], 8, 5).to_cv()
        self.assertEqual(line[:, 0].tolist(),
                         [[0, 0], [7, 0], [7, 4], [0, 4]])

    def test_points_that_are_no_pixels_are_refused(self):
        with self.assertRaisesRegex(ValueError, 'polyline 1 .*no pixel'):
            ShapeSet.from_polygons([[(0, 0)], [(0, 3e9)]]).to_cv()
        self.assertEqual(ShapeSet.new(4, 4).to_cv(), [])

    def test_hierarchies_say_whose_holes_are(self):
        square = np.array([(0, 0), (9, 0), (9, 9), (0, 9)]).reshape(-1, 1, 2)
        tree = np.array([[[-1, -1, 1, -1], [-1, -1, 2, 0], [3, -1, -1, 1],
                          [-1, 2, -1, 1]]], 'i4')
        shapes = ShapeSet.from_cv([square] * 4, tree, 20, 20, class_ids=2)
        self.assertEqual([(c.parent, c.hole) for c in shapes.contours()],
                         [(None, False), (0, True), (1, False), (1, False)])
        self.assertEqual(shapes.get_width(), 20)
        self.assertEqual([c.hole for c in ShapeSet.from_cv(
            (square,)).contours()], [False])
        for wrong in (tree[:, :2], tree.astype('f4'), tree + 3,
                      [[[-1, -1, -1, 1], [-1, -1, -1, 0]] * 2]):
            with self.assertRaisesRegex(ValueError, 'hierarchy'):
                ShapeSet.from_cv([square] * 4, wrong)


class Masks(unittest.TestCase):
    def test_shapes_know_their_mask_class_and_track(self):
        masks = np.zeros((3, 6, 8), 'u1')
        masks[0, 1:5, 1:5] = 1
        masks[0, 2, 2] = 0
        masks[2, 0, 7] = 1
        shapes = ShapeSet.from_masks(masks, class_ids=[4, 5, 6],
                                     track_ids=[7, 8, None],
                                     confidences=[.5, 1, 1])
        self.assertEqual(
            [(c.region_id, c.class_id, c.track_id, c.confidence, c.hole,
              c.parent, c.level, c.bbox) for c in shapes.contours()],
            [(0, 4, 7, .5, False, None, .5, (.5, .5, 4.5, 4.5)),
             (0, 4, 7, .5, True, 0, .5, (1.5, 1.5, 2.5, 2.5)),
             (2, 6, None, 1, False, None, .5, (6.5, -.5, 7.5, .5))])
        self.assertEqual((shapes.get_width(), shapes.get_height()), (8, 6))
        joined = ShapeSet.from_masks(np.eye(3, dtype=bool),
                                     fully_connected='high')
        self.assertEqual(len(joined[0]), 1)
        self.assertEqual(len(ShapeSet.from_masks(np.eye(3))[0]), 3)

    def test_what_is_no_mask_is_named(self):
        for exception, text, masks in (
                (ValueError, r'masks\[0, 1, 1\] is 255',
                 [[0, 0], [0, 255]]),
                (ValueError, r'masks\[0, 0, 0\] is nan', [[np.nan]]),
                (ValueError, 'shape', np.zeros(3, bool)),
                (TypeError, 'complex', np.zeros((2, 2), complex)),
                (ValueError, 'masked', np.ma.array([[1, 0]],
                                                   mask=[[1, 0]]))):
            with self.assertRaisesRegex(exception, text):
                ShapeSet.from_masks(masks)
        with self.assertRaisesRegex(ValueError, 'class_ids'):
            ShapeSet.from_masks(np.zeros((2, 3, 3)), class_ids=[1])

    def test_label_images_come_back(self):
        rng = np.random.default_rng(3)
        for dtype in ('u1', 'i4', 'u8', 'i8'):
            labels = rng.integers(0, 6, (13, 17)).astype(dtype)
            labels[3:9, 4:12] = 77
            labels[5, 6] = 0
            shapes = ShapeSet.from_labels(labels)
            regions = {c.id: c.region_id for c in shapes.contours()}
            again = np.zeros_like(labels)
            for number, mask in zip((c.id for c in shapes.contours()
                                     if not c.hole), shapes.to_masks()):
                self.assertFalse(again[mask].any())
                again[mask] = regions[number]
            np.testing.assert_array_equal(again, labels)
        self.assertEqual(len(ShapeSet.from_labels(labels * 0)[0]), 0)

    def test_labels_have_classes(self):
        labels = [[1, 1, 0], [0, 0, 5]]
        for classes, want in ((None, [0, 0]), (3, [3, 3]),
                              ({1: 8, 5: 9, 6: 0}, [8, 9])):
            self.assertEqual([c.class_id for c in ShapeSet.from_labels(
                labels, class_ids=classes).contours()], want)
        for exception, text, given, classes in (
                (ValueError, 'no class of label 5', labels, {1: 0}),
                (TypeError, 'mapping', labels, [0, 1]),
                (ValueError, r'labels\[0, 1\] is -1', [[0, -1]], None),
                (ValueError, r'labels\[0, 0\] is 2147483648', [[2 ** 31]],
                 None),
                (TypeError, 'integers', [[.5]], None),
                (ValueError, 'shape', [1, 2], None),
                (ValueError, 'masked', np.ma.array([[1]], mask=[[1]]),
                 None)):
            with self.assertRaisesRegex(exception, text):
                ShapeSet.from_labels(given, class_ids=classes)

    def test_masks_without_a_size_or_points_are_refused(self):
        shapes = ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 4)]])
        for convert in (shapes.to_masks, shapes.to_labels):
            with self.assertRaisesRegex(ValueError, 'size'):
                convert()
        sized = ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 4)]], 6, 6)
        with self.assertRaisesRegex(ValueError, 'kind'):
            sized.to_masks('blob')
        self.assertEqual(sized.to_masks('hull').shape, (0, 6, 6))
        self.assertEqual(sized.to_labels('hull').any(), False)


def text_of(counts):
    """COCO's text of run lengths, from its description."""
    text = ''
    for i, count in enumerate(counts):
        value = count - (counts[i - 2] if i > 2 else 0)
        while True:
            bits, value = value & 31, value >> 5
            more = value != (-1 if bits & 16 else 0)
            text += chr(48 + bits + (32 if more else 0))
            if not more:
                break
    return text


def counts_of(mask):
    """Runs down the columns, zeros first."""
    counts, value = [0], False
    for pixel in mask.T.reshape(-1).tolist():
        if pixel != value:
            counts.append(0)
            value = pixel
        counts[-1] += 1
    return counts


class Coco(unittest.TestCase):
    def document(self, *annotations, **image):
        return {'images': [{'id': 3, 'file_name': 'a.png', 'width': 9,
                            'height': 7, **image}],
                'categories': [{'id': 1, 'name': 'apple'},
                               {'id': 4, 'name': 'pear'}],
                'annotations': [{'id': 10 + i, 'image_id': 3, **a}
                                for i, a in enumerate(annotations)]}

    def test_run_lengths_are_masks(self):
        for masks in pictures(80, 5):
            n, height, width = masks.shape
            annotations = []
            for mask in masks:
                counts = counts_of(mask)
                for form in (counts, text_of(counts), text_of(counts).encode()
                             ):
                    annotations.append({'category_id': 4, 'segmentation': {
                        'size': [height, width], 'counts': form},
                        'attributes': {'region_id': len(annotations)}})
            shapes = ShapeSet.from_coco(self.document(
                *annotations, width=int(width), height=int(height)))
            np.testing.assert_array_equal(by_region(shapes, 3 * n),
                                          np.repeat(masks, 3, axis=0))
        large = np.zeros((300, 500), bool)
        large[100:250, 3:470] = True
        self.assertGreater(max(counts_of(large)), 1023)
        shapes = ShapeSet.from_coco(self.document(
            {'category_id': 1, 'segmentation': {
                'size': [300, 500], 'counts': text_of(counts_of(large))}},
            width=500, height=300))
        np.testing.assert_array_equal(shapes.to_masks()[0], large)

    def test_what_was_written_is_read(self):
        for masks in pictures(80, 6):
            for connected in ('low', 'high'):
                shapes = ShapeSet.from_masks(
                    masks, class_ids=range(len(masks)), track_ids=2 ** 40,
                    confidences=[.25, None][:len(masks)],
                    fully_connected=connected)
                again = ShapeSet.from_coco(shapes.to_coco(
                    'a.png', group_by='shape'))
                np.testing.assert_array_equal(by_region(again, len(masks)),
                                              masks)
                self.assertEqual(*(
                    [(c.id, c.class_id, c.level, c.track_id, c.confidence)
                     for c in s.contours() if not c.hole]
                    for s in (shapes, again)))
                self.assertEqual(again.get_next_id() if len(again[0]) else 0,
                                 shapes.get_next_id())
        hulls = ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 4)]], 9, 9,
                                       kind='hull', levels=2.5)
        self.assertEqual([(h.kind, h.level, h.area) for h in
                          ShapeSet.from_coco(hulls.to_coco('a')).hulls()],
                         [('hull', 2.5, 8)])

    def test_pixels_and_parts_are_read(self):
        """Run lengths and objects of several parts, as to_coco() writes."""
        for masks in pictures(60, 7):
            shapes = ShapeSet.from_masks(masks, class_ids=range(len(masks)),
                                         track_ids=range(5, 5 + len(masks)))
            n_objects = int(masks.any(axis=(1, 2)).sum())
            for form in ('polygons', 'rle'):
                for group in (None, 'track', 'region', 'class'):
                    text = shapes.to_coco('a.png', segmentation=form,
                                          group_by=group)
                    again = ShapeSet.from_coco(text)
                    joined = np.zeros_like(masks)
                    for c, mask in zip((c for c in again.contours()
                                        if not c.hole), again.to_masks()):
                        joined[c.class_id] |= mask
                    np.testing.assert_array_equal(joined, masks)
                    if group:
                        self.assertEqual(
                            len(json.loads(text)['annotations']), n_objects)
        for text, arguments in (('segmentation', {'segmentation': 'mask'}),
                                ('group_by', {'group_by': 'colour'})):
            with self.assertRaisesRegex(ValueError, text + ' is one of'):
                shapes.to_coco('a.png', **arguments)
        with self.assertRaisesRegex(ValueError, 'size'):
            ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 4)]]).to_coco(
                'a.png', segmentation='rle')

    def test_arguments_are_taken_by_place_and_name(self):
        shapes = ShapeSet.from_masks(np.ones((1, 4, 5), bool), region_ids=3)
        want = shapes.to_coco('a/b.png', segmentation='rle',
                              group_by='region')
        for text in (shapes.to_coco('a/b.png', 'rle', 'region'),
                     shapes.to_coco(file_name='a/b.png', segmentation='rle',
                                    group_by='region'),
                     shapes.to_coco(pathlib.Path('a', 'b.png'), 'rle',
                                    'region'),
                     shapes.to_coco(b'a/b.png', 'rle', 'region')):
            self.assertEqual(text, want)
        self.assertEqual(json.loads(want)['images'][0]['file_name'],
                         'a/b.png')

    def test_names_of_classes_come_back(self):
        layer = ShapeSet.from_masks(np.ones((2, 4, 4)), class_ids=[0, 2])[0]
        layer = layer.annotate()            # has no other references
        layer.set_class_names(['apple', '', 'pear'])
        shapes = ShapeSet.new(4, 4)
        shapes.add_layer(layer)
        again = ShapeSet.from_coco(shapes.to_coco('a.png'))
        self.assertEqual([again[0].get_class_name(i) for i in range(3)],
                         ['apple', None, 'pear'])

    def test_names_of_categories_are_names_of_classes(self):
        square = [1, 1, 3, 1, 3, 3, 1, 3]
        document = self.document({'category_id': 4, 'segmentation': [square]},
                                 {'category_id': 1, 'bbox': [2, 2, 4, 3]})
        shapes = ShapeSet.from_coco(document)
        self.assertEqual([shapes[0].get_class_name(c.class_id)
                          for c in shapes.contours()], ['pear', 'apple'])
        self.assertEqual([(c.class_id, c.bbox) for c in shapes.contours()],
                         [(3, (.5, .5, 2.5, 2.5)), (0, (1.5, 1.5, 5.5, 4.5))])
        document['categories'].append({'id': 0, 'name': 'none'})
        shapes = ShapeSet.from_coco(document)
        self.assertEqual([shapes[0].get_class_name(c.class_id)
                          for c in shapes.contours()], ['pear', 'apple'])
        self.assertEqual([c.class_id for c in shapes.contours()], [4, 1])

    def test_parts_and_holes_of_polygons(self):
        """Several polygons are parts; holes may be joined to an outline."""
        outline = [(0, 0), (8, 0), (8, 6), (0, 6), (0, 0)]
        hole = [(2, 2), (2, 4), (4, 4), (4, 2), (2, 2)]
        other = [(5, 2), (5, 4), (7, 4), (7, 2), (5, 2)]
        joined = outline + hole + [(0, 0)] + other + [(0, 0)]
        alike = outline + hole[::-1] + [(0, 0)]     # no hole: it turns alike

        def flat(points):
            return [v for point in points for v in point]

        shapes = ShapeSet.from_coco(self.document(
            {'category_id': 1, 'segmentation': [flat(joined), flat(hole)]},
            {'category_id': 1, 'segmentation': [flat(alike)]}))
        self.assertEqual(
            [(c.id, c.hole, c.parent, abs(c.area))
             for c in shapes.contours()],
            [(0, False, None, 48), (1, True, 0, 4), (2, True, 0, 4),
             (3, False, None, 4), (4, False, None, 52)])

    def test_files_texts_and_images_are_found(self):
        document = self.document({'category_id': 1, 'bbox': [0, 0, 2, 2]})
        document['images'].append({'id': 4, 'file_name': 'b.png', 'width': 1,
                                   'height': 1})
        text = json.dumps(document)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'annotations.json')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            for given in (document, text, text.encode(), path):
                for image, n in (('a.png', 1), (3, 1), ('b.png', 0), (4, 0)):
                    self.assertEqual(len(ShapeSet.from_coco(given, image)[0]),
                                     n)
        with self.assertRaisesRegex(ValueError, '2 images'):
            ShapeSet.from_coco(document)
        with self.assertRaisesRegex(ValueError, "file_name 'c.png'"):
            ShapeSet.from_coco(document, 'c.png')
        results = [{'image_id': 7, 'category_id': 1, 'score': .5,
                    'segmentation': {'size': [2, 3], 'counts': '06'}}]
        shapes = ShapeSet.from_coco(results)
        self.assertEqual((shapes.get_width(), shapes.get_height(),
                          [c.confidence for c in shapes.contours()]),
                         (3, 2, [.5]))

    def test_attributes_of_others_are_left_alone(self):
        shapes = ShapeSet.from_coco(self.document(*(
            {'category_id': 1, 'bbox': [0, 0, 2, 2], 'attributes': a}
            for a in ({'id': 'x', 'level': 'high', 'kind': 'apple',
                       'track_id': -4, 'region_id': 2 ** 31},
                      {'id': True, 'level': True, 'track_id': 1.5}, None, 7))))
        self.assertEqual([(c.id, c.level, c.kind, c.track_id, c.region_id)
                          for c in shapes.contours()],
                         [(i, 0, 'contour', None, None) for i in range(4)])

    def test_what_is_wrong_is_named(self):
        size = [7, 9]
        for segmentation in (
                [[1, 2, 3]], [[]], ['abc'], [[1, 2, float('nan'), 4, 5, 6]],
                {'size': size, 'counts': [62]},
                {'size': size, 'counts': [64, -1]},
                {'size': size, 'counts': [1.5]},
                {'size': size, 'counts': 'o'}, {'size': size, 'counts': '\n'},
                {'size': size, 'counts': 'P' * 400},
                {'size': [2 ** 31, 1], 'counts': []}, {'counts': [63]},
                {'size': [-1, -1], 'counts': [1]},
                {'size': [9, 7], 'counts': [63]}):
            with self.assertRaisesRegex(ValueError, 'annotation 11: |11 has'):
                ShapeSet.from_coco(self.document(
                    {'category_id': 1, 'bbox': [0, 0, 1, 1]},
                    {'category_id': 1, 'segmentation': segmentation}))
        for annotation in ({}, {'bbox': [1, 2]}, {'bbox': 'abcd'},
                           {'bbox': [0, 0, 1, 1], 'category_id': 'apple'}):
            with self.assertRaisesRegex(ValueError, 'annotation 10'):
                ShapeSet.from_coco(self.document(annotation))
        for wrong in ({'annotations': [None]},
                      {'annotations': [], 'categories': {'id': 1}},
                      {'annotations': [], 'categories': [{'name': 'a'}]}):
            with self.assertRaisesRegex(ValueError, 'annotation 0|categories'):
                ShapeSet.from_coco(wrong)
        with self.assertRaisesRegex(ValueError, 'NUL'):
            ShapeSet.from_masks(np.ones((2, 2))).to_coco('a\0b')
        for wrong in ({}, {'annotations': 1}, 7, '{"a": 1}'):
            with self.assertRaisesRegex(ValueError, 'annotations'):
                ShapeSet.from_coco(wrong)


class Objects(unittest.TestCase):
    """What comes as one object leaves as one."""

    def coco(self, *segmentations, **attributes):
        """Annotations 11, 12, ...: two polygons are an object."""
        return {'images': [{'id': 1, 'width': 40, 'height': 20}],
                'annotations': [
                    {'id': 11 + i, 'image_id': 1, 'category_id': 1,
                     'segmentation': one, 'attributes': attributes.get(
                         'of_%d' % i, {})}
                    for i, one in enumerate(segmentations)]}

    def square(self, x, y, side=4):
        return [x, y, x + side, y, x + side, y + side, x, y + side]

    def areas(self, shapes, **options):
        """Of annotations, in pixels."""
        found = json.loads(shapes.to_coco('x.png', **options))
        return [a['area'] for a in found['annotations']]

    def tracks(self, shapes):
        return [shape.track_id for shape in shapes.contours()]

    def test_annotations_of_several_polygons(self):
        for segmentation in (
                [self.square(2, 2), self.square(10, 2)],
                {'size': [20, 40], 'counts': [
                    42, 4, 16, 4, 16, 4, 16, 4, 96, 4, 16, 4, 16, 4, 16, 4,
                    534]}):
            shapes = ShapeSet.from_coco(self.coco(
                [self.square(30, 2)], segmentation, [self.square(30, 10)]))
            self.assertEqual(len(self.areas(shapes)), 3)
            self.assertEqual(self.areas(shapes, segmentation='rle'),
                             [16, 32, 16])
            self.assertEqual(self.areas(shapes, segmentation='rle',
                                        group_by='shape'), [16] * 4)
            alone, first, second, other = self.tracks(shapes)
            self.assertEqual((alone, other), (None, None))
            self.assertEqual(first, second)
            self.assertGreaterEqual(first, 0)
            for again in (ShapeSet.from_coco(shapes.to_coco('x.png')),
                          ShapeSet.from_json(shapes.to_json())):
                self.assertEqual(self.areas(again, segmentation='rle'),
                                 [16, 32, 16])
                self.assertEqual(self.tracks(again), self.tracks(shapes))

    def test_ids_of_the_file_stay(self):
        parts = [self.square(2, 2), self.square(10, 2)]
        unknown = self.tracks(ShapeSet.from_coco(self.coco(parts)))[0]
        shapes = ShapeSet.from_coco(self.coco(
            parts, [self.square(30, 2)], [self.square(20, 2)], parts,
            of_0={'track_id': 0, 'region_id': 9}, of_1={'track_id': unknown},
            of_2={'region_id': 3}))
        tracks = self.tracks(shapes)
        self.assertEqual(tracks[:4], [0, 0, unknown, None])
        self.assertEqual(tracks[4], tracks[5])
        self.assertNotIn(tracks[4], tracks[:4] + [-1])
        self.assertEqual([s.region_id for s in shapes.contours()],
                         [9, 9, None, 3, None, None])

    def test_masks_of_several_spots(self):
        masks = np.zeros((3, 20, 40), bool)
        masks[0, 2:6, 2:6] = masks[0, 2:6, 10:14] = True
        masks[1, 2:12, 20:30] = True
        masks[1, 4:10, 22:28] = False      # a hole is no part
        masks[2] = masks[0][:, ::-1]
        shapes = ShapeSet.from_masks(masks)
        self.assertEqual(self.areas(shapes, segmentation='rle'), [32, 64, 32])
        first, _second, plain, hole, third, _fourth = self.tracks(shapes)
        self.assertEqual((plain, hole), (None, None))
        # others have others
        self.assertNotEqual(first, third)
        self.assertNotIn(first, self.tracks(ShapeSet.from_masks(
            np.roll(masks, 1, axis=1))))
        self.assertEqual(self.tracks(ShapeSet.from_masks(
            masks, track_ids=[None, 5, 6])), [first, first, 5, 5, 6, 6])
        labels = masks[0] * 4 + masks[1] * 9
        self.assertEqual(self.areas(ShapeSet.from_labels(labels),
                                    segmentation='rle'), [32, 64])

    def test_geometries_of_several_parts(self):
        def polygon(x):
            return [[(x, 2), (x + 4, 2), (x + 4, 6), (x, 6)]]
        several = {'type': 'MultiPolygon',
                   'coordinates': [polygon(2), polygon(10)]}
        alone = {'type': 'Polygon', 'coordinates': polygon(20)}
        for read in ShapeSet.from_shapely, ShapeSet.from_polygons:
            shapes = read([several, alone, several], 40, 20,
                          track_ids=[None, None, 3])
            tracks = self.tracks(shapes)
            self.assertEqual(tracks[0], tracks[1])
            self.assertGreaterEqual(tracks[0], 0)
            self.assertEqual(tracks[2:], [None, 3, 3])
            self.assertEqual(self.areas(shapes), [32, 16, 32])


class Equality(unittest.TestCase):
    def test_equal_sets_are_not_unequal(self):
        one, same, other = (ShapeSet.from_masks(np.ones((size, 5), bool))
                            for size in (5, 5, 4))
        self.assertTrue(one == same and not one != same)
        self.assertTrue(one != other and not one == other)

    def test_sets_of_pipelines_come_back_from_json(self):
        for measures in ('none', 'basic'):
            pipeline = Gst.parse_launch(
                'videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48 '
                '! cudacontours hierarchy=true measures=%s ! cudahull '
                'measures=basic ! appsink name=out sync=false' % measures)
            pipeline.set_state(Gst.State.PLAYING)
            sample = pipeline.get_by_name('out').emit('pull-sample')
            shapes = GstShapes.buffer_get_shape_set(sample.get_buffer())
            pipeline.set_state(Gst.State.NULL)
            self.assertGreater(len(shapes[0]), 3)
            again = ShapeSet.from_json(shapes.to_json())
            if measures == 'none':
                # known from the points then
                shapes = shapes.compute_measures()
            self.assertEqual(again, shapes)

    def test_layers_without_shapes_make_no_difference(self):
        empty = [ShapeSet.from_masks(np.zeros((2, 4, 5), bool)),
                 ShapeSet.from_labels(np.zeros((4, 5), int)),
                 ShapeSet.from_polygons([], 5, 4), ShapeSet(5, 4)]
        empty.append(empty[0].derive())
        empty[-1].add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(b'')))
        for shapes in empty:
            self.assertEqual(ShapeSet.from_json(shapes.to_json()), shapes)
            self.assertEqual(shapes, empty[0])
            self.assertNotEqual(shapes, ShapeSet(5, 5))
        one = ShapeSet.from_masks(np.ones((1, 4, 5), bool))
        more = one.derive()
        more.add_layer(empty[0][0])
        self.assertEqual(one, more)
        self.assertNotEqual(one, empty[0])
        sized = ShapeSet.from_masks(np.zeros((2, 4, 5), bool))
        sized.pixel_size = 2, 2
        self.assertNotEqual(sized, empty[0])

    def test_regions_of_many_shapes(self):
        labels = np.zeros((60, 60), int)
        labels[1::3, 1::3] = np.arange(1, 401).reshape(20, 20)
        shapes = ShapeSet.from_labels(labels)
        found = shapes.assign_regions(shapes)
        self.assertEqual([c.region_id for c in found.contours()],
                         [c.id for c in shapes.contours()])


class Unknown(unittest.TestCase):
    """Measures that nobody took are taken from the points."""

    SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0)]

    def make(self, with_points=True):
        measured = ShapeSet.from_polygons([self.SQUARE, self.SQUARE[:3]], 8, 8)
        records = np.array(measured.polylines(0))
        for name in ('area', 'perimeter', 'centroid_x', 'centroid_y',
                     'bbox_x0', 'bbox_y0', 'bbox_x1', 'bbox_y1'):
            records[name] = np.nan
        shapes = ShapeSet.new(8, 8)
        shapes.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            GLib.Bytes.new(np.asarray(measured.points(0)).tobytes())
            if with_points else None,
            GLib.Bytes.new(np.asarray(measured.offsets(0)).tobytes()),
            GLib.Bytes.new(records.tobytes()), None))
        return shapes, measured

    def test_shapes_have_them(self):
        shapes, measured = self.make()
        self.assertEqual(*([(c.area, c.perimeter, c.centroid, c.bbox, repr(c))
                            for c in s.contours()]
                           for s in (shapes, measured)))
        first, = (c for c in shapes.contours() if c.id == 0)
        self.assertEqual((first.bbox, first.area), ((0, 0, 4, 4), 16))

    def test_arrays_keep_what_is_unknown(self):
        shapes, _ = self.make()
        list(c.area for c in shapes.contours())
        self.assertTrue(np.isnan(np.asarray(shapes.polylines(0))['area']
                                 ).all())

    def test_areas_choose(self):
        shapes, _ = self.make()
        self.assertEqual([c.id for c in shapes.filter(min_area=10).contours()],
                         [0])
        self.assertEqual([c.id for c in shapes.filter(max_area=10).contours()],
                         [1])

    def test_without_points_they_stay_unknown(self):
        shapes, _ = self.make(with_points=False)
        for c in shapes.contours():
            self.assertTrue(np.isnan([c.area, c.perimeter, *c.centroid,
                                      *c.bbox]).all())
            self.assertIn('no points', repr(c))
        self.assertEqual(len(shapes.filter(min_area=0)[0]), 0)
        for convert in (shapes.to_cv, shapes.to_masks):
            with self.assertRaisesRegex(ValueError, 'points'):
                convert()


class Notebooks(unittest.TestCase):
    def check(self, shapes, note):
        text = shapes._repr_svg_()
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual([t.text for t in root.iter(
            '{http://www.w3.org/2000/svg}text')], note)
        self.assertLess(len(text), 4 << 20)
        return root

    def test_sets_are_drawings(self):
        root = self.check(ShapeSet.from_masks(np.eye(5)), [])
        self.assertEqual(root.get('viewBox'), '-0.5 -0.5 5 5')
        nothing = self.check(ShapeSet.new(0, 0), [])
        self.assertIsNotNone(nothing.get('viewBox'))
        root = self.check(ShapeSet.from_polygons([[(0, 0), (8, 2), (3, 9)]]),
                          [])
        self.assertEqual(root.get('viewBox'), '-1 -1 10 11')

    def test_notebooks_are_not_flooded(self):
        noise = np.random.default_rng(1).random((600, 600)) < .5
        shapes = ShapeSet.from_masks(noise)
        n = len(shapes[0])
        circles = GLib.Bytes.new(bytes(24 * 6000))
        root = self.check(shapes, ['%d of %d polylines are shown' % (
            self.shown(shapes), n)])
        shapes.add_layer(GstShapes.ShapeLayer.new_circles_bytes(circles))
        self.check(shapes, ['%d of %d polylines, 5000 of 6000 circles are '
                            'shown' % (self.shown(shapes), n)])
        self.assertEqual(root.get('width'), '600')

    def shown(self, shapes):
        """As many of the polylines with the most points as 50,000 allow."""
        sizes = np.sort(np.diff(np.asarray(shapes.offsets(0)).astype(int)))
        return int((np.cumsum(sizes[::-1]) <= 50000).sum())


if __name__ == '__main__':
    unittest.main(verbosity=1)
