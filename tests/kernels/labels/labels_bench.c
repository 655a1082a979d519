/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labels_bench.h"

#include <stdio.h>

#include "../lib/check_device.h"
#include "../lib/results.h"
#include "../lib/timing.h"
#include "labels_cases.h"

#define WIDTH 2500
#define HEIGHT 1800
#define REPEATS 25
/* Of calls that take seconds in all there are fewer */
#define MIN_REPEATS 3
#define ENOUGH (G_USEC_PER_SEC / 2)

/* Microseconds of a call: the median. */
static double
time_calls (CsLabels * plan, const CsLabelsInput * input, Result * result)
{
  gint64 times[REPEATS], all = 0;
  GError *error = NULL;
  guint n = 0;

  for (guint i = 0; n < REPEATS && (n < MIN_REPEATS || all < ENOUGH); i++) {
    const gint64 begin = g_get_monotonic_time ();

    if (!cs_labels_run (plan, input, &result->output, &error))
      g_error ("%s", error->message);
    if (i < 2)
      continue;
    times[n] = g_get_monotonic_time () - begin;
    all += times[n++];
  }
  return (double) median_time (times, n);
}

static double
time_on (CsExecutor * executor, const Case * test, CsMemory memory,
    gboolean want_host, Result * result)
{
  CsLabelsInput input = test->input;
  GError *error = NULL;
  CsLabels *plan = cs_labels_new (&test->params, executor, &error);

  if (!plan)
    g_error ("%s", error->message);
  input.picture.data = device_place (memory, test->samples,
      test->samples_size);
  input.picture.memory = memory;
  result->output.want_host = want_host;
  const double us = time_calls (plan, &input, result);

  device_displace (memory, input.picture.data);
  cs_labels_free (plan);
  return us;
}

static void
print_cpu (const Case * test, guint n_threads)
{
  CsExecutor *executor = cs_executor_new_cpu (n_threads);
  Result result;

  result_init (&result, FALSE);
  const double us = time_on (executor, test, CS_MEMORY_HOST, TRUE, &result);

  if (n_threads == 1)
    printf ("%10" G_GSIZE_FORMAT " %10" G_GSIZE_FORMAT,
        result.output.n_contours, result.output.n_segments);
  printf (" %10.0f", us);
  result_clear (&result);
  cs_executor_free (executor);
}

static void
print_cuda (const Device * device, const Case * test)
{
  CsExecutor *executor = device_executor_new (device);
  Result result;

  result_init (&result, TRUE);
  printf (" %10.0f", time_on (executor, test, CS_MEMORY_DEVICE, FALSE,
          &result));
  printf (" %10.0f", time_on (executor, test, CS_MEMORY_HOST, TRUE, &result));
  result_clear (&result);
  cs_executor_free (executor);
}

static void
print_row (const Device * device, const char *name, Case * test)
{
  printf ("%-26s ", name);
  print_cpu (test, 1);
  print_cpu (test, 0);
  if (device->stream)
    print_cuda (device, test);
  printf ("\n");
  fflush (stdout);
  case_clear (test);
}

static void
print_pictures (const Device * device)
{
  Case test;

  case_init_voronoi (&test, WIDTH, HEIGHT, 10000, 4);
  print_row (device, "10,000 cells, int32", &test);
  case_init_voronoi (&test, WIDTH, HEIGHT, 10000, 2);
  print_row (device, "10,000 cells, uint16", &test);
  case_init_voronoi (&test, WIDTH, HEIGHT, 250, 1);
  print_row (device, "250 cells, uint8", &test);
  case_init_voronoi (&test, WIDTH, HEIGHT, 10000, 4);
  test.params.outline = CS_LABELS_PIXELS;
  print_row (device, "10,000 cells, outlines", &test);
  case_init_voronoi (&test, WIDTH, HEIGHT, 10000, 4);
  test.params.hierarchy = TRUE;
  test.params.min_area = 300.;
  test.params.measures = CS_MEASURES_FULL;
  print_row (device, "10,000 cells, all options", &test);
  case_init_noise (&test, WIDTH, HEIGHT, 2, .01, 1);
  print_row (device, "1 % of pixels, one label", &test);
  case_init_noise (&test, WIDTH, HEIGHT, 4, .5, 1);
  print_row (device, "noise of 3 labels", &test);
  case_init_noise (&test, WIDTH, HEIGHT, 1u << 30, 1., 4);
  print_row (device, "a label for each pixel", &test);
  case_init_spiral (&test, WIDTH, HEIGHT);
  print_row (device, "a spiral", &test);
  case_init_comb (&test, WIDTH, HEIGHT, WIDTH / 2);
  print_row (device, "a comb", &test);
  case_init_noise (&test, WIDTH, HEIGHT, 2, 0., 1);
  print_row (device, "nothing", &test);
}

/* The same pixels, ever more borders. */
static void
print_growth (const Device * device)
{
  for (guint n = 10; n <= 1000000; n *= 10)
    for (guint k = 1; k <= 3; k += 2) {
      gchar name[32];
      Case test;

      if (n == 1000000 && k > 1)
        continue;
      g_snprintf (name, sizeof (name), "%u cells", n * k);
      case_init_voronoi (&test, WIDTH, HEIGHT, n * k, 4);
      print_row (device, name, &test);
    }
}

int
labels_bench (const Device * device)
{
  printf ("Pictures of %u x %u labels; microseconds\n%-26s %10s %10s %10s %10s",
      WIDTH, HEIGHT, "picture", "rings", "steps", "1 thread", "all");
  printf (device->stream ? " %10s %10s\n%s\n" : "\n", "GPU", "from host",
      device->name);
  print_pictures (device);
  printf ("Time and length of borders\n");
  print_growth (device);
  return 0;
}
