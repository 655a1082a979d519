#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped network runs in onnxinference, which finds its .modelinfo beside
it, and gives what NumPy makes of its weights. Arguments: training.py, which
reads weights, and the network."""
import importlib.util
import pathlib
import sys
import unittest

SKIP = 77

sys.path.append(sys.path[0] + '/../lib')
from needed import need  # noqa: E402

Gst, GstApp, GstAnalytics, np = need('Gst', 'GstApp', 'GstAnalytics', 'numpy')

READER, MODEL = map(pathlib.Path, sys.argv[1:3])
HEIGHT, WIDTH, CLASSES = 40, 56, 12

# the format is that of 1.28
if not Gst.ElementFactory.find('onnxinference') or Gst.version()[1] < 28:
    print('skipped: there is no onnxinference of GStreamer 1.28')
    sys.exit(SKIP)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.argv[1:] = ['', str(MODEL)]
    spec.loader.exec_module(module)
    return module


def expect(picture):
    """By the weights in the file."""
    train = load(MODEL.with_name('train.py'))
    layers = load(READER).read_weights(MODEL)
    x = train.features(picture).reshape(-1, CLASSES).astype(np.float32)
    return train.forward(layers, x)[-1].reshape(HEIGHT, WIDTH, CLASSES)


def infer(picture):
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time caps="video/x-raw,format=RGB,width=%d,'
        'height=%d,framerate=0/1" ! onnxinference model-file="%s" '
        '! appsink name=out sync=false' % (WIDTH, HEIGHT, MODEL))
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_by_name('in').push_buffer(
        Gst.Buffer.new_wrapped(picture.tobytes()))
    pipeline.get_by_name('in').end_of_stream()
    sample = pipeline.get_by_name('out').try_pull_sample(60 * Gst.SECOND)
    pipeline.set_state(Gst.State.NULL)
    meta = GstAnalytics.buffer_get_tensor_meta(sample.get_buffer())
    data = meta.get(0).data
    return np.frombuffer(data.extract_dup(0, data.get_size()),
                         np.float32).reshape(HEIGHT, WIDTH, CLASSES)


class Network(unittest.TestCase):
    def test_training_writes_the_same_description(self):
        shipped = MODEL.with_name(MODEL.name + '.modelinfo')
        self.assertEqual(load(MODEL.with_name('train.py')).MODELINFO,
                         shipped.read_text(encoding='utf-8'))

    def test_probabilities(self):
        # rows of 56 pixels are a multiple of 4 bytes
        picture = np.random.default_rng(1).integers(
            256, size=(HEIGHT, WIDTH, 3), dtype=np.uint8)
        picture[10:30, 10:30] = 200, 120, 40
        found = infer(picture)
        self.assertLess(np.abs(found - expect(picture)).max(), 1e-3)
        self.assertGreater(found.max(), .9)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
