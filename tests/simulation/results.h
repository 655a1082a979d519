/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* The way of a line's decisions from its writer to the broker: what has to
 * arrive, in which order, and when it may arrive again. */

/**
 * ResultsCounts:
 *
 * What a world has seen.
 */
typedef struct
{
  guint64 lines, arrivals, repetitions, lost;
} ResultsCounts;

/* @in_flight: lines that are on their way at a time, at most */
void results_begin (guint in_flight);
void results_end (void);

/* A run begins: nothing of the run before is written any more. */
void results_begin_run (void);

/* A line, without its end, of the piece of that number is given to the writer; and
 * it has dropped the last one. */
void results_append (guint64 piece, const char *text, gsize size);
void results_drop_last (void);
/* So many of the run's were written. */
void results_note_written (guint64 written);

/* Lines that are not on the disk for sure yet will be at @time, or, while it
 * fails, they will not; or, after a power cut, some of them are gone. @numbers_too: and with them which numbers were
 * given */
void results_put_off (gint64 time);
/* They will not be before @time. */
void results_hold (gint64 time);
void results_forget_unsure (gboolean numbers_too);

/* From now on lines that are on their way may come again. */
void results_disturb (void);

/* For the broker */
void results_arrived (const char *text, gsize size);

/* In the end. */
void results_check_all (void);

ResultsCounts results_get_counts (void);
