/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Holds the GMutex @mutex from here to the end of the block, however that is
 * left; once in a block. */
#define LINE_LOCK(mutex) \
    G_GNUC_UNUSED g_autoptr (GMutexLocker) line_lock = g_mutex_locker_new (mutex)
