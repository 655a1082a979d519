# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rings that are polygons with holes, of objects one after the other."""

import numpy

from cudashapes._contours import RECORD

_HOLE = 2


class OnHost:
    """Records that are."""

    def __init__(self, records):
        self._records = records

    def copy_to_host(self):
        return self._records


class RingPolygons:
    """Rings and their records, in the order of the objects."""

    __slots__ = ('rings', '_given', '_found', '_lists')

    def __init__(self, rings, records):
        self.rings = rings
        self._given = records
        self._found = self._lists = None

    @property
    def _records(self):
        if self._found is None:
            self._found = numpy.frombuffer(self._given.copy_to_host(), RECORD)
        return self._found

    @property
    def parents(self):
        # numbers of rings are their identities
        return self._records['parent'].copy()

    @property
    def ring_areas(self):
        return self._records['area'].copy()

    @property
    def device(self):
        """Where the rings are: "cpu", or "cuda:" and the number of the GPU."""
        return getattr(self.rings, 'device', 'cpu')

    def _structure(self):
        """The first ring of each object, and their end; of each ring the outer
        one of its polygon."""
        if self._lists is None:
            holes = self._records['flags'] & _HOLE != 0
            outers = numpy.where(holes, self._records['parent'],
                                 numpy.arange(len(holes)))
            self._lists = self._firsts().tolist(), outers.tolist()
        return self._lists

    def _polygons(self, index):
        """Of an object, by its number."""
        firsts, outers = self._structure()
        rings, polygons = self.rings, {}
        for i in range(firsts[index], firsts[index + 1]):
            if outers[i] == i:
                polygons[i] = [rings[i]]
            else:
                polygons[outers[i]].append(rings[i])
        return list(polygons.values())
