/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A drawing's contours as shapes. */

#include "gstfourierdrawdrawing.h"

#include "base/error.h"
#include "base/memory.h"

G_STATIC_ASSERT (sizeof (CsStrokePoint) == sizeof (GstShapePoint));

/* As CsStrokesInput says. */
static gboolean
is_closed (const GstShapePoint * points, gsize n)
{
  return n > 2 && points[0].x == points[n - 1].x
      && points[0].y == points[n - 1].y;
}

/* The layer takes the measures from the points. */
static GstShapePolyline
describe (const GstShapePoint * points, gsize n, gint32 id)
{
  return (GstShapePolyline) {
    .id = id,.parent = -1,
    .flags = is_closed (points, n) ? GST_SHAPE_FLAG_CLOSED : 0,
  };
}

GstShapeSet *
fourier_drawing_new_shapes (const FourierDrawing * drawing, GError ** error)
{
  const gsize n = drawing->n_contours;
  const GstShapePoint *points = (const GstShapePoint *) drawing->points;
  GstShapePolyline *lines = cs_try_new (GstShapePolyline, n + 1);
  GstShapeLayer *layer;
  GstShapeSet *set;
  gsize i;

  if (!lines) {
    cs_fail_no_memory (error, "a drawing's shapes");
    return NULL;
  }
  for (i = 0; i < n; i++)
    lines[i] = describe (points + drawing->offsets[i],
        drawing->offsets[i + 1] - drawing->offsets[i], (gint32) i);
  layer = gst_shape_layer_new_polylines_copy (points, drawing->offsets[n],
      drawing->offsets, lines, n, NULL);
  g_free (lines);
  if (!layer) {
    cs_fail_no_memory (error, "a drawing's shapes");
    return NULL;
  }
  set = gst_shape_set_new (drawing->contours->width, drawing->contours->height);
  gst_shape_set_add_layer (set, layer);
  return set;
}
