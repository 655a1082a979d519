/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_extras.h"

#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "hull/hull_defects.h"
#include "hull/hull_ellipse.h"

#define ALMOST 1e-6

static const float *
point_at (const CsHullInput * input, gsize i)
{
  return (const float *) ((const guint8 *) input->points +
      i * (input->stride ? input->stride : 2 * sizeof (float)));
}

/* Twice its area. */
static double
double_area (const float *points, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    const float *a = points + 2 * i, *b = points + 2 * ((i + 1) % n);

    sum += (double) a[0] * b[1] - (double) a[1] * b[0];
  }
  return fabs (sum);
}

static void
check_ellipse (const float *points, gsize n, gboolean is_small)
{
  CsEllipse e;

  cs_hull_find_ellipse (points, n, &e);
  if (!is_small)
    return;
  FUZZ_CHECK (e.major >= e.minor && e.minor >= 0, "axes %g and %g", e.major,
      e.minor);
  FUZZ_CHECK (fabs (hypot (e.ux, e.uy) - 1) < ALMOST, "direction (%g, %g)",
      e.ux, e.uy);
  for (gsize i = 0; i < n; i++) {
    const double x = points[2 * i] - e.x, y = points[2 * i + 1] - e.y;
    const double along = x * e.ux + y * e.uy, off = y * e.ux - x * e.uy;

    if (e.minor > 0)
      FUZZ_CHECK (hypot (along / e.major, off / e.minor) <= 1 + ALMOST,
          "vertex %zu is outside, at %g", i, hypot (along / e.major,
              off / e.minor));
    else
      FUZZ_CHECK (fabs (along) <= e.major + ALMOST && fabs (off) < ALMOST,
          "vertex %zu is off the segment", i);
  }
  FUZZ_CHECK (G_PI * e.major * e.minor / 4 <= double_area (points, n) / 2 *
      (1 + 1e-3) + ALMOST, "axes %g and %g around an area of %g", e.major,
      e.minor, double_area (points, n) / 2);
}

static double
distance (const float *points, gsize i, gsize start, gsize end)
{
  const float *p = points + 2 * i, *a = points + 2 * start;
  const double ux = points[2 * end] - a[0], uy = points[2 * end + 1] - a[1];

  return fabs (ux * (p[1] - a[1]) - uy * (p[0] - a[0])) / hypot (ux, uy);
}

static gboolean
is_same (const float *points, gsize i, gsize k)
{
  return points[2 * i] == points[2 * k] && points[2 * i + 1] ==
      points[2 * k + 1];
}

/* Whether @a and @b are the ends of an edge of the hull, as points. */
static gboolean
is_edge (const float *points, const guint32 * hull, gsize n, gsize a, gsize b)
{
  for (gsize i = 0; i < n; i++) {
    const gsize next = hull[(i + 1) % n];

    if ((is_same (points, hull[i], a) && is_same (points, next, b)) ||
        (is_same (points, hull[i], b) && is_same (points, next, a)))
      return TRUE;
  }
  return FALSE;
}

static void
check_defect (const float *points, gsize n, const guint32 * vertices,
    gsize n_vertices, const CsHullDefect * defect, double min_depth)
{
  FUZZ_CHECK (is_edge (points, vertices, n_vertices, defect->start,
          defect->end), "%u and %u are not neighbours", defect->start,
      defect->end);
  FUZZ_CHECK (defect->depth >= min_depth, "depth %g", defect->depth);
  FUZZ_CHECK (fabs (distance (points, defect->farthest, defect->start,
              defect->end) - defect->depth) < ALMOST, "depth %g",
      defect->depth);
  for (gsize i = (defect->start + 1) % n; i != defect->end; i = (i + 1) % n)
    FUZZ_CHECK (distance (points, i, defect->start, defect->end) <=
        defect->depth + ALMOST, "point %zu is deeper", i);
}

static void
check_defects (const CsHullInput * input, gsize polyline,
    const guint32 * indices, gsize n_vertices, gboolean is_small)
{
  const guint32 first = input->offsets[polyline];
  const gsize n = input->offsets[polyline + 1] - first;
  g_autofree float *points = g_new (float, 2 * n);
  g_autofree guint32 *vertices = g_new (guint32, n_vertices);
  g_autofree CsHullDefect *defects = g_new (CsHullDefect, n_vertices);
  gsize n_found;

  for (gsize i = 0; i < n; i++)
    memcpy (points + 2 * i, point_at (input, first + i), 2 * sizeof (float));
  for (gsize i = 0; i < n_vertices; i++)
    vertices[i] = indices[i] - first;
  n_found = cs_hull_find_defects (points, n, vertices, n_vertices, .5, defects);
  FUZZ_CHECK (n_found <= n_vertices, "%zu defects of %zu vertices", n_found,
      n_vertices);
  for (gsize i = 0; i < n_found; i++) {
    FUZZ_CHECK (defects[i].start < n && defects[i].end < n
        && defects[i].farthest < n, "defect %zu is of other points", i);
    if (is_small)
      check_defect (points, n, vertices, n_vertices, &defects[i], .5);
  }
}

void
check_extras (const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * output, gboolean is_small)
{
  const gsize repeated = params->closed;
  gsize i, k, polyline = 0;

  if (input->type != CS_HULL_F32 || input->mask || params->include_collinear)
    return;
  for (i = 0; i < output->n_hulls; i++) {
    const guint32 *indices = output->indices + output->offsets[i];
    const gsize n = output->offsets[i + 1] - output->offsets[i] - repeated;
    g_autofree float *points = g_new (float, 2 * n);

    for (k = 0; k < n; k++)
      memcpy (points + 2 * k, point_at (input, indices[k]), 2 * sizeof (float));
    check_ellipse (points, n, is_small);
    if (!input->offsets || params->scope != CS_HULL_SCOPE_PER_CONTOUR)
      continue;
    while (input->offsets[polyline + 1] <= indices[0])
      polyline++;
    check_defects (input, polyline, indices, n, is_small);
  }
}
