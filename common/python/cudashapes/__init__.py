# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours, masks, hulls and tone of arrays, on the CPU and on NVIDIA GPUs.

>>> import numpy as np
>>> import cudashapes
>>> image = np.zeros((5, 5))
>>> image[1:4, 1:4] = 1
>>> [contour.shape for contour in cudashapes.find_contours(image, .5)]
[(13, 2)]

Arrays on a GPU, as those of CuPy, PyTorch, JAX and Numba, are taken where they
are, and so is what comes of them. Whatever has ``__dlpack__()`` or
``__cuda_array_interface__`` will do.
"""

from cudashapes._contours import Contours, find_bands, find_contours
from cudashapes._filter import local_laplacian
from cudashapes._hull import ConvexHull, convex_hull
from cudashapes._instances import InstancePolygons, instance_polygons
from cudashapes._labels import (LabelPolygons, label_polygons,
                                label_polygons_of_strips)
from cudashapes._native import Array, version as __version__
from cudashapes._properties import region_properties
from cudashapes._stats import RegionStats, region_stats

__all__ = ['Array', 'Contours', 'ConvexHull', 'InstancePolygons',
           'LabelPolygons', 'RegionStats', 'convex_hull', 'find_bands',
           'find_contours', 'instance_polygons', 'label_polygons',
           'label_polygons_of_strips', 'local_laplacian',
           'region_properties', 'region_stats']
