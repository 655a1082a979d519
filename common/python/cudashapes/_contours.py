# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and bands of images."""

import collections.abc
import math
import operator
import struct

import numpy

from cudashapes import _engines, _native
from cudashapes._given import rounded, rounded_in_list, without_mask

_CONNECTED_HIGH, _ORIENTATION_HIGH, _ROWS_FIRST, _BANDS, _SINGLE = (
    1 << i for i in range(5))

RECORD = numpy.dtype([
    ('id', 'i4'), ('parent', 'i4'), ('class_id', 'i4'), ('image', 'i4'),
    ('kind', 'u4'), ('flags', 'u4'), ('level', 'f8'), ('area', 'f8'),
    ('rest', 'f8', 8)])

# Types that are computed as they are
_SAMPLES = ('uint8', 'uint16', 'float16', 'float32', 'float64')


def _check_size(rows, columns, channels):
    if rows < 2 or columns < 2:
        raise ValueError('an image has at least 2 x 2 pixels, not %d x %d'
                         % (rows, columns))
    if channels == 0:
        raise ValueError('the image has no channels')
    if rows * columns >= 2 ** 31:
        raise ValueError('an image of %d x %d pixels is too large: it must '
                         'have fewer than 2^31' % (rows, columns))


def with_nan(image, missing):
    """A copy of image, in a type that has NaN, which is what is missing."""
    if missing is None:
        return image
    if image.dtype.kind not in 'buif':
        return image               # which is refused
    single = image.itemsize <= 2 or (image.dtype.kind == 'f'
                                     and image.itemsize == 4)
    image = image.astype('f4' if single else 'f8')
    image[missing] = float('nan')
    return image


def _check_exact(image, missing, given):
    """Integers that are no doubles are refused: a level cannot be told from
    them."""
    lost = rounded(image) if image.dtype.kind in 'iu' else \
        rounded_in_list(given, image)
    if lost is not None and missing is not None:
        lost &= ~missing
    if lost is not None and lost.any():
        at = tuple(int(i[0]) for i in numpy.nonzero(lost))
        exact = given if image.dtype.kind == 'f' else image
        raise ValueError(
            "image%s is %s, which is no double: subtract an offset from the "
            "image, or round it with astype('float64')"
            % (list(at), numpy.asarray(exact, object)[at]))


def refuse_unreal(array, what):
    if array.dtype.kind not in 'buif':
        raise TypeError('%s of %s: only real numbers are possible'
                        % (what, array.dtype.name))


def typed(array, what, types, default='float64'):
    """array in a type that the kernels read, in native byte order."""
    refuse_unreal(array, what)
    name = array.dtype.name
    array = array.astype(types.get(name, default), copy=False)
    return array if array.flags.aligned else array.copy()


_TYPES = dict({name: name for name in _SAMPLES}, int8='float32',
              int16='float32')


def _samples(image):
    if image.dtype.kind == 'b':
        return image.view('uint8')
    return typed(image, 'an image', _TYPES)


def _as_read(image, axis):
    """image, or a copy with rows from the top and columns from the left."""
    if axis < 0 and image.flags.c_contiguous:
        return image
    rows, columns = (n for i, n in enumerate(image.shape) if i != axis)
    row, column = (n for i, n in enumerate(image.strides) if i != axis)
    if column < image.itemsize or row < columns * column or (
            axis >= 0 and image.strides[axis] < image.itemsize):
        return image.copy()
    return image


def _doubles(name, values):
    """Of numbers, none of which is rounded or masked."""
    array, missing = without_mask(values)
    if missing is not None:
        raise ValueError('%s is masked' % name)
    lost = rounded(array) if array.dtype.kind in 'iu' else \
        rounded_in_list(values, array)
    if lost is not None:
        raise ValueError("%s is %s, which is no double: round it, as by "
                         'float()' % (name, values))
    if array.dtype.kind not in 'buif':
        raise TypeError('%s of %s: only real numbers are possible'
                        % (name, array.dtype))
    return array.astype('f8')


def _levels(level, channels):
    """The levels to pass, checked; channels: 0 without an axis of them."""
    if type(level) is float:
        levels = [level]
    else:
        levels = _doubles('level', level)
        if levels.ndim > 1 or (levels.ndim == 1 and len(levels) != max(
                channels, 1)):
            raise ValueError(
                'level is a number or one for each of %d channels' % channels
                if channels else 'level is a number, and not one for each of '
                'several: only with a channel_axis there are several')
        levels = levels.reshape(-1).tolist()
    for one in levels:
        if not abs(one) < float('inf'):
            raise ValueError('level must be finite')
    return levels


def _band_levels(levels):
    levels = _doubles('levels', levels)
    if levels.ndim != 1 or len(levels) < 2:
        raise ValueError('levels are at least two numbers')
    if not numpy.isfinite(levels).all() or (levels[1:] <= levels[:-1]).any():
        raise ValueError('levels must be finite and ascend, each above the '
                         'one before')
    return levels.tolist()


def _packed(levels):
    return struct.pack('=%dd' % len(levels), *levels)


def _midrange(image, axis):
    """Of each channel, NaN and masked pixels as scikit-image sees them."""
    if axis >= 0:
        image = numpy.moveaxis(image, axis, 2)
    low, high = (reduce(image, axis=(0, 1)) for reduce in
                 (numpy.fmin.reduce, numpy.fmax.reduce))
    with numpy.errstate(all='ignore'):
        middle = (numpy.float64(low) + numpy.float64(high)) / 2
    return numpy.atleast_1d(middle).tolist()


def _known(levels):
    """Levels that are finite, and which channels have another one: that of
    nothing, or of infinities, which nothing crosses."""
    none = [i for i, level in enumerate(levels) if not math.isfinite(level)]
    return [0. if i in none else level
            for i, level in enumerate(levels)], none


def _flags(fully_connected, positive_orientation, as_xy):
    flags = 0 if as_xy else _ROWS_FIRST
    for name, value, flag in (
            ('fully_connected', fully_connected, _CONNECTED_HIGH),
            ('positive_orientation', positive_orientation,
             _ORIENTATION_HIGH)):
        if value == 'high':
            flags |= flag
        elif value != 'low':
            raise ValueError('%s is "low" or "high", not %r' % (name, value))
    return flags


def _precision(dtype):
    if dtype == 'float64':
        return 0
    try:
        name = numpy.dtype(dtype).name
    except TypeError:
        # PyTorch's
        name = str(dtype).rpartition('.')[2]
    if name not in ('float32', 'float64'):
        raise ValueError('dtype is float32 or float64, not %s' % name)
    return _SINGLE if name == 'float32' else 0


def _axis(channel_axis, shape):
    if channel_axis is None:
        if len(shape) == 2:
            return -1
        hint = ': channel_axis=-1 says that the last axis is the ' \
            "channels'" if len(shape) == 3 else ''
    else:
        try:
            axis = operator.index(channel_axis)
        except TypeError:
            raise TypeError('channel_axis is an integer or None, not %r'
                            % (channel_axis,)) from None
        if len(shape) == 3:
            if not -3 <= axis < 3:
                raise ValueError('channel_axis is %d, and the image has 3 '
                                 'dimensions' % axis)
            return axis % 3
        hint = ': leave channel_axis out' if len(shape) == 2 else ''
    raise ValueError('an image has 2 dimensions, or 3 and a channel_axis; this '
                     'one has shape %s%s' % (tuple(shape), hint))


def _check_mask(dtype, shape, image_shape, axis):
    if dtype != 'bool':
        raise TypeError('the mask must be a binary array (bool), not %s'
                        % dtype)
    plane = tuple(n for i, n in enumerate(image_shape) if i != axis)
    if shape != plane:
        raise ValueError('image and mask must have the same shape, not %s and '
                         '%s' % (plane, shape))


def _channels(shape, axis):
    """The number of channels, 0 without an axis of them; the size checked."""
    if axis < 0:
        _check_size(*shape, 1)
        return 0
    rows, columns = (n for i, n in enumerate(shape) if i != axis)
    _check_size(rows, columns, shape[axis])
    return shape[axis]


# On the host

def _host_image(given, channel_axis, mask):
    """image in a type that is read, with NaN for what numpy.ma masks; its
    channel axis, or -1; mask."""
    image, missing = without_mask(given)
    _check_exact(image, missing, given)
    if numpy.ma.isMaskedArray(mask):
        # what is not known to be used is not
        mask = mask.filled(False) if mask.dtype.kind == 'b' else mask.data
    axis = _axis(channel_axis, image.shape)
    _channels(image.shape, axis)
    if mask is not None:
        mask = numpy.asarray(mask)
        _check_mask(mask.dtype.name, mask.shape, image.shape, axis)
        mask = _as_read(mask, -1)
    image = _as_read(_samples(with_nan(image, missing)), axis)
    return image, axis, mask


def split(points, offsets):
    ends = memoryview(offsets).tolist()
    points = numpy.asarray(points)
    return [points[first:end] for first, end in zip(ends, ends[1:])]


def _classes(records):
    return numpy.frombuffer(records, RECORD)['class_id'].tolist()


def _split_channels(contours, records, channels):
    found = [[] for _ in range(channels)]
    for contour, number in zip(contours, _classes(records)):
        found[number].append(contour)
    return found


# On a GPU

class Contours(collections.abc.Sequence):
    """Contours that are on a GPU.

    Items are arrays of their points, and slices are lists of them; both are
    views of `points`. `in`, `index()` and `count()` look for an array of the
    same points, on a GPU or the host, and compare on the host. Pickled,
    contours go by way of the host, and are on a GPU again when they are loaded.

    Attributes
    ----------
    points : array, shape (n, 2)
        The points of all contours, one contour after the other.
    offsets : array of uint32, shape (number of contours + 1,)
        Where each contour begins in `points`, and the end.
    """

    __slots__ = ('_library', '_raw', '_offsets', '_swapped', '_first', '_end',
                 '_points', '_ends')

    def __init__(self, library, points, offsets, swapped, first=0, end=None):
        self._library = library
        self._raw = points
        self._offsets = offsets
        self._swapped = swapped
        self._first = first
        self._end = len(offsets) - 1 if end is None else end
        self._points = self._ends = None

    def __len__(self):
        return self._end - self._first

    def _all_points(self):
        if self._points is None:
            self._points = self._library.pairs(self._raw, self._swapped)
        return self._points

    def _all_ends(self):
        """On the host, fetched at the first use."""
        if self._ends is None:
            self._ends = memoryview(self._offsets.copy_to_host()).tolist()
        return self._ends

    def _host_ends(self):
        """Where in points, on the host, each contour begins, and the end."""
        ends = self._all_ends()[self._first:self._end + 1]
        return [end - ends[0] for end in ends] if ends[0] else ends

    def _is_part(self):
        return len(self) != len(self._offsets) - 1

    def _rows(self, first, end):
        """The points from a contour to before another."""
        ends, points = self._all_ends(), self._all_points()
        if isinstance(points, _native.Array):
            return points.rows(ends[first], ends[end])
        return points[ends[first]:ends[end]]

    @property
    def points(self):
        if not self._is_part():
            return self._all_points()
        return self._rows(self._first, self._end)

    @property
    def offsets(self):
        if not self._is_part():
            return self._library.array(self._offsets)
        return self._library.array(_engines.engine(self.device).upload(
            numpy.array(self._host_ends(), 'u4')))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError('there are %d contours' % len(self))
        at = self._first + index % len(self)
        return self._rows(at, at + 1)

    def _find(self, value, start=0, stop=None):
        """The numbers of the contours that have the points of an array."""
        try:
            shape = _engines.shape_of(value)
        except AttributeError:
            return
        if len(shape) != 2:
            return
        ends, points = self._host_ends(), None
        for i in range(*slice(start, stop).indices(len(self))):
            if ends[i + 1] - ends[i] != shape[0]:
                continue
            if points is None:
                points = _engines.to_host(self.points)
                wanted = _engines.to_host(value)
            if numpy.array_equal(points[ends[i]:ends[i + 1]], wanted):
                yield i

    def __contains__(self, value):
        return any(True for _ in self._find(value))

    def index(self, value, start=0, stop=None):
        for i in self._find(value, start, stop):
            return i
        raise ValueError('there is no such contour')

    def count(self, value):
        return sum(1 for _ in self._find(value))

    def __copy__(self):
        return self

    def __reduce__(self):
        points = _engines.to_host(self.points)
        if self._swapped:
            points = points[:, ::-1]
        return _restored, (self._library, points,
                           numpy.array(self._host_ends(), 'u4'),
                           self._swapped, self.device)

    @property
    def device(self):
        """"cuda:" and the number of the GPU."""
        return self._raw.device

    def part(self, first, end):
        """The contours from the number first to before end, as views."""
        part = Contours(self._library, self._raw, self._offsets,
                        self._swapped, first, end)
        part._points, part._ends = self._all_points(), self._ends
        return part

    def xy(self):
        """What region_stats() reads: x, y and offsets, if they are single."""
        if self._raw.dtype != 'float32':
            raise TypeError("the contours' points are float64: find them with "
                            "dtype='float32'")
        ends = self._all_ends()
        return (self._raw.rows(ends[self._first], ends[self._end]),
                self._host_ends())

    def __repr__(self):
        return '<%d contours on %s>' % (len(self), self.device)


def _restored(library, points, offsets, swapped, device):
    return Contours(library, _engines.upload(points, device),
                    _engines.upload(offsets, device), swapped)


def _device_mask(engine, mask, shape, axis, device):
    if mask is None:
        return None
    at = _engines.device_of(mask)
    if at is None:
        mask = numpy.asarray(mask)
    _check_mask(_engines.dtype_of(mask), _engines.shape_of(mask), shape, axis)
    if at is None:
        return engine.upload(numpy.ascontiguousarray(mask).view('uint8'))
    if at != device:
        raise ValueError('the image is on GPU %d, and the mask on %d'
                         % (device, at))
    return mask


class _OnDevice:
    """An image on a GPU and what is looked for in it."""

    def __init__(self, given, device, channel_axis, mask, backend, stream,
                 flags):
        self._engine = _engines.device_engine(backend, device)
        shape = _engines.shape_of(given)
        self._given = given
        self._axis = _axis(channel_axis, shape)
        self.channels = _channels(shape, self._axis)
        self._mask = _device_mask(self._engine, mask, shape, self._axis,
                                  device)
        self._stream = stream
        self._flags = flags

    def find(self, levels, masked=True):
        """points, offsets, records"""
        return _engines.on_device(
            self._engine, 'find_contours', self._given, self._stream,
            self._mask if masked else None, self._axis, _packed(levels),
            self._flags)

    def midranges(self):
        """The levels of all samples, masked or not, as scikit-image sees them;
        NaN where nothing crosses them."""
        records = numpy.frombuffer(
            self.find([], masked=False)[2].copy_to_host(), RECORD)
        levels = [math.nan] * max(self.channels, 1)
        for number, level in zip(records['class_id'].tolist(),
                                 records['level'].tolist()):
            levels[number] = level
        return levels


def _device_contours(given, device, level, channel_axis, mask, backend,
                     stream, flags):
    image = _OnDevice(given, device, channel_axis, mask, backend, stream,
                      flags)
    none = ()
    if level is not None:
        levels = _levels(level, image.channels)
    elif mask is None:
        levels = []
    else:
        levels, none = _known(image.midranges())
    points, offsets, records = image.find(levels)
    found = Contours(_engines.Library.of(given), points, offsets,
                     bool(flags & _ROWS_FIRST))
    if not image.channels:
        return found.part(0, 0) if none else found
    classes = numpy.frombuffer(records.copy_to_host(), RECORD)['class_id']
    ends = numpy.searchsorted(classes, range(image.channels + 1)).tolist()
    return [found.part(first, first if i in none else end)
            for i, (first, end) in enumerate(zip(ends, ends[1:]))]


def find_contours(image, level=None, fully_connected='low',
                  positive_orientation='low', *, mask=None,
                  channel_axis=None, as_xy=False, dtype='float64',
                  backend='auto', stream=None):
    """Find iso-contours, as skimage.measure.find_contours, on GPU and CPU.

    Parameters
    ----------
    image : array, shape (rows, columns)
        Samples of any real type, computed in double precision. NaN, and what
        a mask of numpy.ma hides, yield no contours. Integers that are no
        doubles, some beyond 2^53, are refused. An array on a GPU has uint8,
        uint16, float16, float32 or float64, or is Boolean.
    level : float or sequence of float, optional
        The value to follow; with channels also one for each. Default: the
        middle between the smallest and the largest sample of each channel.
    fully_connected, positive_orientation : {'low', 'high'}
        As in scikit-image: which pixels touch at saddles, and which are to the
        left of a contour.
    mask : array of bool, shape (rows, columns), optional
        Contours are only where it is True. The mask of numpy.ma means the
        opposite; both count.
    channel_axis : int, optional
        Which of the image's three axes is the channels', as -1 for (rows,
        columns, channels). All channels are computed at once.
    as_xy : bool
        Points are (x, y), and not (row, column).
    dtype : {'float64', 'float32'}
        Type of the points; float32 is float64 rounded once.
    backend : {'auto', 'cuda', 'cuda:N', 'cpu'}
        Where an array of the host is computed: with 'auto' on the first GPU if
        there is one. An array on a GPU is computed there.
    stream : int or stream, optional
        Of an array on a GPU: the CUDA stream in whose order it is ready, as a
        number or an object of CuPy, PyTorch or with `__cuda_stream__()`.
        Default: what the array itself says.

    Returns
    -------
    list of array, or Contours
        The contours, each of shape (n, 2), in pixels, in raster order; the
        first point of a closed one is repeated at its end. With channels a
        list of such lists, one for each. Of an image on a GPU, `Contours`,
        whose arrays are there, and are those of the image's library where that
        has `from_dlpack()`. They are complete.

    Raises
    ------
    ValueError, TypeError
        For arguments that are not as above.
    MemoryError
        Memory of the host or the GPU runs out.
    RuntimeError
        There is no such backend, or the GPU failed.

    Notes
    -----
    Any number of threads may call this at the same time. Results are equal on
    the CPU and on GPUs, bit for bit.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.zeros((3, 3))
    >>> a[0, 0] = 1
    >>> find_contours(a, .5)
    [array([[0. , 0.5],
           [0.5, 0. ]])]
    """
    flags = _flags(fully_connected, positive_orientation, as_xy) \
        | _precision(dtype)
    device = _engines.device_of(image)
    if device is not None:
        return _device_contours(image, device, level, channel_axis, mask,
                                backend, stream, flags)
    image, axis, mask = _host_image(image, channel_axis, mask)
    channels = image.shape[axis] if axis >= 0 else 0
    none = ()
    if level is not None:
        levels = _levels(level, channels)
    elif mask is None:
        levels = []
    else:
        # The kernels do not count masked samples, scikit-image does.
        levels, none = _known(_midrange(image, axis))
    points, offsets, records = _engines.engine(backend).find_contours(
        image, mask, axis, _packed(levels), flags, 0, False)
    found = split(points, offsets)
    if axis < 0:
        return [] if none else found
    found = _split_channels(found, records, channels)
    return [[] if i in none else part for i, part in enumerate(found)]


def _split_bands(rings, records, levels, channels):
    found = [[[] for _ in levels[1:]] for _ in range(channels)]
    bands = {level: i for i, level in enumerate(levels)}
    records = numpy.frombuffer(records, RECORD)
    for ring, number, parent, level in zip(
            rings, *(records[name].tolist()
                     for name in ('class_id', 'parent', 'level'))):
        polygons = found[number][bands[level]]
        # holes follow their outer ring
        if parent >= 0:
            polygons[-1].append(ring)
        else:
            polygons.append([ring])
    return found


def find_bands(image, levels, fully_connected='low', *, mask=None,
               channel_axis=None, as_xy=False, dtype='float64',
               backend='auto', stream=None):
    """Find iso-bands: polygons that fill what is between neighbouring levels.

    Parameters
    ----------
    image, fully_connected, mask, channel_axis, as_xy, dtype, backend, stream
        As in `find_contours`. Of an image on a GPU a copy comes to the host,
        where bands are assembled.
    levels : sequence of float
        At least two, finite, each above the one before. A band is above the lower one, and not above
        the upper one.

    Returns
    -------
    list
        An item for each band: a list of its polygons, which are lists of rings,
        the outer one and then the holes. Rings are closed arrays of shape
        (n, 2), and the polygons are valid for Shapely:
        ``Polygon(rings[0], rings[1:])``. With channels a list of such lists,
        one for each.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As `find_contours`.

    Examples
    --------
    >>> import numpy as np
    >>> ramp = np.tile(np.arange(4.), (3, 1))
    >>> [len(polygons) for polygons in find_bands(ramp, [0, 1, 2])]
    [1, 1]
    """
    flags = _flags(fully_connected, 'low', as_xy) | _precision(dtype) | _BANDS
    levels = _band_levels(levels)
    device = _engines.device_of(image)
    if device is not None:
        there = _OnDevice(image, device, channel_axis, mask, backend, stream,
                          flags)
        points, offsets, records = there.find(levels)
        channels = there.channels
        points = _engines.engine('cuda:%d' % device).upload(points)
        rings = list(Contours(_engines.Library.of(image), points, offsets,
                              bool(flags & _ROWS_FIRST)))
    else:
        image, axis, mask = _host_image(image, channel_axis, mask)
        channels = image.shape[axis] if axis >= 0 else 0
        points, offsets, records = _engines.engine(backend).find_contours(
            image, mask, axis, _packed(levels), flags, 0, False)
        rings = split(points, offsets)
    found = _split_bands(rings, records, levels, max(channels, 1))
    return found if channels else found[0]
