/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezonesobjects.h"

#include <math.h>

#include "base/error.h"
#ifdef HAVE_ANALYTICS
#include "element/gstshapesanalytics.h"
#endif

typedef GstShapesZonePoint Point;

void
zones_objects_init (ZonesObjects * self)
{
  *self = (ZonesObjects) { 0, };
  cs_array_init (&self->array, sizeof (ZoneObject));
}

void
zones_objects_clear (ZonesObjects * self)
{
  cs_array_clear (&self->array);
  g_clear_pointer (&self->set, gst_shape_set_unref);
}

static void
begin (ZonesObjects * self, GstShapeSet * set, ZonesAnchor anchor)
{
  cs_array_empty (&self->array);
  g_clear_pointer (&self->set, gst_shape_set_unref);
  self->set = set ? gst_shape_set_ref (set) : NULL;
  self->has_shapes = set != NULL;
  self->n_without_track = 0;
  self->anchor = anchor;
  self->scale_x = self->scale_y = 1;
}

static gboolean
end (const ZonesObjects * self, GError ** error)
{
  return !self->array.failed || cs_fail_no_memory (error,
      "the objects of a frame");
}

static Point
map (const ZonesObjects * self, gdouble x, gdouble y)
{
  return (Point) {
  (x + .5) * self->scale_x - .5, (y + .5) * self->scale_y - .5};
}

static Point
get_center (const ZoneObject * object)
{
  return (Point) {
  (object->low.x + object->high.x) / 2, (object->low.y + object->high.y) / 2};
}

static void
append (ZonesObjects * self, ZoneObject * object, const Point * centroid)
{
  object->anchor = get_center (object);
  if (self->anchor == ZONES_ANCHOR_BOTTOM)
    object->anchor.y = object->high.y;
  if (self->anchor == ZONES_ANCHOR_CENTROID && isfinite (centroid->x)
      && isfinite (centroid->y))
    object->anchor = *centroid;
  object->zone = -1;
  self->n_without_track += object->track < 0;
  cs_array_append_val (&self->array, *object);
}

/* Shapes */

static void
take_shape (gpointer user_data, guint layer, const GstShapeArrays * arrays,
    gsize i)
{
  ZonesObjects *self = user_data;
  GstShapePolyline polyline;

  gst_shape_arrays_get_measures (arrays, i, &polyline);
  if (!isfinite (polyline.bbox_x0) || !isfinite (polyline.bbox_y0)
      || !isfinite (polyline.bbox_x1) || !isfinite (polyline.bbox_y1))
    return;
  ZoneObject object = {
    .track = arrays->annotations ? arrays->annotations[i].track_id : -1,
    .class_id = polyline.class_id,
    .class_name =
        gst_shape_layer_get_class_name (gst_shape_set_get_layer (self->set,
            layer), polyline.class_id),
    .low = map (self, polyline.bbox_x0, polyline.bbox_y0),
    .high = map (self, polyline.bbox_x1, polyline.bbox_y1),
    .area = fabs (polyline.area) * self->scale_x * self->scale_y,
    .points = arrays->points ? arrays->points + arrays->offsets[i] : NULL,
    .n_points = arrays->points ?
        arrays->offsets[i + 1] - arrays->offsets[i] : 0,
    .is_closed = (polyline.flags & GST_SHAPE_FLAG_CLOSED) != 0,
    .layer = layer,
    .index = i
  };
  const Point centroid = map (self, polyline.centroid_x, polyline.centroid_y);
  append (self, &object, &centroid);
}

gboolean
zones_objects_take_shapes (ZonesObjects * self, GstShapeSet * set,
    GstShapesObjectKind kind, ZonesAnchor anchor, guint width, guint height,
    GError ** error)
{
  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);

  begin (self, set, anchor);
  if (width > 0 && set_width > 0)
    self->scale_x = (gdouble) width / set_width;
  if (height > 0 && set_height > 0)
    self->scale_y = (gdouble) height / set_height;
  return gst_shapes_objects_foreach (set, kind, take_shape, self, error)
      && end (self, error);
}

/* Detected objects */

#ifdef HAVE_ANALYTICS
/* A box of whole pixels; their centres are at integers. */
static void
take_detected (ZonesObjects * self, const GstAnalyticsODMtd * mtd)
{
  gint x, y, width, height;
  gfloat confidence;

  if (!gst_analytics_od_mtd_get_location (mtd, &x, &y, &width, &height,
          &confidence))
    return;
  const GQuark type = gst_analytics_od_mtd_get_obj_type (mtd);
  ZoneObject object = {
    .track = gst_shapes_analytics_find_track (mtd->meta, mtd),
    .class_id = (gint32) type,
    .class_name = g_quark_to_string (type),
    .low = {x - .5, y - .5},
    .high = {x - .5 + width, y - .5 + height},
    .area = (gdouble) width * height,
  };
  append (self, &object, &(Point) {
      NAN, NAN});
}
#endif

gboolean
zones_objects_take_analytics (ZonesObjects * self, GstBuffer * buffer,
    ZonesAnchor anchor, GError ** error)
{
  begin (self, NULL, anchor);
#ifdef HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsODMtd mtd;
  gpointer state = NULL;

  while (meta && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &mtd))
    take_detected (self, &mtd);
#endif
  return end (self, error);
}

/* Any part */

static gsize
count_points (const ZoneObject * object)
{
  return object->n_points > 0 ? object->n_points : 5;
}

/* Point @i, or that of the bounding box, as a ring, of an object without. */
static Point
get_point (const ZonesObjects * self, const ZoneObject * object, gsize i)
{
  if (object->n_points > 0)
    return map (self, object->points[i].x, object->points[i].y);
  return (Point) {
  i == 1 || i == 2 ? object->high.x : object->low.x,
        i == 2 || i == 3 ? object->high.y : object->low.y};
}

static gboolean
has_inside (const ZoneObject * object)
{
  return object->is_closed || object->n_points == 0;
}

static gboolean
contains (const ZonesObjects * self, const ZoneObject * object,
    const Point * p)
{
  const gsize n = count_points (object);
  gboolean inside = FALSE;
  Point a = get_point (self, object, n - 1);

  for (gsize i = 0; has_inside (object) && i < n; i++) {
    const Point b = get_point (self, object, i);

    inside ^= zone_edge_is_crossed (&a, &b, p);
    a = b;
  }
  return inside;
}

/* Whether a line of @object meets that from @a to @b. */
static gboolean
meets_line (const ZonesObjects * self, const ZoneObject * object,
    const Point * a, const Point * b)
{
  const gsize n = count_points (object);
  Point from = get_point (self, object, 0);

  if (MAX (a->x, b->x) < object->low.x || MIN (a->x, b->x) > object->high.x
      || MAX (a->y, b->y) < object->low.y || MIN (a->y, b->y) > object->high.y)
    return FALSE;
  for (gsize i = 1; i < n; i++) {
    const Point to = get_point (self, object, i);

    if (zone_lines_meet (a, b, &from, &to))
      return TRUE;
    from = to;
  }
  return FALSE;
}

static gboolean
meets_border (const ZonesObjects * self, const ZoneObject * object,
    const Zone * zone)
{
  const Point *points = (const Point *) (gconstpointer) zone->points->data;
  gsize first = 0;

  for (guint ring = 0; ring < zone->ends->len; ring++) {
    const gsize last = g_array_index (zone->ends, gsize, ring);

    for (gsize i = first, k = last - 1; i < last; k = i++)
      if (meets_line (self, object, &points[k], &points[i]))
        return TRUE;
    first = last;
  }
  return FALSE;
}

/* Whether a ring of @zone, which meets no side of @object, is in it. */
static gboolean
contains_ring (const ZonesObjects * self, const ZoneObject * object,
    const Zone * zone)
{
  gsize first = 0;

  for (guint ring = 0; ring < zone->ends->len; ring++) {
    if (contains (self, object, &g_array_index (zone->points, Point, first)))
      return TRUE;
    first = g_array_index (zone->ends, gsize, ring);
  }
  return FALSE;
}

gboolean
zones_objects_touch (const ZonesObjects * self, const ZoneObject * object,
    const Zone * zone)
{
  const Point first = get_point (self, object, 0);

  if (object->high.x < zone->low.x || object->low.x > zone->high.x
      || object->high.y < zone->low.y || object->low.y > zone->high.y)
    return FALSE;
  return zone_contains (zone, first.x, first.y)
      || contains_ring (self, object, zone)
      || meets_border (self, object, zone);
}

static gdouble
distance_to_object (const ZonesObjects * self, const ZoneObject * object,
    const Point * p)
{
  Point a = get_point (self, object, 0);
  gdouble least = hypot (p->x - a.x, p->y - a.y);

  for (gsize i = 1; i < count_points (object); i++) {
    const Point b = get_point (self, object, i);

    least = fmin (least, zone_edge_get_distance (&a, &b, p));
    a = b;
  }
  return least;
}

/* The nearest points of two polygons that do not meet are a corner of one and a
 * point of a side of the other one. */
gdouble
zones_objects_get_depth (const ZonesObjects * self, const ZoneObject * object,
    const Zone * zone)
{
  const gboolean touches = zones_objects_touch (self, object, zone);
  gdouble deepest = 0, nearest = G_MAXDOUBLE;

  for (gsize i = 0; i < count_points (object); i++) {
    const Point p = get_point (self, object, i);
    const gdouble distance = zone_get_distance (zone, p.x, p.y);

    if (zone_contains (zone, p.x, p.y))
      deepest = fmax (deepest, distance);
    nearest = fmin (nearest, distance);
  }
  for (guint i = 0; i < zone->points->len; i++) {
    const Point *p = &g_array_index (zone->points, Point, i);
    const gdouble distance = distance_to_object (self, object, p);

    if (contains (self, object, p))
      deepest = fmax (deepest, distance);
    nearest = fmin (nearest, distance);
  }
  return touches ? deepest : nearest;
}

/* Annotations */

typedef struct
{
  gboolean tracks;
  guint first_zone;
} ZonesNotes;

/* The layer's annotations with those of objects from @at on that are its. */
static GstShapeAnnotation *
annotate (const ZonesObjects * self, GstShapeLayer * layer, guint number,
    const ZonesNotes * notes, gsize * at, GError ** error)
{
  const GstShapeAnnotation none = GST_SHAPE_ANNOTATION_NONE;
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  GstShapeAnnotation *annotations = arrays ? cs_try_new (GstShapeAnnotation,
      arrays->n_shapes) : NULL;

  if (arrays && !annotations)
    cs_fail_no_memory (error, "the zones of shapes");
  for (gsize i = 0; annotations && i < arrays->n_shapes; i++)
    annotations[i] = arrays->annotations ? arrays->annotations[i] : none;
  for (; annotations && *at < self->array.len; (*at)++) {
    const ZoneObject *object = &cs_array_index (&self->array, ZoneObject, *at);

    if (object->layer != number)
      break;
    if (object->zone >= 0)
      annotations[object->index].region_id =
          (gint32) notes->first_zone + object->zone;
    else if (notes->first_zone == 0)
      annotations[object->index].region_id = -1;
    if (notes->tracks)
      annotations[object->index].track_id = object->track;
  }
  return annotations;
}

static GstShapeLayer *
annotate_layer (const ZonesObjects * self, guint number,
    const ZonesNotes * notes, gsize * at, GError ** error)
{
  GstShapeLayer *layer = gst_shape_set_get_layer (self->set, number);
  GstShapeLayer *annotated = NULL;

  if (*at == self->array.len
      || cs_array_index (&self->array, ZoneObject, *at).layer != number)
    return gst_shape_layer_ref (layer);
  GstShapeAnnotation *annotations = annotate (self, layer, number, notes, at,
      error);
  if (!annotations)
    return NULL;
  annotated = gst_shape_layer_annotate (layer, annotations,
      gst_shape_layer_get_n_shapes (layer));
  if (!annotated)
    cs_fail_no_memory (error, "the zones of shapes");
  g_free (annotations);
  return annotated;
}

GstShapeSet *
zones_objects_annotate (const ZonesObjects * self, gboolean tracks,
    guint first_zone, GError ** error)
{
  GstShapeSet *annotated = gst_shape_set_derive_empty (self->set);
  const ZonesNotes notes = { tracks, first_zone };
  gsize at = 0;

  for (guint i = 0; i < gst_shape_set_get_n_layers (self->set); i++) {
    GstShapeLayer *layer = annotate_layer (self, i, &notes, &at, error);

    if (!layer) {
      gst_shape_set_unref (annotated);
      return NULL;
    }
    gst_shape_set_add_layer (annotated, layer);
  }
  return annotated;
}
