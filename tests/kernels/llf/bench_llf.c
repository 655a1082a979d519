/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of the filter, and how near its qualities are to the exact one. */
#include "bench_llf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/device.h"
#include "llf/llf.h"
#include "llf_images.h"

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
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (threads);
  g_autoptr (CsLlf) plan = cs_llf_new (table, executor, NULL);
  const CsLlfFrame frame = llf_frame (in, type, w, h, out);
  double best = G_MAXDOUBLE;

  cs_llf_warm_up (plan, w, h, &settings, NULL);
  for (guint i = 0; i < n_runs; i++) {
    const gint64 start = g_get_monotonic_time ();

    if (!cs_llf_run (plan, &frame, &settings, NULL))
      return -1;
    best = MIN (best, (g_get_monotonic_time () - start) * 1e-3);
  }
  return best;
}

double
bench_llf_on_device (CsLlfTable * table, CsExecutor * executor,
    const guint8 * in, guint w, guint h, guint n_runs)
{
  const CsLlfSettings settings = {.amount = 1 };
  guint8 *device = check_device_alloc (2 * (gsize) w * h), byte;
  CsLlf *plan = cs_llf_new (table, executor, NULL);
  CsLlfFrame frame = llf_frame (device, CS_SAMPLE_U8, w, h,
      device + (gsize) w * h);
  gint64 start = 0;

  frame.input.memory = CS_MEMORY_DEVICE;
  check_device_copy (device, in, (gsize) w * h);
  for (guint i = 0; i < n_runs + 5; i++) {
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

  for (gsize i = 0; i < n; i++)
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
  g_autofree float *result = g_new (float, n);
  g_autofree guint8 *out = g_new (guint8, n);
  double ms[3];
  static const guint threads[] = { 1, 2, 0 };

  params.quality = way->quality;
  params.rank = way->rank;
  params.intensity_levels = way->samples;
  g_autoptr (CsLlfTable) table = cs_llf_table_new (&params, NULL);
  for (guint i = 0; i < 3; i++)
    ms[i] = time_plan (table, threads[i], (const float *) bytes, w, h,
        CS_SAMPLE_U8, out, runs);
  printf ("  %-30s %9.2f %9.2f %9.2f", way->name, ms[0], ms[1], ms[2]);
  if (device)
    printf (" %9.3f", bench_llf_on_device (table, device, bytes, w, h,
            way->quality == CS_LLF_EXACT ? 20 : 300));
  printf (" ms");
  if (way->quality != CS_LLF_EXACT && exact) {
    time_plan (table, 0, floats, w, h, CS_SAMPLE_F32, result, 1);
    printf ("   %5.1f dB", psnr (result, exact, n));
  }
  printf ("\n");
}

static void
bench_size (CsExecutor * device, guint w, guint h)
{
  const gsize n = (gsize) w * h;
  g_autofree guint16 *codes = llf_codes_new (LLF_NATURAL, w, h, 255);
  g_autofree guint8 *bytes = g_new (guint8, n);
  g_autofree float *floats = g_new (float, n);
  g_autofree float *exact = g_new (float, n);
  CsLlfParams params, reference;

  for (gsize i = 0; i < n; i++) {
    bytes[i] = (guint8) codes[i];
    floats[i] = codes[i] / 255.f;
  }
  cs_llf_params_init (&params);
  params.curve = CS_LLF_POWER;
  reference = params;
  reference.quality = CS_LLF_EXACT;
  CsLlfTable *table = cs_llf_table_new (&reference, NULL);
  time_plan (table, 0, floats, w, h, CS_SAMPLE_F32, exact, 1);
  cs_llf_table_unref (table);

  printf ("%u x %u, 8 bits, power curve, sigma .2, alpha .5\n", w, h);
  printf ("  %-30s %9s %9s %9s %s     against exact\n", "threads", "1", "2",
      "all", device ? "      GPU" : "");
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    bench_way (&ways[i], &params, device, bytes, floats, exact, w, h);
}

static void
bench_tables (void)
{
  static const guint depths[] = { 8, 10 };

  printf ("Making a table, power curve\n");
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    for (guint rank = 4; rank <= 16; rank *= 2) {
      CsLlfParams params;

      cs_llf_params_init (&params);
      params.curve = CS_LLF_POWER;
      params.rank = rank;
      params.depth = depths[i];
      gint64 start = g_get_monotonic_time ();
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

  if (device_open (&device)) {
    printf ("GPU: %s\n", device.name);
    executor = device_executor_new (&device);
  }
  bench_tables ();
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    bench_size (executor, sizes[i][0], sizes[i][1]);
    fflush (stdout);
  }
  cs_executor_free (executor);
  device_close (&device);
  return 0;
}
