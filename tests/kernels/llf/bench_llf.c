/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of the filter compared with two earlier methods, on the same images, in
 * one run:
 * - the original program's: every coefficient from its own remapped window,
 *   whose Laplacian pyramid is built up to the coefficient's level; measured on
 *   some coefficients of each level, and scaled to all of them; on the GPU, a
 *   block for each coefficient;
 * - Aubry's sampled filter as published: K remapped images, K Laplacian
 *   pyramids, interpolated. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bench_llf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/device.h"
#include "llf/llf_private.h"
#include "llf_images.h"
#include "llf_oracle.h"

#define MAX_WINDOW_LEVELS 6
/* Coefficients of each level that the per-coefficient filter is timed on. */
#define SAMPLES 6

typedef struct
{
  guint w, h;
  float *v;
} Plane;

static Plane
plane_new (guint w, guint h)
{
  Plane plane = { w, h, g_new (float, (gsize) w * h) };

  return plane;
}

static float
clamped_tap (const Plane * in, gint x, gint y)
{
  x = CLAMP (x, 0, (gint) in->w - 1);
  y = CLAMP (y, 0, (gint) in->h - 1);
  return in->v[(gsize) y * in->w + x];
}

/* Straightforward operators in single precision, columns first. */
static Plane
down (const Plane * in)
{
  Plane out = plane_new ((in->w + 1) / 2, (in->h + 1) / 2);
  Plane tall = plane_new (in->w, out.h);
  guint x, y;

  for (y = 0; y < out.h; y++)
    for (x = 0; x < in->w; x++)
      tall.v[(gsize) y * in->w + x] = (clamped_tap (in, x, 2 * y - 2) +
          clamped_tap (in, x, 2 * y + 2) + 4 * (clamped_tap (in, x,
                  2 * y - 1) + clamped_tap (in, x, 2 * y + 1)) +
          6 * clamped_tap (in, x, 2 * y)) / 16;
  for (y = 0; y < out.h; y++)
    for (x = 0; x < out.w; x++)
      out.v[(gsize) y * out.w + x] = (clamped_tap (&tall, 2 * x - 2, y) +
          clamped_tap (&tall, 2 * x + 2, y) + 4 * (clamped_tap (&tall,
                  2 * x - 1, y) + clamped_tap (&tall, 2 * x + 1, y)) +
          6 * clamped_tap (&tall, 2 * x, y)) / 16;
  g_free (tall.v);
  return out;
}

static float
up_at (const Plane * in, guint x, guint y)
{
  const gint j = x / 2, i = y / 2;
  const float ox = x % 2 ? 0 : .125f, oy = y % 2 ? 0 : .125f;
  const float wx[] = { ox, x % 2 ? .5f : .75f, x % 2 ? .5f : .125f };
  const float wy[] = { oy, y % 2 ? .5f : .75f, y % 2 ? .5f : .125f };
  float sum = 0;
  gint a, b;

  for (b = 0; b < 3; b++)
    for (a = 0; a < 3; a++)
      sum += wx[a] * wy[b] * clamped_tap (in, j + a - 1, i + b - 1);
  return sum;
}

/* --- Every coefficient on its own ----------------------------------------- */

/* Value at the middle of level @l of the window's Laplacian pyramid. */
static float
window_coefficient (const CsLlfParams * params, const guint16 * codes,
    guint w, guint h, gint cx, gint cy, guint l, float g)
{
  const gint reach = 3 << (l + 1);
  const gint x0 = MAX (cx - reach, 0), y0 = MAX (cy - reach, 0);
  const gint x1 = MIN (cx + reach, (gint) w - 1);
  const gint y1 = MIN (cy + reach, (gint) h - 1);
  Plane levels[MAX_WINDOW_LEVELS + 1];
  float value;
  guint k;
  gint x, y;

  g_return_val_if_fail (l < MAX_WINDOW_LEVELS, 0.f);
  levels[0] = plane_new (x1 - x0 + 1, y1 - y0 + 1);
  for (y = y0; y <= y1; y++)
    for (x = x0; x <= x1; x++)
      levels[0].v[(y - y0) * levels[0].w + x - x0] = (float)
          llf_oracle_remap (params, codes[(gsize) y * w + x] / 255., g);
  for (k = 0; k <= l; k++)
    levels[k + 1] = down (&levels[k]);
  x = MIN ((cx - x0) >> l, (gint) levels[l].w - 1);
  y = MIN ((cy - y0) >> l, (gint) levels[l].h - 1);
  value = levels[l].v[y * levels[l].w + x] - up_at (&levels[l + 1], x, y);
  for (k = 0; k <= l + 1; k++)
    g_free (levels[k].v);
  return value;
}

/* Milliseconds that all coefficients would take on one thread, of the finest
 * levels, which the original used. */
static double
time_original (const CsLlfParams * params, const guint16 * codes, guint w,
    guint h)
{
  const guint n = MIN (cs_llf_n_levels (w, h), MAX_WINDOW_LEVELS);
  double total = 0;
  /* keeps the compiler from optimising the timed code away */
  volatile float coefficient;
  guint l, k;

  for (l = 0; l + 1 < n; l++) {
    const double coefficients = (double) (w >> l) * (h >> l);
    const gint64 start = g_get_monotonic_time ();

    for (k = 0; k < SAMPLES; k++)
      coefficient = window_coefficient (params, codes, w, h,
          w * (k + 1) / (SAMPLES + 1), h * (k + 1) / (SAMPLES + 1), l, .5f);
    total += (g_get_monotonic_time () - start) * 1e-3 / SAMPLES *
        coefficients;
    (void) coefficient;
  }
  return total;
}

/* --- Sampled, with K pyramids --------------------------------------------- */

static void
time_sample (const CsLlfParams * params, const guint16 * codes,
    const Plane * g, guint n, guint sample, guint n_samples, Plane * sums)
{
  Plane fine = plane_new (g[0].w, g[0].h);
  const float middle = (float) sample / (n_samples - 1);
  float remapped[256];
  guint l, c;
  gsize i;

  for (c = 0; c < 256; c++)
    remapped[c] = (float) llf_oracle_remap (params, c / 255., middle);
  for (i = 0; i < (gsize) fine.w * fine.h; i++)
    fine.v[i] = remapped[codes[i]];
  for (l = 0; l + 1 < n; l++) {
    Plane coarse = down (&fine);
    guint x, y;

    for (y = 0; y < fine.h; y++) {
      for (x = 0; x < fine.w; x++) {
        const gsize at = (gsize) y * fine.w + x;
        const float hat = 1 - fabsf (g[l].v[at] - middle) * (n_samples - 1);

        if (hat > 0)
          sums[l].v[at] += hat * (fine.v[at] - up_at (&coarse, x, y));
      }
    }
    g_free (fine.v);
    fine = coarse;
  }
  g_free (fine.v);
}

/* Milliseconds of one thread. */
static double
time_sampled (const CsLlfParams * params, const guint16 * codes, guint w,
    guint h, guint n_samples)
{
  const guint n = cs_llf_n_levels (w, h);
  const gint64 start = g_get_monotonic_time ();
  Plane g[CS_LLF_MAX_LEVELS], sums[CS_LLF_MAX_LEVELS];
  guint l, k, x, y;
  gsize i;

  g[0] = plane_new (w, h);
  for (i = 0; i < (gsize) w * h; i++)
    g[0].v[i] = codes[i] / 255.f;
  for (l = 0; l < n; l++) {
    if (l > 0)
      g[l] = down (&g[l - 1]);
    sums[l] = plane_new (g[l].w, g[l].h);
    memset (sums[l].v, 0, (gsize) g[l].w * g[l].h * sizeof (float));
  }
  for (k = 0; k < n_samples; k++)
    time_sample (params, codes, g, n, k, n_samples, sums);
  for (l = n - 1; l-- > 0;)
    for (y = 0; y < sums[l].h; y++)
      for (x = 0; x < sums[l].w; x++)
        sums[l].v[(gsize) y * sums[l].w + x] += up_at (&sums[l + 1], x, y);
  for (l = 0; l < n; l++) {
    g_free (g[l].v);
    g_free (sums[l].v);
  }
  return (g_get_monotonic_time () - start) * 1e-3;
}

/* --- Ours ----------------------------------------------------------------- */

typedef struct
{
  const char *name;
  CsLlfQuality quality;
  guint rank, samples;
} Way;

static const Way ways[] = {
  {"fast, rank 4", CS_LLF_FAST, 4, 0},
  {"normal, rank 8", CS_LLF_NORMAL, 8, 0},
  {"high, rank 16", CS_LLF_HIGH, 16, 0},
  {"sampled, 8", CS_LLF_SAMPLED, 0, 8},
  {"exact", CS_LLF_EXACT, 0, 0},
};

/* The best of some runs, in milliseconds; the result in @out. */
static double
time_plan (CsLlfTable * table, guint threads, const float *in, guint w,
    guint h, CsSampleType type, void *out, guint n_runs)
{
  const CsLlfSettings settings = {.amount = 1 };
  const gsize size = cs_sample_size (type);
  CsExecutor *executor = cs_executor_new_cpu (threads);
  CsLlf *plan = cs_llf_new (table, executor, NULL);
  const CsLlfFrame frame = {
    .input = cs_image_gray (in, type, w, h, w * size),
    .output = out,
    .output_pixel_stride = size,
    .output_row_stride = w * size,
  };
  double best = G_MAXDOUBLE;
  guint i;

  cs_llf_warm_up (plan, w, h, &settings, NULL);
  for (i = 0; i < n_runs; i++) {
    const gint64 start = g_get_monotonic_time ();

    if (!cs_llf_run (plan, &frame, &settings, NULL))
      return -1;
    best = MIN (best, (g_get_monotonic_time () - start) * 1e-3);
  }
  cs_llf_free (plan);
  cs_executor_free (executor);
  return best;
}

/* On the GPU, of frames that are there, one after another; in milliseconds. */
static double
time_device (CsLlfTable * table, CsExecutor * executor, const guint8 * in,
    guint w, guint h, guint n_runs)
{
  const CsLlfSettings settings = {.amount = 1 };
  guint8 *device = check_device_alloc (2 * (gsize) w * h), byte;
  CsLlf *plan = cs_llf_new (table, executor, NULL);
  CsLlfFrame frame = {
    .input = cs_image_gray (device, CS_SAMPLE_U8, w, h, w),
    .output = device + (gsize) w * h,
    .output_pixel_stride = 1,
    .output_row_stride = w,
  };
  gint64 start = 0;
  guint i;

  frame.input.memory = CS_MEMORY_DEVICE;
  check_device_copy (device, in, (gsize) w * h);
  for (i = 0; i < n_runs + 5; i++) {
    if (i == 5) {
      check_device_copy (&byte, device, 1);
      start = g_get_monotonic_time ();
    }
    if (!cs_llf_run (plan, &frame, &settings, NULL))
      return -1;
  }
  check_device_copy (&byte, device, 1);
  start = g_get_monotonic_time () - start;
  cs_llf_free (plan);
  check_device_free (device);
  return start * 1e-3 / n_runs;
}

static double
psnr (const float *a, const float *b, gsize n)
{
  double sum = 0;
  gsize i;

  for (i = 0; i < n; i++)
    sum += (double) (a[i] - b[i]) * (a[i] - b[i]);
  return -10 * log10 (MAX (sum / n, 1e-20));
}

static void
bench_way (const Way * way, const CsLlfParams * base, CsExecutor * device,
    const guint8 * bytes, const float *floats, const float *exact, guint w,
    guint h)
{
  const guint runs = way->quality == CS_LLF_EXACT ? 1 : 7;
  const gsize n = (gsize) w * h;
  CsLlfParams params = *base;
  float *result = g_new (float, n);
  guint8 *out = g_new (guint8, n);
  CsLlfTable *table;
  double ms[3];
  static const guint threads[] = { 1, 2, 0 };
  guint i;

  params.quality = way->quality;
  params.rank = way->rank;
  params.intensity_levels = way->samples;
  table = cs_llf_table_new (&params, NULL);
  for (i = 0; i < 3; i++)
    ms[i] = time_plan (table, threads[i], (const float *) bytes, w, h,
        CS_SAMPLE_U8, out, runs);
  printf ("  %-30s %9.2f %9.2f %9.2f", way->name, ms[0], ms[1], ms[2]);
  if (device)
    printf (" %9.3f", time_device (table, device, bytes, w, h,
            way->quality == CS_LLF_EXACT ? 20 : 300));
  printf (" ms");
  if (way->quality != CS_LLF_EXACT && exact) {
    time_plan (table, 0, floats, w, h, CS_SAMPLE_F32, result, 1);
    printf ("   %5.1f dB", psnr (result, exact, n));
  }
  printf ("\n");
  cs_llf_table_unref (table);
  g_free (result);
  g_free (out);
}

static void
bench_size (CsExecutor * device, guint w, guint h)
{
  const gsize n = (gsize) w * h;
  guint16 *codes = llf_codes_new (LLF_NATURAL, w, h, 255);
  guint8 *bytes = g_new (guint8, n);
  float *floats = g_new (float, n), *exact = g_new (float, n);
  CsLlfParams params, reference;
  CsLlfTable *table;
  double original;
  gsize i;

  for (i = 0; i < n; i++) {
    bytes[i] = (guint8) codes[i];
    floats[i] = codes[i] / 255.f;
  }
  cs_llf_params_init (&params);
  params.curve = CS_LLF_POWER;
  reference = params;
  reference.quality = CS_LLF_EXACT;
  table = cs_llf_table_new (&reference, NULL);
  time_plan (table, 0, floats, w, h, CS_SAMPLE_F32, exact, 1);
  cs_llf_table_unref (table);

  printf ("%u x %u, 8 bits, power curve, sigma .2, alpha .5\n", w, h);
  printf ("  %-30s %9s %9s %9s %s     against exact\n", "threads", "1", "2",
      "all", device ? "      GPU" : "");
  for (i = 0; i < G_N_ELEMENTS (ways); i++)
    bench_way (&ways[i], &params, device, bytes, floats, exact, w, h);
  printf ("  %-30s %9.2f ms\n", "sampled, 8 pyramids",
      time_sampled (&params, codes, w, h, 8));
  original = time_original (&params, codes, w, h);
  printf ("  %-30s %9.0f ms, extrapolated from %u coefficients a level\n",
      "window for each coefficient", original, SAMPLES);
#ifdef HAVE_CUDA
  if (device)
    printf ("  %-30s %9.1f ms, extrapolated\n", "  the same on the GPU",
        bench_llf_original_cuda (codes, w, h, params.sigma, params.alpha,
            params.beta));
#endif
  g_free (codes);
  g_free (bytes);
  g_free (floats);
  g_free (exact);
}

static void
bench_tables (void)
{
  static const guint depths[] = { 8, 10 };
  guint i, rank;

  printf ("Making a table, power curve\n");
  for (i = 0; i < G_N_ELEMENTS (depths); i++) {
    for (rank = 4; rank <= 16; rank *= 2) {
      CsLlfParams params;
      gint64 start;

      cs_llf_params_init (&params);
      params.curve = CS_LLF_POWER;
      params.rank = rank;
      params.depth = depths[i];
      start = g_get_monotonic_time ();
      cs_llf_table_unref (cs_llf_table_new (&params, NULL));
      printf ("  %2u bits, rank %2u %9.1f ms\n", depths[i], rank,
          (g_get_monotonic_time () - start) * 1e-3);
    }
  }
}

int
bench_llf (void)
{
  static const guint sizes[][2] = { {480, 320}, {800, 533}, {1920, 1279},
  {1920, 1080}, {3840, 2160}, {3840, 2558}
  };
  CsExecutor *executor = NULL;
  Device device;
  guint i;

  if (device_open (&device)) {
    printf ("GPU: %s\n", device.name);
    executor = device_executor_new (&device);
  }
  bench_tables ();
  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    bench_size (executor, sizes[i][0], sizes[i][1]);
    fflush (stdout);
  }
  cs_executor_free (executor);
  device_close (&device);
  return 0;
}
