/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runners.h"

#include <stdio.h>
#include <string.h>

gboolean
runners_open (Runner * runners, guint * n_runners, const RunnerKind * kinds,
    guint n_kinds, const char *backend, gboolean brief, Device * device)
{
  const gboolean on_cuda = strcmp (backend, "cpu") != 0;

  if (on_cuda && !device_open (device)) {
    printf ("no CUDA device, or a build without CUDA\n");
    return FALSE;
  }
  if (on_cuda)
    printf ("GPU: %s\n", device->name);
  for (guint i = 0; i < n_kinds; i++) {
    const guint n_threads = kinds[i].n_threads;

    if (n_threads > 0 ? strcmp (backend, "cuda") == 0 : !on_cuda ||
        (brief && i + 1 < n_kinds))
      continue;
    runners[(*n_runners)++] = (Runner) {
      .name = kinds[i].name,
      .executor = n_threads > 0 ? cs_executor_new_cpu (n_threads) :
          device_executor_new (device),
      .memory = kinds[i].memory,
    };
  }
  return TRUE;
}

void
runners_close (Runner * runners, guint n_runners, Device * device)
{
  for (guint i = 0; i < n_runners; i++)
    cs_executor_free (runners[i].executor);
  device_close (device);
}
