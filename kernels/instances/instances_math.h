/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The arithmetic that the CPU and the GPU share, compiled as C and as device
 * code without contraction.
 *
 * An object's grid has *lines*: the edges of what clips it, and between them the
 * samples. Its nodes (c, r), where column line c and row line r cross, count from
 * 1; around them is a ring of nodes that are outside, c = 0 and c = n + 1, at
 * the place of the lines beside them. Cell (c, r) has node (c, r) at its upper
 * left. A node's value is the field's less the level. Of a row of nodes the bits
 * that are above 0 are in words of 32, from c = 0 on; a word of cells begins
 * where that of nodes does.
 */

#include "contours/contours_math.h"

/* What stands for infinity: products of two are finite, and where both meet
 * minus infinity wins. */
#define CS_INSTANCES_LARGE 1e30
#define CS_INSTANCES_INFINITE 1e60
#define CS_INSTANCES_MINUS_INFINITE (-1e120)

/* Points on a curve are 2^k - 1, with k up to this. */
#define CS_INSTANCES_MAX_SPLITS 10

/**
 * CsInstancesAxis:
 * @begin, @end: first and last line
 * @origin, @step: sample i is at origin + i * step
 * @first: the sample of line 2
 * @n: lines, at least 2
 * @tap, @fraction: of the first and the last line: between samples tap and
 *     tap + 1
 */
typedef struct
{
  double begin, end, origin, step;
  double fraction[2];
  int32_t tap[2];
  int32_t first;
  uint32_t n;
} CsInstancesAxis;

/**
 * CsInstancesGrid:
 * @first_value: index of node (1, 1)'s value; those of a row follow one another
 * @first_word: index of the first word of row 0
 * @words: words in a row
 * @margin: how far crossings stay away from nodes
 */
typedef struct
{
  CsInstancesAxis x, y;
  double margin;
  uint64_t first_value, first_word;
  uint32_t words;
  uint32_t field;
  int32_t class_id;
  uint32_t instance;
} CsInstancesGrid;

/* A sample or value as a number that can be computed with. */
CS_MATH_FN double
cs_instances_finite (float value)
{
  if (value > CS_INSTANCES_LARGE)
    return isinf (value) ? CS_INSTANCES_INFINITE : CS_INSTANCES_LARGE;
  if (value >= -CS_INSTANCES_LARGE)
    return value;
  return value < 0.f && !isinf (value) ? -CS_INSTANCES_LARGE :
      CS_INSTANCES_MINUS_INFINITE;
}

/* The opposite, which keeps the sign. */
CS_MATH_FN float
cs_instances_round (double value)
{
  if (value > CS_INSTANCES_LARGE)
    return value >= .5 * CS_INSTANCES_INFINITE ? INFINITY :
        (float) CS_INSTANCES_LARGE;
  if (value < -CS_INSTANCES_LARGE)
    return value > -.5 * CS_INSTANCES_INFINITE ? (float) -CS_INSTANCES_LARGE :
        -INFINITY;
  return value > 0. && value < 1e-37 ? 1e-37f : (float) value;
}

CS_MATH_FN double
cs_instances_between (double from, double to, double fraction)
{
  return fraction == 0. ? from : from + fraction * (to - from);
}

/* Sample @i of @size samples resized to @resized, as interpolate
 * (align_corners=False) does: it is @fraction behind the sample returned. */
CS_MATH_FN int32_t
cs_instances_resized (int32_t i, uint32_t size, uint32_t resized,
    double *fraction)
{
  const double at = cs_clamp ((i + .5) * ((double) size / resized) - .5, 0.,
      size - 1.);
  const int32_t tap = (int32_t) at;

  *fraction = at - tap;
  return tap;
}

/* Between four samples. */
CS_MATH_FN float
cs_instances_resize (float ul, float ur, float ll, float lr, double right,
    double down)
{
  return cs_instances_round (cs_instances_between (cs_instances_between
          (cs_instances_finite (ul), cs_instances_finite (ur), right),
          cs_instances_between (cs_instances_finite (ll),
              cs_instances_finite (lr), right), down));
}

/* Where line @line, 0 to n + 1, is. */
CS_MATH_FN double
cs_instances_line (const CsInstancesAxis * axis, uint32_t line)
{
  if (line <= 1)
    return axis->begin;
  if (line >= axis->n)
    return axis->end;
  return axis->origin + (double) (axis->first + (int32_t) line - 2) *
      axis->step;
}

/* The sample at or before line @line, 1 to n; and how far behind it the line
 * is. */
CS_MATH_FN int32_t
cs_instances_tap (const CsInstancesAxis * axis, uint32_t line, double *fraction)
{
  *fraction = line == 1 ? axis->fraction[0] : line == axis->n ?
      axis->fraction[1] : 0.;
  return line == 1 ? axis->tap[0] : line == axis->n ? axis->tap[1] :
      axis->first + (int32_t) line - 2;
}

/* Cells */

/* Words that have the bits of each corner at the cell's place. */
typedef struct
{
  uint32_t ul, ur, ll, lr;
} CsInstancesCorners;

/* Of word @w of cell row @row; @bits: the grid's first word. */
CS_MATH_FN CsInstancesCorners
cs_instances_corners (const uint32_t * bits, uint32_t words, uint32_t row,
    uint32_t w)
{
  const uint32_t *upper = bits + (uint64_t) row * words + w;
  const uint32_t *lower = upper + words;
  const int more = w + 1 < words;
  CsInstancesCorners at;

  at.ul = upper[0];
  at.ll = lower[0];
  at.ur = at.ul >> 1 | (more ? upper[1] << 31 : 0);
  at.lr = at.ll >> 1 | (more ? lower[1] << 31 : 0);
  return at;
}

/* Which cells have a segment, and which two. */
CS_MATH_FN uint32_t
cs_instances_crossed (const CsInstancesCorners * at)
{
  return (at->ul | at->ur | at->ll | at->lr) & ~(at->ul & at->ur & at->ll &
      at->lr);
}

CS_MATH_FN uint32_t
cs_instances_saddles (const CsInstancesCorners * at)
{
  return ~(at->ul ^ at->lr) & ~(at->ur ^ at->ll) & (at->ul ^ at->ur);
}

CS_MATH_FN int
cs_instances_case (const CsInstancesCorners * at, uint32_t bit)
{
  return (int) ((at->ul >> bit & 1) * CS_CASE_UL |
      (at->ur >> bit & 1) * CS_CASE_UR | (at->ll >> bit & 1) * CS_CASE_LL |
      (at->lr >> bit & 1) * CS_CASE_LR);
}

/* The value of node (@c, @r) of the grid. */
CS_MATH_FN double
cs_instances_node (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r)
{
  return cs_instances_finite (values[(uint64_t) (r - 1) * grid->x.n + c - 1]);
}

/* The segments of cell (@c, @r), as cs_case_segments(); of a saddle by its value
 * where the hyperbolas' asymptotes cross. */
CS_MATH_FN int
cs_instances_segments (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, int cell_case)
{
  int high = 0;

  if (cs_case_is_saddle (cell_case)) {
    const double falling = cs_instances_node (grid, values, c, r) *
        cs_instances_node (grid, values, c + 1, r + 1);
    const double rising = cs_instances_node (grid, values, c + 1, r) *
        cs_instances_node (grid, values, c, r + 1);

    high = cell_case & CS_CASE_UL ? falling > rising : rising > falling;
  }
  return cs_case_segments (cell_case, high);
}

/* Points */

/* How far points stay away from the ends of what is @length long. */
CS_MATH_FN double
cs_instances_keep (const CsInstancesGrid * grid, double length)
{
  return grid->margin < .25 * length ? grid->margin : .25 * length;
}

/* The point @t of the way from @begin to @end. */
CS_MATH_FN double
cs_instances_cross (const CsInstancesGrid * grid, double begin, double end,
    double t)
{
  const double length = end - begin, keep = cs_instances_keep (grid, length);

  return cs_clamp (begin + t * length, begin + keep, end - keep);
}

/* Whether edge @edge of cell (@c, @r) is between two nodes of the grid. */
CS_MATH_FN int
cs_instances_edge_is_real (const CsInstancesGrid * grid, uint32_t c, uint32_t r,
    int edge)
{
  const int horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;
  const uint32_t column = c + (edge == CS_EDGE_R);
  const uint32_t row = r + (edge == CS_EDGE_B);

  return column >= 1 && row >= 1 && column + horizontal <= grid->x.n &&
      row + !horizontal <= grid->y.n;
}

/**
 * CsInstancesCrossing:
 * @x, @y: where the field goes through 0 on an edge, away from its ends
 * @t: how much of the edge is before that, without the margin
 * @is_real: whether the edge is between two nodes of the grid
 */
typedef struct
{
  double x, y, t;
  int is_real;
} CsInstancesCrossing;

/* The crossing of edge @edge of cell (@c, @r), which is that of the cell beyond
 * the edge, too. */
CS_MATH_FN void
cs_instances_crossing (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, int edge, CsInstancesCrossing * at)
{
  const int horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;
  const uint32_t column = c + (edge == CS_EDGE_R);
  const uint32_t row = r + (edge == CS_EDGE_B);

  at->x = cs_instances_line (&grid->x, column);
  at->y = cs_instances_line (&grid->y, row);
  at->t = 0.;
  at->is_real = cs_instances_edge_is_real (grid, c, r, edge);
  if (!at->is_real)
    return;
  const double from = cs_instances_node (grid, values, column, row);
  const double to = cs_instances_node (grid, values, column + horizontal,
      row + !horizontal);

  at->t = from / (from - to);
  if (horizontal)
    at->x = cs_instances_cross (grid, at->x, cs_instances_line (&grid->x,
            column + 1), at->t);
  else
    at->y = cs_instances_cross (grid, at->y, cs_instances_line (&grid->y,
            row + 1), at->t);
}

/* Whether cell (@c, @r) is to the left or right of the grid, or above or
 * below. */
CS_MATH_FN int
cs_instances_beside_x (const CsInstancesGrid * grid, uint32_t c)
{
  return c == 0 || c == grid->x.n;
}

CS_MATH_FN int
cs_instances_beside_y (const CsInstancesGrid * grid, uint32_t r)
{
  return r == 0 || r == grid->y.n;
}

/* How many points a segment of cell (@c, @r) that begins with @from has, as long
 * as it is a line. */
CS_MATH_FN int
cs_instances_line_points (const CsInstancesGrid * grid, uint32_t c, uint32_t r,
    const CsInstancesCrossing * from)
{
  /* a corner of what clips the object is one point, and nothing else is beside
   * the grid */
  return (cs_instances_beside_x (grid, c) && cs_instances_beside_y (grid, r)) ||
      from->is_real;
}

/**
 * CsInstancesCurve:
 * @x, @y: where it begins
 * @dx, @dy: from there to its end
 * @ratio: on the hyperbola (x - x0) (y - y0) = k, what x - x0 at the end is of
 *     x - x0 at the beginning
 * @root: of @ratio: between neighbours on the curve
 * @low_x, @high_x, @low_y, @high_y: what its points but the first are kept
 *     between, for those of the cells beside may be as close to the cell's edge
 * @n_points: without its end: 0 for a segment along what clips the object
 *
 * A segment. Its points' distances from the asymptotes are a geometric sequence,
 * which makes chords equally good, but for the hyperbola's own slope.
 */
typedef struct
{
  double x, y, dx, dy;
  double ratio, root;
  double low_x, high_x, low_y, high_y;
  uint32_t n_points;
} CsInstancesCurve;

/* The values at a cell's corners. */
CS_MATH_FN void
cs_instances_cell (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, double corner[4])
{
  for (int i = 0; i < 4; i++)
    corner[i] = cs_instances_node (grid, values, c + (i & 1), r + (i >> 1));
}

/* How the field changes with y where it goes through 0 on edge @edge of a cell,
 * @t of the way along it. */
CS_MATH_FN double
cs_instances_slope (const double corner[4], int edge, double t)
{
  const double left = corner[2] - corner[0], right = corner[3] - corner[1];

  return edge == CS_EDGE_L ? left : edge == CS_EDGE_R ? right :
      left * (1. - t) + right * t;
}

/* The ratio of a curve, or 1 for a line. */
CS_MATH_FN double
cs_instances_ratio (double slope_from, double slope_to, double dx, double dy,
    double margin)
{
  const double width = fabs (dx), height = fabs (dy);
  const double least = width < height ? width : height;
  const double ratio = fabs (slope_to) / fabs (slope_from);
  /* so that the two curves of a saddle are two margins from each other */
  const double most = width / margin * (height / margin), inverse = 1. / most;
  /* without branches, for vectors */
  const double high = ratio < inverse ? inverse : ratio;
  const double clamped = high > most ? most : high;

  return ((least > 2. * margin) & (ratio == ratio)) ? clamped : 1.;
}

/* Whether a curve is farther than @tolerance from its chord; @root: of q, its
 * ratio or the inverse, the greater. The chord of a piece whose ratio is q is
 * sqrt (k / 2) (sqrt (q) - 1)^2 / sqrt (q) from it at most. */
CS_MATH_FN int
cs_instances_is_bent (double dx, double dy, double root, double tolerance)
{
  return fabs (dx * dy) * (root - 1.) / (root + 1.) >
      tolerance * sqrt (dx * dx + dy * dy);
}

/* The root of k / 2. */
CS_MATH_FN double
cs_instances_scale (double dx, double dy, double q)
{
  return sqrt (.5 * fabs (dx * dy) * q) / (q - 1.);
}

/* Whether pieces with @root, the root of their ratio, are near their chords. */
CS_MATH_FN int
cs_instances_is_near (double scale, double root, double tolerance)
{
  return scale * (root - 1.) * (root - 1.) <= tolerance * root;
}

/* Splits a curve in halves, @splits times already, until pieces with @piece as
 * their ratio and @root, its root, are near. Returns: how many times */
CS_MATH_FN int
cs_instances_split (double scale, double tolerance, int splits, double root,
    double *piece)
{
  do {
    *piece = root;
    root = sqrt (root);
    splits++;
  } while (splits < CS_INSTANCES_MAX_SPLITS &&
      !cs_instances_is_near (scale, root, tolerance));
  return splits;
}

/* What points in cell line @line of @axis are kept between. */
CS_MATH_FN void
cs_instances_inside (const CsInstancesGrid * grid, const CsInstancesAxis * axis,
    uint32_t line, double *low, double *high)
{
  const double begin = cs_instances_line (axis, line);
  const double end = cs_instances_line (axis, line + 1);
  const double keep = cs_instances_keep (grid, end - begin);

  *low = begin + keep;
  *high = end - keep;
}

/* What all of them in cell (@c, @r) are kept between. */
CS_MATH_FN void
cs_instances_bound (const CsInstancesGrid * grid, uint32_t c, uint32_t r,
    CsInstancesCurve * curve)
{
  cs_instances_inside (grid, &grid->x, c, &curve->low_x, &curve->high_x);
  cs_instances_inside (grid, &grid->y, r, &curve->low_y, &curve->high_y);
}

/* Segment @from -> @to of cell (@c, @r). */
CS_MATH_FN void
cs_instances_curve (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, int from, int to, double tolerance,
    CsInstancesCurve * curve)
{
  CsInstancesCrossing begin, end;
  double corner[4];

  cs_instances_crossing (grid, values, c, r, from, &begin);
  curve->x = begin.x;
  curve->y = begin.y;
  curve->dx = curve->dy = 0.;
  curve->ratio = curve->root = 1.;
  curve->low_x = curve->high_x = curve->x;
  curve->low_y = curve->high_y = curve->y;
  curve->n_points = cs_instances_line_points (grid, c, r, &begin);
  if (cs_instances_beside_x (grid, c) || cs_instances_beside_y (grid, r))
    return;
  cs_instances_crossing (grid, values, c, r, to, &end);
  curve->dx = end.x - begin.x;
  curve->dy = end.y - begin.y;
  cs_instances_cell (grid, values, c, r, corner);
  curve->ratio = cs_instances_ratio (cs_instances_slope (corner, from, begin.t),
      cs_instances_slope (corner, to, end.t), curve->dx, curve->dy,
      grid->margin);
  const double q = curve->ratio > 1. ? curve->ratio : 1. / curve->ratio;
  const double root = sqrt (q);

  if (!cs_instances_is_bent (curve->dx, curve->dy, root, tolerance))
    return;
  double piece;

  curve->n_points <<= cs_instances_split (cs_instances_scale (curve->dx,
          curve->dy, q), tolerance, 0, root, &piece);
  curve->root = curve->ratio > 1. ? piece : 1. / piece;
  cs_instances_bound (grid, c, r, curve);
}

/* Its point whose distance from the asymptotes is @power, a power of the root,
 * of the beginning's; beginning with 1. */
CS_MATH_FN void
cs_instances_curve_point (const CsInstancesCurve * curve, double power,
    float *x, float *y)
{
  const double q = curve->ratio;

  if (power == 1. || q == 1.) {
    *x = (float) curve->x;
    *y = (float) curve->y;
    return;
  }
  *x = (float) cs_clamp (curve->x + curve->dx * ((power - 1.) / (q - 1.)),
      curve->low_x, curve->high_x);
  *y = (float) cs_clamp (curve->y + curve->dy * ((1. / power - 1.) /
          (1. / q - 1.)), curve->low_y, curve->high_y);
}
