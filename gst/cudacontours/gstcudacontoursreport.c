/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursprivate.h"

static void
add_to_array (GValue * array, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  gst_value_array_append_and_take_value (array, &value);
}

static void
add_label (GValue * array, const gchar * label)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, label ? label : "");
  gst_value_array_append_and_take_value (array, &value);
}

/* The numbers of contours by class, as arrays of equal length. */
static void
add_targets (const GstCudaContours * self, const ContoursTotals * totals,
    GstStructure * structure)
{
  GValue classes = G_VALUE_INIT, numbers = G_VALUE_INIT, labels = G_VALUE_INIT;
  guint i, n = 0;

  gst_value_array_init (&classes, self->n_targets);
  gst_value_array_init (&numbers, self->n_targets);
  gst_value_array_init (&labels, self->n_targets);
  for (i = 0; i < self->n_targets; i++) {
    n += totals->n_of_target[i];
    if (i + 1 < self->n_targets &&
        self->targets[i].channel == self->targets[i + 1].channel)
      continue;
    add_to_array (&classes, contours_get_class (self, i));
    add_to_array (&numbers, n);
    add_label (&labels, contours_get_class_name (self,
            contours_get_class (self, i)));
    n = 0;
  }
  gst_structure_take_value (structure, "classes", &classes);
  gst_structure_take_value (structure, "n-contours-by-class", &numbers);
  if (self->labels || self->groups->len > 0)
    gst_structure_take_value (structure, "labels", &labels);
  else
    g_value_unset (&labels);
}

/* The same of regions, and their labels. */
static void
add_regions (const GArray * regions, GstStructure * structure)
{
  GValue classes = G_VALUE_INIT, numbers = G_VALUE_INIT, labels = G_VALUE_INIT;

  gst_value_array_init (&classes, regions->len);
  gst_value_array_init (&numbers, regions->len);
  gst_value_array_init (&labels, regions->len);
  for (guint i = 0; i < regions->len; i++) {
    const ContoursRegion *region = &g_array_index (regions, ContoursRegion, i);

    add_to_array (&classes, region->id);
    add_to_array (&numbers, region->n_contours);
    add_label (&labels, region->label);
  }
  gst_structure_take_value (structure, "classes", &classes);
  gst_structure_take_value (structure, "n-contours-by-class", &numbers);
  gst_structure_take_value (structure, "labels", &labels);
}

void
contours_post_totals (GstCudaContours * self, GstBuffer * buffer,
    const ContoursTotals * totals)
{
  GstStructure *structure =
      gst_shapes_transform_new_report (GST_SHAPES_TRANSFORM (self),
      "cudacontours", buffer);

  gst_structure_set (structure,
      "n-contours", G_TYPE_UINT64, totals->n_contours,
      "n-points", G_TYPE_UINT64, totals->n_points,
      "n-segments", G_TYPE_UINT64, totals->n_segments, NULL);
  if (totals->n_of_region)
    add_regions (totals->n_of_region, structure);
  else
    add_targets (self, totals, structure);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}
