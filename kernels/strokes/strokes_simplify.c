/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ramer, Douglas and Peucker's simplification, of pieces of a contour: it is
 * quadratic in the worst case, such as spirals. Distances are rounded otherwise
 * than in libgstshapes' simplify.c, so that neither can replace the other
 * without changing results. */
#include "strokes_private.h"


/* Most points of a piece. */
#define MAX_PIECE 4096

/* Points between @first and @last that are not decided yet. */
typedef struct
{
  guint32 first, last;
} Range;

/* Squared distance between @p and the segment from @a to @b. */
static double
get_distance2 (const CsStrokePoint * p, const CsStrokePoint * a,
    const CsStrokePoint * b)
{
  const double dx = (double) b->x - a->x, dy = (double) b->y - a->y;
  const double px = (double) p->x - a->x, py = (double) p->y - a->y;
  const double length2 = dx * dx + dy * dy;
  const double t = length2 > 0 ? CLAMP ((px * dx + py * dy) / length2, 0, 1) :
      0;
  const double x = px - t * dx, y = py - t * dy;

  return x * x + y * y;
}

/* Sets @keep of the points of a piece that stay. @stack: for @n ranges */
static void
mark_piece (const CsStrokePoint * points, guint32 n, double limit2,
    guint8 * keep, Range * stack)
{
  guint32 n_ranges = 0, i;

  keep[0] = keep[n - 1] = TRUE;
  stack[n_ranges++] = (Range) { 0, n - 1 };
  while (n_ranges > 0) {
    const Range range = stack[--n_ranges];
    double farthest = limit2;
    guint32 at = range.first;

    for (i = range.first + 1; i < range.last; i++) {
      const double d = get_distance2 (&points[i], &points[range.first],
          &points[range.last]);

      if (d > farthest) {
        farthest = d;
        at = i;
      }
    }
    if (at == range.first)
      continue;
    keep[at] = TRUE;
    stack[n_ranges++] = (Range) { range.first, at };
    stack[n_ranges++] = (Range) { at, range.last };
  }
}

static void
mark (const CsStrokePoint * points, guint32 n, double limit2, guint8 * keep,
    Range * stack)
{
  guint32 first, size;

  memset (keep, 0, n);
  for (first = 0; first + 1 < n; first += size - 1) {
    size = MIN (MAX_PIECE + 1, n - first);
    mark_piece (points + first, size, limit2, keep + first, stack);
  }
  /* a single point */
  keep[0] = TRUE;
}

gboolean
cs_strokes_simplify (CsScratch * scratch, double tolerance,
    CsStrokesOutput * output, GError ** error)
{
  const gsize n = output->n_points;
  guint8 *data = cs_scratch_ensure (scratch, n * (sizeof (CsStrokePoint) +
          sizeof (Range) + 1) + (output->n_contours + 1) * sizeof (guint32),
      error);
  CsStrokePoint *points = (CsStrokePoint *) data;
  Range *stack = (Range *) (points + n);
  guint32 *offsets = (guint32 *) (stack + n);
  guint8 *keep = (guint8 *) (offsets + output->n_contours + 1);
  gsize i, k, at = 0;

  if (!data)
    return FALSE;
  for (i = 0; i < output->n_contours; i++) {
    const CsStrokePoint *from = output->points + output->offsets[i];
    const guint32 size = output->offsets[i + 1] - output->offsets[i];

    offsets[i] = at;
    mark (from, size, tolerance * tolerance, keep, stack);
    for (k = 0; k < size; k++) {
      if (keep[k])
        points[at++] = from[k];
    }
  }
  offsets[i] = at;
  output->points = points;
  output->offsets = offsets;
  output->n_points = at;
  return TRUE;
}
