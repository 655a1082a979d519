# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the packages of instance networks make of their tensors, literally and in numpy alone: objects with masks.

Fields are interpolated in double precision. Boxes, and what is decided by them, are computed in single precision, step by
step as the packages do, since a pixel or an object depends on how they are rounded. Each function names what it follows.

A mask comes with `doubt`: the pixels whose value is so near the level that another order of additions may decide otherwise.
"""
import math
from typing import NamedTuple

import numpy as np

NEAR = 1e-4  # of the level, in units of the fields


class Object(NamedTuple):
    label: int
    score: float
    box: np.ndarray  # x1, y1, x2, y2 in pixels of the picture, float32
    mask: np.ndarray  # booleans
    doubt: np.ndarray


# --- Fields

def along(count, size):
    """Indices and weights of torch's bilinear interpolation with align_corners=False, from `count` samples to `size`."""
    at = np.maximum((np.arange(size) + .5) * (count / size) - .5, 0)
    first = np.minimum(np.floor(at).astype(int), count - 1)
    return first, np.minimum(first + 1, count - 1), at - first


def resize(field, height, width):
    """torch.nn.functional.interpolate (field, (height, width), mode="bilinear", align_corners=False)."""
    y0, y1, ty = along(field.shape[0], height)
    x0, x1, tx = along(field.shape[1], width)
    rows = field[y0] * (1 - ty)[:, None] + field[y1] * ty[:, None]
    return rows[:, x0] * (1 - tx) + rows[:, x1] * tx


def sample(field, y, x):
    """The field at rows `y` and columns `x` (of samples), bilinear, zero outside: torch's grid_sample with its defaults."""
    padded = np.pad(field, 1)

    def weights(at, count):
        at = np.clip(at + 1, 0, count + 1)  # farther out all is zero
        first = np.minimum(np.floor(at).astype(int), count)
        return first, at - first
    y0, ty = weights(y, field.shape[0])
    x0, tx = weights(x, field.shape[1])
    rows = padded[y0] * (1 - ty)[:, None] + padded[y0 + 1] * ty[:, None]
    return rows[:, x0] * (1 - tx) + rows[:, x0 + 1] * tx


def inside(box, height, width):
    """The pixels whose index, not centre, is in the box: ultralytics.utils.ops.crop_mask."""
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
    x1, y1, x2, y2 = box
    return ((y >= y1) & (y < y2))[:, None] & ((x >= x1) & (x < x2))


# --- YOLO: ultralytics 8.4.190

def fitted(inner, picture):
    """The letterboxed picture's height and width in the input, and what is left of it above and at the left (LetterBox)."""
    gain = min(inner[0] / picture[0], inner[1] / picture[1])
    height, width = (max(round(side * gain), 1) for side in picture)
    return height, width, round((inner[0] - height) / 2 - .1), round((inner[1] - width) / 2 - .1)


def scale_boxes(boxes, inner, picture):
    """Boxes of the input in the picture, clipped to it: ultralytics.utils.ops.scale_boxes."""
    height, width, top, left = fitted(inner, picture)
    gains = np.array((width / picture[1], height / picture[0]) * 2).astype(np.float32)
    boxes = (boxes - np.array((left, top) * 2, np.float32)) / gains
    return np.clip(boxes, 0, np.array((picture[1], picture[0]) * 2, np.float32))


def suppress(boxes, scores, threshold):
    """Indices that torchvision.ops.nms keeps: by score, the first of equal ones first; IoU above the threshold loses."""
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        for j in kept:
            low, high = np.maximum(boxes[i, :2], boxes[j, :2]), np.minimum(boxes[i, 2:], boxes[j, 2:])
            width, height = np.maximum(high - low, np.float32(0))
            common = width * height
            with np.errstate(invalid="ignore", divide="ignore"):
                if float(common / (areas[j] + areas[i] - common)) > threshold:
                    break
        else:
            kept.append(i)
    return np.array(kept, int)


def candidates(output, masks, conf, iou, max_det, agnostic):
    """Boxes, scores, classes and coefficients: ultralytics.utils.nms.non_max_suppression of columns of candidates."""
    rows = output.astype(np.float32).T
    rows = rows[rows[:, 4:-masks].max(1) > conf]
    half = rows[:, 2:4] / 2
    boxes = np.hstack((rows[:, :2] - half, rows[:, :2] + half))
    classes, scores = rows[:, 4:-masks].argmax(1), rows[:, 4:-masks].max(1)
    offset = np.float32(0) if agnostic else classes[:, None].astype(np.float32) * np.float32(7680)
    keep = suppress(boxes + offset, scores, iou)[:max_det]
    return boxes[keep], scores[keep], classes[keep], rows[keep, -masks:]


def upsampling(prototypes, picture):
    """How many times process_mask_native enlarges the prototypes first, so that whole samples are the letterbox's border."""
    inner = 4 * prototypes[0], 4 * prototypes[1]
    height, width, _, _ = fitted(inner, picture)
    border = (inner[0] - height) | (inner[1] - width)
    return 4 // math.gcd(4, border | border // 2)


def native(field, picture):
    """A field of the prototypes' size in the picture: ultralytics.utils.ops.process_mask_native, scale_masks."""
    factor = upsampling(field.shape, picture)
    if factor > 1:
        field = resize(field, factor * field.shape[0], factor * field.shape[1])
    if field.shape == tuple(picture):
        return field
    height, width, top, left = fitted(field.shape, picture)
    return resize(field[top:top + height, left:left + width], *picture)


def yolo(output0, output1, inner, picture, end2end, conf, iou, max_det, agnostic, in_picture=True):
    """SegmentationPredictor.postprocess: the objects with any pixels, with masks of the picture's or of the input's size."""
    prototypes = output1[0].astype(np.float64)
    if end2end:
        rows = output0[0].astype(np.float32)
        rows = rows[rows[:, 4] > np.float32(conf)][:max_det]
        boxes, scores, classes, coefficients = rows[:, :4], rows[:, 4], rows[:, 5].astype(int), rows[:, 6:]
    else:
        boxes, scores, classes, coefficients = candidates(output0[0], len(prototypes), conf, iou, max_det, agnostic)
    placed = scale_boxes(boxes, inner, picture)
    objects = []
    for number, row in enumerate(coefficients):
        field = np.tensordot(row.astype(np.float64), prototypes, 1)
        if in_picture:
            field, crop = native(field, picture), inside(placed[number], *picture)
        else:
            field, crop = resize(field, *inner), inside(boxes[number], *inner)
        mask = (field > 0) & crop
        if mask.any():
            doubt = (abs(field) < NEAR) & crop
            objects.append(Object(int(classes[number]), float(scores[number]), placed[number], mask, doubt))
    return objects


# --- RF-DETR: rfdetr 1.11.2

def rfdetr(dets, labels, masks, picture, threshold, num_select):
    """rfdetr.models.postprocess.PostProcess: pairs of a query and a class by score, no suppression, masks not cut by boxes."""
    scores = 1 / (1 + np.exp(-labels[0].astype(np.float64)))
    count = scores.shape[1]
    order = np.argsort(-scores.astype(np.float32).ravel(), kind="stable")[:num_select]
    centre, size = dets[0, :, :2], np.maximum(dets[0, :, 2:], np.float32(0))
    half = np.float32(.5) * size
    limit = np.array((picture[1], picture[0]) * 2, np.float32)
    boxes = np.clip(np.hstack((centre - half, centre + half)) * limit, 0, limit)
    objects = []
    for index in order:
        query, label = divmod(int(index), count)
        if scores[query, label] > threshold:
            field = resize(masks[0, query].astype(np.float64), *picture)
            objects.append(Object(label, scores[query, label], boxes[query], field > 0, abs(field) < NEAR))
    return objects


# --- Mask R-CNN: torchvision 0.29.2, detectron2

def paste(grid, box, picture):
    """torchvision.models.detection.roi_heads.paste_masks_in_image: a grid in a ring of zeros, resized to integers."""
    side = len(grid)
    scale = np.float32((side + 2) / side)
    box = box.astype(np.float32)
    half = (box[2:] - box[:2]) * np.float32(.5) * scale
    centre = (box[2:] + box[:2]) * np.float32(.5)
    (x1, y1), (x2, y2) = (centre - half).astype(int), (centre + half).astype(int)  # towards zero
    field = resize(np.pad(grid.astype(np.float64), 1), max(y2 - y1 + 1, 1), max(x2 - x1 + 1, 1))
    whole = np.zeros(picture)
    top, left, bottom, right = max(y1, 0), max(x1, 0), min(y2 + 1, picture[0]), min(x2 + 1, picture[1])
    if top < bottom and left < right:
        whole[top:bottom, left:right] = field[top - y1:bottom - y1, left - x1:right - x1]
    return whole


def sampled(grid, box, picture):
    """detectron2.layers.mask_ops._do_paste_mask: the grid fills the box; zero outside."""
    x1, y1, x2, y2 = box.astype(np.float64)
    y = (np.arange(picture[0]) + .5 - y1) / (y2 - y1) * grid.shape[0] - .5
    x = (np.arange(picture[1]) + .5 - x1) / (x2 - x1) * grid.shape[1] - .5
    return sample(grid.astype(np.float64), y, x)


def maskrcnn(boxes, labels, scores, masks, inner, picture, threshold, pasting=paste):
    """GeneralizedRCNNTransform.postprocess; masks above .5, with `sampled` from .5 on. `inner`: size of the resized picture."""
    ratio = np.array((picture[1], picture[0]) * 2, np.float32) / np.array((inner[1], inner[0]) * 2, np.float32)
    objects = []
    for box, label, score, grid in zip(boxes * ratio, labels, scores, masks):
        if score > threshold:
            field = pasting(grid[0], box, picture)
            mask = field > .5 if pasting is paste else field >= .5
            objects.append(Object(int(label), float(score), box, mask, abs(field - .5) < NEAR))
    return objects


# --- SAM: segment-anything 1.0

def sam(field, side, picture):
    """segment_anything.modeling.Sam.postprocess_masks: resized, cut to the picture, resized again; (mask, doubt)."""
    scale = side / max(picture)
    height, width = (int(length * scale + .5) for length in picture)
    field = resize(resize(field.astype(np.float64), side, side)[:height, :width], *picture)
    return field > 0, abs(field) < NEAR
