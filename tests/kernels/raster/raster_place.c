/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_place.h"

#include "../lib/check.h"

void
check_place (const Layout * layout)
{
  GRand *rand = g_rand_new_with_seed (1);
  Picture *picture = picture_new (layout, 37, 21, rand);
  const gsize size = cs_picture_place (&picture->view, NULL, NULL);
  guint8 *memory = g_malloc0 (size);
  CsPicture copy;
  guint c, x, y;
  gsize i;

  begin ("a copy of %s", layout->name);
  cs_picture_place (&picture->view, memory, &copy);
  for (c = 0; c < 4; c++) {
    const CsImage image = cs_picture_get_component (&copy, c);

    for (y = 0; image.data && y < image.height; y++) {
      for (x = 0; x < image.width; x++) {
        for (i = 0; i < cs_sample_size (image.type); i++) {
          const gsize at = (guint8 *) image.data - memory + y *
              image.row_stride + x * image.pixel_stride + i;

          expect (at < size && !memory[at], "component %u at (%u, %u)", c, x,
              y);
          memory[MIN (at, size - 1)] = 1;
        }
      }
    }
  }
  end ();
  g_free (memory);
  picture_free (picture);
  g_rand_free (rand);
}
