/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_SET_CUH
#define CS_HULL_SET_CUH

/* What the kernels of a single set share. */

#include "hull_steps.cuh"

/**
 * HullSet:
 * @arrived, @done: blocks that have arrived at the barrier, and have finished
 * @n_survivors: points after the first pass; stored in @xy and @index if they
 *     are at most @capacity
 * @n_second: points after the second pass; @second are their indices
 * @n_ignored: points that are not finite
 * @n_ordered: finite points of the last step
 * @last: the points of the last step, if the second pass ran
 * @ordered, @chain_bits: their indices in lexicographic order, and their chains
 *     (1 lower, 2 upper)
 * @extreme, @extreme_2: for each direction the extreme point of the sample
 *     (key, index), 0 if there is none
 * @strict: for the output
 *
 * State of a run on the device.
 */
struct HullSet
{
  guint32 arrived, done;
  guint32 n_survivors, n_second, n_ignored, n_ordered;
  double2 last[CS_HULL_BLOCK_POINTS];
  guint32 ordered[CS_HULL_BLOCK_POINTS];
  guint8 chain_bits[CS_HULL_BLOCK_POINTS];
  guint32 capacity;
  double2 *xy;
  guint32 *index, *second;
  double2 *strict;
  unsigned long long extreme[CS_HULL_DIRECTIONS];
  unsigned long long extreme_2[CS_HULL_DIRECTIONS_2];
};

/* Type in which coordinates of type T are subtracted. */
template <typename T> struct RealOf { typedef double type; };
template <> struct RealOf<float> { typedef float type; };

#endif /* CS_HULL_SET_CUH */
