# SPDX-License-Identifier: LGPL-2.1-or-later
"""The records of shapes, and their arrays in place."""

import ctypes
import importlib
import math
import struct

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides._gstshapes_hullmeasures import HullMeasures

try:
    import numpy
except ImportError:
    numpy = None

GstShapes = get_introspection_module('GstShapes')

__all__ = ['POLYLINE_DESCR', 'CIRCLE_DESCR', 'HULL_MEASURES_DESCR',
           'ANNOTATION_DESCR', 'ELLIPSE_DESCR', 'DEFECT_DESCR',
           'STATISTIC_DESCR', 'ShapeArray', 'Polyline', 'HullMeasures',
           'Ellipse', 'Defect', 'Statistic', 'Circle']

ENDIAN = '<' if struct.pack('=H', 1) == struct.pack('<H', 1) else '>'


def _descr(*fields):
    return [(name, ENDIAN + code) for name, code in fields]


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
ANNOTATION_DESCR = _descr(
    ('confidence', 'f4'), ('region_id', 'i4'), ('track_id', 'i8'))
ELLIPSE_DESCR = _descr(
    ('x', 'f8'), ('y', 'f8'), ('ux', 'f8'), ('uy', 'f8'), ('major', 'f8'),
    ('minor', 'f8'))
DEFECT_DESCR = _descr(
    ('shape', 'u4'), ('reserved', 'u4'), ('start_x', 'f4'), ('start_y', 'f4'),
    ('end_x', 'f4'), ('end_y', 'f4'), ('farthest_x', 'f4'),
    ('farthest_y', 'f4'), ('depth', 'f8'))
STATISTIC_DESCR = _descr(
    ('shape', 'u4'), ('channel', 'u4'), ('n_pixels', 'u8'), ('mean', 'f8'),
    ('deviation', 'f8'), ('minimum', 'f8'), ('maximum', 'f8'))

POLYLINE = struct.Struct('=6i10d')
CIRCLE = struct.Struct('=4fIi')
HULL_MEASURES = struct.Struct('=15d')
ANNOTATION = struct.Struct('=fiq')
ELLIPSE = struct.Struct('=6d')
DEFECT = struct.Struct('=II6fd')
STATISTIC = struct.Struct('=IIQ4d')


def require(name, what):
    """The module name, or an ImportError that says what needs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError('%s needs %s, which is not installed'
                          % (what, name)) from error


def raise_for(error):
    """Raises the Python exception for a GLib.Error of the library."""
    if error.domain == 'gst-library-error-quark':
        raise ValueError(error.message) from None
    if error.domain == 'gst-resource-error-quark' and error.code == 9:
        raise MemoryError(error.message) from None
    raise RuntimeError(error.message) from None


class ShapeArray:
    """One array of a layer, in place: numpy.asarray(array) takes no copy.

    It owns a reference to its set. memoryview() needs no numpy.
    """

    __slots__ = ('_owner', '_length', '_item_size', '__array_interface__')

    def __init__(self, owner, address, shape, item_size, typestr, descr=None,
                 writable=False):
        self._owner = owner
        self._length = shape[0]
        self._item_size = item_size
        self.__array_interface__ = {
            'version': 3,
            'shape': shape,
            'typestr': typestr,
            'data': (address, not writable),
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


class Shared:
    """What all polylines of a set need at most once."""

    __slots__ = ('_set', '_geo_interface', '_records', '_geometries')

    def __init__(self, shape_set, geo_interface):
        self._set = shape_set
        self._geo_interface = geo_interface
        self._records = self._geometries = None

    def get_measures(self, layer, index):
        """Those of a record, taken from its points where they were unknown"""
        if self._records is None:
            try:
                measured = self._set.compute_measures()
            except GLib.Error as error:
                raise_for(error)
            self._records = [
                None if records is None else records.memoryview()
                for records in map(measured.polylines, range(len(measured)))]
        return POLYLINE.unpack_from(self._records[layer],
                                    index * POLYLINE.size)[7:15]

    def get_geometry(self, number):
        """That of the polyline with that id; None for what has no points."""
        if self._geometries is None:
            self._geometries = {
                feature['id']: feature['geometry'] for feature
                in self._geo_interface(self._set)['features']
                if 'id' in feature}
        if number not in self._geometries:
            # a hole, which its outline has
            alone = self._set.filter(lambda polyline: polyline.id == number)
            self._geometries[number] = self._geo_interface(
                alone)['features'][0]['geometry']
        return self._geometries[number]


class Polyline:
    """A contour or hull: its measures, and its points in place.

    id, class_id, image: integers; parent: an id, or None
    kind: 'contour' or 'hull'; closed, hole: booleans
    level, area (signed), perimeter, solidity: numbers
    centroid: (x, y); bbox: (x0, y0, x1, y1)
    area, perimeter, centroid and bbox are taken from the points if nobody has
    measured them; NaN without points
    points: n x 2 floats, x and y; None when they were not kept
    features: its GstShapes.ShapeFeatures, made of its moments; None without
    hull_measures: of a hull, its HullMeasures; None when they were not taken
    confidence, track_id, region_id: numbers; None when they are unknown
    ellipse: of a hull, the smallest Ellipse around it; None when not taken
    defects: of a hull, a list of its contour's Defects; None when not taken
    statistics: a dict of Statistic by the channel's name; empty when not taken
    metric: its GstShapes.ShapeMetric, in millimetres, NaN where it is unknown;
    None when the set has no pixel size
    indices: which of the input's points those of a hull are; None without
    class_name: what its class is called, or None
    """

    __slots__ = ('id', 'parent', 'class_id', 'image', 'kind', 'closed', 'hole',
                 'level', 'solidity', 'points', '_place', '_measures',
                 '_known', '_shared')

    def __init__(self, record, points, place, shared):
        (self.id, parent, self.class_id, self.image, kind, flags,
         self.level) = record[:7]
        self._measures, self.solidity = record[7:15], record[15]
        self.parent = parent if parent >= 0 else None
        self.kind = 'hull' if kind == int(GstShapes.ShapeKind.HULL) \
            else 'contour'
        self.closed = bool(flags & int(GstShapes.ShapeFlags.CLOSED))
        self.hole = bool(flags & int(GstShapes.ShapeFlags.HOLE))
        self.points = points
        self._place = place
        self._shared = shared
        self._known = not any(map(math.isnan, self._measures))

    def _measure(self):
        """area, perimeter, centroid, bbox"""
        if not self._known:
            self._measures = self._shared.get_measures(*self._place[1:])
            self._known = True
        return self._measures

    @property
    def area(self):
        return self._measure()[0]

    @property
    def perimeter(self):
        return self._measure()[1]

    @property
    def centroid(self):
        return self._measure()[2:4]

    @property
    def bbox(self):
        return self._measure()[4:]

    @property
    def __geo_interface__(self):
        """Its geometry as GeoJSON's, with its holes."""
        geometry = self._shared.get_geometry(self.id)
        if geometry is None:
            raise AttributeError('the shape has no points')
        return geometry

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
        return HullMeasures(HULL_MEASURES.unpack_from(
            measures.memoryview(), index * HULL_MEASURES.size))

    @property
    def ellipse(self):
        layer, index = self._layer()
        ellipses = layer.ellipses()
        if ellipses is None or self.kind != 'hull':
            return None
        return Ellipse(ELLIPSE.unpack_from(ellipses.memoryview(),
                                           index * ELLIPSE.size))

    @property
    def defects(self):
        layer, index = self._layer()
        defects = layer.defects()
        if defects is None or self.kind != 'hull':
            return None
        return [Defect(record) for record in _records(defects, DEFECT, index)]

    @property
    def statistics(self):
        layer, index = self._layer()
        statistics = layer.statistics()
        if statistics is None:
            return {}
        return {GstShapes.shape_channel_to_string(record[1]):
                Statistic(record)
                for record in _records(statistics, STATISTIC, index)}

    @property
    def metric(self):
        shape_set, layer, index = self._place
        known, metric = shape_set.get_metric(layer, index)
        return metric if known else None

    @property
    def indices(self):
        layer, index = self._layer()
        indices = layer.indices()
        if indices is None:
            return None
        offsets = layer.offsets().memoryview().cast('I')
        found = indices.memoryview().cast('I')[offsets[index]:
                                               offsets[index + 1]]
        return found if numpy is None else numpy.asarray(found)

    @property
    def class_name(self):
        return self._layer()[0].get_class_name(self.class_id)

    def _layer(self):
        shape_set, layer, index = self._place
        return shape_set.get_layer(layer), index

    def _annotation(self):
        shape_set, layer, index = self._place
        annotations = shape_set.annotations(layer)
        if annotations is None:
            return -1, -1, -1
        return ANNOTATION.unpack_from(annotations.memoryview(),
                                      index * ANNOTATION.size)

    @property
    def confidence(self):
        confidence = self._annotation()[0]
        known = confidence >= 0 and math.isfinite(confidence)
        return confidence if known else None

    @property
    def region_id(self):
        region = self._annotation()[1]
        return region if region >= 0 else None

    @property
    def track_id(self):
        track = self._annotation()[2]
        return track if track >= 0 else None

    def __repr__(self):
        n = 'no' if self.points is None else len(self.points)
        return '<%s %d of %s points, area %g>' % (self.kind, self.id, n,
                                                  self.area)


def _records(array, record, shape):
    """The records of one shape; they are in the order of shapes."""
    memory = array.memoryview()
    low, high = 0, len(array)
    while low < high:
        middle = (low + high) // 2
        if record.unpack_from(memory, middle * record.size)[0] < shape:
            low = middle + 1
        else:
            high = middle
    while low < len(array):
        values = record.unpack_from(memory, low * record.size)
        if values[0] != shape:
            break
        yield values
        low += 1


class Ellipse:
    """The ellipse of minimum area around a hull, in pixels.

    center: (x, y); axes: its semi-axes, the longer one first; direction: the
    unit vector along that; angle: its degrees from the x axis, clockwise on the
    screen
    """

    __slots__ = ('center', 'axes', 'direction', 'angle')

    def __init__(self, record):
        x, y, ux, uy, major, minor = record
        self.center = (x, y)
        self.axes = (major, minor)
        self.direction = (ux, uy)
        if ux < 0 or (ux == 0 and uy < 0):
            ux, uy = -ux, -uy
        self.angle = math.degrees(math.atan2(uy, ux))

    def __repr__(self):
        return '<ellipse of semi-axes %g and %g>' % self.axes


class Defect:
    """A convexity defect, in pixels, as OpenCV's convexityDefects().

    start, end: where the contour leaves its hull and meets it again; farthest:
    its point between them that is farthest from the line through both, and
    depth, how far
    """

    __slots__ = ('start', 'end', 'farthest', 'depth')

    def __init__(self, record):
        self.start = record[2:4]
        self.end = record[4:6]
        self.farthest = record[6:8]
        self.depth = record[8]

    def __repr__(self):
        return '<defect of depth %g>' % self.depth


class Statistic:
    """Samples inside a shape: n_pixels, mean, deviation (of the population),
    minimum, maximum."""

    __slots__ = ('n_pixels', 'mean', 'deviation', 'minimum', 'maximum')

    def __init__(self, record):
        (_shape, _channel, self.n_pixels, self.mean, self.deviation,
         self.minimum, self.maximum) = record

    def __repr__(self):
        return '<mean %g of %d pixels>' % (self.mean, self.n_pixels)


class Circle:
    """A circle: x, y, r, z, rgba (0xRRGGBBAA), and parent, an id or None."""

    __slots__ = ('x', 'y', 'r', 'z', 'rgba', 'parent')

    def __init__(self, record):
        self.x, self.y, self.r, self.z, self.rgba, parent = record
        self.parent = parent if parent >= 0 else None

    def __repr__(self):
        return '<circle at %g, %g of radius %g>' % (self.x, self.y, self.r)
