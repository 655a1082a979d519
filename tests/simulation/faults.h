/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* What goes wrong in a world, drawn by its seed. Faults are numbered from 0
 * on. */

/**
 * FaultsCounts:
 *
 * How many there were, and how many of them cut the power.
 */
typedef struct
{
  guint64 faults, power_cuts;
} FaultsCounts;

/* @length: hours; the longer, the rarer they are. No fault begins later.
 * @recipe: path of the line's, which is written */
void faults_begin (guint length, const char *recipe, guint views);
void faults_end (void);

/* Each comes when its time comes, without those in @without (NULL: all). */
void faults_start (GHashTable * without);

/* All is well from now on. */
void faults_stop (void);

/* Whether something fails, or has within the last minute. */
gboolean faults_are_recent (void);

/* Since when nothing has; G_MAXINT64: something does */
gint64 faults_get_quiet_since (void);

guint faults_count (void);
/* To be freed. */
char *faults_describe (guint number);

FaultsCounts faults_get_counts (void);
