/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* The disk of the world: a folder of this machine, whose files the product opens,
 * writes and renames as it always does. What was synced outlives a power cut; of
 * the rest a part does: of a file's end any number of bytes, of what was written
 * over any first part, of names those that changed first. */

/* @folder: where files are; others are not the world's */
void disk_begin (const char *folder);
void disk_end (void);

/* Faults, until they are ended */
typedef enum
{
  DISK_FULL = 1 << 0,           /* nothing more can be written, no file made; half
                                 * of the new names fail */
  DISK_SLOW = 1 << 1,           /* calls take up to three seconds */
  DISK_NO_SYNC = 1 << 2,        /* fsync() fails */
  DISK_STUCK = 1 << 3,          /* decisions are not written until it ends */
} DiskFault;

void disk_set_faults (guint faults);
guint disk_get_faults (void);

/* Since when decisions wait for a disk that is stuck; G_MAXINT64: they do not */
gint64 disk_get_stuck_since (void);

/* What is not synced is lost, or a part of it. All processes that have files open
 * are dead. */
void disk_cut_power (void);

/* What a system does each five seconds by itself: names are on the disk, and
 * what was written half a minute ago. */
void disk_write_back (void);

/* For world.c */
void disk_close_all (const Process * process);
