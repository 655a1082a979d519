/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_BUFFER_H
#define GST_SHAPES_BUFFER_H

#include <gst/gst.h>

#include "gstshapes-prelude.h"

G_BEGIN_DECLS

/**
 * GstShapesReleaseFunc:
 * @user_data: what gst_shapes_buffer_new_wrapped() was given
 *
 * The memory is not used any more. Called once, on whatever thread.
 *
 * Since: 1.0
 */
typedef void (*GstShapesReleaseFunc) (gpointer user_data);

GST_SHAPES_API GstBuffer *gst_shapes_buffer_new_wrapped (gpointer data,
    gsize size, gboolean writable, GstShapesReleaseFunc release,
    gpointer user_data);

G_END_DECLS

#endif /* GST_SHAPES_BUFFER_H */
