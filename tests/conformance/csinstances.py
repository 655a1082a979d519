# SPDX-License-Identifier: LGPL-2.1-or-later
"""The instances kernel (CPU) for Python tests, as cskernels.py has the contours kernel. Structures mirror
kernels/instances/instances.h."""
import ctypes as c
import numpy as np

from cskernels import ALLOC, GError, Image, KernelError, MEASURES, Output, RECORD, SAMPLE_TYPES, _lib, image_of

EDGE, ZEROS = 0, 1


class Params(c.Structure):
    _fields_ = [("level", c.c_double), ("tolerance", c.c_double), ("min_area", c.c_double), ("measures", c.c_int)]


class Instance(c.Structure):
    _fields_ = [("field", c.c_uint32), ("class_id", c.c_int32), ("box", c.c_double * 4), ("origin", c.c_double * 2),
                ("step", c.c_double * 2)]


class Input(c.Structure):
    _fields_ = [("fields", Image), ("coefficients", c.POINTER(Image)), ("resized", c.c_uint * 2),
                ("grid", c.c_uint * 4), ("outside", c.c_int), ("width", c.c_uint), ("height", c.c_uint),
                ("instances", c.POINTER(Instance)), ("n_instances", c.c_size_t), ("first_id", c.c_int32)]


_lib.cs_instances_new.restype = c.c_void_p
_lib.cs_instances_new.argtypes = [c.POINTER(Params), c.c_void_p, c.POINTER(c.POINTER(GError))]
_lib.cs_instances_run.restype = c.c_int
_lib.cs_instances_run.argtypes = [c.c_void_p, c.POINTER(Input), c.POINTER(Output), c.POINTER(c.POINTER(GError))]
_lib.cs_instances_free.argtypes = [c.c_void_p]


def _check(ok, error):
    if not ok:
        raise KernelError(error.contents.code, error.contents.message.decode())


def _view(address, dtype, count):
    dtype = np.dtype(dtype)
    if count == 0 or not address:
        return np.zeros(0, dtype)
    return np.frombuffer((c.c_uint8 * (dtype.itemsize * count)).from_address(address), dtype).copy()


class Instances:
    """A plan on n_threads CPU threads."""

    def __init__(self, level=0., tolerance=.1, min_area=0., measures="basic", n_threads=1):
        error = c.POINTER(GError)()
        self._executor = _lib.cs_executor_new_cpu(n_threads)
        self._plan = _lib.cs_instances_new(c.byref(Params(level, tolerance, min_area, MEASURES[measures])),
                                           self._executor, c.byref(error))
        if not self._plan:
            _lib.cs_executor_free(self._executor)
        _check(self._plan, error)

    def __del__(self):
        if getattr(self, "_plan", None):
            _lib.cs_instances_free(self._plan)
            _lib.cs_executor_free(self._executor)

    def run(self, fields, instances, width, height, coefficients=None, layout="chw", outside=EDGE, resized=(0, 0),
            grid=(0, 0, 0, 0), first_id=0):
        """instances: (field, class, box, origin, step) each. Returns: (list of (n, 2) arrays of (x, y), records, output
        counts)"""
        array = (Instance * max(len(instances), 1))()
        for one, (field, class_id, box, origin, step) in zip(array, instances):
            one.field, one.class_id = field, class_id
            one.box[:], one.origin[:], one.step[:] = box, origin, step
        keep = []

        def alloc(_, size, __):
            keep.append(np.full(size + 256, 0xa5, np.uint8))
            return (keep[-1].ctypes.data + 255) & ~255

        given = Input(fields=image_of(fields, layout), outside=outside, width=width, height=height, instances=array,
                      n_instances=len(instances), first_id=first_id)
        given.resized[:], given.grid[:] = resized, grid
        if coefficients is not None:
            matrix = image_of(coefficients)
            given.coefficients = c.pointer(matrix)
        out = Output(alloc=ALLOC(alloc))
        error = c.POINTER(GError)()
        _check(_lib.cs_instances_run(self._plan, c.byref(given), c.byref(out), c.byref(error)), error)
        offsets = _view(out.offsets, "u4", out.n_contours + 1)
        points = _view(out.points, "f4", 2 * out.n_points).reshape(-1, 2)
        return ([points[offsets[i]:offsets[i + 1]] for i in range(out.n_contours)],
                _view(out.contours, RECORD, out.n_contours), out)
