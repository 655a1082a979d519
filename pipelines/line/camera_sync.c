/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_sync.h"

#include "table.h"

/* A camera's clock runs at most one part in so many slower or faster than the
 * host's. */
#define DRIFT 10000

/* The first picture may have come so many nanoseconds late. */
#define FIRST_DOUBT (G_GINT64_CONSTANT (500) * 1000000)

/* Of what was in doubt a picture leaves one part in so many: one that is as late
 * as those before, by the nanoseconds of PROMPT, and one that is later. */
#define PROMPT (G_GINT64_CONSTANT (3) * 1000000)
#define PROMPT_LEAVES 64
#define LATE_LEAVES 2

/* Untimely pictures in succession that mean that the ids are wrong */
#define MOST_UNTIMELY 3

/* Pictures that have to agree before one is believed */
#define ENOUGH 8

/* Counters begin here: ids that go back a little do not make them negative. */
#define FIRST_COUNT 65535

void
line_trigger_log_add (LineTriggerLog * log, guint64 trigger, gint64 time)
{
  log->triggers[log->n % LINE_TRIGGER_LOG] = trigger;
  log->times[log->n % LINE_TRIGGER_LOG] = time;
  log->n++;
}

static gboolean
has_entry (const LineTriggerLog * log, gint64 entry)
{
  return entry >= 0 && entry < (gint64) log->n
      && entry + LINE_TRIGGER_LOG >= (gint64) log->n;
}

/* The shift follows a slow clock, but not a late arrival. One that is earlier
 * than drift explains, and than the shift has followed, tells that the latency was
 * measured with a late one. */
static void
see_time (LineCameraSync * sync, gint64 camera_time, gint64 arrival)
{
  const gint64 late = arrival - camera_time - sync->shift;
  const gint64 drift = MAX (camera_time - sync->camera_time, 0) / DRIFT;

  sync->slack += drift;
  if (!sync->has_clock) {
    sync->shift = arrival - camera_time;
    sync->doubt = FIRST_DOUBT;
  } else {
    const gint64 explained = CLAMP (-late, 0, sync->slack);
    const gint64 moved = MIN (late, drift);

    sync->shift += moved;
    sync->slack += MAX (moved, 0);
    if (late > -PROMPT)
      sync->doubt /= late < PROMPT ? PROMPT_LEAVES : LATE_LEAVES;
    sync->doubt = MAX (sync->doubt + moved + drift, 0);
    sync->slack -= explained;
    if (sync->is_measured && late < 0)
      sync->latency += late + explained;
  }
  sync->has_clock = TRUE;
  sync->camera_time = camera_time;
  sync->time = camera_time + sync->shift;
}

void
line_camera_sync_see (LineCameraSync * sync, guint64 id, gint64 camera_time,
    gint64 arrival)
{
  if (!sync->has_id)
    sync->count = FIRST_COUNT + id - 1;
  else if (id > G_MAXUINT16 || sync->id > G_MAXUINT16)
    sync->count += id - sync->id;
  else
    sync->count = line_unwrap_id (sync->count, (guint16) id);
  sync->has_id = TRUE;
  sync->id = id;
  see_time (sync, camera_time, arrival);
}

void
line_camera_sync_set (LineCameraSync * sync, guint64 entry)
{
  sync->is_synced = TRUE;
  sync->offset = (gint64) entry - (gint64) sync->count;
  sync->n_untimely = sync->n_candidates = 0;
  sync->has_sample = FALSE;
}

gint64
line_camera_sync_measure (LineCameraSync * sync, gint64 time)
{
  sync->is_measured = TRUE;
  sync->slack = 0;
  sync->latency = sync->time - time;
  return sync->latency;
}

static LineMatch
lose_step (LineCameraSync * sync)
{
  sync->is_synced = sync->is_measured = sync->has_sample = FALSE;
  sync->latency = 0;
  sync->n_candidates = 0;
  return LINE_MATCH_LOST;
}

LineMatch
line_camera_sync_match (LineCameraSync * sync, const LineTriggerLog * log,
    gint64 tolerance, guint64 * entry)
{
  const gint64 at = (gint64) sync->count + sync->offset;

  if (at >= (gint64) log->n) {
    *entry = at;
    return LINE_MATCH_NEW;
  }
  if (!has_entry (log, at))
    return lose_step (sync);
  gint64 late = sync->time - log->times[at % LINE_TRIGGER_LOG] - sync->latency;
  if (ABS (late) <= tolerance) {
    sync->n_untimely = 0;
    *entry = at;
    return LINE_MATCH_ENTRY;
  }
  return ++sync->n_untimely < MOST_UNTIMELY ? LINE_MATCH_NONE :
      lose_step (sync);
}

/* The entry whose time is nearest to @time; -1 if that is not near. */
static gint64
find_near (const LineTriggerLog * log, gint64 time, gint64 tolerance)
{
  gint64 best = -1, nearest = tolerance;

  for (gint64 i = (gint64) log->n - 1; has_entry (log, i); i--) {
    const gint64 distance = time - log->times[i % LINE_TRIGGER_LOG];

    if (ABS (distance) <= nearest) {
      nearest = ABS (distance);
      best = i;
    }
  }
  return best;
}

/* What the picture before says: all who have its trigger have told by now. */
static void
weigh_sample (LineCameraSync * sync, const LineTriggerLog * log,
    gint64 tolerance)
{
  const gint64 entry = find_near (log, sync->sample_time, tolerance);
  const gint64 offset = entry - (gint64) sync->sample_count;

  if (entry < 0) {
    sync->n_candidates = 0;
    return;
  }
  if (sync->n_candidates == 0 || offset != sync->candidate) {
    sync->n_candidates = 0;
    sync->candidate = offset;
  }
  sync->n_candidates++;
}

gboolean
line_camera_sync_learn (LineCameraSync * sync, const LineTriggerLog * log,
    gint64 tolerance)
{
  if (sync->has_sample)
    weigh_sample (sync, log, tolerance);
  sync->has_sample = TRUE;
  sync->sample_count = sync->count;
  sync->sample_time = sync->time;
  if (sync->n_candidates < ENOUGH)
    return FALSE;
  line_camera_sync_set (sync, sync->count + sync->candidate);
  return TRUE;
}
