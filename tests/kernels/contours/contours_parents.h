/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which contour lies in which, by points in polygons: nothing is followed or
 * walked along, and no sample is looked at. */

#include <glib.h>

/**
 * Line:
 * @x0, @y0, @x1, @y1: ends, in double precision
 * @row, @column: of the cell that it lies in: columns @column to @column + 1,
 *     rows @row to @row + 1, in the coordinates of the ends
 * @contour: that it belongs to
 */
typedef struct
{
  double x0, y0, x1, y1;
  gint64 row, column;
  gsize contour;
} Line;

/* Sets the parent of each of @n_contours contours: the innermost closed one that
 * it lies in, -1 for none or if it is open. @lines are those of all of them, in
 * raster order of their cells. Returns %FALSE, and says so on stderr, when
 * contours do not lie within each other or beside each other. */
gboolean contours_parents (const Line * lines, gsize n_lines,
    const gboolean * closed, gsize n_contours, gssize * parents);
