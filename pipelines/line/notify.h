/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineNotify:
 *
 * Tells the service manager that has started this program how it is, as
 * sd_notify(3) does: datagrams to the socket that NOTIFY_SOCKET names, such as
 * systemd's of a service with Type=notify. Without one it tells nobody. It never
 * waits.
 */
typedef struct _LineNotify LineNotify;

/* Before there are threads: it takes NOTIFY_SOCKET out of the environment, so
 * that no child tells the manager anything. A socket that cannot be used is
 * printed. */
LineNotify *line_notify_new (void);
void line_notify_free (LineNotify * notify);

/* @state: lines such as "READY=1", "WATCHDOG=1" or "STATUS=text" */
void line_notify_tell (LineNotify * notify, const char *state);
