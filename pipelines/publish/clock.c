/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "clock.h"

/* Microseconds from the monotonic clock to the time of day, when it was first
 * asked for */
static gint64
get_offset (void)
{
  static gsize is_set;
  static gint64 offset;

  if (g_once_init_enter (&is_set)) {
    gint64 least = G_MAXINT64;

    /* of several readings the one with the least interruption */
    for (guint i = 0; i < 8; i++) {
      const gint64 before = g_get_monotonic_time ();
      const gint64 real = g_get_real_time ();
      const gint64 after = g_get_monotonic_time ();

      if (after - before < least) {
        least = after - before;
        offset = real - (before + least / 2);
      }
    }
    g_once_init_leave (&is_set, 1);
  }
  return offset;
}

gint64
line_clock_now (void)
{
  return (get_offset () + g_get_monotonic_time ()) * 1000;
}

gint64
line_clock_to_monotonic (gint64 time)
{
  return time / 1000 - get_offset ();
}
