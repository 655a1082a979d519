/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "aggregate.h"
#include "table.h"

/**
 * LineDoubt:
 * @LINE_DOUBT_LOST: looks are not there
 * @LINE_DOUBT_NO_FRUIT: looks do not show the fruit that others show
 * @LINE_DOUBT_SHAPE: looks show the fruit cut off, or of different forms
 * @LINE_DOUBT_COVERAGE: too little of the surface was seen
 * @LINE_DOUBT_INCONSISTENT: looks contradict the rotation
 * @LINE_DOUBT_NO_CLASS: there is a large blemish of no class
 * @LINE_DOUBT_LATE: it was decided after its deadline
 * @LINE_DOUBT_NUMBER: which of the PLC's pieces it is is not known
 *
 * Why a piece is not `ok`.
 */
typedef enum
{
  LINE_DOUBT_LOST,
  LINE_DOUBT_NO_FRUIT,
  LINE_DOUBT_SHAPE,
  LINE_DOUBT_COVERAGE,
  LINE_DOUBT_INCONSISTENT,
  LINE_DOUBT_NO_CLASS,
  LINE_DOUBT_LATE,
  LINE_DOUBT_NUMBER,
  LINE_N_DOUBTS,
} LineDoubt;

/* As they are written. */
extern const char *const line_doubt_names[LINE_N_DOUBTS];

/**
 * LineOutcome:
 * @outlet: where the piece goes
 * @status: with the recipe's min-looks
 * @doubts: bits of #LineDoubt; 0 for all pieces by LINE_RULES_1
 * @is_empty: nothing lay in the cup, which is known
 * @reasons: array of char *, freed with it
 */
typedef struct
{
  guint outlet;
  LineStatus status;
  guint doubts;
  gboolean is_empty;
  GPtrArray *reasons;
} LineOutcome;

/* Returns: bits of #LineDoubt: why a piece, by LINE_RULES_2, is not `ok`.
 * @status: by the looks that came, and when */
guint line_find_doubts (const LineGeometry * geometry,
    const LineRecipe * recipe, const LinePiece * piece,
    const LineMeasures * measures, LineStatus status);

/* Applies the recipe's rules to a piece with @n_looks looks. @measures: not
 * looked at with fewer than min-looks: such a piece goes where undecided ones do,
 * also if by LINE_RULES_2 it is late, or one of LINE_DOUBT_NUMBER. @status: by the looks that came, and when;
 * with @doubts an `ok` piece becomes `partial`. */
void line_decide (const LineRecipe * recipe, const LineMeasures * measures,
    guint n_looks, LineStatus status, guint doubts, LineOutcome * outcome);
void line_outcome_clear (LineOutcome * outcome);

/**
 * LineDecision:
 * @rules: by which it was made, and is written
 * @to_tensor: latency in microseconds from the last view's trigger to its
 *     tensor
 * @to_shapes: from then until its shapes were found
 * @to_decision: from then until the decision
 * @run: of the line; 0 for none
 * @first: number of the lane's first piece
 * @has_plc: whether a PLC counts pieces, too
 * @plc_piece: its number of the piece, of 32 bits; -1 if it is not known
 * @plc_shift: by which the PLC's numbers of pieces, less the line's, have changed
 *     since the decision before
 * @lot: (nullable): of the piece
 * @encoder: that the PLC has noted with its first trigger; -1 for none
 *
 * All that a line of decisions.jsonl says. @piece: looks without data were not
 * there. @measures: all 0 for empty and undecided pieces.
 */
typedef struct
{
  LineRules rules;
  const char *line, *lane, *software, *lot;
  const LineGeometry *geometry;
  const LineRecipe *recipe;
  const LinePiece *piece;
  const LineMeasures *measures;
  const LineOutcome *outcome;
  guint run;
  guint64 first;
  gboolean has_plc;
  gint64 plc_piece, plc_shift;
  gint64 encoder, to_tensor, to_shapes, to_decision;
  gboolean is_simulated;
} LineDecision;

/* Returns: the number of its piece, which no other of its lane has had */
guint64 line_decision_get_number (const LineDecision * decision);

/* Returns: a line of JSON with its newline, to be freed with g_free() */
char *line_decision_to_json (const LineDecision * decision);
