/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Nanoseconds since 1970. Set once by the system's clock, and then counted by
 * the monotonic one, so that it never goes back. */
gint64 line_clock_now (void);

/* Returns: that time, of g_get_monotonic_time() */
gint64 line_clock_to_monotonic (gint64 time);
