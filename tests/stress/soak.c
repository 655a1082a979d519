/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "soak.h"

#include <stdio.h>
#include <unistd.h>

#include <gst/gst.h>

/* Allowed growth of memory after the first third: pages of pools and arenas
 * used for the first time. */
#define MAX_GROWTH_KB 8192

#define SOURCE(format, pattern) "videotestsrc pattern=" pattern " ! " \
    "video/x-raw,format=" format ",width=160,height=120 ! "
#define SINK " ! fakesink name=out sync=false"

static const gchar *const lines[] = {
  SOURCE ("GRAY8", "ball") "cudacontours hierarchy=true ! shapejsonenc" SINK,
  SOURCE ("NV12", "smpte") "cudacontours ! cudahull measures=full ! "
      "shapejsonenc points=simplified" SINK,
  SOURCE ("RGBA", "snow") "cudallf quality=fast" SINK,
  SOURCE ("RGBA", "black") "cudacircles scene=snow" SINK,
  SOURCE ("GRAY8", "ball") "cudacontours ! queue ! cudacircles "
      "from-contours=enclosing" SINK,
  SOURCE ("RGB", "ball") "cudacontours ! shapeoverlay fill-opacity=0.3" SINK,
  SOURCE ("RGBA", "ball") "cudacontours pixel-size=0.5 ! cudahull defects=true "
      "ellipse=true ! shapestats lab=true ! shapejsonenc" SINK,
  SOURCE ("RGBA", "ball") "fourierdraw mode=live duration=1 hold=0" SINK,
  SOURCE ("GRAY8", "circular") "cudahull source=mask ! queue ! shapeoverlay"
      SINK,
};

/* Of the process, resident, in kB. */
static gulong
get_memory (void)
{
  gulong all = 0, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  if (file && fscanf (file, "%lu %lu", &all, &resident) != 2)
    resident = 0;
  if (file)
    fclose (file);
  return resident * (gulong) sysconf (_SC_PAGESIZE) / 1024;
}

static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * info, gpointer count)
{
  g_atomic_int_inc ((gint *) count);
  return GST_PAD_PROBE_OK;
}

static GstElement *
start (const gchar * line, gint * n_frames)
{
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstPad *pad = gst_element_get_static_pad (out, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, n_frames,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (out);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

/* Discards messages. Returns: whether one is an error */
static gboolean
take_messages (GstElement * pipeline, const gchar * line)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean failed = FALSE;
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      failed = TRUE;
      g_printerr ("FAILED: %s\n", line);
    }
    gst_message_unref (message);
  }
  return failed;
}

static gboolean
wait_and_watch (GstElement ** pipelines, guint seconds)
{
  const gint64 end = g_get_monotonic_time () +
      (gint64) seconds * G_USEC_PER_SEC;
  gboolean failed = FALSE;

  while (!failed && g_get_monotonic_time () < end) {
    for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
      failed |= take_messages (pipelines[i], lines[i]);
    g_usleep (G_USEC_PER_SEC / 20);
  }
  return !failed;
}

gboolean
soak_run (guint seconds)
{
  GstElement *pipelines[G_N_ELEMENTS (lines)];
  gint n_frames[G_N_ELEMENTS (lines)] = { 0, };
  gint n_before[G_N_ELEMENTS (lines)];

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    pipelines[i] = start (lines[i], &n_frames[i]);
  gboolean ok = wait_and_watch (pipelines, MAX (1, seconds / 3));
  gulong before = get_memory ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    n_before[i] = g_atomic_int_get (&n_frames[i]);
  ok &= wait_and_watch (pipelines, MAX (1, seconds - seconds / 3));
  gulong after = get_memory ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    const gint n = g_atomic_int_get (&n_frames[i]);

    g_print ("%8d frames: %s\n", n, lines[i]);
    ok &= n > n_before[i];
    gst_element_set_state (pipelines[i], GST_STATE_NULL);
    gst_object_unref (pipelines[i]);
  }
  g_print ("memory: %lu kB after a third of the time, %lu kB at the end\n",
      before, after);
  return ok && before > 0 && after <= before + MAX_GROWTH_KB;
}
