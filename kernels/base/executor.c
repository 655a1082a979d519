/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "executor.h"

/* Helpers beside the caller. At least this many exist even on a small machine,
 * so that an explicit number of threads is honoured; idle ones cost nothing. */
#define MIN_HELPERS 3

/* How often the caller looks for the last chunks before it goes to sleep: a few
 * microseconds, less than waking up costs. */
#define SPINS 2000

struct _CsExecutor
{
  CsBackend backend;
  guint n_threads;
  void *stream;
};

/* One parallel_for(). Helpers may pick it up late, even after it is finished,
 * so it is counted, and recycled when the last one has let go. */
typedef struct _Job Job;
struct _Job
{
  Job *next_free;
  gint refs;
  CsParallelFunc func;
  void *user_data;
  guint n_items;
  guint next_item;
  guint n_done;
  gboolean waiting;
  GMutex lock;
  GCond all_done;
};

static GMutex free_jobs_lock;
static Job *free_jobs;

static Job *
job_new (void)
{
  Job *job;

  g_mutex_lock (&free_jobs_lock);
  job = free_jobs;
  if (job)
    free_jobs = job->next_free;
  g_mutex_unlock (&free_jobs_lock);
  if (job)
    return job;

  job = g_new0 (Job, 1);
  g_mutex_init (&job->lock);
  g_cond_init (&job->all_done);
  return job;
}

static void
job_unref (Job * job)
{
  if (!g_atomic_int_dec_and_test (&job->refs))
    return;
  g_mutex_lock (&free_jobs_lock);
  job->next_free = free_jobs;
  free_jobs = job;
  g_mutex_unlock (&free_jobs_lock);
}

/* Claims and runs items until none is left. */
static void
job_work (Job * job)
{
  guint done = 0, item;

  while ((item = (guint) g_atomic_int_add (&job->next_item, 1)) < job->n_items) {
    job->func (job->user_data, item);
    done++;
  }
  if (done == 0)
    return;
  if ((guint) g_atomic_int_add (&job->n_done, done) + done == job->n_items) {
    g_mutex_lock (&job->lock);
    if (job->waiting)
      g_cond_signal (&job->all_done);
    g_mutex_unlock (&job->lock);
  }
}

static gboolean
job_is_done (Job * job)
{
  return (guint) g_atomic_int_get (&job->n_done) == job->n_items;
}

static void
job_wait (Job * job)
{
  guint i;

  for (i = 0; i < SPINS; i++) {
    if (job_is_done (job))
      return;
#if defined (__x86_64__) || defined (__i386__)
    __builtin_ia32_pause ();
#endif
  }
  g_mutex_lock (&job->lock);
  job->waiting = TRUE;
  while (!job_is_done (job))
    g_cond_wait (&job->all_done, &job->lock);
  g_mutex_unlock (&job->lock);
}

static void
helper_func (gpointer data, gpointer user_data)
{
  job_work (data);
  job_unref (data);
}

/* The process's helpers, %NULL when no thread could be started. Exclusive,
 * because GLib keeps only two idle threads of its shared pools. */
static GThreadPool *
get_pool (void)
{
  static gsize once;
  static GThreadPool *pool;

  if (g_once_init_enter (&once)) {
    guint n = MAX (g_get_num_processors () - 1, MIN_HELPERS);
    GError *error = NULL;

    pool = g_thread_pool_new (helper_func, NULL, (gint) n, TRUE, &error);
    if (error) {
      g_message ("running single-threaded: %s", error->message);
      g_clear_error (&error);
    }
    g_once_init_leave (&once, 1);
  }
  return pool;
}

CsExecutor *
cs_executor_new_cpu (guint n_threads)
{
  CsExecutor *executor = g_new0 (CsExecutor, 1);

  executor->backend = CS_BACKEND_CPU;
  executor->n_threads = n_threads ? n_threads : g_get_num_processors ();
  return executor;
}

CsExecutor *
cs_executor_new_cuda (void *stream, GError ** error)
{
#ifdef HAVE_CUDA
  CsExecutor *executor;

  if (!stream) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "a CUDA executor needs a stream of its own, not the default stream");
    return NULL;
  }
  executor = g_new0 (CsExecutor, 1);
  executor->backend = CS_BACKEND_CUDA;
  executor->n_threads = 1;
  executor->stream = stream;
  return executor;
#else
  g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
      "this build has no CUDA backend; rebuild with -Dcuda=enabled");
  return NULL;
#endif
}

void
cs_executor_free (CsExecutor * executor)
{
  g_free (executor);
}

CsBackend
cs_executor_get_backend (const CsExecutor * executor)
{
  return executor->backend;
}

guint
cs_executor_get_n_threads (const CsExecutor * executor)
{
  return executor->n_threads;
}

void *
cs_executor_get_stream (const CsExecutor * executor)
{
  return executor->stream;
}

void
cs_executor_parallel_for (CsExecutor * executor, guint n_items,
    CsParallelFunc func, void *user_data)
{
  guint n_helpers, i;
  GThreadPool *pool = NULL;
  Job *job;

  n_helpers = MIN (n_items, executor->n_threads);
  n_helpers = n_helpers > 1 ? n_helpers - 1 : 0;
  if (n_helpers > 0)
    pool = get_pool ();
  if (!pool) {
    for (i = 0; i < n_items; i++)
      func (user_data, i);
    return;
  }

  n_helpers = MIN (n_helpers, (guint) g_thread_pool_get_max_threads (pool));
  job = job_new ();
  job->func = func;
  job->user_data = user_data;
  job->n_items = n_items;
  job->next_item = 0;
  job->n_done = 0;
  job->waiting = FALSE;
  g_atomic_int_set (&job->refs, 1 + (gint) n_helpers);
  for (i = 0; i < n_helpers; i++)
    g_thread_pool_push (pool, job, NULL);
  job_work (job);
  job_wait (job);
  job_unref (job);
}
