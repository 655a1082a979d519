/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "camera_health.h"
#include "loss.h"

/**
 * LineCameraRing:
 *
 * The newest pictures of a lane's cameras, by trigger and view: cameras fill
 * them in, one thread takes them in order of triggers, others may look at them
 * later. Every view of a trigger that is over is there, incomplete or missing,
 * and counted. Nothing is allocated while it runs. Thread-safe.
 */
typedef struct _LineCameraRing LineCameraRing;

/* @size: of a picture, in bytes. @slots: triggers whose pictures are kept.
 * Returns: NULL if memory runs out */
LineCameraRing *line_camera_ring_new (guint views, gsize size, guint slots);
void line_camera_ring_free (LineCameraRing * ring);

/* The next trigger has come. @awaited: bits of the views whose pictures may
 * come; the others are missing. */
void line_camera_ring_add (LineCameraRing * ring, guint64 trigger,
    guint32 awaited);

/* Where the picture is to be written; nobody reads it until
 * line_camera_ring_filled() says that it is. Returns: NULL if it is not
 * awaited: another one came, it is too late, or there is no such trigger */
guint8 *line_camera_ring_fill (LineCameraRing * ring, guint64 trigger,
    guint view);
/* @time: when it came, in nanoseconds */
void line_camera_ring_filled (LineCameraRing * ring, guint64 trigger,
    guint view, gint64 time);

/* If the picture is awaited: it will not come. @is_incomplete: it has come in
 * part */
void line_camera_ring_lose (LineCameraRing * ring, guint64 trigger,
    guint view, gboolean is_incomplete);

/* None of the view's pictures that are awaited will come. */
void line_camera_ring_give_up (LineCameraRing * ring, guint view);

/* A picture of @trigger whose bit @taken lacks, in any order; the bit is set
 * then. Waits until one is there, or none will come, or it is @until, in
 * nanoseconds of line_clock_now(). It is good until line_camera_ring_settle().
 * Returns: NULL if none comes any more */
const guint8 *line_camera_ring_take (LineCameraRing * ring, guint64 trigger,
    guint32 * taken, guint * view, gint64 until);

/* Nobody waits for @trigger any more: what has not come is missing, or, after
 * line_camera_ring_cancel(), stopped, which counts as missing. So is what has
 * come since the last line_camera_ring_take(), and @taken lacks. Sets @lost; the
 * other views are there. Once for each trigger. */
void line_camera_ring_settle (LineCameraRing * ring, guint64 trigger,
    guint32 taken, LineLostViews * lost);

/* Copies a picture. Returns: FALSE if there is none any more */
gboolean line_camera_ring_look_at (LineCameraRing * ring, guint64 trigger,
    guint view, guint8 * picture);

/* line_camera_ring_take() does not wait any more. */
void line_camera_ring_cancel (LineCameraRing * ring);

/* Sets frames, incomplete, missing and last_time. */
void line_camera_ring_count (LineCameraRing * ring, guint view,
    LineCameraHealth * health);

/* Triggers in succession of which the view was missing, since the last picture
 * or line_camera_ring_forget(). */
guint line_camera_ring_get_silence (LineCameraRing * ring, guint view);
void line_camera_ring_forget (LineCameraRing * ring, guint view);
