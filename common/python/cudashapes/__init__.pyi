# SPDX-License-Identifier: LGPL-2.1-or-later
"""Types of cudashapes. Docstrings are the functions'."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: list[str]

_LowHigh = Literal["low", "high"]
_Precision = Literal["float64", "float32"] | type[np.float64] | type[np.float32]
_Pair = tuple[float, float]
_Box = tuple[float, float, float, float]

class _OnDevice(Protocol):
    """An array of CuPy, PyTorch, JAX and others, on a GPU."""
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

class _WithInterface(Protocol):
    """An array of Numba and others, on a GPU."""
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class _Geometry(Protocol):
    """As Shapely's, which are not typed."""
    @property
    def __geo_interface__(self) -> Any: ...

_Device = _OnDevice | _WithInterface
_Array = TypeVar("_Array", bound=_Device)

class Array:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def copy_to_host(self) -> Array: ...
    def rows(self, first: int, end: int, /) -> Array: ...
    def swapped(self) -> Array: ...

class Contours(Sequence[Any]):
    @property
    def points(self) -> Any: ...
    @property
    def offsets(self) -> Any: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

class ConvexHull:
    points: Any
    vertices: Any
    area: float
    perimeter: float
    centroid: _Pair
    bbox: _Box
    feret: _Pair
    feret_directions: tuple[_Pair, _Pair]
    rect: tuple[_Pair, _Pair, float]
    circle: tuple[_Pair, float]
    n_ignored: int
    @property
    def simplices(self) -> NDArray[np.int32]: ...

class InstancePolygons(Sequence[list[list[Any]]]):
    @property
    def rings(self) -> Any: ...
    @property
    def objects(self) -> NDArray[np.int32]: ...
    @property
    def parents(self) -> NDArray[np.int32]: ...
    @property
    def ring_areas(self) -> NDArray[np.float64]: ...
    @property
    def areas(self) -> NDArray[np.float64]: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> list[list[Any]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[list[Any]]]: ...

class LabelPolygons(Mapping[int, list[list[Any]]]):
    @property
    def labels(self) -> NDArray[np.int32]: ...
    @property
    def areas(self) -> NDArray[np.float64]: ...
    @property
    def rings(self) -> Any: ...
    @property
    def ring_labels(self) -> NDArray[np.int32]: ...
    @property
    def parents(self) -> NDArray[np.int32]: ...
    @property
    def ring_areas(self) -> NDArray[np.float64]: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __getitem__(self, label: int) -> list[list[Any]]: ...

class RegionStats:
    n_pixels: NDArray[np.uint64]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    def __len__(self) -> int: ...

@overload
def find_contours(
    image: ArrayLike, level: float | None = None, fully_connected: _LowHigh = "low",
    positive_orientation: _LowHigh = "low", *, mask: ArrayLike | None = None, channel_axis: None = None,
    as_xy: bool = False, dtype: _Precision = "float64", backend: str = "auto", stream: Any = None) -> list[NDArray[Any]]: ...
@overload
def find_contours(
    image: ArrayLike, level: float | Sequence[float] | None = None, fully_connected: _LowHigh = "low",
    positive_orientation: _LowHigh = "low", *, mask: ArrayLike | None = None, channel_axis: int,
    as_xy: bool = False, dtype: _Precision = "float64", backend: str = "auto", stream: Any = None) -> list[list[NDArray[Any]]]: ...
@overload
def find_contours(
    image: _Device, level: float | None = None, fully_connected: _LowHigh = "low",
    positive_orientation: _LowHigh = "low", *, mask: Any = None, channel_axis: None = None,
    as_xy: bool = False, dtype: _Precision = "float64", backend: str = "auto", stream: Any = None) -> Contours: ...
@overload
def find_contours(
    image: _Device, level: float | Sequence[float] | None = None, fully_connected: _LowHigh = "low",
    positive_orientation: _LowHigh = "low", *, mask: Any = None, channel_axis: int,
    as_xy: bool = False, dtype: _Precision = "float64", backend: str = "auto", stream: Any = None) -> list[Contours]: ...
@overload
def find_bands(
    image: ArrayLike, levels: Sequence[float] | NDArray[Any], fully_connected: _LowHigh = "low", *,
    mask: ArrayLike | None = None, channel_axis: None = None, as_xy: bool = False, dtype: _Precision = "float64",
    backend: str = "auto", stream: Any = None) -> list[list[list[NDArray[Any]]]]: ...
@overload
def find_bands(
    image: ArrayLike, levels: Sequence[float] | NDArray[Any], fully_connected: _LowHigh = "low", *,
    mask: ArrayLike | None = None, channel_axis: int, as_xy: bool = False, dtype: _Precision = "float64",
    backend: str = "auto", stream: Any = None) -> list[list[list[list[NDArray[Any]]]]]: ...
@overload
def find_bands(
    image: _Device, levels: Sequence[float] | NDArray[Any], fully_connected: _LowHigh = "low", *,
    mask: Any = None, channel_axis: int | None = None, as_xy: bool = False, dtype: _Precision = "float64",
    backend: str = "auto", stream: Any = None) -> list[Any]: ...
def instance_polygons(
    fields: ArrayLike | _Device, shape: Sequence[SupportsIndex], *, coefficients: ArrayLike | _Device | None = None,
    boxes: ArrayLike | _Device | None = None, indices: ArrayLike | _Device | None = None, level: float = 0.0,
    letterbox: Sequence[SupportsIndex] | None = None, padding: Literal["center", "end"] = "center",
    paste: Literal["detectron2", "torchvision"] | None = None, resized: Sequence[SupportsIndex] | None = None,
    window: Sequence[SupportsIndex] | None = None, origin: ArrayLike | _Device | None = None,
    step: ArrayLike | _Device | None = None, outside: Literal["edge", "zeros"] | None = None,
    tolerance: float = 0.1, min_area: float = 0.0, backend: str = "auto", stream: Any = None) -> InstancePolygons: ...
def label_polygons(
    labels: ArrayLike | _Device, *, outline: Literal["contours", "pixels"] = "contours",
    background: SupportsIndex | None = 0, min_area: float = 0.0, hierarchy: bool = False,
    index: ArrayLike | _Device | None = None, backend: str = "auto", stream: Any = None) -> LabelPolygons: ...
def label_polygons_of_strips(
    strips: Iterable[ArrayLike], *, outline: Literal["contours", "pixels"] = "contours",
    background: SupportsIndex | None = 0, min_area: float = 0.0, hierarchy: bool = False,
    index: ArrayLike | _Device | None = None) -> LabelPolygons: ...
def convex_hull(
    points: ArrayLike | _Geometry | _Device | Sequence[ArrayLike | _Geometry], *, include_collinear: bool = False,
    backend: str = "auto", stream: Any = None) -> ConvexHull: ...
@overload
def local_laplacian(
    image: NDArray[Any], sigma: float = 0.2, alpha: float = 0.5, beta: float = 1.0, *, amount: float = 1.0,
    pyramid_levels: SupportsIndex = 0, tone_guard: float = 0.0, noise_guard: float | None = None,
    curve: Literal["smooth", "power"] = "smooth",
    quality: Literal["normal", "fast", "high", "exact", "sampled"] = "normal",
    color_remapping: Literal["luma", "rgb-distance"] = "luma", backend: str = "auto", stream: Any = None) -> NDArray[Any]: ...
@overload
def local_laplacian(
    image: _Array, sigma: float = 0.2, alpha: float = 0.5, beta: float = 1.0, *, amount: float = 1.0,
    pyramid_levels: SupportsIndex = 0, tone_guard: float = 0.0, noise_guard: float | None = None,
    curve: Literal["smooth", "power"] = "smooth",
    quality: Literal["normal", "fast", "high", "exact", "sampled"] = "normal",
    color_remapping: Literal["luma", "rgb-distance"] = "luma", backend: str = "auto", stream: Any = None) -> _Array: ...
@overload
def region_properties(
    labels: ArrayLike | Sequence[Any] | Contours | InstancePolygons | LabelPolygons,
    properties: Sequence[str] | None = None, *, spacing: float | Sequence[float] = 1.0, as_xy: bool = False,
    backend: str = "auto", stream: Any = None) -> dict[str, NDArray[Any]]: ...
@overload
def region_properties(
    labels: _Device, properties: Sequence[str] | None = None, *, spacing: float | Sequence[float] = 1.0,
    as_xy: bool = False, backend: str = "auto", stream: Any = None) -> dict[str, Any]: ...
def region_stats(
    image: NDArray[Any] | _Device, regions: Sequence[Any] | Contours | InstancePolygons | LabelPolygons, *,
    kind: Literal["gray", "lab", "probability"] | None = None, channel: int = 0, as_xy: bool = False,
    backend: str = "auto", stream: Any = None) -> RegionStats: ...
