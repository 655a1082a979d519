/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_line.h"

#include <jansson.h>

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
  if (!copy_name (decision, "line", key->line))
    return "it has no \"line\"";
  if (!copy_name (decision, "lane", key->lane) || !line_name_is_lane (key->lane))
    return "it has no \"lane\"";
  if (!json_is_integer (piece) || json_integer_value (piece) < 0)
    return "it has no \"piece\"";
  key->piece = json_integer_value (piece);
  return NULL;
}

const char *
line_publish_parse (const char *text, gsize size, LinePublishKey * key)
{
  json_auto_t *decision = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);

  return decision ? read_key (decision, key) : "it is not JSON";
}
