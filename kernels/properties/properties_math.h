/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The arithmetic that the CPU and the GPU share, compiled as C and as device
 * code without contraction.
 *
 * Rows of pixels are taken in words, a bit for each. The pixels of a word that
 * have one label and follow one another are a *piece*; it has what the borders
 * through and around its pixels add to the region's counts.
 */

#include <stdint.h>

#include "properties.h"

#ifdef __CUDACC__
#define CS_PROPERTIES_FN static __device__ __forceinline__
typedef uint32_t CsPropertiesWord;
#define cs_properties_count(word) ((uint32_t) __popc (word))
#else
/* into functions that are compiled twice (base/clones.h) */
#define CS_PROPERTIES_FN static inline __attribute__ ((always_inline))
typedef uint64_t CsPropertiesWord;
#define cs_properties_count(word) ((uint32_t) __builtin_popcountll (word))
#endif

#define CS_PROPERTIES_WORD_BITS (8 * sizeof (CsPropertiesWord))

/* --- Pieces --------------------------------------------------------------- */

/**
 * CsPropertiesAround:
 *
 * Of each pixel of a word something of its eight neighbours.
 */
typedef struct
{
  CsPropertiesWord left, right, up, down;
  CsPropertiesWord up_left, up_right, down_left, down_right;
} CsPropertiesAround;

/**
 * CsPropertiesMarks:
 * @row, @column, @falling, @rising: where a run of pixels of one label begins,
 *     along rows, columns and diagonals
 * @plus, @minus: what adds 1 to and takes 1 from the Euler number
 * @straight, @diagonal, @bent: border pixels of the perimeter's weights 1, 2^.5
 *     and the mean of these
 */
typedef struct
{
  CsPropertiesWord row, column, falling, rising, plus, minus;
  CsPropertiesWord straight, diagonal, bent;
} CsPropertiesMarks;

/**
 * CsPropertiesPiece:
 * @label: of its pixels
 * @place: row, 17 bits; number of pixels, 7; marks of rows and columns, 8
 * @first: first column, 17 bits; marks of diagonals, 8; straight ones, 7
 * @rest: 64 and what it adds to the Euler number, 8 bits; diagonal ones, 7; bent
 *     ones, 7
 */
typedef struct
{
  uint32_t label, place, first, rest;
} CsPropertiesPiece;

#define CS_PROPERTIES_PLACE_BITS 17
#define CS_PROPERTIES_PLACE_MASK ((1u << CS_PROPERTIES_PLACE_BITS) - 1)

CS_PROPERTIES_FN uint32_t
cs_properties_row (const CsPropertiesPiece * piece)
{
  return piece->place & CS_PROPERTIES_PLACE_MASK;
}

CS_PROPERTIES_FN uint32_t
cs_properties_column (const CsPropertiesPiece * piece)
{
  return piece->first & CS_PROPERTIES_PLACE_MASK;
}

CS_PROPERTIES_FN uint32_t
cs_properties_n_pixels (const CsPropertiesPiece * piece)
{
  return piece->place >> CS_PROPERTIES_PLACE_BITS & 0x7f;
}

/* A pixel is a border pixel if one of its four neighbours has another label. */
CS_PROPERTIES_FN CsPropertiesWord
cs_properties_border (const CsPropertiesAround * same)
{
  return ~(same->left & same->right & same->up & same->down);
}

/* Bits of the sum of four: 1, 2 and 4. */
CS_PROPERTIES_FN void
cs_properties_add_four (CsPropertiesWord a, CsPropertiesWord b,
    CsPropertiesWord c, CsPropertiesWord d, CsPropertiesWord sum[3])
{
  const CsPropertiesWord p = a ^ b, q = a & b, r = c ^ d, s = c & d;

  sum[0] = p ^ r;
  sum[1] = (q ^ s) | (p & r);
  sum[2] = q & s;
}

/* @same: which neighbours have the same label; @near: which of these are border
 * pixels; @border: which pixels are. */
CS_PROPERTIES_FN void
cs_properties_mark (const CsPropertiesAround * same,
    const CsPropertiesAround * near, CsPropertiesWord border,
    CsPropertiesMarks * marks)
{
  CsPropertiesWord sides[3], corners[3];

  marks->row = ~same->left;
  marks->column = ~same->up;
  marks->falling = ~same->up_left;
  marks->rising = ~same->up_right;
  /* an upper left corner; two pixels that meet at a corner, and a corner
   * missing of four */
  marks->plus = marks->row & marks->column & marks->falling;
  marks->minus = (~same->right & marks->column & same->up_right) |
      (same->left & same->up & marks->falling);

  /* 1 + 2 * sides + 10 * corners is 5, 7, 15, 17, 25, 27; 21, 33; 13, 23 */
  cs_properties_add_four (near->left, near->right, near->up, near->down, sides);
  cs_properties_add_four (near->up_left, near->up_right, near->down_left,
      near->down_right, corners);
  const CsPropertiesWord one = sides[0] & ~sides[1];
  const CsPropertiesWord none = ~(sides[0] | sides[1] | sides[2]);
  const CsPropertiesWord three = corners[0] & corners[1];

  marks->straight = border & sides[1] & ~corners[2] & ~three;
  marks->diagonal = border & ((none & corners[1] & ~corners[0]) | (one & three));
  marks->bent = border & one & (corners[0] ^ corners[1]);
}

/* The piece of @n pixels from bit @bit on, in row @y, of word @word. */
CS_PROPERTIES_FN CsPropertiesPiece
cs_properties_piece (const CsPropertiesMarks * marks, uint32_t label,
    uint32_t y, uint32_t word, uint32_t bit, uint32_t n)
{
  const CsPropertiesWord mask = (CsPropertiesWord) ~(CsPropertiesWord) 0 >>
      (CS_PROPERTIES_WORD_BITS - n) << bit;
  const uint32_t lines = cs_properties_count (marks->row & mask) +
      cs_properties_count (marks->column & mask);
  const uint32_t diagonals = cs_properties_count (marks->falling & mask) +
      cs_properties_count (marks->rising & mask);
  const uint32_t euler = 64 + cs_properties_count (marks->plus & mask) -
      cs_properties_count (marks->minus & mask);
  const uint32_t x = word * (uint32_t) CS_PROPERTIES_WORD_BITS + bit;
  const CsPropertiesPiece piece = {
    label,
    y | n << CS_PROPERTIES_PLACE_BITS | lines << 24,
    x | diagonals << CS_PROPERTIES_PLACE_BITS |
        cs_properties_count (marks->straight & mask) << 25,
    euler | cs_properties_count (marks->diagonal & mask) << 8 |
        cs_properties_count (marks->bent & mask) << 15,
  };

  return piece;
}

/* --- Sums ----------------------------------------------------------------- */

/**
 * CsPropertiesSums:
 * @x, @y, @xx, @xy, @yy: of coordinates and their products, modulo 2^64
 * @lines: marks of rows and columns, and of diagonals << 32
 * @turns: straight and diagonal ones << 32
 * @pixels: bent ones, and all pixels << 32
 * @euler: the Euler number, modulo 2^32
 * @not_left: the complement of the first column
 * @right: the last column
 *
 * Of a region; of none all are 0.
 */
typedef struct
{
  uint64_t x, y, xx, xy, yy;
  uint64_t lines, turns, pixels;
  uint32_t euler, not_left, right, unused;
} CsPropertiesSums;

#define CS_PROPERTIES_PAIR(low, high) ((uint64_t) (low) | (uint64_t) (high) << 32)

CS_PROPERTIES_FN void
cs_properties_add (CsPropertiesSums * sums, const CsPropertiesPiece * piece)
{
  const uint32_t column = cs_properties_column (piece);
  const uint32_t count = cs_properties_n_pixels (piece);
  const uint64_t x = column, y = cs_properties_row (piece), n = count;
  const uint64_t between = n * (n - 1) / 2;
  const uint64_t sum = n * x + between;

  sums->x += sum;
  sums->y += n * y;
  sums->xx += x * (sum + between) + between * (2 * n - 1) / 3;
  sums->xy += y * sum;
  sums->yy += n * y * y;
  sums->lines += CS_PROPERTIES_PAIR (piece->place >> 24,
      piece->first >> CS_PROPERTIES_PLACE_BITS & 0xff);
  sums->turns += CS_PROPERTIES_PAIR (piece->first >> 25,
      piece->rest >> 8 & 0x7f);
  sums->pixels += CS_PROPERTIES_PAIR (piece->rest >> 15, count);
  sums->euler += (piece->rest & 0xff) - 64;
  if (sums->not_left < ~column)
    sums->not_left = ~column;
  if (sums->right < column + count - 1)
    sums->right = column + count - 1;
}

/* --- Numbers of 128 bits -------------------------------------------------- */

typedef struct
{
  uint64_t low, high;
} CsWide;

CS_PROPERTIES_FN CsWide
cs_wide (uint64_t value)
{
  const CsWide wide = { value, 0 };

  return wide;
}

CS_PROPERTIES_FN CsWide
cs_wide_multiply (uint64_t a, uint64_t b)
{
#ifdef __CUDACC__
  const CsWide product = { a * b, __umul64hi (a, b) };
#else
  const unsigned __int128 all = (unsigned __int128) a * b;
  const CsWide product = { (uint64_t) all, (uint64_t) (all >> 64) };
#endif

  return product;
}

CS_PROPERTIES_FN CsWide
cs_wide_add (CsWide a, CsWide b)
{
  const uint64_t low = a.low + b.low;
  const CsWide sum = { low, a.high + b.high + (low < b.low) };

  return sum;
}

CS_PROPERTIES_FN CsWide
cs_wide_subtract (CsWide a, CsWide b)
{
  const CsWide difference = { a.low - b.low, a.high - b.high - (a.low < b.low) };

  return difference;
}

/* a - b * factor, modulo 2^128 */
CS_PROPERTIES_FN CsWide
cs_wide_subtract_times (CsWide a, CsWide b, uint64_t factor)
{
  CsWide product = cs_wide_multiply (b.low, factor);

  product.high += b.high * factor;
  return cs_wide_subtract (a, product);
}

/* Of a number in two's complement. */
CS_PROPERTIES_FN double
cs_wide_to_double (CsWide wide)
{
  const int is_negative = (int) (wide.high >> 63);

  if (is_negative)
    wide = cs_wide_subtract (cs_wide (0), wide);
  const double size = (double) wide.high * 0x1p64 + (double) wide.low;

  return is_negative ? -size : size;
}

/* a * b - c * d */
CS_PROPERTIES_FN double
cs_wide_determinant (uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  return cs_wide_to_double (cs_wide_subtract (cs_wide_multiply (a, b),
          cs_wide_multiply (c, d)));
}

/* --- Moments of third order ----------------------------------------------- */

/**
 * CsPropertiesMoments:
 * @m: sums of row^i column^j from the bounding box on, in the order of i and j;
 *     those with i + j < 3, which have no place here, are in #CsPropertiesSums
 */
typedef struct
{
  CsWide m[16];
} CsPropertiesMoments;

/* Whether moment @k is among #CsPropertiesMoments. */
CS_PROPERTIES_FN int
cs_properties_is_wide (uint32_t k)
{
  return k / 4 + k % 4 >= 3;
}

/* Adds @piece, of a region that begins at (@left, @top). */
CS_PROPERTIES_FN void
cs_properties_add_moments (CsPropertiesMoments * moments,
    const CsPropertiesPiece * piece, uint32_t left, uint32_t top)
{
  const uint64_t x = cs_properties_column (piece) - left;
  const uint64_t y = cs_properties_row (piece) - top;
  const uint64_t n = cs_properties_n_pixels (piece);
  const uint64_t first = n * (n - 1) / 2;
  const uint64_t second = first * (2 * n - 1) / 3;
  const uint64_t rows[4] = { 1, y, y * y, y * y * y };
  const uint64_t columns[4] = { n, n * x + first,
    x * (n * x + 2 * first) + second,
    x * (x * (n * x + 3 * first) + 3 * second) + first * first
  };

#ifdef __CUDACC__
#pragma unroll
#endif
  for (uint32_t k = 0; k < 16; k++)
    if (cs_properties_is_wide (k))
      moments->m[k] = cs_wide_add (moments->m[k],
          cs_wide_multiply (rows[k / 4], columns[k % 4]));
}

/* --- Convex hulls --------------------------------------------------------- */

/*
 * The left side of a region is a chain of pixels, of each row the first, that is
 * strictly convex; the right side is one, too, in a mirror: the distance to the
 * bounding box's right column is its x. Coordinates are the bounding box's. The
 * hull of the middles of sides is that of the centres, widened by a diamond, so
 * that no point between pixels is needed.
 */

typedef struct
{
  uint32_t x, y;
} CsPropertiesPoint;

/* No strictly convex chain in a picture has more vertices: they need as many
 * different directions, and the shortest of them sum to the picture's sides. */
#define CS_PROPERTIES_MAX_CHAIN 8192

/* Adds a pixel, not above the last one, to a chain of @n. Returns: its new
 * number */
CS_PROPERTIES_FN uint32_t
cs_properties_push (CsPropertiesPoint * chain, uint32_t n, uint32_t x,
    uint32_t y)
{
  if (n > 0 && chain[n - 1].y == y) {
    if (chain[n - 1].x <= x)
      return n;
    n--;
  }
  while (n > 1) {
    const CsPropertiesPoint a = chain[n - 2], b = chain[n - 1];

    if (((int64_t) b.x - a.x) * ((int64_t) y - b.y) <
        ((int64_t) x - b.x) * ((int64_t) b.y - a.y))
      break;
    n--;
  }
  chain[n].x = x;
  chain[n].y = y;
  return n + 1;
}

/* How far the convex image goes beyond a pixel at @x at the end of an edge to
 * (@other, @dy rows away). */
CS_PROPERTIES_FN uint32_t
cs_properties_reach (uint32_t x, uint32_t other, uint32_t dy)
{
  return x > other ? (x - other) / (2 * dy) : 0;
}

/* The quotient, rounded down; @b is positive. */
CS_PROPERTIES_FN int32_t
cs_properties_floor_div (int32_t a, int32_t b)
{
  return a / b - (a % b < 0);
}

/* The convex image of the @n pixels of @chain, row by row: its side is put into
 * @side, a chain, and @n_side. Returns: the sum of its x */
CS_PROPERTIES_FN uint64_t
cs_properties_widen (const CsPropertiesPoint * chain, uint32_t n,
    CsPropertiesPoint * side, uint32_t * n_side)
{
  uint32_t m = 0;
  uint64_t sum = 0;

  for (uint32_t i = 0; i < n; i++) {
    const CsPropertiesPoint a = chain[i];
    uint32_t reach = 0;

    if (i > 0)
      reach = cs_properties_reach (a.x, chain[i - 1].x, a.y - chain[i - 1].y);
    if (i + 1 < n) {
      const uint32_t below = cs_properties_reach (a.x, chain[i + 1].x,
          chain[i + 1].y - a.y);

      reach = reach < below ? below : reach;
    }
    m = cs_properties_push (side, m, a.x - reach, a.y);
    sum += a.x - reach;
    if (i + 1 == n)
      break;

    /* between two pixels x is ceil ((2 k dx - max (dy, |dx|)) / (2 dy)) */
    const int32_t dx = (int32_t) (chain[i + 1].x - a.x);
    const int32_t dy = (int32_t) (chain[i + 1].y - a.y);
    const int32_t size = dx < 0 ? -dx : dx, whole = 2 * dy;
    const int32_t from = 2 * dx - (size < dy ? dy : size) + whole - 1;
    const int32_t step = cs_properties_floor_div (dx, dy);
    const int32_t step_rest = 2 * dx - step * whole;
    int32_t x = cs_properties_floor_div (from, whole), rest = from - x * whole;

    for (int32_t k = 1; k < dy; k++) {
      const uint32_t at = a.x + (uint32_t) x;

      m = cs_properties_push (side, m, at, a.y + (uint32_t) k);
      sum += at;
      x += step;
      rest += step_rest;
      if (rest >= whole) {
        rest -= whole;
        x++;
      }
    }
  }
  *n_side = m;
  return sum;
}

/* The greatest squared distance between the diamonds around two pixels. */
CS_PROPERTIES_FN double
cs_properties_distance (int32_t dx, int32_t dy, double row_spacing,
    double column_spacing)
{
  const double x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
  const double a = x * column_spacing, b = y * row_spacing;
  const double c = (x + 1.) * column_spacing, d = (y + 1.) * row_spacing;
  const double wide = c * c + b * b, high = a * a + d * d;

  return wide < high ? high : wide;
}

/* The greatest squared distance between the diamonds around the pixels of a
 * convex image of @width columns: of all pairs that parallel lines touch. */
CS_PROPERTIES_FN double
cs_properties_diameter (const CsPropertiesPoint * left, uint32_t n_left,
    const CsPropertiesPoint * right, uint32_t n_right, uint32_t width,
    double row_spacing, double column_spacing)
{
  uint32_t i = 0, j = n_left - 1;
  double best = 0.;

  for (;;) {
    const double distance = cs_properties_distance
        ((int32_t) (width - 1 - right[i].x - left[j].x),
        (int32_t) (right[i].y - left[j].y), row_spacing, column_spacing);

    best = best < distance ? distance : best;
    if (i + 1 == n_right && j == 0)
      return best;
    /* the next edge down at the right, and the next one up at the left */
    int64_t turn = i + 1 == n_right ? -1 : 1;

    if (i + 1 < n_right && j > 0)
      turn = ((int64_t) right[i].x - right[i + 1].x) *
          ((int64_t) left[j].y - left[j - 1].y) -
          ((int64_t) left[j].x - left[j - 1].x) *
          ((int64_t) right[i + 1].y - right[i].y);
    if (turn >= 0)
      i++;
    if (turn <= 0)
      j--;
  }
}
