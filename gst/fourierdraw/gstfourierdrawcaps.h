/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_CAPS_H
#define FOURIER_CAPS_H

/* Negotiation of caps and pools with downstream. */

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"

/* The default frame rate. */
#define FOURIER_FPS_N 30
#define FOURIER_FPS_D 1

/* Chooses the caps nearest to the picture's that downstream accepts; CUDA
 * memory only if downstream names it first.
 *
 * @srcpad: the element's source pad
 * @info: of the picture
 * @live: whether there is a frame for each picture, at the same rate
 * @still: whether there is no frame rate
 * @context: (nullable): the GstCudaContext, %NULL on the CPU
 * Returns: (transfer full) (nullable): fixed caps */
GstCaps *fourier_choose_caps (GstPad * srcpad,
    const GstVideoInfo * info, FourierBackground background,
    gboolean live, gboolean still, gpointer context);

/* Returns: (transfer full) (nullable): an active pool of frames of @caps
 *
 * @info: of @caps
 * @compute: where frames are painted */
GstBufferPool *fourier_choose_pool (GstPad * srcpad, GstCaps * caps,
    const GstVideoInfo * info, const GstShapesCompute * compute);

/* Answers a CAPS query with @caps, intersected with the query's filter.
 *
 * @caps: (transfer none) */
void fourier_answer_caps (GstQuery * query, GstCaps * caps);

#endif /* FOURIER_CAPS_H */
