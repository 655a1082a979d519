/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursprivate.h"

static gint
compare_levels (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

gboolean
contours_sort_band_levels (const ContoursSettings * settings,
    GArray * levels, GError ** error)
{
  guint i;

  if (settings->auto_level || levels->len < 2) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "bands=true fills what is "
        "between two levels; give at least two, such as levels=\"0.25,0.5\"%s",
        settings->auto_level ? ", and unset auto-level" : "");
    return FALSE;
  }
  g_array_sort (levels, compare_levels);
  for (i = 1; i < levels->len; i++) {
    const gdouble level = g_array_index (levels, gdouble, i);

    if (level > g_array_index (levels, gdouble, i - 1))
      continue;
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "with bands=true the "
        "levels must differ; levels=\"%s\" has %g twice", settings->levels,
        level);
    return FALSE;
  }
  return TRUE;
}

void
contours_expand_band_classes (GArray * classes, GArray * levels)
{
  const guint n_classes = classes->len, n_levels = levels->len;
  guint i;

  g_array_set_size (classes, n_classes * n_levels);
  g_array_set_size (levels, n_classes * n_levels);
  /* from the end, where nothing is left to be read */
  for (i = n_classes * n_levels; i-- > 0;) {
    g_array_index (classes, guint, i) =
        g_array_index (classes, guint, i / n_levels);
    g_array_index (levels, gdouble, i) =
        g_array_index (levels, gdouble, i % n_levels);
  }
}
