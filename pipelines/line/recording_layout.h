/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_RECORDING_LAYOUT_H
#define LINE_RECORDING_LAYOUT_H

#include "recording.h"

/* What the writing and the reading of recordings share. */

#define RECORDING_MAGIC "FLEV"
#define RECORDING_VERSION 1

/* Bytes of what files have: the head; an event, and what LOOK and RECIPE add
 * to it; of LOOK, then, each contour and each point */
#define HEAD_SIZE 8
#define EVENT_SIZE 24
#define SEEN_SIZE 24
#define HASH_SIZE 64
#define CONTOUR_SIZE 96
#define POINT_SIZE 8

/* The types are numbers of the format. */
G_STATIC_ASSERT (LINE_EVENT_TRIGGER == 0 && LINE_EVENT_LOOK == 1
    && LINE_EVENT_LOST == 2 && LINE_EVENT_TICK == 3
    && LINE_EVENT_RECIPE == 4 && LINE_EVENT_FINISH == 5);

/* Whether events of @type have a trigger and a view. */
static inline gboolean
has_look (guint type)
{
  return type == LINE_EVENT_LOOK || type == LINE_EVENT_LOST;
}

static inline gboolean
is_recorded_time (gint64 time)
{
  return time >= 0 && time <= LINE_RECORDING_MAX_TIME;
}

#endif /* LINE_RECORDING_LAYOUT_H */
