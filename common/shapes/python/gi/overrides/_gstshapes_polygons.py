# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets made of polygons."""

import zlib

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import POLYLINE_DESCR, require
from gi.overrides._gstshapes_pixels import shape_kind

GstShapes = get_introspection_module('GstShapes')


_MEASURES = ('area', 'perimeter', 'centroid_x', 'centroid_y', 'bbox_x0',
             'bbox_y0', 'bbox_x1', 'bbox_y1')


class _Rings:
    """Polylines as they are taken: parts, and which polygon each is of."""

    def __init__(self):
        self.given, self.parts = [], []
        self.of, self.closed, self.hole_of = [], [], []

    def add(self, name, number, points, closed, hole_of=-1):
        given = take.points(name, points)
        points = given.astype('f4')
        if closed and points[0].tolist() != points[-1].tolist():
            points = take.numpy.concatenate((points, points[:1]))
        self.given.append(given)
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


    def join(self, numpy):
        """All points, which have to be finite, and the offsets of parts."""
        points = numpy.concatenate(self.parts) if self.parts \
            else numpy.zeros((0, 2), 'f4')
        if not take.are_singles(points):
            for number, given, part in zip(self.of, self.given, self.parts):
                take.check_singles('polygon %d' % number, given,
                                   part[:len(given)])
        return points, offsets_of(numpy, self.parts)


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
    for at in numpy.flatnonzero(parents < -1)[:1]:
        raise ValueError('parents[%d] is %d, and an id is not negative'
                         % (at, parents[at]))
    records['parent'] = numpy.where(shell < 0, parents[of], first_id + shell)
    hole = take.flags('holes', holes, n, False)[of] | (shell >= 0)
    flags = GstShapes.ShapeFlags
    records['flags'] = (numpy.array(rings.closed, bool) * int(flags.CLOSED)
                        + hole * int(flags.HOLE))
    return records


def layer_of(numpy, points, offsets, records):
    """A layer of arrays, in which the library measures the polylines."""
    for name in (*_MEASURES, 'solidity'):
        records[name] = numpy.nan
    alone = GstShapes.ShapeSet.new(0, 0)
    try:
        alone.add_layer(GstShapes.ShapeLayer.new_polylines_bytes(
            *(GLib.Bytes.new(a.tobytes()) for a in (points, offsets, records)),
            None))
        return alone.compute_measures().get_layer(0)
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
    with numpy.errstate(over='ignore', invalid='ignore'):
        for i, polygon in enumerate(polygons):
            rings.take(i, polygon, bool(closed[i]))
    layer = layer_of(numpy, *rings.join(numpy), _records(
        numpy, rings, first_id, holes, kind, class_ids, parents, levels, n))
    return annotated(numpy, layer, rings.of, n, annotations)


def _track_parts(numpy, layer, of, n, tracks):
    """tracks of n objects, or None, with one for each object of several outlines
    that has none.

    It is made of the outlines' points, so that it is always the same, and
    others of other frames have others.
    """
    flags = numpy.asarray(layer.polylines())['flags']
    outlines = numpy.bincount(of[flags & int(GstShapes.ShapeFlags.HOLE) == 0])
    several = numpy.flatnonzero(outlines > 1)
    if tracks is not None:
        several = several[tracks[several] < 0]
    if not len(several):
        return tracks
    tracks = numpy.full(n, -1) if tracks is None else tracks.copy()
    taken = set(tracks.tolist())
    points = numpy.asarray(layer.points()).astype('<f4')
    offsets = numpy.asarray(layer.offsets())
    for number in several:
        first, end = offsets[numpy.searchsorted(of, (number, number + 1))]
        track = zlib.crc32(points[first:end].tobytes())
        while track in taken:
            track += 1
        taken.add(track)
        tracks[number] = track
    return tracks


def annotated(numpy, layer, of, n, annotations):
    """layer with the annotations of the n polygons that its polylines are of,
    in order; those that are None are left out. Polylines of the same polygon
    have a track in common."""
    of = numpy.array(of, 'i8')
    taken = {}
    for name, values in annotations.items():
        if values is None:
            continue
        if name == 'confidences':
            values = take.confidences(name, values, n)
        else:
            values = take.integers(name, values, n, -1,
                                   64 if name == 'track_ids' else 32)
        taken[name] = values
    tracks = _track_parts(numpy, layer, of, n, taken.get('track_ids'))
    if tracks is not None:
        taken['track_ids'] = tracks
    return layer.annotate(**{name: values[of] for name, values
                             in taken.items()}) if taken else layer
