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
#include "gstshapewriter.h"

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
  GstShapeJsonOptions options;
  CsArray keep;                 /* with simplified points, a flag for each */
  gsize first_point;            /* of the layer among them */
  GstShapeSet *set;
  gboolean with_image;
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
  end = numfmt_int (put (end, "{\"id\":"), p->id);
  if (p->kind == GST_SHAPE_KIND_HULL)
    end = put (end, ",\"kind\":\"hull\"");
  else
    end = put (end, ",\"kind\":\"contour\"");
  end = numfmt_int (put (end, ",\"class\":"), p->class_id);
  if (with_image)
    end = numfmt_int (put (end, ",\"image\":"), p->image);
  end = numfmt_double (put (end, ",\"level\":"), p->level);
  end = put_boolean (put (end, ",\"closed\":"),
      p->flags & GST_SHAPE_FLAG_CLOSED);
  end = put_boolean (put (end, ",\"hole\":"), p->flags & GST_SHAPE_FLAG_HOLE);
  return put_id (put (end, ",\"parent\":"), p->parent);
}

static gchar *
put_annotation (gchar * end, const GstShapeAnnotation * annotation)
{
  if (annotation->confidence >= 0)
    end = numfmt_float (put (end, ",\"confidence\":"), annotation->confidence);
  if (annotation->track_id >= 0)
    end = numfmt_int (put (end, ",\"track-id\":"), annotation->track_id);
  if (annotation->region_id >= 0)
    end = numfmt_int (put (end, ",\"region-id\":"), annotation->region_id);
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
  end = numfmt_double (put (end, ",\"area\":"), p->area);
  end = numfmt_double (put (end, ",\"perimeter\":"), p->perimeter);
  end = put_numbers (put (end, ",\"centroid\":"),
      (gdouble[]) {p->centroid_x, p->centroid_y}, 2);
  end = put_numbers (put (end, ",\"bbox\":"),
      (gdouble[]) {p->bbox_x0, p->bbox_y0, p->bbox_x1, p->bbox_y1}, 4);
  if (p->kind == GST_SHAPE_KIND_HULL)
    end = numfmt_double (put (end, ",\"solidity\":"), p->solidity);
  return end;
}

static gchar *
put_hull_measures (gchar * end, const GstShapeHullMeasures * m)
{
  end = numfmt_double (put (end, ",\"feret\":["), m->feret_min);
  end = numfmt_double (put (end, ","), m->feret_max);
  end = put (end, "],\"min-area-rect\":{\"center\":[");
  end = numfmt_double (end, m->rect_x);
  end = numfmt_double (put (end, ","), m->rect_y);
  end = numfmt_double (put (end, "],\"size\":["), m->rect_width);
  end = numfmt_double (put (end, ","), m->rect_height);
  end = numfmt_double (put (end, "],\"angle\":"),
      gst_shape_hull_measures_get_rect_angle (m));
  end = put (end, "},\"enclosing-circle\":{\"x\":");
  end = numfmt_double (end, m->circle_x);
  end = numfmt_double (put (end, ",\"y\":"), m->circle_y);
  end = numfmt_double (put (end, ",\"r\":"), m->circle_r);
  return put (end, "}");
}

static gchar *
put_ellipse (gchar * end, const GstShapeEllipse * e)
{
  end = numfmt_double (put (end, ",\"enclosing-ellipse\":{\"center\":["), e->x);
  end = numfmt_double (put (end, ","), e->y);
  end = numfmt_double (put (end, "],\"axes\":["), e->major);
  end = numfmt_double (put (end, ","), e->minor);
  end = numfmt_double (put (end, "],\"angle\":"),
      gst_shape_ellipse_get_angle (e));
  return put (end, "}");
}

/* Unknown measures are left out. */
static gchar *
put_metric (gchar * end, const GstShapeArrays * arrays, gsize i,
    gdouble pixel_x, gdouble pixel_y)
{
  GstShapeMetric metric;

  gst_shape_arrays_get_metric (arrays, i, pixel_x, pixel_y, &metric);
  end = numfmt_double (put (end, ",\"area-mm2\":"), metric.area);
  if (isfinite (metric.perimeter))
    end = numfmt_double (put (end, ",\"perimeter-mm\":"), metric.perimeter);
  if (isfinite (metric.feret_max)) {
    end = numfmt_double (put (end, ",\"feret-mm\":["), metric.feret_min);
    end = numfmt_double (put (end, ","), metric.feret_max);
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
  end = numfmt_float (put (end, "["), point->x);
  end = numfmt_float (put (end, ","), point->y);
  return put (end, "]");
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
    end = put_point (put (end, "{\"start\":"), &defect->start);
    end = put_point (put (end, ",\"end\":"), &defect->end);
    end = put_point (put (end, ",\"farthest\":"), &defect->farthest);
    end = numfmt_double (put (end, ",\"depth\":"), defect->depth);
    gst_shape_text_advance (text, put (end, "}"));
  }
  gst_shape_text_append (text, "]");
}

static gchar *
put_statistic (gchar * end, const GstShapeStatistic * statistic)
{
  end = numfmt_uint (put (end, "\":{\"pixels\":"), statistic->n_pixels);
  end = numfmt_double (put (end, ",\"mean\":"), statistic->mean);
  end = numfmt_double (put (end, ",\"deviation\":"), statistic->deviation);
  end = numfmt_double (put (end, ",\"min\":"), statistic->minimum);
  end = numfmt_double (put (end, ",\"max\":"), statistic->maximum);
  return put (end, "}");
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

    if (!name)
      continue;
    gst_shape_text_append (text, is_first ? "\"" : ",\"");
    gst_shape_text_append (text, name);
    is_first = FALSE;
    gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
    if (!end)
      return;
    gst_shape_text_advance (text, put_statistic (end, &arrays->statistics[k]));
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
  const guint8 *keep = NULL;
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = gst_shape_json_put_record (end, writer->set, arrays, i,
      writer->with_image);
  gst_shape_text_advance (&writer->text, end);
  gst_shape_json_append_lists (&writer->text, arrays, i);
  gst_shape_json_append_class_name (&writer->text, writer->layer,
      arrays->polylines[i].class_id);

  if (arrays->points && writer->options.points != GST_SHAPE_JSON_POINTS_NONE) {
    const GstShapePoint *points = arrays->points + arrays->offsets[i];
    const gsize n = arrays->offsets[i + 1] - arrays->offsets[i];
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
  gst_shape_text_append (&writer->text, "},");
}

static gchar *
put_color (gchar * end, guint32 rgba)
{
  static const gchar hex[] = "0123456789abcdef";

  end = put (end, "\"#");
  for (gint shift = 28; shift >= 0; shift -= 4)
    *end++ = hex[(rgba >> shift) & 15];
  return put (end, "\"");
}

static void
append_circle (Writer * writer, const GstShapeArrays * arrays, gsize i)
{
  const GstShapeCircle *c = &arrays->circles[i];
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = numfmt_float (put (end, "{\"kind\":\"circle\",\"x\":"), c->x);
  end = numfmt_float (put (end, ",\"y\":"), c->y);
  end = numfmt_float (put (end, ",\"r\":"), c->r);
  end = numfmt_float (put (end, ",\"z\":"), c->z);
  end = put_color (put (end, ",\"color\":"), c->rgba);
  end = put_id (put (end, ",\"parent\":"), c->parent);
  gst_shape_text_advance (&writer->text, put (end, "},"));
}

static gboolean
append_layer (Writer * writer, GstShapeLayer * layer, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  writer->layer = layer;
  for (gsize i = 0; i < arrays->n_shapes && writer->left > 0
      && !gst_shape_text_is_lost (&writer->text); i++) {
    writer->left--;
    if (arrays->circles)
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
  if (writer->options.points == GST_SHAPE_JSON_POINTS_SIMPLIFIED
      && !gst_shape_polygons_simplify (set, writer->options.simplify,
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
  end = numfmt_uint (put (end, "\"frame\":"), frame->frame);
  gst_shape_text_advance (text, end);
  if (frame->source) {
    gst_shape_text_append (text, ",\"source\":");
    gst_shape_text_append_string (text, frame->source);
  }

  end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = put_unless (put (end, ",\"pts\":"), frame->pts, GST_CLOCK_TIME_NONE);
  if (GST_CLOCK_TIME_IS_VALID (frame->reference))
    end = numfmt_uint (put (end, ",\"reference-timestamp\":"),
        frame->reference);
  end = put_unless (put (end, ",\"offset\":"), frame->offset,
      GST_BUFFER_OFFSET_NONE);
  end = put_unless (put (end, ",\"width\":"), width, 0);
  end = put_unless (put (end, ",\"height\":"), height, 0);
  if (set && gst_shape_set_get_pixel_size (set, &pixel_x, &pixel_y)) {
    end = numfmt_double (put (end, ",\"pixel-size\":["), pixel_x);
    end = numfmt_double (put (end, ","), pixel_y);
    *end++ = ']';
  }
  gst_shape_text_advance (text, end);
  if (frame->tags) {
    gst_shape_text_append (text, ",\"tags\":");
    gst_shape_text_append (text, frame->tags);
  }
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
 * Since: 1.0
 */
GBytes *
gst_shape_json_make_line (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  Writer writer = {.left = G_MAXUINT64 };

  g_return_val_if_fail (frame != NULL, NULL);

  gst_shape_text_init (&writer.text, max_size);
  cs_array_init (&writer.keep, 1);
  if (options)
    writer.options = *options;
  if (writer.options.max_shapes > 0)
    writer.left = writer.options.max_shapes;
  gst_shape_text_append (&writer.text, "{\"version\":1,");
  gst_shape_json_append_frame (&writer.text, frame, set);
  gst_shape_text_append (&writer.text, ",\"shapes\":[");
  const gboolean made = append_shapes (&writer, set, error);
  gst_shape_text_take_back (&writer.text, ',');
  gst_shape_text_append (&writer.text, "]}\n");
  cs_array_clear (&writer.keep);
  if (made)
    return gst_shape_text_finish (&writer.text, error);
  cs_array_clear (&writer.text.bytes);
  return NULL;
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
 * Since: 1.0
 */
gboolean
gst_shape_json_append_line (GString * out, const GstShapeJsonFrame * frame,
    GstShapeSet * set, const GstShapeJsonOptions * options, GError ** error)
{
  g_return_val_if_fail (out != NULL, FALSE);

  GBytes *line = gst_shape_json_make_line (frame, set, options, 0, error);
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
 * Since: 1.0
 */
gchar *
gst_shape_set_to_json (GstShapeSet * set, GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return gst_shape_writer_make_string (gst_shape_json_make_line, set, error);
}
