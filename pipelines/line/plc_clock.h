/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A PLC's clock, as its answers tell of it. Nothing here waits, or reads a clock.
 * Times are nanoseconds of the line's clock. Not thread-safe. */

/* How much slower or faster than another a clock runs at most, until that is
 * measured */
#define LINE_PLC_DRIFT (1 / 80.)

/* What a time is not before, and not after */
typedef struct
{
  gint64 least, most;
} LinePlcBounds;

/* Narrows @bounds to what is also between @least and @most. If nothing is, the
 * later bound is late, by up to a scan: the earlier one holds. */
void line_plc_bounds_narrow (LinePlcBounds * bounds, gint64 least,
    gint64 most);
gint64 line_plc_bounds_get_middle (const LinePlcBounds * bounds);

/**
 * LinePlcClock:
 * @now: it, in milliseconds, beyond 2^32 too
 * @n_readings: that have told of it
 * @zero: by how much the line's is ahead
 *
 * The other members are private.
 */
typedef struct
{
  gint64 now;
  guint n_readings;
  LinePlcBounds zero;
  /* how late it may be, for the PLC looks at it once a scan */
  gint64 late;
  gint64 read_at;
  /* by how much the line's gets ahead in a nanosecond; measured since @measured_at,
   * when it was @measured ahead, and once it is @span ago */
  gdouble least_rate, most_rate;
  gint64 measured_at, span;
  LinePlcBounds measured;
} LinePlcClock;

/* Nothing of before holds. @now: it, beyond 2^32 never. @late: nanoseconds that it
 * may be late */
void line_plc_clock_begin (LinePlcClock * clock, guint32 now, gint64 late);

/* It was @now, in milliseconds. Between being @asked and having @answered the PLC
 * has looked at it: the line's is ahead by what its own was less that, at one of
 * both times or between them. Of readings before it only holds what clocks cannot
 * have gone apart since. Returns: FALSE if it is not the clock of before */
gboolean line_plc_clock_see (LinePlcClock * clock, guint32 now, gint64 asked,
    gint64 answered);

/* Returns: when it was @age_ms earlier than now, by the line */
LinePlcBounds line_plc_clock_get_time (const LinePlcClock * clock,
    guint32 age_ms);
