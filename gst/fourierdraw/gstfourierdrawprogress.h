/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PROGRESS_H
#define GST_FOURIER_DRAW_PROGRESS_H

/* Messages about how far the drawing is. */

#include <gst/gst.h>

#include "gstfourierdrawdrawing.h"

/**
 * GstFourierDrawProgress:
 *
 * What has been posted last. Zero-initialise it.
 */
typedef struct
{
  /*< private >*/
  guint64 drawing, pass;
  guint percent;
  gboolean begun;
} GstFourierDrawProgress;

/* Posts what is new as an element message "fourierdraw": `event` "begin",
 * "progress" (every tenth) or "done", `percent`, `pass`, `contours`, `vectors`.
 *
 * @drawing: what is drawn
 * @id: a number for each drawing
 * @pass: its number, from 0
 * @fraction: drawn, 0 to 1 */
void gst_fourier_draw_progress_report (GstFourierDrawProgress * progress,
    GstElement * element, const GstFourierDrawDrawing * drawing, guint64 id,
    guint64 pass, gdouble fraction);

#endif /* GST_FOURIER_DRAW_PROGRESS_H */
