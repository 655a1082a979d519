/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "hull_private.h"

#include <math.h>

#include "base/ids.h"

#define MAX_MASK (G_GUINT64_CONSTANT (1) << 31)
/* the GPU's mask points are floats, exact up to here */
#define MAX_MASK_SIDE (1u << 24)

gint cs_hull_ways[CS_HULL_N_WAYS];

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

gsize
cs_hull_type_size (CsHullType type)
{
  return type == CS_HULL_F64 ? 2 * sizeof (double) : 2 * sizeof (float);
}

gsize
cs_hull_returned_size (const CsHullParams * params, CsHullType type)
{
  switch (params->points) {
    case CS_HULL_POINTS_F32:
      return 2 * sizeof (float);
    case CS_HULL_POINTS_INPUT:
      return cs_hull_type_size (type);
    default:
      return 0;
  }
}

CsHullType
cs_hull_input_type (const CsHullInput * input)
{
  return input->mask ? CS_HULL_I32 : input->type;
}

gsize
cs_hull_max_hulls (const CsHullParams * params, const CsHullInput * input)
{
  if (input->mask)
    return 1;
  switch (params->scope) {
    case CS_HULL_SCOPE_PER_CONTOUR:
      return input->offsets ? input->n_polylines : 1;
    case CS_HULL_SCOPE_PER_CLASS:
      return params->n_classes;
    default:
      return 1;
  }
}

static gsize
align_256 (gsize size)
{
  return (size + 255) & ~(gsize) 255;
}

void
cs_hull_layout (const CsHullParams * params, CsHullType type, gsize n_hulls,
    gsize n_points, CsHullLayout * layout)
{
  const gsize features = params->measures == CS_MEASURES_FULL ?
      n_hulls * sizeof (CsHullFeatures) : 0;
  const gsize indices = params->indices ? n_points * sizeof (guint32) : 0;

  layout->offsets = 0;
  layout->hulls = align_256 ((n_hulls + 1) * sizeof (guint32));
  layout->features = layout->hulls + align_256 (n_hulls * sizeof (CsContour));
  layout->points = layout->features + align_256 (features);
  layout->indices = layout->points +
      align_256 (n_points * cs_hull_returned_size (params, type));
  layout->size = layout->indices + align_256 (indices);
}

void
cs_hull_output_set_host (CsHullOutput * output, const CsHullParams * params,
    const CsHullLayout * layout, void *block)
{
  guint8 *base = block;

  output->offsets = (guint32 *) (base + layout->offsets);
  output->hulls = (CsContour *) (base + layout->hulls);
  output->features = params->measures == CS_MEASURES_FULL ?
      (CsHullFeatures *) (base + layout->features) : NULL;
  output->points = params->points != CS_HULL_POINTS_NONE ?
      base + layout->points : NULL;
  output->indices = params->indices ?
      (guint32 *) (base + layout->indices) : NULL;
}

void
cs_hull_record_init (const CsHullParams * params, const CsHullInput * input,
    gsize set, CsContour * hull, double *area)
{
  *hull = (CsContour) {
    .parent = -1,
    .image = input->image_index,
    .kind = CS_CONTOUR_KIND_HULL,
    .flags = CS_CONTOUR_CLOSED,
  };
  *area = NAN;
  if (input->mask)
    return;
  if (params->scope == CS_HULL_SCOPE_PER_CLASS) {
    hull->class_id = set;
  } else if (params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->contours) {
    const CsContour *contour = &input->contours[set];

    hull->parent = contour->id;
    hull->class_id = contour->class_id;
    hull->image = contour->image;
    hull->level = contour->level;
    *area = contour->area;
  } else if (params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->offsets) {
    hull->parent = set;
  }
}

static gboolean
check_params (const CsHullParams * params, GError ** error)
{
  if (params->scope > CS_HULL_SCOPE_PER_CLASS ||
      params->points > CS_HULL_POINTS_INPUT ||
      params->measures > CS_MEASURES_FULL) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "unknown scope %d, points %d or measures %d", params->scope,
        params->points, params->measures);
    return FALSE;
  }
  if (params->scope == CS_HULL_SCOPE_PER_CLASS && (params->n_classes == 0 ||
          params->n_classes > CS_HULL_MAX_CLASSES)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "hulls of %u classes: the number must be 1 to %d", params->n_classes,
        CS_HULL_MAX_CLASSES);
    return FALSE;
  }
  return TRUE;
}

CsHull *
cs_hull_new (const CsHullParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsHullBackend *backend;
  CsHull *plan;

  if (!check_params (params, error))
    return NULL;
  backend = cs_executor_choose (executor, &cs_hull_cpu_backend,
      CS_IF_CUDA (&cs_hull_cuda_backend), "hulls", error);
  if (!backend)
    return NULL;

  plan = g_new0 (CsHull, 1);
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
  cs_hull_clear_lanes (plan);
  if (plan->state)
    plan->backend->destroy (plan->state);
  g_free (plan);
}

static gboolean
check_mask (const CsImage * mask, double level, GError ** error)
{
  const gsize size = cs_sample_size (mask->type);

  if (mask->channels != 1) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "a mask has one channel, not %u", mask->channels);
    return FALSE;
  }
  if ((guint64) mask->width * mask->height >= MAX_MASK ||
      mask->width > MAX_MASK_SIDE || mask->height > MAX_MASK_SIDE) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "a mask of %u x %u pixels is too large: it must have fewer than 2^31"
        " pixels and 2^24 at most a side", mask->width, mask->height);
    return FALSE;
  }
  if (mask->width > 0 && (mask->pixel_stride < size || mask->row_stride <
          (gsize) (mask->width - 1) * mask->pixel_stride + size)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "strides of %" G_GSIZE_FORMAT " (pixel) and %" G_GSIZE_FORMAT
        " (row) bytes make samples overlap", mask->pixel_stride,
        mask->row_stride);
    return FALSE;
  }
  if (mask->pixel_stride % size || mask->row_stride % size ||
      (guintptr) mask->data % size) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "samples of %" G_GSIZE_FORMAT " bytes are not aligned to their size",
        size);
    return FALSE;
  }
  if (isnan (level)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the mask's level is not a number");
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_points (const CsHullInput * input, GError ** error)
{
  const gsize size = cs_hull_type_size (input->type), coordinate = size / 2;

  if (input->type > CS_HULL_I32 || input->memory > CS_MEMORY_DEVICE) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "unknown type %d of points, or memory %d", input->type, input->memory);
    return FALSE;
  }
  if (input->n_points > CS_HULL_MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "%" G_GSIZE_FORMAT " points are too many: the limit is 2^28 (%"
        G_GUINT64_FORMAT ")", input->n_points, CS_HULL_MAX_POINTS);
    return FALSE;
  }
  if (input->stride < size || input->stride % coordinate ||
      (guintptr) input->points % coordinate) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "a stride of %" G_GSIZE_FORMAT " bytes, or the points' address, does"
        " not fit points of %" G_GSIZE_FORMAT " bytes: both must be multiples"
        " of %" G_GSIZE_FORMAT, input->stride, size, coordinate);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_offsets (const CsHullInput * input, GError ** error)
{
  gsize i;

  if (input->memory == CS_MEMORY_DEVICE)
    return TRUE;
  for (i = 0; i < input->n_polylines; i++) {
    if (input->offsets[i] > input->offsets[i + 1] ||
        input->offsets[i + 1] > input->n_points) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "polyline %" G_GSIZE_FORMAT " goes from point %u to %u of %"
          G_GSIZE_FORMAT ": offsets must ascend and stay within the points",
          i, input->offsets[i], input->offsets[i + 1], input->n_points);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_polylines (const CsHull * plan, const CsHullInput * input,
    GError ** error)
{
  if (plan->params.scope == CS_HULL_SCOPE_PER_CLASS && (!input->offsets ||
          (input->n_polylines > 0 && !input->contours))) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "hulls per class need the polylines' offsets and records");
    return FALSE;
  }
  if (input->offsets && input->n_polylines > CS_HULL_MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "%" G_GSIZE_FORMAT " polylines are too many: the limit is 2^28",
        input->n_polylines);
    return FALSE;
  }
  return TRUE;
}

/* Checks all of @input except its data, and copies it with its stride set. */
static gboolean
check_form (const CsHull * plan, const CsHullInput * input, CsHullInput * copy,
    GError ** error)
{
  *copy = *input;
  if (input->mask) {
    if (plan->params.scope == CS_HULL_SCOPE_PER_CLASS) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "a mask has no classes: use another scope");
      return FALSE;
    }
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
  if (!copy.mask && copy.n_points > 0 && !copy.points) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "%" G_GSIZE_FORMAT " points, but no memory that holds them",
        copy.n_points);
    return FALSE;
  }
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
