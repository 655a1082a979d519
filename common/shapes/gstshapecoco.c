/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapecoco
 * @title: COCO
 * @short_description: shapes as annotations of the COCO format
 *
 * A stream is one document: annotations as frames come, then the list of images
 * and categories. A closed contour or hull is an annotation, with polygons or
 * with its pixels as run lengths; or several are, that are parts of the same
 * object (#GstShapeCocoGroup). A polygon of COCO has no holes, so holes are
 * joined to the outline by a line that is drawn there and back and has no area;
 * one whose outline touches itself is split there. Coordinates count from the
 * corner of the first pixel, as COCO's do. A class c is the category c + 1,
 * with the first name that is seen. A confidence is a score, as in COCO's
 * results. Left out are open contours and circles, for which COCO has nothing,
 * and what has no area or a point that is not finite.
 */

#include <math.h>

#include "base/memory.h"
#include "gstshapecocoparts.h"
#include "gstshapes-private.h"
#include "gstshapesenum.h"

#define put gst_shape_text_put

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shape_coco_segmentation_get_type,
    "GstShapeCocoSegmentation",
    {GST_SHAPE_COCO_SEGMENTATION_POLYGONS, "Outlines", "polygons"},
    {GST_SHAPE_COCO_SEGMENTATION_RLE, "Pixels, as run lengths", "rle"})

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shape_coco_group_get_type,
    "GstShapeCocoGroup",
    {GST_SHAPE_COCO_GROUP_NONE, "Each shape is an object", "none"},
    {GST_SHAPE_COCO_GROUP_TRACK, "Those of the same track are one", "track"},
    {GST_SHAPE_COCO_GROUP_REGION, "Those found in the same region are one",
        "region"},
    {GST_SHAPE_COCO_GROUP_CLASS, "All of a class are one", "class"})

typedef struct
{
  gint32 id;
  gchar *name;                  /* or NULL */
} Category;

struct _GstShapeCoco
{
  GstShapeCocoSegmentation segmentation;
  GstShapeCocoGroup group_by;
  /* written at the end */
  GstShapeText images;
  /* those of classes that were seen, in no order */
  CsArray categories;
  guint64 n_annotations;
  gboolean begun;
  /* scratch memory */
  GstShapeRaster raster;
  CsArray parts, runs;
};

/**
 * gst_shape_coco_new: (skip)
 *
 * Begins a COCO document: parts come from gst_shape_coco_make_annotations(),
 * the end from gst_shape_coco_finish(). Written one after the other they are
 * the file.
 *
 * Returns: (transfer full): an empty document
 *
 * Since: 1.0
 */
GstShapeCoco *
gst_shape_coco_new (void)
{
  GstShapeCoco *coco = g_new0 (GstShapeCoco, 1);

  gst_shape_text_init (&coco->images, 0);
  cs_array_init (&coco->categories, sizeof (Category));
  cs_array_init (&coco->parts, sizeof (GstShapeCocoPart));
  cs_array_init (&coco->runs, sizeof (GstShapeRun));
  return coco;
}

/**
 * gst_shape_coco_free: (skip)
 * @coco: (nullable): a document
 *
 * Frees it.
 *
 * Since: 1.0
 */
void
gst_shape_coco_free (GstShapeCoco * coco)
{
  if (!coco)
    return;
  for (gsize i = 0; i < coco->categories.len; i++)
    g_free (cs_array_index (&coco->categories, Category, i).name);
  cs_array_clear (&coco->images.bytes);
  cs_array_clear (&coco->categories);
  cs_array_clear (&coco->parts);
  cs_array_clear (&coco->runs);
  gst_shape_raster_clear (&coco->raster);
  g_free (coco);
}

/**
 * gst_shape_coco_set_options: (skip)
 * @coco: a document
 * @segmentation: what annotations have
 * @group_by: which shapes are parts of the same object
 *
 * Says how the annotations that follow are written; without it as polygons, one
 * for each shape.
 *
 * Since: 1.0
 */
void
gst_shape_coco_set_options (GstShapeCoco * coco,
    GstShapeCocoSegmentation segmentation, GstShapeCocoGroup group_by)
{
  g_return_if_fail (coco != NULL);

  coco->segmentation = segmentation;
  coco->group_by = group_by;
}

static Category *
find_category (GstShapeCoco * coco, gint32 class_id)
{
  const Category category = { class_id, NULL };

  for (gsize i = 0; i < coco->categories.len; i++)
    if (cs_array_index (&coco->categories, Category, i).id == class_id)
      return &cs_array_index (&coco->categories, Category, i);
  return cs_array_append_val (&coco->categories, category) ?
      &cs_array_index (&coco->categories, Category,
      coco->categories.len - 1) : NULL;
}

/* The first name that is seen stays. */
static void
note_class (GstShapeCoco * coco, const GstShapePolygon * polygon)
{
  const gint32 class_id = gst_shape_polygon_get_record (polygon)->class_id;
  Category *category = find_category (coco, class_id);
  const gchar *name = category && !category->name ?
      gst_shape_layer_get_class_name (polygon->layer, class_id) : NULL;

  if (!name)
    return;
  category->name = cs_try_malloc (strlen (name) + 1);
  if (category->name)
    strcpy (category->name, name);
  else
    coco->categories.failed = TRUE;
}

static gchar *
put_extent (gchar * end, const GstShapeCocoExtent * extent)
{
  end = numfmt_double (put (end, ",\"bbox\":["), extent->x0);
  end = numfmt_double (put (end, ","), extent->y0);
  end = numfmt_double (put (end, ","), extent->x1 - extent->x0);
  end = numfmt_double (put (end, ","), extent->y1 - extent->y0);
  return numfmt_double (put (end, "],\"area\":"), extent->area);
}

/* The ids of the shapes of which an object is. */
static void
append_ids (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapeCocoPart * part)
{
  gchar before = '[';

  gst_shape_text_append (&writer->text, ",\"ids\":");
  for (; part; part = gst_shape_coco_next_part (&coco->parts, part)) {
    const GstShapePolygon *polygon = gst_shape_coco_get_polygon (writer, part);
    gchar *end = gst_shape_text_reserve (&writer->text, 32);

    if (!end)
      return;
    *end++ = before;
    end = numfmt_int (end, gst_shape_polygon_get_record (polygon)->id);
    gst_shape_text_advance (&writer->text, end);
    before = ',';
  }
  gst_shape_text_append (&writer->text, "]");
}

/* The highest of the parts. */
static gfloat
find_confidence (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapeCocoPart * part)
{
  gfloat confidence = -1;

  for (; part; part = gst_shape_coco_next_part (&coco->parts, part)) {
    const GstShapePolygon *polygon = gst_shape_coco_get_polygon (writer, part);

    confidence = MAX (confidence, gst_shape_arrays_get_annotation
        (polygon->arrays, polygon->index).confidence);
  }
  return confidence;
}

/* What is known of the first part. */
static void
append_attributes (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapeCocoPart * part)
{
  const GstShapePolygon *polygon = gst_shape_coco_get_polygon (writer, part);
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);
  const GstShapeAnnotation annotation =
      gst_shape_arrays_get_annotation (polygon->arrays, polygon->index);
  const gfloat confidence = find_confidence (coco, writer, part);
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  if (confidence >= 0)
    end = numfmt_float (put (end, ",\"score\":"), confidence);
  end = numfmt_int (put (end, ",\"attributes\":{\"id\":"), line->id);
  end = line->kind == GST_SHAPE_KIND_HULL ? put (end, ",\"kind\":\"hull\"") :
      put (end, ",\"kind\":\"contour\"");
  end = numfmt_double (put (end, ",\"level\":"), line->level);
  if (annotation.track_id >= 0)
    end = numfmt_int (put (end, ",\"track_id\":"), annotation.track_id);
  if (annotation.region_id >= 0)
    end = numfmt_int (put (end, ",\"region_id\":"), annotation.region_id);
  gst_shape_text_advance (&writer->text, end);
  if (part->next >= 0)
    append_ids (coco, writer, part);
  gst_shape_text_append (&writer->text, "}}");
}

static void
append_head (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapePolyline * line, guint64 image_id)
{
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = coco->n_annotations++ == 0 ? put (end, "{\"id\":") :
      put (end, ",\n{\"id\":");
  end = numfmt_uint (end, coco->n_annotations);
  end = numfmt_uint (put (end, ",\"image_id\":"), image_id);
  end = numfmt_int (put (end, ",\"category_id\":"),
      (gint64) line->class_id + 1);
  end = put (end, ",\"iscrowd\":0,\"segmentation\":");
  gst_shape_text_advance (&writer->text, end);
}

/* The object of @part, unless nothing is left of it. */
static void
append_annotation (GstShapeCoco * coco, GstShapeWriter * writer,
    const GstShapeCocoPart * part, guint width, guint height, guint64 image_id)
{
  const GstShapePolygon *polygon = gst_shape_coco_get_polygon (writer, part);
  const guint64 n_before = coco->n_annotations;
  const gsize begin = writer->text.bytes.len;
  GstShapeCocoExtent extent;
  gchar *end;

  append_head (coco, writer, gst_shape_polygon_get_record (polygon), image_id);
  if (!(coco->segmentation == GST_SHAPE_COCO_SEGMENTATION_RLE ?
          gst_shape_coco_append_rle (writer, &coco->raster, &coco->runs, width,
              height, &coco->parts, part, &extent) :
          gst_shape_coco_append_polygons (writer, &coco->parts, part,
              &extent))) {
    if (!gst_shape_text_is_lost (&writer->text))
      writer->text.bytes.len = begin;
    coco->n_annotations = n_before;
    return;
  }
  note_class (coco, polygon);
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  gst_shape_text_advance (&writer->text, put_extent (end, &extent));
  append_attributes (coco, writer, part);
}

static gboolean
append_annotations (GstShapeCoco * coco, GstShapeWriter * writer, guint width,
    guint height, guint64 image_id, GError ** error)
{
  cs_array_empty (&coco->parts);
  gst_shape_coco_list_parts (writer, coco->group_by, &coco->parts);
  if (coco->segmentation == GST_SHAPE_COCO_SEGMENTATION_RLE
      && coco->parts.len > 0 && (width == 0 || height == 0
          || width > G_MAXINT32 || height > G_MAXINT32)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "run lengths are of all pixels of the frame, and its size is %u x %u; "
        "write polygons, or give it", width, height);
    return FALSE;
  }
  for (gsize i = 0; i < coco->parts.len
      && !gst_shape_text_is_lost (&writer->text); i++) {
    const GstShapeCocoPart *part = &cs_array_index (&coco->parts,
        GstShapeCocoPart, i);

    if (part->is_first)
      append_annotation (coco, writer, part, width, height, image_id);
  }
  return TRUE;
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
 * Since: 1.0
 */
GBytes *
gst_shape_coco_make_annotations (GstShapeCoco * coco,
    const GstShapeJsonFrame * frame, GstShapeSet * set, const gchar * file_name,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  const guint64 n_before = coco->n_annotations, id = frame->frame + 1;
  const guint width = set ? gst_shape_set_get_width (set) : frame->width;
  const guint height = set ? gst_shape_set_get_height (set) : frame->height;
  GstShapeWriter writer;
  gboolean made;

  made = gst_shape_writer_init (&writer, set, options, max_size, error);
  if (made) {
    if (!coco->begun)
      gst_shape_text_append (&writer.text, "{\"annotations\":[\n");
    made = append_annotations (coco, &writer, width, height, id, error);
  }
  GBytes *bytes = gst_shape_writer_finish (&writer, made, error);
  if (!bytes) {
    coco->n_annotations = n_before;
    return NULL;
  }
  coco->begun = TRUE;
  append_image (coco, id, file_name, width, height);
  return bytes;
}

static void
append_category (GstShapeText * text, const Category * category,
    gboolean is_first)
{
  gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
  gchar unnamed[32];

  if (!end)
    return;
  end += g_snprintf (end, 64, "%s{\"id\":%" G_GINT64_FORMAT ",\"name\":",
      is_first ? "" : ",\n", (gint64) category->id + 1);
  gst_shape_text_advance (text, end);
  g_snprintf (unnamed, sizeof (unnamed), "class %d", category->id);
  gst_shape_text_append_string (text, category->name ? category->name :
      unnamed);
  gst_shape_text_append (text, "}");
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
 * Since: 1.0
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
  for (gsize i = 0; i < coco->categories.len; i++)
    append_category (&text, &cs_array_index (&coco->categories, Category, i),
        i == 0);
  gst_shape_text_append (&text, "\n]}\n");
  text.bytes.failed |= coco->images.bytes.failed | coco->categories.failed;
  return gst_shape_text_finish (&text, error);
}

/**
 * gst_shape_set_to_coco:
 * @set: a set
 * @file_name: the image's name
 * @error: return location for an error
 *
 * A whole COCO document of one image, with polygons, in which each shape is an
 * object.
 *
 * Returns: (transfer full): JSON in UTF-8, or %NULL with @error set when a
 *     layer could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
gchar *
gst_shape_set_to_coco (GstShapeSet * set, const gchar * file_name,
    GError ** error)
{
  return gst_shape_set_to_coco_full (set, file_name,
      GST_SHAPE_COCO_SEGMENTATION_POLYGONS, GST_SHAPE_COCO_GROUP_NONE, error);
}

/**
 * gst_shape_set_to_coco_full:
 * @set: a set
 * @file_name: the image's name
 * @segmentation: what annotations have
 * @group_by: which shapes are parts of the same object
 * @error: return location for an error
 *
 * A whole COCO document of one image. Parts of an object are those of the same
 * kind and class, and of the same track or region; a shape of no track, or of
 * no region, is an object by itself. Areas of parts are added up, and a box is
 * around all of them. Run lengths are the pixels of
 * gst_shape_set_get_masks_bytes(), not compressed, and bounding box and area
 * are theirs; parts may overlap.
 *
 * Returns: (transfer full): JSON in UTF-8, or %NULL with @error set when a
 *     layer could not be downloaded, memory ran out, or @set has no size and
 *     run lengths are wanted
 *
 * Since: 1.0
 */
gchar *
gst_shape_set_to_coco_full (GstShapeSet * set, const gchar * file_name,
    GstShapeCocoSegmentation segmentation, GstShapeCocoGroup group_by,
    GError ** error)
{
  const GstShapeJsonFrame frame = {.pts = GST_CLOCK_TIME_NONE };
  GBytes *head, *tail = NULL;
  gchar *text = NULL;

  g_return_val_if_fail (set != NULL, NULL);
  g_return_val_if_fail (file_name != NULL, NULL);

  GstShapeCoco *coco = gst_shape_coco_new ();
  gst_shape_coco_set_options (coco, segmentation, group_by);
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
      gst_shapes_fail_memory (error, "no memory for a document");
    }
  }
  g_clear_pointer (&head, g_bytes_unref);
  g_clear_pointer (&tail, g_bytes_unref);
  gst_shape_coco_free (coco);
  return text;
}
