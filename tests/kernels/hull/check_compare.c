/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points, hulls of them by all runners, and what these must be. */
#include "check_compare.h"

#include <math.h>
#include <string.h>

#include "../lib/check.h"

Runner runners[MAX_RUNNERS];
guint n_runners;

/* --- Points of the three types -------------------------------------------- */

const char *
type_name (CsHullType type)
{
  static const char *const type_names[] = { "f32", "f64", "i32" };

  return type_names[type];
}

static gboolean
is_integral (DataKind kind)
{
  return kind == DATA_GRID || (kind >= DATA_PARABOLA &&
      kind <= DATA_DIAGONAL) || kind == DATA_EXTREMES ||
      kind == DATA_TWO_POINTS;
}

static gint32
to_int (double value)
{
  if (!(value > -2147483648.))
    return G_MININT32;
  return value >= 2147483647. ? G_MAXINT32 : (gint32) value;
}

Points
points_from (CsHullType type, const double *xy, gsize n, double scale)
{
  Points p = { type, n, g_malloc (n * point_size (type) + 1) };

  for (gsize i = 0; i < 2 * n; i++)
    if (type == CS_HULL_F32)
      ((float *) p.data)[i] = xy[i];
    else if (type == CS_HULL_F64)
      ((double *) p.data)[i] = xy[i];
    else
      ((gint32 *) p.data)[i] = to_int (xy[i] * scale);
  return p;
}

Points
points_new (CsHullType type, DataKind kind, guint64 seed, gsize n)
{
  g_autofree double *xy = g_new (double, 2 * n + 1);

  data_fill (kind, seed, n, xy);
  return points_from (type, xy, n, is_integral (kind) ? 1 : 1e8);
}

OraclePoint
point_at (const Points * p, gsize i)
{
  OraclePoint point = { 0, 0, i };

  if (p->type == CS_HULL_F32) {
    point.x = ((const float *) p->data)[2 * i];
    point.y = ((const float *) p->data)[2 * i + 1];
  } else if (p->type == CS_HULL_F64) {
    point.x = ((const double *) p->data)[2 * i];
    point.y = ((const double *) p->data)[2 * i + 1];
  } else {
    point.x = ((const gint32 *) p->data)[2 * i];
    point.y = ((const gint32 *) p->data)[2 * i + 1];
  }
  return point;
}

OraclePoint *
oracle_points (const Points * p)
{
  OraclePoint *points = g_new (OraclePoint, p->n + 1);

  for (gsize i = 0; i < p->n; i++)
    points[i] = point_at (p, i);
  return points;
}

CsHullInput
input_of (const Points * p)
{
  return (CsHullInput) {
    .points = p->data,
    .type = p->type,
    .n_points = p->n,
  };
}

CsHullParams
params_all (gboolean collinear)
{
  CsHullParams params;

  cs_hull_params_init (&params);
  params.include_collinear = collinear;
  params.measures = CS_MEASURES_FULL;
  return params;
}

Result *
run_or_fail (const Runner * runner, const CsHullParams * params,
    const CsHullInput * input)
{
  g_autoptr (GError) error = NULL;
  Result *result = run_hull (runner, params, input, &error);

  expect (result != NULL, "%s: %s", runner->name, error ? error->message : "");
  return result;
}

/* --- Comparing ------------------------------------------------------------ */

static gboolean
same_bytes (const void *a, const void *b, gsize size)
{
  return size == 0 || memcmp (a, b, size) == 0;
}

static void
expect_same (const Runner * runner, const CsHullParams * params,
    CsHullType type, const CsHullOutput * a, const CsHullOutput * b)
{
  const gsize size = params->points == CS_HULL_POINTS_NONE ? 0 :
      params->points == CS_HULL_POINTS_F32 ? 8 : point_size (type);

  expect (a->n_hulls == b->n_hulls && a->n_points == b->n_points &&
      a->n_ignored == b->n_ignored,
      "%s: %zu hulls of %zu points, %zu ignored, not %zu, %zu, %zu",
      runner->name, b->n_hulls, b->n_points, b->n_ignored, a->n_hulls,
      a->n_points, a->n_ignored);
  if (a->n_hulls != b->n_hulls || a->n_points != b->n_points)
    return;
  expect (same_bytes (a->offsets, b->offsets, 4 * (a->n_hulls + 1)),
      "%s: other offsets", runner->name);
  expect (same_bytes (a->points, b->points, size * a->n_points),
      "%s: other points", runner->name);
  if (params->indices)
    expect (same_bytes (a->indices, b->indices, 4 * a->n_points),
        "%s: other indices", runner->name);
  expect (same_bytes (a->hulls, b->hulls, a->n_hulls * sizeof (CsContour)),
      "%s: other records", runner->name);
  if (params->measures == CS_MEASURES_FULL)
    expect (same_bytes (a->features, b->features,
            a->n_hulls * sizeof (CsHullFeatures)), "%s: other features",
        runner->name);
}

Result *
run_all (const CsHullParams * params, const CsHullInput * input)
{
  Result *first = run_or_fail (&runners[0], params, input);

  for (guint i = 1; i < n_runners && first; i++) {
    g_autoptr (Result) other = run_or_fail (&runners[i], params, input);

    if (other)
      expect_same (&runners[i], params,
          input->mask ? CS_HULL_I32 : input->type, &first->out, &other->out);
  }
  return first;
}

void
expect_hull (const CsHullOutput * out, guint hull, const OraclePoint * want,
    gsize n)
{
  const guint32 start = out->offsets[hull];
  const gsize got = out->offsets[hull + 1] - start;

  expect (got == n, "hull %u has %zu vertices, not %zu", hull, got, n);
  for (gsize i = 0; i < MIN (got, n); i++)
    if (out->indices[start + i] != want[i].index) {
      expect (FALSE, "vertex %zu of hull %u is point %u, not %u (%g, %g)", i,
          hull, out->indices[start + i], want[i].index, want[i].x, want[i].y);
      return;
    }
}

static gboolean
close_to (double value, long double want, long double scale)
{
  return fabsl (value - want) <= 1e-11L * scale + 1e-300L;
}

/* Magnitudes that measures can take without losing everything. */
static gboolean
is_measurable (const OraclePoint * hull, gsize n)
{
  double size = 0;

  for (gsize i = 0; i < n; i++)
    size = MAX (size, MAX (fabs (hull[i].x), fabs (hull[i].y)));
  return size < 1e100 && (size == 0 || size > 1e-100);
}

static void
expect_measures (const CsHullOutput * out, const OraclePoint * hull, gsize n)
{
  const CsContour *record = out->hulls;
  const CsHullFeatures *f = out->features;
  const OracleMeasures m = oracle_measure (hull, n);
  const long double size = m.feret_max + fabs (hull->x) + fabs (hull->y);

  expect (close_to (record->area, m.area, m.feret_max * size), "area %.17g, not"
      " %.17Lg", record->area, m.area);
  expect (close_to (record->perimeter, m.perimeter, size),
      "perimeter %.17g, not %.17Lg", record->perimeter, m.perimeter);
  expect (close_to (f->feret_max, m.feret_max, size), "Feret max %.17g, not"
      " %.17Lg", f->feret_max, m.feret_max);
  expect (close_to (f->feret_min, m.feret_min, size), "Feret min %.17g, not"
      " %.17Lg", f->feret_min, m.feret_min);
  expect (close_to (f->rect_width * f->rect_height, m.rect_area,
          m.feret_max * size), "rectangle of %.17g, not %.17Lg",
      f->rect_width * f->rect_height, m.rect_area);
  expect (close_to (f->circle_r, m.circle_r, size), "circle of radius %.17g,"
      " not %.17Lg", f->circle_r, m.circle_r);
  for (gsize i = 0; i < n; i++) {
    const double dx = hull[i].x - f->rect_x, dy = hull[i].y - f->rect_y;
    const double along = dx * f->rect_ux + dy * f->rect_uy;
    const double across = dy * f->rect_ux - dx * f->rect_uy;

    expect (fabs (along) <= f->rect_width / 2 + 1e-11 * (double) size &&
        fabs (across) <= f->rect_height / 2 + 1e-11 * (double) size,
        "vertex %zu is outside the rectangle", i);
    expect (record->bbox_x0 <= hull[i].x && record->bbox_x1 >= hull[i].x &&
        record->bbox_y0 <= hull[i].y && record->bbox_y1 >= hull[i].y,
        "vertex %zu is outside the bounding box", i);
  }
}

void
check_against_oracle (const Points * p, gboolean collinear)
{
  const CsHullParams params = params_all (collinear);
  const CsHullInput input = input_of (p);
  g_autofree OraclePoint *points = oracle_points (p);
  OraclePoint *hull, *strict;
  gsize n_hull, n_strict, n_ignored;
  g_autoptr (Result) result = run_all (&params, &input);

  hull = oracle_hull (points, p->n, collinear, &n_hull, &n_ignored);
  strict = oracle_hull (points, p->n, FALSE, &n_strict, &n_ignored);
  if (result) {
    expect (result->out.n_ignored == n_ignored, "%zu ignored, not %zu",
        result->out.n_ignored, n_ignored);
    expect (result->out.n_hulls == (n_hull > 0), "%zu hulls",
        result->out.n_hulls);
    if (result->out.n_hulls == 1 && n_hull > 0) {
      expect_hull (&result->out, 0, hull, n_hull);
      if (n_strict <= 80 && is_measurable (strict, n_strict))
        expect_measures (&result->out, strict, n_strict);
    }
  }
  g_free (hull);
  g_free (strict);
}

/* Whether @p is outside the convex polygon; chains by x. */
static gboolean
is_outside (const OraclePoint * hull, gsize n, gsize top, const OraclePoint * p)
{
  gsize low = 0, high = top;

  if (n == 1)
    return p->x != hull->x || p->y != hull->y;
  if (p->x < hull[0].x || p->x > hull[top].x)
    return TRUE;
  /* the lower chain's edge over p: hull[low] .. hull[low + 1] */
  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (oracle_compare (&hull[middle], p) <= 0)
      low = middle;
    else
      high = middle;
  }
  if (oracle_orient (&hull[low], &hull[low + 1], p) < 0)
    return TRUE;
  low = top;
  high = n;
  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (oracle_compare (&hull[middle], p) >= 0)
      low = middle;
    else
      high = middle;
  }
  return oracle_orient (&hull[low], &hull[(low + 1) % n], p) < 0;
}

void
expect_properties (const Points * p, const CsHullOutput * out)
{
  const gsize n = out->n_points;
  g_autofree OraclePoint *hull = g_new (OraclePoint, n + 1);
  gsize i, top = 0;

  for (i = 0; i < n; i++) {
    hull[i] = point_at (p, out->indices[i]);
    expect (memcmp ((guint8 *) out->points + i * point_size (p->type),
            (guint8 *) p->data + out->indices[i] * point_size (p->type),
            point_size (p->type)) == 0, "vertex %zu has other bits", i);
    if (oracle_compare (&hull[i], &hull[top]) > 0)
      top = i;
  }
  for (i = 0; i < n; i++) {
    const OraclePoint *next = &hull[(i + 1) % n];

    if (i > 0)
      expect (oracle_compare (&hull[0], &hull[i]) < 0,
          "vertex %zu comes before the first", i);
    if (n >= 3 && oracle_orient (&hull[i], next, &hull[(i + 2) % n]) <= 0) {
      expect (FALSE, "no turn to the left after vertex %zu", i);
      break;
    }
  }
  for (i = 0; i < p->n && n > 0; i++) {
    const OraclePoint point = point_at (p, i);

    if (isfinite (point.x) && isfinite (point.y) &&
        is_outside (hull, n, top, &point)) {
      expect (FALSE, "point %zu (%.17g, %.17g) is outside", i, point.x,
          point.y);
      break;
    }
  }
}
