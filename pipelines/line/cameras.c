/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cameras.h"

#include "camera.h"
#include "clock.h"

/* Memory of a lane's pictures, in bytes, and of how many triggers they may be:
 * more than a piece's and those that wait, and enough for a painter */
#define MOST_MEMORY ((gsize) 96 << 20)
#define LEAST_SLOTS 8
#define MOST_SLOTS 64

/* A picture's time may be off by this share of the time between triggers. */
#define TOLERANCE 0.25

/* Cameras that trigger themselves have had no trigger before, if the first one
 * comes so many nanoseconds after all were started. */
#define QUIET (G_GINT64_CONSTANT (500) * 1000000)

/* Triggers that none but one camera has seen, in succession */
#define MOST_UNSEEN 16

struct _LineCameras
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  guint views;
  gint64 tolerance;
  LineCameraRing *ring;
  LineCamera *cameras[LINE_MAX_VIEWS];

  /* of triggers: whoever tells of one holds the lock */
  GMutex lock;
  LineTriggerLog log;
  void (*fired) (gint64 time, gpointer user);
  gpointer user;
  /* of those that trigger themselves: cameras that are there, whose triggers are
   * known, and whose first picture is of trigger @first */
  guint32 joined, in_step, fresh;
  gint64 joined_at;
  guint64 first;
};

gboolean
line_cameras_check (const LineConfig * config, GError ** error)
{
  for (guint i = 0; i < config->lanes->len; i++) {
    const LineLaneConfig *lane =
        &g_array_index (config->lanes, LineLaneConfig, i);

    if (lane->cameras && !line_camera_device_is_built ()) {
      g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "lane %s: source=camera "
          "needs libaravis, which this program was built without: install "
          "libaravis-dev and libusb-1.0-0-dev, and build it again with "
          "-Dcameras=enabled", lane->name);
      return FALSE;
    }
  }
  return TRUE;
}

/* Triggers */

/* With the lock. @awaited: of which views pictures may come */
static void
add_trigger (LineCameras * cameras, gint64 time, guint32 awaited)
{
  const guint64 trigger = cameras->log.n;

  line_trigger_log_add (&cameras->log, trigger, time);
  line_camera_ring_add (cameras->ring, trigger, awaited);
}

void
line_cameras_trigger (LineCameras * cameras, gint64 time)
{
  /* who stood still does not take pictures of pieces that have passed */
  const gboolean is_past = line_clock_now () - time > cameras->tolerance;
  guint64 trigger;

  g_mutex_lock (&cameras->lock);
  trigger = cameras->log.n;
  add_trigger (cameras, time, (1u << cameras->views) - 1);
  for (guint v = 0; v < cameras->views; v++)
    if (is_past || !line_camera_trigger (cameras->cameras[v], trigger, time))
      line_camera_ring_lose (cameras->ring, trigger, v, FALSE);
  g_mutex_unlock (&cameras->lock);
}

/* With the lock: triggers up to @last have come, the last one at @time. */
static void
fire (LineCameras * cameras, guint64 last, gint64 time, guint32 awaited)
{
  while (cameras->log.n <= last) {
    const guint64 n = cameras->log.n;
    const gint64 before = n ?
        cameras->log.times[(n - 1) % LINE_TRIGGER_LOG] : time;
    const gint64 at = MAX (before, n == last ? time :
        before + (time - before) / (gint64) (last - n + 1));

    add_trigger (cameras, at, awaited);
    cameras->fired (at, cameras->user);
  }
}

/* With the lock, when no camera is in step: the first picture of one is that of
 * a new trigger. If there were triggers before, some may have passed unseen: so
 * many are lost that no piece has looks from before and after. */
static guint64
begin (LineCameras * cameras, gint64 time)
{
  const guint64 n = cameras->log.n;
  const gboolean is_quiet = time - cameras->joined_at >= QUIET
      && cameras->joined == (1u << cameras->views) - 1;

  if (n > 0)
    fire (cameras, n + cameras->config->geometry.cups - 1,
        time - 2 * cameras->tolerance, 0);
  cameras->first = cameras->log.n;
  cameras->fresh = is_quiet ? cameras->joined : 0;
  return cameras->first;
}

/* With the lock, of a camera whose triggers are not known. */
static gboolean
try_to_join (LineCameras * cameras, LineCameraSync * sync, guint view)
{
  const guint32 bit = 1u << view;
  const gboolean is_fresh = (cameras->fresh & bit) != 0;

  cameras->fresh &= ~bit;
  if (!cameras->in_step) {
    line_camera_sync_set (sync, begin (cameras, sync->time));
    cameras->fresh &= ~bit;
  } else if (is_fresh && ABS (sync->time - cameras->log.times
          [cameras->first % LINE_TRIGGER_LOG]) <= cameras->tolerance) {
    line_camera_sync_set (sync, cameras->first);
  } else if (!line_camera_sync_learn (sync, &cameras->log,
          cameras->tolerance)) {
    return FALSE;
  }
  cameras->in_step |= bit;
  return TRUE;
}

/* With the lock: a trigger that no camera has told of yet. A camera that goes on
 * alone, too far, or twice too fast, is wrong. */
static gboolean
accept (LineCameras * cameras, LineCameraSync * sync, guint64 trigger)
{
  const guint64 n = cameras->log.n;
  const gboolean is_soon = n && sync->time < cameras->tolerance
      + cameras->log.times[(n - 1) % LINE_TRIGGER_LOG];

  sync->n_untimely = is_soon ? sync->n_untimely + 1 : 0;
  if (trigger - n >= MOST_UNSEEN || sync->n_untimely > 1)
    sync->is_synced = FALSE;
  if (is_soon || !sync->is_synced)
    return FALSE;
  fire (cameras, trigger, sync->time, cameras->in_step | cameras->fresh);
  return TRUE;
}

static gboolean
find_trigger (LineCameraSync * sync, guint view, guint64 * trigger,
    gpointer user)
{
  LineCameras *cameras = user;
  LineMatch match = LINE_MATCH_LOST;

  g_mutex_lock (&cameras->lock);
  if (!cameras->fired) {
    cameras->joined_at = sync->time;
  } else if (sync->is_synced || try_to_join (cameras, sync, view)) {
    match = line_camera_sync_match (sync, &cameras->log, cameras->tolerance,
        trigger);
    if (match == LINE_MATCH_NEW && accept (cameras, sync, *trigger))
      match = LINE_MATCH_ENTRY;
    if (!sync->is_synced)
      cameras->in_step &= ~(1u << view);
  }
  g_mutex_unlock (&cameras->lock);
  return match == LINE_MATCH_ENTRY;
}

static void
join (guint view, gpointer user)
{
  LineCameras *cameras = user;

  g_mutex_lock (&cameras->lock);
  cameras->joined |= 1u << view;
  cameras->joined_at = line_clock_now ();
  g_mutex_unlock (&cameras->lock);
}

static void
leave (guint view, gpointer user)
{
  LineCameras *cameras = user;
  const guint32 others = ~(1u << view);

  g_mutex_lock (&cameras->lock);
  cameras->joined &= others;
  cameras->in_step &= others;
  cameras->fresh &= others;
  g_mutex_unlock (&cameras->lock);
}

/* Cameras */

static gboolean
open_cameras (LineCameras * cameras, GError ** error)
{
  const LineGeometry *geometry = &cameras->config->geometry;
  const gboolean is_hardware = cameras->lane->cameras->is_hardware;
  LineCameraParts parts = {.lane = cameras->lane->name,
    .task = {cameras->lane->cameras, 0, geometry->columns, geometry->rows},
    .ring = cameras->ring,.tolerance = cameras->tolerance,.user = cameras
  };
  gboolean good = TRUE;

  if (is_hardware) {
    parts.find = find_trigger;
    parts.joined = join;
    parts.left = leave;
  }
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
  const LineGeometry *geometry = &config->geometry;
  const gsize size = (gsize) geometry->columns * geometry->rows * 3;
  const gsize slots = MOST_MEMORY / size / geometry->views;
  LineCameras *cameras;

  if (!line_cameras_check (config, error))
    return NULL;
  cameras = g_new0 (LineCameras, 1);
  cameras->config = config;
  cameras->lane = lane;
  cameras->views = geometry->views;
  cameras->tolerance = TOLERANCE * 1e9 / config->triggers_per_second;
  g_mutex_init (&cameras->lock);
  cameras->ring = line_camera_ring_new (geometry->views, size,
      CLAMP (slots, LEAST_SLOTS + geometry->cups, MOST_SLOTS));
  if (!cameras->ring)
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "lane %s: there is not "
        "enough memory for the cameras' pictures", lane->name);
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
  g_mutex_lock (&cameras->lock);
  cameras->fired = fired;
  cameras->user = user;
  g_mutex_unlock (&cameras->lock);
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
  gint64 time;

  g_mutex_lock (&cameras->lock);
  time = cameras->log.times[trigger % LINE_TRIGGER_LOG];
  g_mutex_unlock (&cameras->lock);
  return line_camera_ring_take (cameras->ring, trigger, taken, view,
      time + cameras->lane->cameras->timeout_ms * G_GINT64_CONSTANT (1000000));
}

void
line_cameras_settle (LineCameras * cameras, guint64 trigger,
    LineLostViews * lost)
{
  line_camera_ring_settle (cameras->ring, trigger, lost);
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
