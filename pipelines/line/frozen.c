/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frozen.h"

#include <string.h>

void
line_frozen_step (LineFrozen * frozen)
{
  memcpy (frozen->before, frozen->now, sizeof (frozen->before));
}

gboolean
line_frozen_add (LineFrozen * frozen, guint view, guint64 digest)
{
  gboolean was_there = FALSE;

  frozen->now[view] = digest;
  for (guint v = 0; v < LINE_MAX_VIEWS; v++)
    was_there |= frozen->before[v] == digest;
  return was_there;
}
