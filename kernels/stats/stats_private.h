/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between stats.c, which checks and dispatches, and the backends. */

#include "stats.h"

G_BEGIN_DECLS

/**
 * CsStatsBackend:
 * @create: the backend's state on @executor
 * @warm_up: as cs_stats_warm_up()
 * @run: as cs_stats_run(); the input is valid, and there are regions. On
 *     failure sums are undefined.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*warm_up) (void *state, CsStatsKind kind, gsize n_regions,
      gsize n_points, GError ** error);
  gboolean (*run) (void *state, const CsStatsInput * input,
      CsStatsSums * sums, GError ** error);
  void (*destroy) (void *state);
} CsStatsBackend;

extern const CsStatsBackend cs_stats_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsStatsBackend cs_stats_cuda_backend;

/* Microseconds that the GPU needs for the last run of a plan on CUDA, without
 * the upload of samples: the mean of @n in a row; below 0 if there was none. */
double cs_stats_get_device_time (CsStats * stats, guint n);
/* Only in builds with HAVE_CUDA. */
double cs_stats_cuda_replay (void *state, guint n);

/* Components of the picture that are read: 3 of RGB, else 1. */
static inline guint
cs_stats_get_n_components (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_RGB ? 3 : 1;
}

G_END_DECLS
