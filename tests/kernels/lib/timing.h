/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <stdlib.h>
#include <time.h>

/* Of this thread, in microseconds: it works alone, and others may load the
 * machine. */
static inline gint64
busy_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static inline int
compare_times (const void *a, const void *b)
{
  const gint64 *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

/* Sorts @times. */
static inline gint64
median_time (gint64 * times, guint n)
{
  qsort (times, n, sizeof (*times), compare_times);
  return times[n / 2];
}
