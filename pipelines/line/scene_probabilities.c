/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene_look.h"

#include <string.h>

/* What a network cannot say more exactly */
#define SOFT_MM 1.6
/* Each channel is raised by up to this. */
#define NOISE .03

static void
add_fruit (const LineScene * scene, const LineLook * look, gfloat * tensor)
{
  gdouble mm = scene->params.mm_per_pixel;

  for (guint y = look->first_row; y < look->end_row; y++)
    for (guint x = look->first_column; x < look->end_column; x++) {
      gfloat *to = tensor + ((gsize) y * scene->params.columns + x) *
          LINE_N_CLASSES;
      LineHit hit;
      gdouble cover, skin = 1;

      if (!line_look_hit (look, mm, x, y, &hit))
        continue;
      cover = CLAMP (.5 + hit.edge_mm / (2 * mm), 0, 1);
      for (guint i = 0; i < LINE_N_CLASSES; i++)
        to[i] *= 1 - cover;
      for (guint i = 0; i < look->fruit.n_marks; i++) {
        const LineMark *mark = &look->fruit.marks[i];
        gdouble share = CLAMP (.5 + line_mark_depth (mark, hit.on_fruit,
                look->fruit.radius) / SOFT_MM, 0, 1);

        to[mark->of] += cover * share;
        skin -= share;
      }
      to[LINE_SKIN] += cover * MAX (skin, 0);
    }
}

static void
add_noise (gfloat * tensor, gsize pixels, guint64 random)
{
  gfloat noise[256];

  /* squares: most of it is small */
  for (guint i = 0; i < 256; i++)
    noise[i] = NOISE * i * i / (255.f * 255.f);
  for (gsize i = 0; i < pixels; i++, tensor += LINE_N_CLASSES) {
    guint64 r = line_random (&random), s = line_random (&random);
    gfloat sum = 0;

    for (guint k = 0; k < LINE_N_CLASSES; k++) {
      tensor[k] += noise[(k < 6 ? r >> 8 * k : s >> 8 * (k - 6)) & 255];
      sum += tensor[k];
    }
    sum = 1 / sum;
    for (guint k = 0; k < LINE_N_CLASSES; k++)
      tensor[k] *= sum;
  }
}

gboolean
line_scene_probabilities (const LineScene * scene, gint64 trigger, guint view,
    gfloat * tensor, GError ** error)
{
  const LineSceneParams *params = &scene->params;
  gsize pixels = (gsize) params->columns * params->rows;
  gsize row = params->columns * LINE_N_CLASSES * sizeof (gfloat);

  if (!line_scene_check_view (scene, trigger, view, error))
    return FALSE;
  memset (tensor, 0, row);
  for (guint x = 0; x < params->columns; x++)
    tensor[x * LINE_N_CLASSES + line_scene_background (scene, x)] = 1;
  for (guint y = 1; y < params->rows; y++)
    memcpy ((gchar *) tensor + y * row, tensor, row);
  for (guint cup = 0; cup < params->cups; cup++) {
    LineLook look;

    line_look_init (&look, scene, trigger, view, cup);
    if (look.fruit.present)
      add_fruit (scene, &look, tensor);
  }
  add_noise (tensor, pixels, line_mix (line_mix (params->noise_seed) ^
          line_mix ((guint64) trigger) ^ line_mix (~(guint64) view ^
              (guint64) params->lane << 32)));
  return TRUE;
}
