/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties_private.h"

#include "labels/labels_private.h"

struct _CsProperties
{
  CsPropertiesParams params;
  const CsPropertiesBackend *backend;
  void *state;
};

void
cs_properties_params_init (CsPropertiesParams * params)
{
  *params = (CsPropertiesParams) {
    .wanted = CS_PROPERTY_BIT (CS_PROPERTY_LABEL) |
        CS_PROPERTY_BIT (CS_PROPERTY_BBOX),
    .row_spacing = 1.,
    .column_spacing = 1.,
  };
}

static gboolean
check_params (const CsPropertiesParams * params, GError ** error)
{
  const double row = params->row_spacing, column = params->column_spacing;
  const guint32 perimeters = CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER) |
      CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER_CROFTON);

  if (params->wanted == 0 || params->wanted >= CS_PROPERTY_BIT (CS_N_PROPERTIES))
    return cs_error (error, CS_ERROR_INVALID,
        "properties that are none, or unknown: %x", params->wanted);
  if (!isfinite (row) || !isfinite (column) || !(row > 0.) || !(column > 0.))
    return cs_error (error, CS_ERROR_INVALID, "spacing of %g rows and %g columns: "
        "it must be positive", row, column);
  if ((params->wanted & perimeters) && row != column)
    return cs_error (error, CS_ERROR_INVALID, "perimeters need the same spacing "
        "of rows and columns, and not %g and %g", row, column);
  if ((params->wanted & CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_HU))
      && (row != 1. || column != 1.))
    return cs_error (error, CS_ERROR_INVALID, "Hu's moments need a spacing of 1, "
        "and not %g and %g", row, column);
  return TRUE;
}

CsProperties *
cs_properties_new (const CsPropertiesParams * params, CsExecutor * executor,
    GError ** error)
{
  if (!check_params (params, error))
    return NULL;
  const CsPropertiesBackend *backend = cs_executor_choose (executor,
      &cs_properties_cpu_backend, CS_IF_CUDA (&cs_properties_cuda_backend),
      "properties of regions", error);
  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;

  CsProperties *plan = g_new0 (CsProperties, 1);
  plan->params = *params;
  plan->backend = backend;
  plan->state = state;
  return plan;
}

void
cs_properties_free (CsProperties * plan)
{
  if (!plan)
    return;
  plan->backend->destroy (plan->state);
  g_free (plan);
}

gboolean
cs_properties_set_params (CsProperties * plan,
    const CsPropertiesParams * params, GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

static gboolean
check_picture (const CsLabelsPicture * picture, GError ** error)
{
  if (!cs_labels_check_picture (picture, error))
    return FALSE;
  if (picture->width > CS_PROPERTIES_MAX_SIDE ||
      picture->height > CS_PROPERTIES_MAX_SIDE ||
      (guint64) picture->width * picture->height > CS_PROPERTIES_MAX_PIXELS)
    return cs_error (error, CS_ERROR_LIMIT, "%u x %u labels are too many: the "
        "limit of a side is %u, that of all of them %u", picture->width,
        picture->height, CS_PROPERTIES_MAX_SIDE, CS_PROPERTIES_MAX_PIXELS);
  return TRUE;
}

gboolean
cs_properties_warm_up (CsProperties * plan, const CsLabelsPicture * picture,
    GError ** error)
{
  return check_picture (picture, error) &&
      plan->backend->warm_up (plan->state, &plan->params, picture, error);
}

static void
clear_output (CsPropertiesOutput * output)
{
  *output = (CsPropertiesOutput) {
    .alloc = output->alloc,.user_data = output->user_data,
    .want_host = output->want_host};
}

gboolean
cs_properties_run (CsProperties * plan, const CsLabelsPicture * picture,
    CsPropertiesOutput * output, GError ** error)
{
  clear_output (output);
  if (check_picture (picture, error) && plan->backend->run (plan->state,
          &plan->params, picture, output, error))
    return TRUE;
  clear_output (output);
  return FALSE;
}
