/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_JUDGE_H
#define LINE_JUDGE_H

#include "loss.h"

G_BEGIN_DECLS

/**
 * LineJudge:
 * @n_pixels: rows x columns of a view
 * @n_classes: values of a pixel
 * @is_exclusive: whether the probabilities of a pixel add up to 1
 * @is_logits: whether the tensor has logits, not probabilities
 *
 * What the tensor of a view is to be.
 */
typedef struct
{
  gsize n_pixels;
  guint n_classes;
  gboolean is_exclusive, is_logits;
} LineJudge;

/**
 * LineVerdict:
 * @loss: what is wrong; of several things the first of LINE_LOSS_NOT_FINITE,
 *     LINE_LOSS_OUT_OF_RANGE, LINE_LOSS_SUM and LINE_LOSS_CONSTANT
 * @n_values: how many are not finite, of LINE_LOSS_NOT_FINITE
 * @least: value, of LINE_LOSS_OUT_OF_RANGE
 * @greatest: value, of LINE_LOSS_OUT_OF_RANGE
 * @sum: of a pixel, the furthest from 1, of LINE_LOSS_SUM
 *
 * Why a tensor cannot be believed.
 */
typedef struct
{
  LineLoss loss;
  gsize n_values;
  gfloat least, greatest, sum;
} LineVerdict;

/* Judges the view @tensor, pixels x classes; logits are made probabilities in
 * place before, and always the same bits of the same logits. Returns: FALSE with
 * @verdict set if it must not be used; what it has then is undefined */
gboolean line_judge_view (const LineJudge * judge, gfloat * tensor,
    LineVerdict * verdict);

/* (transfer full): what is wrong, and what to do. */
char *line_verdict_describe (const LineVerdict * verdict);

G_END_DECLS

#endif /* LINE_JUDGE_H */
