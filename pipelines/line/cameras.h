/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "camera_health.h"
#include "camera_ring.h"
#include "settings.h"

/**
 * LineCameras:
 *
 * The cameras of a lane, one for each view, and their newest pictures.
 */
typedef struct _LineCameras LineCameras;

/* Fails if there is a lane with cameras, and no library for them. Returns:
 * FALSE with @error set then */
gboolean line_cameras_check (const LineConfig * config, GError ** error);

/* Opens all of them. Takes seconds. */
LineCameras *line_cameras_new (const LineConfig * config,
    const LineLaneConfig * lane, GError ** error);
void line_cameras_free (LineCameras * cameras);

/* Whether something else than the line triggers them. */
gboolean line_cameras_trigger_themselves (const LineCameras * cameras);

/* From now on @fired is called at each trigger of cameras that trigger
 * themselves, one after the other, by any of their threads. @time: in
 * nanoseconds of line_clock_now(), never less than before */
void line_cameras_start (LineCameras * cameras,
    void (*fired) (gint64 time, gpointer user), gpointer user);
/* When it returns, @fired is not called any more. */
void line_cameras_end (LineCameras * cameras);

/* The next trigger of the line, at @time. Never waits. */
void line_cameras_trigger (LineCameras * cameras, gint64 time);

/* See line_camera_ring_take(); waits until the pictures' time is over. */
const guint8 *line_cameras_take (LineCameras * cameras, guint64 trigger,
    guint32 * taken, guint * view);
/* See line_camera_ring_settle(). */
void line_cameras_settle (LineCameras * cameras, guint64 trigger,
    guint32 taken, LineLostViews * lost);

/* From any thread: nothing is waited for any more. */
void line_cameras_cancel (LineCameras * cameras);

/* From any thread. Copies a picture, rows x columns x 3. Returns: FALSE if there
 * is none any more */
gboolean line_cameras_look_at (LineCameras * cameras, guint64 trigger,
    guint view, guint8 * rgb);

/* Of a view's. */
void line_cameras_get_health (LineCameras * cameras, guint view,
    LineCameraHealth * health);
