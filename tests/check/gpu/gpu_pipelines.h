/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Whole pipelines on the GPU, for its test programs. */

#include "gpu_test.h"

#include <gst/app/gstappsink.h>

/* @line, whose elements use @context. */
static inline GstElement *
pipeline_on (GstCudaContext * context, const gchar * line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstContext) shared = gst_context_new_cuda_context (context);

  fail_unless (pipeline != NULL && !error, "%s: %s", line,
      error ? error->message : "");
  gst_element_set_context (pipeline, shared);
  return pipeline;
}

/* Fails with what @pipeline says is wrong, if it does. */
static inline void
assert_no_error (GstElement * pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;
  gchar *details = NULL;

  if (message)
    gst_message_parse_error (message, &error, &details);
  fail_unless (message == NULL, "%s (%s)", error ? error->message : "",
      details);
}

/* The next buffer that arrives at the appsink @name; %NULL at the end. An error
 * of @pipeline, or no buffer for 20 seconds, fails. */
static inline GstBuffer *
pull_from (GstElement * pipeline, const gchar * name)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstSample *sample = NULL;
  GstBuffer *buffer = NULL;
  guint i;

  for (i = 0; i < 20 && !sample; i++) {
    g_signal_emit_by_name (sink, "try-pull-sample", GST_SECOND, &sample);
    assert_no_error (pipeline);
    if (!sample && gst_app_sink_is_eos (GST_APP_SINK (sink)))
      break;
  }
  fail_unless (i < 20, "no buffer came to %s for 20 seconds", name);
  if (sample) {
    buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
    gst_sample_unref (sample);
  }
  return buffer;
}

static inline gboolean
has_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (!factory) {
    g_print ("  left out: there is no %s here\n", name);
    return FALSE;
  }
  gst_object_unref (factory);
  return TRUE;
}
