/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_private.h"

#include <math.h>

#include "base/ids.h"

#define MAX_MASK (G_GUINT64_CONSTANT (1) << 31)
/* the GPU's mask points are floats, exact up to here */
#define MAX_MASK_SIDE (1u << 24)

void
cs_hull_params_init (CsHullParams * params)
{
  *params = (CsHullParams) {
    .scope = CS_HULL_SCOPE_ALL,
    .points = CS_HULL_POINTS_INPUT,
    .indices = TRUE,
    .measures = CS_MEASURES_BASIC,
  };
}

static gboolean
check_params (const CsHullParams * params, GError ** error)
{
  if (params->scope > CS_HULL_SCOPE_PER_CLASS ||
      params->points > CS_HULL_POINTS_INPUT ||
      params->measures > CS_MEASURES_FULL)
    return cs_error (error, CS_ERROR_INVALID, "unknown scope %d, points %d or "
        "measures %d", params->scope, params->points, params->measures);
  if (params->scope == CS_HULL_SCOPE_PER_CLASS && (params->n_classes == 0 ||
          params->n_classes > CS_HULL_MAX_CLASSES))
    return cs_error (error, CS_ERROR_INVALID, "hulls of %u classes: the number "
        "must be 1 to %d", params->n_classes, CS_HULL_MAX_CLASSES);
  return TRUE;
}

CsHull *
cs_hull_new (const CsHullParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsHullBackend *backend;

  if (!check_params (params, error))
    return NULL;
  backend = cs_executor_choose (executor, &cs_hull_cpu_backend,
      CS_IF_CUDA (&cs_hull_cuda_backend), "hulls", error);
  if (!backend)
    return NULL;

  CsHull *plan = g_new0 (CsHull, 1);
  plan->params = *params;
  plan->executor = executor;
  plan->backend = backend;
  plan->state = backend->create (plan, error);
  if (!plan->state) {
    cs_hull_free (plan);
    return NULL;
  }
  return plan;
}

void
cs_hull_free (CsHull * plan)
{
  if (!plan)
    return;
  while (plan->n_lanes > 0)
    cs_hull_free (plan->lanes[--plan->n_lanes]);
  g_clear_pointer (&plan->lane_executor, cs_executor_free);
  if (plan->state)
    plan->backend->destroy (plan->state);
  g_free (plan);
}

static gboolean
check_mask (const CsImage * mask, double level, GError ** error)
{
  const gsize size = cs_sample_size (mask->type);

  if (mask->channels != 1)
    return cs_error (error, CS_ERROR_INVALID, "a mask has one channel, not %u",
        mask->channels);
  if ((guint64) mask->width * mask->height >= MAX_MASK ||
      mask->width > MAX_MASK_SIDE || mask->height > MAX_MASK_SIDE)
    return cs_error (error, CS_ERROR_LIMIT,
        "a mask of %u x %u pixels is too large: it must have fewer than 2^31 "
        "pixels and 2^24 at most a side", mask->width, mask->height);
  if (mask->width > 0 && (mask->pixel_stride < size || mask->row_stride <
          (gsize) (mask->width - 1) * mask->pixel_stride + size))
    return cs_error (error, CS_ERROR_INVALID, "strides of %" G_GSIZE_FORMAT
        " (pixel) and %" G_GSIZE_FORMAT " (row) bytes make samples overlap",
        mask->pixel_stride, mask->row_stride);
  if (mask->pixel_stride % size || mask->row_stride % size ||
      (guintptr) mask->data % size)
    return cs_error (error, CS_ERROR_INVALID, "samples of %" G_GSIZE_FORMAT
        " bytes are not aligned to their size", size);
  if (isnan (level))
    return cs_error (error, CS_ERROR_INVALID,
        "the mask's level is not a number");
  return TRUE;
}

static gboolean
check_points (const CsHullInput * input, GError ** error)
{
  const gsize size = cs_hull_type_size (input->type), coordinate = size / 2;

  if (input->type > CS_HULL_I32 || input->memory > CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID,
        "unknown type %d of points, or memory %d", input->type, input->memory);
  if (input->n_points > CS_HULL_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " points are too many: the limit is 2^28 (%" G_GUINT64_FORMAT ")",
        input->n_points, CS_HULL_MAX_POINTS);
  if (input->stride < size || input->stride % coordinate ||
      (guintptr) input->points % coordinate)
    return cs_error (error, CS_ERROR_INVALID, "a stride of %" G_GSIZE_FORMAT
        " bytes, or the points' address, does not fit points of %"
        G_GSIZE_FORMAT " bytes: both must be multiples of %" G_GSIZE_FORMAT,
        input->stride, size, coordinate);
  return TRUE;
}

static gboolean
check_offsets (const CsHullInput * input, GError ** error)
{
  if (input->memory == CS_MEMORY_DEVICE)
    return TRUE;
  for (gsize i = 0; i < input->n_polylines; i++) {
    if (input->offsets[i] > input->offsets[i + 1] ||
        input->offsets[i + 1] > input->n_points)
      return cs_error (error, CS_ERROR_INVALID, "polyline %" G_GSIZE_FORMAT
          " goes from point %u to %u of %" G_GSIZE_FORMAT
          ": offsets must ascend and stay within the points", i,
          input->offsets[i], input->offsets[i + 1], input->n_points);
  }
  return TRUE;
}

static gboolean
check_polylines (const CsHull * plan, const CsHullInput * input,
    GError ** error)
{
  if (plan->params.scope == CS_HULL_SCOPE_PER_CLASS && (!input->offsets ||
          (input->n_polylines > 0 && !input->contours)))
    return cs_error (error, CS_ERROR_INVALID,
        "hulls per class need the polylines' offsets and records");
  if (input->offsets && input->n_polylines > CS_HULL_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " polylines are too many: the limit is 2^28", input->n_polylines);
  return TRUE;
}

/* Checks all of @input except its data, and copies it with its stride set. */
static gboolean
check_form (const CsHull * plan, const CsHullInput * input, CsHullInput * copy,
    GError ** error)
{
  *copy = *input;
  if (input->mask) {
    if (plan->params.scope == CS_HULL_SCOPE_PER_CLASS)
      return cs_error (error, CS_ERROR_INVALID,
          "a mask has no classes: use another scope");
    return check_mask (input->mask, input->level, error);
  }
  if (copy->stride == 0)
    copy->stride = cs_hull_type_size (input->type);
  return check_points (copy, error) && check_polylines (plan, copy, error);
}

gboolean
cs_hull_warm_up (CsHull * plan, const CsHullInput * input, GError ** error)
{
  CsHullInput copy;

  return check_form (plan, input, &copy, error) &&
      plan->backend->warm_up (plan->state, &copy, error);
}

gboolean
cs_hull_run (CsHull * plan, const CsHullInput * input, CsHullOutput * output,
    GError ** error)
{
  const CsHullOutput empty = {
    .alloc = output->alloc,
    .user_data = output->user_data,
    .want_host = output->want_host,
  };
  CsHullInput copy;

  *output = empty;
  if (!check_form (plan, input, &copy, error))
    return FALSE;
  if (!copy.mask && copy.n_points > 0 && !copy.points)
    return cs_error (error, CS_ERROR_INVALID, "%" G_GSIZE_FORMAT
        " points, but no memory that holds them", copy.n_points);
  if (!copy.mask && copy.offsets && plan->params.scope != CS_HULL_SCOPE_ALL &&
      !check_offsets (&copy, error))
    return FALSE;
  if (!plan->backend->run (plan->state, &copy, output, error) ||
      !cs_ids_check (copy.first_id, output->n_hulls, "hulls", error)) {
    *output = empty;
    return FALSE;
  }
  return TRUE;
}

void
cs_hull_get_stats (const CsHull * plan, CsHullStats * stats)
{
  plan->backend->get_stats (plan->state, stats);
}

gboolean
cs_hull_is_small (const CsHull * plan, const CsHullInput * input)
{
  CsHullStats last;

  if (input->mask || input->memory == CS_MEMORY_DEVICE)
    return FALSE;
  if (input->offsets && plan->params.scope != CS_HULL_SCOPE_ALL)
    return input->n_points <= CS_HULL_SMALL_BATCH;
  cs_hull_get_stats (plan, &last);
  return input->n_points <= (last.sorted > CS_HULL_SMALL_SORTED ?
      CS_HULL_SMALL_DENSE : CS_HULL_SMALL);
}
