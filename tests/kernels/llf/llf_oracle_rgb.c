/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_oracle_rgb.h"

#include <math.h>
#include <string.h>

#include "llf_oracle.h"

#define MAX_LEVELS 17

/**
 * Sizes:
 * @w: columns of each level
 * @h: rows
 *
 * Of a pyramid.
 */
typedef struct
{
  guint w[MAX_LEVELS], h[MAX_LEVELS], n;
} Sizes;

static Sizes
find_sizes (guint width, guint height)
{
  Sizes sizes = { {width}, {height}, 1 };

  while (MIN (sizes.w[sizes.n - 1], sizes.h[sizes.n - 1]) > 1) {
    sizes.w[sizes.n] = (sizes.w[sizes.n - 1] + 1) / 2;
    sizes.h[sizes.n] = (sizes.h[sizes.n - 1] + 1) / 2;
    sizes.n++;
  }
  return sizes;
}

/* Colours of @w x @h to @w2 x @h2, along rows and then columns. */
static double *
resample (const double *in, guint w, guint h, guint w2, guint h2, gboolean down)
{
  g_autofree double *wide = g_new (double, w2 * h * 3);
  double *out = g_new (double, w2 * h2 * 3);
  g_autofree double *line = g_new (double, MAX (w, h));
  g_autofree double *result = g_new (double, MAX (w2, h2));

  for (guint c = 0; c < 3; c++) {
    for (guint y = 0; y < h; y++) {
      for (guint x = 0; x < w; x++)
        line[x] = in[(y * w + x) * 3 + c];
      if (down)
        llf_oracle_down (line, w, result);
      else
        llf_oracle_up (line, w2, result);
      for (guint x = 0; x < w2; x++)
        wide[(y * w2 + x) * 3 + c] = result[x];
    }
    for (guint x = 0; x < w2; x++) {
      for (guint y = 0; y < h; y++)
        line[y] = wide[(y * w2 + x) * 3 + c];
      if (down)
        llf_oracle_down (line, h, result);
      else
        llf_oracle_up (line, h2, result);
      for (guint y = 0; y < h2; y++)
        out[(y * w2 + x) * 3 + c] = result[y];
    }
  }
  return out;
}

static double *
down (const Sizes * sizes, guint l, const double *in)
{
  return resample (in, sizes->w[l], sizes->h[l], sizes->w[l + 1],
      sizes->h[l + 1], TRUE);
}

static double *
up (const Sizes * sizes, guint l, const double *in)
{
  return resample (in, sizes->w[l + 1], sizes->h[l + 1], sizes->w[l],
      sizes->h[l], FALSE);
}

/* The picture remapped around colour @g. */
static double *
remap (const CsLlfParams * params, const double *rgb, gsize n, const double *g)
{
  double *out = g_new (double, n * 3);

  for (gsize i = 0; i < n; i++) {
    const double *colour = rgb + i * 3;
    const double distance = sqrt ((colour[0] - g[0]) * (colour[0] - g[0]) +
        (colour[1] - g[1]) * (colour[1] - g[1]) +
        (colour[2] - g[2]) * (colour[2] - g[2]));
    const double far = llf_oracle_remap (params, distance, 0);

    for (guint c = 0; c < 3; c++)
      out[i * 3 + c] = distance == 0 ? g[c] :
          g[c] + (colour[c] - g[c]) / distance * far;
  }
  return out;
}

/* The colour of level @level of the Laplacian pyramid of @picture, which is
 * freed, at sample @at. */
static void
take_coefficient (const Sizes * sizes, double *picture, guint level, gsize at,
    double *to)
{
  double *coarse, *rest;

  for (guint l = 0; l < level; l++) {
    coarse = down (sizes, l, picture);
    g_free (picture);
    picture = coarse;
  }
  coarse = down (sizes, level, picture);
  rest = up (sizes, level, coarse);
  for (guint c = 0; c < 3; c++)
    to[c] = picture[at * 3 + c] - rest[at * 3 + c];
  g_free (picture);
  g_free (coarse);
  g_free (rest);
}

void
llf_oracle_rgb (const CsLlfParams * params, const double *rgb, guint width,
    guint height, double *out)
{
  const Sizes sizes = find_sizes (width, height);
  const gsize n = (gsize) width * height;
  double *gauss[MAX_LEVELS], *sum;

  gauss[0] = g_memdup2 (rgb, n * 3 * sizeof (double));
  for (guint l = 0; l + 1 < sizes.n; l++)
    gauss[l + 1] = down (&sizes, l, gauss[l]);
  sum = gauss[sizes.n - 1];
  for (guint l = sizes.n - 1; l-- > 0;) {
    double *collapsed = up (&sizes, l, sum);

    for (gsize i = 0; i < (gsize) sizes.w[l] * sizes.h[l]; i++) {
      double own[3];

      take_coefficient (&sizes, remap (params, rgb, n, gauss[l] + i * 3), l, i,
          own);
      collapsed[i * 3] += own[0];
      collapsed[i * 3 + 1] += own[1];
      collapsed[i * 3 + 2] += own[2];
    }
    g_free (sum);
    g_free (gauss[l]);
    sum = collapsed;
  }
  memcpy (out, sum, n * 3 * sizeof (double));
  g_free (sum);
}
