# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contours and hulls of arrays, without a pipeline: the package cudashapes."""

from gi.overrides._gstshapes_arrays import require

__all__ = ['find_contours', 'find_bands', 'convex_hull']


def find_contours(image, *args, **kwargs):
    """Iso-contours of an array: cudashapes.find_contours()."""
    return require('cudashapes', 'find_contours()').find_contours(
        image, *args, **kwargs)


def find_bands(image, *args, **kwargs):
    """Iso-bands of an array: cudashapes.find_bands()."""
    return require('cudashapes', 'find_bands()').find_bands(
        image, *args, **kwargs)


def convex_hull(points, *args, **kwargs):
    """The convex hull of an array's points: cudashapes.convex_hull()."""
    return require('cudashapes', 'convex_hull()').convex_hull(
        points, *args, **kwargs)
