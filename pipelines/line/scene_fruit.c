/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A piece of fruit: its form, its marks, and what is true of them. */

#include "scene_fruit.h"

#define N_POINTS 256
#define BUMP 0.008              /* the greatest, where none is asked for */

static guint64
piece_state (const LineSceneParams * params, guint64 seed, guint32 piece)
{
  return mix_bits (mix_bits (mix_bits (seed) ^ params->lane) ^ piece);
}

/* Angles: an arc of 2 @half and the width @width to either side */
static void
set_mark (Mark * mark, guint class_id, Vec centre, Vec other, double half,
    double width)
{
  double ignored;

  *mark = (Mark) {.class_id = class_id,.centre = centre,.half = half,
    .width = width};
  mark->pole = vec_unit (vec_cross (centre, other));
  mark->along = vec_cross (mark->pole, centre);
  sin_cos (half, &mark->sin_half, &mark->cos_half);
  sin_cos (width, &mark->sin_width, &mark->cos_width);
  sin_cos (half + width, &ignored, &mark->cos_reach);
}

/* Adds it unless it would touch another one: areas are then sums. */
static gboolean
add_mark (Fruit * fruit, const Mark * mark)
{
  double ignored, limit;

  if (fruit->n_marks == FRUIT_MAX_MARKS)
    return FALSE;
  for (guint i = 0; i < fruit->n_marks; i++) {
    const Mark *other = &fruit->marks[i];
    double reach = mark->half + mark->width + other->half + other->width;

    sin_cos (MIN (reach + 0.06, LINE_PI), &ignored, &limit);
    if (vec_dot (mark->centre, other->centre) > limit)
      return FALSE;
  }
  fruit->marks[fruit->n_marks++] = *mark;
  return TRUE;
}

static void
add_blemish (Fruit * fruit, guint class_id, guint64 * state)
{
  gboolean elongated = class_id == LINE_CLASS_HAIL
      || class_id == LINE_CLASS_SCAR;
  double greatest = class_id == LINE_CLASS_RUSSET ? 10 : 6;
  double half = elongated ? draw (state, 2.5, 9) / fruit->radius : 0;
  double width = elongated ? draw (state, 0.9, 1.8) / fruit->radius
      : draw (state, 1.5, greatest) / fruit->radius;
  Mark mark;

  for (guint tries = 0; tries < 20; tries++) {
    Vec centre = draw_direction (state), other = draw_direction (state);

    set_mark (&mark, class_id, centre, other, half, width);
    if (add_mark (fruit, &mark))
      return;
  }
}

void
line_fruit_make (Fruit * fruit, const LineSceneParams * params, guint32 piece)
{
  guint64 state = piece_state (params, params->seed, piece);
  Vec x = {1, 0, 0}, top = {0, 0, 1}, bottom = {0, 0, -1};
  guint n;
  Mark mark;

  *fruit = (Fruit) {.present = draw (&state, 0, 1) >= params->empty};
  if (!fruit->present)
    return;
  fruit->radius = draw (&state, 19, 27);
  fruit->bump = draw (&state, 0.002, BUMP);
  if (params->irregular > 0)
    fruit->bump *= params->irregular / BUMP;
  fruit->hue = draw (&state, 0, 1);
  for (guint i = 0; i < FRUIT_BUMPS; i++)
    fruit->axes[i] = draw_direction (&state);
  set_mark (&mark, LINE_CLASS_STEM, top, x, 0,
      draw (&state, 2, 3) / fruit->radius);
  add_mark (fruit, &mark);
  set_mark (&mark, LINE_CLASS_CALYX, bottom, x, 0,
      draw (&state, 2, 3.5) / fruit->radius);
  add_mark (fruit, &mark);
  if (params->blemish) {
    n = fruit->n_marks;
    add_blemish (fruit, params->blemish, &state);
    fruit->blemish = fruit->n_marks > n ? n : 0;
  }
  /* two of five have none */
  n = draw (&state, 0, 1) < 0.4 ? 0 : 1 + (guint) draw (&state, 0, 3.999999);
  for (guint i = 0; i < n; i++)
    add_blemish (fruit, LINE_CLASS_BRUISE + (guint) draw (&state, 0, 6.999999),
        &state);
  fruit->texture = mix_bits (state);
}

static Vec
turned (Vec a, const Vec frame[3])
{
  return (Vec) {vec_dot (frame[0], a), vec_dot (frame[1], a),
    vec_dot (frame[2], a)};
}

static void
draw_frame (guint64 * state, Vec frame[3])
{
  frame[0] = draw_direction (state);
  frame[1] = vec_unit (vec_cross (frame[0], draw_direction (state)));
  frame[2] = vec_cross (frame[0], frame[1]);
}

/* Of mean 0 and variance 1, nearly normal */
static double
draw_deviate (guint64 * state)
{
  double sum = -6;

  for (guint i = 0; i < 12; i++)
    sum += draw (state, 0, 1);
  return sum;
}

/* All but its place */
static void
set_path (FruitPath * path, const Fruit * fruit,
    const LineSceneParams * params, guint32 piece)
{
  guint64 state = piece_state (params, ~params->noise_seed, ~piece);
  double chance = draw (&state, 0, 1);

  *path = (FruitPath) {.still = chance < params->still };
  path->turn = params->travel == 0 ? params->turn :
      180 * params->travel / (LINE_PI * fruit->radius);
  path->turn += params->slip * draw_deviate (&state);
  if (path->still)
    path->turn = 0;
  else if (chance < params->still + params->hop && params->cups > 1)
    path->hop = 1 + (guint) draw (&state, 0, params->cups - 1.000001);
  draw_frame (&state, path->frame);
}

static gboolean
has_hopped (const FruitPath * path, guint cup)
{
  return path->hop > 0 && cup >= path->hop;
}

/* Whether a look sees most of what is in the direction @n in the first cup */
static gboolean
is_seen (const LineSceneParams * params, const FruitPath * path, Vec n)
{
  for (guint c = 0; c < params->cups; c++)
    for (guint v = 0; v < params->views; v++) {
      Vec now = has_hopped (path, c) ? turned (n, path->frame) : n;
      double st, ct, sc, cc;

      sin_cos_degrees (params->tilt[v], &st, &ct);
      sin_cos_degrees (c * path->turn, &sc, &cc);
      if (vec_dot (now, (Vec) {-ct * sc, st, ct * cc}) > 0.3)
        return TRUE;
    }
  return FALSE;
}

static void
turn_fruit (Fruit * fruit, const Vec frame[3])
{
  for (guint i = 0; i < FRUIT_BUMPS; i++)
    fruit->axes[i] = turned (fruit->axes[i], frame);
  for (guint i = 0; i < fruit->n_marks; i++) {
    Mark *mark = &fruit->marks[i];

    mark->centre = turned (mark->centre, frame);
    mark->along = turned (mark->along, frame);
    mark->pole = turned (mark->pole, frame);
  }
}

void
line_fruit_lay (Fruit * fruit, const LineSceneParams * params, guint32 piece,
    guint cup, FruitPath * path)
{
  guint64 state = piece_state (params, ~params->noise_seed, piece);
  Vec frame[3];

  set_path (path, fruit, params, piece);
  /* a camera sees more than a third of all directions */
  for (guint tries = 0; tries < 100; tries++) {
    draw_frame (&state, frame);
    if (!fruit->blemish || is_seen (params, path,
            turned (fruit->marks[fruit->blemish].centre, frame)))
      break;
  }
  path->x = draw (&state, -2, 2);
  path->y = draw (&state, -2, 2);
  turn_fruit (fruit, frame);
  if (has_hopped (path, cup))
    turn_fruit (fruit, path->frame);
}

/* The sum of the P2 in one direction */
static double
bumps_at (const Fruit * fruit, Vec n)
{
  return (fruit_radius (fruit, n) / fruit->radius - 1) / fruit->bump;
}

/* The integral of r^2 = R^2 (1 + 2 bump h). For a cap of angle a that of each
 * P2 (n . k) is P2 (centre . k) pi cos a sin^2 a (Funk and Hecke). A strip is
 * narrow: h is taken on its arc, by Simpson's rule over its length. */
double
line_mark_area (const Fruit * fruit, const Mark * mark)
{
  double r = fruit->radius, h, sphere;
  double cap = 2 * LINE_PI * (1 - mark->cos_width);

  h = bumps_at (fruit, mark->centre);
  if (mark->half == 0)
    return r * r * (cap + 2 * fruit->bump * h * LINE_PI * mark->cos_width *
        mark->sin_width * mark->sin_width);
  sphere = cap + 4 * mark->half * mark->sin_width;
  h = (4 * h + bumps_at (fruit, vec_mix (mark->cos_half, mark->centre,
              mark->sin_half, mark->along))
      + bumps_at (fruit, vec_mix (mark->cos_half, mark->centre,
              -mark->sin_half, mark->along))) / 6;
  return r * r * sphere * (1 + 2 * fruit->bump * h);
}

void
line_fruit_truth (const Fruit * fruit, LineTruth * truth)
{
  double r = fruit->radius, rest;

  truth->present = fruit->present;
  if (!fruit->present)
    return;
  truth->diameter_mm = 2 * r;
  rest = truth->surface_mm2 = 4 * LINE_PI * r * r;
  for (guint i = 0; i < fruit->n_marks; i++) {
    const Mark *mark = &fruit->marks[i];
    double area = line_mark_area (fruit, mark), s, c;

    sin_cos (mark->half + mark->width, &s, &c);
    truth->area_mm2[mark->class_id] += area;
    truth->count[mark->class_id]++;
    truth->max_length_mm[mark->class_id] =
        MAX (truth->max_length_mm[mark->class_id],
        2 * s * fruit_radius (fruit, mark->centre));
    rest -= area;
  }
  truth->area_mm2[LINE_CLASS_SKIN] = rest;
  truth->count[LINE_CLASS_SKIN] = 1;
  truth->max_length_mm[LINE_CLASS_SKIN] = 2 * r;
}

Vec
line_mark_point (const Mark * mark, guint i)
{
  double share = (i + 0.5) / N_POINTS, s, c, z, rim;

  if (mark->half > 0) {
    /* rows of 8 across the strip, its rounded ends taken as part of it */
    double length = mark->half + mark->width * 0.78;
    double across = ((i % 8 + 0.5) / 4 - 1) * mark->sin_width;

    sin_cos (((i / 8 + 0.5) / (N_POINTS / 16) - 1) * length, &s, &c);
    rim = sqrt (1 - across * across);
    return vec_mix (1, vec_mix (rim * c, mark->centre, rim * s, mark->along),
        across, mark->pole);
  }
  z = 1 - share * (1 - mark->cos_width);
  rim = sqrt (1 - z * z);
  /* the golden angle */
  share = i * 0.3819660112501051;
  sin_cos (2 * LINE_PI * (share - (guint) share), &s, &c);
  return vec_mix (1, vec_mix (z, mark->centre, rim * c, mark->along),
      rim * s, mark->pole);
}
