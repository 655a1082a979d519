/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudallftables.h"

#include "base/fault.h"
#include "llf/llf_cache.h"

/**
 * LlfTables:
 * @requested: number of the last request, whose table is to be @params
 * @started: number of the last request that the thread took
 * @finished: number of the last one completed, with @table or @error
 */
struct _LlfTables
{
  GThread *thread;
  GMutex lock;
  GCond cond;
  gboolean quit;
  CsLlfParams params;
  guint64 requested, started, finished;
  CsLlfTable *table;
  GError *error;
};

/* With the lock. Takes @table and @error. */
static void
finish_request (LlfTables * tables, guint64 number, CsLlfTable * table,
    GError * error)
{
  /* a later one was served at once meanwhile */
  if (number < tables->finished) {
    g_clear_pointer (&table, cs_llf_table_unref);
    g_clear_error (&error);
    return;
  }
  g_clear_pointer (&tables->table, cs_llf_table_unref);
  g_clear_error (&tables->error);
  tables->table = table;
  tables->error = error;
  tables->finished = number;
  g_cond_broadcast (&tables->cond);
}

/* With the lock. */
static void
make_table (LlfTables * tables)
{
  const CsLlfParams params = tables->params;
  const guint64 number = tables->requested;
  GError *error = NULL;

  tables->started = number;
  g_mutex_unlock (&tables->lock);
  CsLlfTable *table = cs_llf_cache_get (&params, &error);
  g_mutex_lock (&tables->lock);
  finish_request (tables, number, table, error);
}

static gpointer
run_thread (gpointer data)
{
  LlfTables *tables = data;

  g_mutex_lock (&tables->lock);
  while (!tables->quit) {
    if (tables->started != tables->requested)
      make_table (tables);
    else
      g_cond_wait (&tables->cond, &tables->lock);
  }
  g_mutex_unlock (&tables->lock);
  return NULL;
}

LlfTables *
llf_tables_new (void)
{
  LlfTables *tables = g_new0 (LlfTables, 1);

  g_mutex_init (&tables->lock);
  g_cond_init (&tables->cond);
  return tables;
}

void
llf_tables_free (LlfTables * tables)
{
  g_mutex_lock (&tables->lock);
  tables->quit = TRUE;
  g_cond_broadcast (&tables->cond);
  g_mutex_unlock (&tables->lock);
  if (tables->thread)
    g_thread_join (tables->thread);
  g_clear_pointer (&tables->table, cs_llf_table_unref);
  g_clear_error (&tables->error);
  g_mutex_clear (&tables->lock);
  g_cond_clear (&tables->cond);
  g_free (tables);
}

/* Returns: whether the thread is running */
static gboolean
ensure_thread (LlfTables * tables)
{
  GError *error = NULL;

  if (tables->thread)
    return TRUE;
  tables->thread = cs_thread_try_new ("cudallf-tables", run_thread, tables,
      &error);
  if (!tables->thread) {
    g_message ("cudallf: a table is computed on the streaming thread: %s",
        error->message);
    g_clear_error (&error);
  }
  return tables->thread != NULL;
}

void
llf_tables_request (LlfTables * tables, const CsLlfParams * params)
{
  CsLlfTable *table = cs_llf_cache_find (params);

  g_mutex_lock (&tables->lock);
  tables->params = *params;
  tables->requested++;
  if (table) {
    tables->started = tables->requested;
    finish_request (tables, tables->requested, table, NULL);
  } else if (ensure_thread (tables))
    g_cond_broadcast (&tables->cond);
  else
    make_table (tables);
  g_mutex_unlock (&tables->lock);
}

CsLlfTable *
llf_tables_take (LlfTables * tables, gboolean wait, GError ** error)
{
  g_mutex_lock (&tables->lock);
  while (wait && tables->finished != tables->requested)
    g_cond_wait (&tables->cond, &tables->lock);
  CsLlfTable *table = g_steal_pointer (&tables->table);
  if (tables->error)
    g_propagate_error (error, g_steal_pointer (&tables->error));
  g_mutex_unlock (&tables->lock);
  return table;
}
