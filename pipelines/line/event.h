/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_EVENT_H
#define LINE_EVENT_H

#include "loss.h"
#include "recipe.h"
#include "view.h"

G_BEGIN_DECLS

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
 */
typedef enum
{
  LINE_EVENT_TRIGGER,
  LINE_EVENT_LOOK,
  LINE_EVENT_LOST,
  LINE_EVENT_TICK,
  LINE_EVENT_RECIPE,
  LINE_EVENT_FINISH,
} LineEventType;

/**
 * LineEvent:
 * @lane: index of its lane
 * @time: when it is handled, in nanoseconds; never less than that of the lane's
 *     event before
 * @trigger: of LOOK and LOST
 * @view: of LOOK and LOST
 * @seen: of LOOK, owned by the event
 * @recipe: of RECIPE, a reference of the event's
 * @came: of TRIGGER: when it came by its source's clock, wherever it had to
 *     wait since; its pieces' deadlines count from then. 0: at @time
 * @loss: of LOST
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
} LineEvent;

void line_seen_free (LineSeen * seen);

/* Frees what the event owns, not the event. */
void line_event_clear (LineEvent * event);

G_END_DECLS

#endif /* LINE_EVENT_H */
