/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recipe_check.h"

#include <math.h>

#define ALL_STATUSES (1u << LINE_STATUS_OK | 1u << LINE_STATUS_PARTIAL \
    | 1u << LINE_STATUS_LATE)

gdouble
line_geometry_get_widest (const LineGeometry * geometry)
{
  gdouble widest = 0;

  for (guint v = 0; v < geometry->views; v++) {
    gdouble pixels = MIN (geometry->columns, geometry->rows);

    if (geometry->cups > 1)
      pixels = MIN (pixels, geometry->cup_pitch[v]);
    widest = MAX (widest, pixels * geometry->mm_per_pixel[v]);
  }
  return widest;
}

/* @by: that says which geometry, if there are several */
static void
check_head (LineIni * ini, const LineRecipe * recipe,
    const LineGeometry * geometry, const char *by)
{
  const guint looks = geometry->cups * geometry->views;
  const gdouble widest = line_geometry_get_widest (geometry);

  if (recipe->min_looks > looks)
    line_ini_problem (ini, "recipe", "min-looks", "\"min-looks\" is %u, and a "
        "piece has %u looks, by %u cups and %u views%s: none would be decided; "
        "write fewer", recipe->min_looks, looks, geometry->cups,
        geometry->views, by);
  if (recipe->min_diameter >= widest)
    line_ini_problem (ini, "recipe", "min-diameter-mm", "\"min-diameter-mm\" "
        "is %g, and cups and picture have room for less than %g mm%s: every "
        "cup would be empty; write less", recipe->min_diameter, widest, by);
}

/* Returns: the least area of some defect that the recipe allows, in mm2, not
 * counting limits of 0 */
static gdouble
find_strictest (const LineRecipe * recipe)
{
  gdouble least = INFINITY;

  for (guint i = 0; i < recipe->limits->len; i++) {
    const GArray *limits = g_array_index (recipe->limits, LineLimits, i).limits;

    for (guint k = 0; k < limits->len; k++) {
      const LineLimit *limit = &g_array_index (limits, LineLimit, k);

      if (limit->measure == LINE_MEASURE_MM2 && limit->value > 0)
        least = MIN (least, limit->value);
    }
  }
  return least;
}

static gboolean
is_size_used (const LineRecipe * recipe, guint size)
{
  for (guint i = 0; i < recipe->rules->len; i++)
    if (g_array_index (recipe->rules, LineRule, i).sizes >> size & 1)
      return TRUE;
  return FALSE;
}

static void
check_size (LineIni * ini, const LineRecipe * recipe, guint index)
{
  const LineSize *size = &g_array_index (recipe->sizes, LineSize, index);
  g_autofree char *group = g_strdup_printf ("size %s", size->name);

  if (size->max_mm <= recipe->min_diameter)
    line_ini_problem (ini, group, "max-mm", "no piece is of size \"%s\": what "
        "is not wider than min-diameter-mm, %g, is no piece", size->name,
        recipe->min_diameter);
  if (!is_size_used (recipe, index))
    line_ini_problem (ini, group, NULL, "no rule names size \"%s\": name it "
        "in one, or remove it", size->name);
}

static gboolean
are_limits_used (const LineRecipe * recipe, guint limits)
{
  for (guint i = 0; i < recipe->rules->len; i++)
    if (g_array_index (recipe->rules, LineRule, i).limits == (gint) limits)
      return TRUE;
  return FALSE;
}

/* Two limits of one figure that leave nothing between them. */
static void
check_range (LineIni * ini, const char *group, const GArray * limits,
    const LineLimit * least)
{
  for (guint i = 0; i < limits->len && least->is_least; i++) {
    const LineLimit *most = &g_array_index (limits, LineLimit, i);

    if (!most->is_least && most->measure == least->measure
        && most->of == least->of && most->value < least->value)
      line_ini_problem (ini, group, most->key, "\"%s\" and \"%s\" never hold "
          "together: %g is less than %g", least->key, most->key, most->value,
          least->value);
  }
}

/* Whether every figure is within it. */
static gboolean
is_idle (const LineLimit * limit)
{
  switch (limit->measure) {
    case LINE_MEASURE_PERCENT:
      return limit->value >= 100;
    case LINE_MEASURE_SHARE:
      return limit->value == (limit->is_least ? 0 : 100);
    case LINE_MEASURE_ELONGATION:
      return limit->is_least && limit->value == 1;
    default:
      return FALSE;
  }
}

static void
check_limits (LineIni * ini, const LineRecipe * recipe, guint index)
{
  const LineLimits *limits = &g_array_index (recipe->limits, LineLimits, index);
  g_autofree char *group = g_strdup_printf ("limits %s", limits->name);

  for (guint i = 0; i < limits->limits->len; i++) {
    const LineLimit *limit = &g_array_index (limits->limits, LineLimit, i);

    if (is_idle (limit) && !limit->is_least)
      line_ini_problem (ini, group, limit->key, "\"%s\" always holds: no piece "
          "has more than 100 %%; write less, or remove it", limit->key);
    else if (is_idle (limit))
      line_ini_problem (ini, group, limit->key, "\"%s\" always holds: no piece "
          "has less than %g; write more, or remove it", limit->key,
          limit->value);
    check_range (ini, group, limits->limits, limit);
  }
  if (!are_limits_used (recipe, index))
    line_ini_problem (ini, group, NULL, "no rule names limits \"%s\": name "
        "them in one, or remove them", limits->name);
}

/* Of each size, bits of the sizes that hold whenever it does. */
static void
find_wider (const LineRecipe * recipe, guint64 * wider)
{
  for (guint i = 0; i < recipe->sizes->len; i++) {
    const LineSize *size = &g_array_index (recipe->sizes, LineSize, i);

    wider[i] = 0;
    for (guint j = 0; j < recipe->sizes->len; j++) {
      const LineSize *other = &g_array_index (recipe->sizes, LineSize, j);

      if (other->min_mm <= size->min_mm && other->max_mm >= size->max_mm)
        wider[i] |= G_GUINT64_CONSTANT (1) << j;
    }
  }
}

static gboolean
are_sizes_within (const guint64 * wider, guint64 rule, guint64 other)
{
  if (other == 0 || rule == 0)
    return other == 0;
  for (guint i = 0; i < LINE_MAX_SIZES; i++)
    if ((rule >> i & 1) && !(wider[i] & other))
      return FALSE;
  return TRUE;
}

#define N_FIGURES ((LINE_MAX_CLASSES + 1) * LINE_N_MEASURES * 2)

/* What must not be less is turned round. */
static void
list_limits (const LineRecipe * recipe, gint limits, gdouble * max)
{
  const GArray *list = g_array_index (recipe->limits, LineLimits,
      limits).limits;

  for (guint i = 0; i < N_FIGURES; i++)
    max[i] = INFINITY;
  for (guint i = 0; i < list->len; i++) {
    const LineLimit *limit = &g_array_index (list, LineLimit, i);

    max[(limit->of * LINE_N_MEASURES + limit->measure) * 2
        + (limit->is_least ? 1 : 0)] =
        limit->is_least ? -limit->value : limit->value;
  }
}

/* Whether what is within the limits @rule is within @other, too. */
static gboolean
are_limits_within (const LineRecipe * recipe, gint rule, gint other)
{
  gdouble strict[N_FIGURES], wide[N_FIGURES];

  if (other < 0 || rule < 0)
    return other < 0;
  list_limits (recipe, rule, strict);
  list_limits (recipe, other, wide);
  for (guint i = 0; i < N_FIGURES; i++)
    if (!(strict[i] <= wide[i]))
      return FALSE;
  return TRUE;
}

/* The first rule before @rule that holds whenever it does; NULL for none */
static const LineRule *
find_hiding (const LineRecipe * recipe, const LineRule * rule,
    const guint64 * wider)
{
  for (const LineRule * other = (const LineRule *) recipe->rules->data;
      other < rule; other++)
    if ((other->statuses == 0 || (rule->statuses != 0
                && (rule->statuses & ~other->statuses) == 0))
        && are_sizes_within (wider, rule->sizes, other->sizes)
        && are_limits_within (recipe, rule->limits, other->limits))
      return other;
  return NULL;
}

static void
check_rules (LineIni * ini, const LineRecipe * recipe)
{
  guint64 wider[LINE_MAX_SIZES];

  find_wider (recipe, wider);
  for (guint i = 0; i < recipe->rules->len; i++) {
    const LineRule *rule = &g_array_index (recipe->rules, LineRule, i);
    const LineRule *hiding = find_hiding (recipe, rule, wider);
    g_autofree char *group = g_strdup_printf ("rule %s", rule->name);

    if (rule->statuses == ALL_STATUSES)
      line_ini_problem (ini, group, "status", "\"status\" names all there are, "
          "and always holds: remove it, or name those that are meant");
    if (hiding)
      line_ini_problem (ini, group, NULL, "[rule %s] never decides, for "
          "[rule %s] before it holds whenever it does: put it before that one, "
          "or remove it", rule->name, hiding->name);
  }
}

static void
check_room (LineIni * ini, const LineRecipe * recipe,
    const LineGeometry * geometry, const char *by)
{
  const gdouble widest = line_geometry_get_widest (geometry);

  for (guint i = 0; i < recipe->sizes->len; i++) {
    const LineSize *size = &g_array_index (recipe->sizes, LineSize, i);
    g_autofree char *group = g_strdup_printf ("size %s", size->name);

    if (size->min_mm >= widest)
      line_ini_problem (ini, group, "min-mm", "no piece is of size \"%s\": "
          "cups and picture have room for less than %g mm%s", size->name,
          widest, by);
  }
}

static void
check_area (LineIni * ini, const LineRecipe * recipe,
    const LineGeometry * geometry, const char *by)
{
  const gdouble scale = line_geometry_get_coarsest (geometry);
  const gdouble seen = recipe->min_area * scale * scale;
  const gdouble strictest = find_strictest (recipe);

  if (seen > strictest)
    line_ini_problem (ini, "recipe", "min-area", "\"min-area\" is %g, which is "
        "%g mm2 of picture%s: blemishes up to that are not seen, and a limit "
        "allows %g mm2; write less", recipe->min_area, seen, by, strictest);
}

gboolean
line_recipe_check (const LineRecipe * recipe, const char *name,
    GPtrArray * geometries, GError ** error)
{
  gsize size;
  const char *text = g_bytes_get_data (recipe->text, &size);
  g_autoptr (LineIni) ini = line_ini_new (name, text, size);

  for (guint i = 0; i < geometries->len; i++) {
    const LineGeometry *geometry = g_ptr_array_index (geometries, i);
    g_autofree char *by = geometries->len == 1 ? g_strdup ("") :
        g_strdup_printf (" (by [%s])", geometry->group);

    check_head (ini, recipe, geometry, by);
    check_area (ini, recipe, geometry, by);
    check_room (ini, recipe, geometry, by);
  }
  for (guint i = 0; i < recipe->sizes->len; i++)
    check_size (ini, recipe, i);
  for (guint i = 0; i < recipe->limits->len; i++)
    check_limits (ini, recipe, i);
  check_rules (ini, recipe);
  return line_ini_tell (ini, error);
}

LineRecipe *
line_recipe_load_checked (const char *path, GPtrArray * geometries,
    GError ** error)
{
  LineRecipe *recipe = line_recipe_load (path, error);

  if (recipe && !line_recipe_check (recipe, path, geometries, error))
    g_clear_pointer (&recipe, line_recipe_unref);
  return recipe;
}
