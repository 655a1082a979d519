# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contours kernel (CPU) for Python tests, by ctypes over the kernels' test library.

find_contours() has the arguments and the result of skimage.measure.find_contours(); contours() gives everything.
The library's path is in CSKERNELS_LIB. Structures mirror kernels/contours/contours.h.
"""
import ctypes as c
import os
import numpy as np

SAMPLE_TYPES = {"uint8": 0, "uint16": 1, "float16": 2, "float32": 3, "float64": 4}
MEASURES = {"none": 0, "basic": 1, "full": 2}
POINTS = {None: 0, "float32": 1, "float64": 2}

RECORD = np.dtype([("id", "i4"), ("parent", "i4"), ("class_id", "i4"), ("image", "i4"), ("kind", "u4"), ("flags", "u4"),
                   ("level", "f8"), ("area", "f8"), ("perimeter", "f8"), ("centroid", "f8", 2), ("bbox", "f8", 4),
                   ("solidity", "f8")])


class Image(c.Structure):
    _fields_ = [("data", c.c_void_p), ("type", c.c_int), ("memory", c.c_int), ("width", c.c_uint), ("height", c.c_uint),
                ("channels", c.c_uint), ("pixel_stride", c.c_size_t), ("row_stride", c.c_size_t),
                ("channel_stride", c.c_size_t)]


class Target(c.Structure):
    _fields_ = [("channel", c.c_uint), ("level", c.c_double)]


class Group(c.Structure):
    _fields_ = [("channels", c.POINTER(c.c_uint)), ("n_channels", c.c_uint)]


class AreaLimits(c.Structure):
    _fields_ = [("min_area", c.c_double), ("max_area", c.c_double)]


class Params(c.Structure):
    _fields_ = [("targets", c.POINTER(Target)), ("n_targets", c.c_uint), ("auto_level", c.c_int),
                ("fully_connected_high", c.c_int), ("positive_orientation_high", c.c_int),
                ("close_at_border", c.c_int), ("bands", c.c_int), ("hierarchy", c.c_int),
                ("measures", c.c_int), ("points", c.c_int), ("min_points", c.c_uint), ("min_area", c.c_double),
                ("max_area", c.c_double), ("level_scale", c.c_double),
                ("max_segments", c.c_size_t), ("max_memory", c.c_size_t), ("auto_method", c.c_int),
                ("groups", c.POINTER(Group)), ("n_groups", c.c_uint), ("group_mode", c.c_int),
                ("first_group_class", c.c_int32), ("exclusive", c.c_int), ("adaptive_window", c.c_uint),
                ("adaptive_offset", c.c_double), ("area_limits", c.POINTER(AreaLimits))]


GROUP = 1 << 28  # as a target's channel: GROUP + g is group g
AUTO_METHODS = {"midrange": 0, "otsu": 1}
GROUP_MODES = {"sum": 0, "max": 1}


class Input(c.Structure):
    _fields_ = [("image", Image), ("mask", c.POINTER(Image)), ("origin_x", c.c_int64), ("origin_y", c.c_int64),
                ("first_id", c.c_int32), ("image_index", c.c_int32)]


ALLOC = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_size_t, c.c_int)


class Output(c.Structure):
    _fields_ = [("alloc", ALLOC), ("user_data", c.c_void_p), ("want_host", c.c_int), ("n_contours", c.c_size_t),
                ("n_points", c.c_size_t), ("n_segments", c.c_size_t), ("n_dropped", c.c_size_t),
                ("n_overwritten", c.c_size_t), ("points", c.c_void_p), ("offsets", c.c_void_p), ("contours", c.c_void_p),
                ("moments", c.c_void_p), ("device_points", c.c_void_p), ("device_offsets", c.c_void_p),
                ("device_contours", c.c_void_p), ("device_moments", c.c_void_p)]


class GError(c.Structure):
    _fields_ = [("domain", c.c_uint32), ("code", c.c_int), ("message", c.c_char_p)]


class KernelError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


_lib = c.CDLL(os.environ["CSKERNELS_LIB"])
_lib.cs_executor_new_cpu.restype = c.c_void_p
_lib.cs_executor_new_cpu.argtypes = [c.c_uint]
_lib.cs_executor_free.argtypes = [c.c_void_p]
_lib.cs_contours_new.restype = c.c_void_p
_lib.cs_contours_new.argtypes = [c.POINTER(Params), c.c_void_p, c.POINTER(c.POINTER(GError))]
_lib.cs_contours_run.restype = c.c_int
_lib.cs_contours_run.argtypes = [c.c_void_p, c.POINTER(Input), c.POINTER(Output), c.POINTER(c.POINTER(GError))]
_lib.cs_contours_set_params.restype = c.c_int
_lib.cs_contours_set_params.argtypes = [c.c_void_p, c.POINTER(Params), c.POINTER(c.POINTER(GError))]
_lib.cs_contours_free.argtypes = [c.c_void_p]


# splits small images into bands, too, with several threads
c.c_size_t.in_dll(_lib, "cs_cpu_samples_per_job").value = 8


def _raise(error):
    raise KernelError(error.contents.code, error.contents.message.decode())


def image_of(array, layout="hw"):
    """A view of a numpy array: layout hw, hwc or chw; any strides."""
    image = Image(data=array.ctypes.data, type=SAMPLE_TYPES[array.dtype.name], channels=1)
    axes = {letter: axis for axis, letter in enumerate(layout)}
    image.height, image.row_stride = array.shape[axes["h"]], array.strides[axes["h"]]
    image.width, image.pixel_stride = array.shape[axes["w"]], array.strides[axes["w"]]
    if "c" in axes:
        image.channels, image.channel_stride = array.shape[axes["c"]], array.strides[axes["c"]]
    return image


def make_params(targets=((0, .5),), points="float64", measures="basic", auto_level=False, fully_connected="low",
                positive_orientation="low", close_at_border=False, bands=False, hierarchy=False, min_points=0,
                min_area=0., max_area=float("inf"), max_segments=0, max_memory=0, auto_method="midrange", groups=(),
                group_mode="sum", first_group_class=0, exclusive=False, adaptive_window=0, adaptive_offset=0.,
                area_limits=None):
    array = (Target * max(len(targets), 1))(*[Target(*t) for t in targets])
    group_array = (Group * max(len(groups), 1))(*[Group((c.c_uint * len(g))(*g), len(g)) for g in groups])
    limits = (AreaLimits * len(area_limits))(*[AreaLimits(*a) for a in area_limits]) if area_limits else None
    return Params(array, len(targets), auto_level, fully_connected == "high", positive_orientation == "high",
                  close_at_border, bands, hierarchy, MEASURES[measures], POINTS[points], min_points, min_area, max_area,
                  1., max_segments, max_memory, AUTO_METHODS[auto_method], group_array, len(groups),
                  GROUP_MODES[group_mode], first_group_class, exclusive, adaptive_window, adaptive_offset, limits)


class Contours:
    """A plan on n_threads CPU threads; the other arguments are those of make_params()."""

    def __init__(self, targets=((0, .5),), points="float64", n_threads=1, **params):
        self.points = points
        error = c.POINTER(GError)()
        self._executor = _lib.cs_executor_new_cpu(n_threads)
        self._plan = _lib.cs_contours_new(c.byref(make_params(targets, points, **params)), self._executor,
                                          c.byref(error))
        if not self._plan:
            _lib.cs_executor_free(self._executor)
            self._executor = None
            _raise(error)

    def set_params(self, targets=((0, .5),), points="float64", **params):
        error = c.POINTER(GError)()
        if not _lib.cs_contours_set_params(self._plan, c.byref(make_params(targets, points, **params)), c.byref(error)):
            _raise(error)
        self.points = points

    def __del__(self):
        if getattr(self, "_executor", None):
            _lib.cs_contours_free(self._plan)
            _lib.cs_executor_free(self._executor)

    def run(self, array, mask=None, layout="hw", origin=(0, 0), first_id=0):
        """(list of (n, 2) arrays of (x, y), records, output counts)"""
        keep = []

        def alloc(_, size, __):
            keep.append(np.full(size + 256, 0xa5, np.uint8))
            return (keep[-1].ctypes.data + 255) & ~255

        given = Input(image=image_of(array, layout), origin_x=origin[0], origin_y=origin[1], first_id=first_id)
        if mask is not None:
            mask = np.ascontiguousarray(mask, np.uint8)
            mask_image = image_of(mask)
            given.mask = c.pointer(mask_image)
        out = Output(alloc=ALLOC(alloc))
        error = c.POINTER(GError)()
        if not _lib.cs_contours_run(self._plan, c.byref(given), c.byref(out), c.byref(error)):
            _raise(error)

        def view(address, dtype, count):
            dtype = np.dtype(dtype)
            if count == 0 or not address:
                return np.zeros(0, dtype)
            return np.frombuffer((c.c_uint8 * (dtype.itemsize * count)).from_address(address), dtype).copy()

        offsets = view(out.offsets, "u4", out.n_contours + 1)
        records = view(out.contours, RECORD, out.n_contours)
        lines = []
        if self.points:
            points = view(out.points, self.points, 2 * out.n_points).reshape(-1, 2)
            lines = [points[offsets[i]:offsets[i + 1]] for i in range(out.n_contours)]
        return lines, records, out


def find_contours(image, level=None, fully_connected="low", positive_orientation="low", *, mask=None, n_threads=1,
                  close_at_border=False):
    """skimage.measure.find_contours(): a list of (n, 2) arrays of (row, column)."""
    image = np.asarray(image)
    if image.dtype.name not in SAMPLE_TYPES:
        image = image.astype(np.float64)
    plan = Contours([(0, 0. if level is None else level)], auto_level=level is None, n_threads=n_threads,
                    fully_connected=fully_connected, positive_orientation=positive_orientation,
                    close_at_border=close_at_border)
    return [line[:, ::-1] for line in plan.run(image, mask)[0]]
