# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of instance networks' masks."""

import collections.abc
import math
import operator

import numpy

from cudashapes import _engines
from cudashapes._contours import Contours, split, with_nan
from cudashapes._given import without_mask
from cudashapes._polygons import OnHost, RingPolygons

_OUTSIDE = {'edge': 0, 'zeros': 1}

# as CsInstance
_INSTANCE = numpy.dtype([
    ('field', 'u4'), ('class_id', 'i4'), ('box', 'f8', 4),
    ('origin', 'f8', 2), ('step', 'f8', 2)])

_MAX_SIDE = 2 ** 20


class InstancePolygons(RingPolygons, collections.abc.Sequence):
    """What `instance_polygons` returns.

    Items are the objects, each a list of its polygons, which are lists of
    rings, the outer one and then the holes: arrays of float32, shape (n, 2), of
    x and y. They are closed, simple, do not touch, and are parts of `rings`.

    Attributes
    ----------
    rings : list of array, or Contours
        All rings, one object's after the other's; `Contours` of fields on a
        GPU, whose arrays are there.
    objects : array of int, shape (number of rings,)
        Whose each ring is.
    parents : array of int, shape (number of rings,)
        Of a hole the number of its outer ring, else -1.
    ring_areas : array of float64, shape (number of rings,)
        In pixels, negative of holes.
    areas : array of float64, shape (number of objects,)
        In pixels, without holes; 0 of an object without polygons.

    All but the rings are on the host, where they come at the first use.
    """

    __slots__ = ('_count',)

    def __init__(self, rings, records, count):
        super().__init__(rings, records)
        self._count = count

    @property
    def objects(self):
        return self._records['image'].copy()

    @property
    def areas(self):
        return numpy.bincount(self._records['image'], self._records['area'],
                              self._count)

    def _firsts(self):
        return numpy.searchsorted(self._records['image'],
                                  range(self._count + 1))

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError('there are %d objects' % self._count)
        return self._polygons(operator.index(index) % self._count)

    def __reduce__(self):
        return _restored, (self.rings, self._records.tobytes(), self._count)

    def __repr__(self):
        return '<polygons of %d objects on %s>' % (self._count, self.device)


def _restored(rings, records, count):
    return InstancePolygons(rings, OnHost(records), count)


# What is given

def _came(given):
    return 'and not %s' % (tuple(given),)


def _size(name, values, smallest=1):
    """Two integers, rows first."""
    try:
        height, width = map(operator.index, values)
    except (TypeError, ValueError):
        raise ValueError('%s is (height, width), two integers, and not %r'
                         % (name, values)) from None
    if not (smallest <= height <= _MAX_SIDE
            and smallest <= width <= _MAX_SIDE):
        raise ValueError('%s is %d x %d: a side must be %d to %d'
                         % (name, height, width, smallest, _MAX_SIDE))
    return height, width


def _check_fields(shape, has_coefficients):
    if len(shape) == 3:
        if 0 in shape[1:]:
            raise ValueError('fields have no samples: their shape is %s'
                             % (tuple(shape),))
        return
    hint = {2: ': fields[None] is that of one object'}.get(len(shape), '')
    if len(shape) == 4 and (shape[0] == 1 or shape[1] == 1):
        hint = ': fields%s has it' % ('[0]' if shape[0] == 1 else '[:, 0]')
    raise ValueError(
        'fields have shape (%s, height, width), %s%s'
        % ('prototypes, with coefficients' if has_coefficients else 'objects',
           _came(shape), hint))


def _check_coefficients(shape, prototypes):
    if len(shape) != 2 or shape[1] != prototypes:
        hint = ': coefficients.T has it' if len(shape) == 2 \
            and shape[0] == prototypes else ''
        raise ValueError(
            'coefficients have shape (objects, %d), a row for each object and '
            'a column for each of the %d fields, %s%s'
            % (prototypes, prototypes, _came(shape), hint))


def _refuse(what, dtype):
    raise TypeError('%s are numbers of floating point, best float32 or '
                    'float16, and not %s: convert them' % (what, dtype))


def _host_samples(given, what):
    """In a type that is read, with NaN for what numpy.ma masks."""
    array, missing = without_mask(given)
    if array.dtype.kind != 'f':
        _refuse(what, array.dtype)
    array = with_nan(array, missing)
    if array.dtype.name not in ('float16', 'float32'):
        with numpy.errstate(over='ignore'):
            array = array.astype('f4')
    array = array.astype(array.dtype.newbyteorder('='), copy=False)
    return array if array.flags.aligned and min(
        array.strides, default=0) >= 0 else array.copy()


def _device_samples(given, what, engine, stream):
    try:
        name = _engines.dtype_of(given)
    except AttributeError:
        return given            # with a type that only its capsule tells
    if name in ('float16', 'float32'):
        return given
    if not name.startswith(('float', 'bfloat')):
        _refuse(what, name)
    if stream is not None:
        engine.wait(_engines.stream_number(stream))
    if hasattr(given, 'astype'):
        return given.astype('float32')
    if hasattr(given, 'float'):
        return given.float()
    return _refuse(what, name)


def _small(given, stream):
    """Numbers on the host, of which there are few for each object."""
    device = _engines.device_of(given)
    if device is None:
        array, missing = without_mask(given)
        if missing is not None:
            raise ValueError('boxes, indices, origins and steps have no masked '
                             'items: leave them out')
        return array
    return numpy.asarray(_engines.on_device(
        _engines.engine('cuda:%d' % device), 'download', given, stream))


def _numbers(name, given, stream):
    array = _small(given, stream)
    if array.dtype.kind not in 'iuf':
        raise TypeError('%s are real numbers, and not %s'
                        % (name, array.dtype))
    return array.astype('f8')


def _boxes(given, count, stream):
    if given is None:
        return None
    boxes = _numbers('boxes', given, stream)
    if boxes.size == 0 and count == 0:
        return boxes.reshape(0, 4)
    if boxes.shape != (count, 4):
        raise ValueError('boxes have shape (%d, 4), x0, y0, x1, y1 of each '
                         'object, %s' % (count, _came(boxes.shape)))
    if numpy.isnan(boxes).any():
        raise ValueError('boxes of %s are not numbers' % numpy.flatnonzero(
            numpy.isnan(boxes).any(1))[:5].tolist())
    return boxes


def _indices(given, n_fields, stream):
    if given is None:
        return numpy.arange(n_fields)
    indices = _small(given, stream)
    if indices.dtype.kind == 'b':
        raise TypeError('indices are integers, and not bool: '
                        'numpy.flatnonzero() makes them')
    if indices.size == 0:
        return numpy.zeros(0, int)
    if indices.ndim != 1:
        raise ValueError('indices have one dimension, %s'
                         % _came(indices.shape))
    if indices.dtype.kind not in 'iu':
        raise TypeError('indices are integers, and not %s' % indices.dtype)
    if indices.min() < 0 or indices.max() >= n_fields:
        raise ValueError('indices are 0 to %d, and not %d to %d' % (
            n_fields - 1, indices.min(), indices.max()))
    return indices


# Where fields lie in the picture

def _fitted(inner, shape, padding):
    """The picture's size in a letterbox, and what is above and at the left of
    it."""
    gain = min(inner[0] / shape[0], inner[1] / shape[1])
    if padding == 'end':
        # ResizeLongestSide of Segment Anything
        return (*(max(int(side * gain + .5), 1) for side in shape), 0, 0)
    # LetterBox of ultralytics
    size = [max(round(side * gain), 1) for side in shape]
    return (*size, *((b - a) // 2 for a, b in zip(size, inner)))


def _letterbox(letterbox, padding, shape, grid):
    """resized and window of the picture in a network's input, as
    process_mask_native() of ultralytics and postprocess_masks() of Segment
    Anything have it."""
    inner = _size('letterbox', letterbox)
    if padding not in ('center', 'end'):
        raise ValueError('padding is "center" or "end", and not %r'
                         % (padding,))
    height, width, top, left = _fitted(inner, shape, padding)
    step = inner[0] // grid[0]
    if padding == 'end' or (grid[0] * step, grid[1] * step) != inner:
        return inner, (top, left, height, width)
    # enlarged only so much that the padding is whole samples
    part = math.gcd(step, top, left, height, width)
    resized = inner[0] // part, inner[1] // part
    return (None if part == step else resized,
            tuple(n // part for n in (top, left, height, width)))


def _window(window, size):
    if window is None:
        return 0, 0, *size
    try:
        top, left, height, width = map(operator.index, window)
    except (TypeError, ValueError):
        raise ValueError('window is (top, left, height, width), four integers, '
                         'and not %r' % (window,)) from None
    if min(top, left) < 0 or min(height, width) < 1 \
            or top + height > size[0] or left + width > size[1]:
        raise ValueError('window is %d x %d from row %d and column %d on, in '
                         'fields of %d x %d' % (height, width, top, left,
                                                *size))
    return top, left, height, width


def _pairs(name, given, count, stream):
    """x and y, one for all objects or one for each."""
    array = _numbers(name, given, stream)
    if array.shape not in ((), (2,), (count, 2)):
        raise ValueError('%s is (x, y), or has shape (%d, 2), %s'
                         % (name, count, _came(array.shape)))
    return numpy.broadcast_to(array, (count, 2))


def _filled(boxes, size):
    """The grid fills the box, as with detectron2's paste_masks_in_image()."""
    step = (boxes[:, 2:] - boxes[:, :2]) / size[::-1]
    return boxes[:, :2] + (step - 1) / 2, step


def _torchvision(boxes, size):
    """As with torchvision's paste_masks_in_image(): a ring of zeros is around
    the grid, and the box that the two fill is one of integers."""
    with numpy.errstate(over='ignore', invalid='ignore'):
        boxes = boxes.astype('f4')
        side = numpy.array(size[::-1], 'f4')
        half = (boxes[:, 2:] - boxes[:, :2]) * numpy.float32(.5) \
            * ((side + 2) / side)
        centre = (boxes[:, 2:] + boxes[:, :2]) * numpy.float32(.5)
        first, last = numpy.trunc(centre - half), numpy.trunc(centre + half)
    step = numpy.maximum(last.astype('f8') - first + 1, 1) / (side + 2.)
    return first + 1.5 * step - .5, step


_PASTES = {'detectron2': _filled, 'torchvision': _torchvision}


def _pasted(paste, boxes, size, instances):
    if not isinstance(paste, str) or paste not in _PASTES:
        raise ValueError('paste is "detectron2" or "torchvision", and not %r'
                         % (paste,))
    if boxes is None:
        raise ValueError('paste needs boxes, which the fields are put into')
    if not (abs(boxes) <= 1e9).all():
        raise ValueError('boxes that fields are put into are finite, and at '
                         'most 1e9')
    origin, step = _PASTES[paste](boxes, size)
    empty = ~(step > 0).all(1)
    step[empty] = 1
    instances['origin'], instances['step'] = origin, step
    instances['box'][empty] = 0


def _only(name, **others):
    wrong = [other for other, value in others.items() if value is not None]
    if wrong:
        raise ValueError('%s says where fields lie, and so does %s: give one '
                         'of them' % (name, ' and '.join(wrong)))


def _place(instances, boxes, shape, grid, stream, letterbox, padding, paste,
           resized, window, origin, step, outside):
    """Puts boxes and places into instances. Returns: resized, window, outside,
    as they are passed."""
    if outside is None:
        outside = 'edge' if paste is None else 'zeros'
    if not isinstance(outside, str) or outside not in _OUTSIDE:
        raise ValueError('outside is "edge" or "zeros", and not %r'
                         % (outside,))
    if letterbox is not None:
        _only('letterbox', paste=paste, resized=resized, window=window,
              origin=origin, step=step)
        resized, window = _letterbox(letterbox, padding, shape, grid)
    elif resized is not None:
        resized = _size('resized', resized)
    window = _window(window, resized or grid)
    instances['box'] = (-math.inf, -math.inf, math.inf, math.inf)
    if paste is not None:
        _only('paste', resized=resized, origin=origin, step=step)
        _pasted(paste, boxes, window[2:], instances)
    else:
        if (origin is None) != (step is None):
            raise ValueError('origin and step are given together')
        if step is None:
            step = shape[1] / window[3], shape[0] / window[2]
            origin = [(one - 1) / 2 for one in step]
        instances['origin'] = _pairs('origin', origin, len(instances), stream)
        instances['step'] = _pairs('step', step, len(instances), stream)
        if boxes is not None:
            instances['box'] = boxes
    return resized or (0, 0), window, _OUTSIDE[outside]


class _Fields:
    """Fields and coefficients, on the host or a GPU, and what computes them."""

    def __init__(self, fields, coefficients, backend, stream):
        self._device = _engines.device_of(fields)
        self._stream = stream
        self._library = None
        if self._device is None:
            self._engine = _engines.engine(backend)
            self._fields = _host_samples(fields, 'fields')
            shape = self._fields.shape
        else:
            self._engine = _engines.device_engine(backend, self._device)
            self._library = _engines.Library.of(fields)
            self._fields = fields
            shape = _engines.shape_of(fields)
        _check_fields(shape, coefficients is not None)
        self.count, *self.size = shape
        self._take_coefficients(coefficients)
        if self._device is not None:
            self._fields = _device_samples(fields, 'fields', self._engine,
                                           stream)

    def _take_coefficients(self, given):
        self._coefficients, self._there = None, False
        if given is None:
            return
        device = _engines.device_of(given)
        if device != self._device and device is not None:
            raise ValueError(
                'coefficients are on GPU %d, and fields %s' % (
                    device, 'on the host' if self._device is None
                    else 'on GPU %d' % self._device))
        if device is None:
            given = _host_samples(given, 'coefficients')
            shape = given.shape
        else:
            shape = _engines.shape_of(given)
            given = _device_samples(given, 'coefficients', self._engine,
                                    self._stream)
        _check_coefficients(shape, self.count)
        self.count = shape[0]
        self._coefficients, self._there = given, device is not None

    def find(self, instances, *settings):
        given = (self._coefficients, self._there, instances.tobytes(),
                 *settings)
        if self._device is None:
            points, offsets, records = self._engine.find_instances(
                self._fields, *given, 0, False)
            rings = split(points, offsets)
        else:
            points, offsets, records = _engines.on_device(
                self._engine, 'find_instances', self._fields, self._stream,
                *given)
            rings = Contours(self._library, points, offsets, False)
        return InstancePolygons(rings, records, len(instances))


def instance_polygons(fields, shape, *, coefficients=None, boxes=None,
                      indices=None, level=0., letterbox=None,
                      padding='center', paste=None, resized=None, window=None,
                      origin=None, step=None, outside=None, tolerance=.1,
                      min_area=0., backend='auto', stream=None):
    """Polygons of the masks of instance networks, without the masks.

    A mask is where a small grid of samples, the object's field, exceeds a level
    when it is resized to the picture by bilinear interpolation. The polygons
    are those of that boundary, found in the grid itself.

    Parameters
    ----------
    fields : array, shape (objects, height, width)
        Logits or probabilities, in float32 or float16; other numbers of
        floating point are converted. With `coefficients` prototypes, of shape
        (prototypes, height, width). An array on a GPU is read there.
    shape : (height, width)
        The picture's size in pixels.
    coefficients : array, shape (objects, prototypes), optional
        A field is the sum of the prototypes times its row. On the GPU of the
        fields or on the host.
    boxes : array, shape (objects, 4), optional
        x0, y0, x1, y1, which objects are cut to: edges in the coordinates of
        the result, in which pixel (0, 0) has its centre at (0, 0). Of boxes
        that say where pixels begin and end half a pixel is subtracted. With
        `paste` those of the network, which place the fields and cut nothing.
        An array on a GPU is copied to the host.
    indices : array of int, shape (objects,), optional
        Which fields, or rows of `coefficients`, are the objects; boxes are
        those of the objects. Default: all, in their order.
    level : float
        What a sample of an object exceeds: 0 for logits, .5 for probabilities.
    letterbox : (height, width), optional
        Size of the network's input, that the picture was scaled to as a whole
        and padded.
    padding : {'center', 'end'}
        Of the letterbox: at both sides, as ultralytics has it, or at the bottom
        and the right, as Segment Anything has it.
    paste : {'detectron2', 'torchvision'}, optional
        Each field fills its box, as that package puts masks into pictures.
    resized : (height, width), optional
        Size that fields are resized to first, by bilinear interpolation; what
        follows is of these samples.
    window : (top, left, height, width), optional
        The samples that count, as if there were no others. Default: all.
    origin, step : (x, y), or array of shape (objects, 2), optional
        Where the centre of the window's first sample lies in the picture, and
        the pixels from one sample to the next. Default: the window covers the
        picture, as with PyTorch's `interpolate(align_corners=False)`.
    outside : {'edge', 'zeros'}, optional
        What is beyond the outermost samples: their values, as with
        `interpolate()`, or, from a step beyond them on, 0, as with
        `grid_sample()`. Default: 'edge', and 'zeros' with `paste`.
    tolerance : float
        How far a polygon may be from the boundary, in pixels; at least 1e-4.
    min_area : float
        Smaller rings, of objects and of holes, are left out, in pixels squared.
    backend, stream
        As in `find_contours`; the stream is also that of coefficients and boxes
        on a GPU.

    Returns
    -------
    InstancePolygons
        A sequence with an item for each object, a list of its polygons, which
        are lists of rings, the outer one and then the holes:
        ``shapely.Polygon(rings[0], rings[1:])`` is valid. Rings are closed
        arrays of float32, shape (n, 2), of x and y in pixels of the picture,
        and follow the boxes and the picture's edge, at -.5 and width - .5. Of
        fields on a GPU they are there, as arrays of the fields' library.

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
    What is equal to the level is outside, and so is what NaN has a share in.
    Results are equal on the CPU and on GPUs, bit for bit. Placement follows
    ultralytics 8.4.190 (`process_mask_native`), Segment Anything 1.0
    (`Sam.postprocess_masks`), detectron2 (`_do_paste_mask`) and torchvision
    0.29 (`paste_masks_in_image`).

    Examples
    --------
    >>> import numpy as np
    >>> field = np.array([[-1, -1, -1], [-1, 1, -1], [-1, -1, -1]], float)
    >>> found = instance_polygons(field[None], (30, 30))
    >>> [[len(rings) for rings in polygons] for polygons in found]
    [[1]]
    >>> found.areas.round(1)
    array([60.7])
    """
    shape = _size('shape', shape)
    given = _Fields(fields, coefficients, backend, stream)
    rows = _indices(indices, given.count, stream)
    boxes = _boxes(boxes, len(rows), stream)
    instances = numpy.zeros(len(rows), _INSTANCE)
    instances['field'] = rows
    placed = _place(instances, boxes, shape, tuple(given.size), stream,
                    letterbox, padding, paste, resized, window, origin, step,
                    outside)
    return given.find(instances, level, tolerance, min_area, *placed, shape)
