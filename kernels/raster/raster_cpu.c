/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile engine on the CPU: what a run prepares, and its fields of 64 x 64
 * pixels, which are independent. */
#include "raster_cpu.h"

#include <string.h>

#include "base/memory.h"

/* @workers: an array of @n_workers, the first @n_idle of them idle */
typedef struct
{
  CsExecutor *executor;
  CsRasterOrder order;
  CsFillCover fills;
  CsRasterKey fills_key;
  CsRasterBins bins;
  CsRasterDirect direct;
  float *tables;
  gint table_max;
  CsFieldWorker **workers;
  guint n_workers, n_idle;
  GMutex lock;
  guint64 replayed;
  CsRasterKept kept;
} State;

/* One run. */
typedef struct
{
  State *state;
  CsFieldContext context;
} Run;

/* --- Tables --------------------------------------------------------------- */

static gboolean
set_tables (State * state, CsRasterFormat * f, GError ** error)
{
  const gsize n = f->table_max + 1;

  if (!f->linear)
    return TRUE;
  if (state->table_max != f->table_max) {
    float *tables = cs_try_new (float, 2 * n + 256);

    if (!tables)
      return cs_fail_no_memory (error, "tables of light");
    g_free (state->tables);
    state->tables = tables;
    state->table_max = f->table_max;
    cs_raster_make_tables (f->table_max, tables, tables + n, tables + 2 * n);
  }
  f->decode = state->tables;
  f->encode = state->tables + n;
  f->bytes = state->tables + 2 * n;
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

static void *
create (CsExecutor * executor, GError ** error)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  /* one for each thread that may come, and one for the caller */
  state->workers = g_new0 (CsFieldWorker *,
      cs_executor_get_n_threads (executor) + 1);
  g_mutex_init (&state->lock);
  return state;
}

static void
destroy (void *data)
{
  State *state = data;

  for (guint i = 0; i < state->n_workers; i++)
    cs_field_worker_free (state->workers[i]);
  g_free (state->workers);
  cs_raster_order_clear (&state->order);
  cs_fill_cover_clear (&state->fills);
  cs_raster_bins_clear (&state->bins);
  cs_raster_direct_clear (&state->direct);
  cs_raster_kept_clear (&state->kept);
  g_free (state->tables);
  g_mutex_clear (&state->lock);
  g_free (state);
}

static gboolean
ensure_workers (State * state, GError ** error)
{
  const guint n = cs_executor_get_n_threads (state->executor) + 1;

  while (state->n_workers < n) {
    CsFieldWorker *worker = cs_field_worker_new (error);

    if (!worker)
      return FALSE;
    state->workers[state->n_workers++] = worker;
    state->n_idle++;
  }
  return TRUE;
}

static gboolean
cover_fills (State * state, const CsRasterJob * job, GError ** error)
{
  CsRasterKey key;

  if (!job->fills)
    return TRUE;
  cs_raster_job_key (job, &key);
  if (cs_raster_key_equal (&state->fills_key, &key))
    return TRUE;
  memset (&state->fills_key, 0, sizeof (state->fills_key));
  if (!cs_fill_cover_update (&state->fills, state->executor, job->fills,
          (guint) job->format.width, (guint) job->format.height, error))
    return FALSE;
  state->fills_key = key;
  return TRUE;
}

static void
run_field (void *user_data, guint index)
{
  Run *run = user_data;
  State *state = run->state;

  g_mutex_lock (&state->lock);
  CsFieldWorker *worker = state->workers[--state->n_idle];
  g_mutex_unlock (&state->lock);
  const guint64 replayed = cs_field_run (&run->context, worker, index);
  g_mutex_lock (&state->lock);
  state->workers[state->n_idle++] = worker;
  state->replayed += replayed;
  g_mutex_unlock (&state->lock);
}

/* Which marks touch which field. */
static gboolean
find_marks (State * state, const CsRasterJob * job, GError ** error)
{
  if (!cs_raster_direct_update (&state->direct, state->executor, job, error))
    return FALSE;
  return state->direct.is_used ||
      (cs_raster_order_update (&state->order, state->executor, job, error) &&
      cs_raster_bins_update (&state->bins, state->executor, &state->order,
          (guint) job->format.width, (guint) job->format.height, error) &&
      (state->bins.is_used || cs_raster_order_find_reach (&state->order,
              state->executor, error)));
}

static gboolean
run_job (void *data, const CsRasterJob * job, GError ** error)
{
  State *state = data;
  CsRasterJob copy = *job;
  CsRasterFormat *f = &copy.format;
  CsRasterInk ink = job->ink_settings;
  Run run = {.state = state };

  if (cs_raster_kept_restore (&state->kept, job, state->executor)) {
    state->replayed = 0;
    return TRUE;
  }
  if (!ensure_workers (state, error) || !set_tables (state, f, error) ||
      !cover_fills (state, &copy, error) || !find_marks (state, &copy, error))
    return FALSE;
  CsFieldContext *context = &run.context;
  *context = (CsFieldContext) {
    .job = &copy,
    .order = &state->order,
    .bins = &state->bins,
    .direct = state->direct.is_used ? &state->direct : NULL,
    .fields_per_row = (f->width + CS_FIELD - 1) / CS_FIELD,
    .group = { f, &ink, &state->fills, state->order.has_runs },
  };
  if (job->ink)
    cs_field_context_set_ink (context, job->ink->state, &ink);
  if (job->marks->gradients)
    context->group.stops = job->marks->gradients->stops;
  cs_field_context_set_thickness (context);
  cs_raster_copy_input (f, state->executor);
  state->replayed = 0;
  cs_executor_parallel_for (state->executor, context->fields_per_row *
      ((f->height + CS_FIELD - 1) / CS_FIELD), run_field, &run);
  cs_raster_kept_store (&state->kept, job, state->executor);
  return TRUE;
}

static gboolean
get_stats (void *data, CsRasterStats * stats, GError ** error)
{
  const State *state = data;

  stats->dropped = state->direct.is_used ? state->direct.dropped :
      state->order.dropped;
  stats->replayed = state->replayed;
  return TRUE;
}

const CsRasterBackend cs_raster_cpu_backend = {
  .create = create,
  .run = run_job,
  .get_stats = get_stats,
  .destroy = destroy,
  .ink_create = cs_ink_cpu_create,
  .ink_clear = cs_ink_cpu_clear,
  .ink_stamp = cs_ink_cpu_stamp,
  .ink_destroy = cs_ink_cpu_destroy,
};
