# SPDX-License-Identifier: LGPL-2.1-or-later
"""The labels kernel (CPU) for Python tests, as cskernels.py has the contours kernel. Structures mirror
kernels/labels/labels.h."""
import ctypes as c
import numpy as np

from cskernels import ALLOC, GError, MEASURES, Output, RECORD, _lib
from csinstances import _check, _view

CONTOURS, PIXELS = 0, 1


class Params(c.Structure):
    _fields_ = [("outline", c.c_int), ("background", c.c_int64), ("hierarchy", c.c_int), ("min_area", c.c_double),
                ("measures", c.c_int)]


class Picture(c.Structure):
    _fields_ = [("data", c.c_void_p), ("memory", c.c_int), ("size", c.c_uint), ("is_signed", c.c_int),
                ("width", c.c_uint), ("height", c.c_uint), ("pixel_stride", c.c_size_t), ("row_stride", c.c_size_t)]


class Input(c.Structure):
    _fields_ = [("picture", Picture), ("wanted", c.POINTER(c.c_uint32)), ("n_wanted", c.c_size_t),
                ("origin_x", c.c_uint), ("origin_y", c.c_uint), ("first_id", c.c_int32), ("image_index", c.c_int32)]


for _name, _result, _args in (
        ("new", c.c_void_p, [c.POINTER(Params), c.c_void_p]),
        ("set_params", c.c_int, [c.c_void_p, c.POINTER(Params)]),
        ("run", c.c_int, [c.c_void_p, c.POINTER(Input), c.POINTER(Output)]),
        ("add_strip", c.c_int, [c.c_void_p, c.POINTER(Input)]),
        ("finish", c.c_int, [c.c_void_p, c.POINTER(Output)])):
    _function = getattr(_lib, "cs_labels_" + _name)
    _function.restype, _function.argtypes = _result, [*_args, c.POINTER(c.POINTER(GError))]
_lib.cs_labels_begin.argtypes = _lib.cs_labels_free.argtypes = [c.c_void_p]


def picture_of(array):
    """A view of a numpy array of integers; any strides but negative ones."""
    return Picture(array.ctypes.data, 0, array.itemsize, array.dtype.kind == "i", array.shape[1], array.shape[0],
                   array.strides[1], array.strides[0])


class _Result:
    """Memory of a result."""

    def __init__(self):
        self._keep = []
        self.out = Output(alloc=ALLOC(self._alloc))

    def _alloc(self, _, size, __):
        self._keep.append(np.full(size + 256, 0xa5, np.uint8))
        return (self._keep[-1].ctypes.data + 255) & ~255

    def parts(self):
        """(list of (n, 2) arrays of (x, y), records, output counts)"""
        out = self.out
        offsets = _view(out.offsets, "u4", out.n_contours + 1)
        points = _view(out.points, "f4", 2 * out.n_points).reshape(-1, 2)
        return ([points[offsets[i]:offsets[i + 1]] for i in range(out.n_contours)],
                _view(out.contours, RECORD, out.n_contours), out)


class Labels:
    """A plan on n_threads CPU threads."""

    def __init__(self, outline=CONTOURS, background=0, hierarchy=False, min_area=0., measures="basic", n_threads=1):
        error = c.POINTER(GError)()
        self._executor = _lib.cs_executor_new_cpu(n_threads)
        self._plan = _lib.cs_labels_new(c.byref(Params(outline, background, hierarchy, min_area, MEASURES[measures])),
                                        self._executor, c.byref(error))
        if not self._plan:
            _lib.cs_executor_free(self._executor)
        _check(self._plan, error)

    def __del__(self):
        if getattr(self, "_plan", None):
            _lib.cs_labels_free(self._plan)
            _lib.cs_executor_free(self._executor)

    @staticmethod
    def _input(labels, wanted, origin, first_id):
        given = Input(picture=picture_of(labels), origin_x=origin[0], origin_y=origin[1], first_id=first_id)
        if wanted is not None:
            given.wanted = (c.c_uint32 * max(len(wanted), 1))(*wanted)
            given.n_wanted = len(wanted)
        return given

    def run(self, labels, wanted=None, origin=(0, 0), first_id=0):
        given, result, error = self._input(labels, wanted, origin, first_id), _Result(), c.POINTER(GError)()
        _check(_lib.cs_labels_run(self._plan, c.byref(given), c.byref(result.out), c.byref(error)), error)
        return result.parts()

    def run_strips(self, strips, wanted=None, origin=(0, 0), first_id=0):
        """As run() of the strips' whole; each strip is overwritten when the next one comes."""
        error = c.POINTER(GError)()
        _lib.cs_labels_begin(self._plan)
        for strip in strips:
            strip = np.array(strip)
            given = self._input(strip, wanted, origin, first_id)
            _check(_lib.cs_labels_add_strip(self._plan, c.byref(given), c.byref(error)), error)
            strip[...] = 77
        result = _Result()
        _check(_lib.cs_labels_finish(self._plan, c.byref(result.out), c.byref(error)), error)
        return result.parts()
