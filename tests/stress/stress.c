/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random chains of our elements under stress (session.c), in sequence:
 *
 *   stress [--seed N] [--seconds S]   sessions with the seeds N, N + 1, ...
 *   stress --seed N --sessions 1      the one session of a seed again
 *   stress --play [--seed N] ...      whole pipelines instead (play.c)
 *   stress --soak S                   eight pipelines at once; fails when
 *                                     memory grows
 *   stress --race                     a data race, for ThreadSanitizer to find
 *   stress --hang                     a hang, for the watchdog to find
 *
 * Failures are printed with the seed, which reproduces them up to
 * scheduling. */

#include <stdlib.h>

#include <gst/gst.h>

#include "play.h"
#include "session.h"
#include "soak.h"
#include "watchdog.h"

static gint seed = 1, seconds = 10, n_sessions = G_MAXINT, soak_seconds;
static gboolean plays, race, hangs, verbose;

static const GOptionEntry options[] = {
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Seed of the first session", "N"},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "How long to go on", "S"},
  {"sessions", 0, 0, G_OPTION_ARG_INT, &n_sessions, "How many at most", "N"},
  {"soak", 0, 0, G_OPTION_ARG_INT, &soak_seconds,
      "Eight pipelines for so long, with constant memory", "S"},
  {"play", 0, 0, G_OPTION_ARG_NONE, &plays, "Whole pipelines, with seeks",
      NULL},
  {"race", 0, 0, G_OPTION_ARG_NONE, &race, "Make a data race", NULL},
  {"hang", 0, 0, G_OPTION_ARG_NONE, &hangs, "Wait for ever", NULL},
  {"verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "Tell each session", NULL},
  {NULL}
};

static gboolean
run_sessions (void)
{
  const gint64 end = g_get_monotonic_time () +
      (gint64) seconds * G_USEC_PER_SEC;
  Totals totals = { 0, };
  guint n_wrong = 0;
  gint i;

  watchdog_start ();
  for (i = 0; i < n_sessions && g_get_monotonic_time () < end; i++) {
    const gint64 begin = g_get_monotonic_time ();
    gchar *wrong;

    wrong = (plays ? play_run : session_run) ((guint32) (seed + i), &totals);
    if (verbose)
      g_print ("seed %d, %.2f s: %s\n", seed + i, (g_get_monotonic_time () -
              begin) / 1e6, watchdog_get_line ());
    if (wrong) {
      n_wrong++;
      g_printerr ("FAILED: seed %d: %s: %s\n", seed + i, watchdog_get_line (),
          wrong);
      g_free (wrong);
    }
  }
  watchdog_stop ();
  g_print ("%u sessions, %" G_GUINT64_FORMAT " frames, %u times %s, %u sessions ended by an error message, %u wrong\n",
      totals.sessions, totals.frames, totals.counted, plays ?
      "played to the end" : "counted to the last frame", totals.errors,
      n_wrong);
  return n_wrong == 0 && (totals.counted > 0 || n_sessions < 20);
}

/* The race */

static guint shared;

static gpointer
count (gpointer unused)
{
  for (guint i = 0; i < 100000; i++)
    shared++;
  return NULL;
}

static void
run_race (void)
{
  GThread *a = g_thread_new ("a", count, NULL);
  GThread *b = g_thread_new ("b", count, NULL);

  g_thread_join (a);
  g_thread_join (b);
  g_print ("a race ended with %u\n", shared);
}

/* The hang */

static void
run_hang (void)
{
  GMutex lock;

  g_mutex_init (&lock);
  watchdog_start ();
  watchdog_begin (0, "a hang");
  g_mutex_lock (&lock);
  g_mutex_lock (&lock);
}

/* Wrong settings are warned of, by the hundred; criticals end the program before
 * they get here. */
static void
skip_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer unused)
{
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- random chains");
  GError *error = NULL;

  g_log_set_handler ("cudashapes", G_LOG_LEVEL_WARNING, skip_log, NULL);
  g_option_context_add_main_entries (context, options, NULL);
  gboolean ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!ok) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return 2;
  }
  gst_init (NULL, NULL);
  if (race)
    run_race ();
  else if (hangs)
    run_hang ();
  else if (soak_seconds > 0)
    ok = soak_run ((guint) soak_seconds);
  else
    ok = run_sessions ();
  return !ok;
}
