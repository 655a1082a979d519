/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "same_piece_belt.h"

/* None of its pictures came. */
#define NO_LOOKS G_MAXINT64

/* Pieces that the PLC's number has led back to */
extern guint64 world_n_back;

/**
 * Decision:
 * @from: when its first look was taken
 * @cup: that all its looks show; -1: they show several; NO_LOOKS
 *
 * What the line has decided of a piece.
 */
typedef struct
{
  gint64 from, cup;
} Decision;

/**
 * Act:
 * @time: when
 * @cup: that was before the outlets
 * @decision: that the PLC took for its; -1: none
 *
 * What the PLC has done with a piece.
 */
typedef struct
{
  gint64 time, cup;
  gint decision;
} Act;

/**
 * Past:
 * @told: when the line has told that pieces have other numbers than they had,
 *     or may have
 * @read: when readings that came were asked for
 * @clear: of these, those that came within a quarter of the time between triggers,
 *     so that times tell which is which
 * @failed: when the line has told that the PLC does not answer
 * @belt: the truth
 *
 * All that was in a script.
 */
typedef struct
{
  GArray *decisions, *acts, *told, *read, *clear, *failed;
  guint new_runs;
  Belt belt;
} Past;

/* @by_counting: line and PLC count their triggers, and never compare. */
Past *past_new (const Script * script, gboolean by_counting);
void past_free (Past * past);
