/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread pool when threads cannot be started: callers work alone, leak
 * nothing for helpers that never start, and get helpers as soon as threads can
 * be started. */
#define _GNU_SOURCE
#include <malloc.h>

#include "base/executor.h"
#include "../lib/check.h"
#include "../lib/threads.h"

#define N_ITEMS 8
#define N_CALLS 20000
/* Maximum memory retained, for any number of calls. */
#define MAX_KEPT 65536
/* Until a thread that is possible again must have worked. */
#define TIMEOUT (20 * G_USEC_PER_SEC)

typedef struct
{
  gint counts[N_ITEMS];
  GThread *caller;
  gint elsewhere;
} Count;

static void
count_item (void *user_data, guint index)
{
  Count *count = user_data;

  g_atomic_int_inc (&count->counts[index]);
  if (g_thread_self () != count->caller)
    g_atomic_int_inc (&count->elsewhere);
  else if (count->elsewhere < 0)
    g_usleep (200);
}

/* Returns: whether each item ran once */
static gboolean
run_once (CsExecutor * executor, Count * count)
{
  gboolean ok = TRUE;

  count->caller = g_thread_self ();
  for (guint i = 0; i < N_ITEMS; i++)
    count->counts[i] = 0;
  cs_executor_parallel_for (executor, N_ITEMS, count_item, count);
  for (guint i = 0; i < N_ITEMS; i++)
    ok &= count->counts[i] == 1;
  return ok;
}

static gsize
used_memory (void)
{
  return mallinfo2 ().uordblks;
}

static void
check_without_threads (CsExecutor * executor)
{
  Count count = { {0,}, NULL, 0 };
  gboolean ok = TRUE;

  g_atomic_int_set (&threads_fail, TRUE);
  ok = run_once (executor, &count);
  check_that (n_threads_failed > 0, "the pool tries to start threads");
  gsize before = used_memory ();
  for (guint i = 0; i < N_CALLS; i++)
    ok &= run_once (executor, &count);
  check_that (ok, "without threads each item runs once");
  check_that (count.elsewhere == 0, "without threads the caller works alone");
  check_that (used_memory () < before + MAX_KEPT,
      "calls without threads keep %" G_GSIZE_FORMAT " bytes",
      used_memory () - before);
  check_that (n_threads_failed < N_CALLS / 100,
      "%d attempts are too many in %d calls", n_threads_failed, N_CALLS);
}

static void
check_threads_again (CsExecutor * executor)
{
  const gint64 end = g_get_monotonic_time () + TIMEOUT;
  Count count = { {0,}, NULL, -N_ITEMS };
  gboolean ok = TRUE;

  g_atomic_int_set (&threads_fail, FALSE);
  while (count.elsewhere < 0 && g_get_monotonic_time () < end)
    ok &= run_once (executor, &count);
  check_that (count.elsewhere >= 0, "the pool tries again later");
  check_that (ok, "with threads again each item runs once");
}

int
main (void)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (4);

  check_without_threads (executor);
  check_threads_again (executor);
  return finish ();
}
