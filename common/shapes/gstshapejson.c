/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapejson
 * @title: JSON
 * @short_description: shapes as JSON lines
 *
 * One frame is one line:
 *
 * |[
 * {"version":1,"frame":0,"source":"cam1","pts":0,"offset":0,"width":640,
 *  "height":480,"shapes":[...]}
 * ]|
 *
 * `pts` (nanoseconds), `offset`, `width` and `height` are null if unknown;
 * `source`, `reference-timestamp` (nanoseconds, after `pts`), `pixel-size`
 * (`[x,y]` in millimetres, after `height`) and `tags` (an object, after that)
 * are omitted if unknown. A polyline is
 *
 * |[
 * {"id":0,"kind":"contour","class":0,"level":0.5,"closed":true,"hole":false,
 *  "parent":null,"area":A,"perimeter":P,"centroid":[x,y],
 *  "bbox":[x0,y0,x1,y1],"points":[[x,y],...]}
 * ]|
 *
 * where hulls have `"kind":"hull"` and a `"solidity"` after their `"bbox"`,
 * and, if they were measured in full (#GstShapeHullMeasures),
 *
 * |[
 * "feret":[min,max],
 * "min-area-rect":{"center":[x,y],"size":[w,h],"angle":degrees},
 * "enclosing-circle":{"x":X,"y":Y,"r":R}
 * ]|
 *
 * after that; the angle is that of the side of length w to the x axis,
 * clockwise on the screen. What is known of a #GstShapeAnnotation follows its
 * `"parent"`:
 *
 * |[
 * "confidence":0.9,"track-id":7,"region-id":0
 * ]|
 *
 * The smallest ellipse around a hull, measures in millimetres if the size of
 * pixels is known, convexity defects, statistics of samples, and which of the
 * input's points a hull's are, after `"points"`:
 *
 * |[
 * "enclosing-ellipse":{"center":[x,y],"axes":[major,minor],"angle":degrees},
 * "area-mm2":A,"perimeter-mm":P,"feret-mm":[min,max],
 * "defects":[{"start":[x,y],"end":[x,y],"farthest":[x,y],"depth":D},...],
 * "statistics":{"gray":{"pixels":N,"mean":M,"deviation":D,"min":L,"max":H}},
 * "indices":[i,...]
 * ]|
 *
 * The name of its class, if it has one, is `"class-name"`, before the
 * points. Polylines of a batch of images have an `"image"`
 * after their `"class"`. A circle is
 *
 * |[
 * {"kind":"circle","x":1,"y":2,"r":3,"z":0,"color":"#rrggbbaa","parent":null}
 * ]|
 *
 * Numbers round-trip exactly, in single precision (points and circles) or
 * double precision (measures); values that are not finite are null, and so is a
 * `"centroid"` or a `"bbox"` that is not known.
 */

#include <math.h>

#include "gstshapejsonprivate.h"
#include "gstshapes-private.h"
#include "gstshapesenum.h"
#include "gstshaperings.h"
#include "gstshapetext.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shape_json_points_get_type,
    "GstShapeJsonPoints",
    {GST_SHAPE_JSON_POINTS_FULL, "Every point", "full"},
    {GST_SHAPE_JSON_POINTS_SIMPLIFIED, "Points of simplified polylines",
        "simplified"},
    {GST_SHAPE_JSON_POINTS_NONE, "No points", "none"})

typedef struct
{
  GstShapeText text;
  GstShapeLayer *layer;         /* current */
  const GstShapeJsonOptions *options;
  CsArray keep;                 /* with simplified points, a flag for each */
  gsize first_point;            /* of the layer among them */
  GstShapeSet *set;
  gboolean with_image;
  gboolean is_first;
  guint64 left;                 /* shapes that may still be written */
} Writer;

#define put gst_shape_text_put

static gchar *
put_boolean (gchar * end, gboolean value)
{
  return value ? put (end, "true") : put (end, "false");
}

static gchar *
put_id (gchar * end, gint32 id)
{
  return id < 0 ? put (end, "null") : numfmt_int (end, id);
}

static gchar *
put_unless (gchar * end, guint64 value, guint64 unknown)
{
  return value == unknown ? put (end, "null") : numfmt_uint (end, value);
}

static gchar *
put_polyline_head (gchar * end, const GstShapePolyline * p, gboolean with_image)
{
  end = put (end, "{\"id\":");
  end = numfmt_int (end, p->id);
  if (p->kind == GST_SHAPE_KIND_HULL)
    end = put (end, ",\"kind\":\"hull\",\"class\":");
  else
    end = put (end, ",\"kind\":\"contour\",\"class\":");
  end = numfmt_int (end, p->class_id);
  if (with_image) {
    end = put (end, ",\"image\":");
    end = numfmt_int (end, p->image);
  }
  end = put (end, ",\"level\":");
  end = numfmt_double (end, p->level);
  end = put (end, ",\"closed\":");
  end = put_boolean (end, p->flags & GST_SHAPE_FLAG_CLOSED);
  end = put (end, ",\"hole\":");
  end = put_boolean (end, p->flags & GST_SHAPE_FLAG_HOLE);
  end = put (end, ",\"parent\":");
  return put_id (end, p->parent);
}

static gchar *
put_annotation (gchar * end, const GstShapeAnnotation * annotation)
{
  if (annotation->confidence >= 0) {
    end = put (end, ",\"confidence\":");
    end = numfmt_float (end, annotation->confidence);
  }
  if (annotation->track_id >= 0) {
    end = put (end, ",\"track-id\":");
    end = numfmt_int (end, annotation->track_id);
  }
  if (annotation->region_id >= 0) {
    end = put (end, ",\"region-id\":");
    end = numfmt_int (end, annotation->region_id);
  }
  return end;
}

/* null if one is unknown. */
static gchar *
put_numbers (gchar * end, const gdouble * numbers, guint n)
{
  gchar *begin = end;

  *end++ = '[';
  for (guint i = 0; i < n; i++) {
    if (!isfinite (numbers[i]))
      return put (begin, "null");
    end = numfmt_double (end, numbers[i]);
    *end++ = ',';
  }
  end[-1] = ']';
  return end;
}

static gchar *
put_measures (gchar * end, const GstShapePolyline * p)
{
  end = put (end, ",\"area\":");
  end = numfmt_double (end, p->area);
  end = put (end, ",\"perimeter\":");
  end = numfmt_double (end, p->perimeter);
  end = put (end, ",\"centroid\":");
  end = put_numbers (end, (gdouble[]) {p->centroid_x, p->centroid_y}, 2);
  end = put (end, ",\"bbox\":");
  end = put_numbers (end, (gdouble[]) {p->bbox_x0, p->bbox_y0, p->bbox_x1,
          p->bbox_y1}, 4);
  if (p->kind == GST_SHAPE_KIND_HULL) {
    end = put (end, ",\"solidity\":");
    end = numfmt_double (end, p->solidity);
  }
  return end;
}

static gchar *
put_hull_measures (gchar * end, const GstShapeHullMeasures * m)
{
  end = put (end, ",\"feret\":[");
  end = numfmt_double (end, m->feret_min);
  *end++ = ',';
  end = numfmt_double (end, m->feret_max);
  end = put (end, "],\"min-area-rect\":{\"center\":[");
  end = numfmt_double (end, m->rect_x);
  *end++ = ',';
  end = numfmt_double (end, m->rect_y);
  end = put (end, "],\"size\":[");
  end = numfmt_double (end, m->rect_width);
  *end++ = ',';
  end = numfmt_double (end, m->rect_height);
  end = put (end, "],\"angle\":");
  end = numfmt_double (end, gst_shape_hull_measures_get_rect_angle (m));
  end = put (end, "},\"enclosing-circle\":{\"x\":");
  end = numfmt_double (end, m->circle_x);
  end = put (end, ",\"y\":");
  end = numfmt_double (end, m->circle_y);
  end = put (end, ",\"r\":");
  end = numfmt_double (end, m->circle_r);
  *end++ = '}';
  return end;
}

static gchar *
put_ellipse (gchar * end, const GstShapeEllipse * e)
{
  end = put (end, ",\"enclosing-ellipse\":{\"center\":[");
  end = numfmt_double (end, e->x);
  *end++ = ',';
  end = numfmt_double (end, e->y);
  end = put (end, "],\"axes\":[");
  end = numfmt_double (end, e->major);
  *end++ = ',';
  end = numfmt_double (end, e->minor);
  end = put (end, "],\"angle\":");
  end = numfmt_double (end, gst_shape_ellipse_get_angle (e));
  *end++ = '}';
  return end;
}

/* Unknown measures are left out. */
static gchar *
put_metric (gchar * end, const GstShapeArrays * arrays, gsize i,
    gdouble pixel_x, gdouble pixel_y)
{
  GstShapeMetric metric;

  gst_shape_arrays_get_metric (arrays, i, pixel_x, pixel_y, &metric);
  end = put (end, ",\"area-mm2\":");
  end = numfmt_double (end, metric.area);
  if (isfinite (metric.perimeter)) {
    end = put (end, ",\"perimeter-mm\":");
    end = numfmt_double (end, metric.perimeter);
  }
  if (isfinite (metric.feret_max)) {
    end = put (end, ",\"feret-mm\":[");
    end = numfmt_double (end, metric.feret_min);
    *end++ = ',';
    end = numfmt_double (end, metric.feret_max);
    *end++ = ']';
  }
  return end;
}

gchar *
gst_shape_json_put_record (gchar * end, GstShapeSet * set,
    const GstShapeArrays * arrays, gsize i, gboolean with_image)
{
  gdouble pixel_x, pixel_y;
  const GstShapePolyline *polyline = &arrays->polylines[i];
  const GstShapeAnnotation annotation =
      gst_shape_arrays_get_annotation (arrays, i);

  end = put_polyline_head (end, polyline, with_image);
  end = put_annotation (end, &annotation);
  end = put_measures (end, polyline);
  if (arrays->hull_measures && polyline->kind == GST_SHAPE_KIND_HULL)
    end = put_hull_measures (end, &arrays->hull_measures[i]);
  if (arrays->ellipses && polyline->kind == GST_SHAPE_KIND_HULL)
    end = put_ellipse (end, &arrays->ellipses[i]);
  if (gst_shape_set_get_pixel_size (set, &pixel_x, &pixel_y))
    end = put_metric (end, arrays, i, pixel_x, pixel_y);
  return end;
}

static gchar *
put_point (gchar * end, const GstShapePoint * point)
{
  *end++ = '[';
  end = numfmt_float (end, point->x);
  *end++ = ',';
  end = numfmt_float (end, point->y);
  *end++ = ']';
  return end;
}

static void
append_defects (GstShapeText * text, const GstShapeArrays * arrays, gsize i)
{
  gsize k = gst_shape_arrays_find_defect (arrays, i);

  gst_shape_text_append (text, ",\"defects\":[");
  for (gboolean is_first = TRUE; k < arrays->n_defects
      && arrays->defects[k].shape == i; k++, is_first = FALSE) {
    const GstShapeDefect *defect = &arrays->defects[k];
    gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);

    if (!end)
      return;
    if (!is_first)
      *end++ = ',';
    end = put (end, "{\"start\":");
    end = put_point (end, &defect->start);
    end = put (end, ",\"end\":");
    end = put_point (end, &defect->end);
    end = put (end, ",\"farthest\":");
    end = put_point (end, &defect->farthest);
    end = put (end, ",\"depth\":");
    end = numfmt_double (end, defect->depth);
    *end++ = '}';
    gst_shape_text_advance (text, end);
  }
  gst_shape_text_append (text, "]");
}

static gchar *
put_statistic (gchar * end, const GstShapeStatistic * statistic)
{
  end = put (end, "\":{\"pixels\":");
  end = numfmt_uint (end, statistic->n_pixels);
  end = put (end, ",\"mean\":");
  end = numfmt_double (end, statistic->mean);
  end = put (end, ",\"deviation\":");
  end = numfmt_double (end, statistic->deviation);
  end = put (end, ",\"min\":");
  end = numfmt_double (end, statistic->minimum);
  end = put (end, ",\"max\":");
  end = numfmt_double (end, statistic->maximum);
  *end++ = '}';
  return end;
}

static void
append_statistics (GstShapeText * text, const GstShapeArrays * arrays, gsize i)
{
  gsize k = gst_shape_arrays_find_statistic (arrays, i);
  gboolean is_first = TRUE;

  if (k == arrays->n_statistics || arrays->statistics[k].shape != i)
    return;
  gst_shape_text_append (text, ",\"statistics\":{");
  for (; k < arrays->n_statistics && arrays->statistics[k].shape == i; k++) {
    const gchar *name =
        gst_shape_channel_to_string (arrays->statistics[k].channel);
    gchar *end;

    if (!name)
      continue;
    gst_shape_text_append (text, is_first ? "\"" : ",\"");
    gst_shape_text_append (text, name);
    is_first = FALSE;
    end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
    if (!end)
      return;
    end = put_statistic (end, &arrays->statistics[k]);
    gst_shape_text_advance (text, end);
  }
  gst_shape_text_append (text, "}");
}

static void
append_indices (GstShapeText * text, const guint32 * indices, gsize n)
{
  gst_shape_text_append (text, ",\"indices\":[");
  for (gsize i = 0; i < n; i++) {
    gchar *end = gst_shape_text_reserve (text, 16);

    if (!end)
      return;
    if (i > 0)
      *end++ = ',';
    gst_shape_text_advance (text, numfmt_uint (end, indices[i]));
  }
  gst_shape_text_append (text, "]");
}

void
gst_shape_json_append_lists (GstShapeText * text,
    const GstShapeArrays * arrays, gsize i)
{
  if (arrays->defects && arrays->polylines[i].kind == GST_SHAPE_KIND_HULL)
    append_defects (text, arrays, i);
  if (arrays->statistics)
    append_statistics (text, arrays, i);
}

static const GstShapeTextPoints json_points = { '[', ',', ']', ',', 0 };

void
gst_shape_json_append_class_name (GstShapeText * text, GstShapeLayer * layer,
    gint32 class_id)
{
  const gchar *name = gst_shape_layer_get_class_name (layer, class_id);

  if (!name)
    return;
  gst_shape_text_append (text, ",\"class-name\":");
  gst_shape_text_append_string (text, name);
}

static void
append_polyline (Writer * writer, const GstShapeArrays * arrays, gsize i)
{
  const GstShapePoint *points;
  const guint8 *keep = NULL;
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);
  gsize n;

  if (!end)
    return;
  end = gst_shape_json_put_record (end, writer->set, arrays, i,
      writer->with_image);
  gst_shape_text_advance (&writer->text, end);
  gst_shape_json_append_lists (&writer->text, arrays, i);
  gst_shape_json_append_class_name (&writer->text, writer->layer,
      arrays->polylines[i].class_id);

  if (arrays->points && writer->options->points != GST_SHAPE_JSON_POINTS_NONE) {
    points = arrays->points + arrays->offsets[i];
    n = arrays->offsets[i + 1] - arrays->offsets[i];
    if (writer->keep.len > 0)
      keep = (const guint8 *) writer->keep.data + writer->first_point +
          arrays->offsets[i];
    gst_shape_text_append (&writer->text, ",\"points\":[");
    gst_shape_text_append_points (&writer->text, &json_points, points, n, keep,
        FALSE);
    gst_shape_text_append (&writer->text, "]");
    if (arrays->indices && !keep)
      append_indices (&writer->text, arrays->indices + arrays->offsets[i], n);
  }
  gst_shape_text_append (&writer->text, "}");
}

static gchar *
put_color (gchar * end, guint32 rgba)
{
  static const gchar hex[] = "0123456789abcdef";

  end = put (end, "\"#");
  for (gint shift = 28; shift >= 0; shift -= 4)
    *end++ = hex[(rgba >> shift) & 15];
  *end++ = '"';
  return end;
}

static void
append_circle (Writer * writer, const GstShapeArrays * arrays, gsize i)
{
  const GstShapeCircle *c = &arrays->circles[i];
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = put (end, "{\"kind\":\"circle\",\"x\":");
  end = numfmt_float (end, c->x);
  end = put (end, ",\"y\":");
  end = numfmt_float (end, c->y);
  end = put (end, ",\"r\":");
  end = numfmt_float (end, c->r);
  end = put (end, ",\"z\":");
  end = numfmt_float (end, c->z);
  end = put (end, ",\"color\":");
  end = put_color (end, c->rgba);
  end = put (end, ",\"parent\":");
  end = put_id (end, c->parent);
  *end++ = '}';
  gst_shape_text_advance (&writer->text, end);
}

static gboolean
append_layer (Writer * writer, GstShapeLayer * layer, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  gboolean circles =
      gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES;

  if (!arrays)
    return FALSE;
  writer->layer = layer;
  for (gsize i = 0; i < arrays->n_shapes && writer->left > 0
      && !gst_shape_text_is_lost (&writer->text); i++) {
    if (!writer->is_first)
      gst_shape_text_append (&writer->text, ",");
    writer->is_first = FALSE;
    writer->left--;
    if (circles)
      append_circle (writer, arrays, i);
    else
      append_polyline (writer, arrays, i);
  }
  writer->first_point += arrays->n_points;
  return TRUE;
}

gboolean
gst_shape_json_has_images (GstShapeSet * set)
{
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL);

    for (gsize k = 0; arrays && arrays->polylines && k < arrays->n_shapes; k++)
      if (arrays->polylines[k].image != 0)
        return TRUE;
  }
  return FALSE;
}

static gboolean
append_shapes (Writer * writer, GstShapeSet * set, GError ** error)
{
  gboolean written = TRUE;

  if (!set)
    return TRUE;
  writer->set = set;
  writer->with_image = gst_shape_json_has_images (set);
  if (writer->options->points == GST_SHAPE_JSON_POINTS_SIMPLIFIED
      && !gst_shape_polygons_simplify (set, writer->options->simplify,
          &writer->keep, error))
    return FALSE;
  for (guint i = 0; written && writer->left > 0
      && i < gst_shape_set_get_n_layers (set); i++)
    written = append_layer (writer, gst_shape_set_get_layer (set, i), error);
  return written;
}

void
gst_shape_json_append_frame (GstShapeText * text,
    const GstShapeJsonFrame * frame, GstShapeSet * set)
{
  guint width = set ? gst_shape_set_get_width (set) : frame->width;
  guint height = set ? gst_shape_set_get_height (set) : frame->height;
  gdouble pixel_x, pixel_y;
  gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = put (end, "\"frame\":");
  end = numfmt_uint (end, frame->frame);
  gst_shape_text_advance (text, end);
  if (frame->source) {
    gst_shape_text_append (text, ",\"source\":");
    gst_shape_text_append_string (text, frame->source);
  }

  end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = put (end, ",\"pts\":");
  end = put_unless (end, frame->pts, GST_CLOCK_TIME_NONE);
  if (GST_CLOCK_TIME_IS_VALID (frame->reference)) {
    end = put (end, ",\"reference-timestamp\":");
    end = numfmt_uint (end, frame->reference);
  }
  end = put (end, ",\"offset\":");
  end = put_unless (end, frame->offset, GST_BUFFER_OFFSET_NONE);
  end = put (end, ",\"width\":");
  end = put_unless (end, width, 0);
  end = put (end, ",\"height\":");
  end = put_unless (end, height, 0);
  if (set && gst_shape_set_get_pixel_size (set, &pixel_x, &pixel_y)) {
    end = put (end, ",\"pixel-size\":[");
    end = numfmt_double (end, pixel_x);
    *end++ = ',';
    end = numfmt_double (end, pixel_y);
    *end++ = ']';
  }
  gst_shape_text_advance (text, end);
  if (frame->tags) {
    gst_shape_text_append (text, ",\"tags\":");
    gst_shape_text_append (text, frame->tags);
  }
}

static gboolean
append_line (Writer * writer, const GstShapeJsonFrame * frame,
    GstShapeSet * set, GError ** error)
{
  gst_shape_text_append (&writer->text, "{\"version\":1,");
  gst_shape_json_append_frame (&writer->text, frame, set);
  gst_shape_text_append (&writer->text, ",\"shapes\":[");
  if (!append_shapes (writer, set, error))
    return FALSE;
  gst_shape_text_append (&writer->text, "]}\n");
  return TRUE;
}

/**
 * gst_shape_json_make_line: (skip)
 * @frame: the frame's fields
 * @set: (nullable): its shapes, or %NULL if it has none
 * @options: (nullable): what to write, or %NULL for everything
 * @max_size: maximum size of the line in bytes, including the newline; 0 for no
 *     limit
 * @error: return location for an error
 *
 * One line of JSON, with its newline. The size is that of @set, and that of
 * @frame when there is no set. Layers that are only on a device are downloaded.
 * A line is abandoned as soon as it exceeds @max_size.
 *
 * Returns: (transfer full): the line, or %NULL with @error set if a layer could
 *     not be downloaded, to %GST_STREAM_ERROR_ENCODE if the line is too long,
 *     and to %GST_RESOURCE_ERROR_NO_SPACE_LEFT when out of memory
 *
 * Since: 0.1
 */
GBytes *
gst_shape_json_make_line (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  static const GstShapeJsonOptions everything = {
    GST_SHAPE_JSON_POINTS_FULL, 0, 0
  };
  Writer writer = {.is_first = TRUE };
  gboolean made;

  g_return_val_if_fail (frame != NULL, NULL);

  gst_shape_text_init (&writer.text, max_size);
  cs_array_init (&writer.keep, 1);
  writer.options = options ? options : &everything;
  writer.left = writer.options->max_shapes;
  if (writer.left == 0)
    writer.left = G_MAXUINT64;
  made = append_line (&writer, frame, set, error);
  cs_array_clear (&writer.keep);
  if (!made) {
    cs_array_clear (&writer.text.bytes);
    return NULL;
  }
  return gst_shape_text_finish (&writer.text, error);
}

/**
 * gst_shape_json_append_line: (skip)
 * @out: the string to append to
 * @frame: the frame's fields
 * @set: (nullable): its shapes, or %NULL if it has none
 * @options: (nullable): what to write, or %NULL for everything
 * @error: return location for an error
 *
 * Appends the line of gst_shape_json_make_line(), without a limit.
 *
 * Returns: %FALSE, with @error set and @out unchanged, if a layer could not be
 *     downloaded or when out of memory
 *
 * Since: 0.1
 */
gboolean
gst_shape_json_append_line (GString * out, const GstShapeJsonFrame * frame,
    GstShapeSet * set, const GstShapeJsonOptions * options, GError ** error)
{
  GBytes *line;

  g_return_val_if_fail (out != NULL, FALSE);

  line = gst_shape_json_make_line (frame, set, options, 0, error);
  if (!line)
    return FALSE;
  g_string_append_len (out, g_bytes_get_data (line, NULL),
      (gssize) g_bytes_get_size (line));
  g_bytes_unref (line);
  return TRUE;
}

/**
 * gst_shape_set_to_json:
 * @set: a set
 * @error: return location for an error
 *
 * The line of gst_shape_json_append_line(), without the newline, for frame 0
 * of an unknown source and time.
 *
 * Returns: (transfer full): JSON in UTF-8, or %NULL with @error set if a layer
 *     could not be downloaded or when out of memory
 *
 * Since: 0.1
 */
gchar *
gst_shape_set_to_json (GstShapeSet * set, GError ** error)
{
  const GstShapeJsonFrame frame = {
    .pts = GST_CLOCK_TIME_NONE,
    .offset = GST_BUFFER_OFFSET_NONE,
    .reference = GST_CLOCK_TIME_NONE,
  };
  gchar *text;
  gsize size;
  GBytes *line;

  g_return_val_if_fail (set != NULL, NULL);

  line = gst_shape_json_make_line (&frame, set, NULL, 0, error);
  if (!line)
    return NULL;
  text = g_bytes_unref_to_data (line, &size);
  text[size - 1] = '\0';
  return text;
}
