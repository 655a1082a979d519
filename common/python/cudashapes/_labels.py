# SPDX-License-Identifier: LGPL-2.1-or-later
"""Polygons of label pictures."""

import collections.abc
import contextlib
import operator

import numpy

from cudashapes import _engines
from cudashapes._contours import Contours
from cudashapes._given import without_mask
from cudashapes._polygons import OnHost, RingPolygons

_OUTLINES = {'contours': 0, 'pixels': 1}

_MAX_LABEL = 2 ** 31 - 1


class Rings(collections.abc.Sequence):
    """Rings on the host: parts of `points`, which are made when they are asked
    for.

    Attributes
    ----------
    points : array of float32, shape (n, 2)
        The points of all rings, one ring after the other.
    offsets : array of uint32, shape (number of rings + 1,)
        Where each ring begins in `points`, and the end.
    """

    __slots__ = ('points', 'offsets', '_ends')

    def __init__(self, points, offsets):
        self.points = numpy.asarray(points)
        self.offsets = numpy.asarray(offsets)
        self._ends = self.offsets.tolist()

    def __len__(self):
        return len(self._ends) - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        ends = self._ends
        if index < 0:
            index += len(ends) - 1
        if not 0 <= index < len(ends) - 1:
            raise IndexError('there are %d rings' % len(self))
        return self.points[ends[index]:ends[index + 1]]

    def __reduce__(self):
        return Rings, (self.points, self.offsets)

    def __repr__(self):
        return '<%d rings on cpu>' % len(self)


class LabelPolygons(RingPolygons, collections.abc.Mapping):
    """What `label_polygons` returns.

    A mapping of each label that has a polygon, in ascending order, to the list
    of its polygons, which are lists of rings, the outer one and then the holes:
    arrays of float32, shape (n, 2), of x and y. They are closed, and are parts
    of `rings`.

    Attributes
    ----------
    labels : array of int, shape (number of labels,)
        The labels, ascending.
    areas : array of float64, shape (number of labels,)
        Of the labels, in pixels, without holes.
    rings : sequence of array
        All rings, one label's after the other's, of one array ``rings.points``,
        in which each begins at its ``rings.offsets``; `Contours` of labels on a
        GPU, whose arrays are there.
    ring_labels : array of int, shape (number of rings,)
        Whose each ring is.
    parents : array of int, shape (number of rings,)
        Of a hole the number of its outer ring. Of an outer ring -1, or with
        ``hierarchy=True`` the number of the hole of the same label that it lies
        in.
    ring_areas : array of float64, shape (number of rings,)
        In pixels, negative of holes.

    All but the rings are on the host, where they come at the first use.
    """

    __slots__ = ('_numbers',)

    # as of other results: items are arrays, which do not compare to one bool
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, rings, records):
        super().__init__(rings, records)
        self._numbers = None

    @property
    def labels(self):
        labels = self._records['class_id']
        return labels[numpy.append(True, labels[1:] != labels[:-1])] \
            if len(labels) else labels.copy()

    @property
    def areas(self):
        firsts = self._firsts()[:-1]
        return numpy.add.reduceat(self._records['area'], firsts) \
            if len(firsts) else numpy.zeros(0)

    @property
    def ring_labels(self):
        return self._records['class_id'].copy()

    def _firsts(self):
        labels = self._records['class_id']
        return numpy.append(numpy.searchsorted(labels, self.labels),
                            len(labels))

    def _number_of(self):
        if self._numbers is None:
            self._numbers = {label: i
                             for i, label in enumerate(self.labels.tolist())}
        return self._numbers

    def __len__(self):
        return len(self._number_of())

    def __iter__(self):
        return iter(self._number_of())

    def __contains__(self, label):
        return label in self._number_of()

    def __getitem__(self, label):
        return self._polygons(self._number_of()[label])

    def __reduce__(self):
        return _restored, (self.rings, self._records.tobytes())

    def __repr__(self):
        return '<polygons of %d labels on %s>' % (len(self), self.device)


def _restored(rings, records):
    return LabelPolygons(rings, OnHost(records))


# What is given

def _refuse(dtype):
    raise TypeError("labels are integers, and not %s: labels.astype('int32') "
                    'has them if they are whole numbers' % dtype)


def _check_shape(shape):
    if len(shape) == 2:
        return
    hint = ''
    if len(shape) == 3:
        hint = ': labels[..., 0] is a plane of it' \
            if shape[2] < min(5, shape[0]) else \
            ': labels[0] is the first of its %d planes' % shape[0]
    raise ValueError('labels have shape (rows, columns), and not %s%s'
                     % (tuple(shape), hint))


def _filled(array, missing, background):
    """Labels with what is missing as the background, or below 0, where there
    are no polygons."""
    if 0 <= background <= (1 if array.dtype.kind == 'b'
                           else numpy.iinfo(array.dtype).max):
        value = background
    else:
        value = -1
        if array.dtype.kind != 'i':
            if array.itemsize == 8:     # labels that do not fit are too large
                array = numpy.minimum(array, array.dtype.type(2 ** 63 - 1))
            array = array.astype('i%d' % min(2 * array.itemsize, 8))
    return array if missing is None else numpy.where(
        missing, array.dtype.type(value), array)


def host_labels(given, background):
    """In a type and an order that are read."""
    array, missing = without_mask(given)
    if array.dtype.kind not in 'iub':
        _refuse(array.dtype)
    _check_shape(array.shape)
    if missing is not None or numpy.ma.isMaskedArray(given):
        array = _filled(array, missing, background)
    array = array.astype(array.dtype.newbyteorder('='), copy=False)
    plain = array.flags.aligned and all(
        n >= 0 and n % array.itemsize == 0 for n in array.strides)
    return array if plain else array.copy()


def check_device(given):
    _check_shape(_engines.shape_of(given))
    try:
        name = _engines.dtype_of(given)
    except AttributeError:
        return                  # with a type that only its capsule tells
    if not name.startswith(('int', 'uint', 'bool')):
        _refuse(name)


def _integer(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError('%s is an integer, and not %r'
                        % (name, value)) from None


def _wanted(index):
    """As find_labels() takes them."""
    if index is None:
        return None
    array = _engines.to_host(index)
    if array.size == 0:
        return b''
    if array.dtype.kind == 'b':
        raise TypeError('index has labels, and not bool: numpy.flatnonzero() '
                        'makes them')
    if array.dtype.kind not in 'iu':
        raise TypeError('index has labels, which are integers, and not %s'
                        % array.dtype)
    array = array[(array >= 0) & (array <= _MAX_LABEL)]
    return numpy.unique(array).astype('u4').tobytes()


def _settings(outline, background, min_area, hierarchy, index):
    if not isinstance(outline, str) or outline not in _OUTLINES:
        raise ValueError('outline is "contours" or "pixels", and not %r'
                         % (outline,))
    background = -1 if background is None else _integer('background',
                                                        background)
    return (_OUTLINES[outline], background, min_area, bool(hierarchy),
            _wanted(index))


@contextlib.contextmanager
def with_advice():
    try:
        yield
    except ValueError as error:
        if 'number the labels anew' not in str(error):
            raise
        raise ValueError('%s, as skimage.segmentation.relabel_sequential() '
                         'does' % error) from None


def label_polygons(labels, *, outline='contours', background=0, min_area=0.,
                   hierarchy=False, index=None, backend='auto', stream=None):
    """Polygons of all labels of a picture of integers, in one pass.

    Parameters
    ----------
    labels : array of int, shape (rows, columns)
        Of any integer type, or Boolean: what each pixel belongs to, 0 to
        2^31 - 1. Labels below 0, and what a mask of numpy.ma hides, belong to
        nothing. An array on a GPU is read there.
    outline : {'contours', 'pixels'}
        'contours': points halfway between two pixels' centres, as
        `find_contours()` of each label alone. 'pixels': the pixels' outlines, a
        point at each corner; polygons tile the picture, and their areas are
        numbers of pixels.
    background : int or None
        A label that has no polygons. With None all have.
    min_area : float
        Smaller rings, of labels and of holes, are left out, in pixels squared.
    hierarchy : bool
        Find the hole of the same label that an outer ring lies in, too.
    index : int or sequence of int, optional
        The labels that are wanted, as of SciPy's `ndimage`; all others are as
        the background.
    backend, stream
        As in `find_contours`.

    Returns
    -------
    LabelPolygons
        A mapping of labels to lists of polygons, which are lists of rings, the
        outer one and then the holes: ``shapely.Polygon(rings[0], rings[1:])``.
        Rings are closed arrays of float32, shape (n, 2), of x and y in pixels,
        and follow the picture's edge, at -.5 and columns - .5. Of labels on a
        GPU they are there, as arrays of the labels' library.

    Raises
    ------
    ValueError, TypeError
        For arguments that are not as above, and for labels that are larger.
    MemoryError
        Memory of the host or the GPU runs out.
    RuntimeError
        There is no such backend, or the GPU failed.

    Notes
    -----
    Pixels of a label are connected by their sides. 'contours' are those of
    scikit-image's ``find_contours(numpy.pad(labels == label, 1), .5)``, less
    1, each with the same first point: a straight edge has a point at each
    pixel, and a corner is cut by half a pixel's width, so that a single pixel
    has an area of .5, and labels do not tile the picture where three of them
    meet. 'pixels' pass a corner twice where a label meets itself:
    ``shapely.make_valid()`` cuts them there, and changes nothing else. The
    time depends on pixels and borders, and not on the number of labels.
    Results are equal on the CPU and on GPUs, bit for bit.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[7, 7, 7], [7, 3, 7], [7, 7, 7]])
    >>> found = label_polygons(labels, outline='pixels')
    >>> [(label, [len(rings) for rings in polygons])
    ...  for label, polygons in found.items()]
    [(3, [1]), (7, [2])]
    >>> found.areas
    array([1., 8.])
    """
    settings = _settings(outline, background, min_area, hierarchy, index)
    device = _engines.device_of(labels)
    with with_advice():
        if device is None:
            points, offsets, records = _engines.engine(backend).find_labels(
                host_labels(labels, settings[1]), *settings, 0, False)
            return LabelPolygons(Rings(points, offsets), records)
        check_device(labels)
        points, offsets, records = _engines.on_device(
            _engines.device_engine(backend, device), 'find_labels', labels,
            stream, *settings)
    return LabelPolygons(Contours(_engines.Library.of(labels), points, offsets,
                                  False), records)


def _each_strip(strips, background):
    dtype = shape = None
    for number, given in enumerate(strips):
        if _engines.device_of(given) is not None:
            raise ValueError(
                'strip %d is on a GPU, and strips are for the CPU: copy it to '
                'the host, as by cupy.asnumpy() or tensor.cpu()' % number)
        strip = host_labels(given, background)
        if dtype is None:
            dtype, shape = strip.dtype, strip.shape
        if strip.shape[1] != shape[1]:
            raise ValueError(
                'strip %d has %d columns, and those before it %d: strips are '
                'as wide as the picture' % (number, strip.shape[1], shape[1]))
        if strip.dtype != dtype:
            raise TypeError('strip %d is of %s, and those before it of %s: '
                            'convert it' % (number, strip.dtype, dtype))
        yield strip


def label_polygons_of_strips(strips, *, outline='contours', background=0,
                             min_area=0., hierarchy=False, index=None):
    """Polygons of all labels of a picture that is larger than memory.

    Parameters
    ----------
    strips : iterable of array of int, shape (rows, columns)
        The picture, from the top down: any number of rows at a time, and all
        columns. Each strip is needed until the next is asked for. They are on
        the host, and of one type.
    outline, background, min_area, hierarchy, index
        As in `label_polygons`.

    Returns
    -------
    LabelPolygons
        That of the whole picture, computed on the CPU. Memory does not depend
        on the number of pixels: it is a few times that of the result.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `label_polygons`, and what `strips` raises.

    Examples
    --------
    >>> import numpy as np
    >>> strips = (np.array([[5, 5, row]]) for row in range(4))
    >>> found = label_polygons_of_strips(strips, outline='pixels')
    >>> found.labels, found.areas
    (array([1, 2, 3, 5], dtype=int32), array([1., 1., 1., 8.]))
    """
    settings = _settings(outline, background, min_area, hierarchy, index)
    with with_advice():
        points, offsets, records = _engines.engine(
            'cpu').find_labels_of_strips(_each_strip(strips, settings[1]),
                                         *settings, 0, False)
    return LabelPolygons(Rings(points, offsets), records)
