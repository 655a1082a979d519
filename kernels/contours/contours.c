/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "contours_private.h"

#include <math.h>

#include "base/ids.h"

/* 2^31 samples of a channel, 2^28 of a row: cell indices stay in 32 bits. */
#define MAX_PLANE (G_GUINT64_CONSTANT (1) << 31)
#define MAX_ROW (G_GUINT64_CONSTANT (1) << 28)

static const CsContoursTarget default_target = { 0, .5 };

void
cs_contours_params_init (CsContoursParams * params)
{
  *params = (CsContoursParams) {
    .targets = &default_target,
    .n_targets = 1,
    .measures = CS_MEASURES_BASIC,
    .points = CS_POINTS_F32,
    .max_area = INFINITY,
    .level_scale = 1.,
  };
}

gsize
cs_point_size (CsPointFormat format)
{
  switch (format) {
    case CS_POINTS_F32:
      return 2 * sizeof (float);
    case CS_POINTS_F64:
      return 2 * sizeof (double);
    default:
      return 0;
  }
}

static gsize
align_256 (gsize size)
{
  return (size + 255) & ~(gsize) 255;
}

void
cs_contours_layout (const CsContoursParams * params, gsize n_contours,
    gsize n_points, CsContoursLayout * layout)
{
  const gsize moments = params->measures == CS_MEASURES_FULL ?
      n_contours * sizeof (CsContourMoments) : 0;

  layout->points = 0;
  layout->offsets = align_256 (n_points * cs_point_size (params->points));
  layout->contours = layout->offsets +
      align_256 ((n_contours + 1) * sizeof (guint32));
  layout->moments = layout->contours +
      align_256 (n_contours * sizeof (CsContour));
  layout->size = layout->moments + align_256 (moments);
}

static gboolean
check_params (const CsContoursParams * params, GError ** error)
{
  guint i;

  if (params->n_targets == 0) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "no targets: no channel and level to find contours of");
    return FALSE;
  }
  for (i = 0; i < params->n_targets && !params->auto_level; i++) {
    if (!isfinite (params->targets[i].level)) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "level %u is not a finite number", i);
      return FALSE;
    }
  }
  if (isnan (params->min_area) || isnan (params->max_area)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "min-area and max-area must be numbers");
    return FALSE;
  }
  return TRUE;
}

static const CsContoursBackend *
find_backend (CsExecutor * executor, GError ** error)
{
  switch (cs_executor_get_backend (executor)) {
    case CS_BACKEND_CPU:
      return &cs_contours_cpu_backend;
#ifdef HAVE_CUDA
    case CS_BACKEND_CUDA:
      return &cs_contours_cuda_backend;
#endif
    default:
      g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
          "contours on CUDA are not supported by this build");
      return NULL;
  }
}

CsContours *
cs_contours_new (const CsContoursParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsContoursBackend *backend;
  CsContours *plan;

  if (!check_params (params, error))
    return NULL;
  backend = find_backend (executor, error);
  if (!backend)
    return NULL;

  plan = g_new0 (CsContours, 1);
  plan->params = *params;
  plan->params.targets = g_memdup2 (params->targets,
      params->n_targets * sizeof (*params->targets));
  plan->executor = executor;
  plan->backend = backend;
  plan->state = backend->create (plan, error);
  if (!plan->state) {
    cs_contours_free (plan);
    return NULL;
  }
  return plan;
}

/* Whether @a and @b differ only in what a backend's update() can change. */
static gboolean
same_structure (const CsContoursParams * a, const CsContoursParams * b)
{
  guint i;

  if (a->n_targets != b->n_targets || !a->auto_level != !b->auto_level ||
      !a->hierarchy != !b->hierarchy || a->measures != b->measures ||
      a->points != b->points)
    return FALSE;
  for (i = 0; i < a->n_targets; i++) {
    if (a->targets[i].channel != b->targets[i].channel)
      return FALSE;
  }
  return TRUE;
}

gboolean
cs_contours_set_params (CsContours * plan, const CsContoursParams * params,
    GError ** error)
{
  const CsContoursParams old = plan->params;
  void *state;

  if (!check_params (params, error))
    return FALSE;
  plan->params = *params;
  plan->params.targets = g_memdup2 (params->targets,
      params->n_targets * sizeof (*params->targets));
  if (plan->backend->update && same_structure (&old, params)) {
    plan->backend->update (plan->state);
  } else {
    state = plan->backend->create (plan, error);
    if (!state) {
      g_free ((gpointer) plan->params.targets);
      plan->params = old;
      return FALSE;
    }
    plan->backend->destroy (plan->state);
    plan->state = state;
  }
  g_free ((gpointer) old.targets);
  return TRUE;
}

void
cs_contours_free (CsContours * plan)
{
  if (!plan)
    return;
  if (plan->state)
    plan->backend->destroy (plan->state);
  g_free ((gpointer) plan->params.targets);
  g_free (plan);
}

static guint
get_border (const CsContours * plan)
{
  return plan->params.close_at_border ? 1 : 0;
}

CsImage
cs_contours_bordered_shape (const CsImage * image, guint border)
{
  CsImage bordered = *image;

  bordered.data = NULL;
  bordered.type = image->type == CS_SAMPLE_F64 ? CS_SAMPLE_F64 : CS_SAMPLE_F32;
  bordered.width += 2 * border;
  bordered.height += 2 * border;
  bordered.pixel_stride = cs_sample_size (bordered.type);
  bordered.row_stride = bordered.width * bordered.pixel_stride;
  bordered.channel_stride = bordered.height * bordered.row_stride;
  return bordered;
}

static gboolean
check_image (const CsContours * plan, const CsImage * image, GError ** error)
{
  const guint64 more = 2 * get_border (plan);
  const gsize size = cs_sample_size (image->type);
  guint i;

  if (image->width == 0 || image->height == 0 || image->channels == 0) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "an image of %u x %u pixels and %u channels has no samples",
        image->width, image->height, image->channels);
    return FALSE;
  }
  if ((image->width + more) * (image->height + more) >= MAX_PLANE ||
      (image->width + more) * image->channels >= MAX_ROW) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "an image of %u x %u pixels and %u channels is too large: a channel"
        " must have fewer than 2^31 samples and a row fewer than 2^28",
        image->width, image->height, image->channels);
    return FALSE;
  }
  if (image->pixel_stride < size ||
      image->row_stride < (gsize) (image->width - 1) * image->pixel_stride +
      size || (image->channels > 1 && image->channel_stride < size)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "strides of %" G_GSIZE_FORMAT " (pixel), %" G_GSIZE_FORMAT
        " (row) and %" G_GSIZE_FORMAT " (channel) bytes make samples overlap",
        image->pixel_stride, image->row_stride, image->channel_stride);
    return FALSE;
  }
  if (image->pixel_stride % size || image->row_stride % size ||
      image->channel_stride % size || (guintptr) image->data % size) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "samples of %" G_GSIZE_FORMAT " bytes are not aligned to their size",
        size);
    return FALSE;
  }
  for (i = 0; i < plan->params.n_targets; i++) {
    if (plan->params.targets[i].channel >= image->channels) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "channel %u does not exist: the image has channels 0 to %u",
          plan->params.targets[i].channel, image->channels - 1);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_mask (const CsContoursInput * input, GError ** error)
{
  const CsImage *image = &input->image, *mask = input->mask;

  if (mask && (mask->width != image->width || mask->height != image->height)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the mask has %u x %u pixels, the image %u x %u; they must be the same",
        mask->width, mask->height, image->width, image->height);
    return FALSE;
  }
  if (mask && (mask->type != CS_SAMPLE_U8 || mask->pixel_stride == 0 ||
          mask->row_stride < (gsize) (mask->width - 1) * mask->pixel_stride +
          1)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "a mask has one byte for each pixel, in rows that do not overlap");
    return FALSE;
  }
  if ((mask && !mask->data) || !image->data) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "no samples");
    return FALSE;
  }
  return TRUE;
}

gboolean
cs_contours_check_cost (const CsContours * plan, const CsImage * image,
    guint64 n_segments, GError ** error)
{
  const CsContoursParams *params = &plan->params;
  /* in doubles, which do not overflow and are exact up to 2^53 */
  const double cost = (double) params->n_targets *
      MAX (image->width - 1., CS_CONTOURS_MIN_CELLS) *
      MAX (image->height - 1., CS_CONTOURS_MIN_CELLS) *
      CS_CONTOURS_CELL_COST +
      (double) n_segments * CS_CONTOURS_SEGMENT_COST;

  if (params->max_memory == 0 || cost <= (double) params->max_memory)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the contours of %u x %u pixels"
      " at %u levels would take more than %.1f MiB of memory, and max-memory"
      " allows %.1f MiB; use fewer levels or less of the picture, smooth it, or"
      " raise max-memory", image->width, image->height, params->n_targets,
      cost / 1048576., (double) params->max_memory / 1048576.);
  return FALSE;
}

static void
clear_output (CsContoursOutput * output)
{
  *output = (CsContoursOutput) {
    .alloc = output->alloc,
    .user_data = output->user_data,
    .want_host = output->want_host,
  };
}

gboolean
cs_contours_warm_up (CsContours * plan, const CsImage * image, GError ** error)
{
  CsImage bordered;

  if (!check_image (plan, image, error))
    return FALSE;
  if (plan->params.close_at_border) {
    bordered = cs_contours_bordered_shape (image, get_border (plan));
    image = &bordered;
  }
  if (image->width < 2 || image->height < 2 ||
      !cs_contours_check_cost (plan, image, 0, NULL))
    return TRUE;
  return plan->backend->warm_up (plan->state, image, error);
}

/* The result of an image that has no cells. */
static gboolean
run_empty (CsContours * plan, CsContoursOutput * output, GError ** error)
{
  const gboolean cuda =
      cs_executor_get_backend (plan->executor) == CS_BACKEND_CUDA;
  CsContoursLayout layout;
  guint8 *memory;

  if (cuda && !output->want_host)
    return TRUE;
  cs_contours_layout (&plan->params, 0, 0, &layout);
  memory = output->alloc (output->user_data, layout.size, TRUE);
  if (!memory) {
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "no memory for the result");
    return FALSE;
  }
  output->offsets = (guint32 *) (memory + layout.offsets);
  output->offsets[0] = 0;
  return TRUE;
}

static gboolean
run_bordered (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error)
{
  const guint border = get_border (plan);
  const CsImage shape = cs_contours_bordered_shape (&input->image, border);
  CsContoursInput bordered = *input;
  CsImage mask;

  bordered.image = shape;
  bordered.origin_x -= border;
  bordered.origin_y -= border;
  return cs_contours_check_cost (plan, &shape, 0, error) &&
      plan->backend->add_border (plan->state, input, border, &bordered, &mask,
      error) &&
      plan->backend->run (plan->state, &bordered, border, output, error);
}

gboolean
cs_contours_run (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error)
{
  gboolean ok;

  clear_output (output);
  if (!check_image (plan, &input->image, error) || !check_mask (input, error))
    return FALSE;
  if (plan->params.close_at_border)
    ok = run_bordered (plan, input, output, error);
  else if (input->image.width < 2 || input->image.height < 2)
    ok = run_empty (plan, output, error);
  else
    ok = cs_contours_check_cost (plan, &input->image, 0, error) &&
        plan->backend->run (plan->state, input, 0, output, error);
  ok = ok &&
      cs_ids_check (input->first_id, output->n_contours, "contours", error);
  if (!ok)
    clear_output (output);
  return ok;
}
