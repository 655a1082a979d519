# SPDX-License-Identifier: LGPL-2.1-or-later
"""numpy arrays as buffers."""

import gi
from gi.module import get_introspection_module
from gi.overrides._gstshapes_arrays import require

GstShapes = get_introspection_module('GstShapes')

__all__ = ['buffer_from_array']


def _release(owner):
    """Lets go of the array at once; PyGObject keeps owner until later."""
    owner.clear()


def _add_video_meta(buffer, array, name):
    gi.require_version('GstVideo', '1.0')
    from gi.repository import GstVideo
    video_format = GstVideo.VideoFormat.from_string(name)
    if video_format == GstVideo.VideoFormat.UNKNOWN:
        raise ValueError('there is no video format %r' % name)
    info = GstVideo.VideoFormat.get_info(video_format)
    if info.n_planes != 1:
        raise ValueError('%s has more than one plane' % name)
    if array.ndim < 2:
        raise ValueError('a picture has rows and columns')
    if array.strides[1] != info.pixel_stride[0]:
        raise ValueError('a pixel of %s has %d bytes, not %d' % (
            name, info.pixel_stride[0], array.strides[1]))
    GstVideo.buffer_add_video_meta_full(
        buffer, GstVideo.VideoFrameFlags.NONE, video_format, array.shape[1],
        array.shape[0], 1, [0, 0, 0, 0], [array.strides[0], 0, 0, 0])


def buffer_from_array(array, *, format=None, writable=False):
    """A Gst.Buffer of a numpy array's memory, without a copy.

    array: C-contiguous; the buffer keeps it alive. Do not change it while the
    buffer is in a pipeline.
    format: of a picture, (rows, columns[, samples]), the name of its video
    format, as 'GRAY8': adds a GstVideoMeta with the array's strides, without
    which rows would have to be padded to four bytes
    writable: elements may draw on the array; otherwise those copy it

    Raises ValueError for an array that is empty, masked (numpy.ma), not
    contiguous or not of format, and TypeError for one that is not of numbers.

    >>> buffer = GstShapes.buffer_from_array(np.zeros((3, 5), 'u1'),
    ...                                      format='GRAY8')
    >>> buffer.get_size()
    15
    """
    numpy = require('numpy', 'buffer_from_array()')
    if numpy.ma.is_masked(array):
        raise ValueError('the array has masked items, which a buffer cannot '
                         'tell: filled() decides what they are')
    array = numpy.asarray(array)
    if array.dtype.kind not in 'biufcV':
        raise TypeError('an array of %s has no numbers' % array.dtype)
    if not array.flags.c_contiguous:
        raise ValueError('the array is not contiguous: numpy.ascontiguousarray'
                         '() makes one that is')
    if array.nbytes == 0:
        raise ValueError('the array is empty')
    if writable and not array.flags.writeable:
        raise ValueError('the array cannot be written to')
    buffer = GstShapes.shapes_buffer_new_wrapped(
        array.ctypes.data, array.nbytes, writable, _release, [array])
    if format is not None:
        _add_video_meta(buffer, array, format)
    return buffer
