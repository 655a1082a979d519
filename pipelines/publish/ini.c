/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ini.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "element/gstshapesfile.h"
#include "message.h"

/* What a line defines: a group, or (with @key) a key of it. */
typedef struct
{
  char *group, *key;
  guint line;
  gboolean known;
} Entry;

/* @entries: in the order of the file; @found: the same ones, to be found
 * @n_problems: those that were left out, too
 * @is_broken: not even read: what is missing is no news */
struct _LineIni
{
  char *name;
  GKeyFile *file;
  char **groups;
  GPtrArray *entries;
  GHashTable *found;
  GString *problems;
  guint n_problems;
  gboolean is_broken;
};

G_DEFINE_QUARK (line - error - quark, line_error)

gboolean
line_fail (GError ** error, LineError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (LINE_ERROR, code, format,
          arguments));
  va_end (arguments);
  return FALSE;
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->group);
  g_free (entry->key);
  g_free (entry);
}

static guint
hash_entry (gconstpointer data)
{
  const Entry *entry = data;

  return 31 * g_str_hash (entry->group)
      + (entry->key ? g_str_hash (entry->key) : 0);
}

static gboolean
is_same_entry (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  return strcmp (x->group, y->group) == 0 && g_strcmp0 (x->key, y->key) == 0;
}

static Entry *
find (LineIni * ini, const char *group, const char *key)
{
  const Entry wanted = { (char *) group, (char *) key };

  return g_hash_table_lookup (ini->found, &wanted);
}

static void add_problem (LineIni * ini, guint line, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* A group may be read for several others. */
static gboolean
is_told (const LineIni * ini, const char *problem)
{
  g_auto (GStrv) told = g_strsplit (ini->problems->str, "\n", -1);

  return g_strv_contains ((const char *const *) told, problem);
}

static void
add_problem (LineIni * ini, guint line, const char *format, ...)
{
  va_list arguments;

  if (ini->n_problems >= LINE_INI_PROBLEMS) {
    ini->n_problems++;
    return;
  }
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *clean = line_message_text (text, -1);
  g_autofree char *problem =
      g_strdup_printf ("%s:%u: %s", ini->name, line, clean);
  if (is_told (ini, problem))
    return;
  ini->n_problems++;
  if (ini->problems->len > 0)
    g_string_append_c (ini->problems, '\n');
  g_string_append (ini->problems, problem);
}

void
line_ini_problem (LineIni * ini, const char *group, const char *key,
    const char *format, ...)
{
  Entry *entry = key ? find (ini, group, key) : NULL;
  va_list arguments;
  g_autofree char *text = NULL;

  if (ini->is_broken)
    return;
  if (!entry)
    entry = find (ini, group, NULL);
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  add_problem (ini, entry ? entry->line : 1, "%s", text);
}

static void
add_entry (LineIni * ini, const char *group, const char *key, guint line)
{
  Entry *first = find (ini, group, key), *entry;

  if (first) {
    add_problem (ini, line, "%s \"%s\" is there already, in line %u: remove "
        "one of them", key ? "key" : "group", key ? key : group, first->line);
    return;
  }
  entry = g_new0 (Entry, 1);
  entry->group = g_strdup (group);
  entry->key = g_strdup (key);
  entry->line = line;
  g_ptr_array_add (ini->entries, entry);
  g_hash_table_add (ini->found, entry);
}

/* GKeyFile knows neither lines nor duplicates. */
static gboolean
scan (LineIni * ini, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *group = NULL;
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
      add_problem (ini, i + 1, "%s", equals && equals > line ?
          "a key before the first [group]: write the group's line above it" :
          "neither [group] nor key=value nor # comment");
      good = FALSE;
    }
  }
  return good;
}

gboolean
line_ini_load (const char *path, char **text, gsize * size, GError ** error)
{
  if (!g_str_has_prefix (path, LINE_INI_RESOURCE))
    return gst_shapes_file_load (path, LINE_INI_MAX, text, size, error);
  GBytes *part = g_resources_lookup_data (path + strlen (LINE_INI_RESOURCE), 0,
      error);
  if (part)
    *text = g_bytes_unref_to_data (part, size);
  return part != NULL;
}

static guint
count_lines (const char *text, const char *end)
{
  guint line = 1;

  for (const char *at = text; at < end; at++)
    line += *at == '\n';
  return line;
}

/* Refuses characters that cannot be seen, or that hide others. @text: UTF-8 */
static gboolean
check_characters (LineIni * ini, const char *text)
{
  for (const char *at = text; *at; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    if (cs_text_is_plain (c) || c == '\n' || c == '\r' || c == '\t')
      continue;
    add_problem (ini, count_lines (text, at), "the character U+%04X cannot be "
        "seen, and changes what is: remove it", c);
    return FALSE;
  }
  return TRUE;
}

static void
load (LineIni * ini, const char *text, gsize size)
{
  g_autoptr (GError) error = NULL;
  const char *end;
  guint n;

  if (size > LINE_INI_MAX) {
    add_problem (ini, 1, "larger than 1 MiB: this is no such file");
  } else if (!g_utf8_validate_len (text, size, &end)) {
    add_problem (ini, count_lines (text, end), "not UTF-8 text: save it in "
        "that encoding");
  } else if ((n = count_lines (text, text + size)) > LINE_INI_LINES) {
    add_problem (ini, n, "more than 20,000 lines: this is no such file");
  } else {
    g_autofree char *copy = g_strndup (text, size);

    if (check_characters (ini, copy) && scan (ini, copy)
        && !g_key_file_load_from_data (ini->file, copy, size, 0, &error))
      add_problem (ini, 1, "%s", error->message);
  }
}

LineIni *
line_ini_new (const char *name, const char *text, gsize size)
{
  LineIni *ini = g_new0 (LineIni, 1);

  ini->name = line_message_text (name, -1);
  ini->file = g_key_file_new ();
  ini->entries = g_ptr_array_new_with_free_func (free_entry);
  ini->found = g_hash_table_new (hash_entry, is_same_entry);
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
  g_hash_table_unref (ini->found);
  g_ptr_array_unref (ini->entries);
  g_string_free (ini->problems, TRUE);
  g_free (ini);
}

gboolean
line_ini_tell (LineIni * ini, GError ** error)
{
  if (ini->n_problems == 0)
    return TRUE;
  if (ini->n_problems > LINE_INI_PROBLEMS)
    g_string_append_printf (ini->problems, "\n%s: and %u more", ini->name,
        ini->n_problems - LINE_INI_PROBLEMS);
  g_set_error_literal (error, LINE_ERROR, LINE_ERROR_INVALID,
      ini->problems->str);
  return FALSE;
}

gboolean
line_ini_check (LineIni * ini, GError ** error)
{
  for (guint i = 0; i < ini->entries->len && !ini->is_broken; i++) {
    Entry *entry = g_ptr_array_index (ini->entries, i);
    Entry *group = find (ini, entry->group, NULL);

    if (entry->known || (entry->key && !group->known))
      continue;
    add_problem (ini, entry->line, "unknown %s \"%s\": correct or remove it",
        entry->key ? "key" : "group", entry->key ? entry->key : entry->group);
  }
  return line_ini_tell (ini, error);
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

  if (strncmp (group, kind, length) != 0 || group[length] != ' '
      || group[length + 1] == '\0')
    return NULL;
  Entry *entry = find (ini, group, NULL);
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
line_ini_has_group (LineIni * ini, const char *group)
{
  return find (ini, group, NULL) != NULL;
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

/* A value can be written with \n and the like, but must not have such
 * characters. */
static gboolean
check_value (LineIni * ini, const char *group, const char *key,
    const char *value)
{
  if (cs_text_is_all_plain (value))
    return TRUE;
  line_ini_problem (ini, group, key, "\"%s\" has the end of a line, a tab or "
      "another control character in it: remove it", key);
  return FALSE;
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
    else if (!check_value (ini, group, key, text))
      g_clear_pointer (&text, g_free);
  } else if (!fallback) {
    line_ini_problem (ini, group, key, "[%s] lacks the key \"%s\"", group, key);
  }
  return text ? text : g_strdup (fallback ? fallback : "");
}

char **
line_ini_list (LineIni * ini, const char *group, const char *key)
{
  char **list = NULL;

  if (line_ini_has (ini, group, key))
    list = g_key_file_get_string_list (ini->file, group, key, NULL, NULL);
  for (guint i = 0; list && list[i]; i++) {
    g_strstrip (list[i]);
    if (i < LINE_INI_LIST && !check_value (ini, group, key, list[i])) {
      *list[i] = '\0';
    } else if (i >= LINE_INI_LIST) {
      if (i == LINE_INI_LIST)
        line_ini_problem (ini, group, key, "\"%s\" has more than %d parts",
            key, LINE_INI_LIST);
      g_clear_pointer (&list[i], g_free);
    }
  }
  return list ? list : g_new0 (char *, 1);
}

gdouble
line_ini_number (LineIni * ini, const char *group, const char *key,
    gdouble min, gdouble max, gdouble fallback)
{
  g_autofree char *text =
      line_ini_string (ini, group, key, isnan (fallback) ? NULL : "");
  char *end;
  const gdouble value = g_ascii_strtod (text, &end);

  if (line_ini_has (ini, group, key) && *text) {
    if (end != text && !*end && value >= min && value <= max)
      return value;
    line_ini_problem (ini, group, key,
        "\"%s\" is %s, and must be a number from %g to %g", key, text, min,
        max);
  }
  return isnan (fallback) ? min : fallback;
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
  g_autofree char *text = line_ini_string (ini, group, key, words[fallback]);
  gint found = line_ini_find (words, text);

  if (found < 0)
    line_ini_problem (ini, group, key, "\"%s\" is true or false, not \"%s\"",
        key, text);
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
