#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains the fruit line's small network on the simulated line and writes it as ONNX.

Each pixel is classified from its colour and the mean colours of the squares of 3, 7 and 15 pixels around it, by three
1x1 layers. Training needs NumPy alone; writing needs the package onnx. The means are part of the file: its input is
`picture`, uint8 (n, rows, columns, 3), its output `tensor`, float32 (n, rows, columns, 12), which sums to 1.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

CLASSES = ("belt skin stem calyx roller bruise rot scab russet hail scar insect").split()
SIDES = 3, 7, 15
HIDDEN = 32


def read_netpbm(path):
    """The samples of a binary PGM or PPM as line-scene writes it: (rows, columns) or (rows, columns, 3) uint8."""
    data = path.read_bytes()
    magic, columns, rows, _ = data.split(maxsplit=4)[:4]
    shape = (int(rows), int(columns)) + ((3,) if magic == b"P6" else ())
    return np.frombuffer(data[-int(np.prod(shape)) :], np.uint8).reshape(shape)


def draw(program, folder, seed, triggers):
    """Pictures and labels of `triggers` triggers of the simulated line with this seed, as two arrays of all views."""
    command = [program, "--seed", str(seed), "--noise-seed", str(seed), "--first", "4"]
    subprocess.run([*command, "--triggers", str(triggers), folder], check=True, stdout=subprocess.DEVNULL)
    paths = sorted(pathlib.Path(folder).glob("*.ppm"))
    return (
        np.stack([read_netpbm(path) for path in paths]),
        np.stack([read_netpbm(path.with_suffix(".pgm")) for path in paths]),
    )


def box_mean(picture, side):
    """Means over squares, of the pixels that are in the picture, as AveragePool without its pads; (rows, columns, 3)."""
    rows, columns = picture.shape[:2]
    total = np.zeros((rows + 1, columns + 1, 3))
    total[1:, 1:] = picture.astype(float).cumsum(0).cumsum(1)
    y, x = np.arange(rows), np.arange(columns)
    top, bottom = np.maximum(y - side // 2, 0), np.minimum(y + side // 2 + 1, rows)
    left, right = np.maximum(x - side // 2, 0), np.minimum(x + side // 2 + 1, columns)
    sums = total[bottom][:, right] - total[top][:, right] - total[bottom][:, left] + total[top][:, left]
    return sums / ((bottom - top)[:, None] * (right - left))[..., None]


def features(picture):
    """(rows, columns, 12) float32: colour and means, -.5 to .5."""
    parts = [picture] + [box_mean(picture, side) for side in SIDES]
    return (np.concatenate(parts, -1) / 255 - 0.5).astype(np.float32)


def samples(pictures, labels, random, per_picture=1500):
    """Features and labels of pixels: half as they come, half the same number of each class, for defects are rare."""
    x, t = [], []
    for picture, label in zip(pictures, labels):
        flat = label.ravel()
        chosen = [random.integers(0, flat.size, per_picture // 2)]
        present = np.unique(flat)
        for k in present:
            chosen.append(random.choice(np.flatnonzero(flat == k), per_picture // 2 // len(present)))
        chosen = np.concatenate(chosen)
        x.append(features(picture).reshape(-1, 12)[chosen])
        t.append(flat[chosen])
    return np.concatenate(x), np.concatenate(t)


def forward(layers, x):
    """Activations of all layers; the last are the classes' probabilities."""
    out = [x]
    for i, (weight, bias) in enumerate(layers):
        x = x @ weight + bias
        if i < len(layers) - 1:
            x = np.maximum(x, 0)
        out.append(x)
    e = np.exp(x - x.max(1, keepdims=True))
    out[-1] = e / e.sum(1, keepdims=True)
    return out


def gradients(layers, x, t):
    """The cross entropy's, as (weight, bias) of each layer."""
    out = forward(layers, x)
    error = out[-1].copy()
    error[np.arange(len(t)), t] -= 1
    error /= len(t)
    result = []
    for i in reversed(range(len(layers))):
        result.append((out[i].T @ error, error.sum(0)))
        if i:
            error = (error @ layers[i][0].T) * (out[i] > 0)
    return result[::-1]


def train(x, t, steps, random, batch=2048):
    """Adam with a step that falls to a twentieth along a cosine. Returns the layers."""
    sizes = x.shape[1], HIDDEN, HIDDEN, len(CLASSES)
    layers = [
        (random.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in zip(sizes, sizes[1:])
    ]
    first = [[np.zeros_like(p) for p in layer] for layer in layers]
    second = [[np.zeros_like(p) for p in layer] for layer in layers]
    for step in range(1, steps + 1):
        rate = 0.01 * (0.525 + 0.475 * np.cos(np.pi * step / steps))
        chosen = random.integers(0, len(x), batch)
        for i, gradient in enumerate(gradients(layers, x[chosen], t[chosen])):
            for k, g in enumerate(gradient):
                first[i][k] = 0.9 * first[i][k] + 0.1 * g
                second[i][k] = 0.999 * second[i][k] + 0.001 * g * g
                mean, square = first[i][k] / (1 - 0.9**step), second[i][k] / (1 - 0.999**step)
                layers[i][k][...] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
    return layers


def write_onnx(layers, path):
    """The network with its means, for any number and size of pictures."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    nodes = [
        helper.make_node("Cast", ["picture"], ["bytes"], to=TensorProto.FLOAT),
        helper.make_node("Div", ["bytes", "white"], ["unit"]),
        helper.make_node("Sub", ["unit", "half"], ["centred"]),
        helper.make_node("Transpose", ["centred"], ["colour"], perm=[0, 3, 1, 2]),
    ]
    constants = [
        numpy_helper.from_array(np.array(255, np.float32), "white"),
        numpy_helper.from_array(np.array(0.5, np.float32), "half"),
    ]
    for side in SIDES:
        pads = [side // 2] * 4
        nodes.append(
            helper.make_node("AveragePool", ["colour"], [f"mean{side}"], kernel_shape=[side, side], pads=pads)
        )
    nodes.append(helper.make_node("Concat", ["colour"] + [f"mean{s}" for s in SIDES], ["layer0"], axis=1))
    for i, (weight, bias) in enumerate(layers, 1):
        last = i == len(layers)
        constants.append(numpy_helper.from_array(np.ascontiguousarray(weight.T[:, :, None, None]), f"weight{i}"))
        constants.append(numpy_helper.from_array(bias, f"bias{i}"))
        nodes.append(helper.make_node("Conv", [f"layer{i - 1}", f"weight{i}", f"bias{i}"], [f"sum{i}"]))
        nodes.append(helper.make_node("Softmax" if last else "Relu", [f"sum{i}"], [f"layer{i}"], **({"axis": 1} if last else {})))
    nodes.append(helper.make_node("Transpose", [f"layer{len(layers)}"], ["tensor"], perm=[0, 2, 3, 1]))
    shape = "n", "rows", "columns"
    graph = helper.make_graph(
        nodes,
        "fruit",
        [helper.make_tensor_value_info("picture", TensorProto.UINT8, [*shape, 3])],
        [helper.make_tensor_value_info("tensor", TensorProto.FLOAT, [*shape, len(CLASSES)])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="train.py")
    checker.check_model(model)
    save(model, path)


def accuracy(layers, pictures, labels):
    """Shares: of pixels, and of the defects' and stems' pixels, that get their class."""
    right = np.concatenate(
        [
            (forward(layers, features(p).reshape(-1, 12))[-1].argmax(1) == label.ravel())
            for p, label in zip(pictures, labels)
        ]
    )
    marks = ~np.isin(labels.ravel(), [0, 1, 4])
    return right.mean(), right[marks].mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="ONNX file to write; its classes go to .labels beside it")
    parser.add_argument("--line-scene", default="build/pipelines/line/line-scene", help="the program (%(default)s)")
    parser.add_argument("--triggers", type=int, default=60, help="pictures of so many triggers (%(default)s)")
    parser.add_argument("--steps", type=int, default=1500, help="of Adam (%(default)s)")
    parser.add_argument("--seed", type=int, default=1000, help="of fruits and weights (%(default)s)")
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as seen, tempfile.TemporaryDirectory() as unseen:
        try:
            pictures, labels = draw(options.line_scene, seen, options.seed, options.triggers)
            tests = draw(options.line_scene, unseen, options.seed + 1, 10)
        except OSError as error:
            sys.exit(f"train.py: {error}: build the project, or name the program with --line-scene")
    layers = train(*samples(pictures, labels, random), options.steps, random)
    write_onnx(layers, options.output)
    options.output.with_suffix(".labels").write_text("\n".join(CLASSES) + "\n")
    print("unseen fruits: %.2f %% of pixels, %.2f %% of the marks'" % tuple(100 * a for a in accuracy(layers, *tests)))


if __name__ == "__main__":
    main()
