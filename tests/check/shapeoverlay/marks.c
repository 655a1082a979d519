/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes as marks of the tile engine: what it paints of them is what the raster
 * paints, but for how far edges are smoothed. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "gstshapeoverlaymarks.h"

#define WIDTH 96
#define HEIGHT 64

/* How far a code on an edge may be off, of 255. Along a slanted edge the
 * coverage differs by up to .05 from the area; at the ends of thin lines, whose
 * inside is narrower than a pixel, by up to .2. */
#define EDGE 16
#define END 52
/* Circles that become ellipses are polygons here. */
#define ELLIPSE 40

/* The same shapes, for both. */
typedef struct
{
  const GstShapePoint *points;
  gsize n_points;
  const GstShapePoint *dots;
  gsize n_dots;
  const GstShapeCircle *circles;
  gsize n_circles;
  guint set_width, set_height;
} Shapes;

static void
fill_gray (guint8 * picture)
{
  guint i;

  for (i = 0; i < 4 * WIDTH * HEIGHT; i++)
    picture[i] = i % 4 == 3 ? 255 : 40;
}

static void
draw_with_raster (const Shapes * shapes, const GstShapePaint * paint,
    guint8 * picture)
{
  CsExecutor *executor = cs_executor_new_cpu (1);
  GstShapeRaster *raster = gst_shape_raster_new (executor);
  const GstShapeSurface surface = {
    .width = WIDTH,.height = HEIGHT,.pixel_bytes = 4,.offsets = {0, 1, 2, 3},
    .n_planes = 1,.data = {picture},.row_stride = {4 * WIDTH},
  };

  fill_gray (picture);
  gst_shape_raster_begin (raster, WIDTH, HEIGHT, shapes->set_width,
      shapes->set_height);
  gst_shape_raster_add_polyline (raster, shapes->points, shapes->n_points,
      paint);
  gst_shape_raster_add_dots (raster, shapes->dots, shapes->n_dots, paint);
  gst_shape_raster_add_circles (raster, shapes->circles, shapes->n_circles,
      paint);
  fail_unless (gst_shape_raster_draw (raster, &surface, NULL));
  gst_shape_raster_free (raster);
  cs_executor_free (executor);
}

static void
make_marks (const Shapes * shapes, const GstShapePaint * paint,
    GstShapeMarks * marks)
{
  gst_shape_marks_begin (marks, WIDTH, HEIGHT, shapes->set_width,
      shapes->set_height);
  gst_shape_marks_add_polyline (marks, shapes->points, shapes->n_points, paint);
  gst_shape_marks_add_dots (marks, shapes->dots, shapes->n_dots, paint);
  gst_shape_marks_add_circles (marks, shapes->circles, shapes->n_circles,
      paint);
}

static void
draw_with_marks (const Shapes * shapes, const GstShapePaint * paint,
    guint8 * picture)
{
  CsExecutor *executor = cs_executor_new_cpu (1);
  CsRaster *raster = cs_raster_new (executor, NULL);
  CsPicture view = { CS_PICTURE_RGB, CS_SAMPLE_U8, CS_MEMORY_HOST, WIDTH,
    HEIGHT, 8, 0,
  };
  CsRasterSettings settings;
  GstShapeMarks marks;
  CsMarks all = { 0 };
  guint i;

  fill_gray (picture);
  gst_shape_marks_init (&marks);
  make_marks (shapes, paint, &marks);
  for (i = 0; i < 4; i++) {
    view.data[i] = picture + i;
    view.pixel_stride[i] = 4;
    view.row_stride[i] = 4 * WIDTH;
  }
  cs_raster_settings_init (&settings);
  all.marks = (const CsMark *) marks.marks->data;
  all.n = marks.marks->len;
  fail_unless (cs_raster_run (raster, &all, &settings, &view, &view, NULL));
  gst_shape_marks_clear (&marks);
  cs_raster_free (raster);
  cs_executor_free (executor);
}

/* No code differs by more than @tolerance, and all together by no more than a
 * twentieth of what is drawn, or a third of a thin line, which is smoothed more
 * widely. */
static void
assert_same (const Shapes * shapes, const GstShapePaint * paint,
    gint tolerance, const gchar * what)
{
  static guint8 a[4 * WIDTH * HEIGHT], b[4 * WIDTH * HEIGHT];
  static guint8 nothing[4 * WIDTH * HEIGHT];
  guint64 sum = 0, drawn = 0;
  guint i;

  draw_with_raster (shapes, paint, a);
  draw_with_marks (shapes, paint, b);
  fill_gray (nothing);
  for (i = 0; i < sizeof (a); i++) {
    const gint off = ABS (a[i] - b[i]);

    fail_unless (off <= tolerance, "%s: component %u of pixel %u,%u is %d, not "
        "%d", what, i % 4, i / 4 % WIDTH, i / 4 / WIDTH, b[i], a[i]);
    sum += (guint) off;
    drawn += (guint) ABS (a[i] - nothing[i]);
  }
  fail_unless (drawn > 0, "%s: nothing is drawn", what);
  fail_unless (sum * (tolerance == END ? 3 : 20) < drawn,
      "%s: of %u, %u differ", what, (guint) drawn, (guint) sum);
}

static GstShapePaint
paint_of (gfloat line_width)
{
  return (GstShapePaint) {
  .argb = 0xffff8040,.line_opacity = 1.f,.line_width = line_width};
}

static const GstShapePoint zigzag[] = {
  {5, 5}, {50.5f, 20.25f}, {90, 6}, {80.3f, 55.1f}, {40, 40}, {41, 40},
  {10.7f, 58}, {5, 5}
};

GST_START_TEST (lines)
{
  static const gfloat widths[] = { .5f, 1.f, 1.5f, 2.f, 3.f, 8.f };
  const Shapes shapes = { zigzag, G_N_ELEMENTS (zigzag), NULL, 0, NULL, 0 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    const GstShapePaint paint = paint_of (widths[i]);

    assert_same (&shapes, &paint, widths[i] < 2.f ? END : EDGE, "lines");
  }
}

GST_END_TEST;

GST_START_TEST (transparent_lines_cross_once)
{
  const Shapes shapes = { zigzag, G_N_ELEMENTS (zigzag), NULL, 0, NULL, 0 };
  GstShapePaint paint = paint_of (6.f);

  paint.line_opacity = .5f;
  assert_same (&shapes, &paint, EDGE / 2 + 1, "transparent lines");
  paint.argb = 0x80ffffff;
  assert_same (&shapes, &paint, EDGE / 4 + 1, "more transparent lines");
}

GST_END_TEST;

GST_START_TEST (dashes)
{
  static const gfloat widths[] = { 2.f, 3.f, 5.f };
  const Shapes shapes = { zigzag, G_N_ELEMENTS (zigzag), NULL, 0, NULL, 0 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    GstShapePaint paint = paint_of (widths[i]);

    paint.dashed = TRUE;
    assert_same (&shapes, &paint, EDGE + 4, "dashes");
  }
}

GST_END_TEST;

/* From far outside to far outside: the dashes are where they would be. */
GST_START_TEST (lines_are_cut)
{
  static const GstShapePoint points[] = {
    {-3000, -2000}, {3096, 2064}, {40, 2e9f}, {41, -2e9f}
  };
  const Shapes shapes = { points, G_N_ELEMENTS (points), NULL, 0, NULL, 0 };
  GstShapePaint paint = paint_of (4.f);

  assert_same (&shapes, &paint, EDGE + 4, "long lines");
}

GST_END_TEST;

GST_START_TEST (dots_and_single_points)
{
  static const GstShapePoint points[] = { {10.3f, 10.6f}, {50, 30}, {94, 62} };
  const Shapes dots = { NULL, 0, points, 3, NULL, 0 };
  const Shapes point = { points, 1, NULL, 0, NULL, 0 };
  const GstShapePaint paint = paint_of (6.f);

  assert_same (&dots, &paint, EDGE, "dots");
  assert_same (&point, &paint, EDGE, "a point");
}

GST_END_TEST;

static const GstShapeCircle circles[] = {
  {20, 20, 12.5f, 0, 0, -1}, {30.5f, 24, 14, 0, 0, -1}, {80, 40, 30, 0, 0, -1},
  {50, 50, 1.5f, 0, 0, -1}, {-40, 30, 45, 0, 0, -1}
};

GST_START_TEST (rings_and_discs)
{
  const Shapes shapes = { NULL, 0, NULL, 0, circles, G_N_ELEMENTS (circles) };
  GstShapePaint paint = paint_of (3.f);

  assert_same (&shapes, &paint, EDGE, "rings");
  paint.fill_opacity = .5f;
  assert_same (&shapes, &paint, EDGE, "filled rings");
  paint.line_opacity = 0.f;
  assert_same (&shapes, &paint, EDGE, "discs");
}

GST_END_TEST;

GST_START_TEST (other_spaces)
{
  Shapes shapes = { zigzag, G_N_ELEMENTS (zigzag), zigzag, 3, circles,
    G_N_ELEMENTS (circles), WIDTH / 2, HEIGHT / 2
  };
  GstShapePaint paint = paint_of (3.f);

  assert_same (&shapes, &paint, EDGE, "twice as large");
  shapes.set_width = WIDTH;
  assert_same (&shapes, &paint, ELLIPSE, "twice as high");
  shapes.set_width = 2 * WIDTH;
  shapes.set_height = 2 * HEIGHT;
  assert_same (&shapes, &paint, EDGE, "half as large");
}

GST_END_TEST;

GST_START_TEST (what_cannot_be_filled_is_told)
{
  Shapes shapes = { zigzag, G_N_ELEMENTS (zigzag), NULL, 0, NULL, 0 };
  GstShapePaint paint = paint_of (3.f);
  GstShapeMarks marks;

  gst_shape_marks_init (&marks);
  make_marks (&shapes, &paint, &marks);
  fail_if (marks.lacks_filling);
  paint.fill_opacity = .5f;
  make_marks (&shapes, &paint, &marks);
  fail_unless (marks.lacks_filling);
  /* not closed */
  shapes.n_points--;
  make_marks (&shapes, &paint, &marks);
  fail_if (marks.lacks_filling);
  shapes = (Shapes) {
  NULL, 0, NULL, 0, circles, 2, WIDTH, HEIGHT};
  make_marks (&shapes, &paint, &marks);
  fail_if (marks.lacks_filling);
  shapes.set_width = WIDTH / 2;
  make_marks (&shapes, &paint, &marks);
  fail_unless (marks.lacks_filling);
  gst_shape_marks_clear (&marks);
}

GST_END_TEST;

/* Nothing that can touch the frame: nothing to paint, so that the frame can
 * pass. */
GST_START_TEST (nothing_to_paint)
{
  static const GstShapePoint far_away[] = { {500, 500}, {600, 500}, {NAN, 1},
  {1, INFINITY}
  };
  static const GstShapeCircle bad[] = { {5, 5, 0, 0, 0, -1}, {5, 5, -1, 0, 0,
          -1}, {NAN, 5, 1, 0, 0, -1}, {-50, 5, 3, 0, 0, -1}
  };
  const Shapes shapes = { far_away, 4, far_away, 4, bad, 4 };
  GstShapePaint paint = paint_of (3.f);
  GstShapeMarks marks;

  gst_shape_marks_init (&marks);
  make_marks (&shapes, &paint, &marks);
  fail_unless_equals_int (marks.marks->len, 0);
  paint.argb = 0x00ffffff;
  make_marks (&(Shapes) {zigzag, 8, zigzag, 8, circles, 5}, &paint, &marks);
  fail_unless_equals_int (marks.marks->len, 0);
  gst_shape_marks_clear (&marks);
}

GST_END_TEST;

static gfloat
wild (GRand * rand)
{
  static const gfloat values[] = { 0, -1, 1e9f, -1e9f, FLT_MAX, -FLT_MAX, NAN,
    INFINITY, -INFINITY, FLT_MIN, 1e20f
  };

  if (g_rand_boolean (rand))
    return (gfloat) g_rand_double_range (rand, -200., 300.);
  return values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
}

/* All that is made of wild coordinates is near the frame, and not endless. */
GST_START_TEST (wild_coordinates)
{
  GRand *rand = g_rand_new_with_seed (5);
  GstShapePoint points[50];
  GstShapeCircle round[20];
  GstShapeMarks marks;
  guint i, k;

  gst_shape_marks_init (&marks);
  for (k = 0; k < 2000; k++) {
    const Shapes shapes = { points, G_N_ELEMENTS (points), points,
      G_N_ELEMENTS (points), round, G_N_ELEMENTS (round), k % 3 ? WIDTH : 1,
      HEIGHT
    };
    GstShapePaint paint = paint_of ((gfloat) (1 + k % 7));

    for (i = 0; i < G_N_ELEMENTS (points); i++)
      points[i] = (GstShapePoint) {
      wild (rand), wild (rand)};
    for (i = 0; i < G_N_ELEMENTS (round); i++)
      round[i] = (GstShapeCircle) {
      wild (rand), wild (rand), wild (rand), 0, 0, -1};
    paint.dashed = k % 2;
    make_marks (&shapes, &paint, &marks);
    fail_unless (marks.marks->len < 100000, "%u marks", marks.marks->len);
    for (i = 0; i < marks.marks->len; i++) {
      const CsMark *mark = &g_array_index (marks.marks, CsMark, i);

      if (mark->half_width == 0.f)
        fail_unless (mark->x0 > -20 && mark->x1 > -20 && mark->y0 > -20
            && mark->y1 > -20 && mark->x0 < WIDTH + 20 && mark->x1 < WIDTH + 20
            && mark->y0 < HEIGHT + 20 && mark->y1 < HEIGHT + 20,
            "mark %u: %g,%g to %g,%g", i, mark->x0, mark->y0, mark->x1,
            mark->y1);
    }
  }
  gst_shape_marks_clear (&marks);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
marks_suite (void)
{
  Suite *suite = suite_create ("shapeoverlay-marks");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, lines);
  tcase_add_test (tc, transparent_lines_cross_once);
  tcase_add_test (tc, dashes);
  tcase_add_test (tc, lines_are_cut);
  tcase_add_test (tc, dots_and_single_points);
  tcase_add_test (tc, rings_and_discs);
  tcase_add_test (tc, other_spaces);
  tcase_add_test (tc, what_cannot_be_filled_is_told);
  tcase_add_test (tc, nothing_to_paint);
  tcase_add_test (tc, wild_coordinates);
  return suite;
}

GST_CHECK_MAIN (marks);
