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

import functools

from gi.overrides import override
from gi.module import get_introspection_module

from gi.repository import GLib, Gst

from gi.overrides import (
    _gstshapes_annotations, _gstshapes_arrays, _gstshapes_buffers,
    _gstshapes_coco, _gstshapes_convert, _gstshapes_display, _gstshapes_engine,
    _gstshapes_import, _gstshapes_pickle, _gstshapes_pixels,
    _gstshapes_polygons, _gstshapes_take)
from gi.overrides._gstshapes_arrays import *  # noqa: F401,F403
from gi.overrides._gstshapes_arrays import (
    ANNOTATION, ANNOTATION_DESCR, CIRCLE, CIRCLE_DESCR, DEFECT, DEFECT_DESCR,
    ELLIPSE, ELLIPSE_DESCR, ENDIAN, HULL_MEASURES, HULL_MEASURES_DESCR,
    POLYLINE, POLYLINE_DESCR, STATISTIC, STATISTIC_DESCR, Circle, Polyline,
    ShapeArray, Shared, numpy)
from gi.overrides._gstshapes_buffers import *  # noqa: F401,F403
from gi.overrides._gstshapes_engine import *  # noqa: F401,F403

GstShapes = get_introspection_module('GstShapes')

__all__ = (_gstshapes_arrays.__all__ + _gstshapes_buffers.__all__
           + _gstshapes_engine.__all__)



def _register():
    """Registers the meta now or, before Gst.init(), at its end."""
    if GstShapes.shapes_init():
        return
    for name in ('init', 'init_check'):
        setattr(Gst, name, _then_register(getattr(Gst, name)))


def _then_register(init):
    @functools.wraps(init)
    def init_and_register(*args):
        result = init(*args)
        GstShapes.shapes_init()
        return result

    return init_and_register


_register()

# name: the array, columns, bytes of an element, and numpy's words for them
_TYPES = GstShapes.ShapeArrayType
_ARRAYS = {
    'points': (_TYPES.POINTS, 2, 8, ENDIAN + 'f4', None),
    'offsets': (_TYPES.OFFSETS, 0, 4, ENDIAN + 'u4', None),
    'polylines': (_TYPES.POLYLINES, 0, POLYLINE.size,
                  '|V%d' % POLYLINE.size, POLYLINE_DESCR),
    'moments': (_TYPES.MOMENTS, 10, 80, ENDIAN + 'f8', None),
    'hull_measures': (_TYPES.HULL_MEASURES, 0, HULL_MEASURES.size,
                      '|V%d' % HULL_MEASURES.size, HULL_MEASURES_DESCR),
    'annotations': (_TYPES.ANNOTATIONS, 0, ANNOTATION.size,
                    '|V%d' % ANNOTATION.size, ANNOTATION_DESCR),
    'ellipses': (_TYPES.ELLIPSES, 0, ELLIPSE.size, '|V%d' % ELLIPSE.size,
                 ELLIPSE_DESCR),
    'defects': (_TYPES.DEFECTS, 0, DEFECT.size, '|V%d' % DEFECT.size,
                DEFECT_DESCR),
    'statistics': (_TYPES.STATISTICS, 0, STATISTIC.size,
                   '|V%d' % STATISTIC.size, STATISTIC_DESCR),
    'indices': (_TYPES.INDICES, 0, 4, ENDIAN + 'u4', None),
    'circles': (_TYPES.CIRCLES, 0, CIRCLE.size, '|V%d' % CIRCLE.size,
                CIRCLE_DESCR),
}


def _in_place(owner, name, address, n):
    _type, columns, size, typestr, descr = _ARRAYS[name]
    shape = (n, columns) if columns else (n,)
    return ShapeArray(owner, address, shape, size, typestr, descr)


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


class ShapeLayer(GstShapes.ShapeLayer):
    """Polylines or circles that one producer made; cannot be changed.

    points(), offsets(), polylines(), moments(), hull_measures(), annotations()
    and circles() give its arrays as those of ShapeSet do; so do ellipses(),
    defects(), statistics() and indices(). len() counts its
    shapes, and iteration gives them, as Polyline or Circle. RuntimeError if
    the arrays are on a GPU and cannot be downloaded.
    """

    @property
    def type(self):
        """'polylines' or 'circles'"""
        return 'circles' if self.get_layer_type() == \
            GstShapes.ShapeLayerType.CIRCLES else 'polylines'

    def _array(self, name):
        try:
            address, n = self.get_address(_ARRAYS[name][0])
        except GLib.Error as error:
            raise RuntimeError(error.message) from None
        return _in_place(self, name, address, n) if address else None

    def points(self):
        """All points: n x 2 single-precision x and y."""
        return self._array('points')

    def offsets(self):
        """Polyline i has points offsets[i] up to, not with, offsets[i + 1]."""
        return self._array('offsets')

    def polylines(self):
        """Records of POLYLINE_DESCR."""
        return self._array('polylines')

    def moments(self):
        """n x 10: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03."""
        return self._array('moments')

    def hull_measures(self):
        """Records of HULL_MEASURES_DESCR."""
        return self._array('hull_measures')

    def annotations(self):
        """Records of ANNOTATION_DESCR, in which -1 is unknown."""
        return self._array('annotations')

    def ellipses(self):
        """Records of ELLIPSE_DESCR."""
        return self._array('ellipses')

    def defects(self):
        """Records of DEFECT_DESCR, in the order of their hulls."""
        return self._array('defects')

    def statistics(self):
        """Records of STATISTIC_DESCR, in the order of their shapes."""
        return self._array('statistics')

    def indices(self):
        """For each point, which of the input's points it is."""
        return self._array('indices')

    def circles(self):
        """Records of CIRCLE_DESCR."""
        return self._array('circles')

    def annotate(self, *, confidences=None, track_ids=None, region_ids=None):
        """A new layer of the same polylines, which shares their arrays.

        confidences, track_ids, region_ids: one for all or one for each, None
        or -1 for an unknown one; an argument that is left out leaves what the
        layer has. ValueError says what does not fit.

        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (0, 3)]])
        >>> np.asarray(shapes[0].annotate(confidences=.5).annotations())
        array([(0.5, -1, -1)],
              dtype=[('confidence', '<f4'), ('region_id', '<i4'), ('track_id', '<i8')])
        """
        return _gstshapes_annotations.annotate(
            self, confidences=confidences, track_ids=track_ids,
            region_ids=region_ids)

    def __len__(self):
        return self.get_n_shapes()

    def __bool__(self):
        return True

    def __iter__(self):
        alone = GstShapes.ShapeSet.new(0, 0)
        alone.add_layer(self)
        if self.type == 'circles':
            return alone.iter_circles()
        return alone.iter_polylines()

    def __repr__(self):
        return '<layer of %d %s>' % (len(self), self.type)


ShapeLayer = override(ShapeLayer)
__all__.append('ShapeLayer')


class ShapeSet(GstShapes.ShapeSet):
    """A frame's shapes: layers of polylines or circles.

    len(), iteration and indices are about layers. points(), offsets(),
    polylines(), moments(), hull_measures(), annotations() and circles() give a
    layer's arrays as ShapeArray, None when the layer has no such array;
    RuntimeError if they are on a GPU and cannot be downloaded. contours(),
    hulls() and iter_circles() walk over the shapes of all layers.

    Sets with the same size and shapes are equal, and a set can be pickled;
    layers without shapes make no difference.
    """

    def __init__(self, width=0, height=0):
        # ShapeSet.__new__ has made it.
        pass

    def __new__(cls, width=0, height=0):
        return ShapeSet.new(width, height)

    @staticmethod
    def new(width, height):
        """An empty set of a frame of width x height pixels; ValueError if they
        are no whole numbers."""
        return GstShapes.ShapeSet.new(
            *_gstshapes_take.frame_size(width, height))

    @classmethod
    def from_polygons(cls, polygons, width=0, height=0, **properties):
        """A set of a frame of width x height with add_polygons().

        >>> GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (0, 3)]], 20, 10)
        <shapes of 20 x 10 pixels: 1 polylines>
        """
        shape_set = ShapeSet.new(width, height)
        shape_set.add_polygons(polygons, **properties)
        return shape_set

    @classmethod
    def from_masks(cls, masks, *, class_ids=None, confidences=None,
                   track_ids=None, region_ids=None, fully_connected='low'):
        """A set of the contours around masks: (n, height, width), or (height,
        width), bool or 0 and 1.

        A contour lies between the pixels that are set and those that are not,
        at -.5, width - .5 or height - .5 along the edge of the picture.
        Holes have their outline as parent, what is inside of them the hole.
        The region_id of a shape is the index of its mask unless region_ids
        are given: to_masks() of the shapes of a region gives the mask back.
        Shapes of one mask that are several have a track_id in common, too,
        unless track_ids has it: to_coco() and to_supervision() keep them
        together.
        class_ids, confidences, track_ids, region_ids: one for all or one for
        each mask
        fully_connected: 'low' or 'high': 'high' joins pixels at their corners

        ValueError and TypeError say what does not fit.

        >>> mask = np.zeros((5, 5), bool)
        >>> mask[1:4, 1:4] = True
        >>> [contour] = GstShapes.ShapeSet.from_masks(mask).contours()
        >>> contour.area, contour.region_id
        (8.5, 0)
        """
        return _gstshapes_import.from_masks(
            masks, class_ids, confidences, track_ids, region_ids,
            fully_connected)

    @classmethod
    def from_labels(cls, labels, *, class_ids=None, fully_connected='low'):
        """A set of the contours around each label of a label image: (height,
        width) integers, 0 for nothing. The rest is as in from_masks().

        The region_id of a shape is its label.
        class_ids: one for all, or a mapping from labels

        >>> labels = np.zeros((5, 9), int)
        >>> labels[1:4, 1:4], labels[2, 6] = 3, 8
        >>> shapes = GstShapes.ShapeSet.from_labels(labels)
        >>> [(contour.region_id, contour.area) for contour in shapes.contours()]
        [(3, 8.5), (8, 0.5)]
        """
        return _gstshapes_import.from_labels(labels, class_ids,
                                             fully_connected)

    @classmethod
    def from_coco(cls, document, image=None):
        """A set of the annotations that a document of COCO has of an image.

        document: the name of a file, its text, or what json.load() made of it
        image: its id or file_name; may be left out if there is one
        Polygons, run lengths (text or numbers), and boxes where there is no
        segmentation. Category c is the class c - 1 with that name; c, if there
        is a category 0. A polygon to which holes are joined by lines there and
        back, as to_coco() writes, has them as holes. What to_coco() writes as
        attributes is read: id, kind, level, track_id, region_id. Shapes of one
        annotation that are several have a track_id in common.

        ValueError names the annotation that does not fit.

        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (0, 3)]], 9, 9)
        >>> document = shapes.to_coco('triangle.png')
        >>> GstShapes.ShapeSet.from_coco(document, 'triangle.png')
        <shapes of 9 x 9 pixels: 1 polylines>
        """
        return _gstshapes_coco.from_coco(document, image)

    @classmethod
    def from_shapely(cls, geometries, width=0, height=0, **properties):
        """from_polygons() of what has __geo_interface__, as Shapely's
        geometries and geopandas's columns of them: one or a sequence.

        Interiors are holes with parents, parts of a collection one shape each,
        with a track_id in common unless track_ids has it; properties are of
        the geometries, not of their parts.
        """
        return _gstshapes_import.from_shapely(cls, geometries, width, height,
                                              properties)

    @classmethod
    def from_cv(cls, contours, hierarchy=None, width=0, height=0,
                **properties):
        """A set of what cv2.findContours() returns: contours, and the
        hierarchy, which says which are holes and whose.

        Points stay what they are, centres of the outermost pixels: those
        pixels are on the line, and not inside. from_masks() gives contours
        with every pixel inside.
        """
        parents, holes = _gstshapes_import.hierarchy_of(hierarchy,
                                                        len(contours))
        return cls.from_polygons(contours, width, height, parents=parents,
                                 holes=holes, **properties)

    @classmethod
    def from_supervision(cls, detections, width=0, height=0):
        """A set of supervision.Detections: from_masks() of their masks, or
        their boxes, with classes and their names (data['class_name']),
        confidences, trackers' ids and data['region_id'].

        ValueError if masks are not of width x height, unless these are 0.
        """
        return _gstshapes_import.from_supervision(cls, detections, width,
                                                  height)

    def add_polygons(self, polygons, *, closed=True, holes=None,
                     class_ids=None, parents=None, levels=None,
                     kind='contour', confidences=None, track_ids=None,
                     region_ids=None):
        """Adds a layer of polygons, with measures, numbered from
        get_next_id().

        polygons: a sequence of (n, 2) arrays, or lists, of x and y in pixels;
        the first point need not be repeated. Also OpenCV's (n, 1, 2), and
        what has __geo_interface__, as Shapely's geometries: its rings are
        closed, its lines open, its holes polylines whose parent it is; its
        parts have a track_id in common
        closed: a bool for all or one for each: False for open lines
        holes, class_ids, parents, levels: one for all or one for each
        polygon; parents are ids, or None
        kind: 'contour' or 'hull'
        confidences, track_ids, region_ids: as those of ShapeLayer.annotate()

        Raises ValueError and TypeError, which say what is wrong with which
        polygon, and ValueError if the set is published.

        >>> shapes = GstShapes.ShapeSet(20, 10)
        >>> shapes.add_polygons([[(0, 0), (4, 0), (4, 3)]], class_ids=2)
        >>> [(c.id, c.class_id, c.area, c.perimeter) for c in shapes.contours()]
        [(0, 2, 6.0, 12.0)]
        """
        layer = _gstshapes_polygons.polygons_layer(
            polygons, self.get_next_id(), closed, holes, class_ids, parents,
            levels, kind, confidences=confidences, track_ids=track_ids,
            region_ids=region_ids)
        self.add_layer(layer)

    def add_layer(self, layer):
        """Adds layer. ValueError if others hold the set, too: derive() one."""
        if layer is None:
            raise TypeError('there is no layer')
        if not self.is_writable():
            raise ValueError('the set is published, or somebody else holds it,'
                             ' and cannot be changed: derive() a new one')
        super().add_layer(layer)

    def __len__(self):
        return self.get_n_layers()

    def __bool__(self):
        # A set without layers is still a set: "if shape_set" asks for None.
        return True

    def __getitem__(self, index):
        n = self.get_n_layers()
        if not -n <= index < n:
            raise IndexError('layer %d of %d' % (index, n))
        return self.get_layer(index % n)

    def __iter__(self):
        return map(self.get_layer, range(self.get_n_layers()))

    def _bytes(self):
        """What makes it equal to another: layers without shapes do not."""
        layers = [layer for layer in self if len(layer)]
        bare = self
        if len(layers) < len(self):
            bare = self.derive_empty()
            for layer in layers:
                bare.add_layer(layer)
        return bare.serialize().get_data()

    def __eq__(self, other):
        if not isinstance(other, GstShapes.ShapeSet):
            return NotImplemented
        return self._bytes() == other._bytes()

    def __ne__(self, other):
        # the base class has one of its own
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self):
        return hash((self.get_width(), self.get_height()))

    def __reduce_ex__(self, _protocol):
        return _gstshapes_pickle.load_set, (self.serialize().get_data(),)

    def __repr__(self):
        layers = ', '.join('%d %s' % (len(layer), layer.type)
                           for layer in self)
        return '<shapes of %d x %d pixels: %s>' % (
            self.get_width(), self.get_height(), layers or 'none')

    @property
    def __geo_interface__(self):
        """GeoJSON's FeatureCollection, as to_geojson() writes it, with all
        bits of the coordinates: shapely.geometry.shape(), geopandas and others
        take it."""
        return _gstshapes_convert.geo_interface(self)

    def _repr_svg_(self):
        """The shapes as to_svg() draws them, for notebooks: of very many the
        polylines with the most points, and a line that says so."""
        return _gstshapes_display.repr_svg(self)

    def _array(self, layer, name, found):
        address, n = found
        if address:
            return _in_place(self, name, address, n)
        missing = self.get_layer(layer)
        # says why when there should be one
        return missing._array(name) if missing is not None else None

    def points(self, layer):
        """All points of a layer: n x 2 single-precision x and y."""
        return self._array(layer, 'points', self.get_points_address(layer))

    def offsets(self, layer):
        """Polyline i has points offsets[i] up to, not with, offsets[i + 1]."""
        return self._array(layer, 'offsets', self.get_offsets_address(layer))

    def polylines(self, layer):
        """Records of POLYLINE_DESCR, of which numpy.asarray() makes columns.

        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 3)]])
        >>> np.asarray(shapes.polylines(0))['area']
        array([6.])
        """
        return self._array(layer, 'polylines',
                           self.get_polylines_address(layer))

    def moments(self, layer):
        """n x 10: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03."""
        return self._array(layer, 'moments', self.get_moments_address(layer))

    def hull_measures(self, layer):
        """Records of HULL_MEASURES_DESCR."""
        return self._array(layer, 'hull_measures',
                           self.get_hull_measures_address(layer))

    def annotations(self, layer):
        """Records of ANNOTATION_DESCR, in which -1 is unknown."""
        return self._array(layer, 'annotations',
                           self.get_annotations_address(layer))

    def circles(self, layer):
        """Records of CIRCLE_DESCR."""
        return self._array(layer, 'circles', self.get_circles_address(layer))

    def iter_polylines(self, kind=None):
        """Every polyline of every layer; kind: a ShapeKind, or None for all."""
        shared = Shared(self, _gstshapes_convert.geo_interface)
        for layer in range(self.get_n_layers()):
            records = self.polylines(layer)
            if records is None:
                continue
            offsets = self.offsets(layer).memoryview().cast('I')
            rows = _point_rows(self.points(layer))
            for i, record in enumerate(
                    POLYLINE.iter_unpack(records.memoryview())):
                if kind is None or record[4] == kind:
                    points = _point_slice(rows, offsets[i], offsets[i + 1])
                    yield Polyline(record, points, (self, layer, i), shared)

    def contours(self):
        """Every contour of every layer, as a Polyline.

        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 3)]])
        >>> [contour.points.shape for contour in shapes.contours()]
        [(4, 2)]
        """
        return self.iter_polylines(int(GstShapes.ShapeKind.CONTOUR))

    def hulls(self):
        """Every hull of every layer, as a Polyline."""
        return self.iter_polylines(int(GstShapes.ShapeKind.HULL))

    def iter_circles(self):
        """Every circle of every layer, as a Circle."""
        for layer in range(self.get_n_layers()):
            records = self.circles(layer)
            if records is not None:
                for record in CIRCLE.iter_unpack(records.memoryview()):
                    yield Circle(record)

    @property
    def pixel_size(self):
        """Millimetres of a pixel in x and y; None if they are unknown.

        ValueError if others hold the set, too: derive() one.

        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 3)]])
        >>> shapes.pixel_size = .5, .5
        >>> [contour.metric.area for contour in shapes.contours()]
        [1.5]
        """
        known, x, y = self.get_pixel_size()
        return (x, y) if known else None

    @pixel_size.setter
    def pixel_size(self, size):
        if not self.is_writable():
            raise ValueError('the set is published, or somebody else holds it,'
                             ' and cannot be changed: derive() a new one')
        x, y = (0, 0) if size is None else size
        if size is not None and not (x > 0 and y > 0):
            raise ValueError('pixels are not of %g x %g mm' % (x, y))
        self.set_pixel_size(x, y)

    def rescale(self, width, height):
        """The shapes of a frame of width x height pixels, derived from those
        of this set's frame.

        >>> shapes = GstShapes.ShapeSet.from_polygons(
        ...     [[(0, 0), (4, 0), (4, 3)]], 20, 10)
        >>> [contour.area for contour in shapes.rescale(40, 20).contours()]
        [24.0]
        """
        return super().rescale(*_gstshapes_take.frame_size(width, height))

    def transform(self, affine, width, height):
        """The shapes after a GstShapes.ShapeAffine, in a frame of width x
        height pixels.

        >>> shapes = GstShapes.ShapeSet.from_polygons(
        ...     [[(0, 0), (4, 0), (4, 3)]], 20, 10)
        >>> flip = GstShapes.ShapeAffine()
        >>> flip.xx, flip.x0, flip.yy = -1, 19, 1
        >>> [contour.bbox for contour in shapes.transform(flip, 20, 10).contours()]
        [(15.0, 0.0, 19.0, 3.0)]
        """
        return super().transform(
            affine, *_gstshapes_take.frame_size(width, height))

    def filter(self, function=None, *, kind=None, class_ids=None,
               closed=None, hole=None, min_area=None, max_area=None):
        """A set of the polylines that pass, and of all circles.

        function: takes a GstShapes.ShapePolyline and says whether to keep it
        kind: 'contour' or 'hull'; class_ids: the classes to keep; closed,
        hole: booleans; min_area, max_area: of the absolute area, which is
        taken from the points if nobody has measured it

        What function raises, this raises.

        >>> shapes = GstShapes.ShapeSet.from_polygons(
        ...     [[(0, 0), (4, 0), (4, 3)], [(9, 9), (10, 9), (10, 10)]])
        >>> [contour.id for contour in shapes.filter(min_area=1).contours()]
        [0]
        """
        kinds = {'contour': int(GstShapes.ShapeKind.CONTOUR),
                 'hull': int(GstShapes.ShapeKind.HULL)}
        if kind is not None and kind not in kinds:
            raise ValueError("kind is 'contour' or 'hull', not %r" % (kind,))
        classes = None if class_ids is None else frozenset(class_ids)

        raised = []

        def passes(polyline):
            return ((kind is None or polyline.kind == kinds[kind])
                    and (classes is None or polyline.class_id in classes)
                    and (closed is None or bool(polyline.flags & 1) == closed)
                    and (hole is None or bool(polyline.flags & 2) == hole)
                    and (min_area is None or abs(polyline.area) >= min_area)
                    and (max_area is None or abs(polyline.area) <= max_area)
                    and (function is None or bool(function(polyline))))

        def keep(polyline, *_data):
            # C has no exceptions
            try:
                return not raised and passes(polyline)
            except BaseException as error:
                raised.append(error)
                return False

        kept = super().filter(keep)
        if raised:
            raise raised[0]
        return kept

    def to_coco(self, file_name, segmentation='polygons', group_by=None):
        """A document of COCO, JSON text, of this set as one image.

        file_name: the image's name in the document, text or a path
        segmentation: 'polygons', or 'rle' for pixels as run lengths, which
        need the size of the set
        group_by: which shapes of the same kind and class are parts of the same
        object, an annotation: those of the same 'track', as None means, too,
        'region' or 'class', or 'shape' for each its own

        ValueError if the set has no size and needs one.

        >>> import json
        >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 3)]], 9, 9)
        >>> json.loads(shapes.to_coco('triangle.png'))['annotations'][0]['bbox']
        [0.5, 0.5, 4, 3]
        """
        return _gstshapes_coco.to_coco(self, super().to_coco_full, file_name,
                                       segmentation, group_by)

    def to_cv(self, kind='contour'):
        """OpenCV's contours: a list of (n, 1, 2) int32 arrays of x and y.

        As OpenCV's own they go through the outermost pixels that belong to
        the object, also around its holes, so that cv2.fillPoly(image,
        [outline, *holes], 1) sets the pixels of to_masks(). Of the two pixels
        that a point of a closed contour is between it is the one inside. At a
        level that samples have, points are those pixels, and to_masks() does
        not have them. What is not on the pixels' grid, after scaling for
        example, is rounded to the nearest pixel, halves up. Neighbouring
        points that become equal are one point.

        ValueError if shapes have no points, or one that is no pixel.

        >>> mask = np.zeros((5, 5), bool)
        >>> mask[1:4, 1:4] = True
        >>> [outline] = GstShapes.ShapeSet.from_masks(mask).to_cv()
        >>> int(outline.min()), int(outline.max()), outline.dtype
        (1, 3, dtype('int32'))
        """
        return _gstshapes_pixels.to_cv(self, kind)

    def to_masks(self, kind='contour'):
        """The pixels of each closed polyline that is no hole: (n, height,
        width) bool, in the order of contours() or hulls().

        A pixel belongs to a shape if its centre is inside, and in none of the
        holes whose parent the shape is, and on no line of these: of contours
        with a level between the samples' values it is the comparison of the
        picture with the level. Holes of which it is not known whose they are
        (cudacontours hierarchy=true says it) are not left out.

        ValueError if the set has no size or shapes have no points.

        >>> mask = np.zeros((5, 5), bool)
        >>> mask[1:4, 1:4] = True
        >>> bool((GstShapes.ShapeSet.from_masks(mask).to_masks()[0] == mask).all())
        True
        """
        return _gstshapes_pixels.to_masks(self, kind)

    def to_labels(self, kind='contour'):
        """The pixels of to_masks() in one picture: (height, width) int32,
        1 + the id of the shape, the last one if there are several, 0 for
        none.

        >>> mask = np.zeros((3, 3), bool)
        >>> mask[1, 1:] = True
        >>> GstShapes.ShapeSet.from_masks(mask).to_labels()
        array([[0, 0, 0],
               [0, 1, 1],
               [0, 0, 0]], dtype=int32)
        """
        return _gstshapes_pixels.to_labels(self, kind)

    def to_shapely(self, kind='contour'):
        """Shapely's geometries: a Polygon for each closed polyline, with its
        holes (cudacontours hierarchy=true says whose they are), a MultiPolygon
        where it touches itself, a LineString or Point for an open one, a
        LinearRing for a hole that is nobody's. Those of contours are valid for
        GEOS; a polygon of others that crosses itself is not mended."""
        return _gstshapes_convert.to_shapely(self, kind)

    def to_pandas(self):
        """A DataFrame with a row for each polyline: ids, flags, measures, and
        annotations where there are any. Measures that nobody took are NaN:
        compute_measures() takes them."""
        return _gstshapes_convert.to_pandas(self)

    def to_supervision(self, kind='contour', masks=False, group_by=None):
        """supervision.Detections of closed polylines that are no holes; with
        to_masks() if masks are wanted. With annotations, confidences that are
        unknown are NaN, and ids -1.

        group_by: which are one detection, as in to_coco(): its box and mask
        are around all of them, its area is their sum, its confidence the
        highest, its ids are those of the first
        """
        return _gstshapes_convert.to_supervision(self, kind, masks, group_by)


ShapeSet = override(ShapeSet)
__all__.append('ShapeSet')


def buffer_add_shape_meta(buffer, shape_set):
    """Attaches shape_set, which nobody may change from then on, to buffer.

    ValueError if the buffer is not writable.

    >>> buffer = Gst.Buffer.new()
    >>> shapes = GstShapes.ShapeSet.from_polygons([[(0, 0), (4, 0), (4, 3)]], 9, 9)
    >>> meta = GstShapes.buffer_add_shape_meta(buffer, shapes)
    >>> GstShapes.buffer_get_shape_set(buffer)
    <shapes of 9 x 9 pixels: 1 polylines>
    """
    try:
        return GstShapes.buffer_add_shape_meta(buffer, shape_set)
    except GLib.Error as error:
        raise ValueError(error.message) from None


__all__.append('buffer_add_shape_meta')
