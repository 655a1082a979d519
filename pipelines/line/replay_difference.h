/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <jansson.h>

/**
 * line_replay_difference:
 * @recorded: a decision, an object with an integer "outlet"
 * @replayed: the same piece's now
 * @has_other_recipe: whether the recipes' hashes may differ
 *
 * Compares all members but "latency_us" and "software", which say how it was
 * decided, not what. What is not compared is removed from both.
 *
 * Returns: (nullable): (transfer full): what differs, such as "outlet 2 -> 8
 *     (class1.rot-mm2)", "outlet 8 as before (no longer class1.rot-mm2)" or
 *     "diameter_mm 47.12 -> 47.13, and more", in ASCII; NULL if nothing does
 */
char *line_replay_difference (json_t * recorded, json_t * replayed,
    gboolean has_other_recipe);
