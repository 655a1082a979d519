/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "edges_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  gint width, height;
  float *v;
} Plane;

static Plane
plane_new (gint width, gint height)
{
  return (Plane) {
  width, height, g_new0 (float, (gsize) width * height)};
}

static float
clamped (const Plane * p, gint x, gint y)
{
  return p->v[(gsize) CLAMP (y, 0, p->height - 1) * p->width + CLAMP (x, 0,
          p->width - 1)];
}

static float
or_zero (const Plane * p, gint x, gint y)
{
  return x < 0 || y < 0 || x >= p->width || y >= p->height ? 0 :
      p->v[(gsize) y * p->width + x];
}

/* Sums in the order that the kernels have, or results would differ in the last
 * bit and with them which of two pixels is an edge. */
static Plane
blur (const Plane * in, double sigma, gint dx, gint dy)
{
  const gint radius = ceil (3 * sigma);
  Plane out = plane_new (in->width, in->height);
  double w[64], sum = 0;

  for (gint i = 0; i <= radius; i++) {
    w[i] = i == 0 ? 1 : exp (-i * i / (2 * sigma * sigma));
    sum += i == 0 ? 1 : 2 * w[i];
  }
  for (gint y = 0; y < in->height; y++)
    for (gint x = 0; x < in->width; x++) {
      float s = clamped (in, x, y) * (float) (w[0] / sum);

      for (gint i = 1; i <= radius; i++)
        s += (float) (w[i] / sum) * (clamped (in, x - i * dx, y - i * dy) +
            clamped (in, x + i * dx, y + i * dy));
      out.v[(gsize) y * in->width + x] = s;
    }
  return out;
}

/* Across an edge, by the angle of its gradient. */
static void
direction (float gx, float gy, gint * dx, gint * dy)
{
  const double angle = atan2 (fabs (gy), fabs (gx)) * 180 / G_PI;

  *dx = angle <= 67.5 ? 1 : 0;
  *dy = angle > 22.5 ? 1 : 0;
  if (*dx && *dy && (gx < 0) != (gy < 0))
    *dx = -1;
}

static int
compare_floats (const void *a, const void *b)
{
  const float p = *(const float *) a, q = *(const float *) b;

  return p < q ? -1 : p > q;
}

typedef struct
{
  Plane magnitude2;
  gboolean *ridge;
  CsStrokePoint *points;
} Ridges;

static void
find_ridge (const Plane * in, Ridges * ridges, const Plane * gx,
    const Plane * gy, gint x, gint y)
{
  const gsize at = (gsize) y * in->width + x;
  const float m = ridges->magnitude2.v[at];
  gint dx, dy;
  float before, after, a, b, c, offset = 0;

  direction (gx->v[at], gy->v[at], &dx, &dy);
  before = or_zero (&ridges->magnitude2, x - dx, y - dy);
  after = or_zero (&ridges->magnitude2, x + dx, y + dy);
  ridges->ridge[at] = m > 0 && m > before && m >= after;
  a = sqrtf (before);
  b = sqrtf (m);
  c = sqrtf (after);
  if ((a - b) + (c - b) < 0)
    offset = .5f * (a - c) / ((a - b) + (c - b));
  offset = CLAMP (offset, -.49f, .49f);
  ridges->points[at] = (CsStrokePoint) { x + offset * dx, y + offset * dy };
}

static void
find_thresholds (const CsEdgesParams * params, const Ridges * ridges, gsize n,
    float *low2, float *high2)
{
  g_autofree float *sorted = g_new (float, n + 1);
  gsize n_ridges = 0, i;

  for (i = 0; i < n; i++)
    if (ridges->ridge[i])
      sorted[n_ridges++] = ridges->magnitude2.v[i];
  qsort (sorted, n_ridges, sizeof (float), compare_floats);
  *low2 = params->low * params->low;
  *high2 = params->high * params->high;
  if (params->automatic && n_ridges > 0) {
    *high2 = sorted[(n_ridges * 4 + 4) / 5 - 1];
    if (*high2 < params->low * params->low)
      *high2 = params->low * params->low;
    *low2 = .16f * *high2;
  }
}

static void
spread (OracleEdges * edges, const gboolean * low)
{
  gboolean changed = TRUE;

  while (changed) {
    changed = FALSE;
    for (gint y = 0; y < (gint) edges->height; y++) {
      for (gint x = 0; x < (gint) edges->width; x++) {
        const gsize at = (gsize) y * edges->width + x;

        if (!low[at] || edges->is_edge[at])
          continue;
        for (gint dy = -1; dy <= 1; dy++)
          for (gint dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < (gint) edges->width && y + dy >= 0 &&
                y + dy < (gint) edges->height &&
                edges->is_edge[at + dy * (gssize) edges->width + dx])
              edges->is_edge[at] = changed = TRUE;
      }
    }
  }
}

OracleEdges *
oracle_edges (const CsEdgesParams * params, guint width, guint height,
    const float *samples)
{
  const gsize n = (gsize) width * height;
  OracleEdges *edges = g_new0 (OracleEdges, 1);
  Plane in = { width, height, (float *) samples };
  Plane rows = blur (&in, params->sigma, 1, 0);
  Plane blurred = blur (&rows, params->sigma, 0, 1);
  Plane gx = plane_new (width, height), gy = plane_new (width, height);
  Ridges ridges = { plane_new (width, height), g_new0 (gboolean, n + 1),
    g_new0 (CsStrokePoint, n + 1)
  };
  g_autofree gboolean *low = g_new0 (gboolean, n + 1);
  float low2, high2;
  gsize i;
  gint x, y;

#define B(dx, dy) clamped (&blurred, x + (dx), y + (dy))
  for (y = 0; y < (gint) height; y++)
    for (x = 0; x < (gint) width; x++) {
      i = (gsize) y * width + x;
      gx.v[i] = ((B (1, -1) - B (-1, -1)) + (B (1, 1) - B (-1, 1))) +
          2 * (B (1, 0) - B (-1, 0));
      gy.v[i] = ((B (-1, 1) - B (-1, -1)) + (B (1, 1) - B (1, -1))) +
          2 * (B (0, 1) - B (0, -1));
      ridges.magnitude2.v[i] = gx.v[i] * gx.v[i] + gy.v[i] * gy.v[i];
    }
#undef B
  for (y = 0; y < (gint) height; y++)
    for (x = 0; x < (gint) width; x++)
      find_ridge (&in, &ridges, &gx, &gy, x, y);
  find_thresholds (params, &ridges, n, &low2, &high2);
  edges->width = width;
  edges->height = height;
  edges->is_edge = g_new0 (gboolean, n + 1);
  edges->points = ridges.points;
  for (i = 0; i < n; i++) {
    low[i] = ridges.ridge[i] && ridges.magnitude2.v[i] >= low2;
    edges->is_edge[i] = low[i] && ridges.magnitude2.v[i] >= high2;
  }
  spread (edges, low);
  for (i = 0; i < n; i++)
    edges->n_edges += edges->is_edge[i];
  g_free (rows.v);
  g_free (blurred.v);
  g_free (gx.v);
  g_free (gy.v);
  g_free (ridges.magnitude2.v);
  g_free (ridges.ridge);
  return edges;
}

void
oracle_edges_free (OracleEdges * edges)
{
  g_free (edges->is_edge);
  g_free (edges->points);
  g_free (edges);
}

static gboolean
is_edge (const OracleEdges * e, gint x, gint y)
{
  return x >= 0 && y >= 0 && x < (gint) e->width && y < (gint) e->height &&
      e->is_edge[(gsize) y * e->width + x];
}

gboolean
oracle_is_linked (const OracleEdges * edges, gint x0, gint y0, gint x1, gint y1)
{
  if (!is_edge (edges, x0, y0) || !is_edge (edges, x1, y1) ||
      MAX (abs (x0 - x1), abs (y0 - y1)) != 1)
    return FALSE;
  return x0 == x1 || y0 == y1 || (!is_edge (edges, x0, y1) &&
      !is_edge (edges, x1, y0));
}
