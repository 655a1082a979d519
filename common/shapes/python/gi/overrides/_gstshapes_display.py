# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets as pictures in notebooks."""

from gi.module import get_introspection_module
from gi.repository import GLib

GstShapes = get_introspection_module('GstShapes')

# about a megabyte of text
MAX_POINTS = 50000
MAX_CIRCLES = 5000
CIRCLE_SIZE = 24

_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" version="1.1"'


def _largest(shape_set):
    """The ids of the polylines with the most points, and how many there are
    in all."""
    sizes = []
    for layer in shape_set:
        if layer.type == 'polylines' and layer.get_n_points() > 0:
            offsets = layer.offsets().memoryview().cast('I')
            sizes += [(offsets[i + 1] - offsets[i], shape.id)
                      for i, shape in enumerate(layer)]
    # sorting is stable: equally large ones as they come
    sizes.sort(key=lambda size: -size[0])
    kept, n_points = set(), 0
    for n, number in sizes:
        n_points += n
        if n_points > MAX_POINTS:
            break
        kept.add(number)
    return kept, len(sizes)


def _reduced(shape_set):
    """A set that can be shown, and what has been left out of it."""
    notes = []
    n_points = sum(layer.get_n_points() for layer in shape_set)
    n_circles = sum(len(layer) for layer in shape_set
                    if layer.type == 'circles')
    if n_points > MAX_POINTS:
        kept, n = _largest(shape_set)
        shape_set = shape_set.filter(lambda polyline: polyline.id in kept)
        notes.append('%d of %d polylines' % (len(kept), n))
    if n_circles > MAX_CIRCLES:
        few, left = shape_set.derive_empty(), MAX_CIRCLES
        for layer in shape_set:
            if layer.type == 'circles':
                data = bytes(layer.circles().memoryview()[:left * CIRCLE_SIZE])
                layer = GstShapes.ShapeLayer.new_circles_bytes(
                    GLib.Bytes.new(data))
                left -= len(layer)
            few.add_layer(layer)
        shape_set = few
        notes.append('%d of %d circles' % (MAX_CIRCLES, n_circles))
    return shape_set, notes


def _box(shape_set):
    """x, y, width and height of what is drawn."""
    boxes = [shape.bbox for shape in shape_set.iter_polylines()]
    boxes += [(c.x - c.r, c.y - c.r, c.x + c.r, c.y + c.r)
              for c in shape_set.iter_circles()]
    boxes = [box for box in boxes if all(abs(v) < 1e30 for v in box)]
    if not boxes:
        return (-.5, -.5, 1, 1)
    x0, y0 = (min(box[i] for box in boxes) - 1 for i in (0, 1))
    x1, y1 = (max(box[i] for box in boxes) + 1 for i in (2, 3))
    return (x0, y0, x1 - x0, y1 - y0)


def repr_svg(shape_set):
    width, height = shape_set.get_width(), shape_set.get_height()
    shown, notes = _reduced(shape_set)
    text = shown.to_svg()
    x, y, w, h = (-.5, -.5, width, height) if width and height \
        else _box(shown)
    # what a notebook is too narrow for is made to fit
    head = _HEAD + ' style="max-width:100%;height:auto"'
    if not (width and height):
        head += ' width="%g" height="%g" viewBox="%g %g %g %g"' % (
            w, h, x, y, w, h)
    text = text.replace(_HEAD, head, 1)
    if notes:
        size = max(w / 40, 1)
        note = '<text x="%g" y="%g" font-size="%g">%s are shown</text>\n' % (
            x + size / 2, y + h - size / 2, size, ', '.join(notes))
        text = text.replace('</svg>', note + '</svg>')
    return text
