/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_measure.h"

#include <string.h>

#include "base/clones.h"
#include "contours_math.h"

/* Points of one block relative to the first point of the contour; unused lanes
 * repeat the last point, so that their terms are 0. */
typedef struct
{
  double x[CS_SUM_BLOCK + 1], y[CS_SUM_BLOCK + 1];
  guint n_rows;                 /* rows of CS_SUM_LANES terms in use */
  guint n_lanes;                /* lanes in use: a power of two, at least 8 */
} Block;

typedef struct
{
  double x0, y0, x1, y1;
} Box;

static inline void
load_point (const void *points, CsPointFormat format, gsize i, double *x,
    double *y)
{
  if (format == CS_POINTS_F32) {
    *x = ((const float *) points)[2 * i];
    *y = ((const float *) points)[2 * i + 1];
  } else {
    *x = ((const double *) points)[2 * i];
    *y = ((const double *) points)[2 * i + 1];
  }
}

CS_CLONES static void
load_block_f32 (const float *points, guint n, double first_x, double first_y,
    Block * block)
{
  for (guint i = 0; i < n; i++) {
    block->x[i] = points[2 * i] - first_x;
    block->y[i] = points[2 * i + 1] - first_y;
  }
}

CS_CLONES static void
load_block_f64 (const double *points, guint n, double first_x, double first_y,
    Block * block)
{
  for (guint i = 0; i < n; i++) {
    block->x[i] = points[2 * i] - first_x;
    block->y[i] = points[2 * i + 1] - first_y;
  }
}

/* The @n_terms terms that begin at point @start. */
static void
load_block (const void *points, CsPointFormat format, gsize start,
    guint n_terms, double first_x, double first_y, Block * block)
{
  if (format == CS_POINTS_F32)
    load_block_f32 ((const float *) points + 2 * start, n_terms + 1, first_x,
        first_y, block);
  else
    load_block_f64 ((const double *) points + 2 * start, n_terms + 1, first_x,
        first_y, block);
  block->n_rows = (n_terms + CS_SUM_LANES - 1) / CS_SUM_LANES;
  block->n_lanes = n_terms > 16 ? CS_SUM_LANES : n_terms > 8 ? 16 : 8;
  const guint n = (block->n_rows - 1) * CS_SUM_LANES + block->n_lanes;
  for (guint i = n_terms + 1; i <= n; i++) {
    block->x[i] = block->x[n_terms];
    block->y[i] = block->y[n_terms];
  }
}

/* Lanes processed at a time, so that their sums stay in vector registers. */
#define GROUP 8

/* Partial sums of a block, by lane. */
typedef struct
{
  double cross[CS_SUM_LANES], length[CS_SUM_LANES];
  double weighted_x[CS_SUM_LANES], weighted_y[CS_SUM_LANES];
} Lanes;

/* Tree reduction of the first @n lanes, a power of two; the others are 0. */
static inline double
reduce_lanes (double *lane, guint n)
{
  for (guint o = n / 2; o > 0; o /= 2) {
    for (guint l = 0; l < o; l++)
      lane[l] += lane[l + o];
  }
  return lane[0];
}

/* Cross products, lengths, and the sums of the end points weighted by either.
 * Inlined for each weight. */
static inline __attribute__ ((always_inline))
void
sum_lanes (const Block * block, gboolean by_length, Lanes * lanes)
{
  guint first = 0, row, l;

  /* there is a group at least, which a compiler cannot know */
  do {
    double cross[GROUP] = { 0 }, length[GROUP] = { 0 };
    double x[GROUP] = { 0 }, y[GROUP] = { 0 };

    for (row = 0; row < block->n_rows; row++) {
      const double *px = block->x + row * CS_SUM_LANES + first;
      const double *py = block->y + row * CS_SUM_LANES + first;

      for (l = 0; l < GROUP; l++) {
        const double c = cs_term_cross (px[l], py[l], px[l + 1], py[l + 1]);
        const double n = cs_term_length (px[l], py[l], px[l + 1], py[l + 1]);

        cross[l] += c;
        length[l] += n;
        x[l] += (by_length ? n : c) * (px[l] + px[l + 1]);
        y[l] += (by_length ? n : c) * (py[l] + py[l + 1]);
      }
    }
    memcpy (lanes->cross + first, cross, sizeof (cross));
    memcpy (lanes->length + first, length, sizeof (length));
    memcpy (lanes->weighted_x + first, x, sizeof (x));
    memcpy (lanes->weighted_y + first, y, sizeof (y));
    first += GROUP;
  } while (first < block->n_lanes);
}

CS_CLONES static void
sum_lanes_by_cross (const Block * block, Lanes * lanes)
{
  sum_lanes (block, FALSE, lanes);
}

CS_CLONES static void
sum_lanes_by_length (const Block * block, Lanes * lanes)
{
  sum_lanes (block, TRUE, lanes);
}

static double
block_moment (const Block * block, gint m)
{
  double lane[CS_SUM_LANES] = { 0 };

  for (guint row = 0; row < block->n_rows; row++) {
    for (guint l = 0; l < block->n_lanes; l++) {
      const guint i = row * CS_SUM_LANES + l;
      const double x0 = block->x[i], x1 = block->x[i + 1];
      const double y0 = block->y[i], y1 = block->y[i + 1];

      lane[l] += cs_term_moment (m, cs_term_cross (x0, y0, x1, y1), x0, y0, x1,
          y1);
    }
  }
  return reduce_lanes (lane, block->n_lanes);
}

/* Extremes of x at even and of y at odd places. */
#define DEFINE_GROW_BOX(name, type) \
CS_CLONES static void \
name (const type * points, gsize n_points, Box * box) \
{ \
  const gsize n = 2 * n_points; \
  type low[GROUP], high[GROUP]; \
  gsize i; \
  guint l; \
\
  for (l = 0; l < GROUP; l++) \
    low[l] = high[l] = points[l & 1]; \
  for (i = 0; i + GROUP <= n; i += GROUP) { \
    for (l = 0; l < GROUP; l++) { \
      low[l] = points[i + l] < low[l] ? points[i + l] : low[l]; \
      high[l] = points[i + l] > high[l] ? points[i + l] : high[l]; \
    } \
  } \
  for (l = 0; i < n; i++, l++) { \
    low[l] = MIN (low[l], points[i]); \
    high[l] = MAX (high[l], points[i]); \
  } \
  for (l = 2; l < GROUP; l++) { \
    low[l & 1] = MIN (low[l & 1], low[l]); \
    high[l & 1] = MAX (high[l & 1], high[l]); \
  } \
  *box = (Box) { low[0], low[1], high[0], high[1] }; \
}

DEFINE_GROW_BOX (grow_box_f32, float)
DEFINE_GROW_BOX (grow_box_f64, double)

/* Sums for a contour's record. */
typedef struct
{
  double cross, length, cross_x, cross_y, length_x, length_y;
  double moments[CS_N_MOMENTS];
} Sums;

static void
sum_block (const Block * block, CsMeasures measures, gboolean closed,
    Sums * sums)
{
  const guint n = block->n_lanes;
  Lanes lanes;

  if (closed)
    sum_lanes_by_cross (block, &lanes);
  else
    sum_lanes_by_length (block, &lanes);
  sums->cross += reduce_lanes (lanes.cross, n);
  if (measures == CS_MEASURES_NONE)
    return;
  sums->length += reduce_lanes (lanes.length, n);
  *(closed ? &sums->cross_x : &sums->length_x) +=
      reduce_lanes (lanes.weighted_x, n);
  *(closed ? &sums->cross_y : &sums->length_y) +=
      reduce_lanes (lanes.weighted_y, n);
  for (gint m = 0; measures == CS_MEASURES_FULL && m < CS_N_MOMENTS; m++)
    sums->moments[m] += block_moment (block, m);
}

/* The length-weighted sums of a closed contour without area. */
static void
sum_length_moments (const void *points, CsPointFormat format, gsize n_points,
    double first_x, double first_y, Sums * sums)
{
  Lanes lanes;
  Block block;

  for (gsize start = 0; start + 1 < n_points; start += CS_SUM_BLOCK) {
    load_block (points, format, start,
        MIN (n_points - 1 - start, CS_SUM_BLOCK), first_x, first_y, &block);
    sum_lanes_by_length (&block, &lanes);
    sums->length_x += reduce_lanes (lanes.weighted_x, block.n_lanes);
    sums->length_y += reduce_lanes (lanes.weighted_y, block.n_lanes);
  }
}

void
cs_contours_measure (const void *points, CsPointFormat format, gsize n_points,
    CsMeasures measures, CsContour * contour, CsContourMoments * moments)
{
  const gboolean closed = (contour->flags & CS_CONTOUR_CLOSED) != 0;
  double first_x, first_y;
  Sums sums = { 0 };
  Block block;
  Box box;

  load_point (points, format, 0, &first_x, &first_y);
  for (gsize start = 0; start + 1 < n_points; start += CS_SUM_BLOCK) {
    load_block (points, format, start,
        MIN (n_points - 1 - start, CS_SUM_BLOCK), first_x, first_y, &block);
    sum_block (&block, measures, closed, &sums);
  }
  contour->perimeter = contour->centroid_x = contour->centroid_y = NAN;
  contour->bbox_x0 = contour->bbox_y0 = NAN;
  contour->bbox_x1 = contour->bbox_y1 = contour->solidity = NAN;
  contour->area = .5 * sums.cross;
  if (measures == CS_MEASURES_NONE)
    return;

  if (closed && sums.cross == 0.)
    sum_length_moments (points, format, n_points, first_x, first_y, &sums);
  if (format == CS_POINTS_F32)
    grow_box_f32 (points, n_points, &box);
  else
    grow_box_f64 (points, n_points, &box);
  contour->perimeter = sums.length;
  contour->bbox_x0 = box.x0;
  contour->bbox_y0 = box.y0;
  contour->bbox_x1 = box.x1;
  contour->bbox_y1 = box.y1;
  contour->centroid_x = cs_centroid (closed, first_x, sums.cross, sums.length,
      sums.cross_x, sums.length_x, box.x0, box.x1);
  contour->centroid_y = cs_centroid (closed, first_y, sums.cross, sums.length,
      sums.cross_y, sums.length_y, box.y0, box.y1);
  if (measures == CS_MEASURES_FULL) {
    for (gint m = 0; m < CS_N_MOMENTS; m++)
      moments->m[m] = sums.moments[m] / cs_moment_divisor (m);
  }
}
