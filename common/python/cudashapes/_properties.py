# SPDX-License-Identifier: LGPL-2.1-or-later
"""Properties of regions."""

import numpy

from cudashapes import _engines
from cudashapes._labels import check_device, host_labels, with_advice
from cudashapes._ringproperties import (
    COLUMNS, are_polygons, ring_properties)

_TENSOR = ('-0-0', '-0-1', '-1-0', '-1-1')
_MOMENTS = tuple('-%d-%d' % (i, j) for i in range(4) for j in range(4))


def _numbers(n):
    return tuple('-%d' % i for i in range(n))


# as CsProperty: what is appended to a name for each of its columns
_COLUMNS = {
    'label': ('',),
    'bbox': _numbers(4),
    'num_pixels': ('',),
    'euler_number': ('',),
    'area': ('',),
    'area_bbox': ('',),
    'area_convex': ('',),
    'axis_major_length': ('',),
    'axis_minor_length': ('',),
    'centroid': _numbers(2),
    'centroid_local': _numbers(2),
    'eccentricity': ('',),
    'equivalent_diameter_area': ('',),
    'extent': ('',),
    'feret_diameter_max': ('',),
    'inertia_tensor': _TENSOR,
    'inertia_tensor_eigvals': _numbers(2),
    'moments': _MOMENTS,
    'moments_central': _MOMENTS,
    'moments_normalized': _MOMENTS,
    'moments_hu': _numbers(7),
    'orientation': ('',),
    'perimeter': ('',),
    'perimeter_crofton': ('',),
    'solidity': ('',),
}

_NUMBERS = {name: i for i, name in enumerate(_COLUMNS)}


def _names(properties, known):
    if isinstance(properties, str):
        raise TypeError('properties are names, as (%r,), and not one'
                        % properties)
    names = tuple(properties)
    for name in names:
        if name not in known:
            raise ValueError('there is no property %r: there are %s'
                             % (name, ', '.join(known)))
    if not names:
        raise ValueError('there are no properties: name some')
    return names


def _spacings(spacing):
    try:
        return tuple(map(float, numpy.broadcast_to(spacing, 2)))
    except (TypeError, ValueError):
        raise ValueError('spacing is a number, or (rows, columns), and not %r'
                         % (spacing,)) from None


def _possible(row, column):
    """The properties that this spacing allows."""
    return [name for name in _COLUMNS
            if not (name.startswith('perimeter') and row != column
                    or name == 'moments_hu' and (row, column) != (1, 1))]


def _ordered(found, names, columns):
    return {name + end: found[name + end]
            for name in names for end in columns[name]}


def _of_polygons(given, properties, spacing, as_xy, backend):
    if _spacings(spacing) != (1, 1):
        raise ValueError('spacing is for labels: scale the polygons')
    names = tuple(COLUMNS) if properties is None else _names(properties,
                                                             COLUMNS)
    return _ordered(ring_properties(given, as_xy, backend), names, COLUMNS)


def region_properties(labels, properties=None, *, spacing=1., as_xy=False,
                      backend='auto', stream=None):
    """Properties of all regions of a picture of labels, in one pass, or of
    polygons.

    Parameters
    ----------
    labels : array of int, shape (rows, columns), or polygons
        Of any integer type, or Boolean: what each pixel belongs to, up to
        2^31 - 1. Labels below 1, and what a mask of numpy.ma hides, belong to
        no region. The pixels of a region need not be connected. An array on a
        GPU is read there. Polygons: `LabelPolygons`, `InstancePolygons`, or a
        list with a region each, as `region_stats` takes it.
    properties : sequence of str, optional
        Names of scikit-image's ``regionprops()``, see below. Default: all that
        `spacing` allows.
    spacing : float or (float, float)
        From a pixel to the one below, and to the one to the right.
    as_xy : bool
        Points of polygons in lists are (x, y), and not (row, column).
    backend, stream
        As in `find_contours`.

    Returns
    -------
    dict
        Of each property an array with an item for each label, ascending, as
        that of scikit-image's ``regionprops_table()``: a property of several
        numbers has a column for each, as 'bbox-0' to 'bbox-3' and
        'moments-0-0' to 'moments-3-3'. ``pandas.DataFrame`` takes it. Integers
        are int64, all else is float64. Of labels on a GPU they are there, as
        arrays of the labels' library.

    Raises
    ------
    ValueError, TypeError
        For arguments that are not as above, and for labels that are larger.
    MemoryError
        Memory of the host or the GPU runs out.
    RuntimeError
        There is no such backend, or the GPU failed.

    Notes
    -----
    Properties are label, bbox, num_pixels, euler_number, area, area_bbox,
    area_convex, axis_major_length, axis_minor_length, centroid,
    centroid_local, eccentricity, equivalent_diameter_area, extent,
    feret_diameter_max, inertia_tensor, inertia_tensor_eigvals, moments,
    moments_central, moments_normalized, moments_hu, orientation, perimeter,
    perimeter_crofton and solidity, with the definitions of scikit-image 0.26.
    Sums, counts and convex hulls are exact, and only then numbers are rounded:
    the result does not depend on the order, and is equal on the CPU and on
    GPUs, bit for bit. With different spacings of rows and columns there are no
    perimeters, with one that is not 1 no moments_hu.

    Polygons have label (that of `LabelPolygons`, else the number), bbox (the
    least and the greatest row and column), area, area_bbox, area_convex (of
    the hull), centroid, the axes, eccentricity and orientation of the ellipse,
    equivalent_diameter_area, extent, feret_diameter_max (of the hull),
    perimeter (the length of all rings) and solidity. They are those of the
    lines, without pixels, and on the host. Holes count as such if they go the
    other way round than their outer rings, or are those of a geometry.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[5, 5, 5, 0], [5, 0, 0, 9], [5, 0, 9, 9]])
    >>> found = region_properties(labels, ('label', 'area', 'area_convex'))
    >>> {name: column.tolist() for name, column in found.items()}
    {'label': [5, 9], 'area': [5.0, 3.0], 'area_convex': [6.0, 3.0]}
    """
    if are_polygons(labels):
        return _of_polygons(labels, properties, spacing, as_xy, backend)
    row, column = _spacings(spacing)
    names = _possible(row, column) if properties is None else _names(
        properties, _COLUMNS)
    wanted = sum({1 << _NUMBERS[name] for name in names})
    device = _engines.device_of(labels)
    with with_advice():
        if device is None:
            columns = _engines.engine(backend).measure_labels(
                host_labels(labels, 0), wanted, row, column, 0, False)
            make = numpy.asarray
        else:
            check_device(labels)
            columns = _engines.on_device(
                _engines.device_engine(backend, device), 'measure_labels',
                labels, stream, wanted, row, column)
            make = _engines.Library.of(labels).array
    found = dict(zip((name + end for name, number in _NUMBERS.items()
                      if wanted >> number & 1 for end in _COLUMNS[name]),
                     map(make, columns)))
    return _ordered(found, names, _COLUMNS)
