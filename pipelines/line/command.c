/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command.h"

#include <string.h>

#include "publish/ini.h"
#include "publish/message.h"
#include "publish/names.h"

/* Characters of a grower, a variety, a bin */
#define LONGEST_TEXT 64

/* By LineCommandKind: as they are written, and the members that they have
 * besides */
static const struct
{
  const char *name, *members;
} kinds[] = {
  {"reload", ""},
  {"recipe", " recipe lane from "},
  {"lot-begin", " lot grower variety bin from "},
  {"lot-end", " from "},
  {"alarm-ack", " alarm "},
};

/* The members that are texts, and where they are kept */
static const struct
{
  const char *name;
  gsize offset;
} texts[] = {
  {"recipe", G_STRUCT_OFFSET (LineCommand, recipe)},
  {"lane", G_STRUCT_OFFSET (LineCommand, lane)},
  {"lot", G_STRUCT_OFFSET (LineCommand, lot)},
  {"grower", G_STRUCT_OFFSET (LineCommand, grower)},
  {"variety", G_STRUCT_OFFSET (LineCommand, variety)},
  {"bin", G_STRUCT_OFFSET (LineCommand, bin)},
};

void
line_command_free (LineCommand * command)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (G_STRUCT_MEMBER (char *, command, texts[i].offset));
  g_free (command->froms);
  g_free (command->wrong);
  g_free (command);
}

LineCommand *
line_command_new_reload (void)
{
  LineCommand *command = g_new0 (LineCommand, 1);

  command->kind = LINE_COMMAND_RELOAD;
  command->from = -1;
  return command;
}

static gboolean
parse_kind (LineCommand * command, const json_t * json, GError ** error)
{
  const char *name = json_string_value (json_object_get (json, "do"));

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (name, kinds[i].name) == 0) {
      command->kind = (LineCommandKind) i;
      return TRUE;
    }
  return line_fail (error, LINE_ERROR_INVALID, "\"do\" says what is to be "
      "done: \"recipe\", \"lot-begin\", \"lot-end\", \"alarm-ack\" or "
      "\"reload\"");
}

/* Names of files are told from other texts here. */
static gboolean
check_text (const char *name, const json_t * value, GError ** error)
{
  const char *text = json_string_value (value);

  if (!text)
    return line_fail (error, LINE_ERROR_INVALID, "\"%s\" must be a text, "
        "between quotes", name);
  if (strcmp (name, "recipe") == 0 || strcmp (name, "lot") == 0)
    return line_name_is_file (text) || line_fail (error, LINE_ERROR_INVALID,
        "\"%s\": " LINE_FILE_NAME_RULE, name);
  if (strcmp (name, "lane") == 0)
    return line_name_is_lane (text) || line_fail (error, LINE_ERROR_INVALID,
        "\"lane\": " LINE_LANE_NAME_RULE);
  g_autofree char *clean = line_message_text (text, -1);
  return (strlen (text) == json_string_length (value)
      && strcmp (clean, text) == 0
      && g_utf8_strlen (text, -1) <= LONGEST_TEXT)
      || line_fail (error, LINE_ERROR_INVALID, "\"%s\" must be one line of at "
      "most %d characters", name, LONGEST_TEXT);
}

static gboolean
parse_number (const char *name, const char *what, const json_t * value,
    gint64 * number, GError ** error)
{
  *number = json_integer_value (value);
  return (json_is_integer (value) && *number >= 0
      && *number < LINE_COMMAND_MOST_PIECES) || line_fail (error,
      LINE_ERROR_INVALID, "\"%s\" must be the number of %s", name, what);
}

static gboolean
parse_member (LineCommand * command, const char *name, const json_t * value,
    GError ** error)
{
  g_autofree char *word = g_strdup_printf (" %s ", name);

  if (strcmp (name, "do") == 0)
    return TRUE;
  if (!strstr (kinds[command->kind].members, word) || strchr (name, ' ')) {
    g_autofree char *clean = line_message_text (name, -1);

    return line_fail (error, LINE_ERROR_INVALID, "\"%s\" has no \"%s\"; it "
        "has:%s", kinds[command->kind].name, clean,
        *kinds[command->kind].members ? kinds[command->kind].members :
        " nothing else");
  }
  if (strcmp (name, "from") == 0)
    return parse_number (name, "a piece", value, &command->from, error);
  if (strcmp (name, "alarm") == 0)
    return parse_number (name, "an alarm", value, &command->alarm, error);
  if (!check_text (name, value, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strcmp (name, texts[i].name) == 0)
      G_STRUCT_MEMBER (char *, command, texts[i].offset) =
          g_strdup (json_string_value (value));
  return TRUE;
}

/* Without its name it is nothing. */
static gboolean
check_whole (const LineCommand * command, GError ** error)
{
  if (command->kind == LINE_COMMAND_RECIPE && !command->recipe)
    return line_fail (error, LINE_ERROR_INVALID, "\"recipe\" is missing: the "
        "name of one of GET /recipes");
  if (command->kind == LINE_COMMAND_LOT_BEGIN && !command->lot)
    return line_fail (error, LINE_ERROR_INVALID, "\"lot\" is missing: the name "
        "of the lot that begins");
  if (command->kind == LINE_COMMAND_ALARM_ACK && command->alarm == 0)
    return line_fail (error, LINE_ERROR_INVALID, "\"alarm\" is missing: the "
        "number of one of GET /alarms.json");
  return TRUE;
}

LineCommand *
line_command_parse (const char *text, gsize size, GError ** error)
{
  json_error_t wrong;
  json_auto_t *json = size <= LINE_COMMAND_LONGEST ?
      json_loadb (text, size, JSON_REJECT_DUPLICATES, &wrong) : NULL;
  g_autoptr (LineCommand) command = line_command_new_reload ();
  const char *name;
  json_t *value;

  if (size > LINE_COMMAND_LONGEST)
    line_fail (error, LINE_ERROR_INVALID, "a command has at most %d bytes",
        LINE_COMMAND_LONGEST);
  if (size > LINE_COMMAND_LONGEST)
    return NULL;
  if (!json_is_object (json)) {
    g_autofree char *clean = json ? g_strdup ("this is no object") :
        line_message_text (wrong.text, -1);

    line_fail (error, LINE_ERROR_INVALID, "a command is an object of JSON: %s",
        clean);
    return NULL;
  }
  if (!parse_kind (command, json, error))
    return NULL;
  json_object_foreach (json, name, value)
    if (!parse_member (command, name, value, error))
    return NULL;
  return check_whole (command, error) ? g_steal_pointer (&command) : NULL;
}

json_t *
line_command_to_json (const LineCommand * command)
{
  json_t *json = json_pack ("{s:s}", "do", kinds[command->kind].name);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const char *text = G_STRUCT_MEMBER (char *, command, texts[i].offset);

    if (text)
      json_object_set_new (json, texts[i].name, json_string (text));
  }
  if (command->kind == LINE_COMMAND_ALARM_ACK)
    json_object_set_new (json, "alarm", json_integer (command->alarm));
  if (command->from >= 0)
    json_object_set_new (json, "from", json_integer (command->from));
  if (command->words[0] != 0) {
    json_t *words = json_array ();

    for (guint i = 0; i < G_N_ELEMENTS (command->words); i++)
      json_array_append_new (words, json_integer (command->words[i]));
    json_object_set_new (json, "plc", words);
  }
  return json;
}

gint64
line_command_get_from (const LineCommand * command, guint lane)
{
  return command->froms ? command->froms[lane] : command->from;
}
