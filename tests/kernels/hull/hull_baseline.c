/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_baseline.h"

typedef struct
{
  const float *xy;
  gsize n_vertices;
} QuickHull;

static float
distance (const float *xy, guint32 a, guint32 b, guint32 p)
{
  return (xy[2 * b] - xy[2 * a]) * (xy[2 * p + 1] - xy[2 * a + 1]) -
      (xy[2 * b + 1] - xy[2 * a + 1]) * (xy[2 * p] - xy[2 * a]);
}

/* The edge a - b, whose outer points are at[0] .. at[n - 1]. */
static void
split_edge (QuickHull * q, guint32 a, guint32 b, guint32 * at, gsize n)
{
  float best = 0;
  guint32 far = a;
  gsize i, n_first = 0, n_second = 0;
  guint32 *first, *second;

  for (i = 0; i < n; i++) {
    const float d = distance (q->xy, a, b, at[i]);

    if (d > best) {
      best = d;
      far = at[i];
    }
  }
  if (best <= 0) {
    q->n_vertices++;
    return;
  }
  first = g_new (guint32, n);
  second = g_new (guint32, n);
  for (i = 0; i < n; i++) {
    if (distance (q->xy, a, far, at[i]) > 0)
      first[n_first++] = at[i];
    else if (distance (q->xy, far, b, at[i]) > 0)
      second[n_second++] = at[i];
  }
  split_edge (q, a, far, first, n_first);
  g_free (first);
  split_edge (q, far, b, second, n_second);
  g_free (second);
}

gsize
baseline_hull_cpu (const float *xy, gsize n)
{
  QuickHull q = { xy, 0 };
  guint32 left = 0, right = 0, *above, *below;
  gsize i, n_above = 0, n_below = 0;

  for (i = 1; i < n; i++) {
    if (xy[2 * i] < xy[2 * left])
      left = i;
    if (xy[2 * i] > xy[2 * right])
      right = i;
  }
  above = g_new (guint32, n);
  below = g_new (guint32, n);
  for (i = 0; i < n; i++) {
    if (distance (xy, left, right, i) > 0)
      above[n_above++] = i;
    else
      below[n_below++] = i;
  }
  split_edge (&q, left, right, above, n_above);
  split_edge (&q, right, left, below, n_below);
  g_free (above);
  g_free (below);
  return q.n_vertices;
}
