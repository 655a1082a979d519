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

/* The point between @begin and @end where values go through 0. */
CS_MATH_FN double
cs_instances_cross (const CsInstancesGrid * grid, double begin, double end,
    double from, double to)
{
  const double length = end - begin, keep = cs_instances_keep (grid, length);

  return cs_clamp (begin + from / (from - to) * length, begin + keep,
      end - keep);
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

/* The crossing of that edge. */
CS_MATH_FN void
cs_instances_crossing (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, int edge, double *x, double *y)
{
  const uint32_t column = c + (edge == CS_EDGE_R);
  const uint32_t row = r + (edge == CS_EDGE_B);

  *x = cs_instances_line (&grid->x, column);
  *y = cs_instances_line (&grid->y, row);
  if (!cs_instances_edge_is_real (grid, c, r, edge))
    return;
  const double from = cs_instances_node (grid, values, column, row);

  if (edge == CS_EDGE_T || edge == CS_EDGE_B)
    *x = cs_instances_cross (grid, *x, cs_instances_line (&grid->x, column + 1),
        from, cs_instances_node (grid, values, column + 1, row));
  else
    *y = cs_instances_cross (grid, *y, cs_instances_line (&grid->y, row + 1),
        from, cs_instances_node (grid, values, column, row + 1));
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

/* How the field changes with y where it goes through 0 on edge @edge of a cell,
 * without the margin. */
CS_MATH_FN double
cs_instances_slope (const double corner[4], int edge)
{
  const double left = corner[2] - corner[0], right = corner[3] - corner[1];
  const double *ends = corner + (edge == CS_EDGE_B ? 2 : 0);

  if (edge == CS_EDGE_L)
    return left;
  if (edge == CS_EDGE_R)
    return right;
  const double x = ends[0] / (ends[0] - ends[1]);

  return left * (1. - x) + right * x;
}

/* Splits the curve in halves until its chords are within @tolerance. The chord
 * of a piece whose ratio is q is sqrt (k / 2) (sqrt (q) - 1)^2 / sqrt (q) from it
 * at most. */
CS_MATH_FN void
cs_instances_split (CsInstancesCurve * curve, double tolerance)
{
  const double area = fabs (curve->dx * curve->dy);
  const double q = curve->ratio > 1. ? curve->ratio : 1. / curve->ratio;
  double root = sqrt (q);

  if (!(area * (root - 1.) / (root + 1.) > tolerance *
          sqrt (curve->dx * curve->dx + curve->dy * curve->dy)))
    return;
  const double scale = sqrt (.5 * area * q) / (q - 1.);
  double piece = q;

  for (int k = 0; k < CS_INSTANCES_MAX_SPLITS; k++) {
    piece = root;
    root = sqrt (piece);
    curve->n_points *= 2;
    if (scale * (root - 1.) * (root - 1.) <= tolerance * root)
      break;
  }
  curve->root = curve->ratio > 1. ? piece : 1. / piece;
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

/* Segment @from -> @to of cell (@c, @r). */
CS_MATH_FN void
cs_instances_curve (const CsInstancesGrid * grid, const float *values,
    uint32_t c, uint32_t r, int from, int to, double tolerance,
    CsInstancesCurve * curve)
{
  const int beside_x = c == 0 || c == grid->x.n;
  const int beside_y = r == 0 || r == grid->y.n;
  double corner[4], x1, y1;

  cs_instances_crossing (grid, values, c, r, from, &curve->x, &curve->y);
  curve->dx = curve->dy = 0.;
  curve->ratio = curve->root = 1.;
  curve->low_x = curve->high_x = curve->x;
  curve->low_y = curve->high_y = curve->y;
  /* a corner of what clips the object is one point, and nothing else is beside
   * the grid */
  curve->n_points = (beside_x && beside_y) ||
      cs_instances_edge_is_real (grid, c, r, from);
  if (beside_x || beside_y)
    return;
  cs_instances_crossing (grid, values, c, r, to, &x1, &y1);
  curve->dx = x1 - curve->x;
  curve->dy = y1 - curve->y;
  const double width = fabs (curve->dx), height = fabs (curve->dy);
  const double least = width < height ? width : height;

  if (!(least > 2. * grid->margin))
    return;
  for (int i = 0; i < 4; i++)
    corner[i] = cs_instances_node (grid, values, c + (i & 1), r + (i >> 1));
  const double ratio = fabs (cs_instances_slope (corner, to)) /
      fabs (cs_instances_slope (corner, from));
  /* so that no point is closer to the asymptotes than the margin */
  const double most = least / grid->margin * (least / grid->margin);

  if (isnan (ratio))
    return;
  curve->ratio = cs_clamp (ratio, 1. / most, most);
  cs_instances_inside (grid, &grid->x, c, &curve->low_x, &curve->high_x);
  cs_instances_inside (grid, &grid->y, r, &curve->low_y, &curve->high_y);
  cs_instances_split (curve, tolerance);
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
