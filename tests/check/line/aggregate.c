/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Surfaces against the formula of the spherical cap, and figures of a few
 * contours against values computed by hand. */

#include "aggregate.h"
#include "check.h"
#include "coverage.h"
#include "decide.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define N_POINTS 400

static LineGeometry
make_geometry (guint views, guint cups)
{
  LineGeometry geometry = {.views = views,.cups = cups,.columns = 511,
    .rows = 95,.mm_per_pixel = {0.8, 0.8, 0.8, 0.8},
    .cup_first = {51, 51, 51, 51},.cup_pitch = {102, 102, 102, 102},
    .turn = 72,.tilt = {-45, -15, 15, 45}
  };

  if (views == 1)
    geometry.tilt[0] = 0;
  return geometry;
}

/* By definition: the piece rolls about y, the top towards x; then the camera
 * is tilted about x. */
static void
turn (double angle, double *a, double *b)
{
  double c = cos (angle), s = sin (angle), x = *a * c + *b * s;

  *b = *b * c - *a * s;
  *a = x;
}

static LinePoint points[LINE_MAX_LOOKS][N_POINTS + 1];

static void
fill_box (LineContour * contour, const LinePoint * at)
{
  contour->x0 = contour->y0 = 1e9;
  contour->x1 = contour->y1 = -1e9;
  contour->area = 0;
  for (gsize i = 0; i < contour->n_points; i++) {
    const LinePoint *p = &at[i], *next = p + 1;

    contour->x0 = MIN (contour->x0, p->x);
    contour->x1 = MAX (contour->x1, p->x);
    contour->y0 = MIN (contour->y0, p->y);
    contour->y1 = MAX (contour->y1, p->y);
    if (i + 1 < contour->n_points)
      contour->area += (p->x * next->y - next->x * p->y) / 2;
  }
}

/* The edge of a cap around @axis, in the picture of one look. Returns: whether
 * any of it is in sight */
static gboolean
project_cap (const double axis[3], double angle, double tilt, double roll,
    double x, double radius, LinePoint * out, LineContour * contour)
{
  double a[3], b[3];
  gsize n = 0;

  /* two vectors across the axis */
  memcpy (a, fabs (axis[0]) < 0.7 ? (double[]) {1, 0, 0} : (double[]) {0, 1, 0},
      sizeof (a));
  double length = a[0] * axis[0] + a[1] * axis[1];
  for (int i = 0; i < 3; i++)
    a[i] -= length * axis[i];
  length = sqrt (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++)
    a[i] /= length;
  for (int i = 0; i < 3; i++)
    b[i] = axis[(i + 1) % 3] * a[(i + 2) % 3] -
        axis[(i + 2) % 3] * a[(i + 1) % 3];
  for (int i = 0; i < N_POINTS; i++) {
    double t = 2 * G_PI * i / N_POINTS, p[3];

    for (int j = 0; j < 3; j++)
      p[j] = cos (angle) * axis[j] + sin (angle) * (cos (t) * a[j]
          + sin (t) * b[j]);
    turn (roll, &p[0], &p[2]);
    turn (-tilt, &p[1], &p[2]);
    if (p[2] > 0)
      out[n++] = (LinePoint) {x + radius * p[0], 47 + radius * p[1]};
  }
  if (n < 3)
    return FALSE;
  out[n] = out[0];
  contour->n_points = n + 1;
  fill_box (contour, out);
  return TRUE;
}

static LineRecipe *
load_recipe (void)
{
  g_autofree char *path = g_build_filename (LINE_FILES, "apricot.ini", NULL);
  LineRecipe *recipe = line_recipe_load (path, NULL);

  g_assert (recipe);
  return recipe;
}

static LineContour
make_fruit (gint32 id, double x, double feret_min, double feret_max)
{
  LineContour fruit = {.class_id = 12,.id = id,.parent = -1,
    .area = G_PI * (feret_min + feret_max) * (feret_min + feret_max) / 16,
    .feret_min = feret_min,.feret_max = feret_max,
    .circle_x = x,.circle_y = 47
  };

  fruit.x0 = x - 30;
  fruit.x1 = x + 30;
  fruit.y0 = 17;
  fruit.y1 = 77;
  return fruit;
}

/* How a piece passes: the degrees that it turns from cup to cup; whether from
 * cup 1 on it lies otherwise; bits of views that are dark; whether a tenth of
 * the looks is lost. */
typedef struct
{
  LineRules rules;
  double turn;
  gboolean hops;
  guint dark;
  gboolean with_losses;
} Way;

/* A cap of rot anywhere on a sphere of 48 mm, seen by four views in five cups
 * that should turn by 72 degrees. */
static LineMeasures
see_cap (LineRecipe * recipe, const double cap[3], double angle,
    const Way * way, guint64 * random)
{
  LineGeometry geometry = make_geometry (4, 5);
  static LineContour contours[20][3];
  LineView views[20];
  const LineView *looks[20];
  LineMeasures measures;

  for (guint c = 0; c < 5; c++)
    for (guint v = 0; v < 4; v++) {
      guint i = c * 4 + v;
      LineContour *contour = contours[i];
      double axis[3] = { cap[0], cap[1], cap[2] };

      if (way->hops && c >= 1)
        turn (2, &axis[1], &axis[2]);
      contour[0] = make_fruit (0, 51 + 102 * c, 60, 60);
      contour[1] = contour[2] = (LineContour) {.parent = -1,.id = 1 };
      views[i] = (LineView) {contour, 1, points[i]};
      if (project_cap (axis, angle, geometry.tilt[v] * G_PI / 180,
              c * way->turn * G_PI / 180, 51 + 102 * c, 30, points[i],
              &contour[1])) {
        contour[1].class_id = 13;
        contour[2] = contour[1];
        contour[2].class_id = 6;
        views[i].n_contours = 3;
      }
      if (way->dark >> v & 1)
        views[i].n_contours = 0;
      looks[i] = way->with_losses && random_below (random, 10) == 0 ? NULL :
          &views[i];
    }
  expect (line_aggregate (way->rules, &geometry, recipe, looks, &measures,
          NULL), "made");
  expect (fabs (measures.diameter - 48) < 1e-9, "%g mm", measures.diameter);
  expect (fabs (measures.figures[1].mm2 - measures.figures[7].mm2) < 1e-6,
      "rot is %g of %g", measures.figures[1].mm2, measures.figures[7].mm2);
  return measures;
}

static void
draw_axis (guint64 * random, double axis[3])
{
  double z = 2 * random_unit (random) - 1, r = sqrt (1 - z * z);
  double t = 2 * G_PI * random_unit (random);

  axis[0] = r * cos (t);
  axis[1] = r * sin (t);
  axis[2] = z;
}

static double
draw_angle (guint64 * random)
{
  return (4 + 16 * random_unit (random)) * G_PI / 180;
}

static void
check_caps (LineRecipe * recipe, const Way * way, double tolerance)
{
  guint64 random = 5;
  double worst = 0;

  begin ("caps on a sphere, rules %d%s", way->rules,
      way->with_losses ? ", views lost" : "");
  for (guint i = 0; i < 200; i++) {
    double axis[3];

    draw_axis (&random, axis);
    double angle = draw_angle (&random);
    double mm2 = see_cap (recipe, axis, angle, way, &random).figures[7].mm2;
    double truth = 2 * G_PI * 24 * 24 * (1 - cos (angle));
    worst = MAX (worst, fabs (mm2 / truth - 1));
    expect (fabs (mm2 / truth - 1) < tolerance, "%.2f mm2 for %.2f at "
        "%.2f %.2f %.2f", mm2, truth, axis[0], axis[1], axis[2]);
  }
  g_print ("worst area of a cap, rules %d%s: %.2f %%\n", way->rules,
      way->with_losses ? ", views lost" : "", 100 * worst);
  end ();
}

/* The best cosine at which a look of four views and five cups sees the middle. */
static double
see_best (const double axis[3], double by)
{
  const LineGeometry geometry = make_geometry (4, 5);
  double best = 0;

  for (guint look = 0; look < 20; look++) {
    double p[3] = { axis[0], axis[1], axis[2] };

    turn (look / 4 * by * G_PI / 180, &p[0], &p[2]);
    turn (-geometry.tilt[look % 4] * G_PI / 180, &p[1], &p[2]);
    best = MAX (best, p[2]);
  }
  return best;
}

/* Pieces that turn by up to 20 degrees more or less than the geometry says. */
static void
check_own_turns (LineRecipe * recipe)
{
  guint64 random = 7;
  guint seen = 0, far = 0, near = 0;

  begin ("each piece turns by an angle of its own");
  for (guint i = 0; i < 400; i++) {
    Way way = { LINE_RULES_2, 52 + 40 * random_unit (&random) };
    double axis[3];

    draw_axis (&random, axis);
    double angle = draw_angle (&random);
    LineMeasures measures = see_cap (recipe, axis, angle, &way, &random);
    double truth = 2 * G_PI * 24 * 24 * (1 - cos (angle));
    expect (measures.figures[7].mm2 > 0.5 * truth, "%.2f mm2 for %.2f at "
        "%.2f %.2f %.2f by %.1f degrees", measures.figures[7].mm2, truth,
        axis[0], axis[1], axis[2], way.turn);
    /* else it is only seen at the limb */
    if (see_best (axis, way.turn) < 0.6)
      continue;
    seen++;
    far += fabs (measures.figures[7].mm2 / truth - 1) > 0.05;
    near += measures.is_turn_measured && fabs (measures.turn - way.turn) < 3;
  }
  g_print ("%u areas, %u off by more than 5 %%, %u turns known within 3 degrees\n",
      seen, far, near);
  expect (seen > 350 && 100 * far < 2 * seen && 100 * near > 90 * seen,
      "%u areas, %u off by more than 5 %%, %u turns known", seen, far, near);
  end ();
}

static void
check_strange (LineRecipe * recipe)
{
  /* seen in the middle of cup 0 by the views at -15 and 15 degrees */
  static const double top[3] = { 0.1, 0.2, 0.97 };
  const double truth = 2 * G_PI * 24 * 24 * (1 - cos (0.2));
  const Way rolls = { LINE_RULES_2, 72 }, stands = { LINE_RULES_2, 0 };
  /* seen well in the cups 0 and 1 */
  static const double side[3] = { -0.585, 0.05, 0.81 };
  const Way hops = { LINE_RULES_2, 72, TRUE };
  guint64 random = 9;
  LineMeasures measures = see_cap (recipe, top, 0.2, &rolls, &random);

  begin ("a piece that rolls, one that stands still, one that jumps");
  expect (!measures.is_inconsistent && measures.is_turn_measured
      && measures.coverage > 0.999 && measures.most_coverage > 0.999,
      "rolls: %g of %g", measures.coverage, measures.most_coverage);
  measures = see_cap (recipe, top, 0.2, &stands, &random);
  expect (measures.is_turn_measured && fabs (measures.turn) < 0.5,
      "turns by %g", measures.turn);
  expect (measures.coverage < 0.5 && measures.most_coverage > 0.999,
      "stands, and %g is seen", measures.coverage);
  expect (fabs (measures.figures[7].mm2 / truth - 1) < 0.04, "%g mm2",
      measures.figures[7].mm2);
  measures = see_cap (recipe, side, 0.2, &rolls, &random);
  expect (!measures.is_inconsistent, "rolls, seen twice");
  measures = see_cap (recipe, side, 0.2, &hops, &random);
  expect (measures.is_inconsistent, "jumps");
  expect (measures.figures[7].mm2 > 0.96 * truth, "%g mm2",
      measures.figures[7].mm2);
  end ();
}

/* Whatever views are dark, what the others show counts. */
static void
check_dark (LineRecipe * recipe)
{
  static const double top[3] = { 0.1, 0.2, 0.97 };
  const double truth = 2 * G_PI * 24 * 24 * (1 - cos (0.2));
  LineGeometry geometry = make_geometry (4, 5);
  LinePiece piece = {.n_looks = 20 };
  guint64 random = 9;

  begin ("views that are dark");
  for (guint dark = 0; dark < 15; dark++) {
    const Way way = { LINE_RULES_2, 72, FALSE, dark };
    LineMeasures measures = see_cap (recipe, top, 0.2, &way, &random);
    const guint doubts = line_find_doubts (&geometry, recipe, &piece,
        &measures, LINE_STATUS_OK);

    expect (!measures.is_empty && fabs (measures.figures[7].mm2 / truth - 1)
        < 0.06, "dark %x: %g mm2", dark, measures.figures[7].mm2);
    expect ((doubts >> LINE_DOUBT_NO_FRUIT & 1) == (dark != 0),
        "dark %x: doubts %x", dark, doubts);
    for (guint i = 0; i < 20; i++)
      expect (measures.is_shown[i] == !(dark >> i % 4 & 1), "look %u", i);
  }
  end ();
}

/* Against random points. */
static void
check_coverage (void)
{
  guint64 random = 11;
  LineGeometry one = make_geometry (1, 5), four = make_geometry (4, 5);

  begin ("the share that is seen");
  expect (fabs (line_coverage_reach (&one, 48) - 0.84) < 0.006, "one view");
  expect (line_coverage_reach (&four, 48) > 0.999, "four views");
  for (guint i = 0; i < 20; i++) {
    LineGeometry geometry = make_geometry (1 + i % 3, 1 + i % 5);
    guint seen = 0;

    geometry.turn = 20 + 80 * random_unit (&random);
    geometry.travel = i % 2 ? geometry.turn * G_PI * 40 / 360 : 0;
    for (guint k = 0; k < 20000; k++) {
      gboolean is_near = FALSE;
      double axis[3];

      draw_axis (&random, axis);
      for (guint look = 0; look < geometry.cups * geometry.views; look++) {
        double p[3] = { axis[0], axis[1], axis[2] };

        turn (look / geometry.views * geometry.turn * G_PI / 180, &p[0],
            &p[2]);
        turn (-geometry.tilt[look % geometry.views] * G_PI / 180, &p[1],
            &p[2]);
        is_near = is_near || p[2] > 0.5;
      }
      seen += is_near;
    }
    expect (fabs (line_coverage_reach (&geometry, 40) - seen / 20000.) < 0.015,
        "%u views, %u cups by %g degrees: %g, not %g", geometry.views,
        geometry.cups, geometry.turn, line_coverage_reach (&geometry, 40),
        seen / 20000.);
  }
  end ();
}

/* One view from above: a look's whole weight is its own. */
static void
check_alone (LineRecipe * recipe)
{
  LineGeometry geometry = make_geometry (1, 1);
  LineContour contours[2] = { make_fruit (0, 51, 60, 60),
    {.class_id = 13,.id = 1,.parent = -1,.feret_max = 36}
  };
  LineView view = { contours, 2, points[0] };
  const LineView *looks[1] = { &view };
  double axis[3] = { 0, 0, 1 }, truth = 2 * G_PI * 24 * 24 * (1 - 0.8);
  LineMeasures measures;

  begin ("one look");
  /* sine 0.6, cosine 0.8 */
  project_cap (axis, asin (0.6), 0, 0, 51, 30, points[0], &contours[1]);
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (fabs (measures.figures[7].mm2 / truth - 1) < 0.01, "%g for %g mm2",
      measures.figures[7].mm2, truth);
  expect (fabs (measures.figures[7].percent - 10) < 0.1, "%g %%",
      measures.figures[7].percent);
  expect (measures.figures[7].max_length == 0.8 * 36
      && measures.figures[7].count == 1, "length, count");
  expect (measures.figures[7].confidence == 0 && measures.figures[1].mm2 == 0,
      "of no class");
  /* a piece of another cup, and one that is too small */
  contours[0].x0 += 60;
  contours[0].x1 += 60;
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (measures.is_empty && measures.diameter == 0, "in no cup");
  contours[0] = make_fruit (0, 51, 24.9, 60);
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (measures.is_empty, "less than 20 mm wide");
  end ();
}

/* A square of side 4 with a hole of side 2 in the middle, three quarters of it
 * bruise and one rot. */
static void
check_shares (LineRecipe * recipe)
{
  static LinePoint at[] = {
    {49, 45}, {53, 45}, {53, 49}, {49, 49}, {49, 45},
    {50, 46}, {50, 48}, {52, 48}, {52, 46}, {50, 46},
    {49, 45}, {52, 45}, {52, 49}, {49, 49}, {49, 45},
    {52, 45}, {53, 45}, {53, 49}, {52, 49}, {52, 45},
  };
  LineGeometry geometry = make_geometry (1, 1);
  LineContour contours[5] = { make_fruit (0, 51, 50, 70),
    {.class_id = 5,.id = 3,.parent = -1,.first = 10,.n_points = 5},
    {.class_id = 6,.id = 4,.parent = -1,.first = 15,.n_points = 5},
    {.class_id = 13,.id = 1,.parent = -1,.n_points = 5,.feret_max = 5},
    {.class_id = 13,.id = 2,.parent = 1,.is_hole = TRUE,.first = 5,
        .n_points = 5},
  };
  LineView view = { contours, 5, at };
  const LineView *looks[1] = { &view };
  LineMeasures measures;
  LineFigures *figures = measures.figures;

  begin ("shares of classes");
  for (guint i = 1; i < 5; i++)
    fill_box (&contours[i], at + contours[i].first);
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  /* (16 - 4) pixels, less than 0.3 % more by the slope */
  expect (figures[7].mm2 > 12 * 0.64 && figures[7].mm2 < 12 * 0.64 * 1.003,
      "%g mm2", figures[7].mm2);
  expect (fabs (figures[0].mm2 / figures[7].mm2 - 0.75) < 0.001
      && fabs (figures[1].mm2 / figures[7].mm2 - 0.25) < 0.001, "%g and %g",
      figures[0].mm2, figures[1].mm2);
  expect (fabs (figures[0].confidence - 0.75) < 0.001
      && fabs (figures[7].confidence - 0.75) < 0.001
      && figures[1].confidence == 0, "confidence");
  expect (figures[0].count == 1 && figures[1].count == 0
      && figures[0].max_length == 4, "main class");
  expect (fabs (measures.diameter - 48) < 1e-9, "%g mm", measures.diameter);
  end ();
}

static void
fill_square (LinePoint * at, double x, double y, double side)
{
  const double half = side / 2;

  at[0] = at[4] = (LinePoint) {x - half, y - half};
  at[1] = (LinePoint) {x + half, y - half};
  at[2] = (LinePoint) {x + half, y + half};
  at[3] = (LinePoint) {x - half, y + half};
}

/* A ring of rot around a small scab, with sound skin between; and two squares of
 * rot in one contour of the lower level, whose middle is in neither. */
static void
check_owners (LineRecipe * recipe)
{
  /* defect outside, hole, scab; the same of the classes */
  static LinePoint at[30];
  LineGeometry geometry = make_geometry (1, 1);
  LineContour contours[7] = { make_fruit (0, 51, 60, 60),
    {.class_id = 13,.id = 1,.parent = -1,.n_points = 5,.feret_max = 14},
    {.class_id = 13,.id = 2,.parent = 1,.is_hole = TRUE,.first = 5,
        .n_points = 5},
    {.class_id = 13,.id = 3,.parent = -1,.first = 10,.n_points = 5,
        .feret_max = 3},
    {.class_id = 6,.id = 4,.parent = -1,.n_points = 5},
    {.class_id = 6,.id = 5,.parent = 4,.is_hole = TRUE,.first = 5,
        .n_points = 5},
    {.class_id = 7,.id = 6,.parent = -1,.first = 10,.n_points = 5},
  };
  LineView view = { contours, 7, at };
  const LineView *looks[1] = { &view };
  LinePiece piece = {.n_looks = 1 };
  LineMeasures measures;
  LineFigures *figures = measures.figures;

  begin ("a class is of the marks that it is in");
  fill_square (at, 51, 47, 10);
  fill_square (at + 5, 51, 47, 8);
  fill_square (at + 10, 51, 47, 2);
  for (guint i = 1; i < 7; i++)
    fill_box (&contours[i], at + contours[i].first);
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  expect (figures[1].mm2 > 36 * 0.64 && figures[1].mm2 < 36 * 0.64 * 1.02,
      "rot: %g mm2", figures[1].mm2);
  expect (figures[2].mm2 > 4 * 0.64 && figures[2].mm2 < 4 * 0.64 * 1.02,
      "scab: %g mm2", figures[2].mm2);
  /* by boxes, of the smaller one */
  fill_square (at + 10, 53, 47, 2);
  for (guint i = 3; i < 7; i += 3)
    fill_box (&contours[i], at + contours[i].first);
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (figures[1].count == 1 && figures[2].count == 1
      && fabs (figures[2].max_length - 0.8 * 3) < 1e-9,
      "%u rots, %u scabs of %g", figures[1].count, figures[2].count,
      figures[2].max_length);
  contours[1].n_points = contours[3].n_points = 5;
  contours[2] = contours[3];
  contours[2].first = 5;
  contours[3] = contours[4];
  contours[3].first = 15;
  fill_square (at, 46, 47, 4);
  fill_square (at + 5, 58, 47, 4);
  fill_square (at + 15, 52, 47, 18);
  view.n_contours = 4;
  for (guint i = 1; i < 4; i++)
    fill_box (&contours[i], at + contours[i].first);
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  expect (figures[1].mm2 > 32 * 0.64 && figures[1].mm2 == figures[7].mm2
      && figures[1].count == 2, "rot: %g of %g mm2", figures[1].mm2,
      figures[7].mm2);
  expect (!line_find_doubts (&geometry, recipe, &piece, &measures,
          LINE_STATUS_OK), "all of it has a class");
  view.n_contours = 3;
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  expect (line_find_doubts (&geometry, recipe, &piece, &measures,
          LINE_STATUS_OK) == 1u << LINE_DOUBT_NO_CLASS, "none of it has");
  end ();
}

static guint
see_forms (LineRecipe * recipe, const double ferets[4], double dy)
{
  LineGeometry geometry = make_geometry (4, 1);
  LinePiece piece = {.n_looks = 4 };
  LineContour contours[4];
  LineView views[4];
  const LineView *looks[4];
  LineMeasures measures;

  for (guint i = 0; i < 4; i++) {
    contours[i] = make_fruit (0, 51, ferets[i], 60);
    contours[i].y0 += dy;
    contours[i].y1 += dy;
    views[i] = (LineView) {&contours[i], 1, NULL};
    looks[i] = &views[i];
  }
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  return line_find_doubts (&geometry, recipe, &piece, &measures,
      LINE_STATUS_OK);
}

static void
check_forms (LineRecipe * recipe)
{
  const guint shape = 1u << LINE_DOUBT_SHAPE;

  begin ("fruit that is cut off, or two of them");
  expect (!see_forms (recipe, (double[]) {60, 60, 60, 60}, 0), "round");
  expect (!see_forms (recipe, (double[]) {60, 43, 60, 60}, 0), "long");
  expect (see_forms (recipe, (double[]) {60, 60, 41, 60}, 0) == shape,
      "half of it in one view");
  expect (see_forms (recipe, (double[]) {60, 60, 60, 60}, 16.5) == shape,
      "at the picture's edge");
  end ();
}

static void
check_median (LineRecipe * recipe)
{
  static const double ferets[4] = { 50, 70, 54, 100 };
  LineGeometry geometry = make_geometry (4, 1);
  LineContour contours[4];
  LineView views[4];
  const LineView *looks[4];
  LineMeasures measures;

  begin ("diameters of several looks");
  for (guint i = 0; i < 4; i++) {
    contours[i] = make_fruit (0, 51, ferets[i], ferets[i]);
    /* that of the area, not of a rough hull */
    contours[i].feret_max += 4;
    views[i] = (LineView) {&contours[i], 1, NULL};
    looks[i] = &views[i];
  }
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (fabs (measures.diameter - 0.8 * 62) < 1e-9, "of four: %g",
      measures.diameter);
  expect (fabs (measures.surface - G_PI * 49.6 * 49.6) < 1e-6, "surface");
  looks[3] = NULL;
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (fabs (measures.diameter - 0.8 * 54) < 1e-9, "of three: %g",
      measures.diameter);
  views[0].n_contours = views[1].n_contours = 0;
  line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL);
  expect (measures.is_empty, "one of three is not enough");
  end ();
}

int
main (void)
{
  g_autoptr (LineRecipe) recipe = load_recipe ();

  check_alone (recipe);
  check_shares (recipe);
  check_owners (recipe);
  check_forms (recipe);
  check_median (recipe);
  for (guint rules = LINE_RULES_1; rules <= LINE_RULES_2; rules++) {
    check_caps (recipe, &(Way) {(LineRules) rules, 72}, 0.04);
    check_caps (recipe, &(Way) {(LineRules) rules, 72,.with_losses = TRUE},
        0.04);
  }
  check_own_turns (recipe);
  check_strange (recipe);
  check_dark (recipe);
  check_coverage ();
  return finish ();
}
