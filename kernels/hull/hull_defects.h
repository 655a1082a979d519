/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsHullDefect:
 * @start, @end: neighbouring vertices of the hull, as indices into the contour,
 *     in the contour's order; @end may be before @start: it then lies beyond the
 *     contour's last point
 * @farthest: the point between them that is farthest from the line through both
 * @depth: its distance from that line
 */
typedef struct
{
  guint32 start, end, farthest;
  double depth;
} CsHullDefect;

/* The convexity defects of a contour, in its order, as OpenCV's
 * convexityDefects() defines them: between neighbouring vertices of the hull
 * with a point between them that is off the line, in the order of the contour from
 * its first vertex on. An open contour is closed by a line. A contour that crosses
 * itself, so that it passes the vertices in another order than the hull does, has
 * none.
 *
 * @points: @n points {float x, y}; the last may repeat the first
 * @vertices: @n_vertices indices of the hull's vertices, in the hull's order, of
 *     positive area; changed. Of equal points any may be named
 * @min_depth: defects of less are left out
 * @defects: room for @n_vertices
 * Returns: their number */
gsize cs_hull_find_defects (const float *points, gsize n, guint32 * vertices,
    gsize n_vertices, double min_depth, CsHullDefect * defects);

G_END_DECLS
