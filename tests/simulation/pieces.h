/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "event.h"
#include "settings.h"

/* What the line says of the machine's pieces, compared with what they are. */

/**
 * PiecesCounts:
 * @decisions: of all runs
 * @good: with the status ok
 * @looks: whose shapes were compared
 */
typedef struct
{
  guint64 decisions, good, looks;
} PiecesCounts;

/* @has_triggers: the machine's pulses are those of the line; else it triggers by
 * its own clock. @deadline: in microseconds */
void pieces_begin (guint views, guint cups, gboolean has_triggers,
    gint64 deadline);
void pieces_end (void);

void pieces_begin_run (void);

/* There is this recipe. @base: of its outlets, in tens */
void pieces_add_recipe (const char *hash, guint base);
/* The line is told to use it, now or at its start. */
void pieces_set_recipe (const char *hash, guint base);

/* The line triggers its cameras; for the first time in this run, perhaps. */
void pieces_begin_triggers (gint64 came);

/* What the line's threads tell the one that decides. */
void pieces_check_event (const LineEvent * event);

/* A line of decisions.jsonl; its end may be missing. Returns: the number of its
 * piece */
guint64 pieces_check_decision (const char *text, gsize size);

/* The run has ended in good order, and has written this report. */
void pieces_check_report (const char *path);

/* For the PLC. @number: as the line counts */
void pieces_check_slot (guint32 number, guint outlet);
void pieces_check_outlet (gint64 pulse, guint outlet, const char *whose);
void pieces_check_beat (void);
/* The PLC has acknowledged so many. */
void pieces_acknowledge (guint n);

/* The line was stopped until now: it may be late. */
void pieces_excuse (gint64 until);
gboolean pieces_are_excused (void);

/* Nothing fails, and has not for a while: every piece is decided as it should be;
 * and by the last recipe. */
void pieces_expect_all (gboolean is_expected);
void pieces_expect_recipe (void);

PiecesCounts pieces_get_counts (void);
