/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_ORIENT_H
#define GST_SHAPE_ORIENT_H

#include <float.h>
#include <math.h>

#include "gstshapeset.h"

G_BEGIN_DECLS

/*
 * On which side of a line a point is, decided exactly: by doubles where their
 * rounding cannot matter, and otherwise by sums without an error (Shewchuk
 * 1997). All coordinates are floats or whole numbers of 32 bits, whose products
 * neither overflow nor underflow in double precision.
 */

/* The sign of (p - a) x (b - a), from its products. */
G_GNUC_INTERNAL gint gst_shape_orient_exactly (gdouble ax, gdouble ay,
    gdouble bx, gdouble by, gdouble px, gdouble py);

/* Positive if p is to the right of the line from a to b, seen with x to the
 * right, y down, and b below a; 0 if it is on it. */
static inline gint
gst_shape_orient (gdouble ax, gdouble ay, gdouble bx, gdouble by, gdouble px,
    gdouble py)
{
  const gdouble left = (px - ax) * (by - ay), right = (bx - ax) * (py - ay);
  const gdouble doubt = 4 * DBL_EPSILON * (fabs (left) + fabs (right));

  /* a product is 0 only if it is that exactly */
  if (doubt == 0)
    return 0;
  if (fabs (left - right) > doubt)
    return left > right ? 1 : -1;
  return gst_shape_orient_exactly (ax, ay, bx, by, px, py);
}

static inline gint
gst_shape_points_orient (GstShapePoint a, GstShapePoint b, GstShapePoint p)
{
  return gst_shape_orient (a.x, a.y, b.x, b.y, p.x, p.y);
}

G_END_DECLS

#endif /* GST_SHAPE_ORIENT_H */
