/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* GLib's main loops in the world: their timers follow its clock, and a process of
 * it gets its own signals. */

/* SIGTERM, SIGINT and SIGHUP of a process, for g_unix_signal_source_new(). Returns:
 * FALSE if it does not handle that signal */
gboolean loop_signal (Process * process, int number);
