# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors of networks through shapetensordec: the objects, boxes and masks that the networks' own packages make of
them, which tests/conformance/data/networks has."""

import os
import sys
import unittest

sys.path += [sys.path[0] + '/../lib', sys.path[0] + '/../../conformance/networks']
from needed import need  # noqa: E402

Gst, GstShapes, np = need('Gst', 'GstShapes', 'numpy')
import store  # noqa: E402

DATA = os.path.join(sys.path[0], '..', '..', 'conformance', 'data', 'networks')
HOLE = 2


def load(name):
    return store.load(os.path.join(DATA, name + '.npz'))


def caps_of(tensors):
    return 'other/tensors,format=static,num_tensors=%d,types="%s",dimensions="%s",framerate=0/1' % (
        len(tensors), ','.join(t.dtype.name for t in tensors),
        ','.join(':'.join(str(n) for n in reversed(t.shape)) for t in tensors))


def buffer_of(tensors, one_memory=False):
    if one_memory:
        return Gst.Buffer.new_wrapped(b''.join(np.ascontiguousarray(t).tobytes() for t in tensors))
    buffer = Gst.Buffer.new()
    for tensor in tensors:
        if tensor.size > 0:
            buffer = buffer.append(Gst.Buffer.new_wrapped(np.ascontiguousarray(tensor).tobytes()))
    return buffer


def decode(tensors, one_memory=False, caps=None, **settings):
    """The set of shapes, or what the error says."""
    text = ' '.join('%s=%s' % (k.replace('_', '-'), str(v).lower() if isinstance(v, bool) else v)
                    for k, v in settings.items())
    pipeline = Gst.parse_launch('appsrc name=in format=time ! shapetensordec backend=cpu %s ! appsink name=out sync=false wait-on-eos=false'
                                % text)
    appsrc, appsink = (pipeline.get_by_name(n) for n in ('in', 'out'))
    appsrc.set_property('caps', Gst.Caps.from_string(caps or caps_of(tensors)))
    pipeline.set_state(Gst.State.PLAYING)
    appsrc.emit('push-buffer', buffer_of(tensors, one_memory))
    appsrc.emit('end-of-stream')
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS |
                                                    Gst.MessageType.WARNING)
    sample = appsink.emit('try-pull-sample', 0)
    found = sample and GstShapes.buffer_get_shape_set(sample.get_buffer())
    if message.type != Gst.MessageType.EOS:
        parsed = message.parse_error() if message.type == Gst.MessageType.ERROR else message.parse_warning()
        found = ' '.join(str(part) for part in parsed)
    pipeline.set_state(Gst.State.NULL)
    return found


def fill(rings, shape):
    """The pixels whose centres are inside of rings, by the even-odd rule."""
    height, width = shape
    flips = np.zeros((height, width + 1), int)
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring[:-1], ring[1:]):
            low, high = min(y0, y1), max(y0, y1)
            for y in range(max(int(np.ceil(low)), 0), min(int(np.ceil(high)), height)):
                x = x0 + (y - y0) / (y1 - y0) * (x1 - x0)
                flips[y, min(max(int(np.ceil(x)), 0), width)] += 1
    return np.cumsum(flips, 1)[:, :width] % 2 == 1


def layer_of(found, index):
    """(points, record, annotation) of each polyline of a layer."""
    if found.get_layer(index).get_n_shapes() == 0:
        return []
    points = np.asarray(found.points(index), float)
    offsets = np.asarray(found.offsets(index))
    return [(points[a:b], record, note) for a, b, record, note in
            zip(offsets[:-1], offsets[1:], np.asarray(found.polylines(index)), np.asarray(found.annotations(index)))]


class Networks(unittest.TestCase):
    def check_mask(self, rings, mask):
        got = fill(rings, mask.shape)
        wrong = got != mask
        # pixels whose centre the exact outline goes through, in single precision
        self.assertLessEqual(wrong.sum(), 2 + 2e-4 * mask.size)
        edge = np.zeros(mask.shape, bool)
        padded = np.pad(mask, 1, mode='edge')
        for dy, dx in ((0, 1), (2, 1), (1, 0), (1, 2)):
            edge |= padded[dy:dy + mask.shape[0], dx:dx + mask.shape[1]] != mask
        self.assertFalse((wrong & ~edge & ~self.alone(mask)).any())

    @staticmethod
    def alone(mask):
        """Everything, for masks that are nearly empty."""
        return np.full(mask.shape, mask.sum() < 4)

    def check(self, found, boxes, scores, classes, masks, drops_empty=False):
        self.assertNotIsInstance(found, str)
        height, width = masks.shape[1:]
        self.assertEqual((found.get_width(), found.get_height()), (width, height))
        self.assertEqual(found.get_n_layers(), 2)
        outlines, box_layer = (layer_of(found, i) for i in range(2))
        if drops_empty:               # whose mask has no pixel; its box is a shape all the same
            seen = {note['region_id'] for _, _, note in outlines if fill(
                [points for points, _, other in outlines if other['region_id'] == note['region_id']],
                masks.shape[1:]).any()}
            number = {old: new for new, old in enumerate(sorted(seen))}
            outlines = [(p, r, dict(region_id=number[n['region_id']])) for p, r, n in outlines if n['region_id'] in seen]
            box_layer = [box for i, box in enumerate(box_layer) if i in seen]
        self.assertEqual(len(box_layer), len(scores))
        for i, (points, record, note) in enumerate(box_layer):
            wanted = np.asarray(boxes[i], float) - .5
            np.testing.assert_allclose(points[0], wanted[:2], rtol=1e-5, atol=2e-4)
            np.testing.assert_allclose(points[2], wanted[2:], rtol=1e-5, atol=2e-4)
            self.assertEqual(record['class_id'], classes[i])
            self.assertAlmostEqual(float(note['confidence']), min(max(float(scores[i]), 0), 1), places=6)
            self.assertEqual(note['region_id'], -1)
        rings = [[] for _ in scores]
        for points, record, note in outlines:
            i = note['region_id']
            rings[i].append(points)
            self.assertEqual(record['class_id'], classes[i])
            self.assertEqual(record['image'], 0)
            self.assertEqual(record['area'] < 0, bool(record['flags'] & HOLE))
        for i, mask in enumerate(masks):
            self.check_mask(rings[i], mask)
        return len(outlines)

    def yolo(self, name):
        header, tensors, pairs = load(name)
        n = 0
        for case, result in pairs:
            if not case['native']:
                continue
            with self.subTest(network=name, **case):
                height, width = case['picture']
                found = decode(list(tensors.values()), outline_tolerance=.0001, boxes=True, width=width, height=height,
                               score=case['conf'], iou=case['iou'], max_objects=case['max_det'],
                               class_agnostic=case['agnostic'], one_memory=n % 2 == 1)
                n += self.check(found, result['boxes'], result['scores'], result['classes'], result['masks'], True)
        self.assertGreater(n, 20)

    def test_yolov8(self):
        self.yolo('yolov8n-seg')

    def test_yolo11(self):
        self.yolo('yolo11n-seg')

    def test_yolo26(self):
        self.yolo('yolo26n-seg-end2end')

    def test_suppression(self):
        header, tensors, pairs = load('nms')
        size = 400
        prototypes = np.zeros((1, header['masks'], size, size), np.float32)
        for case, result in pairs:
            with self.subTest(**case):
                found = decode([tensors['output0'], prototypes], boxes=True, score=case['conf'], iou=case['iou'],
                               max_objects=case['max_det'], class_agnostic=case['agnostic'])
                boxes = layer_of(found, 1)
                self.assertEqual(len(boxes), len(result['kept']))
                wanted = np.clip(result['boxes'], 0, 4 * size) - .5
                for i, (points, record, note) in enumerate(boxes):
                    np.testing.assert_array_equal(points[0].astype('f4'), wanted[i, :2].astype('f4'))
                    np.testing.assert_array_equal(points[2].astype('f4'), wanted[i, 2:].astype('f4'))
                    self.assertEqual(record['class_id'], result['classes'][i])

    def test_rf_detr(self):
        header, tensors, pairs = load('rfdetr-seg')
        for case, result in pairs:
            with self.subTest(**case):
                height, width = case['picture']
                given = dict(tensors)
                if case['rounded']:
                    given['labels'] = np.round(given['labels'] * 2) / 2
                found = decode(list(given.values()), outline_tolerance=.0001, boxes=True, width=width, height=height,
                               score=case['threshold'], max_objects=case['num_select'])
                self.check(found, result['boxes'], result['scores'], result['classes'], result['masks'])

    def mask_rcnn(self, model, kind):
        header, tensors, pairs = load('maskrcnn')
        for case, result in pairs:
            with self.subTest(kind=kind, **case):
                (height, width), (input_height, input_width) = case['picture'], case['input']
                found = decode(list(tensors.values()), model=model, outline_tolerance=.0001, boxes=True, width=width,
                               height=height, input_width=input_width, input_height=input_height,
                               score=case['threshold'])
                self.check(found, result['boxes'], result['scores'], result['classes'], result[kind])

    def test_mask_rcnn(self):
        self.mask_rcnn('auto', 'sampled')

    def test_mask_rcnn_torchvision(self):
        self.mask_rcnn('mask-rcnn-torchvision', 'masks')

    def test_sam(self):
        for name in ('sam', 'sam-small'):
            header, tensors, pairs = load(name)
            iou = tensors['iou_predictions'].astype('f4')
            best = iou.argmax(1)
            order = sorted(range(len(iou)), key=lambda i: -iou[i, best[i]])
            for case, result in pairs:
                with self.subTest(network=name, **case):
                    height, width = case['picture']
                    found = decode(list(tensors.values()), outline_tolerance=.0001, boxes=True, width=width, height=height,
                                   score=0)
                    self.check(found, [[0, 0, width, height]] * len(iou), [iou[i, best[i]] for i in order],
                               [0] * len(iou), np.stack([result['masks'][i, best[i]] for i in order]))


class Mistakes(unittest.TestCase):
    def test_unknown(self):
        text = decode([np.zeros((3, 5), np.float32), np.zeros((7,), np.int32)])
        self.assertIn('float32 [3, 5], int32 [7]', text)
        self.assertIn('prototypes [k, h, w]', text)

    def test_other_model(self):
        _, tensors, _ = load('rfdetr-seg')
        text = decode(list(tensors.values()), model='yolo', width=9, height=9)
        self.assertIn('not those of the network', text)

    def test_no_size(self):
        _, tensors, _ = load('rfdetr-seg')
        self.assertIn('set width and height', decode(list(tensors.values())))

    def test_short(self):
        _, tensors, _ = load('yolov8n-seg')
        given = list(tensors.values())
        text = decode([given[0], given[1][:, :, :5]], caps=caps_of(given))
        self.assertIn('bytes', text)

    def test_surplus(self):
        _, tensors, _ = load('yolov8n-seg')
        given = list(tensors.values())
        caps = caps_of(given)
        for one_memory in (False, True):
            text = decode([np.concatenate([t, t]) for t in given], caps=caps, one_memory=one_memory)
            self.assertIn('the caps\' tensors', text)
        self.assertIn('num_tensors=3', decode(given, caps=caps.replace('num_tensors=2', 'num_tensors=3')))

    def test_half_a_size(self):
        _, tensors, _ = load('yolov8n-seg')
        self.assertIn('set both', decode(list(tensors.values()), width=200))

    def test_kinds(self):
        """Boxes beside masks and logits are no YOLO's, whatever the number of classes."""
        rng = np.random.default_rng(5)
        masks = rng.normal(size=(10, 8, 8)).astype('f4')
        boxes = np.tile(np.float32([.5, .5, .4, .4]), (10, 1))
        for classes in (3, 16):
            logits = np.full((10, classes), -9, np.float32)
            logits[2, 1] = 3
            found = decode([boxes, logits, masks], width=80, height=80, boxes=True)
            self.assertEqual([r['class_id'] for _, r, _ in layer_of(found, 1)], [1])

    def test_two_decoders(self):
        """Regions of the second go on after those of the first."""
        _, tensors, _ = load('yolov8n-seg')
        found = decode(list(tensors.values()), width='200 height=100 ! shapetensordec width=200', height=100)
        regions = [[note['region_id'] for _, _, note in layer_of(found, i)] for i in range(2)]
        self.assertTrue(regions[0] and min(regions[1]) == max(regions[0]) + 1)

    def test_caps(self):
        given = [np.zeros((3, 5), np.float32)]
        for caps, said in (('other/tensors,format=flexible', 'format=static'),
                           ('other/tensors,format=static,num_tensors=1,types=(string)int4,dimensions=(string)5:3', 'int4'),
                           ('other/tensors,format=static,num_tensors=1,types=(string)float32,dimensions=(string)5:x', '5:x'),
                           ('other/tensors,format=static,num_tensors=1,types=(string)float32,dimensions=(string)"5,3"', 'as many')):
            self.assertIn(said, decode(given, caps=caps))

    def test_numbers(self):
        """Boxes, scores and masks of NaN and infinity are no objects, or objects without outlines."""
        _, tensors, _ = load('yolov8n-seg')
        rng = np.random.default_rng(3)
        for _ in range(30):
            given = [t.copy() for t in tensors.values()]
            for t in given:
                at = rng.random(t.shape) < rng.choice([.01, .5])
                t[at] = rng.choice([np.nan, np.inf, -np.inf, 3e38, -3e38], at.sum())
            found = decode(given, boxes=True, measures='full', width=200, height=100)
            self.assertNotIsInstance(found, str)
            for points, _, _ in layer_of(found, 0) + layer_of(found, 1):
                self.assertTrue(np.isfinite(points).all())

    def test_no_objects(self):
        empty = [np.zeros((0, 4), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32),
                 np.zeros((0, 1, 28, 28), np.float32)]
        found = decode(empty, width=50, height=40, boxes=True)
        self.assertEqual([found.get_layer(i).get_n_shapes() for i in range(2)], [0, 0])

    def test_labels(self):
        import tempfile
        _, tensors, _ = load('yolov8n-seg')
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
            file.write('disc\nstar\nring\n')
            file.flush()
            found = decode(list(tensors.values()), labels_location=file.name)
            names = {found.get_layer(0).get_class_name(r['class_id']) for _, r, _ in layer_of(found, 0)}
        self.assertTrue(names and names <= {'disc', 'star', 'ring'})
        self.assertIn('no-such-file', decode(list(tensors.values()), labels_location='/no-such-file'))

    def test_picture(self):
        """Frames without tensors pass, with a warning."""
        text = decode([np.zeros(64 * 48 * 3, np.uint8)], caps='video/x-raw,format=RGB,width=64,height=48,framerate=1/1')
        self.assertIn('carry no tensors', text)


if __name__ == '__main__':
    unittest.main()
