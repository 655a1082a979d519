/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/* A folder of recipes, each of which is called as its file NAME.ini. */

/* Returns: the path of the recipe @name, which is one by line_name_is_file(). To
 * be freed */
char *line_recipes_find (const char *folder, const char *name);

/* Whether all in the folder can be put in force on a line that begins with
 * @recipe, and has lanes of @geometries. Returns: FALSE with @error set to what is wrong with the first that
 * cannot, or with the folder */
gboolean line_recipes_check (const char *folder, const LineRecipe * recipe,
    GPtrArray * geometries, GError ** error);

/* Returns: FALSE with @error set if a number of the PLC's is of a recipe that is
 * not in the folder */
gboolean line_recipes_check_numbers (const char *folder,
    const LinePlcConfig * plc, GError ** error);

/* Names of all in the folder, as an array of JSON, in their order; to be freed.
 * What is in the files is not looked at. @folder: NULL: there are none */
char *line_recipes_list (const char *folder);
