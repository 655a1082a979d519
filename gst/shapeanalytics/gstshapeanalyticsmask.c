/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeanalyticsmask.h"

#include <math.h>

#include <gst/video/video.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "gstshapeanalyticsboxes.h"

/* A polyline of the mask. */
typedef struct
{
  const GstShapePoint *points;
  gsize n_points;
  GstShapePolyline record;
  gdouble area;
  gsize number;                 /* in the order of the set */
} Polygon;

/* GRAY8, or GRAY16 of the machine if there are more than 255 regions. */
typedef struct
{
  guint8 *data;
  guint width, height;
  gboolean wide;
} Mask;

/* Polygons */

/* What @polyline is in a set of the mask's own, whose ids are those of boxes,
 * from 0: a box's shape, one of its holes, or, where nobody has looked for the
 * parents of holes, something that hides what is around it. @n_boxes: how many
 * there are. Returns: %FALSE if it is none of these */
static gboolean
describe (const GstShapePolyline * polyline, const CsMap * boxes,
    gsize n_boxes, gboolean of_hulls, GstShapePolyline * record)
{
  const gboolean is_hole = (polyline->flags & GST_SHAPE_FLAG_HOLE) != 0;
  const gsize *box = cs_map_find (boxes, is_hole ? polyline->parent :
      polyline->id);

  if (!box && (!is_hole || polyline->parent >= 0 || of_hulls))
    return FALSE;
  *record = (GstShapePolyline) {
    .id = box && !is_hole ? (gint32) *box : (gint32) n_boxes,
    .parent = box && is_hole ? (gint32) *box : -1,
    .kind = GST_SHAPE_KIND_CONTOUR,
    .flags = (polyline->flags & GST_SHAPE_FLAG_CLOSED) |
        (box && is_hole ? GST_SHAPE_FLAG_HOLE : 0),
    /* nobody needs to measure it again */
    .area = NAN,
  };
  return TRUE;
}

static gboolean
collect_polygons (GstShapeLayer * layer, const CsMap * boxes, gsize n_boxes,
    gboolean of_hulls, CsArray * polygons, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  for (gsize i = 0; arrays->points && i < arrays->n_shapes; i++) {
    Polygon polygon = {
      .points = arrays->points + arrays->offsets[i],
      .n_points = arrays->offsets[i + 1] - arrays->offsets[i],
      .number = polygons->len,
    };
    GstShapePolyline measured;

    if (!describe (&arrays->polylines[i], boxes, n_boxes, of_hulls,
            &polygon.record))
      continue;
    gst_shape_arrays_get_measures (arrays, i, &measured);
    /* what cannot be measured has no pixels */
    polygon.area = isnan (measured.area) ? 0 : fabs (measured.area);
    cs_array_append_val (polygons, polygon);
  }
  return TRUE;
}

static gint
compare_polygons (gconstpointer a, gconstpointer b)
{
  const Polygon *p = a, *q = b;

  if (p->area != q->area)
    return p->area > q->area ? -1 : 1;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* From the largest to the smallest, so that what lies inside is on top. */
static gboolean
list_polygons (GstShapeSet * set, const CsArray * boxes, CsArray * polygons,
    GError ** error)
{
  CsMap regions = CS_MAP_INIT;
  gboolean of_hulls = FALSE, ok = TRUE;
  gsize i;

  for (i = 0; i < boxes->len; i++) {
    const AnalyticsBox *box = &cs_array_index (boxes, AnalyticsBox, i);

    cs_map_set (&regions, box->id, i);
    of_hulls |= box->is_hull;
  }
  for (i = 0; ok && !regions.failed && i < gst_shape_set_get_n_layers (set);
      i++)
    ok = gst_shape_set_get_layer_type (set, i) != GST_SHAPE_LAYER_POLYLINES ||
        collect_polygons (gst_shape_set_get_layer (set, i), &regions,
        boxes->len, of_hulls, polygons, error);
  if (ok && (regions.failed || polygons->failed))
    ok = cs_fail_no_memory (error, "the polygons of a mask");
  if (ok && polygons->len > 0)
    qsort (polygons->data, polygons->len, polygons->size, compare_polygons);
  cs_map_clear (&regions);
  return ok;
}

/* Returns: %NULL without memory */
static GstShapeLayer *
make_layer (const CsArray * polygons)
{
  const gsize n = polygons->len;
  GstShapePolyline *records = cs_try_new (GstShapePolyline, n + 1);
  g_autofree guint32 *offsets = cs_try_new (guint32, n + 1);
  GstShapeLayer *layer = NULL;
  CsArray points;

  cs_array_init (&points, sizeof (GstShapePoint));
  for (gsize i = 0; records && offsets && i < n; i++) {
    const Polygon *polygon = &cs_array_index (polygons, Polygon, i);

    records[i] = polygon->record;
    offsets[i] = (guint32) points.len;
    cs_array_append (&points, polygon->points, polygon->n_points);
  }
  if (records && offsets && !points.failed) {
    offsets[n] = (guint32) points.len;
    layer = gst_shape_layer_new_polylines_copy ((const GstShapePoint *)
        (gpointer) points.data, points.len, offsets, records, n, NULL);
  }
  cs_array_clear (&points);
  g_free (records);
  return layer;
}

/* The pixels of @polygons: 1 and the id of each. */
static GBytes *
get_labels (const Mask * mask, const CsArray * polygons, GError ** error)
{
  GstShapeLayer *layer = make_layer (polygons);
  GBytes *labels;

  if (!layer) {
    cs_fail_no_memory (error, "the polygons of a mask");
    return NULL;
  }
  g_autoptr (GstShapeSet) set = gst_shape_set_new (mask->width, mask->height);
  gst_shape_set_add_layer (set, layer);
  labels = gst_shape_set_get_labels_bytes (set, GST_SHAPE_KIND_CONTOUR, error);
  return labels;
}

/* Writes labels, which are those of boxes or nobody's. */
static void
write_labels (const Mask * mask, GBytes * labels, gsize n_boxes)
{
  gsize size;
  const gint32 *label = g_bytes_get_data (labels, &size);

  for (gsize i = 0; i < size / sizeof (*label); i++) {
    const guint region = label[i] <= (gint32) n_boxes ? label[i] : 0;

    if (mask->wide)
      ((guint16 *) (gpointer) mask->data)[i] = region;
    else
      mask->data[i] = region;
  }
}

static gboolean
draw_mask (const Mask * mask, GstShapeSet * set, const CsArray * boxes,
    GError ** error)
{
  GBytes *labels = NULL;
  CsArray polygons;

  cs_array_init (&polygons, sizeof (Polygon));
  gboolean ok = list_polygons (set, boxes, &polygons, error);
  if (ok && polygons.len > 0) {
    labels = get_labels (mask, &polygons, error);
    ok = labels != NULL;
  }
  if (labels)
    write_labels (mask, labels, boxes->len);
  g_clear_pointer (&labels, g_bytes_unref);
  cs_array_clear (&polygons);
  return ok;
}

static GstBuffer *
make_mask (GstShapeSet * set, const CsArray * boxes, GError ** error)
{
  Mask mask = {
    .width = gst_shape_set_get_width (set),
    .height = gst_shape_set_get_height (set),
    .wide = boxes->len > G_MAXUINT8,
  };
  const gsize size = (gsize) mask.width * mask.height << mask.wide;
  const GstVideoFormat format = !mask.wide ? GST_VIDEO_FORMAT_GRAY8 :
      G_BYTE_ORDER == G_LITTLE_ENDIAN ? GST_VIDEO_FORMAT_GRAY16_LE :
      GST_VIDEO_FORMAT_GRAY16_BE;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { mask.width << mask.wide, };

  if (size == 0 || !(mask.data = cs_try_malloc0_n (size, 1)))
    return cs_fail_null (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, size == 0 ? "a mask needs a frame "
        "that has a size" : "there is no memory for a mask");
  GstBuffer *buffer = gst_buffer_new_wrapped (mask.data, size);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
      mask.width, mask.height, 1, offset, stride);
  if (!draw_mask (&mask, set, boxes, error))
    gst_clear_buffer (&buffer);
  return buffer;
}

/* Metadata */

/* Of regions, whose first one is the background. */
static gboolean
attach_classes (GstAnalyticsRelationMeta * meta, const CsArray * boxes,
    gchar ** labels, GstAnalyticsMtd * classes)
{
  GQuark *quarks = cs_try_new (GQuark, boxes->len + 1);
  gfloat *levels = cs_try_new (gfloat, boxes->len + 1);
  gboolean ok = quarks && levels;

  if (!ok)
    goto out;
  quarks[0] = g_quark_from_static_string ("background");
  levels[0] = -1;
  for (guint i = 0; i < boxes->len; i++) {
    const AnalyticsBox *box = &cs_array_index (boxes, AnalyticsBox, i);

    quarks[i + 1] = analytics_get_label (box->class_id, labels);
    levels[i + 1] = box->confidence;
  }
  ok = gst_analytics_relation_meta_add_cls_mtd (meta, boxes->len + 1, levels,
      quarks, classes);
out:
  g_free (levels);
  g_free (quarks);
  return ok;
}

gboolean
analytics_attach_mask (GstBuffer * buffer, GstShapeSet * set,
    const CsArray * boxes, gchar ** labels, GError ** error)
{
  GstAnalyticsRelationMeta *meta;
  GstAnalyticsMtd regions, classes;
  GstBuffer *mask = make_mask (set, boxes, error);
  guint *ids, i;

  if (!mask)
    return FALSE;
  meta = gst_buffer_add_analytics_relation_meta (buffer);
  ids = cs_try_new (guint, boxes->len + 1);
  for (i = 0; ids && i <= boxes->len; i++)
    ids[i] = i;
  if (!ids)
    gst_buffer_unref (mask);
  gboolean ok = ids && gst_analytics_relation_meta_add_segmentation_mtd (meta,
      mask, GST_SEGMENTATION_TYPE_INSTANCE, boxes->len + 1, ids, 0, 0,
      gst_shape_set_get_width (set), gst_shape_set_get_height (set),
      &regions) && attach_classes (meta, boxes, labels, &classes) &&
      gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, regions.id, classes.id);
  g_free (ids);
  if (!ok)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "a mask cannot be attached");
  return ok;
}
