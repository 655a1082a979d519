#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The calls of docs/arrays.md for each network: cudashapes.instance_polygons() gives the masks that the networks' packages gave,
but for pixels whose centre is on the boundary.

Skipped (77) without numpy.
"""
import math
import os
import sys
import unittest

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import cudashapes
import reference
import store

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "networks")
NEAR = 3e-4  # of the masks' pixels may be on the boundary


def fill(polygons, shape):
    """The pixels whose centres are inside, by the even-odd rule."""
    flips = np.zeros((shape[0], shape[1] + 1), int)
    for ring in (ring.astype(float) for rings in polygons for ring in rings):
        for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
            low, high = min(y0, y1), max(y0, y1)
            y = np.arange(max(math.ceil(low), 0), min(math.ceil(high), shape[0]))
            if len(y):
                x = np.ceil(x0 + (y - y0) / (y1 - y0) * (x1 - x0))
                flips[y, np.clip(x, 0, shape[1]).astype(int)] += 1
    return np.cumsum(flips, 1)[:, :-1] % 2 == 1


class Golden(unittest.TestCase):
    def setUp(self):
        self.pixels = self.different = 0

    def load(self, name):
        return store.load(os.path.join(DATA, f"{name}.npz"))

    def compare(self, fields, picture, masks, **settings):
        found = cudashapes.instance_polygons(fields, picture, tolerance=.001, **settings)
        self.assertEqual(len(found), len(masks))
        for polygons, mask in zip(found, masks):
            wrong = fill(polygons, picture) != mask
            self.pixels += mask.sum()
            self.different += wrong.sum()

    def few_differ(self):
        self.assertGreater(self.pixels, 10000)
        self.assertLessEqual(self.different, NEAR * self.pixels)

    def yolo(self, name):
        header, tensors, pairs = self.load(name)
        output0, prototypes = tensors["output0"][0], tensors["output1"][0]
        inner = tuple(header["input"])
        for case, result in pairs:
            with self.subTest(network=name, **case):
                if header["end2end"]:
                    rows = output0[output0[:, 4] > np.float32(case["conf"])][:case["max_det"]]
                    boxes, coefficients = rows[:, :4], rows[:, 6:]
                else:
                    boxes, _, _, coefficients = reference.candidates(output0, len(prototypes), case["conf"], case["iou"],
                                                                     case["max_det"], case["agnostic"])
                placed = reference.scale_boxes(boxes, inner, case["picture"])
                masks = self.with_empty(placed, result)
                if case["native"]:
                    for edges in (placed, np.ceil(placed) - .5):
                        self.compare(prototypes, tuple(case["picture"]), masks, coefficients=coefficients, boxes=edges,
                                     letterbox=inner)
                else:
                    self.compare(prototypes, inner, masks, coefficients=coefficients, boxes=boxes)
        self.few_differ()

    def with_empty(self, boxes, result):
        """The masks of all boxes; objects without a pixel are left out in the result."""
        masks = np.zeros((len(boxes), *result["masks"].shape[1:]), bool)
        n = 0
        for box, mask in zip(boxes, masks):
            if n < len(result["boxes"]) and np.allclose(box, result["boxes"][n], rtol=1e-6, atol=1e-5):
                mask[:] = result["masks"][n]
                n += 1
        self.assertEqual(n, len(result["boxes"]))
        return masks

    def test_yolov8(self):
        self.yolo("yolov8n-seg")

    def test_yolo11(self):
        self.yolo("yolo11n-seg")

    def test_yolo26(self):
        self.yolo("yolo26n-seg-end2end")

    def test_rfdetr(self):
        _, tensors, pairs = self.load("rfdetr-seg")
        for case, result in pairs:
            with self.subTest(**case):
                labels = np.round(tensors["labels"] * 2) / 2 if case["rounded"] else tensors["labels"]
                scores = (1 / (1 + np.exp(-labels[0].astype(float)))).ravel()
                order = np.argsort(-scores.astype("f4"), kind="stable")[:case["num_select"]]
                queries = order[scores[order] > case["threshold"]] // labels.shape[2]
                self.compare(tensors["masks"][0], tuple(case["picture"]), result["masks"], indices=queries)
        self.few_differ()

    def test_maskrcnn(self):
        _, tensors, pairs = self.load("maskrcnn")
        for case, result in pairs:
            for name, paste in (("masks", "torchvision"), ("sampled", "detectron2")):
                with self.subTest(paste=paste, **case):
                    ratio = np.array(case["picture"][::-1] * 2, "f4") / np.array(case["input"][::-1] * 2, "f4")
                    kept = np.flatnonzero(tensors["scores"] > case["threshold"])
                    self.compare(tensors["masks"][:, 0], tuple(case["picture"]), result[name], indices=kept,
                                 boxes=tensors["boxes"][kept] * ratio, paste=paste, level=.5)
        self.few_differ()

    def test_sam(self):
        for name in ("sam", "sam-small"):
            header, tensors, pairs = self.load(name)
            for case, result in pairs:
                with self.subTest(network=name, **case):
                    for fields, masks in zip(tensors["low_res_masks"], result["masks"]):
                        self.compare(fields, tuple(case["picture"]), masks, letterbox=header["input"], padding="end")
        self.few_differ()


if __name__ == "__main__":
    unittest.main()
