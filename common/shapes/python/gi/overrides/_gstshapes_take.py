# SPDX-License-Identifier: LGPL-2.1-or-later
"""What others give: points, geometries and columns of values, checked."""

from gi.overrides._gstshapes_arrays import numpy
from gi.overrides._gstshapes_given import (  # noqa: F401
    as_array, flat, geometry, rings, rounded_in_list, without_mask)

INT32 = (-2 ** 31, 2 ** 31 - 1)


def geometries(items):
    """Items of a collection of GeoJSON, as of geopandas, or of a sequence."""
    mapping = geometry(items)
    if mapping is None:
        return items
    return mapping['features'] if mapping['type'] == 'FeatureCollection' \
        else [items]


def points(name, given):
    """(n, 2) numbers of a polyline, which name tells errors' readers."""
    if type(given) is numpy.ndarray and given.ndim == 2 and len(given) \
            and given.shape[1] == 2 and given.dtype.kind in 'fiu':
        return given
    try:
        array, missing = without_mask(given)
    except (TypeError, ValueError) as error:
        raise TypeError('%s: %s' % (name, error)) from None
    if array.dtype.kind == 'O':
        try:
            array = array.astype('f8')
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError('%s: %s' % (name, error)) from None
    if array.size and array.dtype.kind not in 'buif':
        raise TypeError('%s is of %s: only real numbers are possible'
                        % (name, array.dtype))
    lost = rounded_in_list(given, array)
    if lost is not None:
        raise ValueError('%s has a number that is no double, %s: subtract an '
                         'offset' % (name, numpy.asarray(given, object)[
                             lost.reshape(array.shape)][0]))
    array = flat(array)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0:
        raise ValueError('%s has shape %s, not (n, 2) or (n, 1, 2)'
                         % (name, array.shape))
    if missing is not None:
        raise ValueError(
            '%s has a masked point, %d: leave it out'
            % (name, numpy.flatnonzero(flat(missing).any(axis=1))[0]))
    return array


# Single precision may move a point by so many pixels. It moves none by more
# whose coordinates are smaller than the second number.
MAX_MOVE, NOT_MOVED = .01, 2. ** 18


def are_singles(points):
    """Whether points in single precision need not be checked."""
    return not len(points) or float(numpy.abs(points).max()) < NOT_MOVED


def check_singles(name, given, singles):
    """Says which point single precision does not hold, if there is one."""
    wrong = ~numpy.isfinite(singles).all(axis=1)
    for at in numpy.flatnonzero(wrong)[:1].tolist():
        x, y = given[at].tolist()
        raise ValueError(
            '%s has a point that is not finite in single precision: %d, at '
            '(%s, %s)' % (name, at, x, y))
    moved = numpy.abs(given.astype('longdouble') - singles) > MAX_MOVE
    for at in numpy.flatnonzero(moved.any(axis=1))[:1].tolist():
        raise ValueError(
            '%s has a point that single precision moves by more than %g '
            'pixel: %d, at (%s, %s), to (%s, %s); subtract an offset' % (
                name, MAX_MOVE, at, *given[at].tolist(),
                *singles[at].tolist()))


def frame_size(width, height):
    """Both, which are whole numbers of pixels."""
    for name, value in (('width', width), ('height', height)):
        try:
            whole = value == int(value) and value >= 0
        except (TypeError, ValueError, OverflowError):
            whole = isinstance(value, (str, bytes)) or value is None
        except Exception:               # numpy.ma's own
            whole = False
        if not whole:
            raise ValueError('%s is %r, not a whole number of pixels'
                             % (name, value))
    return width, height


def _missing(values):
    """Which of the values are masked; None if that cannot be."""
    if numpy.ma.isMaskedArray(values):
        return numpy.ma.getmaskarray(values)
    if isinstance(values, (list, tuple)) or (
            isinstance(values, numpy.ndarray) and values.ndim == 1
            and values.dtype.kind == 'O'):
        return numpy.array([v is numpy.ma.masked for v in values], bool)
    return None


def _without_masked(name, values, default):
    """values with None for what is masked, which has to be unknown then: -1."""
    missing = _missing(values)
    if missing is None or not missing.any():
        return values
    if default != -1:
        raise ValueError('%s[%d] is masked: filled() decides what it is' % (
            name, numpy.flatnonzero(missing)[0]))
    if numpy.ma.isMaskedArray(values):
        return values.tolist()
    return [None if gone else v for v, gone in zip(values, missing)]


def _spread(name, values, n, default):
    """A list or array of n values; the default stands for None and, if it is
    -1, for what is masked."""
    if values is None:
        return numpy.full(n, default)
    values = _without_masked(name, values, default)
    if numpy.ma.isMaskedArray(values):
        values = values.tolist()
    if numpy.ndim(values) == 0 or isinstance(values, (str, bytes)):
        one = values.item() if isinstance(values, numpy.ndarray) else values
        return [default if one is None else one] * n
    if numpy.shape(values) != (n,):
        raise ValueError('%s: values of shape %s for %d polygons'
                         % (name, numpy.shape(values), n))
    if isinstance(values, numpy.ndarray) and values.dtype.kind != 'O':
        return values
    return [default if v is None else v for v in values]


def _refuse(name, values, wrong, what):
    at = int(numpy.flatnonzero(wrong)[0])
    value = values[at]
    value = value.item() if isinstance(value, numpy.generic) else value
    raise ValueError('%s[%d] is %r, not %s' % (name, at, value, what))


def _numbers(values):
    """An array of real numbers, and which of the values are none."""
    array = numpy.asarray(values)
    if array.dtype.kind in 'buif':
        return array, numpy.zeros(array.shape, bool)
    # a mixture: one by one, integers without a detour by doubles
    numbers, wrong = numpy.zeros(len(values), object), numpy.ones(
        len(values), bool)
    for i, value in enumerate(values):
        if isinstance(value, (bool, int, float, numpy.bool_, numpy.integer,
                              numpy.floating)):
            numbers[i], wrong[i] = value, False
    return numbers, wrong


def integers(name, values, n, default, bits=32):
    """n whole numbers of so many bits; the default stands for None."""
    values = _spread(name, values, n, default)
    array, wrong = _numbers(values)
    low, high = -2 ** (bits - 1), 2 ** (bits - 1) - 1
    with numpy.errstate(invalid='ignore'):
        if array.dtype.kind == 'f':
            # 2^63 is a double, 2^63 - 1 is none
            wrong = ~((array == numpy.floor(array)) & (array >= float(low))
                      & (array < float(high + 1)))
        elif array.dtype.kind == 'O':
            wrong |= numpy.array([not (v == v and low <= v <= high
                                       and v == int(v))
                                  for v in array.tolist()], bool)
        elif n and array.dtype.kind in 'iu':
            wrong = array > high
            if array.dtype.kind == 'i':
                wrong |= array < low
    if wrong.any():
        _refuse(name, values, wrong, 'an integer of %d bits' % bits)
    return array.astype('i%d' % (bits // 8))


def flags(name, values, n, default):
    """n booleans, also as 0 and 1; the default stands for None."""
    values = _spread(name, values, n, default)
    array, wrong = _numbers(values)
    wrong = wrong | ~((array == 0) | (array == 1))
    if wrong.any():
        _refuse(name, values, wrong, 'True or False')
    return array.astype(bool)


def reals(name, values, n, default, finite=True):
    """n doubles; the default stands for None."""
    values = _spread(name, values, n, default)
    array, wrong = _numbers(values)
    if wrong.any():
        _refuse(name, values, wrong, 'a number')
    try:
        array = array.astype('f8')
    except OverflowError:
        raise ValueError('%s: not all numbers are doubles' % name) from None
    if finite and not numpy.isfinite(array).all():
        _refuse(name, values, ~numpy.isfinite(array), 'a finite number')
    return array


def confidences(name, values, n):
    """n confidences; -1 stands for None."""
    array = reals(name, values, n, -1., finite=False)
    with numpy.errstate(over='ignore'):
        lost = numpy.isfinite(array) & ~numpy.isfinite(array.astype('f4'))
    if lost.any():
        _refuse(name, array, lost, 'a number of single precision')
    return array
