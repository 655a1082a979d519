#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""train.py FOLDER MODEL.onnx: trains the network of the simulated line.

FOLDER is what line-scene wrote. The network has 12 features of each pixel, its
colour and its colour's means in boxes of 3, 7 and 15 pixels, and three 1x1
layers. The means are part of the ONNX graph: pictures (N x rows x columns x 3,
uint8) go in, probabilities (N x rows x columns x 12, float32) come out.
Needs numpy and, to write the model, onnx. Beside the model MODEL.labels gets
the names of the classes, one a line, and MODEL.onnx.modelinfo what GStreamer's
onnxinference wants to know of the tensors."""

import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "lib"))
import files  # noqa: E402

LABELS = ("belt skin stem calyx roller bruise rot scab russet hail scar "
          "insect").split()
BOXES = 3, 7, 15
WIDTHS = 12, 24, 24, len(LABELS)
STEPS, BATCH = 1500, 2048
# of GStreamer 1.28; codes stay as they are
MODELINFO = """[modelinfo]
version=1.0
group-id=fruit

[picture]
id=fruit-picture
type=uint8
dims=-1,-1,-1,3
dir=input
ranges=0.0,255.0;0.0,255.0;0.0,255.0

[probabilities]
id=fruit-probabilities
type=float32
dims=-1,-1,-1,%d
dir=output
""" % len(LABELS)


def read_pnm(path):
    """A PPM or PGM that line-scene wrote, as rows x columns (x 3) of uint8."""
    magic, size, _, data = path.read_bytes().split(b"\n", 3)
    columns, rows = map(int, size.split())
    shape = (rows, columns, 3) if magic == b"P6" else (rows, columns)
    return np.frombuffer(data, np.uint8).reshape(shape)


def box_mean(picture, size):
    """Means over size x size pixels; pixels outside the picture do not count."""
    sums = np.pad(picture, ((1, 0), (1, 0), (0, 0))).cumsum(0).cumsum(1)
    rows, columns = picture.shape[:2]
    y, x = np.arange(rows), np.arange(columns)
    top, bottom = np.maximum(y - size // 2, 0), np.minimum(
        y + size // 2 + 1, rows)
    left, right = np.maximum(x - size // 2, 0), np.minimum(
        x + size // 2 + 1, columns)
    total = (sums[bottom][:, right] - sums[top][:, right]
             - sums[bottom][:, left] + sums[top][:, left])
    return total / np.outer(bottom - top, right - left)[..., None]


def features(rgb):
    picture = rgb / 255.0
    return np.concatenate(
        [picture] + [box_mean(picture, size) for size in BOXES], axis=2)


def load(folder):
    """Features (pixels x 12) and classes (pixels) of all pictures."""
    pictures = sorted(pathlib.Path(folder).glob("*.ppm"))
    if not pictures:
        sys.exit(f"train.py: no pictures in {files.shown(folder)}: run line-scene first")
    inputs = [features(read_pnm(p)).reshape(-1, 12).astype(np.float32)
              for p in pictures]
    classes = [read_pnm(p.with_suffix(".pgm")).ravel() for p in pictures]
    return np.concatenate(inputs), np.concatenate(classes)


def forward(layers, x):
    """The output of each layer, the input first; the last one as shares."""
    outputs = [x]
    for i, (weight, bias) in enumerate(layers):
        x = x @ weight + bias
        if i < len(layers) - 1:
            x = np.maximum(x, 0)
        outputs.append(x)
    x = np.exp(x - x.max(1, keepdims=True))
    outputs[-1] = x / x.sum(1, keepdims=True)
    return outputs


def gradients(layers, outputs, classes):
    delta = outputs[-1].copy()
    delta[np.arange(len(classes)), classes] -= 1
    delta /= len(classes)
    found = []
    for i in reversed(range(len(layers))):
        found[:0] = [outputs[i].T @ delta, delta.sum(0)]
        if i:
            delta = (delta @ layers[i][0].T) * (outputs[i] > 0)
    return found


def train(inputs, classes, seed=1):
    """Adam on batches, half of them of all pixels, half the same number of
    each class, for defects are few pixels. Returns: (weight, bias) of each
    layer, for the colours as they are."""
    rng = np.random.default_rng(seed)
    mean, scale = inputs.mean(0), inputs.std(0)
    members = [np.flatnonzero(classes == k) for k in range(len(LABELS))]
    members = [m for m in members if len(m)]
    layers = [[rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32),
               np.zeros(b, np.float32)] for a, b in zip(WIDTHS, WIDTHS[1:])]
    values = [value for layer in layers for value in layer]
    first, second = ([np.zeros_like(v) for v in values] for _ in range(2))
    for step in range(1, STEPS + 1):
        pick = [rng.integers(len(inputs), size=BATCH // 2)]
        pick += [rng.choice(m, BATCH // 2 // len(members)) for m in members]
        pick = np.concatenate(pick)
        outputs = forward(layers, (inputs[pick] - mean) / scale)
        rate = 0.01 * (1 - (step - 1) / STEPS) + 1e-5
        for v, g, m, s in zip(values, gradients(layers, outputs,
                                                classes[pick]),
                              first, second):
            m += 0.1 * (g - m)
            s += 0.001 * (g * g - s)
            v -= rate * (m / (1 - 0.9 ** step)) / (
                np.sqrt(s / (1 - 0.999 ** step)) + 1e-8)
    weight, bias = layers[0]
    layers[0] = [weight / scale[:, None], bias - (mean / scale) @ weight]
    return layers


def write_onnx(layers, path):
    import onnx
    from onnx import helper as h
    from onnx import numpy_helper

    nodes = [h.make_node("Cast", ["picture"], ["float"], to=1),
             h.make_node("Transpose", ["float"], ["planes"],
                         perm=[0, 3, 1, 2]),
             h.make_node("Div", ["planes", "white"], ["colour"])]
    constants = [numpy_helper.from_array(np.float32(255), "white")]
    for size in BOXES:
        nodes.append(h.make_node(
            "AveragePool", ["colour"], [f"box{size}"],
            kernel_shape=[size] * 2, pads=[size // 2] * 4,
            count_include_pad=0))
    nodes.append(h.make_node(
        "Concat", ["colour"] + [f"box{size}" for size in BOXES], ["x0"],
        axis=1))
    for i, (weight, bias) in enumerate(layers):
        constants += [
            numpy_helper.from_array(np.ascontiguousarray(
                weight.T[:, :, None, None], np.float32), f"w{i}"),
            numpy_helper.from_array(np.asarray(bias, np.float32), f"b{i}")]
        nodes.append(h.make_node("Conv", [f"x{i}", f"w{i}", f"b{i}"],
                                 [f"y{i}"]))
        if i < len(layers) - 1:
            nodes.append(h.make_node("Relu", [f"y{i}"], [f"x{i + 1}"]))
    # along the last axis, Softmax takes a tenth of the time
    nodes += [h.make_node("Transpose", [f"y{len(layers) - 1}"], ["scores"],
                          perm=[0, 2, 3, 1]),
              h.make_node("Softmax", ["scores"], ["probabilities"], axis=3)]
    graph = h.make_graph(
        nodes, "fruit",
        [h.make_tensor_value_info("picture", 2, ["n", "rows", "columns", 3])],
        [h.make_tensor_value_info("probabilities", 1,
                                  ["n", "rows", "columns", len(LABELS)])],
        constants)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main():
    if len(sys.argv) != 3 or not sys.argv[2].endswith(".onnx"):
        sys.exit("usage: train.py FOLDER MODEL.onnx")
    folder, model = sys.argv[1:]
    try:
        with files.Outputs(pathlib.Path(folder).glob("*.p[gp]m")) as outputs:
            part = outputs.name(model)
            labels = outputs.name(model.removesuffix("onnx") + "labels")
            info = outputs.name(model + ".modelinfo")
            write_onnx(train(*load(folder)), part)
            pathlib.Path(labels).write_text("\n".join(LABELS) + "\n")
            pathlib.Path(info).write_text(MODELINFO)
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"train.py: {error}")


if __name__ == "__main__":
    main()
