/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_SIMPLIFY_H
#define GST_SHAPES_SIMPLIFY_H

#include "base/array.h"
#include "gstshapeset.h"

G_BEGIN_DECLS

/* Scratch memory, kept from polyline to polyline. Zero-initialise it. */
typedef struct
{
  CsArray kept, spans;
} Simplifier;

/* Ramer's and Douglas and Peucker's simplification: returns @n flags, valid
 * until the next call, that say which points stay. The first and the last do.
 * No point that goes is farther than @tolerance pixels from the segment that
 * takes its place. A ring, whose last point repeats its first, is cut at the
 * point farthest from there. A polyline with a point that is not finite stays
 * as it is; a long one is cut every 4096 points, too. Returns %NULL when memory
 * runs out. */
G_GNUC_INTERNAL const guint8 *simplifier_run (Simplifier * simplifier,
    const GstShapePoint * points, gsize n, gdouble tolerance);
G_GNUC_INTERNAL void simplifier_clear (Simplifier * simplifier);

G_END_DECLS

#endif /* GST_SHAPES_SIMPLIFY_H */
