/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Of looks of a few contours: which one is the fruit, whether there is one, what
 * lies on which mark. Each condition decides once by itself. */

#include "aggregate.h"
#include "check.h"
#include "decide.h"
#include "marks.h"

#include <math.h>
#include <string.h>

#define FRUIT 12
#define MARK 13
#define ROT 6

/* The place of rot among the figures, and that of all defects */
#define OF_ROT 1
#define OF_ALL 7

static LineGeometry
make_geometry (guint views, guint cups)
{
  LineGeometry geometry = {.views = views,.cups = cups,.columns = 511,
    .rows = 95,.mm_per_pixel = {0.8, 0.8},.cup_first = {51, 51},
    .cup_pitch = {102, 102},.turn = 72
  };

  return geometry;
}

static LineContour
make_fruit (gint32 id, double x, double feret)
{
  LineContour fruit = {.class_id = FRUIT,.id = id,.parent = -1,
    .area = G_PI * feret * feret / 4,.feret_min = feret,.feret_max = feret,
    .circle_x = x,.circle_y = 47,.x0 = x - 30,.x1 = x + 30,.y0 = 17,.y1 = 77
  };

  return fruit;
}

/* A rectangle's points and box; @first: its points' place */
static LineContour
make_box (LinePoint * points, gsize first, gint32 class_id, double x0,
    double y0, double x1, double y1)
{
  LineContour contour = {.class_id = class_id,.id = 100 + first,.parent = -1,
    .area = (x1 - x0) * (y1 - y0),.x0 = x0,.y0 = y0,.x1 = x1,.y1 = y1,
    .first = first,.n_points = 5,.feret_max = hypot (x1 - x0, y1 - y0)
  };
  LinePoint *p = points + first;

  p[0] = p[4] = (LinePoint) {x0, y0};
  p[1] = (LinePoint) {x1, y0};
  p[2] = (LinePoint) {x1, y1};
  p[3] = (LinePoint) {x0, y1};
  return contour;
}

static gint32
find_fruit (const LineRecipe * recipe, LineContour * contours, gsize n,
    guint cup)
{
  LineGeometry geometry = make_geometry (1, 5);
  LineView view = { contours, n };
  const LineContour *fruit =
      line_aggregate_find_fruit (&geometry, recipe, &view, 0, cup);

  return fruit ? fruit->id : -1;
}

static void
check_fruit (const LineRecipe * recipe)
{
  LineContour contours[] = {
    make_fruit (1, 51, 40), make_fruit (2, 51, 60), make_fruit (3, 51, 50),
    make_fruit (4, 51, 45), make_fruit (5, 153, 61), make_fruit (6, 51, 62),
    make_fruit (7, 51, 50), make_fruit (8, 255, 24)
  };

  begin ("the largest contour in the cup");
  contours[1].is_hole = TRUE;
  contours[2].area = -contours[2].area;
  contours[5].class_id = MARK;
  expect (find_fruit (recipe, contours, 8, 0) == 3, "cup 0: %d",
      find_fruit (recipe, contours, 8, 0));
  expect (find_fruit (recipe, contours, 8, 1) == 5, "cup 1");
  expect (find_fruit (recipe, contours, 8, 2) == -1, "19.2 mm");
  expect (find_fruit (recipe, contours, 8, 3) == -1, "an empty cup");
  end ();
}

/* The cup that each column is of: half a pitch to either side, and of the middle
 * between two the first. */
static void
check_cups (const LineRecipe * recipe)
{
  static const struct
  {
    double x;
    gint cup;
  } wanted[] = {
    {-0.25, -1}, {0, 0}, {101.75, 0}, {102, 0}, {102.25, 1}, {408, 3},
    {408.25, 4}, {510, 4}, {510.25, -1},
  };

  begin ("borders of cups");
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    LineContour fruit = make_fruit (1, wanted[i].x, 50);

    for (gint cup = 0; cup < 5; cup++)
      expect ((find_fruit (recipe, &fruit, 1, cup) == 1) ==
          (cup == wanted[i].cup), "column %g, cup %d", wanted[i].x, cup);
  }
  end ();
}

static gboolean
is_cut (const LineRecipe * recipe, double x0, double y0, double x1, double y1)
{
  LineGeometry geometry = make_geometry (1, 1);
  LineContour fruit = make_fruit (1, 255, 60);
  LineView view = { &fruit, 1 };
  const LineView *looks[1] = { &view };
  LineMeasures measures;

  geometry.cup_first[0] = 255;
  geometry.cup_pitch[0] = 1000;
  fruit.x0 = x0;
  fruit.y0 = y0;
  fruit.x1 = x1;
  fruit.y1 = y1;
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  g_assert (!measures.is_empty);
  return measures.is_cut;
}

static void
check_edges (const LineRecipe * recipe)
{
  begin ("a fruit goes on beyond an edge");
  expect (!is_cut (recipe, 1, 1, 509, 93), "a pixel from all of them");
  expect (is_cut (recipe, 0.75, 20, 80, 70), "left");
  expect (is_cut (recipe, 430, 20, 509.25, 70), "right");
  expect (is_cut (recipe, 200, 0.75, 280, 70), "top");
  expect (is_cut (recipe, 200, 20, 280, 93.25), "bottom");
  end ();
}

/* @there, @shown: bits of the cups in which a view is there, and shows it */
static gboolean
is_empty (const LineRecipe * recipe, LineRules rules, guint there0,
    guint shown0, guint there1, guint shown1)
{
  const guint there[] = { there0, there1 }, shown[] = { shown0, shown1 };
  LineGeometry geometry = make_geometry (2, 5);
  LineContour contours[5];
  LineView views[10] = { {NULL} };
  const LineView *looks[10] = { NULL };
  LineMeasures measures;

  for (guint c = 0; c < 5; c++) {
    contours[c] = make_fruit (1, 51 + 102 * c, 60);
    for (guint v = 0; v < 2; v++) {
      LineView *view = &views[2 * c + v];

      if (shown[v] >> c & 1)
        *view = (LineView) {&contours[c], 1};
      if (there[v] >> c & 1)
        looks[2 * c + v] = view;
    }
  }
  line_aggregate (rules, &geometry, recipe, looks, &measures, NULL);
  return measures.is_empty;
}

static void
check_empty (const LineRecipe * recipe)
{
  const LineRules old = LINE_RULES_1, now = LINE_RULES_2;

  begin ("empty or not");
  expect (is_empty (recipe, now, 31, 3, 31, 20), "two of five in each view");
  expect (!is_empty (recipe, now, 31, 0, 31, 22), "three of five in one");
  expect (!is_empty (recipe, now, 31, 3, 30, 20), "two of four in one");
  expect (!is_empty (recipe, now, 23, 6, 31, 0), "and in the other");
  expect (is_empty (recipe, now, 0, 0, 31, 0), "a view without looks");
  expect (!is_empty (recipe, now, 0, 0, 4, 4), "one look of one");
  /* by the old rules of all looks */
  expect (!is_empty (recipe, old, 31, 7, 31, 20), "five of ten");
  expect (is_empty (recipe, old, 31, 7, 31, 16), "four of ten");
  expect (!is_empty (recipe, old, 31, 7, 7, 4), "four of eight");
  expect (is_empty (recipe, old, 31, 0, 31, 0), "none of ten");
  end ();
}

/* One look at a fruit with the contours. */
static void
measure (const LineRecipe * recipe, LineRules rules, LinePoint * points,
    LineContour * contours, gsize n, LineMeasures * measures)
{
  LineGeometry geometry = make_geometry (1, 1);
  LineView view = { contours, n, points };
  const LineView *looks[1] = { &view };

  contours[0] = make_fruit (1, 51, 60);
  line_aggregate (rules, &geometry, recipe, looks, measures, NULL);
}

/* Rot of 2 x 2 pixels at (x, y) beside a mark from (46, 44) to (54, 48).
 * Returns: whether the mark is of rot */
static gboolean
is_rotten (const LineRecipe * recipe, LineRules rules, double x, double y)
{
  LinePoint points[10];
  LineContour contours[3];
  LineMeasures measures;

  contours[1] = make_box (points, 0, MARK, 46, 44, 54, 48);
  contours[2] = make_box (points, 5, ROT, x - 1, y - 1, x + 1, y + 1);
  measure (recipe, rules, points, contours, 3, &measures);
  expect (measures.figures[OF_ALL].count == 1, "a mark");
  expect ((measures.figures[OF_ROT].count == 1) ==
      (measures.figures[OF_ROT].mm2 > 0), "rot has an area");
  return measures.figures[OF_ROT].count == 1;
}

static void
check_owners (const LineRecipe * recipe)
{
  LinePoint points[15];
  LineContour contours[4];
  LineMeasures measures;

  begin ("what lies on which mark");
  for (guint i = LINE_RULES_1; i <= LINE_RULES_2; i++) {
    /* by the old rules its middle does */
    const LineRules rules = (LineRules) i;
    const double by = rules == LINE_RULES_1 ? 0 : 1;

    expect (is_rotten (recipe, rules, 50, 46), "in its middle");
    expect (is_rotten (recipe, rules, 46 - by, 45)
        && !is_rotten (recipe, rules, 45.75 - by, 45), "left");
    expect (is_rotten (recipe, rules, 54 + by, 45)
        && !is_rotten (recipe, rules, 54.25 + by, 45), "right");
    expect (is_rotten (recipe, rules, 47, 44 - by)
        && !is_rotten (recipe, rules, 47, 43.75 - by), "above");
    expect (is_rotten (recipe, rules, 47, 48 + by)
        && !is_rotten (recipe, rules, 47, 48.25 + by), "below");
  }
  /* of two boxes around its middle the smaller one, whichever comes first */
  contours[3] = make_box (points, 10, ROT, 49, 45, 51, 47);
  for (guint first = 0; first < 2; first++) {
    contours[1 + first] = make_box (points, 0, MARK, 48, 45, 52, 48);
    contours[2 - first] = make_box (points, 5, MARK, 46, 44, 54, 48);
    measure (recipe, LINE_RULES_1, points, contours, 4, &measures);
    /* the diagonal of 4 x 3 */
    expect (measures.figures[OF_ROT].count == 1
        && fabs (measures.figures[OF_ROT].max_length - 5 * 0.8) < 1e-9,
        "%u, %g", measures.figures[OF_ROT].count,
        measures.figures[OF_ROT].max_length);
  }
  end ();
}

/* Specks of a pixel, @n in one look and @m in the other */
static void
check_specks (const LineRecipe * recipe, guint n, guint m, guint doubts)
{
  static LinePoint points[2][5 * (LINE_MAX_MARKS + 1)];
  static LineContour contours[2][LINE_MAX_MARKS + 2];
  LineGeometry geometry = make_geometry (2, 1);
  LineView views[2] = {
    {contours[0], n + 1, points[0]}, {contours[1], m + 1, points[1]}
  };
  const LineView *looks[2] = { &views[0], &views[1] };
  const guint counts[2] = { n, m };
  const LinePiece piece = {.n_looks = 2 };
  LineMeasures measures;

  /* what the lane can reach is not much */
  geometry.tilt[0] = -5;
  geometry.tilt[1] = 5;
  for (guint v = 0; v < 2; v++) {
    contours[v][0] = make_fruit (1, 51, 60);
    for (guint i = 0; i < counts[v]; i++) {
      const double x = 31 + 1.5 * (i % 27), y = 32 + 1.5 * (i / 27);

      contours[v][i + 1] =
          make_box (points[v], 5 * i, MARK, x, y, x + 1, y + 1);
    }
  }
  line_aggregate (LINE_RULES_2, &geometry, recipe, looks, &measures, NULL);
  expect (measures.figures[OF_ALL].count == MAX (n, m), "%u and %u: %u marks",
      n, m, measures.figures[OF_ALL].count);
  expect (line_find_doubts (&geometry, recipe, &piece, &measures,
          LINE_STATUS_OK) == doubts, "%u and %u: doubts %x", n, m,
      line_find_doubts (&geometry, recipe, &piece, &measures,
          LINE_STATUS_OK));
  /* each at a cosine of more than 1/2 */
  expect (measures.figures[OF_ALL].mm2 > MAX (n, m) * 0.64
      && measures.figures[OF_ALL].mm2 <= 2 * 0.64 * (n + m), "%g mm2",
      measures.figures[OF_ALL].mm2);
}

static void
check_many (const LineRecipe * recipe)
{
  const guint nameless = 1u << LINE_DOUBT_NO_CLASS;
  const guint both = nameless | 1u << LINE_DOUBT_INCONSISTENT;

  begin ("more marks than are compared");
  check_specks (recipe, LINE_MAX_MARKS, 0, nameless);
  check_specks (recipe, LINE_MAX_MARKS, 1, both);
  check_specks (recipe, LINE_MAX_MARKS + 1, 0, both);
  check_specks (recipe, 0, LINE_MAX_MARKS, nameless);
  check_specks (recipe, 7, LINE_MAX_MARKS + 1, both);
  check_specks (recipe, 7, 0, 0);
  end ();
}

int
main (void)
{
  g_autofree char *path = g_build_filename (LINE_FILES, "apricot.ini", NULL);
  g_autoptr (LineRecipe) recipe = line_recipe_load (path, NULL);

  g_assert (recipe);
  check_fruit (recipe);
  check_cups (recipe);
  check_edges (recipe);
  check_empty (recipe);
  check_owners (recipe);
  check_many (recipe);
  return finish ();
}
