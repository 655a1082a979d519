/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames, one after the other or several at once. */
#include "contours_private.h"

#include "base/ids.h"

static gboolean
check_mask (const CsContoursInput * input, GError ** error)
{
  const CsImage *image = &input->image, *mask = input->mask;

  if (mask && (mask->width != image->width || mask->height != image->height))
    return cs_error (error, CS_ERROR_INVALID,
        "the mask has %u x %u pixels, the image %u x %u; they must be the same",
        mask->width, mask->height, image->width, image->height);
  if (mask && (mask->type != CS_SAMPLE_U8 || mask->pixel_stride == 0 ||
          mask->row_stride < (gsize) (mask->width - 1) * mask->pixel_stride +
          1))
    return cs_error (error, CS_ERROR_INVALID,
        "a mask has one byte for each pixel, in rows that do not overlap");
  if ((mask && !mask->data) || !image->data)
    return cs_error (error, CS_ERROR_INVALID, "no samples");
  return TRUE;
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

/* The result of an image that has no cells. */
static gboolean
run_empty (const CsContours * plan, CsContoursOutput * output, GError ** error)
{
  const gboolean cuda =
      cs_executor_get_backend (plan->executor) == CS_BACKEND_CUDA;
  CsContoursLayout layout;

  if (cuda && !output->want_host)
    return TRUE;
  cs_contours_layout (plan->params.points, plan->params.measures, 0, 0,
      &layout);
  guint8 *memory = output->alloc (output->user_data, layout.size, TRUE);
  if (!memory)
    return cs_fail_no_memory (error, "the result");
  output->offsets = (guint32 *) (memory + layout.offsets);
  output->offsets[0] = 0;
  return TRUE;
}

/* One frame */

/* Whether there are no cells. */
static gboolean
is_tiny (const CsContours * plan, const CsImage * image)
{
  const guint side = 2 - 2 * plan->planes.border;

  return image->width < side || image->height < side;
}

static gboolean
prepare_view (CsContours * plan, const CsContoursInput * input,
    CsContoursView * view, GError ** error)
{
  cs_contours_init_view (plan, &input->image, view);
  view->input = *input;
  return cs_contours_check_cost (plan, view->planes.width ? &view->planes :
      &input->image, 0, error);
}

/* What the backend looks at, of samples that are where it finds them. */
static gboolean
derive_view (const CsContours * plan, void *state, CsContoursView * view,
    GError ** error)
{
  if (plan->planes.n_planes > 0 && !plan->backend->derive (state, view, error))
    return FALSE;
  cs_contours_finish_view (plan, view);
  return TRUE;
}

static gboolean
run_one (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error)
{
  const CsContoursBackend *backend = plan->backend;
  void *state = plan->states[0];
  CsContoursView view;

  clear_output (output);
  if (!cs_contours_check_image (plan, &input->image, error) ||
      !check_mask (input, error))
    return FALSE;
  if (is_tiny (plan, &input->image))
    return run_empty (plan, output, error);
  return prepare_view (plan, input, &view, error) &&
      (!backend->upload || backend->upload (plan->states, &view, 1, NULL, NULL,
          error)) && derive_view (plan, state, &view, error) &&
      backend->run (state, &view, output, error);
}

/* Several at once */

/**
 * Round:
 * @n: frames, of which @n_started are in the views
 * @first_id: of the next frame to be finished
 * @in_step: whether ids follow one another, and all that are finished had room
 *     in scratch: then the ids of the others are right
 */
typedef struct
{
  CsContours *plan;
  const CsContoursInput *inputs;
  CsContoursOutput *outputs;
  CsContoursView views[CS_CONTOURS_AT_ONCE];
  guint n, n_started;
  gint32 first_id;
  gboolean in_step;
} Round;

static gboolean
start_view (void *user_data, guint i)
{
  Round *round = user_data;
  const CsContours *plan = round->plan;
  CsContoursView *view = &round->views[i];

  if (!derive_view (plan, plan->states[i], view, NULL) ||
      !plan->backend->start (plan->states[i], view, &round->outputs[i], NULL))
    return FALSE;
  round->n_started++;
  return TRUE;
}

/* As many as can be. What is wrong with the next one is found when it is run by
 * itself. */
static void
start_views (Round * round)
{
  CsContours *plan = round->plan;
  guint n;

  for (n = 0; n < round->n; n++) {
    clear_output (&round->outputs[n]);
    if (!check_mask (&round->inputs[n], NULL) || !prepare_view (plan,
            &round->inputs[n], &round->views[n], NULL))
      break;
    round->views[n].input.first_id = n == 0 ? round->first_id : 0;
  }
  if (n > 0)
    plan->backend->upload (plan->states, round->views, n, start_view, round,
        NULL);
  if (round->n_started > 1)
    round->in_step = plan->backend->join (plan->states, round->n_started,
        round->first_id, NULL);
}

static gboolean
finish_view (Round * round, guint i, GError ** error)
{
  const CsContoursBackend *backend = round->plan->backend;
  CsContoursView *view = &round->views[i];
  CsContoursOutput *output = &round->outputs[i];
  void *state = round->plan->states[i];
  gboolean again = FALSE;

  if (!backend->finish (state, view, output, &again, error))
    return FALSE;
  round->in_step &= !again;
  if (round->in_step)
    return TRUE;
  cs_contours_take (CS_CONTOURS_AGAIN_IN_BATCH);
  view->input.first_id = round->first_id;
  clear_output (output);
  return backend->run (state, view, output, error);
}

static gboolean
finish_frame (Round * round, guint i, GError ** error)
{
  CsContoursInput input = round->inputs[i];
  CsContoursOutput *output = &round->outputs[i];

  input.first_id = round->first_id;
  if (round->n > 1 && i >= round->n_started)
    cs_contours_take (CS_CONTOURS_ALONE_IN_BATCH);
  const gboolean ok = i < round->n_started ? finish_view (round, i, error) :
      run_one (round->plan, &input, output, error);
  if (!ok || !cs_ids_check (round->first_id, output->n_contours, "contours",
          error))
    return FALSE;
  round->first_id += (gint32) output->n_contours;
  return TRUE;
}

static gboolean
run_round (Round * round, GError ** error)
{
  const CsContours *plan = round->plan;
  gboolean again, ok = TRUE;
  guint i;

  round->n_started = 0;
  round->in_step = TRUE;
  if (round->n > 1)
    start_views (round);
  for (i = 0; ok && i < round->n; i++)
    ok = finish_frame (round, i, error);
  /* scratch of the others may have to grow, too */
  for (; i < round->n_started; i++)
    plan->backend->finish (plan->states[i], &round->views[i],
        &round->outputs[i], &again, NULL);
  return ok;
}

static gboolean
have_same_shape (const CsImage * a, const CsImage * b)
{
  return a->type == b->type && a->width == b->width &&
      a->height == b->height && a->channels == b->channels;
}

/* How many of the next @n_images can be computed at once, at least 1. */
static guint
count_at_once (CsContours * plan, const CsContoursInput * inputs,
    guint n_images)
{
  const CsImage *first = &inputs[0].image;
  guint n = 0;

  while (n < MIN (n_images, CS_CONTOURS_AT_ONCE) &&
      have_same_shape (&inputs[n].image, first) &&
      cs_contours_check_image (plan, &inputs[n].image, NULL))
    n++;
  return n < 2 || is_tiny (plan, first) ? 1 :
      cs_contours_ensure_states (plan, first, n);
}

gboolean
cs_contours_run_batch (CsContours * plan, const CsContoursInput * inputs,
    CsContoursOutput * outputs, guint n_images, GError ** error)
{
  Round round = {.plan = plan };
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n_images; i += round.n) {
    round.inputs = inputs + i;
    round.outputs = outputs + i;
    round.n = count_at_once (plan, round.inputs, n_images - i);
    if (i == 0)
      round.first_id = inputs[0].first_id;
    ok = run_round (&round, error);
  }
  for (guint i = 0; !ok && i < n_images; i++)
    clear_output (&outputs[i]);
  return ok;
}

gboolean
cs_contours_run (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error)
{
  return cs_contours_run_batch (plan, input, output, 1, error);
}
