# SPDX-License-Identifier: LGPL-2.1-or-later
"""Still pictures of all kinds that people have, for kinds.py: Exif, XMP, profiles and PNG of 16 bits byte by byte, the rest
by Pillow. None of it uses what it tests."""
import io
import struct
import zlib

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 48, 32
RED, GREEN, BLUE, YELLOW = (200, 40, 40), (40, 180, 60), (50, 60, 200), (220, 200, 60)
# how an upright picture is stored that has to be turned so: Exif 2.32, 4.6.4 A, in Pillow's words
STORED = {1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
          5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE,
          8: Image.Transpose.ROTATE_270}
GPS = struct.pack('<6I', 52, 1, 31, 1, 12, 1)
MAKER = b'maker notes, whose offsets nobody knows'
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="%d" dc:title="a title"/></x:xmpmeta>'
IPTC = b'8BIM\x04\x04\0\0\0\0\0\x0a\x1c\x02\x69\0\5title'


def upright(width=WIDTH, height=HEIGHT):
    """Four quarters of different colours."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:height // 2, :width // 2], picture[:height // 2, width // 2:] = RED, GREEN
    picture[height // 2:, :width // 2], picture[height // 2:, width // 2:] = BLUE, YELLOW
    return picture


def stored(orientation, picture=None):
    image = Image.fromarray(upright() if picture is None else picture)
    return image if orientation == 1 else image.transpose(STORED[orientation])


def exif(orientation, width=WIDTH, height=HEIGHT):
    """A directory with orientation, resolution, maker's notes, GPS, and one of a thumbnail, whose orientation is said, too."""
    parts, at = [], 8 + 2 + 12 * 3 + 4
    directory_exif = at
    entries = ((0x927c, 7, len(MAKER), at + 2 + 12 * 3 + 4), (0xa002, 4, 1, width), (0xa003, 4, 1, height))
    parts.append(struct.pack('<H', 3) + b''.join(struct.pack('<HHII', *each) for each in entries) + bytes(4) + MAKER)
    at += len(parts[-1])
    directory_gps = at
    parts.append(struct.pack('<HHHII', 1, 2, 5, 3, at + 2 + 12 + 4) + bytes(4) + GPS)
    at += len(parts[-1])
    thumbnail = b'\xff\xd8thumbnail\xff\xd9'
    entries = ((0x0112, 3, 1, orientation), (0x0201, 4, 1, at + 2 + 12 * 3 + 4), (0x0202, 4, 1, len(thumbnail)))
    parts.append(struct.pack('<H', 3) + b''.join(struct.pack('<HHII', *each) for each in entries) + bytes(4) + thumbnail)
    main = ((0x0112, 3, 1, orientation), (0x8769, 4, 1, directory_exif), (0x8825, 4, 1, directory_gps))
    return b'II*\0\x08\0\0\0' + struct.pack('<H', 3) + b''.join(struct.pack('<HHII', *each) for each in main) + \
        struct.pack('<I', at) + b''.join(parts)


def profile(space=b'RGB ', kind=b'mntr'):
    """An ICC profile (2.1) of matrix and gamma 2.2 with the primaries of Display P3, or of gray."""
    def fixed(*values):
        return b'XYZ \0\0\0\0' + struct.pack('>3i', *(round(65536 * each) for each in values))
    curve = b'curv\0\0\0\0' + struct.pack('>IH', 1, round(2.2 * 256)) + bytes(2)
    text = b'desc\0\0\0\0' + struct.pack('>I', 5) + b'test\0' + bytes(78 + 3)
    tags = {b'desc': text, b'cprt': b'text\0\0\0\0none\0\0\0\0', b'wtpt': fixed(.9642, 1, .8249)}
    if space == b'RGB ':
        tags.update({b'rXYZ': fixed(.5151, .2412, -.0011), b'gXYZ': fixed(.2920, .6922, .0419),
                     b'bXYZ': fixed(.1571, .0666, .7841), b'rTRC': curve, b'gTRC': curve, b'bTRC': curve})
    else:
        tags[b'kTRC'] = curve
    table, data, at = b'', b'', 128 + 4 + 12 * len(tags)
    for tag, content in tags.items():
        content += bytes(-len(content) % 4)
        table += struct.pack('>4sII', tag, at + len(data), len(content))
        data += content
    size = at + len(data)
    head = struct.pack('>I4sI4s4s4s12s4s', size, b'test', 0x02100000, kind, space, b'XYZ ', bytes(12), b'acsp')
    head += bytes(68 - len(head)) + struct.pack('>3i', 63190, 65536, 54061)
    return head + bytes(128 - len(head)) + struct.pack('>I', len(tags)) + table + data


def png(pixels, extra=(), size=None):
    """A PNG file of 8 or 16 bits; size: what its head says, if not the truth."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2]
    width, height = size or (width, height)
    big = pixels.astype('>u2' if pixels.dtype == np.uint16 else np.uint8)
    rows = b''.join(b'\0' + row.tobytes() for row in big)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack(
        '>IIBBBBB', width, height, 8 * pixels.itemsize, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)) + \
        b''.join(chunk(*each) for each in extra) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def unpacked(data):
    """Pixels of a PNG file, of any filters, by the standard's formulas (section 9)."""
    width, height, bits, kind = struct.unpack('>IIBB', data[16:26])
    channels, size = {0: 1, 4: 2, 2: 3, 6: 4}[kind], bits // 8
    at, parts = 8, b''
    while at < len(data):
        length, = struct.unpack('>I', data[at:at + 4])
        parts += data[at + 8:at + 8 + length] if data[at + 4:at + 8] == b'IDAT' else b''
        at += 12 + length
    raw, step = zlib.decompress(parts), channels * size
    stride, above, rows = width * step, [0] * (width * step), []
    for y in range(height):
        filtered, row = raw[y * (stride + 1):(y + 1) * (stride + 1)], []
        for x, value in enumerate(filtered[1:]):
            a, b, c = (row[x - step], above[x], above[x - step]) if x >= step else (0, above[x], 0)
            paeth = min((a, b, c), key=lambda each: abs(a + b - c - each))
            row.append((value + (0, a, b, (a + b) // 2, paeth)[filtered[0]]) & 255)
        above = row
        rows.append(bytes(row))
    return np.frombuffer(b''.join(rows), '>u%d' % size).astype('u%d' % size).reshape(height, width, channels)


def segment(marker, data):
    return struct.pack('>BBH', 0xff, marker, len(data) + 2) + data


def jpeg(image, orientation=None, with_profile=None, more=b''):
    """Exif, XMP of the same orientation, IPTC and the profile, before what Pillow has written."""
    file = io.BytesIO()
    image.save(file, 'JPEG', quality=97, subsampling=0, dpi=(300, 150))
    data, extra = file.getvalue(), more
    end = 4 + int.from_bytes(data[4:6], 'big')
    if data[3] != 0xe0:     # of inks there is no JFIF
        end = 2
    if orientation:
        extra += segment(0xe1, b'Exif\0\0' + exif(orientation, *image.size)) + \
            segment(0xe1, b'http://ns.adobe.com/xap/1.0/\0' + XMP % orientation) + segment(0xed, b'Photoshop 3.0\0' + IPTC)
    if with_profile:
        extra += segment(0xe2, b'ICC_PROFILE\0\1\1' + with_profile)
    return data[:end] + extra + data[end:]


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def deep(channels):
    """Slopes of 16 bits, whose lower bytes are not 0; with 2 or 4 channels, alpha is the last one."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    colours = (5000 + 1111 * x, 60000 - 997 * y, 3001 + 700 * (x + y))[:channels - 1 + channels % 2]
    alpha = () if channels % 2 else (65535 - 1001 * x,)
    return np.stack((*colours, *alpha), 2).astype(np.uint16)


def radiance(light):
    """Uncompressed rows of R, G, B and exponent."""
    exponent = np.ceil(np.log2(light.max(2)) + 1e-9).astype(int)
    mantissas = np.floor(light * 256. / 2. ** exponent[..., None]).clip(0, 255)
    pixels = np.concatenate((mantissas, exponent[..., None] + 128), 2).astype(np.uint8)
    return b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n' % light.shape[:2] + pixels.tobytes()


def runs_of_pixels(row):
    """A row of R, G, B and exponent as before 1991: 1, 1, 1, n repeats the pixel before, the next such 256 times as often."""
    data, at = b'', 0
    while at < len(row):
        n = 1
        while at + n < len(row) and (row[at + n] == row[at]).all():
            n += 1
        data += row[at].tobytes()
        at, n = at + n, n - 1
        while n:
            data, n = data + bytes((1, 1, 1, n & 255)), n >> 8
    return data


def runs_of_planes(row):
    """The same in four planes: 128 + n and a byte that is there n times, or n and as many bytes."""
    data = bytes((2, 2, len(row) >> 8, len(row) & 255))
    for plane in row.T:
        at = 0
        while at < len(plane):
            n = 1
            while at + n < len(plane) and n < 127 and plane[at + n] == plane[at]:
                n += 1
            if n > 2:
                data += bytes((128 + n, plane[at]))
            else:
                n = min(len(plane) - at, 3)
                data += bytes((n,)) + plane[at:at + n].tobytes()
            at += n
    return data


def radiance_stored(picture, axes, pack):
    """A picture of R, G, B and exponent, whose axes are such as -Y and +X: that of the rows, and that within a row."""
    sizes = {'Y': picture.shape[0], 'X': picture.shape[1]}
    n_rows, n_columns = (sizes[axis[1]] for axis in axes)
    rows = np.zeros((n_rows, n_columns, 4), np.uint8)
    for i in range(n_rows):
        for j in range(n_columns):
            at = {}
            for axis, k in zip(axes, (i, j)):
                # y goes up, and x to the right
                at[axis[1]] = k if axis in ('-Y', '+X') else sizes[axis[1]] - 1 - k
            rows[i, j] = picture[at['Y'], at['X']]
    head = '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n%s %d %s %d\n' % (axes[0], n_rows, axes[1], n_columns)
    return head.encode() + b''.join(map(pack, rows))


def exr(light, primaries=None, at=(0, 0), display=None):
    """Uncompressed rows of floats; the channels, four of them with alpha, in alphabetical order. AT: the first column and row
    that are there; DISPLAY: the first and last ones that are shown."""
    def attribute(name, kind, data):
        return name + b'\0' + kind + b'\0' + struct.pack('<i', len(data)) + data
    height, width = light.shape[:2]
    kinds = 'ABGR' if light.shape[2] > 3 else 'BGR'
    channels = b''.join(name.encode() + b'\0' + struct.pack('<iIii', 2, 0, 1, 1) for name in kinds) + b'\0'
    window = at[0], at[1], at[0] + width - 1, at[1] + height - 1
    window, display = (struct.pack('<4i', *edges) for edges in (window, display or window))
    head = struct.pack('<iI', 20000630, 2) + attribute(b'channels', b'chlist', channels)
    if primaries:
        head += attribute(b'chromaticities', b'chromaticities', struct.pack('<8f', *primaries))
    head += attribute(b'compression', b'compression', b'\0') + attribute(b'dataWindow', b'box2i', window) + \
        attribute(b'displayWindow', b'box2i', display) + attribute(b'lineOrder', b'lineOrder', b'\0') + \
        attribute(b'pixelAspectRatio', b'float', struct.pack('<f', 1)) + \
        attribute(b'screenWindowCenter', b'v2f', bytes(8)) + attribute(b'screenWindowWidth', b'float', bytes(4)) + b'\0'
    size = 4 * len(kinds) * width
    first = len(head) + 8 * height
    rows = b''.join(struct.pack('<ii', at[1] + y, size) + light[y, :, ::-1].T.astype('<f4').tobytes() for y in range(height))
    return head + struct.pack('<%dQ' % height, *(first + y * (size + 8) for y in range(height))) + rows
