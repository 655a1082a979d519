/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a reader of lines is expected to find, and a clock that can be put forward,
 * which this defines in place of GLib's: for what is looked at a few times a second.
 * To be included once. */

#include <string.h>
#include <time.h>

#include "check.h"
#include "publish/reader.h"

static gint64 put_forward;

__attribute__ ((visibility ("default")))
gint64 g_get_monotonic_time (void);

gint64
g_get_monotonic_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return put_forward + now.tv_sec * (gint64) G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* @text: of a line; NULL for any */
static void
expect_read (LineSpoolResult got, const char *found, gsize size,
    LineSpoolResult result, const char *text)
{
  expect (got == result, "%d in place of %d before %.80s", got, result,
      text ? text : "-");
  if (got == result && got == LINE_SPOOL_LINE && text)
    expect (size == strlen (text) && memcmp (found, text, size) == 0,
        "\"%.*s\" in place of \"%.80s\"", (int) MIN (size, 80), found, text);
}

static void
expect_next (LineSpoolReader * reader, LineSpoolResult result,
    const char *text)
{
  const char *found = NULL;
  gsize size = 0;
  LineSpoolResult got = line_spool_reader_next (reader, &found, &size);

  expect_read (got, found, size, result, text);
}

/* The same in the next seconds */
static void
expect_soon (LineSpoolReader * reader, LineSpoolResult result,
    const char *text)
{
  const char *found = NULL;
  gsize size = 0;
  LineSpoolResult got = LINE_SPOOL_WAIT;

  for (guint i = 0; i < 5 && got == LINE_SPOOL_WAIT; i++) {
    put_forward += G_USEC_PER_SEC;
    got = line_spool_reader_next (reader, &found, &size);
  }
  expect_read (got, found, size, result, text);
}
