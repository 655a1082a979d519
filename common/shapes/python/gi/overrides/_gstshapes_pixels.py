# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pixels of shapes: OpenCV's contours, masks and labels."""

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides._gstshapes_arrays import raise_for, require

GstShapes = get_introspection_module('GstShapes')


def shape_kind(kind):
    """The ShapeKind of 'contour' or 'hull'."""
    kinds = {'contour': GstShapes.ShapeKind.CONTOUR,
             'hull': GstShapes.ShapeKind.HULL}
    if kind not in kinds:
        raise ValueError('kind is "contour" or "hull", not %r' % (kind,))
    return kinds[kind]


def _to_the_object(numpy, points, offsets, closed, hole):
    """For each point of rings, x and y towards the pixels of the object."""
    first, last = offsets[:-1], offsets[1:] - 1
    rings = closed & (last > first)
    after, before = numpy.arange(1, len(points) + 1), \
        numpy.arange(-1, len(points) - 1)
    after[last] = numpy.where(rings, first + 1, last)
    before[first] = numpy.where(rings, last - 1, first)
    along = points[after] - points[before]
    of = numpy.repeat(numpy.arange(len(first)), numpy.diff(offsets))
    about = points - points[first][of]
    step = numpy.zeros_like(points)
    step[:-1] = points[1:] - points[:-1]
    step[last] = 0
    twice_area = numpy.add.reduceat(
        about[:, 0] * step[:, 1] - about[:, 1] * step[:, 0], first)
    side = numpy.where(rings, numpy.sign(twice_area), 0) \
        * numpy.where(hole, -1, 1)
    return along[:, ::-1] * side[of][:, None] * (-1, 1)


def _pixels(numpy, points, inwards, size):
    """What to_cv() says."""
    pixels = numpy.floor(points + .5)
    between = points != numpy.floor(points)
    # on an edge of the grid: of its two pixels the object's
    on_edge = between & ~between[:, ::-1] & (inwards != 0)
    pixels[on_edge] = numpy.where(inwards > 0, numpy.ceil(points),
                                  numpy.floor(points))[on_edge]
    # the last pixels end at the picture's edge
    for axis, n in enumerate(size):
        if n > 0:
            at_end = (points[:, axis] == n - .5) & ~on_edge[:, axis]
            pixels[at_end, axis] = n - 1
    return pixels


def _layer_to_cv(numpy, layer, kind, size):
    records = numpy.asarray(layer.polylines())
    wanted = numpy.flatnonzero(records['kind'] == int(shape_kind(kind)))
    if not len(wanted):
        return []
    points = layer.points()
    if points is None:
        raise ValueError('the shapes have no points, only measures')
    points = numpy.asarray(points).astype('f8')
    offsets = numpy.asarray(layer.offsets()).astype('i8')
    if (numpy.diff(offsets) == 0).any():
        raise ValueError('a shape has no points')
    flags = GstShapes.ShapeFlags
    closed = (records['flags'] & int(flags.CLOSED)) != 0
    hole = (records['flags'] & int(flags.HOLE)) != 0
    fits = (numpy.abs(points) < 2 ** 31 - 1).all(axis=1)
    if not fits.all():
        at = numpy.searchsorted(offsets, numpy.flatnonzero(~fits)[0], 'right')
        raise ValueError('polyline %d has a point that is no pixel'
                         % records['id'][at - 1])
    pixels = _pixels(numpy, points, _to_the_object(
        numpy, points, offsets, closed, hole), size).astype('i4')
    new = numpy.ones(len(pixels), bool)
    new[1:] = (pixels[1:] != pixels[:-1]).any(axis=1)
    new[offsets[:-1]] = True
    contours = []
    for i in wanted.tolist():
        line = slice(offsets[i], offsets[i + 1])
        contour = pixels[line][new[line]]
        if closed[i] and len(contour) > 1 \
                and (contour[0] == contour[-1]).all():
            contour = contour[:-1]
        contours.append(contour.reshape(-1, 1, 2))
    return contours


def to_cv(shape_set, kind):
    numpy = require('numpy', 'to_cv()')
    shape_kind(kind)
    size = shape_set.get_width(), shape_set.get_height()
    return [contour for layer in shape_set if layer.type == 'polylines'
            for contour in _layer_to_cv(numpy, layer, kind, size)]


def _bytes(get, kind):
    try:
        return get(shape_kind(kind)).get_data()
    except GLib.Error as error:
        raise_for(error)


def to_masks(shape_set, kind):
    numpy = require('numpy', 'to_masks()')
    shape = shape_set.get_height(), shape_set.get_width()
    masks = numpy.frombuffer(_bytes(shape_set.get_masks_bytes, kind), bool)
    return masks.reshape(-1, *shape)


def to_labels(shape_set, kind):
    numpy = require('numpy', 'to_labels()')
    shape = shape_set.get_height(), shape_set.get_width()
    labels = numpy.frombuffer(_bytes(shape_set.get_labels_bytes, kind), 'i4')
    return labels.reshape(shape)
