/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_weights.h"

/* What the first register says */
#define VERSION 1

static guint32
get_long (const guint16 * at)
{
  return at[0] | (guint32) at[1] << 16;
}

gint64
line_plc_weights_get_period (const LinePlcConfig * plc, gdouble rate)
{
  return (gint64) MIN (plc->n_weights * 0.5 * G_USEC_PER_SEC / (plc->lanes
          * rate), G_USEC_PER_SEC);
}

guint
line_plc_weights_get_size (const LinePlcConfig * plc)
{
  return LINE_PLC_WEIGHTS_HEAD + LINE_PLC_WEIGHT * plc->n_weights;
}

/* Weight @number. Returns: FALSE if another one is in its place, or half of it */
static gboolean
get_weight (const LinePlcConfig * plc, const guint16 * values, guint32 number,
    LinePlcWeight * weight)
{
  const guint16 *at = values + LINE_PLC_WEIGHTS_HEAD
      + LINE_PLC_WEIGHT * (number % plc->n_weights);

  *weight = (LinePlcWeight) {get_long (at), at[2], at[3], 0};
  return at[4] == (guint16) (number + at[0] + at[1] + at[2] + at[3]);
}

guint
line_plc_weights_see (LinePlcWeights * weights, const LinePlcConfig * plc,
    const guint16 * values, LinePlcWeight found[LINE_PLC_MOST_WEIGHTS])
{
  const guint32 next = get_long (values + 2);
  guint n = 0;

  if (values[0] != VERSION || values[1] == 0)
    return 0;
  /* what was there before was of other pieces */
  if (!weights->begun || weights->epoch != values[1]
      || (gint32) (next - weights->next) < 0)
    weights->next = next;
  weights->begun = TRUE;
  weights->epoch = values[1];
  if (next - weights->next > plc->n_weights) {
    weights->missed += next - weights->next - plc->n_weights;
    weights->next = next - plc->n_weights;
  }
  for (; weights->next != next; weights->next++) {
    LinePlcWeight *weight = &found[n];

    if (!get_weight (plc, values, weights->next, weight))
      weights->missed++;
    else if (weight->lane >= plc->lanes || weight->tenths > 10 * plc->most_g)
      weights->refused++;
    else
      n++;
  }
  return n;
}
