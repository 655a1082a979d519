/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_private.h"

#include "hull_math.h"

static CsHullSums
sum_edges (const double *v, guint n)
{
  CsHullSums sums[CS_HULL_LANES_LARGE];
  const guint lanes = cs_hull_sum_lanes (n);

  for (guint i = 0; i < lanes; i++)
    sums[i] = (CsHullSums) { 0 };
  for (guint i = 0; i < n; i++) {
    const CsHullSums edge = cs_hull_edge_sums (v, n, i);

    cs_hull_sums_add (&sums[i % lanes], &edge);
  }
  for (guint half = lanes / 2; half > 0; half /= 2) {
    for (guint i = 0; i < half; i++)
      cs_hull_sums_add (&sums[i], &sums[i + half]);
  }
  return sums[0];
}

static void
find_bbox (const double *v, guint n, CsContour * hull)
{
  /* + 0. turns -0 into 0, so that the result does not depend on the order */
  hull->bbox_x0 = hull->bbox_x1 = v[0] + 0.;
  hull->bbox_y0 = hull->bbox_y1 = v[1] + 0.;
  for (guint i = 1; i < n; i++) {
    hull->bbox_x0 = MIN (hull->bbox_x0, v[2 * i] + 0.);
    hull->bbox_x1 = MAX (hull->bbox_x1, v[2 * i] + 0.);
    hull->bbox_y0 = MIN (hull->bbox_y0, v[2 * i + 1] + 0.);
    hull->bbox_y1 = MAX (hull->bbox_y1, v[2 * i + 1] + 0.);
  }
}

static void
find_circle (const double *v, guint n, guint first, CsHullFeatures * f)
{
  guint a = first, b = cs_hull_wrap (first + 1, n), step, k;

  for (step = 0; step < cs_hull_circle_max_steps (n); step++) {
    CsHullExtreme best = cs_hull_extreme_none (-INFINITY);

    for (k = 0; k < n; k++)
      cs_hull_circle_vertex (&best, v, a, b, k);
    if (cs_hull_circle_step (v, &a, &b, &best, &f->circle_x, &f->circle_y))
      break;
  }
}

static void
find_features (const double *v, guint n, CsHullFeatures * f)
{
  CsHullCaliper best = cs_hull_caliper_none ();

  *f = (CsHullFeatures) { 0 };
  cs_hull_features_degenerate (f, v, n);
  if (n >= 3) {
    for (guint i = 0; i < n; i++)
      cs_hull_caliper_edge (&best, v, n, i);
    cs_hull_features_finish (f, v, n, &best);
    find_circle (v, n, cs_hull_extreme_index (&best.diameter), f);
  }
  for (guint i = 0; i < n; i++)
    f->circle_r = MAX (f->circle_r,
        cs_hull_distance_to (v, i, f->circle_x, f->circle_y));
}

void
cs_hull_measure (const double *v, guint n, CsMeasures measures,
    double contour_area, CsContour * hull, CsHullFeatures * features)
{
  const CsHullSums sums = sum_edges (v, n);

  find_bbox (v, n, hull);
  cs_hull_record_finish (hull, v, n, &sums, measures, contour_area);
  if (features)
    find_features (v, n, features);
}
