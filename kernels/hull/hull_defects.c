/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_defects.h"

#include <math.h>

/* The defect from vertex @start on to vertex @end of @n points; of depth 0 if
 * there is none. */
static CsHullDefect
find_defect (const float *points, gsize n, guint32 start, guint32 end)
{
  const float *a = points + 2 * (gsize) start, *b = points + 2 * (gsize) end;
  const double dx = (double) b[0] - a[0], dy = (double) b[1] - a[1];
  const double length = sqrt (dx * dx + dy * dy);
  CsHullDefect defect = { start, end, start, 0 };
  gsize i;

  if (!(length > 0))
    return defect;
  for (i = start + 1 < n ? start + 1 : 0; i != end;
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

gsize
cs_hull_find_defects (const float *points, gsize n, const guint32 * vertices,
    gsize n_vertices, double min_depth, CsHullDefect * defects)
{
  gsize i, found = 0;

  if (n > 1 && points[0] == points[2 * n - 2]
      && points[1] == points[2 * n - 1])
    n--;
  if (n_vertices < 3)
    return 0;
  for (i = 0; i < n_vertices; i++) {
    const CsHullDefect defect = find_defect (points, n, vertices[i],
        vertices[i + 1 < n_vertices ? i + 1 : 0]);

    if (defect.depth > 0 && defect.depth >= min_depth)
      defects[found++] = defect;
  }
  return found;
}
