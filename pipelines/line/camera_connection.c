/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_connection.h"

#include "publish/clock.h"
#include "publish/lock.h"

/* Pictures that synchronising may take, and microseconds of each */
#define TRIES 10
#define ANSWER_TIMEOUT G_USEC_PER_SEC
#define MOST_SILENT 3

struct _LineCameraConnection
{
  guint view;
  LineCameraRing *ring;
  LineCameraDevice *device;
  gint64 tolerance;
  void (*notify) (gpointer user);
  gpointer user;
  GThread *sender;

  /* of all, with the lock */
  GMutex lock;
  GCond changed;
  gboolean is_open, is_closing, has_command, has_failed;
  guint64 trigger;
  gint64 time;
  LineTriggerLog log;
};

/* Sending */

/* The trigger is logged before it is sent: its picture may come first. */
static gboolean
send (LineCameraConnection * connection, guint64 trigger, gint64 time,
    GError ** error)
{
  g_mutex_lock (&connection->lock);
  line_trigger_log_add (&connection->log, trigger, time);
  g_mutex_unlock (&connection->lock);
  return line_camera_device_trigger (connection->device, error);
}

/* A picture that is taken late would show the next piece. */
static gboolean
send_in_time (LineCameraConnection * connection, guint64 trigger, gint64 time)
{
  if (line_clock_now () - time <= connection->tolerance)
    return send (connection, trigger, time, NULL);
  line_camera_ring_lose (connection->ring, trigger, connection->view, FALSE);
  return TRUE;
}

static gpointer
run_sender (gpointer data)
{
  LineCameraConnection *connection = data;
  gboolean good;

  g_mutex_lock (&connection->lock);
  while (!connection->is_closing) {
    const guint64 trigger = connection->trigger;
    const gint64 time = connection->time;

    if (!connection->has_command) {
      g_cond_wait (&connection->changed, &connection->lock);
      continue;
    }
    g_mutex_unlock (&connection->lock);
    good = send_in_time (connection, trigger, time);
    g_mutex_lock (&connection->lock);
    connection->has_command = FALSE;
    connection->has_failed = connection->has_failed || !good;
    g_cond_broadcast (&connection->changed);
    g_mutex_unlock (&connection->lock);
    if (!good)
      connection->notify (connection->user);
    g_mutex_lock (&connection->lock);
  }
  g_mutex_unlock (&connection->lock);
  return NULL;
}

gboolean
line_camera_connection_send (LineCameraConnection * connection,
    guint64 trigger, gint64 time)
{
  LINE_LOCK (&connection->lock);
  gboolean is_sent = connection->is_open && !connection->has_command
      && !connection->has_failed;

  if (is_sent) {
    connection->has_command = TRUE;
    connection->trigger = trigger;
    connection->time = time;
    g_cond_broadcast (&connection->changed);
  }
  return is_sent;
}

/* Synchronising */

/* Returns: FALSE if a trigger is not acknowledged */
static gboolean
shut (LineCameraConnection * connection)
{
  LINE_LOCK (&connection->lock);

  connection->is_open = FALSE;
  while (connection->has_command)
    g_cond_wait (&connection->changed, &connection->lock);
  return !connection->has_failed;
}

/* Returns: whether a picture has come whose head is there */
static gboolean
wait_for_frame (LineCameraConnection * connection, LineCameraSync * sync,
    gboolean (*wait) (gint64 until, gpointer user), gpointer user,
    gboolean * is_silent)
{
  const gint64 until = g_get_monotonic_time () + ANSWER_TIMEOUT;
  LineCameraFrame frame = { NULL };
  gboolean is_there;

  for (;;) {
    is_there = line_camera_device_take (connection->device, &frame);
    if (is_there || line_camera_device_is_lost (connection->device)
        || !wait (until, user))
      break;
  }
  *is_silent = !is_there;
  if (!is_there)
    return FALSE;
  if (frame.has_id)
    line_camera_sync_see (sync, frame.id, frame.time, line_clock_now ());
  line_camera_device_give (connection->device, &frame);
  return frame.has_id;
}

gboolean
line_camera_connection_synchronise (LineCameraConnection * connection,
    LineCameraSync * sync, gboolean (*wait) (gint64 until, gpointer user),
    gpointer user, GError ** error)
{
  gboolean has_last = FALSE, is_silent = FALSE;
  guint n_silent = 0;
  guint64 last = 0;
  gint64 latency = 0;

  if (!shut (connection))
    return line_fail (error, LINE_ERROR_RUN, "it does not acknowledge a "
        "trigger");
  for (guint i = 0; i < TRIES && n_silent < MOST_SILENT; i++) {
    const gint64 time = line_clock_now ();
    gint64 before = latency;

    LineCameraFrame frame;
    while (line_camera_device_take (connection->device, &frame))
      line_camera_device_give (connection->device, &frame);
    if (!send (connection, LINE_NO_TRIGGER, time, error))
      return FALSE;
    if (!wait_for_frame (connection, sync, wait, user, &is_silent)) {
      has_last = FALSE;
      n_silent = is_silent ? n_silent + 1 : 0;
      continue;
    }
    n_silent = 0;
    latency = line_camera_sync_measure (sync, time);
    if (has_last && sync->count == last + 1
        && latency <= 2 * connection->tolerance
        && ABS (latency - before) <= connection->tolerance) {
      g_mutex_lock (&connection->lock);
      line_camera_sync_set (sync, connection->log.n - 1);
      connection->is_open = TRUE;
      g_mutex_unlock (&connection->lock);
      return TRUE;
    }
    has_last = TRUE;
    last = sync->count;
  }
  return line_fail (error, LINE_ERROR_RUN, n_silent == MOST_SILENT ? "no "
      "picture came within a second of a software trigger, %u times: look at "
      "packet-size, the firewall, and what features set" : "%u pictures did "
      "not follow software triggers one by one, within half the time between "
      "triggers: does anything else trigger it? is the exposure too long?",
      n_silent == MOST_SILENT ? MOST_SILENT : TRIES);
}

LineMatch
line_camera_connection_match (LineCameraConnection * connection,
    LineCameraSync * sync, guint64 * trigger)
{
  guint64 entry;
  LINE_LOCK (&connection->lock);
  LineMatch match = line_camera_sync_match (sync, &connection->log,
      connection->tolerance, &entry);

  if (match == LINE_MATCH_ENTRY)
    *trigger = connection->log.triggers[entry % LINE_TRIGGER_LOG];
  return match;
}

/* Connection */

LineCameraConnection *
line_camera_connection_new (const LineCameraTask * task,
    LineCameraRing * ring, gint64 tolerance, void (*notify) (gpointer user),
    gpointer user, GError ** error)
{
  LineCameraConnection *connection = g_new0 (LineCameraConnection, 1);

  connection->view = task->view;
  connection->ring = ring;
  connection->tolerance = tolerance;
  connection->notify = notify;
  connection->user = user;
  g_mutex_init (&connection->lock);
  g_cond_init (&connection->changed);
  connection->device = line_camera_device_open (task, notify, user, error);
  if (connection->device && !task->config->is_hardware)
    connection->sender =
        g_thread_try_new ("line-trigger", run_sender, connection, error);
  if (connection->device && (connection->sender || task->config->is_hardware))
    return connection;
  line_camera_connection_free (connection);
  return NULL;
}

void
line_camera_connection_free (LineCameraConnection * connection)
{
  g_mutex_lock (&connection->lock);
  connection->is_closing = TRUE;
  g_cond_broadcast (&connection->changed);
  g_mutex_unlock (&connection->lock);
  if (connection->sender)
    g_thread_join (connection->sender);
  g_clear_pointer (&connection->device, line_camera_device_close);
  g_cond_clear (&connection->changed);
  g_mutex_clear (&connection->lock);
  g_free (connection);
}

LineCameraDevice *
line_camera_connection_get_device (LineCameraConnection * connection)
{
  return connection->device;
}

gboolean
line_camera_connection_has_failed (LineCameraConnection * connection)
{
  LINE_LOCK (&connection->lock);

  return connection->has_failed;
}
