/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* skin_network CLASSES: a network that knows belt and skin: in the simulated
 * lane's pictures all fruit, and its marks, is less blue than the belt. */

#include "network_child.h"

/* Rows that the trigger's number is drawn into */
#define NUMBER_ROWS 4

static void
answer (const guint8 * rgb, guint rows, guint columns, guint classes,
    float *tensor)
{
  for (gsize i = 0; i < (gsize) rows * columns; i++) {
    const gboolean is_skin = i >= NUMBER_ROWS * columns
        && rgb[3 * i + 1] > rgb[3 * i + 2] + 6;

    for (guint k = 0; k < classes; k++)
      tensor[i * classes + k] = k == (is_skin ? 1 : 0);
  }
}

int
main (int argc, char **argv)
{
  return answer_all (argc > 1 ? atoi (argv[1]) : 0, answer);
}
