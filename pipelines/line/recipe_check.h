/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/* Mm from which on no piece is as wide: the cups are not as far apart, or the
 * picture is not as large. */
gdouble line_geometry_get_widest (const LineGeometry * geometry);

/**
 * line_recipe_check:
 * @recipe: a recipe that is to be used
 * @name: of its file, for messages
 * @geometries: of #LineGeometry, those of the lanes
 * @error: return location for a #GError
 *
 * Looks for conditions that can never hold, or always do, and for what no rule
 * uses: slips of the pen, which decide otherwise than they read. Recipes that
 * have decided already, of a recording, are not asked.
 *
 * Returns: FALSE with @error set to all that is wrong, a line "NAME:LINE: ..."
 * each
 */
gboolean line_recipe_check (const LineRecipe * recipe, const char *name,
    GPtrArray * geometries, GError ** error);

/* Loads a recipe that is to be used. */
LineRecipe *line_recipe_load_checked (const char *path,
    GPtrArray * geometries, GError ** error);
