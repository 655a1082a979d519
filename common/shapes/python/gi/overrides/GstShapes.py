# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes in Python without copies.

shape_set = GstShapes.buffer_get_shape_set(buffer)   # None: no shapes
for contour in shape_set.contours():
    print(contour.id, contour.area, contour.points)

Arrays are read in place and cannot be written. Each keeps its set alive, so it
may outlive the buffer. With numpy they are numpy arrays where a shape hands
them out; numpy.asarray() makes one of a whole layer's. Without numpy they are
memoryviews.
"""

from gi.overrides import override
from gi.module import get_introspection_module

from gi.overrides import _gstshapes_arrays, _gstshapes_engine
from gi.overrides._gstshapes_arrays import *  # noqa: F401,F403
from gi.overrides._gstshapes_arrays import (
    CIRCLE, CIRCLE_DESCR, ENDIAN, HULL_MEASURES, HULL_MEASURES_DESCR, POLYLINE,
    POLYLINE_DESCR, Circle, Polyline, ShapeArray, numpy)
from gi.overrides._gstshapes_engine import *  # noqa: F401,F403

GstShapes = get_introspection_module('GstShapes')

__all__ = _gstshapes_arrays.__all__ + _gstshapes_engine.__all__


def _point_rows(array):
    """All points of a layer, to take slices of; None when there are none."""
    if array is None:
        return None
    if numpy is not None:
        return numpy.asarray(array)
    if len(array) == 0:
        return []
    return array.memoryview()


def _point_slice(rows, first, end):
    if rows is None or numpy is not None:
        return rows if rows is None else rows[first:end]
    if end == first:
        return []
    # A view can be given two dimensions only by way of bytes.
    return rows[first * 8:end * 8].cast('f', shape=[end - first, 2])


class ShapeSet(GstShapes.ShapeSet):
    """A frame's shapes: layers of polylines or circles.

    points(), offsets(), polylines(), moments(), hull_measures() and circles()
    give a layer's arrays as ShapeArray, None when the layer has no such array;
    contours(), hulls() and iter_circles() walk over the shapes of all layers.
    """

    def __init__(self, width=0, height=0):
        # ShapeSet.__new__ has made it.
        pass

    def __new__(cls, width=0, height=0):
        return GstShapes.ShapeSet.new(width, height)

    def __len__(self):
        return self.get_n_layers()

    def __bool__(self):
        # A set without layers is still a set: "if shape_set" asks for None.
        return True

    def _array(self, found, columns, size, typestr, descr=None):
        address, n = found
        if not address:
            return None
        shape = (n, columns) if columns else (n,)
        return ShapeArray(self, address, shape, size, typestr, descr)

    def points(self, layer):
        """All points of a layer: n x 2 single-precision x and y."""
        return self._array(self.get_points_address(layer), 2, 8,
                           ENDIAN + 'f4')

    def offsets(self, layer):
        """Polyline i has points offsets[i] up to, not with, offsets[i + 1]."""
        return self._array(self.get_offsets_address(layer), 0, 4,
                           ENDIAN + 'u4')

    def polylines(self, layer):
        """Records of POLYLINE_DESCR: ['area'] gives a column."""
        return self._array(self.get_polylines_address(layer), 0,
                           POLYLINE.size, '|V%d' % POLYLINE.size,
                           POLYLINE_DESCR)

    def moments(self, layer):
        """n x 10: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03."""
        return self._array(self.get_moments_address(layer), 10, 80,
                           ENDIAN + 'f8')

    def hull_measures(self, layer):
        """Records of HULL_MEASURES_DESCR."""
        return self._array(self.get_hull_measures_address(layer), 0,
                           HULL_MEASURES.size, '|V%d' % HULL_MEASURES.size,
                           HULL_MEASURES_DESCR)

    def circles(self, layer):
        """Records of CIRCLE_DESCR."""
        return self._array(self.get_circles_address(layer), 0, CIRCLE.size,
                           '|V%d' % CIRCLE.size, CIRCLE_DESCR)

    def _iter_polylines(self, kind):
        for layer in range(self.get_n_layers()):
            records = self.polylines(layer)
            if records is None:
                continue
            offsets = self.offsets(layer).memoryview().cast('I')
            rows = _point_rows(self.points(layer))
            for i, record in enumerate(
                    POLYLINE.iter_unpack(records.memoryview())):
                if record[4] == kind:
                    points = _point_slice(rows, offsets[i], offsets[i + 1])
                    yield Polyline(record, points, (self, layer, i))

    def contours(self):
        """Every contour of every layer, as a Polyline."""
        return self._iter_polylines(int(GstShapes.ShapeKind.CONTOUR))

    def hulls(self):
        """Every hull of every layer, as a Polyline."""
        return self._iter_polylines(int(GstShapes.ShapeKind.HULL))

    def iter_circles(self):
        """Every circle of every layer, as a Circle."""
        for layer in range(self.get_n_layers()):
            records = self.circles(layer)
            if records is not None:
                for record in CIRCLE.iter_unpack(records.memoryview()):
                    yield Circle(record)


ShapeSet = override(ShapeSet)
__all__.append('ShapeSet')
