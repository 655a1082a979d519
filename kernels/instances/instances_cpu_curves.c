/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: points of a ring's segments. */
#include "instances_cpu.h"

#include "base/clones.h"

/* Curves that are computed at once */
#define GROUP 4

void
cs_instances_cpu_add (const CsInstancesGrid * grid, const float *values,
    const CsInstancesSegment * segment, const CsInstancesCrossing * from,
    const CsInstancesCrossing * to, CsInstancesBatch * batch)
{
  const guint c = segment->c, r = segment->r, i = batch->n++;
  double corner[4];

  batch->x[i] = from->x;
  batch->y[i] = from->y;
  batch->x[i + 1] = to->x;
  batch->y[i + 1] = to->y;
  batch->c[i] = c;
  batch->r[i] = r;
  batch->n_points[i] = cs_instances_line_points (grid, c, r, from);
  batch->slope_from[i] = batch->slope_to[i] = 1.;
  if (cs_instances_beside_x (grid, c) || cs_instances_beside_y (grid, r))
    return;
  cs_instances_cell (grid, values, c, r, corner);
  batch->slope_from[i] = cs_instances_slope (corner, segment->from, from->t);
  batch->slope_to[i] = cs_instances_slope (corner, segment->to, to->t);
}

/* What each of the first @n segments is. What is stored is computed without
 * branches, as vectors have to be. */
CS_CLONES static void
find_splits (CsInstancesBatch * batch, guint n, double margin, double tolerance)
{
  double inverse[CS_INSTANCES_BATCH], some[CS_INSTANCES_BATCH];

  for (guint i = 0; i < n; i++) {
    batch->ratio[i] = cs_instances_ratio (batch->slope_from[i],
        batch->slope_to[i], batch->x[i + 1] - batch->x[i],
        batch->y[i + 1] - batch->y[i], margin);
    inverse[i] = 1. / batch->ratio[i];
  }
  for (guint i = 0; i < n; i++) {
    const double q = batch->ratio[i] > 1. ? batch->ratio[i] : inverse[i];
    const double scale = cs_instances_scale (batch->x[i + 1] - batch->x[i],
        batch->y[i + 1] - batch->y[i], q);

    batch->root[i] = sqrt (q);
    some[i] = cs_instances_is_near (scale, sqrt (batch->root[i]), tolerance) ?
        1. : 2.;
  }
  for (guint i = 0; i < n; i++)
    batch->splits[i] = cs_instances_is_bent (batch->x[i + 1] - batch->x[i],
        batch->y[i + 1] - batch->y[i], batch->root[i], tolerance) ? some[i] :
        0.;
}

/* Segment @i, which is a curve. */
static gboolean
write_curve (const CsInstancesGrid * grid, double tolerance,
    const CsInstancesBatch * batch, guint i, CsArray * points)
{
  const double x = batch->x[i], y = batch->y[i], ratio = batch->ratio[i];
  CsInstancesCurve curve = { x, y, batch->x[i + 1] - x, batch->y[i + 1] - y,
    ratio
  };
  double piece = batch->root[i], power = 1.;
  int splits = 1;

  cs_instances_take (CS_INSTANCES_CURVED);
  if (batch->splits[i] > 1.)
    splits = cs_instances_split (cs_instances_scale (curve.dx, curve.dy,
            ratio > 1. ? ratio : 1. / ratio), tolerance, 1, sqrt (piece),
        &piece);
  curve.root = ratio > 1. ? piece : 1. / piece;
  curve.n_points = batch->n_points[i] << splits;
  cs_instances_bound (grid, batch->c[i], batch->r[i], &curve);
  if (!cs_array_reserve (points, curve.n_points))
    return FALSE;
  for (guint k = 0; k < curve.n_points; k++, power *= curve.root) {
    float *to = (float *) (points->data + points->size * points->len++);

    cs_instances_curve_point (&curve, power, &to[0], &to[1]);
  }
  return TRUE;
}

gboolean
cs_instances_cpu_write (const CsInstancesGrid * grid, double tolerance,
    CsInstancesBatch * batch, CsArray * points)
{
  const guint n = batch->n, all = (n + GROUP - 1) / GROUP * GROUP;

  for (guint i = n; i < all; i++) {
    batch->x[i + 1] = batch->x[i];
    batch->y[i + 1] = batch->y[i];
    batch->slope_from[i] = batch->slope_to[i] = 1.;
  }
  find_splits (batch, all, grid->margin, tolerance);
  for (guint i = 0; i < n; i++) {
    if (batch->splits[i] > 0.) {
      if (!write_curve (grid, tolerance, batch, i, points))
        return FALSE;
    } else if (batch->n_points[i] > 0) {
      const float at[] = { (float) batch->x[i], (float) batch->y[i] };

      if (!cs_array_append (points, at, 1))
        return FALSE;
    }
  }
  batch->n = 0;
  return TRUE;
}
