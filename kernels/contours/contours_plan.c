/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan, on whatever backend it is. */
#include "contours_private.h"

#include <string.h>

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
cs_contours_new_by (CsContoursChooseFunc choose,
    const CsContoursParams * params, CsExecutor * executor, GError ** error)
{
  if (!cs_contours_check_params (params, error))
    return NULL;
  const CsContoursBackend *backend = choose (params, executor, error);
  if (!backend)
    return NULL;

  CsContours *plan = g_new0 (CsContours, 1);
  take_params (plan, params);
  plan->executor = executor;
  plan->choose = choose;
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
  for (guint i = 0; i < plan->n_states; i++)
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
  for (guint i = 0; i < params->n_targets; i++) {
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

  if (!cs_contours_check_params (params, error))
    return FALSE;
  backend = plan->choose (params, plan->executor, error);
  if (!backend)
    return FALSE;
  take_params (plan, params);
  if (plan->backend->update && same_structure (plan, &old, &old_planes)) {
    for (guint i = 0; i < plan->n_states; i++)
      plan->backend->update (plan->states[i]);
  } else {
    void *state = backend->create (plan, error);

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

void
cs_contours_init_view (CsContours * plan, const CsImage * image,
    CsContoursView * view)
{
  const CsContoursPlanes *planes = &plan->planes;
  const CsContoursParams *params = &plan->params;
  gboolean codes;

  memset (view, 0, sizeof (*view));
  view->input.image = *image;
  view->type = image->type;
  view->border = planes->border;
  plan->plane_cost = 0;
  for (guint t = 0; params->auto_level && t < params->n_targets &&
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

  if (!cs_contours_check_image (plan, image, error))
    return FALSE;
  cs_contours_init_view (plan, image, &view);
  cs_contours_finish_view (plan, &view);
  if (looked_at->width < 2 || looked_at->height < 2 ||
      !cs_contours_check_cost (plan, looked_at, 0, NULL))
    return TRUE;
  if (!plan->backend->warm_up (plan->states[0], &view, error))
    return FALSE;
  const guint n = cs_contours_ensure_states (plan, image, n_images);
  /* a batch does without those for which there is no memory */
  for (guint i = 1; i < n; i++)
    plan->backend->warm_up (plan->states[i], &view, NULL);
  return TRUE;
}
