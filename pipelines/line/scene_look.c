/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene_look.h"

/* Turns after @before by an angle given as sine and cosine, in the plane of
 * axes @a and @b. */
static LineTurn
turn_after (const LineTurn * before, guint a, guint b, gdouble angle)
{
  LineTurn turn = *before;
  gdouble s, c;

  line_sincos (angle, &s, &c);
  turn.row[a] = line_sum (c, before->row[a], -s, before->row[b]);
  turn.row[b] = line_sum (s, before->row[a], c, before->row[b]);
  return turn;
}

void
line_look_init (LineLook * look, const LineScene * scene, gint64 trigger,
    guint view, guint cup)
{
  const LineSceneParams *params = &scene->params;
  gint64 piece = trigger - (gint64) cup;
  guint64 random;
  gdouble reach, first;
  LineTurn turn;

  line_fruit_init (&look->fruit, params, piece);
  if (!look->fruit.present)
    return;
  random = line_mix (line_mix (params->noise_seed) ^
      line_mix ((guint64) piece ^ (guint64) params->lane << 48) ^ 0x7e1);
  turn.row[0] = line_direction (&random);
  turn.row[1] = line_across (turn.row[0], &random);
  turn.row[2] = line_cross (turn.row[0], turn.row[1]);
  first = line_uniform (&random, 0, 2 * G_PI);
  /* all views of a trigger see the same jitter */
  random = line_mix (random ^ line_mix (cup));
  turn = turn_after (&turn, 2, 0, first + 2 * G_PI * cup / params->cups +
      line_uniform (&random, -.08, .08));
  for (guint i = 0; i < 3; i++)
    look->turn.row[i] = line_apply_back (&turn, scene->tilts[view].row[i]);
  look->x = scene->pitch / 2 + scene->pitch * cup + .5 +
      line_uniform (&random, -2, 2);
  look->y = params->rows / 2. + line_uniform (&random, -1.5, 1.5);
  /* .03: harmonics; 1.5: pixels beside it */
  reach = look->fruit.radius * 1.03 / params->mm_per_pixel + 1.5;
  look->first_column = MAX (look->x - reach, 0);
  look->end_column = MIN (look->x + reach + 1, params->columns);
  look->first_row = MAX (look->y - reach, 0);
  look->end_row = MIN (look->y + reach + 1, params->rows);
}

gboolean
line_look_hit (const LineLook * look, gdouble mm_per_pixel, guint column,
    guint row, LineHit * hit)
{
  gdouble x = (column + .5 - look->x) * mm_per_pixel;
  gdouble y = (row + .5 - look->y) * mm_per_pixel;
  gdouble flat = x * x + y * y, radius = look->fruit.radius, outer, length;
  gdouble z = sqrt (MAX (radius * radius - flat, 0));

  outer = radius * 1.03 + mm_per_pixel;
  if (flat > outer * outer)
    return FALSE;
  /* the surface is where its radius is that of the point: two steps from the
   * sphere leave 1e-4 mm */
  for (guint i = 0; i < 3; i++) {
    length = sqrt (flat + z * z);
    hit->normal = length > 0 ?
        (LineVec) {x / length, y / length, z / length} : (LineVec) {0, 0, 1};
    hit->on_fruit = line_apply_back (&look->turn, hit->normal);
    radius = line_fruit_radius (&look->fruit, hit->on_fruit);
    z = sqrt (MAX (radius * radius - flat, 0));
  }
  hit->edge_mm = radius - sqrt (flat);
  return hit->edge_mm > -mm_per_pixel;
}

LineClass
line_scene_background (const LineScene * scene, guint column)
{
  guint at = column % scene->pitch;

  /* a roller lies between two cups */
  return at < scene->pitch / 8 || at >= scene->pitch - scene->pitch / 8 ?
      LINE_ROLLER : LINE_BELT;
}

gboolean
line_scene_check_view (const LineScene * scene, gint64 trigger, guint view,
    GError ** error)
{
  if (view < scene->params.views && trigger >= 0)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "the line has views 0 to %u and triggers from 0 on: not view %u of "
      "trigger %" G_GINT64_FORMAT, scene->params.views - 1, view, trigger);
  return FALSE;
}
