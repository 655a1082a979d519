/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_line.h"

#include <jansson.h>

#include "publish/state.h"
#include "spool_files.h"

static gboolean
copy_name (const json_t * decision, const char *member,
    char name[LINE_PUBLISH_NAME])
{
  const char *text = json_string_value (json_object_get (decision, member));

  return text && *text
      && g_strlcpy (name, text, LINE_PUBLISH_NAME) < LINE_PUBLISH_NAME;
}

static const char *
read_key (const json_t * decision, LinePublishKey * key)
{
  const char *schema = json_string_value (json_object_get (decision, "schema"));
  const json_t *piece = json_object_get (decision, "piece");

  if (g_strcmp0 (schema, "fruit-line/2") != 0
      && g_strcmp0 (schema, "fruit-line/1") != 0)
    return "its \"schema\" is neither fruit-line/2 nor fruit-line/1";
  if (!copy_name (decision, "line", key->names[0]))
    return "it has no \"line\"";
  if (!copy_name (decision, "lane", key->names[1])
      || !line_name_is_lane (key->names[1]))
    return "it has no \"lane\"";
  if (!json_is_integer (piece) || json_integer_value (piece) < 0)
    return "it has no \"piece\"";
  return NULL;
}

const char *
line_publish_parse (const char *text, gsize size, const char *stream,
    LinePublishKey * key)
{
  json_auto_t *decision = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);

  return decision ? read_key (decision, key) : "it is not JSON";
}

gboolean
line_publish_state_load (const char *path, const char *line,
    LineSpoolPosition * position, GError ** error)
{
  g_autoptr (GHashTable) positions =
      line_publish_state_read (&line_publish_decisions, path, error);

  return positions && line_publish_state_find (positions, path, line, position,
      error);
}

gboolean
line_publish_state_save (const char *path, const char *line,
    const LineSpoolPosition * position, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  line_publish_state_add (&line_publish_decisions, text, line, position);
  return line_publish_state_write (path, text, error);
}

const LinePublishKind line_publish_decisions = {
  "decisions", "line", "fruit-line-publisher-state/1",
  "fruit-line-publisher/1", FALSE, &line_spool_decisions,
  {"{line}", "{lane}"}, 2, "fruit-line/{line}/{lane}", "fruit-line",
  "fruit-line-", "recordings copy this file",
  "its \"line\" makes no topic", line_publish_parse
};
