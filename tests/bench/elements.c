/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-elements FRAMES FILE CAPS LINE: how long the element x of LINE, a part
 * of a pipeline, or all of LINE if none has that name, takes for a frame: from its arrival in memory that was
 * allocated as a camera's driver or a decoder does, pageable, until the result
 * leaves, with its shapes readable. Frames are FILE's content, a copy for each.
 * Prints milliseconds: median, 99th percentile, and processor time of all
 * threads together. */

#include <gst/check/gstharness.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../kernels/lib/timing.h"
#include "shapes/gstshapes.h"

#define WARM_UP 10

typedef struct
{
  gint64 begin, busy;           /* when a frame came, in microseconds */
  GArray *times;
  gint64 total_busy;
} Bench;

static gint64
process_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static GstPadProbeReturn
arrive (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Bench *bench = user_data;

  bench->busy = process_time ();
  bench->begin = g_get_monotonic_time ();
  return GST_PAD_PROBE_OK;
}

static void
read_shapes (GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (!gst_shape_layer_map_host (layer, NULL))
      g_error ("the shapes cannot be read");
  }
}

static GstPadProbeReturn
leave (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Bench *bench = user_data;

  read_shapes (GST_PAD_PROBE_INFO_BUFFER (info));
  gint64 time = g_get_monotonic_time () - bench->begin;
  bench->total_busy += process_time () - bench->busy;
  g_array_append_val (bench->times, time);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * x, const gchar * name, GstPadProbeCallback probe,
    Bench * bench)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (x, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, bench, NULL);
}

static void
clear (Bench * bench)
{
  g_array_set_size (bench->times, 0);
  bench->total_busy = 0;
}

static void
push_frames (GstHarness * h, const gchar * frame, gsize size, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_memdup (frame, size);

    GST_BUFFER_PTS (buffer) = i * 10 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
    if (gst_harness_push (h, buffer) != GST_FLOW_OK)
      g_error ("a frame does not pass");
    buffer = gst_harness_try_pull (h);
    if (!buffer)
      g_error ("nothing comes out: is a frame as long as the file?");
  }
}

int
main (int argc, char **argv)
{
  Bench bench = { 0, };
  GError *error = NULL;
  gchar *frame;
  gsize size;
  guint n, n_frames;

  gst_init (&argc, &argv);
  if (argc != 5 || (n_frames = (guint) MAX (atoi (argv[1]), 0)) == 0) {
    g_printerr ("usage: bench-elements FRAMES FILE CAPS LINE\n");
    return 2;
  }
  if (!g_file_get_contents (argv[2], &frame, &size, &error)) {
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    return 1;
  }
  if (size == 0) {
    g_printerr ("%s is empty\n", argv[2]);
    return 1;
  }
  bench.times = g_array_new (FALSE, FALSE, sizeof (gint64));
  GstHarness *h = gst_harness_new_parse (argv[4]);
  /* live elements wait for nothing */
  gst_harness_set_live (h, FALSE);
  GstElement *x = GST_IS_BIN (h->element) ?
      gst_bin_get_by_name (GST_BIN (h->element), "x") : NULL;
  if (!x)
    x = gst_object_ref (h->element);
  add_probe (x, "sink", arrive, &bench);
  add_probe (x, "src", leave, &bench);
  gst_object_unref (x);
  gst_harness_set_src_caps_str (h, argv[3]);
  push_frames (h, frame, size, WARM_UP);
  /* for what is made beside the stream, as cudallf's table */
  g_usleep (G_USEC_PER_SEC);
  push_frames (h, frame, size, WARM_UP);
  clear (&bench);
  push_frames (h, frame, size, n_frames);
  n = bench.times->len;
  g_array_sort (bench.times, (GCompareFunc) compare_times);
  if (n == 0) {
    g_printerr ("nothing came out\n");
    return 1;
  }
  g_print ("%.4f %.4f %.4f\n",
      g_array_index (bench.times, gint64, n / 2) / 1000.,
      g_array_index (bench.times, gint64, n * 99 / 100) / 1000.,
      bench.total_busy / 1000. / n);
  g_array_unref (bench.times);
  gst_harness_teardown (h);
  g_free (frame);
  return 0;
}
