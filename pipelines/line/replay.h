/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include <glib.h>

/**
 * LineReplayResult:
 * @pieces: that were compared, or are on one side only
 * @different: of these, those that differ or are on one side only
 * @moved: of these, those that go to another outlet
 * @later: pieces after the end of recordings that do not have their lane's
 *     end: they were not compared
 */
typedef struct
{
  guint64 pieces, different, moved, later;
} LineReplayResult;

/**
 * line_replay:
 * @folder: of a recorded run: line.ini, recipes, NAME.events of each lane,
 *     decisions.jsonl
 * @recipe: path of a recipe that decides in place of the recorded ones; NULL
 *     for those
 * @out: what differs is printed to it at the end: the first 20 pieces, those
 *     with another outlet before others, and sums
 * @result: (out): the sums
 * @error: place for an error, which names a file
 *
 * Decides the pieces of a recorded run again, and compares with what was
 * decided: all but latencies and the software's version, and with @recipe the
 * recipe's hash. A recipe for which other shapes would have been found is
 * refused.
 *
 * Returns: FALSE with @error set if not all could be compared
 */
gboolean line_replay (const char *folder, const char *recipe, FILE * out,
    LineReplayResult * result, GError ** error);
