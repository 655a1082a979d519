/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contours and hulls of arrays, from C. Backend "auto" is a GPU's if there is
 * one, except for small sets of points: the same tests, and the same bits as
 * the CPU's. */

#include <math.h>
#include <string.h>

#include "shapes_test.h"

#define SIZE 200

static const gdouble square[16] = {
  0, 0, 0, 0,
  0, 1, 1, 0,
  0, 1, 1, 0,
  0, 0, 0, 0,
};

static GstShapeEngine *
new_engine (const gchar * backend)
{
  GError *error = NULL;
  GstShapeEngine *engine = gst_shape_engine_new (backend, -1, &error);

  fail_unless (engine != NULL, "%s", error ? error->message : "no error");
  return engine;
}

static GstShapeImage
view_doubles (const gdouble * data, guint width, guint height)
{
  const GstShapeImage image = {
    .data = data,
    .type = GST_SHAPE_NUMBER_F64,
    .width = width,
    .height = height,
    .channels = 1,
    .pixel_stride = sizeof (gdouble),
    .row_stride = width * sizeof (gdouble),
    .channel_stride = sizeof (gdouble),
  };

  return image;
}

static GstShapeResult *
find (GstShapeEngine * engine, const GstShapeImage * image, gdouble level,
    GstShapeContoursFlags flags)
{
  GError *error = NULL;
  GstShapeResult *result = gst_shape_engine_find_contours (engine, image,
      NULL, &level, 1, flags, &error);

  fail_unless (result != NULL, "%s", error ? error->message : "no error");
  return result;
}

TEST (test_a_result_outlives_its_engine)
{
  GstShapeImage image = view_doubles (square, 4, 4);
  GstShapeEngine *engine = new_engine (NULL);
  g_autoptr (GstShapeResult) result = find (engine, &image, .5,
      GST_SHAPE_CONTOURS_MEASURES);
  const GstShapeResultArrays *arrays = gst_shape_result_get_arrays (result);

  gst_shape_engine_unref (engine);
  assert_equals_int (arrays->n_shapes, 1);
  assert_equals_int (arrays->n_points, 9);
  assert_equals_float (arrays->points[0], 2.);
  assert_equals_float (arrays->points[1], 2.5);
  assert_equals_float (arrays->polylines[0].area, 3.5);
  assert_equals_float (arrays->polylines[0].bbox_x1, 2.5);
  fail_unless (arrays->polylines[0].flags == GST_SHAPE_FLAG_CLOSED);
  fail_unless (arrays->moments == NULL);
  gst_shape_result_unref (gst_shape_result_ref (result));
}

TEST (test_flags_do_what_they_say)
{
  GstShapeImage image = view_doubles (square, 4, 4);
  g_autoptr (GstShapeEngine) engine = new_engine (NULL);
  GstShapeResult *plain = find (engine, &image, .5, GST_SHAPE_CONTOURS_NONE);
  g_autoptr (GstShapeResult) result = find (engine, &image, .5,
      GST_SHAPE_CONTOURS_ROWS_FIRST |
      GST_SHAPE_CONTOURS_POSITIVE_ORIENTATION_HIGH |
      GST_SHAPE_CONTOURS_MOMENTS | GST_SHAPE_CONTOURS_HIERARCHY);
  const GstShapeResultArrays *a = gst_shape_result_get_arrays (plain);
  const GstShapeResultArrays *b = gst_shape_result_get_arrays (result);

  for (gsize i = 0; i < 9; i++) {
    assert_equals_float (a->points[2 * i], b->points[2 * (8 - i) + 1]);
    assert_equals_float (a->points[2 * i + 1], b->points[2 * (8 - i)]);
  }
  assert_equals_float (ABS (b->moments[0].m[0]), 3.5);
  assert_equals_int (b->polylines[0].parent, -1);
  gst_shape_result_unref (plain);
}

static void
assert_equal_results (const GstShapeResult * a, const GstShapeResult * b)
{
  const GstShapeResultArrays *x = gst_shape_result_get_arrays (a);
  const GstShapeResultArrays *y = gst_shape_result_get_arrays (b);
  gsize n, m;

  assert_equals_int (x->n_shapes, y->n_shapes);
  assert_equals_int (x->n_points, y->n_points);
  fail_unless (memcmp (x->polylines, y->polylines,
          x->n_shapes * sizeof (*x->polylines)) == 0);
  fail_unless (!x->points == !y->points);
  if (x->points)
    fail_unless (memcmp (x->points, y->points,
            2 * x->n_points * sizeof (*x->points)) == 0);
  if (x->indices)
    fail_unless (memcmp (x->indices, y->indices,
            x->n_points * sizeof (*x->indices)) == 0);
  for (guint i = 0; i <= GST_SHAPE_ARRAY_INDICES; i++) {
    fail_unless (!gst_shape_result_get_address (a, i, &n) ==
        !gst_shape_result_get_address (b, i, &m));
    fail_unless (n == m);
  }
}

/* "cuda" where there is a GPU, on which "auto" leaves small sets to the CPU. */
static GstShapeEngine *
new_best_engine (void)
{
  GstShapeEngine *best = new_engine ("auto");

  if (g_str_equal (gst_shape_engine_get_active_backend (best), "cuda")) {
    gst_shape_engine_unref (best);
    best = new_engine ("cuda");
  }
  return best;
}

TEST (test_every_backend_gives_the_same_bits)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (GstShapeEngine) cpu = new_engine ("cpu");
  g_autoptr (GstShapeEngine) best = new_best_engine ();
  g_autofree gdouble *samples = g_new (gdouble, SIZE * SIZE);
  GError *error = NULL;

  fail_unless_equals_string (gst_shape_engine_get_active_backend (cpu), "cpu");
  for (guint i = 0; i < SIZE * SIZE; i++)
    samples[i] = g_rand_double (rand);
  for (guint size = 2; size <= SIZE; size += 33) {
    const GstShapeImage image = view_doubles (samples, size, SIZE - size / 2);
    const guint flags = GST_SHAPE_CONTOURS_MOMENTS;
    g_autoptr (GstShapeResult) a = find (cpu, &image, .5, flags);
    g_autoptr (GstShapeResult) b = find (best, &image, .5, flags);

    assert_equal_results (a, b);
    gst_shape_result_unref (a);
    gst_shape_result_unref (b);

    a = gst_shape_engine_convex_hull (cpu, samples, GST_SHAPE_NUMBER_F64,
        size * 20, 0, GST_SHAPE_HULL_NONE, &error);
    b = gst_shape_engine_convex_hull (best, samples, GST_SHAPE_NUMBER_F64,
        size * 20, 0, GST_SHAPE_HULL_NONE, &error);
    fail_unless (a && b);
    assert_equals_int (gst_shape_result_get_arrays (a)->n_shapes, 1);
    fail_unless (gst_shape_result_get_arrays (a)->n_points >= 3);
    assert_equal_results (a, b);
  }
}

static void
expect (GError ** error, GQuark domain, gint code)
{
  fail_unless (g_error_matches (*error, domain, code), "%s",
      *error ? (*error)->message : "no error");
  g_clear_error (error);
}

/* One that is not finite, wherever it is, and bands that do not ascend. */
static void
expect_wrong_levels (GstShapeEngine * engine, const GstShapeImage * image)
{
  static const struct
  {
    gdouble levels[3];
    guint n, flags;
    const gchar *problem;
  } wrong[] = {
    {{NAN}, 1, 0, "finite"},
    {{INFINITY}, 1, 0, "finite"},
    {{NAN, .5}, 2, GST_SHAPE_CONTOURS_BANDS, "finite"},
    {{-INFINITY, .25, .5}, 3, GST_SHAPE_CONTOURS_BANDS, "finite"},
    {{.25, .5, INFINITY}, 3, GST_SHAPE_CONTOURS_BANDS, "finite"},
    {{.5, .25, .75}, 3, GST_SHAPE_CONTOURS_BANDS, "ascend"},
    {{.25, .5, .5}, 3, GST_SHAPE_CONTOURS_BANDS, "ascend"},
    {{.5}, 1, GST_SHAPE_CONTOURS_BANDS, "between two levels"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GError *error = NULL;

    fail_unless (!gst_shape_engine_find_contours (engine, image, NULL,
            wrong[i].levels, wrong[i].n, wrong[i].flags, &error));
    fail_unless (error && strstr (error->message, wrong[i].problem),
        "%u: %s", i, error ? error->message : "no error");
    expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  }
}

TEST (test_what_cannot_be_done_is_an_error)
{
  const gdouble levels[3] = { .5, .5, .5 };
  GstShapeImage image = view_doubles (square, 4, 4);
  g_autoptr (GstShapeEngine) engine = new_engine ("cpu");
  GError *error = NULL;

  fail_unless (!gst_shape_engine_new ("tpu", -1, &error));
  expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  fail_unless (!gst_shape_engine_new ("cuda", 1 << 20, &error));
  expect (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
  fail_unless (!gst_shape_engine_find_contours (engine, &image, NULL, levels,
          3, 0, &error));
  expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  /* a mask that is too wide, too narrow, too high, and none of these */
  for (guint i = 0; i < 4; i++) {
    static const guint sizes[][2] = { {5, 4}, {3, 4}, {4, 3}, {4, 4} };
    const guint8 bytes[5 * 4] = { 0 };
    const GstShapeImage mask = {.data = bytes,.type = GST_SHAPE_NUMBER_U8,
      .width = sizes[i][0],.height = sizes[i][1],.channels = 1,
      .pixel_stride = 1,.row_stride = sizes[i][0],.channel_stride = 1
    };
    GstShapeResult *result = gst_shape_engine_find_contours (engine, &image,
        &mask, levels, 1, 0, &error);

    fail_unless ((result != NULL) == (i == 3));
    if (result)
      gst_shape_result_unref (result);
    else
      expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  }
  expect_wrong_levels (engine, &image);
  image.row_stride = 8;
  fail_unless (!gst_shape_engine_find_contours (engine, &image, NULL, levels,
          1, 0, &error));
  expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  fail_unless (!gst_shape_engine_convex_hull (engine, square,
          GST_SHAPE_NUMBER_U8, 2, 0, 0, &error));
  expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  fail_unless (!gst_shape_engine_convex_hull (engine, square,
          GST_SHAPE_NUMBER_F64, 2, 3, 0, &error));
  expect (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
}

TEST (test_no_points_have_no_hull)
{
  g_autoptr (GstShapeEngine) engine = new_engine (NULL);
  g_autoptr (GstShapeResult) result = gst_shape_engine_convex_hull (engine,
      NULL, GST_SHAPE_NUMBER_F32, 0, 0, GST_SHAPE_HULL_NONE, NULL);

  fail_unless (result != NULL);
  assert_equals_int (gst_shape_result_get_arrays (result)->n_shapes, 0);
}

static gpointer
call_often (gpointer engine)
{
  GstShapeImage image = view_doubles (square, 4, 4);

  for (guint i = 0; i < 300; i++) {
    g_autoptr (GstShapeResult) result = find (engine, &image, .25,
        GST_SHAPE_CONTOURS_NONE);

    fail_unless (gst_shape_result_get_arrays (result)->n_points == 9);
  }
  return NULL;
}

TEST (test_threads_share_an_engine)
{
  g_autoptr (GstShapeEngine) engine = new_engine (NULL);
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", call_often, engine);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

SUITE (shapeengine)
{
  shapes_note_criticals ();
}
