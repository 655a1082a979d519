/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pacer.h"

#include "publish/clock.h"

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
  guint *bursts;
  guint n_stations;
  void (*ended) (gpointer user);
  gpointer user;
};

/* Returns: FALSE if the pacer is to stop before @time */
static gboolean
sleep_until (LinePacer * pacer, gint64 time)
{
  g_mutex_lock (&pacer->lock);
  while (!pacer->is_stopping && line_clock_now () < time)
    g_cond_wait_until (&pacer->stopped, &pacer->lock,
        line_clock_to_monotonic (time + 999));
  gboolean is_stopping = pacer->is_stopping;
  g_mutex_unlock (&pacer->lock);
  return !is_stopping;
}

/* When a station's trigger comes, in nanoseconds from the start. */
static gint64
find_time (const LinePacer * pacer, guint station, guint64 trigger)
{
  const guint burst = pacer->bursts[station];
  const gdouble phase = (gdouble) station / pacer->n_stations;
  const gdouble at = burst > 0 ? trigger / burst * burst
      + trigger % burst / 2.0 : trigger;

  return (gint64) ((at + phase) * pacer->period);
}

/* Returns: the station whose next trigger, of @given, comes first; n_stations
 * when none has one any more */
static guint
find_next (const LinePacer * pacer, const guint64 * given, gint64 * time)
{
  guint next = pacer->n_stations;

  *time = G_MAXINT64;
  for (guint i = 0; i < pacer->n_stations; i++) {
    const gint64 its_time = find_time (pacer, i, given[i]);

    if ((pacer->triggers[i] && given[i] >= pacer->triggers[i])
        || its_time >= *time)
      continue;
    *time = its_time;
    next = i;
  }
  return next;
}

static gpointer
run (gpointer data)
{
  LinePacer *pacer = data;
  const gint64 start = line_clock_now () + LEAD;
  g_autofree guint64 *given = g_new0 (guint64, pacer->n_stations);
  gint64 time;
  guint i;

  while ((i = find_next (pacer, given, &time)) < pacer->n_stations
      && sleep_until (pacer, start + time)) {
    /* a station that triggers itself only takes up the time. A pacer that was
     * late, or stood still, makes up for it: the pieces have passed when they
     * were to */
    if (!line_station_triggers_itself (pacer->stations[i]))
      line_station_trigger (pacer->stations[i], start + time);
    given[i]++;
  }
  pacer->ended (pacer->user);
  return NULL;
}

LinePacer *
line_pacer_new (gdouble triggers_per_second, LineStation * const *stations,
    const guint64 * triggers, const guint * bursts, guint n_stations,
    void (*ended) (gpointer user), gpointer user, GError ** error)
{
  LinePacer *pacer = g_new0 (LinePacer, 1);

  g_mutex_init (&pacer->lock);
  g_cond_init (&pacer->stopped);
  pacer->period = 1e9 / triggers_per_second;
  pacer->stations = stations;
  pacer->triggers = g_memdup2 (triggers, n_stations * sizeof (*triggers));
  pacer->bursts = g_memdup2 (bursts, n_stations * sizeof (*bursts));
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
  g_free (pacer->bursts);
  g_free (pacer->triggers);
  g_free (pacer);
}
