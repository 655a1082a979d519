/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recipes.h"

#include <string.h>

#include "publish/names.h"
#include "recipe_check.h"

#define SUFFIX ".ini"

/* That are listed */
#define MOST 1000

char *
line_recipes_find (const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL);

  return g_build_filename (folder, file, NULL);
}

gboolean
line_recipes_check (const char *path, const LineRecipe * recipe,
    GPtrArray * geometries, GError ** error)
{
  g_autoptr (LineFolder) folder = line_folder_open (path, FALSE, error);
  g_autoptr (GPtrArray) files = folder ? line_folder_list (folder) : NULL;
  gboolean good = folder != NULL;

  for (guint i = 0; good && i < files->len; i++) {
    g_autofree char *file = g_build_filename (path, files->pdata[i], NULL);
    g_autofree char *name = line_name_of_file (files->pdata[i], SUFFIX);
    g_autoptr (LineRecipe) one = NULL;

    if (!g_str_has_suffix (file, SUFFIX))
      continue;
    if (!name)
      return line_fail (error, LINE_ERROR_INVALID, "%s: nobody can ask for it: "
          LINE_FILE_NAME_RULE "; rename it", file);
    one = line_recipe_load_checked (file, geometries, error);
    good = one && line_recipe_is_compatible (recipe, one, error);
    if (one && !good)
      g_prefix_error (error, "%s: ", file);
  }
  return good;
}

gboolean
line_recipes_check_numbers (const char *folder, const LinePlcConfig * plc,
    GError ** error)
{
  for (guint i = 0; plc->recipes && i < plc->recipes->len; i++) {
    const LinePlcRecipe *recipe =
        &g_array_index (plc->recipes, LinePlcRecipe, i);
    g_autofree char *path = line_recipes_find (folder, recipe->name);

    if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return line_fail (error, LINE_ERROR_FILE, "%s: it is not there, and has "
          "number %u in \"recipes\" of [plc]", path, recipe->number);
  }
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char *
line_recipes_list (const char *path)
{
  g_autoptr (LineFolder) folder =
      path ? line_folder_open (path, FALSE, NULL) : NULL;
  g_autoptr (GPtrArray) names = folder ? line_folder_list (folder) :
      g_ptr_array_new ();
  GString *json = g_string_new ("[");

  g_ptr_array_sort (names, compare);
  for (guint i = 0, n = 0; i < names->len && n < MOST; i++) {
    g_autofree char *name = line_name_of_file (names->pdata[i], SUFFIX);

    /* such names have nothing that JSON escapes */
    if (name)
      g_string_append_printf (json, "%s\"%s\"", n++ ? "," : "", name);
  }
  g_string_append (json, "]\n");
  return g_string_free (json, FALSE);
}
