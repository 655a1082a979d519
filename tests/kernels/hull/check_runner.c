/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_hull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"

#define MAX_PLANS 2048

typedef struct
{
  CsExecutor *executor;
  CsHullParams params;
  CsHull *plan;
} KeptPlan;

static KeptPlan plans[MAX_PLANS];
static guint n_plans;
static Device device;

gsize
point_size (CsHullType type)
{
  return type == CS_HULL_F64 ? 16 : 8;
}

gboolean
open_runners (Runner * runners, guint * n, const char *backend, gboolean brief)
{
  static const RunnerKind kinds[] = {
    {"cpu, 1 thread", 1}, {"cpu, 2 threads", 2}, {"cpu, 7 threads", 7},
    {"cuda, host", 0, CS_MEMORY_HOST}, {"cuda, pinned", 0, CS_MEMORY_PINNED},
    {"cuda, device", 0, CS_MEMORY_DEVICE},
  };

  return runners_open (runners, n, kinds, G_N_ELEMENTS (kinds), backend, brief,
      &device);
}

void
close_runners (Runner * runners, guint n)
{
  for (guint i = 0; i < n_plans; i++)
    cs_hull_free (plans[i].plan);
  n_plans = 0;
  runners_close (runners, n, &device);
}

static CsHull *
find_plan (const Runner * runner, const CsHullParams * params, GError ** error)
{
  KeptPlan *kept;

  for (guint i = 0; i < n_plans; i++) {
    kept = &plans[i];
    if (kept->executor == runner->executor &&
        memcmp (&kept->params, params, sizeof (*params)) == 0)
      return kept->plan;
  }
  if (n_plans == MAX_PLANS) {
    printf ("too many plans\n");
    exit (1);
  }
  kept = &plans[n_plans];
  kept->executor = runner->executor;
  kept->params = *params;
  kept->plan = cs_hull_new (params, runner->executor, error);
  if (kept->plan)
    n_plans++;
  return kept->plan;
}

/* Memory that was not written shows. */
static void *
alloc_result (void *user_data, gsize size, gboolean host)
{
  Result *result = user_data;

  if (host) {
    g_free (result->host);
    result->host = g_malloc (size + 1);
    memset (result->host, 0xa5, size);
    return result->host;
  }
  if (result->device)
    check_device_free (result->device);
  result->device = check_device_alloc (size);
  check_device_fill (result->device, 0xa5, size);
  return result->device;
}

Result *
run_hull (const Runner * runner, const CsHullParams * params,
    const CsHullInput * input, GError ** error)
{
  CsHull *plan = find_plan (runner, params, error);
  const gsize stride = input->stride ? input->stride : point_size (input->type);
  CsHullInput in = *input;
  CsImage mask;

  if (!plan)
    return NULL;
  Result *result = g_new0 (Result, 1);
  in.memory = runner->memory;
  in.points = device_place (runner->memory, input->n_points ? input->points : NULL,
      input->n_points * stride);
  in.offsets = device_place (runner->memory, input->offsets,
      (input->n_polylines + 1) * sizeof (guint32));
  in.contours = device_place (runner->memory, input->contours,
      input->n_polylines * sizeof (CsContour));
  if (input->mask) {
    mask = *input->mask;
    mask.memory = runner->memory;
    mask.data = device_place (runner->memory, mask.data,
        mask.height * mask.row_stride);
    in.mask = &mask;
  }
  result->out.alloc = alloc_result;
  result->out.user_data = result;
  result->out.want_host = TRUE;
  gboolean done = cs_hull_run (plan, &in, &result->out, error);
  device_displace (runner->memory, in.points);
  device_displace (runner->memory, in.offsets);
  device_displace (runner->memory, in.contours);
  if (input->mask)
    device_displace (runner->memory, mask.data);
  if (done)
    return result;
  result_free (result);
  return NULL;
}

void
result_free (Result * result)
{
  if (!result)
    return;
  g_free (result->host);
  if (result->device)
    check_device_free (result->device);
  g_free (result);
}

/* Whether the runners from the second on find the same as the first has. */
static gboolean
solved_by_all (const Runner * runners, guint n_runners,
    const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * first)
{
  for (guint i = 1; i < n_runners; i++) {
    GError *error = NULL;
    Result *other = run_hull (&runners[i], params, input, &error);

    if (!other) {
      fprintf (stderr, "%s: %s\n", runners[i].name, error->message);
      g_clear_error (&error);
      return FALSE;
    }
    gboolean same = other->out.n_points == first->n_points &&
        memcmp (other->out.indices, first->indices,
        first->n_points * sizeof (guint32)) == 0;
    result_free (other);
    if (!same) {
      fprintf (stderr, "%s differs from %s\n", runners[i].name, runners->name);
      return FALSE;
    }
  }
  return TRUE;
}

int
solve_hull (const Runner * runners, guint n_runners)
{
  CsHullParams params;
  CsHullInput input = { 0 };
  char type[8];
  unsigned long n, i;

  cs_hull_params_init (&params);
  params.scope = CS_HULL_SCOPE_ALL;
  while (scanf ("%7s %lu", type, &n) == 2) {
    GError *error = NULL;
    double *xy = g_new (double, 2 * n + 1);
    void *points = g_malloc (16 * n + 1);

    input.type = strcmp (type, "f32") == 0 ? CS_HULL_F32 :
        strcmp (type, "i32") == 0 ? CS_HULL_I32 : CS_HULL_F64;
    for (i = 0; i < 2 * n; i++) {
      if (scanf ("%lf", &xy[i]) != 1)
        return 1;
      if (input.type == CS_HULL_F32)
        ((float *) points)[i] = xy[i];
      else if (input.type == CS_HULL_I32)
        ((gint32 *) points)[i] = xy[i];
      else
        ((double *) points)[i] = xy[i];
    }
    input.points = points;
    input.n_points = n;
    Result *result = run_hull (runners, &params, &input, &error);
    if (!result) {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
    if (!solved_by_all (runners, n_runners, &params, &input, &result->out))
      return 1;
    printf ("%lu", (unsigned long) result->out.n_points);
    for (i = 0; i < result->out.n_points; i++)
      printf (" %u", result->out.indices[i]);
    printf ("\n");
    result_free (result);
    g_free (points);
    g_free (xy);
  }
  return 0;
}
