/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "world.h"

/* What becomes of the pieces of each lot, counted from decisions, and compared
 * with the lots' reports. Lots are numbered from 1 on; 0 is none. */

/* @folder: of all runs */
void lot_counts_begin (const char *folder);
void lot_counts_end (void);

/* Another lot may begin. Returns: its name */
const char *lot_counts_add (void);
guint lot_counts_get_last (void);
const char *lot_counts_get_name (guint lot);
/* Returns: the number of lot @name (NULL: none); -1 if there is none */
gint lot_counts_find (const char *name);

/* A decision of a piece of @lot */
void lot_counts_take (guint lot, const json_t * decision);

/* Of the run, and its report in @folder, which has to be whole */
void lot_counts_begin_run (void);
void lot_counts_take_of_run (const json_t * decision);
void lot_counts_check_run (const char *folder);

/* Those that have pieces, or get some, may not be whole: the run was killed, or
 * the disk failed. */
void lot_counts_excuse (void);

/* All reports, in the end. Returns: how many were whole, and right */
guint lot_counts_check (void);
