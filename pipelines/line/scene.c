/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene_look.h"

/* Cameras are 30 degrees apart as seen from the fruit. */
#define TILT (G_PI / 6)
/* Directions that a mark's visible area is sampled by, each way */
#define SAMPLES 12

const gchar *const line_class_names[LINE_N_CLASSES] = {
  "belt", "skin", "stem", "calyx", "roller", "bruise", "rot", "scab",
  "russet", "hail", "scar", "insect"
};

static gboolean
bad (GError ** error, const gchar * text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

static gboolean
check (const LineSceneParams * p, GError ** error)
{
  if (p->views < 1 || p->views > LINE_SCENE_MAX_VIEWS)
    return bad (error, "a simulated lane has 1 to 16 views");
  if (p->cups < 1 || p->cups > LINE_SCENE_MAX_CUPS)
    return bad (error, "a simulated view shows 1 to 16 cups");
  if (!(p->mm_per_pixel > 0 && p->mm_per_pixel <= 1.2))
    return bad (error, "a simulated pixel is more than 0 and at most 1.2 mm");
  if (!(p->empty_share >= 0 && p->empty_share <= 1))
    return bad (error, "the share of empty cups is 0 to 1");
  if (p->columns < 160 || p->columns > 16384 || p->rows > 16384)
    return bad (error, "a simulated view has 160 to 16384 columns, which the "
        "trigger's number needs, and at most 16384 rows");
  if (p->columns / p->cups * p->mm_per_pixel < LINE_FRUIT_MAX_MM ||
      p->rows * p->mm_per_pixel < LINE_FRUIT_MAX_MM)
    return bad (error, "a simulated fruit has up to 66 mm and does not fit a "
        "cup: more columns, rows or mm per pixel, or fewer cups");
  return TRUE;
}

LineScene *
line_scene_new (const LineSceneParams * params, GError ** error)
{
  LineScene *scene;

  if (!check (params, error))
    return NULL;
  scene = g_new0 (LineScene, 1);
  scene->params = *params;
  scene->pitch = params->columns / params->cups;
  for (guint i = 0; i < params->views; i++) {
    gdouble s, c;

    line_sincos ((i - (params->views - 1) / 2.) * TILT, &s, &c);
    scene->tilts[i] = (LineTurn) {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  }
  return scene;
}

void
line_scene_free (LineScene * scene)
{
  g_free (scene);
}

/* The share of a mark that faces the camera, by samples of equal area: of its
 * cap in rings of equal height, of its band along and across. */
static gdouble
share_seen (const LineMark * mark, const LineTurn * turn)
{
  gdouble cap = 2 * G_PI * (1 - mark->cos_width);
  gdouble band = 4 * mark->length * mark->sin_width;
  guint in_cap = 0, in_band = 0;

  for (guint i = 0; i < SAMPLES; i++)
    for (guint k = 0; k < SAMPLES; k++) {
      gdouble c = 1 - (1 - mark->cos_width) * (i + .5) / SAMPLES;
      gdouble r = sqrt (1 - c * c), s, t, h;
      LineVec n;

      line_sincos (2 * G_PI * (k + .5) / SAMPLES, &s, &t);
      n = line_sum (c, mark->ends[t > 0], 1,
          line_sum (r * s, mark->across, r * t, line_cross (mark->across,
                  mark->ends[t > 0])));
      in_cap += line_dot (turn->row[2], n) > 0;
      h = mark->sin_width * (2 * (i + .5) / SAMPLES - 1);
      line_sincos (mark->length * (2 * (k + .5) / SAMPLES - 1), &s, &t);
      r = sqrt (1 - h * h);
      n = line_sum (1, line_sum (r * t, mark->middle, r * s, mark->along),
          h, mark->across);
      in_band += line_dot (turn->row[2], n) > 0;
    }
  return (cap * in_cap + band * in_band) / (cap + band) /
      (SAMPLES * SAMPLES);
}

static void
find_best_look (const LineScene * scene, gint64 piece, LineTruth * truth)
{
  for (guint cup = 0; cup < scene->params.cups; cup++)
    for (guint view = 0; view < scene->params.views; view++) {
      gdouble seen[LINE_N_CLASSES] = { 0 };
      LineLook look;

      line_look_init (&look, scene, piece + cup, view, cup);
      for (guint i = 0; i < look.fruit.n_marks; i++) {
        const LineMark *mark = &look.fruit.marks[i];

        seen[mark->of] += share_seen (mark, &look.turn) *
            line_fruit_mark_area (&look.fruit, mark);
      }
      seen[LINE_SKIN] = truth->surface_mm2 / 2;
      for (guint i = 0; i < LINE_N_CLASSES; i++)
        truth->classes[i].max_visible_mm2 =
            MAX (truth->classes[i].max_visible_mm2, seen[i]);
    }
}

void
line_scene_truth (const LineScene * scene, gint64 piece, LineTruth * truth)
{
  LineFruit fruit;
  LineClassTruth *skin = &truth->classes[LINE_SKIN];

  line_fruit_init (&fruit, &scene->params, piece);
  *truth = (LineTruth) {.present = fruit.present };
  if (!fruit.present)
    return;
  truth->diameter_mm = 2 * fruit.radius;
  truth->surface_mm2 = line_fruit_surface (&fruit);
  *skin = (LineClassTruth) {truth->surface_mm2, truth->diameter_mm, 0, 1};
  for (guint i = 0; i < fruit.n_marks; i++) {
    const LineMark *mark = &fruit.marks[i];
    LineClassTruth *to = &truth->classes[mark->of];
    gdouble area = line_fruit_mark_area (&fruit, mark), sine, cosine;

    line_sincos (mark->width + mark->length, &sine, &cosine);
    to->mm2 += area;
    to->count++;
    to->max_length_mm = MAX (to->max_length_mm, 2 * fruit.radius * sine);
    skin->mm2 -= area;
  }
  find_best_look (scene, piece, truth);
}
