/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread pool: every item runs once, with any concurrent callers.
 * With --bench: the cost of a dispatch, back to back and at video rate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/executor.h"
#include "base/scratch.h"
#include "../lib/check.h"

typedef struct
{
  CsExecutor *executor;
  guint n_items;
  gint *counts;
} Count;

static void
count_item (void *user_data, guint index)
{
  Count *count = user_data;

  g_atomic_int_inc (&count->counts[index]);
}

static gboolean
all_once (CsExecutor * executor, guint n_items)
{
  Count count = { executor, n_items, g_new0 (gint, n_items + 1) };
  gboolean ok = TRUE;

  cs_executor_parallel_for (executor, n_items, count_item, &count);
  for (guint i = 0; i < n_items; i++)
    ok &= count.counts[i] == 1;
  ok &= count.counts[n_items] == 0;
  g_free (count.counts);
  return ok;
}

static void
nested_item (void *user_data, guint index)
{
  Count *count = user_data;

  if (all_once (count->executor, index % 7))
    g_atomic_int_inc (&count->counts[index]);
}

static gpointer
caller_func (gpointer data)
{
  for (guint i = 0; i < 500; i++)
    if (!all_once (data, i % 40))
      return NULL;
  return data;
}

static gboolean
many_callers (CsExecutor * executor)
{
  GThread *threads[6];
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", caller_func, executor);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    ok &= g_thread_join (threads[i]) != NULL;
  return ok;
}

static gboolean
nested (CsExecutor * executor)
{
  Count count = { executor, 100, g_new0 (gint, 100) };
  gboolean ok = TRUE;

  cs_executor_parallel_for (executor, 100, nested_item, &count);
  for (guint i = 0; i < 100; i++)
    ok &= count.counts[i] == 1;
  g_free (count.counts);
  return ok;
}

static void
note_thread (void *user_data, guint index)
{
  GThread **threads = user_data;

  threads[index] = g_thread_self ();
}

static gboolean
runs_inline (CsExecutor * executor, guint n_items)
{
  GThread *threads[32] = { NULL, };
  gboolean ok = TRUE;

  cs_executor_parallel_for (executor, n_items, note_thread, threads);
  for (guint i = 0; i < n_items; i++)
    ok &= threads[i] == g_thread_self ();
  return ok;
}

static void
check_scratch (void)
{
  CsScratch scratch = { NULL, 0 };
  GError *error = NULL;
  void *first = cs_scratch_ensure (&scratch, 100, &error);

  check_that (first && (guintptr) first % 64 == 0, "scratch is aligned");
  check_that (cs_scratch_ensure (&scratch, 50, &error) == first,
      "scratch that is large enough stays");
  void *large = cs_scratch_ensure (&scratch, 9 << 20, &error);
  check_that (large != NULL, "scratch grows");
  memset (large, 1, 9 << 20);
  check_that (!cs_scratch_ensure (&scratch, G_MAXSIZE / 2, &error) &&
      g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY),
      "too much scratch is an error");
  check_that (scratch.data == large, "scratch survives a failure to grow");
  g_clear_error (&error);
  cs_scratch_clear (&scratch);
  check_that (scratch.data == NULL && scratch.size == 0, "scratch is cleared");
}

/* Two items that wait for each other. */
typedef struct
{
  GMutex lock;
  GCond came;
  guint n;
  gboolean missed;
} Meeting;

static void
meet_item (void *user_data, guint index)
{
  Meeting *meeting = user_data;
  const gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  g_mutex_lock (&meeting->lock);
  meeting->n++;
  g_cond_broadcast (&meeting->came);
  while (meeting->n < 2 && !meeting->missed)
    meeting->missed = !g_cond_wait_until (&meeting->came, &meeting->lock,
        until);
  g_mutex_unlock (&meeting->lock);
}

/* Whether a helper takes part. */
static gboolean
two_meet (CsExecutor * executor)
{
  Meeting meeting = { };

  cs_executor_parallel_for (executor, 2, meet_item, &meeting);
  return !meeting.missed;
}

static gpointer
work_until_told (gpointer data)
{
  CsExecutor *executor = cs_executor_new_cpu (4);

  while (!g_atomic_int_get ((gint *) data))
    all_once (executor, 16);
  cs_executor_free (executor);
  return NULL;
}

/* Children of fork(), made while another thread computes, have helpers. */
static void
check_fork (void)
{
  CsExecutor *executor = cs_executor_new_cpu (4);
  gint told = FALSE;
  gboolean ok = two_meet (executor);
  GThread *other = g_thread_new ("other", work_until_told, &told);

  for (guint i = 0; i < 20 && ok; i++) {
    int status = -1;
    const pid_t child = fork ();

    if (child == 0) {
      alarm (60);
      _exit (two_meet (executor) && all_once (executor, 100) ? 0 : 1);
    }
    ok = waitpid (child, &status, 0) == child && status == 0;
  }
  g_atomic_int_set (&told, TRUE);
  g_thread_join (other);
  cs_executor_free (executor);
  check_that (ok, "a child of fork() has helpers");
}

static void
check_all (void)
{
  const guint n_threads[] = { 1, 2, 4, 0, 1000 };
  CsExecutor *executor;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (n_threads); i++) {
    executor = cs_executor_new_cpu (n_threads[i]);
    check_that (cs_executor_get_n_threads (executor) >= 1,
        "at least one thread");
    check_that (all_once (executor, 0), "no items");
    check_that (all_once (executor, 1), "one item");
    check_that (all_once (executor, 10000), "many items, each once");
    check_that (nested (executor), "nested loops");
    check_that (many_callers (executor), "several callers of one executor");
    check_that (runs_inline (executor, 1), "one item runs in the caller");
    cs_executor_free (executor);
  }
  executor = cs_executor_new_cpu (G_MAXUINT);
  check_that (cs_executor_get_n_threads (executor)
      <= MAX (g_get_num_processors (), 64), "no more threads than can run");
  cs_executor_free (executor);
  executor = cs_executor_new_cpu (1);
  check_that (runs_inline (executor, 32), "one thread runs in the caller");
  cs_executor_free (executor);
  check_that (!cs_executor_new_cuda (NULL, &error) && error,
      "no executor on the default stream");
  g_clear_error (&error);
  check_scratch ();
  check_fork ();
}

/* some work that the compiler cannot optimise away */
static void
work_item (void *user_data, guint index)
{
  const guint n = *(const guint *) user_data;
  volatile guint sink = index;

  for (guint i = 0; i < n; i++)
    sink = sink * 1664525u + 1013904223u;
}

static gint
compare_double (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median_us (CsExecutor * executor, guint n_items, guint work, guint n_runs,
    gulong gap_us)
{
  g_autofree double *times = g_new (double, n_runs);

  for (guint i = 0; i < n_runs; i++) {
    if (gap_us)
      g_usleep (gap_us);
    gint64 begin = g_get_monotonic_time ();
    /* ten at once where a single one is below the clock's resolution */
    if (gap_us) {
      cs_executor_parallel_for (executor, n_items, work_item, &work);
      times[i] = (double) (g_get_monotonic_time () - begin);
    } else {
      for (guint k = 0; k < 10; k++)
        cs_executor_parallel_for (executor, n_items, work_item, &work);
      times[i] = (double) (g_get_monotonic_time () - begin) / 10;
    }
  }
  qsort (times, n_runs, sizeof (*times), compare_double);
  return times[n_runs / 2];
}

static void
bench (void)
{
  g_autoptr (CsExecutor) one = cs_executor_new_cpu (1);
  g_autoptr (CsExecutor) all = cs_executor_new_cpu (0);
  const guint n_threads = cs_executor_get_n_threads (all);

  printf ("| job | 1 thread, us | %u threads, us | every 33 ms: 1 thread | "
      "%u threads |\n|---|---|---|---|---|\n", n_threads, n_threads);
  printf ("| nothing to do, 2 items | %.2f | %.2f | %.1f | %.1f |\n",
      median_us (one, 2, 0, 500, 0), median_us (all, 2, 0, 500, 0),
      median_us (one, 2, 0, 60, 33000), median_us (all, 2, 0, 60, 33000));
  printf ("| 16 items of some 15 us | %.1f | %.1f | %.1f | %.1f |\n",
      median_us (one, 16, 10000, 200, 0), median_us (all, 16, 10000, 200, 0),
      median_us (one, 16, 10000, 60, 33000),
      median_us (all, 16, 10000, 60, 33000));
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "--bench") == 0) {
    bench ();
    return 0;
  }
  check_all ();
  return finish ();
}
