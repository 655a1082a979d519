/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "publish/folder.h"

#define LINE_COMMANDS "commands.jsonl"

/**
 * LineCommandLog:
 *
 * All commands that there were, and what became of them: a file that is only
 * ever added to. A command has two lines of the same id: when it was asked for,
 * by whom and what; and its answer, with what is in force from then on. Both are
 * on the disk before anything else happens. So the last answer says what the
 * line does, whenever it ends; a command without an answer has changed nothing.
 * For one thread, but line_command_log_read().
 */
typedef struct _LineCommandLog LineCommandLog;

/**
 * line_command_log_open:
 * @folder: that it is in; the file is made with the first command
 * @in_force: (out): what the last answer says is in force; NULL without one
 * @error: return location for a #GError
 *
 * Commands that were asked for and not answered are answered now: they have
 * changed nothing. What is no line of a log is passed over with a message.
 *
 * Returns: NULL with @error set if it cannot be read or written
 */
LineCommandLog *line_command_log_open (LineFolder * folder,
    json_t ** in_force, GError ** error);
void line_command_log_free (LineCommandLog * log);

/* Whether there is anything in it. */
gboolean line_command_log_is_used (const LineCommandLog * log);

/* @what: what is asked for. Returns: its id; 0 with @error set if it cannot be
 * written: it must not be carried out then */
guint64 line_command_log_ask (LineCommandLog * log, const char *who,
    const json_t * what, GError ** error);

/* @why: it is refused; NULL if it is done. @in_force: from now on. Returns:
 * FALSE with @error set if it cannot be written: nothing must be changed then */
gboolean line_command_log_answer (LineCommandLog * log, guint64 id,
    const char *who, const char *why, const json_t * in_force,
    GError ** error);

/* The last lines, as an array of JSON, to be freed. From any thread. */
char *line_command_log_read (const LineFolder * folder);
