/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "../lib/suite.h"
#include "shapes/simplify.h"

static gdouble
distance (GstShapePoint p, GstShapePoint a, GstShapePoint b)
{
  gdouble dx = (gdouble) b.x - a.x, dy = (gdouble) b.y - a.y;
  gdouble l2 = dx * dx + dy * dy;
  gdouble t = l2 > 0 ? CLAMP (((p.x - a.x) * dx + (p.y - a.y) * dy) / l2, 0, 1)
      : 0;

  return hypot (p.x - (a.x + t * dx), p.y - (a.y + t * dy));
}

/* Every dropped point is close to the segment in its place. */
static gsize
check_result (const GstShapePoint * points, gsize n, gdouble tolerance)
{
  Simplifier simplifier = { 0, };
  const guint8 *keep = simplifier_run (&simplifier, points, n, tolerance);
  gsize from = 0, kept = 1;

  fail_unless (keep[0] && keep[n - 1]);
  for (gsize i = 1; i < n; i++) {
    if (!keep[i])
      continue;
    kept++;
    for (gsize k = from + 1; k < i; k++)
      if (distance (points[k], points[from], points[i])
          > tolerance * (1 + 1e-9) + 1e-12)
        fail ("point %u is too far away", (guint) k);
    from = i;
  }
  simplifier_clear (&simplifier);
  return kept;
}

TEST (test_straight_line_keeps_only_its_ends)
{
  GstShapePoint points[100];

  for (guint i = 0; i < 100; i++)
    points[i] = (GstShapePoint) {
    i, i * 2.f};
  fail_unless_equals_uint64 (check_result (points, 100, 0), 2);
}

TEST (test_ring_is_cut_at_its_farthest_point)
{
  GstShapePoint points[361];

  for (guint i = 0; i <= 360; i++)
    points[i] = (GstShapePoint) {
    100 *cos (i * G_PI / 180), 100 * sin (i * G_PI / 180)};
  points[360] = points[0];
  /* As coarse as it gets: there, half way round, and back. */
  fail_unless_equals_uint64 (check_result (points, 361, 150), 3);
  fail_unless (check_result (points, 361, 1) < 40);
  fail_unless (check_result (points, 361, 1) > 8);
  fail_unless_equals_uint64 (check_result (points, 361, 1e-9), 361);
}

TEST (test_few_points_stay)
{
  const GstShapePoint points[] = { {0, 0}, {1, 1}, {0, 0} };

  for (gsize n = 1; n <= 2; n++)
    fail_unless_equals_uint64 (check_result (points, n, 100), n);
  fail_unless_equals_uint64 (check_result (points, 3, 1), 3);
  fail_unless_equals_uint64 (check_result (points, 3, 2), 2);
}

TEST (test_no_tolerance_drops_only_points_on_the_line)
{
  const GstShapePoint points[] = { {0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 1} };

  fail_unless_equals_uint64 (check_result (points, 5, 0), 4);
  fail_unless_equals_uint64 (check_result (points, 5, 0), 4);
}

TEST (test_tolerance_that_is_no_number_is_none)
{
  const GstShapePoint points[] = { {0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 1} };
  const gdouble tolerances[] = { -1, NAN, -INFINITY };
  Simplifier simplifier = { 0, };

  for (guint i = 0; i < G_N_ELEMENTS (tolerances); i++) {
    const guint8 *keep = simplifier_run (&simplifier, points, 5,
        tolerances[i]);

    fail_unless (keep[2] && keep[3] && !keep[1]);
  }
  simplifier_clear (&simplifier);
}

TEST (test_points_that_are_not_finite_stay_and_take_no_time)
{
  const gsize n = 1000000;
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n);
  Simplifier simplifier = { 0, };

  for (gsize i = 0; i < n; i++)
    points[i] = (GstShapePoint) {
    NAN, i % 3 ? INFINITY : 0};
  const guint8 *keep = simplifier_run (&simplifier, points, n, 1);
  for (gsize i = 0; i < n; i++)
    if (!keep[i])
      fail ("point %u is gone", (guint) i);
  simplifier_clear (&simplifier);
}

TEST (test_a_million_points_need_no_stack_and_little_time)
{
  const gsize n = 1000000;
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n);

  /* A spiral: the farthest point of a span is often next to its end. */
  for (gsize i = 0; i < n; i++) {
    gdouble r = exp (i * 1e-5);

    points[i] = (GstShapePoint) {
    r *cos (i * 1e-3), r * sin (i * 1e-3)};
  }
  fail_unless (check_result (points, n, .5) < n / 2);
}

TEST (test_random_walks_stay_within_the_tolerance)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint round = 0; round < 200; round++) {
    gsize n = g_rand_int_range (rand, 2, 10000);
    g_autofree GstShapePoint *points = g_new0 (GstShapePoint, n);

    for (gsize i = 1; i < n; i++)
      points[i] = (GstShapePoint) {
      points[i - 1].x + g_rand_double_range (rand, -1, 1.5),
          points[i - 1].y + g_rand_double_range (rand, -1, 1)};
    if (round % 2)
      points[n - 1] = points[0];
    fail_unless (check_result (points, n, .75) <= n);
  }
}

/* A fraction of whole numbers, not negative. */
typedef struct
{
  __int128 over, under;
} Fraction;

static gint64
scalar (GstShapePoint a, GstShapePoint b, GstShapePoint p, GstShapePoint q)
{
  return (gint64) (b.x - a.x) * (gint64) (q.x - p.x) +
      (gint64) (b.y - a.y) * (gint64) (q.y - p.y);
}

/* The squared distance of @p from the segment @a @b, all with whole
 * coordinates. */
static Fraction
exact_distance (GstShapePoint p, GstShapePoint a, GstShapePoint b)
{
  const gint64 length2 = scalar (a, b, a, b);

  if (scalar (a, b, a, p) <= 0)
    return (Fraction) { scalar (a, p, a, p), 1 };
  if (scalar (b, a, b, p) <= 0)
    return (Fraction) { scalar (b, p, b, p), 1 };
  gint64 cross = (gint64) (b.x - a.x) * (gint64) (p.y - a.y) -
      (gint64) (b.y - a.y) * (gint64) (p.x - a.x);
  return (Fraction) { (__int128) cross * cross, length2 };
}

static gboolean
is_more (Fraction a, Fraction b)
{
  return a.over * b.under > b.over * a.under;
}

/* The method as it is told: a recursion, in exact arithmetic. */
static void
simplify_exactly (const GstShapePoint * points, gsize first, gsize last,
    Fraction tolerance2, guint8 * keep)
{
  Fraction most = { -1, 1 };
  gsize cut = first;

  for (gsize i = first + 1; i < last; i++) {
    Fraction d2 = exact_distance (points[i], points[first], points[last]);

    if (is_more (d2, most)) {
      most = d2;
      cut = i;
    }
  }
  if (cut == first || !is_more (most, tolerance2))
    return;
  keep[cut] = 1;
  simplify_exactly (points, first, cut, tolerance2, keep);
  simplify_exactly (points, cut, last, tolerance2, keep);
}

/* Small whole numbers: many are as far away as another one, and the first of
 * them is taken. Tolerances are no root that a distance could be. */
TEST (test_kept_points_are_those_of_the_method)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  Simplifier simplifier = { 0, };

  for (guint round = 0; round < 2000; round++) {
    const gsize last = 2 + g_rand_int (rand) % 38, n = last + 1;
    const gint side = round % 2 ? 6 : 900;
    const gint quarters = g_rand_int_range (rand, 0, 40) * 4 + 1;
    const Fraction tolerance2 = { quarters * quarters, 16 };
    GstShapePoint points[40];
    guint8 want[40] = { 0, };

    for (gsize i = 0; i < n; i++)
      points[i] = (GstShapePoint) {
      g_rand_int_range (rand, 0, side), g_rand_int_range (rand, 0, side)};
    if (round % 3 == 0)
      points[last] = points[0];
    want[0] = want[last] = 1;
    simplify_exactly (points, 0, last, tolerance2, want);
    const guint8 *keep = simplifier_run (&simplifier, points, n, quarters / 4.);
    for (gsize i = 0; i < n; i++)
      fail_unless (keep[i] == want[i], "round %u: point %u of %u %s", round,
          (guint) i, (guint) n, keep[i] ? "stays" : "goes");
  }
  simplifier_clear (&simplifier);
}

#define MAX_RING 600

/* Twice the area of a triangle, without rounding: points are multiples of
 * 1/256. */
static gint64
turn (GstShapePoint a, GstShapePoint b, GstShapePoint c)
{
  const gint64 ax = a.x * 256, ay = a.y * 256, bx = b.x * 256, by = b.y * 256;
  const gint64 cx = c.x * 256, cy = c.y * 256;

  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

static gint
side_of (GstShapePoint a, GstShapePoint b, GstShapePoint c)
{
  const gint64 t = turn (a, b, c);

  return t > 0 ? 1 : t < 0 ? -1 : 0;
}

static gboolean
lies_on (GstShapePoint p, GstShapePoint a, GstShapePoint b)
{
  return turn (a, b, p) == 0 && p.x >= MIN (a.x, b.x) && p.x <= MAX (a.x, b.x)
      && p.y >= MIN (a.y, b.y) && p.y <= MAX (a.y, b.y);
}

/* By the definition, all pairs of sides; neighbours share a corner alone. */
static gboolean
is_simple (const GstShapePoint * ring, gsize n)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = i + 1; k < n; k++) {
      const GstShapePoint a = ring[i], b = ring[(i + 1) % n];
      const GstShapePoint c = ring[k], d = ring[(k + 1) % n];

      if (k == i + 1) {
        if (lies_on (d, a, b) || lies_on (a, c, d))
          return FALSE;
      } else if (i == 0 && k == n - 1) {
        if (lies_on (c, a, b) || lies_on (b, c, d))
          return FALSE;
      } else if (lies_on (c, a, b) || lies_on (d, a, b) || lies_on (a, c, d)
          || lies_on (b, c, d) || (side_of (a, b, c) * side_of (a, b, d) < 0
              && side_of (c, d, a) * side_of (c, d, b) < 0)) {
        return FALSE;
      }
    }
  return n >= 3;
}

/* The ring that @keep leaves, without its last point. */
static gsize
select_points (const GstShapePoint * points, gsize n, const guint8 * keep,
    GstShapePoint * ring)
{
  gsize kept = 0;

  for (gsize i = 0; i + 1 < n; i++)
    if (keep[i])
      ring[kept++] = points[i];
  return kept;
}

/* Along a random line and back just below it, so that it is simple. */
static gsize
make_ribbon (GRand * rand, GstShapePoint * points)
{
  const guint n = g_rand_int_range (rand, 5, MAX_RING / 2 - 1);
  gdouble y = 100;

  for (guint i = 0; i < n; i++) {
    y += floor (g_rand_double_range (rand, -4, 4) * 256) / 256;
    points[i] = points[2 * n - 1 - i] = (GstShapePoint) {
    i, y};
    points[2 * n - 1 - i].y -= g_rand_int_range (rand, 1, 256) / 256.f;
  }
  points[2 * n] = points[0];
  return 2 * n + 1;
}

TEST (test_simplified_rings_are_polygons)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  GstShapePoint points[MAX_RING], ring[MAX_RING];
  Simplifier simplifier = { 0, };
  guint n_wrong = 0, n_fewer = 0, n_rings = 0;

  while (n_rings < 400) {
    const gsize n = make_ribbon (rand, points);
    const gdouble tolerance = g_rand_double_range (rand, .1, 5);

    if (!is_simple (points, n - 1))
      continue;
    n_rings++;
    gsize kept = select_points (points, n, simplifier_run (&simplifier, points,
            n, tolerance), ring);
    n_wrong += !is_simple (ring, kept);
    kept = select_points (points, n, simplifier_run_polygon (&simplifier,
            points, n, tolerance), ring);
    fail_unless (is_simple (ring, kept));
    n_fewer += kept < n - 1;
  }
  /* the simplification alone does not do it, and not every ring stays whole */
  fail_unless (n_wrong > 20, "only %u", n_wrong);
  fail_unless (n_fewer > 200, "only %u", n_fewer);
  simplifier_clear (&simplifier);
}

TEST (test_open_lines_and_triangles)
{
  const GstShapePoint open[] = { {0, 0}, {1, .1f}, {2, 0}, {3, 5} };
  const GstShapePoint ring[] = { {0, 0}, {9, 0}, {0, 9}, {0, 0} };
  Simplifier simplifier = { 0, };
  const guint8 *keep = simplifier_run_polygon (&simplifier, open, 4, 1);

  fail_unless (keep[0] && !keep[1] && keep[2] && keep[3]);
  /* however coarse: two points are no polygon */
  keep = simplifier_run_polygon (&simplifier, ring, 4, 1000);
  fail_unless (keep[0] && keep[1] && keep[2] && keep[3]);
  simplifier_clear (&simplifier);
}

SUITE (simplify)
{
  tcase_set_timeout (tcase, 120);
}
