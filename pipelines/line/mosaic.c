/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mosaic.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "event.h"

#define SCALE 2
#define GAP 4
#define TOP 34
#define RIGHT 170
#define GROUND 24

/* Contours with a smaller area, in pixels of the view, are specks. */
#define LEAST_AREA 3

/* Columns of a view that show a cup. */
static guint
get_cup_width (const LineGeometry * geometry, guint view)
{
  return MAX ((guint) (geometry->cup_pitch[view] + 0.5), 1);
}

/* The widest cup has room. */
static guint
get_cell_width (const LineGeometry * geometry)
{
  guint width = 1;

  for (guint v = 0; v < geometry->views; v++)
    width = MAX (width, get_cup_width (geometry, v));
  return SCALE * width;
}

/* Column of the view that is at the left edge of what is so wide, with the cup
 * in its middle. */
static gdouble
get_left (const LineGeometry * geometry, guint cup, guint view, guint width)
{
  return geometry->cup_first[view] + cup * geometry->cup_pitch[view]
      - width / 2.0;
}

LineMosaicSize
line_mosaic_get_size (const LineGeometry * geometry)
{
  return (LineMosaicSize) {
    geometry->cups * (get_cell_width (geometry) + GAP) + GAP + RIGHT,
    geometry->views * (SCALE * geometry->rows + GAP) + GAP + TOP
  };
}

void
line_mosaic_get_place (const LineGeometry * geometry, guint cup, guint view,
    guint * x, guint * y)
{
  *x = GAP + cup * (get_cell_width (geometry) + GAP);
  *y = TOP + GAP + view * (SCALE * geometry->rows + GAP);
}

void
line_mosaic_clear (const LineGeometry * geometry, guint8 * rgb)
{
  const LineMosaicSize size = line_mosaic_get_size (geometry);

  memset (rgb, GROUND, (gsize) size.width * size.height * 3);
}

/* A sample between the view's pixels; beyond the border, the border's pixels
 * are repeated. */
static guint8
interpolate (const LineGeometry * geometry, const guint8 * picture, gdouble x,
    gdouble y, guint channel)
{
  const gdouble cx = CLAMP (x, 0, geometry->columns - 1);
  const gdouble cy = CLAMP (y, 0, geometry->rows - 1);
  const gsize x0 = (gsize) cx, y0 = (gsize) cy;
  const gsize x1 = MIN (x0 + 1, geometry->columns - 1);
  const gsize y1 = MIN (y0 + 1, geometry->rows - 1);
  const gdouble u = cx - x0, v = cy - y0;
  const guint8 *upper = picture + y0 * geometry->columns * 3 + channel;
  const guint8 *lower = picture + y1 * geometry->columns * 3 + channel;

  return (guint8) ((upper[x0 * 3] * (1 - u) + upper[x1 * 3] * u) * (1 - v)
      + (lower[x0 * 3] * (1 - u) + lower[x1 * 3] * u) * v + 0.5);
}

void
line_mosaic_put (const LineGeometry * geometry, guint cup, guint view,
    const guint8 * picture, guint8 * rgb)
{
  const guint width = get_cell_width (geometry);
  const gdouble left = get_left (geometry, cup, view, width / SCALE);
  guint x0, y0;

  line_mosaic_get_place (geometry, cup, view, &x0, &y0);
  for (guint y = 0; y < SCALE * geometry->rows; y++) {
    guint8 *at = rgb + ((gsize) (y0 + y) * line_mosaic_get_size
        (geometry).width + x0) * 3;

    for (guint x = 0; x < 3 * width; x++)
      at[x] = interpolate (geometry, picture,
          left + (x / 3 + 0.5) / SCALE, (y + 0.5) / SCALE - 0.5, x % 3);
  }
}

/* Shapes */

typedef struct
{
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  CsArray points, offsets, polylines;
  guint cup, view;
} Builder;

/* Whether a contour is drawn in the cell: those of the fruit and of each
 * defect; the group of all defects has the same outlines again. */
static gboolean
is_shown (const Builder * builder, const LineContour * contour)
{
  const gdouble middle = (contour->x0 + contour->x1) / 2;
  const guint width = get_cup_width (builder->geometry, builder->view);
  const gdouble left =
      get_left (builder->geometry, builder->cup, builder->view, width);

  return contour->class_id <= (gint32) builder->recipe->n_classes
      && fabs (contour->area) >= LEAST_AREA && middle >= left
      && middle < left + width;
}

static void
add_contour (Builder * builder, const LineView * view,
    const LineContour * contour)
{
  const guint32 end = (guint32) (builder->points.len + contour->n_points);
  const gdouble left = get_left (builder->geometry, builder->cup,
      builder->view, get_cell_width (builder->geometry) / SCALE);
  GstShapePolyline polyline = {.id = (gint32) builder->polylines.len,
    .parent = -1,.class_id = contour->class_id,
    .flags = GST_SHAPE_FLAG_CLOSED | (contour->is_hole ? GST_SHAPE_FLAG_HOLE :
        0),.area = SCALE * SCALE * contour->area
  };
  guint x, y;

  line_mosaic_get_place (builder->geometry, builder->cup, builder->view, &x,
      &y);
  for (gsize i = 0; i < contour->n_points; i++) {
    const LinePoint *from = &view->points[contour->first + i];
    /* to the middle of a pixel that is smaller */
    GstShapePoint point = {
      (gfloat) (x - 0.5 + SCALE * (from->x - left)),
      (gfloat) (y - 0.5 + SCALE * (from->y + 0.5))
    };

    cs_array_append_val (&builder->points, point);
  }
  cs_array_append_val (&builder->polylines, polyline);
  cs_array_append_val (&builder->offsets, end);
}

static GstShapeSet *
make_set (const Builder * builder)
{
  const LineMosaicSize size = line_mosaic_get_size (builder->geometry);
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy
      ((const GstShapePoint *) builder->points.data, builder->points.len,
      (const guint32 *) builder->offsets.data,
      (const GstShapePolyline *) builder->polylines.data,
      builder->polylines.len, NULL);
  const gchar *names[LINE_MAX_CLASSES + 1];

  if (!layer)
    return NULL;
  for (guint i = 0; i < builder->recipe->n_classes; i++)
    names[i] = builder->recipe->classes[i];
  names[builder->recipe->n_classes] = "fruit";
  gst_shape_layer_set_class_names (layer, names,
      builder->recipe->n_classes + 1);
  GstShapeSet *set = gst_shape_set_new (size.width, size.height);
  gst_shape_set_add_layer (set, layer);
  return set;
}

GstShapeSet *
line_mosaic_get_shapes (const LineDecision * decision)
{
  Builder builder = { decision->geometry, decision->recipe };
  const guint32 zero = 0;
  GstShapeSet *set = NULL;

  cs_array_init (&builder.points, sizeof (GstShapePoint));
  cs_array_init (&builder.offsets, sizeof (guint32));
  cs_array_init (&builder.polylines, sizeof (GstShapePolyline));
  cs_array_append_val (&builder.offsets, zero);
  const LineGeometry *geometry = builder.geometry;
  for (guint i = 0; i < geometry->cups * geometry->views; i++) {
    const LineSeen *seen = decision->piece->looks[i].data;

    builder.cup = i / geometry->views;
    builder.view = i % geometry->views;
    for (gsize k = 0; seen && k < seen->view.n_contours; k++)
      if (is_shown (&builder, &seen->view.contours[k]))
        add_contour (&builder, &seen->view, &seen->view.contours[k]);
  }
  if (!builder.points.failed && !builder.offsets.failed
      && !builder.polylines.failed)
    set = make_set (&builder);
  cs_array_clear (&builder.points);
  cs_array_clear (&builder.offsets);
  cs_array_clear (&builder.polylines);
  return set;
}
