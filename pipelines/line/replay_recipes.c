/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay_recipes.h"

#include <string.h>

#include "recipe_check.h"

/* @known: of hashes */
struct _LineReplayRecipes
{
  char *folder, *other_path;
  LineRecipe *other;
  GHashTable *known;
};

LineReplayRecipes *
line_replay_recipes_new (const char *folder, GPtrArray * geometries,
    const char *other, GError ** error)
{
  LineReplayRecipes *recipes = g_new0 (LineReplayRecipes, 1);

  recipes->folder = g_strdup (folder);
  recipes->other_path = g_strdup (other);
  recipes->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      (GDestroyNotify) line_recipe_unref);
  if (other)
    recipes->other = line_recipe_load_checked (other, geometries, error);
  if (other && !recipes->other)
    g_clear_pointer (&recipes, line_replay_recipes_free);
  return recipes;
}

void
line_replay_recipes_free (LineReplayRecipes * recipes)
{
  g_clear_pointer (&recipes->other, line_recipe_unref);
  g_hash_table_unref (recipes->known);
  g_free (recipes->other_path);
  g_free (recipes->folder);
  g_free (recipes);
}

static LineRecipe *
load (const LineReplayRecipes * recipes, const char *hash, GError ** error)
{
  g_autofree char *path = line_recipe_name_copy (recipes->folder, hash);
  LineRecipe *recipe = line_recipe_load (path, error);

  if (!recipe) {
    g_prefix_error (error, "a recipe of the recording: ");
  } else if (strcmp (recipe->hash, hash) != 0) {
    line_fail (error, LINE_ERROR_INVALID, "%s: this is not what decided: the "
        "file was changed; to try another recipe, leave it as it was, and use "
        "--recipe", path);
    g_clear_pointer (&recipe, line_recipe_unref);
  }
  return recipe;
}

/* The other recipe must find the same shapes: they were found by the recorded
 * one's levels. */
static gboolean
check_other (const LineReplayRecipes * recipes, const LineRecipe * recorded,
    GError ** error)
{
  if (!recipes->other
      || line_recipe_is_compatible (recorded, recipes->other, error))
    return TRUE;
  g_prefix_error (error, "%s cannot be tried on this recording: ",
      recipes->other_path);
  return FALSE;
}

LineRecipe *
line_replay_recipes_get (LineReplayRecipes * recipes, const char *hash,
    GError ** error)
{
  LineRecipe *recipe = g_hash_table_lookup (recipes->known, hash);

  if (!recipe) {
    recipe = load (recipes, hash, error);
    if (recipe && !check_other (recipes, recipe, error))
      g_clear_pointer (&recipe, line_recipe_unref);
    if (!recipe)
      return NULL;
    g_hash_table_insert (recipes->known, g_strdup (hash), recipe);
  }
  return line_recipe_ref (recipes->other ? recipes->other : recipe);
}
