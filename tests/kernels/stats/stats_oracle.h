/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stats/stats.h"

/* Coordinates and scales that the oracle takes are multiples of 1 / ORACLE_GRID
 * and 1 / ORACLE_SCALE, so that it decides in integers. */
#define ORACLE_GRID 256
#define ORACLE_SCALE 4

/* Whether the centre of pixel (@x, @y) is inside of @region: for this pixel
 * alone, the sides that cross its row at or to the left of it are counted. */
gboolean oracle_is_inside (const CsStatsInput * input,
    const CsStatsRegion * region, guint x, guint y);

/* The sample of channel @c at (@x, @y) by its definition, in the kind's steps
 * and not rounded. */
double oracle_sample (const CsStatsInput * input, const CsStatsRegion * region,
    guint c, guint x, guint y);
