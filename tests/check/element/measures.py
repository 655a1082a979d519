#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements that need a measure which nobody has taken find it in the points:
what they make of shapes without measures is what they make of the same shapes
with them."""
import itertools
import json
import math
import pathlib
import struct
import sys
import unittest

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, Gst, GstApp, GstShapes = need('GLib', 'Gst', 'GstApp', 'GstShapes')

FOLDER = pathlib.Path(sys.argv[1])
del sys.argv[1:]
WIDTH, HEIGHT = 160, 120
FRAME = 'video/x-raw,format=RGBA,width=160,height=120,framerate=0/1'
CLOSED = 1
POLYLINE = struct.Struct('=6i10d')
# areas 400, 1200, 50; the second is dented
RINGS = ([(10, 20), (30, 20), (30, 40), (10, 40), (10, 20)],
         [(50, 10), (90, 10), (90, 50), (70, 30), (50, 50), (50, 10)],
         [(110, 70), (120, 70), (110, 80), (110, 70)])
MEASURES = ((400, 80, 20, 30, 10, 20, 30, 40),
            (1200, 120 + 2 * math.hypot(20, 20), 70, 230 / 9,
             50, 10, 90, 50),
            (50, 20 + math.hypot(10, 10), 340 / 3, 220 / 3,
             110, 70, 120, 80))
# what a record may have in place of them
NAN, ZERO = (math.nan,) * 8, (0,) * 8
# elements, and the words of their pads' content
LINES = ('shapeoverlay label="{id}: {area:.1f} {length:.1f}"',
         'shapeoverlay color-mode=area', 'shapeoverlay fill-opacity=0.5',
         'cudacircles from-contours=equivalent',
         'cudacircles from-contours=enclosing')


def make_set(measures, with_points=True):
    records, offsets, points = b'', [0], b''
    for i, ring in enumerate(RINGS):
        records += POLYLINE.pack(i, -1, 0, 0, 0, CLOSED, .5, *measures[i], 0)
        points += b''.join(struct.pack('=2f', *point) for point in ring)
        offsets.append(offsets[-1] + (len(ring) if with_points else 0))
    shapes = GstShapes.ShapeSet.new(WIDTH, HEIGHT)
    shapes.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
        GLib.Bytes.new(points) if with_points else None,
        GLib.Bytes.new(struct.pack('=%dI' % len(offsets), *offsets)),
        GLib.Bytes.new(records), None))
    return shapes


def run(shapes, elements, warnings=None):
    """A gray frame with @shapes through elements: bytes, and its shapes."""
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps="%s" ! %s ! appsink name=out '
        'sync=false' % (FRAME, elements))
    buffer = Gst.Buffer.new_wrapped(b'\x60\x60\x60\xff' * (WIDTH * HEIGHT))
    buffer.pts = 0
    GstShapes.buffer_add_shape_meta(buffer, shapes)
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_by_name('in').push_buffer(buffer)
    pipeline.get_by_name('in').end_of_stream()
    sample = pipeline.get_by_name('out').try_pull_sample(60 * Gst.SECOND)
    bus = pipeline.get_bus()
    while warnings is not None:
        message = bus.pop_filtered(Gst.MessageType.WARNING)
        if not message:
            break
        warnings.append(message.parse_warning()[0].message)
    pipeline.set_state(Gst.State.NULL)
    result = sample.get_buffer()
    return (result.extract_dup(0, result.get_size()),
            GstShapes.buffer_get_shape_set(result))


def run_json(shapes, elements):
    data, _ = run(shapes, elements + ' ! shapejsonenc points=none')
    return json.loads(data)['shapes']


def near(a, b):
    """Equal but for roundings."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) < 1e-9
    return a == b


class Measures(unittest.TestCase):
    def test_pictures_are_the_same(self):
        plain, _ = run(make_set(MEASURES), 'identity')
        for elements, unknown in itertools.product(LINES, (NAN, ZERO)):
            with self.subTest(elements, unknown=unknown[0]):
                known, _ = run(make_set(MEASURES), elements)
                self.assertNotEqual(known, plain)
                self.assertEqual(run(make_set((unknown,) * 3), elements)[0],
                                 known)

    def test_hulls_are_the_same(self):
        for elements in ('cudahull', 'cudahull measures=full replace=true',
                         'cudahull scope=all', 'cudahull scope=per-class'):
            known = [shape for shape in run_json(make_set(MEASURES), elements)
                     if shape['kind'] == 'hull']
            for unknown in (NAN, ZERO):
                found = run_json(make_set((unknown,) * 3), elements)
                found = [s for s in found if s['kind'] == 'hull']
                with self.subTest(elements, unknown=unknown[0]):
                    self.assertTrue(near(found, known), (found, known))
        # the dented contour: its hull has 1600
        self.assertEqual([round(hull['solidity'], 3) for hull in run_json(
            make_set((NAN,) * 3), 'cudahull replace=true')], [1, .75, 1])

    def test_statistics_are_the_same(self):
        known = run_json(make_set(MEASURES), 'shapestats')
        found = run_json(make_set((NAN,) * 3), 'shapestats')
        self.assertEqual([s['statistics'] for s in found],
                         [s['statistics'] for s in known])

    def test_without_measures_and_points(self):
        """There is nothing to be drawn, and it is said why."""
        for elements in ('cudacircles from-contours=equivalent',
                         'shapeoverlay label={area}'):
            warnings = []
            plain, _ = run(make_set(MEASURES), 'identity')
            data, _ = run(make_set((NAN,) * 3, False), elements, warnings)
            with self.subTest(elements):
                self.assertEqual(data, plain)
                self.assertEqual(len(warnings), 1, warnings)
                self.assertIn('measures', warnings[0])

    def test_hulls_of_lines_without_measures(self):
        path = FOLDER / 'unmeasured.jsonl'
        path.write_text(json.dumps({'width': WIDTH, 'height': HEIGHT,
                                    'shapes': [{'kind': 'contour',
                                                'closed': True,
                                                'points': ring}
                                               for ring in RINGS]}) + '\n')
        pipeline = Gst.parse_launch(
            'filesrc location="%s" ! shapejsondec ! cudahull replace=true '
            '! appsink name=out sync=false' % path)
        pipeline.set_state(Gst.State.PLAYING)
        sample = pipeline.get_by_name('out').try_pull_sample(60 * Gst.SECOND)
        shapes = GstShapes.buffer_get_shape_set(sample.get_buffer())
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual([round(hull.solidity, 6) for hull in shapes.hulls()],
                         [1, .75, 1])

    def test_contours_with_measures_none(self):
        """Of cudacontours itself."""
        frames = {}
        for measures in ('none', 'basic'):
            for elements in LINES:
                pipeline = Gst.parse_launch(
                    'videotestsrc num-buffers=1 pattern=smpte ! %s '
                    '! cudacontours level=0.5 measures=%s ! %s '
                    '! appsink name=out sync=false'
                    % (FRAME, measures, elements))
                pipeline.set_state(Gst.State.PLAYING)
                sample = pipeline.get_by_name('out').try_pull_sample(
                    60 * Gst.SECOND)
                buffer = sample.get_buffer()
                frames.setdefault(elements, []).append(
                    buffer.extract_dup(0, buffer.get_size()))
                pipeline.set_state(Gst.State.NULL)
        for elements, (none, basic) in frames.items():
            with self.subTest(elements):
                self.assertEqual(none, basic)

    def test_drawings_have_measures(self):
        _, shapes = run(make_set(MEASURES), 'videoconvert ! fourierdraw '
                        'attach-shapes=true')
        for line in shapes.contours():
            self.assertGreater(line.bbox[2], line.bbox[0])
            self.assertGreater(line.perimeter, 0)
            x, y = line.centroid
            self.assertTrue(line.bbox[0] <= x <= line.bbox[2]
                            and line.bbox[1] <= y <= line.bbox[3])


if __name__ == '__main__':
    unittest.main()
