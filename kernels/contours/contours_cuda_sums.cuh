/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: measures of contours from their points, by lanes and warps. */

#include "base/cuda_warp.cuh"
#include "contours_cuda.cuh"
#include "contours_cuda_block.cuh"
#include "contours_math.h"

#define RECORD_WORDS (sizeof (CsContour) / 8)

static_assert (sizeof (CsContour) == 13 * 8, "a record has 13 words");

static __device__ __forceinline__ Points
points_of (const CsFrame * f)
{
  const Points points = { f->raw.points, f->points_are_double };

  return points;
}

static __device__ __forceinline__ CsU64
pair (uint32_t low, uint32_t high)
{
  return low | (CsU64) high << 32;
}

static __device__ __forceinline__ CsU64
bits (double value)
{
  return (CsU64) __double_as_longlong (value);
}

/* Applies the filters to a contour, for select_contours(). */
static __device__ void
filter_contour (const CsFrame * f, uint32_t index, uint32_t target,
    uint32_t n_points, double area)
{
  const bool keep = n_points >= f->min_points &&
      cs_target_takes (f, target, fabs (area));

  f->new_index[index] = keep;
  if (keep)
    atomicAdd (&f->selected[index / CS_CONTOURS_PER_CHUNK],
        cs_pack (1, n_points));
}

/* Word @n of a contour's record. */
template <int M> static __device__ __forceinline__ CsU64
record_word (const CsFrame * f, uint32_t n, uint32_t index, uint32_t target,
    bool closed, double2 origin, const CsSums & sums)
{
  const double area = .5 * sums.cross;
  const bool hole = closed && (f->reversed ? area > 0. : area < 0.);

  if (n == 0)
    return pair ((uint32_t) f->first_id + index, (uint32_t) -1);
  if (n == 1)
    return pair ((uint32_t) cs_target_class (f, target), f->image_index);
  if (n == 2)
    return pair (0, (closed ? CS_CONTOUR_CLOSED : 0) |
        (hole ? CS_CONTOUR_HOLE : 0));
  if (n == 3)
    return bits (cs_target_level (f, target) * f->level_scale);
  if (n == 4)
    return bits (area);
  if (M < CS_MEASURES_BASIC || n > 11)
    return bits (NAN);
  if (n == 6 || n == 7) {
    /* one division for both lanes */
    const bool y = n == 7;

    return bits (cs_centroid (closed, y ? origin.y : origin.x, sums.cross,
            sums.length, y ? sums.cross_y : sums.cross_x,
            y ? sums.length_y : sums.length_x, y ? sums.y0 : sums.x0,
            y ? sums.y1 : sums.x1));
  }
  return bits (n == 5 ? sums.length : n == 8 ? sums.x0 : n == 9 ? sums.y0 :
      n == 10 ? sums.x1 : sums.y1);
}

/* A contour to measure: its index, its points, and target | CS_CLOSED. */
struct Subject
{
  uint32_t index, first, length, kind;
};

/* @LANES lanes write the record of a contour from its sums; also to the host,
 * unless it is copied later. */
template <int M, int LANES> static __device__ __forceinline__ void
write_record (const CsFrame * f, const Points & points, const Subject & subject,
    const CsSums & sums)
{
  const uint32_t lane = threadIdx.x % LANES, index = subject.index;
  const bool closed = (subject.kind & CS_CLOSED) != 0;
  const uint32_t target = subject.kind & ~CS_CLOSED;
  const double2 origin = points.at (subject.first);

#pragma unroll
  for (uint32_t n = 0; n < RECORD_WORDS; n += LANES) {
    if (n + lane < RECORD_WORDS) {
      const CsU64 word = record_word<M> (f, n + lane, index, target, closed,
          origin, sums);

      ((CsU64 *) &f->raw.contours[index])[n + lane] = word;
      if (f->direct && f->host.contours)
        ((CsU64 *) &f->host.contours[index])[n + lane] = word;
    }
  }
  if (M >= CS_MEASURES_FULL) {
#pragma unroll
    for (int m = 0; m < CS_N_MOMENTS; m++) {
      if (lane == m)
        f->raw.moments[index].m[m] = sums.moments[m] / cs_moment_divisor (m);
    }
  }
  if (f->late_filter && lane == 0)
    filter_contour (f, index, target, subject.length + 1, .5 * sums.cross);
}

/* Block @block of a long contour; its sums are stored at @item, beside those of
 * the contour's other blocks. The last warp to finish writes the record. */
template <int M> static __device__ void
measure_item (const CsFrame * f, const Points & points,
    const Subject & subject, uint32_t item, uint32_t block)
{
  const int lane = threadIdx.x % 32;
  const uint32_t n = (subject.length + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK;
  const uint32_t start = block * CS_SUM_BLOCK;
  uint32_t n_done = 0;
  CsSums sums;

  sum_block<M> (points, subject.first, subject.first + start,
      min (subject.length - start, CS_SUM_BLOCK), sums);
  if (n == 1) {
    write_record<M, 32> (f, points, subject, sums);
    return;
  }
  if (lane == 0) {
    f->sums[item] = sums;
    __threadfence ();
    n_done = atomicAdd (&f->contour_done[subject.index], 1) + 1;
    __threadfence ();
  }
  if (__shfl_sync (CS_ALL_LANES, n_done, 0) != n)
    return;
  sum_items (&f->sums[item - block], n, sums);
  write_record<M, 32> (f, points, subject, sums);
}

/* Short contours, up to CS_SUM_LANES terms, several to a warp: GROUP lanes
 * each, every one of which holds the partial sums of lanes l, l + GROUP, ... */
#define GROUP 8
#define ROWS (CS_SUM_LANES / GROUP)

static __device__ __forceinline__ double
group_sum (const double * lane)
{
  static_assert (ROWS == 4, "the first two steps are within a lane");
  double sum = (lane[0] + lane[2]) + (lane[1] + lane[3]);

  return cs_group_sum<GROUP> (sum);
}

/* As sum_block(), for at most CS_SUM_LANES terms. */
template <int M> static __device__ __forceinline__ void
sum_group (const Points & points, uint32_t first, uint32_t n_terms,
    CsSums & sums)
{
  const uint32_t lane = threadIdx.x % GROUP;
  double cross[ROWS] = { 0. }, length[ROWS] = { 0. };
  double cross_x[ROWS] = { 0. }, cross_y[ROWS] = { 0. };
  double length_x[ROWS] = { 0. }, length_y[ROWS] = { 0. };
  double2 origin = { 0., 0. };

  sums.x0 = sums.y0 = INFINITY;
  sums.x1 = sums.y1 = -INFINITY;
  if (n_terms)
    origin = points.at (first);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const uint32_t i = r * GROUP + lane;

    if (i >= n_terms)
      continue;
    const double2 p = points.at (first + i);
    const double2 q = points.at (first + i + 1);
    const double ax = p.x - origin.x, ay = p.y - origin.y;
    const double bx = q.x - origin.x, by = q.y - origin.y;

    cross[r] = 0. + cs_term_cross (ax, ay, bx, by);
    if (M >= CS_MEASURES_BASIC) {
      const double l = cs_term_length (ax, ay, bx, by);

      length[r] = l;
      cross_x[r] = 0. + cross[r] * (ax + bx);
      cross_y[r] = 0. + cross[r] * (ay + by);
      length_x[r] = 0. + l * (ax + bx);
      length_y[r] = 0. + l * (ay + by);
      sums.x0 = fmin (sums.x0, fmin (p.x, q.x));
      sums.y0 = fmin (sums.y0, fmin (p.y, q.y));
      sums.x1 = fmax (sums.x1, fmax (p.x, q.x));
      sums.y1 = fmax (sums.y1, fmax (p.y, q.y));
    }
  }
  sums.cross = group_sum (cross);
  if (M >= CS_MEASURES_BASIC) {
    sums.length = group_sum (length);
    sums.cross_x = group_sum (cross_x);
    sums.cross_y = group_sum (cross_y);
    sums.length_x = group_sum (length_x);
    sums.length_y = group_sum (length_y);
    sums.x0 = cs_group_min<GROUP> (sums.x0);
    sums.y0 = cs_group_min<GROUP> (sums.y0);
    sums.x1 = cs_group_max<GROUP> (sums.x1);
    sums.y1 = cs_group_max<GROUP> (sums.y1);
  }
}

/* Each group of lanes measures its subject, unless that is not short. */
template <int M> static __device__ __forceinline__ void
measure_group (const CsFrame * f, const Points & points, Subject subject)
{
  CsSums sums;

  if (subject.length > f->max_short)
    subject.length = 0;
  if (!__any_sync (CS_ALL_LANES, subject.length))
    return;
  sum_group<M> (points, subject.first, subject.length, sums);
  if (subject.length)
    write_record<M, GROUP> (f, points, subject, sums);
}
