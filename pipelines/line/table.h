/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "loss.h"
#include "recipe.h"
#include "rules.h"
#include "settings.h"

/**
 * LineLook:
 * @data: what the lane's user keeps of it; NULL if it was not there
 * @time: when it arrived, in nanoseconds
 * @lost: known not to come
 * @loss: why, if it is @lost
 */
typedef struct
{
  gpointer data;
  gint64 time;
  gboolean lost;
  LineLoss loss;
} LineLook;

/**
 * LinePiece:
 * @piece: its number, that of its first trigger
 * @trigger_time: when its last trigger came, in nanoseconds; by LINE_RULES_2
 *     later than that of the piece before
 * @last_time: when its last look arrived; 0 without one
 * @n_looks: looks that are there
 * @status: never #LINE_STATUS_UNDECIDED by the recipe's min-looks, which the
 *     table does not know, only by 0 looks; by LINE_RULES_2 what is decided
 *     after its deadline is #LINE_STATUS_LATE without any look, too
 * @looks: cups x views of them, looks[c * views + v]
 *
 * A piece that is to be decided now.
 */
typedef struct
{
  guint64 piece;
  gint64 trigger_time, last_time;
  guint n_looks;
  LineStatus status;
  LineLook looks[LINE_MAX_LOOKS];
} LinePiece;

/**
 * LineCounts:
 * @triggers: that came
 * @in_time: tensors that came before nine tenths of the deadline had passed
 *     since their trigger
 * @late: tensors that came later
 * @refused: tensors of a trigger that has not come, or a view that had one: they
 *     are in none of the others
 * @losses: tensors that are known not to come, by the reason
 *
 * When each tensor has come or is lost, @triggers x views = @in_time + @late +
 * the sum of @losses.
 */
typedef struct
{
  guint64 triggers, in_time, late, refused, losses[LINE_N_LOSSES];
} LineCounts;

/* Returns: the sum of the losses */
guint64 line_counts_get_lost (const LineCounts * counts);

/**
 * LineTable:
 *
 * A lane's pieces between their first trigger and their decision: a shift
 * register. (trigger, view, cup) is a look of piece trigger - cup. It knows no
 * clock: times are given, in nanoseconds, and never go back. Not thread-safe.
 *
 * By LINE_RULES_1 whatever happens decides what is settled or due by then. By
 * LINE_RULES_2 only line_table_tick() decides, one piece at a time: so all that
 * has come can be told before a piece is decided without it, and each decision
 * has a time of its own.
 *
 * The pieces before the first trigger's, which entered before the line was
 * watched, are not decided.
 */
typedef struct _LineTable LineTable;

/* Called for each piece, in order. The looks' data remains the table's. */
typedef void (*LineDecide) (const LinePiece * piece, gpointer user);

/* @deadline: of a piece after its last trigger, in nanoseconds; at nine tenths
 * of it a piece is decided with what there is. @free_data: of the looks' data;
 * may be NULL. */
LineTable *line_table_new (LineRules rules, guint views, guint cups,
    gint64 deadline, LineDecide decide, GDestroyNotify free_data,
    gpointer user);
/* Frees it without deciding what is left; see line_table_finish(). */
void line_table_free (LineTable * table);

/* The next trigger is told of at @time. @came: when it came, which deadlines
 * count from; 0: at @time. By LINE_RULES_2 a trigger that came no later than the
 * one before counts as a nanosecond later. */
void line_table_trigger (LineTable * table, gint64 time, gint64 came);

/* A tensor of @trigger and @view: takes @data for up to cups pieces, or for none
 * if they are decided. Returns: FALSE if it is refused; @data is freed then */
gboolean line_table_look (LineTable * table, guint64 trigger, guint view,
    gint64 time, gpointer data);

/* The tensor of @trigger and @view will not come, for @loss. Once for each: of
 * triggers whose pieces were decided long ago nothing else is known. */
void line_table_lost (LineTable * table, guint64 trigger, guint view,
    LineLoss loss, gint64 time);

/* Decides pieces of which nothing more is waited for at @time; by LINE_RULES_2
 * the next one only. */
void line_table_tick (LineTable * table, gint64 time);

/* When line_table_tick() has something to do next: G_MAXINT64 for never,
 * G_MININT64 for a piece that waits for nothing. */
gint64 line_table_next_due (const LineTable * table);

/* No further trigger comes: decides all pieces that have had their last
 * trigger; others are dropped, as those before the first trigger are. */
void line_table_finish (LineTable * table, gint64 time);

/* The piece that is decided next */
guint64 line_table_get_next (const LineTable * table);

LineCounts line_table_get_counts (const LineTable * table);

/* A counter of 64 bits from a camera's frame id of 16 bits, which runs from 1
 * to 65535 and on with 1 (GigE Vision). @last: the counter before, from 0.
 * Returns: the nearest counter, forwards or back, whose id is @id; @last for
 * the id 0, which is none */
guint64 line_unwrap_id (guint64 last, guint16 id);
