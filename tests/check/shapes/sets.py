# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of shapes as Python objects: made of polygons, compared, pickled."""

import gc
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import weakref

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

GLib, Gst, GstShapes, np = need('GLib', 'Gst', 'GstShapes', 'numpy')


SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (1, 2), (2, 2), (2, 1)]
LINE = [(0, 0), (3, 4)]


def make_set():
    return GstShapes.ShapeSet.from_polygons(
        [SQUARE, HOLE, LINE], 64, 48, closed=[True, True, False],
        holes=[False, True, False], parents=[None, 0, None],
        class_ids=[1, 1, 2], levels=.5)


class Polygons(unittest.TestCase):
    def test_polygons_are_closed_and_measured(self):
        square, hole, line = make_set().contours()
        self.assertEqual(square.points.tolist(),
                         [list(p) for p in SQUARE + SQUARE[:1]])
        self.assertEqual((square.area, square.perimeter), (16, 16))
        self.assertEqual((square.centroid, square.bbox),
                         ((2, 2), (0, 0, 4, 4)))
        self.assertEqual((square.id, square.parent, square.class_id,
                          square.level), (0, None, 1, .5))
        self.assertEqual((hole.id, hole.parent, hole.hole, hole.area),
                         (1, 0, True, -1))
        self.assertEqual((line.closed, line.perimeter, line.centroid,
                          line.class_id), (False, 5, (1.5, 2), 2))

    def test_measures_are_those_of_cudacontours(self):
        image = np.random.default_rng(1).random((40, 50)).astype('f4')
        for closing in (False, True):
            engine = GstShapes.ShapeEngine.new('cpu', -1)
            view = GstShapes.ShapeImage()
            view.data, view.type = image.ctypes.data, \
                GstShapes.ShapeNumber.F32
            view.width, view.height, view.channels = 50, 40, 1
            view.pixel_stride, view.row_stride = 4, 200
            view.channel_stride = 4
            result = engine.find_contours(
                view, None, [.5], GstShapes.ShapeContoursFlags.MEASURES)
            address, n = result.get_address(GstShapes.ShapeArrayType.POLYLINES)
            want = np.asarray(GstShapes.ShapeArray(
                result, address, (n,), 104, '|V104',
                GstShapes.POLYLINE_DESCR))
            closed = (want['flags'] & 1) != 0
            lines = GstShapes.find_contours(image, .5, as_xy=True)
            if closing:
                lines = [line[:-1] if c else line
                         for line, c in zip(lines, closed)]
            got = np.asarray(GstShapes.ShapeSet.from_polygons(
                lines, closed=closed).polylines(0))
            self.assertGreater(closed.sum(), 20)
            self.assertGreater((~closed).sum(), 5)
            for name in ('area', 'perimeter', 'centroid_x', 'centroid_y',
                         'bbox_x0', 'bbox_y0', 'bbox_x1', 'bbox_y1'):
                # points are rounded to single precision; slivers' centroids
                # are not well defined
                solid = ~closed | (np.abs(want['area']) > .01)
                np.testing.assert_allclose(got[name][solid],
                                           want[name][solid], atol=2e-3,
                                           err_msg=name)

    def test_ids_go_on(self):
        shape_set = make_set()
        shape_set.add_polygons([SQUARE], kind='hull')
        self.assertEqual([h.id for h in shape_set.hulls()], [3])
        self.assertEqual(len(shape_set), 2)

    def test_none_and_single_points_are_possible(self):
        self.assertEqual(len(GstShapes.ShapeSet.from_polygons([])[0]), 0)
        point, = GstShapes.ShapeSet.from_polygons([[(3, 4)]]).contours()
        self.assertEqual((point.centroid, point.bbox, point.area),
                         ((3, 4), (3, 4, 3, 4), 0))

    def test_what_is_wrong_is_named(self):
        make = GstShapes.ShapeSet.from_polygons
        for exception, text, polygons, properties in (
                (ValueError, r'polygon 1 has shape \(3,\)',
                 [SQUARE, [1, 2, 3]], {}),
                (ValueError, 'polygon 0 has shape', [np.zeros((0, 2))], {}),
                (ValueError, 'polygon 0 has a point that is not finite',
                 [[(0, np.nan)]], {}),
                (TypeError, 'polygon 0', [['ab', 'cd']], {}),
                (ValueError, 'holes', [SQUARE], {'holes': [1, 0]}),
                (ValueError, 'parents', [SQUARE], {'parents': []}),
                (ValueError, 'kind', [SQUARE], {'kind': 'blob'})):
            with self.assertRaisesRegex(exception, text):
                make(polygons, **properties)


class Annotations(unittest.TestCase):
    def make(self):
        return GstShapes.ShapeSet.from_polygons(
            [SQUARE, HOLE, LINE], 64, 48, confidences=[.5, None, 1],
            track_ids=[2 ** 40, -1, 0], region_ids=3)

    def test_polylines_have_them(self):
        self.assertEqual(
            [(p.confidence, p.track_id, p.region_id)
             for p in self.make().contours()],
            [(.5, 2 ** 40, 3), (None, None, 3), (1, 0, 3)])
        self.assertEqual(
            [(p.confidence, p.track_id, p.region_id)
             for p in make_set().contours()], 3 * [(None, None, None)])

    def test_arrays_are_in_place(self):
        shape_set = self.make()
        array = np.asarray(shape_set.annotations(0))
        self.assertFalse(array.flags.writeable)
        self.assertEqual(array['confidence'].tolist(), [.5, -1, 1])
        self.assertEqual(array['track_id'].tolist(), [2 ** 40, -1, 0])
        self.assertEqual(array['region_id'].tolist(), [3, 3, 3])
        self.assertEqual(array.__array_interface__['data'][0],
                         shape_set.get_annotations_address(0)[0])
        self.assertEqual(shape_set.get_annotations_bytes(0).get_data(),
                         array.tobytes())
        self.assertIsNone(make_set().annotations(0))

    def test_a_layer_is_annotated_anew(self):
        first = self.make()[0]
        second = first.annotate(track_ids=[7, None, 9])
        records = np.asarray(second.annotations())
        self.assertEqual(records['track_id'].tolist(), [7, -1, 9])
        self.assertEqual(records['confidence'].tolist(), [.5, -1, 1])
        self.assertEqual(np.asarray(first.annotations())['track_id'][2], 0)
        self.assertEqual(
            second.get_address(GstShapes.ShapeArrayType.POINTS),
            first.get_address(GstShapes.ShapeArrayType.POINTS))
        unknown = np.asarray(first.annotate(
            confidences=[np.nan, np.inf, .25]).annotations())
        self.assertEqual(unknown['confidence'].tolist(), [-1, -1, .25])

    def test_they_are_written_and_read(self):
        shape_set = self.make()
        self.assertEqual(pickle.loads(pickle.dumps(shape_set)), shape_set)
        again = GstShapes.ShapeSet.from_json(shape_set.to_json())
        self.assertEqual(again, shape_set)
        self.assertNotEqual(make_set(), shape_set)

    def test_all_formats_have_them(self):
        shape_set = self.make()
        document = json.loads(shape_set.to_coco('a.png'))
        self.assertEqual([image['file_name'] for image in document['images']],
                         ['a.png'])
        self.assertEqual([annotation.get('score')
                          for annotation in document['annotations']],
                         [.5, None])      # a line is no area
        self.assertEqual([annotation['attributes'].get('track_id')
                          for annotation in document['annotations']],
                         [2 ** 40, None])
        collection = json.loads(shape_set.to_geojson())
        self.assertEqual([feature['properties'].get('track-id')
                          for feature in collection['features']],
                         [2 ** 40, None, 0])
        self.assertEqual([row.split(',')[37:40] for row
                          in shape_set.to_csv().splitlines()],
                         [['confidence', 'track_id', 'region_id'],
                          ['0.5', str(2 ** 40), '3'], ['', '', '3'],
                          ['1', '0', '3']])
        self.assertEqual(shape_set.to_svg().count('data-region-id="3"'), 3)

    def test_what_is_wrong_is_named(self):
        layer = self.make()[0]
        for text, arguments in (
                ('confidences', {'confidences': [1]}),
                ('track_ids', {'track_ids': [1, 2, 3, 4]}),
                (r'track_ids\[0\] is 1.5, not an integer', {'track_ids': [1.5, 2, 3]}),
                ('region_ids.*32 bits', {'region_ids': 2 ** 31}),
                ('confidences.*number', {'confidences': 'high'})):
            with self.assertRaisesRegex(ValueError, text):
                layer.annotate(**arguments)
        circles = GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(bytes(24)))
        with self.assertRaisesRegex(ValueError, 'circles'):
            circles.annotate(track_ids=1)


class Objects(unittest.TestCase):
    def test_layers_are_indexed_and_iterated(self):
        shape_set = make_set()
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(bytes(48))))
        self.assertEqual([layer.type for layer in shape_set],
                         ['polylines', 'circles'])
        self.assertEqual([len(layer) for layer in shape_set], [3, 2])
        self.assertEqual(len(shape_set[-1]), 2)
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(bytes(24 * 5))))
        self.assertEqual([len(shape_set[i]) for i in (-3, -2, -1, 0, 1, 2)],
                         [3, 2, 5, 3, 2, 5])
        with self.assertRaises(IndexError):
            shape_set[-4]
        shape_set = make_set()
        shape_set.add_layer(GstShapes.ShapeLayer.new_circles_bytes(
            GLib.Bytes.new(bytes(48))))
        self.assertEqual([p.id for p in shape_set[0]], [0, 1, 2])
        self.assertEqual([c.r for c in shape_set[1]], [0, 0])
        with self.assertRaises(IndexError):
            shape_set[2]
        self.assertEqual(repr(shape_set), '<shapes of 64 x 48 pixels: '
                         '3 polylines, 2 circles>')
        self.assertEqual(repr(shape_set[0]), '<layer of 3 polylines>')
        np.testing.assert_array_equal(np.asarray(shape_set[0].points()),
                                      np.asarray(shape_set.points(0)))
        self.assertIsNone(shape_set[0].moments())
        self.assertIsNone(shape_set[1].points())

    def test_a_layer_outlives_its_set(self):
        points = np.asarray(make_set()[0].points())
        gc.collect()
        self.assertEqual(points[1].tolist(), [4, 0])

    def test_sets_are_equal_if_their_shapes_are(self):
        self.assertEqual(make_set(), make_set())
        self.assertEqual(hash(make_set()), hash(make_set()))
        other = make_set()
        other.add_polygons([LINE])
        self.assertNotEqual(make_set(), other)
        self.assertNotEqual(make_set(), 1)

    def test_sets_are_pickled_also_to_other_processes(self):
        data = pickle.dumps(make_set())
        self.assertEqual(pickle.loads(data), make_set())
        result = subprocess.run(
            [sys.executable, '-c', 'import pickle, sys\n'
             'print(pickle.load(sys.stdin.buffer))'], input=data, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.stderr, b'')
        self.assertEqual(result.stdout.decode().strip(),
                         repr(make_set()))

    def test_a_published_set_cannot_be_changed(self):
        shape_set = make_set()
        buffer = Gst.Buffer.new()
        GstShapes.buffer_add_shape_meta(buffer, shape_set)
        with self.assertRaisesRegex(ValueError, 'derive'):
            shape_set.add_polygons([LINE])
        derived = shape_set.derive()
        derived.add_polygons([LINE])
        self.assertEqual((len(shape_set), len(derived)), (1, 2))
        with self.assertRaises(TypeError):
            derived.add_layer(None)

    def test_a_shared_buffer_cannot_be_changed(self):
        buffer = Gst.Buffer.new()
        holder = Gst.BufferList.new()
        holder.insert(0, buffer)
        with self.assertRaisesRegex(ValueError, 'copy'):
            GstShapes.buffer_add_shape_meta(buffer, make_set())


class Registration(unittest.TestCase):
    """The meta is registered without a set having been made."""

    def run_program(self, program):
        result = subprocess.run(
            [sys.executable, '-c', 'import gi\n'
             'gi.require_version("Gst", "1.0")\n'
             'gi.require_version("GstShapes", "1.0")\n' + program],
            check=True, text=True, stdout=subprocess.PIPE,
            env=dict(os.environ, GST_PLUGIN_PATH='', GST_PLUGIN_PATH_1_0='',
                     GST_REGISTRY_DISABLE='yes'))
        self.assertEqual(result.stdout, 'True\n')

    def test_importing_before_init_registers_at_init(self):
        for init in ('init(None)', 'init_check(None)'):
            self.run_program(
                'from gi.repository import Gst, GstShapes\n'
                'early = GstShapes.shapes_init()\n'
                'Gst.%s\n'
                'print(not early and Gst.Meta.get_info("GstShapeMeta") '
                'is not None)' % init)

    def test_importing_after_init_registers_at_once(self):
        self.run_program(
            'from gi.repository import Gst\n'
            'Gst.init(None)\n'
            'before = Gst.Meta.get_info("GstShapeMeta")\n'
            'from gi.repository import GstShapes\n'
            'print(before is None and '
            'Gst.Meta.get_info("GstShapeMeta") is not None)')

    def test_shapes_of_another_process_arrive(self):
        """unixfdsink serialises metas from GStreamer 1.24 on."""
        if not Gst.ElementFactory.find('unixfdsink'):
            self.skipTest('this GStreamer has no unixfdsink')
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'socket')
            receiver = subprocess.Popen(
                [sys.executable, '-c', RECEIVER, path], text=True,
                stdout=subprocess.PIPE,
                env=dict(os.environ, GST_PLUGIN_PATH='',
                         GST_PLUGIN_PATH_1_0=''))
            sender = Gst.parse_launch(
                'videotestsrc pattern=ball is-live=true '
                '! video/x-raw,format=GRAY8,width=160,height=120 '
                '! cudacontours ! unixfdsink socket-path=%s' % path)
            sender.set_state(Gst.State.PLAYING)
            try:
                found, _ = receiver.communicate(timeout=30)
            finally:
                receiver.kill()
                sender.set_state(Gst.State.NULL)
        self.assertEqual(found, '5\n')


# A process that has the library, but none of its elements.
RECEIVER = """
import os, sys, time
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstShapes", "1.0")
from gi.repository import Gst, GstShapes

Gst.init(None)
while not os.path.exists(sys.argv[1]):
    time.sleep(.05)
pipeline = Gst.parse_launch(
    "unixfdsrc socket-path=%s ! appsink name=out sync=false" % sys.argv[1])
pipeline.set_state(Gst.State.PLAYING)
print(sum(GstShapes.buffer_get_shape_set(
    pipeline.get_by_name("out").emit("pull-sample").get_buffer()) is not None
    for _ in range(5)))
"""


class Buffers(unittest.TestCase):
    def test_an_array_is_not_copied(self):
        array = np.arange(12, dtype='u1').reshape(3, 4)
        buffer = GstShapes.buffer_from_array(array, writable=True)
        self.assertEqual(buffer.get_size(), 12)
        self.assertEqual(buffer.extract_dup(0, 12), array.tobytes())
        array[0, 0] = 77
        self.assertEqual(buffer.extract_dup(0, 1), b'\x4d')
        buffer.fill(1, b'\x63')
        self.assertEqual(array[0, 1], 99)

    def test_what_is_no_array_of_numbers_is_refused(self):
        for wrong in None, 'text', [object()], ['a', 1]:
            with self.assertRaises(TypeError):
                GstShapes.buffer_from_array(wrong)

    def test_the_array_lives_as_long_as_the_buffer(self):
        class Array(np.ndarray):
            pass

        array = np.zeros((3, 4)).view(Array)
        gone = weakref.ref(array)
        buffer = GstShapes.buffer_from_array(array)
        # numpy.asarray() makes a view, whose base is the array's memory
        memory = weakref.ref(array.base) if array.base is not None else gone
        del array
        gc.collect()
        self.assertIsNotNone(memory())
        self.assertEqual(buffer.extract_dup(0, 8), bytes(8))
        del buffer
        gc.collect()
        self.assertIsNone(memory())

    def test_elements_copy_what_they_may_not_write_to(self):
        Gst.init(None)
        array = np.zeros((480, 640), 'u1')
        array[100:200, 100:200] = 255
        before = array.copy()
        pipeline = Gst.parse_launch(
            'appsrc name=in caps=video/x-raw,format=GRAY8,width=640,'
            'height=480,framerate=0/1 ! cudacontours ! shapeoverlay '
            '! appsink name=out sync=false')
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_by_name('in').emit(
            'push-buffer', GstShapes.buffer_from_array(array, format='GRAY8'))
        pipeline.get_by_name('in').emit('end-of-stream')
        sample = pipeline.get_by_name('out').emit('pull-sample')
        contour, = GstShapes.buffer_get_shape_set(
            sample.get_buffer()).contours()
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(contour.bbox, (99.5, 99.5, 199.5, 199.5))
        np.testing.assert_array_equal(array, before)

    def test_a_picture_of_any_width_has_its_strides(self):
        array = np.zeros((31, 33, 3), 'u1')
        array[10:20, 10:20] = 255
        pipeline = Gst.parse_launch(
            'appsrc name=in caps=video/x-raw,format=RGB,width=33,height=31,'
            'framerate=0/1 ! videoconvert ! video/x-raw,format=GRAY8 '
            '! cudacontours ! appsink name=out sync=false')
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_by_name('in').emit(
            'push-buffer', GstShapes.buffer_from_array(array, format='RGB'))
        sample = pipeline.get_by_name('out').emit('try-pull-sample',
                                                  10 * Gst.SECOND)
        pipeline.set_state(Gst.State.NULL)
        contour, = GstShapes.buffer_get_shape_set(
            sample.get_buffer()).contours()
        self.assertEqual(contour.bbox, (9.5, 9.5, 19.5, 19.5))

    def test_what_cannot_be_wrapped_is_an_error(self):
        frozen = np.zeros(4)
        frozen.flags.writeable = False
        for text, array, properties in (
                ('contiguous', np.zeros((4, 4))[:, ::2], {}),
                ('empty', np.zeros(0), {}),
                ('written', frozen, {'writable': True}),
                ('video format', np.zeros((4, 4), 'u1'), {'format': 'GREY'}),
                ('plane', np.zeros((4, 4), 'u1'), {'format': 'I420'}),
                ('bytes', np.zeros((4, 4), 'u2'), {'format': 'GRAY8'}),
                ('rows', np.zeros(4, 'u1'), {'format': 'GRAY8'})):
            with self.assertRaisesRegex(ValueError, text):
                GstShapes.buffer_from_array(array, **properties)


class Conversions(unittest.TestCase):
    def test_opencv_has_whole_pixels_and_no_repeated_point(self):
        square, hole, line = make_set().to_cv()
        self.assertEqual((square.dtype, square.shape), ('int32', (4, 1, 2)))
        self.assertEqual(square[:, 0].tolist(), [list(p) for p in SQUARE])
        self.assertEqual((len(hole), len(line)), (4, 2))
        self.assertEqual(make_set().to_cv('hull'), [])
        with self.assertRaisesRegex(ValueError, 'kind'):
            make_set().to_cv('blob')

    def test_shapes_without_points_cannot_be_converted(self):
        shape_set = GstShapes.ShapeSet.new(8, 8)
        shape_set.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            None, GLib.Bytes.new(bytes(8)), GLib.Bytes.new(bytes(104)), None))
        with self.assertRaisesRegex(ValueError, 'no points'):
            shape_set.to_cv()

    def test_a_library_that_is_missing_is_named(self):
        code = ('import sys, gi\n'
                'for name in sys.argv[1:]:\n'
                '    sys.modules[name] = None\n'
                'gi.require_version("GstShapes", "1.0")\n'
                'from gi.repository import GstShapes\n'
                'shape_set = GstShapes.ShapeSet.from_polygons([])\n'
                'for name in sys.argv[1:]:\n'
                '    try:\n'
                '        getattr(shape_set, "to_" + name)()\n'
                '    except ImportError as error:\n'
                '        print(error)\n')
        names = ['shapely', 'pandas', 'supervision']
        result = subprocess.run([sys.executable, '-c', code] + names,
                                text=True, stdout=subprocess.PIPE, check=True,
                                env=dict(os.environ))
        self.assertEqual(result.stdout.splitlines(), [
            'to_%s() needs %s, which is not installed' % (name, name)
            for name in names])


if __name__ == '__main__':
    unittest.main(verbosity=1)
