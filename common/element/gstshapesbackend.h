/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

/**
 * GstShapesBackend:
 * @GST_SHAPES_BACKEND_AUTO: a GPU when there is one, else the CPU
 * @GST_SHAPES_BACKEND_CUDA: an NVIDIA GPU, or an error
 * @GST_SHAPES_BACKEND_CPU: the CPU
 *
 * Where an element computes.
 */
typedef enum
{
  GST_SHAPES_BACKEND_AUTO,
  GST_SHAPES_BACKEND_CUDA,
  GST_SHAPES_BACKEND_CPU,
} GstShapesBackend;

#define GST_TYPE_SHAPES_BACKEND (gst_shapes_backend_get_type ())
GType gst_shapes_backend_get_type (void);
const gchar *gst_shapes_backend_to_string (GstShapesBackend backend);
