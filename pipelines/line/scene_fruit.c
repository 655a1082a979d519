/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene_fruit.h"

/* Half widths and half lengths in mm, and how often */
static const struct
{
  gdouble width[2], length[2];
  guint share;
} kinds[LINE_N_CLASSES] = {
  [LINE_STEM] = {{2.2, 2.8}, {0, 0}, 0},
  [LINE_CALYX] = {{3, 4}, {0, 0}, 0},
  [LINE_BRUISE] = {{3, 8}, {0, 0}, 6},
  [LINE_ROT] = {{2.9, 8}, {0, 0}, 5},
  [LINE_SCAB] = {{1.8, 4}, {0, 0}, 4},
  [LINE_RUSSET] = {{4, 9}, {0, 0}, 4},
  [LINE_HAIL] = {{1.2, 1.8}, {3, 6}, 3},
  [LINE_SCAR] = {{1.1, 1.5}, {4, 8}, 3},
  [LINE_INSECT] = {{1.3, 2.2}, {0, 0}, 3},
};

#define SHARES 28
/* Marks keep this distance in mm, so that none hides a part of another. */
#define GAP_MM 2.

static void
mark_init (LineMark * mark, LineClass of, gdouble radius, LineVec middle,
    guint64 * random)
{
  gdouble sine;

  mark->of = of;
  mark->middle = middle;
  mark->along = line_across (middle, random);
  mark->across = line_cross (middle, mark->along);
  mark->width = line_uniform (random, kinds[of].width[0],
      kinds[of].width[1]) / radius;
  mark->length = line_uniform (random, kinds[of].length[0],
      kinds[of].length[1]) / radius;
  line_sincos (mark->width, &mark->sin_width, &mark->cos_width);
  line_sincos (mark->length, &mark->sin_length, &mark->cos_length);
  for (gint i = 0; i < 2; i++)
    mark->ends[i] = line_sum (mark->cos_length, middle,
        (2 * i - 1) * mark->sin_length, mark->along);
  /* a mm more, for soft edges */
  line_sincos (mark->width + mark->length + 1 / radius, &sine,
      &mark->cos_reach);
}

static gboolean
is_apart (const LineFruit * fruit, const LineMark * mark)
{
  for (guint i = 0; i < fruit->n_marks; i++) {
    const LineMark *other = &fruit->marks[i];
    gdouble sine, cosine;

    line_sincos (mark->width + mark->length + other->width + other->length +
        GAP_MM / fruit->radius, &sine, &cosine);
    if (line_dot (mark->middle, other->middle) > cosine)
      return FALSE;
  }
  return TRUE;
}

static LineClass
choose_defect (guint64 * random)
{
  guint at = line_random (random) % SHARES, of = LINE_BRUISE;

  while (at >= kinds[of].share)
    at -= kinds[of++].share;
  return of;
}

static void
add_defects (LineFruit * fruit, guint64 * random)
{
  guint n = line_random (random) % 16;

  /* half have none, a quarter one, then two and three */
  n = n < 8 ? 0 : n < 12 ? 1 : n < 15 ? 2 : 3;
  while (n--) {
    LineClass of = choose_defect (random);

    /* one that finds no place is left out of the truth, too */
    for (guint i = 0; i < 50; i++) {
      LineMark *mark = &fruit->marks[fruit->n_marks];

      mark_init (mark, of, fruit->radius, line_direction (random), random);
      if (is_apart (fruit, mark)) {
        fruit->n_marks++;
        break;
      }
    }
  }
}

void
line_fruit_init (LineFruit * fruit, const LineSceneParams * params,
    gint64 piece)
{
  guint64 random = line_mix (params->seed) ^
      line_mix (params->lane + G_GUINT64_CONSTANT (0x100000000));
  LineVec up;

  random = line_mix (random ^ line_mix ((guint64) piece));
  *fruit = (LineFruit) {0};
  fruit->present = piece >= 0 &&
      line_uniform (&random, 0, 1) >= params->empty_share;
  if (!fruit->present)
    return;
  fruit->radius = line_uniform (&random, 20, 30);
  fruit->second = line_uniform (&random, -.012, .012);
  fruit->third = line_uniform (&random, -.006, .006);
  fruit->axis2 = line_direction (&random);
  fruit->axis3 = line_direction (&random);
  fruit->hue = line_uniform (&random, 0, 1);
  fruit->texture = line_random (&random);
  up = line_direction (&random);
  mark_init (&fruit->marks[fruit->n_marks++], LINE_STEM, fruit->radius, up,
      &random);
  mark_init (&fruit->marks[fruit->n_marks++], LINE_CALYX, fruit->radius,
      line_sum (-1, up, 0, up), &random);
  add_defects (fruit, &random);
}

/* Mean over a cap of P2 and P3 is their value at its middle times a factor
 * (Funk and Hecke); for a band its middle and ends are weighed as Simpson
 * does. */
static gdouble
mean_height (const LineFruit * fruit, LineVec n, gdouble c)
{
  gdouble a = line_dot (n, fruit->axis2), b = line_dot (n, fruit->axis3);

  return fruit->second * (1.5 * a * a - .5) * c * (1 + c) / 2 +
      fruit->third * b * (2.5 * b * b - 1.5) * (1 + c) * (5 * c * c - 1) / 8;
}

gdouble
line_fruit_mark_area (const LineFruit * fruit, const LineMark * mark)
{
  gdouble cap = 2 * G_PI * (1 - mark->cos_width), c = mark->cos_width;
  gdouble band = 4 * mark->length * mark->sin_width;
  gdouble middle = mean_height (fruit, mark->middle, c);
  gdouble ends = (mean_height (fruit, mark->ends[0], c) +
      mean_height (fruit, mark->ends[1], c)) / 2;

  return fruit->radius * fruit->radius * (cap * (1 + 2 * ends) +
      band * (1 + 2 * (2 * middle + ends) / 3));
}

gdouble
line_fruit_surface (const LineFruit * fruit)
{
  /* the squares of harmonics and of their slopes over the sphere */
  return 4 * G_PI * fruit->radius * fruit->radius * (1 +
      fruit->second * fruit->second * 4 / 5 +
      fruit->third * fruit->third * 7 / 7);
}
