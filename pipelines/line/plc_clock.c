/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_clock.h"

#define MS G_GINT64_CONSTANT (1000000)

/* Nanoseconds from the first time that the rate is measured to the longest, and by
 * how much it may change until the next */
#define FIRST_SPAN (2 * 1000 * MS)
#define LONGEST_SPAN (64 * 1000 * MS)
#define CHANGE (1 / 2000.)

/* Readings, about, until a clock that was always late is believed */
#define SETTLING 8

void
line_plc_bounds_narrow (LinePlcBounds * bounds, gint64 least, gint64 most)
{
  bounds->most = MIN (bounds->most, most);
  bounds->least = MIN (MAX (bounds->least, least), bounds->most);
}

gint64
line_plc_bounds_get_middle (const LinePlcBounds * bounds)
{
  return bounds->least + (bounds->most - bounds->least) / 2;
}

void
line_plc_clock_begin (LinePlcClock * clock, guint32 now, gint64 late)
{
  *clock = (LinePlcClock) {.now = now,.late = late };
}

/* How fast the line's clock gets ahead: that of before does not matter for long,
 * and what was a long time ago tells best. */
static void
measure_rate (LinePlcClock * clock, gint64 now)
{
  const LinePlcBounds *zero = &clock->zero, *from = &clock->measured;
  const gint64 span = now - clock->measured_at;

  if (span < clock->span)
    return;
  clock->least_rate = CLAMP ((gdouble) (zero->least - from->most
          - clock->late) / span - CHANGE, -LINE_PLC_DRIFT, LINE_PLC_DRIFT);
  clock->most_rate = CLAMP ((gdouble) (zero->most - from->least
          + clock->late) / span + CHANGE, -LINE_PLC_DRIFT, LINE_PLC_DRIFT);
  clock->measured = *zero;
  clock->measured_at = now;
  clock->span = MIN (2 * clock->span, LONGEST_SPAN);
}

gboolean
line_plc_clock_see (LinePlcClock * clock, guint32 now, gint64 asked,
    gint64 answered)
{
  const gint64 its = clock->now + (guint32) (now - (guint32) clock->now);
  const LinePlcBounds own = { asked - its * MS, answered - its * MS };

  if (clock->n_readings == 0) {
    clock->zero = clock->measured = own;
    clock->read_at = clock->measured_at = answered;
    clock->span = FIRST_SPAN;
    clock->least_rate = -LINE_PLC_DRIFT;
    clock->most_rate = LINE_PLC_DRIFT;
  }
  LinePlcBounds zero = clock->zero;
  zero.least += (answered - clock->read_at) * clock->least_rate;
  zero.most += (answered - clock->read_at) * clock->most_rate;
  if (own.least > zero.most + clock->late
      || own.most < zero.least - clock->late)
    return FALSE;
  zero.most += MAX (own.least - zero.most, 0) / SETTLING;
  line_plc_bounds_narrow (&zero, own.least, own.most);
  clock->zero = zero;
  measure_rate (clock, answered);
  clock->now = its;
  clock->n_readings++;
  clock->read_at = answered;
  return TRUE;
}

LinePlcBounds
line_plc_clock_get_time (const LinePlcClock * clock, guint32 age_ms)
{
  const gint64 age = age_ms * MS;

  return (LinePlcBounds) {
    clock->zero.least + clock->now * MS - age - age * clock->most_rate,
    clock->zero.most + clock->now * MS - age - age * clock->least_rate
  };
}
