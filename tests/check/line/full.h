/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sys/resource.h>

#include <glib.h>

/* A disk that is full: no file gets longer than @size, RLIM_INFINITY again for any.
 * Who writes beyond it gets SIGXFSZ, which a test ignores. */
static inline void
limit_files (rlim_t size)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = size;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}
