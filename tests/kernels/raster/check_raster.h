/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../lib/device.h"
#include "raster/raster.h"
#include "raster_cases.h"

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

/* A picture to paint on, and what is painted. */
typedef struct
{
  CsMarks marks;
  CsRasterSettings settings;
  Picture *input, *output;
  gboolean in_place;
  const CsInkSegment *segments;
  gsize n_segments;
  float pen;
} Case;

/* Every backend gives what the sequential algorithm gives; twice, the second
 * time from what the first has left. */
void check_case (const Case * c);

/* Marks are painted directly or not, as the program was told, or else by
 * turns. */
void choose_direct (guint32 seed);
void random_settings (GRand * rand, Case * c);
guint random_side (GRand * rand);

/* A version that no marks have had. */
guint64 next_version (void);

/* Checks discs on words: @n_cases random ones. */
void check_discs (guint n_cases, guint seed);

/* Checks filled polygons, on the CPU: @n_cases random ones. */
void check_fills (const Runner * runners, guint n_runners, guint n_cases,
    guint32 seed);

/* Prints in which ways pictures were painted on CUDA, and checks that the cases
 * have taken all. @forced: #CsDirectChoice, or -1 */
void check_taken (gint forced);

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
