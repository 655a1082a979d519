/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/**
 * LineFrozen:
 * @before: digests of the last tensor of each view before this trigger; 0 for
 *     none
 * @now: the same with this trigger
 *
 * Whether tensors stand still while the belt moves. All 0 in the beginning.
 */
typedef struct
{
  guint64 before[LINE_MAX_VIEWS], now[LINE_MAX_VIEWS];
} LineFrozen;

/* What comes from now on is of another trigger. */
void line_frozen_step (LineFrozen * frozen);

/* The tensor of @view is there; @digest: not 0. Returns: whether it is one that
 * was there before, of any view: what hangs gives its last answer to all */
gboolean line_frozen_add (LineFrozen * frozen, guint view, guint64 digest);
