/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_filter.h"
#include "hull_ways.h"

#include <float.h>
#include <math.h>

#include "base/clones.h"

/* Bound, in bins, of the error of a bin's index in single precision:
 * 3 * 2^-24 * 2050 bins */
#define BIN_MARGIN 0x1p-8
/* rounding of a bound, relative to the polygon's magnitude */
#define BOUND_MARGIN 0x1p-48
/* minimum width of the polygon, relative to its magnitude, for which the error
 * of a strip's ends is within BIN_MARGIN */
#define MIN_WIDTH 0x1p-30

/* One axis of the polygon: u along it, v across. */
static inline double
coordinate (const CsHullVertex * vertex, guint axis)
{
  return axis == 0 ? vertex->x : vertex->y;
}

static double
magnitude (const CsHullVertex * polygon, guint n, guint axis)
{
  double size = 0;

  for (guint i = 0; i < n; i++)
    size = MAX (size, fabs (coordinate (&polygon[i], axis)));
  return size;
}

/**
 * Chain:
 * @polygon, @n: the polygon
 * @axis: its u axis
 * @at, @end: current and last vertex
 * @step: 1 or n - 1
 * @u, @v, @slope: the current edge, up to @next_u
 */
typedef struct
{
  const CsHullVertex *polygon;
  guint n, axis, at, end, step;
  double u, v, slope, next_u;
} Chain;

/* Advances to the edge over u. */
static void
chain_advance (Chain * chain, double u)
{
  const CsHullVertex *p, *q;

  for (;;) {
    p = &chain->polygon[chain->at];
    chain->u = coordinate (p, chain->axis);
    chain->v = coordinate (p, !chain->axis);
    chain->slope = 0;
    chain->next_u = INFINITY;
    if (chain->at == chain->end)
      return;
    chain->at += chain->step;
    if (chain->at >= chain->n)
      chain->at -= chain->n;
    q = &chain->polygon[chain->at];
    if (coordinate (q, chain->axis) > u)
      break;
  }
  chain->next_u = coordinate (q, chain->axis);
  chain->slope = (coordinate (q, !chain->axis) - chain->v) /
      (chain->next_u - chain->u);
}

/* v of the chain at u, which must not descend from call to call. */
static inline double
chain_value (Chain * chain, double u)
{
  if (u >= chain->next_u)
    chain_advance (chain, u);
  return chain->v + (u - chain->u) * chain->slope;
}

/* Intersects every bin's bounds with the polygon's extent at @end bins from the
 * bin's start. By convexity, bounds valid at both ends of a strip hold between
 * them. */
static void
narrow_bins (CsHullBins * bins, const CsHullVertex * polygon, guint n,
    guint axis, guint first, guint last, double end, double margin)
{
  const double u_min = coordinate (&polygon[first], axis);
  const double u_max = coordinate (&polygon[last], axis);
  /* counter-clockwise from the smallest u: below for x, on the right for y */
  Chain low = { polygon, n, axis, first, last, axis == 0 ? 1 : n - 1,
    0, 0, 0, -INFINITY
  };
  Chain high = { polygon, n, axis, first, last, axis == 0 ? n - 1 : 1,
    0, 0, 0, -INFINITY
  };

  for (guint k = 1; k <= bins->n_bins; k++) {
    const double u = u_min + ((double) (k - 1) + end) / bins->scale;

    if (u >= u_min && u <= u_max) {
      bins->low[k] = MAX (bins->low[k], chain_value (&low, u) + margin);
      bins->high[k] = MIN (bins->high[k], chain_value (&high, u) - margin);
    } else {
      bins->low[k] = INFINITY;
      bins->high[k] = -INFINITY;
    }
  }
}

static gboolean
make_bins (CsHullBins * bins, const CsHullVertex * polygon, guint n,
    guint axis, guint n_bins)
{
  const double u_size = magnitude (polygon, n, axis);
  const double v_size = magnitude (polygon, n, !axis);
  guint first = 0, last = 0, i;

  for (i = 1; i < n; i++) {
    const double u = coordinate (&polygon[i], axis);

    if (u < coordinate (&polygon[first], axis))
      first = i;
    if (u > coordinate (&polygon[last], axis))
      last = i;
  }
  const double width = coordinate (&polygon[last], axis) -
      coordinate (&polygon[first], axis);
  bins->n_bins = 0;
  if (!(u_size >= 0x1p-100 && u_size <= 0x1p500 && v_size >= 0x1p-500 &&
          v_size <= 0x1p500 && width > u_size * MIN_WIDTH))
    return FALSE;

  bins->origin = coordinate (&polygon[first], axis);
  bins->scale = n_bins / width;
  bins->n_bins = n_bins;
  for (i = 0; i < n_bins + 2; i++) {
    const gboolean beyond = i == 0 || i == n_bins + 1;

    bins->low[i] = beyond ? INFINITY : -INFINITY;
    bins->high[i] = beyond ? -INFINITY : INFINITY;
  }
  narrow_bins (bins, polygon, n, axis, first, last, -BIN_MARGIN,
      v_size * BOUND_MARGIN);
  narrow_bins (bins, polygon, n, axis, first, last, 1 + BIN_MARGIN,
      v_size * BOUND_MARGIN);
  return TRUE;
}

static gboolean
round_bins (CsHullFilter * filter)
{
  const CsHullBins *x = &filter->x;

  filter->origin32 = x->origin;
  filter->scale32 = x->scale;
  if (!(filter->scale32 >= FLT_MIN && filter->scale32 <= FLT_MAX))
    return FALSE;
  for (guint i = 0; i < x->n_bins + 2; i++) {
    float low = x->low[i], high = x->high[i];

    filter->low32[i] = low < x->low[i] ? nextafterf (low, INFINITY) : low;
    filter->high32[i] = high > x->high[i] ? nextafterf (high, -INFINITY) : high;
  }
  return TRUE;
}

gboolean
cs_hull_filter_init (CsHullFilter * filter, const CsHullVertex * polygon,
    guint n, CsHullType type, guint n_bins)
{
  if (n < 3 || !make_bins (&filter->x, polygon, n, 0, n_bins))
    return FALSE;
  if (type == CS_HULL_F32 && !round_bins (filter)) {
    cs_hull_take (CS_HULL_NOT_ROUNDED);
    return FALSE;
  }
  /* optional: an unusable one is ignored */
  if (!make_bins (&filter->y, polygon, n, 1, n_bins))
    cs_hull_take (CS_HULL_ROWS_ONLY);
  return TRUE;
}

/* Comparisons are written so that NaN maps to bin 0 and the loop vectorises. */
CS_CLONES static void
filter_f32 (const CsHullFilter * filter, const float *restrict points, guint n,
    guint8 * restrict keep)
{
  const float origin = filter->origin32, scale = filter->scale32;
  const float top = filter->x.n_bins + 1;
  const float *restrict low = filter->low32, *restrict high = filter->high32;

  for (guint i = 0; i < n; i++) {
    const float y = points[2 * i + 1];
    float t = (points[2 * i] - origin) * scale + 1;

    t = t > 0 ? t : 0;
    t = t < top ? t : top;
    const gint k = (gint) t;
    keep[i] = !((y > low[k]) & (y < high[k]));
  }
}

#define DEFINE_FILTER_DOUBLE(name, Type) \
CS_CLONES static void \
name (const CsHullFilter * filter, const Type *restrict points, guint n, \
    guint8 * restrict keep) \
{ \
  const double origin = filter->x.origin, scale = filter->x.scale; \
  const double top = filter->x.n_bins + 1; \
  const double *restrict low = filter->x.low, *restrict high = filter->x.high; \
  guint i; \
\
  for (i = 0; i < n; i++) { \
    const double y = points[2 * i + 1]; \
    double t = (points[2 * i] - origin) * scale + 1; \
    gint k; \
\
    t = t > 0 ? t : 0; \
    t = t < top ? t : top; \
    k = (gint) t; \
    keep[i] = !((y > low[k]) & (y < high[k])); \
  } \
}

DEFINE_FILTER_DOUBLE (filter_f64, double)
DEFINE_FILTER_DOUBLE (filter_i32, gint32)

void
cs_hull_filter_block (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint8 * keep)
{
  switch (type) {
    case CS_HULL_F32:
      filter_f32 (filter, points, n, keep);
      break;
    case CS_HULL_F64:
      filter_f64 (filter, points, n, keep);
      break;
    case CS_HULL_I32:
      filter_i32 (filter, points, n, keep);
      break;
  }
}

static inline gboolean
inside_bins (const CsHullBins * bins, double u, double v)
{
  double t = (u - bins->origin) * bins->scale + 1;

  if (bins->n_bins == 0)
    return FALSE;
  t = CLAMP (t, 0, bins->n_bins + 1);
  const guint k = t;
  return v > bins->low[k] && v < bins->high[k];
}

gboolean
cs_hull_filter_inside_y (const CsHullFilter * filter, double x, double y)
{
  return inside_bins (&filter->y, y, x);
}

gboolean
cs_hull_filter_inside_x (const CsHullFilter * filter, double x, double y)
{
  return inside_bins (&filter->x, x, y);
}
