/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "alarms.h"
#include "command.h"
#include "event_queue.h"
#include "lots.h"
#include "recipe.h"
#include "settings.h"

/**
 * LineCommander:
 *
 * Carries commands out, one after the other, whoever they come from, in a thread
 * of its own: whatever is in a recipe's file, and however slow the disk is,
 * nobody waits. A command is checked, answered in the log (command_log.h), and
 * only then told to the lanes, as events. So the log and the lanes agree: a run
 * after this one goes on with what the log says.
 */
typedef struct _LineCommander LineCommander;

/* Number of the piece of a lane that is decided next. From any thread */
typedef guint64 (*LineNextPiece) (guint lane, gpointer user);

/**
 * LineCommanderParts:
 * @config: the line; outlives the thread
 * @recipe: the configuration's, which the lanes begin with, and which shapes are
 *     found for
 * @first: number of each lane's first piece
 * @queue: that events are posted to
 * @folder: of the log, and of copies of recipes
 * @recording: (nullable): where recipes are copied to, too
 * @lots: (nullable): told of lots; without, there are none
 * @alarms: (nullable): that are acknowledged
 * @next_piece: with @user
 */
typedef struct
{
  const LineConfig *config;
  LineRecipe *recipe;
  guint64 first;
  LineEventQueue *queue;
  LineFolder *folder, *recording;
  LineLots *lots;
  LineAlarms *alarms;
  LineNextPiece next_piece;
  gpointer user;
} LineCommanderParts;

/* The command is answered. @why: it is refused; NULL if it is done. @in_force:
 * text of JSON, see in_force.h. In the commander's thread */
typedef void (*LineAnswered) (guint64 id, const char *why,
    const char *in_force, gpointer user, guint64 ticket);

/* Reads the log, and posts what is in force by it, before there is any other
 * event. Returns: NULL with @error set */
LineCommander *line_commander_new (const LineCommanderParts * parts,
    GError ** error);

/* (nullable): what the log says of the PLC's last command; not to be freed */
const json_t *line_commander_get_plc (const LineCommander * commander);

/* From then on no event is posted and nothing answered. Waits for no disk. */
void line_commander_close (LineCommander * commander);
/* After that. */
void line_commander_free (LineCommander * commander);

/* What is in force now, see in_force.h, to be freed. From any thread */
char *line_commander_get_in_force (LineCommander * commander);

/* Takes @command. @who: a name, for the log. @answered: (nullable), with @user
 * and @ticket. Returns: FALSE if too many commands wait: it is not carried
 * out */
gboolean line_commander_ask (LineCommander * commander, const char *who,
    LineCommand * command, LineAnswered answered, gpointer user,
    guint64 ticket);

/* The same of what line_command_parse() makes of @text, of @size bytes: what is
 * no command is refused, and is in the log. */
gboolean line_commander_ask_text (LineCommander * commander, const char *who,
    const char *text, gsize size, LineAnswered answered, gpointer user,
    guint64 ticket);
