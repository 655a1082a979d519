/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* A line whose decisions go to the disk and to a broker: the product's writer,
 * spool, keeper, journal and publisher, in two processes, with a broker and a
 * disk that fail, and kills, in virtual time. */

/**
 * ResultsCounts:
 *
 * What a world has seen.
 */
typedef struct
{
  guint64 lines, arrivals, repetitions, lost, faults, kills, power_cuts, runs;
  guint64 deleted;
} ResultsCounts;

/* Faults of a world are numbered from 0 on; it begins with them, drawn by its
 * seed. @without: numbers of faults that do not happen (NULL: none), so that
 * what is not needed for a failure can be left out. @folder: is made, and empty
 * in the end. Returns: FALSE if the world has failed, see world_get_failure() */
gboolean results_run (guint64 seed, gint64 seconds, const char *folder,
    GHashTable * without, ResultsCounts * counts);

/* After that, when nothing is asked of the world any more. */
void results_end (void);

/* How many faults the world has, with those that did not happen; and what a fault
 * is, to be freed. Before results_end(). */
guint results_count_faults (void);
char *results_describe_fault (guint number);
