/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "session.h"

G_BEGIN_DECLS

/* Plays a short film of a source through the chain of @seed, seeks and changes
 * states at any time, and at last plays all of it. Adds to @totals. Returns:
 * (transfer full) (nullable): what is wrong */
gchar *play_run (guint32 seed, Totals * totals);

G_END_DECLS
