/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_lab.h"

#include <math.h>

const CsLabTable *
cs_lab_get_table (void)
{
  static CsLabTable table;
  static gsize is_filled = 0;

  if (g_once_init_enter (&is_filled)) {
    for (guint i = 0; i < 256; i++) {
      const double code = i / 255.;

      table.linear[i] = (gint32) floor (CS_LAB_ONE * (code <= .04045 ?
              code / 12.92 : pow ((code + .055) / 1.055, 2.4)) + .5);
    }
    for (guint i = 0; i <= CS_LAB_ONE; i++) {
      const double t = (double) i / CS_LAB_ONE;

      table.root[i] = (gint32) floor (CS_LAB_ROOT_ONE * (t > .008856 ?
              cbrt (t) : 7.787 * t + 16. / 116.) + .5);
    }
    g_once_init_leave (&is_filled, 1);
  }
  return &table;
}
