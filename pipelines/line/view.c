/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view.h"

void
line_view_clear (LineView * view)
{
  g_clear_pointer (&view->contours, g_free);
  g_clear_pointer (&view->points, g_free);
  g_clear_pointer (&view->turns, g_free);
  g_clear_pointer (&view->tones, g_free);
  view->n_contours = view->n_turns = view->n_tones = 0;
}
