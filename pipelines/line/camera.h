/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_CAMERA_H
#define LINE_CAMERA_H

#include "camera_device.h"
#include "camera_ring.h"
#include "camera_sync.h"

G_BEGIN_DECLS

/**
 * LineCamera:
 *
 * A camera of a lane, with a thread of its own: opens it, again each second when
 * it is gone, finds the triggers of its pictures, and fills these in. Software
 * triggers are sent by a second thread, for a camera may keep it waiting.
 */
typedef struct _LineCamera LineCamera;

/**
 * LineCameraParts:
 * @lane: its name, for messages
 * @task: what the camera is to do
 * @ring: that is filled
 * @tolerance: of a picture's time, in nanoseconds
 * @find: of cameras that trigger themselves, else NULL: finds the trigger of the
 *     picture that @sync has seen last, FALSE if there is none. Called by the
 *     camera's thread
 * @joined: the camera's pictures may come now; the same
 * @left: none come any more; the same
 * @user: of these
 */
typedef struct
{
  const char *lane;
  LineCameraTask task;
  LineCameraRing *ring;
  gint64 tolerance;
  gboolean (*find) (LineCameraSync * sync, guint view, guint64 * trigger,
      gpointer user);
  void (*joined) (guint view, gpointer user);
  void (*left) (guint view, gpointer user);
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

void line_camera_get_health (LineCamera * camera, LineCameraHealth * health);

G_END_DECLS

#endif /* LINE_CAMERA_H */
