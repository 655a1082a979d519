/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame like the ones before makes nothing on the GPU, and frees nothing: no
 * memory, no event, no stream. The driver's functions that do exclude all other
 * threads of the context, and many streams would wait for each other. On the
 * mock of CUDA, which counts what is made, with its kernels run on the CPU. */

#include <gst/gst.h>

#include "base/fault.h"
#include "mock.h"

/* Frames until all sizes have been seen, and those that are watched. */
#define FIRST 6
#define LAST 10

#define STRING_2(x) #x
#define STRING(x) STRING_2 (x)
#define FRAMES "videotestsrc pattern=checkers-8 " \
    "num-buffers=" STRING (LAST) " ! video/x-raw,format="
#define SMALL ",width=48,height=32 ! "
#define OUT " ! fakesink name=out sync=false"

typedef struct
{
  const gchar *name, *line;
} Case;

static const Case cases[] = {
  {"contours", FRAMES "GRAY8" SMALL "cudacontours backend=cuda" OUT},
  {"contours on the device, hulls there",
        FRAMES "GRAY8" SMALL "cudacontours backend=cuda ! "
        "cudahull source=contours measures=full backend=cuda" OUT},
  {"contours, hulls on the CPU",
        FRAMES "GRAY8" SMALL "cudacontours backend=cuda hierarchy=true ! "
        "cudahull source=contours measures=full backend=cpu" OUT},
  {"contours by levels, some without any",
        FRAMES "GRAY8" SMALL "cudacontours backend=cuda "
        "levels=0.2,0.5,0.999 ! cudahull source=contours backend=cuda" OUT},
  {"labels", FRAMES "GRAY8" SMALL "cudacontours backend=cuda "
        "image-source=labels background-label=-1" OUT},
  {"labels, some of them left out", FRAMES "GRAY8" SMALL "cudacontours "
        "backend=cuda image-source=labels background-label=-1 min-points=6"
        OUT},
  {"filter", FRAMES "RGBx" SMALL "cudallf backend=cuda" OUT},
  {"overlay", FRAMES "RGBx" SMALL "cudacontours backend=cuda ! "
        "shapeoverlay backend=cuda" OUT},
  {"statistics", FRAMES "GRAY8" SMALL "cudacontours backend=cuda ! "
        "shapestats backend=cuda" OUT},
};

typedef struct
{
  guint n_frames, n_made, n_more;
} Watch;

gboolean
cs_fault_hook (CsFault fault, const char *file, int line)
{
  return FALSE;
}

static GstPadProbeReturn
count (GstPad * pad, GstPadProbeInfo * info, gpointer user)
{
  Watch *watch = user;

  watch->n_frames++;
  if (watch->n_frames == FIRST)
    watch->n_made = cuda_mock_count_made ();
  if (watch->n_frames == LAST)
    watch->n_more = cuda_mock_count_made () - watch->n_made;
  return GST_PAD_PROBE_OK;
}

/* Returns: whether the case holds */
static gboolean
run (const Case * one)
{
  GstElement *pipeline = gst_parse_launch (one->line, NULL);
  GstElement *out = pipeline ? gst_bin_get_by_name (GST_BIN (pipeline),
      "out") : NULL;
  Watch watch = { 0 };
  gboolean ok = FALSE;

  if (!out)
    return FALSE;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (out, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, &watch, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    ok = watch.n_frames >= LAST && watch.n_made > 0 && watch.n_more == 0;
  g_print ("%s: %s: %u frames, %u made before frame %d, %u in the next %d\n",
      ok ? "ok" : "FAILED", one->name, watch.n_frames, watch.n_made, FIRST,
      watch.n_more, LAST - FIRST);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (out);
  gst_object_unref (pipeline);
  return ok;
}

int
main (int argc, char **argv)
{
  guint n_failed = 0;

  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    n_failed += !run (&cases[i]);
  return n_failed > 0;
}
