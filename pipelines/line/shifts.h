/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/ini.h"

/* Of a day */
#define LINE_MAX_SHIFTS 24

/**
 * LineShifts:
 * @n: 0 if there are no shifts
 * @minutes: of a local day, at which they begin; rising
 */
typedef struct
{
  guint n;
  guint minutes[LINE_MAX_SHIFTS];
} LineShifts;

/* Hours and minutes between semicolons, in any order */
void line_shifts_read (LineIni * ini, const char *group, const char *key,
    LineShifts * shifts);

/**
 * LineShift:
 * @name: DATE-HHMM, when it begins by the local clock
 * @from: when that is, in ns since 1970
 * @to: when the next one begins
 */
typedef struct
{
  char name[32];
  gint64 from, to;
} LineShift;

/* That @time, in ns, is in. One of a time that the clock skips begins when it has
 * skipped it; one of a time that there is twice, at the second. @zone: NULL for
 * the local one. Returns: FALSE if there are no shifts, or no such time */
gboolean line_shifts_find (const LineShifts * shifts, GTimeZone * zone,
    gint64 time, LineShift * shift);
