/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "camera_device.h"
#include "camera_ring.h"
#include "camera_sync.h"

/**
 * LineCameraConnection:
 *
 * An open camera, what was sent to it, and the thread that sends. It ends with
 * the device: one that does not answer any more can be closed while another
 * connection is tried. All functions but line_camera_connection_send() are for
 * one thread.
 */
typedef struct _LineCameraConnection LineCameraConnection;

/* @ring, @notify: as of the camera. @tolerance: triggers that are later are not
 * sent */
LineCameraConnection *line_camera_connection_new (const LineCameraTask * task,
    LineCameraRing * ring, gint64 tolerance, void (*notify) (gpointer user),
    gpointer user, GError ** error);
/* Takes seconds if the device does not answer. */
void line_camera_connection_free (LineCameraConnection * connection);

LineCameraDevice *line_camera_connection_get_device (LineCameraConnection *
    connection);

/* A software trigger of the line. Returns: FALSE if it is not sent: the device
 * is not synchronised, or has another one to acknowledge */
gboolean line_camera_connection_send (LineCameraConnection * connection,
    guint64 trigger, gint64 time);

/* Sends triggers of its own, until two pictures in succession show which of
 * them they are of, and how much later pictures come. Triggers of the line are
 * not sent meanwhile. @wait: waits until the device notifies, or the time is
 * over, in microseconds of g_get_monotonic_time(); FALSE to give up. Returns:
 * FALSE with @error set */
gboolean line_camera_connection_synchronise (LineCameraConnection *
    connection, LineCameraSync * sync, gboolean (*wait) (gint64 until,
        gpointer user), gpointer user, GError ** error);

/* The trigger of the line that the picture is of which @sync has seen last. */
LineMatch line_camera_connection_match (LineCameraConnection * connection,
    LineCameraSync * sync, guint64 * trigger);

/* Was a trigger not acknowledged? */
gboolean line_camera_connection_has_failed (LineCameraConnection *
    connection);
