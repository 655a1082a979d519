/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A recipe is read again while something else goes on: good and wrong ones,
 * files that are none, changes while it is being read, and an end meanwhile. */

#include "check.h"
#include "reload.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#define RECIPE "[recipe]\nname=a\nclasses=belt;skin;rot\nfruit=skin;rot\n" \
    "defects=rot\nundecided-outlet=9\n[rule rest]\noutlet="

/* What came, last */
typedef struct
{
  guint n;
  LineRecipe *recipe;
  char *error;
} Came;

static char *folder, *path;
static GMainContext *context;

static void
write_recipe (const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
note (LineRecipe * recipe, const GError * error, gpointer user)
{
  Came *came = user;

  expect ((recipe == NULL) == (error != NULL), "a recipe or an error");
  came->n++;
  g_clear_pointer (&came->recipe, line_recipe_unref);
  g_clear_pointer (&came->error, g_free);
  if (recipe)
    came->recipe = line_recipe_ref (recipe);
  else
    came->error = g_strdup (error->message);
}

static void
clear (Came * came)
{
  g_clear_pointer (&came->recipe, line_recipe_unref);
  g_clear_pointer (&came->error, g_free);
}

static void
wait_for (const Came * came, guint n)
{
  while (came->n < n)
    g_main_context_iteration (context, TRUE);
}

static void
check_one (LineReloader * reloader, LineRecipe * first, Came * came,
    const char *what, const char *error)
{
  const guint n = came->n;

  begin ("%s", what);
  line_reloader_ask (reloader, first);
  /* whatever is in the file: it comes by the context only */
  expect (came->n == n, "it did not come by the context");
  wait_for (came, n + 1);
  expect (came->n == n + 1, "%u", came->n - n);
  if (error)
    expect (came->error && strstr (came->error, error), "%s",
        came->error ? came->error : "no error");
  else
    expect (came->recipe != NULL, "%s", came->error);
  end ();
}

static void
check_copies (const LineRecipe * recipe, gboolean is_there)
{
  g_autofree char *copy = line_recipe_name_copy (folder, recipe->hash);
  GStatBuf status = { 0 };

  check_that ((g_stat (copy, &status) == 0) == is_there, "a copy");
  check_that (!is_there || (status.st_mode & 0137) == 0, "its mode is %o",
      status.st_mode);
  g_unlink (copy);
}

/* What is asked for while the file is read is read after that: the last answer
 * is that of the last text. */
static void
check_twice (LineReloader * reloader, LineRecipe * first, Came * came)
{
  const guint n = came->n;

  begin ("asked while it is read");
  line_reloader_ask (reloader, first);
  write_recipe (RECIPE "7\n");
  for (guint i = 0; i < 3; i++)
    line_reloader_ask (reloader, first);
  wait_for (came, n + 2);
  expect (came->recipe && g_array_index (came->recipe->rules, LineRule,
          0).outlet == 7, "another recipe");
  g_main_context_iteration (context, FALSE);
  expect (came->n == n + 2, "%u answers", came->n - n);
  end ();
}

/* Nothing comes after the end, and the context may be gone before the thread
 * is. */
static void
check_end (LineReloader * reloader, LineRecipe * first, Came * came)
{
  const guint n = came->n;

  line_reloader_ask (reloader, first);
  line_reloader_ask (reloader, first);
  line_reloader_free (reloader);
  for (guint i = 0; i < 10; i++)
    g_main_context_iteration (context, FALSE);
  check_that (came->n == n, "nothing comes after the end");
}

int
main (void)
{
  Came came = { 0 };
  LineRecipe *first = line_recipe_parse ("first", RECIPE "8\n",
      strlen (RECIPE "8\n"), NULL);
  /* the last reading may go on after the end */
  static LineGeometry geometry = {.views = 1,.cups = 2,.columns = 200,
    .rows = 100,.mm_per_pixel = {1},.cup_pitch = {100}
  };
  static LineGeometry narrow = {.group = (char *) "geometry b",.views = 1,.cups = 2,
    .columns = 200,.rows = 100,.mm_per_pixel = {1},.cup_pitch = {50}
  };
  GPtrArray *geometries = g_ptr_array_new ();

  folder = g_dir_make_tmp ("reload-XXXXXX", NULL);
  path = g_build_filename (folder, "recipe.ini", NULL);
  context = g_main_context_new ();
  LineFolder *copies = line_folder_open (folder, FALSE, NULL);
  g_ptr_array_add (geometries, &geometry);
  g_ptr_array_add (geometries, &narrow);
  LineReloader *reloader = line_reloader_new (path, geometries, copies, context,
      note, &came);
  g_ptr_array_unref (geometries);
  line_folder_unref (copies);
  write_recipe (RECIPE "6\n");
  check_one (reloader, first, &came, "a good one", NULL);
  check_copies (came.recipe, TRUE);
  write_recipe ("[recipe");
  check_one (reloader, first, &came, "a wrong one", "recipe.ini:1: ");
  write_recipe ("[recipe]\nlevel=0.4\n" RECIPE "6\n");
  check_one (reloader, first, &came, "a group twice", "is there already");
  char *wrong = g_strconcat (RECIPE "6\n", "[limits a]\nspot-mm2=1\n", NULL);
  write_recipe (wrong);
  check_one (reloader, first, &came, "a wrong limit", "limits nothing");
  g_free (wrong);
  write_recipe ("[size a]\n" RECIPE "6\n");
  check_one (reloader, first, &came, "a size for nothing",
      "recipe.ini:1: no rule names size \"a\"");
  write_recipe ("[size a]\nmin-mm=50\n" RECIPE "6\n");
  check_one (reloader, first, &came, "a size that one lane has no room for",
      "room for less than 50 mm (by [geometry b])");
  write_recipe (RECIPE "6\n");
  check_one (reloader, first, &came, "a good one again", NULL);
  wrong = g_strnfill (LINE_INI_MAX + 1, '#');
  write_recipe (wrong);
  g_free (wrong);
  check_one (reloader, first, &came, "too large a file", "1048577 bytes");
  g_unlink (path);
  check_one (reloader, first, &came, "no file", "cannot be opened");
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  check_one (reloader, first, &came, "a pipe", "only regular files");
  g_unlink (path);
  write_recipe (RECIPE "5\n");
  check_twice (reloader, first, &came);
  check_copies (came.recipe, TRUE);
  check_end (reloader, first, &came);
  g_main_context_unref (context);
  line_recipe_unref (first);
  clear (&came);
  return finish ();
}
