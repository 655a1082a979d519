# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and hulls of numpy arrays, without a pipeline."""

import threading

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import (
    HULL_MEASURES, POLYLINE, POLYLINE_DESCR, HullMeasures, ShapeArray, raise_for,
    require)

GstShapes = get_introspection_module('GstShapes')

__all__ = ['find_contours', 'find_bands', 'convex_hull', 'ConvexHull']

_engines = {}
_engines_lock = threading.Lock()

_NUMBERS = {
    'uint8': GstShapes.ShapeNumber.U8,
    'uint16': GstShapes.ShapeNumber.U16,
    'int32': GstShapes.ShapeNumber.I32,
    'float16': GstShapes.ShapeNumber.F16,
    'float32': GstShapes.ShapeNumber.F32,
    'float64': GstShapes.ShapeNumber.F64,
}
# Types that are computed in another one, which holds all their values.
_SAMPLES = {'int8': 'float32', 'int16': 'float32'}
_COORDINATES = {'bool': 'int32', 'int8': 'int32', 'int16': 'int32',
                'uint8': 'int32', 'uint16': 'int32', 'int32': 'int32',
                'float16': 'float32', 'float32': 'float32'}


def _engine(backend):
    if isinstance(backend, GstShapes.ShapeEngine):
        return backend
    engine = _engines.get(backend)
    if engine is None:
        with _engines_lock:
            engine = _engines.get(backend)
            if engine is None:
                try:
                    engine = GstShapes.ShapeEngine.new(backend, -1)
                except GLib.Error as error:
                    raise_for(error)
                _engines[backend] = engine
    return engine


def _refuse_unreal(array, what):
    if array.dtype.kind not in 'buif':
        raise TypeError('%s of %s: only real numbers are possible'
                        % (what, array.dtype.name))


def _typed(array, what, types, default='float64'):
    """array in a type that the library reads, in native byte order."""
    _refuse_unreal(array, what)
    array = array.astype(types.get(array.dtype.name, default), copy=False)
    return array if array.flags.aligned else array.copy()


def _samples(image):
    if image.dtype.kind == 'b':
        return image.view('uint8')
    name = image.dtype.name
    types = _SAMPLES if name in _SAMPLES else {
        n: n for n in ('uint8', 'uint16', 'float16', 'float32')}
    return _typed(image, 'an image', types)


def _view(array):
    """A ShapeImage of a 2-D or 3-D array, and the array whose memory it is."""
    rows, columns, channels = array.shape + (1,) * (3 - array.ndim)
    row, column = array.strides[:2]
    # anything but rows from the top and columns from the left is copied
    if column < array.itemsize or row < columns * column or (
            array.ndim == 3 and array.strides[2] < array.itemsize):
        array = array.copy()
        row, column = array.strides[:2]
    image = GstShapes.ShapeImage()
    image.data = array.ctypes.data
    image.type = _NUMBERS[array.dtype.name]
    image.width = columns
    image.height = rows
    image.channels = channels
    image.pixel_stride = column
    image.row_stride = row
    image.channel_stride = array.strides[2] if array.ndim == 3 \
        else array.itemsize
    return image, array


def _check_image(image):
    if image.ndim not in (2, 3):
        raise ValueError('an image has 2 dimensions, not %d' % image.ndim)
    if image.shape[0] < 2 or image.shape[1] < 2:
        raise ValueError('an image has at least 2 x 2 pixels, not %d x %d'
                         % image.shape[:2])
    if image.ndim == 3 and image.shape[2] == 0:
        raise ValueError('the image has no channels')


def _check_mask(mask, image):
    if mask.dtype.kind != 'b':
        raise TypeError('the mask must be a binary array (bool), not %s'
                        % mask.dtype)
    if mask.shape != image.shape[:2]:
        raise ValueError('image and mask must have the same shape, not %s and %s'
                         % (image.shape[:2], mask.shape))


def _with_nan(image, missing):
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


def _check_exact(numpy, image, missing, given):
    """Integers that are no doubles are refused: a level cannot be told from
    them."""
    lost = take.rounded(image) if image.dtype.kind in 'iu' else \
        take.rounded_in_list(given, image)
    if lost is not None and missing is not None:
        lost &= ~missing
    if lost is not None and lost.any():
        at = tuple(int(i[0]) for i in numpy.nonzero(lost))
        exact = given if image.dtype.kind == 'f' else image
        raise ValueError(
            "image%s is %s, which is no double: subtract an offset from the "
            "image, or round it with astype('float64')"
            % (list(at), numpy.asarray(exact, object)[at]))


def _midrange(numpy, image):
    """Of each channel, NaN and masked pixels as scikit-image sees them."""
    low, high = (reduce(image, axis=(0, 1)) for reduce in
                 (numpy.fmin.reduce, numpy.fmax.reduce))
    with numpy.errstate(all='ignore'):
        middle = (numpy.float64(low) + numpy.float64(high)) / 2
    return numpy.atleast_1d(middle)


def _doubles(numpy, name, values):
    """Of numbers, none of which is rounded or masked."""
    array, missing = take.without_mask(values)
    if missing is not None:
        raise ValueError('%s is masked' % name)
    lost = take.rounded(array) if array.dtype.kind in 'iu' else \
        take.rounded_in_list(values, array)
    if lost is not None:
        raise ValueError('%s is no double' % name)
    if array.dtype.kind not in 'buif':
        raise TypeError('%s of %s: only real numbers are possible'
                        % (name, array.dtype))
    return array.astype('f8')


def _levels(numpy, level, image, masked):
    """The levels to pass; [] for what the library finds itself."""
    if level is None:
        # The library does not count masked samples, scikit-image does.
        return _midrange(numpy, image).tolist() if masked else []
    levels = _doubles(numpy, 'level', level)
    channels = image.shape[2] if image.ndim == 3 else 1
    if levels.ndim > 1 or (levels.ndim == 1 and len(levels) != channels):
        raise ValueError('level is a number or one for each of %d channels'
                         % channels)
    levels = levels.reshape(-1).tolist()
    if not all(map(numpy.isfinite, levels)):
        raise ValueError('level must be finite')
    return levels


def contours_flags(fully_connected, positive_orientation, as_xy):
    """ShapeContoursFlags of find_contours()' arguments."""
    for name, value in (('fully_connected', fully_connected),
                        ('positive_orientation', positive_orientation)):
        if value not in ('low', 'high'):
            raise ValueError('%s is "low" or "high", not %r' % (name, value))
    flags = GstShapes.ShapeContoursFlags
    value = 0 if as_xy else int(flags.ROWS_FIRST)
    if fully_connected == 'high':
        value |= int(flags.FULLY_CONNECTED_HIGH)
    if positive_orientation == 'high':
        value |= int(flags.POSITIVE_ORIENTATION_HIGH)
    return flags(value)


def _array(numpy, result, which, columns, typestr, size, descr=None):
    """An array of result in place, which keeps it alive and may be written."""
    address, n = result.get_address(which)
    if not address:
        return None
    shape = (n, columns) if columns else (n,)
    return numpy.asarray(ShapeArray(result, address, shape, size, typestr,
                                    descr, writable=True))


def split(numpy, result):
    """The points of each polyline."""
    parts = GstShapes.ShapeArrayType
    points = _array(numpy, result, parts.POINTS, 2, 'f8', 16)
    offsets = _array(numpy, result, parts.OFFSETS, 0, 'u4', 4)
    if points is None or offsets is None:
        return []
    ends = offsets.tolist()
    return [points[first:end] for first, end in zip(ends, ends[1:])]


def records_of(numpy, result):
    """The records of the polylines."""
    found = _array(numpy, result, GstShapes.ShapeArrayType.POLYLINES, 0,
                   '|V%d' % POLYLINE.size, POLYLINE.size, POLYLINE_DESCR)
    return numpy.zeros(0, POLYLINE_DESCR) if found is None else found


def _records(result):
    """The fields of each polyline, as POLYLINE has them."""
    address, n = result.get_address(GstShapes.ShapeArrayType.POLYLINES)
    if not address:
        return iter(())
    return POLYLINE.iter_unpack(ShapeArray(
        result, address, (n,), POLYLINE.size,
        '|V%d' % POLYLINE.size).memoryview())


def _split_channels(numpy, result, channels):
    found = [[] for _ in range(channels)]
    for contour, record in zip(split(numpy, result), _records(result)):
        found[record[2]].append(contour)
    return found


def _split_bands(numpy, result, levels, channels):
    found = [[[] for _ in levels[1:]] for _ in range(channels)]
    bands = {level: i for i, level in enumerate(levels)}
    for ring, record in zip(split(numpy, result), _records(result)):
        polygons = found[record[2]][bands[record[6]]]
        # holes follow their outer ring
        if record[1] >= 0:
            polygons[-1].append(ring)
        else:
            polygons.append([ring])
    return found


def _unmask(numpy, given, mask):
    image, missing = take.without_mask(given)
    _check_exact(numpy, image, missing, given)
    if numpy.ma.isMaskedArray(mask):
        # what is not known to be used is not
        mask = mask.filled(False) if mask.dtype.kind == 'b' else mask.data
    return _with_nan(image, missing), mask


def _take_image(numpy, image, channel_axis, mask):
    """image with its channels last, and mask, as arrays that fit; what
    numpy.ma masks of image is NaN."""
    image, mask = _unmask(numpy, image, mask)
    if channel_axis is not None and image.ndim == 3:
        image = numpy.moveaxis(image, channel_axis, 2)
    elif channel_axis is not None or image.ndim == 3:
        raise ValueError('an image has 2 dimensions, or 3 and a channel_axis')
    _check_image(image)
    if mask is not None:
        mask = numpy.asarray(mask)
        _check_mask(mask, image)
    return image, mask


def find(samples, mask, levels, flags, backend):
    """The ShapeResult of an array and a mask that fit."""
    view, samples = _view(samples)
    mask_view = None
    if mask is not None:
        mask_view, mask = _view(mask.view('uint8'))
    try:
        return _engine(backend).find_contours(view, mask_view, levels, flags)
    except GLib.Error as error:
        raise_for(error)


def find_contours(image, level=None, fully_connected='low',
                  positive_orientation='low', *, mask=None,
                  channel_axis=None, as_xy=False, backend='auto'):
    """Iso-contours, as skimage.measure.find_contours, on a GPU or the CPU.

    image: (rows, columns) of any real type, computed in double precision; NaN
    and what a numpy.ma mask hides yield no contours. Integers that are no
    doubles, some beyond 2^53, are refused
    channel_axis: None, or which of image's three axes is the channels', as -1
    for (rows, columns, channels): then all channels are computed at once
    level: the value to follow; with channels also one for each; None for the
    middle between the smallest and the largest sample of each channel
    fully_connected, positive_orientation: 'low' or 'high'
    mask: (rows, columns) bool; contours only where it is True. numpy.ma's own
    mask means the opposite; both count
    as_xy: points are x, y, as in shapes, and not row, column
    backend: 'auto', 'cuda', 'cpu', or a GstShapes.ShapeEngine

    Returns a list of contours, (n, 2) float64 arrays of coordinates in pixels,
    in raster order; the first point of a closed one is repeated at its end.
    With channels, a list of such lists, one for each.

    Raises ValueError and TypeError for arguments that are not as above,
    MemoryError, and RuntimeError when there is no such backend. Any number of
    threads may call this at the same time.
    """
    numpy = require('numpy', 'find_contours()')
    image, mask = _take_image(numpy, image, channel_axis, mask)
    flags = contours_flags(fully_connected, positive_orientation, as_xy)
    samples = _samples(image)
    levels = _levels(numpy, level, samples, mask is not None)
    channels = image.shape[2] if image.ndim == 3 else 0
    if not all(map(numpy.isfinite, levels)):
        # A middle of nothing or of infinities: nothing crosses it.
        return [[] for _ in range(channels)]
    result = find(samples, mask, levels, flags, backend)
    if channels:
        return _split_channels(numpy, result, channels)
    return split(numpy, result)


def _band_levels(numpy, levels):
    levels = _doubles(numpy, 'levels', levels)
    if levels.ndim != 1 or len(levels) < 2:
        raise ValueError('levels are at least two numbers')
    if not numpy.isfinite(levels).all() or (levels[1:] <= levels[:-1]).any():
        raise ValueError('levels must be finite and ascend')
    return levels.tolist()


def find_bands(image, levels, fully_connected='low', *, mask=None,
               channel_axis=None, as_xy=False, backend='auto'):
    """Iso-bands: polygons that fill what is between neighbouring levels.

    image, fully_connected, mask, channel_axis, as_xy, backend: as in
    find_contours()
    levels: at least two, ascending; a band is above the lower one, and not
    above the upper one

    Returns a list with one item for each band: a list of its polygons, which
    are lists of rings, the outer one and then the holes; rings are closed
    (n, 2) float64 arrays. The polygons are valid for Shapely:
    Polygon(rings[0], rings[1:]). With channels, a list of such lists, one for
    each.

    Raises what find_contours() does.
    """
    numpy = require('numpy', 'find_bands()')
    image, mask = _take_image(numpy, image, channel_axis, mask)
    flags = GstShapes.ShapeContoursFlags(
        int(contours_flags(fully_connected, 'low', as_xy))
        | int(GstShapes.ShapeContoursFlags.BANDS))
    levels = _band_levels(numpy, levels)
    result = find(_samples(image), mask, levels, flags, backend)
    channels = image.shape[2] if image.ndim == 3 else 1
    found = _split_bands(numpy, result, levels, channels)
    return found if image.ndim == 3 else found[0]


class ConvexHull:
    """What convex_hull() returns.

    points: those given, (n, 2)
    vertices: indices of the hull's vertices, int32, counter-clockwise with y
    up (clockwise on a screen), from the one with the smallest x (then y)
    simplices: indices of the ends of each edge, (number of edges, 2)
    area, perimeter: in pixels squared and pixels; note that SciPy calls them
    volume and area
    centroid: (x, y); bbox: (x0, y0, x1, y1)
    feret, feret_directions, rect, circle: as in HullMeasures
    n_ignored: points that were NaN, infinite or masked
    """

    def __init__(self, points, vertices, record, measures, n_ignored):
        self.points = points
        self.vertices = vertices
        self.n_ignored = n_ignored
        self._take(record, measures)

    def _take(self, record, measures):
        self.area, self.perimeter = record[7:9]
        self.centroid = record[9:11]
        self.bbox = record[11:15]
        self.feret = measures.feret
        self.feret_directions = measures.feret_directions
        self.rect = measures.rect
        self.circle = measures.circle

    @property
    def simplices(self):
        numpy = require('numpy', 'simplices')
        if len(self.vertices) < 2:
            return numpy.empty((0, 2), 'int32')
        return numpy.stack((self.vertices, numpy.roll(self.vertices, -1)), 1)

    def _move(self, offset):
        if not any(offset):
            return
        self.centroid = _moved(self.centroid, offset)
        self.bbox = _moved(self.bbox, offset)
        centre, *size = self.rect
        self.rect = (_moved(centre, offset), *size)
        centre, radius = self.circle
        self.circle = (_moved(centre, offset), radius)

    def _scale(self, numpy, exponent):
        """All lengths times 2^exponent."""
        def scaled(values, power=1):
            with numpy.errstate(over='ignore', under='ignore'):
                return numpy.ldexp(values, power * exponent).tolist()

        self.area = scaled(self.area, 2)
        self.perimeter = scaled(self.perimeter)
        self.centroid = tuple(scaled(self.centroid))
        self.bbox = tuple(scaled(self.bbox))
        self.feret = tuple(scaled(self.feret))
        center, size, angle = self.rect
        self.rect = (tuple(scaled(center)), tuple(scaled(size)), angle)
        center, radius = self.circle
        self.circle = (tuple(scaled(center)), scaled(radius))

    def __repr__(self):
        return '<hull of %d vertices, area %g>' % (len(self.vertices),
                                                   self.area)


def _is_part(numpy, item):
    return take.geometry(item) is not None or (
        isinstance(item, numpy.ndarray) and item.ndim > 1)


def _join(numpy, parts):
    """Points and masks one after the other, in a type that has them all."""
    if len({part.dtype for part, _ in parts}) > 1:
        for i, (part, _) in enumerate(parts):
            _refuse_unreal(part, 'points')
            if take.rounded(part) is not None:
                raise ValueError('item %d has points that are no doubles' % i)
        parts = [(part.astype('f8'), missing) for part, missing in parts]
    masks = [numpy.zeros(len(part), bool) if missing is None else missing
             for part, missing in parts]
    joined = numpy.concatenate(masks)
    return (numpy.concatenate([part for part, _ in parts]),
            joined if joined.any() else None)


def _hull_points(numpy, given):
    """(n, 2) points of an array, a geometry, or a list of these; and which of
    them are masked, or None."""
    mapping = take.geometry(given)
    if mapping is not None:
        given = [take.as_array(ring)
                 for outline, _, holes in take.rings(mapping)
                 for ring in [outline, *holes] if len(ring)]
    if isinstance(given, (list, tuple)) and len(given) and all(
            _is_part(numpy, item) for item in given):
        return _join(numpy, [_hull_points(numpy, item) for item in given])
    points, missing = take.without_mask(given)
    if not points.size and points.ndim == 1:
        points = points.reshape(0, 2)
    points = take.flat(points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError('points have shape (n, 2) or (n, 1, 2), not %s'
                         % (points.shape,))
    lost = take.rounded_in_list(given, points)
    if lost is not None:
        _refuse_rounded(numpy, numpy.asarray(given, object), lost)
    return points, None if missing is None else take.flat(missing).any(axis=1)


def _refuse_rounded(numpy, points, lost):
    at = int(numpy.flatnonzero(lost.any(axis=1))[0])
    raise ValueError(
        "point %d, (%s, %s), is no pair of doubles, and the hull is exact: "
        "subtract an offset, or round the points with astype('float64')"
        % (at, *points[at]))


def _exact(numpy, points, missing):
    """Points without any that double precision would round, and what has been
    subtracted from them."""
    lost = take.rounded(points)
    if lost is not None and missing is not None:
        lost[missing] = False
    if lost is None or not lost.any():
        return points, (0, 0)
    if points.dtype.kind in 'iu':
        known = points if missing is None else points[~missing]
        low = known.min(axis=0)
        if all(int(b) - int(a) <= 2 ** 53
               for a, b in zip(low, known.max(axis=0))):
            return points - low, tuple(low.tolist())
    _refuse_rounded(numpy, points, lost)


def _moved(values, by):
    """x, y, x, y ... moved; the integers that they may be stay exact."""
    return tuple(float(int(v) + d) if v == int(v) else v + d
                 for v, d in zip(values, by * (len(values) // 2)))


def _find_hull(numpy, numbers, include_collinear, backend):
    """vertices, record, measures, n_ignored"""
    if len(numbers) > 1 and (numbers.strides[1] != numbers.itemsize
                             or numbers.strides[0] < 2 * numbers.itemsize):
        numbers = numbers.copy('C')
    flags = GstShapes.ShapeHullFlags
    try:
        result = _engine(backend).convex_hull(
            numbers.ctypes.data if len(numbers) else None,
            _NUMBERS[numbers.dtype.name], len(numbers),
            numbers.strides[0] if len(numbers) > 1 else 0,
            flags.INCLUDE_COLLINEAR if include_collinear else flags.NONE)
    except GLib.Error as error:
        raise_for(error)
    parts = GstShapes.ShapeArrayType
    vertices = _array(numpy, result, parts.INDICES, 0, 'i4', 4)
    if vertices is None or len(vertices) == 0:
        raise ValueError('there is no finite point')
    record, measures = (
        layout.unpack(ShapeArray(result, result.get_address(which)[0], (1,),
                                 layout.size, '').memoryview())
        for which, layout in ((parts.POLYLINES, POLYLINE),
                              (parts.HULL_MEASURES, HULL_MEASURES)))
    return vertices, record, HullMeasures(measures), result.get_n_ignored()


def _measure_extremes(numpy, hull, corners, backend):
    """Measures again what products of coordinates over- or underflow of, as
    large as 1."""
    if corners.dtype != 'float64':
        return
    largest, extent = numpy.abs(corners).max(), numpy.abs(
        corners / 2 - corners[0] / 2).max()
    if extent == 0 or (largest < 2. ** 300 and extent > 2. ** -300):
        return
    exponent = int(numpy.frexp(extent)[1]) + 1
    first = numpy.ldexp(corners[0], -exponent)
    _vertices, record, measures, _n = _find_hull(
        numpy, numpy.ldexp(corners, -exponent) - first, False, backend)
    hull._take(record, measures)
    hull._move(tuple(first.tolist()))
    hull._scale(numpy, exponent)


def convex_hull(points, *, include_collinear=False, backend='auto'):
    """The exact convex hull of points, as scipy.spatial.ConvexHull in 2-D.

    points: (n, 2) x and y, any real type, or OpenCV's (n, 1, 2); a geometry
    that has __geo_interface__, as Shapely's; or a list of such arrays or
    geometries. NaN, infinite and masked ones (numpy.ma) are ignored
    include_collinear: also the points on the hull's edges
    backend: 'auto', 'cuda', 'cpu', or a GstShapes.ShapeEngine

    Returns a ConvexHull. One point or several equal ones have one vertex,
    collinear points two.

    The measures are those of double precision; an area beyond its range is
    infinite or 0.

    It is exact for all finite float64, for integers up to 2^53, and for larger
    ones, too, if their largest and smallest x, and y, differ by at most 2^53.
    Other points that double precision would round are refused.

    Raises ValueError for another shape, when no point is finite and for points
    that would be rounded, TypeError for another type, MemoryError,
    RuntimeError when there is no such backend.
    """
    numpy = require('numpy', 'convex_hull()')
    points, missing = _hull_points(numpy, points)
    exact, offset = _exact(numpy, points, missing)
    numbers = _typed(_with_nan(exact, missing), 'points', _COORDINATES)
    vertices, record, measures, n_ignored = _find_hull(
        numpy, numbers, include_collinear, backend)
    hull = ConvexHull(points, vertices, record, measures, n_ignored)
    _measure_extremes(numpy, hull, numbers[vertices], backend)
    hull._move(offset)
    return hull
