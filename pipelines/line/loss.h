/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineLoss:
 * @LINE_LOSS_UNFIT: it had no good tensors, or its shapes could not be found
 * @LINE_LOSS_CROWDED: it found the lane's queue full
 * @LINE_LOSS_SLOW: it was not made, for the source was too far behind for any
 *     piece to wait for it
 * @LINE_LOSS_MISSING: its picture did not come in time from the camera
 * @LINE_LOSS_INCOMPLETE: its picture did not come whole
 * @LINE_LOSS_STOPPED: it was not made any more, for the line was stopped
 * @LINE_LOSS_NOT_FINITE: a probability is NaN or infinite
 * @LINE_LOSS_OUT_OF_RANGE: a probability is less than 0 or greater than 1
 * @LINE_LOSS_SUM: the probabilities of a pixel do not add up to 1, though the
 *     recipe's classes exclude each other
 * @LINE_LOSS_CONSTANT: all pixels have the same probabilities
 * @LINE_LOSS_FROZEN: it shows fruit, and is that of a trigger before
 *
 * Why a frame, a view of a trigger, is lost.
 */
typedef enum
{
  LINE_LOSS_UNFIT,
  LINE_LOSS_CROWDED,
  LINE_LOSS_SLOW,
  LINE_LOSS_MISSING,
  LINE_LOSS_INCOMPLETE,
  LINE_LOSS_STOPPED,
  LINE_LOSS_NOT_FINITE,
  LINE_LOSS_OUT_OF_RANGE,
  LINE_LOSS_SUM,
  LINE_LOSS_CONSTANT,
  LINE_LOSS_FROZEN,
  LINE_N_LOSSES,
} LineLoss;

/* As they are written. */
extern const char *const line_loss_names[LINE_N_LOSSES];

/**
 * LineLostViews:
 * @by: by #LineLoss, bits of the views that are lost for it
 *
 * Views of a trigger that are not there; each for one reason.
 */
typedef struct
{
  guint32 by[LINE_N_LOSSES];
} LineLostViews;

/* Returns: bits of all of them */
guint32 line_lost_views_get_all (const LineLostViews * lost);
