/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsEllipse:
 * @x, @y: centre
 * @ux, @uy: unit vector along the major axis
 * @major, @minor: semi-axes
 */
typedef struct
{
  double x, y, ux, uy, major, minor;
} CsEllipse;

/* The ellipse of minimum area that contains @n >= 1 points {float x, y}, the
 * vertices of a strict convex hull in order (the last may repeat the first). Its
 * area is at most 1 + CS_ELLIPSE_ERROR times the minimum, and the points are in
 * it up to rounding. Collinear points: their segment, of no minor axis.
 *
 * Todd and Yildirim, "On Khachiyan's algorithm for the computation of
 * minimum-volume enclosing ellipsoids", 2007: Frank and Wolfe's method with away
 * steps on the dual problem, whose gap bounds the area. Here it runs on few of
 * the vertices, to which the one farthest outside is added until there is
 * none. */
void cs_hull_find_ellipse (const float *points, gsize n, CsEllipse * ellipse);

#define CS_ELLIPSE_ERROR 1e-6

G_END_DECLS
