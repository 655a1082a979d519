/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several inputs: small ones on the CPU at once, each by one thread, for one of
 * them is not worth several; others one after the other. */
#include "hull_private.h"

#include "base/ids.h"

/* Points of an input that several threads share, and of all inputs that are
 * worth waking a second thread. */
#define SMALL 8192
#define WORTH_IT 2048

/**
 * Lane:
 * @plan: a plan of the lane's own
 * @block, @size: memory of the result, as a thread cannot ask the user for it
 *
 * What one thread computes.
 */
typedef struct
{
  CsHull *plan;
  CsHullInput input;
  CsHullOutput output;
  void *block;
  gsize size;
  gboolean ok;
  GError *error;
} Lane;

/* Whether one thread is enough for @input. */
static gboolean
fits_lane (const CsHull * plan, const CsHullInput * input)
{
  return plan->params.scope == CS_HULL_SCOPE_PER_CONTOUR && !input->mask &&
      input->offsets && input->memory == CS_MEMORY_HOST &&
      input->n_points <= SMALL && input->n_polylines <= SMALL;
}

/* How many of the next @n inputs are worth being computed at once; 1: none. */
static guint
count_at_once (const CsHull * plan, const CsHullInput * inputs, guint n)
{
  gsize n_points = 0;
  guint i;

  if (cs_executor_get_n_threads (plan->executor) == 1)
    return 1;
  n = MIN (n, CS_HULL_AT_ONCE);
  for (i = 0; i < n && fits_lane (plan, &inputs[i]); i++)
    n_points += inputs[i].n_points;
  return i > 1 && n_points >= WORTH_IT ? i : 1;
}

/* The lanes' plans are made once. Returns: FALSE if there are not so many */
static gboolean
ensure_lanes (CsHull * plan, guint n)
{
  if (!plan->lane_executor)
    plan->lane_executor = cs_executor_new_cpu (1);
  for (; plan->n_lanes < n; plan->n_lanes++) {
    plan->lanes[plan->n_lanes] = cs_hull_new (&plan->params,
        plan->lane_executor, NULL);
    if (!plan->lanes[plan->n_lanes])
      return FALSE;
  }
  return TRUE;
}

static void *
take_block (void *user_data, gsize size, gboolean host)
{
  Lane *lane = user_data;

  return host && size <= lane->size ? lane->block : NULL;
}

/* Asks the user for as much memory as the result may take. */
static gboolean
init_lane (Lane * lane, CsHull * plan, const CsHullInput * input,
    const CsHullOutput * output)
{
  const gsize n_hulls = cs_hull_max_hulls (&plan->params, input);
  CsHullLayout layout;

  cs_hull_layout (&plan->params, cs_hull_input_type (input), n_hulls,
      input->n_points + n_hulls, &layout);
  *lane = (Lane) {
    .plan = plan,
    .input = *input,
    .output = {.alloc = take_block,.user_data = lane,.want_host = TRUE },
    .size = layout.size,
  };
  lane->input.first_id = 0;
  lane->block = output->alloc (output->user_data, lane->size, TRUE);
  return lane->block != NULL;
}

static void
run_lane (void *user_data, guint index)
{
  Lane *lane = (Lane *) user_data + index;

  lane->ok = cs_hull_run (lane->plan, &lane->input, &lane->output,
      &lane->error);
}

/* Ids go on from @first_id. */
static gboolean
finish_lane (Lane * lane, gint32 first_id, CsHullOutput * output,
    GError ** error)
{
  const CsHullOutput asked = *output;

  if (!lane->ok) {
    g_propagate_error (error, g_steal_pointer (&lane->error));
    return FALSE;
  }
  if (!cs_ids_check (first_id, lane->output.n_hulls, "hulls", error))
    return FALSE;
  *output = lane->output;
  output->alloc = asked.alloc;
  output->user_data = asked.user_data;
  output->want_host = asked.want_host;
  for (gsize i = 0; i < output->n_hulls; i++)
    output->hulls[i].id = cs_ids_get (first_id, i);
  return TRUE;
}

static gboolean
run_lanes (CsHull * plan, const CsHullInput * inputs, gint32 * first_id,
    CsHullOutput * outputs, guint n, GError ** error)
{
  Lane lanes[CS_HULL_AT_ONCE];
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++) {
    if (!init_lane (&lanes[i], plan->lanes[i], &inputs[i], &outputs[i]))
      return cs_error (error, CS_ERROR_NO_MEMORY, "no %" G_GSIZE_FORMAT
          " bytes for the hulls", lanes[i].size);
  }
  cs_executor_parallel_for (plan->executor, n, run_lane, lanes);
  for (guint i = 0; i < n; i++) {
    ok = ok && finish_lane (&lanes[i], *first_id, &outputs[i], error);
    *first_id += ok ? (gint32) outputs[i].n_hulls : 0;
    g_clear_error (&lanes[i].error);
  }
  return ok;
}

static gboolean
run_one (CsHull * plan, const CsHullInput * input, gint32 * first_id,
    CsHullOutput * output, GError ** error)
{
  CsHullInput copy = *input;

  copy.first_id = *first_id;
  if (!cs_hull_run (plan, &copy, output, error))
    return FALSE;
  *first_id += (gint32) output->n_hulls;
  return TRUE;
}

gboolean
cs_hull_run_batch (CsHull * plan, const CsHullInput * inputs,
    CsHullOutput * outputs, guint n_inputs, GError ** error)
{
  gint32 first_id = n_inputs > 0 ? inputs->first_id : 0;
  gboolean ok = TRUE;
  guint i, n;

  for (i = 0; ok && i < n_inputs; i += n) {
    n = count_at_once (plan, inputs + i, n_inputs - i);
    if (n > 1 && ensure_lanes (plan, n)) {
      cs_hull_take (CS_HULL_LANES);
      ok = run_lanes (plan, inputs + i, &first_id, outputs + i, n, error);
    } else {
      n = 1;
      cs_hull_take (CS_HULL_ONE_BY_ONE);
      ok = run_one (plan, inputs + i, &first_id, outputs + i, error);
    }
  }
  for (i = 0; !ok && i < n_inputs; i++)
    outputs[i] = (CsHullOutput) {
      .alloc = outputs[i].alloc,
      .user_data = outputs[i].user_data,
      .want_host = outputs[i].want_host,
    };
  return ok;
}
