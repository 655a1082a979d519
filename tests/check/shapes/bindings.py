# SPDX-License-Identifier: LGPL-2.1-or-later
"""libgstshapes from Python: the arrays, without copies."""

import gc
import json
import math
import os
import struct
import subprocess
import sys
import unittest
import warnings

SKIP = 77

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstShapes', '1.0')
    from gi.repository import GLib, Gst, GstShapes
except (ImportError, ValueError) as missing:
    print('skipped:', missing)
    sys.exit(SKIP)

BLOCK_NUMPY = os.environ.get('SHAPES_TEST_WITHOUT_NUMPY')
if BLOCK_NUMPY:
    np = None
else:
    try:
        import numpy as np
    except ImportError:
        print('skipped: numpy is not installed')
        sys.exit(SKIP)

warnings.simplefilter('error')
Gst.init(None)

POINTS = [(0, 0), (4, 0), (0, 3), (0, 0), (1.5, 2), (8, -.25)]
POLYLINE = struct.Struct('=6i10d')


def polylines_layer(first_id=0, kinds=(0, 0)):
    triangle = POLYLINE.pack(first_id, -1, 2, 0, kinds[0], 1, .5, 6, 12,
                             4 / 3, 1, 0, 0, 4, 3, 0)
    line = POLYLINE.pack(first_id + 1, first_id, 2, 0, kinds[1], 2, .5, -.125,
                         6.875, 4.75, .875, 1.5, -.25, 8, 2, .25)
    return GstShapes.ShapeLayer.new_polylines_bytes(
        GLib.Bytes.new(b''.join(struct.pack('=2f', *p) for p in POINTS)),
        GLib.Bytes.new(struct.pack('=3I', 0, 4, 6)),
        GLib.Bytes.new(triangle + line),
        GLib.Bytes.new(struct.pack('=20d', *range(20))))


def circles_layer():
    return GstShapes.ShapeLayer.new_circles_bytes(GLib.Bytes.new(
        struct.pack('=4fIi', 1, 2, 3.5, 0, 0x11223344, -1)
        + struct.pack('=4fIi', .5, -2, 0, 1, 0xff0000ff, 1)))


def make_set():
    shape_set = GstShapes.ShapeSet.new(640, 480)
    shape_set.add_layer(polylines_layer())
    shape_set.add_layer(circles_layer())
    return shape_set


class Sets(unittest.TestCase):
    def test_a_set_is_made_and_asked_for_its_size(self):
        for shape_set in (GstShapes.ShapeSet.new(640, 480),
                          GstShapes.ShapeSet(640, 480),
                          GstShapes.ShapeSet(width=640, height=480)):
            self.assertIsInstance(shape_set, GstShapes.ShapeSet)
            self.assertEqual(shape_set.get_width(), 640)
            self.assertEqual(shape_set.get_height(), 480)
            self.assertEqual(len(shape_set), 0)
            self.assertTrue(shape_set)
            self.assertEqual(list(shape_set.contours()), [])

    def test_layers_are_added_and_derived(self):
        shape_set = make_set()
        self.assertEqual(len(shape_set), 2)
        self.assertEqual(shape_set.get_next_id(), 2)
        self.assertEqual(shape_set.get_layer_type(1),
                         GstShapes.ShapeLayerType.CIRCLES)
        derived = shape_set.derive()
        derived.add_layer(polylines_layer(derived.get_next_id(), (1, 1)))
        self.assertEqual((len(shape_set), len(derived)), (2, 3))
        self.assertEqual([p.id for p in derived.contours()], [0, 1])
        self.assertEqual([p.id for p in derived.hulls()], [2, 3])

    def test_bytes_that_are_no_layer_raise_an_error(self):
        with self.assertRaises(GLib.Error) as caught:
            GstShapes.ShapeLayer.new_polylines_bytes(
                None, GLib.Bytes.new(bytes(4)), GLib.Bytes.new(bytes(104)),
                None)
        self.assertIn('need 2 offsets', caught.exception.message)

    def test_serialised_sets_read_back(self):
        data = make_set().serialize().get_data()
        copy = GstShapes.ShapeSet.deserialize(data)
        self.assertEqual(copy.serialize().get_data(), data)
        with self.assertRaises(GLib.Error):
            GstShapes.ShapeSet.deserialize(data[:-1])

    def test_rescaled_sets_keep_pixel_borders(self):
        contour = next(make_set().rescale(1280, 960).contours())
        self.assertEqual(contour.bbox, (.5, .5, 8.5, 6.5))
        self.assertEqual(contour.area, 24)


class Buffers(unittest.TestCase):
    def test_a_buffer_gives_its_shapes(self):
        buffer = Gst.Buffer.new()
        self.assertIsNone(GstShapes.buffer_get_shape_set(buffer))
        GstShapes.buffer_add_shape_meta(buffer, make_set())
        shape_set = GstShapes.buffer_get_shape_set(buffer)
        self.assertIsInstance(shape_set, GstShapes.ShapeSet)
        self.assertEqual([c.id for c in shape_set.contours()], [0, 1])

    def test_a_set_outlives_its_buffer(self):
        buffer = Gst.Buffer.new()
        GstShapes.buffer_add_shape_meta(buffer, make_set())
        shape_set = GstShapes.buffer_get_shape_set(buffer)
        del buffer
        gc.collect()
        self.assertEqual(next(shape_set.contours()).area, 6)

    def test_shapes_arrive_at_a_probe(self):
        pipeline = Gst.parse_launch(
            'videotestsrc num-buffers=2 ! videoconvert ! identity name=add ! '
            'queue ! videoscale ! video/x-raw,width=64,height=48 ! '
            'fakesink name=sink')
        found = []

        def add(_pad, info):
            # Python's wrapper is a reference more, so the buffer cannot be
            # changed; a copy, which shares the memory, can.
            buffer = info.get_buffer().copy_region(Gst.BUFFER_COPY_ALL, 0,
                                                   2 ** 64 - 1)
            GstShapes.buffer_add_shape_meta(buffer, make_set())
            pipeline.get_by_name('add').get_static_pad('src').push(buffer)
            return Gst.PadProbeReturn.DROP

        def read(_pad, info):
            shape_set = GstShapes.buffer_get_shape_set(info.get_buffer())
            found.append(shape_set and [c.area for c in shape_set.contours()])
            return Gst.PadProbeReturn.OK

        pipeline.get_by_name('add').get_static_pad('sink').add_probe(
            Gst.PadProbeType.BUFFER, add)
        pipeline.get_by_name('sink').get_static_pad('sink').add_probe(
            Gst.PadProbeType.BUFFER, read)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(message.type, Gst.MessageType.EOS)
        self.assertEqual(found, [[6, -.125]] * 2)


class Shapes(unittest.TestCase):
    def test_contours_have_names_for_everything(self):
        triangle, line = make_set().contours()
        self.assertEqual((triangle.id, triangle.parent, triangle.class_id,
                          triangle.image), (0, None, 2, 0))
        self.assertEqual((triangle.kind, triangle.closed, triangle.hole),
                         ('contour', True, False))
        self.assertEqual((line.parent, line.closed, line.hole),
                         (0, False, True))
        self.assertEqual((line.level, line.area, line.perimeter,
                          line.solidity), (.5, -.125, 6.875, .25))
        self.assertEqual(line.centroid, (4.75, .875))
        self.assertEqual(line.bbox, (1.5, -.25, 8, 2))
        self.assertIn('contour 0 of 4 points', repr(triangle))

    def test_contours_have_rows_of_points(self):
        self.assertEqual([[tuple(p) for p in c.points.tolist()]
                          for c in make_set().contours()],
                         [POINTS[:4], POINTS[4:]])

    def test_contours_without_points_have_none(self):
        shape_set = GstShapes.ShapeSet.new(8, 8)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            None, GLib.Bytes.new(struct.pack('=2I', 0, 5)),
            GLib.Bytes.new(bytes(104)), None))
        contour, = shape_set.contours()
        self.assertIsNone(contour.points)
        self.assertIsNone(shape_set.points(0))
        self.assertIsNone(shape_set.moments(0))
        self.assertIsNone(contour.features)

    def test_circles_are_iterated(self):
        first, second = make_set().iter_circles()
        self.assertEqual((first.x, first.y, first.r, first.z), (1, 2, 3.5, 0))
        self.assertEqual((first.rgba, first.parent), (0x11223344, None))
        self.assertEqual((second.rgba, second.parent), (0xff0000ff, 1))

    def test_a_layer_that_is_not_there_has_no_arrays(self):
        shape_set = make_set()
        for read in (shape_set.points, shape_set.offsets, shape_set.polylines,
                     shape_set.moments, shape_set.circles):
            self.assertIsNone(read(2))
        self.assertIsNone(shape_set.circles(0))
        self.assertIsNone(shape_set.points(1))

    def test_memoryviews_are_read_only_and_outlive_the_set(self):
        shape_set = make_set()
        array = shape_set.points(0)
        self.assertEqual(len(array), 6)
        view = array.memoryview()
        del shape_set, array
        gc.collect()
        self.assertTrue(view.readonly)
        self.assertEqual(view.nbytes, 48)
        self.assertEqual(struct.unpack_from('=2f', view, 8), POINTS[1])
        with self.assertRaises(TypeError):
            view[0] = 1

    def test_empty_layers_have_empty_arrays(self):
        shape_set = GstShapes.ShapeSet.new(8, 8)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            GLib.Bytes.new(b''), GLib.Bytes.new(bytes(4)), GLib.Bytes.new(b''),
            None))
        self.assertEqual(list(shape_set.contours()), [])
        self.assertEqual(len(shape_set.points(0)), 0)
        self.assertEqual(shape_set.points(0).memoryview().nbytes, 0)
        self.assertEqual(len(shape_set.offsets(0)), 1)


class Hulls(unittest.TestCase):
    def make_set(self):
        record = struct.pack('<6i10d', 3, -1, 0, 0, 1, 1, 0, 6, 12, 2, 1, 0, 0,
                             4, 3, .75)
        measures = struct.pack('<15d', 5, -.6, .8, 2.4, .8, .6, 2, 1.5, -.6,
                               -.8, 3, 4, 2, 1.5, 2.5)
        return GstShapes.ShapeSet.deserialize(
            b'GSHS' + struct.pack('<4I', 1, 8, 8, 1)
            + struct.pack('<4I', 0, 4, 1, 0) + record + measures
            + struct.pack('<2I', 0, 0))

    def test_measures_are_those_of_the_hull(self):
        hull = next(self.make_set().hulls())
        self.assertEqual(hull.solidity, .75)
        measures = hull.hull_measures
        self.assertEqual(measures.feret, (2.4, 5))
        self.assertEqual(measures.feret_directions, ((.8, .6), (-.6, .8)))
        self.assertEqual(measures.rect[:2], ((2, 1.5), (3, 4)))
        self.assertAlmostEqual(measures.rect[2], 53.13010235415598)
        self.assertEqual(measures.circle, ((2, 1.5), 2.5))

    def test_there_may_be_none(self):
        shape_set = make_set()
        self.assertIsNone(shape_set.hull_measures(0))
        self.assertIsNone(next(shape_set.contours()).hull_measures)

    @unittest.skipIf(np is None, 'numpy is not there')
    def test_they_are_an_array_in_place(self):
        shape_set = self.make_set()
        array = np.asarray(shape_set.hull_measures(0))
        self.assertEqual(array['feret_max'][0], 5)
        self.assertEqual(array['circle_r'][0], 2.5)
        self.assertEqual(array.ctypes.data,
                         shape_set.get_hull_measures_address(0)[0])


@unittest.skipIf(np is None, 'numpy is not there')
class Arrays(unittest.TestCase):
    def test_points_are_the_memory_of_the_set(self):
        shape_set = make_set()
        points = np.asarray(shape_set.points(0))
        address, n = shape_set.get_points_address(0)
        self.assertEqual(points.ctypes.data, address)
        self.assertEqual((points.shape, points.dtype), ((n, 2), np.float32))
        np.testing.assert_array_equal(points, POINTS)
        for contour in shape_set.contours():
            self.assertTrue(np.shares_memory(contour.points, points))

    def test_arrays_cannot_be_written(self):
        shape_set = make_set()
        for array in (shape_set.points(0), shape_set.offsets(0),
                      shape_set.polylines(0), shape_set.moments(0),
                      shape_set.circles(1)):
            array = np.asarray(array)
            self.assertFalse(array.flags.writeable)
            with self.assertRaises(ValueError):
                array[0] = 0
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_arrays_outlive_the_set(self):
        shape_set = make_set()
        points = np.asarray(shape_set.points(0))
        row = next(shape_set.contours()).points[1]
        del shape_set
        gc.collect()
        # Reuse the memory, if it was freed.
        _others = [make_set() for _ in range(100)]
        np.testing.assert_array_equal(points, POINTS)
        np.testing.assert_array_equal(row, POINTS[1])

    def test_records_have_columns(self):
        shape_set = make_set()
        polylines = np.asarray(shape_set.polylines(0))
        self.assertEqual(polylines.dtype.itemsize, 104)
        self.assertEqual(polylines['area'].tolist(), [6, -.125])
        self.assertEqual(polylines['bbox_x1'].tolist(), [4, 8])
        self.assertEqual(polylines['parent'].tolist(), [-1, 0])
        circles = np.asarray(shape_set.circles(1))
        self.assertEqual(circles.dtype.itemsize, 24)
        self.assertEqual(circles['rgba'].tolist(), [0x11223344, 0xff0000ff])
        np.testing.assert_array_equal(np.asarray(shape_set.moments(0)),
                                      np.arange(20.).reshape(2, 10))
        self.assertEqual(np.asarray(shape_set.offsets(0)).tolist(), [0, 4, 6])

    def test_bytes_are_the_same_arrays(self):
        shape_set = make_set()
        for name in ('points', 'offsets', 'polylines', 'moments'):
            data = getattr(shape_set, 'get_%s_bytes' % name)(0).get_data()
            array = getattr(shape_set, name)(0)
            self.assertEqual(data, np.asarray(array).tobytes())
            self.assertEqual(data, bytes(array.memoryview()))
        self.assertIsNone(shape_set.get_points_bytes(9))

    def test_empty_arrays_are_arrays(self):
        shape_set = GstShapes.ShapeSet.new(8, 8)
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(b'')))
        self.assertEqual(np.asarray(shape_set.circles(0)).shape, (0,))

    def test_a_million_points_are_not_copied(self):
        n = 1000000
        given = np.random.default_rng(1).random((n, 2), np.float32)
        record = np.zeros(1, np.dtype(GstShapes.POLYLINE_DESCR))
        shape_set = GstShapes.ShapeSet.new(8, 8)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            GLib.Bytes.new(given.tobytes()),
            GLib.Bytes.new(struct.pack('=2I', 0, n)),
            GLib.Bytes.new(record.tobytes()), None))
        first = np.asarray(shape_set.points(0))
        second = np.asarray(shape_set.points(0))
        self.assertEqual(first.ctypes.data, second.ctypes.data)
        self.assertTrue(np.shares_memory(first, second))
        np.testing.assert_array_equal(first, given)

    def test_json_reads_back_exactly(self):
        rng = np.random.default_rng(2)
        n_shapes, n = 200, 20000
        points = (rng.random((n, 2)) * [1920, 1080]).astype(np.float32)
        points[::7] = np.round(points[::7] * 2) / 2
        points[::11] *= np.float32(1e-7)
        offsets = np.linspace(0, n, n_shapes + 1).astype(np.uint32)
        records = np.zeros(n_shapes, np.dtype(GstShapes.POLYLINE_DESCR))
        records['id'] = np.arange(n_shapes)
        records['parent'] = -1
        for name in ('level', 'area', 'perimeter', 'centroid_x', 'bbox_y1'):
            records[name] = rng.standard_normal(n_shapes) * 10. ** rng.integers(
                -9, 9, n_shapes)
        shape_set = GstShapes.ShapeSet.new(1920, 1080)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            *(GLib.Bytes.new(a.tobytes()) for a in (points, offsets, records)),
            None))

        frame = json.loads(shape_set.to_json())
        self.assertEqual(list(frame), ['version', 'frame', 'pts', 'offset', 'width',
                                       'height', 'shapes'])
        self.assertEqual((frame['width'], frame['height']), (1920, 1080))
        shapes = frame['shapes']
        self.assertEqual(list(shapes[0]), [
            'id', 'kind', 'class', 'level', 'closed', 'hole', 'parent', 'area',
            'perimeter', 'centroid', 'bbox', 'points'])
        for name in ('level', 'area', 'perimeter'):
            self.assertEqual([s[name] for s in shapes],
                             records[name].tolist())
        self.assertEqual([s['centroid'][0] for s in shapes],
                         records['centroid_x'].tolist())
        self.assertEqual([s['bbox'][3] for s in shapes],
                         records['bbox_y1'].tolist())
        np.testing.assert_array_equal(
            np.array([p for s in shapes for p in s['points']], np.float32),
            points)

    def test_json_reads_back_whatever_the_bits(self):
        """Every field of both kinds of shapes: random bits, by Python's own
        parser; what is no number is null."""
        rng = np.random.default_rng(4)
        n = 300
        records = np.frombuffer(
            rng.bytes(n * np.dtype(GstShapes.POLYLINE_DESCR).itemsize),
            GstShapes.POLYLINE_DESCR).copy()
        records['kind'] = rng.integers(0, 2, n)
        records['image'] = rng.integers(0, 2**31, n)
        points = np.frombuffer(rng.bytes(16 * n), np.float32).reshape(-1, 2)
        circles = np.frombuffer(
            rng.bytes(24 * n), [(c, 'f4') for c in 'xyrz'] +
            [('rgba', 'u4'), ('parent', 'i4')])
        shape_set = GstShapes.ShapeSet.new(1920, 1080)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            GLib.Bytes.new(points.tobytes()),
            GLib.Bytes.new(np.arange(0, 2 * n + 1, 2, np.uint32).tobytes()),
            GLib.Bytes.new(records.tobytes()), None))
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(circles.tobytes())))

        def number(value):
            return float(value) if np.isfinite(value) else None

        def numbers(*values):
            values = [number(value) for value in values]
            return None if None in values else values

        def single(value):
            return value if value is None else float(np.float32(value))

        def parent(value):
            return int(value) if value >= 0 else None

        shapes = json.loads(shape_set.to_json())['shapes']
        self.assertEqual(len(shapes), 2 * n)
        for i, (shape, r) in enumerate(zip(shapes, records)):
            want = {
                'id': int(r['id']),
                'kind': 'hull' if r['kind'] else 'contour',
                'class': int(r['class_id']), 'image': int(r['image']),
                'level': number(r['level']), 'closed': bool(r['flags'] & 1),
                'hole': bool(r['flags'] & 2), 'parent': parent(r['parent']),
                'area': number(r['area']),
                'perimeter': number(r['perimeter']),
                'centroid': numbers(r['centroid_x'], r['centroid_y']),
                'bbox': numbers(*(r['bbox_' + side]
                                  for side in ('x0', 'y0', 'x1', 'y1')))}
            if r['kind']:
                want['solidity'] = number(r['solidity'])
            got = dict(shape)
            at = [[single(v) for v in p] for p in got.pop('points')]
            self.assertEqual(got, want)
            ring = [[number(v) for v in p] for p in points[2 * i:2 * i + 2]]
            if r['flags'] & 1 and ring[0] != ring[1]:
                ring.append(ring[0])
            self.assertEqual(at, ring)
        for shape, c in zip(shapes[n:], circles):
            self.assertEqual(
                {k: single(v) if k in 'xyrz' else v for k, v in shape.items()},
                {'kind': 'circle', 'color': f"#{int(c['rgba']):08x}",
                 'parent': parent(c['parent']),
                 **{k: number(c[k]) for k in 'xyrz'}})

    def test_features_are_those_of_regionprops(self):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                from skimage.measure import regionprops
        except ImportError:
            self.skipTest('scikit-image is not installed')
        rng = np.random.default_rng(3)
        for _ in range(20):
            h, w = rng.integers(3, 30, 2)
            mask = rng.random((h, w)) < .3 + np.hypot(*np.ogrid[:h, :w]) / h
            y, x = np.nonzero(mask)
            # About the first point, as a producer takes them.
            dx, dy = x - float(x[0]), y - float(y[0])
            moments = np.array([
                len(x), dx.sum(), dy.sum(), (dx * dx).sum(), (dx * dy).sum(),
                (dy * dy).sum(), (dx ** 3).sum(), (dx * dx * dy).sum(),
                (dx * dy * dy).sum(), (dy ** 3).sum()])
            shape_set = GstShapes.ShapeSet.new(30, 30)
            shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
                None, GLib.Bytes.new(bytes(8)), GLib.Bytes.new(bytes(104)),
                GLib.Bytes.new(moments.tobytes())))
            features = next(shape_set.contours()).features
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                region, = regionprops(mask.astype(np.uint8))
                expected = (region.equivalent_diameter_area,
                            region.eccentricity, region.orientation,
                            region.axis_major_length, region.axis_minor_length)
            for got, want in zip(
                    (features.equivalent_diameter, features.eccentricity,
                     features.orientation, features.major_axis_length,
                     features.minor_axis_length), expected):
                self.assertTrue(math.isclose(got, want, rel_tol=1e-9,
                                             abs_tol=1e-9), (got, want))


@unittest.skipIf(BLOCK_NUMPY, 'this is the run without numpy')
class WithoutNumpy(unittest.TestCase):
    def test_everything_else_works_without_numpy(self):
        code = ('import runpy, sys\n'
                'sys.modules["numpy"] = None\n'
                'sys.argv = [%r]\n'
                'runpy.run_path(sys.argv[0], run_name="__main__")\n'
                % os.path.abspath(__file__))
        result = subprocess.run(
            [sys.executable, '-c', code], text=True, stderr=subprocess.PIPE,
            env=dict(os.environ, SHAPES_TEST_WITHOUT_NUMPY='1'), check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=1)
