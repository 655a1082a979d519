# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether tensors can be believed, for pipelines/fruit_line.py: docs/fruit-line.md, Tensors. The same bits as fruit-line's."""
import math

import numpy as np

LEAST, GREATEST = np.float32(-.001), np.float32(1.001)
LEAST_SUM, GREATEST_SUM = np.float32(.9), np.float32(1.1)
ONE = np.float32(1)
# 1 / k!: the series of the exponential function
SERIES = [ONE / np.float32(k) for k in (5040, 720, 120, 24, 6, 2, 1, 1)]
MAGIC = np.float32(12582912)        # 1.5 2^23: a sum with it is a whole number, in the lowest bits
LOG2_E, LN2_HIGH, LN2_LOW = np.float32(1.44269504), np.float32(.693359375), np.float32(-2.12194440e-4)


def exponential(x):
    """e^x of float32 from -infinity to 0; -87 for what is less. 2^n e^r, each operation rounded to float32."""
    x = np.maximum(x, np.float32(-87))
    whole = x * LOG2_E + MAGIC
    n = whole - MAGIC
    r = x - n * LN2_HIGH
    r = r - n * LN2_LOW
    y = SERIES[0]
    for factor in SERIES[1:]:
        y = y * r + factor
    return y * ((whole.view(np.uint32) << np.uint32(23)) + np.uint32(0x3f800000)).view(np.float32)


def add_classes(tensor):
    """The sums of pixels, in the order of the classes."""
    total = tensor[..., 0].copy()
    for k in range(1, tensor.shape[-1]):
        total += tensor[..., k]
    return total


def convert(logits, exclusive):
    """Probabilities of logits."""
    if exclusive:
        with np.errstate(over="ignore"):
            power = exponential(logits - logits.max(axis=-1, keepdims=True))
        return power / add_classes(power)[..., np.newaxis]
    power = exponential(-np.abs(logits))
    return np.where(np.signbit(logits), power, ONE) / (ONE + power)


def judge_view(tensor, exclusive, logits):
    """(probabilities, None), or (None, what is wrong) with a view, rows x columns x classes."""
    with np.errstate(invalid="ignore"):
        least, greatest = tensor.min(), tensor.max()
    if not (np.isfinite(least) and np.isfinite(greatest)):
        return None, "not-finite"
    if logits:
        tensor = convert(tensor, exclusive)
    elif not (least >= LEAST and greatest <= GREATEST):
        return None, "out-of-range"
    elif exclusive:
        total = add_classes(tensor)
        if not (total.min() >= LEAST_SUM and total.max() <= GREATEST_SUM):
            return None, "sum"
    bits = np.ascontiguousarray(tensor).view(np.uint32)
    return (None, "constant") if (bits == bits[0, 0]).all() else (tensor, None)


class Judge:
    """Of a lane's tensors, one trigger after the other. recipe, geometry: as fruit_line.py has them"""

    def __init__(self, recipe, geometry):
        self.exclusive, self.logits = recipe.is_exclusive, recipe.is_logits
        self.fruit, self.level = sorted(recipe.fruit), np.float64(recipe.level)
        # half of the smallest piece's pixels
        self.least_fruit = max(math.ceil(math.pi / 8 * (recipe.min_diameter / max(geometry.scales)) ** 2), 1)
        # of each view the bytes of the last tensor that was fit
        self.before = {}

    def has_fruit(self, view):
        """Whether probabilities, rows x columns x classes, show some."""
        return np.count_nonzero(add_classes(view[..., self.fruit]).astype(np.float64) >= self.level) >= self.least_fruit

    def judge(self, tensors):
        """(probabilities, losses) of views x rows x columns x classes: for each view None, or what is wrong; its probabilities
        are 0 then."""
        tensors, losses, views = np.ascontiguousarray(tensors, np.float32), [], []
        before = dict(self.before)
        for i, tensor in enumerate(tensors):
            view, loss = judge_view(tensor, self.exclusive, self.logits)
            if not loss:
                self.before[i] = tensor.tobytes()
                loss = "frozen" if self.before[i] in before.values() and self.has_fruit(view) else None
            views.append(np.zeros_like(tensor) if loss else view)
            losses.append(loss)
        return np.stack(views) if self.logits or any(losses) else tensors, losses
