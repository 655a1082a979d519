/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Surfaces against the formula of the spherical cap, and figures of a few
 * contours against values computed by hand. */

#include "aggregate.h"
#include "check.h"
#include "random.h"

#include <math.h>
#include <string.h>

#define N_POINTS 400

static LineGeometry
make_geometry (guint views, guint cups)
{
  LineGeometry geometry = {.views = views,.cups = cups,.columns = 511,
    .rows = 95,.mm_per_pixel = 0.8,.cup_first = 51,.cup_pitch = 102,
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
  double a[3], b[3], length;
  gsize n = 0;

  /* two vectors across the axis */
  memcpy (a, fabs (axis[0]) < 0.7 ? (double[]) {1, 0, 0} : (double[]) {0, 1, 0},
      sizeof (a));
  length = a[0] * axis[0] + a[1] * axis[1];
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
  char *path = g_build_filename (LINE_FILES, "apricot.ini", NULL);
  LineRecipe *recipe = line_recipe_load (path, NULL);

  g_assert (recipe);
  g_free (path);
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

/* A cap of rot anywhere on a sphere, seen by four views in five cups. */
static double
measure_cap (LineRecipe * recipe, const double axis[3], double angle,
    gboolean with_losses, guint64 * random)
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

      contour[0] = make_fruit (0, 51 + 102 * c, 60, 60);
      contour[1] = contour[2] = (LineContour) {.parent = -1,.id = 1 };
      views[i] = (LineView) {contour, 1, points[i]};
      if (project_cap (axis, angle, geometry.tilt[v] * G_PI / 180,
              c * 72 * G_PI / 180, 51 + 102 * c, 30, points[i],
              &contour[1])) {
        contour[1].class_id = 13;
        contour[2] = contour[1];
        contour[2].class_id = 6;
        views[i].n_contours = 3;
      }
      looks[i] = with_losses && random_below (random, 10) == 0 ? NULL :
          &views[i];
    }
  expect (line_aggregate (LINE_RULES_1, &geometry, recipe, looks, &measures, NULL), "made");
  expect (fabs (measures.diameter - 48) < 1e-9, "%g mm", measures.diameter);
  expect (fabs (measures.figures[1].mm2 - measures.figures[7].mm2) < 1e-6,
      "rot is %g of %g", measures.figures[1].mm2, measures.figures[7].mm2);
  return measures.figures[7].mm2;
}

static void
check_caps (LineRecipe * recipe, gboolean with_losses, double tolerance)
{
  guint64 random = 5;
  double worst = 0;

  begin ("caps on a sphere%s", with_losses ? ", views lost" : "");
  for (guint i = 0; i < 200; i++) {
    double z = 2 * random_unit (&random) - 1, r = sqrt (1 - z * z);
    double t = 2 * G_PI * random_unit (&random);
    double axis[3] = { r * cos (t), r * sin (t), z };
    double angle = (4 + 16 * random_unit (&random)) * G_PI / 180;
    double mm2 = measure_cap (recipe, axis, angle, with_losses, &random);
    double truth = 2 * G_PI * 24 * 24 * (1 - cos (angle));

    worst = MAX (worst, fabs (mm2 / truth - 1));
    expect (fabs (mm2 / truth - 1) < tolerance, "%.2f mm2 for %.2f at "
        "%.2f %.2f %.2f", mm2, truth, axis[0], axis[1], axis[2]);
  }
  g_print ("worst area of a cap%s: %.2f %%\n",
      with_losses ? ", views lost" : "", 100 * worst);
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
  LineRecipe *recipe = load_recipe ();

  check_alone (recipe);
  check_shares (recipe);
  check_median (recipe);
  check_caps (recipe, FALSE, 0.04);
  check_caps (recipe, TRUE, 0.04);
  line_recipe_unref (recipe);
  return finish ();
}
