/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: tiles: fragments and rings, and their points. */
#include "base/cuda_base.h"
#include "labels_cuda_walk.cuh"

#define TILE CS_LABELS_TILE
#define THREADS CS_LABELS_TILE_THREADS
#define MAX_ENDS (2 * TILE * TILE)

/**
 * Tile:
 * @labels: of its pixels
 * @cells: which of their corners are equal
 * @outer, @hole: of each row where rings may end
 * @ends: where rings may end: twice the index of the cell, 1 more for a hole
 */
struct Tile
{
  uint32_t labels[TILE + 1][TILE + 1];
  uint8_t cells[TILE * TILE];
  uint32_t outer[TILE], hole[TILE];
  uint16_t ends[MAX_ENDS];
  uint32_t n_ends, n_rings, n_fragments, base;
  unsigned int n_points, n_steps;
};

/* A ring on its way: in a tile's cell, entered in direction @d. */
struct At
{
  int c, r;
  uint32_t d;
};

/* What a walk finds. */
struct Found
{
  uint32_t n_points, n_steps, first, last, n_last;
  long long area;
};

static __device__ __forceinline__ uint32_t
cell_at (const Tile & t, const At & at)
{
  return t.cells[at.r * TILE + at.c];
}

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

static __device__ __forceinline__ bool
is_inside (const At & at)
{
  return (uint32_t) at.c < TILE && (uint32_t) at.r < TILE;
}

static __device__ __forceinline__ void
move (At & at, uint32_t to)
{
  at.c += step_x (to);
  at.r += step_y (to);
  at.d = to;
}

/* --- Labels --------------------------------------------------------------- */

/* Loads the tile. With @checked it tells of labels that are too large. Returns:
 * whether there is a border between two labels */
static __device__ bool
load (const CsLabelsFrame & f, Tile & t, bool checked)
{
  const int32_t x0 = (int32_t) (tile_x (f) * TILE) - 1;
  const int32_t y0 = (int32_t) (tile_y (f) * TILE) - 1;
  const uint32_t lane = threadIdx.x % 32;
  bool differs = false;

  for (uint32_t i = threadIdx.x / 32; i <= TILE; i += THREADS / 32)
    for (uint32_t j = lane; j <= TILE; j += 32) {
      const int32_t x = x0 + (int32_t) j, y = y0 + (int32_t) i;
      uint32_t label = OUTSIDE;

      if ((uint32_t) x < f.width && (uint32_t) y < f.height) {
        const int64_t number = read_number (f, x, y);

        if (checked && is_too_large (f, number))
          atomicMax (&f.counters->bad, CS_LABELS_NONE - (y * f.width + x));
        label = label_of (f, number);
      }
      t.labels[i][j] = label;
    }
  __syncthreads ();
  const uint32_t any = t.labels[0][0];

  for (uint32_t i = threadIdx.x / 32; i <= TILE; i += THREADS / 32)
    for (uint32_t j = lane; j <= TILE; j += 32)
      differs |= t.labels[i][j] != any;
  return __syncthreads_or (differs);
}

/* A warp for each row. */
static __device__ void
compare (Tile & t)
{
  const uint32_t c = threadIdx.x % 32;

  for (uint32_t r = threadIdx.x / 32; r < TILE; r += THREADS / 32) {
    const uint32_t cell = cell_of (t.labels[r][c], t.labels[r][c + 1],
        t.labels[r + 1][c], t.labels[r + 1][c + 1]);
    const uint32_t outer = __ballot_sync (CS_ALL_LANES, cell & END_OUTER);
    const uint32_t hole = __ballot_sync (CS_ALL_LANES, cell & END_HOLE);

    t.cells[r * TILE + c] = (uint8_t) cell;
    if (c == 0) {
      t.outer[r] = outer;
      t.hole[r] = hole;
    }
  }
  __syncthreads ();
}

/* --- Walks ---------------------------------------------------------------- */

static __device__ __forceinline__ void
begin_finding (Found & found)
{
  found.n_points = found.n_steps = found.last = found.n_last = 0;
  found.first = CS_LABELS_NONE;
  found.area = 0;
}

/* A step from cell @at in direction @to: eight times its part of the area, by
 * the integral of x over y. */
static __device__ __forceinline__ void
find (const CsLabelsFrame & f, const At & at, uint32_t to, Found & found)
{
  const uint32_t column = tile_x (f) * TILE + at.c;
  const uint32_t cell = (tile_y (f) * TILE + at.r) * f.columns + column;
  const uint32_t key = 2 * cell + (at.d == CS_LABELS_EAST ||
      at.d == CS_LABELS_NORTH);

  found.n_steps++;
  found.n_points += !f.pixels || to != at.d;
  found.first = min (found.first, cell);
  if (key >= found.last) {
    found.last = key;
    found.n_last = found.n_points;
  }
  found.area += f.pixels ? 8ll * column * step_y (to) :
      (long long) (4ll * column - step_x (at.d) + step_x (to)) *
      (step_y (at.d) + step_y (to));
}

/* The way of the fragment that begins @at, up to the cell beyond the tile. Its
 * ends are no ends of rings in the tile. */
static __device__ void
follow_fragment (const CsLabelsFrame & f, Tile & t, At & at, Found & found)
{
  begin_finding (found);
  do {
    const uint32_t to = turn (cell_at (t, at), at.d), end = end_at (at.d, to);

    if (end)
      atomicAnd (end == END_HOLE ? &t.hole[at.r] : &t.outer[at.r],
          ~(1u << at.c));
    find (f, at, to, found);
    move (at, to);
  } while (is_inside (at));
}

/* Where the ring that may end at @end enters its last cell, which it leaves in
 * direction @to. */
static __device__ __forceinline__ At
end_of (uint32_t end, uint32_t & to)
{
  const bool hole = end & 1;
  const At at = { (int) (end >> 1) % TILE, (int) (end >> 1) / TILE,
    hole ? (uint32_t) CS_LABELS_EAST : CS_LABELS_SOUTH
  };

  to = hole ? CS_LABELS_NORTH : CS_LABELS_WEST;
  return at;
}

static __device__ __forceinline__ bool
is_same (const At & a, const At & b)
{
  return a.c == b.c && a.r == b.r && a.d == b.d;
}

/* Whether a ring does end at @end: none of its other ends is a later cell. */
static __device__ bool
is_end (const Tile & t, uint32_t end)
{
  uint32_t to;
  const At last = end_of (end, to);
  At at = last;

  do {
    move (at, to);
    to = turn (cell_at (t, at), at.d);
    if (end_at (at.d, to) && at.r * TILE + at.c > (int) (end >> 1))
      return false;
  } while (!is_same (at, last));
  return true;
}

static __device__ void
follow_ring (const CsLabelsFrame & f, const Tile & t, uint32_t end,
    Found & found)
{
  uint32_t to;
  const At last = end_of (end, to);
  At at = last;

  begin_finding (found);
  do {
    move (at, to);
    to = turn (cell_at (t, at), at.d);
    find (f, at, to, found);
  } while (!is_same (at, last));
}

/* --- Fragments ------------------------------------------------------------ */

/* Thread @i's place at a side of the tile, and the label of the fragment that
 * enters there, or OUTSIDE. */
static __device__ uint32_t
entrance (const Tile & t, uint32_t i, At & at)
{
  const uint32_t k = i % TILE;

  at.d = i / TILE;
  at.c = at.d == CS_LABELS_EAST ? 0 : at.d == CS_LABELS_WEST ? TILE - 1 : k;
  at.r = at.d == CS_LABELS_SOUTH ? 0 : at.d == CS_LABELS_NORTH ? TILE - 1 : k;
  /* behind on the right and on the left */
  const uint32_t right = t.labels[at.r + (at.d == CS_LABELS_EAST ||
          at.d == CS_LABELS_NORTH)][at.c + (at.d == CS_LABELS_WEST ||
          at.d == CS_LABELS_NORTH)];
  const uint32_t left = t.labels[at.r + (at.d == CS_LABELS_WEST ||
          at.d == CS_LABELS_NORTH)][at.c + (at.d == CS_LABELS_SOUTH ||
          at.d == CS_LABELS_WEST)];

  return right != left ? right : OUTSIDE;
}

static __device__ __forceinline__ uint32_t
pack (const At & at)
{
  return at.d << 10 | at.r << 5 | at.c;
}

static __device__ __forceinline__ At
unpack (uint32_t begin)
{
  const At at = { (int) (begin & 31), (int) (begin >> 5 & 31), begin >> 10 };

  return at;
}

/* Writes number @n of the tile. */
static __device__ void
write (const CsLabelsFrame & f, const Tile & t, uint32_t n, uint32_t label,
    const At & begin, uint32_t side, const Found & found)
{
  const uint32_t i = t.base + n;
  const CsLabelsFragment fragment = { label - 1, pack (begin), side,
    found.n_points, found.last, found.n_last
  };
  const CsLabelsRing ring = { found.first, found.n_points, CS_LABELS_NONE,
    CS_LABELS_NONE, found.area
  };
  const CsJump jump = { CS_UNRESOLVED, found.n_points, i, 0 };

  f.fragments[i] = fragment;
  f.rings[i] = ring;
  f.jumps[i] = jump;
}

/* Lists where rings of the tile may end: a thread for a row and kind. */
static __device__ void
list_ends (Tile & t)
{
  if (threadIdx.x < 2 * TILE) {
    const uint32_t r = threadIdx.x / 2, is_hole = threadIdx.x % 2;
    uint32_t word = is_hole ? t.hole[r] : t.outer[r];
    uint32_t at = word ? atomicAdd (&t.n_ends, __popc (word)) : 0;

    for (; word; word &= word - 1)
      t.ends[at++] = (uint16_t) ((r * TILE + __ffs (word) - 1) << 1 | is_hole);
  }
  __syncthreads ();
}

/* Keeps those where a ring does end; they come first. */
static __device__ void
find_rings (Tile & t)
{
  const uint32_t n = t.n_ends;

  for (uint32_t begin = 0; begin < n; begin += THREADS) {
    const uint32_t i = begin + threadIdx.x;
    const uint32_t end = i < n ? t.ends[i] : 0;
    const bool is_ring = i < n && is_end (t, end);

    /* reads before writes: at most as many are kept as have been read */
    __syncthreads ();
    if (is_ring)
      t.ends[atomicAdd (&t.n_rings, 1)] = (uint16_t) end;
    __syncthreads ();
  }
}

static __device__ void
write_rings (const CsLabelsFrame & f, Tile & t)
{
  for (uint32_t i = threadIdx.x; i < t.n_rings; i += THREADS) {
    uint32_t to;
    At at = end_of (t.ends[i], to);
    const bool hole = t.ends[i] & 1;
    const uint32_t label = t.labels[at.r + hole][at.c + hole];
    Found found;

    follow_ring (f, t, t.ends[i], found);
    atomicAdd (&t.n_points, found.n_points);
    atomicAdd (&t.n_steps, found.n_steps);
    move (at, to);
    if (t.base != CS_LABELS_NONE)
      write (f, t, t.n_fragments + i, label, at, CS_LABELS_NONE, found);
  }
}

static __device__ void
write_fragment (const CsLabelsFrame & f, Tile & t, uint32_t n, uint32_t label,
    const At & begin, const At & end, const Found & found)
{
  const uint32_t x0 = tile_x (f) * TILE, y0 = tile_y (f) * TILE;

  atomicAdd (&t.n_points, found.n_points);
  atomicAdd (&t.n_steps, found.n_steps);
  if (t.base == CS_LABELS_NONE)
    return;
  write (f, t, n, label, begin, side_of (f, x0 + begin.c, y0 + begin.r,
          begin.d), found);
  f.ends[side_of (f, x0 + end.c, y0 + end.r, end.d)] = t.base + n;
}

/* Takes room for the tile's. */
static __device__ void
take_room (const CsLabelsFrame & f, Tile & t)
{
  const uint32_t n = t.n_fragments + t.n_rings;

  if (threadIdx.x > 0)
    return;
  const CsLabelsU64 base = atomicAdd (&f.counters->n_fragments,
      (CsLabelsU64) n);

  t.base = base + n > f.max_fragments ? CS_LABELS_NONE : (uint32_t) base;
  f.tile_first[blockIdx.x] = (uint32_t) base;
  f.tile_n[blockIdx.x] = n;
}

static __global__ void
__launch_bounds__ (THREADS)
find_in_tile (const __grid_constant__ CsLabelsFrame f)
{
  __shared__ Tile t;
  Found found;
  uint32_t n = 0;
  At begin, at;

  if (threadIdx.x == 0)
    t.n_ends = t.n_rings = t.n_fragments = t.n_points = t.n_steps = 0;
  if (!load (f, t, true)) {
    if (threadIdx.x == 0)
      f.tile_n[blockIdx.x] = 0;
    return;
  }
  compare (t);
  const uint32_t label = entrance (t, threadIdx.x, begin);

  if (label != OUTSIDE) {
    n = atomicAdd (&t.n_fragments, 1);
    at = begin;
    follow_fragment (f, t, at, found);
  }
  __syncthreads ();
  list_ends (t);
  find_rings (t);
  take_room (f, t);
  __syncthreads ();
  if (label != OUTSIDE)
    write_fragment (f, t, n, label, begin, at, found);
  write_rings (f, t);
  __syncthreads ();
  if (threadIdx.x == 0) {
    atomicAdd (&f.counters->n_points, (CsLabelsU64) t.n_points);
    atomicAdd (&f.counters->n_steps, (CsLabelsU64) t.n_steps);
  }
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

  if (ring.index == CS_LABELS_NONE)
    return false;
  rank += rank < 0 ? (int32_t) ring.n_points : 0;
  rank -= rank >= (int32_t) ring.n_points ? (int32_t) ring.n_points : 0;
  writer.ring = ring.index;
  writer.points = f.out.points + f.sums[ring.index].first;
  writer.n = ring.n_points;
  writer.next = (uint32_t) rank;
  writer.item = f.sums[ring.index].second;
  return true;
}

static __device__ void
emit_fragment (const CsLabelsFrame & f, const Tile & t, uint32_t i)
{
  const CsLabelsFragment fragment = f.fragments[i];
  const float x0 = f.origin_x + (tile_x (f) * TILE) - .5f;
  const float y0 = f.origin_y + (tile_y (f) * TILE) - .5f;
  At at = unpack (fragment.begin);
  Writer writer;

  if (!begin_writing (f, i, writer))
    return;
  /* what follows the last point is without one */
  for (uint32_t n = 0; n < fragment.n_points;) {
    const uint32_t to = turn (cell_at (t, at), at.d);

    if (f.pixels) {
      if (to != at.d) {
        write_point (f, writer, x0 + at.c, y0 + at.r);
        n++;
      }
    } else {
      write_point (f, writer, x0 + at.c + .5f * step_x (to),
          y0 + at.r + .5f * step_y (to));
      n++;
    }
    move (at, to);
  }
}

static __global__ void
__launch_bounds__ (THREADS)
emit_tile (const __grid_constant__ CsLabelsFrame f)
{
  __shared__ Tile t;

  if (cs_labels_result_overflow (f) || f.tile_n[blockIdx.x] == 0)
    return;
  load (f, t, false);
  compare (t);
  const uint32_t first = f.tile_first[blockIdx.x], n = f.tile_n[blockIdx.x];

  for (uint32_t i = threadIdx.x; i < n; i += THREADS)
    emit_fragment (f, t, first + i);
}

gboolean
cs_labels_cuda_find (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  find_in_tile <<<frame->tiles_x * frame->tiles_y, THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "find rings of labels", error);
}

gboolean
cs_labels_cuda_emit (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  emit_tile <<<frame->tiles_x * frame->tiles_y, THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "write rings of labels", error);
}
