# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convex hulls of points."""

import struct

import numpy

from cudashapes import _engines
from cudashapes._contours import refuse_unreal, typed, with_nan
from cudashapes._given import (
    as_array, flat, geometry, rings, rounded, rounded_in_list, without_mask)
from cudashapes._hullmeasures import HullMeasures

_COORDINATES = {'bool': 'int32', 'int8': 'int32', 'int16': 'int32',
                'uint8': 'int32', 'uint16': 'int32', 'int32': 'int32',
                'float16': 'float32', 'float32': 'float32'}

_RECORD = struct.Struct('=6i10d')
_MEASURES = struct.Struct('=15d')


def _moved(values, by):
    """x, y, x, y ... moved; the integers that they may be stay exact."""
    return tuple(float(int(v) + d) if v == int(v) else v + d
                 for v, d in zip(values, by * (len(values) // 2)))


class ConvexHull:
    """What `convex_hull` returns.

    Attributes
    ----------
    points : array, shape (n, 2)
        Those given.
    vertices : array of int32
        Indices of the hull's vertices, counter-clockwise with y up (clockwise
        on a screen), from the one with the smallest x (then y).
    simplices : numpy.ndarray, shape (number of edges, 2)
        Indices of the ends of each edge, on the host.
    area, perimeter : float
        In pixels squared and pixels. SciPy calls them volume and area.
    centroid : tuple
        (x, y).
    bbox : tuple
        (x0, y0, x1, y1).
    feret, feret_directions : tuple
        Smallest and largest diameter; the unit vector along each.
    rect : tuple
        The rectangle of minimum area, as OpenCV writes it: its centre, (width,
        height), degrees from the x axis to its width, clockwise on a screen.
    circle : tuple
        The smallest enclosing circle: its centre and radius.
    n_ignored : int
        Points that were NaN, infinite or masked.
    """

    _NAMES = ('area', 'perimeter', 'centroid', 'bbox', 'feret',
              'feret_directions', 'rect', 'circle')

    def __init__(self, points, vertices, there, n_ignored, measure):
        self.points = points
        self.vertices = vertices
        self._there = there
        self.n_ignored = n_ignored
        self._measure = measure

    def __getattr__(self, name):
        # of points on a GPU fetched at the first use
        measure = self.__dict__.get('_measure')
        if measure is None or name not in self._NAMES:
            raise AttributeError("'ConvexHull' object has no attribute %r"
                                 % name)
        del self._measure
        measure(self)
        return self.__dict__[name]

    def _take(self, record, measures):
        values = _RECORD.unpack(record)
        self.area, self.perimeter = values[7:9]
        self.centroid = values[9:11]
        self.bbox = values[11:15]
        measures = HullMeasures(_MEASURES.unpack(measures))
        self.feret = measures.feret
        self.feret_directions = measures.feret_directions
        self.rect = measures.rect
        self.circle = measures.circle

    def __getstate__(self):
        if self.__dict__.get('_measure') is not None:
            self.area           # which fetches all measures
        return self.__dict__

    @property
    def simplices(self):
        vertices = numpy.asarray(self._there.copy_to_host()) \
            if self._there is not None else self.vertices
        if len(vertices) < 2:
            return numpy.empty((0, 2), 'int32')
        return numpy.stack((vertices, numpy.roll(vertices, -1)), 1)

    def _move(self, offset):
        if not any(offset):
            return
        self.centroid = _moved(self.centroid, offset)
        self.bbox = _moved(self.bbox, offset)
        centre, *size = self.rect
        self.rect = (_moved(centre, offset), *size)
        centre, radius = self.circle
        self.circle = (_moved(centre, offset), radius)

    def _scale(self, exponent):
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


def _is_part(item):
    return geometry(item) is not None or (
        isinstance(item, numpy.ndarray) and item.ndim > 1)


def _join(parts):
    """Points and masks one after the other, in a type that has them all."""
    if len({part.dtype for part, _ in parts}) > 1:
        for i, (part, _) in enumerate(parts):
            refuse_unreal(part, 'points')
            if rounded(part) is not None:
                raise ValueError('item %d has points that are no doubles' % i)
        parts = [(part.astype('f8'), missing) for part, missing in parts]
    masks = [numpy.zeros(len(part), bool) if missing is None else missing
             for part, missing in parts]
    joined = numpy.concatenate(masks)
    return (numpy.concatenate([part for part, _ in parts]),
            joined if joined.any() else None)


def _hull_points(given):
    """(n, 2) points of an array, a geometry, or a list of these; and which of
    them are masked, or None."""
    mapping = geometry(given)
    if mapping is not None:
        given = [as_array(ring)
                 for outline, _, holes in rings(mapping)
                 for ring in [outline, *holes] if len(ring)]
    if isinstance(given, (list, tuple)) and len(given) and all(
            _is_part(item) for item in given):
        return _join([_hull_points(item) for item in given])
    points, missing = without_mask(given)
    if not points.size and points.ndim == 1:
        points = points.reshape(0, 2)
    points = flat(points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError('points have shape (n, 2) or (n, 1, 2), not %s'
                         % (points.shape,))
    lost = rounded_in_list(given, points)
    if lost is not None:
        _refuse_rounded(numpy.asarray(given, object), lost)
    return points, None if missing is None else flat(missing).any(axis=1)


def _refuse_rounded(points, lost):
    at = int(numpy.flatnonzero(lost.any(axis=1))[0])
    raise ValueError(
        "point %d, (%s, %s), is no pair of doubles, and the hull is exact: "
        "subtract an offset, or round the points with astype('float64')"
        % (at, *points[at]))


def _exact(points, missing):
    """Points without any that double precision would round, and what has been
    subtracted from them."""
    lost = rounded(points)
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
    _refuse_rounded(points, lost)


def _find(numbers, include_collinear, engine):
    if len(numbers) > 1 and (numbers.strides[1] != numbers.itemsize
                             or numbers.strides[0] < 2 * numbers.itemsize):
        numbers = numbers.copy('C')
    return engine.convex_hull(numbers, include_collinear, 0, False)


def _measure(hull, record, measures, corners, engine):
    """Takes the measures; those that products of coordinates over- or
    underflow of are measured again, as large as 1."""
    hull._take(record, measures)
    if corners.dtype != 'float64' or not len(corners):
        return
    largest, extent = numpy.abs(corners).max(), numpy.abs(
        corners / 2 - corners[0] / 2).max()
    if extent == 0 or (largest < 2. ** 300 and extent > 2. ** -300):
        return
    exponent = int(numpy.frexp(extent)[1]) + 1
    first = numpy.ldexp(corners[0], -exponent)
    _, _, record, measures, _ = _find(
        numpy.ldexp(corners, -exponent) - first, False, engine)
    hull._take(record, measures)
    hull._move(tuple(first.tolist()))
    hull._scale(exponent)


def _check_found(vertices):
    if not len(vertices):
        raise ValueError('there is no finite point')


def _hull_on_device(points, device, include_collinear, backend, stream):
    shape = _engines.shape_of(points)
    if len(shape) == 3 and shape[1] == 1 and hasattr(points, 'reshape'):
        points = points.reshape(shape[0], shape[2])
    engine = _engines.device_engine(backend, device)
    vertices, corners, record, measures, n_ignored = _engines.on_device(
        engine, 'convex_hull', points, stream, include_collinear)
    _check_found(vertices)

    def measure(hull):
        _measure(hull, record.copy_to_host(), measures.copy_to_host(),
                 numpy.asarray(corners.copy_to_host()),
                 _engines.engine('cpu'))

    return ConvexHull(points, _engines.Library.of(points).array(vertices),
                      vertices, n_ignored, measure)


def convex_hull(points, *, include_collinear=False, backend='auto',
                stream=None):
    """Find the exact convex hull, as scipy.spatial.ConvexHull in 2-D.

    Parameters
    ----------
    points : array, shape (n, 2) or (n, 1, 2)
        x and y of any real type; NaN, infinite and masked ones (numpy.ma) are
        ignored. Also a geometry that has `__geo_interface__`, as Shapely's, or
        a list of such arrays or geometries. An array on a GPU has int32,
        float32 or float64.
    include_collinear : bool
        Also give the points on the hull's edges.
    backend : {'auto', 'cuda', 'cuda:N', 'cpu'}
        Where an array of the host is computed: with 'auto' on the first GPU if
        there is one, or on the CPU where few points are sooner done. An array
        on a GPU is computed there.
    stream : int or stream, optional
        Of an array on a GPU: the CUDA stream in whose order it is ready.

    Returns
    -------
    ConvexHull
        One point or several equal ones have one vertex, collinear points two.
        Of points on a GPU, vertices are there; measures are fetched when they
        are asked for.

    Raises
    ------
    ValueError
        For another shape, when no point is finite, and for points that double
        precision would round.
    TypeError
        For another type.
    MemoryError
        Memory of the host or the GPU runs out.
    RuntimeError
        There is no such backend, or the GPU failed.

    Notes
    -----
    The hull is exact for all finite float64, for integers up to 2^53, and for
    larger ones, too, if their largest and smallest x, and y, differ by at most
    2^53. The measures are those of double precision; an area beyond its range
    is infinite or 0.

    Examples
    --------
    >>> hull = convex_hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)])
    >>> hull.vertices.tolist(), hull.area
    ([0, 1, 3, 4], 4.0)
    """
    device = _engines.device_of(points)
    if device is not None:
        return _hull_on_device(points, device, bool(include_collinear),
                               backend, stream)
    points, missing = _hull_points(points)
    exact, offset = _exact(points, missing)
    numbers = typed(with_nan(exact, missing), 'points', _COORDINATES)
    engine = _engines.engine(backend)
    vertices, corners, record, measures, n_ignored = _find(
        numbers, bool(include_collinear), engine)
    _check_found(vertices)
    hull = ConvexHull(points, numpy.asarray(vertices), None, n_ignored, None)
    _measure(hull, record, measures, numpy.asarray(corners), engine)
    hull._move(offset)
    return hull
