/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where in a frame the filter works: a weight for each pixel, made on the host
 * of a split, rectangles, a picture and the shapes of a frame. */

#include <gst/video/video.h>

#include "gstcudallfsettings.h"

/**
 * LlfArea:
 *
 * Of one thread at a time. Its memory grows to that of the largest frame.
 */
typedef struct _LlfArea LlfArea;

LlfArea *llf_area_new (void);
void llf_area_free (LlfArea * area);

/* Takes copies of what the area is made of; @region and @mask may be %NULL. The
 * mask is read again. */
void llf_area_set (LlfArea * area, const gchar * region,
    const gchar * mask, LlfShapes shapes);

/* Makes the weights of the next frame.
 *
 * @split: share of the width, from the left, that is not filtered
 * @buffer: whose shapes count
 * Returns: %FALSE with @error: CS_ERROR_INVALID (the region), that of
 *     gst_shapes_mask_load(), CS_ERROR_NO_MEMORY, or why shapes cannot be
 *     read */
gboolean llf_area_update (LlfArea * area, const GstVideoInfo * info,
    gdouble split, GstBuffer * buffer, GError ** error);

/* Returns: (nullable): a byte for each pixel in dense rows, valid until the
 *     next update; %NULL: the whole frame is filtered. @version is another
 *     number whenever the weights are others. */
const guint8 *llf_area_get_weights (LlfArea * area, guint64 * version);
