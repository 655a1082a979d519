/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_private.h"

/**
 * CsLlf:
 * @table: for the next frames; guarded by @lock
 */
struct _CsLlf
{
  CsExecutor *executor;
  const CsLlfBackend *backend;
  void *state;
  GMutex lock;
  CsLlfTable *table;
};

static gboolean
check_layout (const char *what, gsize pixel_stride, gsize row_stride,
    gsize size, const CsImage * image, const void *data, GError ** error)
{
  if (!data || pixel_stride < size || pixel_stride % size != 0 ||
      row_stride % size != 0 || (guintptr) data % size != 0 ||
      (image->height > 1 &&
          row_stride < (image->width - 1) * pixel_stride + size))
    return cs_error (error, CS_ERROR_INVALID, "the strides of the %s (%"
        G_GSIZE_FORMAT " bytes a pixel, %" G_GSIZE_FORMAT
        " a row) do not fit %u samples of %" G_GSIZE_FORMAT " bytes", what,
        pixel_stride, row_stride, image->width, size);
  return TRUE;
}

static gboolean
check_type (const CsLlfParams * params, const CsLlfFrame * frame,
    GError ** error)
{
  const CsSampleType type = frame->input.type;

  if (type == CS_SAMPLE_F32 || (type == CS_SAMPLE_U8 && params->depth == 8) ||
      (type == CS_SAMPLE_U16 && params->depth + frame->shift <= 16))
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "samples of this type cannot have "
      "%u bits, shifted by %u", params->depth, frame->shift);
}

CsLlfToneGuard
cs_llf_get_tone_guard (const CsLlfParams * params,
    const CsLlfSettings * settings)
{
  const double most = (1u << params->depth) - 1;
  const guint unit = 1u << (params->depth - 8);
  CsLlfToneGuard guard = {.white = 1 };

  if (params->limited_range) {
    guard.black = 16 * unit / most;
    guard.white = 235 * unit / most;
  }
  if (settings->tone_guard > 0)
    guard.slope = 1 / (settings->tone_guard * (guard.white - guard.black));
  return guard;
}

static gboolean
check_frame (const CsLlf * plan, const CsLlfParams * params,
    const CsLlfFrame * frame, GError ** error)
{
  const CsImage *image = &frame->input;
  const gboolean device = image->memory == CS_MEMORY_DEVICE;

  if (params->color_remapping == CS_LLF_RGB_DISTANCE)
    return cs_error (error, CS_ERROR_INVALID,
        "one channel has no distances in RGB");
  if (!cs_llf_check_size (image->width, image->height, error) ||
      !check_type (params, frame, error))
    return FALSE;
  if (device != (cs_executor_get_backend (plan->executor) == CS_BACKEND_CUDA))
    return cs_error (error, CS_ERROR_INVALID, device ?
        "the CPU cannot read device memory; download frames first" :
        "the GPU filters frames in device memory; upload them first");
  const gsize size = cs_sample_size (image->type);
  return check_layout ("input", image->pixel_stride, image->row_stride, size,
      image, image->data, error) &&
      check_layout ("output", frame->output_pixel_stride,
      frame->output_row_stride, size, image, frame->output, error);
}

CsLlf *
cs_llf_new (CsLlfTable * table, CsExecutor * executor, GError ** error)
{
  const CsLlfBackend *backend = cs_executor_choose (executor,
      &cs_llf_cpu_backend, CS_IF_CUDA (&cs_llf_cuda_backend),
      "local Laplacian filters", error);

  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;
  CsLlf *plan = g_new0 (CsLlf, 1);
  plan->executor = executor;
  plan->backend = backend;
  plan->state = state;
  plan->table = cs_llf_table_ref (table);
  g_mutex_init (&plan->lock);
  return plan;
}

void
cs_llf_set_table (CsLlf * plan, CsLlfTable * table)
{
  cs_llf_table_ref (table);
  g_mutex_lock (&plan->lock);
  CsLlfTable *old = plan->table;
  plan->table = table;
  g_mutex_unlock (&plan->lock);
  cs_llf_table_unref (old);
}

CsLlfTable *
cs_llf_take_table (CsLlf * plan)
{
  g_mutex_lock (&plan->lock);
  CsLlfTable *table = cs_llf_table_ref (plan->table);
  g_mutex_unlock (&plan->lock);
  return table;
}

gboolean
cs_llf_warm_up (CsLlf * plan, guint width, guint height,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfPyramid pyramid;

  if (!cs_llf_check_size (width, height, error))
    return FALSE;
  cs_llf_pyramid_init (&pyramid, width, height);
  CsLlfTable *table = cs_llf_take_table (plan);
  pyramid.guard = cs_llf_get_tone_guard (&table->params, settings);
  gboolean ok = plan->backend->warm_up (plan->state, table, &pyramid, error);
  cs_llf_table_unref (table);
  return ok;
}

static gboolean
run_with (CsLlf * plan, CsLlfTable * table, const CsLlfFrame * frame,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfPyramid pyramid;

  if (!check_frame (plan, &table->params, frame, error) ||
      !cs_llf_pyramid_plan (&pyramid, frame->input.width, frame->input.height,
          settings, error))
    return FALSE;
  pyramid.guard = cs_llf_get_tone_guard (&table->params, settings);
  if (table->identity || pyramid.n_levels < 2)
    return plan->backend->copy (plan->state, frame, error);
  return plan->backend->run (plan->state, table, frame, &pyramid, error);
}

gboolean
cs_llf_run (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings, GError ** error)
{
  CsLlfTable *table = cs_llf_take_table (plan);
  const gboolean ok = run_with (plan, table, frame, settings, error);

  cs_llf_table_unref (table);
  return ok;
}

void
cs_llf_free (CsLlf * plan)
{
  if (!plan)
    return;
  plan->backend->destroy (plan->state);
  cs_llf_table_unref (plan->table);
  g_mutex_clear (&plan->lock);
  g_free (plan);
}
