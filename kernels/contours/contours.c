/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "contours_private.h"

#include <math.h>
#include <string.h>

/* 2^31 samples of a channel, 2^28 of a row: cell indices stay in 32 bits. */
#define MAX_PLANE (G_GUINT64_CONSTANT (1) << 31)
#define MAX_ROW (G_GUINT64_CONSTANT (1) << 28)

static const CsContoursTarget default_target = { 0, .5 };

gint cs_contours_ways[CS_CONTOURS_N_WAYS];

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
check_groups (const CsContoursParams * params, GError ** error)
{
  guint t, g;

  for (g = 0; g < params->n_groups; g++) {
    if (params->groups[g].n_channels == 0) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "group %u has no channels",
          g);
      return FALSE;
    }
  }
  for (t = 0; t < params->n_targets; t++) {
    if (params->targets[t].channel >= CS_CONTOURS_GROUP (params->n_groups)) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "target %u names a group that does not exist", t);
      return FALSE;
    }
  }
  return TRUE;
}

/* Whether what targets are contours of makes sense. */
static gboolean
check_planes (const CsContoursParams * params, GError ** error)
{
  const guint window = params->adaptive_window;
  guint t;

  if (window != 0 && (window < 3 || window % 2 == 0 ||
          window > CS_ADAPTIVE_MAX_WINDOW)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "an adaptive window of %u "
        "pixels is not an odd number from 3 to %d", window,
        CS_ADAPTIVE_MAX_WINDOW);
    return FALSE;
  }
  if ((params->exclusive || window) && params->auto_level) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s contours are those at "
        "0; they have no automatic level",
        window ? "adaptive" : "exclusive");
    return FALSE;
  }
  if (params->exclusive && window) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "contours cannot be exclusive and adaptive");
    return FALSE;
  }
  if (!isfinite (params->adaptive_offset)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the adaptive offset is not a finite number");
    return FALSE;
  }
  for (t = 0; params->bands && t < params->n_targets; t++) {
    if (params->targets[t].channel >= CS_CONTOURS_GROUP (0) ||
        params->exclusive || window || params->area_limits) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "iso-bands are of "
          "channels as they are, without limits of targets");
      return FALSE;
    }
  }
  for (t = 0; params->area_limits && t < params->n_targets; t++) {
    if (isnan (params->area_limits[t].min_area) ||
        isnan (params->area_limits[t].max_area)) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
          "the limits of areas must be numbers");
      return FALSE;
    }
  }
  return check_groups (params, error);
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
  return check_planes (params, error) &&
      (!params->bands || cs_bands_check_params (params, error));
}

static const CsContoursBackend *
find_backend (const CsContoursParams * params, CsExecutor * executor,
    GError ** error)
{
  if (params->bands)
    return &cs_contours_bands_backend;
  return cs_executor_choose (executor, &cs_contours_cpu_backend,
      CS_IF_CUDA (&cs_contours_cuda_backend), "contours", error);
}

gint32
cs_contours_get_class (const CsContoursParams * params, guint t)
{
  const guint channel = params->targets[t].channel;

  return channel < CS_CONTOURS_GROUP (0) ? (gint32) channel :
      params->first_group_class + (gint32) (channel - CS_CONTOURS_GROUP (0));
}

gboolean
cs_contours_have_area_limits (const CsContoursParams * params)
{
  guint t;

  for (t = 0; params->area_limits && t < params->n_targets; t++) {
    if (params->area_limits[t].min_area > 0. ||
        params->area_limits[t].max_area < INFINITY)
      return TRUE;
  }
  return FALSE;
}

/* Copies @params and works out the planes. Where contours are those at 0, so
 * are the levels. */
static void
take_params (CsContours * plan, const CsContoursParams * params)
{
  const guint n = params->n_targets;
  CsContoursTarget *targets =
      g_memdup2 (params->targets, n * sizeof (*params->targets));
  guint t;

  for (t = 0; t < n && (params->exclusive || params->adaptive_window); t++)
    targets[t].level = 0.;
  cs_contours_planes_init (&plan->planes, params);
  plan->params = *params;
  plan->params.targets = targets;
  plan->params.area_limits = params->area_limits ?
      g_memdup2 (params->area_limits, n * sizeof (*params->area_limits)) : NULL;
  plan->params.groups = NULL;
}

static void
clear_params (CsContoursParams * params, CsContoursPlanes * planes)
{
  cs_contours_planes_clear (planes);
  g_free ((gpointer) params->targets);
  g_free ((gpointer) params->area_limits);
}

CsContours *
cs_contours_new (const CsContoursParams * params, CsExecutor * executor,
    GError ** error)
{
  const CsContoursBackend *backend;
  CsContours *plan;

  if (!check_params (params, error))
    return NULL;
  backend = find_backend (params, executor, error);
  if (!backend)
    return NULL;

  plan = g_new0 (CsContours, 1);
  take_params (plan, params);
  plan->executor = executor;
  plan->backend = backend;
  plan->states[0] = backend->create (plan, error);
  if (!plan->states[0]) {
    cs_contours_free (plan);
    return NULL;
  }
  plan->n_states = 1;
  return plan;
}

static void
destroy_states (CsContours * plan)
{
  guint i;

  for (i = 0; i < plan->n_states; i++)
    plan->backend->destroy (plan->states[i]);
  plan->n_states = 0;
}

/* Samples and cells of frames at once: what keeps a GPU busy for longer than it
 * takes to start it gains nothing, and costs as much memory again. */
#define MAX_AT_ONCE ((gsize) 1 << 24)

guint
cs_contours_ensure_states (CsContours * plan, const CsImage * image, guint n)
{
  const gsize size = (gsize) image->width * image->height *
      MAX (image->channels, plan->params.n_targets);

  n = MIN (n, CS_CONTOURS_AT_ONCE);
  n = plan->backend->upload ? MIN (n, MAX (MAX_AT_ONCE / size, 1)) : 1;
  while (plan->n_states < n &&
      (plan->states[plan->n_states] = plan->backend->create (plan, NULL)))
    plan->n_states++;
  return MIN (n, plan->n_states);
}

/* Whether the plan differs from what it was only in what a backend's update()
 * can change. */
static gboolean
same_structure (const CsContours * plan, const CsContoursParams * old,
    const CsContoursPlanes * old_planes)
{
  const CsContoursParams *params = &plan->params;
  guint i;

  if (params->n_targets != old->n_targets || !params->bands != !old->bands ||
      !params->auto_level != !old->auto_level ||
      params->auto_method != old->auto_method ||
      !params->hierarchy != !old->hierarchy ||
      params->measures != old->measures || params->points != old->points ||
      params->group_mode != old->group_mode ||
      params->first_group_class != old->first_group_class ||
      !params->exclusive != !old->exclusive ||
      params->adaptive_window != old->adaptive_window)
    return FALSE;
  for (i = 0; i < params->n_targets; i++) {
    if (params->targets[i].channel != old->targets[i].channel)
      return FALSE;
  }
  return cs_contours_planes_equal (&plan->planes, old_planes,
      params->n_targets);
}

gboolean
cs_contours_set_params (CsContours * plan, const CsContoursParams * params,
    GError ** error)
{
  CsContoursParams old = plan->params;
  CsContoursPlanes old_planes = plan->planes;
  const CsContoursBackend *backend;
  void *state;
  guint i;

  if (!check_params (params, error))
    return FALSE;
  backend = find_backend (params, plan->executor, error);
  if (!backend)
    return FALSE;
  take_params (plan, params);
  if (plan->backend->update && same_structure (plan, &old, &old_planes)) {
    for (i = 0; i < plan->n_states; i++)
      plan->backend->update (plan->states[i]);
  } else {
    state = backend->create (plan, error);
    if (!state) {
      clear_params (&plan->params, &plan->planes);
      plan->params = old;
      plan->planes = old_planes;
      return FALSE;
    }
    destroy_states (plan);
    plan->backend = backend;
    plan->states[0] = state;
    plan->n_states = 1;
  }
  clear_params (&old, &old_planes);
  return TRUE;
}

void
cs_contours_free (CsContours * plan)
{
  if (!plan)
    return;
  destroy_states (plan);
  clear_params (&plan->params, &plan->planes);
  g_free (plan);
}

gboolean
cs_contours_check_image (const CsContours * plan, const CsImage * image,
    GError ** error)
{
  const guint64 more = 2 * plan->planes.border;
  const gsize size = cs_sample_size (image->type);

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
  if (plan->planes.n_channels > image->channels) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "channel %u does not exist: the image has channels 0 to %u",
        plan->planes.n_channels - 1, image->channels - 1);
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
      (double) n_segments * CS_CONTOURS_SEGMENT_COST + plan->plane_cost;

  if (params->max_memory == 0 || cost <= (double) params->max_memory)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the contours of %u x %u pixels"
      " at %u levels would take more than %.1f MiB of memory, and max-memory"
      " allows %.1f MiB; use fewer levels or less of the picture, smooth it, or"
      " raise max-memory", image->width, image->height, params->n_targets,
      cost / 1048576., (double) params->max_memory / 1048576.);
  return FALSE;
}

void
cs_contours_init_view (CsContours * plan, const CsImage * image,
    CsContoursView * view)
{
  const CsContoursPlanes *planes = &plan->planes;
  const CsContoursParams *params = &plan->params;
  gboolean codes;
  guint t;

  memset (view, 0, sizeof (*view));
  view->input.image = *image;
  view->type = image->type;
  view->border = planes->border;
  plan->plane_cost = 0;
  for (t = 0; params->auto_level && t < params->n_targets &&
      params->auto_method == CS_AUTO_LEVEL_OTSU; t++)
    plan->plane_cost += 4. * cs_contours_n_bins (params, t, image->type,
        &codes);
  if (planes->n_planes == 0)
    return;
  view->planes =
      cs_contours_planes_shape (image, planes->n_planes, planes->border);
  plan->plane_cost += (double) view->planes.width * view->planes.height *
      ((double) view->planes.pixel_stride * planes->n_planes +
      (params->adaptive_window ? 2 * sizeof (double) : 0));
}

void
cs_contours_finish_view (const CsContours * plan, CsContoursView * view)
{
  if (plan->planes.n_planes == 0 || !plan->planes.all)
    return;
  view->input.image = view->planes;
  view->input.origin_x -= view->border;
  view->input.origin_y -= view->border;
}

gboolean
cs_contours_warm_up (CsContours * plan, const CsImage * image, guint n_images,
    GError ** error)
{
  CsContoursView view;
  const CsImage *looked_at = &view.input.image;
  guint n, i;

  if (!cs_contours_check_image (plan, image, error))
    return FALSE;
  cs_contours_init_view (plan, image, &view);
  cs_contours_finish_view (plan, &view);
  if (looked_at->width < 2 || looked_at->height < 2 ||
      !cs_contours_check_cost (plan, looked_at, 0, NULL))
    return TRUE;
  if (!plan->backend->warm_up (plan->states[0], &view, error))
    return FALSE;
  n = cs_contours_ensure_states (plan, image, n_images);
  /* a batch does without those for which there is no memory */
  for (i = 1; i < n; i++)
    plan->backend->warm_up (plan->states[i], &view, NULL);
  return TRUE;
}
