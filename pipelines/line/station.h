/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cameras.h"
#include "event_queue.h"
#include "scene.h"
#include "settings.h"

/**
 * LineStation:
 *
 * A lane's source and its shapes, in two threads: tensors are made ready ahead
 * of their trigger, where they can be, and go on when it has come. Every view of
 * every trigger ends as one event, LOOK or LOST, whatever happens: when the
 * source ends before its triggers do, and when the line is stopped, too. What
 * fails costs this lane's frames only: its pipeline is made anew.
 */
typedef struct _LineStation LineStation;

/* Opens the source. @config, @recipe, @queue: outlive it */
LineStation *line_station_new (const LineConfig * config, guint lane,
    const LineRecipe * recipe, LineEventQueue * queue, GError ** error);
/* After line_station_join(), or if it was never started. */
void line_station_free (LineStation * station);

/**
 * line_stations_start:
 * @stations: all of the line
 * @n: how many they are
 *
 * Starts their threads, all at once. Each lane has triggers of its own first,
 * through everything that a trigger goes through; what is found in them is
 * thrown away. Waits until all have done so, and have the first trigger's tensors
 * at hand, as far as they can be; then cameras that trigger themselves begin.
 * What takes long is told.
 *
 * Returns: FALSE with @error set if a lane cannot; all are ended then
 */
gboolean line_stations_start (LineStation * const *stations, guint n,
    GError ** error);

/* Triggers that its source has; 0 if it is not known, or endless. */
guint64 line_station_get_triggers (LineStation * station);

/* The next trigger came at @time, which may have passed. Posts it. */
void line_station_trigger (LineStation * station, gint64 time);

/* Triggers that have come. */
guint64 line_station_count_triggers (LineStation * station);

/* Whether its cameras tell when triggers come: nobody else does then. */
gboolean line_station_triggers_itself (LineStation * station);

/* No trigger comes any more. What has come is finished. If @is_urgent nothing is
 * waited for: what is not made yet is lost (LINE_LOSS_STOPPED). */
void line_station_end (LineStation * station, gboolean is_urgent);

/* Waits for its threads. */
void line_station_join (LineStation * station);

/* The most frames that have waited for their shapes since it was asked for
 * last. */
guint line_station_take_peak (LineStation * station);

/* The simulated lane; NULL without one. */
LineScene *line_station_get_scene (LineStation * station);

/* Its cameras; NULL without them. */
LineCameras *line_station_get_cameras (LineStation * station);
