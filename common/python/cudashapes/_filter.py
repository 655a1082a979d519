# SPDX-License-Identifier: LGPL-2.1-or-later
"""The local Laplacian filter."""

import numpy

from cudashapes import _engines
from cudashapes._contours import refuse_unreal
from cudashapes._given import without_mask

_QUALITIES = {'fast': 0, 'normal': 1, 'high': 2, 'exact': 3, 'sampled': 4}
_CURVES = {'power': 0, 'smooth': 1}
_REMAPPINGS = {'luma': 0, 'rgb-distance': 1}


def _chosen(name, value, values):
    if not isinstance(value, str) or value not in values:
        raise ValueError('%s is %s, not %r' % (
            name, ' or '.join('"%s"' % one for one in values), value))
    return values[value]


def _check(shape, dtype):
    colors = len(shape) == 3 and shape[2] in (3, 4)
    if not colors and len(shape) != 2:
        raise ValueError('an image has shape (rows, columns) or (rows, '
                         'columns, 3 or 4), not %s' % (tuple(shape),))
    types = ('uint8',) if colors else ('uint8', 'uint16', 'float32')
    if dtype not in types:
        kind, scale = ('a colour', '') if colors else (
            'a gray', ', 0 to 65535 of uint16, 0 to 1 of float32')
        raise TypeError('%s image has %s, not %s: convert it; black to white '
                        'is 0 to 255 of uint8%s' % (
                            kind, ' or '.join(types), dtype, scale))


def host_pixels(given):
    """A contiguous array of the host, in native byte order."""
    image, missing = without_mask(given)
    if missing is not None:
        raise ValueError('the image has masked pixels: filled() decides what '
                         'they are')
    refuse_unreal(image, 'an image')
    if not image.dtype.isnative:
        image = image.astype(image.dtype.newbyteorder('='))
    return numpy.require(image, requirements='CA')


def local_laplacian(image, sigma=.2, alpha=.5, beta=1., *, amount=1.,
                    pyramid_levels=0, tone_guard=0., noise_guard=None,
                    curve='smooth', quality='normal', color_remapping='luma',
                    backend='auto', stream=None):
    """Enhance or smooth detail, compress or expand tone, without halos.

    The local Laplacian filter of Paris, Hasinoff and Kautz (SIGGRAPH 2011),
    with the coefficients' error below what 8 bits show.

    Parameters
    ----------
    image : array
        Gray, of shape (rows, columns), of uint8, uint16 (0 is black, 65535
        white) or float32 (from 0 to 1); or RGB or RGBA, of shape (rows, columns,
        3 or 4), of uint8, whose luma is filtered and whose alpha stays.
    sigma : float, .001 to 4
        Differences up to this are detail, larger ones edges; black to white is
        1.
    alpha : float, .05 to 10
        Below 1 detail is enhanced, above 1 smoothed.
    beta : float, 0 to 4
        Below 1 the range of edges is compressed, above 1 expanded.
    amount : float
        0 is the image itself, 1 the filter.
    pyramid_levels : int
        Levels of the pyramid, 0 for all; more than there are are all.
    tone_guard : float, 0 to 1
        Width of the tones beside black and white where the change fades.
    noise_guard : float, 0 to .25, optional
        Detail up to this is not enhanced. Default: the curve's own.
    curve : {'smooth', 'power'}
        Shape of the remapping curve; 'power' is the paper's.
    quality : {'normal', 'fast', 'high', 'exact', 'sampled'}
        How coefficients are computed.
    color_remapping : {'luma', 'rgb-distance'}
        What a difference is: that of luma, or the distance of colours.
    backend : {'auto', 'cuda', 'cuda:N', 'cpu'}
        Where an array of the host is computed. An array on a GPU is computed
        there.
    stream : int or stream, optional
        Of an array on a GPU: the CUDA stream in whose order it is ready.

    Returns
    -------
    array
        Of the shape and type of `image`, where that is, complete.

    Raises
    ------
    ValueError, TypeError
        For arguments that are not as above.
    MemoryError
        Memory of the host or the GPU runs out.
    RuntimeError
        There is no such backend, or the GPU failed.

    Notes
    -----
    The first call with a curve computes its table, which takes up to some
    tenths of a second.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.full((8, 8), 100, np.uint8)
    >>> bool((local_laplacian(image) == image).all())
    True
    """
    settings = (
        _chosen('quality', quality, _QUALITIES),
        _chosen('curve', curve, _CURVES),
        _chosen('color_remapping', color_remapping, _REMAPPINGS),
        sigma, alpha, beta, -1. if noise_guard is None else noise_guard)
    if not 0 <= pyramid_levels <= 64:
        raise ValueError('pyramid_levels is %r: it must be 0 to 64'
                         % (pyramid_levels,))
    if noise_guard is not None and not noise_guard >= 0:
        raise ValueError('noise_guard is %r: it must be 0 to 0.25, or None'
                         % (noise_guard,))
    rest = (pyramid_levels, amount, tone_guard)
    device = _engines.device_of(image)
    if device is None:
        image = host_pixels(image)
        _check(image.shape, image.dtype.name)
        found = _engines.engine(backend).local_laplacian(
            image, *settings, *rest, 0, False)
        return numpy.asarray(found)
    _check(_engines.shape_of(image), _engines.dtype_of(image))
    engine = _engines.device_engine(backend, device)
    return _engines.Library.of(image).array(_engines.on_device(
        engine, 'local_laplacian', image, stream, *settings, *rest))
