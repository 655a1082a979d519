/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapecocoparts.h"

#include <math.h>
#include <stdlib.h>

#include "gstshapepoints.h"
#include "gstshapes-private.h"

#define put gst_shape_text_put

/* Objects */

/* What the parts of an object have in common; @at is where one is listed. */
typedef struct
{
  gint64 id;
  gint32 class_id, image;
  guint32 kind;
  gsize at;
} Key;

static gint
compare_numbers (gint64 a, gint64 b)
{
  return a < b ? -1 : a > b;
}

static gint
compare_objects (const Key * a, const Key * b)
{
  gint order = compare_numbers (a->id, b->id);

  if (order == 0)
    order = compare_numbers (a->class_id, b->class_id);
  if (order == 0)
    order = compare_numbers (a->image, b->image);
  return order ? order : compare_numbers (a->kind, b->kind);
}

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
  const Key *first = a, *second = b;
  const gint order = compare_objects (first, second);

  return order ? order : first->at < second->at ? -1 : first->at > second->at;
}

/* Its id is -1 for an object by itself. */
static Key
make_key (const GstShapePolygon * polygon, GstShapeCocoGroup group_by, gsize at)
{
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);
  const GstShapeAnnotation annotation =
      gst_shape_arrays_get_annotation (polygon->arrays, polygon->index);
  Key key = { -1, line->class_id, line->image, line->kind, at };

  if (group_by == GST_SHAPE_COCO_GROUP_CLASS)
    key.id = 0;
  else if (group_by == GST_SHAPE_COCO_GROUP_TRACK)
    key.id = annotation.track_id;
  else if (group_by == GST_SHAPE_COCO_GROUP_REGION)
    key.id = annotation.region_id;
  return key;
}

static gboolean
group_parts (const GstShapeWriter * writer, GstShapeCocoGroup group_by,
    CsArray * parts)
{
  CsArray keys;

  cs_array_init (&keys, sizeof (Key));
  for (gsize i = 0; i < parts->len; i++) {
    const Key key = make_key (gst_shape_coco_get_polygon (writer,
            &cs_array_index (parts, GstShapeCocoPart, i)), group_by, i);

    if (key.id >= 0)
      cs_array_append_val (&keys, key);
  }
  if (keys.len > 1)
    qsort (keys.data, keys.len, sizeof (Key), compare_keys);
  for (gsize i = 1; i < keys.len; i++) {
    const Key *before = &cs_array_index (&keys, Key, i - 1);
    const Key *key = before + 1;

    if (compare_objects (before, key) != 0)
      continue;
    cs_array_index (parts, GstShapeCocoPart, before->at).next = key->at;
    cs_array_index (parts, GstShapeCocoPart, key->at).is_first = FALSE;
  }
  const gboolean grouped = !keys.failed;
  cs_array_clear (&keys);
  return grouped;
}

void
gst_shape_coco_list_parts (GstShapeWriter * writer, GstShapeCocoGroup group_by,
    CsArray * parts)
{
  const GstShapePolygon *polygon;
  gsize i = 0;

  while ((polygon = gst_shape_writer_next (writer, &i))) {
    const GstShapeCocoPart part = { i - 1, -1, TRUE };
    gsize n;

    if (!(gst_shape_polygon_get_record (polygon)->flags & GST_SHAPE_FLAG_HOLE)
        && gst_shape_polygon_get_points (polygon, &n) && n > 0
        && gst_shape_polygon_is_known (&writer->polygons, part.polygon))
      cs_array_append_val (parts, part);
  }
  writer->text.bytes.failed |= parts->failed;
  if (group_by != GST_SHAPE_COCO_GROUP_NONE)
    writer->text.bytes.failed |= !group_parts (writer, group_by, parts);
}

static const GstShapeCocoExtent nothing = {
  INFINITY, INFINITY, -INFINITY, -INFINITY, 0
};

/* Polygons */

/* Pixel corners, not centres. */
static const GstShapeTextPoints flat = { 0, ',', 0, ',', .5f };

/* The polygon of the rings from @first to @end: from the outline's first point
 * to each hole, around it, and back. */
static void
append_polygon (GstShapeWriter * writer, gsize first, gsize end)
{
  GstShapeText *text = &writer->text;
  gsize n, n_around;
  const GstShapePoint *points = gst_shape_rings_get (&writer->rings, first, &n);

  gst_shape_text_append_points (text, &flat, points,
      end - first == 1 ? n - 1 : n, NULL, FALSE);
  for (gsize i = first + 1; i < end; i++) {
    const GstShapePoint *around = gst_shape_rings_get (&writer->rings, i,
        &n_around);

    gst_shape_text_append (text, ",");
    gst_shape_text_append_points (text, &flat, around, n_around, NULL, FALSE);
    gst_shape_text_append (text, ",");
    gst_shape_text_append_points (text, &flat, points, 1, NULL, FALSE);
  }
}

static void
measure_box (const GstShapePoint * points, gsize n, GstShapeCocoExtent * extent)
{
  GstShapePoint low, high;

  gst_shape_points_bound (points, n, &low, &high);
  extent->x0 = MIN (extent->x0, low.x + .5);
  extent->y0 = MIN (extent->y0, low.y + .5);
  extent->x1 = MAX (extent->x1, high.x + .5);
  extent->y1 = MAX (extent->y1, high.y + .5);
}

/* Adds the rings from @first to @end to @extent. */
static void
measure (const GstShapeRings * rings, gsize first, gsize end,
    GstShapeCocoExtent * extent)
{
  for (gsize i = first; i < end; i++) {
    gsize n;
    const GstShapePoint *points = gst_shape_rings_get (rings, i, &n);
    const gdouble area = fabs (gst_shape_ring_orient (points, n)) / 2;

    extent->area += i == first ? area : -area;
    if (i == first)
      measure_box (points, n, extent);
  }
}

gboolean
gst_shape_coco_append_polygons (GstShapeWriter * writer, const CsArray * parts,
    const GstShapeCocoPart * part, GstShapeCocoExtent * extent)
{
  gboolean is_first = TRUE;

  *extent = nothing;
  gst_shape_text_append (&writer->text, "[");
  for (; part; part = gst_shape_coco_next_part (parts, part)) {
    gsize first = 0;

    if (!gst_shape_writer_take_rings (writer, gst_shape_coco_get_polygon
            (writer, part), TRUE))
      continue;
    for (gsize i = 0; i < writer->rings.parts.len; i++) {
      const gsize end = cs_array_index (&writer->rings.parts, gsize, i);

      gst_shape_text_append (&writer->text, is_first ? "[" : ",[");
      append_polygon (writer, first, end);
      gst_shape_text_append (&writer->text, "]");
      measure (&writer->rings, first, end, extent);
      is_first = FALSE;
      first = end;
    }
  }
  gst_shape_text_append (&writer->text, "]");
  return !is_first;
}

/* Run lengths */

static gint
compare_runs (gconstpointer a, gconstpointer b)
{
  const GstShapeRun *first = a, *second = b;

  if (first->row != second->row)
    return first->row < second->row ? -1 : 1;
  return first->first < second->first ? -1 : first->first > second->first;
}

/* The runs of all parts, by columns, in order; they may overlap. */
static gboolean
list_runs (GstShapeWriter * writer, GstShapeRaster * raster, CsArray * runs,
    guint width, guint height, const CsArray * parts,
    const GstShapeCocoPart * part)
{
  const gboolean is_alone = part->next < 0;

  cs_array_empty (runs);
  for (; part; part = gst_shape_coco_next_part (parts, part)) {
    if (!gst_shape_raster_run (raster, &writer->polygons, part->polygon, width,
            height, TRUE))
      return FALSE;
    cs_array_append (runs, raster->runs.data, raster->runs.len);
  }
  if (!is_alone && runs->len > 1)
    qsort (runs->data, runs->len, sizeof (GstShapeRun), compare_runs);
  return !runs->failed;
}

static void
append_count (GstShapeText * text, guint64 count, gchar after)
{
  gchar *end = gst_shape_text_reserve (text, 32);

  if (!end)
    return;
  end = numfmt_uint (end, count);
  *end++ = after;
  gst_shape_text_advance (text, end);
}

gboolean
gst_shape_coco_append_rle (GstShapeWriter * writer, GstShapeRaster * raster,
    CsArray * runs, guint width, guint height, const CsArray * parts,
    const GstShapeCocoPart * part, GstShapeCocoExtent * extent)
{
  guint64 at = 0, begin = 0, end = 0;

  *extent = nothing;
  if (!list_runs (writer, raster, runs, width, height, parts, part)) {
    writer->text.bytes.failed = TRUE;
    return FALSE;
  }
  gst_shape_text_append (&writer->text, "{\"counts\":[");
  for (gsize i = 0; i < runs->len; i++) {
    const GstShapeRun *run = &cs_array_index (runs, GstShapeRun, i);
    const guint64 first = run->row * (guint64) height + run->first;
    const guint64 last = run->row * (guint64) height + run->end;

    extent->x0 = MIN (extent->x0, run->row);
    extent->y0 = MIN (extent->y0, run->first);
    extent->x1 = MAX (extent->x1, (gdouble) run->row + 1);
    extent->y1 = MAX (extent->y1, run->end);
    if (i > 0 && first <= end) {
      end = MAX (end, last);
      continue;
    }
    if (i > 0) {
      append_count (&writer->text, begin - at, ',');
      append_count (&writer->text, end - begin, ',');
      extent->area += end - begin;
      at = end;
    }
    begin = first;
    end = last;
  }
  append_count (&writer->text, begin - at, ',');
  append_count (&writer->text, end - begin, ',');
  extent->area += end - begin;
  append_count (&writer->text, width * (guint64) height - end, ']');
  gst_shape_text_append (&writer->text, ",\"size\":[");
  append_count (&writer->text, height, ',');
  append_count (&writer->text, width, ']');
  gst_shape_text_append (&writer->text, "}");
  return runs->len > 0;
}
