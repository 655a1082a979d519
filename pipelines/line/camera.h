/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "camera_device.h"
#include "camera_ring.h"
#include "camera_sync.h"
#include "camera_votes.h"

/**
 * LineCamera:
 *
 * A camera of a lane, with a thread of its own: opens it, again each second when
 * it is gone, finds the triggers of its pictures, and fills these in. Software
 * triggers are sent by a second thread, for a camera may keep it waiting.
 */
typedef struct _LineCamera LineCamera;

/**
 * LineCameraVoting:
 * @see: the picture that @sync has seen last has come. Returns: whether @take has
 *     a verdict of it later; else it is of no use
 * @see_remains: one without id and time has come
 * @take: the verdict of the oldest picture that has had none; FALSE if there is
 *     none yet
 * @get_silence: of how many possible triggers pictures are overdue. @is_new:
 *     whether it should be asked if it is there
 * @deny: it was there, at @asked
 * @joined: the camera's pictures may come now
 * @left: none come any more, and those without a verdict get none
 *
 * How cameras that trigger themselves agree on triggers. Called by the camera's
 * thread.
 */
typedef struct
{
  gboolean (*see) (LineCameraSync * sync, guint view, gpointer user);
  void (*see_remains) (guint view, gpointer user);
  gboolean (*take) (guint view, LineCameraVerdict * verdict, gpointer user);
  guint (*get_silence) (guint view, gboolean * is_new, gpointer user);
  void (*deny) (guint view, gint64 asked, gpointer user);
  void (*joined) (guint view, gpointer user);
  void (*left) (guint view, gpointer user);
} LineCameraVoting;

/**
 * LineCameraParts:
 * @lane: its name, for messages
 * @task: what the camera is to do
 * @ring: that is filled
 * @tolerance: of a picture's time, in nanoseconds
 * @voting: of cameras that trigger themselves, else NULL
 * @user: of that
 */
typedef struct
{
  const char *lane;
  LineCameraTask task;
  LineCameraRing *ring;
  gint64 tolerance;
  const LineCameraVoting *voting;
  gpointer user;
} LineCameraParts;

/* Starts its threads. */
LineCamera *line_camera_new (const LineCameraParts * parts, GError ** error);
/* Takes seconds if the camera is gone. */
void line_camera_free (LineCamera * camera);

/* Waits until it has been opened once. Returns: FALSE with @error set if it
 * cannot be */
gboolean line_camera_wait (LineCamera * camera, GError ** error);

/* Has it take a picture of @trigger, which came at @time. Never waits. Returns:
 * FALSE if it will not */
gboolean line_camera_trigger (LineCamera * camera, guint64 trigger,
    gint64 time);

/* From any thread: there may be a verdict. */
void line_camera_wake (LineCamera * camera);

void line_camera_get_health (LineCamera * camera, LineCameraHealth * health);
