#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fruit_scene.py FILE.png: draws shaded fruits with spots on a dark belt; needs nothing but Python."""
import math
import random
import struct
import sys
import zlib

WIDTH, HEIGHT = 640, 480
FRUITS = [(150, 160, 105, (235, 120, 20)), (420, 150, 95, (205, 40, 30)), (300, 345, 110, (120, 190, 40)),
          (545, 350, 80, (240, 205, 50)), (75, 390, 65, (200, 60, 80))]


def draw():
    rng = random.Random(7)
    spots = [(x + r * rng.uniform(-.6, .6), y + r * rng.uniform(-.6, .6), r * rng.uniform(.04, .13))
             for x, y, r, _ in FRUITS for _ in range(5)]
    rows = []
    for y in range(HEIGHT):
        row = bytearray()
        for x in range(WIDTH):
            color = [26 + 6 * math.sin(y / 9), 28 + 6 * math.sin(y / 9), 34]
            for cx, cy, r, base in FRUITS:
                dx, dy = (x - cx) / r, (y - cy) / r
                d2 = dx * dx + dy * dy
                if d2 < 1:
                    z = math.sqrt(1 - d2)
                    light = max(0., -.45 * dx - .55 * dy + .7 * z)
                    edge = min(1., (1 - math.sqrt(d2)) * r / 1.5)
                    shade = [c * (.25 + .75 * light) + 150 * light ** 30 for c in base]
                    color = [a + (b - a) * edge for a, b in zip(color, shade)]
            for sx, sy, sr in spots:
                d = math.hypot(x - sx, y - sy) - sr
                if d < 2:
                    color = [c * (1 - .7 * min(1., (2 - d) / 3)) for c in color]
            row += bytes(max(0, min(255, round(c + rng.gauss(0, 1.5)))) for c in color)
        rows.append(b"\0" + bytes(row))
    return b"".join(rows)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fruit_scene.py FILE.png")
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(draw(), 6)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
