# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets made of polygons."""

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides._gstshapes_arrays import POLYLINE_DESCR, require

GstShapes = get_introspection_module('GstShapes')


def _points(numpy, number, polygon, closed):
    try:
        points = numpy.asarray(polygon, 'f8')
    except (TypeError, ValueError) as error:
        raise TypeError('polygon %d: %s' % (number, error)) from None
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        raise ValueError('polygon %d has shape %s, not (n, 2)'
                         % (number, points.shape))
    if not numpy.isfinite(points).all():
        raise ValueError('polygon %d has a point that is not finite' % number)
    if closed and (points[0] != points[-1]).any():
        points = numpy.concatenate((points, points[:1]))
    return points.astype('f4')


def column(numpy, name, values, n, default):
    """n values: the one given, or each; the default stands for None."""
    if values is None:
        return numpy.full(n, default)
    values = numpy.asarray([default if v is None else v for v in values]
                           if not numpy.isscalar(values) else [values] * n)
    if values.shape != (n,):
        raise ValueError('%s: %s values for %d polygons'
                         % (name, values.shape, n))
    return values


def _measure(numpy, records, points, offsets, closed):
    """What cudacontours measures with measures=basic, in double precision."""
    first = numpy.repeat(points[offsets[:-1]], numpy.diff(offsets), axis=0)
    about = points - first

    def sums(values):
        return numpy.add.reduceat(values, offsets[:-1])

    step = numpy.zeros_like(points)
    step[:-1] = points[1:] - points[:-1]
    step[offsets[1:] - 1] = 0          # from one polyline to the next
    after = about + step
    cross = about[:, 0] * after[:, 1] - after[:, 0] * about[:, 1]
    length = numpy.hypot(step[:, 0], step[:, 1])
    area = sums(cross) / 2
    perimeter = sums(length)
    # the area's sign is that of contours around high values
    records['area'], records['perimeter'] = area, perimeter
    has_area = closed & (area != 0)
    with numpy.errstate(divide='ignore', invalid='ignore'):
        for axis, name in enumerate(('centroid_x', 'centroid_y')):
            middle = about[:, axis] + after[:, axis]
            of_area = sums(middle * cross) / (6 * area)
            of_curve = sums(middle * length) / (2 * perimeter)
            about_first = numpy.where(has_area, of_area, of_curve)
            records[name] = points[offsets[:-1], axis] + numpy.where(
                numpy.isfinite(about_first), about_first, 0)
    for axis, name in enumerate('xy'):
        records['bbox_%s0' % name] = numpy.minimum.reduceat(
            points[:, axis], offsets[:-1])
        records['bbox_%s1' % name] = numpy.maximum.reduceat(
            points[:, axis], offsets[:-1])


_FIELDS = {'class_ids': ('class_id', 0), 'parents': ('parent', -1),
           'levels': ('level', 0.)}


def _records(numpy, n, first_id, closed, holes, kind, columns):
    kinds = {'contour': GstShapes.ShapeKind.CONTOUR,
             'hull': GstShapes.ShapeKind.HULL}
    if kind not in kinds:
        raise ValueError('kind is "contour" or "hull", not %r' % (kind,))
    records = numpy.zeros(n, numpy.dtype(POLYLINE_DESCR))
    records['id'] = numpy.arange(first_id, first_id + n)
    records['kind'] = int(kinds[kind])
    for name, values in columns.items():
        field, default = _FIELDS[name]
        records[field] = column(numpy, name, values, n, default)
    flags = GstShapes.ShapeFlags
    records['flags'] = (
        closed * int(flags.CLOSED)
        + column(numpy, 'holes', holes, n, False).astype(bool)
        * int(flags.HOLE))
    return records


def polygons_layer(polygons, first_id, closed=True, holes=None,
                   class_ids=None, parents=None, levels=None,
                   kind='contour'):
    """A layer of polygons; the arguments are ShapeSet.add_polygons()'s."""
    numpy = require('numpy', 'a set of polygons')
    n = len(polygons)
    closed = column(numpy, 'closed', closed, n, True).astype(bool)
    parts = [_points(numpy, i, polygon, closed[i])
             for i, polygon in enumerate(polygons)]
    offsets = numpy.zeros(n + 1, 'u4')
    numpy.cumsum([len(part) for part in parts], out=offsets[1:])
    records = _records(numpy, n, first_id, closed, holes, kind,
                       {'class_ids': class_ids, 'parents': parents,
                        'levels': levels})
    points = numpy.concatenate(parts) if n else numpy.zeros((0, 2), 'f4')
    if n:
        _measure(numpy, records, points.astype('f8'), offsets.astype('i8'),
                 closed)
    try:
        return GstShapes.ShapeLayer.new_polylines_bytes(
            *(GLib.Bytes.new(a.tobytes()) for a in (points, offsets, records)),
            None)
    except GLib.Error as error:
        raise ValueError(error.message) from None
