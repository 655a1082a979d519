/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The arithmetic of marching squares that the CPU and the GPU share, compiled
 * as C and as device code so that the two cannot drift apart. Compile without
 * contraction of multiplications and additions.
 */

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define CS_MATH_FN static __host__ __device__ __forceinline__
#define CS_MATH_CONSTEXPR static constexpr __host__ __device__ __forceinline__
#else
#define CS_MATH_FN static inline
#define CS_MATH_CONSTEXPR static inline
#endif

/* Edges of a cell: top, right, bottom, left. */
#define CS_EDGE_T 0
#define CS_EDGE_R 1
#define CS_EDGE_B 2
#define CS_EDGE_L 3

/* Case bits: set where the pixel is above the level. */
#define CS_CASE_UL 1
#define CS_CASE_UR 2
#define CS_CASE_LL 4
#define CS_CASE_LR 8

CS_MATH_CONSTEXPR int
cs_case_is_saddle (int cell_case)
{
  return cell_case == 6 || cell_case == 9;
}

CS_MATH_CONSTEXPR int
cs_case_n_segments (int cell_case)
{
  return cell_case == 0 || cell_case == 15 ? 0 :
      cs_case_is_saddle (cell_case) ? 2 : 1;
}

/* The segments of a case, low values to the left: edge indices of the first
 * segment's from (bits 0-1) and to (bits 2-3), the second's in bits 4-7.
 * One byte for each case, 16 cases in two words. */
CS_MATH_CONSTEXPR int
cs_case_segments (int cell_case, int high)
{
  const uint64_t first = high ? 0x0993080B0D010C00u : 0x09B1080B0D010C00u;
  const uint64_t second = high ? 0x000304070E02E406u : 0x000304070E026C06u;

  return (int) (((cell_case & 8 ? second : first) >> (8 * (cell_case & 7))) &
      0xff);
}

/* Interpolation parameter of the level between two samples, one above it and
 * one not: 0 at @from, 1 at @to; the middle if a sample is infinite. */
CS_MATH_FN double
cs_crossing_fraction (double from, double to, double level)
{
  const double span = to - from;

  if (isinf (from) || isinf (to))
    return .5;
  if (span == 0.)
    return 0.;
  /* the difference overflows; that of the halves does not */
  if (isinf (span))
    return (.5 * level - .5 * from) / (.5 * to - .5 * from);
  return (level - from) / span;
}

/* Whether a crossing's coordinate along its edge coincides with a pixel; false
 * for NaN, next to a NaN sample. */
CS_MATH_FN int
cs_crossing_is_collapsed (double position)
{
  return (double) (int32_t) (position > 0. ? position : 0.) == position;
}

/*
 * Measures.
 *
 * A contour's points, as published, are p[0] .. p[n - 1]; d[i] = p[i] - p[0] in
 * double. Term i = 0 .. n - 2 belongs to segment p[i] -> p[i + 1]. Every sum is
 * taken in this order, which suits SIMD of any width, warps and long contours:
 *   - terms are grouped into blocks of CS_SUM_BLOCK consecutive ones;
 *   - within a block, lane l = 0 .. 31 starts at +0 and adds the block's terms
 *     l, l + 32, l + 64, ... in that order;
 *   - tree reduction: for o = 16, 8, 4, 2, 1: lane[l] += lane[l + o], l < o;
 *   - the sum starts at +0 and adds lane[0] of every block in order.
 * A missing term may be left out or added as +0: the result is the same.
 */
#define CS_SUM_LANES 32
#define CS_SUM_BLOCK 256

/* Twice the signed area of the triangle origin, (x0, y0), (x1, y1). */
CS_MATH_FN double
cs_term_cross (double x0, double y0, double x1, double y1)
{
  return x0 * y1 - x1 * y0;
}

CS_MATH_FN double
cs_term_length (double x0, double y0, double x1, double y1)
{
  const double ex = x1 - x0, ey = y1 - y0;

  return sqrt (ex * ex + ey * ey);
}

/* Number of sums for the moments: those of m00 .. m03. */
#define CS_N_MOMENTS 10

/* The term of moment @m (m00 m10 m01 m20 m11 m02 m30 m21 m12 m03), before the
 * division by cs_moment_divisor(): Green's theorem on a polygon's edge. */
CS_MATH_FN double
cs_term_moment (int m, double cross, double x0, double y0, double x1, double y1)
{
  switch (m) {
    case 0:
      return cross;
    case 1:
      return cross * (x0 + x1);
    case 2:
      return cross * (y0 + y1);
    case 3:
      return cross * (x0 * x0 + x0 * x1 + x1 * x1);
    case 4:
      return cross * (x0 * (2. * y0 + y1) + x1 * (y0 + 2. * y1));
    case 5:
      return cross * (y0 * y0 + y0 * y1 + y1 * y1);
    case 6:
      return cross * ((x0 + x1) * (x0 * x0 + x1 * x1));
    case 7:
      return cross * (x0 * x0 * (3. * y0 + y1) + 2. * x0 * x1 * (y0 + y1) +
          x1 * x1 * (y0 + 3. * y1));
    case 8:
      return cross * (y0 * y0 * (3. * x0 + x1) + 2. * y0 * y1 * (x0 + x1) +
          y1 * y1 * (x0 + 3. * x1));
    default:
      return cross * ((y0 + y1) * (y0 * y0 + y1 * y1));
  }
}

CS_MATH_FN double
cs_moment_divisor (int m)
{
  return m == 0 ? 2. : m <= 2 ? 6. : m == 4 ? 24. : m <= 5 ? 12. :
      m == 6 || m == 9 ? 20. : 60.;
}

CS_MATH_FN double
cs_clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

/* A coordinate of the centroid, from the sums over the terms: @cross of the
 * cross products, @length of the lengths, @moment of cross * (d[i] + d[i + 1]),
 * @length_moment of length * (d[i] + d[i + 1]), in that coordinate. Clamped to
 * the bounding box [@low, @high], which slivers leave by rounding. */
CS_MATH_FN double
cs_centroid (int closed, double first, double cross, double length,
    double moment, double length_moment, double low, double high)
{
  if (closed && cross != 0.)
    return cs_clamp (first + moment / (3. * cross), low, high);
  if (length > 0.)
    return cs_clamp (first + length_moment / (2. * length), low, high);
  return first;
}

/*
 * Hierarchy.
 *
 * The contour enclosing a contour A, closed or open, is found with a ray cast
 * to the left from A's first segment s, along the top of its row of cells, just
 * below the pixels. It hits a segment of another contour B, or leaves the
 * image: then nothing encloses A. If B is closed and hit from its inside, B
 * encloses A; otherwise A is enclosed by what encloses B. Only closed contours
 * have a parent.
 *
 * The segment hit is always in the nearest cell to the left that has any, and
 * of two in that cell the one on the right edge; the ray need not cross it.
 * Within s's own cell the ray hits the other segment only if that lies between
 * s and the cell's upper left corner: L to B (or back) when its end has
 * collapsed onto that corner, and T to L when s is B to R.
 *
 * No segment of A lies to the left of s. So the upper left corner of s's cell
 * is outside A.
 *
 * The direction of a segment tells its high side. @from and @to are edges;
 * @at_top: the segment's end on the left (right) edge has collapsed onto the
 * upper pixel of that edge, so that the ray passes below it.
 */

/* Whether the ray leaving the segment's cell to the left is on the high
 * side. */
CS_MATH_FN int
cs_left_ray_is_high (int from, int to, int at_top)
{
  if (from == CS_EDGE_L || to == CS_EDGE_L)
    return (to == CS_EDGE_L) != at_top;
  return from == CS_EDGE_T || to == CS_EDGE_B;
}

/* Whether a ray hitting the segment from the right is on the high side. */
CS_MATH_FN int
cs_right_ray_is_high (int from, int to, int at_top)
{
  if (from == CS_EDGE_R || to == CS_EDGE_R)
    return (from == CS_EDGE_R) != at_top;
  return to == CS_EDGE_T || from == CS_EDGE_B;
}

/* Whether a saddle's first segment lies to the right of its second: R to T (or
 * back) and L to B, not T to L and B to R. */
CS_MATH_FN int
cs_saddle_begins_right (int cell_case, int high)
{
  return (cell_case == 6) != high;
}
