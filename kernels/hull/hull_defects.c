/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_defects.h"

#include <math.h>

#include "base/orient.h"

/* The defect from vertex @start on to vertex @end of @n points; of depth 0 if
 * there is none. */
static CsHullDefect
find_defect (const float *points, gsize n, guint32 start, guint32 end)
{
  const float *a = points + 2 * (gsize) start, *b = points + 2 * (gsize) end;
  const double dx = (double) b[0] - a[0], dy = (double) b[1] - a[1];
  const double length = sqrt (dx * dx + dy * dy);
  CsHullDefect defect = { start, end, start, 0 };

  if (!(length > 0))
    return defect;
  for (gsize i = start + 1 < n ? start + 1 : 0; i != end;
      i = i + 1 < n ? i + 1 : 0) {
    const double x = (double) points[2 * i] - a[0];
    const double y = (double) points[2 * i + 1] - a[1];
    const double depth = fabs (dx * y - dy * x) / length;

    if (depth > defect.depth) {
      defect.depth = depth;
      defect.farthest = (guint32) i;
    }
  }
  return defect;
}

/* Whether @n numbers ascend but for one place, between the last one and the
 * first one at the latest. */
static gboolean
ascends (const guint32 * numbers, gsize n)
{
  gsize i, n_falls = 0;

  for (i = 0; i < n; i++)
    n_falls += numbers[i] > numbers[i + 1 < n ? i + 1 : 0];
  return n_falls == 1;
}

/* Where a contour is at a vertex more than once, the hull has any of these
 * points. Those that follow one another in the hull's order, if there are,
 * from point @first, the first vertex, on. */
static gboolean
follow_vertices (const float *points, gsize n, guint32 first,
    guint32 * vertices, gsize n_vertices)
{
  gsize steps, i = first, k = 1;

  vertices[0] = first;
  for (steps = 1; steps < n && k < n_vertices; steps++) {
    const float *wanted = points + 2 * (gsize) vertices[k];

    i = i + 1 < n ? i + 1 : 0;
    if (points[2 * i] == wanted[0] && points[2 * i + 1] == wanted[1])
      vertices[k++] = (guint32) i;
  }
  return k == n_vertices;
}

static void
reverse (guint32 * vertices, gsize n)
{
  for (gsize i = 0; i < n / 2; i++) {
    const guint32 vertex = vertices[i];

    vertices[i] = vertices[n - 1 - i];
    vertices[n - 1 - i] = vertex;
  }
}

static gboolean
find_order (const float *points, gsize n, guint32 * vertices, gsize n_vertices)
{
  const float *first = points + 2 * (gsize) vertices[0];

  if (ascends (vertices, n_vertices))
    return TRUE;
  for (gsize i = 0; i < n; i++)
    if (points[2 * i] == first[0] && points[2 * i + 1] == first[1]
        && follow_vertices (points, n, (guint32) i, vertices, n_vertices))
      return TRUE;
  return FALSE;
}

/* Orders vertices as the contour passes them, beginning with the first of its
 * points. Returns: %FALSE if it passes them in another order than the hull's,
 * for it crosses itself */
static gboolean
order_vertices (const float *points, gsize n, guint32 * vertices,
    gsize n_vertices)
{
  gsize lowest = 0, i;

  /* the hull is passed in the direction of a positive area */
  if (cs_ring_area2 (points, n) < 0)
    reverse (vertices, n_vertices);
  if (!find_order (points, n, vertices, n_vertices)) {
    /* of an open contour, which its closing line may cross */
    reverse (vertices, n_vertices);
    if (!ascends (vertices, n_vertices))
      return FALSE;
  }
  for (i = 1; i < n_vertices; i++)
    if (vertices[i] < vertices[lowest])
      lowest = i;
  reverse (vertices, lowest);
  reverse (vertices + lowest, n_vertices - lowest);
  reverse (vertices, n_vertices);
  return TRUE;
}

gsize
cs_hull_find_defects (const float *points, gsize n, guint32 * vertices,
    gsize n_vertices, double min_depth, CsHullDefect * defects)
{
  gsize i, found = 0;

  if (n > 1 && points[0] == points[2 * n - 2] && points[1] == points[2 * n - 1])
    n--;
  if (n_vertices < 3 || !order_vertices (points, n, vertices, n_vertices))
    return 0;
  for (i = 0; i < n_vertices; i++) {
    const CsHullDefect defect = find_defect (points, n, vertices[i],
        vertices[i + 1 < n_vertices ? i + 1 : 0]);

    if (defect.depth > 0 && defect.depth >= min_depth)
      defects[found++] = defect;
  }
  return found;
}
