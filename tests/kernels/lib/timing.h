/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <stdlib.h>

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
