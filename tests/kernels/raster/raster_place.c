/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_place.h"

#include <string.h>

#include "../lib/check.h"

/* Copies all samples of @from, byte by byte. */
static void
copy_samples (const CsPicture * from, const CsPicture * to)
{
  for (guint c = 0; c < 4; c++) {
    const CsImage a = cs_picture_get_component (from, c);
    const CsImage b = cs_picture_get_component (to, c);

    for (guint y = 0; a.data && y < a.height; y++)
      for (guint x = 0; x < a.width; x++)
        memcpy ((guint8 *) b.data + y * b.row_stride + x * b.pixel_stride,
            (const guint8 *) a.data + y * a.row_stride + x * a.pixel_stride,
            cs_sample_size (a.type));
  }
}

/* The copy as the frame behind nothing. */
static void
expect_background (const Picture * picture, const CsPicture * copy)
{
  const CsMark mark = {.x0 = -99,.x1 = -99,.radius = 1 };
  const CsMarks marks = {.marks = &mark,.n = 1,.memory = CS_MEMORY_HOST };
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  g_autoptr (CsRaster) raster = cs_raster_new (executor, NULL);
  g_autoptr (Picture) output = picture_copy (picture);
  g_autofree guint8 *nothing = g_malloc0 (picture->size);
  const CsPicture zeros = picture_view_at (picture, nothing, CS_MEMORY_HOST);
  CsRasterSettings settings;

  copy_samples (&zeros, &output->view);
  cs_raster_settings_init (&settings);
  expect (cs_raster_run (raster, &marks, &settings, copy, &output->view, NULL),
      "it is painted");
  expect (picture_compare (output, picture, "the copy") == 0,
      "it is what it is a copy of");
}

void
check_place (const Layout * layout)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (Picture) picture = picture_new (layout, 37, 21, rand);
  const gsize size = cs_picture_place (&picture->view, NULL, NULL);
  g_autofree guint8 *memory = g_malloc0 (size);
  g_autofree guint8 *junk = g_malloc (size);
  CsPicture copy;

  begin ("a copy of %s", layout->name);
  cs_picture_place (&picture->view, memory, &copy);
  for (guint c = 0; c < 4; c++) {
    const CsImage image = cs_picture_get_component (&copy, c);

    for (guint y = 0; image.data && y < image.height; y++)
      for (guint x = 0; x < image.width; x++)
        for (gsize i = 0; i < cs_sample_size (image.type); i++) {
          const gsize at = (guint8 *) image.data - memory + y *
              image.row_stride + x * image.pixel_stride + i;

          expect (at < size && !memory[at], "component %u at (%u, %u)", c, x,
              y);
          memory[MIN (at, size - 1)] = 1;
        }
  }
  memset (junk, 99, size);
  cs_picture_place (&picture->view, junk, &copy);
  copy_samples (&picture->view, &copy);
  expect_background (picture, &copy);
  end ();
}
