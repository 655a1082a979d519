# SPDX-License-Identifier: LGPL-2.1-or-later
"""What callers give: arrays with what is missing, and geometries."""

try:
    import numpy
except ImportError:
    numpy = None


def as_array(given):
    """An array, of numpy.ma if given or an item of it is."""
    if isinstance(given, (list, tuple)) and any(
            numpy.ma.isMaskedArray(item) for item in given):
        return numpy.ma.array(given)
    return given if numpy.ma.isMaskedArray(given) else numpy.asarray(given)


def without_mask(array):
    """array without numpy.ma's mask, and where it is masked, or None."""
    array = as_array(array)
    if not numpy.ma.isMaskedArray(array):
        return array, None
    missing = numpy.ma.getmaskarray(array)
    if missing.dtype.kind != 'b':
        raise TypeError('%s: only real numbers are possible' % array.dtype)
    return numpy.ma.getdata(array), missing if missing.any() else None


def rounded(array):
    """Where a number of array is no double; None when it has none."""
    if array.dtype.kind in 'iu' and array.itemsize == 8:
        if not array.size or max(-int(array.min()),
                                 int(array.max())) <= 2 ** 53:
            return None
        doubles = array.astype('f8')
        # what does not fit back is no neighbour of the type's largest
        fits = doubles < 2. ** (64 if array.dtype.kind == 'u' else 63)
        same = numpy.where(fits, doubles, 0).astype(array.dtype) == array
        lost = ~(fits & same)
    elif array.dtype.kind == 'f' and array.itemsize > 8:
        with numpy.errstate(over='ignore'):
            lost = (array.astype('f8') != array) & (array == array)
    else:
        return None
    return lost if lost.any() else None


def rounded_in_list(given, array):
    """Like rounded(), of Python's numbers that became array's doubles."""
    if array.dtype.kind != 'f' or isinstance(given, (numpy.ndarray, float)):
        return None
    array = numpy.atleast_1d(array)
    with numpy.errstate(invalid='ignore'):
        large = numpy.isfinite(array) & (numpy.abs(array) >= 2 ** 53)
    if not large.any():
        return None
    lost = numpy.zeros(array.shape, bool)
    exact = numpy.atleast_1d(numpy.asarray(given, object))
    for place in zip(*numpy.nonzero(large)):
        value = exact[place]
        if isinstance(value, numpy.generic):
            value = value.item()
        # Python compares its integers with its floats exactly
        lost[place] = value != array[place].item()
    return lost if lost.any() else None


def geometry(item):
    """GeoJSON's mapping of what has one, as Shapely's objects; or None."""
    found = item if isinstance(item, dict) else \
        getattr(item, '__geo_interface__', None)
    return found if isinstance(found, dict) and 'type' in found else None


def _parts(mapping):
    """The simple geometries of one of GeoJSON."""
    kind = mapping['type']
    if kind == 'Feature':
        return _parts(mapping['geometry']) if mapping['geometry'] else []
    if kind in ('FeatureCollection', 'GeometryCollection'):
        return [part for item in mapping[
            'features' if kind == 'FeatureCollection' else 'geometries']
            for part in _parts(item)]
    if kind in ('MultiPolygon', 'MultiLineString', 'MultiPoint'):
        return [(kind[5:], part) for part in mapping['coordinates']]
    if kind not in ('Polygon', 'LineString', 'LinearRing', 'Point'):
        raise ValueError('%s is no geometry of points' % (kind,))
    return [(kind, mapping['coordinates'])]


def _plane(positions):
    """x and y of positions, which may have z and more."""
    if isinstance(positions, numpy.ndarray) and positions.ndim == 2:
        return positions[:, :2]
    try:
        return [position[:2] for position in positions]
    except TypeError:
        return positions        # no positions, as who reads them will say


def rings(mapping):
    """What a geometry is made of: [(points, closed, its holes), ...].

    Empty geometries have nothing.
    """
    found = []
    for kind, coordinates in _parts(mapping):
        if not len(coordinates):
            continue
        if kind == 'Polygon':
            if len(coordinates[0]):
                outline, *holes = map(_plane, coordinates)
                found.append((outline, True, holes))
        elif kind == 'Point':
            found.append((_plane([coordinates]), False, []))
        else:
            found.append((_plane(coordinates), kind == 'LinearRing', []))
    return found


def flat(points):
    """Of OpenCV's (n, 1, 2) its (n, 2)."""
    if points.ndim == 3 and points.shape[1:] == (1, 2):
        return points[:, 0]
    return points
