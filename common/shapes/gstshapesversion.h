/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_VERSION_H
#define GST_SHAPES_VERSION_H

#include <gst/gst.h>

#include "gstshapes-prelude.h"

G_BEGIN_DECLS

/**
 * GST_SHAPES_VERSION_MAJOR:
 *
 * Of the headers that a program is compiled with.
 *
 * Since: 1.0
 */
#define GST_SHAPES_VERSION_MAJOR 1
/**
 * GST_SHAPES_VERSION_MINOR:
 *
 * Of the headers that a program is compiled with.
 *
 * Since: 1.0
 */
#define GST_SHAPES_VERSION_MINOR 0
/**
 * GST_SHAPES_VERSION_MICRO:
 *
 * Of the headers that a program is compiled with.
 *
 * Since: 1.0
 */
#define GST_SHAPES_VERSION_MICRO 0

/**
 * GST_SHAPES_CHECK_VERSION:
 * @major: a number
 * @minor: a number
 * @micro: a number
 *
 * Whether the headers are of this version or a later one, for the
 * preprocessor.
 *
 * Since: 1.0
 */
#define GST_SHAPES_CHECK_VERSION(major, minor, micro) \
  (GST_SHAPES_VERSION_MAJOR > (major) || \
      (GST_SHAPES_VERSION_MAJOR == (major) && \
          (GST_SHAPES_VERSION_MINOR > (minor) || \
              (GST_SHAPES_VERSION_MINOR == (minor) && \
                  GST_SHAPES_VERSION_MICRO >= (micro)))))

GST_SHAPES_API void gst_shapes_version (guint * major, guint * minor,
    guint * micro);
GST_SHAPES_API gboolean gst_shapes_init (void);

G_END_DECLS

#endif /* GST_SHAPES_VERSION_H */
