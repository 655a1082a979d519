/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Running hull plans on host data, on any backend and from any memory. */

#include "../lib/runners.h"

G_BEGIN_DECLS

/* A result that owns its host memory. */
typedef struct
{
  CsHullOutput out;
  void *host, *device;
} Result;

/* Fails without a device. */
gboolean open_runners (Runner * runners, guint * n, const char *backend,
    gboolean brief);
void close_runners (Runner * runners, guint n);

/* Runs @params on the host data of @input. Plans are kept and used again.
 * %NULL with @error, else to free with result_free(). */
Result *run_hull (const Runner * runner, const CsHullParams * params,
    const CsHullInput * input, GError ** error);
void result_free (Result * result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Result, result_free)

gsize point_size (CsHullType type);

/* Measures of nearly collinear points, by all runners. */
void check_thin (const Runner * runners, guint n_runners, guint n_sets);

/* Several inputs in one call, by the runners of host memory. */
void check_batch (const Runner * runners, guint n_runners);

/* What the filter of the CPU drops. */
void check_filter (guint n_polygons);

/* Points that take ways which others hardly ever take; not @brief: also many. */
void check_rare (const Runner * runners, guint n_runners, gboolean brief);

/* That the cases before have taken all ways of the runners' backends; @brief:
 * of CUDA only, as far as few points do. */
void check_taken (const Runner * runners, guint n_runners, gboolean brief);

/**
 * BenchKind:
 * @BENCH_ALL: all backends
 * @BENCH_GPU: the GPU
 * @BENCH_PROFILE: the GPU, each plan a few times only
 */
typedef enum
{
  BENCH_ALL,
  BENCH_GPU,
  BENCH_PROFILE,
} BenchKind;

/* The table of times, --bench. */
int bench_hull (Runner * runners, guint n_runners, gsize max_points,
    BenchKind kind);

/* Hulls of point sets read from standard input, by all runners, which must
 * agree: --solve. */
int solve_hull (const Runner * runners, guint n_runners);

G_END_DECLS
