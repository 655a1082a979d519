/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/**
 * LineReplayRecipes:
 *
 * The recipes of a recording, files of its folder; or another one in place of
 * all of them.
 */
typedef struct _LineReplayRecipes LineReplayRecipes;

/* @geometries: of the lanes. @other: path of the recipe that decides in place of
 * the recorded ones; NULL for those. Returns: NULL with @error set */
LineReplayRecipes *line_replay_recipes_new (const char *folder,
    GPtrArray * geometries, const char *other, GError ** error);
void line_replay_recipes_free (LineReplayRecipes * recipes);

/* @hash: of a recorded recipe. Returns: (transfer full): what decides where it
 * did; NULL with @error set if it is missing or not what it was, or if the
 * other one needs other shapes */
LineRecipe *line_replay_recipes_get (LineReplayRecipes * recipes,
    const char *hash, GError ** error);
