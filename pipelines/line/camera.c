/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera.h"

#include <string.h>

#include "camera_connection.h"
#include "camera_pixels.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "publish/message.h"

/* Microseconds from one try to open it to the next, and from one look at it to
 * the next, if its pictures are missing */
#define RETRY G_USEC_PER_SEC
#define LOOK (G_USEC_PER_SEC / 5)

/* Triggers in succession without a picture: after so many the camera is asked
 * whether it is there, and after so many it is opened again even if it is */
#define SILENT 3
#define TOO_SILENT 20

/* Pictures that are kept until their verdict comes; a stream has room for some
 * more. Of older ones only the place in the order is kept. */
#define MOST_HELD 3

/* Nanoseconds from one message of spikes to the next */
#define SPIKES_PAUSE (60 * G_GINT64_CONSTANT (1000000000))

struct _LineCamera
{
  LineCameraParts parts;
  const char *id;
  GThread *thread;

  /* of its thread; @held: pictures without a verdict, the oldest first, the last
   * @n_kept of which have their buffers */
  LineCameraSync sync;
  char *told;
  LineCameraFrame held[LINE_MOST_VERDICTS];
  guint n_held, n_kept;
  gint64 spikes_told;

  /* of all, with the lock */
  GMutex lock;
  GCond changed;
  gboolean is_stopping, was_opened, has_news;
  GError *error;
  LineCameraConnection *connection;
  guint n_closing;
  gint64 since;
  guint64 strays, spikes, missed, reconnects;
};

/* Waiting */

static void
notify (gpointer user)
{
  LineCamera *camera = user;

  LINE_LOCK (&camera->lock);
  camera->has_news = TRUE;
  g_cond_broadcast (&camera->changed);
}

/* Returns: FALSE at @until, or if the camera is to stop */
static gboolean
wait_for_news (gint64 until, gpointer user)
{
  LineCamera *camera = user;
  gboolean has_news, is_time = FALSE;
  LINE_LOCK (&camera->lock);

  while (!camera->has_news && !camera->is_stopping && !is_time)
    is_time = !g_cond_wait_until (&camera->changed, &camera->lock, until);
  has_news = camera->has_news && !camera->is_stopping;
  camera->has_news = FALSE;
  return has_news;
}

static gboolean
is_stopping (LineCamera * camera)
{
  LINE_LOCK (&camera->lock);

  return camera->is_stopping;
}

/* Prints @text, unless it is what was printed last. */
static void
print_once (LineCamera * camera, const char *text)
{
  /* cameras say what they like */
  char *clean = line_message_text (text, -1);

  if (g_strcmp0 (clean, camera->told) != 0)
    g_printerr ("%s: view %u, camera %s: %s\n", camera->parts.lane,
        camera->parts.task.view, camera->id, clean);
  g_free (camera->told);
  camera->told = clean;
}

/* Pictures */

static void
count_stray (LineCamera * camera)
{
  LINE_LOCK (&camera->lock);

  camera->strays++;
}

static void
keep_frame (LineCamera * camera, const LineCameraFrame * frame, guint64 trigger)
{
  const LineCameraParts *parts = &camera->parts;
  const LineCameraTask *task = &parts->task;

  if (!frame->is_complete) {
    line_camera_ring_lose (parts->ring, trigger, task->view, TRUE);
    return;
  }
  guint8 *rgb = line_camera_ring_fill (parts->ring, trigger, task->view);
  if (!rgb) {
    count_stray (camera);
    return;
  }
  line_pixels_to_rgb (frame->format, frame->data, task->columns, task->rows,
      rgb);
  line_camera_ring_filled (parts->ring, trigger, task->view, line_clock_now ());
}

static void
use_frame (LineCamera * camera, const LineCameraFrame * frame, guint64 trigger)
{
  if (trigger != LINE_NO_TRIGGER)
    keep_frame (camera, frame, trigger);
  else
    count_stray (camera);
}

/* Returns: FALSE if the camera is out of step */
static gboolean
match_frame (LineCamera * camera, const LineCameraFrame * frame)
{
  guint64 trigger = LINE_NO_TRIGGER;
  const LineMatch match = line_camera_connection_match (camera->connection,
      &camera->sync, &trigger);

  use_frame (camera, frame, match == LINE_MATCH_ENTRY ? trigger :
      LINE_NO_TRIGGER);
  /* one that is new was not asked for */
  return match == LINE_MATCH_ENTRY || match == LINE_MATCH_NONE;
}

/* Verdicts on pictures */

static void
hold_frame (LineCamera * camera, LineCameraDevice * device,
    const LineCameraFrame * frame)
{
  if (camera->n_kept == MOST_HELD) {
    LineCameraFrame *oldest = &camera->held[camera->n_held - MOST_HELD];

    line_camera_device_give (device, oldest);
    *oldest = (LineCameraFrame) {.has_id = TRUE };
    camera->n_kept--;
  }
  camera->held[camera->n_held++] = *frame;
  camera->n_kept++;
}

static void
release_frame (LineCamera * camera, LineCameraDevice * device)
{
  if (camera->held[0].buffer) {
    line_camera_device_give (device, &camera->held[0]);
    camera->n_kept--;
  }
  camera->n_held--;
  memmove (&camera->held[0], &camera->held[1],
      camera->n_held * sizeof (camera->held[0]));
}

static void
count_spikes (LineCamera * camera, guint spikes, guint missed)
{
  const gint64 now = line_clock_now ();

  g_mutex_lock (&camera->lock);
  camera->spikes += spikes;
  camera->missed += missed;
  guint64 all = camera->spikes;
  g_mutex_unlock (&camera->lock);
  if (spikes == 0 || (camera->spikes_told
          && now - camera->spikes_told < SPIKES_PAUSE))
    return;
  camera->spikes_told = now;
  g_printerr ("%s: view %u, camera %s: saw %" G_GUINT64_FORMAT " pulses so far "
      "that too few other cameras saw: spikes; shield the cable of its trigger "
      "input\n", camera->parts.lane, camera->parts.task.view, camera->id, all);
}

static void
print_out_of_step (LineCamera * camera)
{
  g_printerr ("%s: view %u, camera %s: is out of step: it is synchronised "
      "again\n", camera->parts.lane, camera->parts.task.view, camera->id);
}

static void
take_verdicts (LineCamera * camera, LineCameraDevice * device)
{
  const LineCameraParts *parts = &camera->parts;
  LineCameraVerdict verdict;

  while (camera->n_held > 0 && parts->voting->take (parts->task.view, &verdict,
          parts->user)) {
    count_spikes (camera, verdict.spikes, verdict.missed);
    if (verdict.is_lost)
      print_out_of_step (camera);
    if (camera->held[0].buffer || verdict.trigger == LINE_NO_TRIGGER)
      use_frame (camera, &camera->held[0], verdict.trigger);
    release_frame (camera, device);
  }
}

/* Returns: FALSE if the camera is out of step */
static gboolean
handle_frame (LineCamera * camera, LineCameraDevice * device,
    const LineCameraFrame * frame)
{
  const LineCameraParts *parts = &camera->parts;
  const LineCameraVoting *voting = parts->voting;
  gboolean is_in_step = TRUE, is_held = FALSE;

  if (frame->has_id) {
    /* a picture without a trigger ends the silence, too */
    line_camera_ring_forget (parts->ring, parts->task.view);
    line_camera_sync_see (&camera->sync, frame->id, frame->time,
        line_clock_now ());
    if (!voting)
      is_in_step = match_frame (camera, frame);
    else if (voting->see (&camera->sync, parts->task.view, parts->user))
      is_held = TRUE;
    else
      count_stray (camera);
  } else if (voting) {
    voting->see_remains (parts->task.view, parts->user);
  }
  if (is_held)
    hold_frame (camera, device, frame);
  else
    line_camera_device_give (device, frame);
  return is_in_step;
}

static gboolean
synchronise (LineCamera * camera, LineCameraConnection * connection,
    GError ** error)
{
  return camera->parts.voting || line_camera_connection_synchronise
      (connection, &camera->sync, wait_for_news, camera, error);
}

/* Returns: FALSE with @error set if the camera is to be opened again */
static gboolean
handle_frames (LineCamera * camera, GError ** error)
{
  LineCameraDevice *device =
      line_camera_connection_get_device (camera->connection);
  LineCameraFrame frame;
  gboolean is_in_step = TRUE;

  if (camera->parts.voting)
    take_verdicts (camera, device);
  while (is_in_step && line_camera_device_take (device, &frame)) {
    is_in_step = handle_frame (camera, device, &frame);
    if (camera->parts.voting)
      take_verdicts (camera, device);
  }
  if (is_in_step)
    return TRUE;
  print_out_of_step (camera);
  return synchronise (camera, camera->connection, error);
}

/* Asks the camera whether it is there. If @is_new, an answer also counts as a
 * vote: the camera has not seen the candidates that wait for it. */
static gboolean
is_there (LineCamera * camera, LineCameraDevice * device, gboolean is_new)
{
  const gint64 asked = line_clock_now ();

  if (!line_camera_device_is_there (device))
    return FALSE;
  if (is_new)
    camera->parts.voting->deny (camera->parts.task.view, asked,
        camera->parts.user);
  return TRUE;
}

/* Returns: FALSE with @error set to what is wrong */
static gboolean
look_after (LineCamera * camera, GError ** error)
{
  const LineCameraParts *parts = &camera->parts;
  LineCameraDevice *device =
      line_camera_connection_get_device (camera->connection);
  guint silence = line_camera_ring_get_silence (parts->ring, parts->task.view);
  gboolean is_new = FALSE;
  const char *reason = NULL;

  if (parts->voting)
    silence = MAX (silence, parts->voting->get_silence (parts->task.view,
            &is_new, parts->user));
  if (line_camera_device_is_lost (device))
    reason = "is gone: control of it was lost";
  else if (line_camera_connection_has_failed (camera->connection))
    reason = "is gone: it does not acknowledge triggers";
  else if ((silence >= SILENT || is_new) && !is_there (camera, device, is_new))
    reason = "is gone: it does not answer";
  else if (silence >= TOO_SILENT)
    reason = "has no pictures any more, and is opened again";
  return !reason || line_fail (error, LINE_ERROR_RUN, "%s", reason);
}

/* Until it is gone, or to stop. */
static void
serve (LineCamera * camera)
{
  g_autoptr (GError) error = NULL;

  while (!is_stopping (camera) && handle_frames (camera, &error)
      && look_after (camera, &error))
    wait_for_news (g_get_monotonic_time () + LOOK, camera);
  if (error)
    print_once (camera, error->message);
  while (camera->n_held > 0)
    release_frame (camera,
        line_camera_connection_get_device (camera->connection));
}

/* Connection */

typedef struct
{
  LineCamera *camera;
  LineCameraConnection *connection;
} Closing;

static gpointer
run_closing (gpointer data)
{
  Closing *closing = data;
  LineCamera *camera = closing->camera;

  line_camera_connection_free (closing->connection);
  g_free (closing);
  LINE_LOCK (&camera->lock);
  camera->n_closing--;
  g_cond_broadcast (&camera->changed);
  return NULL;
}

/* Closing a camera that is gone takes seconds; a thread of its own does it, so
 * that the next try need not wait. */
static void
disconnect (LineCamera * camera)
{
  Closing *closing = g_new (Closing, 1);

  g_mutex_lock (&camera->lock);
  *closing = (Closing) {camera, g_steal_pointer (&camera->connection)};
  camera->since = line_clock_now ();
  camera->n_closing++;
  g_mutex_unlock (&camera->lock);
  if (camera->parts.voting)
    camera->parts.voting->left (camera->parts.task.view, camera->parts.user);
  line_camera_ring_give_up (camera->parts.ring, camera->parts.task.view);
  GThread *thread = g_thread_try_new ("line-camera-end", run_closing, closing,
      NULL);
  if (thread)
    g_thread_unref (thread);
  else
    run_closing (closing);
}

static void
publish (LineCamera * camera, LineCameraConnection * connection)
{
  line_camera_ring_forget (camera->parts.ring, camera->parts.task.view);
  g_mutex_lock (&camera->lock);
  gboolean is_back = camera->was_opened;
  camera->was_opened = TRUE;
  camera->connection = connection;
  camera->since = line_clock_now ();
  camera->reconnects += is_back;
  g_cond_broadcast (&camera->changed);
  g_mutex_unlock (&camera->lock);
  if (camera->parts.voting)
    camera->parts.voting->joined (camera->parts.task.view, camera->parts.user);
  if (is_back)
    print_once (camera, "is back");
}

static gboolean
connect (LineCamera * camera)
{
  const LineCameraParts *parts = &camera->parts;
  LineCameraConnection *connection = NULL;
  GError *error = NULL;

  memset (&camera->sync, 0, sizeof (camera->sync));
  if (line_camera_device_answers (camera->id))
    connection = line_camera_connection_new (&parts->task, parts->ring,
        parts->tolerance, notify, camera, &error);
  else
    line_fail (&error, LINE_ERROR_RUN, "there is no answer: is it on, is the "
        "address right, in this machine's network, and UDP port 3956 open?");
  if (connection && synchronise (camera, connection, &error)) {
    publish (camera, connection);
    return TRUE;
  }
  g_clear_pointer (&connection, line_camera_connection_free);
  LINE_LOCK (&camera->lock);

  if (camera->was_opened)
    print_once (camera, error->message);
  g_clear_error (&camera->error);
  camera->error = error;
  g_cond_broadcast (&camera->changed);
  return FALSE;
}

static gpointer
run (gpointer data)
{
  LineCamera *camera = data;
  gint64 until;

  while (!is_stopping (camera)) {
    until = g_get_monotonic_time () + RETRY;
    if (connect (camera)) {
      serve (camera);
      disconnect (camera);
      until = g_get_monotonic_time () + RETRY;
    }
    while (!is_stopping (camera) && g_get_monotonic_time () < until)
      wait_for_news (until, camera);
  }
  return NULL;
}

/* Camera */

LineCamera *
line_camera_new (const LineCameraParts * parts, GError ** error)
{
  LineCamera *camera = g_new0 (LineCamera, 1);

  camera->parts = *parts;
  camera->id = parts->task.config->ids[parts->task.view];
  g_mutex_init (&camera->lock);
  g_cond_init (&camera->changed);
  camera->since = line_clock_now ();
  camera->thread = g_thread_try_new ("line-camera", run, camera, error);
  if (!camera->thread)
    g_clear_pointer (&camera, line_camera_free);
  return camera;
}

void
line_camera_free (LineCamera * camera)
{
  g_mutex_lock (&camera->lock);
  camera->is_stopping = TRUE;
  g_cond_broadcast (&camera->changed);
  g_mutex_unlock (&camera->lock);
  if (camera->thread)
    g_thread_join (camera->thread);
  g_mutex_lock (&camera->lock);
  while (camera->n_closing > 0)
    g_cond_wait (&camera->changed, &camera->lock);
  g_mutex_unlock (&camera->lock);
  g_clear_error (&camera->error);
  g_free (camera->told);
  g_cond_clear (&camera->changed);
  g_mutex_clear (&camera->lock);
  g_free (camera);
}

gboolean
line_camera_wait (LineCamera * camera, GError ** error)
{
  LINE_LOCK (&camera->lock);

  while (!camera->was_opened && !camera->error)
    g_cond_wait (&camera->changed, &camera->lock);
  return camera->was_opened || line_fail (error, LINE_ERROR_RUN, "lane %s: "
      "view %u, camera %s: %s", camera->parts.lane, camera->parts.task.view,
      camera->id, camera->error->message);
}

gboolean
line_camera_trigger (LineCamera * camera, guint64 trigger, gint64 time)
{
  LINE_LOCK (&camera->lock);

  return camera->connection
      && line_camera_connection_send (camera->connection, trigger, time);
}

void
line_camera_wake (LineCamera * camera)
{
  notify (camera);
}

void
line_camera_get_health (LineCamera * camera, LineCameraHealth * health)
{
  memset (health, 0, sizeof (*health));
  g_strlcpy (health->id, camera->id, sizeof (health->id));
  line_camera_ring_count (camera->parts.ring, camera->parts.task.view, health);
  LINE_LOCK (&camera->lock);
  health->is_running = camera->connection != NULL;
  health->since = camera->since;
  health->strays = camera->strays;
  health->spikes = camera->spikes;
  health->missed = camera->missed;
  health->reconnects = camera->reconnects;
}
