#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hdr_scene.py FILE.raw|FILE.exr: draws a dark room with a window to a bright landscape, in linear light from about
0.0002 to 1 (12 stops), 720 x 480 pixels; the same every time.

FILE.raw gets float32 R, G, B, interleaved (height x width x 3), as cudallf's tensors are; FILE.exr an OpenEXR picture.
"""
import struct
import sys

import numpy as np

import files

from fruit_scene import blend, smooth_noise

WIDTH, HEIGHT = 720, 480
WINDOW = (300, 60, 640, 320)
# top and bottom of a shelf's row of books, and where it ends
SHELF = ((90, 196), (226, 330))
SHELF_END = 236


def landscape(x, y, rng):
    """Sky with clouds over hills and a field; the sun is beside the window."""
    horizon = 205 + 14 * np.sin(x / 61) + 8 * np.sin(x / 23 + 1)
    cloud = smooth_noise(rng, x.shape, 60) + .55 * smooth_noise(rng, x.shape, 24) + .3 * smooth_noise(rng, x.shape, 9)
    cover = np.clip((cloud - .1) / 1.3, 0, 1)
    sky = np.array((.19, .33, .62)) + (np.array((.92, .9, .88)) - np.array((.19, .33, .62))) * cover[..., None]
    sky *= (.62 + .38 * np.exp(-np.hypot(x - 640, y - 60) / 160))[..., None]
    grain = 1 + .22 * smooth_noise(rng, x.shape, 3) + .18 * smooth_noise(rng, x.shape, 12)
    field = np.array((.105, .15, .035)) * np.clip(grain, .2, 3)[..., None]
    picture = sky
    blend(picture, field, (y - horizon) / 2 + .5)
    return picture


def room(x, y, rng):
    """Wallpaper, a floor of boards and a shelf with books, at a hundredth of the light outside."""
    stripes = 1 + .16 * np.sign(np.sin(x / 7)) + .06 * smooth_noise(rng, x.shape, 4)
    picture = np.array((.0062, .0052, .0042)) * stripes[..., None]
    boards = 1 + .25 * smooth_noise(rng, x.shape, 5) * (np.abs((x - 360) / (y - 250.5) % .5) > .03)
    blend(picture, np.array((.0072, .0044, .0024)) * np.clip(boards, .2, 2)[..., None], (y - 385) / 2)
    for top, bottom in SHELF:
        left = 24.
        while left < SHELF_END - 20:
            wide, high = rng.uniform(9, 24), rng.uniform(60, bottom - top - 6)
            colour = np.array((.0095, .006, .0045)) * rng.uniform(.2, 1.5, 3)
            inside = np.minimum(np.minimum(x - left, left + wide - x), np.minimum(y - (bottom - high), bottom - y))
            band = 1 + .8 * (np.abs(y - (bottom - .7 * high)) < 3) - .55 * (np.abs(x - left) < 2)
            blend(picture, colour * band[..., None], inside)
            left += wide + 1
        inside = np.minimum(np.minimum(x - 16, SHELF_END + 8 - x), np.minimum(y - bottom, bottom + 8 - y))
        blend(picture, np.full(3, .0014), inside)
    return picture


def draw():
    """Linear light, height x width x 3, of at most 1."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    left, top, right, bottom = WINDOW
    picture = room(x, y, rng)
    # light of the window on the walls and on the floor, and the corner that it does not reach
    far = np.hypot(np.maximum(np.maximum(left - x, x - right), 0), np.maximum(np.maximum(top - y, y - bottom), 0))
    picture *= (.05 + 1.1 * np.exp(-far / 70))[..., None]
    patch = np.minimum(np.minimum(x - 190 + .9 * (y - 400), 520 - .9 * (y - 400) - x), np.minimum(y - 398, 462 - y))
    picture *= (1 + 26 * np.clip(patch / 6, 0, 1))[..., None]
    inside = np.minimum(np.minimum(x - left, right - x), np.minimum(y - top, bottom - y))
    bars = np.minimum(np.abs(x - (left + right) / 2), np.abs(y - (top + bottom) / 2)) - 5
    frame = np.full(x.shape + (3,), .011) * (1 + .1 * smooth_noise(rng, x.shape, 3))[..., None]
    blend(picture, frame, (inside + 12) / 2)
    blend(picture, landscape(x, y, rng), np.minimum(inside, bars))
    picture *= np.exp(.02 * rng.standard_normal(x.shape))[..., None]
    return np.clip(picture, 1e-6, 1.).astype("<f4")


def attribute(name, kind, data):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(data)) + data


def write_exr(path, picture):
    """Uncompressed rows of floats, channels in alphabetical order."""
    height, width, _ = picture.shape
    channels = b"".join(name + b"\0" + struct.pack("<iIii", 2, 0, 1, 1) for name in (b"B", b"G", b"R")) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    head = struct.pack("<iI", 20000630, 2) + attribute("channels", "chlist", channels) + \
        attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", window) + \
        attribute("displayWindow", "box2i", window) + attribute("lineOrder", "lineOrder", b"\0") + \
        attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) + \
        attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)) + \
        attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    size = 12 * width
    first = len(head) + 8 * height
    with open(path, "wb") as file:
        file.write(head + struct.pack("<%dQ" % height, *(first + y * (size + 8) for y in range(height))))
        for y in range(height):
            file.write(struct.pack("<ii", y, size) + picture[y, :, ::-1].T.tobytes())


def main():
    if len(sys.argv) != 2 or not sys.argv[1].endswith((".raw", ".exr")):
        sys.exit("usage: hdr_scene.py FILE.raw|FILE.exr")
    try:
        with files.Outputs() as outputs:
            part = outputs.name(sys.argv[1])
            if sys.argv[1].endswith(".raw"):
                draw().tofile(part)
            else:
                write_exr(part, draw())
            outputs.commit()
    except RuntimeError as error:
        sys.exit(f"hdr_scene.py: {error}")


if __name__ == "__main__":
    main()
