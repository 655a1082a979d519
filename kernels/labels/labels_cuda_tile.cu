/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: tiles: fragments and rings, and their points. */
#include "base/cuda_base.h"
#include "labels_cuda_walk.cuh"

#define TILE CS_LABELS_TILE
/* Pixels of a tile, and its cells with a border around them */
#define SIDE (TILE + 1)
#define STRIDE (TILE + 2)
/* Pixels that a lane loads at once */
#define BATCH 7

/**
 * Tile:
 * @labels: of its pixels
 * @turns: of each cell the direction in which it is left, two bits for each in
 *     which it is entered; beyond the tile that back to it
 * @outer, @hole: of each row where rings may end: around the upper left pixel of a
 *     cell, or a hole at that
 * @starts: where fragments begin
 */
struct Tile
{
  uint32_t labels[SIDE * SIDE];
  uint8_t turns[STRIDE * STRIDE];
  uint32_t outer[TILE], hole[TILE];
  uint16_t starts[4 * TILE];
};

/* A ring on its way: in the cell @p of the tile's with a border, entered in
 * direction @d. */
struct At
{
  int p;
  uint32_t d;
};

/**
 * Found:
 * @first, @last: cells of the tile with a border; the last one twice, 1 more for
 *     one of two segments
 * @n_last: points up to that of the last one
 * @area: eight times
 *
 * What a walk finds.
 */
struct Found
{
  uint32_t n_points, n_steps, n_last;
  int first, last;
  long long area;
};

/* --- Labels --------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t
tile_x (const CsLabelsFrame & f)
{
  return blockIdx.x % f.tiles_x;
}

static __device__ __forceinline__ uint32_t
tile_y (const CsLabelsFrame & f)
{
  return blockIdx.x / f.tiles_x;
}

/* The label of pixel @i of the tile; tells of one that is too large. */
template <typename T> static __device__ __forceinline__ uint32_t
load_label (const CsLabelsFrame & f, uint32_t i)
{
  const uint32_t x = tile_x (f) * TILE - 1 + i % SIDE;
  const uint32_t y = tile_y (f) * TILE - 1 + i / SIDE;

  if (i >= SIDE * SIDE || x >= f.width || y >= f.height)
    return CS_LABELS_OUTSIDE;
  const int64_t number = read_number<T> (f, x, y);

  if (sizeof (T) >= 4 && is_too_large (f, number))
    atomicMax (&f.counters->bad, CS_LABELS_NONE - (y * f.width + x));
  return label_of (f, number);
}

/* Returns: whether there is a border between two labels */
template <typename T> static __device__ bool
load_labels (const CsLabelsFrame & f, Tile & t)
{
  const uint32_t lane = threadIdx.x;
  bool differs = false;
  uint32_t any = CS_LABELS_OUTSIDE;

#pragma unroll 1
  for (uint32_t begin = 0; begin < SIDE * SIDE; begin += BATCH * 32) {
    uint32_t labels[BATCH];

#pragma unroll
    for (int k = 0; k < BATCH; k++)
      labels[k] = load_label<T> (f, begin + 32 * k + lane);
    any = begin == 0 ? labels[0] : any;
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const uint32_t i = begin + 32 * k + lane;

      if (i >= SIDE * SIDE)
        continue;
      t.labels[i] = labels[k];
      differs |= labels[k] != any;
    }
  }
  differs |= any != __shfl_sync (CS_ALL_LANES, any, 0);
  return __any_sync (CS_ALL_LANES, differs);
}

/* In which directions a cell is left. */
static __device__ __forceinline__ uint32_t
turns_of (uint32_t cell)
{
  uint32_t turns = 0;

#pragma unroll
  for (uint32_t d = 0; d < 4; d++)
    turns |= cs_labels_turn (cell, d) << 2 * d;
  return turns;
}

/* Compares the corners of cells, a row at a time. */
static __device__ void
compare (Tile & t)
{
  /* of what is beyond: east to west, south to north, and so on */
  const uint8_t beyond = 2 | 3 << 2 | 0 << 4 | 1 << 6;
  const uint32_t c = threadIdx.x;
  const uint32_t *top = t.labels + c;
  uint8_t *turns = t.turns + STRIDE + 1 + c;

  for (uint32_t i = c; i < STRIDE; i += 32) {
    t.turns[i] = t.turns[(STRIDE - 1) * STRIDE + i] = beyond;
    t.turns[i * STRIDE] = t.turns[i * STRIDE + STRIDE - 1] = beyond;
  }
  __syncwarp ();
  uint32_t ul = top[0], ur = top[1];

#pragma unroll 4
  for (uint32_t r = 0; r < TILE; r++, turns += STRIDE) {
    const uint32_t *bottom = top + (r + 1) * SIDE;
    const uint32_t ll = bottom[0], lr = bottom[1];
    const uint32_t cell = cell_of (ul, ur, ll, lr);
    const uint32_t outer = __ballot_sync (CS_ALL_LANES, ul != CS_LABELS_OUTSIDE &&
        !(cell & (CS_LABELS_TOP | CS_LABELS_LEFT)));
    const uint32_t hole = __ballot_sync (CS_ALL_LANES, lr != CS_LABELS_OUTSIDE &&
        (cell & CS_LABELS_RIGHT) && (cell & CS_LABELS_BOTTOM) &&
        !(cell & CS_LABELS_FALLING));

    *turns = (uint8_t) turns_of (cell);
    if (c == r) {
      t.outer[r] = outer;
      t.hole[r] = hole;
    }
    ul = ll;
    ur = lr;
  }
  __syncwarp ();
}

/* --- Walks ---------------------------------------------------------------- */

static __device__ __forceinline__ int
cell_at (uint32_t c, uint32_t r)
{
  return (int) ((r + 1) * STRIDE + c + 1);
}

static __device__ __forceinline__ int
column_of (int p)
{
  return p % STRIDE - 1;
}

static __device__ __forceinline__ int
row_of (int p)
{
  return p / STRIDE - 1;
}

static __device__ __forceinline__ uint32_t
next_of (const Tile & t, const At & at)
{
  return t.turns[at.p] >> 2 * at.d & 3;
}

static __device__ __forceinline__ void
move (At & at, uint32_t to)
{
  at.p += (to & 1 ? STRIDE : 1) * (1 - (int) (to & 2));
  at.d = to;
}

/* Whether a ring may end with this turn: from above to the left, or a hole's from
 * the left to above. */
static __device__ __forceinline__ bool
may_end (uint32_t from, uint32_t to)
{
  return (from ^ to) == 3 && from < 2;
}

static __device__ __forceinline__ void
begin_finding (Found & found)
{
  found.n_points = found.n_steps = found.n_last = 0;
  found.first = STRIDE * STRIDE;
  found.last = -1;
  found.area = 0;
}

/* A step from the cell @at in direction @to. The area is the integral of x over
 * y. */
template <bool AREA> static __device__ __forceinline__ void
find (const CsLabelsFrame & f, const At & at, uint32_t to, Found & found)
{
  const int key = 2 * at.p + (at.d == CS_LABELS_EAST || at.d == CS_LABELS_NORTH);

  found.n_steps++;
  found.n_points += !f.pixels || to != at.d;
  found.first = min (found.first, at.p);
  if (key > found.last) {
    found.last = key;
    found.n_last = found.n_points;
  }
  if (AREA) {
    const int x = (int) (tile_x (f) * TILE) + column_of (at.p);

    found.area += f.pixels ? 8ll * x * step_y (to) :
        (long long) (4 * x - step_x (at.d) + step_x (to)) *
        (step_y (at.d) + step_y (to));
  }
}

/* The way of the fragment that begins @at, up to the cell beyond the tile. Where
 * it may end no ring of the tile does. */
template <bool AREA> static __device__ void
follow_fragment (const CsLabelsFrame & f, Tile & t, At & at, Found & found)
{
  uint32_t to = next_of (t, at);

  begin_finding (found);
  do {
    if (may_end (at.d, to))
      atomicAnd (at.d == CS_LABELS_EAST ? &t.hole[row_of (at.p)] :
          &t.outer[row_of (at.p)], ~(1u << column_of (at.p)));
    find<AREA> (f, at, to, found);
    move (at, to);
    to = next_of (t, at);
  } while (to != (at.d ^ 2));
}

/* Where a ring enters its last cell; it leaves that in direction @to. */
static __device__ __forceinline__ At
end_in (uint32_t c, uint32_t r, bool hole, uint32_t & to)
{
  const At at = { cell_at (c, r),
    hole ? (uint32_t) CS_LABELS_EAST : (uint32_t) CS_LABELS_SOUTH
  };

  to = at.d ^ 3;
  return at;
}

/* Whether the ring that may end there does: none of its other ends is a later
 * cell. */
static __device__ bool
is_end (const Tile & t, const At & end, uint32_t to)
{
  At at = end;

  do {
    move (at, to);
    to = next_of (t, at);
    if (at.p > end.p && may_end (at.d, to))
      return false;
  } while (at.p != end.p || at.d != end.d);
  return true;
}

template <bool AREA> static __device__ void
follow_ring (const CsLabelsFrame & f, const Tile & t, const At & end,
    uint32_t to, Found & found)
{
  At at = end;

  begin_finding (found);
  do {
    move (at, to);
    to = next_of (t, at);
    find<AREA> (f, at, to, found);
  } while (at.p != end.p || at.d != end.d);
}

/* --- Fragments ------------------------------------------------------------ */

/* What labels are behind on the right of a fragment that enters cell (@c, @r) in
 * direction @d; CS_LABELS_OUTSIDE if none does. */
static __device__ uint32_t
label_in (const Tile & t, uint32_t c, uint32_t r, uint32_t d)
{
  const uint32_t *labels = t.labels + r * SIDE + c;
  const uint32_t right = labels[(d == CS_LABELS_EAST || d == CS_LABELS_NORTH ?
          SIDE : 0) + (d >= CS_LABELS_WEST)];
  const uint32_t left = labels[(d >= CS_LABELS_WEST ? SIDE : 0) +
      (d == CS_LABELS_SOUTH || d == CS_LABELS_WEST)];

  return right != left ? right : CS_LABELS_OUTSIDE;
}

/* Lists where fragments begin. Returns: how many there are */
static __device__ uint32_t
list_starts (Tile & t)
{
  const uint32_t k = threadIdx.x;
  uint32_t n = 0;

  for (uint32_t d = 0; d < 4; d++) {
    const uint32_t c = d == CS_LABELS_EAST ? 0 : d == CS_LABELS_WEST ? TILE - 1 :
        k;
    const uint32_t r = d == CS_LABELS_SOUTH ? 0 : d == CS_LABELS_NORTH ?
        TILE - 1 : k;
    const bool starts = label_in (t, c, r, d) != CS_LABELS_OUTSIDE;
    const uint32_t mask = __ballot_sync (CS_ALL_LANES, starts);

    if (starts)
      t.starts[n + cs_lanes_before (mask, k)] = (uint16_t) (d << 10 | r << 5 | c);
    n += __popc (mask);
  }
  __syncwarp ();
  return n;
}

/* The number in the picture of a cell of the tile. */
static __device__ __forceinline__ uint32_t
number_of (const CsLabelsFrame & f, int p)
{
  return (tile_y (f) * TILE + row_of (p)) * f.columns + tile_x (f) * TILE +
      column_of (p);
}

/* The place at the side through which a cell is entered. */
static __device__ __forceinline__ uint32_t
side_at (const CsLabelsFrame & f, const At & at)
{
  return side_of (f, tile_x (f) * TILE + column_of (at.p),
      tile_y (f) * TILE + row_of (at.p), at.d);
}

/* Writes fragment @i. */
static __device__ void
write (const CsLabelsFrame & f, uint32_t i, uint32_t label, const At & begin,
    uint32_t side, const Found & found)
{
  const CsLabelsFragment fragment = { label - 1,
    begin.d << 16 | (uint32_t) begin.p, side, found.n_points,
    2 * number_of (f, found.last / 2) + (found.last & 1), found.n_last
  };
  const CsLabelsRing ring = { number_of (f, found.first), found.n_points,
    CS_LABELS_NONE, CS_LABELS_NONE, found.area
  };
  const CsJump jump = { CS_UNRESOLVED, found.n_points, i, 0 };

  f.fragments[i] = fragment;
  f.rings[i] = ring;
  f.jumps[i] = jump;
}

/* Room for @n fragments: the first one, or CS_LABELS_NONE. */
static __device__ uint32_t
take_room (const CsLabelsFrame & f, uint32_t n)
{
  CsLabelsU64 base = 0;

  if (threadIdx.x == 0 && n > 0)
    base = atomicAdd (&f.counters->n_fragments, (CsLabelsU64) n);
  base = __shfl_sync (CS_ALL_LANES, base, 0);
  return base + n > f.max_fragments ? CS_LABELS_NONE : (uint32_t) base;
}

/* Adds what a walk has found to the lane's sums. */
static __device__ __forceinline__ void
add (const Found & found, CsLabelsU64 sums[2])
{
  sums[0] += found.n_points;
  sums[1] += found.n_steps;
}

template <bool AREA> static __device__ void
find_fragments (const CsLabelsFrame & f, Tile & t, uint32_t n, uint32_t base,
    CsLabelsU64 sums[2])
{
  for (uint32_t i = threadIdx.x; i < n; i += 32) {
    const uint32_t start = t.starts[i], c = start & 31, r = start >> 5 & 31;
    const At begin = { cell_at (c, r), start >> 10 };
    At at = begin;
    Found found;

    follow_fragment<AREA> (f, t, at, found);
    add (found, sums);
    if (base == CS_LABELS_NONE)
      continue;
    write (f, base + i, label_in (t, c, r, begin.d), begin, side_at (f, begin),
        found);
    f.ends[side_at (f, at)] = base + i;
  }
  __syncwarp ();
}

/* Of @ends of the lane's row those where rings do end. */
static __device__ uint32_t
keep_ends (const Tile & t, uint32_t ends, bool hole)
{
  uint32_t kept = 0;

  for (; ends; ends &= ends - 1) {
    const uint32_t c = __ffs (ends) - 1;
    uint32_t to;
    const At end = end_in (c, threadIdx.x, hole, to);

    if (is_end (t, end, to))
      kept |= 1u << c;
  }
  return kept;
}

/* Writes the rings that end in the lane's row from number @i on. */
template <bool AREA> static __device__ void
write_rings (const CsLabelsFrame & f, const Tile & t, uint32_t ends, bool hole,
    uint32_t base, uint32_t & i, CsLabelsU64 sums[2])
{
  for (; ends; ends &= ends - 1, i++) {
    const uint32_t c = __ffs (ends) - 1, r = threadIdx.x;
    uint32_t to;
    At at = end_in (c, r, hole, to);
    Found found;

    follow_ring<AREA> (f, t, at, to, found);
    add (found, sums);
    move (at, to);
    if (base != CS_LABELS_NONE)
      write (f, base + i, t.labels[(r + hole) * SIDE + c + hole], at,
          CS_LABELS_NONE, found);
  }
}

/* The rings of the tile. */
template <bool AREA> static __device__ void
find_rings (const CsLabelsFrame & f, const Tile & t, CsLabelsTile & tile,
    CsLabelsU64 sums[2])
{
  const uint32_t outer = keep_ends (t, t.outer[threadIdx.x], false);
  const uint32_t hole = keep_ends (t, t.hole[threadIdx.x], true);
  const uint32_t n = __popc (outer) + __popc (hole);
  const uint32_t sum = cs_warp_inclusive_sum (n);
  uint32_t i = sum - n;

  tile.n_rings = __shfl_sync (CS_ALL_LANES, sum, 31);
  tile.first_ring = take_room (f, tile.n_rings);
  write_rings<AREA> (f, t, outer, false, tile.first_ring, i, sums);
  write_rings<AREA> (f, t, hole, true, tile.first_ring, i, sums);
}

static __device__ __forceinline__ bool
load (const CsLabelsFrame & f, Tile & t)
{
  return CALL_FOR_TYPE (f, load_labels, f, t);
}

template <bool AREA> static __global__ void
__launch_bounds__ (32, 32)
find_in_tile (const __grid_constant__ CsLabelsFrame f)
{
  __shared__ Tile t;
  CsLabelsTile tile = { 0, 0, 0, 0 };
  CsLabelsU64 sums[2] = { 0, 0 };

  if (load (f, t)) {
    compare (t);
    tile.n = list_starts (t);
    tile.first = take_room (f, tile.n);
    find_fragments<AREA> (f, t, tile.n, tile.first, sums);
    find_rings<AREA> (f, t, tile, sums);
    const CsLabelsU64 n_points = cs_group_sum<32> (sums[0]);
    const CsLabelsU64 n_steps = cs_group_sum<32> (sums[1]);

    if (threadIdx.x == 0 && n_steps > 0) {
      atomicAdd (&f.counters->n_points, n_points);
      atomicAdd (&f.counters->n_steps, n_steps);
    }
  }
  if (threadIdx.x == 0)
    f.tiles[blockIdx.x] = tile;
}

/* --- Points --------------------------------------------------------------- */

/**
 * Writer:
 * @ring: index in the result
 * @points: of that
 * @n: without the first one again
 * @next: what is written next
 * @item: the ring's first
 */
struct Writer
{
  uint32_t ring;
  float2 *points;
  uint32_t n, next, item;
};

static __device__ __forceinline__ void
write_point (const CsLabelsFrame & f, Writer & writer, float x, float y)
{
  const uint32_t i = writer.next;
  const float2 point = make_float2 (x, y);

  writer.points[i + 1] = point;
  if (i % CS_SUM_BLOCK == 0)
    f.item_ring[writer.item + i / CS_SUM_BLOCK] = writer.ring;
  if (++writer.next < writer.n)
    return;
  writer.points[0] = point;
  writer.next = 0;
}

/* Where fragment @i's points go. Returns: whether its ring is in the result */
static __device__ bool
begin_writing (const CsLabelsFrame & f, uint32_t i, Writer & writer)
{
  const CsLabelsPlace place = f.places[i];
  const CsLabelsRing ring = f.rings[place.ring];
  int32_t rank = place.rank;

  rank += rank < 0 ? (int32_t) ring.n_points : 0;
  rank -= rank >= (int32_t) ring.n_points ? (int32_t) ring.n_points : 0;
  if (ring.index == CS_LABELS_NONE || (uint32_t) rank >= ring.n_points)
    return false;
  writer.ring = ring.index;
  writer.points = f.out.points + f.sums[ring.index].first;
  writer.n = ring.n_points;
  writer.next = (uint32_t) rank;
  writer.item = f.sums[ring.index].second;
  return true;
}

template <bool PIXELS> static __device__ void
emit_fragment (const CsLabelsFrame & f, const Tile & t, uint32_t i)
{
  const CsLabelsFragment fragment = f.fragments[i];
  At at = { (int) (fragment.begin & 0xffff), fragment.begin >> 16 };
  float x = f.origin_x + (tile_x (f) * TILE + column_of (at.p)) - .5f;
  float y = f.origin_y + (tile_y (f) * TILE + row_of (at.p)) - .5f;
  Writer writer;

  if (!begin_writing (f, i, writer))
    return;
  /* after the last point the fragment may go on straight */
  for (uint32_t n = 0; n < fragment.n_points;) {
    const uint32_t to = next_of (t, at);
    const float dx = (float) step_x (to), dy = (float) step_y (to);

    if (to == (at.d ^ 2))
      return;
    if (!PIXELS || to != at.d) {
      if (PIXELS)
        write_point (f, writer, x, y);
      else
        write_point (f, writer, x + .5f * dx, y + .5f * dy);
      n++;
    }
    x += dx;
    y += dy;
    move (at, to);
  }
}

template <bool PIXELS> static __global__ void
__launch_bounds__ (32, 32)
emit_tile (const __grid_constant__ CsLabelsFrame f)
{
  __shared__ Tile t;

  if (cs_labels_result_overflow (f))
    return;
  const CsLabelsTile tile = f.tiles[blockIdx.x];

  if (tile.n + tile.n_rings == 0)
    return;
  load (f, t);
  compare (t);
  for (uint32_t i = threadIdx.x; i < tile.n + tile.n_rings; i += 32)
    emit_fragment<PIXELS> (f, t, i < tile.n ? tile.first + i :
        tile.first_ring + i - tile.n);
}

gboolean
cs_labels_cuda_find (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  const guint n = frame->tiles_x * frame->tiles_y;

  if (frame->min_area > 0.)
    find_in_tile<true> <<<n, 32, 0, stream>>> (*frame);
  else
    find_in_tile<false> <<<n, 32, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "find rings of labels", error);
}

gboolean
cs_labels_cuda_emit (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  const guint n = frame->tiles_x * frame->tiles_y;

  if (frame->pixels)
    emit_tile<true> <<<n, 32, 0, stream>>> (*frame);
  else
    emit_tile<false> <<<n, 32, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "write rings of labels", error);
}
