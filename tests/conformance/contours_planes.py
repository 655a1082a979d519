#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of classes, the greatest class, Otsu's and local thresholds against numpy and scikit-image.

Skipped (77) when scikit-image is not installed.
"""
import sys
import unittest

try:
    import numpy as np
    from skimage.filters import threshold_local, threshold_otsu
    from skimage.measure import find_contours
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from cskernels import GROUP, Contours


def maps(rng, shape, dtype):
    """Probability maps of classes, (rows, columns, classes): smooth, and they add up to 1."""
    logits = rng.standard_normal(shape)
    for _ in range(3):
        for axis in (0, 1):
            logits = (np.roll(logits, 1, axis) + logits + np.roll(logits, -1, axis)) / 1.7
    exp = np.exp(2 * logits)
    p = exp / exp.sum(-1, keepdims=True)
    return (p * 255).astype("uint8") if dtype == "uint8" else \
        (p * 65535).astype("uint16") if dtype == "uint16" else p.astype(dtype)


def picture():
    """A photograph, if scikit-image has one on this machine."""
    try:
        from skimage import data
        return data.camera()
    except Exception as error:  # it would be downloaded
        print(f"no photograph: {error}")
        return None


class Planes(unittest.TestCase):
    def same(self, lines, expected):
        self.assertEqual(len(lines), len(expected))
        for line, wanted in zip(lines, expected):
            np.testing.assert_array_equal(line[:, ::-1], wanted)

    def near(self, lines, expected):
        self.assertEqual(len(lines), len(expected))
        for line, wanted in zip(lines, expected):
            np.testing.assert_allclose(line[:, ::-1], wanted, rtol=0, atol=1e-6)

    def each(self):
        rng = np.random.default_rng(7)
        for dtype in ("uint8", "uint16", "float16", "float32", "float64"):
            p = maps(rng, (40, 51, 5), dtype)
            yield p, "hwc", p, 255 if dtype == "uint8" else 65535 if dtype == "uint16" else 1
            yield np.ascontiguousarray(np.moveaxis(p, -1, 0)), "chw", p, 1

    @staticmethod
    def rounded(p, plane):
        """To single precision, as planes are."""
        return plane if p.dtype == np.float64 else plane.astype("float32").astype("float64")

    def test_a_group_is_the_sum_or_the_maximum_of_channels(self):
        for array, layout, p, _ in self.each():
            wide = p.astype("float64")
            level = float(np.median(wide.sum(-1)) * .5)
            total = self.rounded(p, wide[..., 1] + wide[..., 3] + wide[..., 4])
            plan = Contours([(2, level), (GROUP, level)], groups=[(1, 3, 4)], first_group_class=5)
            lines, records, _ = plan.run(array, layout=layout)
            self.assertGreater((records["class_id"] == 5).sum(), 3)
            self.same([x for x, r in zip(lines, records) if r["class_id"] == 5], find_contours(total, level))
            self.same([x for x, r in zip(lines, records) if r["class_id"] == 2], find_contours(wide[..., 2], level))
            level = float(np.quantile(wide, .8))
            plan = Contours([(GROUP, level)], groups=[(0, 2)], group_mode="max")
            self.same(plan.run(array, layout=layout)[0], find_contours(np.max(wide[..., [0, 2]], -1), level))

    def test_exclusive_contours_are_around_the_argmax(self):
        for array, layout, p, _ in self.each():
            wide = p.astype("float64")
            plan = Contours([(c, 0) for c in range(5)], exclusive=True)
            lines, records, _ = plan.run(array, layout=layout)
            for c in range(5):
                others = np.max(np.delete(wide, c, -1), -1)
                plane = self.rounded(p, wide[..., c] - others)
                plane[(plane == 0) & (np.argmax(wide, -1) == c)] = 2. ** -126
                self.assertTrue(((plane > 0) == (np.argmax(wide, -1) == c)).all())
                self.same([x for x, r in zip(lines, records) if r["class_id"] == c], find_contours(plane, 0))

    def test_otsu_is_scikit_images_threshold(self):
        rng = np.random.default_rng(3)
        images = [p[..., 0] for _, _, p, _ in self.each() if p.dtype.kind == "u"]
        images += [rng.integers(0, 60, (30, 31)).astype("uint8"), rng.integers(900, 64000, (30, 31)).astype("uint16")]
        if picture() is not None:
            images += [picture(), picture().astype("uint16") * 257]
        for image in images:
            records = Contours(auto_level=True, auto_method="otsu").run(np.ascontiguousarray(image))[1]
            level, threshold = records["level"][0], threshold_otsu(image)
            self.assertEqual(level, threshold + .5)
            self.assertTrue(((image > level) == (image > threshold)).all())

    def test_otsu_of_floats_is_scikit_images_but_for_edges_of_bins(self):
        rng = np.random.default_rng(4)
        n_equal = 0
        for i in range(60):
            image = np.concatenate([rng.normal(0, 1, 400), rng.normal(3, .5 + i / 40, 500)]).reshape(30, 30)
            level = Contours(auto_level=True, auto_method="otsu").run(image)[1]["level"][0]
            expected = threshold_otsu(image)
            self.assertLessEqual(abs(level - expected), 1.01 * np.ptp(image) / 256)
            n_equal += abs(level - expected) < 1e-9
        self.assertGreaterEqual(n_equal, 57)

    def test_adaptive_contours_are_those_of_the_local_threshold(self):
        rng = np.random.default_rng(5)
        images = [maps(rng, (40, 51, 2), "float64")[..., 0].copy(), rng.random((7, 90))]
        if picture() is not None:
            images.append(picture()[100:300, 100:350].astype("float64") + rng.random((200, 250)) / 100)
        for image in images:
            for window, offset in ((3, .003), (15, -.01), (101, .002)):
                threshold = threshold_local(image, window, method="mean", mode="reflect", offset=offset)
                plan = Contours([(0, 0)], adaptive_window=window, adaptive_offset=-offset)
                self.near(plan.run(image)[0], find_contours(image - threshold, 0))

    def test_limits_are_of_targets(self):
        p = maps(np.random.default_rng(6), (60, 60, 3), "float32")
        targets = [(0, .4), (1, .4), (2, .4)]
        limits = [(0, float("inf")), (12, float("inf")), (3, 40)]
        records = Contours(targets, area_limits=limits).run(p, layout="hwc")[1]
        everything = Contours(targets).run(p, layout="hwc")[1]
        for c, (least, most) in enumerate(limits):
            areas = np.abs(everything["area"][everything["class_id"] == c])
            kept = np.abs(records["area"][records["class_id"] == c])
            np.testing.assert_array_equal(kept, areas[(areas >= least) & (areas <= most)])
        self.assertLess(len(records), len(everything))


if __name__ == "__main__":
    unittest.main()
