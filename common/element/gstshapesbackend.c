/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesbackend.h"

#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_backend_get_type, "GstShapesBackend",
    {GST_SHAPES_BACKEND_AUTO, "A GPU when there is one, else the CPU", "auto"},
    {GST_SHAPES_BACKEND_CUDA, "An NVIDIA GPU, or an error", "cuda"},
    {GST_SHAPES_BACKEND_CPU, "The CPU", "cpu"})

const gchar *
gst_shapes_backend_to_string (GstShapesBackend backend)
{
  return gst_shapes_backend_get_type_values[backend].value_nick;
}
