/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_private.h"

#include <math.h>

void
cs_strokes_params_init (CsStrokesParams * params)
{
  *params = (CsStrokesParams) {
    .merge_distance = -1,
    .merge = CS_STROKES_MERGE_ENDS,
    .min_points = 10,
    .min_length = 0,
    .duplicate_distance = 0,
    .biggest_first = TRUE,
    .order = CS_STROKES_ORDER_ENDPOINTS,
    .exclude = CS_STROKES_EXCLUDE_POINTS,
  };
}

static gboolean
check_params (const CsStrokesParams * params, GError ** error)
{
  if (params->order > CS_STROKES_ORDER_ENDPOINTS ||
      params->exclude > CS_STROKES_EXCLUDE_CONTOURS ||
      params->merge > CS_STROKES_MERGE_LIFT)
    return cs_error (error, CS_ERROR_INVALID,
        "unknown value of order %d, exclude %d or merge %d", params->order,
        params->exclude, params->merge);
  if (!isfinite (params->merge_distance) ||
      !isfinite (params->duplicate_distance) ||
      !isfinite (params->min_length) || !isfinite (params->simplify))
    return cs_error (error, CS_ERROR_INVALID,
        "distances of %g (merge), %g (duplicates) and %g (simplify) and a "
        "minimum length of %g must be finite", params->merge_distance,
        params->duplicate_distance, params->simplify, params->min_length);
  return TRUE;
}

/**
 * cs_strokes_new:
 * @params: copied
 * @executor: must outlive the plan
 * @error: CS_ERROR_INVALID or CS_ERROR_NOT_SUPPORTED
 *
 * Returns: a plan
 */
CsStrokes *
cs_strokes_new (const CsStrokesParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsStrokesBackend *backend;

  if (!check_params (params, error))
    return NULL;
  backend = cs_executor_choose (executor, &cs_strokes_cpu_backend,
      CS_IF_CUDA (&cs_strokes_cuda_backend), "strokes", error);
  if (!backend)
    return NULL;

  CsStrokes *strokes = g_new0 (CsStrokes, 1);
  strokes->params = *params;
  strokes->executor = executor;
  strokes->backend = backend;
  strokes->state = backend->create (strokes, error);
  if (!strokes->state) {
    cs_strokes_free (strokes);
    return NULL;
  }
  return strokes;
}

/**
 * cs_strokes_set_params:
 * @strokes: a plan
 * @params: parameters of later runs
 * @error: CS_ERROR_INVALID
 *
 * Returns: whether they are valid; otherwise the plan keeps its parameters
 */
gboolean
cs_strokes_set_params (CsStrokes * strokes, const CsStrokesParams * params,
    GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  strokes->params = *params;
  return TRUE;
}

void
cs_strokes_free (CsStrokes * strokes)
{
  if (!strokes)
    return;
  if (strokes->state)
    strokes->backend->destroy (strokes->state);
  cs_strokes_order_clear (&strokes->order);
  cs_scratch_clear (&strokes->simplified);
  g_free (strokes);
}

static gboolean
check_offsets (const CsStrokesInput * input, GError ** error)
{
  gsize i;

  if (input->offsets[0] != 0)
    return cs_error (error, CS_ERROR_INVALID, "the first contour begins at "
        "point %u: it must be 0", input->offsets[0]);
  for (i = 0; i < input->n_contours; i++) {
    if (input->offsets[i] > input->offsets[i + 1])
      return cs_error (error, CS_ERROR_INVALID, "contour %" G_GSIZE_FORMAT
          " goes from point %u to %u: offsets must not decrease", i,
          input->offsets[i], input->offsets[i + 1]);
  }
  if (input->offsets[i] >= CS_STROKES_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%u points are too many: there must "
        "be fewer than 2^31", input->offsets[i]);
  if (input->offsets[i] > 0 && !input->points)
    return cs_error (error, CS_ERROR_INVALID,
        "%u points, but no memory that holds them", input->offsets[i]);
  return TRUE;
}

static gboolean
check_input (const CsStrokes * strokes, const CsStrokesInput * input,
    GError ** error)
{
  if (input->memory > CS_MEMORY_DEVICE ||
      (input->memory == CS_MEMORY_DEVICE &&
          cs_executor_get_backend (strokes->executor) == CS_BACKEND_CPU))
    return cs_error (error, CS_ERROR_INVALID, "points in memory of kind %d: "
        "download them first to use the CPU", input->memory);
  if (input->n_contours >= CS_STROKES_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " contours are "
        "too many: there must be fewer than 2^31", input->n_contours);
  if (input->n_contours > 0 && !input->offsets)
    return cs_error (error, CS_ERROR_INVALID, "%" G_GSIZE_FORMAT
        " contours, but no offsets", input->n_contours);
  return input->n_contours == 0 || input->memory == CS_MEMORY_DEVICE ||
      check_offsets (input, error);
}

/**
 * cs_strokes_run:
 * @strokes: a plan
 * @input: contours
 * @output: (out): the result, owned by the plan
 * @error: CS_ERROR_INVALID, CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY or
 *     CS_ERROR_DEVICE
 *
 * Runs all stages.
 *
 * Returns: %FALSE on failure; @output is empty then
 */
gboolean
cs_strokes_run (CsStrokes * strokes, const CsStrokesInput * input,
    CsStrokesOutput * output, GError ** error)
{
  static const guint32 no_offsets[1];
  const CsStrokesOutput empty = { .offsets = no_offsets };
  CsStrokesList list = { NULL };

  *output = empty;
  if (!check_input (strokes, input, error))
    return FALSE;
  if (input->n_contours == 0)
    return TRUE;
  if (!strokes->backend->run (strokes->state, input, &list, error))
    return FALSE;
  if (list.n_contours == 0)
    return TRUE;
  if (!cs_strokes_order (&strokes->order, &strokes->params, &list, output,
          error) || (strokes->params.simplify > 0 &&
          !cs_strokes_simplify (&strokes->simplified,
              strokes->params.simplify, output, error))) {
    *output = empty;
    return FALSE;
  }
  return TRUE;
}
