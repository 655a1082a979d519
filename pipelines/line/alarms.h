/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Alarms that are kept, at most: of more causes some are told when others are
 * gone */
#define LINE_MOST_ALARMS 256

/**
 * LineAlarmKind:
 *
 * What there can be an alarm of. Their names, of line_alarm_names, are what
 * programs and the page's messages know them by.
 */
typedef enum
{
  LINE_ALARM_VIEW_DARK,
  LINE_ALARM_FRAMES_LOST,
  LINE_ALARM_FRAMES_LATE,
  LINE_ALARM_CAMERA_OFF,
  LINE_ALARM_PLC_DOWN,
  LINE_ALARM_PLC_OUT_OF_STEP,
  LINE_ALARM_DEADLINE_MISSED,
  LINE_ALARM_UNDECIDED,
  LINE_ALARM_PUBLISHER_GONE,
  LINE_ALARM_BROKER_DOWN,
  LINE_ALARM_DISK_WAITS,
  LINE_ALARM_DECISIONS_UNWRITTEN,
  LINE_N_ALARMS
} LineAlarmKind;

extern const char *const line_alarm_names[LINE_N_ALARMS];

/**
 * LineCause:
 * @lane: name of the one that it is of; NULL for none
 * @view: the same; -1 for none
 * @value: a share, lanes, or bytes; NaN for none
 *
 * Something that is wrong now.
 */
typedef struct
{
  LineAlarmKind kind;
  const char *lane;
  gint view;
  gdouble value;
} LineCause;

/**
 * LineAlarms:
 *
 * What is wrong, since when, who has taken note of it, and what was wrong and
 * nobody has taken note of. A cause is an alarm when it has been there three
 * times in a row, and gone when it was not there three times in a row. One that
 * comes back later is another alarm. Thread-safe.
 */
typedef struct _LineAlarms LineAlarms;

/* @first: number of the first alarm: greater than those of runs before */
LineAlarms *line_alarms_new (guint64 first);
LineAlarms *line_alarms_ref (LineAlarms * alarms);
void line_alarms_unref (LineAlarms * alarms);

/* Once a second. @causes: all that there are now. @now: ns since 1970 */
void line_alarms_update (LineAlarms * alarms, const LineCause * causes,
    guint n_causes, gint64 now);

/* Returns: FALSE with @error set if there is no alarm @id to be acknowledged */
gboolean line_alarms_check (LineAlarms * alarms, guint64 id, GError ** error);
void line_alarms_acknowledge (LineAlarms * alarms, guint64 id,
    const char *who, gint64 now);

/* An array of JSON, the newest first, to be freed */
char *line_alarms_to_json (LineAlarms * alarms);
