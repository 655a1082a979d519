/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_CAPS_H
#define GST_FOURIER_DRAW_CAPS_H

/* What fourierdraw's frames are: an agreement with downstream. */

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstfourierdrawsettings.h"

G_BEGIN_DECLS

/* What is taken for the frame rate when there is none. */
#define GST_FOURIER_DRAW_FPS_N 30
#define GST_FOURIER_DRAW_FPS_D 1

/* Chooses of what downstream takes what is most like the picture. CUDA memory
 * only when downstream names it first.
 *
 * @srcpad: the element's source pad
 * @info: of the picture
 * @live: whether there is a frame for each picture
 * @context: (nullable): the GstCudaContext, %NULL on the CPU
 * Returns: (transfer full) (nullable): fixed caps */
GstCaps *gst_fourier_draw_choose_caps (GstPad * srcpad,
    const GstVideoInfo * info, GstFourierDrawBackground background,
    gboolean live, gpointer context);

/* Returns: (transfer full) (nullable): an active pool of frames of @caps, whose
 *     form is @info */
GstBufferPool *gst_fourier_draw_choose_pool (GstPad * srcpad, GstCaps * caps,
    const GstVideoInfo * info, gpointer context);

/* Answers a CAPS query with @caps, as far as its filter lets them through.
 *
 * @caps: (transfer none) */
void gst_fourier_draw_answer_caps (GstQuery * query, GstCaps * caps);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_CAPS_H */
