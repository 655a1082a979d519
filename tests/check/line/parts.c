/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parts of a line in real time: histogram, blocks, queue, clock, heartbeat,
 * triggers that are left out, a target's discs */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "blocks.h"
#include "calibrate.h"
#include "checks.h"
#include "event_queue.h"
#include "heartbeat.h"
#include "histogram.h"
#include "publish/clock.h"
#include "source.h"

static int
compare (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Quantiles are those of the sorted values, but for a bin's width. */
CHECK (histogram)
{
  LineHistogram *histogram = line_histogram_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gdouble values[5000];

  g_assert_cmpfloat (line_histogram_get_quantile (histogram, 0.5), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    values[i] = exp (g_rand_double_range (rand, 0, log (1e8)));
    line_histogram_add (histogram, values[i]);
  }
  qsort (values, G_N_ELEMENTS (values), sizeof (*values), compare);
  for (guint percent = 1; percent <= 100; percent++) {
    const guint rank = (guint) ceil (percent / 100.0 * G_N_ELEMENTS (values));
    const gdouble sorted = values[MAX (rank, 1) - 1];
    const gdouble found =
        line_histogram_get_quantile (histogram, percent / 100.0);

    g_assert_cmpfloat (found, >=, sorted * 0.9999);
    g_assert_cmpfloat (found, <=, sorted * 1.0102);
  }
  for (gdouble bound = 2; bound < 1e8; bound *= 3) {
    guint64 n_below = 0, n_well_below = 0;

    for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
      n_below += values[i] <= bound;
      n_well_below += values[i] <= bound / 1.0101;
    }
    g_assert_cmpuint (line_histogram_get_below (histogram, bound), <=,
        n_below);
    g_assert_cmpuint (line_histogram_get_below (histogram, bound), >=,
        n_well_below);
  }
  g_assert_cmpuint (line_histogram_get_below (histogram, 1e8), ==,
      G_N_ELEMENTS (values));
  g_assert_cmpfloat (line_histogram_get_max (histogram), ==,
      values[G_N_ELEMENTS (values) - 1]);
  g_assert_cmpuint (line_histogram_get_count (histogram), ==,
      G_N_ELEMENTS (values));
  line_histogram_add (histogram, 0);
  line_histogram_add (histogram, -5);
  line_histogram_add (histogram, 1e12);
  g_assert_cmpfloat (line_histogram_get_max (histogram), ==, 1e12);
  g_assert_cmpfloat (line_histogram_get_quantile (histogram, 0), <=, 1.0101);
  line_histogram_free (histogram);
}

CHECK (blocks)
{
  LineBlocks *blocks = line_blocks_new (1000, 3, NULL);
  guint8 *taken[3];
  gsize offset;

  g_assert_cmpuint (line_blocks_get_size (blocks), ==, 1000);
  for (guint i = 0; i < 3; i++) {
    taken[i] = line_blocks_take (blocks);
    g_assert_nonnull (taken[i]);
    g_assert_cmpuint ((gsize) taken[i] % 64, ==, 0);
    g_assert_null (line_block_get_handle (taken[i], &offset));
    memset (taken[i], i, 1000);
  }
  g_assert_null (line_blocks_take (blocks));
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 1000; k++)
      g_assert_cmpuint (taken[i][k], ==, i);
  line_block_give (taken[1]);
  g_assert_true (line_blocks_take (blocks) == taken[1]);
  /* in use when their owner goes: a sanitizer would see what is left */
  line_blocks_free (blocks);
  for (guint i = 0; i < 3; i++)
    line_block_give (taken[i]);
}

/* At most two are taken, and all are dropped. */
static gpointer
take_one (gpointer user_data, gsize size, gpointer * data)
{
  gint *n = user_data;

  if (*n == 2)
    return NULL;
  ++*n;
  return *data = g_aligned_alloc0 (1, size, 64);
}

static gint n_dropped;

static void
drop_one (gpointer handle)
{
  n_dropped++;
  g_aligned_free (handle);
}

static void
forget (gpointer user_data)
{
  *(gint *) user_data = -n_dropped;
}

CHECK (blocks_of_other_memory)
{
  gint n = 0;
  const LineBlockMemory memory = { take_one, drop_one, &n, forget };
  LineBlocks *blocks = line_blocks_new (1000, 3, &memory);
  guint8 *taken[2];
  gsize offset;

  for (guint i = 0; i < 2; i++) {
    taken[i] = line_blocks_take (blocks);
    memset (taken[i], i, 1000);
    guint8 *handle = line_block_get_handle (taken[i], &offset);
    g_assert_true (handle + offset == taken[i]);
  }
  g_assert_null (line_blocks_take (blocks));
  g_assert_cmpuint (taken[0][999], ==, 0);
  line_block_give (taken[0]);
  line_blocks_free (blocks);
  g_assert_cmpint (n, ==, 2);
  line_block_give (taken[1]);
  g_assert_cmpint (n, ==, -2);
}

#define POSTERS 4
#define POSTED 2000

static gpointer
post (gpointer data)
{
  static gint lanes;
  const guint lane = g_atomic_int_add (&lanes, 1);

  for (guint i = 0; i < POSTED; i++) {
    LineEvent event = {.type = LINE_EVENT_LOST,.lane = lane,.trigger = i };

    line_event_queue_post (data, &event);
  }
  return NULL;
}

/* Many post at once into little room: all arrive, each poster's in order. */
CHECK (event_queue)
{
  LineEventQueue *queue = line_event_queue_new (8);
  GThread *threads[POSTERS];
  guint64 next[POSTERS] = { 0 };
  LineEvent event;

  g_assert_false (line_event_queue_take (queue, &event,
          g_get_monotonic_time () + 1000));
  for (guint i = 0; i < POSTERS; i++)
    threads[i] = g_thread_new ("poster", post, queue);
  for (guint i = 0; i < POSTERS * POSTED; i++) {
    g_assert_true (line_event_queue_take (queue, &event,
            g_get_monotonic_time () + 30 * G_USEC_PER_SEC));
    g_assert_cmpuint (event.trigger, ==, next[event.lane]);
    next[event.lane]++;
  }
  for (guint i = 0; i < POSTERS; i++)
    g_thread_join (threads[i]);
  /* what nobody takes is freed with it */
  event = (LineEvent) {.type = LINE_EVENT_LOOK,.seen = g_new0 (LineSeen, 1) };
  line_event_queue_post (queue, &event);
  line_event_queue_free (queue);
}

CHECK (clock)
{
  const gint64 before = g_get_real_time ();
  gint64 now = line_clock_now (), last = now;

  /* a second's room for the system's clock to be set meanwhile */
  g_assert_cmpint (ABS (now / 1000 - before), <, G_USEC_PER_SEC);
  g_assert_cmpint (ABS (line_clock_to_monotonic (now)
          - g_get_monotonic_time ()), <, G_USEC_PER_SEC);
  for (guint i = 0; i < 1000; i++, last = now) {
    now = line_clock_now ();
    g_assert_cmpint (now, >=, last);
  }
}

static char *
read_file (const char *path)
{
  char *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* It beats only if all threads have moved. */
CHECK (heartbeat)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "heartbeat", NULL);
  g_autoptr (LineFolder) in = line_folder_open (folder, FALSE, NULL);
  LineHeartbeat *heartbeat = line_heartbeat_new (in, NULL);
  const guint pulses[][2] = { {1, 1}, {2, 1}, {2, 2} };
  const char *expected[] = { "       7}", "       7}", "       9}" };

  g_assert_nonnull (heartbeat);
  for (guint i = 0; i < 3; i++) {
    line_heartbeat_beat (heartbeat, pulses[i], 2, 7 + i);
    g_autofree char *text = read_file (path);
    g_assert_cmpuint (strlen (text), ==, 60);
    g_assert_nonnull (strstr (text, expected[i]));
  }
  line_heartbeat_free (heartbeat);
  g_unlink (path);
  g_rmdir (folder);
  g_assert_null (line_heartbeat_new (in, NULL));
}

#define TENSORS (2 * 8 * 32 * 3)

/* A file of three triggers and a part of a fourth one: a bit of the first class
 * in a corner of all views, which is less with each trigger. */
static void
write_tensors (const char *path)
{
  gfloat data[4 * TENSORS] = { 0 };
  GError *error = NULL;

  for (guint i = 0; i < 8; i++)
    data[i * TENSORS / 2] = 0.5f / (1 + i / 2);
  g_file_set_contents (path, (char *) data, 3 * sizeof (data) / 4 + 10,
      &error);
  g_assert_no_error (error);
}

static LineTensors *
open_tensors (const LineConfig * config)
{
  static const char text[] = "[recipe]\nname=test\nclasses=belt;skin;rot\n"
      "fruit=skin;rot\ndefects=rot\nexclusive=false\nundecided-outlet=9\n"
      "[rule all]\noutlet=1\n";
  GError *error = NULL;
  g_autoptr (LineRecipe) recipe = line_recipe_parse ("r.ini", text,
      strlen (text), &error);

  g_assert_no_error (error);
  LineTensors *tensors = line_tensors_new (config,
      &g_array_index (config->lanes, LineLaneConfig, 0), recipe, &error);
  g_assert_no_error (error);
  return tensors;
}

static void
check_next (LineTensors * tensors, LineTensorsResult result, gdouble value,
    const char *message)
{
  gfloat data[TENSORS];
  LineLostViews lost;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (line_tensors_next (tensors, data, sizeof (data), &lost,
          &error), ==, result);
  if (result == LINE_TENSORS_GOOD)
    g_assert_cmpfloat_with_epsilon (data[0], value, 1e-6);
  if (message)
    g_assert_nonnull (strstr (error->message, message));
  else
    g_assert_no_error (error);
}

/* Those that are left out are of their own trigger, prepared or not; nor is what
 * was wrong with them told of others. */
CHECK (skip)
{
  char *path = g_build_filename (g_get_tmp_dir (), "line-XXXXXX", NULL);
  const int fd = g_mkstemp (path);
  char *text = g_strdup_printf ("[line]\nname=test\nrecipe=r.ini\noutput=out\n"
      "deadline-ms=50\n[geometry]\ncolumns=32\nrows=8\nmm-per-pixel=5\n"
      "cups=1\ncup-first=15\ncup-pitch=30\ntilt=0;0\n[lane a]\n"
      "source=replay\nlocation=%s\n", path);
  gfloat data[TENSORS];
  GError *error = NULL;
  g_autoptr (LineConfig) config = line_config_parse ("line.ini", text,
      strlen (text), &error);

  g_assert_no_error (error);
  write_tensors (path);
  LineTensors *tensors = open_tensors (config);
  g_assert_cmpuint (line_tensors_count (tensors, sizeof (data)), ==, 4);
  line_tensors_skip (tensors, sizeof (data));
  check_next (tensors, LINE_TENSORS_GOOD, 0.25, NULL);
  line_tensors_prepare (tensors, data, sizeof (data));
  line_tensors_skip (tensors, sizeof (data));
  line_tensors_prepare (tensors, data, sizeof (data));
  line_tensors_skip (tensors, sizeof (data));
  check_next (tensors, LINE_TENSORS_END, 0, NULL);
  line_tensors_free (tensors);
  tensors = open_tensors (config);
  line_tensors_prepare (tensors, data, sizeof (data));
  line_tensors_skip (tensors, sizeof (data));
  line_tensors_skip (tensors, sizeof (data));
  check_next (tensors, LINE_TENSORS_GOOD, 0.5 / 3, NULL);
  check_next (tensors, LINE_TENSORS_END, 0, "trigger 3 has 10 of 6144 bytes");
  line_tensors_free (tensors);
  g_free (text);
  close (fd);
  g_unlink (path);
  g_free (path);
}

#define CORNERS 60

/* A disc of area pi * radius^2 whose contour begins at corner @begin. */
static void
add_disc (LineView * view, gdouble x, gdouble y, gdouble radius, guint begin)
{
  const gdouble step = 2 * G_PI / CORNERS;
  const gdouble corner = radius * sqrt (step / sin (step));
  const gsize i = view->n_contours++;

  view->contours[i] = (LineContour) {.area = G_PI * radius * radius,
    .first = i * (CORNERS + 1),.n_points = CORNERS + 1,
    .feret_min = 2 * radius,.feret_max = 2 * radius
  };
  for (guint k = 0; k <= CORNERS; k++)
    view->points[view->contours[i].first + k] = (LinePoint) {
    x + corner * cos ((begin + k) * step), y + corner * sin ((begin + k)
          * step)};
}

/* Three discs, the middle one a ring, whose contours begin at different places,
 * in any order, beside one that is larger and one that is too small; what the
 * fit leaves of them by hand. */
CHECK (calibration)
{
  const gdouble discs[3][3] = { {40, 31, 10}, {101, 28, 10}, {159, 28, 10.6} };
  LineView view = {.contours = g_new (LineContour, 6),
    .points = g_new (LinePoint, 6 * (CORNERS + 1))
  };
  LineCalibration c;
  g_autoptr (GError) error = NULL;

  add_disc (&view, 159, 28, 10.6, 7);
  add_disc (&view, 101, 28, 9.5, 44);
  add_disc (&view, 40, 31, 10, 15);
  add_disc (&view, 101, 28, 10, 29);
  add_disc (&view, 200, 30, 13, 50);
  add_disc (&view, 70, 60, 4.9, 0);
  g_assert_true (line_calibrate (&view, 3, &c, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpfloat_with_epsilon (c.discs[i].x, discs[i][0], 1e-4);
    g_assert_cmpfloat_with_epsilon (c.discs[i].y, discs[i][1], 1e-4);
    g_assert_cmpfloat_with_epsilon (c.discs[i].diameter, 2 * discs[i][2],
        1e-4);
  }
  g_assert_cmpfloat_with_epsilon (c.cup_pitch, 59.5, 1e-4);
  g_assert_cmpfloat_with_epsilon (c.cup_first, 40.5, 1e-4);
  g_assert_cmpfloat_with_epsilon (c.diameter, 20.4, 1e-4);
  g_assert_cmpfloat_with_epsilon (c.off_column, 1, 1e-4);
  g_assert_cmpfloat_with_epsilon (c.off_row, 2, 1e-4);
  g_assert_cmpfloat_with_epsilon (c.off_diameter, 0.8 / 20.4, 1e-4);
  g_assert_false (line_calibrate (&view, 4, &c, &error));
  g_assert_nonnull (strstr (error->message, "3 round discs of one size for 4 "
          "cups, at columns 40.0, 101.0, 159.0; besides them at column 200.0 "
          "a disc 26.0 pixels wide, at column 101.0 a disc 19.0 pixels wide. "
          "Put"));
  g_free (view.contours);
  g_free (view.points);
}

GLIB_CHECKS ("/line")
