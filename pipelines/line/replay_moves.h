/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include <glib.h>

/**
 * LineReplayMoves:
 *
 * How many pieces went to which outlet, and go to which one now.
 */
typedef struct _LineReplayMoves LineReplayMoves;

LineReplayMoves *line_replay_moves_new (void);
void line_replay_moves_free (LineReplayMoves * moves);

/* A piece. Outlets are at most LINE_MAX_OUTLET. */
void line_replay_moves_add (LineReplayMoves * moves, guint from, guint to);

/* Prints a table, a row for each outlet of the recording and a column for each
 * outlet now, of those that a piece has left or come to; nothing without. */
void line_replay_moves_print (LineReplayMoves * moves, FILE * out);
