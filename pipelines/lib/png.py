# SPDX-License-Identifier: LGPL-2.1-or-later
"""PNG files (ISO/IEC 15948): their chunks, and files of 8 or 16 bits a sample."""
import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
XMP = b"XML:com.adobe.xmp"


def chunks(path):
    """Yields (kind, data) of all chunks but those with pixels, as far as the file is sound."""
    with open(path, "rb") as file:
        if file.read(8) != SIGNATURE:
            return
        while len(head := file.read(8)) == 8:
            size, kind = struct.unpack(">I4s", head)
            if kind in (b"IDAT", b"fdAT"):
                file.seek(size + 4, 1)
                continue
            data = file.read(size)
            if len(data) < size or file.read(4) != struct.pack(">I", zlib.crc32(kind + data)):
                return
            yield kind, data


def _chunk(kind, data):
    return struct.pack(">I4s", len(data), kind) + data + struct.pack(">I", zlib.crc32(kind + data))


def _filtered(rows):
    """Each row with the filter Paeth, which predicts a byte by its neighbours (section 9.4). rows: bytes, height x width x
    bytes of a pixel."""
    height, width, _ = rows.shape
    result = np.empty((height, 1 + rows[0].size), np.uint8)
    result[:, 0] = 4
    above = np.zeros((width + 1,) + rows.shape[2:], np.int16)
    row = above.copy()
    for y in range(height):
        row[1:] = rows[y]
        a, b, c = row[:-1], above[1:], above[:-1]
        p, q = b - c, a - c
        far_a, far_b, far_c = np.abs(p), np.abs(q), np.abs(p + q)
        nearest = np.where((far_a <= far_b) & (far_a <= far_c), a, np.where(far_b <= far_c, b, c))
        result[y, 1:] = (row[1:] - nearest).astype(np.uint8).reshape(-1)
        row, above = above, row
    return result


def encode(pixels, extra=()):
    """The file of pixels, height x width x 1 (gray), 2 (and alpha), 3 (RGB) or 4 (and alpha), uint8 or uint16, with the
    chunks (kind, data) of EXTRA before them."""
    height, width, channels = pixels.shape
    bits = 8 * pixels.itemsize
    big = np.ascontiguousarray(pixels, ">u2" if bits == 16 else np.uint8)
    data = _filtered(big.view(np.uint8).reshape(height, width, -1))
    head = struct.pack(">IIBBBBB", width, height, bits, (0, 4, 2, 6)[channels - 1], 0, 0, 0)
    return b"".join((SIGNATURE, _chunk(b"IHDR", head), *(_chunk(*each) for each in extra),
                     _chunk(b"IDAT", zlib.compress(data, 6)), _chunk(b"IEND", b"")))
