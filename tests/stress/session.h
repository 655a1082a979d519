/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Totals:
 * @sessions: chains that were made
 * @frames: that went in
 * @counted: sessions whose frames were counted to the end
 * @errors: sessions that ended with an error message
 */
typedef struct
{
  guint sessions, counted, errors;
  guint64 frames;
} Totals;

/* Makes the chain of @seed and treats it badly. Adds to @totals. Returns: what
 * is wrong, %NULL if nothing is. */
gchar *session_run (guint32 seed, Totals * totals);

G_END_DECLS
