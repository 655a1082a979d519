/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "executor.h"

#ifdef G_OS_UNIX
#include <pthread.h>
#endif

#include "fault.h"

/* Helpers beside the caller. At least this many exist even on a small machine,
 * so that an explicit number of threads is honoured; idle ones cost nothing. */
#define MIN_HELPERS 3

/* Plans have memory for each thread: of more than these and the cores none would
 * ever run. */
#define MOST_THREADS 64

/* How often the caller looks for the last chunks before it goes to sleep: a few
 * microseconds, less than waking up costs. */
#define SPINS 2000

/* Jobs in the queue when those that are done are taken out: helpers may come to
 * run so late that the queue would grow for ever. */
#define MAX_QUEUED 64

/* Microseconds until threads that could not be started are tried again. */
#define RETRY_AFTER (G_USEC_PER_SEC / 2)

struct _CsExecutor
{
  CsBackend backend;
  guint n_threads;
  void *stream;
};

/* One parallel_for(). Helpers may release it after it is finished, so it is
 * reference counted, and recycled by the last one. It is in the queue until as
 * many helpers as are wanted have taken it, or one found it done. */
typedef struct _Job Job;
struct _Job
{
  Job *next_free;
  GList link;
  guint n_wanted;
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
  g_mutex_lock (&free_jobs_lock);
  Job *job = free_jobs;
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
  for (guint i = 0; i < SPINS; i++) {
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

/* The process's helpers. They never end. */
static GMutex pool_lock;
static GCond pool_work;
static GQueue pool_jobs = G_QUEUE_INIT;
static guint pool_n_threads, pool_n_idle;
static gint64 pool_retry_at;

/* Whether all items are claimed. */
static gboolean
job_is_claimed (Job * job)
{
  return (guint) g_atomic_int_get (&job->next_item) >= job->n_items;
}

/* With the lock: a reference to the next job that a helper can take part in. */
static Job *
pool_take_job (void)
{
  Job *job = g_queue_peek_head (&pool_jobs);

  if (!job)
    return NULL;
  /* the queue's reference, if it ends */
  if (--job->n_wanted == 0 || job_is_claimed (job))
    g_queue_unlink (&pool_jobs, &job->link);
  else
    g_atomic_int_inc (&job->refs);
  return job;
}

/* With the lock. */
static void
pool_drop_claimed (void)
{
  GList *link = pool_jobs.head;

  while (link) {
    GList *next = link->next;
    Job *job = link->data;

    if (job_is_claimed (job)) {
      g_queue_unlink (&pool_jobs, link);
      job_unref (job);
    }
    link = next;
  }
}

static gpointer
helper_func (gpointer user_data)
{
  g_mutex_lock (&pool_lock);
  for (;;) {
    Job *job = pool_take_job ();

    if (!job) {
      pool_n_idle++;
      g_cond_wait (&pool_work, &pool_lock);
      pool_n_idle--;
      continue;
    }
    g_mutex_unlock (&pool_lock);
    job_work (job);
    job_unref (job);
    g_mutex_lock (&pool_lock);
  }
  return NULL;
}

#ifdef G_OS_UNIX

/* A child of fork() has no helpers, and none of the jobs that they work on. */

static void
before_fork (void)
{
  g_mutex_lock (&pool_lock);
  g_mutex_lock (&free_jobs_lock);
}

static void
after_fork (void)
{
  g_mutex_unlock (&free_jobs_lock);
  g_mutex_unlock (&pool_lock);
}

static void
after_fork_in_child (void)
{
  g_queue_init (&pool_jobs);
  pool_n_threads = pool_n_idle = 0;
  pool_retry_at = 0;
  after_fork ();
}

#endif

/* With the lock: starts what is missing. After a failure, fewer threads work,
 * or the callers alone, until it is tried again. */
static void
start_helpers (void)
{
  static guint n;

  /* takes as long as a small job */
  if (n == 0) {
    n = MAX (g_get_num_processors () - 1, MIN_HELPERS);
#ifdef G_OS_UNIX
    pthread_atfork (before_fork, after_fork, after_fork_in_child);
#endif
  }
  if (pool_n_threads == n || g_get_monotonic_time () < pool_retry_at)
    return;
  while (pool_n_threads < n) {
    GError *error = NULL;
    GThread *thread = cs_thread_try_new ("cudashapes", helper_func, NULL,
        &error);

    if (!thread) {
      if (pool_retry_at == 0)
        g_message ("computing with %u threads besides the callers: %s",
            pool_n_threads, error->message);
      g_clear_error (&error);
      pool_retry_at = g_get_monotonic_time () + RETRY_AFTER;
      return;
    }
    g_thread_unref (thread);
    pool_n_threads++;
  }
}

/* Asks up to @n helpers to take part, if there are any. */
static void
job_push (Job * job, guint n)
{
  g_mutex_lock (&pool_lock);
  start_helpers ();
  n = MIN (n, pool_n_threads);
  const guint n_idle = MIN (n, pool_n_idle);
  if (pool_jobs.length >= MAX_QUEUED)
    pool_drop_claimed ();
  if (n > 0) {
    job->n_wanted = n;
    job->link.data = job;
    g_atomic_int_inc (&job->refs);
    g_queue_push_tail_link (&pool_jobs, &job->link);
  }
  g_mutex_unlock (&pool_lock);
  for (guint i = 0; i < n_idle; i++)
    g_cond_signal (&pool_work);
}

CsExecutor *
cs_executor_new_cpu (guint n_threads)
{
  CsExecutor *executor = g_new0 (CsExecutor, 1);
  const guint n_cores = g_get_num_processors ();

  executor->backend = CS_BACKEND_CPU;
  executor->n_threads = n_threads == 0 ? n_cores :
      MIN (n_threads, MAX (n_cores, MOST_THREADS));
  return executor;
}

CsExecutor *
cs_executor_new_cuda (void *stream, GError ** error)
{
#ifdef HAVE_CUDA
  CsExecutor *executor;

  if (!stream)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_INVALID,
        "a CUDA executor needs a stream of its own, not the default stream");
  executor = g_new0 (CsExecutor, 1);
  executor->backend = CS_BACKEND_CUDA;
  executor->n_threads = 1;
  executor->stream = stream;
  return executor;
#else
  return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
      "this build has no CUDA backend; rebuild with -Dcuda=enabled");
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

gconstpointer
cs_executor_choose (const CsExecutor * executor, gconstpointer cpu,
    gconstpointer cuda, const gchar * what, GError ** error)
{
  gconstpointer chosen = executor->backend == CS_BACKEND_CPU ? cpu : cuda;

  if (!chosen)
    g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
        "%s on CUDA are not supported by this build", what);
  return chosen;
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
  const guint n_helpers = MIN (n_items, executor->n_threads);

  if (n_helpers <= 1) {
    for (guint i = 0; i < n_items; i++)
      func (user_data, i);
    return;
  }

  Job *job = job_new ();
  job->func = func;
  job->user_data = user_data;
  job->n_items = n_items;
  job->next_item = 0;
  job->n_done = 0;
  job->waiting = FALSE;
  g_atomic_int_set (&job->refs, 1);
  job_push (job, n_helpers - 1);
  job_work (job);
  job_wait (job);
  job_unref (job);
}

typedef struct
{
  guint n_rows, band_rows;
  CsParallelFunc func;
  void *user_data;
} Rows;

static void
run_band (void *user_data, guint index)
{
  const Rows *rows = user_data;
  const guint end = MIN ((index + 1) * rows->band_rows, rows->n_rows);

  for (guint y = index * rows->band_rows; y < end; y++)
    rows->func (rows->user_data, y);
}

void
cs_executor_for_rows (CsExecutor * executor, guint n_rows, guint band_rows,
    CsParallelFunc func, void *user_data)
{
  Rows rows = { n_rows, band_rows, func, user_data };

  cs_executor_parallel_for (executor, (n_rows + band_rows - 1) / band_rows,
      run_band, &rows);
}
