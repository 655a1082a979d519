/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points collinear up to rounding: hulls of a width of some 10^-16, where plain
 * cross products have no correct digit. */
#include <math.h>
#include <string.h>

#include "check_hull.h"
#include "hull_data.h"
#include "hull_oracle.h"
#include "../lib/check.h"

#define MAX_POINTS 9

/* On a line through the unit square; some slightly off it. */
static void
fill_line (guint64 * state, guint n, OraclePoint * points)
{
  const double x = data_uniform (state), y = data_uniform (state);
  const double dx = data_uniform (state) - .5, dy = data_uniform (state) - .5;
  const double beside = data_uniform (state) < .5 ? 0. :
      pow (2., -20. - 35. * data_uniform (state));

  for (guint i = 0; i < n; i++) {
    const double t = 3. * data_uniform (state) - 1.;

    points[i] = (OraclePoint) {
      .x = x + t * dx + beside * (data_uniform (state) - .5),
      .y = y + t * dy + beside * (data_uniform (state) - .5),
      .index = i,
    };
  }
}

static void
expect_close (const char *what, double value, long double want)
{
  /* points are at most 3 away from the origin */
  expect (fabsl (value - want) <= 1e-13L, "%s %.17g, not %.17Lg", what, value,
      want);
}

static void
expect_thin (const CsHullFeatures * f, const OraclePoint * hull, gsize n)
{
  const OracleMeasures m = oracle_measure (hull, n);

  expect (f->feret_min >= 0 && f->rect_width >= 0 && f->rect_height >= 0,
      "breadth %g, sides %g and %g", f->feret_min, f->rect_width,
      f->rect_height);
  expect_close ("circle of radius", f->circle_r, m.circle_r);
  expect_close ("Feret max", f->feret_max, m.feret_max);
  expect_close ("Feret min", f->feret_min, m.feret_min);
  expect_close ("rectangle of", f->rect_width * f->rect_height, m.rect_area);
}

static void
check_set (const Runner * runners, guint n_runners, const OraclePoint * points,
    guint n)
{
  double xy[2 * MAX_POINTS];
  CsHullFeatures first = { 0 };
  gsize n_hull, n_ignored;
  CsHullParams params;

  for (guint i = 0; i < n; i++) {
    xy[2 * i] = points[i].x;
    xy[2 * i + 1] = points[i].y;
  }
  cs_hull_params_init (&params);
  params.measures = CS_MEASURES_FULL;
  g_autofree OraclePoint *hull = oracle_hull (points, n, FALSE, &n_hull,
      &n_ignored);
  for (guint i = 0; i < n_runners; i++) {
    const CsHullInput input = {.points = xy,.type = CS_HULL_F64,.n_points = n };
    g_autoptr (Result) result = run_hull (&runners[i], &params, &input, NULL);

    expect (result && result->out.n_hulls == 1, "%s: no hull", runners[i].name);
    if (result && result->out.n_hulls == 1) {
      if (i == 0)
        first = result->out.features[0];
      expect (memcmp (&first, result->out.features, sizeof (first)) == 0,
          "%s: other features", runners[i].name);
      expect_thin (result->out.features, hull, n_hull);
    }
  }
}

void
check_thin (const Runner * runners, guint n_runners, guint n_sets)
{
  /* three whose circle is the one on the longest side */
  static const OraclePoint three[] = { {0, .5, 0}, {.1, .59, 1}, {1, 1.4, 2} };
  guint64 state = 5;

  if (is_of_part ()) {
    begin ("nearly collinear points by hand");
    check_set (runners, n_runners, three, 3);
    end ();
  }
  for (guint set = 0; set < n_sets; set++) {
    const guint n = 3 + (guint) (data_random (&state) % (MAX_POINTS - 2));
    OraclePoint points[MAX_POINTS];

    fill_line (&state, n, points);
    if (!is_of_part ())
      continue;
    begin ("nearly collinear points, set %u", set);
    check_set (runners, n_runners, points, n);
    end ();
  }
}
