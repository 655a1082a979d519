/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instances_bench.h"

#include <stdio.h>

#include "../lib/check_device.h"
#include "../lib/results.h"
#include "../lib/timing.h"
#include "instances_cases.h"

#define REPEATS 51

/* Microseconds of a call: the median. */
static double
time_calls (CsInstances * plan, const CsInstancesInput * input, Result * result)
{
  gint64 times[REPEATS];
  GError *error = NULL;

  for (guint i = 0; i < REPEATS + 5; i++) {
    const gint64 begin = g_get_monotonic_time ();

    if (!cs_instances_run (plan, input, &result->output, &error))
      g_error ("%s", error->message);
    if (i >= 5)
      times[i - 5] = g_get_monotonic_time () - begin;
  }
  return (double) median_time (times, REPEATS);
}

static double
time_on (CsExecutor * executor, const Case * test, CsMemory memory,
    gboolean want_host, Result * result)
{
  CsInstancesInput input = test->input;
  CsImage coefficients = test->coefficients;
  GError *error = NULL;
  CsInstances *plan = cs_instances_new (&test->params, executor, &error);

  if (!plan)
    g_error ("%s", error->message);
  input.fields.data = device_place (memory, test->samples, test->samples_size);
  coefficients.data = device_place (memory, test->factors, test->factors_size);
  input.fields.memory = coefficients.memory = memory;
  input.coefficients = &coefficients;
  result->output.want_host = want_host;
  const double us = time_calls (plan, &input, result);

  device_displace (memory, input.fields.data);
  device_displace (memory, coefficients.data);
  cs_instances_free (plan);
  return us;
}

static void
print_cpu (const Case * test, guint n_threads)
{
  CsExecutor *executor = cs_executor_new_cpu (n_threads);
  Result result;

  result_init (&result, FALSE);
  printf ("%10.0f", time_on (executor, test, CS_MEMORY_HOST, TRUE, &result));
  if (n_threads != 1)
    printf ("%10" G_GSIZE_FORMAT " %10" G_GSIZE_FORMAT,
        result.output.n_contours, result.output.n_points);
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

int
instances_bench (const Device * device)
{
  static const guint numbers[] = { 1, 30, 92, 1000 };
  double area;
  Case test;

  printf ("Objects in a picture of 4032 x 3024, 32 prototypes of 160 x 120; "
      "microseconds\n%8s %8s %10s %10s %10s %10s", "objects", "boxes/Mpx",
      "1 thread", "all", "rings", "points");
  printf (device->stream ? " %10s %10s\n%s\n" : "\n", "GPU", "from host",
      device->name);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    case_init_photograph (&test, numbers[i], &area);
    printf ("%8u %8.1f ", numbers[i], area / 1e6);
    print_cpu (&test, 1);
    print_cpu (&test, 0);
    if (device->stream)
      print_cuda (device, &test);
    printf ("\n");
    case_clear (&test);
  }
  return 0;
}
