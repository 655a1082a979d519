/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instances_private.h"

#include "base/scratch.h"

/* Margin for the largest coordinate: four steps of a single-precision number */
#define MARGIN (1. / (1 << 21))
/* Lines that are within so many margins are one; what is thinner, or has samples
 * so close, is left out */
#define CLOSE 4.

struct _CsInstances
{
  CsInstancesParams params;
  const CsInstancesBackend *backend;
  void *state;
  CsScratch grids;
};

void
cs_instances_params_init (CsInstancesParams * params)
{
  *params = (CsInstancesParams) {
    .tolerance = .1,
    .measures = CS_MEASURES_BASIC,
  };
}

static gboolean
check_params (const CsInstancesParams * params, GError ** error)
{
  if (!isfinite (params->level))
    return cs_error (error, CS_ERROR_INVALID, "the level must be finite");
  if (!(params->tolerance >= CS_INSTANCES_MIN_TOLERANCE))
    return cs_error (error, CS_ERROR_INVALID, "a tolerance of %g pixels: it must be "
        "%g or more", params->tolerance, CS_INSTANCES_MIN_TOLERANCE);
  if (!(params->min_area >= 0.))
    return cs_error (error, CS_ERROR_INVALID, "a least area of %g pixels: it must "
        "be 0 or more", params->min_area);
  if (params->measures > CS_MEASURES_FULL)
    return cs_error (error, CS_ERROR_INVALID, "unknown measures %d",
        params->measures);
  return TRUE;
}

CsInstances *
cs_instances_new (const CsInstancesParams * params, CsExecutor * executor,
    GError ** error)
{
  if (!check_params (params, error))
    return NULL;
  const CsInstancesBackend *backend = cs_executor_choose (executor,
      &cs_instances_cpu_backend, CS_IF_CUDA (&cs_instances_cuda_backend),
      "polygons of instances", error);
  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;

  CsInstances *plan = g_new0 (CsInstances, 1);
  plan->params = *params;
  plan->backend = backend;
  plan->state = state;
  return plan;
}

void
cs_instances_free (CsInstances * plan)
{
  if (!plan)
    return;
  plan->backend->destroy (plan->state);
  cs_scratch_clear (&plan->grids);
  g_free (plan);
}

gboolean
cs_instances_set_params (CsInstances * plan, const CsInstancesParams * params,
    GError ** error)
{
  if (!check_params (params, error))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

/* --- The input ------------------------------------------------------------ */

static gboolean
check_samples (const CsImage * image, const gchar * what, GError ** error)
{
  const gsize size = cs_sample_size (image->type);

  if (image->type != CS_SAMPLE_F32 && image->type != CS_SAMPLE_F16)
    return cs_error (error, CS_ERROR_INVALID, "%s must be of single or half "
        "precision", what);
  if (image->memory > CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID, "%s are in unknown memory %d", what,
        image->memory);
  if (image->width == 0 || image->height == 0 || image->channels == 0)
    return cs_error (error, CS_ERROR_INVALID, "%s: %u columns, %u rows and %u "
        "channels are none", what, image->width, image->height,
        image->channels);
  if (image->pixel_stride % size || image->row_stride % size
      || image->channel_stride % size || (guintptr) image->data % size)
    return cs_error (error, CS_ERROR_INVALID, "%s: samples of %" G_GSIZE_FORMAT
        " bytes whose address or strides are no multiples of that", what, size);
  return TRUE;
}

static gboolean
check_sides (const CsInstancesJob * job, GError ** error)
{
  const CsInstancesInput *input = job->input;
  const CsImage *fields = &input->fields;

  if (fields->width > CS_INSTANCES_MAX_SIDE ||
      fields->height > CS_INSTANCES_MAX_SIDE ||
      input->resized_width > CS_INSTANCES_MAX_SIDE ||
      input->resized_height > CS_INSTANCES_MAX_SIDE)
    return cs_error (error, CS_ERROR_LIMIT, "fields of %u x %u samples, resized "
        "to %u x %u: a side must be %u at most", fields->width, fields->height,
        input->resized_width, input->resized_height, CS_INSTANCES_MAX_SIDE);
  if (!input->resized_width != !input->resized_height)
    return cs_error (error, CS_ERROR_INVALID,
        "only one of the sizes that fields are resized to is 0");
  if (input->grid_x >= job->width || input->grid_y >= job->height
      || input->grid_width > job->width - input->grid_x
      || input->grid_height > job->height - input->grid_y)
    return cs_error (error, CS_ERROR_INVALID, "%u x %u samples from (%u, %u) on "
        "that count, and %u x %u in all", input->grid_width, input->grid_height,
        input->grid_x, input->grid_y, job->width, job->height);
  if (input->width == 0 || input->height == 0
      || input->width > CS_INSTANCES_MAX_PICTURE
      || input->height > CS_INSTANCES_MAX_PICTURE)
    return cs_error (error, CS_ERROR_INVALID, "a picture of %u x %u pixels: a "
        "side must be 1 to %u", input->width, input->height,
        CS_INSTANCES_MAX_PICTURE);
  if (input->outside > CS_INSTANCES_ZEROS)
    return cs_error (error, CS_ERROR_INVALID,
        "unknown values %d outside of a field", input->outside);
  return TRUE;
}

/* How many fields there are. */
static guint
count_fields (const CsInstancesInput * input)
{
  return input->coefficients ? input->coefficients->height :
      input->fields.channels;
}

static gboolean
check_instance (const CsInstancesInput * input, gsize i, GError ** error)
{
  const CsInstance *one = &input->instances[i];

  if (one->field >= count_fields (input))
    return cs_error (error, CS_ERROR_INVALID, "object %" G_GSIZE_FORMAT
        " has field %u of %u", i, one->field, count_fields (input));
  if (isnan (one->x0) || isnan (one->y0) || isnan (one->x1) || isnan (one->y1))
    return cs_error (error, CS_ERROR_INVALID, "the box of object %"
        G_GSIZE_FORMAT " is not a number", i);
  if (!isfinite (one->origin_x) || !isfinite (one->origin_y)
      || !(one->step_x > 0.) || !(one->step_y > 0.) || isinf (one->step_x)
      || isinf (one->step_y))
    return cs_error (error, CS_ERROR_INVALID, "the place of object %"
        G_GSIZE_FORMAT "'s samples: (%g, %g) and steps of %g and %g pixels", i,
        one->origin_x, one->origin_y, one->step_x, one->step_y);
  return TRUE;
}

static gboolean
check_input (const CsInstancesJob * job, GError ** error)
{
  const CsInstancesInput *input = job->input;
  const CsImage *coefficients = input->coefficients;

  if (!check_samples (&input->fields, "fields", error)
      || !check_sides (job, error))
    return FALSE;
  if (coefficients) {
    if (!check_samples (coefficients, "coefficients", error))
      return FALSE;
    if (coefficients->width != input->fields.channels
        || coefficients->channels != 1)
      return cs_error (error, CS_ERROR_INVALID, "%u coefficients of each object "
          "for %u prototypes", coefficients->width, input->fields.channels);
  }
  if (input->n_instances > CS_INSTANCES_MAX_OBJECTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " objects: at most %u are possible", input->n_instances,
        CS_INSTANCES_MAX_OBJECTS);
  return TRUE;
}

/* --- Grids ---------------------------------------------------------------- */

/* Where among the samples the line at @at is; at one that is within @margin. */
static void
find_tap (CsInstancesAxis * axis, guint end, double at, double lowest,
    double highest, double margin)
{
  const double u = CLAMP ((at - axis->origin) / axis->step, lowest, highest);
  const double nearest = floor (u + .5), tap = floor (u);

  if (fabs (at - (axis->origin + nearest * axis->step)) <= margin) {
    axis->tap[end] = (gint32) nearest;
    axis->fraction[end] = 0.;
  } else {
    axis->tap[end] = (gint32) tap;
    axis->fraction[end] = u - tap;
  }
}

/* Lines of @size samples between @begin and @end, and not within @margin of
 * them. Returns: whether they can be told apart */
static gboolean
find_lines (CsInstancesAxis * axis, double begin, double end, double origin,
    double step, guint size, CsInstancesOutside outside, double margin)
{
  const double lowest = outside == CS_INSTANCES_ZEROS ? -1. : 0.;
  const double highest = (double) size - (outside == CS_INSTANCES_ZEROS ? 0. :
      1.);
  double first, last;

  if (!(end - begin > margin) || !(step > margin))
    return FALSE;
  *axis = (CsInstancesAxis) {
    .begin = begin,.end = end,.origin = origin,.step = step};
  find_tap (axis, 0, begin, lowest, highest, margin);
  find_tap (axis, 1, end, lowest, highest, margin);
  first = CLAMP (floor ((begin + margin - origin) / step), lowest - 1.,
      highest + 1.);
  /* where rounding hides steps, up to the last sample */
  while (first <= highest && (first < lowest ||
          origin + first * step <= begin + margin))
    first++;
  last = CLAMP (ceil ((end - margin - origin) / step), lowest - 1.,
      highest + 1.);
  while (last >= lowest && (last > highest ||
          origin + last * step >= end - margin))
    last--;
  axis->first = (gint32) MIN (first, highest + 1.);
  axis->n = last < first ? 2 : (guint32) (last - first) + 3;
  return TRUE;
}

static gboolean
find_grid (const CsInstancesJob * job, gsize i, CsInstancesGrid * grid)
{
  const CsInstancesInput *input = job->input;
  const CsInstance *one = &input->instances[i];
  const double x0 = MAX (one->x0, -.5), x1 = MIN (one->x1, input->width - .5);
  const double y0 = MAX (one->y0, -.5), y1 = MIN (one->y1, input->height - .5);

  grid->margin = MARGIN * MAX (MAX (fabs (x0), fabs (x1)),
      MAX (fabs (y0), fabs (y1)));
  grid->field = one->field;
  grid->class_id = one->class_id;
  grid->instance = (guint32) i;
  return find_lines (&grid->x, x0, x1, one->origin_x, one->step_x,
      job->width, input->outside, CLOSE * grid->margin) &&
      find_lines (&grid->y, y0, y1, one->origin_y, one->step_y,
      job->height, input->outside, CLOSE * grid->margin);
}

static gboolean
find_grids (CsInstances * plan, CsInstancesJob * job, GError ** error)
{
  const CsInstancesInput *input = job->input;
  CsInstancesGrid *grids = cs_scratch_ensure (&plan->grids,
      MAX (input->n_instances, 1) * sizeof (*grids), error);

  if (!grids)
    return FALSE;
  for (gsize i = 0; i < input->n_instances; i++) {
    CsInstancesGrid *grid = &grids[job->n_grids];

    if (!check_instance (input, i, error))
      return FALSE;
    if (!find_grid (job, i, grid)) {
      job->n_thin++;
      continue;
    }
    grid->words = (grid->x.n + 2 + 31) / 32;
    grid->first_value = job->n_values;
    grid->first_word = job->n_words;
    job->n_values += (gsize) grid->x.n * grid->y.n;
    job->n_words += (gsize) grid->words * (grid->y.n + 2);
    job->n_grids++;
  }
  job->grids = grids;
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

static CsInstancesJob
job_of (const CsInstances * plan, const CsInstancesInput * input)
{
  CsInstancesJob job = {.input = input,.params = &plan->params };

  job.width = input->resized_width ? input->resized_width : input->fields.width;
  job.height = input->resized_height ? input->resized_height :
      input->fields.height;
  return job;
}

static void
cut_grid (CsInstancesJob * job)
{
  const CsInstancesInput *input = job->input;

  job->width = input->grid_width ? input->grid_width : job->width -
      input->grid_x;
  job->height = input->grid_height ? input->grid_height : job->height -
      input->grid_y;
}

gboolean
cs_instances_warm_up (CsInstances * plan, const CsInstancesInput * input,
    GError ** error)
{
  CsInstancesJob job = job_of (plan, input);

  if (!check_input (&job, error))
    return FALSE;
  cut_grid (&job);
  job.n_grids = input->n_instances;
  /* a box of a tenth of the picture is the usual one */
  job.n_values = (gsize) (job.width + 2) * (job.height + 2) / 10 * job.n_grids;
  job.n_words = job.n_values / 16;
  return cs_scratch_ensure (&plan->grids, MAX (job.n_grids, 1) *
      sizeof (CsInstancesGrid), error) &&
      plan->backend->warm_up (plan->state, &job, error);
}

static void
clear_output (CsContoursOutput * output)
{
  *output = (CsContoursOutput) {
    .alloc = output->alloc,.user_data = output->user_data,
    .want_host = output->want_host};
}

gboolean
cs_instances_run (CsInstances * plan, const CsInstancesInput * input,
    CsContoursOutput * output, GError ** error)
{
  CsInstancesJob job = job_of (plan, input);

  clear_output (output);
  if (!check_input (&job, error))
    return FALSE;
  cut_grid (&job);
  if (find_grids (plan, &job, error) &&
      plan->backend->run (plan->state, &job, output, error)) {
    output->n_dropped += job.n_thin;
    return TRUE;
  }
  clear_output (output);
  return FALSE;
}
