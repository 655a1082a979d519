/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_PROGRESS_H
#define FOURIER_PROGRESS_H

/* Messages about how far the drawing is. */

#include <gst/gst.h>

#include "gstfourierdrawdrawing.h"

/**
 * FourierProgress:
 *
 * What has been posted last. Zero-initialise it.
 */
typedef struct
{
  /*< private >*/
  guint64 drawing, pass;
  guint percent;
  gboolean begun;
} FourierProgress;

/* Posts what is new as an element message "fourierdraw": `event` "begin",
 * "progress" (every tenth) or "done", `percent`, `pass`, `contours`, `vectors`.
 *
 * @drawing: what is drawn
 * @id: a number for each drawing
 * @pass: its number, from 0
 * @fraction: drawn, 0 to 1 */
void fourier_progress_report (FourierProgress * progress, GstElement * element,
    const FourierDrawing * drawing, guint64 id, guint64 pass, gdouble fraction);

#endif /* FOURIER_PROGRESS_H */
