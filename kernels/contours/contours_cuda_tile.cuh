/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Device code: a tile, and which segments are linked to each other.
 *
 * Its cells have a halo of one cell. Local pixel (i, j) is image pixel
 * (32 ty - 1 + i, 32 tx - 1 + j); the tile's own cells are 1 .. 32. Of a sample
 * three bits are kept: whether it is valid, above the level, or so near to it
 * that a crossing beside it may collapse onto its pixel. Samples themselves are
 * read again where one is near without being equal to the level.
 *
 * A tile with many segments is linked in strips of rows, each like a tile of
 * its own: this bounds shared memory, for occupancy.
 */

#include "contours_cuda.cuh"

#include "contours_cuda_samples.cuh"
#include "contours_math.h"

#define SIDE (CS_TILE + 3)
#define STRIP_ROWS 8
#define MAX_SEGMENTS (2 * STRIP_ROWS * CS_TILE)

/* Pointer jumping of segments in a tile, as CsJump. */
typedef union
{
  struct
  {
    uint16_t p, distance, max, max_distance;
  };
  CsU64 word;
} LocalJump;

#define NOTHING 0xffff
/* tail[] of a segment: its successor is in another strip, or there is none;
 * later, of a fragment's root: the fragment's length, and ENDS_HERE. */
#define LEAVES 0x4000
#define ENDS_HERE 0x8000

/* ranked[]: the root segment of a segment's fragment (the head of a chain, or
 * the maximum of a cycle), its rank there, and whether it is a cycle. */
#define RANKED(root, rank, closed) \
    ((uint32_t) (root) | (uint32_t) (rank) << 16 | (uint32_t) (closed) << 31)
#define RANKED_ROOT(ranked) ((ranked) & 0xffff)
#define RANKED_RANK(ranked) ((ranked) >> 16 & 0x7fff)
#define RANKED_CLOSED(ranked) ((ranked) >> 31)

/* Segment info in a tile: cell row and column, its index in the cell. */
#define LOCAL_INFO(r, c, k) ((uint16_t) ((r) << 6 | (c) << 1 | (k)))
#define LOCAL_ROW(info) ((info) >> 6)
#define LOCAL_COLUMN(info) ((info) >> 1 & 31)
#define LOCAL_K(info) ((info) & 1)

/* A row of pixels: columns 0 .. 31, and the last three. */
struct __align__ (8) Bits
{
  uint32_t low, end;

  __device__ __forceinline__ CsU64 all () const
  {
    return low | (CsU64) end << 32;
  }

  __device__ __forceinline__ uint32_t from (int j) const
  {
    return (uint32_t) (all () >> j);
  }

  __device__ __forceinline__ void set (CsU64 bits)
  {
    low = (uint32_t) bits;
    end = (uint32_t) (bits >> 32);
  }
};

struct Row
{
  Bits high, valid, near;       /* @near only where there are ties */
};

struct Tile
{
  Row rows[SIDE];
  uint32_t first[CS_TILE], second[CS_TILE], row_base[CS_TILE + 1];
  uint32_t contours_first[CS_TILE], contours_second[CS_TILE];
  uint32_t n_contours[CS_TILE], n_points[CS_TILE];
  uint32_t n_fragments, base, fragment_base, n_dropped, n_overwritten;
  /* of a strip */
  uint16_t info[MAX_SEGMENTS];
  uint16_t previous[MAX_SEGMENTS];      /* then the fragment's number */
  uint16_t tail[MAX_SEGMENTS];
  union
  {
    LocalJump jumps[2][MAX_SEGMENTS];
    struct
    {
      /* in place of the first half */
      uint32_t min[MAX_SEGMENTS], max[MAX_SEGMENTS];
      uint32_t ranked[MAX_SEGMENTS];
    };
  };
};

/* A tile's target and position, and what all of its threads know of it. */
struct TileRef
{
  uint32_t target, tx, ty;
  double level;
  bool all_valid;               /* of all pixels, and within the image */
  bool ties;                    /* some pixels are near the level */
  bool exact;                   /* all of these are equal to it */
  bool finite;                  /* and all distances from it */
};

/* Rows of a tile that are linked together, and their segments. */
struct Strip
{
  int begin, end;
  uint32_t first, n;
};

/* Cells */

/* The case of a cell, -1 if it is not valid. */
static __device__ __forceinline__ int
cell_case (const Tile & t, const TileRef & at, int i, int j)
{
  const uint32_t top = t.rows[i].high.from (j) & 3;
  const uint32_t bottom = t.rows[i + 1].high.from (j) & 3;

  if (!at.all_valid && (t.rows[i].valid.from (j) &
          t.rows[i + 1].valid.from (j) & 3) != 3)
    return -1;
  return (int) (top | bottom << 2);
}

/* Ties */

template <typename T, typename V> static __device__ __forceinline__ double
value_at (const CsFrame & f, uint32_t target, uint32_t x, uint32_t y)
{
  const CsSource source = cs_target_source<V> (&f, target);

  return (double) cs_load<T, V> (source.derived, source.data +
      y * source.row_stride + x * source.pixel_stride);
}

/* The sample of a local pixel. */
static __device__ double
sample_at (const CsFrame & f, const TileRef & at, int i, int j)
{
  const uint32_t x = at.tx * CS_TILE - 1 + j, y = at.ty * CS_TILE - 1 + i;

  switch (f.type) {
    case CS_SAMPLE_U8:
      return value_at<uint8_t, float> (f, at.target, x, y);
    case CS_SAMPLE_U16:
      return value_at<uint16_t, float> (f, at.target, x, y);
    case CS_SAMPLE_F16:
      return value_at<CsHalf, float> (f, at.target, x, y);
    case CS_SAMPLE_F32:
      return value_at<float, float> (f, at.target, x, y);
    default:
      return value_at<double, double> (f, at.target, x, y);
  }
}

/* The end of the edge from local pixel (i, j), to the right or down, onto which
 * its crossing collapses: 0 or 1, -1 for none. Rare, hence out of line. */
static __device__ __noinline__ int
collapsed_side (const CsFrame & f, const TileRef & at, int i, int j, int down)
{
  const double from = sample_at (f, at, i, j);
  const double to = sample_at (f, at, i + down, j + !down);

  /* next to an infinite sample the crossing is in the middle */
  if (from == at.level && at.finite)
    return 0;
  if (to == at.level && at.finite)
    return 1;
  const double base = down ? f.origin_y + ((int) (at.ty * CS_TILE) - 1 + i) :
      f.origin_x + ((int) (at.tx * CS_TILE) - 1 + j);
  const double position = base + cs_crossing_fraction (from, to, at.level);
  return cs_crossing_is_collapsed (position) ? position != base : -1;
}

/* The local pixel, 256 i + j, onto which the crossing of a cell's edge
 * collapses; -1 for none. */
static __device__ __forceinline__ int
end_vertex (const Tile & t, const CsFrame & f, const TileRef & at, int i,
    int j, int edge)
{
  const int down = edge == CS_EDGE_L || edge == CS_EDGE_R;

  if (!at.ties)
    return -1;
  i += edge == CS_EDGE_B;
  j += edge == CS_EDGE_R;
  const bool from = t.rows[i].near.from (j) & 1;
  const bool to = t.rows[i + down].near.from (j + !down) & 1;

  if (!from && !to)
    return -1;
  const int side = at.exact ? !from : collapsed_side (f, at, i, j, down);
  if (side < 0)
    return -1;
  return (i + (side & down)) << 8 | (j + (side & !down));
}

/* Whether a segment's ends differ. Only one around a corner may be
 * degenerate. */
static __device__ bool
has_length (const Tile & t, const CsFrame & f, const TileRef & at, int i,
    int j, int code)
{
  const int edges = 1 << (code & 3) | 1 << (code >> 2 & 3);
  const bool right = edges >> CS_EDGE_R & 1, lower = edges >> CS_EDGE_B & 1;

  if (right == (bool) (edges >> CS_EDGE_L & 1) ||
      !(t.rows[i + lower].near.from (j + right) & 1))
    return true;
  const int a = end_vertex (t, f, at, i, j, code & 3);

  return a < 0 || a != end_vertex (t, f, at, i, j, code >> 2 & 3);
}

/* Links */

/* Neighbours of a segment: cell and index, i << 16 | j << 8 | k, -1 for none */
#define NEIGHBOUR(i, j, k) ((i) << 16 | (j) << 8 | (k))

/* Outcome of an event at a pixel. */
struct Pairing
{
  int partner;
  bool overwrote;
};

/* Partners at a pixel that is equal to the level, all of whose cells are valid:
 * onto it all crossings of its edges collapse, so that they depend only on
 * which of the 8 pixels around are above the level. Of each of its cells, in
 * raster order, three bits for the segment that ends there, from bit 12 on for
 * the one that starts: the cell of the partner, and this one's index in it. */
struct PairingTable
{
  uint32_t of[2][256];
};

/* The tie rule around a pixel: upper row, left, right, lower row. */
static constexpr uint32_t
pair_around (uint32_t around, int high)
{
  const uint32_t pixels[3] = { around & 7,
    (around >> 3 & 1) | (around >> 4 & 1) << 2, around >> 5 };
  uint32_t pending[2] = { 8, 8 }, partners = 0;

  for (uint32_t n = 0; n < 4; n++) {
    const uint32_t row = n >> 1, column = n & 1;
    const int cell = (int) ((pixels[row] >> column & 3) |
        (pixels[row + 1] >> column & 3) << 2);
    const int edges = 1 << (row ? CS_EDGE_T : CS_EDGE_B) |
        1 << (column ? CS_EDGE_L : CS_EDGE_R);

    for (uint32_t k = 0; (int) k < cs_case_n_segments (cell); k++) {
      const int code = cs_case_segments (cell, high) >> (4 * k);
      const bool starts = edges >> (code & 3) & 1;
      const bool ends = edges >> (code >> 2 & 3) & 1;

      if (starts == ends)
        continue;
      if (pending[!starts] < 8) {
        const uint32_t other = pending[!starts];

        partners |= other << (3 * n + 12 * starts) |
            (n | k << 2) << (3 * (other & 3) + 12 * !starts);
        pending[!starts] = 8;
      } else {
        pending[starts] = n | k << 2;
      }
    }
  }
  return partners;
}

static constexpr PairingTable
pair_everywhere ()
{
  PairingTable table = { };

  for (int high = 0; high < 2; high++)
    for (uint32_t around = 0; around < 256; around++)
      table.of[high][around] = pair_around (around, high);
  return table;
}

static __device__ const PairingTable pairings = pair_everywhere ();

/* As pair_at_vertex(), by the table. */
static __device__ __forceinline__ int
partner_around (const Tile & t, const CsFrame & f, int v, int i, int j,
    bool at_end)
{
  const int left = (v & 255) - 1, upper = (v >> 8) - 1;
  const uint32_t middle = t.rows[upper + 1].high.from (left);
  const uint32_t around = (t.rows[upper].high.from (left) & 7) |
      (middle & 1) << 3 | (middle & 4) << 2 |
      (t.rows[upper + 2].high.from (left) & 7) << 5;
  const int n = 2 * (i - upper) + j - left;
  const uint32_t partner = pairings.of[f.high != 0][around] >>
      (3 * n + (at_end ? 0 : 12));

  return NEIGHBOUR (upper + (partner >> 1 & 1), left + (partner & 1),
      partner >> 2 & 1);
}

/* Whether the cells around local pixel @v are valid. */
static __device__ __forceinline__ bool
is_surrounded (const Tile & t, const TileRef & at, int v)
{
  const int left = (v & 255) - 1, upper = (v >> 8) - 1;

  return at.all_valid || (t.rows[upper].valid.from (left) &
      t.rows[upper + 1].valid.from (left) &
      t.rows[upper + 2].valid.from (left) & 7) == 7;
}

/* Replays the tie rule at local pixel @v; returns the outcome for the start or
 * end of segment @which. */
static __device__ __noinline__ Pairing
pair_at_vertex (const Tile & t, const CsFrame & f, const TileRef & at,
    int v, int which, bool which_ends)
{
  int pending_start = -1, pending_end = -1;
  Pairing result = { -1, false };

  for (int n = 0; n < 4; n++) {
    const int i = (v >> 8) - 1 + (n >> 1), j = (v & 255) - 1 + (n & 1);
    const int cell = cell_case (t, at, i, j);
    /* the cell's edges that meet at v */
    const int edges = 1 << (n & 2 ? CS_EDGE_T : CS_EDGE_B) |
        1 << (n & 1 ? CS_EDGE_L : CS_EDGE_R);

    if (cell <= 0 || cell == 15)
      continue;
    for (int k = 0; k < cs_case_n_segments (cell); k++) {
      const int code = cs_case_segments (cell, f.high) >> 4 * k;
      const bool starts = (edges >> (code & 3) & 1) &&
          end_vertex (t, f, at, i, j, code & 3) == v;
      const bool ends = (edges >> (code >> 2 & 3) & 1) &&
          end_vertex (t, f, at, i, j, code >> 2 & 3) == v;
      const int id = NEIGHBOUR (i, j, k);

      if (starts == ends)
        continue;
      int *mine = starts ? &pending_start : &pending_end;
      int *other = starts ? &pending_end : &pending_start;
      const bool is_which = id == which && ends == which_ends;

      if (*other >= 0) {
        if (is_which)
          result.partner = *other;
        if (*other == which && starts == which_ends)
          result.partner = id;
        *other = -1;
      } else {
        if (is_which)
          result.overwrote = *mine >= 0;
        *mine = id;
      }
    }
  }
  return result;
}

/* The segment linked to a segment's end (start, without @at_end). */
static __device__ __forceinline__ Pairing
find_partner (const Tile & t, const CsFrame & f, const TileRef & at, int i,
    int j, int k, bool at_end)
{
  const int code = cs_case_segments (cell_case (t, at, i, j), f.high) >> 4 * k;
  const int edge = at_end ? code >> 2 & 3 : code & 3;
  const int v = end_vertex (t, f, at, i, j, edge);
  Pairing result = { -1, false };

  if (v >= 0) {
    if (!at.exact || !is_surrounded (t, at, v))
      return pair_at_vertex (t, f, at, v, NEIGHBOUR (i, j, k), at_end);
    result.partner = partner_around (t, f, v, i, j, at_end);
    return result;
  }
  i += (edge == CS_EDGE_B) - (edge == CS_EDGE_T);
  j += (edge == CS_EDGE_R) - (edge == CS_EDGE_L);
  const int cell = cell_case (t, at, i, j);
  if (cell < 0)
    return result;
  const int other = cs_case_segments (cell, f.high) >> (at_end ? 0 : 2);
  result.partner = NEIGHBOUR (i, j, (other & 3) != (edge ^ 2));
  return result;
}

static __device__ __forceinline__ bool
is_inside (const Strip & strip, int neighbour)
{
  const int i = neighbour >> 16, j = neighbour >> 8 & 255;

  return i > strip.begin && i <= strip.end && j >= 1 && j <= CS_TILE;
}

static __device__ __forceinline__ uint32_t
local_index (const Tile & t, const Strip & strip, int neighbour)
{
  const int r = (neighbour >> 16) - 1, c = (neighbour >> 8 & 255) - 1;
  const uint32_t below = cs_bits_below (c);

  return t.row_base[r] - strip.first + __popc (t.first[r] & below) +
      __popc (t.second[r] & below) + (neighbour & 1 ? t.first[r] >> c & 1 : 0);
}

static __device__ __forceinline__ uint32_t
pixel_of (const CsFrame & f, const TileRef & at, int r, int c)
{
  return (at.ty * CS_TILE + r) * f.width + at.tx * CS_TILE + c;
}

static __device__ __forceinline__ uint32_t
key_of (const CsFrame & f, const TileRef & at, int neighbour)
{
  return neighbour < 0 ? CS_NONE : 2 * pixel_of (f, at,
      (neighbour >> 16) - 1, (neighbour >> 8 & 255) - 1) + (neighbour & 1);
}

static __device__ __forceinline__ int
neighbour_of_info (uint16_t info)
{
  return NEIGHBOUR (LOCAL_ROW (info) + 1, LOCAL_COLUMN (info) + 1,
      LOCAL_K (info));
}
