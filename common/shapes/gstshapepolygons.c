/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapepolygons.h"

static gboolean
append_layer (CsArray * polygons, GstShapeLayer * layer, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  for (gsize i = 0; arrays->polylines && i < arrays->n_shapes; i++) {
    const GstShapePolygon polygon = {.arrays = arrays,.index = i,
      .first_hole = -1,.next_hole = -1
    };

    cs_array_append_val (polygons, polygon);
  }
  return TRUE;
}

static gboolean
is_contour (const GstShapePolyline * line, gboolean hole)
{
  return line->kind == GST_SHAPE_KIND_CONTOUR
      && (line->flags & GST_SHAPE_FLAG_CLOSED)
      && !(line->flags & GST_SHAPE_FLAG_HOLE) == !hole;
}

/* Those that may have holes, by id. */
static GHashTable *
list_parents (CsArray * polygons)
{
  GHashTable *parents = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < polygons->len; i++) {
    const GstShapePolyline *line = gst_shape_polygon_get_record
        (&cs_array_index (polygons, GstShapePolygon, i));

    if (is_contour (line, FALSE))
      g_hash_table_insert (parents, GINT_TO_POINTER (line->id),
          GSIZE_TO_POINTER (i + 1));
  }
  return parents;
}

/* From the last to the first, so that lists are in order. */
static void
join_holes (CsArray * polygons, GHashTable * parents)
{
  for (gsize i = polygons->len; i-- > 0;) {
    GstShapePolygon *hole = &cs_array_index (polygons, GstShapePolygon, i);
    const GstShapePolyline *line = gst_shape_polygon_get_record (hole);
    GstShapePolygon *parent;
    gsize at;

    if (line->parent < 0 || !is_contour (line, TRUE))
      continue;
    at = GPOINTER_TO_SIZE (g_hash_table_lookup (parents,
            GINT_TO_POINTER (line->parent)));
    if (at == 0)
      continue;
    parent = &cs_array_index (polygons, GstShapePolygon, at - 1);
    hole->next_hole = parent->first_hole;
    hole->is_joined = TRUE;
    parent->first_hole = i;
  }
}

static gboolean
has_parents (CsArray * polygons)
{
  for (gsize i = 0; i < polygons->len; i++)
    if (gst_shape_polygon_get_record (&cs_array_index (polygons,
                GstShapePolygon, i))->parent >= 0)
      return TRUE;
  return FALSE;
}

gboolean
gst_shape_polygons_init (CsArray * polygons, GstShapeSet * set, GError ** error)
{
  cs_array_init (polygons, sizeof (GstShapePolygon));
  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++)
    if (!append_layer (polygons, gst_shape_set_get_layer (set, i), error))
      return FALSE;
  if (polygons->failed) {
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for a list of polygons");
    return FALSE;
  }
  if (has_parents (polygons)) {
    GHashTable *parents = list_parents (polygons);

    join_holes (polygons, parents);
    g_hash_table_unref (parents);
  }
  return TRUE;
}
