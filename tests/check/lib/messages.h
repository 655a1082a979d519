/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

#include <string.h>

/* The error or warning on @bus, or fails; a thread may be about to post it. */
static inline void
assert_message (GstBus * bus, GstMessageType type, const gchar * what)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      10 * GST_SECOND, type);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no message \"%s\"", what);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
}

/* How many warnings on @bus, as of now, have @part. */
static inline guint
count_told (GstBus * bus, const gchar * part)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, part) != NULL;
    gst_message_unref (message);
  }
  return n;
}
