/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* In pixels; centres of pixels are at whole numbers. */
typedef struct
{
  gfloat x, y;
} LinePoint;

/**
 * LineContour:
 * @class_id: a channel, or the number of channels for the group of fruit, one
 *     more for that of defects
 * @id: unique in the view
 * @parent: the id of the contour around it; -1 for none
 * @is_hole: around low values
 * @area: signed, in pixels squared
 * @x0: bounding box, left
 * @y0: top
 * @x1: right
 * @y1: bottom
 * @first: index of its first point
 * @n_points: their number; the last one repeats the first
 * @feret_min: smallest Feret diameter of its hull, in pixels
 * @feret_max: largest
 * @circle_x: centre of the smallest enclosing circle
 * @circle_y: centre
 *
 * A closed contour and what its hull says.
 */
typedef struct
{
  gint32 class_id, id, parent;
  gboolean is_hole;
  gdouble area, x0, y0, x1, y1;
  gsize first, n_points;
  gdouble feret_min, feret_max, circle_x, circle_y;
} LineContour;

/**
 * LineView:
 * @contours: of the picture
 * @n_contours: their number
 * @points: of the contours
 * @turns: by cup, the degrees that the piece there has turned since it was one
 *     cup before, as its skin shows to this view; NaN where that is not known
 * @n_turns: cups, or 0
 * @tones: colours of skin by cup, see tones.h
 * @n_tones: their number, or 0
 *
 * What one camera saw at one trigger.
 */
typedef struct
{
  LineContour *contours;
  gsize n_contours;
  LinePoint *points;
  gfloat *turns;
  gsize n_turns;
  gfloat *tones;
  gsize n_tones;
} LineView;

void line_view_clear (LineView * view);
