# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a call computes, and arrays of other libraries."""

import copyreg
import importlib
import os
import sys
import threading
import warnings

import numpy

from cudashapes import _native

# kinds of DLPack
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13

_engines = {}
_lost = []
_lock = threading.Lock()


def _forget():
    """In a child of fork(): what the parent made is of no use, and stays."""
    global _lock
    _lost.append(dict(_engines))
    _engines.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forget)


def _make_auto():
    n, reason, is_old = _native.probe()
    if n:
        try:
            return _native.Engine(0, True)
        except RuntimeError as error:
            reason, is_old = str(error), True
    if is_old:
        warnings.warn('cudashapes computes on the CPU: %s' % reason,
                      RuntimeWarning, stacklevel=5)
    return _native.Engine(-1, False)


def _make(backend):
    if backend == 'auto':
        return _make_auto()
    if backend == 'cpu':
        return _native.Engine(-1, False)
    name, _, number = str(backend).partition(':')
    if name != 'cuda' or (number and not number.isdecimal()):
        raise ValueError('there is no backend "%s": it is "auto", "cuda", '
                         '"cuda:" and a number, or "cpu"' % (backend,))
    try:
        return _native.Engine(int(number or 0), False)
    except RuntimeError as error:
        raise RuntimeError('no GPU can be used: %s' % error) from None


def engine(backend):
    """What computes arrays of the host."""
    if not isinstance(backend, str):
        raise TypeError('backend is a string, not %r' % (backend,))
    found = _engines.get(backend)
    if found is None:
        with _lock:
            found = _engines.get(backend)
            if found is None:
                found = _engines[backend] = _make(backend)
    return found


def device_of(given):
    """The number of the GPU that an array is on, or None."""
    if isinstance(given, (numpy.ndarray, list, tuple)):
        return None
    ask = getattr(given, '__dlpack_device__', None)
    if ask is not None:
        kind, number = ask()
        if kind in (_CUDA, _CUDA_MANAGED):
            return number
        if kind not in (_CPU, _CUDA_HOST):
            raise ValueError("the array is on a device of DLPack's kind %d, "
                             'and neither on the host nor on an NVIDIA GPU'
                             % kind)
        return None
    interface = getattr(given, '__cuda_array_interface__', None)
    if interface is None:
        return None
    return _native.device_of(interface['data'][0])


def device_engine(backend, device):
    """What computes arrays of this GPU."""
    if backend == 'cpu':
        raise ValueError('the array is on a GPU, and backend is "cpu": copy it '
                         'to the host, as by cupy.asnumpy() or tensor.cpu()')
    name = 'cuda:%d' % device
    if backend not in ('auto', 'cuda', name):
        if not isinstance(backend, str) or not backend.startswith('cuda:'):
            engine(backend)     # which refuses it
        raise ValueError('the array is on GPU %d, and backend is %r'
                         % (device, backend))
    return engine(name)


def stream_number(stream):
    """A CUDA stream as a number; 0 if there is none."""
    if stream is None:
        return 0
    protocol = getattr(stream, '__cuda_stream__', None)
    if protocol is not None:
        stream = protocol()[1] if callable(protocol) else protocol[1]
    for name in ('ptr', 'cuda_stream', 'handle'):
        stream = getattr(stream, name, stream)
    try:
        number = int(getattr(stream, 'value', stream) or 0)
    except (TypeError, ValueError):
        raise TypeError(
            'stream is a number, or has __cuda_stream__(), ptr or cuda_stream, '
            'not %r' % (stream,)) from None
    if number < 0:
        raise ValueError('there is no stream %d' % number)
    # the default one, which protocols of arrays call 1
    return number or 1


def shape_of(given):
    shape = getattr(given, 'shape', None)
    if shape is None:
        shape = given.__cuda_array_interface__['shape']
    return tuple(shape)


def dtype_of(given):
    """The name of the type of an array's elements, as numpy has it."""
    dtype = getattr(given, 'dtype', None)
    if dtype is None:
        return numpy.dtype(given.__cuda_array_interface__['typestr']).name
    return getattr(dtype, 'name', str(dtype).rpartition('.')[2])


def contiguous(given):
    """A contiguous copy of an array on a GPU, by its own library."""
    method = getattr(given, 'contiguous', None)
    if method is None:
        method = getattr(_module(given), 'ascontiguousarray', None)
        if method is None:
            raise ValueError('the array has strides that are not read: make '
                             'it contiguous')
        return method(given)
    return method()


def on_device(engine, name, given, stream, *args):
    """A method of engine: name(given, ..., stream, True), of a contiguous copy
    if need be."""
    call, stream = getattr(engine, name), stream_number(stream)
    try:
        return call(given, *args, stream, True)
    except _native.StridesError:
        # the copy is made on another stream
        if stream:
            engine.wait(stream)
        return call(contiguous(given), *args, stream, True)


def to_host(array):
    """An array of any library as one of numpy."""
    if hasattr(array, 'copy_to_host'):
        array = array.copy_to_host()
        return numpy.asarray(array)
    is_there = device_of(array) is not None
    if is_there:
        # PyTorch's, CuPy's
        for name in ('detach', 'cpu', 'get'):
            array = getattr(array, name, lambda: array)()
    array = numpy.asarray(array)
    if is_there and array.dtype.hasobject:
        raise TypeError('the array is on a GPU, and does not come to the host '
                        'by itself: copy it there')
    return array


def upload(numbers, device):
    """An Array on the GPU of this name, or, where that is not, on the first
    one."""
    if int(device.partition(':')[2] or 0) >= _native.probe()[0]:
        device = 'cuda:0'
    return engine(device).upload(numpy.ascontiguousarray(numbers))


def _reduce_array(array):
    numbers = to_host(array)
    return (numpy.asarray, (numbers,)) if array.device == 'cpu' else \
        (upload, (numbers, array.device))


copyreg.pickle(_native.Array, _reduce_array)


def _module(given):
    return sys.modules.get(type(given).__module__.partition('.')[0])


class Library:
    """The library that an array comes from, which takes what is found of it.

    Without from_dlpack() in its module, it is told of as an Array.
    """

    _known = {}

    def __init__(self, module):
        self._from_dlpack = getattr(module, 'from_dlpack', None)
        self._name = module.__name__ if self._from_dlpack else None

    @classmethod
    def named(cls, name):
        return cls(importlib.import_module(name) if name else None)

    def __reduce__(self):
        return self.named, (self._name,)

    @classmethod
    def of(cls, given):
        """The same for all arrays of a type."""
        found = cls._known.get(type(given))
        if found is None:
            found = cls._known[type(given)] = cls(_module(given))
        return found

    def array(self, array):
        return array if self._from_dlpack is None else \
            self._from_dlpack(array)

    def pairs(self, array, swapped):
        """Pairs of numbers, in the other order if swapped."""
        if not swapped:
            return self.array(array)
        if self._from_dlpack is None:
            return array.swapped()
        array = self.array(array)
        # PyTorch has no views backwards
        return array.flip(1) if hasattr(array, 'flip') else array[:, ::-1]
