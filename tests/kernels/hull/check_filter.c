/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter of the CPU: what it drops must be inside by exact arithmetic,
 * also of points next to the polygon's edges, which hardly any set has. */
#include <math.h>

#include "check_hull.h"
#include "hull/hull_filter.h"
#include "hull_data.h"
#include "hull_oracle.h"
#include "../lib/check.h"

#define MAX_VERTICES 24

static double
draw (guint64 * state, double from, double to)
{
  return from + (to - from) * data_uniform (state);
}

/* As the type stores it. */
static double
stored (CsHullType type, double value)
{
  return type == CS_HULL_F64 ? value : type == CS_HULL_F32 ? (float) value :
      rint (value);
}

/* The hull of a few points: in a box or along its border, of any size and place
 * that the type can tell apart. */
static OraclePoint *
make_polygon (guint64 * state, CsHullType type, gsize * n)
{
  const gboolean whole = type == CS_HULL_I32;
  const double size = whole ? 1e6 : pow (2, draw (state, -70, 70));
  const double height = size * pow (2, draw (state, -12, whole ? 0 : 12));
  const double x = size * pow (2, draw (state, -10, whole ? 10 : 16)) *
      draw (state, -1, 1);
  const double y = height * pow (2, draw (state, -10, whole ? 10 : 16)) *
      draw (state, -1, 1);
  const gboolean on_border = data_random (state) % 2;
  OraclePoint points[MAX_VERTICES];
  gsize n_ignored;

  for (guint i = 0; i < MAX_VERTICES; i++) {
    const double angle = draw (state, 0, 2 * G_PI);

    points[i] = (OraclePoint) {
      .x = stored (type, x + size * (on_border ? cos (angle) : draw (state, -1,
                  1))),
      .y = stored (type, y + height * (on_border ? sin (angle) : draw (state,
                  -1, 1))),
      .index = i,
    };
  }
  return oracle_hull (points, 3 + data_random (state) % (MAX_VERTICES - 2),
      FALSE, n, &n_ignored);
}

/* A point on or near an edge, or, more often, so that the filter goes on with
 * its core, far inside. */
static OraclePoint
draw_point (guint64 * state, CsHullType type, const OraclePoint * polygon,
    gsize n)
{
  const OraclePoint *a = &polygon[data_random (state) % n];
  const OraclePoint *b = a == polygon + n - 1 ? polygon : a + 1;
  const OraclePoint *c = &polygon[data_random (state) % n];
  const OraclePoint *d = &polygon[(c - polygon + n / 2) % n];
  const double t = draw (state, 0, 1);
  const double in = data_random (state) % 8 ? draw (state, .4, .6) :
      draw (state, -1, 1) * pow (2, draw (state, -30, -3));

  return (OraclePoint) {
    .x = stored (type, a->x + t * (b->x - a->x) + in * (.5 * (c->x + d->x) -
            a->x)),
    .y = stored (type, a->y + t * (b->y - a->y) + in * (.5 * (c->y + d->y) -
            a->y)),
  };
}

static gboolean
is_strictly_inside (const OraclePoint * p, const OraclePoint * polygon, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (oracle_orient (&polygon[i], &polygon[(i + 1) % n], p) <= 0)
      return FALSE;
  return TRUE;
}

static void
store_point (CsHullType type, void *points, guint i, const OraclePoint * p)
{
  const double xy[] = { p->x, p->y };

  for (guint k = 0; k < 2; k++) {
    if (type == CS_HULL_F32)
      ((float *) points)[2 * i + k] = xy[k];
    else if (type == CS_HULL_F64)
      ((double *) points)[2 * i + k] = xy[k];
    else
      ((gint32 *) points)[2 * i + k] = xy[k];
  }
}

/* Returns how many of the points were dropped. */
static guint
check_block (guint64 * state, CsHullType type, const CsHullFilter * filter,
    const OraclePoint * polygon, gsize n_polygon, guint n)
{
  OraclePoint p[CS_HULL_BLOCK];
  double points[2 * CS_HULL_BLOCK] = { 0 };
  guint16 kept[CS_HULL_BLOCK];
  guint next = 0;

  for (guint i = 0; i < n; i++) {
    p[i] = draw_point (state, type, polygon, n_polygon);
    if (type != CS_HULL_I32 && i % 61 == 7)
      p[i].y = i % 2 ? INFINITY : NAN;
    store_point (type, points, i, &p[i]);
  }
  const guint n_kept = cs_hull_filter_block (filter, type, points, n, kept);
  for (guint i = 0; i < n; i++) {
    if (next < n_kept && kept[next] == i) {
      next++;
      continue;
    }
    expect (isfinite (p[i].y) && is_strictly_inside (&p[i], polygon,
            n_polygon), "type %d, point %u of %u, (%.17g, %.17g), was dropped",
        type, i, n, p[i].x, p[i].y);
  }
  expect (next == n_kept, "%u of %u kept points are in order", next, n_kept);
  return n - n_kept;
}

void
check_filter (guint n_polygons)
{
  static const guint sizes[] = { CS_HULL_BLOCK, CS_HULL_BLOCK - 1, 130, 64, 63,
    1
  };
  guint64 state = 5;
  guint n_dropped = 0;
  CsHullFilter *filter = g_new (CsHullFilter, 1);

  begin ("filter of the CPU");
  for (guint i = 0; i < n_polygons; i++) {
    const CsHullType type = i % 3 == 0 ? CS_HULL_F32 : i % 3 == 1 ?
        CS_HULL_F64 : CS_HULL_I32;
    CsHullVertex vertices[MAX_VERTICES];
    gsize n;
    g_autofree OraclePoint *polygon = make_polygon (&state, type, &n);

    for (gsize k = 0; k < n; k++)
      vertices[k] = (CsHullVertex) { polygon[k].x, polygon[k].y, k };
    if (cs_hull_filter_init (filter, vertices, n, type, 64 << i % 6))
      n_dropped += check_block (&state, type, filter, polygon, n,
          sizes[i / 3 % G_N_ELEMENTS (sizes)]);
  }
  expect (n_dropped > n_polygons, "%u points of %u polygons were dropped",
      n_dropped, n_polygons);
  g_free (filter);
  end ();
}
