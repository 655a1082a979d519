/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pattern.h"

#include <math.h>
#include <string.h>

/* Of the lesser of a cup's length and width: the fruit's radius */
#define FRUIT 0.45

/* Of the fruit's radius: where the marks' centres are, and the greatest radius of
 * a mark */
#define RING 0.6
#define MARK 0.3

typedef struct
{
  const LineGeometry *geometry;
  guint classes;
  gfloat *view;
} Canvas;

/* Columns, or rows, of @n that are within @radius of @centre. */
static void
find_span (gdouble centre, gdouble radius, guint n, guint * from, guint * to)
{
  *from = (guint) CLAMP (ceil (centre - radius), 0, n);
  *to = (guint) CLAMP (floor (centre + radius) + 1, 0, n);
}

static void
paint_disc (const Canvas * canvas, gdouble x, gdouble y, gdouble radius,
    guint class)
{
  guint left, right, top, bottom;

  find_span (x, radius, canvas->geometry->columns, &left, &right);
  find_span (y, radius, canvas->geometry->rows, &top, &bottom);
  for (guint row = top; row < bottom; row++)
    for (guint column = left; column < right; column++) {
      gfloat *pixel = canvas->view + ((gsize) row *
          canvas->geometry->columns + column) * canvas->classes;

      if (hypot (column - x, row - y) > radius)
        continue;
      memset (pixel, 0, canvas->classes * sizeof (gfloat));
      pixel[class] = 1;
    }
}

static gboolean
is_defect (const LineRecipe * recipe, guint class)
{
  guint i = 0;

  while (i < recipe->n_defects && recipe->defects[i] != class)
    i++;
  return i < recipe->n_defects;
}

/* A class of the fruit that is no defect; its first one, if all are. */
static guint
find_skin (const LineRecipe * recipe)
{
  guint i = 0;

  while (i < recipe->n_fruit && is_defect (recipe, recipe->fruit[i]))
    i++;
  return recipe->fruit[i < recipe->n_fruit ? i : 0];
}

/* Marks are on a ring, none on another. */
static void
paint_fruit (const Canvas * canvas, const LineRecipe * recipe, gdouble x,
    gdouble y, gdouble pitch)
{
  const gdouble radius = FRUIT * MIN (canvas->geometry->rows, pitch);
  const guint n = recipe->n_defects;
  const gdouble apart = n > 1 ? RING * radius * sin (G_PI / n) : radius;

  paint_disc (canvas, x, y, radius, find_skin (recipe));
  for (guint i = 0; i < n; i++)
    paint_disc (canvas, x + RING * radius * cos (2 * G_PI * i / n),
        y + RING * radius * sin (2 * G_PI * i / n),
        MIN (MARK * radius, 0.8 * apart), recipe->defects[i]);
}

void
line_pattern_paint (const LineGeometry * geometry, const LineRecipe * recipe,
    gfloat * tensors)
{
  const gsize size = (gsize) geometry->rows * geometry->columns
      * recipe->n_classes;

  memset (tensors, 0, geometry->views * size * sizeof (gfloat));
  for (guint v = 0; v < geometry->views; v++) {
    const Canvas canvas = { geometry, recipe->n_classes, tensors + v * size };
    const gdouble pitch = geometry->cup_pitch[v];

    for (guint cup = 0; cup < geometry->cups; cup++)
      paint_fruit (&canvas, recipe, geometry->cup_first[v] + cup * pitch,
          (geometry->rows - 1) / 2.0, pitch);
  }
}
