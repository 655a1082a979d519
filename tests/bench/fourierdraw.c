/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-fourierdraw [SECONDS]: how many frames a second fourierdraw makes, with
 * 100, 1 000 and 10 000 vectors at 1080p and 4K, on the CPU with one thread and
 * with all, and on the GPU if there is one, into system memory and into CUDA
 * memory. The drawing has 80 000 samples. Prints a table. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>

#include "cuda/gstshapesdevice.h"

#define WIDTH 1920
#define HEIGHT 1080
#define WARM_UP 20

/* A picture with some hundred contours. */
static GstBuffer *
make_picture (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    g_error ("out of memory");
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] = 128. + 60. * sin (x / 37.) * cos (y / 29.) +
          50. * sin (hypot (x - 1200., y - 500.) / 41.);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* Waits until @n frames have come. */
static void
wait_for (GstHarness * h, guint n)
{
  while (gst_harness_buffers_received (h) < n)
    g_usleep (200);
}

/* Frames a second, and how many there were; 0 if it cannot be made. */
static gdouble
measure (GstBuffer * picture, const gchar * backend, guint n_threads,
    guint n_vectors, guint width, guint height, const gchar * memory,
    gdouble seconds)
{
  gchar *line = g_strdup_printf ("fourierdraw backend=%s n-threads=%u "
      "n-vectors=%u n-samples=80000 detect=iso levels=0.3,0.5,0.7 loop=0 "
      "mode=redraw duration=30", backend, n_threads, n_vectors);
  gchar *out = g_strdup_printf ("video/x-raw%s,format=NV12,width=%u,height=%u,"
      "framerate=60/1", memory, width, height);
  GstHarness *h = gst_harness_new_parse (line);
  gint64 begin, end;
  guint first, n;

  gst_harness_set_drop_buffers (h, TRUE);
  gst_harness_set_sink_caps_str (h, out);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=1920,"
      "height=1080,framerate=0/1");
  gst_harness_push (h, gst_buffer_ref (picture));
  wait_for (h, WARM_UP);
  begin = g_get_monotonic_time ();
  first = gst_harness_buffers_received (h);
  do {
    wait_for (h, gst_harness_buffers_received (h) + 1);
    end = g_get_monotonic_time ();
    n = gst_harness_buffers_received (h) - first;
  } while (end - begin < seconds * G_USEC_PER_SEC);
  gst_harness_teardown (h);
  g_free (line);
  g_free (out);
  return n / ((end - begin) / (gdouble) G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  static const guint vectors[] = { 100, 1000, 10000 };
  static const guint sizes[][2] = { {1920, 1080}, {3840, 2160} };

  gst_init (&argc, &argv);
  gdouble seconds = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 2.;
  g_autoptr (GstBuffer) picture = make_picture ();
  g_print ("| frame | vectors | CPU, 1 thread | CPU, %u threads | CUDA to "
      "system memory | CUDA memory |\n|---|---|---|---|---|---|\n",
      g_get_num_processors ());
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (vectors); k++) {
      const guint width = sizes[i][0], height = sizes[i][1];

      g_print ("| %u x %u | %u | %.1f | %.1f |", width, height, vectors[k],
          measure (picture, "cpu", 1, vectors[k], width, height, "", seconds),
          measure (picture, "cpu", 0, vectors[k], width, height, "", seconds));
      if (gst_shapes_device_probe (NULL) > 0)
        g_print (" %.1f | %.1f |\n",
            measure (picture, "cuda", 0, vectors[k], width, height, "",
                seconds), measure (picture, "cuda", 0, vectors[k], width,
                height, "(memory:CUDAMemory)", seconds));
      else
        g_print (" - | - |\n");
    }
  }
  return 0;
}
