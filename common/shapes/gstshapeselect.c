/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Some of a set's shapes, and the regions that they are in. */

#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "gstshapepoints.h"
#include "gstshapeselect.h"
#include "gstshapes-private.h"

static gboolean
no_memory (GError ** error)
{
  return gst_shapes_fail_memory (error, "no memory for the selected shapes");
}

/* Which shapes of a layer are kept. */
typedef struct
{
  guint8 *keep;
  gsize n, n_points, n_defects, n_statistics;
} Choice;

static void
count (const GstShapeArrays * from, Choice * choice)
{
  for (gsize i = 0; i < from->n_shapes; i++) {
    if (!choice->keep[i])
      continue;
    choice->n++;
    choice->n_points += from->offsets[i + 1] - from->offsets[i];
  }
  for (gsize i = 0; from->defects && i < from->n_defects; i++)
    choice->n_defects += choice->keep[from->defects[i].shape];
  for (gsize i = 0; from->statistics && i < from->n_statistics; i++)
    choice->n_statistics += choice->keep[from->statistics[i].shape];
}

static void
copy_polylines (const GstShapeArrays * from, const guint8 * keep,
    const GstShapeBlock * to)
{
  gsize n = 0, n_points = 0;

  to->offsets[0] = 0;
  for (gsize i = 0; i < from->n_shapes; i++) {
    const gsize first = from->offsets[i];
    const gsize length = from->offsets[i + 1] - first;

    if (!keep[i])
      continue;
    to->polylines[n] = from->polylines[i];
    if (to->moments)
      to->moments[n] = from->moments[i];
    if (to->hull_measures)
      to->hull_measures[n] = from->hull_measures[i];
    if (to->annotations)
      to->annotations[n] = from->annotations[i];
    if (to->points && length > 0)
      memcpy (to->points + n_points, from->points + first,
          length * sizeof (*to->points));
    n_points += length;
    to->offsets[++n] = n_points;
  }
}

static void
copy_extras (const GstShapeArrays * from, const guint8 * keep,
    const GstShapeExtras * to)
{
  gsize n = 0, n_points = 0, defect = 0, statistic = 0, d = 0, s = 0;

  for (gsize i = 0; i < from->n_shapes; i++) {
    const gsize first = from->offsets[i];
    const gsize length = from->offsets[i + 1] - first;

    if (to->ellipses && keep[i])
      to->ellipses[n] = from->ellipses[i];
    if (to->indices && keep[i] && length > 0)
      memcpy (to->indices + n_points, from->indices + first,
          length * sizeof (*to->indices));
    for (; to->defects && defect < from->n_defects
        && from->defects[defect].shape == i; defect++)
      if (keep[i]) {
        to->defects[d] = from->defects[defect];
        to->defects[d++].shape = n;
      }
    for (; to->statistics && statistic < from->n_statistics
        && from->statistics[statistic].shape == i; statistic++)
      if (keep[i]) {
        to->statistics[s] = from->statistics[statistic];
        to->statistics[s++].shape = n;
      }
    n_points += keep[i] ? length : 0;
    n += keep[i];
  }
}

static GstShapeLayer *
select_polylines (const GstShapeArrays * from, Choice * choice)
{
  const guint has = gst_shape_arrays_have (from);
  GstShapeLayer *layer, *extended;
  GstShapeExtras extras;
  GstShapeBlock block;

  count (from, choice);
  layer = gst_shape_layer_new_block (GST_SHAPE_LAYER_POLYLINES, choice->n,
      choice->n_points, has, &block);
  if (!layer)
    return NULL;
  copy_polylines (from, choice->keep, &block);
  if (!gst_shape_layer_seal (layer))
    return NULL;
  if (!(has & GST_SHAPE_HAS_EXTRAS))
    return layer;
  extended = gst_shape_layer_extend_block (layer, has & GST_SHAPE_HAS_EXTRAS,
      choice->n_defects, choice->n_statistics, &extras);
  gst_shape_layer_unref (layer);
  if (extended)
    copy_extras (from, choice->keep, &extras);
  return extended;
}

/* Parents that were left out become -1. The layers are not shared yet. */
static void
drop_parents (GstShapeSet * set, const CsMap * kept)
{
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL);

    for (gsize k = 0; k < arrays->n_shapes; k++) {
      gint32 *parent = arrays->circles ?
          (gint32 *) & arrays->circles[k].parent :
          (gint32 *) & arrays->polylines[k].parent;

      if (*parent >= 0 && !cs_map_find (kept, *parent))
        *parent = -1;
    }
  }
}

/* Ranges of ids and kinds are not copied: they are found in what is left. */
static GstShapeLayer *
filter_layer (GstShapeLayer * whole, const GstShapeArrays * from,
    GstShapeFilterFunc func, gpointer user_data, CsMap * kept)
{
  Choice choice = { 0, };

  if (from->circles)
    return gst_shape_layer_new_circles_copy (from->circles, from->n_shapes);
  choice.keep = cs_try_malloc (MAX (from->n_shapes, 1));
  if (!choice.keep)
    return NULL;
  for (gsize i = 0; i < from->n_shapes; i++) {
    GstShapePolyline measured;

    gst_shape_arrays_get_measures (from, i, &measured);
    choice.keep[i] = func (&measured, user_data) ? 1 : 0;
    if (choice.keep[i])
      cs_map_set (kept, from->polylines[i].id, 0);
  }
  GstShapeLayer *layer = kept->failed ? NULL : select_polylines (from, &choice);
  g_free (choice.keep);
  if (layer)
    gst_shape_layer_copy_class_names (layer, whole);
  return layer;
}

/**
 * gst_shape_set_filter:
 * @set: a set
 * @func: (scope call): says which polylines to keep
 * @user_data: for @func
 * @error: return location for an error
 *
 * The polylines that @func keeps, with all that is known of them, and all
 * circles. Ids do not change; a parent that is left out becomes -1. Layers
 * without a polyline left stay, as those of a producer that found none.
 *
 * Returns: (transfer full): the filtered set; %NULL with @error set when a
 *     layer could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_filter (GstShapeSet * set, GstShapeFilterFunc func,
    gpointer user_data, GError ** error)
{
  CsMap kept = CS_MAP_INIT;
  gboolean ok = TRUE;

  g_return_val_if_fail (set != NULL, NULL);
  g_return_val_if_fail (func != NULL, NULL);

  GstShapeSet *filtered = gst_shape_set_derive_empty (set);
  for (guint i = 0; ok && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *whole = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *from = gst_shape_layer_map_host (whole, error);
    GstShapeLayer *layer = from ?
        filter_layer (whole, from, func, user_data, &kept) : NULL;

    ok = layer || (from && no_memory (error));
    if (layer)
      gst_shape_set_add_layer (filtered, layer);
  }
  if (ok)
    drop_parents (filtered, &kept);
  else
    g_clear_pointer (&filtered, gst_shape_set_unref);
  cs_map_clear (&kept);
  return filtered;
}

/* Regions */

/* Whether (x, y) is inside of a polygon of @n points, by crossings of the ray
 * to the right (even-odd). The last point may repeat the first. */
static gboolean
contains (const GstShapePoint * points, gsize n, gdouble x, gdouble y)
{
  gboolean inside = FALSE;

  for (gsize i = 0, k = n - 1; i < n; k = i++) {
    const gdouble xi = points[i].x, yi = points[i].y;
    const gdouble xk = points[k].x, yk = points[k].y;

    if ((yi > y) != (yk > y) && x < xi + (y - yi) * (xk - xi) / (yk - yi))
      inside = !inside;
  }
  return inside;
}

/* A polygon, and its bounding box. */
typedef struct
{
  const GstShapePoint *points;
  gsize n;
  gint32 id;
  GstShapePoint low, high;
} Region;

/* The id of the first region around (x, y); -1 if there is none. */
static gint32
find_region (const CsArray * regions, gdouble x, gdouble y)
{
  for (gsize i = 0; i < regions->len; i++) {
    const Region *region = &cs_array_index (regions, Region, i);

    if (x >= region->low.x && x <= region->high.x && y >= region->low.y
        && y <= region->high.y && contains (region->points, region->n, x, y))
      return region->id;
  }
  return -1;
}

static GstShapeLayer *
assign_layer (GstShapeLayer * layer, const CsArray * regions, GError ** error)
{
  const GstShapeArrays *from = gst_shape_layer_map_host (layer, error);
  GstShapeExtras extras;

  if (!from)
    return NULL;
  if (from->circles)
    return gst_shape_layer_ref (layer);
  GstShapeLayer *assigned = gst_shape_layer_extend_block (layer,
      GST_SHAPE_HAS_ANNOTATIONS, 0, 0, &extras);
  if (!assigned) {
    no_memory (error);
    return NULL;
  }
  for (gsize i = 0; i < from->n_shapes; i++) {
    GstShapePolyline measured;

    gst_shape_arrays_get_measures (from, i, &measured);
    extras.annotations[i] = gst_shape_arrays_get_annotation (from, i);
    extras.annotations[i].region_id = find_region (regions,
        measured.centroid_x, measured.centroid_y);
  }
  return assigned;
}

static void
append_region (CsArray * regions, const GstShapeArrays * arrays, gsize i)
{
  const gsize first = arrays->offsets[i], n = arrays->offsets[i + 1] - first;
  Region region = { arrays->points + first, n, arrays->polylines[i].id };

  if (n == 0)
    return;
  gst_shape_points_bound (region.points, n, &region.low, &region.high);
  cs_array_append_val (regions, region);
}

static gboolean
list_regions (GstShapeSet * set, CsArray * regions, GError ** error)
{
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error);

    if (!arrays)
      return FALSE;
    if (!arrays->points && arrays->n_shapes > 0)
      return gst_shapes_fail (error, "regions need polygons with points");
    for (gsize k = 0; k < arrays->n_shapes; k++)
      append_region (regions, arrays, k);
  }
  if (regions->failed)
    no_memory (error);
  return !regions->failed;
}

/**
 * gst_shape_set_assign_regions:
 * @set: a set
 * @regions: polygons; each is a region of its id
 * @error: return location for an error
 *
 * The same shapes, each annotated with the region that its centroid is in: the
 * first one, if there are several, and -1 if there is none. A rectangle is a
 * polygon of four points. A point on a border belongs to the region below it or
 * to the right.
 *
 * A centroid that is unknown is taken from the points; without these there is
 * no region.
 *
 * Returns: (transfer full): the annotated set, which shares the arrays of @set;
 *     %NULL with @error set when regions have no points, a layer could not be
 *     downloaded or memory ran out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_assign_regions (GstShapeSet * set, GstShapeSet * regions,
    GError ** error)
{
  GstShapeSet *assigned = NULL;
  CsArray list;

  g_return_val_if_fail (set != NULL, NULL);
  g_return_val_if_fail (regions != NULL, NULL);

  cs_array_init (&list, sizeof (Region));
  if (list_regions (regions, &list, error))
    assigned = gst_shape_set_derive_empty (set);
  for (guint i = 0; assigned && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = assign_layer (gst_shape_set_get_layer (set, i),
        &list, error);

    if (layer)
      gst_shape_set_add_layer (assigned, layer);
    else
      g_clear_pointer (&assigned, gst_shape_set_unref);
  }
  cs_array_clear (&list);
  return assigned;
}
