# SPDX-License-Identifier: LGPL-2.1-or-later
"""What stubs.py has mypy check: each call and type that users write."""

from typing import TYPE_CHECKING

import numpy as np
from gi.repository import Gst, GstShapes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def flat(image: 'NDArray[np.uint8]') -> 'NDArray[np.float64]':
    contours = GstShapes.find_contours(image, .5, mask=image > 0)
    return np.concatenate(contours)


def by_class(maps: 'NDArray[np.float32]') -> list[int]:
    classes = GstShapes.find_contours(maps, [.5, .25], channel_axis=-1)
    return [len(contours) for contours in classes]


def largest(shape_set: GstShapes.ShapeSet) -> float:
    return max(abs(contour.area) for contour in shape_set.contours())


def names(shape_set: GstShapes.ShapeSet) -> list[str]:
    return [layer.type for layer in shape_set] + [
        repr(shape.parent) for shape in shape_set.hulls()]


def outline(shape: GstShapes.Polyline) -> int:
    if shape.points is None:
        return 0
    return int(shape.points.shape[0])


def widest(points: 'NDArray[np.float64]') -> float:
    hull = GstShapes.convex_hull(points, backend='cpu')
    return hull.feret[1] + float(points[hull.vertices].sum())


def attach(buffer: Gst.Buffer) -> GstShapes.ShapeSet:
    shape_set = GstShapes.ShapeSet.from_polygons(
        [[(0, 0), (1, 0), (0, 1)]], 640, 480, class_ids=[3])
    GstShapes.buffer_add_shape_meta(buffer, shape_set)
    found = GstShapes.buffer_get_shape_set(buffer)
    assert found is not None
    return found


def areas(shape_set: GstShapes.ShapeSet) -> float:
    records = np.asarray(shape_set.polylines(0))
    return float(records['area'].sum())


def pixels(masks: 'NDArray[np.bool_]', labels: 'NDArray[np.int32]') -> int:
    shape_set = GstShapes.ShapeSet.from_masks(masks, class_ids=[1, None])
    again = GstShapes.ShapeSet.from_labels(labels, class_ids={1: 2})
    return int(shape_set.to_masks().sum()) + int(again.to_labels().max())


def others(path: str, detections: object) -> list[float]:
    shape_set = GstShapes.ShapeSet.from_coco(path, image='a.png')
    shape_set.to_coco(path, segmentation='rle', group_by='track')
    again = GstShapes.ShapeSet.from_cv(shape_set.to_cv(), None, 640, 480)
    found = GstShapes.ShapeSet.from_supervision(detections)
    geometries = list(found.contours())
    hull = GstShapes.convex_hull(geometries)
    lines = GstShapes.ShapeSet.from_shapely(geometries, class_ids=3)
    polygons = GstShapes.ShapeSet.from_polygons(again)
    return [hull.area] + [
        contour.area + contour.bbox[0]
        for shapes in (lines, polygons) for contour in shapes.contours()]


# Each of these lines has to be refused.
def wrong(shape_set: GstShapes.ShapeSet) -> None:
    GstShapes.find_contours(np.zeros((2, 2)), fully_connected='up')  # refused
    GstShapes.convex_hull(np.zeros((2, 2)), backend=1)  # refused
    shape_set.add_layer('layer')  # refused
    shape_set.to_cv('blob')  # refused
    shape_set.countours()  # refused
    GstShapes.ShapeSet.from_labels(np.zeros((2, 2)), class_ids='a')  # refused
    shape_set.to_masks().append(1)  # refused
    next(shape_set.contours()).area = 1.  # refused
    GstShapes.find_contours(np.zeros((2, 2)))[0].append(1)  # refused
