# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets made of polygons."""

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import POLYLINE_DESCR, require
from gi.overrides._gstshapes_pixels import shape_kind

GstShapes = get_introspection_module('GstShapes')


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


class _Rings:
    """Polylines as they are taken: parts, and which polygon each is of."""

    def __init__(self):
        self.parts, self.of, self.closed, self.hole_of = [], [], [], []

    def add(self, name, number, points, closed, hole_of=-1):
        points = take.singles(name, take.points(name, points))
        if closed and (points[0] != points[-1]).any():
            points = take.numpy.concatenate((points, points[:1]))
        self.parts.append(points)
        self.of.append(number)
        self.closed.append(closed)
        self.hole_of.append(hole_of)

    def take(self, number, polygon, closed):
        name = 'polygon %d' % number
        mapping = take.geometry(polygon)
        if mapping is None:
            self.add(name, number, polygon, closed)
            return
        for outline, ring, holes in take.rings(mapping):
            self.add(name, number, outline, ring)
            shell = len(self.parts) - 1
            for hole in holes:
                if len(hole):
                    self.add(name, number, hole, True, shell)


def _records(numpy, rings, first_id, holes, kind, class_ids, parents, levels,
             n):
    of = numpy.array(rings.of, 'i8')
    shell = numpy.array(rings.hole_of, 'i8')
    records = numpy.zeros(len(of), numpy.dtype(POLYLINE_DESCR))
    records['id'] = numpy.arange(first_id, first_id + len(of))
    records['kind'] = int(shape_kind(kind))
    records['class_id'] = take.integers('class_ids', class_ids, n, 0)[of]
    records['level'] = take.reals('levels', levels, n, 0.)[of]
    parents = take.integers('parents', parents, n, -1)
    if (parents < -1).any():
        raise ValueError('parents[%d] is %d, and an id is not negative' % (
            at := int(numpy.flatnonzero(parents < -1)[0]), parents[at]))
    records['parent'] = numpy.where(shell < 0, parents[of], first_id + shell)
    hole = take.flags('holes', holes, n, False)[of] | (shell >= 0)
    flags = GstShapes.ShapeFlags
    records['flags'] = (numpy.array(rings.closed, bool) * int(flags.CLOSED)
                        + hole * int(flags.HOLE))
    return records


def layer_of(numpy, points, offsets, records):
    """A layer of arrays; records are measured here."""
    if len(records):
        closed = (records['flags'] & int(GstShapes.ShapeFlags.CLOSED)) != 0
        _measure(numpy, records, points.astype('f8'), offsets.astype('i8'),
                 closed)
    try:
        return GstShapes.ShapeLayer.new_polylines_bytes(
            *(GLib.Bytes.new(a.tobytes()) for a in (points, offsets, records)),
            None)
    except GLib.Error as error:
        raise ValueError(error.message) from None


def offsets_of(numpy, parts):
    offsets = numpy.zeros(len(parts) + 1, 'u4')
    numpy.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets


def polygons_layer(polygons, first_id, closed=True, holes=None,
                   class_ids=None, parents=None, levels=None,
                   kind='contour', **annotations):
    """A layer of polygons; the arguments are ShapeSet.add_polygons()'s."""
    numpy = require('numpy', 'a set of polygons')
    if isinstance(polygons, numpy.ndarray) and polygons.ndim == 3 \
            and polygons.shape[1:] == (1, 2):
        raise ValueError('polygons are a sequence: [contour] for one contour '
                         'of OpenCV')
    polygons = take.geometries(polygons)
    n = len(polygons)
    closed = take.flags('closed', closed, n, True)
    rings = _Rings()
    for i, polygon in enumerate(polygons):
        rings.take(i, polygon, bool(closed[i]))
    records = _records(numpy, rings, first_id, holes, kind, class_ids, parents,
                       levels, n)
    points = numpy.concatenate(rings.parts) if rings.parts \
        else numpy.zeros((0, 2), 'f4')
    layer = layer_of(numpy, points, offsets_of(numpy, rings.parts), records)
    return annotated(numpy, layer, rings.of, n, annotations)


def annotated(numpy, layer, of, n, annotations):
    """layer with the annotations of the n polygons that its polylines are of;
    those that are None are left out."""
    defaults = {'confidences': -1., 'track_ids': -1, 'region_ids': -1}
    spread = {}
    for name, values in annotations.items():
        if values is None:
            continue
        if name == 'confidences':
            values = take.reals(name, values, n, defaults[name], finite=False)
        else:
            values = take.integers(name, values, n, defaults[name],
                                   64 if name == 'track_ids' else 32)
        spread[name] = values[numpy.array(of, 'i8')]
    return layer.annotate(**spread) if spread else layer
