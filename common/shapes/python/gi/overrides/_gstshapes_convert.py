# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes as other libraries' objects. None of them is needed for the rest."""

import array
import json

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides._gstshapes_annotations import known_confidences
from gi.overrides._gstshapes_arrays import raise_for, require
from gi.overrides._gstshapes_pixels import shape_kind, to_masks
from gi.overrides._gstshapes_polygons import polygons_layer

GstShapes = get_introspection_module('GstShapes')


def _of_kind(shape_set, kind):
    return list(shape_set.iter_polylines(int(shape_kind(kind))))


def _exact(coordinates):
    """Coordinates in GeoJSON's shortest digits as the numbers they are of."""
    if coordinates and not isinstance(coordinates[0], list):
        return array.array('f', coordinates).tolist()
    return [_exact(part) for part in coordinates]


def geo_interface(shape_set):
    """The FeatureCollection of a set, with all bits of its coordinates."""
    try:
        collection = json.loads(shape_set.to_geojson())
    except GLib.Error as error:
        raise_for(error)
    for feature in collection['features']:
        geometry = feature['geometry']
        if geometry is not None:
            geometry['coordinates'] = _exact(geometry['coordinates'])
    return collection


def to_shapely(shape_set, kind):
    require('shapely', 'to_shapely()')
    geometry = require('shapely.geometry', 'to_shapely()')
    shape_kind(kind)
    geometries = []
    for feature in geo_interface(shape_set)['features']:
        properties = feature['properties']
        if properties['kind'] != kind:
            continue
        if feature['geometry'] is None:
            raise ValueError('shape %d has no points, or one that is not '
                             'known; filter() leaves it out'
                             % feature['id'])
        found = geometry.shape(feature['geometry'])
        if properties['hole'] and found.geom_type == 'Polygon':
            found = found.exterior
        geometries.append(found)
    return geometries


def _layer_frame(numpy, pandas, layer, number):
    records = numpy.asarray(layer.polylines())
    flags = GstShapes.ShapeFlags
    columns = {
        'layer': number,
        'id': records['id'],
        'kind': numpy.where(records['kind'] == int(GstShapes.ShapeKind.HULL),
                            'hull', 'contour'),
        'parent': pandas.array(
            [parent if parent >= 0 else None
             for parent in records['parent'].tolist()], 'Int64'),
        'class_id': records['class_id'],
        'image': records['image'],
        'closed': (records['flags'] & int(flags.CLOSED)) != 0,
        'hole': (records['flags'] & int(flags.HOLE)) != 0,
        'n_points': numpy.diff(numpy.asarray(layer.offsets()).astype('i8')),
    }
    for name in ('level', 'area', 'perimeter', 'centroid_x', 'centroid_y',
                 'bbox_x0', 'bbox_y0', 'bbox_x1', 'bbox_y1', 'solidity'):
        columns[name] = records[name]
    frame = pandas.DataFrame(columns)
    measures = layer.hull_measures()
    if measures is not None:
        measures = numpy.asarray(measures)
        for name in measures.dtype.names:
            frame[name] = measures[name]
    annotations = layer.annotations()
    if annotations is not None:
        annotations = numpy.asarray(annotations)
        frame['confidence'] = known_confidences(numpy, annotations)
        for name in ('track_id', 'region_id'):
            ids = annotations[name].tolist()
            frame[name] = pandas.array(
                [number if number >= 0 else None for number in ids], 'Int64')
    return frame


def to_pandas(shape_set):
    pandas = require('pandas', 'to_pandas()')
    numpy = require('numpy', 'to_pandas()')
    frames = [_layer_frame(numpy, pandas, layer, number)
              for number, layer in enumerate(shape_set)
              if layer.type == 'polylines']
    if not frames:
        frames = [_layer_frame(numpy, pandas, polygons_layer([], 0), 0)]
    return pandas.concat(frames, ignore_index=True)


_OBJECTS = {None: lambda shape: shape.track_id,
            'track': lambda shape: shape.track_id,
            'region': lambda shape: shape.region_id,
            'class': lambda shape: 0, 'shape': lambda shape: None}


def _objects(shapes, group_by):
    """The indices of the shapes that are one object, in order."""
    if group_by not in _OBJECTS:
        raise ValueError('group_by is one of %s, not %r' % (
            ', '.join(map(repr, _OBJECTS)), group_by))
    objects = {}
    for i, shape in enumerate(shapes):
        number = _OBJECTS[group_by](shape)
        key = i if number is None else (number, shape.class_id, shape.image)
        objects.setdefault(key, []).append(i)
    return list(objects.values())


def _known(numpy, shapes, name, unknown, dtype):
    """The shapes' values, or None if all of them are unknown."""
    values = [getattr(shape, name) for shape in shapes]
    if all(value is None for value in values):
        return None
    return numpy.array([unknown if value is None else value
                        for value in values], dtype)


def _annotations(numpy, shapes, objects):
    """Confidences, tracks and regions of objects; None for what is unknown."""
    firsts = [shapes[parts[0]] for parts in objects]
    confidences = _known(numpy, shapes, 'confidence', numpy.nan, 'f4')
    if confidences is not None:
        confidences = numpy.array([
            numpy.fmax.reduce(confidences[parts]) for parts in objects])
    return (confidences, _known(numpy, firsts, 'track_id', -1, 'i8'),
            _known(numpy, firsts, 'region_id', -1, 'i4'))


def to_supervision(shape_set, kind, masks, group_by):
    supervision = require('supervision', 'to_supervision()')
    numpy = require('numpy', 'to_supervision()')
    shapes = [shape for shape in _of_kind(shape_set, kind)
              if shape.closed and not shape.hole]
    objects = _objects(shapes, group_by)
    if not shapes:
        return supervision.Detections.empty()
    for shape in shapes:
        if numpy.isnan(shape.bbox).any():
            raise ValueError('the box of shape %d is not known; filter() '
                             'leaves it out' % shape.id)
    firsts = [shapes[parts[0]] for parts in objects]
    boxes = numpy.array([shape.bbox for shape in shapes], 'f4')
    areas = numpy.array([abs(shape.area) for shape in shapes])
    data = {'id': numpy.array([shape.id for shape in firsts]),
            'area': numpy.array([areas[parts].sum() for parts in objects])}
    confidences = tracks = regions = None
    if any(layer.annotations() is not None for layer in shape_set):
        confidences, tracks, regions = _annotations(numpy, shapes, objects)
    if regions is not None:
        data['region_id'] = regions
    names = [shape.class_name or '' for shape in firsts]
    if any(names):
        data['class_name'] = numpy.array(names)
    pixels = to_masks(shape_set, kind) if masks else None
    return supervision.Detections(
        xyxy=numpy.array([(*boxes[parts, :2].min(axis=0),
                           *boxes[parts, 2:].max(axis=0))
                          for parts in objects], 'f4'),
        mask=numpy.array([pixels[parts].any(axis=0) for parts in objects])
        if masks else None,
        confidence=confidences,
        class_id=numpy.array([shape.class_id for shape in firsts]),
        tracker_id=tracks,
        data=data)
