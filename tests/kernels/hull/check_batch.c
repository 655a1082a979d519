/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inputs at once: each with the result that it has alone, ids counted on. */
#include <string.h>

#include "check_hull.h"
#include "hull_data.h"
#include "../lib/check.h"
#include "../lib/check_device.h"

/* More than are computed at once */
#define N_INPUTS 11
#define MAX_POLYLINES 40
#define FIRST_ID 1000
#define EMPTY 3
#define LARGE 6
#define NOT_FINITE 8

/* Of a result. */
typedef struct
{
  void *host, *device;
} Memory;

typedef struct
{
  CsHullInput inputs[N_INPUTS];
  float *points[N_INPUTS];
  guint32 offsets[N_INPUTS][MAX_POLYLINES + 1];
  CsHullOutput outputs[N_INPUTS];
  Memory memory[N_INPUTS];
} Batch;

static void
memory_clear (Memory * memory)
{
  g_free (memory->host);
  if (memory->device)
    check_device_free (memory->device);
  memory->host = memory->device = NULL;
}

/* There is none for the one that @user_data is %NULL for. */
static void *
alloc_result (void *user_data, gsize size, gboolean host)
{
  Memory *memory = user_data;

  if (!memory)
    return NULL;
  if (!host) {
    if (memory->device)
      check_device_free (memory->device);
    return memory->device = check_device_alloc (size);
  }
  g_free (memory->host);
  memory->host = g_malloc (size + 1);
  memset (memory->host, 0xa5, size);
  return memory->host;
}

static void
fill_input (Batch * batch, guint number)
{
  const guint n_polylines = number == EMPTY ? 0 : 5 + 3 * number;
  const guint each = number == LARGE ? 900 : 11 * (number + 1);
  guint32 *offsets = batch->offsets[number];
  g_autofree double *xy = g_new (double, 2 * each);
  float *points = batch->points[number] =
      g_new (float, 2 * each * n_polylines + 1);

  offsets[0] = 0;
  for (guint i = 0; i < n_polylines; i++) {
    const guint n = i % 7 == 5 ? 0 : each - i % each;

    data_fill (number == NOT_FINITE ? DATA_NON_FINITE : (number + i) %
        DATA_NEAR_COLLINEAR, number * 100 + i, n, xy);
    for (guint k = 0; k < 2 * n; k++)
      points[2 * offsets[i] + k] = (float) xy[k];
    offsets[i + 1] = offsets[i] + n;
  }
  batch->inputs[number] = (CsHullInput) {
    .points = points,
    .type = CS_HULL_F32,
    .n_points = offsets[n_polylines],
    .offsets = offsets,
    .n_polylines = n_polylines,
    .first_id = number == 0 ? FIRST_ID : 7,
    .image_index = number,
  };
}

static void
batch_init (Batch * batch)
{
  memset (batch, 0, sizeof (*batch));
  for (guint i = 0; i < N_INPUTS; i++)
    fill_input (batch, i);
}

static void
batch_clear (Batch * batch)
{
  for (guint i = 0; i < N_INPUTS; i++) {
    g_free (batch->points[i]);
    memory_clear (&batch->memory[i]);
  }
}

static gboolean
run_batch (Batch * batch, CsHull * plan, guint n, GError ** error)
{
  for (guint i = 0; i < n; i++)
    batch->outputs[i] = (CsHullOutput) {
      .alloc = alloc_result,
      .user_data = &batch->memory[i],
      .want_host = TRUE,
      .n_hulls = 99,
    };
  return cs_hull_run_batch (plan, batch->inputs, batch->outputs, n, error);
}

static gboolean
have_same (const void *a, const void *b, gsize size)
{
  return !a == !b && (size == 0 || !a || memcmp (a, b, size) == 0);
}

/* @all against what a plan that runs each alone has. */
static void
expect_alone (CsHull * plan, const Batch * all, guint n)
{
  gint32 first_id = FIRST_ID;
  Memory memory = { NULL, NULL };

  for (guint i = 0; i < n; i++) {
    const CsHullOutput *got = &all->outputs[i];
    CsHullInput input = all->inputs[i];
    CsHullOutput want = { alloc_result, &memory, TRUE };

    input.first_id = first_id;
    expect (cs_hull_run (plan, &input, &want, NULL), "input %u alone fails", i);
    expect (got->n_hulls == want.n_hulls && got->n_points == want.n_points &&
        got->n_ignored == want.n_ignored, "input %u: %" G_GSIZE_FORMAT
        " hulls, not %" G_GSIZE_FORMAT, i, got->n_hulls, want.n_hulls);
    if (case_has_failed ())
      break;
    expect (have_same (got->points, want.points, want.n_points * 8) &&
        have_same (got->indices, want.indices, want.n_points * 4) &&
        have_same (got->offsets, want.offsets, (want.n_hulls + 1) * 4) &&
        have_same (got->hulls, want.hulls, want.n_hulls *
            sizeof (CsContour)) && have_same (got->features, want.features,
            want.n_hulls * sizeof (CsHullFeatures)), "input %u differs", i);
    expect (i != EMPTY || want.n_hulls == 0, "the empty input is not");
    expect (i != NOT_FINITE || want.n_ignored > 0, "all points are finite");
    first_id += (gint32) want.n_hulls;
  }
  memory_clear (&memory);
}

#define NO_ERROR (-1)

/* @code: of the error; without one the result must be right. */
static void
check_run (Batch * batch, CsHull * plan, CsHull * alone, guint n, gint code)
{
  GError *error = NULL;
  const gboolean ok = run_batch (batch, plan, n, &error);
  guint i;

  expect (ok == (code == NO_ERROR) && (ok || g_error_matches (error, CS_ERROR, code)),
      "%s", error ? error->message : "no error");
  g_clear_error (&error);
  if (ok)
    expect_alone (alone, batch, n);
  for (i = 0; !ok && i < n; i++)
    expect (batch->outputs[i].n_hulls == 0 && !batch->outputs[i].hulls &&
        batch->outputs[i].alloc == alloc_result, "output %u after it", i);
}

static void
check_errors (Batch * batch, CsHull * plan, CsHull * alone, CsHullScope scope)
{
  guint32 *offset = &batch->offsets[4][2];
  const guint32 right = *offset;
  CsHullInput *first = &batch->inputs[0];

  /* of a hull of all points nobody asks for them */
  *offset = 1 << 20;
  check_run (batch, plan, alone, N_INPUTS, scope == CS_HULL_SCOPE_ALL ?
      NO_ERROR : CS_ERROR_INVALID);
  *offset = right;
  first->first_id = G_MAXINT32 - 5;
  check_run (batch, plan, alone, N_INPUTS, CS_ERROR_LIMIT);
  first->first_id = FIRST_ID;
  check_run (batch, plan, alone, N_INPUTS, NO_ERROR);
}

static void
check_no_memory (Batch * batch, CsHull * plan)
{
  CsHullOutput outputs[N_INPUTS];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < N_INPUTS; i++)
    outputs[i] = (CsHullOutput) {
      .alloc = alloc_result,
      .user_data = i == 2 ? NULL : &batch->memory[i],
    };
  expect (!cs_hull_run_batch (plan, batch->inputs, outputs, N_INPUTS, &error)
      && g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY), "%s",
      error ? error->message : "no error");
}

static void
check_params (const Runner * runner, const CsHullParams * params)
{
  g_autoptr (CsHull) plan = cs_hull_new (params, runner->executor, NULL);
  g_autoptr (CsHull) alone = cs_hull_new (params, runner->executor, NULL);
  Batch batch;

  begin ("%s: inputs at once, scope %d, measures %d", runner->name,
      params->scope, params->measures);
  batch_init (&batch);
  for (guint n = 0; n <= N_INPUTS; n++)
    check_run (&batch, plan, alone, n, NO_ERROR);
  check_errors (&batch, plan, alone, params->scope);
  check_no_memory (&batch, plan);
  check_run (&batch, plan, alone, N_INPUTS, NO_ERROR);
  end ();
  batch_clear (&batch);
}

void
check_batch (const Runner * runners, guint n_runners)
{
  CsHullParams params;

  cs_hull_params_init (&params);
  params.points = CS_HULL_POINTS_F32;
  params.closed = TRUE;
  for (guint i = 0; i < n_runners; i++) {
    if (runners[i].memory != CS_MEMORY_HOST)
      continue;
    params.scope = CS_HULL_SCOPE_PER_CONTOUR;
    params.indices = TRUE;
    params.measures = CS_MEASURES_FULL;
    check_params (&runners[i], &params);
    params.indices = FALSE;
    params.measures = CS_MEASURES_NONE;
    check_params (&runners[i], &params);
    params.scope = CS_HULL_SCOPE_ALL;
    check_params (&runners[i], &params);
  }
}
