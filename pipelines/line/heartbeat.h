/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/**
 * LineHeartbeat:
 *
 * A file that a watchdog looks at: it is written once a second while the line
 * lives. It has one line of JSON, always of the same length and in the same
 * place, so that a full disk is no reason to stop.
 */
typedef struct _LineHeartbeat LineHeartbeat;

/* The file "heartbeat" in @folder. */
LineHeartbeat *line_heartbeat_new (const LineFolder * folder,
    GError ** error);
void line_heartbeat_free (LineHeartbeat * heartbeat);

/* @pulses: of @n threads: numbers that change while they live. The file is
 * written if each of them has changed since it was written last, @pieces with
 * it. Returns: whether they have */
gboolean line_heartbeat_beat (LineHeartbeat * heartbeat, const guint * pulses,
    guint n, guint64 pieces);
