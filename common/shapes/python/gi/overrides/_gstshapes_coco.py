# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of COCO's documents: polygons, run lengths, boxes."""

import itertools
import json
import math
import os

from gi.module import get_introspection_module
from gi.repository import GLib

from gi.overrides import _gstshapes_take as take
from gi.overrides._gstshapes_arrays import raise_for, require
from gi.overrides._gstshapes_import import Outlines, add_whole_mask, new_set

GstShapes = get_introspection_module('GstShapes')

MAX_NAMES = 65536


def _value(name, values, given):
    if given not in values:
        raise ValueError('%s is one of %s, not %r' % (
            name, ', '.join(map(repr, values)), given))
    return values[given]


def _check_text(name, text):
    if '\0' in text:
        raise ValueError('%s has a NUL: %r' % (name, text))


def to_coco(shape_set, write, file_name, segmentation, group_by):
    forms, groups = GstShapes.ShapeCocoSegmentation, GstShapes.ShapeCocoGroup
    segmentation = _value('segmentation', {
        'polygons': forms.POLYGONS, 'rle': forms.RLE}, segmentation)
    group_by = _value('group_by', {
        None: groups.TRACK, 'shape': groups.NONE, 'track': groups.TRACK,
        'region': groups.REGION, 'class': groups.CLASS}, group_by)
    if segmentation == forms.RLE \
            and 0 in (shape_set.get_width(), shape_set.get_height()):
        raise ValueError('run lengths need the size of the frame, and the set '
                         'has none')
    file_name = os.fsdecode(file_name)
    _check_text('file_name', file_name)
    try:
        return write(file_name, segmentation, group_by)
    except GLib.Error as error:
        raise_for(error)


def _read(document):
    if isinstance(document, (bytes, bytearray)) or (
            isinstance(document, str) and document.lstrip()[:1] in ('{', '[')):
        document = json.loads(document)
    elif isinstance(document, (str, os.PathLike)):
        with open(document, encoding='utf-8') as file:
            document = json.load(file)
    if isinstance(document, list):        # results have annotations alone
        document = {'annotations': document}
    if not isinstance(document, dict) \
            or not isinstance(document.get('annotations'), list):
        raise ValueError('a document of COCO has annotations')
    for i, annotation in enumerate(document['annotations']):
        if not isinstance(annotation, dict):
            raise ValueError('annotation %d of the document is no object' % i)
    _categories(document)
    return document


def _choose(document, image):
    """The image that is meant."""
    images = document.get('images')
    if images is None:
        ids = dict.fromkeys(annotation.get('image_id')
                            for annotation in document['annotations'])
        images = [{'id': number} for number in ids]
    if image is None:
        if len(images) == 1:
            return images[0]
        raise ValueError('the document has %d images: name one, by its id or '
                         'file_name' % len(images))
    key = 'file_name' if isinstance(image, str) else 'id'
    found = [one for one in images if one.get(key) == image]
    if len(found) != 1:
        raise ValueError('%d images have %s %r' % (len(found), key, image))
    return found[0]


def _counts(text):
    """Run lengths of COCO's text: five bits a character, the sixth says that
    more follow; from the third on differences to the one before the last."""
    counts, value, shift = [], 0, 0
    for character in text if isinstance(text, bytes) else text.encode():
        bits = character - 48
        if not 0 <= bits < 64 or shift > 60:
            raise ValueError('counts are no run lengths')
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        if bits & 16:
            value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value = shift = 0
    if shift:
        raise ValueError('counts end too early')
    return counts


def decode_runs(numpy, runs):
    """The mask of {'size': [height, width], 'counts': text or numbers}."""
    height, width = take.integers('size', runs['size'], 2, 0).tolist()
    counts = runs['counts']
    if isinstance(counts, (str, bytes)):
        counts = _counts(counts)
    counts = take.integers('counts', counts, len(counts), 0)
    if min(height, width) < 0 or (counts < 0).any() \
            or counts.sum(dtype='i8') != height * width:
        raise ValueError('counts are not of %d x %d pixels' % (width, height))
    inside = numpy.arange(len(counts)) % 2 == 1
    return numpy.repeat(inside, counts).reshape(width, height).T


# of places where a joined outline may end
MAX_ENDS = 16


def _rings_after(points, start):
    """Rings that begin and end at the same point, each followed by the first
    point of all: how holes are joined. None if the rest is something else."""
    rings = []
    while start < len(points):
        for end in range(start + 3, len(points) - 1):
            if points[end] == points[start] and points[end + 1] == points[0]:
                break
        else:
            return None
        rings.append(points[start:end + 1])
        start = end + 2
    return rings


def _turn(points):
    x0, y0 = points[0]
    return sum((x - x0) * (v - y0) - (u - x0) * (y - y0)
               for (x, y), (u, v) in zip(points, points[1:] + points[:1]))


def split_joined(points):
    """An outline and the holes that are joined to it by lines there and back,
    as shapecocoenc and others write them."""
    ends = [end for end in range(3, len(points) - 4)
            if points[end] == points[0]]
    # an outline that touches itself where it begins
    for end in ends[:MAX_ENDS]:
        rings = _rings_after(points, end + 1)
        outline = points[:end + 1]
        turn = _turn(outline)
        if rings and all(_turn(ring) * turn < 0 for ring in rings):
            return outline, rings
    return points, []


def _points(numpy, name, flat):
    if not isinstance(flat, (list, tuple)) or len(flat) % 2 or len(flat) < 2:
        raise ValueError('%s has a polygon that is no list of x, y' % name)
    pairs = take.points(name, numpy.reshape(numpy.asarray(flat), (-1, 2)))
    with numpy.errstate(over='ignore', invalid='ignore'):
        centers = pairs.astype('longdouble') - .5
        points = centers.astype('f4')
    if not take.are_singles(points):
        take.check_singles(name, centers, points)
    return points


def _add_ring(numpy, outlines, number, points, **fields):
    points = numpy.asarray(points, 'f4')
    if (points[0] != points[-1]).any():
        points = numpy.concatenate((points, points[:1]))
    flags = GstShapes.ShapeFlags
    hole = fields.pop('hole', False)
    outlines.add_polyline(number, points, dict(
        fields, flags=int(flags.CLOSED) | (int(flags.HOLE) if hole else 0)))


def _add_annotation(numpy, outlines, number, name, annotation, fields):
    segmentation = annotation.get('segmentation')
    if isinstance(segmentation, dict):
        add_whole_mask(numpy, outlines, number,
                       decode_runs(numpy, segmentation), **fields)
        return
    if not segmentation:
        x, y, width, height = take.reals('bbox', annotation['bbox'], 4, 0.)
        segmentation = [[x, y, x + width, y, x + width, y + height, x,
                         y + height]]
    for polygon in segmentation:
        points = _points(numpy, name, polygon)
        outline, holes = split_joined([tuple(p) for p in points.tolist()])
        shell = len(outlines)
        _add_ring(numpy, outlines, number, outline, **fields)
        for hole in holes:
            _add_ring(numpy, outlines, number, hole, hole=True, parent=shell,
                      **fields)


def _fit(size, segmentation):
    """The size of the image, which run lengths have, too."""
    if not isinstance(segmentation, dict):
        return size
    runs = list(segmentation['size'][::-1])
    if 0 not in size and runs != size:
        raise ValueError('run lengths of %d x %d pixels, and the image has '
                         '%d x %d' % (*runs, *size))
    return runs


def _is_id(value, bits=32):
    return isinstance(value, int) and not isinstance(value, bool) \
        and 0 <= value < 2 ** (bits - 1)


def _attributes(annotation):
    """What shapecocoenc writes; attributes of others may be anything."""
    found = annotation.get('attributes')
    found = found if isinstance(found, dict) else {}
    level = found.get('level')
    if isinstance(level, bool) or not isinstance(level, (int, float)) \
            or not math.isfinite(level):
        level = 0.
    return {
        'id': found['id'] if _is_id(found.get('id')) else None,
        'level': level,
        'kind': int(GstShapes.ShapeKind.HULL if found.get('kind') == 'hull'
                    else GstShapes.ShapeKind.CONTOUR),
        'track_id': found['track_id'] if _is_id(found.get('track_id'), 64)
        else None,
        'region_id': found['region_id'] if _is_id(found.get('region_id'))
        else None}


def _categories(document):
    found = document.get('categories') or []
    if not isinstance(found, list) or not all(
            isinstance(category, dict) and _is_id(category.get('id'))
            for category in found):
        raise ValueError('categories are a list of objects with an id')
    return found


def _first_class(document):
    """The id of the category that is class 0."""
    ids = [category['id'] for category in _categories(document)]
    ids += [annotation.get('category_id', 1)
            for annotation in document['annotations']]
    return 0 if any(number == 0 for number in ids) else 1


def _names(document, first):
    """The names of the classes 0, 1, ..., if any has one of its own."""
    names = {}
    for category in _categories(document):
        class_id, name = category['id'] - first, str(category.get('name', ''))
        if 0 <= class_id < MAX_NAMES and name != 'class %d' % class_id:
            names[class_id] = name
    return [names.get(i, '') for i in range(max(names, default=-1) + 1)]


def _keep_ids(outlines, wanted):
    """Gives outlines the ids that they had; everything else what is free."""
    known = [number for number in wanted if number is not None]
    taken = set(known)
    if not known or len(taken) < len(known):
        return
    free = (number for number in itertools.count() if number not in taken)
    ids, named = [], set()
    for record, of in zip(outlines.records, outlines.of):
        if wanted[of] is None or record['parent'] >= 0 or of in named:
            ids.append(next(free))
        else:
            ids.append(wanted[of])
            named.add(of)
    for record in outlines.records:
        record['id'] = ids[record['id']]
        if record['parent'] >= 0:
            record['parent'] = ids[record['parent']]


def from_coco(document, image):
    numpy = require('numpy', 'from_coco()')
    document = _read(document)
    chosen = _choose(document, image)
    first = _first_class(document)
    annotations = [a for a in document['annotations']
                   if a.get('image_id') == chosen.get('id')]
    size = [chosen.get('width', 0), chosen.get('height', 0)]
    outlines, attributes = Outlines(numpy), []
    for i, annotation in enumerate(annotations):
        name = 'annotation %s' % annotation.get('id', i)
        found = _attributes(annotation)
        try:
            fields = {'class_id': int(take.integers(
                'category_id', [annotation.get('category_id', first)], 1, 0)[0]
                ) - first, 'level': found['level'], 'kind': found['kind']}
            take.confidences('score', [annotation.get('score')], 1)
            _add_annotation(numpy, outlines, i, name, annotation, fields)
            size = _fit(size, annotation.get('segmentation'))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError('%s: %s' % (name, error if not isinstance(
                error, KeyError) else 'no %s' % error)) from None
        attributes.append(found)
    _keep_ids(outlines, [found['id'] for found in attributes])
    columns = {'confidences': [a.get('score') for a in annotations],
               'track_ids': [found['track_id'] for found in attributes],
               'region_ids': [found['region_id'] for found in attributes]}
    layer = outlines.layer(None, len(annotations), **{
        name: values for name, values in columns.items()
        if any(value is not None for value in values)})
    names = _names(document, first)
    if names:
        layer.set_class_names(names)
    return new_set(*take.integers('size', size, 2, 0).tolist(), layer)
