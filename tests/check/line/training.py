# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped network can be made again: training.py LINE_SCENE MODEL

train.py trains a network on the pictures that the shipped one was trained on. Both are compared on fruits that neither has
seen, by accuracy: sums of floats differ from machine to machine, and so do weights. The shipped weights are read from the
file, so that nothing but numpy is needed. Nor is onnx: the graph that would be written is calculated here, by ONNX' definition
of its operators, and must give what numpy does.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest.mock

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


def record_onnx(train, layers):
    """What write_onnx() makes: (nodes, inputs, outputs, constants), of a package onnx that writes down what it is asked for."""
    helper, arrays, package = (types.ModuleType(name) for name in ("onnx.helper", "onnx.numpy_helper", "onnx"))
    helper.make_node = lambda kind, inputs, outputs, **more: (kind, inputs, *outputs, more)
    helper.make_tensor_value_info = lambda *three: three
    helper.make_graph = lambda nodes, _name, inputs, outputs, constants: (nodes, inputs, outputs, dict(constants))
    helper.make_opsetid = lambda *two: two
    helper.make_model = lambda graph, opset_imports: types.SimpleNamespace(graph=graph, opset=opset_imports)
    arrays.from_array = lambda array, name: (name, np.array(array))
    saved = []
    package.helper, package.numpy_helper = helper, arrays
    package.checker = types.SimpleNamespace(check_model=lambda model: None)
    package.save = lambda model, path: saved.append((model, path))
    with unittest.mock.patch.dict(sys.modules, onnx=package):
        train.write_onnx(layers, pathlib.Path("some.onnx"))
    (model, path), = saved
    assert path == "some.onnx" and model.opset == [("", 13)], (path, model.opset)
    return model.graph


def average(planes, kernel_shape, pads, count_include_pad):
    """AveragePool of planes x rows x columns, one window after the other."""
    assert count_include_pad == 0
    rows, columns = (planes.shape[i + 1] + pads[i] + pads[i + 2] - kernel_shape[i] + 1 for i in (0, 1))
    found = np.zeros((len(planes), rows, columns))
    for y, x in np.ndindex(rows, columns):
        top, left = y - pads[0], x - pads[1]
        part = planes[:, max(top, 0):max(top + kernel_shape[0], 0), max(left, 0):max(left + kernel_shape[1], 0)]
        found[:, y, x] = part.mean((1, 2)) if part.size else 0
    return found


def calculate(graph, picture):
    """The graph's only output, for one picture."""
    nodes, inputs, outputs, values = graph
    (given, uint8, _), (wanted, float32, shape) = *inputs, *outputs
    assert (given, uint8, wanted, float32) == ("picture", 2, "probabilities", 1) and shape[3] == 12, (inputs, outputs)
    values = {**values, given: picture[None]}
    kinds = {
        "Cast": lambda x, to: x.astype({1: np.float32}[to]),
        "Transpose": lambda x, perm: x.transpose(perm),
        "Div": lambda a, b: a / b,
        "AveragePool": lambda x, **more: average(x[0], **more)[None],
        "Concat": lambda *x, axis: np.concatenate(x, axis),
        "Conv": lambda x, w, b: np.einsum("oi,nirc->norc", w[:, :, 0, 0], x) + b[None, :, None, None],
        "Relu": lambda x: np.where(x > 0, x, 0),
        "Softmax": lambda x, axis: np.exp(x) / np.exp(x).sum(axis, keepdims=True),
    }
    for kind, names, output, more in nodes:
        values[output] = kinds[kind](*(values[name] for name in names), **more)
    return values[wanted][0]


def check_graph(train, layers):
    """Of a picture that is smaller than its widest squares in one direction."""
    picture = np.random.default_rng(1).integers(0, 256, (9, 31, 3), np.uint8)
    found = calculate(record_onnx(train, layers), picture)
    expected = train.forward(layers, train.features(picture).reshape(-1, 12))[-1].reshape(*picture.shape[:2], 12)
    assert found.shape == expected.shape and np.abs(found - expected).max() < 1e-5, np.abs(found - expected).max()
    assert len(np.unique(found.argmax(2))) > 3, "all pixels are alike"


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
    check_graph(train, read_weights(MODEL))
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
