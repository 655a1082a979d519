/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include "recipe.h"
#include "settings.h"

/* Decides the pieces of a recorded or simulated lane, as fast as it goes, and
 * writes a line for each to @out. Triggers are as far apart as @config says, all
 * tensors are in time, and latencies 0: the output depends on nothing else. A
 * last trigger of a recording that is not complete is an error; what was
 * decided before is written. @events: what the lane is recorded in; may be
 * NULL */
gboolean line_lane_run (const LineConfig * config,
    const LineLaneConfig * lane, LineRecipe * recipe, FILE * out,
    FILE * events, GError ** error);
