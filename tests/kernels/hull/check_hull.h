/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CHECK_HULL_H
#define CHECK_HULL_H

/* Running hull plans on host data, on any backend and from any memory. */

#include "hull/hull.h"

G_BEGIN_DECLS

/**
 * Runner:
 * @name: for messages
 * @executor: where plans run
 * @memory: where the input is put
 */
typedef struct
{
  const char *name;
  CsExecutor *executor;
  CsMemory memory;
} Runner;

/* A result in host memory of its own. */
typedef struct
{
  CsHullOutput out;
  void *host, *device;
} Result;

/* Adds the runners of "cpu" or "cuda" to @runners; how many there are then. */
guint runners_open (Runner * runners, guint n, const char *backend);
void runners_close (Runner * runners, guint n);

/* Runs @params on the host data of @input. Plans are kept and used again.
 * %NULL with @error, else to free with result_free(). */
Result *run_hull (const Runner * runner, const CsHullParams * params,
    const CsHullInput * input, GError ** error);
void result_free (Result * result);

gsize point_size (CsHullType type);

/* The table of times, --bench; with @profile only what a profiler needs. */
int bench_hull (Runner * runners, guint n_runners, gsize max_points,
    gboolean profile);

/* Hull of points read from standard input: --solve. */
int solve_hull (const Runner * runner);

G_END_DECLS

#endif /* CHECK_HULL_H */
