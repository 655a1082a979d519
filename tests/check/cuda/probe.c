/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The child of the device tests: probes for GPUs, twice and from two threads,
 * and prints the results. With the argument "element" it also runs a pipeline
 * with backend=auto, and one with backend=cuda, and prints the backend and the
 * error. */

#include <gst/gst.h>

#include "cuda/gstshapesdevice.h"

static gpointer
ask (gpointer unused)
{
  return GUINT_TO_POINTER (gst_shapes_device_probe (NULL));
}

static void
run (const gchar * backend)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 ! "
      "video/x-raw,format=GRAY8,width=16,height=16 ! "
      "cudacontours name=c backend=%s ! fakesink", backend);
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);

  if (!pipeline || error)
    g_error ("no pipeline: %s", error ? error->message : "?");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (!message) {
    g_print ("backend=%s hangs\n", backend);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_print ("backend=%s fails: %s %d %s\n", backend,
        g_quark_to_string (error->domain), error->code, error->message);
    g_clear_error (&error);
  } else {
    gint active;
    GstElement *contours = gst_bin_get_by_name (GST_BIN (pipeline), "c");

    g_object_get (contours, "active-backend", &active, NULL);
    g_print ("backend=%s runs on %d\n", backend, active);
    gst_object_unref (contours);
  }
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  const gboolean element = argc > 1 && g_str_equal (argv[1], "element");
  const gchar *reason;

  gst_init (&argc, &argv);
  GThread *thread = g_thread_new ("probe", ask, NULL);
  guint n = gst_shapes_device_probe (&reason);
  if (GPOINTER_TO_UINT (g_thread_join (thread)) != n ||
      gst_shapes_device_probe (NULL) != n)
    return 1;
  g_print ("devices=%u reason=%s\n", n, reason);
  if (element) {
    run ("auto");
    run ("cuda");
    run ("cpu");
  }
  return 0;
}
