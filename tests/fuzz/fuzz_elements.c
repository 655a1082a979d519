/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz_elements.h"

/* The plugin alone, without a registry. */
static void
load_plugin (void)
{
  static GstPlugin *plugin;
  GError *error = NULL;

  if (!plugin)
    plugin = gst_plugin_load_file (PLUGIN, &error);
  FUZZ_CHECK (plugin != NULL, "%s", error->message);
}

GstHarness *
fuzz_harness_new (const gchar * line, GstBus ** bus)
{
  load_plugin ();
  GstHarness *h = gst_harness_new_parse (line);
  *bus = gst_bus_new ();
  gst_harness_set_drop_buffers (h, TRUE);
  gst_element_set_bus (h->element, *bus);
  return h;
}

void
fuzz_harness_free (GstHarness * h, GstBus * bus)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
}

gboolean
fuzz_has_failed (GstBus * bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  const gboolean failed = message != NULL;

  gst_clear_message (&message);
  return failed;
}

gboolean
fuzz_push (GstHarness * h, GstBus * bus, GstBuffer * buffer)
{
  const GstFlowReturn flow = gst_harness_push (h, buffer);
  const gboolean failed = fuzz_has_failed (bus);

  /* not every element takes every format */
  FUZZ_CHECK (flow == GST_FLOW_OK || flow == GST_FLOW_NOT_NEGOTIATED || failed,
      "%s without a message", gst_flow_get_name (flow));
  return !failed;
}

GstBuffer *
fuzz_buffer_new (Feed * feed, gsize right)
{
  const gsize size = feed_below (feed, 4) == 0 ?
      MIN (right, feed_u16 (feed) % (right + 1)) : right;
  guint8 *data = g_malloc0 (MAX (size, 1));

  memset (data, feed_u8 (feed), size / 2);
  return gst_buffer_new_wrapped (data, size);
}
