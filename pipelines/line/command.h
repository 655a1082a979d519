/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Bytes of a command as JSON, at most */
#define LINE_COMMAND_LONGEST 2048

/* Pieces have smaller numbers: whoever reads JSON with doubles knows them
 * exactly. */
#define LINE_COMMAND_MOST_PIECES (G_GINT64_CONSTANT (1) << 53)

/**
 * LineCommandKind:
 * @LINE_COMMAND_RELOAD: all lanes take the configuration's recipe, read again
 * @LINE_COMMAND_RECIPE: another recipe
 * @LINE_COMMAND_LOT_BEGIN: another lot
 * @LINE_COMMAND_LOT_END: no lot
 * @LINE_COMMAND_ALARM_ACK: somebody has taken note of an alarm
 *
 * What can be changed while a line runs.
 */
typedef enum
{
  LINE_COMMAND_RELOAD,
  LINE_COMMAND_RECIPE,
  LINE_COMMAND_LOT_BEGIN,
  LINE_COMMAND_LOT_END,
  LINE_COMMAND_ALARM_ACK,
} LineCommandKind;

/**
 * LineCommand:
 * @recipe: of RECIPE: its name
 * @lane: of RECIPE: of which lane; NULL for all
 * @lot: of LOT_BEGIN: its name
 * @grower: of LOT_BEGIN, as @variety and @bin; NULL if it is not said
 * @alarm: of ALARM_ACK: its number
 * @from: number of the first piece that it is for; -1: the next one that is decided
 * @froms: (nullable): the same for each lane, in place of it
 * @words: of a PLC: as it has written it; else 0
 * @wrong: (nullable): why nothing can be made of @words
 *
 * What somebody wants to be changed.
 */
typedef struct
{
  LineCommandKind kind;
  char *recipe, *lane, *lot, *grower, *variety, *bin;
  gint64 alarm, from, *froms;
  guint16 words[7];
  char *wrong;
} LineCommand;

/**
 * line_command_parse:
 * @text: an object of JSON, of @size bytes; any bytes
 * @error: return location for a #GError
 *
 * Members that the kind does not have are refused, so that nothing that is
 * meant is passed over. Names are such of files, lines of text are short: they
 * need no further care.
 *
 * Returns: NULL with @error set to what is wrong and what may be there
 */
LineCommand *line_command_parse (const char *text, gsize size,
    GError ** error);
LineCommand *line_command_new_reload (void);
void line_command_free (LineCommand * command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineCommand, line_command_free)

/* Number of the first piece of @lane that it is for; -1: the next one */
gint64 line_command_get_from (const LineCommand * command, guint lane);

/* As it is parsed, or what the PLC has written. To be freed by json_decref(). */
json_t *line_command_to_json (const LineCommand * command);
