/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cameras.h"

#include "camera.h"
#include "camera_votes.h"
#include "publish/clock.h"
#include "publish/lock.h"

/* Memory for a lane's pictures, in bytes, and how many triggers they are of at
 * most: more than a piece has and wait, and enough for a painter */
#define MOST_MEMORY ((gsize) 96 << 20)
#define LEAST_SLOTS 8
#define MOST_SLOTS 64

/* A picture's time may be off by this share of the time between triggers. */
#define TOLERANCE 0.25

struct _LineCameras
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  guint views;
  gint64 tolerance;
  LineCameraRing *ring;
  LineCamera *cameras[LINE_MAX_VIEWS];

  /* of triggers: whoever tells of one holds the lock. The log is that of cameras
   * that the line triggers, too */
  GMutex lock;
  LineCameraVotes votes;
  void (*fired) (gint64 time, gpointer user);
  gpointer user;
  gboolean was_alone;
};

gboolean
line_cameras_check (const LineConfig * config, GError ** error)
{
  for (guint i = 0; i < config->lanes->len; i++) {
    const LineLaneConfig *lane =
        &g_array_index (config->lanes, LineLaneConfig, i);

    if (lane->cameras && !line_camera_device_is_built ())
      return line_fail (error, LINE_ERROR_RUN, "lane %s: source=camera needs "
          "libaravis, which this program was built without: install "
          "libaravis-dev and libusb-1.0-0-dev, and build it again with "
          "-Dcameras=enabled", lane->name);
  }
  return TRUE;
}

/* Triggers */

void
line_cameras_trigger (LineCameras * cameras, gint64 time)
{
  /* after a standstill of this process no picture is taken for a trigger that
   * has passed: it would show a later piece */
  const gboolean is_past = line_clock_now () - time > cameras->tolerance;
  LineTriggerLog *log = &cameras->votes.log;

  LINE_LOCK (&cameras->lock);
  guint64 trigger = log->n;
  line_trigger_log_add (log, trigger, time);
  line_camera_ring_add (cameras->ring, trigger, (1u << cameras->views) - 1);
  for (guint v = 0; v < cameras->views; v++)
    if (is_past || !line_camera_trigger (cameras->cameras[v], trigger, time))
      line_camera_ring_lose (cameras->ring, trigger, v, FALSE);
}

/* Of cameras that trigger themselves, all with the lock: */

static void
fire (guint64 trigger, gint64 time, guint32 awaited, gpointer user)
{
  LineCameras *cameras = user;

  line_camera_ring_add (cameras->ring, trigger, awaited);
  if (cameras->fired)
    cameras->fired (time, cameras->user);
}

/* Wakes the cameras that have verdicts to take. None wait for any before the
 * start; after the end cameras may be gone. */
static void
wake (LineCameras * cameras)
{
  const gboolean is_alone = cameras->votes.is_alone;
  if (!cameras->fired)
    return;
  /* Printed when it begins, and when it ends. */
  if (is_alone != cameras->was_alone)
    g_printerr (is_alone ? "%s: fewer than %u cameras tell of triggers: a spike "
        "at the trigger input of one would shift pieces\n" :
        "%s: %u cameras tell of triggers again\n", cameras->lane->name,
            cameras->votes.min_cameras);
  cameras->was_alone = is_alone;
  for (guint v = 0; v < cameras->views; v++)
    if (line_camera_votes_has (&cameras->votes, v))
      line_camera_wake (cameras->cameras[v]);
}

static gint64
get_overdue (const LineCameras * cameras)
{
  return line_clock_now ()
      - cameras->lane->cameras->timeout_ms * G_GINT64_CONSTANT (1000000);
}

static gboolean
see (LineCameraSync * sync, guint view, gpointer user)
{
  LineCameras *cameras = user;
  gboolean has_verdict = FALSE;
  LINE_LOCK (&cameras->lock);

  if (cameras->fired)
    has_verdict = line_camera_votes_see (&cameras->votes, view, sync);
  else
    line_camera_votes_join (&cameras->votes, view, sync->time);
  line_camera_votes_expire (&cameras->votes, get_overdue (cameras));
  wake (cameras);
  return has_verdict;
}

static void
see_remains (guint view, gpointer user)
{
  LineCameras *cameras = user;
  const gint64 now = line_clock_now ();
  LINE_LOCK (&cameras->lock);

  line_camera_votes_see_remains (&cameras->votes, view, now,
      now - get_overdue (cameras));
  wake (cameras);
}

static gboolean
take (guint view, LineCameraVerdict * verdict, gpointer user)
{
  LineCameras *cameras = user;
  LINE_LOCK (&cameras->lock);

  return line_camera_votes_take (&cameras->votes, view, verdict);
}

static guint
get_silence (guint view, gboolean * is_new, gpointer user)
{
  LineCameras *cameras = user;
  LINE_LOCK (&cameras->lock);

  line_camera_votes_expire (&cameras->votes, get_overdue (cameras));
  guint silence = line_camera_votes_get_silence (&cameras->votes, view,
      get_overdue (cameras), is_new);
  wake (cameras);
  return silence;
}

static void
deny (guint view, gint64 asked, gpointer user)
{
  LineCameras *cameras = user;
  LINE_LOCK (&cameras->lock);

  line_camera_votes_deny (&cameras->votes, view, asked
      - cameras->lane->cameras->timeout_ms * G_GINT64_CONSTANT (1000000));
}

static void
join (guint view, gpointer user)
{
  LineCameras *cameras = user;
  LINE_LOCK (&cameras->lock);

  line_camera_votes_join (&cameras->votes, view, line_clock_now ());
}

static void
leave (guint view, gpointer user)
{
  LineCameras *cameras = user;
  LINE_LOCK (&cameras->lock);

  line_camera_votes_leave (&cameras->votes, view);
  wake (cameras);
}

static const LineCameraVoting voting = {
  .see = see,.see_remains = see_remains,.take = take,
  .get_silence = get_silence,.deny = deny,.joined = join,.left = leave
};

/* Cameras */

static gboolean
open_cameras (LineCameras * cameras, GError ** error)
{
  const LineGeometry *geometry = cameras->lane->geometry;
  const gboolean is_hardware = cameras->lane->cameras->is_hardware;
  LineCameraParts parts = {.lane = cameras->lane->name,
    .task = {cameras->lane->cameras, 0, geometry->columns, geometry->rows},
    .ring = cameras->ring,.tolerance = cameras->tolerance,.user = cameras
  };
  gboolean good = TRUE;

  if (is_hardware)
    parts.voting = &voting;
  /* all at once: each takes its time */
  for (guint v = 0; v < cameras->views && good; v++) {
    parts.task.view = v;
    cameras->cameras[v] = line_camera_new (&parts, error);
    good = cameras->cameras[v] != NULL;
  }
  for (guint v = 0; v < cameras->views && good; v++)
    good = line_camera_wait (cameras->cameras[v], error);
  return good;
}

LineCameras *
line_cameras_new (const LineConfig * config, const LineLaneConfig * lane,
    GError ** error)
{
  const LineGeometry *geometry = lane->geometry;
  const gsize size = (gsize) geometry->columns * geometry->rows * 3;
  const gsize slots = MOST_MEMORY / size / geometry->views;

  if (!line_cameras_check (config, error))
    return NULL;
  LineCameras *cameras = g_new0 (LineCameras, 1);
  cameras->config = config;
  cameras->lane = lane;
  cameras->views = geometry->views;
  cameras->tolerance = TOLERANCE * 1e9 / config->triggers_per_second;
  g_mutex_init (&cameras->lock);
  LineCameraVotes *votes = &cameras->votes;
  votes->views = cameras->views;
  votes->min_cameras = cameras->lane->cameras->min_cameras;
  votes->cups = geometry->cups;
  votes->tolerance = cameras->tolerance;
  votes->fired = fire;
  votes->user = cameras;
  cameras->ring = line_camera_ring_new (geometry->views, size,
      CLAMP (slots, LEAST_SLOTS + geometry->cups, MOST_SLOTS));
  if (!cameras->ring)
    line_fail (error, LINE_ERROR_RUN, "lane %s: there is not enough memory for "
        "the cameras' pictures", lane->name);
  if (!cameras->ring || !open_cameras (cameras, error))
    g_clear_pointer (&cameras, line_cameras_free);
  return cameras;
}

void
line_cameras_free (LineCameras * cameras)
{
  for (guint v = 0; v < cameras->views; v++)
    g_clear_pointer (&cameras->cameras[v], line_camera_free);
  g_clear_pointer (&cameras->ring, line_camera_ring_free);
  g_mutex_clear (&cameras->lock);
  g_free (cameras);
}

gboolean
line_cameras_trigger_themselves (const LineCameras * cameras)
{
  return cameras->lane->cameras->is_hardware;
}

void
line_cameras_start (LineCameras * cameras,
    void (*fired) (gint64 time, gpointer user), gpointer user)
{
  LINE_LOCK (&cameras->lock);

  cameras->fired = fired;
  cameras->user = user;
}

void
line_cameras_end (LineCameras * cameras)
{
  line_cameras_start (cameras, NULL, NULL);
}

const guint8 *
line_cameras_take (LineCameras * cameras, guint64 trigger, guint32 * taken,
    guint * view)
{
  g_mutex_lock (&cameras->lock);
  gint64 time = cameras->votes.log.times[trigger % LINE_TRIGGER_LOG];
  g_mutex_unlock (&cameras->lock);
  return line_camera_ring_take (cameras->ring, trigger, taken, view,
      time + cameras->lane->cameras->timeout_ms * G_GINT64_CONSTANT (1000000));
}

void
line_cameras_settle (LineCameras * cameras, guint64 trigger,
    guint32 taken, LineLostViews * lost)
{
  line_camera_ring_settle (cameras->ring, trigger, taken, lost);
}

void
line_cameras_cancel (LineCameras * cameras)
{
  line_camera_ring_cancel (cameras->ring);
}

gboolean
line_cameras_look_at (LineCameras * cameras, guint64 trigger, guint view,
    guint8 * rgb)
{
  return line_camera_ring_look_at (cameras->ring, trigger, view, rgb);
}

void
line_cameras_get_health (LineCameras * cameras, guint view,
    LineCameraHealth * health)
{
  line_camera_get_health (cameras->cameras[view], health);
}
