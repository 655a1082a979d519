/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_images.h"

#include <math.h>

const char *
llf_fill_name (LlfFill fill)
{
  static const char *const names[] = { "natural", "noise", "texture",
    "edge"
  };

  return names[fill];
}

/* A fixed number of 0 to 1 for a lattice point. */
static double
lattice (gint x, gint y, guint32 seed)
{
  guint32 h = x * 374761393u + y * 668265263u + seed * 2246822519u;

  h = (h ^ (h >> 13)) * 1274126177u;
  h ^= h >> 16;
  return (h & 0xffffff) / 16777215.;
}

/* Smooth noise of one scale. */
static double
octave (double x, double y, guint32 seed)
{
  const gint ix = (gint) floor (x), iy = (gint) floor (y);
  double fx = x - ix, fy = y - iy;

  fx = fx * fx * (3 - 2 * fx);
  fy = fy * fy * (3 - 2 * fy);
  return (lattice (ix, iy, seed) * (1 - fx) +
      lattice (ix + 1, iy, seed) * fx) * (1 - fy) +
      (lattice (ix, iy + 1, seed) * (1 - fx) +
      lattice (ix + 1, iy + 1, seed) * fx) * fy;
}

static double
natural (guint x, guint y, guint width, guint height, guint32 seed)
{
  const double u = (double) x / width, v = (double) y / height;
  double value = .25 + .3 * v, scale = 64, amplitude = .25;

  for (guint k = 0; k < 7; k++) {
    value += amplitude * (octave (x / scale, y / scale, seed + k) - .5);
    scale /= 2;
    amplitude *= .62;
  }
  /* a dark wall with a lit window, and bright discs */
  if (u > .55 && u < .9 && v > .2 && v < .8)
    value += u > .65 && u < .75 && v > .35 && v < .6 ? .35 : -.25;
  if (hypot (u - .25, v - .6) < .12)
    value += .3;
  if (hypot (u - .3, v - .2) < .05)
    value += .5;
  return value;
}

static double
texture (guint x, guint y, guint width)
{
  double value = .1 + .8 * x / width;

  if (y % 32 < 16)
    value += .04 * sin (x * 1.9) * cos (y * .7);
  else
    value += (x / 2 + y / 2) % 2 ? .03 : -.03;
  return value;
}

static double
edge (guint x, guint y, guint width, guint32 seed)
{
  return (x < width / 2 ? .4 : .6) + .01 * (2 * lattice (x, y, seed) - 1);
}

double *
llf_image_new (LlfFill fill, guint width, guint height, guint32 seed)
{
  double *image = g_new (double, (gsize) width * height);

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const double value = fill == LLF_NATURAL ?
          natural (x, y, width, height, seed) : fill == LLF_NOISE ?
          lattice (x, y, seed) : fill == LLF_TEXTURE ?
          texture (x, y, width) : edge (x, y, width, seed);

      image[(gsize) y * width + x] = CLAMP (value, 0, 1);
    }
  return image;
}

guint16 *
llf_codes_new (LlfFill fill, guint width, guint height, guint most)
{
  const gsize n = (gsize) width * height;
  g_autofree double *image = llf_image_new (fill, width, height, 1);
  guint16 *codes = g_new (guint16, n);

  for (gsize i = 0; i < n; i++)
    codes[i] = (guint16) (image[i] * most + .5);
  return codes;
}

CsLlfFrame
llf_frame (const void *in, CsSampleType type, guint width, guint height,
    void *out)
{
  const gsize size = cs_sample_size (type);

  return (CsLlfFrame) {
    .input = cs_image_gray (in, type, width, height, width * size),
    .output = out,
    .output_pixel_stride = size,
    .output_row_stride = width * size,
  };
}
