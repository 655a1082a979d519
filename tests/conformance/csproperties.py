# SPDX-License-Identifier: LGPL-2.1-or-later
"""The properties kernel (CPU) for Python tests, as cskernels.py has the contours kernel. Structures mirror
kernels/properties/properties.h."""
import ctypes as c
import numpy as np

from cskernels import ALLOC, GError, _lib
from csinstances import _check, _view
from cslabels import Picture, picture_of

_NAMES = ("label bbox num_pixels euler_number area area_bbox area_convex axis_major_length axis_minor_length centroid "
          "centroid_local eccentricity equivalent_diameter_area extent feret_diameter_max inertia_tensor "
          "inertia_tensor_eigvals moments moments_central moments_normalized moments_hu orientation perimeter "
          "perimeter_crofton solidity").split()
_SHAPES = {"centroid": (2,), "centroid_local": (2,), "inertia_tensor_eigvals": (2,), "bbox": (4,), "moments_hu": (7,),
           "inertia_tensor": (2, 2), "moments": (4, 4), "moments_central": (4, 4), "moments_normalized": (4, 4)}


class Params(c.Structure):
    _fields_ = [("wanted", c.c_uint32), ("row_spacing", c.c_double), ("column_spacing", c.c_double)]


class Output(c.Structure):
    _fields_ = [("alloc", ALLOC), ("user_data", c.c_void_p), ("want_host", c.c_int), ("n_regions", c.c_size_t),
                ("n_columns", c.c_size_t), ("stride", c.c_size_t), ("columns", c.c_void_p),
                ("device_columns", c.c_void_p)]


for _name, _result, _args in (("new", c.c_void_p, [c.POINTER(Params), c.c_void_p]),
                              ("run", c.c_int, [c.c_void_p, c.POINTER(Picture), c.POINTER(Output)])):
    _function = getattr(_lib, "cs_properties_" + _name)
    _function.restype, _function.argtypes = _result, [*_args, c.POINTER(c.POINTER(GError))]
_lib.cs_properties_free.argtypes = [c.c_void_p]


def column_names(names):
    """Those of regionprops_table()."""
    return [name + "".join("-%d" % i for i in index) for name in _NAMES if name in names
            for index in np.ndindex(_SHAPES.get(name, ()))]


def region_properties(labels, names, spacing=(1., 1.), n_threads=1):
    """Columns by name, as regionprops_table()."""
    error = c.POINTER(GError)()
    executor = _lib.cs_executor_new_cpu(n_threads)
    params = Params(sum(1 << _NAMES.index(name) for name in names), *spacing)
    plan = _lib.cs_properties_new(c.byref(params), executor, c.byref(error))
    try:
        _check(plan, error)
        keep = []

        def alloc(_, size, __):
            keep.append(np.full(size + 256, 0xa5, np.uint8))
            return (keep[-1].ctypes.data + 255) & ~255

        out = Output(alloc=ALLOC(alloc))
        _check(_lib.cs_properties_run(plan, c.byref(picture_of(labels)), c.byref(out), c.byref(error)), error)
        columns = column_names(names)
        assert len(columns) == out.n_columns
        return {name: _view(out.columns + i * out.stride, "i8" if name.split("-")[0] in _NAMES[:4] else "f8",
                            out.n_regions) for i, name in enumerate(columns)}
    finally:
        _lib.cs_properties_free(plan)
        _lib.cs_executor_free(executor)
