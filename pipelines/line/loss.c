/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "loss.h"

const char *const line_loss_names[LINE_N_LOSSES] = {
  [LINE_LOSS_UNFIT] = "unfit",
  [LINE_LOSS_CROWDED] = "crowded",
  [LINE_LOSS_SLOW] = "slow",
  [LINE_LOSS_MISSING] = "missing",
  [LINE_LOSS_INCOMPLETE] = "incomplete",
  [LINE_LOSS_STOPPED] = "stopped",
  [LINE_LOSS_NOT_FINITE] = "not-finite",
  [LINE_LOSS_OUT_OF_RANGE] = "out-of-range",
  [LINE_LOSS_SUM] = "sum",
  [LINE_LOSS_CONSTANT] = "constant",
  [LINE_LOSS_FROZEN] = "frozen",
};

guint32
line_lost_views_get_all (const LineLostViews * lost)
{
  guint32 all = 0;

  for (guint i = 0; i < LINE_N_LOSSES; i++)
    all |= lost->by[i];
  return all;
}
