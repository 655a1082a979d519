/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SCENE_FRUIT_H
#define LINE_SCENE_FRUIT_H

#include "scene.h"
#include "scene_math.h"

#define LINE_FRUIT_MAX_MARKS 8
#define LINE_FRUIT_MAX_MM 66.

/*
 * A mark on the surface: the directions within the angle `width` of an arc of a
 * great circle, which reaches `length` to both sides of `middle` along `along`.
 * Without length it is a cap.
 */
typedef struct
{
  LineClass of;
  LineVec middle, along, across, ends[2];
  gdouble width, length;
  gdouble sin_width, cos_width, sin_length, cos_length, cos_reach;
} LineMark;

/* Its radius into direction n is
 * radius (1 + second P2 (n axis2) + third P3 (n axis3)). */
typedef struct
{
  gboolean present;
  gdouble radius, second, third;
  LineVec axis2, axis3;
  gdouble hue;                  /* 0 to 1, yellow to red */
  guint64 texture;
  guint n_marks;
  LineMark marks[LINE_FRUIT_MAX_MARKS];
} LineFruit;

G_GNUC_INTERNAL void line_fruit_init (LineFruit * fruit,
    const LineSceneParams * params, gint64 piece);
/* Area of a mark in mm2 */
G_GNUC_INTERNAL gdouble line_fruit_mark_area (const LineFruit * fruit,
    const LineMark * mark);
G_GNUC_INTERNAL gdouble line_fruit_surface (const LineFruit * fruit);

/* mm from direction @n to the centre of mass */
static inline gdouble
line_fruit_radius (const LineFruit * fruit, LineVec n)
{
  gdouble a = line_dot (n, fruit->axis2), b = line_dot (n, fruit->axis3);

  return fruit->radius * (1 + fruit->second * (1.5 * a * a - .5) +
      fruit->third * b * (2.5 * b * b - 1.5));
}

/* About how many mm direction @n lies inside the mark; < 0: outside. */
static inline gdouble
line_mark_depth (const LineMark * mark, LineVec n, gdouble radius)
{
  gdouble c = line_dot (n, mark->middle), x, end;

  if (c < mark->cos_reach)
    return -radius;
  if (mark->length == 0)
    return (c - mark->cos_width) * radius / mark->sin_width;
  x = line_dot (n, mark->along);
  if (c > 0 && fabs (x) * mark->cos_length <= c * mark->sin_length)
    return (mark->sin_width - fabs (line_dot (n, mark->across))) * radius;
  end = line_dot (n, mark->ends[x > 0]);
  return (end - mark->cos_width) * radius / mark->sin_width;
}

#endif /* LINE_SCENE_FRUIT_H */
