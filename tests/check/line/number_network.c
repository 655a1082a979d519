/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* number_network CLASSES: a network that finds what is drawn into a simulated
 * lane's picture. Its tensor is belt, and skin in squares of 10 pixels, one for
 * each bit that is set: 0 to 31 of the trigger number, 32 to 35 of the view,
 * which the picture's last row has, 36 always, 37 if there is no number. Square
 * N begins at column 6 + 42 (N mod 12), row 4 + 22 (N / 12). */

#include "network_child.h"
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
  return answer_all (argc > 1 ? atoi (argv[1]) : 0, answer);
}
