/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/array.h"
#include "gstshapeset.h"

/* Scratch memory, reused between polylines. Zero-initialise it. */
typedef struct
{
  CsArray kept, spans, sides, probes;
} Simplifier;

/* Ramer-Douglas-Peucker simplification: returns @n flags, valid until the next
 * call, that tell which points are kept; the first and the last always are. A
 * removed point is at most @tolerance pixels from the segment that replaces
 * it. A closed polyline, whose last point repeats its first, is split at the
 * point farthest from there; a long one also every 4096 points. A polyline
 * with a point that is not finite is not changed. Returns %NULL when out of
 * memory. */
const guint8 *simplifier_run (Simplifier * simplifier,
    const GstShapePoint * points, gsize n, gdouble tolerance);
/* The same for @n_rings closed polylines, of which ring i ends before point
 * @ends[i] and the next one begins there: an outline and its holes. They are
 * simplified together. No side of what stays touches another one that is not
 * its neighbour, and no ring comes to another side of another one. Where one
 * would, the tolerance is halved, and in the end all points stay. Rings of less
 * than four points are not changed. */
const guint8 *simplifier_run_rings (Simplifier * simplifier,
    const GstShapePoint * points, const gsize * ends, gsize n_rings,
    gdouble tolerance);
/* One ring, or what simplifier_run() does if it is not closed. */
const guint8 *simplifier_run_polygon (Simplifier * simplifier,
    const GstShapePoint * points, gsize n, gdouble tolerance);
/* Makes room for @n flags. */
gboolean simplifier_prepare (Simplifier * simplifier, gsize n);
/* The flags of the points from @begin up to, not including, @end. */
void simplifier_run_range (Simplifier * simplifier,
    const GstShapePoint * points, gsize begin, gsize end, gdouble tolerance);
void simplifier_clear (Simplifier * simplifier);
