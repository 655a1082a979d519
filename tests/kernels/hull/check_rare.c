/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What other points hardly ever make the backends do. The hulls are known from
 * how the points were made. */
#include "check_hull.h"

#include "../lib/check.h"

/* More points in convex position than a block has room for */
#define LONG 9001
/* Fewer, but too many to compare all pairs */
#define DENSE 3001
/* Numbers of points for which more memory is needed, which a thread does not
 * keep */
#define LARGE 600000
#define ON_A_LINE 270001
/* More points than a GPU keeps of the first pass */
#define CROWD 4500001
#define FEW 400
/* Triangles that have more vertices than the result has room for at first */
#define TRIANGLES 350001
/* No multiple of it is a number above */
#define STEP 7919

/* Plans of this test's own: of sets that have no classes */
#define OWN_PLANS 77

static CsHullParams
make_params (CsHullScope scope, guint n_classes)
{
  CsHullParams params;

  cs_hull_params_init (&params);
  params.scope = scope;
  params.n_classes = n_classes;
  return params;
}

/* A hull for each of @n_hulls numbers of vertices in @counts, whose indices are
 * those of @want, one hull after the other. */
static void
check_hulls (const char *name, const Runner * runners, guint n_runners,
    const CsHullParams * params, const CsHullInput * input, guint n_hulls,
    const guint32 * counts, const guint32 * want)
{
  guint i, h;
  gsize k, n;

  for (i = 0; i < n_runners; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Result) result = run_hull (&runners[i], params, input, &error);

    begin ("%s: %s", runners[i].name, name);
    expect (result && result->out.n_hulls == n_hulls, "%s", error ?
        error->message : "another number of hulls");
    for (h = 0, n = 0; !case_has_failed () && h < n_hulls; h++) {
      expect (result->out.offsets[h + 1] - result->out.offsets[h] == counts[h],
          "hull %u has %u vertices, not %u", h, result->out.offsets[h + 1] -
          result->out.offsets[h], counts[h]);
      n += counts[h];
    }
    for (k = 0; !case_has_failed () && k < n; k++)
      expect (result->out.indices[k] == want[k], "vertex %u is point %u, not %u",
          (guint) k, result->out.indices[k], want[k]);
    end ();
  }
}

/* Points of a parabola, in no order: all of them are vertices, from left to
 * right. */
static void
fill_parabola (double *xy, guint32 n, guint32 * order)
{
  for (guint32 i = 0; i < n; i++) {
    const double x = (double) i - n / 2;

    order[i] = (guint32) ((guint64) i * STEP % n);
    xy[2 * order[i]] = x;
    xy[2 * order[i] + 1] = x * x;
  }
}

/* A polyline that does not fit a block, and so does its class. */
static void
check_long (const Runner * runners, guint n_runners)
{
  static const double inside[] = { 0, 100, 1, 100, 0, 101 };
  const CsHullParams per_contour = make_params (CS_HULL_SCOPE_PER_CONTOUR, 0);
  const CsHullParams per_class = make_params (CS_HULL_SCOPE_PER_CLASS, 1);
  const guint32 offsets[] = { 0, LONG, LONG + 3 }, counts[] = { LONG, 3 };
  const CsContour contours[2] = { {0, }, };
  g_autofree double *xy = g_new (double, 2 * (LONG + 3));
  g_autofree guint32 *want = g_new (guint32, LONG + 3);
  const CsHullInput input = {
    .points = xy,.type = CS_HULL_F64,.n_points = LONG + 3,
    .offsets = offsets,.contours = contours,.n_polylines = 2
  };

  fill_parabola (xy, LONG, want);
  for (guint32 i = 0; i < 3; i++) {
    xy[2 * (LONG + i)] = inside[2 * i];
    xy[2 * (LONG + i) + 1] = inside[2 * i + 1];
    want[LONG + i] = LONG + (guint32) i;
  }
  check_hulls ("a long polyline", runners, n_runners, &per_contour, &input, 2,
      counts, want);
  check_hulls ("a class of a long polyline", runners, n_runners, &per_class,
      &input, 1, counts, want);
}

static void
check_triangles (const Runner * runners, guint n_runners)
{
  const CsHullParams params = make_params (CS_HULL_SCOPE_PER_CONTOUR,
      OWN_PLANS);
  g_autofree gint32 *xy = g_new (gint32, 6 * TRIANGLES);
  g_autofree guint32 *want = g_new (guint32, 3 * TRIANGLES);
  g_autofree guint32 *offsets = g_new (guint32, TRIANGLES + 1);
  g_autofree guint32 *counts = g_new (guint32, TRIANGLES);
  guint32 i;
  const CsHullInput input = {
    .points = xy,.type = CS_HULL_I32,.n_points = 3 * TRIANGLES,
    .offsets = offsets,.n_polylines = TRIANGLES
  };

  for (i = 0; i < TRIANGLES; i++) {
    const gint32 x = (gint32) i;

    xy[6 * i] = xy[6 * i + 2] = x;
    xy[6 * i + 4] = x + 5;
    xy[6 * i + 1] = xy[6 * i + 5] = 0;
    xy[6 * i + 3] = 7;
    want[3 * i] = 3 * i;
    want[3 * i + 1] = 3 * i + 2;
    want[3 * i + 2] = 3 * i + 1;
    counts[i] = 3;
    offsets[i] = 3 * i;
  }
  offsets[i] = 3 * i;
  check_hulls ("many triangles", runners, n_runners, &params, &input,
      TRIANGLES, counts, want);
}

/* By one plan: few points, many vertices, three points. */
static void
check_dense (const Runner * runners, guint n_runners)
{
  static const guint32 sizes[] = { 17, DENSE, 3 };
  const CsHullParams params = make_params (CS_HULL_SCOPE_ALL, OWN_PLANS);
  g_autofree double *xy = g_new (double, 2 * DENSE);
  g_autofree guint32 *want = g_new (guint32, DENSE);

  for (guint32 i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const CsHullInput input = {
      .points = xy,.type = CS_HULL_F64,.n_points = sizes[i]
    };

    fill_parabola (xy, sizes[i], want);
    check_hulls ("a parabola", runners, n_runners, &params, &input, 1,
        &sizes[i], want);
  }
}

/* The corners of a rectangle and what is not outside of it: points of which x is
 * @x0 or, on the right, @x1, or between, @between. */
static void
check_rectangle (const char *name, const Runner * runners, guint n_runners,
    CsHullType type, gsize n, double x0, double x1, double y0, double y1,
    gboolean between)
{
  static const guint32 corners[] = { 0, 1, 2, 3 }, count = 4;
  const CsHullParams params = make_params (CS_HULL_SCOPE_ALL, OWN_PLANS);
  g_autofree void *points = g_new (double, 2 * n);
  const CsHullInput input = {.points = points,.type = type,.n_points = n };

  for (gsize i = 0; i < n; i++) {
    const double part = (double) (i * STEP % n) / n;
    const double x = i < 4 ? (i == 1 || i == 2 ? x1 : x0) : between ?
        x0 + (x1 - x0) * (.25 + part / 2) : i % 5 < 2 ? x1 : x0;
    const double y = i < 4 ? (i < 2 ? y0 : y1) : y0 + (y1 - y0) * (.25 +
        (double) i / n / 2);

    if (type == CS_HULL_F64) {
      ((double *) points)[2 * i] = x;
      ((double *) points)[2 * i + 1] = y;
    } else {
      ((float *) points)[2 * i] = (float) x;
      ((float *) points)[2 * i + 1] = (float) y;
    }
  }
  check_hulls (name, runners, n_runners, &params, &input, 1, &count, corners);
}

static void
check_line (const Runner * runners, guint n_runners)
{
  const CsHullParams params = make_params (CS_HULL_SCOPE_ALL, OWN_PLANS);
  g_autofree gint32 *xy = g_new (gint32, 2 * ON_A_LINE);
  const CsHullInput input = {
    .points = xy,.type = CS_HULL_I32,.n_points = ON_A_LINE
  };
  const guint32 count = 2;
  guint32 ends[2] = { 0, 0 }, i;

  for (i = 0; i < ON_A_LINE; i++) {
    xy[2 * i] = xy[2 * i + 1] = (gint32) ((guint64) i * STEP % ON_A_LINE);
    if (xy[2 * i] == 0)
      ends[0] = i;
    if (xy[2 * i] == ON_A_LINE - 1)
      ends[1] = i;
  }
  check_hulls ("a long line", runners, n_runners, &params, &input, 1, &count,
      ends);
}

void
check_rare (const Runner * runners, guint n_runners, gboolean brief)
{
  check_long (runners, n_runners);
  check_dense (runners, n_runners);
  /* y is hardly wider than its rounding errors */
  check_rectangle ("far above", runners, n_runners, CS_HULL_F64, FEW, 0., 10.,
      1e12, 1e12 + 8., TRUE);
  /* two numbers of single precision that follow each other */
  check_rectangle ("thin", runners, n_runners, CS_HULL_F32, FEW, 0x1p-100,
      0x1p-100 + 0x1p-123, 0., 1., FALSE);
  if (brief)
    return;
  check_rectangle ("many points", runners, n_runners, CS_HULL_F32, LARGE, 0.,
      1., 0., 1., TRUE);
  check_rectangle ("points on two sides", runners, n_runners, CS_HULL_F32,
      CROWD, 0., 1., 0., 1., FALSE);
  check_line (runners, n_runners);
  check_triangles (runners, n_runners);
}
