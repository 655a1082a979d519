/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conditions of a recipe that can never hold, or always do, with this or another
 * geometry; and those that look like it, and are good. */

#include "check.h"
#include "checks.h"
#include "recipe_check.h"

#include <string.h>

typedef struct
{
  const char *what, *from, *to, *error;
} Change;

/* Of the shipped recipe, by the shipped configuration */
static const Change wrong[] = {
  {"more looks than there are", "min-looks=10", "min-looks=21",
      "r:13: \"min-looks\" is 21, and a piece has 20 looks, by 5 cups and 4 "
        "views"},
  {"pieces wider than the picture", "min-diameter-mm=20",
      "min-diameter-mm=76", "r:11: \"min-diameter-mm\" is 76, and cups and "
        "picture have room for less than 76 mm"},
  {"marks that are not seen, though limited", "min-area=1\n",
      "min-area=15.7\n", "r:10: \"min-area\" is 15.7, which is 10.048 mm2 of "
        "picture: blemishes up to that are not seen, and a limit allows 10 mm2"},
  {"a status that is any", "status=partial;late", "status=late;ok;partial",
      "r:70: \"status\" names all there are, and always holds"},
  {"all of a piece", "defect-percent=15", "defect-percent=100",
      "r:45: \"defect-percent\" always holds"},
  {"more than all of a piece", "russet-percent=1\n", "russet-percent=1000\n",
      "r:33: \"russet-percent\" always holds"},
  {"a share of any", "[limits extra]", "[colour red]\nmin-a=20\n"
        "[limits extra]\nmin-red-percent=0", "r:31: \"min-red-percent\" always "
        "holds: no piece has less than 0"},
  {"all of the skin", "[limits extra]", "[colour red]\nmin-a=20\n"
        "[limits extra]\nmax-red-percent=100", "r:31: \"max-red-percent\" always "
        "holds: no piece has more"},
  {"any form", "rot-mm2=10\ninsect-mm2=10\nbruise-mm2=20",
      "min-elongation=1\nbruise-mm2=20", "r:29: \"min-elongation\" always holds"},
  {"no hue", "rot-mm2=10\ninsect-mm2=10\nbruise-mm2=20", "max-hue=20\n"
        "min-hue=21\nbruise-mm2=20", "r:29: \"min-hue\" and \"max-hue\" never "
        "hold together: 20 is less than 21"},
  {"the redder after the red", "[rule class1-small]", "[limits strict]\n"
        "min-a=11\n[limits wide]\nmin-a=10\n[rule wide]\noutlet=4\n"
        "limits=wide\n[rule strict]\noutlet=5\nlimits=strict\n"
        "[rule class1-small]", "r:67: [rule strict] never decides, for [rule "
        "wide]"},
  {"a size of what is no piece", "[size small]\nmin-mm=30\nmax-mm=40",
      "[size small]\nmin-mm=10\nmax-mm=20", "r:21: no piece is of size "
        "\"small\": what is not wider than min-diameter-mm, 20, is no piece"},
  {"a size of what has no room", "min-mm=40\nmax-mm=60",
      "min-mm=76\nmax-mm=90", "r:24: no piece is of size \"large\": cups and "
        "picture have room for less than 76 mm"},
  {"a size for nothing", "[limits extra]", "[size huge]\nmin-mm=60\n"
        "[limits extra]", "r:28: no rule names size \"huge\""},
  {"limits for nothing", "[limits class1]", "[limits class2]\nrot-mm2=1\n"
        "[limits class1]", "r:37: no rule names limits \"class2\""},
  {"a rule twice", "[rule class1-small]", "[rule again-large]\noutlet=4\n"
        "size=large\nlimits=class1\nstatus=ok\n[rule class1-small]",
      "r:60: [rule again-large] never decides, for [rule class1-large]"},
  {"the strict after the wide", "[rule class1-small]", "[limits strict]\n"
        "rot-mm2=9\ninsect-mm2=10\nbruise-mm2=1\nscab-mm2=1\n"
        "hail-length-mm=1\nscar-length-mm=1\nscar-mm2=0\n"
        "russet-percent=10\ndefect-percent=15\n[rule strict]\noutlet=4\n"
        "size=large\nlimits=strict\nstatus=ok\n[rule class1-small]",
      "r:70: [rule strict] never decides, for [rule class1-large]"},
  {"a rule of less before", "[rule class1-small]", "[rule any-small]\n"
        "outlet=4\nsize=small\n[rule class1-small]",
      "r:63: [rule class1-small] never decides, for [rule any-small]"},
  {"a status within others", "[rule reject]", "[rule late]\noutlet=7\n"
        "size=small\nlimits=class1\nstatus=late\n[rule reject]",
      "r:73: [rule late] never decides, for [rule again]"},
  {"a size within another", "[limits extra]", "[size middle]\nmin-mm=45\n"
        "max-mm=50\n[limits extra]\nscar-mm2=1000\n",
      "r:71: [rule middle] never decides, for [rule class1-large]"},
};

static const Change good[] = {
  {"the red after the redder", "[rule class1-small]", "[limits strict]\n"
        "min-a=11\n[limits wide]\nmin-a=10\n[rule strict]\noutlet=4\n"
        "limits=strict\n[rule wide]\noutlet=5\nlimits=wide\n"
        "[rule class1-small]"},
  {"a hue alone", "rot-mm2=10\ninsect-mm2=10\nbruise-mm2=20", "max-hue=20\n"
        "min-hue=20\nbruise-mm2=20"},
  {"the shipped one", "", ""},
  {"as many looks as there are", "min-looks=10", "min-looks=20"},
  {"just those that are limited", "min-area=1\n", "min-area=15.6\n"},
  {"some room", "min-mm=40\nmax-mm=60", "min-mm=75.9\nmax-mm=90"},
  {"a little more than no piece", "[size small]\nmin-mm=30\nmax-mm=40",
      "[size small]\nmin-mm=0\nmax-mm=20.1"},
  {"nearly all of a piece", "defect-percent=15", "defect-percent=99.9"},
  {"other sizes", "[limits extra]", "[size both]\nmin-mm=39\nmax-mm=41\n"
        "[limits extra]"},
  {"another status", "status=ok\n\n[rule class1-large]\noutlet=2\nsize=large\n"
        "limits=class1\nstatus=ok", "status=ok\n\n[rule class1-large]\n"
        "outlet=2\nsize=large\nlimits=extra\nstatus=partial"},
  {"one status of two", "[rule again]", "[rule soon]\noutlet=7\n"
        "limits=class1\nstatus=late\n[rule again]"},
  {"no size after sizes", "[rule again]", "[rule any]\noutlet=7\n"
        "limits=class1\nstatus=ok\n[rule again]"},
  {"one limit that is wider", "[limits extra]\nrot-mm2=10",
      "[limits extra]\nrot-mm2=11"},
};

/* What needs another geometry */
static const struct
{
  const char *what, *from, *to, *error;
} geometries[] = {
  {"one view", "tilt=-45;-15;15;45", "tilt=0", "has 5 looks, by 5 cups and 1 "
        "views"},
  {"one cup", "cups=5", "cups=1", "has 4 looks, by 1 cups and 4 views"},
  {"two cups and five views", "cups=5\ncup-first=51\ncup-pitch=102\n",
      "cups=2\ncup-first=51\ncup-pitch=102\n", "has 8 looks"},
  {"narrow cups", "cup-pitch=102", "cup-pitch=50", "r:24: no piece is of size "
        "\"large\": cups and picture have room for less than 40 mm"},
  {"far away", "mm-per-pixel=0.8", "mm-per-pixel=0.2",
      "r:11: \"min-diameter-mm\" is 20"},
  {"few rows", "rows=95", "rows=50", "r:24: no piece"},
  {"cups in pairs", "cup-pitch=102", "cup-pitch=76", NULL},
  /* views that differ, and lanes */
  {"narrow cups in one view", "cup-pitch=102", "cup-pitch=102;50;50;50", NULL},
  {"a view that shows less", "mm-per-pixel=0.8", "mm-per-pixel=0.8;0.8;4;0.8",
      "r:10: \"min-area\" is 1, which is 16 mm2 of picture: blemishes up to "
        "that are not seen, and a limit allows 10 mm2"},
  {"a lane of one cup", "[lane lane1]", "[geometry b]\ncups=1\n[lane b]\n"
        "source=simulate\n[lane lane1]", "has 4 looks, by 1 cups and 4 views "
        "(by [geometry b])"},
  {"a lane of narrow cups", "[lane lane1]", "[geometry b]\ncup-pitch=50\n"
        "[lane b]\nsource=simulate\n[lane lane1]", "r:24: no piece is of size "
        "\"large\": cups and picture have room for less than 40 mm (by "
        "[geometry b])"},
  {"a lane of wide cups", "[lane lane1]", "[geometry b]\ncup-pitch=103\n"
        "cup-first=50\n[lane b]\nsource=simulate\n[lane lane1]", NULL},
};

static char *
read_shipped (const char *name)
{
  char *path = g_build_filename (LINE_FILES, name, NULL), *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  g_assert (text);
  g_free (path);
  return text;
}

static char *
replace (const char *text, const char *from, const char *to)
{
  const char *at = strstr (text, from);

  g_assert (at);
  g_autofree char *before = g_strndup (text, at - text);
  return g_strconcat (before, to, at + strlen (from), NULL);
}

/* Returns: what is wrong; NULL for nothing */
static char *
check (const char *recipe_text, const char *config_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LineConfig) config = line_config_parse ("line.ini", config_text,
      strlen (config_text), &error);
  char *problem = NULL;

  g_assert_no_error (error);
  g_autoptr (LineRecipe) recipe = line_recipe_parse ("r", recipe_text,
      strlen (recipe_text), &error);
  g_assert_no_error (error);
  if (!line_recipe_check (recipe, "r", config->geometries, &error))
    problem = g_strdup (error->message);
  return problem;
}

/* A condition of a rule for the "middle" and "both" sizes, if they are there */
static char *
add_rule (char *text)
{
  static const char *const sizes[] = { "middle", "both" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree char *size = g_strdup_printf ("[size %s]", sizes[i]);

    if (strstr (text, size)) {
      g_autofree char *rule = g_strdup_printf ("[rule %s]\noutlet=6\nsize=%s\n"
          "limits=class1\nstatus=ok\n\n# Seen in part", sizes[i], sizes[i]);
      char *more = replace (text, "# Seen in part", rule);

      g_free (text);
      text = more;
    }
  }
  return text;
}

static void
check_recipes (const Change * changes, guint n)
{
  g_autofree char *recipe = read_shipped ("apricot.ini");
  g_autofree char *config = read_shipped ("line1.ini");

  for (guint i = 0; i < n; i++) {
    g_autofree char *changed = add_rule (replace (recipe, changes[i].from,
            changes[i].to));
    g_autofree char *problem = check (changed, config);

    check_that (changes[i].error ? problem && g_str_has_prefix (problem,
            changes[i].error) : !problem, "%s: %s", changes[i].what,
        problem ? problem : "good");
  }
}

CHECK (geometries)
{
  g_autofree char *recipe = read_shipped ("apricot.ini");
  g_autofree char *config = read_shipped ("line1.ini");

  for (guint i = 0; i < G_N_ELEMENTS (geometries); i++) {
    char *changed = replace (config, geometries[i].from, geometries[i].to);
    g_autofree char *problem = check (recipe, changed);

    check_that (geometries[i].error ? problem
        && strstr (problem, geometries[i].error) : !problem, "%s: %s",
        geometries[i].what, problem ? problem : "good");
    g_free (changed);
  }
}

/* All are told at once, and all that there may be take no time. */
CHECK (many)
{
  GString *text = g_string_new ("[recipe]\nname=a\nclasses=belt;skin;rot\n"
      "fruit=skin;rot\ndefects=rot\nundecided-outlet=9\n");
  g_autofree char *config = read_shipped ("line1.ini");

  for (guint i = 0; i < LINE_MAX_SIZES; i++)
    g_string_append_printf (text, "[size s%u]\nmin-mm=%u\n", i, 20 + i / 2);
  for (guint i = 0; i < LINE_MAX_LIMITS; i++)
    g_string_append_printf (text, "[limits l%u]\nrot-mm2=%u\n", i, i);
  for (guint i = 0; i < LINE_MAX_RULES - 1; i++)
    g_string_append_printf (text, "[rule r%u]\noutlet=1\nsize=s%u\n"
        "limits=l%u\n", i, i % LINE_MAX_SIZES, LINE_MAX_LIMITS - 1 - i);
  g_string_append (text, "[rule rest]\noutlet=2\n");
  g_autofree char *problem = check (text->str, config);
  /* l0 is not used; each but the first hides in it, as size s0 is the widest */
  check_that (problem && strstr (problem, "no rule names limits \"l0\"")
      && strstr (problem, "[rule r1] never decides, for [rule r0]")
      && strstr (problem, "\nr: and 235 more"), "%s", problem);
  g_string_free (text, TRUE);
}

int
main (void)
{
  check_recipes (wrong, G_N_ELEMENTS (wrong));
  check_recipes (good, G_N_ELEMENTS (good));
  run_checks ();
  return finish ();
}
