/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "geometry_settings.h"

#include <math.h>
#include <string.h>

#define COMMON "geometry"

/* Whether the lane's own group, if there is one, has @key. */
static gboolean
has_own (LineIni * ini, const char *own, const char *key)
{
  /* what all lanes have in groups of their own is no unknown key here */
  line_ini_has (ini, COMMON, key);
  return own && line_ini_has (ini, own, key);
}

static const char *
find_group (LineIni * ini, const char *own, const char *key)
{
  return has_own (ini, own, key) ? own : COMMON;
}

static guint
read_integer (LineIni * ini, const char *own, const char *key, gint64 least,
    gint64 most)
{
  return line_ini_integer (ini, find_group (ini, own, key), key, least, most,
      -1);
}

static void
read_tilts (LineIni * ini, const char *own, LineGeometry * geometry)
{
  const char *group = find_group (ini, own, "tilt");
  g_auto (GStrv) tilts = line_ini_list (ini, group, "tilt");
  guint n = g_strv_length (tilts);

  if (n < 1 || n > LINE_MAX_VIEWS)
    line_ini_problem (ini, group, "tilt", "\"tilt\" must have the degrees "
        "of each view, 1 to %d numbers between semicolons", LINE_MAX_VIEWS);
  geometry->views = CLAMP (n, 1, LINE_MAX_VIEWS);
  for (guint i = 0; i < MIN (n, LINE_MAX_VIEWS); i++) {
    char *end;

    geometry->tilt[i] = g_ascii_strtod (tilts[i], &end);
    if (end == tilts[i] || *end || !(fabs (geometry->tilt[i]) <= 90))
      line_ini_problem (ini, group, "tilt", "\"%s\" in \"tilt\" must be a "
          "number from -90 to 90", tilts[i]);
  }
}

void
line_views_read (LineIni * ini, const char *group, const char *key, gdouble min,
    gdouble max, guint n, gdouble * numbers)
{
  g_auto (GStrv) words = line_ini_list (ini, group, key);
  const guint n_words = g_strv_length (words);

  for (guint v = 0; v < LINE_MAX_VIEWS; v++)
    numbers[v] = NAN;
  if (line_ini_has (ini, group, key) && n_words != 1 && n_words != n)
    line_ini_problem (ini, group, key, "\"%s\" has one number for all views, "
        "or %u, one for each, not %u", key, n, n_words);
  for (guint i = 0; i < MIN (n_words, LINE_MAX_VIEWS); i++) {
    char *end;

    numbers[i] = g_ascii_strtod (words[i], &end);
    if (end == words[i] || *end || !(numbers[i] >= min && numbers[i] <= max))
      line_ini_problem (ini, group, key, "\"%s\" in \"%s\" must be a number "
          "from %g to %g", words[i], key, min, max);
  }
  for (guint v = 1; v < LINE_MAX_VIEWS && n_words == 1; v++)
    numbers[v] = numbers[0];
}

static void
read_views (LineIni * ini, const char *own, const char *key, gdouble min,
    gdouble max, const LineGeometry * geometry, gdouble * numbers)
{
  const gboolean is_own = has_own (ini, own, key);
  const char *group = is_own ? own : COMMON;
  g_auto (GStrv) words = line_ini_list (ini, group, key);
  const guint n = g_strv_length (words);

  if (!line_ini_has (ini, group, key))
    line_ini_problem (ini, group, NULL, "[%s] lacks the key \"%s\"", group,
        key);
  if (!is_own && has_own (ini, own, "tilt") && n > 1 && n != geometry->views)
    line_ini_problem (ini, own, "tilt", "\"tilt\" says that this lane has %u "
        "views, and \"%s\" of [geometry] has %u numbers: write \"%s\" here, "
        "too", geometry->views, key, n, key);
  else
    line_views_read (ini, group, key, min, max, geometry->views, numbers);
}

/* How pieces turn: both keys are of the same group. */
static void
read_turn (LineIni * ini, const char *own, LineGeometry * geometry)
{
  const gboolean has_turn = has_own (ini, own, "turn");
  const char *group = has_own (ini, own, "travel-mm") || has_turn ? own :
      COMMON;

  geometry->turn = line_ini_number (ini, group, "turn", -360, 360, 72);
  geometry->travel = line_ini_has (ini, group, "travel-mm") ?
      line_ini_number (ini, group, "travel-mm", -1000, 1000, NAN) : 0;
  if (geometry->travel == 0 && line_ini_has (ini, group, "travel-mm"))
    line_ini_problem (ini, group, "travel-mm", "\"travel-mm\" is 0: of pieces "
        "that do not turn say \"turn=0\"");
  if (geometry->travel != 0 && line_ini_has (ini, group, "turn"))
    line_ini_problem (ini, group, "turn", "\"turn\" and \"travel-mm\" say the "
        "same: by rollers pieces turn by \"travel-mm\", in cups that turn by "
        "\"turn\"");
}

static void
check_cups (LineIni * ini, const char *own, const LineGeometry * geometry)
{
  for (guint v = 0; v < geometry->views; v++) {
    const gdouble last = geometry->cup_first[v] + (geometry->cups - 1)
        * geometry->cup_pitch[v];

    if (last > geometry->columns - 1) {
      line_ini_problem (ini, own ? own : COMMON, "cups", "the last cup's "
          "centre is at column %g of view %u, outside of the %u columns", last,
          v, geometry->columns);
      return;
    }
  }
}

static LineGeometry *
read_geometry (LineIni * ini, const char *own)
{
  LineGeometry *geometry = g_new0 (LineGeometry, 1);

  geometry->columns = read_integer (ini, own, "columns", 2, 16384);
  geometry->rows = read_integer (ini, own, "rows", 2, 16384);
  geometry->cups = read_integer (ini, own, "cups", 1, LINE_MAX_CUPS);
  read_tilts (ini, own, geometry);
  read_views (ini, own, "mm-per-pixel", 0.001, 100, geometry,
      geometry->mm_per_pixel);
  read_views (ini, own, "cup-first", 0, 16384, geometry, geometry->cup_first);
  read_views (ini, own, "cup-pitch", 1, 16384, geometry, geometry->cup_pitch);
  read_turn (ini, own, geometry);
  check_cups (ini, own, geometry);
  return geometry;
}

static gboolean
is_same (const LineGeometry * a, const LineGeometry * b)
{
  const gsize size = a->views * sizeof (gdouble);

  return a->views == b->views && a->cups == b->cups && a->columns == b->columns
      && a->rows == b->rows && a->turn == b->turn && a->travel == b->travel
      && memcmp (a->mm_per_pixel, b->mm_per_pixel, size) == 0
      && memcmp (a->cup_first, b->cup_first, size) == 0
      && memcmp (a->cup_pitch, b->cup_pitch, size) == 0
      && memcmp (a->tilt, b->tilt, size) == 0;
}

const LineGeometry *
line_geometry_read (LineIni * ini, const char *lane, GPtrArray * known)
{
  g_autofree char *group = g_strdup_printf (COMMON " %s", lane);
  const gboolean is_own = line_ini_has_group (ini, group);
  LineGeometry *geometry = read_geometry (ini, is_own ? group : NULL);

  for (guint i = 0; i < known->len; i++)
    if (is_same (geometry, g_ptr_array_index (known, i))) {
      line_geometry_free (geometry);
      return g_ptr_array_index (known, i);
    }
  geometry->group = g_strdup (is_own ? group : COMMON);
  g_ptr_array_add (known, geometry);
  return geometry;
}

void
line_geometry_free (gpointer data)
{
  LineGeometry *geometry = data;

  g_free (geometry->group);
  g_free (geometry);
}

void
line_geometry_check_names (LineIni * ini)
{
  const char *const *groups = line_ini_groups (ini);

  for (guint i = 0; groups[i]; i++) {
    const char *name = line_ini_group_name (ini, groups[i], COMMON);
    g_autofree char *lane = g_strdup_printf ("lane %s", name ? name : "");

    if (name && !line_ini_has_group (ini, lane))
      line_ini_problem (ini, groups[i], NULL, "there is no [lane %s] whose "
          "geometry this could be: correct the name, or remove the group",
          name);
  }
}

gdouble
line_geometry_get_turn (const LineGeometry * geometry, gdouble diameter)
{
  return geometry->travel == 0 ? geometry->turn :
      360 * geometry->travel / (G_PI * diameter);
}

gdouble
line_geometry_get_coarsest (const LineGeometry * geometry)
{
  gdouble coarsest = 0;

  for (guint v = 0; v < geometry->views; v++)
    coarsest = MAX (coarsest, geometry->mm_per_pixel[v]);
  return coarsest;
}
