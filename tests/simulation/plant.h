/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "faults.h"
#include "office.h"
#include "pieces.h"
#include "processes.h"
#include "results.h"

/* A plant in virtual time: a machine with its cameras and its PLC, a line of one
 * lane, its publisher, a disk and a broker. The line and the publisher are the
 * product's own code; all of it can fail. */

/**
 * PlantCounts:
 *
 * What a world has seen.
 */
typedef struct
{
  ResultsCounts results;
  PiecesCounts pieces;
  ProcessesCounts processes;
  FaultsCounts faults;
  OfficeCounts office;
  guint64 good_slots;
} PlantCounts;

/* Faults of a world are numbered from 0 on; it begins with them, drawn by its
 * seed. @without: numbers of faults that do not happen (NULL: none), so that
 * what is not needed for a failure can be left out. @folder: is made, and empty
 * in the end. @length: hours of the world. Returns: FALSE if the world has failed, see world_get_failure() */
gboolean plant_run (guint64 seed, guint length, const char *folder,
    GHashTable * without, PlantCounts * counts);

/* After that, when nothing is asked of the world any more. */
void plant_end (void);
