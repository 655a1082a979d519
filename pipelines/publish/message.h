/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Bytes of line_message_text(), at most */
#define LINE_MESSAGE_LONGEST 1000

/* What came from a file, or from another machine, as a part of a message: one
 * line of valid UTF-8 without control characters; what was none is U+FFFD, and
 * what is too long ends with "...". @size: of @bytes; -1 if they end with a 0.
 * To be freed. */
char *line_message_text (const char *bytes, gssize size);

/**
 * LineMessageLimit:
 *
 * Of messages of a kind: some at once, then one in ten seconds. Zeroed, there was
 * none.
 */
typedef struct
{
  gint64 time;
  guint n;
} LineMessageLimit;

/* Returns: whether one more may be printed at @now, of g_get_monotonic_time() */
gboolean line_message_may (LineMessageLimit * limit, gint64 now);

/* From now on g_print() and g_printerr() write valid UTF-8 without control
 * characters but the ends of lines, whatever a message has in it. */
void line_message_guard (void);
