/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* To the end of the block. */
#define LOCK_HERE(mutex) \
    G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (mutex)
