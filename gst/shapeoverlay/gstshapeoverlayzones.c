/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlayzones.h"

#include <math.h>

#include "element/gstshapeszonetext.h"

/* Of the arrow across a line, in widths of lines: its length, and how long and
 * wide its head is. */
#define ARROW_LENGTH 10.
#define ARROW_HEAD 4.

typedef struct
{
  OverlayCollection *collection;
  gdouble scale_x, scale_y;
  GArray *points, *ends;
  GArray *line;                 /* GstShapePoint */
  guint32 argb;
} Drawing;

const GstStructure *
overlay_find_zones (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_meta_get_info (GST_SHAPES_ZONES_META) ?
      gst_buffer_get_custom_meta (buffer, GST_SHAPES_ZONES_META) : NULL;

  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

/* From a pixel of the frame of the counts to one of the shapes. */
static void
append (Drawing * drawing, gdouble x, gdouble y)
{
  GstShapePoint point;

  x = (x + .5) * drawing->scale_x - .5;
  y = (y + .5) * drawing->scale_y - .5;
  overlay_collection_unmap (drawing->collection, &x, &y);
  point.x = (gfloat) x;
  point.y = (gfloat) y;
  g_array_append_val (drawing->line, point);
}

static void
draw_line (Drawing * drawing)
{
  overlay_collection_add_outline (drawing->collection,
      (const GstShapePoint *) (gconstpointer) drawing->line->data,
      drawing->line->len, drawing->argb);
  g_array_set_size (drawing->line, 0);
}

static const GstShapesZonePoint *
get_point (const Drawing * drawing, gsize i)
{
  return &g_array_index (drawing->points, GstShapesZonePoint, i);
}

static void
draw_rings (Drawing * drawing, gboolean closed)
{
  gsize first = 0;

  for (guint ring = 0; ring < drawing->ends->len; ring++) {
    const gsize end = g_array_index (drawing->ends, gsize, ring);

    for (gsize i = first; end > first && i < end + closed; i++) {
      const GstShapesZonePoint *p = get_point (drawing, i < end ? i : first);

      append (drawing, p->x, p->y);
    }
    draw_line (drawing);
    first = end;
  }
}

/* Across the middle of the line's longest side, to where forward is. */
static void
draw_arrow (Drawing * drawing)
{
  const OverlayCollection *collection = drawing->collection;
  const gdouble width = MAX (collection->settings->line_width, 1.) *
      collection->scale / drawing->scale_x;
  const GstShapesZonePoint *a = get_point (drawing, 0), *b = a;
  gdouble longest = 0;

  for (guint i = 1; i < drawing->points->len; i++) {
    const GstShapesZonePoint *p = get_point (drawing, i - 1), *q = p + 1;
    const gdouble length = hypot (q->x - p->x, q->y - p->y);

    if (length > longest) {
      longest = length;
      a = p;
      b = q;
    }
  }
  if (!(longest > 0))
    return;
  const gdouble ux = (b->x - a->x) / longest, uy = (b->y - a->y) / longest;
  const gdouble x = (a->x + b->x) / 2, y = (a->y + b->y) / 2;
  const gdouble tip = ARROW_LENGTH * width, head = ARROW_HEAD * width;

  append (drawing, x, y);
  append (drawing, x - uy * tip, y + ux * tip);
  draw_line (drawing);
  for (gint side = -1; side <= 1; side++)
    append (drawing, x - uy * (side ? tip - head : tip) + ux * side * head,
        y + ux * (side ? tip - head : tip) + uy * side * head);
  draw_line (drawing);
}

static guint64
get_number (const GstStructure * structure, const gchar * name)
{
  guint64 number = 0;

  gst_structure_get_uint64 (structure, name, &number);
  return number;
}

static void
add_label (Drawing * drawing, const GstStructure * zone, gboolean is_line)
{
  const gchar *name = gst_structure_get_string (zone, "name");
  OverlayBox box = { INFINITY, INFINITY, -INFINITY, -INFINITY };
  g_autofree gchar *text = is_line ?
      g_strdup_printf ("%s: %" G_GUINT64_FORMAT " forward, %" G_GUINT64_FORMAT
      " backward", name, get_number (zone, "forward"), get_number (zone,
          "backward")) :
      g_strdup_printf ("%s: %" G_GUINT64_FORMAT " inside, %" G_GUINT64_FORMAT
      " entered, %" G_GUINT64_FORMAT " left", name, get_number (zone,
          "inside"), get_number (zone, "entered"), get_number (zone, "left"));

  for (guint i = 0; i < drawing->points->len; i++) {
    const GstShapesZonePoint *p = get_point (drawing, i);

    box.x0 = fmin (box.x0, (p->x + .5) * drawing->scale_x - .5);
    box.y0 = fmin (box.y0, (p->y + .5) * drawing->scale_y - .5);
    box.x1 = fmax (box.x1, (p->x + .5) * drawing->scale_x - .5);
    box.y1 = fmax (box.y1, (p->y + .5) * drawing->scale_y - .5);
  }
  overlay_labels_add_text (&drawing->collection->labels, text, &box,
      drawing->argb);
}

static void
draw_zone (Drawing * drawing, const GstStructure * zone, gboolean is_line)
{
  const gchar *text = gst_structure_get_string (zone, "points");

  g_array_set_size (drawing->points, 0);
  g_array_set_size (drawing->ends, 0);
  if (!text || !gst_structure_get_string (zone, "name")
      || !gst_shapes_zone_text_parse (text, strlen (text), drawing->points,
          drawing->ends, NULL))
    return;
  draw_rings (drawing, !is_line);
  if (is_line)
    draw_arrow (drawing);
  add_label (drawing, zone, is_line);
}

/* @color: of the first; returns that of what follows */
static guint
draw_list (Drawing * drawing, const GstStructure * zones, const gchar * name,
    guint color)
{
  const GValue *array = gst_structure_get_value (zones, name);
  const guint n = array && GST_VALUE_HOLDS_ARRAY (array) ?
      gst_value_array_get_size (array) : 0;

  for (guint i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (array, i);

    drawing->argb = overlay_collection_get_color (drawing->collection,
        color + i);
    if (GST_VALUE_HOLDS_STRUCTURE (value))
      draw_zone (drawing, gst_value_get_structure (value), name[0] == 'l');
  }
  return color + n;
}

void
overlay_collection_add_zones (OverlayCollection * self,
    const GstStructure * zones)
{
  guint width = 0, height = 0;
  Drawing drawing = { self, 1, 1, NULL, NULL, NULL, 0 };

  gst_structure_get_uint (zones, "width", &width);
  gst_structure_get_uint (zones, "height", &height);
  if (width > 0 && height > 0) {
    drawing.scale_x = (gdouble) self->marks.width / width;
    drawing.scale_y = (gdouble) self->marks.height / height;
  }
  drawing.points = g_array_new (FALSE, FALSE, sizeof (GstShapesZonePoint));
  drawing.ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  drawing.line = g_array_new (FALSE, FALSE, sizeof (GstShapePoint));
  draw_list (&drawing, zones, "lines", draw_list (&drawing, zones, "zones", 0));
  g_array_unref (drawing.points);
  g_array_unref (drawing.ends);
  g_array_unref (drawing.line);
}
