/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeanalyticsmask.h"

#include <math.h>

#include <gst/video/video.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "gstshapeanalyticsboxes.h"

/* A polygon to fill with @region, 0 for a hole. */
typedef struct
{
  const GstShapePoint *points;
  gsize n_points;
  gdouble area;
  guint region;
  gsize number;                 /* in the order of the set */
} Polygon;

/* Of a polygon's side and the row @y. */
typedef struct
{
  gdouble x, y;
} Crossing;

/* GRAY8, or GRAY16 of the machine if there are more than 255 regions. */
typedef struct
{
  guint8 *data;
  guint width, height;
  gboolean wide;
} Mask;

/* Filling */

static void
fill_span (const Mask * mask, guint y, gdouble left, gdouble right,
    guint region)
{
  const gdouble first = MAX (ceil (left), 0);
  const gdouble end = MIN (ceil (right), mask->width);
  const gsize row = (gsize) y * mask->width;
  gsize x;

  for (x = first; x < end; x++) {
    if (mask->wide)
      ((guint16 *) (gpointer) mask->data)[row + x] = region;
    else
      mask->data[row + x] = region;
  }
}

static gint
compare_crossings (gconstpointer a, gconstpointer b)
{
  const Crossing *p = a, *q = b;

  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x;
}

/* Where the side crosses rows of pixels' centres: its upper end belongs to it,
 * its lower one does not. */
static void
cross_rows (const Mask * mask, const GstShapePoint * a, const GstShapePoint * b,
    CsArray * crossings)
{
  const gdouble top = MIN (a->y, b->y), bottom = MAX (a->y, b->y);
  const gdouble end = MIN (ceil (bottom), mask->height);
  Crossing crossing;

  for (crossing.y = MAX (ceil (top), 0); crossing.y < end; crossing.y++) {
    crossing.x = a->x + (crossing.y - a->y) * ((gdouble) b->x - a->x) /
        ((gdouble) b->y - a->y);
    cs_array_append_val (crossings, crossing);
  }
}

/* An open contour is closed by a straight line. */
static void
fill_polygon (const Mask * mask, const Polygon * polygon, CsArray * crossings)
{
  gsize i;

  cs_array_empty (crossings);
  for (i = 0; i < polygon->n_points; i++)
    cross_rows (mask, &polygon->points[i],
        &polygon->points[(i + 1) % polygon->n_points], crossings);
  if (crossings->failed)
    return;
  if (crossings->len > 0)
    qsort (crossings->data, crossings->len, crossings->size,
        compare_crossings);
  for (i = 0; i + 1 < crossings->len; i += 2) {
    const Crossing *pair = &cs_array_index (crossings, Crossing, i);

    fill_span (mask, pair[0].y, pair[0].x, pair[1].x, polygon->region);
  }
}

/* Polygons */

static gboolean
collect_polygons (GstShapeLayer * layer, const CsMap * regions,
    CsArray * polygons, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  gsize i;

  if (!arrays)
    return FALSE;
  for (i = 0; arrays->points && i < arrays->n_shapes; i++) {
    const GstShapePolyline *polyline = &arrays->polylines[i];
    const gsize *region = cs_map_find (regions, polyline->id);
    Polygon polygon = {
      .points = arrays->points + arrays->offsets[i],
      .n_points = arrays->offsets[i + 1] - arrays->offsets[i],
      .area = fabs (polyline->area),
      .region = region ? (guint) *region : 0,
      .number = polygons->len,
    };

    if (polygon.region > 0 || polyline->flags & GST_SHAPE_FLAG_HOLE)
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
draw_mask (const Mask * mask, GstShapeSet * set, const CsArray * boxes,
    GError ** error)
{
  CsMap regions = CS_MAP_INIT;
  CsArray polygons, crossings;
  gboolean ok = TRUE;
  gsize i;

  cs_array_init (&polygons, sizeof (Polygon));
  cs_array_init (&crossings, sizeof (Crossing));

  for (i = 0; i < boxes->len; i++)
    cs_map_set (&regions, cs_array_index (boxes, GstShapeAnalyticsBox, i).id,
        i + 1);
  for (i = 0; ok && !regions.failed && i < gst_shape_set_get_n_layers (set);
      i++)
    ok = gst_shape_set_get_layer_type (set, i) != GST_SHAPE_LAYER_POLYLINES ||
        collect_polygons (gst_shape_set_get_layer (set, i), &regions,
        &polygons, error);
  if (polygons.len > 0)
    qsort (polygons.data, polygons.len, polygons.size, compare_polygons);
  for (i = 0; ok && i < polygons.len && !crossings.failed; i++)
    fill_polygon (mask, &cs_array_index (&polygons, Polygon, i), &crossings);
  if (ok && (regions.failed || polygons.failed || crossings.failed))
    ok = cs_fail_no_memory (error, "the polygons of a mask");
  cs_array_clear (&crossings);
  cs_array_clear (&polygons);
  cs_map_clear (&regions);
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
  GstBuffer *buffer;

  if (size == 0 || !(mask.data = cs_try_malloc0_n (size, 1))) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        size == 0 ? "a mask needs a frame that has a size" :
        "there is no memory for a mask");
    return NULL;
  }
  buffer = gst_buffer_new_wrapped (mask.data, size);
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
  guint i;

  if (!ok)
    goto out;
  quarks[0] = g_quark_from_static_string ("background");
  levels[0] = -1;
  for (i = 0; i < boxes->len; i++) {
    const GstShapeAnalyticsBox *box = &cs_array_index (boxes,
        GstShapeAnalyticsBox, i);

    quarks[i + 1] = gst_shape_analytics_get_label (box->class_id, labels);
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
gst_shape_analytics_attach_mask (GstBuffer * buffer, GstShapeSet * set,
    const CsArray * boxes, gchar ** labels, GError ** error)
{
  GstAnalyticsRelationMeta *meta;
  GstAnalyticsMtd regions, classes;
  GstBuffer *mask = make_mask (set, boxes, error);
  guint *ids, i;
  gboolean ok;

  if (!mask)
    return FALSE;
  meta = gst_buffer_add_analytics_relation_meta (buffer);
  ids = cs_try_new (guint, boxes->len + 1);
  for (i = 0; ids && i <= boxes->len; i++)
    ids[i] = i;
  if (!ids)
    gst_buffer_unref (mask);
  ok = ids && gst_analytics_relation_meta_add_segmentation_mtd (meta, mask,
      GST_SEGMENTATION_TYPE_INSTANCE, boxes->len + 1, ids, 0, 0,
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
