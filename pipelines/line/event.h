/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "loss.h"
#include "recipe.h"
#include "view.h"

/**
 * LineSeen:
 * @view: the shapes
 * @trigger_time: when its trigger came
 * @tensor_time: when its tensor was there
 *
 * What the shapes of a look come with. Times are nanoseconds.
 */
typedef struct
{
  LineView view;
  gint64 trigger_time, tensor_time;
} LineSeen;

/**
 * LineEventType:
 * @LINE_EVENT_TRIGGER: the next trigger has come
 * @LINE_EVENT_LOOK: shapes of a trigger's view have been found
 * @LINE_EVENT_LOST: they will not come
 * @LINE_EVENT_TICK: time has passed; by LINE_RULES_2 it decides a piece
 * @LINE_EVENT_RECIPE: pieces that are decided from now on use another recipe
 * @LINE_EVENT_FINISH: no trigger comes any more
 * @LINE_EVENT_RUN: what the run is called, and its first pieces
 * @LINE_EVENT_NUMBER: which of the PLC's triggers those of the lane are, as it
 *     has just said
 * @LINE_EVENT_LOT: pieces that are decided from now on are of another lot
 */
typedef enum
{
  LINE_EVENT_TRIGGER,
  LINE_EVENT_LOOK,
  LINE_EVENT_LOST,
  LINE_EVENT_TICK,
  LINE_EVENT_RECIPE,
  LINE_EVENT_FINISH,
  LINE_EVENT_RUN,
  LINE_EVENT_NUMBER,
  LINE_EVENT_LOT,
} LineEventType;

/**
 * LineNumbering:
 * @is_agreed: whether it is known; nothing else counts if it is not
 * @since: trigger from which on it is so
 * @shift: the PLC's number of a trigger, less that of the lane
 * @encoder: of the event's trigger
 */
typedef struct
{
  gboolean is_agreed;
  guint64 since;
  gint64 shift;
  guint32 encoder;
} LineNumbering;

/**
 * LineEvent:
 * @lane: index of its lane
 * @time: when it is handled, in nanoseconds; never less than that of the lane's
 *     event before
 * @trigger: of LOOK, LOST and NUMBER, counted from 0; of RUN, the number of the
 *     lane's first piece; of RECIPE and LOT, while they wait: number of the piece
 *     from which on they are so
 * @view: of LOOK and LOST
 * @seen: of LOOK, owned by the event
 * @recipe: of RECIPE, a reference of the event's
 * @came: of TRIGGER: when it came by its source's clock, wherever it had to
 *     wait since; its pieces' deadlines count from then. 0: at @time
 * @loss: of LOST
 * @run: of RUN, 1 to 65535
 * @numbering: of NUMBER
 * @lot: of LOT, a #GRefString of the event's; NULL for none
 *
 * All that a lane's decisions depend on: the same events in the same order make
 * the same decisions.
 */
typedef struct
{
  LineEventType type;
  guint lane;
  gint64 time, came;
  guint64 trigger;
  guint view;
  LineSeen *seen;
  LineRecipe *recipe;
  LineLoss loss;
  guint run;
  LineNumbering numbering;
  char *lot;
} LineEvent;

void line_seen_free (LineSeen * seen);

/* Frees what the event owns, not the event. */
void line_event_clear (LineEvent * event);
