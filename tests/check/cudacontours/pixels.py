#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pixels of what cudacontours finds, in the stream's formats, are those of the picture. The oracle counts crossings in
fractions."""
import itertools
import json
import re
import sys
import unittest
from fractions import Fraction

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstApp, GstShapes, np = need('Gst', 'GstApp', 'GstShapes', 'numpy')

WIDTH, HEIGHT = 12, 7


def run(pictures, elements):
    """The buffers that come out."""
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps=video/x-raw,format=GRAY8,width=%d,'
        'height=%d,framerate=1/1 ! cudacontours hierarchy=true %s '
        '! appsink name=out sync=false' % (WIDTH, HEIGHT, elements))
    pipeline.set_state(Gst.State.PLAYING)
    source, sink = map(pipeline.get_by_name, ('in', 'out'))
    for number, picture in enumerate(pictures):
        buffer = Gst.Buffer.new_wrapped(picture.tobytes())
        buffer.pts = number * Gst.SECOND
        source.push_buffer(buffer)
    source.end_of_stream()
    buffers = []
    while sample := sink.try_pull_sample(60 * Gst.SECOND):
        buffers.append(sample.get_buffer())
    pipeline.set_state(Gst.State.NULL)
    return buffers


def draw(rings, offset=0):
    """The pixels whose centres are inside of rings, and on none of them."""
    mask = np.zeros((HEIGHT, WIDTH), bool)
    sides = []
    for ring in rings:
        ring = [tuple(Fraction(v) - Fraction(offset) for v in at)
                for at in ring]
        for side in zip(ring, ring[1:] + ring[:1]):
            # what is drawn there and back, as COCO's way to a hole, is none
            if side[::-1] in sides:
                sides.remove(side[::-1])
            elif side[0] != side[1]:
                sides.append(side)
    for y, x in itertools.product(range(HEIGHT), range(WIDTH)):
        odd = on = False
        for (ax, ay), (bx, by) in sides:
            turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
            on |= (turn == 0 and min(ax, bx) <= x <= max(ax, bx)
                   and min(ay, by) <= y <= max(ay, by))
            odd ^= (ay > y) != (by > y) and (turn > 0) == (by > ay)
        mask[y, x] = odd and not on
    return mask


def joined(parts):
    """What is in any of the parts, which share no pixel."""
    mask = np.zeros((HEIGHT, WIDTH), bool)
    for part in parts:
        assert not (mask & part).any()
        mask |= part
    return mask


def pictures(seed, n):
    rng = np.random.default_rng(seed)
    yield np.full((HEIGHT, WIDTH), 255, np.uint8)
    for _ in range(n):
        share = rng.choice([.1, .4, .6, .9])
        if rng.random() < .5:
            yield (rng.random((HEIGHT, WIDTH)) < share).astype(np.uint8) * 255
        else:
            yield rng.integers(0, 256, (HEIGHT, WIDTH)).astype(np.uint8)


def otsu(picture):
    """The first of the best thresholds."""
    values = picture.astype(float).ravel()
    best, found = -1, 0
    for level in range(int(values.min()), int(values.max())):
        low, high = values[values <= level], values[values > level]
        variance = len(low) * len(high) * (low.mean() - high.mean()) ** 2
        if variance > best * (1 + 1e-12):
            best, found = variance, level
    return found


def svg_rings(text):
    for path in re.findall(r' d="([^"]*)"', text):
        yield [[tuple(map(float, at.split(','))) for at in ring.split()]
               for ring in re.findall('M([^MZ]*)Z', path)]


class Masks(unittest.TestCase):
    SETTINGS = ('close-at-border=true level=0.5',
                'close-at-border=true level=0.5 fully-connected=high '
                'positive-orientation=high measures=none',
                'close-at-border=true level-method=otsu')

    def each(self, elements, n=12):
        for seed, settings in enumerate(self.SETTINGS):
            images = list(pictures(seed, n))
            for image, buffer in zip(images, run(images, settings + elements)):
                level = otsu(image) if 'otsu' in settings else 127
                # no level is below all
                flat = 'otsu' in settings and image.min() == image.max()
                with self.subTest(settings):
                    yield image > level if not flat else image * False, buffer

    def test_the_set_s_masks_and_labels(self):
        for want, buffer in self.each('', 40):
            shapes = GstShapes.buffer_get_shape_set(buffer)
            np.testing.assert_array_equal(joined(shapes.to_masks()), want)
            np.testing.assert_array_equal(shapes.to_labels() > 0, want)

    def test_points_and_holes(self):
        for want, buffer in self.each(''):
            rings = {}
            for c in GstShapes.buffer_get_shape_set(buffer).contours():
                self.assertTrue(c.closed)
                owner = c.parent if c.hole else c.id
                rings.setdefault(owner, []).append(c.points.tolist())
            np.testing.assert_array_equal(joined(map(draw, rings.values())),
                                          want)

    def test_geojson(self):
        for want, buffer in self.each(' ! shapegeojsonenc'):
            frame = json.loads(buffer.extract_dup(0, buffer.get_size()))
            parts = []
            for feature in frame['features']:
                geometry = feature['geometry']
                polygons = geometry['coordinates']
                parts += map(draw, polygons if geometry['type'] ==
                             'MultiPolygon' else [polygons])
            np.testing.assert_array_equal(joined(parts), want)

    def test_svg(self):
        for want, buffer in self.each(' ! shapesvgenc'):
            text = buffer.extract_dup(0, buffer.get_size()).decode()
            np.testing.assert_array_equal(joined(map(draw, svg_rings(text))),
                                          want)

    def coco(self, settings, elements, images):
        text = b''.join(buffer.extract_dup(0, buffer.get_size())
                        for buffer in run(images, settings + elements))
        document = json.loads(text)
        for image in document['images']:
            self.assertEqual((image['width'], image['height']),
                             (WIDTH, HEIGHT))
            yield [a for a in document['annotations']
                   if a['image_id'] == image['id']]

    def test_coco(self):
        images = list(pictures(5, 12))
        for image, annotations in zip(images, self.coco(
                self.SETTINGS[0], ' ! shapecocoenc', images)):
            parts = []
            for annotation in annotations:
                rings = [list(zip(*[iter(ring)] * 2))
                         for ring in annotation['segmentation']]
                xs, ys = zip(*itertools.chain(*rings))
                np.testing.assert_allclose(annotation['bbox'], [
                    min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)],
                    atol=1e-5)
                self.assertTrue(0 <= min(xs) and max(xs) <= WIDTH
                                and 0 <= min(ys) and max(ys) <= HEIGHT)
                parts.append(draw(rings, .5))
            np.testing.assert_array_equal(joined(parts), image > 127)

    def test_coco_of_run_lengths(self):
        images = list(pictures(6, 30))
        for image, annotations in zip(images, self.coco(
                self.SETTINGS[0], ' ! shapecocoenc segmentation=rle', images)):
            parts = []
            for annotation in annotations:
                counts = annotation['segmentation']['counts']
                self.assertEqual(annotation['segmentation']['size'],
                                 [HEIGHT, WIDTH])
                bits = np.repeat(np.arange(len(counts)) % 2, counts)
                mask = bits.reshape(WIDTH, HEIGHT).T.astype(bool)
                self.assertEqual(annotation['area'], mask.sum())
                parts.append(mask)
            np.testing.assert_array_equal(joined(parts), image > 127)

    def test_bands(self):
        levels = -1, 63.5, 127.5, 255
        settings = ('bands=true close-at-border=true level-unit=sample levels='
                    + ','.join(map(str, levels)))
        images = list(pictures(7, 20))
        for image, buffer in zip(images, run(images, settings)):
            shapes = GstShapes.buffer_get_shape_set(buffer)
            masks = {level: image * False for level in levels}
            for contour, mask in zip(
                    (c for c in shapes.contours() if not c.hole),
                    shapes.to_masks()):
                masks[contour.level] = joined([masks[contour.level] > 0, mask])
            for low, high in zip(levels, levels[1:]):
                np.testing.assert_array_equal(
                    masks[low], (image > low) & (image <= high))


if __name__ == '__main__':
    unittest.main()
