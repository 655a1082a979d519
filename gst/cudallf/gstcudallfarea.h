/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_AREA_H
#define GST_CUDA_LLF_AREA_H

/* Where in a frame the filter works: a weight for each pixel, made on the host
 * of a split, rectangles, a picture and the shapes of a frame. */

#include <gst/video/video.h>

#include "gstcudallfsettings.h"

/**
 * GstCudaLlfArea:
 *
 * Of one thread at a time. Its memory grows to that of the largest frame.
 */
typedef struct _GstCudaLlfArea GstCudaLlfArea;

GstCudaLlfArea *gst_cuda_llf_area_new (void);
void gst_cuda_llf_area_free (GstCudaLlfArea * area);

/* Takes copies of what the area is made of; @region and @mask may be %NULL. The
 * mask is read again. */
void gst_cuda_llf_area_set (GstCudaLlfArea * area, const gchar * region,
    const gchar * mask, GstCudaLlfShapes shapes);

/* Makes the weights of the next frame.
 *
 * @split: share of the width, from the left, that is not filtered
 * @buffer: whose shapes count
 * Returns: %FALSE with @error: CS_ERROR_INVALID (the region), that of
 *     gst_shapes_mask_load(), CS_ERROR_NO_MEMORY, or why shapes cannot be
 *     read */
gboolean gst_cuda_llf_area_update (GstCudaLlfArea * area,
    const GstVideoInfo * info, gdouble split, GstBuffer * buffer,
    GError ** error);

/* Returns: (nullable): a byte for each pixel in dense rows, valid until the
 *     next update; %NULL: the whole frame is filtered. @version is another
 *     number whenever the weights are others. */
const guint8 *gst_cuda_llf_area_get_weights (GstCudaLlfArea * area,
    guint64 * version);

#endif /* GST_CUDA_LLF_AREA_H */
