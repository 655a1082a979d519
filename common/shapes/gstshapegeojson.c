/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapegeojson
 * @title: GeoJSON
 * @short_description: shapes as features of GeoJSON (RFC 7946)
 *
 * A frame is a FeatureCollection in one line, so the file of one picture is a
 * GeoJSON file, and that of a film newline-delimited GeoJSON. Coordinates are
 * pixels, x to the right and y down, pixel centres at integers. Closed contours
 * and hulls are polygons with their holes, open ones line strings, circles
 * points with a radius among their properties. Rings have the orientation that
 * the RFC demands of x and y: positive area outside, negative in holes.
 *
 * Polygons are valid by OGC's definition: one whose outline touches itself is
 * split there, without a point moved, and becomes a MultiPolygon if its inside
 * is in several pieces. What has no area is a line string or a point. A shape
 * with a point that is not finite has no geometry.
 */

#include "gstshapejsonprivate.h"
#include "gstshapepoints.h"
#include "gstshapewriter.h"

static const GstShapeTextPoints positions = { '[', ',', ']', ',', 0 };

static void
append_ring (GstShapeWriter * writer, gsize ring, gboolean hole)
{
  gsize n;
  const GstShapePoint *points = gst_shape_rings_get (&writer->rings, ring, &n);
  const gboolean negative = gst_shape_ring_orient (points, n) < 0;

  gst_shape_text_append (&writer->text, "[");
  gst_shape_text_append_points (&writer->text, &positions, points, n, NULL,
      negative != hole);
  gst_shape_text_append (&writer->text, "]");
}

/* Those of the rings from @first to @end. */
static void
append_polygon (GstShapeWriter * writer, gsize first, gsize end)
{
  gst_shape_text_append (&writer->text, "[");
  for (gsize i = first; i < end; i++) {
    if (i > first)
      gst_shape_text_append (&writer->text, ",");
    append_ring (writer, i, i > first);
  }
  gst_shape_text_append (&writer->text, "]");
}

static void
append_polygons (GstShapeWriter * writer)
{
  const gsize *parts = &cs_array_index (&writer->rings.parts, gsize, 0);
  const gsize n = writer->rings.parts.len;

  gst_shape_text_append (&writer->text, n == 1 ?
      "{\"type\":\"Polygon\",\"coordinates\":" :
      "{\"type\":\"MultiPolygon\",\"coordinates\":[");
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      gst_shape_text_append (&writer->text, ",");
    append_polygon (writer, i > 0 ? parts[i - 1] : 0, parts[i]);
  }
  gst_shape_text_append (&writer->text, n == 1 ? "}" : "]}");
}

/* One point if there is no other. A ring without an area is not simplified:
 * nothing would be left of it. */
static void
append_line_string (GstShapeWriter * writer, const GstShapePoint * points,
    gsize n, gboolean closed)
{
  const guint8 *keep;
  gsize other = 0;

  while (other < n && points[other].x == points[0].x
      && points[other].y == points[0].y)
    other++;
  if (other == n)
    n = 1;
  keep = closed ? NULL : gst_shape_writer_simplify (writer, points, n);
  gst_shape_text_append (&writer->text, n == 1 ?
      "{\"type\":\"Point\",\"coordinates\":" :
      "{\"type\":\"LineString\",\"coordinates\":[");
  gst_shape_text_append_points (&writer->text, &positions, points, n, keep,
      FALSE);
  gst_shape_text_append (&writer->text, n == 1 ? "}" : "]}");
}

/* What has no area is a line, and what is not known has no geometry. */
static void
append_geometry (GstShapeWriter * writer, const GstShapePolygon * polygon)
{
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);
  const gboolean closed = gst_shape_polygon_get_record (polygon)->flags
      & GST_SHAPE_FLAG_CLOSED;

  if (!points || n == 0
      || writer->options.points == GST_SHAPE_JSON_POINTS_NONE
      || !gst_shape_points_are_finite (points, n)
      || (closed && !gst_shape_writer_take_rings (writer, polygon, TRUE)))
    gst_shape_text_append (&writer->text, "null");
  else if (closed && writer->rings.parts.len > 0)
    append_polygons (writer);
  else
    append_line_string (writer, points, n, closed);
}

#define put gst_shape_text_put

static void
append_feature (GstShapeWriter * writer, GstShapeSet * set,
    const GstShapePolygon * polygon, gboolean with_image)
{
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = numfmt_int (put (end, "{\"type\":\"Feature\",\"id\":"),
      gst_shape_polygon_get_record (polygon)->id);
  end = put (end, ",\"geometry\":");
  gst_shape_text_advance (&writer->text, end);
  append_geometry (writer, polygon);
  gst_shape_text_append (&writer->text, ",\"properties\":");
  end = gst_shape_text_reserve (&writer->text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  end = gst_shape_json_put_record (end, set, polygon->arrays, polygon->index,
      with_image);
  gst_shape_text_advance (&writer->text, end);
  gst_shape_json_append_lists (&writer->text, polygon->arrays, polygon->index);
  gst_shape_json_append_class_name (&writer->text, polygon->layer,
      gst_shape_polygon_get_record (polygon)->class_id);
  gst_shape_text_append (&writer->text, "}},");
}

static void
append_circle (GstShapeWriter * writer, const GstShapeCircle * circle)
{
  gchar *end = gst_shape_text_reserve (&writer->text,
      GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = put (end, "{\"type\":\"Feature\",\"geometry\":");
  if (isfinite (circle->x) && isfinite (circle->y)) {
    end = numfmt_float (put (end, "{\"type\":\"Point\",\"coordinates\":["),
        circle->x);
    end = numfmt_float (put (end, ","), circle->y);
    end = put (end, "]}");
  } else {
    end = put (end, "null");
  }
  end = put (end, ",\"properties\":{\"kind\":\"circle\",\"radius\":");
  end = numfmt_float (end, circle->r);
  end = numfmt_float (put (end, ",\"z\":"), circle->z);
  end += g_snprintf (end, 32, ",\"color\":\"#%08x\"", circle->rgba);
  end = put (end, "}},");
  gst_shape_text_advance (&writer->text, end);
}

static void
append_circles (GstShapeWriter * writer, const GstShapeArrays * arrays)
{
  for (gsize i = 0; i < arrays->n_shapes && writer->left > 0; i++) {
    append_circle (writer, &arrays->circles[i]);
    writer->left--;
  }
}

/**
 * gst_shape_geojson_make_line: (skip)
 * @frame: what is known of the frame
 * @set: (nullable): its shapes, or %NULL when it has none
 * @options: (nullable): what to write, or %NULL for everything
 * @max_size: how many bytes the line may have, or 0 for any number
 * @error: return location for an error
 *
 * A FeatureCollection in a line, with the keys that a frame has in JSON beside
 * "features". "properties" of a feature are a shape's keys in JSON but for its
 * points; with %GST_SHAPE_JSON_POINTS_NONE the geometry is null.
 *
 * Returns: (transfer full): the line, newline included; %NULL with @error set
 *     as by gst_shape_json_make_line()
 *
 * Since: 1.0
 */
GBytes *
gst_shape_geojson_make_line (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  GstShapeWriter writer;
  gboolean made;

  g_return_val_if_fail (frame != NULL, NULL);

  made = gst_shape_writer_init (&writer, set, options, max_size, error);
  if (made) {
    const gboolean with_image = set && gst_shape_json_has_images (set);
    const GstShapePolygon *polygon;
    GstShapeText *text = &writer.text;
    gsize i = 0;

    gst_shape_text_append (text, "{\"type\":\"FeatureCollection\",");
    gst_shape_json_append_frame (text, frame, set);
    gst_shape_text_append (text, ",\"features\":[");
    while ((polygon = gst_shape_writer_next (&writer, &i)))
      append_feature (&writer, set, polygon, with_image);
    made = gst_shape_writer_append_circles (&writer, set, append_circles,
        error);
    gst_shape_text_take_back (text, ',');
    gst_shape_text_append (text, "]}\n");
  }
  return gst_shape_writer_finish (&writer, made, error);
}

/**
 * gst_shape_set_to_geojson:
 * @set: a set
 * @error: return location for an error
 *
 * The FeatureCollection that gst_shape_geojson_make_line() writes.
 *
 * Returns: (transfer full): GeoJSON in UTF-8, or %NULL with @error set when a
 *     layer could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
gchar *
gst_shape_set_to_geojson (GstShapeSet * set, GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return gst_shape_writer_make_string (gst_shape_geojson_make_line, set, error);
}
