/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_pixels.h"

#include <string.h>

const guint32 line_pixel_formats[] = {
  LINE_PIXELS_RGB8, LINE_PIXELS_BGR8, LINE_PIXELS_BAYER_RG8,
  LINE_PIXELS_BAYER_GR8, LINE_PIXELS_BAYER_GB8, LINE_PIXELS_BAYER_BG8,
  LINE_PIXELS_MONO8, 0
};

gboolean
line_pixels_are_known (guint32 format)
{
  for (guint i = 0; line_pixel_formats[i]; i++)
    if (line_pixel_formats[i] == format)
      return TRUE;
  return FALSE;
}

gsize
line_pixels_get_size (guint32 format, guint columns, guint rows)
{
  const gboolean is_whole = format == LINE_PIXELS_RGB8
      || format == LINE_PIXELS_BGR8;

  return (gsize) columns * rows * (is_whole ? 3 : 1);
}

/* Three rows of samples; those beyond a border are the ones as far inside, which
 * have the same colour. */
typedef struct
{
  const guint8 *above, *here, *below;
  guint columns;
} Window;

/* @c: 0 or 2, of the colour of this row beside green */
static void
fill_pixel (const Window * w, guint x, gboolean is_green, guint c, guint8 * rgb)
{
  const guint left = x ? x - 1 : 1;
  const guint right = x + 1 < w->columns ? x + 1 : x - 1;
  const guint upright = (w->above[x] + w->below[x] + 1) / 2;

  if (is_green) {
    rgb[1] = w->here[x];
    rgb[c] = (w->here[left] + w->here[right] + 1) / 2;
    rgb[2 - c] = upright;
  } else {
    rgb[c] = w->here[x];
    rgb[1] = (w->here[left] + w->here[right] + w->above[x] + w->below[x] + 2)
        / 4;
    rgb[2 - c] = (w->above[left] + w->above[right] + w->below[left]
        + w->below[right] + 2) / 4;
  }
}

/* @red_x, @red_y: column and row of the first red sample */
static void
interpolate (const guint8 * data, guint columns, guint rows, guint red_x,
    guint red_y, guint8 * rgb)
{
  for (guint y = 0; y < rows; y++) {
    const gboolean is_red = y % 2 == red_y;
    const gsize above = y ? y - 1 : 1, below = y + 1 < rows ? y + 1 : y - 1;
    const Window window = { data + above * columns,
      data + (gsize) y * columns, data + below * columns, columns
    };

    for (guint x = 0; x < columns; x++, rgb += 3)
      fill_pixel (&window, x, (x % 2 == red_x) != is_red, is_red ? 0 : 2, rgb);
  }
}

void
line_pixels_to_rgb (guint32 format, const guint8 * data, guint columns,
    guint rows, guint8 * rgb)
{
  const gsize n = (gsize) columns * rows;

  switch (format) {
    case LINE_PIXELS_RGB8:
      memcpy (rgb, data, 3 * n);
      break;
    case LINE_PIXELS_BGR8:
      for (gsize i = 0; i < n; i++, data += 3, rgb += 3) {
        rgb[0] = data[2];
        rgb[1] = data[1];
        rgb[2] = data[0];
      }
      break;
    case LINE_PIXELS_MONO8:
      for (gsize i = 0; i < n; i++, rgb += 3)
        rgb[0] = rgb[1] = rgb[2] = data[i];
      break;
    case LINE_PIXELS_BAYER_RG8:
      interpolate (data, columns, rows, 0, 0, rgb);
      break;
    case LINE_PIXELS_BAYER_GR8:
      interpolate (data, columns, rows, 1, 0, rgb);
      break;
    case LINE_PIXELS_BAYER_GB8:
      interpolate (data, columns, rows, 0, 1, rgb);
      break;
    case LINE_PIXELS_BAYER_BG8:
      interpolate (data, columns, rows, 1, 1, rgb);
      break;
    default:
      g_assert_not_reached ();
  }
}
