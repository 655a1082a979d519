/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the local Laplacian filter with distances in RGB: check-llf-rgb
 * [cpu|bench [THREADS]]
 *   cpu    the exact filter is the oracle's, the factors' PSNR against it,
 *          properties of the definition, layouts, threads, errors
 *   bench  the PSNR of all ranks, and times beside those of luma */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "base/error.h"
#include "llf/llf_colour.h"
#include "llf_images.h"
#include "llf_oracle_rgb.h"

static const CsLlfSettings all = {.amount = 1 };

/* --- Pictures ------------------------------------------------------------- */

/* Colours with much in common, as in photographs; independent noise; an edge
 * between two surfaces with a faint grain; four strong colours with grain. */
typedef enum
{
  NATURAL,
  NOISE,
  EDGE,
  STRONG,
  N_KINDS,
} Kind;

static const char *const kind_names[] = { "natural", "noise", "edge",
  "strong"
};

static double
strong (guint x, guint y, guint width, guint height, guint c)
{
  static const double colours[4][3] = { {.9, .1, .1}, {.1, .8, .1},
  {.1, .1, .9}, {.9, .9, .1}
  };

  return colours[(x >= width / 2) + 2 * (y >= height / 2)][c];
}

/* Codes: R, G and B of each pixel. */
static guint8 *
picture_new (Kind kind, guint width, guint height)
{
  static const double near[3] = { .55, .35, .2 }, far[3] = { .3, .45, .6 };
  const gsize n = (gsize) width * height;
  double *images[4];
  guint8 *codes = g_new (guint8, n * 3);
  guint c, x, y;

  for (c = 0; c < 4; c++)
    images[c] = llf_image_new (kind == NATURAL ? LLF_NATURAL : LLF_NOISE, width,
        height, kind == NATURAL && c == 3 ? 1 : 11 + c);
  for (y = 0; y < height; y++) {
    for (x = 0; x < width; x++) {
      for (c = 0; c < 3; c++) {
        const gsize i = (gsize) y * width + x;
        double value = images[c][i];

        if (kind == NATURAL)
          value = images[3][i] + .5 * (value - images[(c + 1) % 3][i]);
        else if (kind == EDGE)
          value = (x < width / 2 ? near[c] : far[c]) + .02 * (value - .5);
        else if (kind == STRONG)
          value = strong (x, y, width, height, c) + .04 * (value - .5);
        codes[i * 3 + c] = CLAMP (value, 0, 1) * 255 + .5;
      }
    }
  }
  for (c = 0; c < 4; c++)
    g_free (images[c]);
  return codes;
}

/* Of @stride bytes a pixel, whose first colour is byte @first. */
static CsPicture
rgb_picture (guint8 * data, guint width, guint height, guint stride,
    guint first)
{
  CsPicture picture = {
    .model = CS_PICTURE_RGB,
    .type = CS_SAMPLE_U8,
    .width = width,
    .height = height,
    .depth = 8,
  };
  guint c;

  for (c = 0; c < stride; c++) {
    picture.data[c] = data + (c + first) % stride;
    picture.pixel_stride[c] = stride;
    picture.row_stride[c] = (gsize) width * stride;
  }
  return picture;
}

static CsLlfParams
distance_params (CsLlfQuality quality, double sigma, double alpha, double beta)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.color_mode = CS_LLF_RGB_DISTANCE;
  params.quality = quality;
  params.sigma = sigma;
  params.alpha = alpha;
  params.beta = beta;
  params.noise_guard = 0;
  return params;
}

static CsLlfColour *
plan_new (const CsLlfParams * params, CsExecutor * executor)
{
  GError *error = NULL;
  CsLlfTable *table = cs_llf_table_new (params, &error);
  CsLlfColour *plan;

  g_assert_no_error (error);
  plan = cs_llf_colour_new (table, executor, &error);
  g_assert_no_error (error);
  cs_llf_table_unref (table);
  return plan;
}

/* Filters codes in place. */
static void
filter (const CsLlfParams * params, guint n_threads, guint8 * codes,
    guint width, guint height)
{
  CsExecutor *executor = cs_executor_new_cpu (n_threads);
  CsLlfColour *plan = plan_new (params, executor);
  const CsPicture picture = rgb_picture (codes, width, height, 3, 0);
  GError *error = NULL;

  if (!cs_llf_colour_run (plan, &picture, &picture, FALSE, &all, &error))
    expect (FALSE, "%s", error->message);
  g_clear_error (&error);
  cs_llf_colour_free (plan);
  cs_executor_free (executor);
}

/* The oracle's result in codes, not limited. */
static double *
oracle_new (const CsLlfParams * params, const guint8 * codes, guint width,
    guint height)
{
  const gsize n = (gsize) width * height * 3;
  double *rgb = g_new (double, n), *out = g_new (double, n);
  gsize i;

  for (i = 0; i < n; i++)
    rgb[i] = codes[i] / 255.;
  llf_oracle_rgb (params, rgb, width, height, out);
  for (i = 0; i < n; i++)
    out[i] *= 255;
  g_free (rgb);
  return out;
}

/* --- The exact filter ----------------------------------------------------- */

static void
test_exact (void)
{
  static const guint sizes[][2] = { {23, 17}, {16, 16}, {2, 9}, {7, 1}, {3, 2} };
  guint curve, kind, s;
  gsize i;

  for (curve = 0; curve < 4; curve++) {
    CsLlfParams params = distance_params (CS_LLF_EXACT, curve < 2 ? .2 : .35,
        curve % 2 ? 2. : .4, curve < 2 ? 1. : .6);

    params.curve = curve % 3 ? CS_LLF_POWER : CS_LLF_SMOOTH;
    params.noise_guard = curve == 2 ? .02 : 0;
    for (kind = 0; kind < N_KINDS; kind++) {
      for (s = 0; s < G_N_ELEMENTS (sizes); s++) {
        const guint w = sizes[s][0], h = sizes[s][1];
        guint8 *codes = picture_new (kind, w, h);
        double *want = oracle_new (&params, codes, w, h), most = 0;

        begin ("exact, curve %u, %s, %u x %u", curve, kind_names[kind], w, h);
        filter (&params, 2, codes, w, h);
        for (i = 0; i < (gsize) w * h * 3; i++)
          most = fmax (most, fabs (codes[i] - CLAMP (want[i], 0, 255)));
        expect (most <= .52, "%g codes from the oracle", most);
        end ();
        g_free (codes);
        g_free (want);
      }
    }
  }
}

/* --- Fidelity ------------------------------------------------------------- */

/* PSNR of the filter of @params against @want, both limited and rounded. */
static double
measure_psnr (const CsLlfParams * params, Kind kind, guint width, guint height,
    const double *want)
{
  guint8 *codes = picture_new (kind, width, height);
  const gsize n = (gsize) width * height * 3;
  double sum = 0;
  gsize i;

  filter (params, 2, codes, width, height);
  for (i = 0; i < n; i++) {
    const double wanted = floor (CLAMP (want[i], 0, 255) + .5);

    sum += (codes[i] - wanted) * (codes[i] - wanted);
  }
  g_free (codes);
  return sum > 0 ? 10 * log10 (255 * 255 * n / sum) : 99;
}

/**
 * Gate:
 * @least: PSNR of ranks 8, 16 and 32, of each kind of picture
 */
typedef struct
{
  CsLlfCurve curve;
  double sigma, alpha, beta;
  double least[N_KINDS][3];
} Gate;

/* About 1 dB below what is measured. */
static const Gate gates[] = {
  {CS_LLF_SMOOTH, .2, .5, 1, {{0}}},
  {CS_LLF_SMOOTH, .35, .7, 1, {{0}}},
  {CS_LLF_SMOOTH, .1, .5, 1, {{0}}},
  {CS_LLF_SMOOTH, .2, .7, .5, {{0}}},
  {CS_LLF_SMOOTH, .2, 3, 1, {{0}}},
  {CS_LLF_POWER, .2, .5, 1, {{0}}},
};

static CsLlfParams
gate_params (const Gate * gate)
{
  CsLlfParams params = distance_params (CS_LLF_NORMAL, gate->sigma,
      gate->alpha, gate->beta);

  params.curve = gate->curve;
  params.noise_guard = gate->curve == CS_LLF_POWER ? .02 : 0;
  return params;
}

static void
test_fidelity (gboolean print, guint width, guint height)
{
  static const guint ranks[] = { 8, 16, 32 };
  guint g, kind, r;

  for (g = 0; g < G_N_ELEMENTS (gates); g++) {
    CsLlfParams params = gate_params (&gates[g]);

    for (kind = 0; kind < N_KINDS; kind++) {
      guint8 *codes = picture_new (kind, width, height);
      double *want = oracle_new (&params, codes, width, height);
      double psnr[3], nothing = 0;
      gsize i;

      for (i = 0; i < (gsize) width * height * 3; i++)
        nothing += pow (codes[i] - CLAMP (want[i], 0, 255), 2);
      nothing = 10 * log10 (255 * 255. * width * height * 3 / nothing);
      begin ("fidelity %u, %s", g, kind_names[kind]);
      for (r = 0; r < 3; r++) {
        params.rank = ranks[r];
        psnr[r] = measure_psnr (&params, kind, width, height, want);
        if (!print)
          expect (psnr[r] >= gates[g].least[kind][r],
              "rank %u: %.1f dB, not %.1f", ranks[r], psnr[r],
              gates[g].least[kind][r]);
      }
      end ();
      if (print)
        printf ("%s sigma %g alpha %g beta %g, %s: without %.1f dB, rank 8 "
            "%.1f, 16 %.1f, 32 %.1f\n",
            params.curve == CS_LLF_SMOOTH ? "smooth" : "power", params.sigma,
            params.alpha, params.beta, kind_names[kind], nothing, psnr[0],
            psnr[1], psnr[2]);
      g_free (codes);
      g_free (want);
    }
  }
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "bench") == 0) {
    test_fidelity (TRUE, 48, 36);
    return 0;
  }
  test_exact ();
  test_fidelity (FALSE, 40, 28);
  return finish ();
}
