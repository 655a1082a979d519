/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapesvg
 * @title: SVG
 * @short_description: shapes as a drawing in SVG 1.1
 *
 * A frame is a document of its size in pixels. A closed contour is a path with
 * its holes (even-odd), an open one a path that is not closed; both have their
 * id, kind, class with its name, level and what is known of their
 * #GstShapeAnnotation as attributes, and a colour for each class. Circles are
 * filled, the farthest first. A shape with a point that is not finite is left
 * out.
 */

#include <stdlib.h>

#include "base/memory.h"
#include "gstshapepoints.h"
#include "gstshapes-private.h"
#include "gstshapewriter.h"

#define put gst_shape_text_put

/* Colours for classes that are told apart by most people (Okabe and Ito). */
static const gchar *const palette[] = {
  "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"
};

static const GstShapeTextPoints coordinates = { 0, ',', 0, ' ', 0 };

/* Z draws the last side. */
static void
append_rings (GstShapeWriter * writer)
{
  for (gsize i = 0; i < writer->rings.ends.len; i++) {
    gsize n;
    const GstShapePoint *points = gst_shape_rings_get (&writer->rings, i, &n);

    gst_shape_text_append (&writer->text, "M");
    gst_shape_text_append_points (&writer->text, &coordinates, points,
        MAX (n - 1, 1), NULL, FALSE);
    gst_shape_text_append (&writer->text, "Z");
  }
}

static void
append_line (GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);
  const guint8 *keep = gst_shape_writer_simplify (writer, points, n);

  gst_shape_text_append (&writer->text, "M");
  gst_shape_text_append_points (&writer->text, &coordinates, points, n, keep,
      FALSE);
}

/* Whether there is something to draw, all of which is known. */
static gboolean
has_path (GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);

  if (!points || n == 0)
    return FALSE;
  if (gst_shape_polygon_get_record (polygon)->flags & GST_SHAPE_FLAG_CLOSED)
    return gst_shape_writer_take_rings (writer, polygon, FALSE);
  return gst_shape_points_are_finite (points, n);
}

static gchar *
put_annotation (gchar * end, const GstShapePolygon * polygon)
{
  const GstShapeAnnotation annotation =
      gst_shape_arrays_get_annotation (polygon->arrays, polygon->index);

  if (annotation.confidence >= 0)
    end = numfmt_float (put (end, "\" data-confidence=\""),
        annotation.confidence);
  if (annotation.track_id >= 0)
    end = numfmt_int (put (end, "\" data-track-id=\""), annotation.track_id);
  if (annotation.region_id >= 0)
    end = numfmt_int (put (end, "\" data-region-id=\""), annotation.region_id);
  return end;
}

/* A text of the user's in a quoted attribute. What XML has no place for is
 * replaced. */
static void
append_escaped (GstShapeText * text, const gchar * string)
{
  g_autofree gchar *valid = g_utf8_make_valid (string, -1);

  for (const gchar * c = valid; *c; c = g_utf8_next_char (c)) {
    const gunichar character = g_utf8_get_char (c);

    if (character == '&')
      gst_shape_text_append (text, "&amp;");
    else if (character == '<')
      gst_shape_text_append (text, "&lt;");
    else if (character == '"')
      gst_shape_text_append (text, "&quot;");
    else if (character == '\t' || character == '\n' || character == '\r')
      gst_shape_text_append (text, character == '\t' ? "&#9;" :
          character == '\n' ? "&#10;" : "&#13;");
    else if (character < 0x20 || character == 0xfffe || character == 0xffff)
      gst_shape_text_append (text, "\357\277\275");
    else
      cs_array_append (&text->bytes, c, g_utf8_next_char (c) - c);
  }
}

static void
append_class_name (GstShapeText * text, const GstShapePolygon * polygon)
{
  const gchar *name = gst_shape_layer_get_class_name (polygon->layer,
      gst_shape_polygon_get_record (polygon)->class_id);

  if (!name)
    return;
  gst_shape_text_append (text, "\" data-class-name=\"");
  append_escaped (text, name);
}

static void
append_polygon (GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);
  gchar *end;

  if (!has_path (writer, polygon))
    return;
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = numfmt_int (put (end, "<path id=\"shape-"), line->id);
  end = line->kind == GST_SHAPE_KIND_HULL ? put (end, "\" class=\"hull\"") :
      put (end, "\" class=\"contour\"");
  end = numfmt_int (put (end, " data-class=\""), line->class_id);
  if (isfinite (line->level))
    end = numfmt_double (put (end, "\" data-level=\""), line->level);
  end = put_annotation (end, polygon);
  gst_shape_text_advance (&writer->text, end);
  append_class_name (&writer->text, polygon);
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = put (end, "\" stroke=\"");
  end += g_strlcpy (end, palette[(guint) line->class_id
          % G_N_ELEMENTS (palette)], 16);
  end = put (end, "\" d=\"");
  gst_shape_text_advance (&writer->text, end);
  if (line->flags & GST_SHAPE_FLAG_CLOSED)
    append_rings (writer);
  else
    append_line (writer, polygon);
  gst_shape_text_append (&writer->text, "\"/>\n");
}

static void
append_circle (GstShapeWriter * writer, const GstShapeCircle * circle)
{
  gchar *end;

  if (!isfinite (circle->x) || !isfinite (circle->y) || !isfinite (circle->r)
      || circle->r < 0)
    return;
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = numfmt_float (put (end, "<circle cx=\""), circle->x);
  end = numfmt_float (put (end, "\" cy=\""), circle->y);
  end = numfmt_float (put (end, "\" r=\""), circle->r);
  end += g_snprintf (end, 48, "\" stroke=\"none\" fill=\"#%06x\" "
      "fill-opacity=\"", circle->rgba >> 8);
  end = numfmt_float (end, (circle->rgba & 255) / 255.f);
  end = put (end, "\"/>\n");
  gst_shape_text_advance (&writer->text, end);
}

static gint
compare_depths (gconstpointer a, gconstpointer b)
{
  const GstShapeCircle *first = *(const GstShapeCircle * const *) a;
  const GstShapeCircle *second = *(const GstShapeCircle * const *) b;

  if (first->z != second->z)
    return first->z > second->z ? -1 : 1;
  return first < second ? -1 : first > second;
}

/* Of one layer, from the farthest to the nearest. */
static void
append_circles (GstShapeWriter * writer, const GstShapeArrays * arrays)
{
  const gsize n = MIN (arrays->n_shapes, writer->left);
  const GstShapeCircle **sorted = cs_try_new (const GstShapeCircle *, n);

  if (!sorted && n > 0) {
    writer->text.bytes.failed = TRUE;
    return;
  }
  for (gsize i = 0; i < n; i++)
    sorted[i] = &arrays->circles[i];
  qsort (sorted, n, sizeof (*sorted), compare_depths);
  for (gsize i = 0; i < n; i++)
    append_circle (writer, sorted[i]);
  writer->left -= n;
  g_free (sorted);
}

/* Pixel centres are at integers, so the picture begins at -1/2. */
static void
append_head (GstShapeText * text, guint width, guint height)
{
  gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = put (end, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
  if (width > 0 && height > 0)
    end += g_snprintf (end, 256, " width=\"%u\" height=\"%u\" "
        "viewBox=\"-0.5 -0.5 %u %u\"", width, height, width, height);
  end = put (end, ">\n<g fill=\"none\" fill-rule=\"evenodd\" "
      "stroke-linejoin=\"round\" stroke-width=\"1\">\n");
  gst_shape_text_advance (text, end);
}

/**
 * gst_shape_svg_make_document: (skip)
 * @frame: what is known of the frame
 * @set: (nullable): its shapes, or %NULL when it has none
 * @options: (nullable): what to write, or %NULL for everything
 * @max_size: how many bytes the document may have, or 0 for any number
 * @error: return location for an error
 *
 * An SVG document of the frame's size. With %GST_SHAPE_JSON_POINTS_NONE paths
 * are left out.
 *
 * Returns: (transfer full): the document, with a newline at its end; %NULL with
 *     @error set as by gst_shape_json_make_line()
 *
 * Since: 1.0
 */
GBytes *
gst_shape_svg_make_document (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  GstShapeWriter writer;
  gboolean made;

  g_return_val_if_fail (frame != NULL, NULL);

  made = gst_shape_writer_init (&writer, set, options, max_size, error);
  if (made) {
    const GstShapePolygon *polygon;
    gsize i = 0;

    append_head (&writer.text, set ? gst_shape_set_get_width (set) :
        frame->width, set ? gst_shape_set_get_height (set) : frame->height);
    while (writer.options.points != GST_SHAPE_JSON_POINTS_NONE
        && (polygon = gst_shape_writer_next (&writer, &i)))
      append_polygon (&writer, polygon);
    made = gst_shape_writer_append_circles (&writer, set, append_circles,
        error);
    gst_shape_text_append (&writer.text, "</g>\n</svg>\n");
  }
  return gst_shape_writer_finish (&writer, made, error);
}

/**
 * gst_shape_set_to_svg:
 * @set: a set
 * @error: return location for an error
 *
 * The drawing that gst_shape_svg_make_document() writes.
 *
 * Returns: (transfer full): SVG in UTF-8, or %NULL with @error set when a layer
 *     could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
gchar *
gst_shape_set_to_svg (GstShapeSet * set, GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return gst_shape_writer_make_string (gst_shape_svg_make_document, set, error);
}
