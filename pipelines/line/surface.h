/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SURFACE_H
#define LINE_SURFACE_H

#include "settings.h"
#include "view.h"

G_BEGIN_DECLS

/**
 * LineSight:
 * @st: sine of the view's tilt
 * @ct: cosine
 * @sc: sine of the piece's turn since cup 0
 * @cc: cosine
 * @direction: towards the camera, seen from the piece as it lay in cup 0
 * @x: the piece's centre in the picture, in pixels
 * @y: centre
 * @radius: in pixels
 *
 * A look that shows the fruit.
 */
typedef struct
{
  gdouble st, ct, sc, cc, direction[3];
  gdouble x, y, radius;
} LineSight;

/* Sets all but the centre and the radius. */
void line_sight_init (LineSight * sight, const LineGeometry * geometry,
    guint cup, guint view);

/* The factor f of docs/fruit-line.md: square millimetres of surface for each of
 * picture, times the share of @own among all @n looks, at (x, y) in pixels. */
gdouble line_sight_factor (const LineSight * sights, guint n, guint own,
    gdouble x, gdouble y);

/* The surface of a contour of look @own in square millimetres, with holes
 * negative. */
gdouble line_sight_surface (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LinePoint * points,
    gdouble mm_per_pixel);

G_END_DECLS

#endif /* LINE_SURFACE_H */
