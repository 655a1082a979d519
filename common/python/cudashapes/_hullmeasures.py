# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is measured of a hull, from its record."""

import math


class HullMeasures:
    """What is measured of a hull beyond its Polyline, in pixels.

    feret: smallest and largest diameter; feret_directions: the unit vector
    along each, (x, y)
    rect: the rectangle of minimum area, as OpenCV writes it: ((x, y) of its
    centre, (width, height), degrees from the x axis to its width, clockwise on
    the screen)
    circle: the smallest enclosing circle: ((x, y) of its centre, radius)
    """

    __slots__ = ('feret', 'feret_directions', 'rect', 'circle')

    def __init__(self, record):
        (largest, lx, ly, smallest, sx, sy, x, y, ux, uy, width, height,
         circle_x, circle_y, radius) = record
        if ux < 0 or (ux == 0 and uy < 0):
            ux, uy = -ux, -uy
        self.feret = (smallest, largest)
        self.feret_directions = ((sx, sy), (lx, ly))
        self.rect = ((x, y), (width, height), math.degrees(math.atan2(uy, ux)))
        self.circle = ((circle_x, circle_y), radius)

    def __repr__(self):
        return '<hull of diameters %g to %g>' % self.feret
