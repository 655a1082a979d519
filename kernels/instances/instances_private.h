/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between a plan and the backends. */

#include "contours/contours_layout.h"
#include "instances.h"
#include "instances_math.h"
#include "instances_ways.h"

G_BEGIN_DECLS

/**
 * CsInstancesJob:
 * @input: the user's, which is valid
 * @params: the plan's
 * @width, @height: the samples that count, from the input's grid_x and grid_y on
 * @grids: @n_grids objects that something may be left of
 * @n_values, @n_words: of all grids
 * @n_thin: objects that nothing is left of
 */
typedef struct
{
  const CsInstancesInput *input;
  const CsInstancesParams *params;
  guint width, height;
  const CsInstancesGrid *grids;
  gsize n_grids, n_values, n_words, n_thin;
} CsInstancesJob;

/**
 * CsInstancesBackend:
 * @warm_up: @job has grids of no object, but their number, values and words
 * @run: fills in the output's numbers and pointers, but n_dropped has only what
 *     was dropped for its area. On failure they are undefined
 */
typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*warm_up) (void *state, const CsInstancesJob * job,
      GError ** error);
  gboolean (*run) (void *state, const CsInstancesJob * job,
      CsContoursOutput * output, GError ** error);
  void (*destroy) (void *state);
} CsInstancesBackend;

extern const CsInstancesBackend cs_instances_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsInstancesBackend cs_instances_cuda_backend;

/* Whether @n_contours of @n_points fit into a result. */
gboolean cs_instances_check_result (const CsInstancesInput * input,
    gsize n_contours, gsize n_points, GError ** error);

G_END_DECLS
