# SPDX-License-Identifier: LGPL-2.1-or-later
"""What formats make of shapes that are unusual: rings that are not closed, points that are not known, names, parts."""

import csv
import io
import json
import math
import struct
import sys
import unittest
from xml.etree import ElementTree

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, GstShapes = need('GLib', 'GstShapes')

NAN = math.nan
SVG = '{http://www.w3.org/2000/svg}'
SQUARE = [[1, 1], [9, 1], [9, 9], [1, 9]]
NONE, TRACK, REGION, CLASS = range(4)
POLYGONS, RLE = range(2)


def contour(points, **more):
    return {'kind': 'contour', 'closed': True, 'points': points, **more}


def parse(*shapes, size=(16, 12)):
    line = {'width': size[0], 'height': size[1], 'shapes': shapes}
    return GstShapes.ShapeSet.from_json(json.dumps(line))


def geojson(shape_set):
    return [feature['geometry']
            for feature in json.loads(shape_set.to_geojson())['features']]


def coco(shape_set, segmentation=POLYGONS, group_by=NONE):
    return json.loads(shape_set.to_coco_full('x.png', segmentation, group_by))


def paths(shape_set):
    return list(ElementTree.fromstring(shape_set.to_svg()).iter(SVG + 'path'))


def rows(shape_set):
    return list(csv.DictReader(io.StringIO(shape_set.to_csv())))


def layer(points, flags=1):
    return GstShapes.ShapeLayer.new_polylines_bytes(
        GLib.Bytes.new(b''.join(struct.pack('=2f', *p) for p in points)),
        GLib.Bytes.new(struct.pack('=2I', 0, len(points))),
        GLib.Bytes.new(struct.pack('=6i10d', 0, -1, 0, 0, 0, flags, *[0] * 10)),
        None)


class Rings(unittest.TestCase):
    def check(self, shape_set):
        closed = SQUARE + SQUARE[:1]
        shape = json.loads(shape_set.to_json())['shapes'][0]
        self.assertEqual((shape['points'], shape['area']), (closed, 64))
        self.assertEqual(geojson(shape_set), [
            {'type': 'Polygon', 'coordinates': [closed]}])
        annotation = coco(shape_set)['annotations'][0]
        self.assertEqual(annotation['segmentation'], [
            [c + .5 for point in SQUARE for c in point]])
        self.assertEqual(annotation['area'], 64)
        self.assertEqual(paths(shape_set)[0].get('d'), 'M1,1 9,1 9,9 1,9Z')

    def test_lines_may_repeat_the_first_point_or_not(self):
        self.check(parse(contour(SQUARE)))
        self.check(parse(contour(SQUARE + SQUARE[:1])))

    def test_copies_may_repeat_the_first_point_or_not(self):
        for points in (SQUARE, SQUARE + SQUARE[:1]):
            shape_set = GstShapes.ShapeSet.new(16, 12)
            shape_set.add_layer(layer(points))
            self.check(shape_set)

    def test_only_rings_are_closed(self):
        for shape, n in ((contour(SQUARE, closed=False), 4),
                         (contour([[1, 1]]), 1), (contour([]), 0),
                         (contour([[None, 1], [2, 2], [None, 1]]), 3)):
            written = json.loads(parse(shape).to_json())['shapes'][0]
            self.assertEqual(len(written['points']), n)

    def test_indices_are_closed_too(self):
        hull = {'kind': 'hull', 'closed': True, 'points': SQUARE[:3],
                'indices': [4, 7, 5]}
        written = json.loads(parse(hull, hull).to_json())['shapes']
        self.assertEqual([shape['indices'] for shape in written],
                         [[4, 7, 5, 4]] * 2)


class Polygons(unittest.TestCase):
    def test_what_touches_itself_is_split_there(self):
        eight = [[2, 2], [4, 0], [6, 2], [4, 4], [2, 2], [0, 4], [-2, 2],
                 [0, 0]]
        found, = geojson(parse(contour(eight)))
        self.assertEqual(found['type'], 'MultiPolygon')
        self.assertEqual(sorted(len(part[0])
                                for part in found['coordinates']), [5, 5])
        annotation, = coco(parse(contour(eight)))['annotations']
        self.assertEqual([len(part) for part in annotation['segmentation']],
                         [8, 8])
        self.assertEqual(annotation['area'], 16)

    def test_what_touches_itself_from_inside_has_a_hole(self):
        ring = [[0, 0], [8, 0], [8, 8], [0, 8], [0, 4], [3, 6], [3, 2],
                [0, 4]]
        found, = geojson(parse(contour(ring)))
        self.assertEqual(found['type'], 'Polygon')
        self.assertEqual([len(r) for r in found['coordinates']], [6, 4])

    def test_a_hole_from_side_to_side_makes_two(self):
        outline = [[0, 0], [4, 0], [8, 0], [8, 8], [4, 8], [0, 8]]
        hole = [[4, 0], [3, 4], [4, 8], [5, 4]]
        found, = geojson(parse(contour(outline, id=0),
                               contour(hole, id=1, hole=True, parent=0)))
        self.assertEqual(found['type'], 'MultiPolygon')
        self.assertEqual([len(part) for part in found['coordinates']],
                         [1, 1])

    def test_holes_that_touch_a_side_are_holes(self):
        """Not at a corner of the outline, and by a corner or a side."""
        outline = [[0, 0], [10, 0], [10, 12], [0, 12]]
        at_corner = [[0, 0], [3, 1], [1, 3]]
        for turn in range(4):
            for touching in ([[5, 12], [7, 6], [3, 5]],
                             [[4, 12], [7, 6], [6, 12]]):
                rings = [outline, at_corner, touching]
                for _ in range(turn):
                    rings = [[[-y, x] for x, y in ring] for ring in rings]
                found, = geojson(parse(contour(rings[0], id=0), *(
                    contour(ring, id=i, hole=True, parent=0)
                    for i, ring in enumerate(rings[1:], 1))))
                self.assertEqual(found['type'], 'Polygon')
                self.assertEqual([len(r) for r in found['coordinates']],
                                 [5, 4, 4])

    def test_lines_there_and_back_are_left_out(self):
        spiked = [[1, 1], [9, 1], [12, 1], [9, 1], [9, 9], [1, 9]]
        self.assertEqual(geojson(parse(contour(spiked))),
                         geojson(parse(contour(SQUARE))))
        line = [[1, 1], [5, 1], [9, 1], [5, 1]]
        self.assertEqual(geojson(parse(contour(line)))[0]['type'],
                         'LineString')
        self.assertEqual(coco(parse(contour(line)))['annotations'], [])
        self.assertEqual(geojson(parse(contour([[3, 4], [3, 4]]))), [
            {'type': 'Point', 'coordinates': [3, 4]}])


class Unknown(unittest.TestCase):
    def test_shapes_with_points_that_are_not_known(self):
        bad = [[1, 1], [None, 1], [9, 9], [1, 9]]
        known = contour(SQUARE, id=0)
        for shapes in ([known, contour(bad, id=1)],
                       [known, contour(bad, id=1, closed=False)],
                       [known, {**contour(bad, id=1), 'kind': 'hull'}],
                       [known, contour(SQUARE, id=1),
                        contour(bad, id=2, hole=True, parent=1)]):
            shape_set = parse(*shapes)
            self.assertEqual(
                [geometry and geometry['type']
                 for geometry in geojson(shape_set)], ['Polygon', None])
            for segmentation in (POLYGONS, RLE):
                annotations = coco(shape_set, segmentation)['annotations']
                self.assertEqual([item['attributes']['id']
                                  for item in annotations], [0])
            self.assertEqual([path.get('id') for path in paths(shape_set)],
                             ['shape-0'])
            self.assertNotIn('null', shape_set.to_svg() + shape_set.to_csv())

    def test_numbers_that_are_not_known(self):
        shape_set = parse(contour(SQUARE, level=None, confidence=0.5))
        self.assertNotIn('null', shape_set.to_svg() + shape_set.to_csv())
        circles = [{'kind': 'circle', 'x': 1, 'y': 2, 'r': 3, 'z': None},
                   {'kind': 'circle', 'x': None, 'y': 2, 'r': 3},
                   {'kind': 'circle', 'x': 1, 'y': 2, 'r': None}]
        shape_set = parse(*circles)
        self.assertEqual(
            [geometry and geometry['coordinates']
             for geometry in geojson(shape_set)], [[1, 2], None, [1, 2]])
        self.assertEqual(shape_set.to_svg().count('<circle'), 1)
        self.assertNotIn('null', shape_set.to_svg() + shape_set.to_csv())


class Names(unittest.TestCase):
    def test_every_format_has_them(self):
        name = 'a "quoted", <b> & \'c\'\tü\n=1'
        shape_set = parse(contour(SQUARE, **{'class': 2, 'class-name': name}),
                          contour(SQUARE, **{'class': 4}))
        document = coco(shape_set)
        self.assertEqual(document['categories'], [
            {'id': 3, 'name': name}, {'id': 5, 'name': 'class 4'}])
        properties = [feature['properties'] for feature in json.loads(
            shape_set.to_geojson())['features']]
        self.assertEqual(properties[0]['class-name'], name)
        self.assertNotIn('class-name', properties[1])
        first, second = paths(shape_set)
        self.assertEqual(first.get('data-class-name'), name)
        self.assertIsNone(second.get('data-class-name'))
        table = rows(shape_set)
        self.assertEqual([row['class_name'] for row in table], [name.replace('\n=', "\n'="), ''])
        self.assertEqual(list(table[0])[-1], 'class_name')

    def test_characters_that_xml_has_no_place_for(self):
        shape_set = parse(contour(SQUARE, **{'class-name': 'a\x01\x1b\uffffb'}))
        self.assertEqual(paths(shape_set)[0].get('data-class-name'),
                         'a\ufffd\ufffd\ufffdb')

    def test_the_first_name_of_a_class_is_its_categorys(self):
        shapes = [contour(SQUARE, **more) for more in (
            {'class': 1}, {'class': 1, 'class-name': 'one'},
            {'class': 1, 'class-name': 'other'})]
        self.assertEqual(coco(parse(*shapes))['categories'],
                         [{'id': 2, 'name': 'one'}])


def square(x, y, size, **more):
    """Of size x size pixels."""
    x, y = x - .5, y - .5
    return contour([[x, y], [x + size, y], [x + size, y + size],
                    [x, y + size]], **more)


class Objects(unittest.TestCase):
    SHAPES = [square(1, 1, 2, id=0, **{'track-id': 7, 'region-id': 0,
                                       'confidence': .25}),
              square(5, 2, 3, id=1, **{'track-id': 8, 'region-id': 0}),
              square(6, 6, 2, id=2, **{'track-id': 7, 'confidence': .5}),
              square(2, 1, 2, id=3, **{'track-id': 7, 'class': 3}),
              square(9, 9, 2, id=4), square(12, 2, 1, id=5)]

    def ids(self, group_by):
        return [item['attributes'].get('ids', [item['attributes']['id']])
                for item in coco(parse(*self.SHAPES), POLYGONS,
                                 group_by)['annotations']]

    def test_parts_of_an_object_are_one_annotation(self):
        self.assertEqual(self.ids(NONE), [[0], [1], [2], [3], [4], [5]])
        self.assertEqual(self.ids(TRACK), [[0, 2], [1], [3], [4], [5]])
        self.assertEqual(self.ids(REGION), [[0, 1], [2], [3], [4], [5]])
        self.assertEqual(self.ids(CLASS), [[0, 1, 2, 4, 5], [3]])

    def test_areas_are_added_and_boxes_joined(self):
        for segmentation in (POLYGONS, RLE):
            item = coco(parse(*self.SHAPES), segmentation, TRACK)[
                'annotations'][0]
            self.assertEqual((item['area'], item['bbox'], item['score'],
                              item['iscrowd']), (8, [1, 1, 7, 7], .5, 0))
        self.assertEqual([item['id'] for item in coco(
            parse(*self.SHAPES), RLE, TRACK)['annotations']], [1, 2, 3, 4, 5])

    def test_run_lengths_go_down_the_columns(self):
        item, = coco(parse(square(1, 2, 2)), RLE)['annotations']
        self.assertEqual(item['segmentation'], {
            'counts': [14, 2, 10, 2, 164], 'size': [12, 16]})
        whole, = coco(parse(square(0, 0, 16)), RLE)['annotations']
        self.assertEqual(whole['segmentation']['counts'], [0, 192, 0])
        item, = coco(parse(square(0, 0, 4), square(2, 2, 4)), RLE, CLASS)[
            'annotations']
        self.assertEqual((item['area'], item['bbox']), (28, [0, 0, 6, 6]))
        self.assertEqual(coco(parse(square(40, 40, 4)), RLE)['annotations'],
                         [])

    def test_a_set_without_a_size_has_no_run_lengths(self):
        shape_set = parse(square(1, 1, 2), size=(0, 0))
        with self.assertRaisesRegex(GLib.Error, 'run lengths'):
            coco(shape_set, RLE)
        self.assertEqual(len(coco(shape_set)['annotations']), 1)


if __name__ == '__main__':
    unittest.main()
