/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesobjects.h"

#include "base/error.h"
#include "base/map.h"
#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_object_kind_get_type,
    "GstShapesObjectKind",
    {GST_SHAPES_OBJECT_AUTO, "Hulls if there are any, else contours", "auto"},
    {GST_SHAPES_OBJECT_CONTOUR, "Contours that are no holes", "contour"},
    {GST_SHAPES_OBJECT_HULL, "Hulls, but those of holes", "hull"})

/* A hole is a part of an object, and so is its hull. @holes: ids. */
static gboolean
is_object (const GstShapePolyline * polyline, gboolean hulls,
    const CsMap * holes)
{
  if (hulls)
    return polyline->kind == GST_SHAPE_KIND_HULL &&
        !cs_map_find (holes, polyline->parent);
  return polyline->kind == GST_SHAPE_KIND_CONTOUR &&
      !(polyline->flags & GST_SHAPE_FLAG_HOLE);
}

static gboolean
find_holes (GstShapeLayer * layer, CsMap * holes, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  for (gsize i = 0; i < arrays->n_shapes; i++)
    if (arrays->polylines[i].flags & GST_SHAPE_FLAG_HOLE)
      cs_map_set (holes, arrays->polylines[i].id, 0);
  return !holes->failed || cs_fail_no_memory (error, "the ids of holes");
}

static gboolean
has_polylines (GstShapeSet * set, guint layer)
{
  return gst_shape_set_get_layer_type (set, layer) == GST_SHAPE_LAYER_POLYLINES;
}

static gboolean
choose_hulls (GstShapeSet * set, GstShapesObjectKind kind)
{
  if (kind != GST_SHAPES_OBJECT_AUTO)
    return kind == GST_SHAPES_OBJECT_HULL;
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    if (has_polylines (set, i)
        && gst_shape_layer_has_kind (gst_shape_set_get_layer (set, i),
            GST_SHAPE_KIND_HULL))
      return TRUE;
  return FALSE;
}

gboolean
gst_shapes_objects_foreach (GstShapeSet * set, GstShapesObjectKind kind,
    GstShapesObjectFunc func, gpointer user_data, GError ** error)
{
  const gboolean hulls = choose_hulls (set, kind);
  const guint n = gst_shape_set_get_n_layers (set);
  CsMap holes = CS_MAP_INIT;
  gboolean ok = TRUE;

  for (guint i = 0; ok && hulls && i < n; i++)
    ok = !has_polylines (set, i)
        || find_holes (gst_shape_set_get_layer (set, i), &holes, error);
  for (guint i = 0; ok && i < n; i++) {
    const GstShapeArrays *arrays = has_polylines (set, i) ?
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error) :
        NULL;

    ok = arrays || !has_polylines (set, i);
    for (gsize k = 0; arrays && k < arrays->n_shapes; k++)
      if (is_object (&arrays->polylines[k], hulls, &holes))
        func (user_data, i, arrays, k);
  }
  cs_map_clear (&holes);
  return ok;
}
