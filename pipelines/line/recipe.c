/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recipe.h"

#include <math.h>
#include <string.h>

#include "publish/names.h"

const char *const line_status_names[] =
    { "ok", "partial", "late", "undecided", NULL };

/* In the order of LineMeasure. */
static const char *const suffixes[] =
    { "-mm2", "-length-mm", "-percent", "-count", NULL };

/* What is limited from below and above, by min-NAME and max-NAME */
static const struct
{
  const char *name;
  LineMeasure measure;
  gdouble least, most;
} skins[] = {
  {"lightness", LINE_MEASURE_LIGHTNESS, 0, 100},
  {"a", LINE_MEASURE_A, -128, 127},
  {"b", LINE_MEASURE_B, -128, 127},
  {"chroma", LINE_MEASURE_CHROMA, 0, 181},
  {"hue", LINE_MEASURE_HUE, -180, 180},
  {"elongation", LINE_MEASURE_ELONGATION, 1, 10},
};

static void
clear_limit (gpointer data)
{
  g_free (((LineLimit *) data)->key);
}

static void
clear_limits (gpointer data)
{
  LineLimits *limits = data;

  g_free (limits->name);
  g_array_free (limits->limits, TRUE);
}

static void
clear_size (gpointer data)
{
  g_free (((LineSize *) data)->name);
}

static void
clear_colour (gpointer data)
{
  g_free (((LineColour *) data)->name);
}

static void
clear_rule (gpointer data)
{
  g_free (((LineRule *) data)->name);
}

static GArray *
new_array (guint size, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (array, clear);
  return array;
}

LineRecipe *
line_recipe_ref (LineRecipe * recipe)
{
  g_atomic_int_inc (&recipe->ref_count);
  return recipe;
}

void
line_recipe_unref (LineRecipe * recipe)
{
  if (!g_atomic_int_dec_and_test (&recipe->ref_count))
    return;
  g_bytes_unref (recipe->text);
  g_free (recipe->name);
  g_strfreev (recipe->classes);
  g_array_free (recipe->sizes, TRUE);
  g_array_free (recipe->colours, TRUE);
  g_array_free (recipe->limits, TRUE);
  g_array_free (recipe->rules, TRUE);
  g_free (recipe);
}

/* The names become parts of keys and of elements' properties. */
static gboolean
is_name (const char *text)
{
  const gsize n = strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789_");

  return n > 0 && n <= LINE_NAME_LONGEST && text[n] == '\0';
}

static void
read_classes (LineIni * ini, LineRecipe * recipe)
{
  const char *const *classes;

  recipe->classes = line_ini_list (ini, "recipe", "classes");
  classes = (const char *const *) recipe->classes;
  recipe->n_classes = g_strv_length (recipe->classes);
  if (recipe->n_classes < 2 || recipe->n_classes > LINE_MAX_CLASSES)
    line_ini_problem (ini, "recipe", "classes", "\"classes\" must name the "
        "tensor's channels, 2 to %d names between semicolons",
        LINE_MAX_CLASSES);
  for (guint i = 0; i < recipe->n_classes; i++)
    if (!is_name (classes[i]) || strcmp (classes[i], "defect") == 0
        || line_ini_find (classes, classes[i]) != (gint) i)
      line_ini_problem (ini, "recipe", "classes", "class \"%s\": names must "
          "differ, have 1 to 64 of a-z, 0-9 and _, and not be \"defect\"",
          classes[i]);
}

/* Channels in rising order, however the file lists them. */
static guint
read_channels (LineIni * ini, LineRecipe * recipe, const char *key,
    guint * channels)
{
  g_auto (GStrv) names = line_ini_list (ini, "recipe", key);
  const char *const *listed = (const char *const *) names;
  guint n = 0;

  for (guint i = 0; names[i]; i++)
    if (line_ini_find ((const char *const *) recipe->classes, names[i]) < 0
        || line_ini_find (listed, names[i]) != (gint) i)
      line_ini_problem (ini, "recipe", key, "\"%s\" names \"%s\", which is "
          "twice there or none of the classes", key, names[i]);
  for (guint i = 0; i < MIN (recipe->n_classes, LINE_MAX_CLASSES); i++)
    if (line_ini_find (listed, recipe->classes[i]) >= 0)
      channels[n++] = i;
  if (n == 0)
    line_ini_problem (ini, "recipe", key,
        "\"%s\" must name at least one of the classes", key);
  return n;
}

static void
read_head (LineIni * ini, LineRecipe * recipe)
{
  recipe->name = line_ini_string (ini, "recipe", "name", NULL);
  if (*recipe->name && !line_name_is_good (recipe->name))
    line_ini_problem (ini, "recipe", "name", "\"%s\": " LINE_NAME_RULE,
        recipe->name);
  read_classes (ini, recipe);
  recipe->n_fruit = read_channels (ini, recipe, "fruit", recipe->fruit);
  recipe->n_defects = read_channels (ini, recipe, "defects", recipe->defects);
  recipe->level = line_ini_number (ini, "recipe", "level", 0.01, 0.99, 0.5);
  recipe->class_level =
      line_ini_number (ini, "recipe", "class-level", 0.01, 0.99, 0.3);
  recipe->min_area = line_ini_number (ini, "recipe", "min-area", 0, 1e6, 1);
  recipe->min_diameter =
      line_ini_number (ini, "recipe", "min-diameter-mm", 0, 1000, 20);
  recipe->is_exclusive = line_ini_boolean (ini, "recipe", "exclusive", TRUE);
  recipe->is_logits = line_ini_boolean (ini, "recipe", "logits", FALSE);
  recipe->min_roundness =
      line_ini_number (ini, "recipe", "min-roundness", 0, 1, 0.7);
  recipe->min_coverage =
      line_ini_number (ini, "recipe", "min-coverage", 0, 1, 0.9);
  recipe->min_looks = line_ini_integer (ini, "recipe", "min-looks", 1, 1024, 1);
  recipe->empty_outlet = line_ini_integer (ini, "recipe", "empty-outlet", 0,
      LINE_MAX_OUTLET, 0);
  recipe->undecided_outlet = line_ini_integer (ini, "recipe",
      "undecided-outlet", 0, LINE_MAX_OUTLET, -1);
}

static void
read_size (LineIni * ini, LineRecipe * recipe, const char *group,
    const char *name)
{
  LineSize size = { g_strdup (name) };

  size.min_mm = line_ini_number (ini, group, "min-mm", 0, 10000, 0);
  size.max_mm = line_ini_number (ini, group, "max-mm", 0, 10000, 10000);
  if (!(size.min_mm < size.max_mm))
    line_ini_problem (ini, group, "max-mm", "size \"%s\" is empty: max-mm must "
        "be greater than min-mm", name);
  g_array_append_val (recipe->sizes, size);
}

/* A box in L*, a*, b*, which any of its sides may leave open */
static void
read_colour (LineIni * ini, LineRecipe * recipe, const char *group,
    const char *name)
{
  static const char *const ends[] = { "min", "max" };
  LineColour colour = { g_strdup (name) };
  gboolean is_open = TRUE;

  if (!is_name (name))
    line_ini_problem (ini, group, NULL, "colour \"%s\": names have 1 to 64 of "
        "a-z, 0-9 and _", name);
  for (guint i = 0; i < 3; i++) {
    gdouble *const values[] = { &colour.min[i], &colour.max[i] };

    for (guint k = 0; k < 2; k++) {
      g_autofree char *key =
          g_strdup_printf ("%s-%s", ends[k], skins[i].name);

      is_open = is_open && !line_ini_has (ini, group, key);
      *values[k] = line_ini_number (ini, group, key, skins[i].least,
          skins[i].most, k ? skins[i].most : skins[i].least);
      /* codes of 8 bits round to more than that */
      if (!line_ini_has (ini, group, key))
        *values[k] = k ? G_MAXDOUBLE : -G_MAXDOUBLE;
    }
    if (!(colour.min[i] <= colour.max[i]))
      line_ini_problem (ini, group, NULL, "nothing is of colour \"%s\": "
          "max-%s is less than min-%s", name, skins[i].name, skins[i].name);
  }
  if (is_open)
    line_ini_problem (ini, group, NULL, "everything is of colour \"%s\": write "
        "min- or max-lightness, -a or -b", name);
  recipe->has_colour = TRUE;
  g_array_append_val (recipe->colours, colour);
}

static gint
find_defect (LineRecipe * recipe, const char *name, gsize length)
{
  for (guint i = 0; i < recipe->n_defects; i++) {
    const char *known = recipe->classes[recipe->defects[i]];

    if (strlen (known) == length && memcmp (known, name, length) == 0)
      return i;
  }
  return length == 6 && memcmp (name, "defect", 6) == 0 ?
      (gint) recipe->n_defects : -1;
}

static gint
find_colour (const LineRecipe * recipe, const char *name, gsize length)
{
  for (guint i = 0; i < recipe->colours->len; i++) {
    const char *known = g_array_index (recipe->colours, LineColour, i).name;

    if (strlen (known) == length && memcmp (known, name, length) == 0)
      return i;
  }
  return -1;
}

/* min-NAME and max-NAME. @least, @most: what values there are */
static gboolean
parse_skin (LineRecipe * recipe, const char *key, LineLimit * limit,
    gdouble * least, gdouble * most)
{
  const gboolean is_least = g_str_has_prefix (key, "min-");
  const char *name = key + strlen ("min-");

  if (!is_least && !g_str_has_prefix (key, "max-"))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (skins); i++)
    if (strcmp (name, skins[i].name) == 0) {
      *limit = (LineLimit) {g_strdup (key), 0, skins[i].measure, is_least};
      *least = skins[i].least;
      *most = skins[i].most;
      return TRUE;
    }
  const gint colour = g_str_has_suffix (name, "-percent") ?
      find_colour (recipe, name, strlen (name) - strlen ("-percent")) : -1;
  if (colour < 0)
    return FALSE;
  *limit = (LineLimit) {g_strdup (key), colour, LINE_MEASURE_SHARE, is_least};
  *least = 0;
  *most = 100;
  return TRUE;
}

static gboolean
parse_limit (LineRecipe * recipe, const char *key, LineLimit * limit)
{
  for (guint i = 0; suffixes[i]; i++) {
    gint defect = g_str_has_suffix (key, suffixes[i]) ?
        find_defect (recipe, key, strlen (key) - strlen (suffixes[i])) : -1;

    if (defect >= 0) {
      *limit = (LineLimit) {.key = g_strdup (key),.of = defect,
        .measure = (LineMeasure) i
      };
      return TRUE;
    }
  }
  return FALSE;
}

static void
read_limits (LineIni * ini, LineRecipe * recipe, const char *group,
    const char *name)
{
  LineLimits limits = { g_strdup (name),
    new_array (sizeof (LineLimit), clear_limit)
  };
  char **keys = line_ini_keys (ini, group);

  for (guint i = 0; keys[i]; i++) {
    gdouble least = 0, most = 1e9;
    LineLimit limit;

    if (parse_limit (recipe, keys[i], &limit)
        || parse_skin (recipe, keys[i], &limit, &least, &most)) {
      limit.value = line_ini_number (ini, group, keys[i], least, most, NAN);
      recipe->has_elongation |= limit.measure == LINE_MEASURE_ELONGATION;
      recipe->has_colour |= limit.measure >= LINE_MEASURE_LIGHTNESS
          && limit.measure <= LINE_MEASURE_SHARE;
      g_array_append_val (limits.limits, limit);
    } else {
      line_ini_has (ini, group, keys[i]);
      line_ini_problem (ini, group, keys[i], "\"%s\" limits nothing: write "
          "CLASS-mm2, -length-mm, -percent or -count, with one of the defects "
          "or \"defect\" as CLASS; or min- or max-lightness, -a, -b, -chroma, "
          "-hue, -elongation, or -COLOUR-percent of a [colour COLOUR]",
          keys[i]);
    }
  }
  if (!keys[0])
    line_ini_problem (ini, group, NULL, "[%s] has no limit", group);
  g_strfreev (keys);
  g_array_append_val (recipe->limits, limits);
}

static guint64
read_sizes (LineIni * ini, LineRecipe * recipe, const char *group)
{
  g_auto (GStrv) names = line_ini_list (ini, group, "size");
  guint64 bits = 0;

  for (guint i = 0; names[i]; i++) {
    guint j = 0;

    while (j < recipe->sizes->len
        && strcmp (g_array_index (recipe->sizes, LineSize, j).name, names[i]))
      j++;
    if (j == recipe->sizes->len)
      line_ini_problem (ini, group, "size", "there is no [size %s]", names[i]);
    else
      bits |= G_GUINT64_CONSTANT (1) << j;
  }
  if (!names[0] && line_ini_has (ini, group, "size"))
    line_ini_problem (ini, group, "size", "\"size\" names none");
  return bits;
}

static guint
read_statuses (LineIni * ini, const char *group)
{
  g_auto (GStrv) names = line_ini_list (ini, group, "status");
  guint bits = 0;

  for (guint i = 0; names[i]; i++) {
    gint status = line_ini_find (line_status_names, names[i]);

    /* rules are not looked at for undecided pieces */
    if (status < 0 || status == LINE_STATUS_UNDECIDED)
      line_ini_problem (ini, group, "status", "\"status\" is of ok, partial "
          "and late, not \"%s\"", names[i]);
    else
      bits |= 1u << status;
  }
  if (!names[0] && line_ini_has (ini, group, "status"))
    line_ini_problem (ini, group, "status", "\"status\" names none");
  return bits;
}

static void
read_rule (LineIni * ini, LineRecipe * recipe, const char *group,
    const char *name)
{
  LineRule rule = { g_strdup (name),.limits = -1 };

  rule.outlet = line_ini_integer (ini, group, "outlet", 0, LINE_MAX_OUTLET, -1);
  rule.sizes = read_sizes (ini, recipe, group);
  rule.statuses = read_statuses (ini, group);
  if (line_ini_has (ini, group, "limits")) {
    g_autofree char *limits = line_ini_string (ini, group, "limits", NULL);

    for (guint i = 0; i < recipe->limits->len; i++)
      if (!strcmp (g_array_index (recipe->limits, LineLimits, i).name, limits))
        rule.limits = i;
    if (rule.limits < 0)
      line_ini_problem (ini, group, "limits", "there is no [limits %s]",
          limits);
  }
  g_array_append_val (recipe->rules, rule);
}

typedef struct
{
  const char *kind;
  void (*read) (LineIni *, LineRecipe *, const char *, const char *);
  guint most;
} Kind;

/* In this order: limits name colours; rules name sizes and limits. */
static const Kind kinds[] = {
  {"size", read_size, LINE_MAX_SIZES},
  {"colour", read_colour, LINE_MAX_COLOURS},
  {"limits", read_limits, LINE_MAX_LIMITS},
  {"rule", read_rule, LINE_MAX_RULES},
};

static void
read_groups (LineIni * ini, LineRecipe * recipe, const Kind * kind)
{
  const char *const *groups = line_ini_groups (ini);
  guint n = 0;

  for (guint i = 0; groups[i]; i++) {
    const char *name = line_ini_group_name (ini, groups[i], kind->kind);

    if (!name)
      continue;
    if (!line_name_is_good (name))
      line_ini_problem (ini, groups[i], NULL, "\"%s\": " LINE_NAME_RULE, name);
    if (n++ < kind->most)
      kind->read (ini, recipe, groups[i], name);
    else if (n == kind->most + 1)
      line_ini_problem (ini, groups[i], NULL, "more than %u groups [%s NAME]",
          kind->most, kind->kind);
  }
}

static void
check_rules (LineIni * ini, LineRecipe * recipe)
{
  for (guint i = 0; i < recipe->rules->len; i++) {
    LineRule *rule = &g_array_index (recipe->rules, LineRule, i);
    gboolean free = !rule->sizes && rule->limits < 0 && !rule->statuses;
    g_autofree char *group = g_strdup_printf ("rule %s", rule->name);

    if (i + 1 == recipe->rules->len && !free)
      line_ini_problem (ini, group, NULL, "the last rule must have no size, "
          "limits or status, so that every piece gets an outlet");
    if (i + 1 < recipe->rules->len && free)
      line_ini_problem (ini, group, NULL, "a rule without size, limits and "
          "status always holds: those after it never decide; put it last");
  }
  if (recipe->rules->len == 0)
    line_ini_problem (ini, "recipe", NULL, "there is no [rule NAME]");
}

LineRecipe *
line_recipe_parse (const char *name, const char *text, gsize size,
    GError ** error)
{
  LineRecipe *recipe = g_new0 (LineRecipe, 1);
  g_autoptr (LineIni) ini = line_ini_new (name, text, size);
  g_autofree char *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
      (const guchar *) text, size);

  recipe->ref_count = 1;
  recipe->text = g_bytes_new (text, size);
  g_strlcpy (recipe->hash, hash, sizeof (recipe->hash));
  recipe->sizes = new_array (sizeof (LineSize), clear_size);
  recipe->colours = new_array (sizeof (LineColour), clear_colour);
  recipe->limits = new_array (sizeof (LineLimits), clear_limits);
  recipe->rules = new_array (sizeof (LineRule), clear_rule);
  read_head (ini, recipe);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    read_groups (ini, recipe, &kinds[i]);
  check_rules (ini, recipe);
  gboolean good = line_ini_check (ini, error);
  if (!good)
    g_clear_pointer (&recipe, line_recipe_unref);
  return recipe;
}

LineRecipe *
line_recipe_load (const char *path, GError ** error)
{
  g_autofree char *text = NULL;
  gsize size;

  return line_ini_load (path, &text, &size, error) ?
      line_recipe_parse (path, text, size, error) : NULL;
}

static char *
name_copy (const char *hash)
{
  return g_strdup_printf ("recipe-%.12s.ini", hash);
}

char *
line_recipe_name_copy (const char *folder, const char *hash)
{
  g_autofree char *name = name_copy (hash);

  return g_build_filename (folder, name, NULL);
}

gboolean
line_recipe_copy (const LineRecipe * recipe, const LineFolder * folder,
    GError ** error)
{
  g_autofree char *name = name_copy (recipe->hash);
  gsize size;
  const char *text = g_bytes_get_data (recipe->text, &size);

  return line_folder_look (folder, name, NULL, NULL)
      || line_folder_save (folder, name, text, size, error);
}

static gboolean
has_same_channels (const guint * a, guint n_a, const guint * b, guint n_b)
{
  return n_a == n_b && memcmp (a, b, n_a * sizeof (*a)) == 0;
}

/* Whether colours that are measured for @a serve @b. */
static gboolean
has_same_colours (const LineRecipe * a, const LineRecipe * b)
{
  if (b->has_colour && !a->has_colour)
    return FALSE;
  if (b->colours->len == 0)
    return TRUE;
  if (a->colours->len != b->colours->len)
    return FALSE;
  for (guint i = 0; i < a->colours->len; i++) {
    const LineColour *x = &g_array_index (a->colours, LineColour, i);
    const LineColour *y = &g_array_index (b->colours, LineColour, i);

    if (memcmp (x->min, y->min, sizeof (x->min)) != 0
        || memcmp (x->max, y->max, sizeof (x->max)) != 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
line_recipe_is_compatible (const LineRecipe * a, const LineRecipe * b,
    GError ** error)
{
  const char *what = NULL;

  if (!g_strv_equal ((const gchar * const *) a->classes,
          (const gchar * const *) b->classes))
    what = "classes";
  else if (!has_same_channels (a->fruit, a->n_fruit, b->fruit, b->n_fruit))
    what = "fruit";
  else if (!has_same_channels (a->defects, a->n_defects, b->defects,
          b->n_defects))
    what = "defects";
  else if (a->level != b->level)
    what = "level";
  else if (a->class_level != b->class_level)
    what = "class-level";
  else if (a->min_area != b->min_area)
    what = "min-area";
  else if (a->is_exclusive != b->is_exclusive)
    what = "exclusive";
  else if (a->is_logits != b->is_logits)
    what = "logits";
  if (what)
    return line_fail (error, LINE_ERROR_INVALID, "\"%s\" is another one than "
        "that by which shapes were found: start the line anew with this recipe",
        what);
  return has_same_colours (a, b) || line_fail (error, LINE_ERROR_INVALID,
      "it asks for colours that are not measured: start the line anew with this "
      "recipe");
}
