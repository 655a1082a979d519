/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of strokes_cuda.cu, in the order of the stages, and the arrays
 * that they share. */

#include "base/cuda_base.h"
#include "base/cuda_union_find.cuh"

extern "C" {
#include "strokes_private.h"
}
#include "strokes_math.h"

#define BLOCK 256
#define NONE 0xffffffffu

namespace
{

/**
 * Header:
 * @n_points: of the input
 * @is_bad: offsets that decrease or do not begin with 0
 * @n_kept, @n_parts: points and contours after exclusion
 * @n_out, @n_contours: of the result
 */
struct Header
{
  uint32_t n_points, is_bad;
  uint32_t n_kept, n_parts;
  uint32_t n_out, n_contours;
};

/* The mask on the GPU. */
struct Mask
{
  const uint32_t *bits;
  uint32_t width, height, stride;
};

/* Contours between two stages; beyond the capacity they are only counted. */
struct Contours
{
  float2 *points;
  uint32_t *owners;             /* of each point */
  uint32_t *offsets, *sources;
  const uint32_t *n;            /* number of contours, and of points */
  const uint32_t *n_points;
};

/**
 * Job:
 *
 * Arguments of the kernels, by value; arrays have the maximum size.
 */
struct Job
{
  uint32_t n, n_contours;
  uint32_t capacity;            /* in contours */
  const float2 *points;
  const uint32_t *offsets;
  Mask mask;
  bool by_contour;
  Header *header;
  Header *result;               /* copy for the host, mapped */

  /* exclude */
  uint32_t *owners, *last_removed;
  uint8_t *kept;
  uint64_t *places;

  /* sets of merged contours, for the small stage */
  bool by_set;
  CsStrokesGrid grid;
  uint32_t *slots, *chains, *next;
  uint32_t slot_mask;           /* of all tables */
  uint32_t *roots;
  uint32_t *set_points;         /* of each root */

  /* small and duplicates */
  uint32_t min_points;
  uint64_t min_length;
  unsigned long long *lengths;
  bool drop_duplicates;
  uint32_t *firsts, *slot_of;   /* another table, and the points' slots */
  uint32_t *ranks;              /* kept points before each */

  /* sort */
  bool by_size;
  uint32_t *keys, *sorted_keys, *values, *sorted_values, *counts, *place_of;

  /* result */
  float2 *out_points;
  uint32_t *out_offsets, *out_sources;
};

/**
 * StrokesCuda:
 * @cpu: the CPU backend's state, for the stages on the host
 * @header: mapped host memory
 * @n_guess: points of the last result, initial guess for the next
 */
struct StrokesCuda
{
  const CsStrokes *plan;
  void *cpu;
  cudaStream_t stream;
  CsCudaScratch input, arena, temp, mask;
  guint64 mask_version;
  Header *header;
  CsCudaPinned host;
  gsize n_guess;
};

}                               /* namespace */

/* --- Exclude -------------------------------------------------------------- */

static __device__ bool
is_closed (const float2 *points, uint32_t from, uint32_t size)
{
  return size > 2 && points[from].x == points[from + size - 1].x &&
      points[from].y == points[from + size - 1].y;
}

/* The contour of point @i. */
static __device__ uint32_t
find_owner (const uint32_t *offsets, uint32_t n_contours, uint32_t i)
{
  uint32_t low = 0, high = n_contours;

  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;

    if (offsets[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static __global__ void
check_offsets_kernel (const uint32_t *offsets, uint32_t n, Header *header)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= n)
    return;
  if (offsets[i] > offsets[i + 1] || (i == 0 && offsets[0] != 0))
    header->is_bad = 1;
  if (i == n - 1)
    header->n_points = offsets[n];
}

static __global__ void
exclude_kernel (Job job)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.n)
    return;

  const float2 p = job.points[i];
  const uint32_t owner = find_owner (job.offsets, job.n_contours, i);
  const bool removed = !cs_strokes_is_near (p.x) ||
      !cs_strokes_is_near (p.y) || (job.mask.bits &&
      cs_strokes_is_masked (job.mask.bits, job.mask.width, job.mask.height,
          job.mask.stride, p.x, p.y));

  job.owners[i] = owner;
  job.kept[i] = !removed;
  if (!removed)
    return;

  const uint32_t from = job.offsets[owner];
  const uint32_t size = job.offsets[owner + 1] - from;

  /* the closing point repeats the first */
  if (i - from + 1 < size || !is_closed (job.points, from, size))
    atomicMax (&job.last_removed[owner], i - from + 1);
}

/* An output position: its input point, whether that is kept, and whether it
 * starts a contour. Closed contours are rotated to start after their last
 * gap. */
struct Place
{
  uint32_t from;
  bool kept, begins;
};

static __device__ Place
find_place (const Job &job, uint32_t i)
{
  const uint32_t owner = job.owners[i], from = job.offsets[owner];
  const uint32_t size = job.offsets[owner + 1] - from, local = i - from;
  const uint32_t last = job.last_removed[owner];

  if (last == 0)
    return { i, true, local == 0 };
  if (job.by_contour)
    return { i, false, false };
  if (!is_closed (job.points, from, size)) {
    const bool kept = job.kept[i];

    return { i, kept, kept && (local == 0 || !job.kept[i - 1]) };
  }

  const uint32_t ring = size - 1;
  const uint32_t at = last + local < ring ? last + local : last + local - ring;

  if (local == ring)
    return { i, false, false };

  const bool kept = job.kept[from + at];

  return { from + at, kept, kept && !job.kept[from + (at ? at : ring) - 1] };
}

/* Packed counts: kept points in the low half, starts of contours in the
 * high. */
namespace
{

struct PlaceCount
{
  Job job;

  __device__ uint64_t operator() (uint32_t i) const
  {
    const Place place = find_place (job, i);

    return (uint64_t) place.begins << 32 | place.kept;
  }
};

}                               /* namespace */

static __global__ void
write_parts_kernel (Job job, Contours out)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.n)
    return;

  const Place place = find_place (job, i);
  const uint32_t at = (uint32_t) job.places[i];
  const uint32_t end = (uint32_t) (job.places[i] >> 32) + place.begins;

  if (i == job.n - 1) {
    const bool fits = end <= job.capacity;

    /* on overflow later stages have nothing to do */
    out.offsets[fits ? end : 0] = fits ? at + place.kept : 0;
    job.header->n_kept = fits ? at + place.kept : 0;
    job.header->n_parts = fits ? end : 0;
    job.result->n_parts = end;
  }
  if (end > job.capacity)
    return;
  if (place.kept) {
    const float2 p = job.points[place.from];

    out.points[at] = make_float2 (p.x + 0.f, p.y + 0.f);
    out.owners[at] = end - 1;
  }
  if (place.begins) {
    out.offsets[end - 1] = at;
    out.sources[end - 1] = job.owners[i];
    job.roots[end - 1] = end - 1;
  }
}

/* --- Sets ----------------------------------------------------------------- */

static __device__ bool
is_in_cell (CsStrokesGrid grid, float2 p, double column, double row)
{
  return cs_strokes_cell (grid, p.x) == column &&
      cs_strokes_cell (grid, p.y) == row;
}

/* Inserts the points into their cells. Points of one cell are close. */
static __global__ void
fill_cells_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const float2 p = in.points[i];
  const double column = cs_strokes_cell (job.grid, p.x);
  const double row = cs_strokes_cell (job.grid, p.y);
  uint32_t at = cs_strokes_hash (column, row) & job.slot_mask;
  uint32_t head;

  while ((head = atomicCAS (&job.slots[at], NONE, i)) != NONE &&
      !is_in_cell (job.grid, in.points[head], column, row))
    at = (at + 1) & job.slot_mask;
  job.next[i] = atomicExch (&job.chains[at], i);
  if (head != NONE && in.owners[head] != in.owners[i])
    cs_unite (job.roots, in.owners[head], in.owners[i]);
}

static __global__ void
join_cells_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const float2 p = in.points[i];
  const uint32_t owner = in.owners[i];
  const double column = cs_strokes_cell (job.grid, p.x);
  const double row = cs_strokes_cell (job.grid, p.y);

  for (int k = 0; k < CS_STROKES_HALF_RING; k++) {
    int dx, dy;

    cs_strokes_neighbour (k, &dx, &dy);

    uint32_t at = cs_strokes_hash (column + dx, row + dy) & job.slot_mask;

    while (job.slots[at] != NONE && !is_in_cell (job.grid,
            in.points[job.slots[at]], column + dx, row + dy))
      at = (at + 1) & job.slot_mask;
    if (job.slots[at] == NONE)
      continue;

    const uint32_t other = in.owners[job.slots[at]];

    if (other == owner ||
        cs_find_root (job.roots, other) == cs_find_root (job.roots, owner))
      continue;
    for (uint32_t q = job.chains[at]; q != NONE; q = job.next[q]) {
      const float2 o = in.points[q];

      if (cs_strokes_distance2 (p.x, p.y, o.x, o.y) <= job.grid.limit) {
        cs_unite (job.roots, owner, in.owners[q]);
        break;
      }
    }
  }
}

/* The contour that holds the sums of @owner's set. */
static __device__ uint32_t
sum_of (const Job &job, uint32_t owner)
{
  return job.by_set ? cs_find_root (job.roots, owner) : owner;
}

static __global__ void
count_sets_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < *in.n && i < job.capacity)
    atomicAdd (&job.set_points[cs_find_root (job.roots, i)],
        in.offsets[i + 1] - in.offsets[i]);
}

/* --- Small and duplicate -------------------------------------------------- */

static __global__ void
measure_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i == 0 || i >= *in.n_points || in.owners[i] != in.owners[i - 1])
    return;
  atomicAdd (&job.lengths[sum_of (job, in.owners[i])], (unsigned long long)
      cs_strokes_length (in.points[i - 1].x, in.points[i - 1].y,
          in.points[i].x, in.points[i].y));
}

static __device__ bool
is_small (const Job &job, const Contours &in, uint32_t owner)
{
  const uint32_t sum = sum_of (job, owner);
  const uint32_t n = job.by_set ? job.set_points[sum] :
      in.offsets[owner + 1] - in.offsets[owner];

  return n < job.min_points ||
      (job.min_length > 0 && job.lengths[sum] < job.min_length);
}

/* Whether @i is the closing point of a contour, which is kept with the
 * first. */
static __device__ bool
is_closing_point (const Contours &in, uint32_t owner, uint32_t i)
{
  const uint32_t from = in.offsets[owner], end = in.offsets[owner + 1];

  return i + 1 == end && is_closed (in.points, from, end - from);
}

/* Every slot gets the lowest of its points. */
static __global__ void
find_duplicates_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points)
    return;

  const uint32_t owner = in.owners[i];

  if (is_small (job, in, owner) || is_closing_point (in, owner, i))
    return;

  const float2 p = in.points[i];
  uint32_t at = cs_strokes_hash (p.x, p.y) & job.slot_mask, other;

  while ((other = atomicCAS (&job.firsts[at], NONE, i)) != NONE &&
      (in.points[other].x != p.x || in.points[other].y != p.y))
    at = (at + 1) & job.slot_mask;
  if (other != NONE && other > i)
    atomicMin (&job.firsts[at], i);
  job.slot_of[i] = at;
}

namespace
{

struct Kept
{
  Job job;
  Contours in;

  __device__ uint32_t operator() (uint32_t i) const
  {
    if (i >= *in.n_points)
      return 0;

    const uint32_t owner = in.owners[i];

    if (is_small (job, in, owner))
      return 0;
    if (!job.drop_duplicates)
      return 1;
    if (is_closing_point (in, owner, i))
      i = in.offsets[owner];
    return job.firsts[job.slot_of[i]] == i;
  }
};

}                               /* namespace */

/* --- Sort and result ------------------------------------------------------ */

/* Keys for a descending sort, empty contours last. */
static __global__ void
size_keys_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.capacity)
    return;

  const uint32_t count = i < *in.n ? job.ranks[in.offsets[i + 1]] -
      job.ranks[in.offsets[i]] : 0;

  job.counts[i] = count;
  job.keys[i] = job.by_size ? count : count > 0;
  job.values[i] = i;
}

namespace
{

struct SortedCount
{
  const uint32_t *counts, *sorted;
  uint32_t n;

  __device__ uint32_t operator() (uint32_t i) const
  {
    return i < n ? counts[sorted[i]] : 0;
  }
};

}                               /* namespace */

static __global__ void
write_contours_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= job.capacity)
    return;

  const uint32_t contour = job.sorted_values[i], count = job.counts[contour];

  if (count == 0)
    return;
  job.place_of[contour] = i;
  job.out_sources[i] = in.sources[contour];
  if (i + 1 == job.capacity || job.counts[job.sorted_values[i + 1]] == 0) {
    job.result->n_contours = i + 1;
    job.result->n_out = job.out_offsets[i] + count;
  }
}

static __global__ void
write_points_kernel (Job job, Contours in)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= *in.n_points || job.ranks[i + 1] == job.ranks[i])
    return;

  const uint32_t contour = in.owners[i];

  job.out_points[job.out_offsets[job.place_of[contour]] + job.ranks[i] -
      job.ranks[in.offsets[contour]]] = in.points[i];
}
