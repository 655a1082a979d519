/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "gstshapepoints.h"
#include "gstshapepolygons.h"
#include "gstshapes-private.h"

static gboolean
append_layer (CsArray * polygons, GstShapeLayer * layer, gsize * n_points,
    GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  for (gsize i = 0; arrays->polylines && i < arrays->n_shapes; i++) {
    const GstShapePolygon polygon = {.layer = layer,.arrays = arrays,.index = i,
      .first_point = *n_points + arrays->offsets[i],
      .first_hole = -1,.next_hole = -1
    };

    cs_array_append_val (polygons, polygon);
  }
  *n_points += arrays->n_points;
  return TRUE;
}

gboolean
gst_shape_polygon_is_known (const CsArray * polygons, gsize index)
{
  const GstShapePolygon *polygon = &cs_array_index (polygons, GstShapePolygon,
      index);
  gssize at = polygon->first_hole;

  if (!(gst_shape_polygon_get_record (polygon)->flags & GST_SHAPE_FLAG_CLOSED))
    return FALSE;
  while (TRUE) {
    gsize n;
    const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);

    if (!points || !gst_shape_points_are_finite (points, n))
      return FALSE;
    if (at < 0)
      return TRUE;
    polygon = &cs_array_index (polygons, GstShapePolygon, at);
    at = polygon->next_hole;
  }
}

static gboolean
is_contour (const GstShapePolyline * line, gboolean hole)
{
  return line->kind == GST_SHAPE_KIND_CONTOUR
      && (line->flags & GST_SHAPE_FLAG_CLOSED)
      && !(line->flags & GST_SHAPE_FLAG_HOLE) == !hole;
}

typedef struct
{
  gint32 id;
  gsize index;
} Parent;

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  const gint32 first = ((const Parent *) a)->id;
  const gint32 second = ((const Parent *) b)->id;

  return first < second ? -1 : first > second;
}

/* From the last to the first, so that lists are in order. */
static void
join_holes (CsArray * polygons, const CsArray * parents)
{
  for (gsize i = polygons->len; i-- > 0;) {
    GstShapePolygon *hole = &cs_array_index (polygons, GstShapePolygon, i);
    const GstShapePolyline *line = gst_shape_polygon_get_record (hole);
    const Parent wanted = { line->parent, 0 };
    const Parent *found = NULL;
    GstShapePolygon *parent;

    if (line->parent >= 0 && parents->len > 0 && is_contour (line, TRUE))
      found = bsearch (&wanted, parents->data, parents->len, sizeof (Parent),
          compare_ids);
    if (!found)
      continue;
    parent = &cs_array_index (polygons, GstShapePolygon, found->index);
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
  CsArray parents;
  gsize n_points = 0;

  cs_array_init (polygons, sizeof (GstShapePolygon));
  cs_array_init (&parents, sizeof (Parent));
  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++)
    if (!append_layer (polygons, gst_shape_set_get_layer (set, i), &n_points,
            error))
      return FALSE;
  if (has_parents (polygons)) {
    /* Those that may have holes, sorted by id. */
    for (gsize i = 0; i < polygons->len; i++) {
      const GstShapePolyline *line = gst_shape_polygon_get_record
          (&cs_array_index (polygons, GstShapePolygon, i));
      const Parent parent = { line->id, i };

      if (is_contour (line, FALSE))
        cs_array_append_val (&parents, parent);
    }
    if (parents.len > 0)
      qsort (parents.data, parents.len, sizeof (Parent), compare_ids);
    join_holes (polygons, &parents);
    polygons->failed |= parents.failed;
    cs_array_clear (&parents);
  }
  if (polygons->failed)
    return gst_shapes_fail_memory (error, "no memory for a list of polygons");
  return TRUE;
}
