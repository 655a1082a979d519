/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_filter.h"

#include <float.h>
#include <math.h>

#include "base/clones.h"
#include "hull_math.h"
#include "hull_private.h"

#if !defined (CS_BASELINE) && defined (__x86_64__) && defined (__GNUC__)
#define HAVE_CORE
#include <immintrin.h>
#endif

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

/* The vertices at both ends of u. */
static void
find_ends (const CsHullVertex * polygon, guint n, guint axis, guint * first,
    guint * last)
{
  *first = *last = 0;
  for (guint i = 1; i < n; i++) {
    const double u = coordinate (&polygon[i], axis);

    if (u < coordinate (&polygon[*first], axis))
      *first = i;
    if (u > coordinate (&polygon[*last], axis))
      *last = i;
  }
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
  guint first, last, i;

  find_ends (polygon, n, axis, &first, &last);
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

/* The bin of u, without branches, as what is asked for is near the border. NaN
 * is in bin 0. */
static inline guint
bin_at (double u, double origin, double scale, double top)
{
  double t = (u - origin) * scale + 1;

  t = t > 0 ? t : 0;
  t = t < top ? t : top;
  return (gint) t;
}

static inline gboolean
inside_bins (const CsHullBins * bins, double u, double v)
{
  const guint k = bin_at (u, bins->origin, bins->scale, bins->n_bins + 1);

  return (v > bins->low[k]) & (v < bins->high[k]);
}

/* --- Core ----------------------------------------------------------------- */

gboolean
cs_hull_filter_has_core (void)
{
#ifdef HAVE_CORE
  return __builtin_cpu_supports ("avx2");
#else
  return FALSE;
#endif
}

/* of the polygon's width, left out at both ends, where it is steep */
#define CORE_INSET 0x1p-7

/* Numbers are at most 2^100, so that nothing overflows, and at least 2^-100,
 * so that what underflows is less than the margin. Errors of u, in units of
 * 2^-24: x rounded, u_size * scale, the difference and the product, 8 each.
 * Those of a line, in units of 2^-24 v_size: slope, constant, product, sum, y,
 * at most 83. A line rises by at most the polygon's height in a strip, and the
 * polygon by at most 17 times that beyond a strip's end: the error of u costs
 * 18 heights. */
static gboolean
make_core (CsHullCore * core, const CsHullVertex * polygon, guint n)
{
  const double u_size = magnitude (polygon, n, 0);
  const double v_size = magnitude (polygon, n, 1);
  guint first, last, lowest, highest;

  if (!cs_hull_filter_has_core () || !(u_size >= 0x1p-100 &&
          u_size <= 0x1p100 && v_size >= 0x1p-100 && v_size <= 0x1p100))
    return FALSE;
  find_ends (polygon, n, 0, &first, &last);
  find_ends (polygon, n, 1, &lowest, &highest);
  const double width = polygon[last].x - polygon[first].x;
  core->origin = polygon[first].x + width * CORE_INSET;
  core->scale = CS_HULL_CORE / (width - 2 * CORE_INSET * width);
  const double error = 0x1p-24 * (u_size * core->scale + 16);
  const double margin = 0x1p-17 * v_size +
      32 * error * (polygon[highest].y - polygon[lowest].y);
  Chain low = { polygon, n, 0, first, last, 1, 0, 0, 0, -INFINITY };
  Chain high = { polygon, n, 0, first, last, n - 1, 0, 0, 0, -INFINITY };
  double low_at = chain_value (&low, core->origin);
  double high_at = chain_value (&high, core->origin);
  for (guint k = 0; k < CS_HULL_CORE; k++) {
    const double end = core->origin + (k + 1.) / core->scale;
    const double low_end = chain_value (&low, end);
    const double high_end = chain_value (&high, end);

    core->low_slope[k] = low_end - low_at;
    core->low[k] = low_at - k * (low_end - low_at) + margin;
    core->high_slope[k] = high_end - high_at;
    core->high[k] = high_at - k * (high_end - high_at) - margin;
    low_at = low_end;
    high_at = high_end;
  }
  return TRUE;
}

#ifdef HAVE_CORE
/* Four points in single precision, {x, y} each. */
__attribute__ ((target ("avx2")))
static inline __m256
load_f32 (const float *points)
{
  return _mm256_loadu_ps (points);
}

__attribute__ ((target ("avx2")))
static inline __m256
load_f64 (const double *points)
{
  return _mm256_set_m128 (_mm256_cvtpd_ps (_mm256_loadu_pd (points + 4)),
      _mm256_cvtpd_ps (_mm256_loadu_pd (points)));
}

__attribute__ ((target ("avx2")))
static inline __m256
load_i32 (const gint32 * points)
{
  return _mm256_cvtepi32_ps (_mm256_loadu_si256 ((const __m256i *) points));
}

/* u * slope[k] + constant[k] for the strips of eight u. */
__attribute__ ((target ("avx2")))
static inline __m256
line_at (__m256 u, __m256i k, const float *slope, const float *constant)
{
  return _mm256_add_ps (_mm256_mul_ps (u,
          _mm256_permutevar8x32_ps (_mm256_loadu_ps (slope), k)),
      _mm256_permutevar8x32_ps (_mm256_loadu_ps (constant), k));
}

/* Bits of eight points in the core, in the order 0, 1, 4, 5, 2, 3, 6, 7. */
__attribute__ ((target ("avx2")))
static inline guint
inside_core (const CsHullCore * core, __m256 a, __m256 b)
{
  const __m256 x = _mm256_shuffle_ps (a, b, 0x88);
  const __m256 y = _mm256_shuffle_ps (a, b, 0xdd);
  const __m256 u = _mm256_mul_ps (_mm256_sub_ps (x,
          _mm256_set1_ps (core->origin)), _mm256_set1_ps (core->scale));
  const __m256i k = _mm256_cvttps_epi32 (u);
  const __m256 above = _mm256_cmp_ps (y,
      line_at (u, k, core->low_slope, core->low), _CMP_GT_OQ);
  const __m256 below = _mm256_cmp_ps (y,
      line_at (u, k, core->high_slope, core->high), _CMP_LT_OQ);
  const __m256 right = _mm256_cmp_ps (u, _mm256_setzero_ps (), _CMP_GT_OQ);
  const __m256 left = _mm256_cmp_ps (u, _mm256_set1_ps (CS_HULL_CORE),
      _CMP_LT_OQ);

  return _mm256_movemask_ps (_mm256_and_ps (_mm256_and_ps (above, below),
          _mm256_and_ps (left, right)));
}

/* The numbers of @bits, from @first on, to @to, which has room for 64. Four at
 * a time, as how many there are cannot be foreseen. */
static inline guint
list_bits (guint64 bits, guint first, guint16 * to)
{
  guint n = 0;

  do {
    for (guint i = 0; i < 4; i++) {
      to[n] = first + __builtin_ctzll (bits | G_GUINT64_CONSTANT (1) << 63);
      n += bits != 0;
      bits &= bits - 1;
    }
  } while (bits != 0);
  return n;
}

/* Bytes from the points that are looked at to those that are fetched. */
#define AHEAD 4096

/* Points outside of the core; those after the last 64 are not looked at. */
#define DEFINE_CORE(name, Type, load) \
__attribute__ ((target ("avx2"))) \
static guint \
name (const CsHullCore * from, const Type * points, guint n, guint16 * kept) \
{ \
  const CsHullCore core = *from; \
  guint n_kept = 0; \
\
  for (guint first = 0; first + 64 <= n; first += 64) { \
    guint64 inside = 0; \
\
    for (guint i = 0; i < 64; i += 8, points += 16) { \
      _mm_prefetch ((const char *) points + AHEAD, _MM_HINT_T0); \
      inside |= (guint64) inside_core (&core, load (points), \
          load (points + 8)) << i; \
    } \
    const guint64 wrong = (inside ^ inside >> 2) & 0x0c0c0c0c0c0c0c0c; \
    n_kept += list_bits (~(inside ^ wrong ^ wrong << 2), first, \
        kept + n_kept); \
  } \
  for (guint i = n / 64 * 64; i < n; i++) \
    kept[n_kept++] = i; \
  return n_kept; \
}

DEFINE_CORE (core_f32, float, load_f32)
DEFINE_CORE (core_f64, double, load_f64)
DEFINE_CORE (core_i32, gint32, load_i32)
#endif

static guint
filter_by_core (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint16 * kept)
{
#ifdef HAVE_CORE
  switch (type) {
    case CS_HULL_F32:
      return core_f32 (&filter->core, points, n, kept);
    case CS_HULL_F64:
      return core_f64 (&filter->core, points, n, kept);
    case CS_HULL_I32:
      return core_i32 (&filter->core, points, n, kept);
  }
#endif
  return n;
}

/* --- Filter --------------------------------------------------------------- */

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
  /* optional: unusable ones are ignored */
  filter->core.is_there = make_core (&filter->core, polygon, n);
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

/* Those of the @n points in @list that are not inside the strips of an axis,
 * to the same. */
static guint
filter_list (const CsHullBins * bins, guint axis, CsHullType type,
    const void *points, guint n, guint16 * list)
{
  const gsize size = cs_hull_type_size (type);
  const double origin = bins->origin, scale = bins->scale;
  const double top = bins->n_bins + 1;
  guint n_kept = 0;

  for (guint i = 0; i < n; i++) {
    const guint point = list[i];
    double x, y;

    cs_hull_load_point (points, size, type, point, &x, &y);
    const guint k = bin_at (axis == 0 ? x : y, origin, scale, top);
    const double v = axis == 0 ? y : x;
    list[n_kept] = point;
    n_kept += !((v > bins->low[k]) & (v < bins->high[k]));
  }
  return n_kept;
}

/* Those of all points that are not inside the strips along x. */
static guint
filter_all (const CsHullFilter * filter, CsHullType type, const void *points,
    guint n, guint16 * kept)
{
  guint8 keep[CS_HULL_BLOCK];
  guint n_kept = 0;

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
  for (guint i = 0; i < n; i++) {
    kept[n_kept] = i;
    n_kept += keep[i];
  }
  return n_kept;
}

guint
cs_hull_filter_block (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint16 * kept)
{
  guint n_kept = n;

  if (filter->core.is_there) {
    n_kept = filter_by_core (filter, type, points, n, kept);
    cs_hull_take (2 * n_kept < n ? CS_HULL_BY_CORE : CS_HULL_CORE_IN_VAIN);
  }
  if (2 * n_kept < n)
    n_kept = filter_list (&filter->x, 0, type, points, n_kept, kept);
  else
    n_kept = filter_all (filter, type, points, n, kept);
  if (filter->y.n_bins > 0)
    n_kept = filter_list (&filter->y, 1, type, points, n_kept, kept);
  return n_kept;
}

gboolean
cs_hull_filter_inside_y (const CsHullFilter * filter, double x, double y)
{
  return filter->y.n_bins > 0 && inside_bins (&filter->y, y, x);
}

gboolean
cs_hull_filter_inside_x (const CsHullFilter * filter, double x, double y)
{
  return inside_bins (&filter->x, x, y);
}
