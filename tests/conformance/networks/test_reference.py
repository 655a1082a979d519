#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""reference.py gives what the packages of the networks gave: boxes, classes, scores, and every pixel of the masks.

Skipped (77) without numpy.
"""
import os
import sys
import unittest

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import reference
import store

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "networks")
DOUBT = 2e-4  # of a golden file's pixels may be in doubt


class Golden(unittest.TestCase):
    def load(self, name):
        header, tensors, pairs = store.load(os.path.join(DATA, f"{name}.npz"))
        self.pixels = self.doubts = 0
        return header, tensors, pairs

    def same_masks(self, mask, doubt, wanted):
        self.assertEqual(mask.shape, wanted.shape)
        self.pixels += mask.size
        self.doubts += doubt.sum()
        self.assertFalse(((mask != wanted) & ~doubt).any())

    def same(self, objects, result, masks="masks"):
        self.assertEqual(len(objects), len(result["scores"]))
        for i, found in enumerate(objects):
            self.assertEqual(found.label, result["classes"][i])
            self.assertAlmostEqual(found.score, float(result["scores"][i]), delta=1e-6)
            np.testing.assert_allclose(found.box, result["boxes"][i], rtol=1e-6, atol=1e-5)
            self.same_masks(found.mask, found.doubt, result[masks][i])

    def few_doubts(self):
        self.assertGreater(self.pixels, 0)
        self.assertLess(self.doubts, DOUBT * self.pixels)

    def yolo(self, name):
        header, tensors, pairs = self.load(name)
        found, factors = [], set()
        for case, result in pairs:
            with self.subTest(network=name, **case):
                objects = reference.yolo(
                    tensors["output0"], tensors["output1"], header["input"], case["picture"], header["end2end"], case["conf"],
                    case["iou"], case["max_det"], case["agnostic"], case["native"])
                self.same(objects, result)
                found.append(len(objects))
                factors.add(reference.upsampling(tensors["output1"].shape[2:], case["picture"]))
        self.assertIn(0, found)
        self.assertGreater(max(found), 2)
        self.assertEqual(factors, {1, 2, 4})
        self.few_doubts()

    def test_nms(self):
        header, tensors, pairs = self.load("nms")
        for case, result in pairs:
            with self.subTest(**case):
                boxes, scores, classes, coefficients = reference.candidates(tensors["output0"][0], header["masks"], **case)
                np.testing.assert_array_equal(coefficients[:, 0], result["kept"])
                np.testing.assert_array_equal(boxes, result["boxes"])
                np.testing.assert_array_equal(scores, result["scores"])
                np.testing.assert_array_equal(classes, result["classes"])

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
                self.same(reference.rfdetr(tensors["dets"], labels, tensors["masks"], case["picture"], case["threshold"],
                                           case["num_select"]), result)
        self.few_doubts()

    def test_maskrcnn(self):
        _, tensors, pairs = self.load("maskrcnn")
        for case, result in pairs:
            for name, pasting in (("masks", reference.paste), ("sampled", reference.sampled)):
                with self.subTest(kind=name, **case):
                    self.same(reference.maskrcnn(tensors["boxes"], tensors["labels"], tensors["scores"], tensors["masks"],
                                                 case["input"], case["picture"], case["threshold"], pasting), result, name)
        self.few_doubts()

    def test_sam(self):
        for name in ("sam", "sam-small"):
            header, tensors, pairs = self.load(name)
            fields = tensors["low_res_masks"]
            for case, result in pairs:
                with self.subTest(network=name, **case):
                    self.assertEqual(result["masks"].shape[:2], fields.shape[:2])
                    for i in np.ndindex(fields.shape[:2]):
                        self.same_masks(*reference.sam(fields[i], header["input"][0], case["picture"]), result["masks"][i])
            self.few_doubts()


if __name__ == "__main__":
    unittest.main()
