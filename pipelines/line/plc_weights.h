/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_settings.h"

/* Registers before the weights, and of a weight; weights that are read in one
 * request, at most */
#define LINE_PLC_WEIGHTS_HEAD 4
#define LINE_PLC_WEIGHT 5
#define LINE_PLC_MOST_WEIGHTS 23

/**
 * LinePlcWeight:
 * @piece: as the PLC counts
 * @lane: its index, there is one
 * @tenths: of a gram
 * @n_tries: readings after which it was not known yet which piece it is
 *
 * What a piece weighs.
 */
typedef struct
{
  guint32 piece;
  guint lane, tenths, n_tries;
} LinePlcWeight;

/**
 * LinePlcWeights:
 * @begun: whether it has been read
 * @epoch: in which the PLC counts weights
 * @next: the one that is taken next
 * @missed: that were overwritten before they were read, or damaged
 * @refused: that cannot be
 *
 * The weights that a PLC notes, and which of them are new. Not thread-safe.
 */
typedef struct
{
  gboolean begun;
  guint epoch;
  guint32 next;
  guint64 missed, refused;
} LinePlcWeights;

/* Microseconds from one reading to the next: half of the time in which they are
 * overwritten. @rate: of triggers, a second */
gint64 line_plc_weights_get_period (const LinePlcConfig * plc, gdouble rate);

/* Returns: the registers of all of them */
guint line_plc_weights_get_size (const LinePlcConfig * plc);

/* The registers have been read. Returns: how many @found are new */
guint line_plc_weights_see (LinePlcWeights * weights,
    const LinePlcConfig * plc, const guint16 * values,
    LinePlcWeight found[LINE_PLC_MOST_WEIGHTS]);
