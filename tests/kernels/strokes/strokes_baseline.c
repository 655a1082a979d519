/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One after the other, with all before it: the sequential way. */
#include "strokes_baseline.h"

#include <math.h>

static double
milliseconds_since (gint64 start)
{
  return (g_get_monotonic_time () - start) / 1000.;
}

static float
distance2 (CsStrokePoint a, CsStrokePoint b)
{
  const float dx = a.x - b.x, dy = a.y - b.y;

  return dx * dx + dy * dy;
}

static gsize
find_removed (const CsStrokePoint * points, gsize n, const CsStrokePoint * dabs,
    gsize n_dabs, float radius)
{
  gsize count = 0, i, k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < n_dabs; k++) {
      if (distance2 (points[i], dabs[k]) <= radius * radius) {
        count++;
        break;
      }
    }
  }
  return count;
}

static gsize
find_duplicates (const CsStrokePoint * points, gsize n)
{
  gsize count = 0, i, k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < i; k++) {
      if (points[i].x == points[k].x && points[i].y == points[k].y) {
        count++;
        break;
      }
    }
  }
  return count;
}

/* Minimum distance between contours a and b; stops at @enough. */
static float
contour_distance2 (const CsStrokePoint * points, const guint32 * offsets,
    gsize a, gsize b, float enough)
{
  float least = INFINITY;
  guint32 i, k;

  for (i = offsets[a]; i < offsets[a + 1]; i++) {
    for (k = offsets[b]; k < offsets[b + 1]; k++)
      least = MIN (least, distance2 (points[i], points[k]));
    if (least <= enough)
      return least;
  }
  return least;
}

Baseline
baseline_cpu (const CsStrokePoint * points, const guint32 * offsets,
    gsize n_contours, const CsStrokePoint * dabs, gsize n_dabs, float radius,
    float distance)
{
  Baseline result = { 0 };
  gint64 start = g_get_monotonic_time ();
  gsize a, b;

  result.n_removed = find_removed (points, offsets[n_contours], dabs, n_dabs,
      radius);
  result.brush = milliseconds_since (start);
  start = g_get_monotonic_time ();
  result.n_duplicates = find_duplicates (points, offsets[n_contours]);
  result.duplicates = milliseconds_since (start);
  start = g_get_monotonic_time ();
  for (a = 0; a < n_contours; a++) {
    for (b = a + 1; b < n_contours; b++)
      result.n_close += contour_distance2 (points, offsets, a, b,
          distance * distance) <= distance * distance;
  }
  result.closeness = milliseconds_since (start);
  start = g_get_monotonic_time ();
  for (a = 0; a < n_contours; a++) {
    for (b = a + 1; b < n_contours; b++)
      result.sum += contour_distance2 (points, offsets, a, b, -1);
  }
  result.distances = milliseconds_since (start);
  return result;
}
