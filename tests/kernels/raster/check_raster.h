/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CHECK_RASTER_H
#define CHECK_RASTER_H

#include "../lib/device.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/* A backend to run on. */
typedef struct
{
  char name[64];
  gboolean is_cuda;
  Device device;
  CsExecutor *executor;
  CsRaster *raster;
} Runner;

void runner_init_cpu (Runner * runner, guint n_threads);

/* Fails without a device, and without the backend. */
gboolean runner_init_cuda (Runner * runner, GError ** error);
void runner_clear (Runner * runner);

/* Measures and prints; @row: (nullable): only rows whose name contains it;
 * @brief: hardly anything on the CPU.
 * Returns the program's exit status. */
int bench_raster (const char *backend, const char *row, gboolean brief);

/* What a benchmark runs: marks painted on a picture, in place. */
typedef struct
{
  Runner *runner;
  CsMarks marks;
  CsRasterSettings settings;
  CsPicture picture;
} Job;

/* @job: Job. Ends the program if that fails. */
void runner_run_job (void *job);

G_END_DECLS

#endif /* CHECK_RASTER_H */
