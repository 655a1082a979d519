/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: fragments to rings, in order, and which others they meet. */
#include "base/cuda_base.h"
#include "labels_cuda_walk.cuh"

#define THREADS CS_LABELS_THREADS
/* Blocks of kernels that go through all fragments, whose number is on the GPU */
#define BLOCKS 1056

/* --- Rings ---------------------------------------------------------------- */

/* The fragment that ends at a side. */
static __device__ __forceinline__ uint32_t
ending_at (const CsLabelsFrame & f, uint32_t side)
{
  return min (f.ends[side], (uint32_t) f.counters->n_fragments - 1);
}

/* The fragment before @i in its ring. */
static __device__ __forceinline__ uint32_t
before (const CsLabelsFrame & f, uint32_t i)
{
  return ending_at (f, f.fragments[i].side);
}

/* Adds fragment @i, which has not the last cell, to its ring. */
static __device__ void
add_to_ring (const CsLabelsFrame & f, uint32_t i, uint32_t ring)
{
  const CsLabelsRing part = f.rings[i];

  atomicMin (&f.rings[ring].first, part.first);
  atomicAdd (&f.rings[ring].n_points, part.n_points);
  atomicAdd ((CsLabelsU64 *) &f.rings[ring].area, (CsLabelsU64) part.area);
}

/* The place of a fragment that is no ring by itself. A span of a jump is less than
 * the whole ring, until its greatest fragment is that of the next one, too. */
static __device__ void
place_fragment (const CsLabelsFrame & f, uint32_t i)
{
  CsJump jump = { before (f, i), f.fragments[i].n_points, i, 0 };
  uint32_t last = f.fragments[i].last, n_steps = 0;

  cs_jump_store (&f.jumps[i], jump);
  for (;;) {
    CsJump other = cs_jump_load (&f.jumps[jump.p]);

    if (other.max == jump.max)
      break;
    if (n_steps++ > f.counters->n_fragments) {
      atomicMax (&f.counters->has_changed, 1);
      break;
    }
    const uint32_t other_last = f.fragments[other.max].last;

    if (other.p == CS_UNRESOLVED)
      other.p = before (f, jump.p);
    if (other_last > last) {
      jump.max = other.max;
      jump.max_distance = jump.distance + other.max_distance;
      last = other_last;
    }
    jump.p = other.p;
    jump.distance += other.distance;
    cs_jump_store (&f.jumps[i], jump);
  }
  const CsLabelsFragment *end = &f.fragments[jump.max];
  const CsLabelsPlace place = { jump.max, (int32_t) (jump.max_distance -
        f.fragments[i].n_points + end->n_points - end->n_last)
  };

  f.places[i] = place;
  if (jump.max != i)
    add_to_ring (f, i, jump.max);
}

static __global__ void
__launch_bounds__ (THREADS)
join_fragments (const __grid_constant__ CsLabelsFrame f)
{
  const uint32_t n = (uint32_t) min (f.counters->n_fragments,
      (CsLabelsU64) f.max_fragments);

  if (cs_labels_overflow (f))
    return;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n;
      i += gridDim.x * THREADS) {
    if (f.fragments[i].side == CS_LABELS_NONE) {
      const CsLabelsPlace place = { i, 0 };

      f.places[i] = place;
    } else {
      place_fragment (f, i);
    }
  }
}

/* Lists the rings that are large enough. */
static __global__ void
__launch_bounds__ (THREADS)
list_rings (const __grid_constant__ CsLabelsFrame f)
{
  const uint32_t n = (uint32_t) min (f.counters->n_fragments,
      (CsLabelsU64) f.max_fragments);

  if (f.counters->n_fragments > f.max_fragments || f.counters->bad)
    return;
  for (uint32_t begin = blockIdx.x * THREADS; begin < n;
      begin += gridDim.x * THREADS) {
    const uint32_t i = begin + threadIdx.x, lane = threadIdx.x % 32;
    const bool is_ring = i < n && f.places[i].ring == i;
    const bool is_kept = is_ring &&
        fabs ((double) f.rings[i].area) >= 8. * f.min_area;
    const uint32_t kept = __ballot_sync (CS_ALL_LANES, is_kept);
    const uint32_t dropped = __ballot_sync (CS_ALL_LANES, is_ring && !is_kept);
    const uint32_t label = is_kept ? f.fragments[i].label : 0;
    const uint32_t greatest = cs_warp_max (label);
    uint32_t at = 0;

    if (lane == 0 && kept) {
      at = atomicAdd (&f.counters->n_rings, __popc (kept));
      atomicMax (&f.counters->max_label, greatest);
    }
    if (lane == 0 && dropped)
      atomicAdd (&f.counters->n_dropped, __popc (dropped));
    at = __shfl_sync (CS_ALL_LANES, at, 0) + cs_lanes_before (kept, lane);
    if (is_kept && at < f.max_rings) {
      f.keys[at] = (CsLabelsU64) label << f.cell_bits | f.rings[i].first;
      f.roots[at] = i;
    }
  }
}

/* What each ring of the result has, in order; zeros behind them. */
static __global__ void
__launch_bounds__ (THREADS)
number_rings (const __grid_constant__ CsLabelsFrame f)
{
  const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
  CsCudaPair count = { 0, 0 };

  if (k > f.max_rings)
    return;
  if (!cs_labels_overflow (f) && k < f.counters->n_rings) {
    CsLabelsRing *ring = &f.rings[f.sorted_roots[k]];

    ring->index = k;
    f.n_done[k] = 0;
    count.first = ring->n_points + 1;
    count.second = (ring->n_points + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK;
  }
  f.counts[k] = count;
}

gboolean
cs_labels_cuda_join (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  join_fragments <<<BLOCKS, THREADS, 0, stream>>> (*frame);
  list_rings <<<BLOCKS, THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "join rings of labels", error);
}

gboolean
cs_labels_cuda_number (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  number_rings <<<cs_cuda_blocks ((gsize) frame->max_rings + 1, THREADS),
      THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "number rings of labels", error);
}

/* --- Rays ----------------------------------------------------------------- */

/* A ray: where it meets a ring, as that enters a cell. */
struct Meeting
{
  uint32_t c, r, d;
  bool any;
};

/* The first pixel to the left of @x in row @y that has @label, or has not, by a
 * warp; -1 beyond the picture. */
static __device__ int32_t
find_pixel (const CsLabelsFrame & f, int32_t x, int32_t y, uint32_t label,
    bool same)
{
  for (int32_t right = x - 1; right >= 0; right -= 32) {
    const int32_t at = right - (int32_t) (threadIdx.x % 32);
    const uint32_t found = __ballot_sync (CS_ALL_LANES, at < 0 ||
        (label_at (f, at, y) == label) == same);

    if (found)
      return max (right - (__ffs (found) - 1), -1);
  }
  return -1;
}

/* Where the ray of ring @ring meets another of its label, by a warp: see
 * labels_cpu_band.c. */
static __device__ Meeting
find_meeting (const CsLabelsFrame & f, uint32_t ring)
{
  const uint32_t first = f.rings[ring].first;
  const uint32_t label = f.fragments[ring].label + 1;
  const uint32_t c = first % f.columns, r = first / f.columns;
  Meeting meeting = { 0, r, CS_LABELS_NORTH, true };

  if (CS_LABELS_IS_HOLE (f, ring)) {
    meeting.c = (uint32_t) (find_pixel (f, (int32_t) c - 1, (int32_t) r, label,
            false) + 1);
  } else {
    const int32_t x = find_pixel (f, (int32_t) c, (int32_t) r, label, true);

    meeting.any = x >= 0;
    meeting.c = (uint32_t) (x + 1);
    meeting.r = r + 1;
    meeting.d = CS_LABELS_SOUTH;
  }
  return meeting;
}

/* The ring of a tile whose last cell is @last. */
static __device__ uint32_t
find_ring (const CsLabelsFrame & f, uint32_t tile, uint32_t last)
{
  const uint32_t first = f.tiles[tile].first_ring, n = f.tiles[tile].n_rings;

  for (uint32_t i = first; i < first + n; i++)
    if (f.fragments[i].last == last)
      return i;
  return CS_LABELS_NONE;
}

/* The ring that enters a cell: of the fragment that leaves the tile next, or of
 * none. */
static __device__ uint32_t
follow (const CsLabelsFrame & f, const Meeting & meeting)
{
  const uint32_t tx = meeting.c / CS_LABELS_TILE, ty = meeting.r / CS_LABELS_TILE;
  uint32_t c = meeting.c, r = meeting.r, d = meeting.d, last = 0, n_steps = 0;

  do {
    const int32_t x = (int32_t) c - 1, y = (int32_t) r - 1;
    const uint32_t to = cs_labels_turn (cell_of (label_at (f, x, y),
            label_at (f, x + 1, y), label_at (f, x, y + 1),
            label_at (f, x + 1, y + 1)), d);

    last = max (last, 2 * (r * f.columns + c) + (d == CS_LABELS_EAST ||
            d == CS_LABELS_NORTH));
    c += step_x (to);
    r += step_y (to);
    d = to;
    if (c / CS_LABELS_TILE != tx || r / CS_LABELS_TILE != ty)
      return f.places[ending_at (f, side_of (f, c, r, d))].ring;
    if (n_steps++ > 4 * CS_LABELS_TILE * CS_LABELS_TILE)
      return CS_LABELS_NONE;
  } while (c != meeting.c || r != meeting.r || d != meeting.d);
  return find_ring (f, ty * f.tiles_x + tx, last);
}

/* Whether ring @i is the first one of its label in the result, so that it lies in
 * no other. */
static __device__ bool
is_alone (const CsLabelsFrame & f, uint32_t i)
{
  const uint32_t k = f.rings[i].index;

  return k == 0 || (k != CS_LABELS_NONE && f.fragments[i].label !=
      f.fragments[f.sorted_roots[k - 1]].label);
}

static __global__ void
__launch_bounds__ (THREADS)
cast_rays (const __grid_constant__ CsLabelsFrame f)
{
  const uint32_t n = (uint32_t) f.counters->n_fragments;

  if (cs_labels_overflow (f))
    return;
  for (uint32_t begin = blockIdx.x * THREADS; begin < n;
      begin += gridDim.x * THREADS) {
    const uint32_t i = begin + threadIdx.x, lane = threadIdx.x % 32;
    const bool casts = i < n && f.places[i].ring == i &&
        (CS_LABELS_IS_HOLE (f, i) || (f.hierarchy && !is_alone (f, i)));
    Meeting mine = { 0, 0, 0, false };

    for (uint32_t left = __ballot_sync (CS_ALL_LANES, casts); left;
        left &= left - 1) {
      const uint32_t of = __ffs (left) - 1;
      const Meeting meeting = find_meeting (f, i - lane + of);

      if (lane == of)
        mine = meeting;
    }
    if (mine.any)
      f.rings[i].met = follow (f, mine);
  }
}

gboolean
cs_labels_cuda_rays (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  cast_rays <<<BLOCKS, THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "find outer rings of labels",
      error);
}
