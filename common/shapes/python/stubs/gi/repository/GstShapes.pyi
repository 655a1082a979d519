# SPDX-License-Identifier: LGPL-2.1-or-later
"""Types of GstShapes, libgstshapes in Python. Docstrings are the module's."""

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, overload

import numpy as np
from cudashapes import convex_hull as convex_hull
from cudashapes import find_bands as find_bands
from cudashapes import find_contours as find_contours
from gi.repository import GLib, Gst
from numpy.typing import ArrayLike, DTypeLike, NDArray

_LowHigh = Literal["low", "high"]
_Kind = Literal["contour", "hull"]
_Flags = bool | Sequence[bool] | NDArray[Any]
_Ids = int | Sequence[int | None] | NDArray[Any] | None
_Confidences = float | Sequence[float | None] | NDArray[Any] | None
_Pair = tuple[float, float]
_Box = tuple[float, float, float, float]

class _Geometry(Protocol):
    """As Shapely's, which are not typed."""
    @property
    def __geo_interface__(self) -> Any: ...

_Polygons = Sequence[ArrayLike | _Geometry | dict[str, Any]] | NDArray[Any] | _Geometry | dict[str, Any]
_Numbers = float | Sequence[float | None] | NDArray[Any] | None
_Address = tuple[int, int]

ANNOTATION_DESCR: list[tuple[str, str]]
DEFECT_DESCR: list[tuple[str, str]]
ELLIPSE_DESCR: list[tuple[str, str]]
STATISTIC_DESCR: list[tuple[str, str]]
CIRCLE_DESCR: list[tuple[str, str]]
HULL_MEASURES_DESCR: list[tuple[str, str]]
POLYLINE_DESCR: list[tuple[str, str]]
SHAPES_PINNED_MEMORY_TYPE: str
SHAPES_VERSION_MAJOR: int
SHAPES_VERSION_MICRO: int
SHAPES_VERSION_MINOR: int
SHAPE_META_PARAMS_NAME: str
SHAPE_SET_MAX_LAYERS: int

def buffer_from_array(array: NDArray[Any], *, format: str | None = None, writable: bool = False) -> Gst.Buffer: ...
def buffer_add_shape_meta(buffer: Gst.Buffer, shape_set: ShapeSet) -> ShapeMeta: ...
def buffer_get_shape_meta(buffer: Gst.Buffer) -> ShapeMeta | None: ...
def buffer_get_shape_set(buffer: Gst.Buffer) -> ShapeSet | None: ...
def shape_meta_api_get_type() -> Any: ...
def shape_channel_to_string(channel: ShapeChannel | int) -> str | None: ...
def shape_set_deserialize(data: bytes) -> ShapeSet: ...
def shape_set_from_json(json: str) -> ShapeSet: ...
def shapes_buffer_new_wrapped(
    data: int, size: int, writable: bool, release: Callable[..., None], *user_data: object) -> Gst.Buffer: ...
def shapes_init() -> bool: ...
def shapes_version() -> tuple[int, int, int]: ...

class ShapeArray:
    __array_interface__: dict[str, Any]
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __len__(self) -> int: ...
    def memoryview(self) -> memoryview: ...

class Polyline:
    id: int
    parent: int | None
    class_id: int
    image: int
    kind: _Kind
    closed: bool
    hole: bool
    level: float
    @property
    def area(self) -> float: ...
    @property
    def perimeter(self) -> float: ...
    @property
    def centroid(self) -> _Pair: ...
    @property
    def bbox(self) -> _Box: ...
    solidity: float
    points: NDArray[np.float32] | None
    @property
    def __geo_interface__(self) -> dict[str, Any]: ...
    @property
    def features(self) -> ShapeFeatures | None: ...
    @property
    def hull_measures(self) -> HullMeasures | None: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def track_id(self) -> int | None: ...
    @property
    def region_id(self) -> int | None: ...
    @property
    def ellipse(self) -> Ellipse | None: ...
    @property
    def defects(self) -> list[Defect] | None: ...
    @property
    def statistics(self) -> dict[str, Statistic]: ...
    @property
    def metric(self) -> ShapeMetric | None: ...
    @property
    def indices(self) -> NDArray[np.uint32] | None: ...
    @property
    def class_name(self) -> str | None: ...

class HullMeasures:
    feret: _Pair
    feret_directions: tuple[_Pair, _Pair]
    rect: tuple[_Pair, _Pair, float]
    circle: tuple[_Pair, float]

class Ellipse:
    center: _Pair
    axes: _Pair
    direction: _Pair
    angle: float

class Defect:
    start: _Pair
    end: _Pair
    farthest: _Pair
    depth: float

class Statistic:
    n_pixels: int
    mean: float
    deviation: float
    minimum: float
    maximum: float

class Circle:
    x: float
    y: float
    r: float
    z: float
    rgba: int
    parent: int | None

class ShapeLayer:
    @staticmethod
    def new_circles_bytes(circles: GLib.Bytes) -> ShapeLayer: ...
    @staticmethod
    def new_polylines_bytes(
        points: GLib.Bytes | None, offsets: GLib.Bytes, polylines: GLib.Bytes,
        moments: GLib.Bytes | None) -> ShapeLayer: ...
    @property
    def type(self) -> Literal["polylines", "circles"]: ...
    def points(self) -> ShapeArray | None: ...
    def offsets(self) -> ShapeArray | None: ...
    def polylines(self) -> ShapeArray | None: ...
    def moments(self) -> ShapeArray | None: ...
    def hull_measures(self) -> ShapeArray | None: ...
    def annotations(self) -> ShapeArray | None: ...
    def ellipses(self) -> ShapeArray | None: ...
    def defects(self) -> ShapeArray | None: ...
    def statistics(self) -> ShapeArray | None: ...
    def indices(self) -> ShapeArray | None: ...
    def circles(self) -> ShapeArray | None: ...
    def annotate(
        self, *, confidences: _Confidences = None, track_ids: _Ids = None, region_ids: _Ids = None) -> ShapeLayer: ...
    def annotate_bytes(self, annotations: GLib.Bytes) -> ShapeLayer: ...
    def download(self) -> bool: ...
    def get_address(self, array: ShapeArrayType) -> _Address: ...
    def get_class_name(self, class_id: int) -> str | None: ...
    def set_class_names(self, names: Sequence[str]) -> None: ...
    def get_layer_type(self) -> ShapeLayerType: ...
    def get_n_points(self) -> int: ...
    def get_n_shapes(self) -> int: ...
    def get_next_id(self) -> int: ...
    def has_kind(self, kind: ShapeKind) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...

class ShapeSet:
    def __init__(self, width: int = 0, height: int = 0) -> None: ...
    @staticmethod
    def new(width: int, height: int) -> ShapeSet: ...
    @classmethod
    def from_polygons(
        cls, polygons: _Polygons, width: int = 0, height: int = 0, *,
        closed: _Flags = True, holes: _Flags | None = None,
        class_ids: _Ids = None, parents: _Ids = None, levels: _Numbers = None, kind: _Kind = "contour",
        confidences: _Confidences = None, track_ids: _Ids = None, region_ids: _Ids = None) -> ShapeSet: ...
    def add_polygons(
        self, polygons: _Polygons, *,
        closed: _Flags = True, holes: _Flags | None = None,
        class_ids: _Ids = None, parents: _Ids = None, levels: _Numbers = None, kind: _Kind = "contour",
        confidences: _Confidences = None, track_ids: _Ids = None, region_ids: _Ids = None) -> None: ...
    @classmethod
    def from_masks(
        cls, masks: ArrayLike, *, class_ids: _Ids = None, confidences: _Confidences = None, track_ids: _Ids = None,
        region_ids: _Ids = None, fully_connected: _LowHigh = "low") -> ShapeSet: ...
    @classmethod
    def from_labels(
        cls, labels: ArrayLike, *, class_ids: int | Mapping[int, int] | None = None,
        fully_connected: _LowHigh = "low") -> ShapeSet: ...
    @classmethod
    def from_coco(
        cls, document: dict[str, Any] | list[Any] | str | bytes | PathLike[str],
        image: int | str | None = None) -> ShapeSet: ...
    @classmethod
    def from_shapely(
        cls, geometries: _Geometry | Sequence[_Geometry], width: int = 0, height: int = 0, *,
        class_ids: _Ids = None, levels: _Numbers = None, kind: _Kind = "contour",
        confidences: _Confidences = None, track_ids: _Ids = None, region_ids: _Ids = None) -> ShapeSet: ...
    @classmethod
    def from_cv(
        cls, contours: Sequence[ArrayLike], hierarchy: ArrayLike | None = None, width: int = 0, height: int = 0, *,
        closed: _Flags = True, class_ids: _Ids = None, levels: _Numbers = None, kind: _Kind = "contour",
        confidences: _Confidences = None, track_ids: _Ids = None, region_ids: _Ids = None) -> ShapeSet: ...
    @classmethod
    def from_supervision(cls, detections: Any, width: int = 0, height: int = 0) -> ShapeSet: ...
    @staticmethod
    def deserialize(data: bytes) -> ShapeSet: ...
    @staticmethod
    def from_json(json: str) -> ShapeSet: ...
    def add_layer(self, layer: ShapeLayer) -> None: ...
    def derive(self) -> ShapeSet: ...
    def derive_empty(self) -> ShapeSet: ...
    def is_writable(self) -> bool: ...
    pixel_size: _Pair | None
    def get_pixel_size(self) -> tuple[bool, float, float]: ...
    def set_pixel_size(self, x: float, y: float) -> None: ...
    def get_metric(self, layer: int, index: int) -> tuple[bool, ShapeMetric]: ...
    def filter(
        self, function: Callable[[ShapePolyline], bool] | None = None, *, kind: _Kind | None = None,
        class_ids: Sequence[int] | None = None, closed: bool | None = None, hole: bool | None = None,
        min_area: float | None = None, max_area: float | None = None) -> ShapeSet: ...
    def assign_regions(self, regions: ShapeSet) -> ShapeSet: ...
    def scale(self, x: float, y: float) -> ShapeSet: ...
    def rescale(self, width: int, height: int) -> ShapeSet: ...
    def compute_measures(self) -> ShapeSet: ...
    def transform(self, affine: ShapeAffine, width: int, height: int) -> ShapeSet: ...
    def to_coco(
        self, file_name: str | bytes | PathLike[str], segmentation: Literal["polygons", "rle"] = "polygons",
        group_by: Literal["shape", "track", "region", "class"] | None = None) -> str: ...
    def to_coco_full(self, file_name: str, segmentation: ShapeCocoSegmentation, group_by: ShapeCocoGroup) -> str: ...
    def to_csv(self) -> str: ...
    def to_geojson(self) -> str: ...
    def to_svg(self) -> str: ...
    def get_masks_bytes(self, kind: ShapeKind) -> GLib.Bytes: ...
    def get_labels_bytes(self, kind: ShapeKind) -> GLib.Bytes: ...
    def serialize(self) -> GLib.Bytes: ...
    def to_json(self) -> str: ...
    def get_width(self) -> int: ...
    def get_height(self) -> int: ...
    def get_n_layers(self) -> int: ...
    def get_next_id(self) -> int: ...
    def get_layer(self, layer: int) -> ShapeLayer | None: ...
    def get_layer_type(self, layer: int) -> ShapeLayerType: ...
    def get_features(self, layer: int, index: int) -> tuple[bool, ShapeFeatures]: ...
    def points(self, layer: int) -> ShapeArray | None: ...
    def offsets(self, layer: int) -> ShapeArray | None: ...
    def polylines(self, layer: int) -> ShapeArray | None: ...
    def moments(self, layer: int) -> ShapeArray | None: ...
    def hull_measures(self, layer: int) -> ShapeArray | None: ...
    def annotations(self, layer: int) -> ShapeArray | None: ...
    def circles(self, layer: int) -> ShapeArray | None: ...
    def get_points_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_offsets_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_polylines_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_moments_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_hull_measures_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_annotations_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_circles_bytes(self, layer: int) -> GLib.Bytes | None: ...
    def get_points_address(self, layer: int) -> _Address: ...
    def get_offsets_address(self, layer: int) -> _Address: ...
    def get_polylines_address(self, layer: int) -> _Address: ...
    def get_moments_address(self, layer: int) -> _Address: ...
    def get_hull_measures_address(self, layer: int) -> _Address: ...
    def get_annotations_address(self, layer: int) -> _Address: ...
    def get_circles_address(self, layer: int) -> _Address: ...
    def iter_polylines(self, kind: int | None = None) -> Iterator[Polyline]: ...
    def contours(self) -> Iterator[Polyline]: ...
    def hulls(self) -> Iterator[Polyline]: ...
    def iter_circles(self) -> Iterator[Circle]: ...
    def to_cv(self, kind: _Kind = "contour") -> list[NDArray[np.int32]]: ...
    def to_masks(self, kind: _Kind = "contour") -> NDArray[np.bool_]: ...
    def to_labels(self, kind: _Kind = "contour") -> NDArray[np.int32]: ...
    @property
    def __geo_interface__(self) -> dict[str, Any]: ...
    def _repr_svg_(self) -> str: ...
    def to_shapely(self, kind: _Kind = "contour") -> list[Any]: ...
    def to_pandas(self) -> Any: ...
    def to_supervision(
        self, kind: _Kind = "contour", masks: bool = False,
        group_by: Literal["shape", "track", "region", "class"] | None = None) -> Any: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> ShapeLayer: ...
    def __iter__(self) -> Iterator[ShapeLayer]: ...

class ShapeEngine:
    @staticmethod
    def new(backend: str | None, device_id: int) -> ShapeEngine: ...
    def get_active_backend(self) -> str: ...
    def find_contours(
        self, image: ShapeImage, mask: ShapeImage | None, levels: Sequence[float],
        flags: ShapeContoursFlags) -> ShapeResult: ...
    def convex_hull(
        self, points: int | None, type: ShapeNumber, n_points: int, stride: int,
        flags: ShapeHullFlags) -> ShapeResult: ...
    def find_contours_bytes(
        self, samples: GLib.Bytes, type: ShapeNumber, width: int, height: int,
        channels: int, levels: Sequence[float] | None,
        flags: ShapeContoursFlags) -> ShapeResult: ...
    def convex_hull_bytes(
        self, points: GLib.Bytes, type: ShapeNumber,
        flags: ShapeHullFlags) -> ShapeResult: ...

class ShapeResult:
    def get_address(self, array: ShapeArrayType) -> _Address: ...
    def get_bytes(self, array: ShapeArrayType) -> GLib.Bytes | None: ...
    def get_n_ignored(self) -> int: ...

class ShapeImage:
    data: int
    type: ShapeNumber
    width: int
    height: int
    channels: int
    pixel_stride: int
    row_stride: int
    channel_stride: int

class ShapeMeta:
    meta: Any
    set: ShapeSet

class ShapeAffine:
    xx: float
    xy: float
    x0: float
    yx: float
    yy: float
    y0: float

class ShapePoint:
    x: float
    y: float

class ShapeCircle:
    x: float
    y: float
    r: float
    z: float
    rgba: int
    parent: int

class ShapePolyline:
    id: int
    parent: int
    class_id: int
    image: int
    kind: int
    flags: int
    level: float
    area: float
    perimeter: float
    centroid_x: float
    centroid_y: float
    bbox_x0: float
    bbox_y0: float
    bbox_x1: float
    bbox_y1: float
    solidity: float

class ShapeMoments:
    m: list[float]
    def get_features(self) -> tuple[bool, ShapeFeatures]: ...

class ShapeAnnotation:
    confidence: float
    region_id: int
    track_id: int

class ShapeEllipse:
    x: float
    y: float
    ux: float
    uy: float
    major: float
    minor: float
    def get_angle(self) -> float: ...

class ShapeDefect:
    shape: int
    reserved: int
    start: ShapePoint
    end: ShapePoint
    farthest: ShapePoint
    depth: float

class ShapeStatistic:
    shape: int
    channel: int
    n_pixels: int
    mean: float
    deviation: float
    minimum: float
    maximum: float

class ShapeMetric:
    area: float
    perimeter: float
    equivalent_diameter: float
    feret_min: float
    feret_max: float

class ShapeFeatures:
    equivalent_diameter: float
    eccentricity: float
    orientation: float
    major_axis_length: float
    minor_axis_length: float

class ShapeHullMeasures:
    feret_max: float
    feret_max_ux: float
    feret_max_uy: float
    feret_min: float
    feret_min_ux: float
    feret_min_uy: float
    rect_x: float
    rect_y: float
    rect_ux: float
    rect_uy: float
    rect_width: float
    rect_height: float
    circle_x: float
    circle_y: float
    circle_r: float
    def get_rect_angle(self) -> float: ...

class ShapeArrayType(enum.IntEnum):
    POINTS = 0
    OFFSETS = 1
    POLYLINES = 2
    MOMENTS = 3
    CIRCLES = 4
    HULL_MEASURES = 5
    INDICES = 6
    ANNOTATIONS = 7
    ELLIPSES = 8
    DEFECTS = 9
    STATISTICS = 10

class ShapeChannel(enum.IntEnum):
    GRAY = 0
    LIGHTNESS = 1
    A = 2
    B = 3
    PROBABILITY = 4

class ShapeNumber(enum.IntEnum):
    U8 = 0
    U16 = 1
    I32 = 2
    F16 = 3
    F32 = 4
    F64 = 5

class ShapeContoursFlags(enum.IntFlag):
    NONE = 0
    FULLY_CONNECTED_HIGH = 1
    POSITIVE_ORIENTATION_HIGH = 2
    ROWS_FIRST = 4
    MEASURES = 8
    MOMENTS = 16
    HIERARCHY = 32
    BANDS = 64

class ShapeHullFlags(enum.IntFlag):
    NONE = 0
    INCLUDE_COLLINEAR = 1

class ShapeFlags(enum.IntFlag):
    CLOSED = 1
    HOLE = 2

class ShapeKind(enum.IntEnum):
    CONTOUR = 0
    HULL = 1

class ShapeLayerType(enum.IntEnum):
    POLYLINES = 0
    CIRCLES = 1

class ShapeCocoSegmentation(enum.IntEnum):
    POLYGONS = 0
    RLE = 1

class ShapeCocoGroup(enum.IntEnum):
    NONE = 0
    TRACK = 1
    REGION = 2
    CLASS = 3

class ShapeJsonPoints(enum.IntEnum):
    FULL = 0
    SIMPLIFIED = 1
    NONE = 2
