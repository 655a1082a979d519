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

import ctypes
import math
import struct

from gi.overrides import override
from gi.module import get_introspection_module

try:
    import numpy
except ImportError:
    numpy = None

GstShapes = get_introspection_module('GstShapes')

__all__ = []

_ENDIAN = '<' if struct.pack('=H', 1) == struct.pack('<H', 1) else '>'


def _descr(*fields):
    return [(name, _ENDIAN + code) for name, code in fields]


POLYLINE_DESCR = _descr(
    ('id', 'i4'), ('parent', 'i4'), ('class_id', 'i4'), ('image', 'i4'),
    ('kind', 'u4'), ('flags', 'u4'), ('level', 'f8'), ('area', 'f8'),
    ('perimeter', 'f8'), ('centroid_x', 'f8'), ('centroid_y', 'f8'),
    ('bbox_x0', 'f8'), ('bbox_y0', 'f8'), ('bbox_x1', 'f8'),
    ('bbox_y1', 'f8'), ('solidity', 'f8'))
CIRCLE_DESCR = _descr(
    ('x', 'f4'), ('y', 'f4'), ('r', 'f4'), ('z', 'f4'), ('rgba', 'u4'),
    ('parent', 'i4'))
HULL_MEASURES_DESCR = _descr(
    ('feret_max', 'f8'), ('feret_max_ux', 'f8'), ('feret_max_uy', 'f8'),
    ('feret_min', 'f8'), ('feret_min_ux', 'f8'), ('feret_min_uy', 'f8'),
    ('rect_x', 'f8'), ('rect_y', 'f8'), ('rect_ux', 'f8'), ('rect_uy', 'f8'),
    ('rect_width', 'f8'), ('rect_height', 'f8'),
    ('circle_x', 'f8'), ('circle_y', 'f8'), ('circle_r', 'f8'))
__all__ += ['POLYLINE_DESCR', 'CIRCLE_DESCR', 'HULL_MEASURES_DESCR']

_POLYLINE = struct.Struct('=6i10d')
_CIRCLE = struct.Struct('=4fIi')
_HULL_MEASURES = struct.Struct('=15d')


class ShapeArray:
    """One array of a layer, in place: numpy.asarray(array) takes no copy.

    It owns a reference to its set. memoryview() needs no numpy.
    """

    __slots__ = ('_owner', '_length', '_item_size', '__array_interface__')

    def __init__(self, owner, address, shape, item_size, typestr, descr=None):
        self._owner = owner
        self._length = shape[0]
        self._item_size = item_size
        self.__array_interface__ = {
            'version': 3,
            'shape': shape,
            'typestr': typestr,
            'data': (address, True),
        }
        if descr is not None:
            self.__array_interface__['descr'] = descr

    def __len__(self):
        return self._length

    def memoryview(self):
        """The bytes, read-only, as a memoryview that keeps the set alive."""
        size = self._length * self._item_size
        if size == 0:
            return memoryview(b'')
        address = self.__array_interface__['data'][0]
        memory = (ctypes.c_char * size).from_address(address)
        memory.owner = self._owner
        return memoryview(memory).toreadonly().cast('B')


class Polyline:
    """A contour or hull: its measures, and its points in place.

    id, class_id, image: integers; parent: an id, or None
    kind: 'contour' or 'hull'; closed, hole: booleans
    level, area (signed), perimeter, solidity: numbers
    centroid: (x, y); bbox: (x0, y0, x1, y1)
    points: n x 2 floats, x and y; None when they were not kept
    features: its GstShapes.ShapeFeatures, made of its moments; None without
    hull_measures: of a hull, its HullMeasures; None when they were not taken
    """

    __slots__ = ('id', 'parent', 'class_id', 'image', 'kind', 'closed', 'hole',
                 'level', 'area', 'perimeter', 'centroid', 'bbox', 'solidity',
                 'points', '_place')

    def __init__(self, record, points, place):
        (self.id, parent, self.class_id, self.image, kind, flags, self.level,
         self.area, self.perimeter, *position, self.solidity) = record
        self.parent = parent if parent >= 0 else None
        self.kind = 'hull' if kind == int(GstShapes.ShapeKind.HULL) \
            else 'contour'
        self.closed = bool(flags & int(GstShapes.ShapeFlags.CLOSED))
        self.hole = bool(flags & int(GstShapes.ShapeFlags.HOLE))
        self.centroid = tuple(position[:2])
        self.bbox = tuple(position[2:])
        self.points = points
        self._place = place

    @property
    def features(self):
        shape_set, layer, index = self._place
        taken, features = shape_set.get_features(layer, index)
        return features if taken else None

    @property
    def hull_measures(self):
        shape_set, layer, index = self._place
        measures = shape_set.hull_measures(layer)
        if measures is None or self.kind != 'hull':
            return None
        return HullMeasures(_HULL_MEASURES.unpack_from(
            measures.memoryview(), index * _HULL_MEASURES.size))

    def __repr__(self):
        n = 'no' if self.points is None else len(self.points)
        return '<%s %d of %s points, area %g>' % (self.kind, self.id, n,
                                                  self.area)


class HullMeasures:
    """What is measured of a hull beyond its Polyline, in pixels.

    feret: smallest and largest diameter; feret_directions: the unit vector
    along each, (x, y)
    rect: the rectangle of minimum area, as OpenCV writes it: ((x, y) of its
    centre, (width, height), degrees from the x axis to its width, clockwise on
    the screen)
    circle: the smallest enclosing circle: ((x, y) of its centre, radius)
    """

    __slots__ = ('feret', 'feret_directions', 'rect', 'circle')

    def __init__(self, record):
        (largest, lx, ly, smallest, sx, sy, x, y, ux, uy, width, height,
         circle_x, circle_y, radius) = record
        if ux < 0 or (ux == 0 and uy < 0):
            ux, uy = -ux, -uy
        self.feret = (smallest, largest)
        self.feret_directions = ((sx, sy), (lx, ly))
        self.rect = ((x, y), (width, height), math.degrees(math.atan2(uy, ux)))
        self.circle = ((circle_x, circle_y), radius)

    def __repr__(self):
        return '<hull of diameters %g to %g>' % self.feret


class Circle:
    """A circle: x, y, r, z, rgba (0xRRGGBBAA), and parent, an id or None."""

    __slots__ = ('x', 'y', 'r', 'z', 'rgba', 'parent')

    def __init__(self, record):
        self.x, self.y, self.r, self.z, self.rgba, parent = record
        self.parent = parent if parent >= 0 else None

    def __repr__(self):
        return '<circle at %g, %g of radius %g>' % (self.x, self.y, self.r)


__all__ += ['ShapeArray', 'Polyline', 'HullMeasures', 'Circle']


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
                           _ENDIAN + 'f4')

    def offsets(self, layer):
        """Polyline i has points offsets[i] up to, not with, offsets[i + 1]."""
        return self._array(self.get_offsets_address(layer), 0, 4,
                           _ENDIAN + 'u4')

    def polylines(self, layer):
        """Records of POLYLINE_DESCR: ['area'] gives a column."""
        return self._array(self.get_polylines_address(layer), 0,
                           _POLYLINE.size, '|V%d' % _POLYLINE.size,
                           POLYLINE_DESCR)

    def moments(self, layer):
        """n x 10: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03."""
        return self._array(self.get_moments_address(layer), 10, 80,
                           _ENDIAN + 'f8')

    def hull_measures(self, layer):
        """Records of HULL_MEASURES_DESCR."""
        return self._array(self.get_hull_measures_address(layer), 0,
                           _HULL_MEASURES.size, '|V%d' % _HULL_MEASURES.size,
                           HULL_MEASURES_DESCR)

    def circles(self, layer):
        """Records of CIRCLE_DESCR."""
        return self._array(self.get_circles_address(layer), 0, _CIRCLE.size,
                           '|V%d' % _CIRCLE.size, CIRCLE_DESCR)

    def _iter_polylines(self, kind):
        for layer in range(self.get_n_layers()):
            records = self.polylines(layer)
            if records is None:
                continue
            offsets = self.offsets(layer).memoryview().cast('I')
            rows = _point_rows(self.points(layer))
            for i, record in enumerate(
                    _POLYLINE.iter_unpack(records.memoryview())):
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
                for record in _CIRCLE.iter_unpack(records.memoryview()):
                    yield Circle(record)


ShapeSet = override(ShapeSet)
__all__.append('ShapeSet')
