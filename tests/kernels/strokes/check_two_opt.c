/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks what does not have one right answer: that two-opt draws the same
 * contours, with less travel, and the least in small drawings; and that
 * simplified contours stay where they were. */
#include <math.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "check_strokes.h"
#include "strokes_data.h"

#define MAX_EXACT 6
#define MAX_POINTS 5

static gboolean
is_closed (const CsStrokePoint * points, gsize n)
{
  return n > 2 && memcmp (points, points + n - 1, sizeof (*points)) == 0;
}

static double
distance (CsStrokePoint a, CsStrokePoint b)
{
  return hypot ((double) a.x - b.x, (double) a.y - b.y);
}

/* --- The least travel, by all orders -------------------------------------- */

/* Where contour @c ends if it is entered at point @k, or -1. */
static int
leave (const CsStrokesInput * in, guint c, guint k)
{
  const CsStrokePoint *points = in->points + in->offsets[c];
  const guint n = in->offsets[c + 1] - in->offsets[c];

  if (is_closed (points, n))
    return k + 1 < n ? (int) k : -1;
  if (k == 0)
    return n - 1;
  return k + 1 == n ? 0 : -1;
}

/* Held and Karp's recursion: the least travel that has drawn a set and stands
 * at a point of one of it. */
static double
find_least_travel (const CsStrokesInput * in)
{
  static double least[1 << MAX_EXACT][MAX_EXACT][MAX_POINTS];
  const guint n = in->n_contours, all = (1u << n) - 1;
  double best = INFINITY;

  for (guint set = 1; set <= all; set++)
    for (guint c = 0; c < n; c++)
      for (guint k = 0; k < MAX_POINTS; k++)
        least[set][c][k] = INFINITY;
  for (guint c = 0; c < n; c++)
    for (guint k = 0; k < in->offsets[c + 1] - in->offsets[c]; k++)
      if (leave (in, c, k) >= 0)
        least[1u << c][c][leave (in, c, k)] = 0;
  for (guint set = 1; set <= all; set++) {
    for (guint c = 0; c < n; c++) {
      for (guint k = 0; k < MAX_POINTS; k++) {
        if (isinf (least[set][c][k]))
          continue;
        if (set == all)
          best = MIN (best, least[set][c][k]);
        for (guint c2 = 0; c2 < n; c2++) {
          if (set >> c2 & 1)
            continue;
          for (guint k2 = 0; k2 < in->offsets[c2 + 1] - in->offsets[c2]; k2++) {
            const int end = leave (in, c2, k2);
            double *to = end < 0 ? NULL : &least[set | 1u << c2][c2][end];

            if (to)
              *to = MIN (*to, least[set][c][k] + distance (in->points
                      [in->offsets[c] + k], in->points[in->offsets[c2] + k2]));
          }
        }
      }
    }
  }
  return best;
}

/* --- Two-opt -------------------------------------------------------------- */

/* Whether @a is @b, from another point on if closed, or reversed. */
static gboolean
is_same_contour (const CsStrokePoint * a, const CsStrokePoint * b, gsize n)
{
  const gboolean closed = is_closed (b, n);
  const gsize ring = closed ? n - 1 : n;
  gsize i;

  if (closed != is_closed (a, n))
    return FALSE;
  for (gsize shift = 0; shift < (closed ? ring : 1); shift++) {
    for (i = 0; i < ring && memcmp (&a[i], &b[(i + shift) % ring],
            sizeof (*a)) == 0; i++);
    if (i == ring)
      return TRUE;
  }
  for (i = 0; !closed && i < n && memcmp (&a[i], &b[n - 1 - i],
          sizeof (*a)) == 0; i++);
  return !closed && i == n;
}

static void
expect_same_contours (const CsStrokesInput * in, const CsStrokesOutput * out)
{
  g_autofree gboolean *seen = g_new0 (gboolean, in->n_contours + 1);

  expect (out->n_contours == in->n_contours, "%zu contours of %zu",
      out->n_contours, in->n_contours);
  for (gsize i = 0; i < out->n_contours; i++) {
    const guint32 source = out->sources[i];
    const gsize n = in->offsets[source + 1] - in->offsets[source];

    expect (!seen[source], "contour %u is drawn twice", source);
    seen[source] = TRUE;
    expect (out->offsets[i + 1] - out->offsets[i] == n &&
        is_same_contour (out->points + out->offsets[i],
            in->points + in->offsets[source], n), "contour %u is another one",
        source);
  }
}

static double
measure (const CsStrokesOutput * out)
{
  double travel = 0;

  for (gsize i = 1; i < out->n_contours; i++)
    travel += distance (out->points[out->offsets[i] - 1],
        out->points[out->offsets[i]]);
  return travel;
}

static CsStrokes *
plan_new (CsExecutor * executor, gboolean two_opt, double simplify)
{
  const CsStrokesParams params = {
    .merge_distance = -1,
    .duplicate_distance = -1,
    .biggest_first = TRUE,
    .order = CS_STROKES_ORDER_ENDPOINTS,
    .two_opt = two_opt,
    .simplify = simplify,
  };

  return cs_strokes_new (&params, executor, NULL);
}

/* Up to MAX_EXACT contours of up to MAX_POINTS points. */
static Drawing *
make_small (guint64 * state, gboolean ties, gboolean closed)
{
  const guint n = 1 + random_below (state, MAX_EXACT);
  Drawing *d = drawing_new (n * MAX_POINTS, n);

  for (guint i = 0; i < n; i++) {
    const guint size = 1 + random_below (state, MAX_POINTS - 1);
    const gsize first = d->n_points;

    for (guint k = 0; k < size; k++) {
      const double x = 100 * random_unit (state);
      const double y = 100 * random_unit (state);

      drawing_add (d, ties ? floor (x / 25) : x, ties ? floor (y / 25) : y);
    }
    if (closed && size > 2 && random_below (state, 2))
      drawing_add (d, d->points[first].x, d->points[first].y);
    drawing_end_contour (d, i);
  }
  return d;
}

static void
check_tour (CsStrokes * ends, CsStrokes * two_opt, const Drawing * d,
    double least)
{
  const CsStrokesInput in = drawing_input (d, NULL);
  CsStrokesOutput a, b;

  if (!cs_strokes_run (ends, &in, &a, NULL)) {
    expect (FALSE, "no memory");
    return;
  }
  double travel = a.travel;
  expect (cs_strokes_run (two_opt, &in, &b, NULL), "no memory");
  expect_same_contours (&in, &b);
  expect (fabs (b.travel - measure (&b)) <= 1e-9 * (1 + travel),
      "travel %g is said to be %g", measure (&b), b.travel);
  expect (b.travel <= travel * (1 + 1e-12), "%g is more than %g without",
      b.travel, travel);
  expect (b.travel <= least * (1 + 1e-6) + 1e-4, "%g, but %g would do",
      b.travel, least);
}

/* A closed contour and a line near one of its corners become one. */
static void
check_joined (CsExecutor * executor)
{
  static const CsStrokePoint points[] = {
    {0, 0}, {9, 0}, {9, 9}, {0, 9}, {0, 0}, {40, 9}, {10, 9}, {60, 9}, {43, 9}
  };
  const guint32 offsets[4] = { 0, 5, 7, 9 };
  const CsStrokesInput in = {.points = points,.offsets = offsets,
    .n_contours = 3
  };
  const CsStrokesParams params = {.merge_distance = 2,
    .duplicate_distance = -1,.biggest_first = TRUE,
    .order = CS_STROKES_ORDER_ENDPOINTS,.two_opt = TRUE
  };
  g_autoptr (CsStrokes) plan = cs_strokes_new (&params, executor, NULL);
  CsStrokesOutput out;

  begin ("two-opt joins what is close");
  expect (cs_strokes_run (plan, &in, &out, NULL), "no memory");
  expect (out.n_contours == 2 && out.n_points == 9 && out.offsets[2] == 9 &&
      fabs (out.travel - 3) < 1e-6, "%zu contours of %zu points, travel %g",
      out.n_contours, out.n_points, out.travel);
  expect (out.sources[0] + out.sources[1] == 2, "of %u and %u",
      out.sources[0], out.sources[1]);
  end ();
}

void
check_two_opt (guint n_rounds)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  g_autoptr (CsStrokes) ends = plan_new (executor, FALSE, 0);
  g_autoptr (CsStrokes) two_opt = plan_new (executor, TRUE, 0);
  guint64 state = 5;
  guint round, n_least[2] = { 0, 0 };

  for (round = 0; round < 4 * n_rounds; round++) {
    const gboolean closed = round % 2;
    Drawing *d = make_small (&state, round % 4 > 1, closed);
    const CsStrokesInput in = drawing_input (d, NULL);
    const double least = find_least_travel (&in);
    CsStrokesOutput out;

    begin ("two-opt of a small drawing, round %u", round);
    check_tour (ends, two_opt, d, round % 4 > 0 ? INFINITY : 1.2 * least);
    if (cs_strokes_run (two_opt, &in, &out, NULL))
      n_least[closed] += out.travel <= least * (1 + 1e-6) + 1e-4;
    end ();
    drawing_free (d);
  }
  /* a local search need not find it every time; few drawings say nothing */
  check_that (round < 100 || (n_least[0] >= .97 * round / 2 &&
          n_least[1] >= .7 * round / 2), "two-opt finds the least travel of "
      "%u open, %u closed of %u small drawings", n_least[0], n_least[1],
      round);
  for (round = 0; round < n_rounds; round++) {
    const DataKind kind = DATA_DOTS + round % 2 * (DATA_FIELD - DATA_DOTS);
    Drawing *d = round % 3 ? data_new (kind, round, 1 + 40 * round) :
        data_picture (200 + 60 * round, &(double) { 0 });

    begin ("two-opt, round %u", round);
    check_tour (ends, two_opt, d, INFINITY);
    end ();
    drawing_free (d);
  }
  check_joined (executor);
}

/* --- Simplification ------------------------------------------------------- */

static long double
line_distance (CsStrokePoint p, CsStrokePoint a, CsStrokePoint b)
{
  const long double dx = (long double) b.x - a.x, dy = (long double) b.y - a.y;
  const long double length2 = dx * dx + dy * dy;
  long double t = length2 > 0 ? (((long double) p.x - a.x) * dx +
      ((long double) p.y - a.y) * dy) / length2 : 0;

  t = CLAMP (t, 0, 1);
  return hypotl ((long double) p.x - a.x - t * dx,
      (long double) p.y - a.y - t * dy);
}

/* Each point of @all is one of @some, in order, or near the line between the
 * two around it. */
static void
expect_near (const CsStrokePoint * all, gsize n_all,
    const CsStrokePoint * some, gsize n_some, double tolerance)
{
  gsize i, k, from = 0, next = 0;

  expect (memcmp (&all[0], &some[0], sizeof (*all)) == 0 &&
      memcmp (&all[n_all - 1], &some[n_some - 1], sizeof (*all)) == 0,
      "the ends have moved");
  for (i = 1; i < n_some; i++) {
    for (next = from + (n_all > 1); next + 1 < n_all &&
        memcmp (&all[next], &some[i], sizeof (*all)) != 0; next++);
    for (k = from + 1; k < next; k++) {
      const long double d = line_distance (all[k], some[i - 1], some[i]);

      /* equal points may be met too early */
      expect (d <= tolerance * (1 + 1e-9) ||
          memcmp (&all[next], &some[i], sizeof (*all)) != 0,
          "point %zu is %Lg pixels away", k, d);
    }
    from = next;
  }
}

static void
check_corner (CsExecutor * executor)
{
  static const CsStrokePoint points[] = {
    {0, 0}, {1, .1f}, {2, -.1f}, {3, 0}, {4, .5f}, {4, 3}, {4.2f, 2}, {4, 1}
  };
  const guint32 offsets[2] = { 0, 8 };
  const CsStrokesInput in = {.points = points,.offsets = offsets,
    .n_contours = 1
  };
  g_autoptr (CsStrokes) plan = plan_new (executor, FALSE, .25);
  CsStrokesOutput out;

  begin ("simplified by hand");
  expect (cs_strokes_run (plan, &in, &out, NULL), "no memory");
  expect (out.n_points == 5 && out.offsets[1] == 5, "%zu points", out.n_points);
  if (out.n_points == 5)
    expect (out.points[1].x == 3 && out.points[2].y == .5f &&
        out.points[3].y == 3 && out.points[4].y == 1, "others");
  end ();
}

/* A line along x: of each piece of 4096 steps the ends stay. */
static void
check_pieces (CsExecutor * executor)
{
  static const float ends[] = { 0, 4096, 8192, 8999 };
  g_autoptr (Drawing) d = drawing_new (9000, 1);
  g_autoptr (CsStrokes) plan = plan_new (executor, FALSE, .25);
  CsStrokesOutput out;

  for (guint i = 0; i < 9000; i++)
    drawing_add (d, i, 7);
  drawing_end_contour (d, 0);
  CsStrokesInput in = drawing_input (d, NULL);
  begin ("pieces of a long line");
  expect (cs_strokes_run (plan, &in, &out, NULL), "no memory");
  expect (out.n_points == G_N_ELEMENTS (ends), "%zu points", out.n_points);
  for (guint i = 0; i < MIN (out.n_points, G_N_ELEMENTS (ends)); i++)
    expect (out.points[i].x == ends[i] && out.points[i].y == 7, "point %u: %g",
        i, out.points[i].x);
  end ();
}

void
check_simplify (guint n_rounds)
{
  static const double tolerances[] = { .01, .25, 1, 20, 1e9 };
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);

  check_corner (executor);
  check_pieces (executor);
  for (guint round = 0; round < n_rounds; round++) {
    const double tolerance = tolerances[round % G_N_ELEMENTS (tolerances)];
    g_autoptr (Drawing) d = round % 2 ? data_picture (3000 * (1 + round % 5),
        &(double) { 0 }) : data_new (DATA_WALKS, round, 500);
    const CsStrokesInput in = drawing_input (d, NULL);
    g_autoptr (CsStrokes) plan = plan_new (executor, FALSE, 0);
    g_autoptr (CsStrokes) simple = plan_new (executor, FALSE, tolerance);
    CsStrokesOutput all, some;

    begin ("simplified by %g, round %u", tolerance, round);
    expect (cs_strokes_run (plan, &in, &all, NULL) &&
        cs_strokes_run (simple, &in, &some, NULL), "no memory");
    expect (some.n_contours == all.n_contours && some.travel == all.travel &&
        (some.n_points < all.n_points || tolerance < .25),
        "%zu contours of %zu, %zu points of %zu", some.n_contours,
        all.n_contours, some.n_points, all.n_points);
    for (gsize i = 0; i < some.n_contours && !case_has_failed (); i++)
      expect_near (all.points + all.offsets[i], all.offsets[i + 1] -
          all.offsets[i], some.points + some.offsets[i], some.offsets[i + 1] -
          some.offsets[i], tolerance);
    end ();
  }
}
