/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a network that is a child process reads and writes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

typedef void (*Answer) (const guint8 * rgb, guint rows, guint columns,
    guint classes, float *tensor);

/* Answers each picture. Returns: the exit status */
static inline int
answer_all (guint classes, Answer answer)
{
  guint8 *rgb = NULL;
  float *tensor = NULL;
  guint32 head[5];

  if (classes < 2 || G_BYTE_ORDER != G_LITTLE_ENDIAN)
    return 2;
  while (fread (head, sizeof (head), 1, stdin) == 1) {
    const gsize pixels = (gsize) head[2] * head[3];

    rgb = g_realloc (rgb, pixels * 3);
    tensor = g_realloc (tensor, pixels * classes * sizeof (float));
    if (memcmp (head, "FLNP", 4) != 0 || head[4] != 3
        || fread (rgb, pixels * 3, 1, stdin) != 1)
      return 1;
    answer (rgb, head[2], head[3], classes, tensor);
    memcpy (head, "FLNT", 4);
    head[4] = classes;
    if (fwrite (head, sizeof (head), 1, stdout) != 1
        || fwrite (tensor, pixels * classes * sizeof (float), 1, stdout) != 1
        || fflush (stdout) != 0)
      return 1;
  }
  g_free (rgb);
  g_free (tensor);
  return 0;
}
