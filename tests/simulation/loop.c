/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "loop.h"

#include <glib-unix.h>

/* A source that is due at a time, or when a signal has come.
 * @number: of the signal; 0: a timer */
typedef struct
{
  GSource source;
  Process *process;
  int number;
  gboolean has_come;
  gint64 due, interval;
} Source;

void __real_g_main_loop_quit (GMainLoop * loop);
guint __real_g_source_attach (GSource * source, GMainContext * context);
void __wrap_g_main_loop_run (GMainLoop * loop);
void __wrap_g_main_loop_quit (GMainLoop * loop);
guint __wrap_g_source_attach (GSource * source, GMainContext * context);
GSource *__wrap_g_timeout_source_new_seconds (guint interval);
GSource *__wrap_g_unix_signal_source_new (gint number);

/* Of sources for signals; loops that run; when the sources that were asked last
 * have something to do */
static GPtrArray *sources;
static GHashTable *running;
static gint64 next;

static gboolean
is_due (GSource * source)
{
  const Source *own = (Source *) source;

  if (own->number)
    return own->has_come;
  next = MIN (next, own->due);
  return own->due <= world_now ();
}

static gboolean
prepare (GSource * source, gint * timeout)
{
  *timeout = 0;
  return is_due (source);
}

static gboolean
dispatch (GSource * source, GSourceFunc callback, gpointer user)
{
  Source *own = (Source *) source;

  own->has_come = FALSE;
  own->due += own->interval;
  return callback (user);
}

static void
finalize (GSource * source)
{
  g_ptr_array_remove (sources, source);
}

static GSourceFuncs functions = {.prepare = prepare,.check = is_due,
  .dispatch = dispatch,.finalize = finalize
};

static Source *
make_source (void)
{
  Source *source = (Source *) g_source_new (&functions, sizeof (Source));

  if (!sources)
    sources = g_ptr_array_new ();
  g_ptr_array_add (sources, source);
  source->process = world_get_process ();
  return source;
}

GSource *
__wrap_g_timeout_source_new_seconds (guint interval)
{
  Source *source = make_source ();

  source->interval = interval * (gint64) G_USEC_PER_SEC;
  source->due = world_now () + source->interval;
  return &source->source;
}

GSource *
__wrap_g_unix_signal_source_new (gint number)
{
  Source *source = make_source ();

  source->number = number;
  return &source->source;
}

guint
__wrap_g_source_attach (GSource * source, GMainContext * context)
{
  const guint id = __real_g_source_attach (source, context);

  world_wake (context, TRUE);
  return id;
}

void
__wrap_g_main_loop_run (GMainLoop * loop)
{
  GMainContext *context = g_main_loop_get_context (loop);

  if (!running)
    running = g_hash_table_new (NULL, NULL);
  g_hash_table_add (running, loop);
  while (g_hash_table_contains (running, loop)) {
    next = G_MAXINT64;
    if (!g_main_context_iteration (context, FALSE)
        && g_hash_table_contains (running, loop))
      world_wait_signal (context, next);
  }
}

void
__wrap_g_main_loop_quit (GMainLoop * loop)
{
  g_hash_table_remove (running, loop);
}

gboolean
loop_signal (Process * process, int number)
{
  gboolean is_handled = FALSE;

  for (guint i = 0; sources && i < sources->len; i++) {
    Source *source = g_ptr_array_index (sources, i);

    if (source->process != process || source->number != number)
      continue;
    is_handled = TRUE;
    source->has_come = TRUE;
    world_wake (g_source_get_context (&source->source), TRUE);
  }
  return is_handled;
}
