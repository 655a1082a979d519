/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawprogress.h"

/* Percent from one message to the next */
#define STEP 10

/* Not GST_MESSAGE_PROGRESS: gst-launch-1.0 does not play before such progress is
 * complete. */
static void
post (GstElement * element, const gchar * event,
    const FourierDrawing * drawing, guint64 pass, guint percent)
{
  GstStructure *structure = gst_structure_new ("fourierdraw",
      "event", G_TYPE_STRING, event, "percent", G_TYPE_UINT, percent,
      "pass", G_TYPE_UINT64, pass, "contours", G_TYPE_UINT64,
      (guint64) drawing->n_contours, "vectors", G_TYPE_UINT,
      drawing->max_vectors, NULL);

  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT_CAST (element), structure));
}

void
fourier_progress_report (FourierProgress * progress, GstElement * element,
    const FourierDrawing * drawing, guint64 id, guint64 pass, gdouble fraction)
{
  const guint percent = (guint) (fraction * 100.);

  if (!progress->begun || progress->drawing != id || progress->pass != pass) {
    progress->begun = TRUE;
    progress->drawing = id;
    progress->pass = pass;
    progress->percent = 0;
    post (element, "begin", drawing, pass, 0);
  }
  if (percent < 100 && percent / STEP > progress->percent / STEP)
    post (element, "progress", drawing, pass, percent);
  if (percent >= 100 && progress->percent < 100)
    post (element, "done", drawing, pass, 100);
  progress->percent = percent;
}
