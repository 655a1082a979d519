/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineCameraHealth:
 * @id: that the configuration names it by; at most 63 bytes of it
 * @is_running: whether it is connected
 * @since: when that began, in nanoseconds of line_clock_now()
 * @last_time: when the last picture came; 0 for none
 * @frames: views of triggers that are there
 * @incomplete: of which packets were lost
 * @missing: of which nothing came in time
 * @strays: pictures of no trigger, or that came too late for theirs
 * @spikes: pulses at its trigger input that too few other cameras saw
 * @missed: triggers that it did not see, of which others tell
 * @reconnects: times that it came back
 *
 * How a camera does. Of the triggers that are over, each is in one of @frames,
 * @incomplete and @missing.
 */
typedef struct
{
  char id[64];
  gboolean is_running;
  gint64 since, last_time;
  guint64 frames, incomplete, missing, strays, spikes, missed, reconnects;
} LineCameraHealth;
