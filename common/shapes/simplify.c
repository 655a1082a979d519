/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "simplify.h"

#include <string.h>

#include "gstshapepoints.h"

/* The algorithm is quadratic in the worst case, such as spirals; spans of this
 * length take milliseconds even then. */
#define MAX_SPAN 4096

typedef struct
{
  gsize first, last;
} Span;

/* Squared distance of @p from the segment @a @b. */
static gdouble
distance2 (GstShapePoint p, GstShapePoint a, GstShapePoint b)
{
  gdouble dx = (gdouble) b.x - a.x, dy = (gdouble) b.y - a.y;
  gdouble px = (gdouble) p.x - a.x, py = (gdouble) p.y - a.y;
  gdouble length2 = dx * dx + dy * dy;
  gdouble along = px * dx + py * dy;
  gdouble cross = px * dy - py * dx;

  /* The projection is inside the segment: exactly 0 for a pixel on the line. */
  if (along > 0 && along < length2)
    return cross * cross / length2;
  if (along > 0) {
    px -= dx;
    py -= dy;
  }
  return px * px + py * py;
}

/* The point of @span farthest from the segment of its ends. If the ends
 * coincide, distances are from that point, which splits closed polylines. */
static gsize
find_farthest (const GstShapePoint * points, Span span, gdouble * farthest2)
{
  gsize farthest = span.first;

  *farthest2 = -1;
  for (gsize i = span.first + 1; i < span.last; i++) {
    gdouble d2 = distance2 (points[i], points[span.first], points[span.last]);

    if (d2 > *farthest2) {
      *farthest2 = d2;
      farthest = i;
    }
  }
  return farthest;
}

static void
push (CsArray * spans, gsize first, gsize last)
{
  Span span = { first, last };

  if (last > first + 1)
    cs_array_append_val (spans, span);
}

/* Splits a span until all its points are within tolerance. With an explicit
 * stack: contours have millions of points. */
static void
simplify_span (Simplifier * simplifier, const GstShapePoint * points,
    gsize first, gsize last, gdouble tolerance2)
{
  CsArray *spans = &simplifier->spans;
  guint8 *keep = (guint8 *) simplifier->kept.data;

  push (spans, first, last);
  while (spans->len > 0) {
    Span span = cs_array_index (spans, Span, spans->len - 1);
    gdouble farthest2;
    gsize cut = find_farthest (points, span, &farthest2);

    spans->len--;
    if (farthest2 <= tolerance2)
      continue;
    keep[cut] = 1;
    /* The shorter half first: bounds the stack's depth. */
    if (cut - span.first < span.last - cut) {
      push (spans, cut, span.last);
      push (spans, span.first, cut);
    } else {
      push (spans, span.first, cut);
      push (spans, cut, span.last);
    }
  }
}

gboolean
simplifier_prepare (Simplifier * simplifier, gsize n)
{
  if (simplifier->spans.size == 0) {
    cs_array_init (&simplifier->spans, sizeof (Span));
    cs_array_init (&simplifier->kept, 1);
  }
  cs_array_empty (&simplifier->spans);
  return cs_array_set_size (&simplifier->kept, MAX (n, 1));
}

void
simplifier_run_range (Simplifier * simplifier, const GstShapePoint * points,
    gsize begin, gsize end, gdouble tolerance)
{
  const gdouble tolerance2 = tolerance > 0 ? tolerance * tolerance : 0;
  guint8 *keep = (guint8 *) simplifier->kept.data;
  const gsize n = end - begin;
  gsize last;

  if (n < 3 || !gst_shape_points_are_finite (points + begin, n)) {
    memset (keep + begin, 1, n);
    return;
  }
  memset (keep + begin, 0, n);
  keep[begin] = 1;
  for (gsize first = begin; first < end - 1; first = last) {
    last = MIN (first + MAX_SPAN, end - 1);
    keep[last] = 1;
    simplify_span (simplifier, points, first, last, tolerance2);
  }
}

const guint8 *
simplifier_run (Simplifier * simplifier, const GstShapePoint * points, gsize n,
    gdouble tolerance)
{
  if (!simplifier_prepare (simplifier, n))
    return NULL;
  simplifier_run_range (simplifier, points, 0, n, tolerance);
  return simplifier->spans.failed ? NULL :
      (const guint8 *) simplifier->kept.data;
}

void
simplifier_clear (Simplifier * simplifier)
{
  cs_array_clear (&simplifier->kept);
  cs_array_clear (&simplifier->spans);
  cs_array_clear (&simplifier->sides);
  cs_array_clear (&simplifier->probes);
}
