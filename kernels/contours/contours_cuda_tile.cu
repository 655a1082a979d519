/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: samples to linked and ranked segments, tile by tile. */
#include "contours_cuda.cuh"

#include "base/cuda_warp.cuh"
#include "contours_cuda_samples.cuh"
#include "contours_math.h"

/* A tile's cells with a halo of one cell. Local pixel (i, j) is image pixel
 * (32 ty - 1 + i, 32 tx - 1 + j); the tile's own cells are 1 .. 32.
 *
 * A tile with many segments is linked in strips of rows, each like a tile of
 * its own: this bounds shared memory, for occupancy. */
#define SIDE (CS_TILE + 3)
#define STRIP_ROWS 8
#define MAX_SEGMENTS (2 * STRIP_ROWS * CS_TILE)
#define ITEMS (MAX_SEGMENTS / CS_TILE_THREADS)
#define N_WARPS (CS_TILE_THREADS / 32)
#define BLOCKS_PER_SM 7

/* Rows loaded by each warp, and samples of the last columns by each thread */
#define ROWS_PER_WARP ((SIDE + N_WARPS - 1) / N_WARPS)
#define END_COLUMNS (SIDE - 32)
#define ENDS_PER_THREAD \
    ((SIDE * END_COLUMNS + CS_TILE_THREADS - 1) / CS_TILE_THREADS)
#define PIXELS_PER_THREAD (ROWS_PER_WARP + ENDS_PER_THREAD)

/* Pointer jumping of segments in a tile, as CsJump. */
typedef union
{
  struct
  {
    uint16_t p, distance, max, max_distance;
  };
  CsU64 word;
} LocalJump;

typedef struct
{
  uint32_t min[MAX_SEGMENTS], max[MAX_SEGMENTS];
} Extremes;

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

/* Bitmaps of a row of pixels: columns 0 .. 31, and the last three. */
typedef struct
{
  uint32_t high, high_end, valid, valid_end;
} Row;

static __device__ __forceinline__ CsU64
high_bits (const Row & row)
{
  return row.high | (CsU64) row.high_end << 32;
}

static __device__ __forceinline__ CsU64
valid_bits (const Row & row)
{
  return row.valid | (CsU64) row.valid_end << 32;
}

template <typename V> struct Tile
{
  V samples[SIDE][SIDE + 1];    /* NaN where invalid */
  Row rows[SIDE];
  uint32_t first[CS_TILE], second[CS_TILE], row_base[CS_TILE + 1];
  uint32_t contours_first[CS_TILE], contours_second[CS_TILE];
  uint32_t n_contours[CS_TILE], n_points[CS_TILE];
  uint32_t n_fragments, base, fragment_base, n_dropped, n_overwritten;
  int has_invalid;              /* or extends beyond the image */
  V low[N_WARPS], high[N_WARPS];
  /* of a strip */
  uint16_t info[MAX_SEGMENTS];
  uint16_t previous[MAX_SEGMENTS];      /* then the fragment's number */
  uint16_t tail[MAX_SEGMENTS];
  uint32_t ranked[MAX_SEGMENTS];
  union
  {
    LocalJump jumps[MAX_SEGMENTS];
    Extremes extremes;
  };
};

/* A tile's target and position. */
struct TileRef
{
  uint32_t target, tx, ty;
  double level;
  /* Crossings collapse only onto pixels within this distance of the level, if
   * the tile has any. */
  double near;
  bool ties;
};

/* Rows of a tile that are linked together, and their segments. */
struct Strip
{
  int begin, end;
  uint32_t first, n;
};

/* Cells */

template <typename V> static __device__ int
cell_case (const Tile<V> &t, int i, int j)
{
  const CsU64 both = valid_bits (t.rows[i]) & valid_bits (t.rows[i + 1]);
  const uint32_t valid = (uint32_t) (both >> j);
  const uint32_t top = (uint32_t) (high_bits (t.rows[i]) >> j) & 3;
  const uint32_t bottom = (uint32_t) (high_bits (t.rows[i + 1]) >> j) & 3;

  return (valid & 3) == 3 ? (int) (top | bottom << 2) : -1;
}

/* A crossed edge, and its pixels. */
struct Crossing
{
  int i, j;                     /* the left or upper pixel */
  int down;
  double position;
};

template <typename V> static __device__ void
find_edge (const Tile<V> &t, int i, int j, int edge, Crossing * c,
    double *from, double *to)
{
  c->i = i + (edge == CS_EDGE_B);
  c->j = j + (edge == CS_EDGE_R);
  c->down = edge == CS_EDGE_L || edge == CS_EDGE_R;
  *from = (double) t.samples[c->i][c->j];
  *to = (double) t.samples[c->i + c->down][c->j + !c->down];
}

/* Whether a crossing may collapse onto a sample of this value. */
static __device__ __forceinline__ bool
is_near (const TileRef & at, double value)
{
  return !(fabs (value - at.level) > at.near);
}

/* The end of an edge onto which its crossing collapses: 0 or 1, -1 for none.
 * Rare, hence out of line. */
static __device__ __noinline__ int
collapsed_side (double base, double from, double to, double level)
{
  const double position = base + cs_crossing_fraction (from, to, level);

  return cs_crossing_is_collapsed (position) ? position != base : -1;
}

/* The local pixel, 256 i + j, onto which the crossing of a cell's edge
 * collapses; -1 for none. */
template <typename V> static __device__ int
end_vertex (const Tile<V> &t, const CsFrame & f, const TileRef & at, int i,
    int j, int edge)
{
  double from, to, base;
  Crossing c;
  int side;

  if (!at.ties)
    return -1;
  find_edge (t, i, j, edge, &c, &from, &to);
  if (!is_near (at, from) && !is_near (at, to))
    return -1;
  /* usually the sample equals the level, and no division is needed; next to
   * infinities, also an infinite level, the crossing is at the finite end */
  if (from == at.level && at.near < INFINITY)
    return c.i << 8 | c.j;
  if (to == at.level && at.near < INFINITY)
    return (c.i + c.down) << 8 | (c.j + !c.down);
  base = c.down ? f.origin_y + ((int) (at.ty * CS_TILE) - 1 + c.i) :
      f.origin_x + ((int) (at.tx * CS_TILE) - 1 + c.j);
  side = collapsed_side (base, from, to, at.level);
  if (side < 0)
    return -1;
  return (c.i + (side & c.down)) << 8 | (c.j + (side & !c.down));
}

/* Whether a segment's ends differ. Only one around a corner may be
 * degenerate. */
template <typename V> static __device__ bool
has_length (const Tile<V> &t, const CsFrame & f, const TileRef & at, int i,
    int j, int code)
{
  const int edges = 1 << (code & 3) | 1 << (code >> 2 & 3);
  const bool right = edges >> CS_EDGE_R & 1, lower = edges >> CS_EDGE_B & 1;

  if (right == (bool) (edges >> CS_EDGE_L & 1) ||
      !is_near (at, (double) t.samples[i + lower][j + right]))
    return true;
  const int a = end_vertex (t, f, at, i, j, code & 3);

  return a < 0 || a != end_vertex (t, f, at, i, j, code >> 2 & 3);
}

/* Neighbours of a segment: cell and index, i << 16 | j << 8 | k, -1 for none */
#define NEIGHBOUR(i, j, k) ((i) << 16 | (j) << 8 | (k))

/* Outcome of an event at a pixel. */
struct Pairing
{
  int partner;
  bool overwrote;
};

/* Replays the tie rule at local pixel @v; returns the outcome for the start or
 * end of segment @which. */
template <typename V> static __device__ __noinline__ Pairing
pair_at_vertex (const Tile<V> &t, const CsFrame & f, const TileRef & at,
    int v, int which, bool which_ends)
{
  int pending_start = -1, pending_end = -1;
  Pairing result = { -1, false };

  for (int n = 0; n < 4; n++) {
    const int i = (v >> 8) - 1 + (n >> 1), j = (v & 255) - 1 + (n & 1);
    const int cell = cell_case (t, i, j);
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
template <typename V> static __device__ Pairing
find_partner (const Tile<V> &t, const CsFrame & f, const TileRef & at, int i,
    int j, int k, bool at_end)
{
  const int code = cs_case_segments (cell_case (t, i, j), f.high) >> 4 * k;
  const int edge = at_end ? code >> 2 & 3 : code & 3;
  const int v = end_vertex (t, f, at, i, j, edge);
  Pairing result = { -1, false };

  if (v >= 0)
    return pair_at_vertex (t, f, at, v, NEIGHBOUR (i, j, k), at_end);

  i += (edge == CS_EDGE_B) - (edge == CS_EDGE_T);
  j += (edge == CS_EDGE_R) - (edge == CS_EDGE_L);
  const int cell = cell_case (t, i, j);
  if (cell < 0)
    return result;
  const int other = cs_case_segments (cell, f.high) >> (at_end ? 0 : 2);
  result.partner = NEIGHBOUR (i, j, (other & 3) != (edge ^ 2));
  return result;
}

static __device__ bool
is_inside (const Strip & strip, int neighbour)
{
  const int i = neighbour >> 16, j = neighbour >> 8 & 255;

  return i > strip.begin && i <= strip.end && j >= 1 && j <= CS_TILE;
}

template <typename V> static __device__ uint32_t
local_index (const Tile<V> &t, const Strip & strip, int neighbour)
{
  const int r = (neighbour >> 16) - 1, c = (neighbour >> 8 & 255) - 1;
  const uint32_t below = cs_bits_below (c);

  return t.row_base[r] - strip.first + __popc (t.first[r] & below) +
      __popc (t.second[r] & below) +
      (neighbour & 1 ? t.first[r] >> c & 1 : 0);
}

static __device__ uint32_t
pixel_of (const CsFrame & f, const TileRef & at, int r, int c)
{
  return (at.ty * CS_TILE + r) * f.width + at.tx * CS_TILE + c;
}

static __device__ uint32_t
key_of (const CsFrame & f, const TileRef & at, int neighbour)
{
  return neighbour < 0 ? CS_NONE : 2 * pixel_of (f, at,
      (neighbour >> 16) - 1, (neighbour >> 8 & 255) - 1) + (neighbour & 1);
}

static __device__ int
neighbour_of_info (uint16_t info)
{
  return NEIGHBOUR (LOCAL_ROW (info) + 1, LOCAL_COLUMN (info) + 1,
      LOCAL_K (info));
}

/* Steps */

/* A pixel of the tile, clamped to the image, so that loads need no branch and
 * many are in flight. */
struct Pixel
{
  uint32_t x, y;
  bool inside;
};

static __device__ __forceinline__ Pixel
pixel_at (const CsFrame & f, const TileRef & at, int i, int j)
{
  const int x = (int) (at.tx * CS_TILE) - 1 + j;
  const int y = (int) (at.ty * CS_TILE) - 1 + i;
  Pixel pixel;

  pixel.x = min (max (x, 0), (int) f.width - 1);
  pixel.y = min (max (y, 0), (int) f.height - 1);
  pixel.inside = (int) pixel.x == x && (int) pixel.y == y;
  return pixel;
}

/* Pixel @n of a thread: in a row of its warp, or in the last columns. */
static __device__ __forceinline__ void
find_local_pixel (int n, int *i, int *j)
{
  *i = threadIdx.x / 32 + n * N_WARPS;
  *j = threadIdx.x % 32;
  if (n >= ROWS_PER_WARP) {
    const int p = threadIdx.x + (n - ROWS_PER_WARP) * CS_TILE_THREADS;

    *i = p / END_COLUMNS;
    *j = 32 + p - *i * END_COLUMNS;
  }
}

/* Range of the samples' distances from the level. */
template <typename V> struct DistanceRange
{
  V low, high;
  bool good;
};

template <typename V> static __device__ __forceinline__ void
extend_range (DistanceRange<V> &range, V v, V level)
{
  const V distance = fabs (v - level);

  /* NaNs change nothing */
  range.low = distance < range.low ? distance : range.low;
  range.high = distance > range.high ? distance : range.high;
  range.good &= v == v;
}

/* All of a thread's samples; NaN where invalid or outside the image. */
template <typename T, typename V> static __device__ __forceinline__ void
load_values (const CsFrame & f, const TileRef & at, V * values)
{
  const CsSource source = cs_target_source<V> (&f, at.target);
  uint32_t outside = 0;
  int i, j;

#pragma unroll
  for (int n = 0; n < PIXELS_PER_THREAD; n++) {
    find_local_pixel (n, &i, &j);
    const Pixel pixel = pixel_at (f, at, i, j);

    values[n] = cs_load<T, V> (source.derived, source.data +
        pixel.y * source.row_stride + pixel.x * source.pixel_stride);
    outside |= pixel.inside ? 0 : 1u << n;
  }
  if (f.mask) {
#pragma unroll
    for (int n = 0; n < PIXELS_PER_THREAD; n++) {
      find_local_pixel (n, &i, &j);
      const Pixel pixel = pixel_at (f, at, i, j);
      const uint8_t mask = f.mask[pixel.y * f.mask_row_stride +
          pixel.x * f.mask_pixel_stride];

      outside |= mask ? 0 : 1u << n;
    }
  }
#pragma unroll
  for (int n = 0; n < PIXELS_PER_THREAD; n++)
    values[n] = outside >> n & 1 ? (V) NAN : values[n];
}

/* Samples to shared memory and to bitmaps. */
template <typename T, typename V> static __device__ __forceinline__ void
load_samples (const CsFrame & f, const TileRef & at, Tile<V> &t,
    DistanceRange<V> &range)
{
  const V threshold = cs_round_down<V> (at.level), level = (V) at.level;
  V values[PIXELS_PER_THREAD];
  int i, j;

  load_values<T, V> (f, at, values);
#pragma unroll
  for (int n = 0; n < ROWS_PER_WARP; n++) {
    find_local_pixel (n, &i, &j);
    if (i < SIDE) {
      const uint32_t high = __ballot_sync (CS_ALL_LANES, values[n] > threshold);
      const uint32_t valid = __ballot_sync (CS_ALL_LANES,
          values[n] == values[n]);

      t.samples[i][j] = values[n];
      extend_range (range, values[n], level);
      if (j == 0) {
        t.rows[i].high = high;
        t.rows[i].valid = valid;
      }
    }
  }
#pragma unroll
  for (int n = ROWS_PER_WARP; n < PIXELS_PER_THREAD; n++) {
    find_local_pixel (n, &i, &j);
    if (i < SIDE) {
      t.samples[i][j] = values[n];
      extend_range (range, values[n], level);
      if (values[n] > threshold)
        atomicOr (&t.rows[i].high_end, 1u << (j - 32));
      if (values[n] == values[n])
        atomicOr (&t.rows[i].valid_end, 1u << (j - 32));
    }
  }
}

/* Whether crossings may collapse onto pixels in this tile: for coordinates
 * below 2^31 this takes a sample much nearer to the level than its
 * neighbour. */
template <typename V> static __device__ void
find_ties (Tile<V> &t, DistanceRange<V> &range, TileRef & at)
{
  for (int o = 16; o > 0; o /= 2) {
    const V low = __shfl_xor_sync (CS_ALL_LANES, range.low, o);
    const V high = __shfl_xor_sync (CS_ALL_LANES, range.high, o);

    range.low = low < range.low ? low : range.low;
    range.high = high > range.high ? high : range.high;
  }
  if (threadIdx.x % 32 == 0) {
    t.low[threadIdx.x / 32] = range.low;
    t.high[threadIdx.x / 32] = range.high;
  }
  __syncthreads ();
  V low = t.low[0], high = t.high[0];

  for (int w = 1; w < N_WARPS; w++) {
    low = t.low[w] < low ? t.low[w] : low;
    high = t.high[w] > high ? t.high[w] : high;
  }
  at.near = high * (V) 1e-5;
  at.ties = !(low > high * (V) 1e-5);
}

/* Finds the cells with segments: those with corners above and below the level.
 * Returns whether there are any. */
template <typename V> static __device__ bool
classify (Tile<V> &t)
{
  const int r = threadIdx.x;
  uint32_t active = 0;

  if (r < CS_TILE) {
    const CsU64 top = high_bits (t.rows[r + 1]) >> 1;
    const CsU64 bottom = high_bits (t.rows[r + 2]) >> 1;
    const CsU64 valid = (valid_bits (t.rows[r + 1]) &
        valid_bits (t.rows[r + 2])) >> 1;
    const uint32_t ul = (uint32_t) top, ur = (uint32_t) (top >> 1);
    const uint32_t ll = (uint32_t) bottom, lr = (uint32_t) (bottom >> 1);

    active = (ul | ur | ll | lr) & ~(ul & ur & ll & lr) &
        (uint32_t) valid & (uint32_t) (valid >> 1);
    t.first[r] = active;
    t.second[r] = active & (ul ^ ur) & (ul ^ ll) & (ur ^ lr);
    t.contours_first[r] = t.contours_second[r] = 0;
    t.n_contours[r] = t.n_points[r] = 0;
  }
  return __syncthreads_or (active);
}

/* Removes segments whose ends coincide. */
template <typename V> static __device__ void
drop_degenerate (const CsFrame & f, const TileRef & at, Tile<V> &t)
{
  const int c = threadIdx.x % 32;

  for (int r = threadIdx.x / 32; r < CS_TILE; r += N_WARPS) {
    const uint32_t firsts = t.first[r], seconds = t.second[r];
    bool first = firsts >> c & 1, second = seconds >> c & 1;

    if (firsts == 0)
      continue;
    if (first) {
      const int code = cs_case_segments (cell_case (t, r + 1, c + 1), f.high);

      second = second && has_length (t, f, at, r + 1, c + 1, code >> 4);
      first = has_length (t, f, at, r + 1, c + 1, code);
    }
    const uint32_t first_left = __ballot_sync (CS_ALL_LANES, first);
    const uint32_t second_left = __ballot_sync (CS_ALL_LANES, second);

    /* reads before writes */
    __syncwarp ();
    if (c == 0) {
      t.first[r] = first_left;
      t.second[r] = second_left;
    }
  }
  __syncthreads ();
}

/* Prefix sum of the rows' segments in the tile, and an atomic reservation of
 * their range. Only one thread receives the result of the atomic, so that the
 * others do not wait for it. */
template <typename V> static __device__ CsU64
place_rows (const CsFrame & f, const TileRef & at, Tile<V> &t)
{
  CsU64 base = 0;

  if (threadIdx.x < CS_TILE) {
    const int r = threadIdx.x;
    const uint32_t n = __popc (t.first[r]) + __popc (t.second[r]);
    const uint32_t sum = cs_warp_inclusive_sum (n);

    t.row_base[r] = sum - n;
    if (r == CS_TILE - 1) {
      t.row_base[CS_TILE] = sum;
      t.n_dropped = t.n_overwritten = 0;
      base = atomicAdd (f.small ? &f.target_counts[at.target].n_segments :
          &f.counters->n_segments, (CsU64) sum);
    }
  }
  __syncthreads ();
  return base;
}

/* Four threads per row, eight cells each. */
template <typename V> static __device__ void
list_segments (Tile<V> &t, const Strip & strip)
{
  const int r = strip.begin + threadIdx.x / 4, first = threadIdx.x % 4 * 8;

  static_assert (4 * CS_TILE <= CS_TILE_THREADS, "four threads per row");
  if (r < strip.end) {
    const uint32_t firsts = t.first[r], seconds = t.second[r];
    const uint32_t below = cs_bits_below (first);
    uint32_t cells = (firsts | seconds) & 0xffu << first;
    uint32_t i = t.row_base[r] - strip.first + __popc (firsts & below) +
        __popc (seconds & below);

    for (; cells; cells &= cells - 1) {
      const int c = __ffs (cells) - 1;

      if (firsts >> c & 1) {
        t.info[i] = LOCAL_INFO (r, c, 0);
        t.previous[i++] = NOTHING;
      }
      if (seconds >> c & 1) {
        t.info[i] = LOCAL_INFO (r, c, 1);
        t.previous[i++] = NOTHING;
      }
    }
  }
  if (threadIdx.x == 0)
    t.n_fragments = 0;
  __syncthreads ();
}

template <typename V> static __device__ void
count_overwritten (const CsFrame & f, const TileRef & at, Tile<V> &t,
    int neighbour, bool end_overwrote)
{
  const Pairing start = find_partner (t, f, at, neighbour >> 16,
      neighbour >> 8 & 255, neighbour & 1, false);

  if (end_overwrote || start.overwrote)
    atomicAdd (&t.n_overwritten, (uint32_t) end_overwrote + start.overwrote);
}

/* Links segments inside the strip. */
template <typename V> static __device__ void
link_segments (const CsFrame & f, const TileRef & at, Tile<V> &t,
    const Strip & strip)
{
  for (uint32_t i = threadIdx.x; i < strip.n; i += CS_TILE_THREADS) {
    const int neighbour = neighbour_of_info (t.info[i]);
    const Pairing next = find_partner (t, f, at, neighbour >> 16,
        neighbour >> 8 & 255, neighbour & 1, true);

    t.tail[i] = next.partner < 0 ? ENDS_HERE :
        is_inside (strip, next.partner) ? 0 : LEAVES;
    if (t.tail[i] == 0)
      t.previous[local_index (t, strip, next.partner)] = (uint16_t) i;
    if (t.has_invalid && at.ties)
      count_overwritten (f, at, t, neighbour, next.overwrote);
  }
  __syncthreads ();
}

/* Pointer jumping, until every segment has reached its chain's head or wrapped
 * around its cycle. Bits of active: this thread's segments. */
template <typename V> static __device__ void
rank_segments (Tile<V> &t, uint32_t n)
{
  uint32_t active = 0;

#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (s * CS_TILE_THREADS >= n)
      break;
    if (i < n) {
      const uint16_t previous = t.previous[i];
      const bool head = previous == NOTHING;
      LocalJump jump;

      jump.p = head ? (uint16_t) i : previous;
      jump.distance = !head;
      jump.max = (uint16_t) i;
      jump.max_distance = 0;
      t.jumps[i] = jump;
      active |= head ? 0 : 1u << s;
    }
  }
  while (__syncthreads_or (active)) {
    LocalJump jumps[ITEMS];

#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
      const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

      if (s * CS_TILE_THREADS >= n)
        break;
      if (active >> s & 1) {
        LocalJump mine, other;

        mine.word = t.jumps[i].word;
        other.word = t.jumps[mine.p].word;
        if (other.distance == 0 || other.max == mine.max)
          active &= ~(1u << s);
        if (other.max > mine.max) {
          mine.max_distance = mine.distance + other.max_distance;
          mine.max = other.max;
        }
        mine.p = other.p;
        mine.distance += other.distance;
        jumps[s] = mine;
      }
    }
    __syncthreads ();
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
      if (s * CS_TILE_THREADS >= n)
        break;
      if (active >> s & 1)
        t.jumps[threadIdx.x + s * CS_TILE_THREADS].word = jumps[s].word;
    }
  }
}

/* Registers a contour that lies in the strip. */
template <typename V> static __device__ void
register_contour (const CsFrame & f, Tile<V> &t, uint32_t min,
    uint32_t length)
{
  const uint16_t info = t.info[min];
  const int r = LOCAL_ROW (info);
  const uint32_t bit = 1u << LOCAL_COLUMN (info);

  if (!cs_is_long_enough (&f, length)) {
    atomicAdd (&t.n_dropped, 1);
    return;
  }
  atomicOr (LOCAL_K (info) ? &t.contours_second[r] : &t.contours_first[r],
      bit);
  atomicAdd (&t.n_contours[r], 1);
  atomicAdd (&t.n_points[r], length + 1);
}

/* Jumps to ranks; numbers the fragments. */
template <typename V> static __device__ void
collect_ranks (Tile<V> &t, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n; i += CS_TILE_THREADS) {
    const LocalJump jump = t.jumps[i];

    if (jump.distance == 0 || t.jumps[jump.p].distance == 0) {
      t.ranked[i] = RANKED (jump.p, jump.distance, 0);
    } else if (jump.max == i) {
      const uint32_t length = t.jumps[t.previous[i]].max_distance + 1u;

      t.ranked[i] = RANKED (i, length - 1, 1);
      t.tail[i] = (uint16_t) length;
    } else {
      t.ranked[i] = RANKED (jump.max, jump.max_distance - 1, 1);
    }
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < n; i += CS_TILE_THREADS) {
    if (RANKED_ROOT (t.ranked[i]) == i) {
      t.extremes.min[i] = 0xffffffff;
      t.extremes.max[i] = 0;
      t.previous[i] = (uint16_t) atomicAdd (&t.n_fragments, 1);
    }
  }
  __syncthreads ();
}

/* Minimum and maximum segments of the fragments, and their lengths. */
template <typename V> static __device__ void
measure_fragments (const CsFrame & f, const TileRef & at, Tile<V> &t,
    uint32_t n)
{
  uint32_t tails = 0, ends = 0, bit = 1;
  CsU64 base = 0;

  if (threadIdx.x == 0)
    base = atomicAdd (f.small ? &f.target_counts[at.target].n_fragments :
        &f.counters->n_fragments, (CsU64) t.n_fragments);
  /* tail[] moves from the tails to the roots: read before it is written */
  for (uint32_t i = threadIdx.x; i < n; i += CS_TILE_THREADS, bit *= 2) {
    const uint32_t root = RANKED_ROOT (t.ranked[i]);

    atomicMin (&t.extremes.min[root], i);
    atomicMax (&t.extremes.max[root], i);
    tails |= t.tail[i] & (LEAVES | ENDS_HERE) ? bit : 0;
    ends |= t.tail[i] & ENDS_HERE ? bit : 0;
  }
  __syncthreads ();
  bit = 1;
  for (uint32_t i = threadIdx.x; i < n; i += CS_TILE_THREADS, bit *= 2) {
    if (tails & bit)
      t.tail[RANKED_ROOT (t.ranked[i])] =
          (uint16_t) (RANKED_RANK (t.ranked[i]) + 1) |
          (ends & bit ? ENDS_HERE : 0);
  }
  /* as late as possible, to hide the latency of the atomic */
  if (threadIdx.x == 0) {
    const CsU64 room = f.small ? CS_SMALL_FRAGMENTS : f.max_fragments;

    t.fragment_base = base + t.n_fragments > room ? CS_NONE : (uint32_t) base +
        (f.small ? at.target * CS_SMALL_FRAGMENTS : 0);
  }
  __syncthreads ();
}

/* The root segment's thread writes the fragment. */
template <typename V> static __device__ void
write_fragment (const CsFrame & f, const TileRef & at, Tile<V> &t,
    uint32_t i, bool closed)
{
  const uint32_t length = t.tail[i] & ~ENDS_HERE;
  const uint32_t min = t.extremes.min[i], max = t.extremes.max[i];
  const uint32_t index = t.fragment_base + t.previous[i];
  const int neighbour = neighbour_of_info (t.info[i]);
  CsFragment fragment = { CS_NONE, CS_NONE, length, 0, 0, 0, at.target, 1 };

  fragment.min = key_of (f, at, neighbour_of_info (t.info[min]));
  fragment.max = key_of (f, at, neighbour_of_info (t.info[max]));
  if (!closed) {
    fragment.previous = key_of (f, at, find_partner (t, f, at,
            neighbour >> 16, neighbour >> 8 & 255, neighbour & 1,
            false).partner);
    fragment.whole = fragment.previous == CS_NONE &&
        (t.tail[i] & ENDS_HERE) != 0;
  }
  if (fragment.whole)
    register_contour (f, t, min, length);
  if (t.fragment_base == CS_NONE)
    return;

  /* the threads of the tail and of the maximum write their fields */
  CsFragment *to = &f.fragments[index];
  to->previous = fragment.previous;
  to->length = length;
  to->min = fragment.min;
  to->max = fragment.max;
  to->target = at.target;
  to->whole = fragment.whole ? closed ? CS_WHOLE_CLOSED : CS_WHOLE_OPEN : 0;
  if (closed || t.tail[i] & ENDS_HERE)
    to->next = CS_NONE;
  if (f.small)
    return;
  if (fragment.whole) {
    const CsRoot root = { length | (closed ? CS_CLOSED : 0), 0, 0,
      cs_is_long_enough (&f, length) ? 0 : CS_DROPPED
    };
    const CsPlace place = { index, 0, at.target, 0 };

    f.roots[index] = root;
    f.places[index] = place;
  } else {
    const bool head = fragment.previous == CS_NONE;
    const CsJump jump = { head ? CS_NONE : CS_UNRESOLVED, length,
      fragment.max, 0
    };
    const CsMinJump min_jump = { jump.p, fragment.min };

    f.jumps[index] = jump;
    f.min_jumps[index] = min_jump;
  }
}

template <typename V> static __device__ void
write_segments (const CsFrame & f, const TileRef & at, Tile<V> &t,
    const Strip & strip)
{
  const uint32_t base = t.base + strip.first;

  for (uint32_t i = threadIdx.x; i < strip.n; i += CS_TILE_THREADS) {
    const uint16_t info = t.info[i];
    const uint32_t root = RANKED_ROOT (t.ranked[i]);
    const uint32_t rank = RANKED_RANK (t.ranked[i]);
    const bool closed = RANKED_CLOSED (t.ranked[i]);
    const int r = LOCAL_ROW (info), c = LOCAL_COLUMN (info);

    if (root == i)
      write_fragment (f, at, t, i, closed);
    if (t.base == CS_NONE || t.fragment_base == CS_NONE)
      continue;
    const uint32_t fragment = t.fragment_base + t.previous[root];
    const int code = cs_case_segments (cell_case (t, r + 1, c + 1),
        f.high) >> 4 * LOCAL_K (info);

    f.segment_pixel[base + i] = pixel_of (f, at, r, c);
    f.segment_info[base + i] = CS_SEGMENT_INFO (rank, code & 3,
        code >> 2 & 3);
    f.segment_fragment[base + i] = fragment;
    if (t.extremes.max[root] == i)
      f.fragments[fragment].max_rank = rank;
    if (!closed && rank + 1 == t.tail[root])
      f.fragments[fragment].next = key_of (f, at, find_partner (t, f, at,
              r + 1, c + 1, LOCAL_K (info), true).partner);
  }
  __syncthreads ();
}

/* Writes the words of a tile, and of the contours that start there, and their
 * sums. */
template <typename V> static __device__ void
write_words (const CsFrame & f, const TileRef & at, Tile<V> &t, bool empty)
{
  const int r = threadIdx.x;
  const uint32_t row = at.ty * CS_TILE + r;
  CsWord word = { 0, 0, 0, 0 };
  CsStarts starts = { 0, 0 };

  if (r >= CS_TILE || row >= f.height - 1)
    return;
  const uint32_t w = cs_word_index (&f, at.target, row, at.tx);
  if (!empty) {
    word.first = t.first[r];
    word.second = t.second[r];
    word.base = t.base + t.row_base[r];
    starts.first = t.contours_first[r];
    starts.second = t.contours_second[r];
    if (t.n_contours[r] && !f.small)
      atomicAdd (&f.chunks[w / CS_WORDS_PER_CHUNK],
          cs_pack (t.n_contours[r], t.n_points[r]));
    if (r == 0 && t.n_dropped)
      atomicAdd (&f.counters->n_dropped, (CsU64) t.n_dropped);
    if (r == 0 && t.n_overwritten)
      atomicAdd (&f.counters->n_overwritten, (CsU64) t.n_overwritten);
  }
  if (!empty || f.zero_words)
    f.words[w] = word;
  f.starts[w] = starts;
}

/* Links the strip's segments into fragments. */
template <typename V> static __device__ void
join_strip (const CsFrame & f, const TileRef & at, Tile<V> &t,
    const Strip & strip, CsU64 base)
{
  list_segments (t, strip);
  link_segments (f, at, t, strip);
  rank_segments (t, strip.n);
  /* nothing is written past the capacity */
  if (threadIdx.x == CS_TILE - 1) {
    const CsU64 room = f.small ? f.region_segments : f.max_segments;

    t.base = base + t.row_base[CS_TILE] > room ? CS_NONE : (uint32_t) base +
        (f.small ? at.target * f.region_segments : 0);
  }
  collect_ranks (t, strip.n);
  measure_fragments (f, at, t, strip.n);
  write_segments (f, at, t, strip);
}

template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_TILE_THREADS, BLOCKS_PER_SM)
find_in_tile (const __grid_constant__ CsFrame f)
{
  __shared__ Tile<V> t;
  const uint32_t tiles = f.tiles_x * f.tiles_y;
  DistanceRange<V> range = { (V) INFINITY, 0, true };
  Strip strip;
  TileRef at;

  at.target = blockIdx.x / tiles;
  at.ty = (blockIdx.x - at.target * tiles) / f.tiles_x;
  at.tx = blockIdx.x - at.target * tiles - at.ty * f.tiles_x;
  at.level = cs_target_level (&f, at.target);
  if (blockIdx.x == 0) {
    /* word by word, for the later kernels */
    const uint32_t *from = (const uint32_t *) &f;
    uint32_t *to = (uint32_t *) f.self;

    for (uint32_t i = threadIdx.x; i < sizeof (f) / 4; i += CS_TILE_THREADS)
      to[i] = from[i];
  }
  if (threadIdx.x < SIDE)
    t.rows[threadIdx.x].high_end = t.rows[threadIdx.x].valid_end = 0;
  if (threadIdx.x == 0)
    t.has_invalid = 0;
  __syncthreads ();

  load_samples<T, V> (f, at, t, range);
  if (!range.good)
    atomicOr (&t.has_invalid, 1);
  find_ties (t, range, at);
  if (!classify (t)) {
    write_words (f, at, t, true);
    return;
  }
  if (at.ties)
    drop_degenerate (f, at, t);
  const CsU64 base = place_rows (f, at, t);
  const int rows = t.row_base[CS_TILE] <= MAX_SEGMENTS ? CS_TILE : STRIP_ROWS;

#pragma unroll 1
  for (strip.begin = 0; strip.begin < CS_TILE; strip.begin += rows) {
    strip.end = strip.begin + rows;
    strip.first = t.row_base[strip.begin];
    strip.n = t.row_base[strip.end] - strip.first;
    join_strip (f, at, t, strip, base);
  }
  write_words (f, at, t, false);
}

const void *
cs_contours_tile_kernel (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) find_in_tile<uint8_t, float>;
    case CS_SAMPLE_U16:
      return (const void *) find_in_tile<uint16_t, float>;
    case CS_SAMPLE_F16:
      return (const void *) find_in_tile<CsHalf, float>;
    case CS_SAMPLE_F32:
      return (const void *) find_in_tile<float, float>;
    default:
      return (const void *) find_in_tile<double, double>;
  }
}

/* Auto-level: the range of a target's valid samples; rows are split over the
 * blocks. */
template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
find_range (const __grid_constant__ CsFrame f)
{
  const uint32_t target = blockIdx.x % f.n_targets;
  const uint32_t first = blockIdx.x / f.n_targets;
  const uint32_t step = gridDim.x / f.n_targets;
  const CsSource source = cs_target_source<V> (&f, target);
  CsU64 low = 0, high = 0;

  for (uint32_t y = first + f.border; y < f.height - f.border; y += step) {
    for (uint32_t x = threadIdx.x + f.border; x < f.width - f.border;
        x += CS_THREADS) {
      const V v = cs_load<T, V> (source.derived, source.data +
          (size_t) y * source.row_stride + (size_t) x * source.pixel_stride);

      if (v == v && (!f.mask || f.mask[(size_t) y * f.mask_row_stride +
                  (size_t) x * f.mask_pixel_stride])) {
        const CsU64 ordered = cs_ordered ((double) v);

        low = max (low, ~ordered);
        high = max (high, ordered);
      }
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    low = max (low, __shfl_down_sync (CS_ALL_LANES, low, o));
    high = max (high, __shfl_down_sync (CS_ALL_LANES, high, o));
  }
  if (threadIdx.x % 32 == 0 && high) {
    atomicMax (&f.ranges[2 * target], low);
    atomicMax (&f.ranges[2 * target + 1], high);
  }
}

const void *
cs_contours_range_kernel (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) find_range<uint8_t, float>;
    case CS_SAMPLE_U16:
      return (const void *) find_range<uint16_t, float>;
    case CS_SAMPLE_F16:
      return (const void *) find_range<CsHalf, float>;
    case CS_SAMPLE_F32:
      return (const void *) find_range<float, float>;
    default:
      return (const void *) find_range<double, double>;
  }
}
