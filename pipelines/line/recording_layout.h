/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recording.h"
#include "tones.h"

/* What the writing and the reading of recordings share. */

#define RECORDING_MAGIC "FLEV"

/* Bytes of what files have: the head; an event, and what LOOK, RECIPE, NUMBER
 * and LOT add to it; of LOOK, then, each contour, each point and, from version 2
 * on, each turn, whose number version 1 has not, and each tone, whose number is
 * where a lost look has its reason */
#define HEAD_SIZE 8
#define EVENT_SIZE 24
#define SEEN_SIZE 28
#define SEEN_SIZE_1 24
#define HASH_SIZE 64
#define NUMBERING_SIZE 24
#define LOT_SIZE 64
#define CONTOUR_SIZE 96
#define POINT_SIZE 8
#define TURN_SIZE 4
#define TONE_SIZE 4

/* The rules are the versions; types and losses are numbers of the format. */
G_STATIC_ASSERT (LINE_RULES_1 == 1 && LINE_RULES_2 == 2);
G_STATIC_ASSERT (LINE_EVENT_TRIGGER == 0 && LINE_EVENT_LOOK == 1
    && LINE_EVENT_LOST == 2 && LINE_EVENT_TICK == 3
    && LINE_EVENT_RECIPE == 4 && LINE_EVENT_FINISH == 5
    && LINE_EVENT_RUN == 6 && LINE_EVENT_NUMBER == 7
    && LINE_EVENT_LOT == 8);
G_STATIC_ASSERT (LINE_LOSS_UNFIT == 0 && LINE_LOSS_CROWDED == 1
    && LINE_LOSS_SLOW == 2 && LINE_LOSS_MISSING == 3
    && LINE_LOSS_INCOMPLETE == 4 && LINE_LOSS_STOPPED == 5
    && LINE_LOSS_NOT_FINITE == 6 && LINE_LOSS_OUT_OF_RANGE == 7
    && LINE_LOSS_SUM == 8 && LINE_LOSS_CONSTANT == 9
    && LINE_LOSS_FROZEN == 10 && LINE_N_LOSSES == 11);

/* Whether events of @type have a view. */
static inline gboolean
has_look (guint type)
{
  return type == LINE_EVENT_LOOK || type == LINE_EVENT_LOST;
}

/* Whether they have a trigger, or a piece. */
static inline gboolean
has_trigger (guint type)
{
  return has_look (type) || type == LINE_EVENT_RUN
      || type == LINE_EVENT_NUMBER;
}

G_STATIC_ASSERT (LINE_MAX_TONES <= G_MAXUINT16);

/* The greatest number of a piece or trigger */
#define RECORDED_MOST (G_GINT64_CONSTANT (1) << 62)

/* Whether all triggers have numbers from 0 to that. */
static inline gboolean
is_recorded_numbering (const LineNumbering * numbering, guint64 trigger)
{
  return trigger <= RECORDED_MOST && numbering->since <= trigger
      && numbering->shift >= -(gint64) numbering->since
      && numbering->shift <= RECORDED_MOST - (gint64) trigger;
}

static inline gboolean
is_recorded_time (gint64 time)
{
  return time >= 0 && time <= LINE_RECORDING_MAX_TIME;
}
