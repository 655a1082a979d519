/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter on a GPU, beside that on the CPU. */
#include "check_llf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"
#include "bench_llf.h"

/* Codes of more than 10 bits are finer than the arithmetic, so that more of
 * them are rounded the other way. */
static void
expect_close (const void *a, const void *b, CsSampleType type, guint depth,
    guint shift, gsize n)
{
  const guint share = depth > 10 ? 20 : 1000;
  gsize i, unequal = 0;
  double most = 0;

  for (i = 0; i < n; i++) {
    const double difference = type == CS_SAMPLE_U8 ?
        ((const guint8 *) a)[i] - ((const guint8 *) b)[i] :
        type == CS_SAMPLE_U16 ? (((const guint16 *) a)[i] >> shift) -
        (((const guint16 *) b)[i] >> shift) :
        (((const float *) a)[i] - ((const float *) b)[i]) * 255 * 100;

    most = keep_greater (most, fabs (difference));
    unequal += fabs (difference) >= 1;
  }
  expect (most <= 1, "differ by %g", most);
  /* a value of a small image may be exactly half a code */
  expect (unequal <= n / share + 1, "%u of %u differ", (guint) unequal,
      (guint) n);
}

static void
store_codes (const guint16 *codes, gsize n, CsSampleType type, guint shift,
    guint most, void *to)
{
  for (gsize k = 0; k < n; k++)
    if (type == CS_SAMPLE_U8)
      ((guint8 *) to)[k] = (guint8) codes[k];
    else if (type == CS_SAMPLE_U16)
      ((guint16 *) to)[k] = codes[k] << shift;
    else
      ((float *) to)[k] = codes[k] / (float) most;
}

/* All pixels, some levels with weights, an amount of 0, and a guard. Floats may
 * differ by a hundredth of a code. */
static void
check_device_size (CsLlf *cpu, CsLlf *gpu, const CsLlfParams *params,
    LlfFill fill, CsSampleType type, guint shift, guint w, guint h)
{
  const double weights[] = { 1.5, .5, 0 };
  const guint most = (1u << params->depth) - 1;
  const gsize n = (gsize) w * h, size = cs_sample_size (type);
  g_autofree guint16 *codes = llf_codes_new (fill, w, h, most);
  g_autofree void *in = g_malloc (n * size);
  g_autofree void *a = g_malloc (n * size);
  g_autofree void *b = g_malloc (n * size);

  store_codes (codes, n, type, shift, most, in);
  for (guint s = 0; s < 4; s++) {
    const gboolean has_weights = s == 1 || s == 2;
    const CsLlfSettings settings = {.amount = s == 2 ? 0 : 1,
      .levels = has_weights ? 4 : 0,.weights = weights,
      .n_weights = has_weights ? 3 : 0,.tone_guard = s == 3 ? .2 : 0
    };
    CsLlfFrame frame = llf_frame (in, type, w, h, a);

    begin ("GPU, quality %d curve %d rank %u, %u bits, type %d, %u x %u, "
        "settings %u", params->quality, params->curve, params->rank,
        params->depth, type, w, h, s);
    frame.shift = shift;
    run (cpu, &frame, &settings);
    run_on_device (gpu, &frame, &settings, b);
    expect_close (a, b, type, params->depth, shift, n);
    end ();
  }
}

/* One plan for all sizes. */
void
check_device_way (CsLlfQuality quality, CsLlfCurve curve, guint rank,
    guint depth, CsSampleType type, guint shift)
{
  static const guint sizes[][2] = { {1, 1}, {1, 7}, {9, 1}, {2, 2}, {3, 5},
  {17, 9}, {131, 67}, {301, 211}, {640, 360}
  };
  CsLlfParams params = make_params (quality, curve, .2, .4, 1.1);

  params.rank = rank;
  params.depth = depth;
  g_autoptr (CsLlfTable) table = make_table (&params);
  g_autoptr (CsLlf) cpu = make_plan (table, executor);
  g_autoptr (CsLlf) gpu = make_plan (table, device_executor);
  for (guint i = 0; i < (small ? 7 : G_N_ELEMENTS (sizes)); i++)
    check_device_size (cpu, gpu, &params, i % 2 ? LLF_NATURAL : LLF_NOISE,
        type, shift, sizes[i][0], sizes[i][1]);
}

/* Sizes, depths, types, qualities and ranks at random. */
void
test_device_random (void)
{
  static const guint ranks[] = { 4, 8, 16, 32, 5, 11 };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint i = 0; i < (small ? 6 : 40); i++) {
    CsLlfParams params = make_params (g_rand_int_range (random, 0, 5),
        g_rand_int_range (random, 0, 2), .1 + .1 * (i % 3), .5, 1);
    const guint most = small ? 90 : params.quality == CS_LLF_EXACT ? 300 : 900;
    const guint w = g_rand_int_range (random, 1, most);
    const guint h = g_rand_int_range (random, 1, most);
    CsSampleType type = CS_SAMPLE_U16;

    params.depth = 8 + i % 9;
    params.rank = params.quality < CS_LLF_EXACT ? ranks[i % 6] : 0;
    params.limited_range = i % 4 == 0;
    if (params.depth == 8)
      type = i % 2 ? CS_SAMPLE_U8 : CS_SAMPLE_F32;
    g_autoptr (CsLlfTable) table = make_table (&params);
    g_autoptr (CsLlf) cpu = make_plan (table, executor);
    g_autoptr (CsLlf) gpu = make_plan (table, device_executor);
    check_device_size (cpu, gpu, &params, i % LLF_N_FILLS, type,
        type == CS_SAMPLE_U16 ? 16 - params.depth : 0, w, h);
  }
}

/* Padded rows, samples apart, odd addresses, in place: as dense frames, and
 * nothing else is written. */
static void
check_device_strides (CsLlfQuality quality, guint step, guint stride,
    guint offset)
{
  const guint w = 145, h = 83;
  const gsize size = stride * h + offset;
  CsLlfParams params = make_params (quality, CS_LLF_SMOOTH, .2, .4, 1);
  g_autoptr (CsLlfTable) table = make_table (&params);
  g_autoptr (CsLlf) plan = make_plan (table, device_executor);
  g_autofree guint8 *in = bytes_new (LLF_NATURAL, w, h);
  g_autofree guint8 *want = g_new (guint8, w * h);
  g_autofree guint8 *wide = g_malloc (size);
  guint8 *device = check_device_alloc (size);
  CsLlfFrame frame = llf_frame (in, CS_SAMPLE_U8, w, h, want);
  guint x, y, wrong = 0;

  begin ("GPU, strides, quality %d, %u bytes apart, rows of %u, from %u",
      quality, step, stride, offset);
  run_on_device (plan, &frame, &all, want);
  memset (wide, 77, size);
  for (y = 0; y < h; y++)
    for (x = 0; x < w; x++)
      wide[offset + y * stride + x * step] = in[y * w + x];
  check_device_copy (device, wide, size);
  frame.input.data = frame.output = device + offset;
  frame.input.memory = CS_MEMORY_DEVICE;
  frame.input.pixel_stride = frame.output_pixel_stride = step;
  frame.input.row_stride = frame.output_row_stride = stride;
  run (plan, &frame, &all);
  run (plan, &frame, &nothing);
  for (y = 0; y < h; y++)
    for (x = 0; x < w; x++)
      wide[offset + y * stride + x * step] = want[y * w + x];
  {
    g_autofree guint8 *got = g_malloc (size);

    check_device_copy (got, device, size);
    for (x = 0; x < size; x++)
      wrong += got[x] != wide[x];
  }
  expect (wrong == 0, "%u bytes differ", wrong);
  end ();
  check_device_free (device);
}

void
test_device_strides (void)
{
  for (guint q = CS_LLF_NORMAL; q <= CS_LLF_EXACT; q += 2) {
    check_device_strides (q, 1, 148, 0);
    check_device_strides (q, 1, 256, 4);
    check_device_strides (q, 1, 151, 0);
    check_device_strides (q, 1, 160, 3);
    check_device_strides (q, 3, 500, 1);
  }
}

/* Tables of all kinds, each with the next frame; two runs of one. */
void
test_device_changes (void)
{
  const guint w = 160, h = 90;
  g_autofree guint8 *in = bytes_new (LLF_NATURAL, w, h);
  g_autofree guint8 *a = g_new (guint8, w * h);
  g_autofree guint8 *b = g_new (guint8, w * h);
  const CsLlfFrame frame = llf_frame (in, CS_SAMPLE_U8, w, h, a);
  CsLlfTable *table;
  g_autoptr (CsLlf) plan = NULL;

  begin ("GPU, tables change, runs repeat");
  for (guint i = 0; i < 15; i++) {
    CsLlfParams params = make_params (i % 5, CS_LLF_POWER, .1 + .02 * i, .4, 1);

    table = make_table (&params);
    if (!plan)
      plan = make_plan (table, device_executor);
    cs_llf_set_table (plan, table);
    run_on_device (plan, &frame, &all, a);
    run_on_device (plan, &frame, &all, b);
    expect (memcmp (a, b, w * h) == 0, "two runs differ");
    filter_u8 (table, in, w, h, a);
    expect_close (a, b, CS_SAMPLE_U8, 8, 0, w * h);
    cs_llf_table_unref (table);
  }
  end ();
}

void
time_device (CsLlfQuality quality, guint rank, guint w, guint h)
{
  const guint n_runs = quality == CS_LLF_EXACT ? 20 : 500;
  CsLlfParams params = make_params (quality, CS_LLF_POWER, .2, .5, 1);
  g_autofree guint8 *in = bytes_new (LLF_NATURAL, w, h);

  params.rank = rank;
  g_autoptr (CsLlfTable) table = make_table (&params);
  begin ("GPU, %u x %u, quality %d rank %u", w, h, quality, rank);
  const double ms = bench_llf_on_device (table, device_executor, in, w, h,
      n_runs);
  expect (ms >= 0, "fails");
  printf ("%-58s %9.1f us a frame\n", case_name (), ms * 1e3);
  end ();
}
