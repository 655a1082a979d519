/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks sums inside polygons:
 *   check-stats [--backend cpu|cuda|both] [--brief] [CASES [SEED]]
 *     --brief is for checkers of memory and races, which take their time
 * Measures them:
 *   check-stats --bench [--backend ...]
 *
 * Against a per-pixel even-odd rule in integers, for random rings with holes,
 * regions that share sides, pictures and maps of all kinds; and 1, 2 and 5
 * threads and the GPU against one thread, bit for bit, also for many and for
 * large shapes. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/device.h"
#include "../lib/options.h"
#include "../lib/random.h"
#include "stats_bench.h"
#include "stats_cases.h"
#include "stats_large.h"
#include "stats_oracle.h"

/* Who computes, and where samples and points are. The first one is compared
 * with the oracle, the others with it. */
typedef struct
{
  const char *name;
  CsExecutor *executor;
  CsStats *plan;
  Places samples, points;
} Runner;

#define MAX_RUNNERS 8

static Runner runners[MAX_RUNNERS];
static guint n_runners;

/* Comparing */

/* What rounding to steps and the tables may do, in steps. */
static double
tolerance (const CsStatsInput * input, guint c)
{
  static const double of_lab[] = { .015, .08, .04 };

  if (input->kind == CS_STATS_LAB)
    return of_lab[c] * CS_STATS_LAB_STEPS;
  if (input->kind == CS_STATS_GRAY && input->picture->model == CS_PICTURE_RGB)
    return 2.;
  return .5;
}

static void
compare (const CsStatsInput * input, gsize r, guint c, guint width,
    guint height, const CsStatsSums * got)
{
  const CsStatsRegion *region = &input->regions[r];
  const double slack = tolerance (input, c) + 1e-6;
  double sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
  double mean, deviation;
  guint64 n = 0;

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      if (oracle_is_inside (input, region, x, y)) {
        const double sample = oracle_sample (input, region, c, x, y);

        n++;
        sum += sample;
        squares += sample * sample;
        low = MIN (low, sample);
        high = MAX (high, sample);
      }
  expect (got->n == n, "region %zu: %" G_GUINT64_FORMAT " pixels, not %"
      G_GUINT64_FORMAT, r, got->n, n);
  if (n == 0) {
    expect (got->sum == 0 && got->squares == 0 && got->minimum == 0
        && got->maximum == 0, "region %zu without pixels: not 0", r);
    cs_stats_describe (got, 2., &mean, &deviation);
    expect (isnan (mean) && isnan (deviation), "mean %g of nothing", mean);
    return;
  }
  expect (fabs (got->sum - sum) <= slack * n, "region %zu, channel %u: sum %"
      G_GINT64_FORMAT ", not %g of %" G_GUINT64_FORMAT, r, c, got->sum, sum, n);
  expect (fabs (got->minimum - low) <= slack
      && fabs (got->maximum - high) <= slack,
      "region %zu, channel %u: %d to %d, not %g to %g", r, c, got->minimum,
      got->maximum, low, high);
  cs_stats_describe (got, 2., &mean, &deviation);
  expect (fabs (2. * mean - sum / n) <= slack, "mean %g", mean);
  expect (fabs (2. * deviation - sqrt (MAX (squares / n - sum / n * sum / n,
                  0.))) <= slack + 1e-4 * sqrt (squares / n),
      "region %zu, channel %u: deviation %g", r, c, 2. * deviation);
}

static CsStatsSums *
run (const Runner * runner, const CsStatsInput * input, const Memory * memory)
{
  const gsize n = input->n_regions * cs_stats_get_n_channels (input->kind);
  CsStatsSums *sums = g_new0 (CsStatsSums, MAX (n, 1));
  g_autoptr (GError) error = NULL;
  Placed placed;

  placed_init (&placed, input, memory, runner->samples, runner->points);
  gboolean done = cs_stats_run (runner->plan, &placed.input, sums, &error);
  expect (done, "%s: %s", runner->name, error ? error->message : "no error");
  placed_clear (&placed);
  return sums;
}

/* All runners give the same sums, which are returned. */
static CsStatsSums *
run_all (const CsStatsInput * input, const Memory * memory)
{
  const gsize n = input->n_regions * cs_stats_get_n_channels (input->kind);
  CsStatsSums *sums = run (&runners[0], input, memory);

  for (guint i = 1; i < n_runners; i++) {
    g_autofree CsStatsSums *other = run (&runners[i], input, memory);
    gsize k = 0;

    while (k < n && memcmp (&other[k], &sums[k], sizeof (*sums)) == 0)
      k++;
    expect (k == n, "%s gives other sums, first those %" G_GSIZE_FORMAT
        " of %" G_GSIZE_FORMAT, runners[i].name, k, n);
  }
  return sums;
}

/* @is_mesh: every pixel is in one region */
static void
check_case (const Case * test, gboolean is_mesh)
{
  const guint n_channels = cs_stats_get_n_channels (test->input.kind);
  const Memory memory = case_memory (test);
  g_autofree CsStatsSums *sums = run_all (&test->input, &memory);
  guint64 n = 0;

  for (gsize r = 0; r < test->input.n_regions; r++) {
    n += sums[r * n_channels].n;
    for (guint c = 0; c < n_channels; c++)
      compare (&test->input, r, c, test->width, test->height,
          &sums[r * n_channels + c]);
  }
  expect (!is_mesh || n == (guint64) test->width * test->height, "%"
      G_GUINT64_FORMAT " pixels in regions that share sides, not %u", n,
      test->width * test->height);
}

static void
check_random (guint n_cases, guint64 seed)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {17, 1}, {2, 3}, {33, 20},
  {64, 40}, {71, 53}
  };
  static const double scales[] = { 1, 1, 2, .5, .75 };
  static Case test;

  for (guint i = 0; i < n_cases; i++) {
    guint64 state = seed + i;
    const guint size = random_below (&state, G_N_ELEMENTS (sizes));
    const gboolean is_mesh = i % 4 == 0;

    begin ("random case of seed %" G_GUINT64_FORMAT, seed + i);
    case_init (&test, (CsStatsKind) (i % 3), sizes[size][0], sizes[size][1],
        &state);
    if (is_mesh) {
      add_mesh (&test, i % 8 == 0 && test.width > 30, &state);
    } else {
      test.input.scale_x = scales[random_below (&state, 5)];
      test.input.scale_y = scales[random_below (&state, 5)];
      add_random_regions (&test, &state);
    }
    check_case (&test, is_mesh);
    end ();
    case_clear (&test);
  }
}

/* Cases by hand */

/* Rows longer than what is summed up in 32 bits. */
static void
check_long_rows (CsStatsKind kind, guint8 code)
{
  guint64 state = 5;
  static Case test;

  begin ("rows of 100000 pixels of %u", code);
  case_init (&test, kind, 100000, 2, &state);
  test.picture.model = CS_PICTURE_GRAY;
  test.picture.type = CS_SAMPLE_U8;
  test.picture.shift = 0;
  memset (test.pixels, code, test.size);
  add_box (&test, -1.f, -1.f, 2e5f, 5.f, &state);
  Memory memory = case_memory (&test);
  g_autofree CsStatsSums *sums = run_all (&test.input, &memory);
  expect (sums[0].n == 200000 && sums[0].sum == 200000 * (gint64) code
      && sums[0].squares == 200000 * (guint64) code * code
      && sums[0].minimum == code && sums[0].maximum == code, "%"
      G_GUINT64_FORMAT " pixels, sum %" G_GINT64_FORMAT, sums[0].n,
      sums[0].sum);
  end ();
  case_clear (&test);
}

/* Points that are nowhere, or far away, harm nobody else. */
static void
check_wild (void)
{
  static const float wild[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f
  };
  guint64 state = 6;
  static Case test;

  begin ("wild points");
  case_init (&test, CS_STATS_GRAY, 20, 10, &state);
  add_box (&test, 1.5f, 1.5f, 4.5f, 3.5f, &state);
  for (guint i = 0; i < 36; i++)
    add_box (&test, wild[i / 6], 2.f, 7.f, wild[i % 6], &state);
  add_box (&test, 1.5f, 1.5f, 4.5f, 3.5f, &state);
  Memory memory = case_memory (&test);
  g_autofree CsStatsSums *sums = run_all (&test.input, &memory);
  expect (sums[0].n == 6 && sums[37].n == 6 && sums[0].sum == sums[37].sum,
      "the boxes before and after have %" G_GUINT64_FORMAT " and %"
      G_GUINT64_FORMAT " pixels", sums[0].n, sums[37].n);
  for (guint i = 0; i < test.input.n_regions; i++)
    expect (sums[i].n <= 200, "more pixels than the picture has");
  end ();
  case_clear (&test);
}

/* The same with rings of which some points are not finite, or far away: sides
 * are left out, so that rows are crossed an odd number of times. */
static void
check_open (guint n_cases)
{
  static const float wild[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 2e9f,
    -2e9f, 1e20f
  };
  static Case test;

  for (guint i = 0; i < n_cases; i++) {
    guint64 state = 1000 + i;

    begin ("open rings of seed %u", i);
    case_init (&test, (CsStatsKind) (i % 3), 700, 45, &state);
    add_random_regions (&test, &state);
    for (guint k = 0; k < test.n_points; k++)
      if (random_below (&state, 8) == 0)
        test.points[2 * k + random_below (&state, 2)] =
            wild[random_below (&state, G_N_ELEMENTS (wild))];
    Memory memory = case_memory (&test);
    g_autofree CsStatsSums *sums = run_all (&test.input, &memory);
    for (guint k = 0; k < test.input.n_regions; k++)
      expect (sums[k * cs_stats_get_n_channels (test.input.kind)].n <= 31500,
          "more pixels than the picture has");
    end ();
    case_clear (&test);
  }
}

/* Many shapes */

static void
check_large (const char *name, LargeFormat format, CsStatsKind kind,
    void (*add) (Large * large, guint n, guint64 * state), guint n)
{
  guint64 state = 9;
  guint64 pixels = 0;
  Large large;

  begin ("%u %s, kind %d, format %d", n, name, (int) kind, (int) format);
  large_init (&large, format, kind, 1920, 1080);
  add (&large, n, &state);
  large_finish (&large);
  g_autofree CsStatsSums *sums = run_all (&large.input, &large.memory);
  for (gsize i = 0; i < large.input.n_regions; i++)
    pixels += sums[i * cs_stats_get_n_channels (kind)].n;
  expect (pixels > 10000, "only %" G_GUINT64_FORMAT " pixels inside", pixels);
  large_clear (&large);
  end ();
}

static void
add_discs (Large * large, guint n, guint64 * state)
{
  large_add_discs (large, n, n * 9 / 16, .1, state);
}

static void
add_big_disc (Large * large, guint n, guint64 * state)
{
  for (; n > 0; n--)
    large_add_discs (large, 1, 1, .4, state);
}

static void
check_many (void)
{
  check_large ("columns of discs", LARGE_GRAY, CS_STATS_GRAY, add_discs, 40);
  check_large ("columns of discs", LARGE_GRAY16, CS_STATS_GRAY, add_discs, 120);
  check_large ("columns of discs", LARGE_RGBA, CS_STATS_LAB, add_discs, 60);
  check_large ("columns of discs", LARGE_FLOATS, CS_STATS_PROBABILITY,
      add_discs, 50);
  check_large ("discs, one on the other", LARGE_RGBA, CS_STATS_GRAY,
      add_big_disc, 3);
  check_large ("teeth", LARGE_GRAY, CS_STATS_GRAY, large_add_comb, 900);
  /* more tiles than a plan on CUDA has room for at first */
  check_large ("slivers", LARGE_GRAY, CS_STATS_GRAY, large_add_slivers, 300);
}

/* Memory that was made beforehand changes nothing, nor do shapes beyond it. */
static void
check_warm (void)
{
  guint64 state = 10;
  static Case test;
  GError *error = NULL;

  begin ("a plan that was warmed up");
  for (guint i = 0; i < n_runners; i++) {
    CsStats *plan = runners[i].plan;

    runners[i].plan = cs_stats_new (runners[i].executor, &error);
    expect (runners[i].plan && cs_stats_warm_up (runners[i].plan, CS_STATS_LAB,
            1, 4, &error), "%s", error ? error->message : "no error");
    cs_stats_free (plan);
  }
  case_init (&test, CS_STATS_LAB, 64, 40, &state);
  add_random_regions (&test, &state);
  Memory memory = case_memory (&test);
  g_free (run_all (&test.input, &memory));
  end ();
  case_clear (&test);
}

/* Errors */

static void
check_refused (const char *what, const Case * test)
{
  CsStatsSums sums[3] = { {.n = 77}, {.n = 77}, {.n = 77} };
  GError *error = NULL;

  begin ("%s", what);
  for (guint i = 0; i < n_runners; i++) {
    expect (!cs_stats_run (runners[i].plan, &test->input, sums, &error),
        "taken");
    expect (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%s",
        error ? error->message : "no error");
    expect (sums[0].n == 77, "something was written");
    g_clear_error (&error);
  }
  end ();
}

static void
check_too_long (const Case * test)
{
  CsStatsSums sums;
  GError *error = NULL;

  begin ("a ring of 2^31 points");
  for (guint i = 0; i < n_runners; i++) {
    expect (!cs_stats_run (runners[i].plan, &test->input, &sums, &error),
        "taken");
    expect (g_error_matches (error, CS_ERROR, CS_ERROR_LIMIT), "%s",
        error ? error->message : "no error");
    g_clear_error (&error);
  }
  end ();
}

static void
check_errors (void)
{
  guint64 state = 7;
  static Case test;

  case_init (&test, CS_STATS_LAB, 3, 3, &state);
  add_box (&test, 0, 0, 2, 2, &state);
  test.picture.model = CS_PICTURE_YUV;
  check_refused ("L*a*b* of YUV", &test);
  test.picture.model = CS_PICTURE_RGB;
  test.picture.type = CS_SAMPLE_U16;
  check_refused ("L*a*b* of 16 bits", &test);
  case_clear (&test);
  case_init (&test, CS_STATS_PROBABILITY, 3, 3, &state);
  add_box (&test, 0, 0, 2, 2, &state);
  test.regions[0].channel = 3;
  check_refused ("a channel too many", &test);
  test.regions[0].channel = 0;
  test.regions[0].image = 1;
  check_refused ("an image too many", &test);
  test.regions[0].image = 0;
  test.image.type = CS_SAMPLE_F32;
  test.image.channel_stride = 4;
  test.image.pixel_stride = 12;
  test.image.row_stride = 38;
  check_refused ("rows of half samples", &test);
  test.image.row_stride = 36;
  test.rings[0].n = (gsize) 1 << 31;
  check_too_long (&test);
  case_clear (&test);
}

/* The CPU does not read memory of a GPU. */
static void
check_device_memory (void)
{
  guint64 state = 8;
  static Case test;
  const guint n = n_runners;

  n_runners = 1;
  case_init (&test, CS_STATS_GRAY, 3, 3, &state);
  add_box (&test, 0, 0, 2, 2, &state);
  test.picture.memory = CS_MEMORY_DEVICE;
  check_refused ("samples of a GPU on the CPU", &test);
  test.picture.memory = CS_MEMORY_HOST;
  test.rings[0].memory = CS_MEMORY_DEVICE;
  check_refused ("points of a GPU on the CPU", &test);
  case_clear (&test);
  n_runners = n;
}

static void
add_runner (const char *name, CsExecutor * executor, Places samples,
    Places points)
{
  Runner *runner = &runners[n_runners++];
  GError *error = NULL;

  *runner = (Runner) { name, executor, NULL, samples, points };
  runner->plan = cs_stats_new (executor, &error);
  if (!runner->plan)
    g_error ("%s: %s", name, error->message);
}

static void
open_runners (const char *backend, const Device * device)
{
  add_runner ("1 thread", cs_executor_new_cpu (1), PLACES_HOST, PLACES_HOST);
  if (strcmp (backend, "cuda") != 0) {
    add_runner ("2 threads", cs_executor_new_cpu (2), PLACES_HOST, PLACES_HOST);
    add_runner ("5 threads", cs_executor_new_cpu (5), PLACES_HOST, PLACES_HOST);
  }
  if (!device->stream)
    return;
  add_runner ("CUDA, all on the GPU", device_executor_new (device),
      PLACES_DEVICE, PLACES_DEVICE);
  add_runner ("CUDA, all on the host", device_executor_new (device),
      PLACES_HOST, PLACES_HOST);
  add_runner ("CUDA, page-locked, and points in both", device_executor_new
      (device), PLACES_PINNED, PLACES_MIXED);
}

static void
close_runners (void)
{
  for (; n_runners > 0; n_runners--) {
    cs_stats_free (runners[n_runners - 1].plan);
    cs_executor_free (runners[n_runners - 1].executor);
  }
}

static int
check_all (gboolean brief, guint n_cases, guint64 seed)
{
  check_random (n_cases, seed);
  check_open (brief ? 5 : 60);
  check_long_rows (CS_STATS_GRAY, 255);
  check_long_rows (CS_STATS_GRAY, 1);
  check_wild ();
  if (!brief)
    check_many ();
  check_warm ();
  check_errors ();
  check_device_memory ();
  close_runners ();
  return finish ();
}

int
main (int argc, char **argv)
{
  Device device = { "", NULL };
  CheckOptions options;
  int status;

  if (!check_options_parse (argc, argv, 24, 600, &options))
    return EXIT_USAGE;
  if (strcmp (options.backend, "cpu") != 0 && !device_open (&device)) {
    printf ("no CUDA device, or a build without CUDA\n");
    return EXIT_SKIPPED;
  }
  if (options.measure) {
    status = stats_bench (&device, strcmp (options.backend, "cuda") != 0);
  } else {
    open_runners (options.backend, &device);
    status = check_all (options.brief, options.n_cases, options.seed);
  }
  device_close (&device);
  return status;
}
