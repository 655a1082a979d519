/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Rotates (@x, @y) by @quarters right angles, exactly. */
static inline void
cs_rotate_quarters (gint64 quarters, double *x, double *y)
{
  const double c = *x, s = *y;

  switch (quarters & 3) {
    case 0:
      break;
    case 1:
      *x = -s;
      *y = c;
      break;
    case 2:
      *x = -c;
      *y = -s;
      break;
    default:
      *x = s;
      *y = -c;
      break;
  }
}

G_END_DECLS
