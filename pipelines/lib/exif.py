# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exif of a picture that has been turned: what is said of its orientation and size is changed in place, and all else, such
as the maker's notes, whose offsets nobody knows, keeps its bytes (Exif 2.32, TIFF 6.0)."""
import struct

ORIENTATION, EXIF, GPS, PIXEL_X, PIXEL_Y = 0x0112, 0x8769, 0x8825, 0xa002, 0xa003
SHORT, LONG = 3, 4
# of an orientation, 1 to 8: whether columns become rows, then whether the result is mirrored to the right, and downwards
TURNS = {1: (False, False, False), 2: (False, True, False), 3: (False, True, True), 4: (False, False, True),
         5: (True, False, False), 6: (True, True, False), 7: (True, True, True), 8: (True, False, True)}


class Block:
    """A TIFF structure in memory. Raises ValueError if it is none."""

    def __init__(self, data):
        self.data = bytearray(data)
        if data[:4] not in (b"II*\0", b"MM\0*"):
            raise ValueError("no Exif")
        self.order = "<" if data[:1] == b"I" else ">"
        self.first, = self._get("I", 4)

    def _get(self, form, offset):
        try:
            return struct.unpack_from(self.order + form, self.data, offset)
        except struct.error as error:
            raise ValueError("damaged Exif") from error

    def _entries(self, offset):
        """Tags of a directory -> the place of the entry."""
        count, = self._get("H", offset)
        return {self._get("H", place)[0]: place for place in range(offset + 2, offset + 2 + 12 * count, 12)}

    def _number(self, place):
        """The first number of an entry, if its kind has some; and its form."""
        kind, _count = self._get("HI", place + 2)
        form = {SHORT: "H", LONG: "I"}.get(kind)
        return (self._get(form, place + 8)[0] if form else None), form

    def orientation(self):
        """1 to 8; 1 if nothing is said."""
        place = self._entries(self.first).get(ORIENTATION)
        number = self._number(place)[0] if place else 1
        return number if number in TURNS else 1

    def set_upright(self, width, height):
        """Says that pixels of this size are upright. The thumbnail, which is not turned and not processed, is left out."""
        entries = self._entries(self.first)
        self._set(entries.get(ORIENTATION), 1)
        struct.pack_into(self.order + "I", self.data, self.first + 2 + 12 * len(entries), 0)
        if EXIF in entries:
            entries = self._entries(self._number(entries[EXIF])[0] or 0)
            self._set(entries.get(PIXEL_X), width)
            self._set(entries.get(PIXEL_Y), height)

    def _set(self, place, number):
        form = self._number(place)[1] if place else None
        if form and (form == "I" or number < 1 << 16):
            struct.pack_into(self.order + form, self.data, place + 8, number)


def turned(pixels, orientation):
    """An array, rows first, as it is to be seen."""
    swapped, mirrored, flipped = TURNS[orientation]
    if swapped:
        pixels = pixels.swapaxes(0, 1)
    return pixels[::-1 if flipped else 1, ::-1 if mirrored else 1]


def upright(data, width, height):
    """Exif of a picture that is of this size and needs not be turned any more. Raises ValueError."""
    block = Block(data)
    try:
        block.set_upright(width, height)
    except struct.error as error:
        raise ValueError("damaged Exif") from error
    return bytes(block.data)
