/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties_private.h"

gint cs_properties_ways[CS_PROPERTIES_N_WAYS];

guint
cs_property_get_n_columns (CsProperty property)
{
  switch (property) {
    case CS_PROPERTY_CENTROID:
    case CS_PROPERTY_CENTROID_LOCAL:
    case CS_PROPERTY_INERTIA_TENSOR_EIGVALS:
      return 2;
    case CS_PROPERTY_BBOX:
    case CS_PROPERTY_INERTIA_TENSOR:
      return 4;
    case CS_PROPERTY_MOMENTS_HU:
      return 7;
    case CS_PROPERTY_MOMENTS:
    case CS_PROPERTY_MOMENTS_CENTRAL:
    case CS_PROPERTY_MOMENTS_NORMALIZED:
      return 16;
    default:
      return 1;
  }
}

gboolean
cs_property_is_integer (CsProperty property)
{
  return property <= CS_PROPERTY_EULER_NUMBER;
}

gboolean
cs_properties_need_neighbours (guint32 wanted)
{
  return (wanted & (CS_PROPERTY_BIT (CS_PROPERTY_EULER_NUMBER) |
          CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER) |
          CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER_CROFTON))) != 0;
}

gboolean
cs_properties_need_hulls (guint32 wanted)
{
  return (wanted & (CS_PROPERTY_BIT (CS_PROPERTY_AREA_CONVEX) |
          CS_PROPERTY_BIT (CS_PROPERTY_FERET_DIAMETER_MAX) |
          CS_PROPERTY_BIT (CS_PROPERTY_SOLIDITY))) != 0;
}

gboolean
cs_properties_need_wide (guint32 wanted)
{
  return (wanted & (CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS) |
          CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_CENTRAL) |
          CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_NORMALIZED) |
          CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_HU))) != 0;
}

void *
cs_properties_alloc (CsPropertiesOutput * output, guint32 wanted,
    gsize n_regions, gboolean host, GError ** error)
{
  output->n_regions = n_regions;
  output->stride = (n_regions * 8 + 255) / 256 * 256;
  output->n_columns = 0;
  for (guint i = 0; i < CS_N_PROPERTIES; i++)
    if (wanted & CS_PROPERTY_BIT (i))
      output->n_columns += cs_property_get_n_columns (i);
  void *memory = output->alloc (output->user_data,
      MAX (output->n_columns * output->stride, 256), host);
  if (!memory)
    cs_fail_no_memory (error, "properties of regions");
  return memory;
}
