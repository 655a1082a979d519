/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Coverage of fills by accumulation of signed areas, in integers: sums do not
 * depend on their order, so that both backends get the same.
 *
 * Coordinates are in 1/256 pixel from the picture's upper left corner, so that
 * pixel i spans 256 i to 256 i + 256. An edge adds to each pixel of its rows
 * the area to its right within the pixel, positive if it goes down; where it
 * passes through a pixel this is a part of it, and all further pixels on the
 * right take the whole. Stored are differences between neighbours, so that an
 * edge writes to the pixels that it passes through and one more. */

#include "raster_math.h"

#define CS_FILL_SHIFT 8
#define CS_FILL_ONE (1 << CS_FILL_SHIFT)

/* The area of a pixel. */
#define CS_FILL_AREA (2 * CS_FILL_ONE * CS_FILL_ONE)

/* Sides of a tile of coverage. */
#define CS_FILL_TILE 16
#define CS_FILL_TILE_PIXELS (CS_FILL_TILE * CS_FILL_TILE)
#define CS_FILL_TILE_SHIFT (CS_FILL_SHIFT + 4)

/* What is known of a tile: nothing of it is inside, all of it is, or its
 * coverage is block n of an array, as CS_FILL_BLOCK + n. */
#define CS_FILL_EMPTY 0u
#define CS_FILL_FULL 1u
#define CS_FILL_BLOCK 2u

/**
 * CsFillEdge:
 * @x0: where it begins, between 0 and the picture's width
 * @y0: likewise, between 0 and its height; not @y1
 * @x1: where it ends, likewise
 * @y1: likewise
 */
typedef struct
{
  gint32 x0, y0, x1, y1;
} CsFillEdge;

/**
 * CsFillRegion:
 * @first_edge: of all fills' edges
 * @n_edges: how many belong to it
 * @tile_x: first column of tiles that it touches
 * @tile_y: first row of them
 * @n_columns: of tiles; 0: it touches nothing
 * @n_rows: of tiles
 * @first_cell: of all fills' tiles, which are stored by rows
 * @first_row: how many rows of tiles the fills before it have
 * @rule: a CsFillRule
 *
 * A fill, ready to be painted.
 */
typedef struct
{
  guint32 first_edge, n_edges;
  gint32 tile_x, tile_y, n_columns, n_rows;
  guint32 first_cell, first_row, rule;
} CsFillRegion;

/**
 * CsFillSpan:
 * @from: the lesser of the x at both ends
 * @to: the greater one
 * @drop: its height, below 0 if the edge goes up
 *
 * The part of an edge within one row of pixels.
 */
typedef struct
{
  gint32 from, to, drop;
} CsFillSpan;

/* a b / c, rounded, for |a b| below 2^51 and c above 0: then the quotient in
 * double precision is on the same side of every integer. */
CS_RASTER_FN gint32
cs_fill_scale (gint32 a, gint32 b, gint32 c)
{
  const double quotient = (2. * (double) a * (double) b + (double) c) /
      (2. * (double) c);
  const gint32 down = (gint32) quotient;

  return down - (down > quotient);
}

CS_RASTER_FN gint32
cs_fill_first_row (const CsFillEdge * e)
{
  return (e->y0 < e->y1 ? e->y0 : e->y1) >> CS_FILL_SHIFT;
}

CS_RASTER_FN gint32
cs_fill_last_row (const CsFillEdge * e)
{
  return ((e->y0 < e->y1 ? e->y1 : e->y0) - 1) >> CS_FILL_SHIFT;
}

/* The part of @e in a row that it touches. */
CS_RASTER_FN CsFillSpan
cs_fill_span (const CsFillEdge * e, gint32 row)
{
  const int down = e->y0 < e->y1;
  const gint32 top = down ? e->y0 : e->y1, bottom = down ? e->y1 : e->y0;
  const gint32 x_top = down ? e->x0 : e->x1, x_bottom = down ? e->x1 : e->x0;
  const gint32 y = row << CS_FILL_SHIFT;
  gint32 y0 = top, y1 = bottom, a = x_top, b = x_bottom;
  CsFillSpan span;

  if (y > top) {
    y0 = y;
    a = x_top + cs_fill_scale (y - top, x_bottom - x_top, bottom - top);
  }
  if (y + CS_FILL_ONE < bottom) {
    y1 = y + CS_FILL_ONE;
    b = x_top + cs_fill_scale (y1 - top, x_bottom - x_top, bottom - top);
  }
  span.from = a < b ? a : b;
  span.to = a < b ? b : a;
  span.drop = down ? y1 - y0 : y0 - y1;
  return span;
}

CS_RASTER_FN gint32
cs_fill_first_column (const CsFillSpan * span)
{
  return span->from >> CS_FILL_SHIFT;
}

CS_RASTER_FN gint32
cs_fill_last_column (const CsFillSpan * span)
{
  return (span->to > span->from ? span->to - 1 : span->to) >> CS_FILL_SHIFT;
}

/* What the span adds to the pixel in a column that it touches, and, in
 * @beyond, to the one on its right. */
CS_RASTER_FN gint32
cs_fill_areas (const CsFillSpan * span, gint32 column, gint32 * beyond)
{
  const gint32 x = column << CS_FILL_SHIFT;
  const gint32 a = span->from > x ? span->from : x;
  const gint32 b = span->to < x + CS_FILL_ONE ? span->to : x + CS_FILL_ONE;
  const gint32 width = span->to - span->from;
  const gint32 sign = span->drop < 0 ? -1 : 1, height = sign * span->drop;
  gint32 h = height;

  /* its share of the height, so that all shares add up */
  if (b < span->to)
    h = cs_fill_scale (height, b - span->from, width);
  if (a > span->from)
    h -= cs_fill_scale (height, a - span->from, width);
  h *= sign;
  *beyond = h * (a - x + b - x);
  return h * (2 * CS_FILL_ONE) - *beyond;
}

/* The area that is inside of a pixel, 0 to CS_FILL_AREA, from the sum of all
 * differences up to it. */
CS_RASTER_FN guint32
cs_fill_inside (guint32 sum, guint32 rule)
{
  if (rule == CS_FILL_NONZERO) {
    const guint32 size = sum >> 31 ? 0u - sum : sum;

    return size < CS_FILL_AREA ? size : CS_FILL_AREA;
  }
  sum &= 2 * CS_FILL_AREA - 1;
  return sum <= CS_FILL_AREA ? sum : 2 * CS_FILL_AREA - sum;
}

/* An area in 16 bits, of which 65535 is all of a pixel. */
CS_RASTER_FN guint16
cs_fill_pack (guint32 area)
{
  const guint32 half = area >> 1;

  return (guint16) (half - ((half + 32767) >> 16));
}

/* The coverage that was packed: 0 to 1, exactly. */
CS_RASTER_FN float
cs_fill_coverage (guint32 packed, int antialias)
{
  if (!antialias)
    return packed >> 15 ? 1.f : 0.f;
  return (float) (packed + (packed >> 15)) * (1.f / 65536.f);
}

/* What is known of the tile at (@x, @y), counted in tiles. */
CS_RASTER_FN guint32
cs_fill_cell (const CsFillRegion * region, const guint32 * cells, int x, int y)
{
  const int column = x - region->tile_x, row = y - region->tile_y;

  if (column < 0 || row < 0 || column >= region->n_columns ||
      row >= region->n_rows)
    return CS_FILL_EMPTY;
  return cells[region->first_cell + (guint32) row * region->n_columns + column];
}

/* The mark that stands for a region in the order of marks: a disc around its
 * tiles; not to be painted if there are none. */
CS_RASTER_FN int
cs_fill_prepare (const CsFillRegion * region, CsRasterMark * mark)
{
  const float w = .5f * (float) (region->n_columns * CS_FILL_TILE);
  const float h = .5f * (float) (region->n_rows * CS_FILL_TILE);

  mark->x = (float) (region->tile_x * CS_FILL_TILE) + w - .5f;
  mark->y = (float) (region->tile_y * CS_FILL_TILE) + h - .5f;
  mark->bx = mark->by = mark->half_width = 0;
  mark->radius = region->n_columns > 0 ? sqrtf (w * w + h * h) : -1;
  return region->n_columns > 0;
}

/* Runs of fills: the index of the fill, with this bit. */
#define CS_FILL_RUN 0x80000000u
