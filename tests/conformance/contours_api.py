#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The API of the contours plan: changes of parameters, and invalid arguments."""
import ctypes
import pathlib
import re
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)
import cskernels
from cskernels import GROUP, Contours, KernelError

INVALID, LIMIT = 0, 2


def picture(*shape):
    return np.random.default_rng(3).random(shape)


KERNELS = pathlib.Path(__file__).parents[2] / "kernels"
C_TYPES = {"guint": "c_uint", "gboolean": "c_int", "double": "c_double", "gsize": "c_size_t", "gint32": "c_int32",
           "gint64": "c_int64"}


def fields_of(header, name):
    """[(field, type as C writes it)] of a structure, in C's order."""
    text = re.sub(r"/\*.*?\*/", "", (KERNELS / header).read_text(), flags=re.S)
    body = re.search(r"struct\s*\{([^{}]*)\}\s*%s;" % name, text).group(1)
    fields = []
    for declaration in filter(str.strip, body.split(";")):
        function = re.search(r"\(\*(\w+)\)", declaration)
        if function:
            fields.append((function.group(1), "function"))
            continue
        kind, names = re.match(r"\s*(?:const )?(\w+)\s+(.*)", declaration, re.S).groups()
        for field in names.split(","):
            fields.append((field.strip(" *\n"), kind + " *" * field.count("*")))
    return fields


class Mirrors(unittest.TestCase):
    """ctypes knows nothing of the header: a field out of order is read as another."""

    def test_structures_are_those_of_the_headers(self):
        for header, name, mirror in (
                ("base/image.h", "CsImage", cskernels.Image),
                ("contours/contours.h", "CsContoursTarget", cskernels.Target),
                ("contours/contours.h", "CsContoursGroup", cskernels.Group),
                ("contours/contours.h", "CsAreaLimits", cskernels.AreaLimits),
                ("contours/contours.h", "CsContoursParams", cskernels.Params),
                ("contours/contours.h", "CsContoursInput", cskernels.Input),
                ("contours/contours.h", "CsContoursOutput", cskernels.Output)):
            fields = fields_of(header, name)
            self.assertEqual([field[0] for field in mirror._fields_], [field for field, _ in fields], name)
            for (field, mirrored), (_, kind) in zip(mirror._fields_, fields):
                if kind in C_TYPES:
                    self.assertIs(mirrored, getattr(ctypes, C_TYPES[kind]), "%s.%s" % (name, field))
                else:
                    size = ctypes.sizeof(cskernels.Image if kind == "CsImage" else ctypes.c_void_p if
                                         kind == "function" or "*" in kind else ctypes.c_int)
                    self.assertEqual(ctypes.sizeof(mirrored), size, "%s.%s" % (name, field))

    def test_records_are_those_of_the_header(self):
        names = [name for name, _ in fields_of("contours/contours.h", "CsContour")]
        flat = []
        for name in cskernels.RECORD.names:
            flat += {"centroid": ["centroid_x", "centroid_y"],
                     "bbox": ["bbox_x0", "bbox_y0", "bbox_x1", "bbox_y1"]}.get(name, [name])
        self.assertEqual(flat, names)


class ChangedParameters(unittest.TestCase):
    def assert_same(self, plan, image, layout="hw", **params):
        lines, records, _ = plan.run(image, layout=layout)
        expected, expected_records, _ = Contours(**params).run(image, layout=layout)
        self.assertEqual([a.tobytes() for a in lines], [b.tobytes() for b in expected])
        self.assertEqual(records.tobytes(), expected_records.tobytes())

    def test_level_changes_between_frames(self):
        image, plan = picture(20, 30), Contours()
        for level in (.5, .2, .9, .5):
            plan.set_params([(0, level)])
            self.assert_same(plan, image, targets=[(0, level)])

    def test_levels_of_interleaved_channels_change(self):
        image, plan = picture(20, 30, 3), Contours([(0, .5), (1, .5), (2, .5)])
        for targets in ([(0, .1), (1, .5), (2, .9)], [(2, .3)], [(0, .5), (0, .25), (2, .5)]):
            plan.set_params(targets)
            self.assert_same(plan, image, "hwc", targets=targets)

    def test_everything_else_changes(self):
        image, plan = picture(20, 30), Contours()
        for params in (dict(fully_connected="high"), dict(positive_orientation="high"), dict(hierarchy=True),
                       dict(measures="full"), dict(measures="none"), dict(points="float32"), dict(min_points=8),
                       dict(min_area=2., max_area=9.), dict(auto_level=True), dict()):
            plan.set_params(**params)
            self.assert_same(plan, image, **params)

    def test_refused_parameters_leave_the_plan_as_it_was(self):
        image, plan = picture(20, 30), Contours([(0, .3)])
        with self.assertRaises(KernelError):
            plan.set_params([(0, float("nan"))])
        self.assert_same(plan, image, targets=[(0, .3)])

    def test_size_and_type_change_between_frames(self):
        plan = Contours()
        for image in (picture(20, 30), picture(3, 3), picture(40, 7).astype(np.float32), picture(20, 30)):
            self.assert_same(plan, image)


class Refused(unittest.TestCase):
    def refuse(self, code, function):
        with self.assertRaises(KernelError) as caught:
            function()
        self.assertEqual(caught.exception.code, code)
        self.assertGreater(len(str(caught.exception)), 20)

    def test_no_targets(self):
        self.refuse(INVALID, lambda: Contours([]))

    def test_level_that_is_not_finite(self):
        for level in (float("nan"), float("inf"), -float("inf")):
            self.refuse(INVALID, lambda: Contours([(0, level)]))

    def test_channel_that_does_not_exist(self):
        self.refuse(INVALID, lambda: Contours([(3, .5)]).run(picture(4, 4, 3), layout="hwc"))

    def test_mask_of_another_size(self):
        self.refuse(INVALID, lambda: Contours().run(picture(4, 4), mask=np.ones((4, 5))))

    def test_rows_that_overlap(self):
        image = np.lib.stride_tricks.as_strided(picture(40), (4, 8), (8, 8))
        self.refuse(INVALID, lambda: Contours().run(image))

    def test_samples_that_are_not_aligned(self):
        raw = np.zeros(8 * 16 + 1, np.uint8)
        self.refuse(INVALID, lambda: Contours().run(raw[1:].view(np.float64).reshape(4, 4)))

    def test_plane_of_2_to_the_31_samples(self):
        image = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (1 << 16, 1 << 15), (1 << 15, 1))
        self.refuse(LIMIT, lambda: Contours().run(image))


    def test_planes_count_as_memory(self):
        image, cells = np.zeros((100, 100, 2), np.float32), 99 * 99
        targets = [(0, .5), (1, .5)]
        sum_of_both = dict(targets=[(GROUP, .5)], groups=[(0, 1)])
        plane, padded = 100 * 100 * 4, 102 * 102 * 4
        for params, cost in ((dict(targets=targets), 2 * cells),
                             (sum_of_both, cells + plane),
                             (dict(targets=targets + sum_of_both["targets"], groups=[(0, 1)]), 3 * cells + plane),
                             (dict(targets=targets, exclusive=True), 2 * cells + 2 * plane),
                             (dict(targets=targets, close_at_border=True), 2 * 101 * 101 + 2 * padded),
                             (dict(targets=targets, adaptive_window=3), 2 * cells + 2 * plane + 16 * 100 * 100),
                             (dict(targets=targets, auto_level=True, auto_method="otsu"), 2 * cells + 2 * 4 * 256)):
            least = image if not params.get("close_at_border") else image - 1
            Contours(max_memory=cost + 64 * 1000, **params).run(least, layout="hwc")
            self.refuse(LIMIT, lambda: Contours(max_memory=cost - 1, **params).run(least, layout="hwc"))

    def test_parameters_of_planes_are_checked(self):
        for params in (dict(targets=[(GROUP, .5)]), dict(groups=[()]), dict(adaptive_window=4), dict(adaptive_window=1),
                       dict(adaptive_window=1025), dict(exclusive=True, auto_level=True),
                       dict(exclusive=True, adaptive_window=3), dict(adaptive_window=3, auto_level=True),
                       dict(adaptive_window=3, adaptive_offset=float("nan")), dict(area_limits=[(float("nan"), 1)])):
            self.refuse(INVALID, lambda: Contours(**params))
        plan = Contours([(GROUP, .5)], groups=[(0, 3)])
        self.refuse(INVALID, lambda: plan.run(picture(4, 4, 3), layout="hwc"))

    def test_failed_run_can_be_followed_by_a_good_one(self):
        plan = Contours()
        with self.assertRaises(KernelError):
            plan.run(picture(4, 4), mask=np.ones((9, 9)))
        self.assertGreater(plan.run(picture(9, 9))[2].n_contours, 0)


class Nothing(unittest.TestCase):
    def test_images_without_cells_have_no_contours(self):
        for shape in ((1, 1), (1, 9), (9, 1)):
            lines, records, out = Contours().run(picture(*shape))
            self.assertEqual((len(lines), len(records), out.n_points), (0, 0, 0))

    def test_midrange_of_nothing_is_no_contour(self):
        plan = Contours(auto_level=True)
        self.assertEqual(plan.run(np.full((5, 5), np.nan))[2].n_contours, 0)
        self.assertEqual(plan.run(picture(5, 5), mask=np.zeros((5, 5)))[2].n_contours, 0)


if __name__ == "__main__":
    unittest.main()
