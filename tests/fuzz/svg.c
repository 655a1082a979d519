/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an SVG file may contain: whatever it is, the contours are points within
 * the picture, or there is an error. */

#include "fourierdraw/gstfourierdrawsvg.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autoptr (GError) error = NULL;
  FourierContours *contours = svg_parse
      ((const gchar *) data, size, 64, 48, &error);

  if (!contours != (error != NULL))
    abort ();
  if (contours) {
    for (gsize i = 0; i < contours->n_contours; i++)
      if (contours->offsets[i] > contours->offsets[i + 1])
        abort ();
    for (gsize i = 0; i < contours->offsets[contours->n_contours]; i++)
      if (!(contours->points[i].x >= -.6f && contours->points[i].x <= 63.6f &&
              contours->points[i].y >= -.6f && contours->points[i].y <= 47.6f))
        abort ();
    fourier_contours_unref (contours);
  }
  return 0;
}
