/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulated line against its truth. Areas are counted from pixels of the
 * label maps, each as large as the surface that it shows by the flattening of
 * a sphere, without the scene's geometry; and summed over small pieces of the
 * fruit's surface, without the formula. */

#include <math.h>
#include <string.h>

#include <gst/check/gstcheck.h>

#include "scene_fruit.h"

#define COLUMNS 511
#define ROWS 95
#define PIXELS (COLUMNS * ROWS)
#define PITCH 102
#define MM .8

static LineScene *
make_scene (guint64 seed, guint64 noise_seed, gdouble empty)
{
  LineSceneParams params = LINE_SCENE_PARAMS_DEFAULT;
  GError *error = NULL;
  LineScene *scene;

  params.seed = seed;
  params.noise_seed = noise_seed;
  params.empty_share = empty;
  scene = line_scene_new (&params, &error);
  g_assert_no_error (error);
  return scene;
}

static gboolean
is_fruit (guint8 label)
{
  return label != LINE_BELT && label != LINE_ROLLER;
}

typedef struct
{
  gdouble mm2[LINE_N_CLASSES], diameter;
} Measured;

/* The fruit in cup @cup: the diameter of the circle of its area; a pixel's
 * surface is its square over the cosine of its slope. */
static void
measure (const guint8 * labels, guint cup, Measured * out)
{
  gdouble x = 0, y = 0, n = 0, radius;

  memset (out, 0, sizeof (*out));
  for (guint i = 0; i < PIXELS; i++)
    if (i % COLUMNS / PITCH == cup && is_fruit (labels[i])) {
      x += i % COLUMNS;
      y += i / COLUMNS;
      n++;
    }
  if (n == 0)
    return;
  radius = sqrt (n / G_PI);
  out->diameter = 2 * radius * MM;
  for (guint i = 0; i < PIXELS; i++)
    if (i % COLUMNS / PITCH == cup && is_fruit (labels[i])) {
      gdouble dx = (i % COLUMNS - x / n) / radius;
      gdouble dy = (i / COLUMNS - y / n) / radius;
      gdouble flat = MIN (dx * dx + dy * dy, .98);

      out->mm2[labels[i]] += MM * MM / sqrt (1 - flat);
    }
}

GST_START_TEST (test_truth_against_pixels)
{
  LineScene *scene = make_scene (7, 7, .05);
  guint8 *rgb = g_malloc (PIXELS * 3), *labels = g_malloc (PIXELS);
  gdouble error_sum[LINE_N_CLASSES] = { 0 }, of[LINE_N_CLASSES] = { 0 };
  guint compared = 0;

  for (gint64 piece = 0; piece < 40; piece++) {
    gdouble best[LINE_N_CLASSES] = { 0 }, diameter = 0;
    LineTruth truth;

    line_scene_truth (scene, piece, &truth);
    for (guint cup = 0; cup < 5; cup++)
      for (guint view = 0; view < 4; view++) {
        Measured seen;

        fail_unless (line_scene_render (scene, piece + cup, view, rgb, labels,
                NULL));
        measure (labels, cup, &seen);
        diameter += seen.diameter / 20;
        for (guint i = 0; i < LINE_N_CLASSES; i++)
          best[i] = MAX (best[i], seen.mm2[i]);
      }
    fail_unless (truth.present == (diameter > 0));
    fail_unless (fabs (diameter - truth.diameter_mm) <=
        .01 * truth.diameter_mm);
    for (guint i = 0; i < LINE_N_CLASSES; i++) {
      const LineClassTruth *t = &truth.classes[i];

      if (i == LINE_SKIN)
        continue;
      fail_unless ((t->count > 0) == (best[i] > 0), "piece %d, %s",
          (gint) piece, line_class_names[i]);
      if (t->max_visible_mm2 < 25)
        continue;
      /* the best of 20 looks is on the large side of what pixels round, most
       * at the outline, where a pixel shows much of the surface */
      fail_unless (best[i] > .8 * t->max_visible_mm2 &&
          best[i] < 1.3 * t->max_visible_mm2, "piece %d, %s: %g, truth %g",
          (gint) piece, line_class_names[i], best[i], t->max_visible_mm2);
      error_sum[i] += best[i];
      of[i] += t->max_visible_mm2;
      compared++;
    }
  }
  fail_unless (compared > 25);
  for (guint i = LINE_CALYX; i < LINE_N_CLASSES; i++)
    if (of[i] > 0)
      GST_INFO ("%s: %.3f", line_class_names[i], error_sum[i] / of[i]);
  g_free (rgb);
  g_free (labels);
  line_scene_free (scene);
}

GST_END_TEST;

static LineVec
polar (const LineMark * mark, gdouble theta, gdouble phi)
{
  return line_sum (cos (theta), mark->middle, sin (theta),
      line_sum (cos (phi), mark->along, sin (phi), mark->across));
}

/* The angle from @n to the arc of the mark, with arcs' functions */
static gdouble
angle_to_arc (const LineMark * mark, LineVec n)
{
  gdouble along = atan2 (line_dot (n, mark->along),
      line_dot (n, mark->middle));
  LineVec nearest;

  along = CLAMP (along, -mark->length, mark->length);
  nearest = line_sum (cos (along), mark->middle, sin (along), mark->along);
  return acos (CLAMP (line_dot (n, nearest), -1, 1));
}

/* The surface over (theta, phi) by differences of neighbouring points. */
static gdouble
integrate (const LineFruit * fruit, const LineMark * mark, guint steps)
{
  gdouble dt = (mark->width + mark->length) * 1.01 / steps;
  gdouble dp = 2 * G_PI / steps, sum = 0;

  for (guint i = 0; i < steps; i++)
    for (guint k = 0; k < steps; k++) {
      gdouble t = (i + .5) * dt, p = (k + .5) * dp, h = 1e-5;
      LineVec at[3] = { polar (mark, t, p), polar (mark, t + h, p),
        polar (mark, t, p + h)
      }, u, v, area;

      if (angle_to_arc (mark, at[0]) > mark->width)
        continue;
      for (guint j = 0; j < 3; j++)
        at[j] = line_sum (line_fruit_radius (fruit, at[j]), at[j], 0, at[j]);
      u = line_sum (1 / h, at[1], -1 / h, at[0]);
      v = line_sum (1 / h, at[2], -1 / h, at[0]);
      area = line_cross (u, v);
      sum += sqrt (line_dot (area, area)) * dt * dp;
    }
  return sum;
}

GST_START_TEST (test_formula_against_integral)
{
  LineSceneParams params = LINE_SCENE_PARAMS_DEFAULT;
  guint compared = 0;
  gdouble worst = 0;

  params.empty_share = 0;
  for (gint64 piece = 0; piece < 40; piece++) {
    LineFruit fruit;

    line_fruit_init (&fruit, &params, piece);
    for (guint i = 0; i < fruit.n_marks; i++) {
      gdouble sum = integrate (&fruit, &fruit.marks[i], 300);
      gdouble area = line_fruit_mark_area (&fruit, &fruit.marks[i]);

      worst = MAX (worst, fabs (area - sum) / sum);
      compared++;
    }
  }
  GST_INFO ("%u marks, worst %.5f", compared, worst);
  fail_unless (compared > 90);
  /* what the header promises */
  fail_unless (worst < .002, "%g", worst);
}

GST_END_TEST;

GST_START_TEST (test_areas_add_up)
{
  LineScene *scene = make_scene (3, 3, .1);
  guint empty = 0;

  for (gint64 piece = 0; piece < 2000; piece++) {
    LineTruth truth;
    gdouble sum = 0;

    line_scene_truth (scene, piece, &truth);
    for (guint i = 0; i < LINE_N_CLASSES; i++) {
      sum += truth.classes[i].mm2;
      fail_unless (truth.classes[i].max_visible_mm2 <=
          truth.classes[i].mm2 + 1e-6);
    }
    fail_unless (fabs (sum - truth.surface_mm2) < 1e-6);
    /* a sphere's, of which harmonics change little */
    fail_unless (fabs (truth.surface_mm2 - G_PI * truth.diameter_mm *
            truth.diameter_mm) < 2e-4 * truth.surface_mm2 + 1e-9);
    empty += !truth.present;
  }
  /* 200 by the share, 13 the deviation */
  fail_unless (empty > 140 && empty < 260, "%u empty", empty);
  line_scene_free (scene);
}

GST_END_TEST;

GST_START_TEST (test_trigger_numbers)
{
  static const gint64 triggers[] = { 0, 1, 2, 255, 256, 65535, 123456789,
    G_MAXUINT32, (gint64) G_MAXUINT32 + 3
  };
  LineScene *scene = make_scene (1, 1, .05);
  guint8 *rgb = g_malloc (PIXELS * 3);
  guint32 read;

  for (guint i = 0; i < G_N_ELEMENTS (triggers); i++) {
    fail_unless (line_scene_render (scene, triggers[i], i % 4, rgb, NULL,
            NULL));
    fail_unless (line_scene_read_trigger (rgb, COLUMNS, &read));
    fail_unless_equals_int64 (read, triggers[i] & G_MAXUINT32);
    /* a square that says the opposite is noticed */
    for (guint y = 0; y < 4; y++)
      for (guint x = 0; x < 12; x++)
        rgb[(y * COLUMNS + 4 * i) * 3 + x] ^= 255;
    fail_if (line_scene_read_trigger (rgb, COLUMNS, &read));
  }
  fail_if (line_scene_read_trigger (rgb, 159, &read));
  g_free (rgb);
  line_scene_free (scene);
}

GST_END_TEST;

typedef struct
{
  guint8 rgb[PIXELS * 3], labels[PIXELS];
  gfloat tensor[PIXELS * LINE_N_CLASSES];
} View;

#define VIEWS 8

static gpointer
draw_backwards (gpointer data)
{
  LineScene *scene = make_scene (5, 9, .05);
  View *views = g_new (View, VIEWS);

  for (gint i = VIEWS - 1; i >= 0; i--) {
    line_scene_render (scene, 6 + i / 4, i % 4, views[i].rgb, views[i].labels,
        NULL);
    line_scene_probabilities (scene, 6 + i / 4, i % 4, views[i].tensor, NULL);
  }
  line_scene_free (scene);
  return views;
}

GST_START_TEST (test_same_in_all_threads)
{
  GThread *threads[4];
  View *first = draw_backwards (NULL);

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("draw", draw_backwards, NULL);
  for (guint i = 0; i < 4; i++) {
    View *views = g_thread_join (threads[i]);

    fail_unless (memcmp (first, views, VIEWS * sizeof (View)) == 0);
    g_free (views);
  }
  /* and two views are not the same picture */
  fail_if (memcmp (first[0].labels, first[1].labels, PIXELS) == 0);
  g_free (first);
}

GST_END_TEST;

GST_START_TEST (test_probabilities)
{
  LineScene *scene = make_scene (5, 9, .05);
  View *view = g_new (View, 1);
  guint differ = 0;

  fail_unless (line_scene_render (scene, 20, 2, view->rgb, view->labels,
          NULL));
  fail_unless (line_scene_probabilities (scene, 20, 2, view->tensor, NULL));
  for (guint i = 0; i < PIXELS; i++) {
    const gfloat *p = view->tensor + i * LINE_N_CLASSES;
    gdouble sum = 0;
    guint best = 0;

    for (guint k = 0; k < LINE_N_CLASSES; k++) {
      fail_unless (p[k] >= 0 && p[k] <= 1);
      sum += p[k];
      if (p[k] > p[best])
        best = k;
    }
    fail_unless (fabs (sum - 1) < 1e-5);
    differ += best != view->labels[i];
  }
  /* only at edges */
  fail_unless (differ < PIXELS / 200, "%u differ", differ);
  g_free (view);
  line_scene_free (scene);
}

GST_END_TEST;

GST_START_TEST (test_same_fruits_again)
{
  LineScene *a = make_scene (5, 9, .05), *b = make_scene (5, 10, .05);
  guint8 *one = g_malloc (PIXELS * 3), *two = g_malloc (PIXELS * 3);

  for (gint64 piece = 0; piece < 50; piece++) {
    LineTruth s, t;

    line_scene_truth (a, piece, &s);
    line_scene_truth (b, piece, &t);
    fail_unless (s.present == t.present);
    for (guint i = 0; i < LINE_N_CLASSES; i++)
      fail_unless (s.classes[i].mm2 == t.classes[i].mm2);
  }
  line_scene_render (a, 8, 0, one, NULL, NULL);
  line_scene_render (b, 8, 0, two, NULL, NULL);
  fail_if (memcmp (one, two, PIXELS * 3) == 0);
  g_free (one);
  g_free (two);
  line_scene_free (a);
  line_scene_free (b);
}

GST_END_TEST;

static void
fail_unless_refused (LineSceneParams params, const gchar * word)
{
  GError *error = NULL;

  fail_unless (line_scene_new (&params, &error) == NULL);
  fail_unless (error && strstr (error->message, word), "%s", word);
  g_error_free (error);
}

GST_START_TEST (test_bad_parameters)
{
  const LineSceneParams good = LINE_SCENE_PARAMS_DEFAULT;
  LineSceneParams p = good;
  LineScene *scene = make_scene (1, 1, 0);
  GError *error = NULL;
  guint8 rgb[3];

  p.views = 0;
  fail_unless_refused (p, "1 to 16 views");
  p = good;
  p.cups = 17;
  fail_unless_refused (p, "1 to 16 cups");
  p = good;
  p.mm_per_pixel = NAN;
  fail_unless_refused (p, "1.2 mm");
  p = good;
  p.empty_share = 1.5;
  fail_unless_refused (p, "empty");
  p = good;
  p.columns = 159;
  fail_unless_refused (p, "columns");
  p = good;
  p.rows = 60;
  fail_unless_refused (p, "fit");
  fail_if (line_scene_render (scene, 0, 4, rgb, NULL, &error));
  fail_unless (strstr (error->message, "not view 4"));
  g_clear_error (&error);
  fail_if (line_scene_render (scene, -1, 0, rgb, NULL, &error));
  g_clear_error (&error);
  line_scene_free (scene);
}

GST_END_TEST;

static Suite *
scene_suite (void)
{
  Suite *suite = suite_create ("scene");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 90);
  tcase_add_test (tests, test_truth_against_pixels);
  tcase_add_test (tests, test_formula_against_integral);
  tcase_add_test (tests, test_areas_add_up);
  tcase_add_test (tests, test_trigger_numbers);
  tcase_add_test (tests, test_same_in_all_threads);
  tcase_add_test (tests, test_probabilities);
  tcase_add_test (tests, test_same_fruits_again);
  tcase_add_test (tests, test_bad_parameters);
  return suite;
}

GST_CHECK_MAIN (scene);
