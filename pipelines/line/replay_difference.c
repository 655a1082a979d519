/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay_difference.h"

#include <string.h>

/* Of a value, in a line for people */
#define MAX_TEXT 80

/* A value that is there on one side only is nothing on the other. */
static void
append_value (GString * text, const json_t * value)
{
  const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII
      | JSON_REAL_PRECISION (15);
  char *dumped = value ? json_dumps (value, flags) : NULL;

  if (dumped && strlen (dumped) > MAX_TEXT)
    g_string_append_printf (text, "%.*s...", MAX_TEXT, dumped);
  else
    g_string_append (text, dumped ? dumped : "nothing");
  free (dumped);
}

/* Whether @reason is one of @reasons; there may be any values in them. */
static gboolean
has_reason (const json_t * reasons, const char *reason)
{
  const json_t *value;
  size_t i;

  json_array_foreach (reasons, i, value)
    if (g_strcmp0 (json_string_value (value), reason) == 0)
      return TRUE;
  return FALSE;
}

/* The reasons of @a that @b has not, without the first: it names the rule.
 * Returns: whether there are any */
static gboolean
append_reasons (GString * text, const char *before, const json_t * a,
    const json_t * b)
{
  const gsize length = text->len;
  const json_t *value;
  size_t i;

  json_array_foreach (a, i, value) {
    const char *reason = json_string_value (value);

    if (i == 0 || !reason || has_reason (b, reason))
      continue;
    g_autofree char *escaped = g_strescape (reason, NULL);
    g_string_append_printf (text, "%s%s", text->len > length ? ", " : before,
        escaped);
  }
  return text->len > length;
}

/* Why a piece's reasons are others: what does not hold now and did, else what
 * did not hold and does now, else by which rule. */
static void
append_cause (GString * text, const json_t * recorded, const json_t * replayed)
{
  const json_t *old = json_object_get (recorded, "reasons");
  const json_t *new = json_object_get (replayed, "reasons");

  g_string_append (text, " (");
  if (!append_reasons (text, "", new, old)
      && !append_reasons (text, "no longer ", old, new)) {
    g_string_append (text, "by ");
    append_value (text, json_array_get (new, 0));
  }
  g_string_append_c (text, ')');
}

/* A key of @a or @b of which the values differ; NULL if there is none. @n: how
 * many there are */
static const char *
find_key (const json_t * a, const json_t * b, guint * n)
{
  const char *key, *found = NULL;
  json_t *value;

  *n = 0;
  json_object_foreach ((json_t *) a, key, value)
    if (!json_equal (value, json_object_get (b, key))) {
      found = found ? found : key;
      ++*n;
    }
  json_object_foreach ((json_t *) b, key, value)
    if (!json_object_get (a, key)) {
      found = found ? found : key;
      ++*n;
    }
  return found;
}

/* The first member that differs, and those in it: "classes.rot.mm2 1 -> 2" */
static void
append_member (GString * text, const json_t * a, const json_t * b)
{
  gboolean is_more = FALSE;

  for (;;) {
    if (json_is_object (a) && json_is_object (b)) {
      guint n;
      const char *key = find_key (a, b, &n);
      g_autofree char *escaped = g_strescape (key, NULL);

      g_string_append_printf (text, "%s%s", text->len ? "." : "", escaped);
      is_more |= n > 1;
      a = json_object_get (a, key);
      b = json_object_get (b, key);
    } else if (json_is_array (a) && json_is_array (b)
        && json_array_size (a) == json_array_size (b)) {
      size_t i = 0;

      while (json_equal (json_array_get (a, i), json_array_get (b, i)))
        i++;
      g_string_append_printf (text, "[%" G_GSIZE_FORMAT "]", (gsize) i);
      a = json_array_get (a, i);
      b = json_array_get (b, i);
    } else {
      break;
    }
  }
  g_string_append_c (text, ' ');
  append_value (text, a);
  g_string_append (text, " -> ");
  append_value (text, b);
  if (is_more)
    g_string_append (text, ", and more");
}

static void
remove_members (json_t * decision, gboolean has_other_recipe)
{
  json_object_del (decision, "latency_us");
  json_object_del (decision, "software");
  if (has_other_recipe)
    json_object_del (decision, "recipe");
}

char *
line_replay_difference (json_t * recorded, json_t * replayed,
    gboolean has_other_recipe)
{
  const json_int_t from =
      json_integer_value (json_object_get (recorded, "outlet"));
  const json_int_t to =
      json_integer_value (json_object_get (replayed, "outlet"));
  guint n;

  remove_members (recorded, has_other_recipe);
  remove_members (replayed, has_other_recipe);
  if (json_equal (recorded, replayed))
    return NULL;
  GString *text = g_string_new (NULL);
  if (from != to) {
    g_string_append_printf (text, "outlet %" JSON_INTEGER_FORMAT " -> %"
        JSON_INTEGER_FORMAT, from, to);
    append_cause (text, recorded, replayed);
  } else if (g_strcmp0 (find_key (recorded, replayed, &n), "reasons") == 0
      && n == 1) {
    g_string_append_printf (text, "outlet %" JSON_INTEGER_FORMAT
        " as before", to);
    append_cause (text, recorded, replayed);
  } else {
    append_member (text, recorded, replayed);
  }
  return g_string_free (text, FALSE);
}
