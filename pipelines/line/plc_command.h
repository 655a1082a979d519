/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "commander.h"
#include "journal.h"
#include "plc_rings.h"

/* Registers: that the PLC writes, and then those that the line answers in */
#define LINE_PLC_COMMAND 7
#define LINE_PLC_VERDICT 3
#define LINE_PLC_COMMAND_REGISTERS (LINE_PLC_COMMAND + LINE_PLC_VERDICT)

/* What an answer says. Other programs know these numbers. */
typedef enum
{
  LINE_PLC_VERDICT_NONE = 0,
  LINE_PLC_VERDICT_DONE = 1,
  LINE_PLC_VERDICT_REFUSED = 2,
  LINE_PLC_VERDICT_BUSY = 3,
} LinePlcVerdict;

/**
 * LinePlcCommands:
 *
 * Another recipe, by registers of the PLC: which of its commands are new, and
 * what has been answered. Nothing here waits. Not thread-safe.
 */
typedef struct _LinePlcCommands LinePlcCommands;

/* @config, @run: outlive it. @last: (nullable): of the run before, see
 * line_plc_command_note() */
LinePlcCommands *line_plc_commands_new (const LineConfig * config,
    const LineRun * run, const json_t * last);
void line_plc_commands_free (LinePlcCommands * commands);

/* The registers have been read: LINE_PLC_COMMAND_REGISTERS @values. @rings:
 * (nullable): which know the PLC's numbers. @message: (out): to be printed and
 * freed, or NULL. Returns: a new command, or NULL */
LineCommand *line_plc_commands_see (LinePlcCommands * commands,
    const guint16 * values, const LinePlcRings * rings, char **message);

/* The command with @counter has been answered. Of another one nothing is done. */
void line_plc_commands_answer (LinePlcCommands * commands, guint counter,
    LinePlcVerdict verdict);

/* Returns: whether @values are to be written into the PLC, behind the command */
gboolean line_plc_commands_get_answer (const LinePlcCommands * commands,
    guint16 values[LINE_PLC_VERDICT]);
/* They are there, until a reading says otherwise. */
void line_plc_commands_wrote (LinePlcCommands * commands);

/* Notes in @in_force that @command, of a PLC, is answered. */
void line_plc_command_note (json_t * in_force, const LineCommand * command,
    gboolean is_done);
