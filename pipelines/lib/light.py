# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of linear light in floating point, of any range: OpenEXR and Radiance (.hdr). Light is float32, height x width x
3, of the primaries of BT.709."""
import ctypes
import re
import struct

import numpy as np

from gi.repository import Gst

EXR, RADIANCE = b"\x76\x2f\x31\x01", (b"#?RADIANCE", b"#?RGBE")
# primaries and white, x and y of red, green, blue and white
BT709 = (.64, .33, .3, .6, .15, .06, .3127, .329)
BRADFORD = np.array(((.8951, .2664, -.1614), (-.7502, 1.7135, .0367), (.0389, -.0685, 1.0296)))
WITH_COLOUR, WITH_ALPHA = 0x01 | 0x02 | 0x04 | 0x10, 0x08      # channels, in ImfCRgbaFile.h


def is_light(path):
    with open(path, "rb") as file:
        return file.read(10).startswith((EXR, *RADIANCE))


def _to_xyz(primaries):
    """The matrix from linear RGB to XYZ, and XYZ of white."""
    x, y = np.reshape(primaries, (4, 2)).T
    xyz = np.array((x / y, np.ones(4), (1 - x - y) / y))
    return xyz[:, :3] * np.linalg.solve(xyz[:, :3], xyz[:, 3]), xyz[:, 3]


def to_bt709(light, primaries):
    """Light of these primaries as that of BT.709's, with its white (Bradford's adaptation)."""
    if np.allclose(primaries, BT709, atol=2e-3):
        return light
    try:
        (here, white), (there, its) = _to_xyz(primaries), _to_xyz(BT709)
    except (np.linalg.LinAlgError, ZeroDivisionError) as error:
        raise ValueError("its primaries are no colours") from error
    adapt = np.linalg.solve(BRADFORD, np.diag(BRADFORD @ its / (BRADFORD @ white)) @ BRADFORD)
    return light @ np.linalg.solve(there, adapt @ here).T.astype(np.float32)


def _exr_primaries(path):
    """What the header of the (first) picture says of them; BT.709 if nothing."""
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    found = re.search(rb"chromaticities\0chromaticities\0\x20\0\0\0", head)
    return struct.unpack_from("<8f", head, found.end()) if found and found.end() + 32 <= len(head) else BT709


def _exr_library():
    """The OpenEXR that the element openexrdec has loaded, by its C interface, ImfCRgbaFile.h: the element itself limits light
    to 1 and 16 bits."""
    if Gst.ElementFactory.make("openexrdec"):
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            found = re.search(r" (/\S*/libOpenEXR-[^/\s]*)$", maps.read(), re.M)
        if found:
            library = ctypes.CDLL(found[1])
            library.ImfOpenInputFile.restype = library.ImfInputHeader.restype = ctypes.c_void_p
            library.ImfErrorMessage.restype = ctypes.c_char_p
            return library
    raise RuntimeError("OpenEXR cannot be read here: install GStreamer's plugin openexr (gstreamer1.0-plugins-bad)")


def _window(get, header):
    """Left, top, width and height."""
    edges = [ctypes.c_int() for _ in range(4)]
    get(header, *map(ctypes.byref, edges))
    left, top, right, bottom = (edge.value for edge in edges)
    return left, top, right - left + 1, bottom - top + 1


def _framed(pixels, data, display):
    """What of the pixels is in the display window, with black around."""
    result = np.zeros((display[3], display[2]) + pixels.shape[2:], pixels.dtype)
    left, top = data[0] - display[0], data[1] - display[1]
    rows = slice(max(top, 0), min(top + data[3], display[3]))
    columns = slice(max(left, 0), min(left + data[2], display[2]))
    if rows.start < rows.stop and columns.start < columns.stop:
        result[rows, columns] = pixels[rows.start - top:rows.stop - top, columns.start - left:columns.stop - left]
    return result


def read_exr(path, check_size):
    """Returns: light and alpha, which is None if there is none. Raises ValueError if the file is damaged."""
    library = _exr_library()

    def done(success):
        if not success:
            raise ValueError(library.ImfErrorMessage().decode(errors="replace"))
        return success
    handle = ctypes.c_void_p(done(library.ImfOpenInputFile(path if isinstance(path, bytes) else path.encode(
        errors="surrogateescape"))))
    try:
        header = ctypes.c_void_p(library.ImfInputHeader(handle))
        data, display = (_window(get, header) for get in (library.ImfHeaderDataWindow, library.ImfHeaderDisplayWindow))
        channels = library.ImfInputChannels(handle)
        if not channels & WITH_COLOUR:
            raise ValueError("it has no channels R, G, B or Y")
        check_size(*data[2:])
        check_size(*display[2:])
        half = np.zeros((data[3], data[2], 4), np.float16)
        # the library counts from the window's origin
        base = half.ctypes.data - 8 * (data[0] + data[1] * data[2])
        done(library.ImfInputSetFrameBuffer(handle, ctypes.c_void_p(base), ctypes.c_size_t(1), ctypes.c_size_t(data[2])))
        done(library.ImfInputReadPixels(handle, data[1], data[1] + data[3] - 1))
    finally:
        library.ImfCloseInputFile(handle)
    half = _framed(half, data, display)
    alpha = np.clip(half[..., 3:].astype(np.float32), 0, 1) if channels & WITH_ALPHA else None
    light = half[..., :3].astype(np.float32)
    if alpha is not None:
        light = np.divide(light, alpha, out=light, where=alpha > 0)      # its colours are multiplied by alpha
    return to_bt709(light, _exr_primaries(path)), alpha


def _radiance_row(file, width):
    """A row of R, G, B and exponent: its four planes by runs, or pixel by pixel as before 1991."""
    start = file.read(4)
    if start[:2] != b"\2\2" or start[2] << 8 | start[3] != width or not 8 <= width < 1 << 15:
        return _radiance_old_row(file, start, width)
    row = np.empty((4, width), np.uint8)
    for plane in row:
        at = 0
        while at < width:
            count, = file.read(1)
            if count > 128:
                count -= 128
                values = file.read(1) * count
            else:
                values = file.read(count)
            if not values or at + count > width:
                raise ValueError("a row is damaged")
            plane[at:at + count] = np.frombuffer(values, np.uint8)
            at += count
    return row.T


def _radiance_old_row(file, start, width):
    """Pixels of four bytes; 1, 1, 1, n repeats the last one n times, and n 256 times as often after another such."""
    row, at, shift, pixel = np.empty((width, 4), np.uint8), 0, 0, start
    while True:
        if len(pixel) < 4:
            raise ValueError("it ends too early")
        if pixel[:3] == b"\1\1\1" and at:
            count = pixel[3] << shift
            if at + count > width:
                raise ValueError("a row is damaged")
            row[at:at + count] = row[at - 1]
            at, shift = at + count, shift + 8
        else:
            row[at] = np.frombuffer(pixel, np.uint8)
            at, shift = at + 1, 0
        if at == width:
            return row
        pixel = file.read(4)


def read_radiance(path, check_size):
    """Returns: light, and None. Raises ValueError if the file is damaged."""
    primaries = BT709
    with open(path, "rb") as file:
        while (line := file.readline(1 << 12).strip()):
            name, _, value = line.partition(b"=")
            if name == b"FORMAT" and value != b"32-bit_rle_rgbe":
                raise ValueError("it has no samples of RGBE")
            if name == b"PRIMARIES":
                primaries = tuple(map(float, value.split()))
        found = re.fullmatch(rb"([+-][XY]) (\d+) ([+-][XY]) (\d+)\s*", file.readline(1 << 12))
        if not found or found[1][1:] == found[3][1:] or len(primaries) != 8:
            raise ValueError("its header is damaged")
        height, width = int(found[2]), int(found[4])
        check_size(width, height)
        rows = np.stack([_radiance_row(file, width) for _ in range(height)])
    light = np.ldexp(rows[..., :3].astype(np.float32), rows[..., 3:].astype(np.int32) - 136)
    light[rows[..., 3] == 0] = 0
    # rows come from the top, -Y, and columns from the left, +X, unless the file says otherwise
    light = light[::-1 if found[1][:1] == (b"+" if found[1][1:] == b"Y" else b"-") else 1,
                  ::-1 if found[3][:1] == (b"-" if found[3][1:] == b"X" else b"+") else 1]
    if found[1][1:] == b"X":
        light = light.swapaxes(0, 1)
    return to_bt709(light, primaries), None


def read(path, check_size):
    """Returns: light and alpha. check_size: raises RuntimeError if a picture of this width and height is too large."""
    with open(path, "rb") as file:
        is_exr = file.read(4) == EXR
    return (read_exr if is_exr else read_radiance)(path, check_size)
