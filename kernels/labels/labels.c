/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labels_private.h"

/**
 * CsLabels:
 * @first: of strips the first one, without its data; height is that of all so
 *     far
 * @has_strip: whether there is one
 * @failed: whether a strip has failed, so that there is no result
 */
struct _CsLabels
{
  CsLabelsParams params;
  const CsLabelsBackend *backend;
  void *state;
  CsLabelsInput first;
  gboolean has_strip, failed;
};

void
cs_labels_params_init (CsLabelsParams * params)
{
  *params = (CsLabelsParams) {
    .measures = CS_MEASURES_BASIC,
  };
}

static gboolean
check_params (const CsLabelsParams * params, GError ** error)
{
  if (params->outline > CS_LABELS_PIXELS)
    return cs_error (error, CS_ERROR_INVALID, "unknown outline %d",
        params->outline);
  if (params->background < -1 || params->background > CS_LABELS_MAX)
    return cs_error (error, CS_ERROR_INVALID, "the background %"
        G_GINT64_FORMAT " is no label: they are 0 to %d, and -1 is none",
        params->background, CS_LABELS_MAX);
  if (!(params->min_area >= 0.))
    return cs_error (error, CS_ERROR_INVALID, "a least area of %g pixels: it must "
        "be 0 or more", params->min_area);
  if (params->measures > CS_MEASURES_FULL)
    return cs_error (error, CS_ERROR_INVALID, "unknown measures %d",
        params->measures);
  return TRUE;
}

CsLabels *
cs_labels_new (const CsLabelsParams * params, CsExecutor * executor,
    GError ** error)
{
  if (!check_params (params, error))
    return NULL;
  const CsLabelsBackend *backend = cs_executor_choose (executor,
      &cs_labels_cpu_backend, CS_IF_CUDA (&cs_labels_cuda_backend),
      "polygons of labels", error);
  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;

  CsLabels *plan = g_new0 (CsLabels, 1);
  plan->params = *params;
  plan->backend = backend;
  plan->state = state;
  return plan;
}

void
cs_labels_free (CsLabels * plan)
{
  if (!plan)
    return;
  plan->backend->destroy (plan->state);
  g_free (plan);
}

gboolean
cs_labels_set_params (CsLabels * plan, const CsLabelsParams * params,
    GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

/* --- The input ------------------------------------------------------------ */

static gboolean
check_place (const CsLabelsInput * input, guint64 height, GError ** error)
{
  const guint64 right = (guint64) input->origin_x + input->picture.width;
  const guint64 bottom = input->origin_y + height;

  if (MAX (right, bottom) > CS_LABELS_MAX_SIDE)
    return cs_error (error, CS_ERROR_LIMIT, "labels reach to (%" G_GUINT64_FORMAT
        ", %" G_GUINT64_FORMAT "): the limit of a coordinate is %u", right,
        bottom, CS_LABELS_MAX_SIDE);
  return TRUE;
}

static gboolean
check_wanted (const CsLabelsInput * input, GError ** error)
{
  for (gsize i = 0; input->wanted && i < input->n_wanted; i++)
    if (input->wanted[i] > CS_LABELS_MAX || (i > 0 &&
            input->wanted[i] <= input->wanted[i - 1]))
      return cs_error (error, CS_ERROR_INVALID, "the wanted label %u: they must "
          "ascend, to %d at most", input->wanted[i], CS_LABELS_MAX);
  return TRUE;
}

static gboolean
check_input (const CsLabelsInput * input, GError ** error)
{
  return cs_labels_check_picture (&input->picture, error) &&
      check_place (input, input->picture.height, error) &&
      check_wanted (input, error);
}

/* --- Runs ----------------------------------------------------------------- */

static void
clear_output (CsContoursOutput * output)
{
  *output = (CsContoursOutput) {
    .alloc = output->alloc,.user_data = output->user_data,
    .want_host = output->want_host};
}

gboolean
cs_labels_warm_up (CsLabels * plan, const CsLabelsPicture * picture,
    GError ** error)
{
  return cs_labels_check_picture (picture, error) &&
      plan->backend->warm_up (plan->state, &plan->params, picture, error);
}

gboolean
cs_labels_run (CsLabels * plan, const CsLabelsInput * input,
    CsContoursOutput * output, GError ** error)
{
  plan->has_strip = FALSE;
  clear_output (output);
  if (check_input (input, error) &&
      plan->backend->run (plan->state, &plan->params, input, output, error))
    return TRUE;
  clear_output (output);
  return FALSE;
}

/* --- Strips --------------------------------------------------------------- */

void
cs_labels_begin (CsLabels * plan)
{
  plan->has_strip = plan->failed = FALSE;
  if (plan->backend->begin)
    plan->backend->begin (plan->state);
}

static gboolean
check_strip (const CsLabels * plan, const CsLabelsInput * strip,
    GError ** error)
{
  const CsLabelsPicture *first = &plan->first.picture;
  const CsLabelsPicture *picture = &strip->picture;

  if (!plan->backend->add_strip)
    return cs_error (error, CS_ERROR_NOT_SUPPORTED,
        "labels in strips are for the CPU; a GPU takes the whole picture");
  if (!check_input (strip, error))
    return FALSE;
  if (!plan->has_strip)
    return TRUE;
  if (picture->width != first->width || picture->size != first->size ||
      picture->is_signed != first->is_signed)
    return cs_error (error, CS_ERROR_INVALID, "a strip of %u columns and labels "
        "of %u bytes after one of %u columns and %u bytes", picture->width,
        picture->size, first->width, first->size);
  return check_place (&plan->first, (guint64) first->height + picture->height,
      error);
}

gboolean
cs_labels_add_strip (CsLabels * plan, const CsLabelsInput * strip,
    GError ** error)
{
  if (plan->failed)
    return cs_error (error, CS_ERROR_INVALID, "a strip before this one has "
        "failed: begin again");
  CsLabelsInput placed = *strip;

  if (plan->has_strip) {
    placed.origin_x = plan->first.origin_x;
    placed.origin_y = plan->first.origin_y;
  }
  plan->failed = TRUE;
  if (!check_strip (plan, strip, error) ||
      !plan->backend->add_strip (plan->state, &plan->params, &placed, error))
    return FALSE;
  plan->failed = FALSE;
  if (!plan->has_strip) {
    plan->first = *strip;
    plan->first.picture.data = NULL;
    plan->first.wanted = NULL;
    plan->has_strip = TRUE;
  } else {
    plan->first.picture.height += strip->picture.height;
  }
  return TRUE;
}

gboolean
cs_labels_finish (CsLabels * plan, CsContoursOutput * output, GError ** error)
{
  const gboolean has_strip = plan->has_strip;

  clear_output (output);
  plan->has_strip = FALSE;
  if (plan->failed)
    return cs_error (error, CS_ERROR_INVALID, "a strip has failed: there is no "
        "result");
  if (!plan->backend->finish)
    return cs_error (error, CS_ERROR_NOT_SUPPORTED,
        "labels in strips are for the CPU; a GPU takes the whole picture");
  if (plan->backend->finish (plan->state, &plan->params,
          has_strip ? &plan->first : NULL, output, error))
    return TRUE;
  clear_output (output);
  return FALSE;
}
