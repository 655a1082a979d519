/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Who runs a plan, and where its input is: the same tests for all of them. */

#include "device.h"

G_BEGIN_DECLS

/**
 * Runner:
 * @name: for messages
 * @executor: of plans
 * @memory: where the input is put
 * @plan: (nullable): the program's
 */
typedef struct
{
  const char *name;
  CsExecutor *executor;
  CsMemory memory;
  void *plan;
} Runner;

/* @n_threads: of the CPU; 0: CUDA */
typedef struct
{
  const char *name;
  guint n_threads;
  CsMemory memory;
} RunnerKind;

/* Makes those of @kinds that are of @backend, "cpu", "cuda" or "both"; with
 * @brief of CUDA only the last one, which is to have all kernels. Fails without
 * a device, having said so. */
gboolean runners_open (Runner * runners, guint * n_runners,
    const RunnerKind * kinds, guint n_kinds, const char *backend,
    gboolean brief, Device * device);

/* Plans are freed already. */
void runners_close (Runner * runners, guint n_runners, Device * device);

G_END_DECLS
