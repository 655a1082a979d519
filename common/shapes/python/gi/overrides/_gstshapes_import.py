# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of what others make: masks, label images, contours, detections."""

from gi.module import get_introspection_module

from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import (
    POLYLINE, POLYLINE_DESCR, ShapeArray, raise_for, require)
from gi.overrides._gstshapes_polygons import annotated, layer_of, offsets_of

GstShapes = get_introspection_module('GstShapes')

_FLAGS = {'low': GstShapes.ShapeContoursFlags.HIERARCHY,
          'high': (GstShapes.ShapeContoursFlags.HIERARCHY
                   | GstShapes.ShapeContoursFlags.FULLY_CONNECTED_HIGH)}

_engine = None


def _find(mask, flags):
    """The GstShapes.ShapeResult of contiguous bytes, 0 and 1."""
    global _engine
    image = GstShapes.ShapeImage()
    image.data = mask.ctypes.data
    image.type = GstShapes.ShapeNumber.U8
    image.height, image.width = mask.shape
    image.channels = image.pixel_stride = image.channel_stride = 1
    image.row_stride = mask.strides[0]
    try:
        if _engine is None:
            _engine = GstShapes.ShapeEngine.new('cpu', -1)
        return _engine.find_contours(image, None, [.5], flags)
    except GLib.Error as error:
        raise_for(error)


def _array(numpy, result, which, shape, typestr, size, descr=None):
    """An array of result, in place."""
    address, n = result.get_address(which)
    return numpy.asarray(ShapeArray(result, address, (n, *shape), size,
                                    typestr, descr))


def _contours(numpy, result):
    """The points and the record of each contour."""
    parts = GstShapes.ShapeArrayType
    if not result.get_address(parts.POLYLINES)[1]:
        return []
    points = _array(numpy, result, parts.POINTS, (2,), 'f8', 16)
    ends = _array(numpy, result, parts.OFFSETS, (), 'u4', 4).tolist()
    records = _array(numpy, result, parts.POLYLINES, (),
                     '|V%d' % POLYLINE.size, POLYLINE.size, POLYLINE_DESCR)
    return [(points[first:end], record)
            for first, end, record in zip(ends, ends[1:], records)]


class Outlines:
    """Contours of masks, one after the other, as the arrays of a layer."""

    def __init__(self, numpy, fully_connected='low'):
        self.numpy = numpy
        self.points, self.records, self.of = [], [], []
        if fully_connected not in _FLAGS:
            raise ValueError('fully_connected is "low" or "high", not %r'
                             % (fully_connected,))
        self.flags = _FLAGS[fully_connected]

    def __len__(self):
        return len(self.of)

    def add_polyline(self, number, points, record):
        """One more polyline; record: the fields of its record."""
        self.points.append(points)
        one = self.numpy.zeros((), self.numpy.dtype(POLYLINE_DESCR))
        one['parent'] = -1
        for name, value in record.items():
            one[name] = value
        one['id'] = len(self)
        self.records.append(one)
        self.of.append(number)

    def add_mask(self, number, mask, x, y, **fields):
        """The contours around mask, whose first pixel is at x, y."""
        numpy = self.numpy
        rows, columns = mask.shape
        padded = numpy.zeros((rows + 2, columns + 2), 'u1')
        padded[1:-1, 1:-1] = mask
        first = len(self)
        for points, record in _contours(numpy, _find(padded, self.flags)):
            moved = points.astype('f8') + (x - 1, y - 1)
            self.points.append(moved.astype('f4'))
            if not take.are_singles(moved):
                take.check_singles('mask %d' % number, moved, self.points[-1])
            record = record.copy()
            record['id'] += first
            if record['parent'] >= 0:
                record['parent'] += first
            for name, value in fields.items():
                record[name] = value
            self.records.append(record)
            self.of.append(number)

    def layer(self, class_ids, n, **annotations):
        """The layer; class_ids and annotations are of n masks."""
        numpy = self.numpy
        records = numpy.array(self.records, numpy.dtype(POLYLINE_DESCR))
        if class_ids is not None:
            classes = take.integers('class_ids', class_ids, n, 0)
            records['class_id'] = classes[numpy.array(self.of, 'i8')]
        points = numpy.concatenate(self.points) if self.points \
            else numpy.zeros((0, 2), 'f4')
        return annotated(numpy, layer_of(
            numpy, points, offsets_of(numpy, self.points), records), self.of,
            n, annotations)


def _box(numpy, mask):
    """The first and end row and column of what is set; None for nothing."""
    rows = numpy.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return None
    columns = numpy.flatnonzero(mask[rows[0]:rows[-1] + 1].any(axis=0))
    return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1


def add_whole_mask(numpy, outlines, number, mask, **fields):
    """The contours of a mask of a whole picture."""
    box = _box(numpy, mask)
    if box is not None:
        top, bottom, left, right = box
        outlines.add_mask(number, mask[top:bottom, left:right], left, top,
                          **fields)


def new_set(width, height, layer):
    shape_set = GstShapes.ShapeSet.new(*take.frame_size(width, height))
    shape_set.add_layer(layer)
    return shape_set


def _as_masks(numpy, masks):
    masks, missing = take.without_mask(masks)
    if missing is not None:
        raise ValueError('masks are masked: filled(False) decides what is '
                         'masked')
    if masks.ndim == 2:
        masks = masks[None]
    if masks.ndim != 3:
        raise ValueError('masks have shape (n, height, width) or (height, '
                         'width), not %s' % (masks.shape,))
    if masks.dtype.kind == 'b':
        return masks
    if masks.size and masks.dtype.kind not in 'uif':
        raise TypeError('masks are of %s, not bool' % masks.dtype)
    wrong = (masks != 0) & (masks != 1)
    if wrong.any():
        at = tuple(int(i[0]) for i in numpy.nonzero(wrong))
        raise ValueError('masks%s is %s, not 0 or 1: masks > 0 are masks, and '
                         'from_labels() takes labels' % (list(at), masks[at]))
    return masks != 0


def from_masks(masks, class_ids, confidences, track_ids, region_ids,
               fully_connected):
    numpy = require('numpy', 'from_masks()')
    masks = _as_masks(numpy, masks)
    outlines = Outlines(numpy, fully_connected)
    for i, mask in enumerate(masks):
        add_whole_mask(numpy, outlines, i, mask)
    n, height, width = masks.shape
    return new_set(width, height, outlines.layer(
        class_ids, n, confidences=confidences, track_ids=track_ids,
        region_ids=numpy.arange(n) if region_ids is None else region_ids))


def _as_labels(numpy, labels):
    labels, missing = take.without_mask(labels)
    if missing is not None:
        raise ValueError('labels are masked: filled(0) takes what is masked '
                         'for background')
    if labels.ndim != 2:
        raise ValueError('labels have shape (height, width), not %s'
                         % (labels.shape,))
    if labels.size and labels.dtype.kind not in 'bui':
        raise TypeError('labels are of %s, not integers' % labels.dtype)
    wrong = (labels < 0) | (labels > take.INT32[1])
    if wrong.any():
        at = tuple(int(i[0]) for i in numpy.nonzero(wrong))
        raise ValueError('labels%s is %d, not 0 (nothing) to 2147483647'
                         % (list(at), labels[at]))
    return labels.astype('i4')


def _boxes(numpy, labels):
    """Each label with its box; a single pass over the picture."""
    rows, columns = numpy.nonzero(labels)
    values = labels[rows, columns]
    order = numpy.argsort(values, kind='stable')
    values, rows, columns = values[order], rows[order], columns[order]
    if not len(values):
        return []
    starts = numpy.flatnonzero(numpy.diff(values, prepend=values[0] - 1))
    # rows are in order within a label
    ends = numpy.append(starts[1:], len(values))
    return zip(values[starts].tolist(), rows[starts].tolist(),
               (rows[ends - 1] + 1).tolist(),
               numpy.minimum.reduceat(columns, starts).tolist(),
               (numpy.maximum.reduceat(columns, starts) + 1).tolist())


def from_labels(labels, class_ids, fully_connected):
    numpy = require('numpy', 'from_labels()')
    labels = _as_labels(numpy, labels)
    outlines, found = Outlines(numpy, fully_connected), []
    for label, top, bottom, left, right in _boxes(numpy, labels):
        outlines.add_mask(len(found), labels[top:bottom, left:right] == label,
                          left, top)
        found.append(label)
    if isinstance(class_ids, dict):
        missing = [label for label in found if label not in class_ids]
        if missing:
            raise ValueError('class_ids has no class of label %d'
                             % missing[0])
        class_ids = [class_ids[label] for label in found]
    elif numpy.ndim(class_ids) > 0:
        raise TypeError('class_ids is a number or a mapping from labels')
    height, width = labels.shape
    return new_set(width, height, outlines.layer(
        class_ids, len(found), region_ids=numpy.array(found, 'i4')))


def hierarchy_of(hierarchy, n):
    """Parents and holes of OpenCV's hierarchy."""
    numpy = require('numpy', 'from_cv()')
    if hierarchy is None:
        return None, None
    rows, missing = take.without_mask(hierarchy)
    if missing is not None:
        raise ValueError('hierarchy is masked')
    if rows.shape not in ((1, n, 4), (n, 4)) or rows.dtype.kind not in 'ui':
        raise ValueError('hierarchy has shape %s, not (1, %d, 4)'
                         % (rows.shape, n))
    parents = rows.reshape(n, 4)[:, 3].astype('i8')
    wrong = (parents < -1) | (parents >= n)
    depths = numpy.zeros(n, 'i8')
    at, steps = parents, 0
    while not wrong.any() and (at >= 0).any():
        depths += at >= 0
        at = numpy.where(at >= 0, parents[at], -1)
        steps += 1
        wrong = (at >= 0) & (steps > n)
    if wrong.any():
        raise ValueError('hierarchy: contour %d has no outermost parent'
                         % numpy.flatnonzero(wrong)[0])
    return parents, depths % 2 == 1


def from_shapely(cls, geometries, width, height, properties):
    geometries = take.geometries(geometries)
    for i, one in enumerate(geometries):
        if take.geometry(one) is None:
            raise TypeError('geometries[%d] is %r, which has no '
                            '__geo_interface__' % (i, type(one).__name__))
    return cls.from_polygons(geometries, width, height, **properties)


def _box_outline(box):
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def from_supervision(cls, detections, width, height):
    numpy = require('numpy', 'from_supervision()')
    n = len(detections)
    columns = {'class_ids': detections.class_id,
               'confidences': detections.confidence,
               'track_ids': detections.tracker_id,
               'region_ids': detections.data.get('region_id')}
    if detections.mask is not None and n:
        masks = take.as_array(detections.mask)
        if (width, height) not in ((0, 0), masks.shape[:0:-1]):
            raise ValueError('masks are of %d x %d pixels, not %d x %d'
                             % (*masks.shape[:0:-1], width, height))
        found = cls.from_masks(masks, **columns)
    else:
        boxes, missing = take.without_mask(detections.xyxy)
        if missing is not None:
            raise ValueError('xyxy has a masked box, %d: leave it out'
                             % numpy.flatnonzero(missing.any(axis=1))[0])
        found = cls.from_polygons([_box_outline(box) for box in boxes],
                                  width, height, **columns)
    names = detections.data.get('class_name')
    if names is not None and detections.class_id is not None and len(found):
        named = dict(zip(map(int, detections.class_id), map(str, names)))
        found[0].set_class_names([
            named.get(i, '') for i in range(max(named, default=-1) + 1)])
    return found
