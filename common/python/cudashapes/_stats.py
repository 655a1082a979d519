# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of what is inside polygons."""

import struct

import numpy

from cudashapes import _engines
from cudashapes._contours import Contours, refuse_unreal
from cudashapes._filter import host_pixels
from cudashapes._given import flat, geometry, rings, without_mask
from cudashapes._polygons import RingPolygons

_GRAY, _LAB, _PROBABILITY = range(3)
_KINDS = {'gray': _GRAY, 'lab': _LAB, 'probability': _PROBABILITY}

_NAMES = ('n_pixels', 'mean', 'deviation', 'minimum', 'maximum')
_DESCRIPTION = numpy.dtype([('n_pixels', 'u8')] + [
    (name, 'f8') for name in _NAMES[1:]])


class RegionStats:
    """What `region_stats` returns: arrays with an item for each region, on the
    host; of L*a*b* with three columns, but `n_pixels`.

    Attributes
    ----------
    n_pixels : array of uint64
        Pixels whose centres are inside.
    mean, deviation : array of float64
        Mean and standard deviation (of the population); NaN without a pixel.
    minimum, maximum : array of float64
        NaN without a pixel.
    """

    def __init__(self, found, channels):
        for name in _NAMES:
            values = found[name].reshape(-1, channels)
            one = channels == 1 or name == 'n_pixels'
            setattr(self, name, (values[:, 0] if one else values).copy())

    def __len__(self):
        return len(self.n_pixels)

    def __repr__(self):
        return '<statistics of %d regions>' % len(self)


def ring_points(given, as_xy, dtype='f4'):
    """x and y."""
    points, missing = without_mask(given)
    points = flat(points)
    if missing is not None:
        raise ValueError('a ring has masked points: leave them out')
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError('a ring has shape (n, 2), not %s' % (points.shape,))
    refuse_unreal(points, 'a ring')
    points = points if as_xy else points[:, ::-1]
    with numpy.errstate(over='ignore'):
        points = points.astype(dtype)
    if not numpy.isfinite(points).all():
        raise ValueError('a ring has points that are not finite in %s '
                         'precision' % ('single' if dtype == 'f4'
                                        else 'double'))
    return points


def is_ring(region):
    return isinstance(region, numpy.ndarray) or not len(region) \
        or numpy.ndim(region[0]) == 1


def _host_rings(regions, as_xy):
    """x, y of all rings, where each begins, the first ring of each region."""
    found, firsts = [], [0]
    for region in regions:
        mapping = geometry(region)
        if mapping is not None:
            found.extend(ring_points(part, True)
                         for outline, _, holes in rings(mapping)
                         for part in [outline, *holes])
        else:
            parts = [region] if is_ring(region) else region
            found.extend(ring_points(part, as_xy) for part in parts)
        firsts.append(len(found))
    offsets = numpy.zeros(len(found) + 1, 'i8')
    numpy.cumsum([len(ring) for ring in found], out=offsets[1:])
    points = numpy.concatenate(found) if found else numpy.zeros((0, 2), 'f4')
    return numpy.ascontiguousarray(points), offsets.tolist(), firsts


def _words(values):
    return struct.pack('=%dI' % len(values), *values)


def _kind(kind, shape, dtype):
    """The kind's number, its steps, and the axis of channels, or -1."""
    if kind is None:
        kind = 'probability' if dtype.startswith('float') else 'gray'
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError('kind is "gray", "lab" or "probability", not %r'
                         % (kind,))
    number = _KINDS[kind]
    if len(shape) not in (2, 3):
        raise ValueError('an image has 2 or 3 dimensions, not %d' % len(shape))
    axis = 2 if len(shape) == 3 else -1
    colors = axis == 2 and shape[2] in (3, 4)
    if number == _LAB and not (colors and dtype == 'uint8'):
        raise TypeError('L*a*b* is computed of (rows, columns, 3 or 4) of '
                        'uint8')
    if number == _GRAY and (dtype not in ('uint8', 'uint16')
                            or not (axis < 0 or shape[2] == 1 or colors)):
        raise TypeError('gray is that of (rows, columns), or of the luma of '
                        '(rows, columns, 3 or 4), of uint8 or uint16')
    if number == _PROBABILITY:
        return number, 65535., axis
    if number == _LAB:
        return number, 256., axis
    return number, 256. if colors and dtype == 'uint8' else 1., axis


def region_stats(image, regions, *, kind=None, channel=0, as_xy=False,
                 backend='auto', stream=None):
    """Mean, deviation and range of an image inside polygons, in one pass.

    A pixel is inside if its centre is, by the even-odd rule; regions that share
    a side share no pixel.

    Parameters
    ----------
    image : array, shape (rows, columns) or (rows, columns, channels)
        See `kind`. An array on a GPU is read there.
    regions : sequence
        For each region a ring, an array of shape (n, 2), as `find_contours`
        finds them, or a list of rings, as `find_bands` does; or a geometry that
        has `__geo_interface__`, as Shapely's, in x and y; or
        `InstancePolygons` or `LabelPolygons`, of which each object or label is
        a region. `Contours` of the
        GPU are read there; they have to be found with ``dtype='float32'``.
        Coordinates are rounded to single precision.
    kind : {'gray', 'lab', 'probability'}, optional
        'gray': the values of uint8 or uint16, and the luma (BT.709) of RGB.
        'lab': L*, a* and b* (CIE 1976, D65) of sRGB of uint8. 'probability':
        from 0 to 1, in steps of 1/65535; integers are shares of their largest
        value. Default: 'probability' for floating point, else 'gray'.
    channel : int
        Of 'probability', which channel is read.
    as_xy : bool
        Points are (x, y), and not (row, column). `Contours`,
        `InstancePolygons` and `LabelPolygons` know it.
    backend, stream
        As in `find_contours`.

    Returns
    -------
    RegionStats
        Arrays on the host, with an item for each region.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As `find_contours`.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.arange(25, dtype=np.uint8).reshape(5, 5)
    >>> square = [(.5, .5), (.5, 3.5), (3.5, 3.5), (3.5, .5)]
    >>> stats = region_stats(image, [square])
    >>> int(stats.n_pixels[0]), float(stats.mean[0])
    (9, 12.0)
    """
    device = _engines.device_of(image)
    if device is None:
        image = host_pixels(image)
        engine = _engines.engine(backend)
        shape, dtype = image.shape, image.dtype.name
    else:
        engine = _engines.device_engine(backend, device)
        shape, dtype = _engines.shape_of(image), _engines.dtype_of(image)
    number, steps, axis = _kind(kind, shape, dtype)
    channels = shape[2] if axis == 2 else 1
    if not 0 <= channel < max(channels, 1):
        raise ValueError('there is no channel %r of %d' % (channel, channels))
    firsts = None
    if isinstance(regions, RingPolygons):
        (firsts, _), regions = regions._structure(), regions.rings
        as_xy = True
    on_device = isinstance(regions, Contours)
    if on_device:
        if device is None or regions.device != 'cuda:%d' % device:
            raise ValueError('the contours are on %s, and the image is not'
                             % regions.device)
        points, offsets = regions.xy()
        each = range(len(offsets))
    else:
        points, offsets, each = _host_rings(regions, as_xy)
    firsts = each if firsts is None else firsts
    rest = (axis, points, _words(offsets), _words(firsts), number, steps,
            channel, on_device)
    if device is None:
        found = engine.region_stats(image, *rest, 0, False)
    else:
        found = _engines.on_device(engine, 'region_stats', image, stream,
                                   *rest)
    return RegionStats(numpy.frombuffer(found, _DESCRIPTION),
                       3 if number == _LAB else 1)
