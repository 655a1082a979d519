#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""network.py LINE-SCENE MODEL: the shipped network on fruits that it was not
trained on, and its graph against the same sums in numpy."""

import importlib.util
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ.get("CUDASHAPES_PARTNERS", ""))
SCENE, MODEL = sys.argv[1:3] if len(sys.argv) > 2 else ("", "")
try:
    import numpy as np
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error} (tests/run --partners installs it)")
    sys.exit(77)


def load_training():
    spec = importlib.util.spec_from_file_location(
        "train", pathlib.Path(MODEL).with_name("train.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.train = load_training()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        cls.session = onnxruntime.InferenceSession(
            MODEL, options, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            # training's seed is 1001
            subprocess.run([SCENE, folder, "12", "2002", "2"], check=True)
            paths = sorted(pathlib.Path(folder).glob("*.ppm"))
            cls.pictures = [cls.train.read_pnm(p) for p in paths]
            cls.classes = [cls.train.read_pnm(p.with_suffix(".pgm"))
                           for p in paths]

    def probabilities(self, picture):
        return self.session.run(None, {"picture": picture[None]})[0][0]

    def test_unseen_fruits(self):
        table = np.zeros((12, 12), int)
        for picture, classes in zip(self.pictures, self.classes):
            found = self.probabilities(picture).argmax(2)
            np.add.at(table, (classes.ravel(), found.ravel()), 1)
        right = np.trace(table) / table.sum()
        defects = table[5:]
        recall = defects[:, 5:].sum() / defects.sum()
        names = self.train.LABELS
        shares = {name: round(float(row[k] / max(row.sum(), 1)), 3)
                  for k, (name, row) in enumerate(zip(names, table))}
        print(f"right: {right:.4f}; defects seen as defects: {recall:.4f}; "
              f"{shares}")
        self.assertGreater(right, 0.985)
        self.assertGreater(recall, 0.9)

    def test_shapes(self):
        p = self.probabilities(self.pictures[3])
        self.assertEqual((p.shape, p.dtype), ((95, 511, 12), np.float32))
        self.assertLess(abs(p.sum(2) - 1).max(), 1e-5)

    def test_box_means_at_borders(self):
        rgb = self.pictures[5][:9, :11]
        slow = np.array([[rgb[max(y - 3, 0):y + 4, max(x - 3, 0):x + 4]
                          .reshape(-1, 3).mean(0) for x in range(11)]
                         for y in range(9)]) / 255
        self.assertLess(
            abs(self.train.features(rgb)[..., 6:9] - slow).max(), 1e-9)

    def child(self, data):
        return subprocess.run(
            [sys.executable, pathlib.Path(MODEL).with_name("network.py"),
             MODEL], input=data, capture_output=True, timeout=60)

    def test_child(self):
        pictures = [self.pictures[2], self.pictures[7][:20, :30].copy()]
        sent = b"".join(
            struct.pack("<4s4I", b"FLNP", 77 + i, *p.shape) + p.tobytes()
            for i, p in enumerate(pictures))
        answer = self.child(sent)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        expected = b"".join(
            struct.pack("<4s4I", b"FLNT", 77 + i, *p.shape[:2], 12)
            + self.probabilities(p).tobytes()
            for i, p in enumerate(pictures))
        self.assertEqual(answer.stdout, expected)

    def test_child_refuses(self):
        for data, word in (
                (b"FLNX" + bytes(16), b"FLNP"),
                (struct.pack("<4s4I", b"FLNP", 1, 9, 9, 3) + b"12", b"cut"),
                (struct.pack("<4s4I", b"FLNP", 1, 0, 9, 3), b"0 rows")):
            answer = self.child(data)
            self.assertEqual((answer.returncode, answer.stdout), (1, b""))
            self.assertIn(word, answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
