/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "event.h"

void
line_seen_free (LineSeen * seen)
{
  line_view_clear (&seen->view);
  g_free (seen);
}

void
line_event_clear (LineEvent * event)
{
  g_clear_pointer (&event->seen, line_seen_free);
  g_clear_pointer (&event->recipe, line_recipe_unref);
  g_clear_pointer (&event->lot, g_ref_string_release);
}
