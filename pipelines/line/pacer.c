/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pacer.h"

#include "clock.h"

/* Nanoseconds from the start to the first trigger: sources get theirs ready */
#define LEAD (100 * G_GINT64_CONSTANT (1000000))

struct _LinePacer
{
  GThread *thread;
  GMutex lock;
  GCond stopped;
  gboolean is_stopping;
  gdouble period;
  LineStation *const *stations;
  guint64 *triggers;
  guint n_stations;
  void (*ended) (gpointer user);
  gpointer user;
};

/* Returns: FALSE if the pacer is to stop before @time */
static gboolean
sleep_until (LinePacer * pacer, gint64 time)
{
  gboolean is_stopping;

  g_mutex_lock (&pacer->lock);
  while (!pacer->is_stopping && line_clock_now () < time)
    g_cond_wait_until (&pacer->stopped, &pacer->lock,
        line_clock_to_monotonic (time + 999));
  is_stopping = pacer->is_stopping;
  g_mutex_unlock (&pacer->lock);
  return !is_stopping;
}

/* Returns: FALSE when no station has a trigger any more */
static gboolean
give_round (LinePacer * pacer, guint64 trigger, gint64 start)
{
  gboolean has_any = FALSE;

  for (guint i = 0; i < pacer->n_stations; i++) {
    const gdouble phase = (gdouble) i / pacer->n_stations;

    if (pacer->triggers[i] && trigger >= pacer->triggers[i])
      continue;
    has_any = TRUE;
    if (!sleep_until (pacer, start
            + (gint64) ((trigger + phase) * pacer->period)))
      return FALSE;
    line_station_trigger (pacer->stations[i], line_clock_now ());
  }
  return has_any;
}

static gpointer
run (gpointer data)
{
  LinePacer *pacer = data;
  const gint64 start = line_clock_now () + LEAD;

  for (guint64 t = 0; give_round (pacer, t, start); t++);
  pacer->ended (pacer->user);
  return NULL;
}

LinePacer *
line_pacer_new (gdouble triggers_per_second, LineStation * const *stations,
    const guint64 * triggers, guint n_stations,
    void (*ended) (gpointer user), gpointer user, GError ** error)
{
  LinePacer *pacer = g_new0 (LinePacer, 1);

  g_mutex_init (&pacer->lock);
  g_cond_init (&pacer->stopped);
  pacer->period = 1e9 / triggers_per_second;
  pacer->stations = stations;
  pacer->triggers = g_memdup2 (triggers, n_stations * sizeof (*triggers));
  pacer->n_stations = n_stations;
  pacer->ended = ended;
  pacer->user = user;
  pacer->thread = g_thread_try_new ("line-pacer", run, pacer, error);
  if (!pacer->thread)
    g_clear_pointer (&pacer, line_pacer_free);
  return pacer;
}

void
line_pacer_free (LinePacer * pacer)
{
  g_mutex_lock (&pacer->lock);
  pacer->is_stopping = TRUE;
  g_cond_broadcast (&pacer->stopped);
  g_mutex_unlock (&pacer->lock);
  if (pacer->thread)
    g_thread_join (pacer->thread);
  g_cond_clear (&pacer->stopped);
  g_mutex_clear (&pacer->lock);
  g_free (pacer->triggers);
  g_free (pacer);
}
