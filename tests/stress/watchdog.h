/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Aborts the program when it hangs, and says where. */

#include <glib.h>

G_BEGIN_DECLS

void watchdog_start (void);
void watchdog_stop (void);

/* Begins a session, with its elements' launch line. */
void watchdog_begin (guint32 seed, const gchar * line);

/* The line of the session that began last. */
const gchar *watchdog_get_line (void);

/* That it goes on, and how often it did. */
void watchdog_beat (void);
guint watchdog_get_beat (void);

G_END_DECLS
