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
  guint i;

  for (i = 0; i < n; i++) {
    block->x[i] = points[2 * i] - first_x;
    block->y[i] = points[2 * i + 1] - first_y;
  }
}

CS_CLONES static void
load_block_f64 (const double *points, guint n, double first_x, double first_y,
    Block * block)
{
  guint i;

  for (i = 0; i < n; i++) {
    block->x[i] = points[2 * i] - first_x;
    block->y[i] = points[2 * i + 1] - first_y;
  }
}

/* The @n_terms terms that begin at point @start. */
static void
load_block (const void *points, CsPointFormat format, gsize start,
    guint n_terms, double first_x, double first_y, Block * block)
{
  guint i, n;

  if (format == CS_POINTS_F32)
    load_block_f32 ((const float *) points + 2 * start, n_terms + 1, first_x,
        first_y, block);
  else
    load_block_f64 ((const double *) points + 2 * start, n_terms + 1, first_x,
        first_y, block);
  block->n_rows = (n_terms + CS_SUM_LANES - 1) / CS_SUM_LANES;
  n = block->n_rows * CS_SUM_LANES;
  for (i = n_terms + 1; i <= n; i++) {
    block->x[i] = block->x[n_terms];
    block->y[i] = block->y[n_terms];
  }
}

static inline double
fold (double *lane)
{
  guint o, l;

  for (o = CS_SUM_LANES / 2; o > 0; o /= 2) {
    for (l = 0; l < o; l++)
      lane[l] += lane[l + o];
  }
  return lane[0];
}

/* A sum of a block's terms; the terms may use x0, y0, x1 and y1. A repeated
 * last point's cross product is x * y - x * y = 0 and its length 0. */
#define SUM_BLOCK(block, term) \
G_STMT_START { \
  double lane[CS_SUM_LANES] = { 0., }; \
  guint row, l; \
\
  for (row = 0; row < (block)->n_rows; row++) { \
    for (l = 0; l < CS_SUM_LANES; l++) { \
      const guint i = row * CS_SUM_LANES + l; \
      const double x0 = (block)->x[i], x1 = (block)->x[i + 1]; \
      const double y0 = (block)->y[i], y1 = (block)->y[i + 1]; \
\
      lane[l] += (term); \
    } \
  } \
  return fold (lane); \
} G_STMT_END

CS_CLONES static double
block_cross (const Block * block)
{
  SUM_BLOCK (block, cs_term_cross (x0, y0, x1, y1));
}

CS_CLONES static double
block_length (const Block * block)
{
  SUM_BLOCK (block, cs_term_length (x0, y0, x1, y1));
}

CS_CLONES static double
block_cross_x (const Block * block)
{
  SUM_BLOCK (block, cs_term_cross (x0, y0, x1, y1) * (x0 + x1));
}

CS_CLONES static double
block_cross_y (const Block * block)
{
  SUM_BLOCK (block, cs_term_cross (x0, y0, x1, y1) * (y0 + y1));
}

CS_CLONES static double
block_length_x (const Block * block)
{
  SUM_BLOCK (block, cs_term_length (x0, y0, x1, y1) * (x0 + x1));
}

CS_CLONES static double
block_length_y (const Block * block)
{
  SUM_BLOCK (block, cs_term_length (x0, y0, x1, y1) * (y0 + y1));
}

static double
block_moment (const Block * block, gint m)
{
  SUM_BLOCK (block, cs_term_moment (m, cs_term_cross (x0, y0, x1, y1), x0, y0,
          x1, y1));
}

static void
grow_box (const void *points, CsPointFormat format, gsize n_points, Box * box)
{
  gsize i;

  load_point (points, format, 0, &box->x0, &box->y0);
  box->x1 = box->x0;
  box->y1 = box->y0;
  for (i = 1; i < n_points; i++) {
    double x, y;

    load_point (points, format, i, &x, &y);
    box->x0 = MIN (box->x0, x);
    box->x1 = MAX (box->x1, x);
    box->y0 = MIN (box->y0, y);
    box->y1 = MAX (box->y1, y);
  }
}

/* The sums that a contour's record needs. */
typedef struct
{
  double cross, length, cross_x, cross_y, length_x, length_y;
  double moments[CS_N_MOMENTS];
} Sums;

static void
sum_block (const Block * block, CsMeasures measures, gboolean closed,
    Sums * sums)
{
  gint m;

  sums->cross += block_cross (block);
  if (measures == CS_MEASURES_NONE)
    return;
  sums->length += block_length (block);
  if (closed) {
    sums->cross_x += block_cross_x (block);
    sums->cross_y += block_cross_y (block);
  } else {
    sums->length_x += block_length_x (block);
    sums->length_y += block_length_y (block);
  }
  for (m = 0; measures == CS_MEASURES_FULL && m < CS_N_MOMENTS; m++)
    sums->moments[m] += block_moment (block, m);
}

/* The length-weighted sums of a closed contour without area. */
static void
sum_length_moments (const void *points, CsPointFormat format, gsize n_points,
    double first_x, double first_y, Sums * sums)
{
  gsize start;
  Block block;

  for (start = 0; start + 1 < n_points; start += CS_SUM_BLOCK) {
    load_block (points, format, start,
        MIN (n_points - 1 - start, CS_SUM_BLOCK), first_x, first_y, &block);
    sums->length_x += block_length_x (&block);
    sums->length_y += block_length_y (&block);
  }
}

void
cs_contours_measure (const void *points, CsPointFormat format, gsize n_points,
    CsMeasures measures, CsContour * contour, CsContourMoments * moments)
{
  const gboolean closed = (contour->flags & CS_CONTOUR_CLOSED) != 0;
  double first_x, first_y;
  Sums sums = { 0., };
  Block block;
  gsize start;
  gint m;
  Box box;

  load_point (points, format, 0, &first_x, &first_y);
  for (start = 0; start + 1 < n_points; start += CS_SUM_BLOCK) {
    load_block (points, format, start,
        MIN (n_points - 1 - start, CS_SUM_BLOCK), first_x, first_y, &block);
    sum_block (&block, measures, closed, &sums);
  }
  contour->area = .5 * sums.cross;
  if (measures == CS_MEASURES_NONE)
    return;

  if (closed && sums.cross == 0.)
    sum_length_moments (points, format, n_points, first_x, first_y, &sums);
  grow_box (points, format, n_points, &box);
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
    for (m = 0; m < CS_N_MOMENTS; m++)
      moments->m[m] = sums.moments[m] / cs_moment_divisor (m);
  }
}
