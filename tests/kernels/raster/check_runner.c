/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_raster.h"

#include <stdio.h>
#include <string.h>

#include "../check_device.h"

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
  char device[128];

  memset (runner, 0, sizeof (*runner));
  if (!check_device_open (device, sizeof (device)))
    return FALSE;
  g_snprintf (runner->name, sizeof (runner->name), "cuda");
  runner->is_cuda = TRUE;
  runner->stream = check_device_stream_new ();
  runner->executor = cs_executor_new_cuda (runner->stream, error);
  runner->raster = runner->executor ?
      cs_raster_new (runner->executor, error) : NULL;
  if (!runner->raster)
    runner_clear (runner);
  return runner->raster != NULL;
}

void
runner_clear (Runner * runner)
{
  cs_raster_free (runner->raster);
  cs_executor_free (runner->executor);
  if (runner->stream)
    check_device_stream_free (runner->stream);
  memset (runner, 0, sizeof (*runner));
}
