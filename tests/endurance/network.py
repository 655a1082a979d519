# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network's child process, as docs/fruit-line.md describes one: it answers each picture with one apricot of 48 mm in each
cup, of twelve classes. No answer is that of one of the pictures before: it would be taken for a network that hangs."""
import struct
import sys


def make_tensor(rows, columns):
    belt, skin = (struct.pack("<12f", *(float(i == k) for i in range(12))) for k in (0, 1))
    centres = range(51, columns, 102)
    return bytearray(b"".join(skin if any((x - c) ** 2 + (y - rows // 2) ** 2 < 900 for c in centres) else belt
                              for y in range(rows) for x in range(columns)))


def main():
    tensors, n = {}, 0
    while len(head := sys.stdin.buffer.read(20)) == 20:
        magic, tag, rows, columns, channels = struct.unpack("<4s4I", head)
        assert magic == b"FLNP", magic
        sys.stdin.buffer.read(rows * columns * channels)
        if (rows, columns) not in tensors:
            tensors[rows, columns] = make_tensor(rows, columns)
        n = (n + 1) % 100
        struct.pack_into("<2f", tensors[rows, columns], 0, 1 - n / 1000, n / 1000)
        sys.stdout.buffer.write(struct.pack("<4s4I", b"FLNT", tag, rows, columns, 12) + tensors[rows, columns])
        sys.stdout.buffer.flush()


main()
