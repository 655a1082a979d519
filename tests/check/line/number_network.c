/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* number_network CLASSES: a network that finds what is drawn into a simulated
 * lane's picture. Its tensor is belt, and skin in squares of 10 pixels, one for
 * each bit that is set: 0 to 31 of the trigger number, 32 to 35 of the view,
 * which the picture's last row has, 36 always, 37 if there is no number. Square
 * N begins at column 6 + 42 (N mod 12), row 4 + 22 (N / 12). */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "scene.h"

static void
draw_square (float *tensor, guint columns, guint classes, guint n)
{
  for (guint y = 0; y < 10; y++)
    for (guint x = 0; x < 10; x++) {
      float *pixel = tensor + classes * ((gsize) columns * (4 + 22 * (n / 12)
              + y) + 6 + 42 * (n % 12) + x);

      pixel[0] = 0;
      pixel[1] = 1;
    }
}

static void
answer (const guint8 * rgb, guint rows, guint columns, guint classes,
    float *tensor)
{
  const guint view = rgb[(gsize) columns * (rows - 1) * 3] / 20 - 1;
  guint64 bits = G_GUINT64_CONSTANT (1) << 36;
  guint32 trigger;

  for (gsize i = 0; i < (gsize) rows * columns * classes; i++)
    tensor[i] = i % classes == 0;
  if (line_scene_read_trigger (rgb, columns, rows, &trigger))
    bits |= trigger | (guint64) (view & 15) << 32;
  else
    bits |= G_GUINT64_CONSTANT (1) << 37;
  for (guint n = 0; n < 38; n++)
    if (bits >> n & 1)
      draw_square (tensor, columns, classes, n);
}

int
main (int argc, char **argv)
{
  const guint classes = argc > 1 ? atoi (argv[1]) : 0;
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
