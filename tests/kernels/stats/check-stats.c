/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* check-stats [CASES [SEED]]: sums inside polygons against a per-pixel even-odd
 * rule in integers, for random rings with holes, regions that share sides,
 * pictures and maps of all kinds, and 1, 2 and 5 threads. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "stats_cases.h"
#include "stats_oracle.h"

#define N_EXECUTORS 3

static CsExecutor *executors[N_EXECUTORS];

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
  guint x, y;

  for (y = 0; y < height; y++) {
    for (x = 0; x < width; x++) {
      if (oracle_is_inside (input, region, x, y)) {
        const double sample = oracle_sample (input, region, c, x, y);

        n++;
        sum += sample;
        squares += sample * sample;
        low = MIN (low, sample);
        high = MAX (high, sample);
      }
    }
  }
  expect (got->n == n, "region %zu: %" G_GUINT64_FORMAT " pixels, not %"
      G_GUINT64_FORMAT, r, got->n, n);
  if (n == 0) {
    expect (got->sum == 0 && got->squares == 0 && got->minimum == 0
        && got->maximum == 0, "region %zu without pixels: not 0", r);
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
run (const Case * test, CsExecutor * executor)
{
  const gsize n = test->input.n_regions *
      cs_stats_get_n_channels (test->input.kind);
  CsStatsSums *sums = g_new0 (CsStatsSums, MAX (n, 1));
  GError *error = NULL;
  gboolean done = cs_stats_run (&test->input, executor, sums, &error);

  expect (done, "%s", error ? error->message : "no error");
  g_clear_error (&error);
  return sums;
}

/* @is_mesh: every pixel is in one region */
static void
check_case (const Case * test, gboolean is_mesh)
{
  const guint n_channels = cs_stats_get_n_channels (test->input.kind);
  CsStatsSums *sums[N_EXECUTORS];
  guint64 n = 0;
  gsize r;
  guint i, c;

  for (i = 0; i < N_EXECUTORS; i++) {
    sums[i] = run (test, executors[i]);
    expect (memcmp (sums[i], sums[0], test->input.n_regions * n_channels *
            sizeof (CsStatsSums)) == 0, "%u threads give other sums",
        cs_executor_get_n_threads (executors[i]));
  }
  for (r = 0; r < test->input.n_regions; r++) {
    n += sums[0][r * n_channels].n;
    for (c = 0; c < n_channels; c++)
      compare (&test->input, r, c, test->width, test->height,
          &sums[0][r * n_channels + c]);
  }
  expect (!is_mesh || n == (guint64) test->width * test->height, "%"
      G_GUINT64_FORMAT " pixels in regions that share sides, not %u", n,
      test->width * test->height);
  for (i = 0; i < N_EXECUTORS; i++)
    g_free (sums[i]);
}

static void
check_random (guint n_cases, guint64 seed)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {17, 1}, {2, 3}, {33, 20},
  {64, 40}, {71, 53}
  };
  static const double scales[] = { 1, 1, 2, .5, .75 };
  static Case test;
  guint i;

  for (i = 0; i < n_cases; i++) {
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
  CsStatsSums *sums;
  guint i;

  begin ("rows of 100000 pixels of %u", code);
  case_init (&test, kind, 100000, 2, &state);
  test.picture.model = CS_PICTURE_GRAY;
  test.picture.type = CS_SAMPLE_U8;
  test.picture.shift = 0;
  memset (test.pixels, code, test.picture.row_stride[0] * 2);
  add_box (&test, -1.f, -1.f, 2e5f, 5.f, &state);
  for (i = 0; i < N_EXECUTORS; i++) {
    sums = run (&test, executors[i]);
    expect (sums[0].n == 200000 && sums[0].sum == 200000 * (gint64) code
        && sums[0].squares == 200000 * (guint64) code * code
        && sums[0].minimum == code && sums[0].maximum == code, "%"
        G_GUINT64_FORMAT " pixels, sum %" G_GINT64_FORMAT, sums[0].n,
        sums[0].sum);
    g_free (sums);
  }
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
  guint i;

  begin ("wild points");
  case_init (&test, CS_STATS_GRAY, 20, 10, &state);
  add_box (&test, 1.5f, 1.5f, 4.5f, 3.5f, &state);
  for (i = 0; i < 36; i++)
    add_box (&test, wild[i / 6], 2.f, 7.f, wild[i % 6], &state);
  add_box (&test, 1.5f, 1.5f, 4.5f, 3.5f, &state);
  for (i = 0; i < N_EXECUTORS; i++) {
    CsStatsSums *sums = run (&test, executors[i]);
    gsize r;

    expect (sums[0].n == 6 && sums[37].n == 6 && sums[0].sum == sums[37].sum,
        "the boxes before and after have %" G_GUINT64_FORMAT " and %"
        G_GUINT64_FORMAT " pixels", sums[0].n, sums[37].n);
    for (r = 0; r < test.input.n_regions; r++)
      expect (sums[r].n <= 200, "more pixels than the picture has");
    g_free (sums);
  }
  end ();
  case_clear (&test);
}

static void
check_refused (const char *what, const Case * test)
{
  CsStatsSums sums[3] = { {.n = 77}, {.n = 77}, {.n = 77} };
  GError *error = NULL;

  begin ("%s", what);
  expect (!cs_stats_run (&test->input, executors[0], sums, &error), "taken");
  expect (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%s",
      error ? error->message : "no error");
  expect (sums[0].n == 77, "something was written");
  g_clear_error (&error);
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
  case_clear (&test);
}

int
main (int argc, char **argv)
{
  static const guint n_threads[N_EXECUTORS] = { 1, 2, 5 };
  const guint n_cases = argc > 1 ? (guint) atoi (argv[1]) : 600;
  const guint64 seed = argc > 2 ? (guint64) atoll (argv[2]) : 1;
  guint i;

  for (i = 0; i < N_EXECUTORS; i++)
    executors[i] = cs_executor_new_cpu (n_threads[i]);
  check_random (n_cases, seed);
  check_long_rows (CS_STATS_GRAY, 255);
  check_long_rows (CS_STATS_GRAY, 1);
  check_wild ();
  check_errors ();
  for (i = 0; i < N_EXECUTORS; i++)
    cs_executor_free (executors[i]);
  return finish ();
}
