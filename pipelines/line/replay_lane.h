/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "replay_recipes.h"
#include "settings.h"

/**
 * LineReplayLane:
 *
 * Decides the pieces of a recorded lane again, one after the other, and keeps
 * no more in memory than the lane did.
 */
typedef struct _LineReplayLane LineReplayLane;

/* @folder: has the lane's events. @config, @lane, @recipes: not copied.
 * Returns: NULL with @error set */
LineReplayLane *line_replay_lane_new (const char *folder,
    const LineConfig * config, const LineLaneConfig * lane,
    LineReplayRecipes * recipes, GError ** error);
void line_replay_lane_free (LineReplayLane * lane);

/**
 * line_replay_lane_peek:
 * @lane: a lane
 * @piece: (out): the number of the next piece
 *
 * Returns: (nullable): (transfer none): its decision, a line of JSON, the same
 *     until line_replay_lane_drop(); NULL at the end, or with @error set
 */
const char *line_replay_lane_peek (LineReplayLane * lane, guint64 * piece,
    GError ** error);

/* Goes on to the next piece. */
void line_replay_lane_drop (LineReplayLane * lane);

/* At the end: whether it was the lane's, not only that of the recording. */
gboolean line_replay_lane_is_whole (const LineReplayLane * lane);
