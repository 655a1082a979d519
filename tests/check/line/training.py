# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped network can be made again: training.py LINE_SCENE MODEL

train.py trains a network on the pictures that the shipped one was trained on. Both are compared on fruits that neither has
seen, by accuracy: sums of floats differ from machine to machine, and so do weights. The shipped weights are read from the
file, so that nothing but numpy is needed.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

SCENE, MODEL = sys.argv[1:3]
# triggers, seed and noise seed: docs/fruit-line.md, The network
TRAINING, UNSEEN = (24, 1001, 1), (12, 2002, 2)
# shares by which the new network may be worse: of all pixels, and of those of marks that are seen as some mark
WORSE, WORSE_MARKS = .002, .01
LEAST, LEAST_MARKS = .99, .95
FIRST_MARK = 5


def load_script():
    spec = importlib.util.spec_from_file_location("train", pathlib.Path(MODEL).with_name("train.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def read_fields(data):
    """(number, value) of each field of a protocol buffer: https://protobuf.dev/programming-guides/encoding"""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield number, value


def read_weights(path):
    """(weight, bias) of each layer: ONNX' ModelProto.graph.initializer, TensorProto's dims, name and raw_data."""
    arrays = {}
    graph, = (value for number, value in read_fields(pathlib.Path(path).read_bytes()) if number == 7)
    for tensor in (value for number, value in read_fields(graph) if number == 5):
        fields = list(read_fields(tensor))
        dims = []
        for value in (value for number, value in fields if number == 1):
            dims += [value] if isinstance(value, int) else list(value)      # packed: each is less than 128
        name, raw = (next(value for number, value in fields if number == wanted) for wanted in (8, 9))
        arrays[name.decode()] = np.frombuffer(raw, "<f4").reshape(dims)
    return [(arrays["w%d" % i][:, :, 0, 0].T, arrays["b%d" % i]) for i in range(3)]


def draw(train, scene):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SCENE, "--pictures", folder, *map(str, scene)], check=True)
        assert not list(pathlib.Path(folder).glob("*.f32"))
        return train.load(folder)


def judge(train, layers, inputs, classes):
    """Share of pixels that get their class; share of those of marks that get some mark's."""
    found = np.concatenate([train.forward(layers, part)[-1].argmax(1) for part in np.array_split(inputs, 32)])
    marks = classes >= FIRST_MARK
    return (found == classes).mean(), (found[marks] >= FIRST_MARK).mean()


def main():
    train = load_script()
    inputs, classes = draw(train, TRAINING)
    begin = time.monotonic()
    layers = train.train(inputs, classes)
    seconds = time.monotonic() - begin
    inputs, classes = draw(train, UNSEEN)
    assert len(set(classes)) == len(train.LABELS), set(classes)
    new, shipped = (judge(train, one, inputs, classes) for one in (layers, read_weights(MODEL)))
    print("trained in %.1f s; right: %.4f, shipped: %.4f; marks: %.4f, shipped: %.4f" % (
        seconds, new[0], shipped[0], new[1], shipped[1]))
    assert new[0] >= max(shipped[0] - WORSE, LEAST) and new[1] >= max(shipped[1] - WORSE_MARKS, LEAST_MARKS)


if __name__ == "__main__":
    main()
