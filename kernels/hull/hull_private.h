/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between hull.c, which checks and dispatches, and the backends. */

#include "hull.h"
#include "hull_ways.h"

G_BEGIN_DECLS

/**
 * CsHullBackend:
 * @create: the backend's state for @plan, whose parameters are valid
 * @warm_up: as cs_hull_warm_up()
 * @run: as cs_hull_run(); the input is valid (offsets in host memory too) and
 *     its stride filled in, the output's counts and pointers are zeroed. On
 *     failure they are undefined.
 * @get_stats: as cs_hull_get_stats()
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsHull * plan, GError ** error);
  gboolean (*warm_up) (void *state, const CsHullInput * input, GError ** error);
  gboolean (*run) (void *state, const CsHullInput * input,
      CsHullOutput * output, GError ** error);
  void (*get_stats) (const void *state, CsHullStats * stats);
  void (*destroy) (void *state);
} CsHullBackend;

struct _CsHull
{
  CsHullParams params;
  CsExecutor *executor;
  const CsHullBackend *backend;
  void *state;
  /* of inputs at once, each with a thread of its own */
  CsExecutor *lane_executor;
  CsHull *lanes[CS_HULL_AT_ONCE];
  guint n_lanes;
};

extern const CsHullBackend cs_hull_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsHullBackend cs_hull_cuda_backend;

/**
 * CsHullLayout:
 *
 * Byte offsets of a result's arrays in one block of memory, each aligned to
 * 256; absent ones have no size.
 */
typedef struct
{
  gsize offsets, hulls, features, points, indices, size;
} CsHullLayout;

void cs_hull_layout (const CsHullParams * params, CsHullType type,
    gsize n_hulls, gsize n_points, CsHullLayout * layout);

/* Sets the output's host arrays to @block, laid out by @layout. */
void cs_hull_output_set_host (CsHullOutput * output,
    const CsHullParams * params, const CsHullLayout * layout, void *block);

/* Size in bytes of a point of @type, and of a returned one. */
gsize cs_hull_type_size (CsHullType type);
gsize cs_hull_returned_size (const CsHullParams * params, CsHullType type);

/* The type of @input's points, CS_HULL_I32 for a mask. */
CsHullType cs_hull_input_type (const CsHullInput * input);

/* Upper bound of @input's hulls. */
gsize cs_hull_max_hulls (const CsHullParams * params,
    const CsHullInput * input);

/* The record of set @set, without measures; @area is the contour's. */
void cs_hull_record_init (const CsHullParams * params,
    const CsHullInput * input, gsize set, CsContour * hull, double *area);

G_END_DECLS
