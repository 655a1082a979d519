/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "station.h"

/**
 * LinePacer:
 *
 * A thread that gives lanes their triggers, where no encoder does: each lane as
 * many a second as the configuration says, one lane after the other, evenly or
 * in bursts.
 */
typedef struct _LinePacer LinePacer;

/* Starts. @triggers: of each station, as many as there are; 0 for endless.
 * @bursts: of each station: so many triggers come at twice their pace, then none
 * for as long; 0: all come evenly.
 * @ended: called by the thread when all have had theirs, or the pacer is
 * stopped */
LinePacer *line_pacer_new (gdouble triggers_per_second,
    LineStation * const *stations, const guint64 * triggers,
    const guint * bursts, guint n_stations,
    void (*ended) (gpointer user), gpointer user, GError ** error);
/* Stops it. */
void line_pacer_free (LinePacer * pacer);
