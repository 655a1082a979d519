/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "turns.h"

#include <math.h>

#include "aggregate.h"
#include "texture.h"

/* A view's newest pieces, by cup, of the trigger before @next, and their light */
typedef struct
{
  guint64 next;
  LineTextureGrid *grid;
  LineTextureLight *lights;
  LineTexture *textures;
} Skins;

struct _LineTurns
{
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  Skins skins[LINE_MAX_VIEWS];
};

LineTurns *
line_turns_new (const LineGeometry * geometry, const LineRecipe * recipe)
{
  LineTurns *turns = g_new0 (LineTurns, 1);

  turns->geometry = geometry;
  turns->recipe = recipe;
  for (guint v = 0; v < geometry->views; v++) {
    turns->skins[v].grid = line_texture_grid_new (geometry->tilt[v]);
    turns->skins[v].lights = g_new0 (LineTextureLight, geometry->cups);
    turns->skins[v].textures = g_new0 (LineTexture, geometry->cups);
  }
  return turns;
}

void
line_turns_free (LineTurns * turns)
{
  for (guint v = 0; v < turns->geometry->views; v++) {
    line_texture_grid_free (turns->skins[v].grid);
    g_free (turns->skins[v].lights);
    g_free (turns->skins[v].textures);
  }
  g_free (turns);
}

/* Returns: the degrees that the piece should have turned; NaN without one */
static gdouble
read_cup (const LineTurns * turns, const Skins * skins,
    const LineTexturePicture * picture, const LineView * view, guint cup)
{
  const LineGeometry *geometry = turns->geometry;
  const guint index = skins - turns->skins;
  const LineContour *fruit = line_aggregate_find_fruit (geometry,
      turns->recipe, view, index, cup);
  LineTexture *texture = &skins->textures[cup];

  texture->is_known = FALSE;
  if (!fruit)
    return NAN;
  /* by its area: an edge that is rough makes diameters of hulls greater, and
   * turns less */
  gdouble radius = sqrt (fabs (fruit->area) / G_PI);
  line_texture_read (skins->grid, &skins->lights[cup], picture,
      fruit->circle_x, fruit->circle_y, radius, texture);
  return line_geometry_get_turn (geometry,
      2 * geometry->mm_per_pixel[index] * radius);
}

/* Begins with the last cup, so that the cup before it still has the texture of
 * the trigger before. */
static void
find_view (const LineTurns * turns, const Skins * skins, gboolean is_next,
    const LineTexturePicture * picture, LineView * view)
{
  view->n_turns = turns->geometry->cups;
  g_free (view->turns);
  view->turns = g_new (gfloat, view->n_turns);
  for (guint c = turns->geometry->cups; c-- > 0;) {
    const gdouble nominal = read_cup (turns, skins, picture, view, c);

    view->turns[c] = is_next && c > 0 ?
        line_texture_find_turn (skins->grid, &skins->textures[c - 1],
        &skins->textures[c], nominal) : NAN;
  }
}

void
line_turns_find (LineTurns * turns, guint64 trigger, const guint8 * pictures,
    guint32 lost, LineView * views)
{
  const LineGeometry *geometry = turns->geometry;
  const gsize size = (gsize) geometry->rows * geometry->columns * 3;

  for (guint v = 0; v < geometry->views; v++) {
    const LineTexturePicture picture = {
      pictures + v * size, geometry->rows, geometry->columns
    };
    Skins *skins = &turns->skins[v];

    if (lost & (1u << v))
      continue;
    find_view (turns, skins, trigger == skins->next, &picture, &views[v]);
    skins->next = trigger + 1;
  }
}
