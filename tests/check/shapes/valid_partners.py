# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of pictures are valid by GEOS, simplified or not, and their pixels by pycocotools are those above the level."""

import contextlib
import io
import json
import os
import sys
import unittest

SKIP = 77
# before numpy, which comes with these modules
sys.path[:0] = filter(None, [os.environ.get('CUDASHAPES_PARTNERS')])

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstShapes', '1.0')
    from gi.repository import Gst, GstShapes
    import numpy as np
    from shapely.geometry import LineString, Point, Polygon, shape
except (ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

Gst.init(None)
WIDTH, HEIGHT = 64, 48
TOLERANCES = 1, 3, 8


def picture(seed, kind):
    """Noise and smooth pictures of few values, so that many equal a level."""
    rng = np.random.default_rng(seed)
    noise = rng.random((HEIGHT, WIDTH))
    if kind == 'smooth':
        spectrum = np.fft.fft2(noise)
        y, x = np.meshgrid(np.fft.fftfreq(HEIGHT), np.fft.fftfreq(WIDTH),
                           indexing='ij')
        noise = np.fft.ifft2(spectrum * np.exp(-60 * (x * x + y * y))).real
        noise -= noise.min()
        noise /= noise.max()
    return (np.floor(noise * 7.999) * 32).astype(np.uint8)


def contours(pixels, level):
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps=video/x-raw,format=GRAY8,width=%d,'
        'height=%d,framerate=1/1 ! cudacontours backend=cpu hierarchy=true %s '
        '! appsink name=out sync=false' % (WIDTH, HEIGHT, level))
    pipeline.set_state(Gst.State.PLAYING)
    buffer = Gst.Buffer.new_wrapped(pixels.tobytes())
    buffer.pts = 0
    pipeline.get_by_name('in').emit('push-buffer', buffer)
    pipeline.get_by_name('in').emit('end-of-stream')
    sample = pipeline.get_by_name('out').emit('pull-sample')
    pipeline.set_state(Gst.State.NULL)
    return GstShapes.buffer_get_shape_set(sample.get_buffer())


def encode(shape_set, element):
    """What an element writes of a set."""
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps=application/x-shapes ! %s '
        '! appsink name=out sync=false' % element)
    pipeline.set_state(Gst.State.PLAYING)
    buffer = Gst.Buffer.new()
    buffer.pts = 0
    GstShapes.buffer_add_shape_meta(buffer, shape_set)
    pipeline.get_by_name('in').emit('push-buffer', buffer)
    pipeline.get_by_name('in').emit('end-of-stream')
    text = b''
    while True:
        sample = pipeline.get_by_name('out').emit('pull-sample')
        if sample is None:
            break
        out = sample.get_buffer()
        text += out.extract_dup(0, out.get_size())
    pipeline.set_state(Gst.State.NULL)
    return json.loads(text)


def sets():
    for seed in range(6):
        for kind in ('noise', 'smooth'):
            pixels = picture(seed, kind)
            # one that samples equal, and one between them
            for level in ('level-unit=sample level=%d' % np.median(pixels),
                          'level=0.5'):
                yield (seed, kind, level), pixels, contours(pixels, level)


def lines_of(shapes):
    return {item['id']: item for item in shapes}


def geometries(text):
    return {feature['id']: shape(feature['geometry'])
            for feature in text['features']}


def parts(geometry):
    return list(getattr(geometry, 'geoms', [geometry]))


def is_near(points, kept, tolerance):
    """Whether points become what is kept if some near its sides are left out. A ring may come to the same point again."""
    ends = {0}
    for begin, end in zip(kept, kept[1:]):
        segment = LineString([begin, end])
        distances = np.array([segment.distance(Point(point))
                              for point in points])
        ends = {stop for at in ends for stop in range(at + 1, len(points))
                if points[stop] == end
                and (distances[at:stop] <= tolerance * (1 + 1e-9)).all()}
    return kept[0] == points[0] and len(points) - 1 in ends


def corners(geometry):
    for part in parts(geometry):
        if part.geom_type != 'Polygon':
            yield from part.coords
            continue
        for ring in (part.exterior, *part.interiors):
            yield from ring.coords


def load_coco(document):
    from pycocotools.coco import COCO
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = document
        coco.createIndex()
    return coco


class Valid(unittest.TestCase):
    def test_polygons_are_valid_and_keep_their_points(self):
        split = 0
        for name, _, shape_set in sets():
            lines = lines_of(json.loads(shape_set.to_json())['shapes'])
            found = geometries(json.loads(shape_set.to_geojson()))
            for key, geometry in found.items():
                self.assertTrue(geometry.is_valid, (name, key))
                line = lines[key]
                if not line['closed']:
                    self.assertEqual(geometry.geom_type, 'LineString')
                    continue
                split += geometry.geom_type == 'MultiPolygon'
                holes = [other for other in lines.values()
                         if other['hole'] and other['closed']
                         and other['parent'] == key]
                area = abs(line['area']) - sum(abs(hole['area'])
                                               for hole in holes)
                self.assertAlmostEqual(geometry.area, area, 4, (name, key))
                given = {tuple(point) for ring in [line, *holes]
                         for point in ring['points']}
                used = set(corners(geometry))
                self.assertLessEqual(used, given, (name, key))
        self.assertGreater(split, 10, 'there is something to split')

    def test_simplified_polygons_are_valid_and_near(self):
        fewer = 0
        for name, _, shape_set in sets():
            lines = lines_of(json.loads(shape_set.to_json())['shapes'])
            for tolerance in TOLERANCES:
                option = 'points=simplified simplify=%d' % tolerance
                text = encode(shape_set, 'shapegeojsonenc ' + option)
                for key, geometry in geometries(text).items():
                    self.assertTrue(geometry.is_valid, (name, key, tolerance))
                self.check_lines(lines, encode(
                    shape_set, 'shapejsonenc ' + option), tolerance, name)
                before = json.loads(shape_set.to_geojson())
                fewer += len(json.dumps(text)) < .8 * len(json.dumps(before))
        self.assertGreater(fewer, 10)

    def check_lines(self, lines, text, tolerance, name):
        """Rings with the holes of the set are polygons, too."""
        simple = lines_of(text['shapes'])
        for key, line in lines.items():
            self.assertTrue(is_near(line['points'], simple[key]['points'],
                                    tolerance), (name, key))
        for key, line in simple.items():
            if not line['closed'] or line['hole'] or len(line['points']) < 4:
                continue
            shell = Polygon(line['points'])
            holes = [other for other in simple.values()
                     if other['hole'] and other['closed']
                     and other['parent'] == key]
            for hole in holes:
                ring = LineString(hole['points'])
                if not shell.is_valid or len(hole['points']) < 4:
                    continue
                self.assertFalse(ring.crosses(shell), (name, key, tolerance))
                self.assertTrue(shell.covers(ring), (name, key, tolerance))

    def test_annotations_are_what_is_written(self):
        for name, _, shape_set in sets():
            for option in ('', ' points=simplified simplify=4'):
                text = encode(shape_set, 'shapecocoenc' + option)
                for item in text['annotations']:
                    flat = item['segmentation']
                    points = np.concatenate(flat).reshape(-1, 2)
                    low, high = points.min(0), points.max(0)
                    np.testing.assert_allclose(
                        item['bbox'], [*low, *(high - low)], atol=1e-5)
                    area = 0
                    for part in flat:
                        x, y = np.reshape(part, (-1, 2)).T
                        area += abs(np.dot(x, np.roll(y, -1))
                                    - np.dot(y, np.roll(x, -1))) / 2
                    self.assertAlmostEqual(item['area'], area, 3, name)

    def test_run_lengths_are_the_pixels_above_the_level(self):
        try:
            from pycocotools import mask as coding
        except ImportError:
            self.skipTest('pycocotools is not installed')
        for name, pixels, shape_set in sets():
            if name[2] != 'level=0.5':
                continue
            document = json.loads(shape_set.to_coco_full(
                'x', GstShapes.ShapeCocoSegmentation.RLE,
                GstShapes.ShapeCocoGroup.NONE))
            coco = load_coco(document)
            union = np.zeros((HEIGHT, WIDTH), np.uint8)
            for item in document['annotations']:
                mask = coco.annToMask(item)
                coded = coding.frPyObjects(item['segmentation'], HEIGHT,
                                           WIDTH)
                self.assertEqual(item['area'], mask.sum())
                self.assertEqual(item['bbox'], coding.toBbox(coded).tolist())
                self.assertEqual(item['iscrowd'], 0)
                union += mask
            # but what touches the picture's edge
            inner = pixels > 127.5
            for contour in shape_set.contours():
                if not contour.closed:
                    break
            else:
                np.testing.assert_array_equal(union, inner)
            self.assertLessEqual(union.max(), 1)
            self.assertFalse((union & ~inner).any(), name)
            again = json.loads(shape_set.to_coco_full(
                'x', GstShapes.ShapeCocoSegmentation.RLE,
                GstShapes.ShapeCocoGroup.CLASS))
            self.assertEqual(len(again['annotations']),
                             min(len(document['annotations']), 1))
            if not again['annotations']:
                continue
            np.testing.assert_array_equal(
                load_coco(again).annToMask(again['annotations'][0]), union)


if __name__ == '__main__':
    unittest.main()
