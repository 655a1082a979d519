/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where sides cross rows, and what a sample is: the same bits on the CPU and
 * the GPU. Compile without contraction. */

#include <glib.h>

#ifdef __CUDACC__
#define CS_STATS_FN static __host__ __device__ __forceinline__
#else
#define CS_STATS_FN static inline
#endif

/* The coordinate @value of a point, in pixels. */
CS_STATS_FN double
cs_stats_place (float value, double scale)
{
  return (value + .5) * scale - .5;
}

/* The next integer that is not less, between 0 and @limit; 0 for NaN. Without
 * branches, which could not be foreseen. */
CS_STATS_FN gint
cs_stats_ceil (double value, double limit)
{
  double clipped = value > 0 ? value : 0;

  clipped = clipped < limit ? clipped : limit;
  const gint below = (gint) clipped;
  return below + (below < clipped);
}

/* The first pixel at or to the right of where the side from (@ax, @ay) to
 * (@bx, @by) crosses row @y. It is followed from its upper end whichever way
 * the ring goes, so that the regions on both sides have the same crossings.
 * Divided last: a crossing at a pixel's centre is exactly there. */
CS_STATS_FN gint
cs_stats_cross (double ax, double ay, double bx, double by, gint y,
    double width)
{
  const double upper_x = ay < by ? ax : bx, lower_x = ay < by ? bx : ax;
  const double upper_y = ay < by ? ay : by, lower_y = ay < by ? by : ay;

  return cs_stats_ceil (upper_x + (y - upper_y) * (lower_x - upper_x) /
      (lower_y - upper_y), width);
}

/* Whether none of a side's coordinates is NaN or infinite; others do not
 * count. */
CS_STATS_FN gboolean
cs_stats_is_finite (double ax, double ay, double bx, double by)
{
  const double sum = ax + ay + bx + by;

  return sum - sum == 0;
}

/* Luma of codes of 8 bits, in steps of 1 / 256, and of more bits; @weights are
 * in steps of 1 / 65536. */
CS_STATS_FN gint32
cs_stats_luma (const gint32 weights[3], gint32 red, gint32 green, gint32 blue)
{
  return (weights[0] * red + weights[1] * green + weights[2] * blue + 128) >> 8;
}

CS_STATS_FN gint32
cs_stats_wide_luma (const gint32 weights[3], gint64 red, gint64 green,
    gint64 blue)
{
  return (gint32) ((weights[0] * red + weights[1] * green +
          weights[2] * blue + 32768) >> 16);
}

/* A probability, in steps of 1 / 65535: what is above 1 is 1, and NaN, like
 * what is below 0, is 0. */
CS_STATS_FN gint32
cs_stats_round_share (double share)
{
  return share >= 1 ? 65535 : share > 0 ? (gint32) (share * 65535 + .5) : 0;
}
