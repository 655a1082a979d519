/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ini.h"

#include <math.h>
#include <string.h>

#include "element/gstshapesfile.h"

/* What a line defines: a group, or (with @key) a key of it. */
typedef struct
{
  char *group, *key;
  guint line;
  gboolean known;
} Entry;

struct _LineIni
{
  char *name;
  GKeyFile *file;
  char **groups;
  GArray *entries;
  GString *problems;
  /* not even read: what is missing is no news */
  gboolean is_broken;
};

G_DEFINE_QUARK (line - error - quark, line_error)

static void
clear_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->group);
  g_free (entry->key);
}

static Entry *
find (LineIni * ini, const char *group, const char *key)
{
  for (guint i = 0; i < ini->entries->len; i++) {
    Entry *entry = &g_array_index (ini->entries, Entry, i);

    if (g_strcmp0 (entry->group, group) == 0
        && g_strcmp0 (entry->key, key) == 0)
      return entry;
  }
  return NULL;
}

/* A value with \n and the like in it must not make lines of its own. */
static void
add_problem (LineIni * ini, guint line, const char *text)
{
  char *clean = g_strdelimit (g_strdup (text), "\n\r\t\033", ' ');

  if (ini->problems->len > 0)
    g_string_append_c (ini->problems, '\n');
  g_string_append_printf (ini->problems, "%s:%u: %s", ini->name, line, clean);
  g_free (clean);
}

void
line_ini_problem (LineIni * ini, const char *group, const char *key,
    const char *format, ...)
{
  Entry *entry = key ? find (ini, group, key) : NULL;
  va_list arguments;
  char *text;

  if (ini->is_broken)
    return;
  if (!entry)
    entry = find (ini, group, NULL);
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  add_problem (ini, entry ? entry->line : 1, text);
  g_free (text);
}

static void
add_entry (LineIni * ini, const char *group, const char *key, guint line)
{
  Entry entry = { g_strdup (group), g_strdup (key), line, FALSE };
  Entry *first = find (ini, group, key);

  if (first) {
    char *text = g_strdup_printf ("%s \"%s\" is there already, in line %u: "
        "remove one of them", key ? "key" : "group", key ? key : group,
        first->line);

    add_problem (ini, line, text);
    g_free (text);
    clear_entry (&entry);
    return;
  }
  g_array_append_val (ini->entries, entry);
}

/* GKeyFile tells neither lines nor duplicates. */
static gboolean
scan (LineIni * ini, const char *text)
{
  char **lines = g_strsplit (text, "\n", -1), *group = NULL;
  gboolean good = TRUE;

  for (guint i = 0; lines[i] && good; i++) {
    char *line = g_strstrip (lines[i]), *equals = strchr (line, '=');
    gsize length = strlen (line);

    if (*line == '\0' || *line == '#')
      continue;
    if (*line == '[' && length > 2 && line[length - 1] == ']') {
      line[length - 1] = '\0';
      g_free (group);
      group = g_strdup (line + 1);
      add_entry (ini, group, NULL, i + 1);
    } else if (equals && equals > line && group) {
      *equals = '\0';
      add_entry (ini, group, g_strchomp (line), i + 1);
    } else {
      add_problem (ini, i + 1, equals && equals > line ?
          "a key before the first [group]: write the group's line above it" :
          "neither [group] nor key=value nor # comment");
      good = FALSE;
    }
  }
  g_free (group);
  g_strfreev (lines);
  return good;
}

gboolean
line_ini_load (const char *path, char **text, gsize * size, GError ** error)
{
  return gst_shapes_file_load (path, LINE_INI_MAX, text, size, error);
}

static void
load (LineIni * ini, const char *text, gsize size)
{
  GError *error = NULL;
  const char *end;

  if (size > LINE_INI_MAX) {
    add_problem (ini, 1, "larger than 1 MiB: this is no such file");
  } else if (!g_utf8_validate_len (text, size, &end)) {
    guint line = 1;

    for (const char *at = text; at < end; at++)
      line += *at == '\n';
    add_problem (ini, line, "not UTF-8 text: save it in that encoding");
  } else {
    char *copy = g_strndup (text, size);

    if (scan (ini, copy)
        && !g_key_file_load_from_data (ini->file, copy, size, 0, &error)) {
      add_problem (ini, 1, error->message);
      g_clear_error (&error);
    }
    g_free (copy);
  }
}

LineIni *
line_ini_new (const char *name, const char *text, gsize size)
{
  LineIni *ini = g_new0 (LineIni, 1);

  ini->name = g_strdup (name);
  ini->file = g_key_file_new ();
  ini->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (ini->entries, clear_entry);
  ini->problems = g_string_new (NULL);
  load (ini, text, size);
  ini->is_broken = ini->problems->len > 0;
  ini->groups = g_key_file_get_groups (ini->file, NULL);
  return ini;
}

void
line_ini_free (LineIni * ini)
{
  g_free (ini->name);
  g_key_file_free (ini->file);
  g_strfreev (ini->groups);
  g_array_free (ini->entries, TRUE);
  g_string_free (ini->problems, TRUE);
  g_free (ini);
}

gboolean
line_ini_check (LineIni * ini, GError ** error)
{
  for (guint i = 0; i < ini->entries->len && !ini->is_broken; i++) {
    Entry *entry = &g_array_index (ini->entries, Entry, i);
    Entry *group = find (ini, entry->group, NULL);
    char *text;

    if (entry->known || (entry->key && !group->known))
      continue;
    text = g_strdup_printf ("unknown %s \"%s\": correct or remove it",
        entry->key ? "key" : "group", entry->key ? entry->key : entry->group);
    add_problem (ini, entry->line, text);
    g_free (text);
  }
  if (ini->problems->len == 0)
    return TRUE;
  g_set_error_literal (error, LINE_ERROR, LINE_ERROR_INVALID,
      ini->problems->str);
  return FALSE;
}

const char *const *
line_ini_groups (LineIni * ini)
{
  return (const char *const *) ini->groups;
}

const char *
line_ini_group_name (LineIni * ini, const char *group, const char *kind)
{
  gsize length = strlen (kind);
  Entry *entry;

  if (strncmp (group, kind, length) != 0 || group[length] != ' '
      || group[length + 1] == '\0')
    return NULL;
  entry = find (ini, group, NULL);
  if (entry)
    entry->known = TRUE;
  return group + length + 1;
}

char **
line_ini_keys (LineIni * ini, const char *group)
{
  char **keys = g_key_file_get_keys (ini->file, group, NULL, NULL);

  return keys ? keys : g_new0 (char *, 1);
}

gboolean
line_ini_has (LineIni * ini, const char *group, const char *key)
{
  Entry *entry = find (ini, group, NULL);

  if (entry)
    entry->known = TRUE;
  entry = find (ini, group, key);
  if (entry)
    entry->known = TRUE;
  return entry != NULL;
}

char *
line_ini_string (LineIni * ini, const char *group, const char *key,
    const char *fallback)
{
  char *text = NULL;

  if (line_ini_has (ini, group, key)) {
    text = g_key_file_get_string (ini->file, group, key, NULL);
    if (!text || !*text)
      line_ini_problem (ini, group, key, "\"%s\" has no value", key);
  } else if (!fallback) {
    line_ini_problem (ini, group, key, "[%s] lacks the key \"%s\"", group,
        key);
  }
  return text ? text : g_strdup (fallback ? fallback : "");
}

char **
line_ini_list (LineIni * ini, const char *group, const char *key)
{
  char **list = NULL;

  if (line_ini_has (ini, group, key))
    list = g_key_file_get_string_list (ini->file, group, key, NULL, NULL);
  for (guint i = 0; list && list[i]; i++)
    g_strstrip (list[i]);
  return list ? list : g_new0 (char *, 1);
}

gdouble
line_ini_number (LineIni * ini, const char *group, const char *key,
    gdouble min, gdouble max, gdouble fallback)
{
  char *text = line_ini_string (ini, group, key, isnan (fallback) ? NULL : ""),
      *end;
  gdouble value = g_ascii_strtod (text, &end);

  if (line_ini_has (ini, group, key) && *text) {
    if (end == text || *end || !(value >= min && value <= max)) {
      line_ini_problem (ini, group, key,
          "\"%s\" is %s, and must be a number from %g to %g", key, text, min,
          max);
      value = isnan (fallback) ? min : fallback;
    }
  } else {
    value = isnan (fallback) ? min : fallback;
  }
  g_free (text);
  return value;
}

gint64
line_ini_integer (LineIni * ini, const char *group, const char *key,
    gint64 min, gint64 max, gint64 fallback)
{
  gdouble value = line_ini_number (ini, group, key, min, max,
      fallback < min ? (gdouble) NAN : (gdouble) fallback);

  if (value != floor (value)) {
    line_ini_problem (ini, group, key, "\"%s\" is %g, and must be whole", key,
        value);
    return min;
  }
  return (gint64) value;
}

gboolean
line_ini_boolean (LineIni * ini, const char *group, const char *key,
    gboolean fallback)
{
  static const char *const words[] = { "false", "true", NULL };
  char *text = line_ini_string (ini, group, key, words[fallback]);
  gint found = line_ini_find (words, text);

  if (found < 0)
    line_ini_problem (ini, group, key, "\"%s\" is true or false, not \"%s\"",
        key, text);
  g_free (text);
  return found < 0 ? fallback : found;
}

gint
line_ini_find (const char *const *words, const char *word)
{
  for (gint i = 0; words[i]; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  return -1;
}
