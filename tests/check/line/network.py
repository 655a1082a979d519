#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fruit line's network on fruits it has not seen, through its child process, and one trained here in short form.

network.py FOLDER LINE_SCENE: the folder of pipelines/line, the program. Skipped (77) without numpy, onnx, onnxruntime.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

folder, line_scene = pathlib.Path(sys.argv[1]), sys.argv[2]
try:
    import numpy as np
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
except ImportError as error:
    print(error)
    sys.exit(77)
sys.path.insert(0, str(folder))
import train  # noqa: E402

HEAD = struct.Struct("<4s5I")


def run(data, *options):
    program = [sys.executable, str(folder / "network.py"), *options]
    return subprocess.run(program, input=data, capture_output=True, timeout=120)


def request(number, pictures):
    return HEAD.pack(b"CSLN", *pictures.shape, number) + pictures.tobytes()


def answers(data):
    at = 0
    while at < len(data):
        magic, *shape, number = HEAD.unpack_from(data, at)
        assert magic == b"CSLN"
        size = 4 * int(np.prod(shape))
        yield number, np.frombuffer(data, np.float32, size // 4, at + HEAD.size).reshape(shape)
        at += HEAD.size + size


def shares(pictures, labels, *options):
    result = run(request(9, pictures), *options)
    assert result.returncode == 0, result.stderr
    ((number, tensor),) = answers(result.stdout)
    assert number == 9 and tensor.shape == (*labels.shape, 12)
    assert np.abs(tensor.sum(-1) - 1).max() < 1e-4
    right = tensor.argmax(-1) == labels
    return right.mean(), right[~np.isin(labels, [0, 1, 4])].mean()


with tempfile.TemporaryDirectory() as seen:
    pictures, labels = train.draw(line_scene, seen, 424242, 10)
shipped = shares(pictures, labels)
print("shipped: %.4f of pixels, %.4f of marks" % shipped)
assert shipped[0] > 0.995 and shipped[1] > 0.85

with tempfile.TemporaryDirectory() as out:
    path = pathlib.Path(out) / "short.onnx"
    command = [sys.executable, str(folder / "train.py"), str(path), "--line-scene", line_scene]
    subprocess.run([*command, "--triggers", "20", "--steps", "400"], check=True)
    short = shares(pictures, labels, "--network", str(path))
    print("short: %.4f of pixels, %.4f of marks" % short)
    assert short[0] > shipped[0] - 0.02 and short[0] <= shipped[0] + 0.002

one = pictures[:1]
result = run(request(0, one) + request(1, one), "--exit-after", "1")
assert result.returncode == 3 and [number for number, _ in answers(result.stdout)] == [0]
result = run(request(0, one), "--bad-shape-at", "0")
assert next(answers(result.stdout))[1].shape == (1, 95, 510, 12)
for data in request(0, one)[:100], b"nonsense" * 3, request(0, one)[:24]:
    result = run(data)
    assert result.returncode == 1 and b"network.py:" in result.stderr and b"Traceback" not in result.stderr
result = run(b"", "--network", "/nonexistent.onnx")
assert result.returncode == 1 and b"there is no file" in result.stderr
