/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory of applications in other languages as buffers, without a copy. */

#include "gstshapesbuffer.h"

/**
 * gst_shapes_buffer_new_wrapped:
 * @data: memory that stays where it is until @release is called
 * @size: its bytes, at least 1
 * @writable: whether elements may write to it; otherwise they copy it first
 * @release: (scope async): called when the last reference to the memory is
 *     released
 * @user_data: for @release
 *
 * Makes a buffer of memory that an application owns, as
 * gst_buffer_new_wrapped_full(), which bindings cannot call.
 *
 * Returns: (transfer full): the buffer
 *
 * Since: 1.0
 */
GstBuffer *
gst_shapes_buffer_new_wrapped (gpointer data, gsize size, gboolean writable,
    GstShapesReleaseFunc release, gpointer user_data)
{
  g_return_val_if_fail (data != NULL && size > 0, NULL);

  return gst_buffer_new_wrapped_full (writable ? 0 : GST_MEMORY_FLAG_READONLY,
      data, size, 0, size, user_data, release);
}
