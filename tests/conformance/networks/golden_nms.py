# SPDX-License-Identifier: LGPL-2.1-or-later
"""ultralytics' non-maximum suppression of many overlapping candidates: equal scores, IoUs equal to the threshold, empty boxes.

Classes up to 79 are moved by 614400 pixels, where single precision knows sixteenths of a pixel.
"""
import os

import numpy as np

os.environ.setdefault("YOLO_OFFLINE", "1")
import torch
import torchvision  # noqa: F401 (non_max_suppression uses its nms() if it has been imported)
from ultralytics.utils.nms import non_max_suppression

import store

COUNT, CLASSES, MASKS = 320, 80, 2


def candidates(rng):
    output = np.zeros((1, 4 + CLASSES + MASKS, COUNT), np.float32)
    output[0, :2] = rng.integers(0, 640, (2, COUNT)) / 4  # crowded: a fourth of the input
    output[0, 2:4] = rng.integers(0, 5, (2, COUNT)) * 16
    loose = np.arange(COUNT) % 3 == 0  # these are anywhere
    output[0, :4, loose] += rng.uniform(0, 7, (loose.sum(), 4)).astype(np.float32)
    double = np.flatnonzero(np.arange(COUNT) % 10 == 9)  # half of another: IoU .5 exactly
    output[0, :4, double] = output[0, :4, double - 1]
    output[0, 2, double] /= 2
    for k in range(COUNT):
        kinds = rng.choice((0, 1, 2, 30, 78, 79), 2, replace=False)
        output[0, 4 + kinds, k] = rng.integers(1, 33, 2) / 32
    output[0, -MASKS:] = np.arange(COUNT)  # a candidate's own number
    return output


def make_all(folder, work):
    output = candidates(np.random.default_rng(8))
    cases, results = [], []
    asked = ((.25, .7, False, 300), (.25, .5, False, 300), (.25, .5, True, 300), (.03125, .45, False, 300), (.5, .25, True, 300),
             (.25, 0., False, 300), (.25, 1., False, 300), (.25, .7, False, 20), (1., .7, False, 300))
    for conf, iou, agnostic, max_det in asked:
        rows, kept = non_max_suppression(torch.from_numpy(output.copy()), conf, iou, agnostic=agnostic, max_det=max_det,
                                         nc=CLASSES, return_idxs=True)
        cases.append({"conf": conf, "iou": iou, "agnostic": agnostic, "max_det": max_det})
        rows = rows[0].numpy()
        results.append({"boxes": rows[:, :4], "scores": rows[:, 4], "classes": rows[:, 5].astype(np.int32),
                        "kept": kept[0].numpy().astype(np.int32).reshape(-1)})
    header = {"network": "none: candidates at random",
              "reference": "ultralytics.utils.nms.non_max_suppression with torchvision.ops.nms",
              "masks": MASKS, "versions": store.versions("ultralytics", "torch", "torchvision")}
    store.save(os.path.join(folder, "nms.npz"), header, {"output0": output}, cases, results)
