/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the local Laplacian filter with distances in RGB: check-llf-rgb
 * [cpu|cuda|bench [THREADS]]
 *   cpu    the exact filter is the oracle's, the factors' PSNR against it,
 *          properties of the definition, layouts, threads, errors
 *   cuda   the GPU gives the CPU's bits
 *   bench  the PSNR of all ranks, and times beside those of luma */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/check_device.h"
#include "../lib/check.h"
#include "../lib/device.h"
#include "base/error.h"
#include "llf/llf_colour.h"
#include "llf/llf_rgb_private.h"
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

  for (guint c = 0; c < 4; c++)
    images[c] = llf_image_new (kind == NATURAL ? LLF_NATURAL : LLF_NOISE, width,
        height, kind == NATURAL && c == 3 ? 1 : 11 + c);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      for (guint c = 0; c < 3; c++) {
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
  for (guint c = 0; c < 4; c++)
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

  for (guint c = 0; c < stride; c++) {
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
  params.color_remapping = CS_LLF_RGB_DISTANCE;
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
  g_autoptr (CsLlfTable) table = cs_llf_table_new (params, &error);

  g_assert_no_error (error);
  CsLlfColour *plan = cs_llf_colour_new (table, executor, &error);
  g_assert_no_error (error);
  return plan;
}

/* Filters codes in place. */
static void
filter (const CsLlfParams * params, guint n_threads, guint8 * codes,
    guint width, guint height)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (n_threads);
  g_autoptr (CsLlfColour) plan = plan_new (params, executor);
  const CsPicture picture = rgb_picture (codes, width, height, 3, 0);
  g_autoptr (GError) error = NULL;

  if (!cs_llf_colour_run (plan, &picture, &picture, FALSE, &all, &error))
    expect (FALSE, "%s", error->message);
}

/* The oracle's result in codes, not limited. */
static double *
oracle_new (const CsLlfParams * params, const guint8 * codes, guint width,
    guint height)
{
  const gsize n = (gsize) width * height * 3;
  g_autofree double *rgb = g_new (double, n);
  double *out = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    rgb[i] = codes[i] / 255.;
  llf_oracle_rgb (params, rgb, width, height, out);
  for (gsize i = 0; i < n; i++)
    out[i] *= 255;
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
        g_autofree guint8 *codes = picture_new (kind, w, h);
        g_autofree double *want = oracle_new (&params, codes, w, h);
        double most = 0;

        begin ("exact, curve %u, %s, %u x %u", curve, kind_names[kind], w, h);
        filter (&params, 2, codes, w, h);
        for (i = 0; i < (gsize) w * h * 3; i++)
          most = fmax (most, fabs (codes[i] - CLAMP (want[i], 0, 255)));
        expect (most <= .52, "%g codes from the oracle", most);
        end ();
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
  g_autofree guint8 *codes = picture_new (kind, width, height);
  const gsize n = (gsize) width * height * 3;
  double sum = 0;

  filter (params, 2, codes, width, height);
  for (gsize i = 0; i < n; i++) {
    const double wanted = floor (CLAMP (want[i], 0, 255) + .5);

    sum += (codes[i] - wanted) * (codes[i] - wanted);
  }
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
  {CS_LLF_SMOOTH, .2, .5, 1,
        {{36.8, 39.5, 40.9}, {36.3, 38.9, 42.9},
        {38.1, 42.4, 47.3}, {32.6, 31.8, 34.8}}},
  {CS_LLF_SMOOTH, .35, .7, 1,
        {{46.6, 50.8, 51.7}, {42.1, 47.3, 52.0},
        {47.8, 53.2, 53.4}, {36.4, 38.2, 39.8}}},
  {CS_LLF_SMOOTH, .1, .5, 1,
        {{36.1, 36.6, 38.0}, {43.5, 45.0, 46.1},
        {43.9, 43.5, 42.9}, {37.7, 37.1, 38.2}}},
  {CS_LLF_SMOOTH, .2, .7, .5,
        {{37.5, 40.1, 41.5}, {36.9, 39.6, 43.5},
        {38.8, 42.9, 47.6}, {33.3, 32.5, 35.5}}},
  {CS_LLF_SMOOTH, .2, 3, 1,
        {{40.3, 42.9, 44.2}, {39.8, 42.4, 46.2},
        {41.6, 45.7, 49.8}, {36.1, 35.3, 38.4}}},
  {CS_LLF_POWER, .2, .5, 1,
        {{37.2, 37.5, 38.6}, {46.5, 47.9, 47.9},
        {45.9, 45.5, 44.3}, {39.3, 39.1, 39.8}}},
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

  for (guint g = 0; g < G_N_ELEMENTS (gates); g++) {
    CsLlfParams params = gate_params (&gates[g]);

    for (guint kind = 0; kind < N_KINDS; kind++) {
      g_autofree guint8 *codes = picture_new (kind, width, height);
      g_autofree double *want = oracle_new (&params, codes, width, height);
      double psnr[3], nothing = 0;

      for (gsize i = 0; i < (gsize) width * height * 3; i++)
        nothing += pow (codes[i] - CLAMP (want[i], 0, 255), 2);
      nothing = 10 * log10 (255 * 255. * width * height * 3 / nothing);
      begin ("fidelity %u, %s", g, kind_names[kind]);
      for (guint r = 0; r < 3; r++) {
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
    }
  }
}

/* --- Properties ----------------------------------------------------------- */

/* Of gray pictures the distance is sqrt (3) times the difference. */
static void
test_gray (void)
{
  CsLlfParams params = distance_params (CS_LLF_EXACT, .3, .5, .8), gray;
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  guint8 luma[31 * 20], rgb[31 * 20 * 3];
  const CsLlfFrame frame = llf_frame (luma, CS_SAMPLE_U8, 31, 20, luma);
  g_autofree guint16 *codes = llf_codes_new (LLF_NATURAL, 31, 20, 255);

  begin ("gray");
  for (guint i = 0; i < 31 * 20; i++)
    luma[i] = rgb[i * 3] = rgb[i * 3 + 1] = rgb[i * 3 + 2] = codes[i];
  gray = params;
  gray.color_remapping = CS_LLF_LUMA;
  gray.sigma /= sqrt (3);
  g_autoptr (CsLlfTable) table = cs_llf_table_new (&gray, NULL);
  g_autoptr (CsLlf) plan = cs_llf_new (table, executor, NULL);
  expect (cs_llf_run (plan, &frame, &all, NULL), "luma");
  filter (&params, 1, rgb, 31, 20);
  for (guint i = 0; i < 31 * 20 * 3; i++)
    expect (ABS (rgb[i] - luma[i / 3]) <= 1, "%u: %u, not %u", i, rgb[i],
        luma[i / 3]);
  end ();
}

/* A picture of one colour stays, and so does one that is not changed. */
static void
test_identities (void)
{
  static const CsLlfQuality qualities[] = { CS_LLF_FAST, CS_LLF_NORMAL,
    CS_LLF_HIGH, CS_LLF_EXACT
  };

  for (guint q = 0; q < G_N_ELEMENTS (qualities); q++) {
    CsLlfParams params = distance_params (qualities[q], .2, .3, .4);
    guint8 flat[13 * 11 * 3];
    g_autofree guint8 *codes = picture_new (NOISE, 13, 11);
    g_autofree guint8 *before = g_memdup2 (codes, sizeof (flat));

    begin ("identities, quality %u", qualities[q]);
    for (guint i = 0; i < sizeof (flat); i++)
      flat[i] = 40 + 70 * (i % 3);
    filter (&params, 1, flat, 13, 11);
    for (guint i = 0; i < sizeof (flat); i++)
      expect (flat[i] == 40 + 70 * (i % 3), "flat: %u is %u", i, flat[i]);
    params.alpha = params.beta = 1;
    filter (&params, 1, codes, 13, 11);
    expect (memcmp (codes, before, sizeof (flat)) == 0, "identity");
    end ();
  }
}

/* The same in any order of bytes, in place or not, of any number of threads,
 * and the fourth byte stays. */
static void
test_layouts (guint rank, guint width, guint height)
{
  CsLlfParams params = distance_params (rank ? CS_LLF_NORMAL : CS_LLF_EXACT,
      .25, .5, .7);
  const gsize n = (gsize) width * height;
  g_autofree guint8 *want = picture_new (NATURAL, width, height);
  g_autofree guint8 *codes = g_memdup2 (want, n * 3);

  params.rank = rank;
  filter (&params, 1, want, width, height);
  begin ("layouts of rank %u, %u x %u", rank, width, height);
  for (guint layout = 0; layout < 8; layout++) {
    const guint stride = layout % 2 ? 4 : 3, c0 = layout / 2 % 2;
    g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1 + layout % 3);
    g_autoptr (CsLlfColour) plan = plan_new (&params, executor);
    g_autofree guint8 *in = g_malloc (n * 4);
    g_autofree guint8 *out = g_malloc0 (n * 4);
    CsPicture input = rgb_picture (in, width, height, stride, c0);
    CsPicture output = rgb_picture (layout < 4 ? in : out, width, height,
        stride, c0);
    GError *error = NULL;

    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < stride; c++)
        in[i * stride + (c + c0) % stride] = c < 3 ? codes[i * 3 + c] : i;
    expect (cs_llf_colour_run (plan, &input, &output, FALSE, &all, &error),
        "%s", error ? error->message : "");
    g_clear_error (&error);
    for (gsize i = 0; i < n; i++)
      for (guint c = 0; c < stride; c++)
        expect (((guint8 *) output.data[c])[i * stride] ==
            (c < 3 ? want[i * 3 + c] : (guint8) i), "layout %u, byte %u of "
            "pixel %" G_GSIZE_FORMAT, layout, c, i);
  }
  end ();
}

/* The pyramid's last levels, none at all, and amounts. */
static void
test_settings (void)
{
  static const double weights[] = { 0, .5 };
  const CsLlfSettings zero = {.amount = 0 }, one = {.amount = 1,.levels = 1 };
  const CsLlfSettings wrong = {.amount = NAN }, inverse = {.amount = -1 };
  const CsLlfSettings some = {.amount = 1,.weights = weights,.n_weights = 2 };
  const CsLlfSettings *const settings[] = { &zero, &one, &all, &inverse, &some,
    &wrong
  };
  CsLlfParams params = distance_params (CS_LLF_FAST, .3, .5, 1);
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (2);
  g_autoptr (CsLlfColour) plan = plan_new (&params, executor);
  guint8 *codes[6];
  gboolean ok[6];
  double change = 0, back = 0;

  begin ("settings");
  for (guint i = 0; i < 6; i++) {
    codes[i] = picture_new (NATURAL, 30, 20);
    CsPicture picture = rgb_picture (codes[i], 30, 20, 3, 0);
    ok[i] = cs_llf_colour_run (plan, &picture, &picture, FALSE, settings[i],
        NULL);
    expect (ok[i] == (i < 5), "settings %u", i);
  }
  expect (memcmp (codes[0], codes[1], 1800) == 0, "one level");
  for (guint i = 0; i < 1800; i++) {
    change += abs (codes[2][i] - codes[0][i]);
    back += abs (codes[2][i] + codes[3][i] - 2 * codes[0][i]) > 1;
  }
  expect (change > 1800 && back < 100, "changes %g, %g not opposite", change,
      back);
  expect (memcmp (codes[4], codes[2], 1800) != 0, "weights");
  end ();
  for (guint i = 0; i < 6; i++)
    g_free (codes[i]);
}

static void
expect_invalid (const CsLlfParams * params)
{
  g_autoptr (GError) error = NULL;
  CsLlfTable *table = cs_llf_table_new (params, &error);

  expect (!table && g_error_matches (error, CS_ERROR, CS_ERROR_INVALID),
      "a table");
}

static void
test_errors (void)
{
  CsLlfParams params = distance_params (CS_LLF_SAMPLED, .2, .5, 1);
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (1);
  guint8 codes[64] = { 0 };
  CsPicture gray = rgb_picture (codes, 8, 8, 1, 0);
  g_autoptr (GError) error = NULL;

  begin ("errors");
  expect_invalid (&params);
  params.quality = CS_LLF_NORMAL;
  params.depth = 10;
  expect_invalid (&params);
  params.depth = 8;
  params.limited_range = TRUE;
  expect_invalid (&params);
  params.limited_range = FALSE;
  params.color_remapping = 2;
  expect_invalid (&params);
  params.color_remapping = CS_LLF_RGB_DISTANCE;
  g_autoptr (CsLlfColour) plan = plan_new (&params, executor);
  gray.model = CS_PICTURE_GRAY;
  expect (!cs_llf_colour_run (plan, &gray, &gray, FALSE, &all, &error) &&
      g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "gray");
  end ();
}

/* --- Times ---------------------------------------------------------------- */

/* Milliseconds of processor time for a picture, the least of five. */
static double
time_picture (const CsLlfParams * params, CsExecutor * executor,
    const guint8 * natural, double *table)
{
  const clock_t start = clock ();
  g_autoptr (CsLlfColour) plan = plan_new (params, executor);
  double least = G_MAXDOUBLE;
  guint8 *codes;
  CsPicture picture;

  *table = (clock () - start) * 1e3 / CLOCKS_PER_SEC;
  for (guint i = 0; i < 5; i++) {
    codes = g_memdup2 (natural, 1920 * 1080 * 3);
    picture = rgb_picture (codes, 1920, 1080, 3, 0);
    clock_t begin = clock ();
    g_assert (cs_llf_colour_run (plan, &picture, &picture, FALSE, &all, NULL));
    least = MIN (least, (clock () - begin) * 1e3 / CLOCKS_PER_SEC);
    g_free (codes);
  }
  return least;
}

static void
bench (guint n_threads)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (n_threads);
  CsLlfParams params = distance_params (CS_LLF_NORMAL, .2, .5, 1);
  g_autofree guint8 *natural = picture_new (NATURAL, 1920, 1080);
  double base = 0, table;

  for (guint rank = 4; rank <= 32; rank *= 2) {
    const gboolean is_luma = rank == 4;

    params.rank = is_luma ? 8 : rank;
    params.color_remapping = is_luma ? CS_LLF_LUMA : CS_LLF_RGB_DISTANCE;
    double ms = time_picture (&params, executor, natural, &table);
    base = is_luma ? ms : base;
    printf ("1920x1080 RGB, %s, rank %u: %.1f ms of processor time, %.2f times "
        "luma's; table %.0f ms\n", is_luma ? "luma" : "distance", params.rank,
        ms, ms / base, table);
  }
}

/* --- CUDA ----------------------------------------------------------------- */

#ifdef HAVE_CUDA

static const double some_weights[] = { 0, .5, 2 };

/* In turn: all levels; no coefficients at some; few levels; none; a guard. The
 * last one shows the rounding of coefficients that should be 0. */
#define N_CUDA_SETTINGS 5
static const CsLlfSettings cuda_settings[] = {
  {.amount = 1}, {.amount = 1.5,.weights = some_weights,.n_weights = 3},
  {.amount = -1,.levels = 3}, {.amount = 0},
  {.amount = 1,.tone_guard = .3}, {.amount = 1e6},
};

/**
 * Both:
 *
 * Plans on the CPU and the GPU, for several pictures.
 */
typedef struct
{
  CsLlfColour *cpu, *gpu;
  CsExecutor *on_cpu, *on_gpu;
} Both;

/* A picture whose coefficients are 0 but for rounding: of one colour, or a
 * ramp. */
static guint8 *
smooth_new (gboolean is_ramp, guint width, guint height, guint seed)
{
  guint8 *bytes = g_malloc (width * height * 4);

  for (guint i = 0; i < width * height * 4; i++)
    bytes[i] = 40 + (seed * 41 + i % 4 * 29) % 100 +
        (is_ramp ? (i / 4) % width : 0);
  return bytes;
}

/* Bytes on the host from what @plan makes of @bytes, at @memory.
 * Returns: (transfer full) */
static guint8 *
filter_at (CsLlfColour * plan, const guint8 * bytes, CsMemory memory,
    guint width, guint height, guint layout, guint settings)
{
  const guint stride = 3 + layout % 2;
  const gsize size = (gsize) width * height * stride;
  const gboolean is_device = memory == CS_MEMORY_DEVICE;
  guint8 *host = g_memdup2 (bytes, size), *in = host, *out;
  GError *error = NULL;

  if (is_device) {
    in = check_device_alloc (size);
    check_device_copy (in, bytes, size);
  }
  out = layout / 4 % 2 ? in : is_device ? check_device_alloc (size) :
      g_malloc0 (size);
  CsPicture input = rgb_picture (in, width, height, stride, layout / 2 % 2);
  CsPicture output = rgb_picture (out, width, height, stride, layout / 2 % 2);
  input.memory = output.memory = memory;
  expect (cs_llf_colour_run (plan, &input, &output, FALSE,
          &cuda_settings[settings], &error), "layout %u: %s", layout,
      error ? error->message : "");
  g_clear_error (&error);
  if (host != out)
    check_device_copy (host, out, size);
  if (is_device)
    check_device_free (in);
  if (out != in)
    is_device ? check_device_free (out) : g_free (out);
  return host;
}

static void
compare (const Both * both, const guint8 * bytes, guint width, guint height,
    guint layout, guint settings)
{
  const gsize size = (gsize) width * height * (3 + layout % 2);
  g_autofree guint8 *want = filter_at (both->cpu, bytes, CS_MEMORY_HOST, width,
      height, layout, settings);
  g_autofree guint8 *host = filter_at (both->gpu, bytes, CS_MEMORY_HOST, width,
      height, layout, settings);
  g_autofree guint8 *device = filter_at (both->gpu, bytes, CS_MEMORY_DEVICE,
      width, height, layout, settings);

  expect (memcmp (want, host, size) == 0, "%u x %u, layout %u, host", width,
      height, layout);
  expect (memcmp (want, device, size) == 0, "%u x %u, layout %u, device",
      width, height, layout);
}

/* The low bits of changes, which codes do not show: the backends alone, with a
 * largest code of 2^30, of which bytes keep the lower eight bits. */
static void
compare_sums (CsLlfTable * table, CsExecutor * on_cpu, CsExecutor * on_gpu,
    const guint8 * bytes, guint width, guint height)
{
  const gsize size = (gsize) width * height * 3;
  void *cpu = cs_llf_rgb_cpu_backend.create (on_cpu);
  void *gpu = cs_llf_rgb_cuda_backend.create (on_gpu);
  g_autofree guint8 *want = g_malloc0 (size);
  g_autofree guint8 *got = g_malloc0 (size);
  guint8 *in = check_device_alloc (size), *out = check_device_alloc (size);
  CsLlfRgbJob job = {
    .width = width,.height = height,.pixel_stride = 3,.green = 1,.blue = 2,
    .input_stride = width * 3,.output_stride = width * 3,
    .input = bytes,.output = want,.tone = {.max_code = 1 << 30},
  };
  CsLlfPyramid pyramid;

  check_device_copy (in, bytes, size);
  expect (cs_llf_pyramid_plan (&pyramid, width, height, &all, NULL) &&
      cs_llf_rgb_cpu_backend.run (cpu, table, &job, &pyramid, NULL), "CPU");
  job.input = in;
  job.output = out;
  expect (cs_llf_rgb_cuda_backend.run (gpu, table, &job, &pyramid, NULL),
      "GPU");
  check_device_copy (got, out, size);
  expect (memcmp (got, want, size) == 0, "%u x %u: low bits", width, height);
  cs_llf_rgb_cpu_backend.destroy (cpu);
  cs_llf_rgb_cuda_backend.destroy (gpu);
  check_device_free (in);
  check_device_free (out);
}

static void
test_cuda_table (Both * both, CsLlfTable * table, guint pass)
{
  static const guint sizes[][2] = { {41, 27}, {1, 9}, {66, 3}, {40, 30} };

  cs_llf_colour_set_table (both->cpu, table);
  cs_llf_colour_set_table (both->gpu, table);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const guint width = sizes[i][0], height = sizes[i][1];
    g_autofree guint8 *bytes = picture_new ((i + pass) % N_KINDS, 2 * width,
        height);
    g_autofree guint8 *weights = g_malloc (width * height);

    for (guint layout = 0; layout < width * height; layout++)
      weights[layout] = layout * 37;
    for (guint layout = 0; layout < 8; layout++)
      compare (both, bytes, width, height, layout, layout % N_CUDA_SETTINGS);
    for (guint layout = 0; layout < 2; layout++) {
      g_autofree guint8 *smooth = smooth_new (layout, width, height, pass);

      compare (both, smooth, width, height, 1, N_CUDA_SETTINGS);
    }
    /* a width of 1 has one level, which backends do not take */
    if (table->rgb && width > 1)
      compare_sums (table, both->on_cpu, both->on_gpu, bytes, width, height);
    cs_llf_colour_set_weights (both->cpu, weights, 1 + 4 * pass + i);
    cs_llf_colour_set_weights (both->gpu, weights, 1 + 4 * pass + i);
    compare (both, bytes, width, height, 4, 0);
    cs_llf_colour_set_weights (both->cpu, NULL, 0);
    cs_llf_colour_set_weights (both->gpu, NULL, 0);
  }
}

/* One plan takes all tables, in an order in which they grow and shrink; the
 * last is the identity. */
static int
run_cuda (void)
{
  static const guint ranks[] = { 16, 0, 32, 8, 0, 1 };
  Both both = {.on_cpu = cs_executor_new_cpu (2) };
  Device device;

  if (!device_open (&device)) {
    printf ("skipped: no CUDA device\n");
    cs_executor_free (both.on_cpu);
    return EXIT_SKIPPED;
  }
  both.on_gpu = device_executor_new (&device);
  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++) {
    const double alpha = ranks[i] == 1 ? 1 : .5;
    CsLlfParams params = distance_params (ranks[i] ? CS_LLF_NORMAL :
        CS_LLF_EXACT, i % 2 ? .2 : .35, alpha, ranks[i] == 1 ? 1 : .7);

    begin ("CUDA, table %u of rank %u", i, ranks[i]);
    params.rank = ranks[i];
    g_autoptr (CsLlfTable) table = cs_llf_table_new (&params, NULL);
    if (!both.cpu) {
      both.cpu = cs_llf_colour_new (table, both.on_cpu, NULL);
      both.gpu = cs_llf_colour_new (table, both.on_gpu, NULL);
    }
    test_cuda_table (&both, table, i);
    end ();
  }
  cs_llf_colour_free (both.cpu);
  cs_llf_colour_free (both.gpu);
  cs_executor_free (both.on_cpu);
  cs_executor_free (both.on_gpu);
  device_close (&device);
  return 0;
}

#else

static int
run_cuda (void)
{
  printf ("skipped: a build without CUDA\n");
  return EXIT_SKIPPED;
}

#endif

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "cuda") == 0) {
    const int status = run_cuda ();

    return status != 0 ? status : finish ();
  }
  if (argc > 1 && strcmp (argv[1], "bench") == 0) {
    bench (argc > 2 ? atoi (argv[2]) : 2);
    test_fidelity (TRUE, 40, 28);
    return 0;
  }
  test_exact ();
  test_fidelity (FALSE, 40, 28);
  test_gray ();
  test_identities ();
  test_layouts (8, 67, 41);
  test_layouts (16, 130, 3);
  test_layouts (32, 1, 9);
  test_layouts (32, 75, 50);
  test_layouts (0, 21, 17);
  test_settings ();
  test_errors ();
  return finish ();
}
