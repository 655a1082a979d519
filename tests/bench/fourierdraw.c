/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-fourierdraw [SECONDS]: how many frames a second fourierdraw makes, with
 * 100, 1 000 and 10 000 vectors at 1080p and 4K, on the CPU with one thread and
 * with all, and on the GPU if there is one, into system memory and into CUDA
 * memory. The drawing has 80 000 samples. Prints a table.
 *
 * bench-fourierdraw drawings [SECONDS]: how many drawings a second it makes of
 * pictures of 1080p in NV12, one frame of each, on the CPU, and on the GPU of
 * pictures in system memory and in CUDA memory. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const gchar *const detections[] = {
  "detect=canny", "detect=canny detect-size=0", "detect=iso",
  "detect=iso levels=0.3,0.5,0.7 detect-size=0",
};

#define NV12_CAPS(memory) "video/x-raw" memory ",format=NV12,width=1920," \
  "height=1080,framerate=30/1"
#define CUDA "(memory:CUDAMemory)"
/* libgstcuda's */
#define MAP_CUDA (GST_MAP_FLAG_LAST << 1)
/* One more than the element holds at the same time: one that it draws, one
 * that waits, and one that was drawn before. */
#define N_PICTURES 4

/* As if a decoder had written it. */
static void
write_on_gpu (GstBuffer * picture)
{
  GstMemory *memory = gst_buffer_peek_memory (picture, 0);
  GstMapInfo map;

  if (!gst_memory_map (memory, &map,
          (GstMapFlags) (GST_MAP_READWRITE | MAP_CUDA)))
    g_error ("no CUDA memory");
  gst_memory_unmap (memory, &map);
}

/* Drawings a second of @pictures. */
static gdouble
measure_drawings (GstBuffer * const pictures[N_PICTURES], gboolean on_gpu,
    const gchar * backend, guint n_threads, const gchar * detection,
    gdouble seconds)
{
  g_autofree gchar *line = g_strdup_printf ("fourierdraw backend=%s "
      "n-threads=%u mode=still %s", backend, n_threads, detection);
  GstHarness *h = gst_harness_new_parse (line);
  gint64 begin = 0, end = 0;
  guint first = 0;

  gst_harness_set_live (h, FALSE);
  gst_harness_set_drop_buffers (h, TRUE);
  gst_harness_set_sink_caps_str (h, on_gpu ? "video/x-raw" CUDA ",format=NV12" :
      "video/x-raw,format=NV12");
  gst_harness_set_src_caps_str (h, on_gpu ? NV12_CAPS (CUDA) : NV12_CAPS (""));
  /* pushing waits for the drawing before */
  for (guint i = 0; i < WARM_UP || end - begin < seconds * G_USEC_PER_SEC; i++) {
    GstBuffer *picture = pictures[i % N_PICTURES];

    /* while no other buffer shares its memory */
    if (on_gpu)
      write_on_gpu (picture);
    GstBuffer *copy = gst_buffer_copy (picture);
    GST_BUFFER_PTS (copy) = i * GST_SECOND / 30;
    gst_harness_push (h, copy);
    end = g_get_monotonic_time ();
    if (i < WARM_UP) {
      begin = end;
      first = gst_harness_buffers_received (h);
    }
  }
  const guint n = gst_harness_buffers_received (h) - first;
  gst_harness_teardown (h);
  return n / ((end - begin) / (gdouble) G_USEC_PER_SEC);
}

/* The test picture in NV12. */
static GstBuffer *
make_nv12 (void)
{
  g_autoptr (GstBuffer) luma = make_picture ();
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 / 2,
      NULL);
  GstMapInfo map;

  gst_buffer_memset (buffer, 0, 128, -1);
  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    g_error ("out of memory");
  gst_buffer_extract (luma, 0, map.data, WIDTH * HEIGHT);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
print_drawings (gdouble seconds)
{
  const gboolean has_gpu = gst_shapes_device_probe (NULL) > 0;
  GstBuffer *pictures[N_PICTURES], *on_gpu[N_PICTURES] = { NULL };
  GstHarness *upload = NULL;

  if (has_gpu) {
    upload = gst_harness_new_parse ("cudaupload");
    gst_harness_set_sink_caps_str (upload, NV12_CAPS (CUDA));
    gst_harness_set_src_caps_str (upload, NV12_CAPS (""));
  }
  for (guint i = 0; i < N_PICTURES; i++) {
    pictures[i] = make_nv12 ();
    if (has_gpu)
      on_gpu[i] = gst_harness_push_and_pull (upload,
          gst_buffer_ref (pictures[i]));
  }
  g_print ("| properties | CPU, 1 thread | CPU, %u threads | GPU, system memory "
      "| GPU, CUDA memory |\n|---|---|---|---|---|\n",
      g_get_num_processors ());
  for (guint i = 0; i < G_N_ELEMENTS (detections); i++) {
    g_print ("| `%s` | %.1f | %.1f |", detections[i],
        measure_drawings (pictures, FALSE, "cpu", 1, detections[i], seconds),
        measure_drawings (pictures, FALSE, "cpu", 0, detections[i], seconds));
    if (has_gpu)
      g_print (" %.1f | %.1f |\n",
          measure_drawings (pictures, FALSE, "cuda", 0, detections[i], seconds),
          measure_drawings (on_gpu, TRUE, "cuda", 0, detections[i], seconds));
    else
      g_print (" - | - |\n");
  }
  for (guint i = 0; i < N_PICTURES; i++) {
    gst_buffer_unref (pictures[i]);
    gst_clear_buffer (&on_gpu[i]);
  }
  if (upload)
    gst_harness_teardown (upload);
}

int
main (int argc, char **argv)
{
  static const guint vectors[] = { 100, 1000, 10000 };
  static const guint sizes[][2] = { {1920, 1080}, {3840, 2160} };

  gst_init (&argc, &argv);
  if (argc > 1 && strcmp (argv[1], "drawings") == 0) {
    print_drawings (argc > 2 ? g_ascii_strtod (argv[2], NULL) : 2.);
    return 0;
  }
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
