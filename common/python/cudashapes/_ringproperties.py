# SPDX-License-Identifier: LGPL-2.1-or-later
"""Properties of polygons, from the measures of their rings and hulls."""

import math

import numpy

from cudashapes import _engines
from cudashapes._contours import RECORD, Contours
from cudashapes._given import geometry, rings
from cudashapes._labels import LabelPolygons, Rings
from cudashapes._polygons import RingPolygons
from cudashapes._stats import is_ring, ring_points

# what is appended to a name for each of its columns
COLUMNS = {name: ('',) for name in (
    'label', 'area', 'area_bbox', 'area_convex', 'axis_major_length',
    'axis_minor_length', 'eccentricity', 'equivalent_diameter_area', 'extent',
    'feret_diameter_max', 'orientation', 'perimeter', 'solidity')}
COLUMNS.update(bbox=('-0', '-1', '-2', '-3'), centroid=('-0', '-1'))

_MOMENTS, _FERET = (numpy.dtype(('f8', n)) for n in (10, 15))


def _is_region(item):
    if geometry(item) is not None:
        return True
    if isinstance(item, (list, tuple)):
        return len(item) > 0 and _is_region(item[0])
    return isinstance(item, numpy.ndarray) and item.ndim > 1


def are_polygons(given):
    """Whether these are polygons, and not a picture."""
    return isinstance(given, (RingPolygons, Contours, Rings)) or (
        isinstance(given, (list, tuple))
        and (not given or any(map(_is_region, given))))


# Rings

def _block(given):
    """x, y and offsets of rings that are in one array."""
    if isinstance(given, Contours):
        points, offsets = given.xy()
        return numpy.asarray(points.copy_to_host()), numpy.asarray(offsets)
    return given.points, given.offsets


def _each_ring(region, as_xy):
    """Rings, and which way round they go: 1 if they add to the area, -1 if not,
    0 if they say it themselves."""
    mapping = geometry(region)
    if mapping is not None:
        for outline, _, holes in rings(mapping):
            yield ring_points(outline, True, 'f8'), 1
            for hole in holes:
                yield ring_points(hole, True, 'f8'), -1
        return
    for ring in [region] if len(region) and is_ring(region) else region:
        yield ring_points(ring, as_xy, 'f8'), 0


def _closed(ring):
    return ring if len(ring) > 1 and (ring[0] == ring[-1]).all() else \
        numpy.concatenate((ring, ring[:1]))


def _found(given, as_xy):
    """x and y of closed rings, where each begins, of which region each is, which
    way round it goes, and the labels of the regions."""
    labels = None
    if isinstance(given, RingPolygons):
        firsts = given._structure()[0]
        if isinstance(given, LabelPolygons):
            labels = given.labels
        given = given.rings
        if isinstance(given, (Contours, Rings)):
            n = len(firsts) - 1
            owners = numpy.repeat(numpy.arange(n), numpy.diff(firsts))
            return (*_block(given), owners, numpy.zeros(len(owners)), n, labels)
        given = [given[a:b] for a, b in zip(firsts, firsts[1:])]
        as_xy = True
    elif isinstance(given, (Contours, Rings)):
        points, offsets = _block(given)
        given = [points[a:b] for a, b in zip(offsets, offsets[1:])]
        as_xy = True
    found = [(_closed(ring), i, way) for i, region in enumerate(given)
             for ring, way in _each_ring(region, as_xy) if len(ring)]
    points = numpy.concatenate([ring for ring, _, _ in found]) \
        if found else numpy.zeros((0, 2))
    offsets = numpy.cumsum([0] + [len(ring) for ring, _, _ in found])
    return (points, offsets, numpy.array([i for _, i, _ in found], int),
            numpy.array([way for _, _, way in found], float), len(given),
            labels)


# Measures

def _moments(moments, starts, firsts):
    """Those up to second order from the first point of each ring, from that of
    its region on."""
    m00, m10, m01, m20, m11, m02 = moments[:, :6].T
    x, y = (starts - firsts).T
    return numpy.stack((
        m00, m10 + x * m00, m01 + y * m00,
        m20 + 2 * x * m10 + x * x * m00,
        m11 + x * m01 + y * m10 + x * y * m00,
        m02 + 2 * y * m01 + y * y * m00))


def _ellipses(found, a, b, c):
    """Of the tensors [[a, b], [b, c]]."""
    mean, half = (a + c) / 2, (a - c) / 2
    radius = numpy.hypot(half, b)
    large, small = mean + radius, numpy.maximum(mean - radius, 0)
    found['axis_major_length'] = 4 * numpy.sqrt(large)
    found['axis_minor_length'] = 4 * numpy.sqrt(small)
    found['eccentricity'] = numpy.sqrt(1 - small / large)
    found['orientation'] = numpy.where(
        a == c, numpy.where(b < 0, math.pi / 4, -math.pi / 4),
        numpy.arctan2(-2 * b, c - a) / 2)


def ring_properties(given, as_xy, backend):
    """Columns by name, of all properties."""
    points, offsets, owners, ways, n, labels = _found(given, as_xy)
    points = numpy.ascontiguousarray(points, 'f8')
    ends = numpy.searchsorted(owners, numpy.arange(n + 1))
    of_rings, moments, of_hulls, features = _engines.engine(
        backend).measure_rings(points, *(
            numpy.ascontiguousarray(words, 'u4')
            for words in (offsets, numpy.asarray(offsets)[ends])))
    of_rings = numpy.frombuffer(of_rings, RECORD)
    hulls = numpy.frombuffer(of_hulls, RECORD)
    ways = numpy.where(ways == 0, 1, ways * numpy.sign(of_rings['area']))

    def summed(values):
        # of nothing it would be integers
        return numpy.bincount(owners, values, n).astype('f8')

    starts = points[numpy.asarray(offsets[:-1], int)]
    begins = numpy.zeros((n, 2))
    begins[owners[::-1]] = starts[::-1]
    sums = [summed(ways * m) for m in _moments(
        numpy.frombuffer(moments, _MOMENTS), starts, begins[owners])]
    convex, feret, box = (numpy.full(shape, math.nan)
                          for shape in (n, n, (n, 4)))
    convex[hulls['parent']] = hulls['area']
    feret[hulls['parent']] = numpy.frombuffer(features, _FERET)[:, 0]
    # x0, y0, x1, y1
    box[hulls['parent']] = hulls['rest'][:, 3:7]
    found = {'label': labels if labels is not None
             else numpy.arange(n), 'area': numpy.abs(sums[0])}
    found['label'] = numpy.asarray(found['label'], 'i8')
    with numpy.errstate(divide='ignore', invalid='ignore'):
        x, y = sums[1] / sums[0], sums[2] / sums[0]
        _ellipses(found, sums[3] / sums[0] - x * x,
                  x * y - sums[4] / sums[0], sums[5] / sums[0] - y * y)
        found['centroid-0'] = begins[:, 1] + y
        found['centroid-1'] = begins[:, 0] + x
        for i, k in enumerate((1, 0, 3, 2)):
            found['bbox-%d' % i] = box[:, k]
        found['area_bbox'] = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
        found['area_convex'] = convex
        found['extent'] = found['area'] / found['area_bbox']
        found['solidity'] = found['area'] / convex
        found['equivalent_diameter_area'] = numpy.sqrt(
            4 * found['area'] / math.pi)
    found['feret_diameter_max'] = feret
    found['perimeter'] = summed(of_rings['rest'][:, 0])
    return found
