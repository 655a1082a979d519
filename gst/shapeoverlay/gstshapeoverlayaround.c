/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlayaround.h"

#include <math.h>

/* How far a chord may lie from the ellipse, and most of them. */
#define MAX_ERROR .05
#define MAX_CHORDS 1024

/* Four corners and the first again: (x, y) and half the sides, along u and
 * across. */
static void
add_box (GstShapeMarks * marks, gdouble x, gdouble y, gdouble ux, gdouble uy,
    gdouble along, gdouble across, const GstShapePaint * paint)
{
  static const gint sides[5][2] = {
    {-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}
  };
  GstShapePoint points[5];
  guint i;

  for (i = 0; i < 5; i++) {
    const gdouble a = sides[i][0] * along, b = sides[i][1] * across;

    points[i].x = (gfloat) (x + a * ux - b * uy);
    points[i].y = (gfloat) (y + a * uy + b * ux);
  }
  gst_shape_marks_add_polyline (marks, points, 5, paint);
}

void
overlay_add_rectangle (GstShapeMarks * marks,
    const GstShapeHullMeasures * measures, const GstShapePaint * paint)
{
  add_box (marks, measures->rect_x, measures->rect_y, measures->rect_ux,
      measures->rect_uy, measures->rect_width / 2, measures->rect_height / 2,
      paint);
}

/* A chord of a circle over an angle of 2 a lies 1 - cos (a) of the radius from
 * it, which is nearly a^2 / 2; of an ellipse, not farther than of its greater
 * circle. */
static guint
count_chords (gdouble radius)
{
  const gdouble n = G_PI * sqrt (radius / (2 * MAX_ERROR));

  return n > 16 ? (guint) MIN (ceil (n), MAX_CHORDS) : 16;
}

void
overlay_add_ellipse (GstShapeMarks * marks,
    const GstShapeEllipse * ellipse, const GstShapePaint * paint)
{
  const guint n = count_chords (ellipse->major);
  GstShapePoint points[MAX_CHORDS + 1];
  guint i;

  for (i = 0; i < n; i++) {
    const gdouble angle = 2 * G_PI * i / n;
    const gdouble a = ellipse->major * cos (angle);
    const gdouble b = ellipse->minor * sin (angle);

    points[i].x = (gfloat) (ellipse->x + a * ellipse->ux - b * ellipse->uy);
    points[i].y = (gfloat) (ellipse->y + a * ellipse->uy + b * ellipse->ux);
  }
  points[n] = points[0];
  gst_shape_marks_add_polyline (marks, points, n + 1, paint);
}

/* Marks are added in the space of the shapes. */
static void
unmap (const GstShapeMarks * marks, gdouble * x, gdouble * y)
{
  gdouble x0 = 0, y0 = 0, x1 = 1, y1 = 1;

  gst_shape_marks_map (marks, &x0, &y0);
  gst_shape_marks_map (marks, &x1, &y1);
  *x = (*x - x0) / (x1 - x0);
  *y = (*y - y0) / (y1 - y0);
}

void
overlay_add_region (GstShapeMarks * marks, guint x, guint y,
    guint width, guint height, const GstShapePaint * paint)
{
  gdouble x0 = x - .5, y0 = y - .5;
  gdouble x1 = x0 + width, y1 = y0 + height;

  unmap (marks, &x0, &y0);
  unmap (marks, &x1, &y1);
  add_box (marks, (x0 + x1) / 2, (y0 + y1) / 2, 1., 0., (x1 - x0) / 2,
      (y1 - y0) / 2, paint);
}
