/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is in zones and has crossed lines, and what is not known of it. */

#include "gstshapezonesobjects.h"

/* Classes that are counted apart; others are counted together, as -1. */
#define ZONES_MAX_CLASSES 256

typedef enum
{
  ZONE_EVENT_ENTERED,
  ZONE_EVENT_LEFT,
  ZONE_EVENT_APPEARED,
  ZONE_EVENT_LOST,
  ZONE_EVENT_FORWARD,
  ZONE_EVENT_BACKWARD,
} ZoneEventType;

/**
 * ZoneEvent:
 * @zone: number in the list
 * @dwell: of what left or was lost, time in the zone; GST_CLOCK_TIME_NONE if
 *     that is unknown
 */
typedef struct
{
  ZoneEventType type;
  guint zone;
  gint64 track;
  gint32 class_id;
  GstClockTime dwell;
} ZoneEvent;

/**
 * ZoneNumbers:
 * @inside: now, also what is not seen just now
 * @entered, @left: crossings of the border
 * @appeared: seen inside first
 * @lost: seen inside last
 * @forward, @backward: crossings of a line
 *
 * Of objects with tracks. @inside is @entered + @appeared - @left - @lost.
 */
typedef struct
{
  guint64 inside, entered, left, appeared, lost, forward, backward;
} ZoneNumbers;

/* Of one class. @untracked: inside in this frame, without a track */
typedef struct
{
  gint32 class_id;
  ZoneNumbers numbers;
  guint64 untracked;
} ZoneClass;

/**
 * ZoneCount:
 * @classes: ZoneClass, by class_id
 * @untracked: inside in this frame, without a track
 * @unseen: of those inside, not seen in this frame
 * @area: of all that is inside in this frame
 * @dwell_sum, @dwell_max: of @n_dwells that have left or were lost
 *
 * Of a zone or a line.
 */
typedef struct
{
  ZoneNumbers all;
  GArray *classes;
  guint64 untracked, unseen;
  gdouble area;
  GstClockTime dwell_sum, dwell_max;
  guint64 n_dwells;
} ZoneCount;

/**
 * ZonesCounter:
 * @counts: ZoneCount, of each zone and line
 * @events: ZoneEvent, of the last frame
 *
 * Counts objects frame by frame. A change counts at once: an object is inside
 * that was outside, or has crossed a line. No other change of that object and
 * zone counts then until it was @hysteresis away from the border or line; what
 * has changed since counts there, or when it is lost.
 */
typedef struct
{
  GArray *counts;
  CsArray events;
  gdouble hysteresis;
  guint max_unseen;
  gboolean any_part;

  /*< private > */
  GPtrArray *zones;
  GHashTable *names;            /* of classes */
  gboolean has_others;
  CsArray tracks, pairs, buckets, unused;
  guint64 frame;
  GstClockTime time;
} ZonesCounter;

void zones_counter_init (ZonesCounter * self);
void zones_counter_clear (ZonesCounter * self);

/* From now on there are the zones of @zones, which it takes a reference of.
 * What is the same as before goes on counting.
 *
 * Returns: %FALSE without memory */
gboolean zones_counter_set_zones (ZonesCounter * self, GPtrArray * zones);

/* Forgets zones, tracks and numbers. */
void zones_counter_reset (ZonesCounter * self);

/* NULL: it has none */
const gchar *zones_counter_get_class_name (const ZonesCounter * self,
    gint32 class_id);

/* Counts a frame's objects, and sets their zone. @time: in nanoseconds, or
 * GST_CLOCK_TIME_NONE. @forgets: all tracks of the frames before are lost
 * @repeated: (out): objects whose track another one of the frame has, too: of
 *     them the first counts
 *
 * Returns: %FALSE with @error set without memory */
gboolean zones_counter_run (ZonesCounter * self, ZonesObjects * objects,
    GstClockTime time, gboolean forgets, gsize * repeated, GError ** error);
