/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapecoco
 * @title: COCO
 * @short_description: shapes as annotations of the COCO format
 *
 * A stream is one document: annotations as frames come, then the list of images
 * and categories. A closed contour or hull is an annotation with one polygon. A
 * polygon of COCO has no holes, so holes are joined to the outline by a line
 * that is drawn there and back and has no area. Coordinates count from the
 * corner of the first pixel, as COCO's do. A class c is the category c + 1. A
 * confidence is a score, as in COCO's results. Open contours and circles are
 * left out: COCO has nothing for them.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>

#include "base/memory.h"
#include "gstshapes-private.h"
#include "gstshapewriter.h"

#define put gst_shape_text_put

struct _GstShapeCoco
{
  /* written at the end */
  GstShapeText images;
  /* a gint32 for each class that was seen, in no order */
  CsArray classes;
  guint64 n_annotations;
  gboolean begun;
};

/**
 * gst_shape_coco_new: (skip)
 *
 * Returns: (transfer full): an empty document
 *
 * Since: 0.1
 */
GstShapeCoco *
gst_shape_coco_new (void)
{
  GstShapeCoco *coco = g_new0 (GstShapeCoco, 1);

  gst_shape_text_init (&coco->images, 0);
  cs_array_init (&coco->classes, sizeof (gint32));
  return coco;
}

/**
 * gst_shape_coco_free: (skip)
 * @coco: (nullable): a document
 *
 * Frees it.
 *
 * Since: 0.1
 */
void
gst_shape_coco_free (GstShapeCoco * coco)
{
  if (!coco)
    return;
  cs_array_clear (&coco->images.bytes);
  cs_array_clear (&coco->classes);
  g_free (coco);
}

static void
note_class (GstShapeCoco * coco, gint32 class_id)
{
  for (gsize i = 0; i < coco->classes.len; i++)
    if (cs_array_index (&coco->classes, gint32, i) == class_id)
      return;
  cs_array_append_val (&coco->classes, class_id);
}

/* Pixel corners, not centres. */
static const GstShapeTextPoints flat = { 0, ',', 0, ',', .5f };

static void
append_points (GstShapeWriter * writer, const GstShapePoint * points, gsize n)
{
  const guint8 *keep = gst_shape_writer_simplify (writer, points, n);

  gst_shape_text_append_points (&writer->text, &flat, points, n, keep, FALSE);
}

/* From the outline's first point to each hole, around it, and back. */
static void
append_segmentation (GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  gssize at = polygon->first_hole;
  const GstShapePolygon *hole;
  const GstShapePoint *points, *around;
  gsize n, n_around;

  points = gst_shape_polygon_get_points (polygon, &n);
  append_points (writer, points, at < 0 ? n - 1 : n);
  for (; (hole = gst_shape_writer_get_hole (writer, at));
      at = hole->next_hole) {
    around = gst_shape_polygon_get_points (hole, &n_around);
    gst_shape_text_append (&writer->text, ",");
    append_points (writer, around, n_around);
    gst_shape_text_append (&writer->text, ",");
    gst_shape_text_append_points (&writer->text, &flat, points, 1, NULL, FALSE);
  }
}

typedef struct
{
  gdouble x, y, width, height, area;
} Extent;

/* Of the points, for measures may not have been taken. */
static Extent
measure (const GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  gdouble x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  gssize at = polygon->first_hole;
  const GstShapePolygon *hole;
  const GstShapePoint *points;
  gdouble area;
  gsize n;

  points = gst_shape_polygon_get_points (polygon, &n);
  area = fabs (gst_shape_writer_orient (points, n)) / 2;
  for (gsize i = 0; i < n; i++) {
    x0 = MIN (x0, points[i].x);
    y0 = MIN (y0, points[i].y);
    x1 = MAX (x1, points[i].x);
    y1 = MAX (y1, points[i].y);
  }
  for (; (hole = gst_shape_writer_get_hole (writer, at));
      at = hole->next_hole) {
    points = gst_shape_polygon_get_points (hole, &n);
    area -= fabs (gst_shape_writer_orient (points, n)) / 2;
  }
  return (Extent) {x0 + .5, y0 + .5, x1 - x0, y1 - y0, area};
}

static gchar *
put_extent (gchar * end, const Extent * extent)
{
  end = put (end, "]],\"bbox\":[");
  end = numfmt_double (end, extent->x);
  *end++ = ',';
  end = numfmt_double (end, extent->y);
  *end++ = ',';
  end = numfmt_double (end, extent->width);
  *end++ = ',';
  end = numfmt_double (end, extent->height);
  end = put (end, "],\"area\":");
  return numfmt_double (end, extent->area);
}

static void
append_annotation (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapePolygon * polygon, guint64 image_id)
{
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);
  const GstShapeAnnotation annotation =
      gst_shape_arrays_get_annotation (polygon->arrays, polygon->index);
  const Extent extent = measure (writer, polygon);
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  note_class (coco, line->class_id);
  end = coco->n_annotations++ == 0 ? put (end, "{\"id\":") :
      put (end, ",\n{\"id\":");
  end = numfmt_uint (end, coco->n_annotations);
  end = put (end, ",\"image_id\":");
  end = numfmt_uint (end, image_id);
  end = put (end, ",\"category_id\":");
  end = numfmt_int (end, (gint64) line->class_id + 1);
  end = put (end, ",\"iscrowd\":0,\"segmentation\":[[");
  gst_shape_text_advance (&writer->text, end);
  append_segmentation (writer, polygon);
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = put_extent (end, &extent);
  if (annotation.confidence >= 0) {
    end = put (end, ",\"score\":");
    end = numfmt_float (end, annotation.confidence);
  }
  end = put (end, ",\"attributes\":{\"id\":");
  end = numfmt_int (end, line->id);
  end = line->kind == GST_SHAPE_KIND_HULL ? put (end, ",\"kind\":\"hull\"") :
      put (end, ",\"kind\":\"contour\"");
  end = put (end, ",\"level\":");
  end = numfmt_double (end, line->level);
  if (annotation.track_id >= 0) {
    end = put (end, ",\"track_id\":");
    end = numfmt_int (end, annotation.track_id);
  }
  if (annotation.region_id >= 0) {
    end = put (end, ",\"region_id\":");
    end = numfmt_int (end, annotation.region_id);
  }
  end = put (end, "}}");
  gst_shape_text_advance (&writer->text, end);
}

/* A hole whose outline is not there is no object. */
static gboolean
is_object (const GstShapePolygon * polygon)
{
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);
  gsize n;

  return (line->flags & GST_SHAPE_FLAG_CLOSED)
      && !(line->flags & GST_SHAPE_FLAG_HOLE)
      && gst_shape_polygon_get_points (polygon, &n) && n >= 4;
}

static void
append_image (GstShapeCoco * coco, guint64 id, const gchar * file_name,
    guint width, guint height)
{
  GstShapeText *text = &coco->images;
  gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = text->bytes.len > 0 ? put (end, ",\n{\"id\":") : put (end, "{\"id\":");
  end = numfmt_uint (end, id);
  end += g_snprintf (end, 64, ",\"width\":%u,\"height\":%u,\"file_name\":",
      width, height);
  gst_shape_text_advance (text, end);
  gst_shape_text_append_string (text, file_name);
  gst_shape_text_append (text, "}");
}

/**
 * gst_shape_coco_make_annotations: (skip)
 * @coco: the document
 * @frame: what is known of the frame; its id is its number + 1
 * @set: (nullable): its shapes, or %NULL when it has none
 * @file_name: the image's name
 * @options: (nullable): what to write, or %NULL for everything
 * @max_size: how many bytes there may be, or 0 for any number
 * @error: return location for an error
 *
 * The next part of the document. What fails adds nothing to it.
 *
 * Returns: (transfer full): the part; %NULL with @error set as by
 *     gst_shape_json_make_line()
 *
 * Since: 0.1
 */
GBytes *
gst_shape_coco_make_annotations (GstShapeCoco * coco,
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const gchar * file_name, const GstShapeJsonOptions * options,
    gsize max_size, GError ** error)
{
  const guint64 n_before = coco->n_annotations, id = frame->frame + 1;
  GstShapeWriter writer;
  const GstShapePolygon *polygon;
  GBytes *bytes;
  gsize i = 0;

  if (gst_shape_writer_init (&writer, set, options, max_size, error)) {
    if (!coco->begun)
      gst_shape_text_append (&writer.text, "{\"annotations\":[\n");
    while ((polygon = gst_shape_writer_next (&writer, &i)))
      if (is_object (polygon))
        append_annotation (coco, &writer, polygon, id);
    bytes = gst_shape_writer_finish (&writer, TRUE, error);
  } else {
    bytes = gst_shape_writer_finish (&writer, FALSE, error);
  }
  if (!bytes) {
    coco->n_annotations = n_before;
    return NULL;
  }
  coco->begun = TRUE;
  append_image (coco, id, file_name, set ? gst_shape_set_get_width (set) :
      frame->width, set ? gst_shape_set_get_height (set) : frame->height);
  return bytes;
}

/**
 * gst_shape_coco_finish: (skip)
 * @coco: the document
 * @error: return location for an error
 *
 * The end of the document: its images and categories.
 *
 * Returns: (transfer full): the end, newline included; %NULL with @error set
 *     when memory ran out
 *
 * Since: 0.1
 */
GBytes *
gst_shape_coco_finish (GstShapeCoco * coco, GError ** error)
{
  GstShapeText text;

  gst_shape_text_init (&text, 0);
  gst_shape_text_append (&text, coco->begun ? "\n],\"images\":[\n" :
      "{\"annotations\":[],\"images\":[\n");
  cs_array_append (&text.bytes, coco->images.bytes.data,
      coco->images.bytes.len);
  gst_shape_text_append (&text, "\n],\"categories\":[\n");
  for (gsize i = 0; i < coco->classes.len; i++) {
    const gint32 class_id = cs_array_index (&coco->classes, gint32, i);
    gchar *end = gst_shape_text_reserve (&text, GST_SHAPE_TEXT_RECORD_MAX);

    if (!end)
      break;
    end += g_snprintf (end, 128, "%s{\"id\":%" G_GINT64_FORMAT ",\"name\":"
        "\"class %d\"}", i > 0 ? ",\n" : "", (gint64) class_id + 1, class_id);
    gst_shape_text_advance (&text, end);
  }
  gst_shape_text_append (&text, "\n]}\n");
  text.bytes.failed |= coco->images.bytes.failed | coco->classes.failed;
  return gst_shape_text_finish (&text, error);
}

/**
 * gst_shape_set_to_coco:
 * @set: a set
 * @file_name: the image's name
 * @error: return location for an error
 *
 * A whole COCO document of one image.
 *
 * Returns: (transfer full): JSON in UTF-8, or %NULL with @error set when a
 *     layer could not be downloaded or memory ran out
 *
 * Since: 0.1
 */
gchar *
gst_shape_set_to_coco (GstShapeSet * set, const gchar * file_name,
    GError ** error)
{
  const GstShapeJsonFrame frame = {.pts = GST_CLOCK_TIME_NONE };
  GstShapeCoco *coco;
  GBytes *head, *tail = NULL;
  gchar *text = NULL;

  g_return_val_if_fail (set != NULL, NULL);
  g_return_val_if_fail (file_name != NULL, NULL);

  coco = gst_shape_coco_new ();
  head = gst_shape_coco_make_annotations (coco, &frame, set, file_name, NULL, 0,
      error);
  if (head)
    tail = gst_shape_coco_finish (coco, error);
  if (tail) {
    gsize n = g_bytes_get_size (head), m = g_bytes_get_size (tail);

    text = cs_try_malloc (n + m);
    if (text) {
      memcpy (text, g_bytes_get_data (head, NULL), n);
      memcpy (text + n, g_bytes_get_data (tail, NULL), m);
      text[n + m - 1] = '\0';
    } else {
      g_set_error_literal (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for a document");
    }
  }
  g_clear_pointer (&head, g_bytes_unref);
  g_clear_pointer (&tail, g_bytes_unref);
  gst_shape_coco_free (coco);
  return text;
}
