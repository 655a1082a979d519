/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_bench.h"

#include <stdio.h>

#include "../lib/check_device.h"
#include "../lib/timing.h"
#include "stats/stats_private.h"
#include "stats_large.h"

#define COLUMNS 40
#define ROWS 25
#define SHARE .1
#define REPEATS 101
#define REPLAYS 500

typedef struct
{
  const char *name;
  LargeFormat format;
  CsStatsKind kind;
} Row;

static const Row rows[] = {
  {"gray of GRAY8", LARGE_GRAY, CS_STATS_GRAY},
  {"gray of 16 bits", LARGE_GRAY16, CS_STATS_GRAY},
  {"gray of RGBA", LARGE_RGBA, CS_STATS_GRAY},
  {"L*a*b* of RGBA", LARGE_RGBA, CS_STATS_LAB},
  {"probability of floats", LARGE_FLOATS, CS_STATS_PROBABILITY},
};

/* Microseconds of a call: the median. */
static double
time_calls (CsStats * plan, const CsStatsInput * input, CsStatsSums * sums)
{
  gint64 times[REPEATS];
  GError *error = NULL;

  for (guint i = 0; i < REPEATS + 5; i++) {
    const gint64 begin = g_get_monotonic_time ();

    if (!cs_stats_run (plan, input, sums, &error))
      g_error ("%s", error->message);
    if (i >= 5)
      times[i - 5] = g_get_monotonic_time () - begin;
  }
  return (double) median_time (times, REPEATS);
}

/* @device_us: (nullable): of the GPU alone */
static void
time_places (CsStats * plan, const Large * large, Places samples,
    Places points, CsStatsSums * sums, double *device_us, double *call_us)
{
  Placed placed;

  placed_init (&placed, &large->input, &large->memory, samples, points);
  *call_us = time_calls (plan, &placed.input, sums);
  if (device_us)
    *device_us = cs_stats_get_device_time (plan, REPLAYS);
  placed_clear (&placed);
}

static void
print_cuda (CsStats * plan, const Large * large, CsStatsSums * sums)
{
  double device, device_host, call, call_host, pinned, pageable;

  time_places (plan, large, PLACES_DEVICE, PLACES_DEVICE, sums, &device, &call);
  time_places (plan, large, PLACES_DEVICE, PLACES_HOST, sums, &device_host,
      &call_host);
  time_places (plan, large, PLACES_PINNED, PLACES_HOST, sums, NULL, &pinned);
  time_places (plan, large, PLACES_HOST, PLACES_HOST, sums, NULL, &pageable);
  printf (" %9.1f %9.1f %9.0f %9.0f %9.0f %9.0f", device, device_host, call,
      call_host, pinned, pageable);
}

static CsStats *
plan_on (CsExecutor * executor)
{
  GError *error = NULL;
  CsStats *plan = cs_stats_new (executor, &error);

  if (!plan)
    g_error ("%s", error->message);
  return plan;
}

static void
print_header (const Device * device, gboolean measure_cpu)
{
  printf ("%d contours that enclose %.2f of 1920 x 1080; microseconds%s%s\n",
      COLUMNS * ROWS, SHARE, device->stream ? "; " : "", device->name);
  printf ("%-22s", "");
  if (measure_cpu)
    printf (" %9s %9s", "cpu 1", "cpu all");
  if (device->stream)
    printf (" %9s %9s %9s %9s %9s %9s", "device", "dev host", "call",
        "call host", "pinned", "pageable");
  printf ("\n");
}

int
stats_bench (const Device * device, gboolean measure_cpu)
{
  CsExecutor *executors[3] = { cs_executor_new_cpu (1), cs_executor_new_cpu (0),
    device->stream ? device_executor_new (device) : NULL
  };
  CsStats *plans[3] = { plan_on (executors[0]), plan_on (executors[1]),
    device->stream ? plan_on (executors[2]) : NULL
  };
  g_autofree CsStatsSums *sums = g_new (CsStatsSums, 3 * COLUMNS * ROWS);
  guint i, k;

  print_header (device, measure_cpu);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint64 state = 1;
    Large large;

    large_init (&large, rows[i].format, rows[i].kind, 1920, 1080);
    large_add_discs (&large, COLUMNS, ROWS, SHARE, &state);
    large_finish (&large);
    printf ("%-22s", rows[i].name);
    for (k = 0; k < 2 && measure_cpu; k++)
      printf (" %9.0f", time_calls (plans[k], &large.input, sums));
    if (device->stream)
      print_cuda (plans[2], &large, sums);
    printf ("\n");
    large_clear (&large);
  }
  if (device->stream)
    printf ("device: the GPU's work alone, points in its memory; dev host: with "
        "the copy of points from the host. call, call host: a call, likewise. "
        "pinned, pageable: call host, with samples in such memory.\n");
  for (i = 0; i < 3; i++) {
    cs_stats_free (plans[i]);
    if (executors[i])
      cs_executor_free (executors[i]);
  }
  return 0;
}
