/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test shapeanalytics share. */

#include <gst/analytics/analytics.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define SIDE 64
#define GRAY_CAPS "video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1"

/* A detected object, and the shape that it is related to. */
typedef struct
{
  gint x, y, width, height;
  gfloat rotation, confidence;
  const gchar *type;
  gint32 shape;
  guint id;
} Object;

static inline GstBuffer *
black_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  return buffer;
}

/* A square of white pixels. */
static inline void
draw_square (GstBuffer * buffer, guint x, guint y, guint side)
{
  for (guint row = y; row < y + side; row++)
    gst_buffer_memset (buffer, row * SIDE + x, 255, side);
}

/* The id of the shape, by the name of the metadata; -1 for none. Not by
 * GST_ANALYTICS_MTD_TYPE_ANY, of which 1.26 fails to log the name. */
static inline gint32
shape_of (GstAnalyticsRelationMeta * meta, guint object)
{
  const guint n = gst_analytics_relation_get_length (meta);

  for (guint i = 0; i < n; i++) {
    const GstAnalyticsMtd mtd = { i, meta };

    if (gst_analytics_relation_meta_get_relation (meta, object, i) ==
        GST_ANALYTICS_REL_TYPE_RELATE_TO &&
        g_str_equal (gst_analytics_mtd_type_get_name
            (gst_analytics_mtd_get_mtd_type (&mtd)), "gst-shapes-shape"))
      return *(gint32 *) gst_analytics_relation_meta_get_mtd_data (meta, i);
  }
  return -1;
}

/* Returns: (transfer full): Object, in order */
static inline GArray *
objects_of (GstBuffer * buffer)
{
  GArray *objects = g_array_new (FALSE, TRUE, sizeof (Object));
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  while (meta && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &mtd)) {
    Object object = { 0, };

    fail_unless (gst_analytics_od_mtd_get_oriented_location (&mtd, &object.x,
            &object.y, &object.width, &object.height, &object.rotation,
            &object.confidence));
    object.type = g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&mtd));
    object.shape = shape_of (meta, mtd.id);
    object.id = mtd.id;
    g_array_append_val (objects, object);
  }
  return objects;
}
