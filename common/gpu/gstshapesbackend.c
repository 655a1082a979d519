/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapesbackend.h"

GType
gst_shapes_backend_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_SHAPES_BACKEND_AUTO, "A GPU when there is one, else the CPU", "auto"},
    {GST_SHAPES_BACKEND_CUDA, "An NVIDIA GPU, or an error", "cuda"},
    {GST_SHAPES_BACKEND_CPU, "The CPU", "cpu"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstShapesBackend", values);

    g_once_init_leave (&type, registered);
  }
  return type;
}

const gchar *
gst_shapes_backend_to_string (GstShapesBackend backend)
{
  switch (backend) {
    case GST_SHAPES_BACKEND_AUTO:
      return "auto";
    case GST_SHAPES_BACKEND_CUDA:
      return "cuda";
    case GST_SHAPES_BACKEND_CPU:
      return "cpu";
  }
  return "unknown";
}
