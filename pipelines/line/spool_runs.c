/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spool_runs.h"

#include <string.h>

#include "spool.h"

/* Digits stand for any digit. */
#define PATTERN "0000-00-00T00-00-00Z"
#define LENGTH (sizeof (PATTERN) - 1)

/* Digits of the number behind */
#define MOST_DIGITS 9

/* Returns: n of "-n" behind the time, from 2 on, 1 without it; 0 if it is wrong */
static guint
read_number (const char *name)
{
  const char *text = name + LENGTH;

  if (*text == '\0')
    return 1;
  gsize digits = strspn (text + 1, "0123456789");
  if (*text != '-' || digits < 1 || digits > MOST_DIGITS || text[1] == '0'
      || text[1 + digits] != '\0' || strcmp (text, "-1") == 0)
    return 0;
  return g_ascii_strtoull (text + 1, NULL, 10);
}

gboolean
line_spool_is_run (const char *name)
{
  for (gsize i = 0; i < LENGTH; i++)
    if (g_ascii_isdigit (PATTERN[i]) ? !g_ascii_isdigit (name[i]) :
        name[i] != PATTERN[i])
      return FALSE;
  return read_number (name) > 0;
}

int
line_spool_compare_runs (const char *a, const char *b)
{
  int order = strncmp (a, b, LENGTH);
  guint x, y;

  if (order != 0)
    return order;
  x = read_number (a);
  y = read_number (b);
  return (x > y) - (x < y);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return line_spool_compare_runs (*(const char *const *) a,
      *(const char *const *) b);
}

LineFolder *
line_spool_open_run (const char *output, const char *run)
{
  g_autoptr (LineFolder) parent = line_folder_open (output, FALSE, NULL);

  return !parent || !*run ? g_steal_pointer (&parent) :
      line_folder_open_inside (parent, run, FALSE, NULL);
}

/* All folders that have a run's name. */
static GPtrArray *
list_folders (const char *output)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (LineFolder) folder = line_folder_open (output, FALSE, NULL);

  if (!folder)
    return runs;
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  for (guint i = 0; i < names->len; i++)
    if (line_spool_is_run (names->pdata[i]))
      g_ptr_array_add (runs, g_strdup (names->pdata[i]));
  g_ptr_array_sort (runs, compare_names);
  return runs;
}

static gboolean
has_decisions (const char *output, const char *run)
{
  g_autoptr (LineFolder) folder = line_spool_open_run (output, run);
  g_autoptr (GArray) segments = line_spool_list (folder);

  return segments->len > 0;
}

GPtrArray *
line_spool_list_runs (const char *output, const char *from)
{
  GPtrArray *runs = list_folders (output);

  for (guint i = runs->len; i-- > 0;) {
    const char *run = g_ptr_array_index (runs, i);

    if ((from && *from && line_spool_compare_runs (run, from) < 0)
        || !has_decisions (output, run))
      g_ptr_array_remove_index (runs, i);
  }
  return runs;
}

gboolean
line_spool_find_run (const char *output, const char *after,
    char name[LINE_SPOOL_RUN])
{
  g_autoptr (GPtrArray) runs = list_folders (output);
  gboolean found = FALSE;

  for (guint i = 0; i < runs->len && !found; i++) {
    const char *run = g_ptr_array_index (runs, i);

    found = (!after || !*after || line_spool_compare_runs (run, after) > 0)
        && has_decisions (output, run);
    if (found)
      g_strlcpy (name, run, LINE_SPOOL_RUN);
  }
  return found;
}

char *
line_spool_name_run (const char *output, gint64 now)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (now);
  g_autofree char *name = g_date_time_format (time, "%Y-%m-%dT%H-%M-%SZ");
  g_autoptr (GPtrArray) runs = list_folders (output);
  const char *last = runs->len > 0 ?
      g_ptr_array_index (runs, runs->len - 1) : NULL;

  return last && line_spool_compare_runs (last, name) >= 0 ?
      g_strdup_printf ("%.*s-%u", (int) LENGTH, last, read_number (last) + 1) :
      g_steal_pointer (&name);
}
