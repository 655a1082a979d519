/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "loss.h"

/**
 * LineJudge:
 * @n_pixels: rows x columns of a view
 * @n_classes: values of a pixel
 * @is_exclusive: whether the probabilities of a pixel add up to 1
 * @is_logits: whether the tensor has logits, not probabilities
 * @fruit: bits of the classes that are fruit
 * @level: of their sum, from which on a pixel is fruit
 * @least_fruit: pixels of fruit that a view without one has not
 *
 * What the tensor of a view is to be.
 */
typedef struct
{
  gsize n_pixels;
  guint n_classes;
  gboolean is_exclusive, is_logits;
  guint64 fruit;
  gdouble level;
  gsize least_fruit;
} LineJudge;

/**
 * LineVerdict:
 * @loss: what is wrong; of several things the first of LINE_LOSS_NOT_FINITE,
 *     LINE_LOSS_OUT_OF_RANGE, LINE_LOSS_SUM and LINE_LOSS_CONSTANT
 * @n_values: how many are not finite, of LINE_LOSS_NOT_FINITE
 * @least: value, of LINE_LOSS_OUT_OF_RANGE
 * @greatest: value, of LINE_LOSS_OUT_OF_RANGE
 * @sum: of a pixel, the furthest from 1, of LINE_LOSS_SUM
 * @digest: of a tensor with nothing wrong: never 0, the same of the same bits, as
 *     they came, and another one of others
 *
 * Why a tensor cannot be believed.
 */
typedef struct
{
  LineLoss loss;
  gsize n_values;
  gfloat least, greatest, sum;
  guint64 digest;
} LineVerdict;

/* Judges the view @tensor, pixels x classes; logits are made probabilities in
 * place, and always the same bits of the same logits. Returns: FALSE with
 * @verdict set if it must not be used; what it has then is undefined */
gboolean line_judge_view (const LineJudge * judge, gfloat * tensor,
    LineVerdict * verdict);

/* Of probabilities: whether @tensor shows fruit. */
gboolean line_judge_has_fruit (const LineJudge * judge,
    const gfloat * tensor);

#define LINE_DIGEST_WORDS 16

/**
 * LineJudging:
 *
 * The same in parts, as they are read: what has just been read is in the cache.
 */
typedef struct
{
  /*< private > */
  const LineJudge *judge;
  gfloat *tensor;
  gsize n_judged;
  gboolean has_bad_values, has_bad_sums, is_constant;
  guint32 digest[LINE_DIGEST_WORDS];
  LineVerdict verdict;
} LineJudging;

void line_judging_begin (LineJudging * judging, const LineJudge * judge,
    gfloat * tensor);

/* Pixels that the next part is to have: a part fits into a core's cache. 0 when
 * there are none left */
gsize line_judging_get_step (const LineJudging * judging);

/* The next @n pixels are there. */
void line_judging_add (LineJudging * judging, gsize n);

/* When all are. Returns: as line_judge_view() */
gboolean line_judging_end (LineJudging * judging, LineVerdict * verdict);

/* (transfer full): what is wrong, and what to do. */
char *line_verdict_describe (const LineVerdict * verdict);
