/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "scene.h"
#include "scene_math.h"

#define FRUIT_MAX_MARKS 10
#define FRUIT_BUMPS 3

/* All points within the angle @width of an arc of a great circle: @half to
 * either side of @centre, towards @along. A cap has an arc of length 0. */
typedef struct
{
  guint class_id;
  Vec centre, along, pole;
  double half, width;
  double cos_half, sin_half, cos_width, sin_width, cos_reach;
} Mark;

/* The radius in direction n is radius (1 + bump sum P2 (n . axes [i])). */
typedef struct
{
  gboolean present;
  double radius, bump, hue;
  Vec axes[FRUIT_BUMPS];
  Mark marks[FRUIT_MAX_MARKS];
  guint n_marks;
  /* the mark that LineSceneParams.blemish asks for; 0, the stem, for none */
  guint blemish;
  guint64 texture;
} Fruit;

/* How a piece goes through the cups, and lies in one of them */
typedef struct
{
  /* of its centre from the cup's, in pixels */
  double x, y;
  /* degrees between cups; from cup @hop on, unless it is 0, @frame comes first */
  double turn;
  gboolean still;
  guint hop;
  Vec frame[3];
} FruitPath;

void line_fruit_make (Fruit * fruit, const LineSceneParams * params,
    guint32 piece);

/* As it lies in @cup before it has turned by @path's turns, by the noise seed */
void line_fruit_lay (Fruit * fruit, const LineSceneParams * params,
    guint32 piece, guint cup, FruitPath * path);

/* Areas, numbers and lengths; what looks show, and the path, are left alone. */
void line_fruit_truth (const Fruit * fruit, LineTruth * truth);

double line_mark_area (const Fruit * fruit, const Mark * mark);

/* Point @i of 256 that share the mark's area evenly. */
Vec line_mark_point (const Mark * mark, guint i);

static inline double
fruit_radius (const Fruit * fruit, Vec n)
{
  double sum = 0;

  for (guint i = 0; i < FRUIT_BUMPS; i++) {
    double t = vec_dot (n, fruit->axes[i]);

    sum += 1.5 * t * t - 0.5;
  }
  return fruit->radius * (1 + fruit->bump * sum);
}

static inline gboolean
mark_has (const Mark * mark, Vec n)
{
  double c = vec_dot (n, mark->centre), a, p;

  if (c < mark->cos_reach)
    return FALSE;
  if (mark->half == 0)
    return TRUE;
  a = vec_dot (n, mark->along);
  p = vec_dot (n, mark->pole);
  /* beside the arc, or around one of its ends */
  if (c > 0 && fabs (a) * mark->cos_half <= c * mark->sin_half)
    return fabs (p) <= mark->sin_width;
  return c * mark->cos_half + fabs (a) * mark->sin_half >= mark->cos_width;
}

static inline guint
fruit_class (const Fruit * fruit, Vec n)
{
  for (guint i = 0; i < fruit->n_marks; i++)
    if (mark_has (&fruit->marks[i], n))
      return fruit->marks[i].class_id;
  return LINE_CLASS_SKIN;
}
