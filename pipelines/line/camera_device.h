/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/* Cameras of GigE Vision and USB3 Vision, by libaravis. Without it nothing can
 * be opened. */

gboolean line_camera_device_is_built (void);

/* Whether a camera with this IP address answers, within a fifth of a second;
 * TRUE if @id is none. */
gboolean line_camera_device_answers (const char *id);

/**
 * LineCameraFrame:
 * @buffer: the device's
 * @has_id: whether the head of it has come: id and time are good
 * @is_complete: whether all of it has come, as it was asked for
 * @id: that the camera counts pictures with
 * @time: the camera's, in nanoseconds
 * @data: its samples, rows without gaps
 * @format: of GenICam's pixel format naming convention (PFNC)
 */
typedef struct
{
  gpointer buffer;
  gboolean has_id, is_complete;
  guint64 id;
  gint64 time;
  const guint8 *data;
  guint32 format;
} LineCameraFrame;

typedef struct _LineCameraDevice LineCameraDevice;

/**
 * LineCameraTask:
 * @config: the lane's cameras
 * @view: this one
 * @columns: of its pictures
 * @rows: of its pictures
 *
 * What a camera is to do.
 */
typedef struct
{
  const LineCameraConfig *config;
  guint view, columns, rows;
} LineCameraTask;

/* Opens it, sets it up, and has it wait for triggers. @notify: a picture has
 * come, or control was lost; called by any thread until it is closed. Returns:
 * NULL with @error set to what to do */
LineCameraDevice *line_camera_device_open (const LineCameraTask * task,
    void (*notify) (gpointer user), gpointer user, GError ** error);

/* Takes seconds if the camera does not answer. */
void line_camera_device_close (LineCameraDevice * device);

/* A picture that has come, in order; not waited for. */
gboolean line_camera_device_take (LineCameraDevice * device,
    LineCameraFrame * frame);
/* Gives its memory back. */
void line_camera_device_give (LineCameraDevice * device,
    const LineCameraFrame * frame);

/* A software trigger. Returns, when the camera has acknowledged it: FALSE with
 * @error set if it has not, after seconds */
gboolean line_camera_device_trigger (LineCameraDevice * device,
    GError ** error);

/* Is there control no more? */
gboolean line_camera_device_is_lost (LineCameraDevice * device);

/* As line_camera_device_answers(). */
gboolean line_camera_device_is_there (LineCameraDevice * device);
