/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_raster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
runner_init_cpu (Runner * runner, guint n_threads)
{
  memset (runner, 0, sizeof (*runner));
  g_snprintf (runner->name, sizeof (runner->name), "cpu, %u thread%s",
      n_threads, n_threads == 1 ? "" : "s");
  runner->executor = cs_executor_new_cpu (n_threads);
  runner->raster = cs_raster_new (runner->executor, NULL);
  g_assert_nonnull (runner->raster);
}

gboolean
runner_init_cuda (Runner * runner, GError ** error)
{
  memset (runner, 0, sizeof (*runner));
  if (!device_open (&runner->device))
    return FALSE;
  g_snprintf (runner->name, sizeof (runner->name), "cuda");
  runner->is_cuda = TRUE;
  runner->executor = device_executor_new (&runner->device);
  runner->raster = cs_raster_new (runner->executor, error);
  if (!runner->raster)
    runner_clear (runner);
  return runner->raster != NULL;
}

void
runner_clear (Runner * runner)
{
  cs_raster_free (runner->raster);
  cs_executor_free (runner->executor);
  device_close (&runner->device);
  memset (runner, 0, sizeof (*runner));
}

void
runner_run_job (void *data)
{
  Job *job = data;
  GError *error = NULL;

  if (cs_raster_run (job->runner->raster, &job->marks, &job->settings,
          &job->picture, &job->picture, &error))
    return;
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}
