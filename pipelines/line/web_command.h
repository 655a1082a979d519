/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "commander.h"
#include "tokens.h"
#include "web_answer.h"
#include "web_request.h"

/**
 * LineWebCommands:
 *
 * Commands of the page's clients on their way to the commander, and answers on
 * their way back: nobody waits for anybody. For the page's thread.
 */
typedef struct _LineWebCommands LineWebCommands;

/* @commander: outlives it, or is closed before. @tokens: (nullable): without,
 * none is taken. Returns: NULL with @error set */
LineWebCommands *line_web_commands_new (LineCommander * commander,
    const LineTokens * tokens, GError ** error);
void line_web_commands_free (LineWebCommands * commands);

/* Can be read when there is an answer. */
int line_web_commands_get_fd (const LineWebCommands * commands);

/* Looks at a request before its body is read. @is_own: whether no page of
 * somebody else's asks. @who: (out): whose token it has. Returns: FALSE with
 * @refusal set */
gboolean line_web_commands_check (const LineWebCommands * commands,
    const LineWebRequest * request, gboolean is_own, const char **who,
    LineWebAnswer * refusal);

/* @text: a command, of @size bytes. Returns: FALSE with @refusal set if too many
 * wait */
gboolean line_web_commands_ask (LineWebCommands * commands, const char *who,
    const char *text, gsize size, guint64 ticket, LineWebAnswer * refusal);

/* Returns: FALSE if there is no answer; else @answer is that to @ticket */
gboolean line_web_commands_take (LineWebCommands * commands,
    guint64 * ticket, LineWebAnswer * answer);

/* To one that takes long: it is carried out all the same. */
LineWebAnswer line_web_commands_put_off (void);
