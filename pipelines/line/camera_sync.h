/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Which trigger a camera's picture is of. Two things must agree: the frame id,
 * which counts pictures, and the camera's clock, which tells when the picture
 * was taken. Nothing here waits, or knows a device. Times are nanoseconds. Not
 * thread-safe. */

/* Entries that are remembered */
#define LINE_TRIGGER_LOG 64

/* An entry that is no trigger of the line */
#define LINE_NO_TRIGGER G_MAXUINT64

/**
 * LineTriggerLog:
 * @n: entries there were; the last LINE_TRIGGER_LOG are there
 * @triggers: of each entry, its trigger, or LINE_NO_TRIGGER
 * @times: when it came
 *
 * What a camera may have taken pictures of, in order: all triggers of a lane, or
 * those that a camera has been sent.
 */
typedef struct
{
  guint64 n, triggers[LINE_TRIGGER_LOG];
  gint64 times[LINE_TRIGGER_LOG];
} LineTriggerLog;

void line_trigger_log_add (LineTriggerLog * log, guint64 trigger,
    gint64 time);

/**
 * LineCameraSync:
 *
 * A camera's counter and clock, from one connection to the next. Zeroed, it has
 * seen nothing.
 */
typedef struct
{
  /* the clock: the host's time less the camera's, how far it may have drifted
   * since the latency was measured, how much too late the host's time may be,
   * and the camera's last time */
  gboolean has_clock;
  gint64 shift, slack, doubt, camera_time;
  /* of the last picture: id, counter without a wrap, the host's time */
  gboolean has_id;
  guint64 id, count;
  gint64 time;
  /* entry of the log less counter; and, if it was measured, time from an entry
   * to its picture */
  gboolean is_synced, is_measured;
  gint64 offset, latency;
  guint n_untimely;
  /* of one that is not: the picture before, and offsets that agree */
  gboolean has_sample;
  guint64 sample_count;
  gint64 sample_time, candidate;
  guint n_candidates;
} LineCameraSync;

/* A picture has come, at @arrival. @id: of 16 bits, from 1 to 65535 and on with
 * 1, or of 64 bits. The host's time of the camera's is the earliest that
 * arrivals allow: a host that was busy makes nothing late. */
void line_camera_sync_see (LineCameraSync * sync, guint64 id,
    gint64 camera_time, gint64 arrival);

/* The picture that was seen last is of that entry. */
void line_camera_sync_set (LineCameraSync * sync, guint64 entry);

/* The picture that was seen last is of an entry of @time: later ones are as much
 * later than theirs. Returns: how much */
gint64 line_camera_sync_measure (LineCameraSync * sync, gint64 time);

/**
 * LineMatch:
 * @LINE_MATCH_ENTRY: the picture is of this entry
 * @LINE_MATCH_NEW: it is of one that the log does not have yet
 * @LINE_MATCH_NONE: its id and its time do not agree: it is of no entry
 * @LINE_MATCH_LOST: that happened three times, or its entry cannot be: the
 *     camera is out of step, and not synchronised any more
 */
typedef enum
{
  LINE_MATCH_ENTRY,
  LINE_MATCH_NEW,
  LINE_MATCH_NONE,
  LINE_MATCH_LOST,
} LineMatch;

/* Of the picture that was seen last, of a synchronised camera. @tolerance: of
 * its time; less than half the time between triggers. @entry: is set for ENTRY
 * and NEW */
LineMatch line_camera_sync_match (LineCameraSync * sync,
    const LineTriggerLog * log, gint64 tolerance, guint64 * entry);

/* Of a camera that is not synchronised, whose pictures other cameras' triggers
 * explain: when eight in succession say the same, it is, with the picture that
 * was seen last. Returns: whether it is */
gboolean line_camera_sync_learn (LineCameraSync * sync,
    const LineTriggerLog * log, gint64 tolerance);
