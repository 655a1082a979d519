/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapewriter.h"

gboolean
gst_shape_writer_init (GstShapeWriter * writer, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  *writer = (GstShapeWriter) { 0 };
  if (options)
    writer->options = *options;
  writer->left = writer->options.max_shapes;
  if (writer->left == 0)
    writer->left = G_MAXUINT64;
  gst_shape_text_init (&writer->text, max_size);
  return gst_shape_polygons_init (&writer->polygons, set, error);
}

GBytes *
gst_shape_writer_finish (GstShapeWriter * writer, gboolean made,
    GError ** error)
{
  simplifier_clear (&writer->simplifier);
  gst_shape_rings_clear (&writer->rings);
  cs_array_clear (&writer->polygons);
  if (made)
    return gst_shape_text_finish (&writer->text, error);
  cs_array_clear (&writer->text.bytes);
  return NULL;
}

const GstShapePolygon *
gst_shape_writer_next (GstShapeWriter * writer, gsize * i)
{
  while (*i < writer->polygons.len && writer->left > 0
      && !gst_shape_text_is_lost (&writer->text)) {
    const GstShapePolygon *polygon = &cs_array_index (&writer->polygons,
        GstShapePolygon, (*i)++);

    if (!polygon->is_joined) {
      writer->left--;
      return polygon;
    }
  }
  return NULL;
}

const guint8 *
gst_shape_writer_simplify (GstShapeWriter * writer,
    const GstShapePoint * points, gsize n)
{
  if (writer->options.points != GST_SHAPE_JSON_POINTS_SIMPLIFIED)
    return NULL;
  const guint8 *keep = simplifier_run_polygon (&writer->simplifier, points, n,
      writer->options.simplify);
  writer->text.bytes.failed |= !keep;
  return keep;
}

gboolean
gst_shape_writer_take_rings (GstShapeWriter * writer,
    const GstShapePolygon * polygon, gboolean valid)
{
  const gsize index = polygon - &cs_array_index (&writer->polygons,
      GstShapePolygon, 0);
  gboolean taken;

  if (!gst_shape_polygon_is_known (&writer->polygons, index))
    return FALSE;
  taken = gst_shape_rings_take (&writer->rings, &writer->polygons, index);
  if (taken && writer->options.points == GST_SHAPE_JSON_POINTS_SIMPLIFIED)
    taken = gst_shape_rings_simplify (&writer->rings, &writer->simplifier,
        writer->options.simplify);
  if (taken && valid)
    taken = gst_shape_rings_make_valid (&writer->rings);
  writer->text.bytes.failed |= !taken;
  return taken;
}

gboolean
gst_shape_writer_append_circles (GstShapeWriter * writer, GstShapeSet * set,
    GstShapeWriterCircles append, GError ** error)
{
  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error);

    if (!arrays)
      return FALSE;
    if (arrays->circles)
      append (writer, arrays);
  }
  return TRUE;
}

gchar *
gst_shape_writer_make_string (GstShapeWriterMake make, GstShapeSet * set,
    GError ** error)
{
  const GstShapeJsonFrame frame = {
    .pts = GST_CLOCK_TIME_NONE,
    .offset = GST_BUFFER_OFFSET_NONE,
    .reference = GST_CLOCK_TIME_NONE,
  };
  GBytes *text = make (&frame, set, NULL, 0, error);
  gsize size;

  if (!text)
    return NULL;
  gchar *string = g_bytes_unref_to_data (text, &size);
  /* the last newline */
  string[size - 1] = '\0';
  return string;
}
