/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: rings of objects, and the result. */
#include "base/cuda_base.h"
#include "instances_cuda.cuh"

#define THREADS CS_INSTANCES_THREADS
#define NONE CS_INSTANCES_NONE

/* Segments whose jumps are in shared memory; each takes 16 bytes. */
#define MAX_SHARED 2048

/* Pointer jumping: what a segment's jump spans up to, but not including, its
 * target, and that. */
static __device__ __forceinline__ CsInstancesU64
jump_of (uint32_t target, uint32_t span)
{
  return (CsInstancesU64) target << 32 | span;
}

#define JUMP_TARGET(jump) ((uint32_t) ((jump) >> 32))
#define JUMP_SPAN(jump) ((uint32_t) (jump))

/**
 * Object:
 * @bits, @values, @word_base: of its grid
 * @segments, @next, @weights, @leaders, @ring_of: of its segments
 * @n: how many there are
 */
struct Object
{
  const CsInstancesGrid *grid;
  const uint32_t *bits;
  const float *values;
  uint32_t *word_base;
  CsInstancesSegment *segments;
  uint32_t *next, *weights, *leaders, *ring_of;
  uint32_t n;
};

/* What part of @n elements thread @t of the block has. */
struct Part
{
  uint32_t begin, end;
};

static __device__ __forceinline__ Part
part_of (uint32_t n)
{
  const uint32_t each = (n + THREADS - 1) / THREADS;
  const Part part = { min (threadIdx.x * each, n),
    min (threadIdx.x * each + each, n)
  };

  return part;
}

static __device__ __forceinline__ CsInstancesCorners
corners_at (const Object & o, uint32_t word)
{
  return cs_instances_corners (o.bits, o.grid->words, word / o.grid->words,
      word % o.grid->words);
}

static __device__ __forceinline__ uint32_t
count_word (const Object & o, uint32_t word)
{
  const CsInstancesCorners corners = corners_at (o, word);

  return __popc (cs_instances_crossed (&corners)) +
      __popc (cs_instances_saddles (&corners));
}

/* The number of the first segment of cell (@c, @r). */
static __device__ __forceinline__ uint32_t
segment_at (const Object & o, uint32_t c, uint32_t r)
{
  const uint32_t word = r * o.grid->words + c / 32;
  const CsInstancesCorners corners = corners_at (o, word);
  const uint32_t below = (1u << c % 32) - 1;

  return o.word_base[word] + __popc (cs_instances_crossed (&corners) & below) +
      __popc (cs_instances_saddles (&corners) & below);
}

static __device__ __forceinline__ bool
bit_at (const Object & o, uint32_t c, uint32_t r)
{
  return o.bits[r * o.grid->words + c / 32] >> c % 32 & 1;
}

static __device__ __forceinline__ uint32_t
column_of (const Object & o, uint32_t i)
{
  return o.segments[i].cell % (o.grid->x.n + 1);
}

static __device__ __forceinline__ uint32_t
row_of (const Object & o, uint32_t i)
{
  return o.segments[i].cell / (o.grid->x.n + 1);
}

static __device__ __forceinline__ int
from_of (const Object & o, uint32_t i)
{
  return o.segments[i].info & 3;
}

static __device__ __forceinline__ int
to_of (const Object & o, uint32_t i)
{
  return o.segments[i].info >> 2 & 3;
}

/* --- Segments ------------------------------------------------------------- */

static __device__ void
list_word (const Object & o, uint32_t word, uint32_t i)
{
  const CsInstancesCorners corners = corners_at (o, word);
  const uint32_t r = word / o.grid->words;
  uint32_t crossed = cs_instances_crossed (&corners);

  o.word_base[word] = i;
  for (; crossed; crossed &= crossed - 1) {
    const uint32_t bit = __ffs (crossed) - 1;
    const uint32_t c = word % o.grid->words * 32 + bit;
    const int cell_case = cs_instances_case (&corners, bit);
    const int edges = cs_instances_segments (o.grid, o.values, c, r, cell_case);

    for (int k = 0; k < cs_case_n_segments (cell_case); k++, i++) {
      o.segments[i].cell = r * (o.grid->x.n + 1) + c;
      o.segments[i].info = k << 4 | (edges >> 4 * k & 15);
    }
  }
}

/* The segment that begins where segment @i ends. */
static __device__ uint32_t
next_of (const Object & o, uint32_t i)
{
  const int to = to_of (o, i);
  const uint32_t c = column_of (o, i) + (to == CS_EDGE_R) - (to == CS_EDGE_L);
  const uint32_t r = row_of (o, i) + (to == CS_EDGE_B) - (to == CS_EDGE_T);
  const uint32_t next = segment_at (o, c, r);

  return from_of (o, next) == (to ^ 2) ? next : next + 1;
}

static __device__ __forceinline__ void
curve_of (const CsInstancesFrame & f, const Object & o, uint32_t i,
    CsInstancesCurve * curve)
{
  cs_instances_curve (o.grid, o.values, column_of (o, i), row_of (o, i),
      from_of (o, i), to_of (o, i), f.tolerance, curve);
}

/* The object of the block, with its segments listed. Returns: whether there is
 * room */
static __device__ bool
list_segments (const CsInstancesFrame & f, Object & o)
{
  __shared__ uint32_t counts[THREADS / 32];
  __shared__ CsInstancesU64 base;
  const CsInstancesGrid *grid = &f.grids[blockIdx.x];
  const Part part = part_of (grid->words * (grid->y.n + 1));
  uint32_t n = 0;

  o.grid = grid;
  o.bits = f.bits + grid->first_word;
  o.values = f.values + grid->first_value;
  o.word_base = f.word_base + grid->first_word;
  for (uint32_t w = part.begin; w < part.end; w++)
    n += count_word (o, w);
  uint32_t i = cs_instances_scan (counts, n, &o.n);

  if (threadIdx.x == 0)
    base = atomicAdd (&f.counters->segments, o.n);
  __syncthreads ();
  if (base + o.n > f.max_segments)
    return false;
  o.segments = f.segments + base;
  o.next = f.next + base;
  o.weights = f.weights + base;
  o.leaders = f.leaders + base;
  o.ring_of = f.ring_of + base;
  for (uint32_t w = part.begin; w < part.end; w++) {
    list_word (o, w, i);
    i += count_word (o, w);
  }
  __syncthreads ();
  return true;
}

/* --- Ranks ---------------------------------------------------------------- */

/* The jumps of all segments, and room for what comes of them. */
struct Jumps
{
  CsInstancesU64 *now, *then;

  __device__ __forceinline__ void swap ()
  {
    CsInstancesU64 *last = now;

    now = then;
    then = last;
  }
};

/* Finds each segment's leader, the first one of its ring. */
static __device__ void
find_leaders (const CsInstancesFrame & f, const Object & o, Jumps & jumps)
{
  CsInstancesCurve curve;
  int changed;

  for (uint32_t i = threadIdx.x; i < o.n; i += THREADS) {
    const uint32_t next = next_of (o, i);

    curve_of (f, o, i, &curve);
    o.next[i] = next;
    o.weights[i] = curve.n_points;
    jumps.now[i] = jump_of (next, i);
  }
  __syncthreads ();
  do {
    changed = false;
    for (uint32_t i = threadIdx.x; i < o.n; i += THREADS) {
      const CsInstancesU64 jump = jumps.now[i];
      const CsInstancesU64 further = jumps.now[JUMP_TARGET (jump)];
      const uint32_t least = min (JUMP_SPAN (jump), JUMP_SPAN (further));

      changed |= least != JUMP_SPAN (jump);
      jumps.then[i] = jump_of (JUMP_TARGET (further), least);
    }
    jumps.swap ();
  } while (__syncthreads_or (changed));
  for (uint32_t i = threadIdx.x; i < o.n; i += THREADS)
    o.leaders[i] = JUMP_SPAN (jumps.now[i]);
  __syncthreads ();
}

/* Then a jump spans the points from the segment to the end of its ring. */
static __device__ void
rank (const Object & o, Jumps & jumps)
{
  int changed;

  for (uint32_t i = threadIdx.x; i < o.n; i += THREADS)
    jumps.now[i] = jump_of (o.next[i] == o.leaders[i] ? NONE : o.next[i],
        o.weights[i]);
  __syncthreads ();
  do {
    changed = false;
    for (uint32_t i = threadIdx.x; i < o.n; i += THREADS) {
      CsInstancesU64 jump = jumps.now[i];

      if (JUMP_TARGET (jump) != NONE) {
        const CsInstancesU64 further = jumps.now[JUMP_TARGET (jump)];

        changed = true;
        jump = jump_of (JUMP_TARGET (further), JUMP_SPAN (jump) +
            JUMP_SPAN (further));
      }
      jumps.then[i] = jump;
    }
    jumps.swap ();
  } while (__syncthreads_or (changed));
}

/* --- Rings ---------------------------------------------------------------- */

/* Numbers the rings by their leaders, and gives them points. Returns: whether
 * there is room; then the block's place is filled in */
static __device__ bool
list_rings (const CsInstancesFrame & f, const Object & o,
    const CsInstancesU64 * jumps)
{
  __shared__ uint32_t counts[THREADS / 32], point_counts[THREADS / 32];
  __shared__ CsInstancesU64 base, first_point;
  CsInstancesCudaPlace *place = &f.places[blockIdx.x];
  const Part part = part_of (o.n);
  uint32_t n = 0, n_points = 0, total, total_points;

  for (uint32_t i = part.begin; i < part.end; i++)
    if (o.leaders[i] == i) {
      n++;
      n_points += JUMP_SPAN (jumps[i]) + 1;
    }
  uint32_t ring = cs_instances_scan (counts, n, &total);
  uint32_t point = cs_instances_scan (point_counts, n_points, &total_points);

  if (threadIdx.x == 0) {
    base = atomicAdd (&f.counters->rings, total);
    first_point = atomicAdd (&f.counters->points, total_points);
  }
  __syncthreads ();
  if (base + total > f.max_rings || first_point + total_points > f.max_points)
    return false;
  if (threadIdx.x == 0) {
    place->first_ring = (uint32_t) base;
    place->n_rings = total;
  }
  for (uint32_t i = part.begin; i < part.end; i++)
    if (o.leaders[i] == i) {
      CsInstancesCudaRing *to = &f.rings[base + ring];

      to->first_point = (uint32_t) first_point + point;
      to->n_points = JUMP_SPAN (jumps[i]) + 1;
      to->leader = i;
      o.ring_of[i] = ring++;
      point += to->n_points;
    }
  __syncthreads ();
  return true;
}

/* Every segment writes its points; the leader's first one again at the end. */
static __device__ void
write_points (const CsInstancesFrame & f, const Object & o,
    const CsInstancesCudaRing * rings, const CsInstancesU64 * jumps)
{
  CsInstancesCurve curve;

  for (uint32_t i = threadIdx.x; i < o.n; i += THREADS) {
    const CsInstancesCudaRing *ring = &rings[o.ring_of[o.leaders[i]]];
    float2 *to = f.points + ring->first_point + ring->n_points - 1 -
        JUMP_SPAN (jumps[i]);
    double power = 1.;

    curve_of (f, o, i, &curve);
    for (uint32_t k = 0; k < curve.n_points; k++, power *= curve.root) {
      float2 point;

      cs_instances_curve_point (&curve, power, &point.x, &point.y);
      to[k] = point;
      if (to + k == f.points + ring->first_point)
        f.points[ring->first_point + ring->n_points - 1] = point;
    }
  }
}

/* The ring of the object that the row of the hole's lower left node meets to the
 * left: its outer one, or another hole of that. */
static __device__ uint32_t
find_link (const Object & o, uint32_t leader)
{
  const uint32_t r = row_of (o, leader) + 1;
  uint32_t c = column_of (o, leader);

  while (bit_at (o, c, r))
    c--;
  /* the edge to the right of node (c, r) is the upper one of cell (c, r) */
  uint32_t i = segment_at (o, c, r);

  if (from_of (o, i) != CS_EDGE_T && to_of (o, i) != CS_EDGE_T)
    i++;
  return o.ring_of[o.leaders[i]];
}

static __device__ void
begin_records (const CsInstancesFrame & f, const Object & o,
    CsInstancesCudaRing * rings, uint32_t n)
{
  for (uint32_t k = threadIdx.x; k < n; k += THREADS) {
    const uint32_t leader = rings[k].leader;
    const bool hole = !bit_at (o, column_of (o, leader) + 1,
        row_of (o, leader) + 1);
    CsContour *contour = &rings[k].contour;

    contour->class_id = o.grid->class_id;
    contour->image = (int32_t) o.grid->instance;
    contour->kind = 0;
    contour->flags = CS_CONTOUR_CLOSED | (hole ? CS_CONTOUR_HOLE : 0);
    contour->level = f.level;
    rings[k].link = hole ? find_link (o, leader) : NONE;
  }
}

template <int M> static __device__ void
measure_ring (const CsInstancesFrame & f, CsInstancesCudaRing * ring)
{
  const Points points = { f.points, 0 };
  const uint32_t first = ring->first_point, n = ring->n_points - 1;
  const double2 origin = points.at (first);
  CsSums all = CsSums (), sums;

  all.x0 = all.y0 = INFINITY;
  all.x1 = all.y1 = -INFINITY;
  for (uint32_t start = 0; start < n; start += CS_SUM_BLOCK) {
    sum_block<M> (points, first, first + start, min (n - start, CS_SUM_BLOCK),
        sums);
    all.cross += sums.cross;
    all.length += sums.length;
    all.cross_x += sums.cross_x;
    all.cross_y += sums.cross_y;
    all.length_x += sums.length_x;
    all.length_y += sums.length_y;
    all.x0 = fmin (all.x0, sums.x0);
    all.y0 = fmin (all.y0, sums.y0);
    all.x1 = fmax (all.x1, sums.x1);
    all.y1 = fmax (all.y1, sums.y1);
    for (int m = 0; M >= CS_MEASURES_FULL && m < CS_N_MOMENTS; m++)
      all.moments[m] += sums.moments[m];
  }
  if (threadIdx.x % 32 > 0)
    return;
  CsContour *contour = &ring->contour;
  const bool basic = M >= CS_MEASURES_BASIC;

  contour->area = .5 * all.cross;
  contour->solidity = NAN;
  contour->perimeter = basic ? all.length : NAN;
  contour->bbox_x0 = basic ? all.x0 : NAN;
  contour->bbox_y0 = basic ? all.y0 : NAN;
  contour->bbox_x1 = basic ? all.x1 : NAN;
  contour->bbox_y1 = basic ? all.y1 : NAN;
  contour->centroid_x = basic ? cs_centroid (true, origin.x, all.cross,
      all.length, all.cross_x, all.length_x, all.x0, all.x1) : NAN;
  contour->centroid_y = basic ? cs_centroid (true, origin.y, all.cross,
      all.length, all.cross_y, all.length_y, all.y0, all.y1) : NAN;
  for (int m = 0; M >= CS_MEASURES_FULL && m < CS_N_MOMENTS; m++)
    ring->moments.m[m] = all.moments[m] / cs_moment_divisor (m);
  ring->kept = fabs (contour->area) > 0. && fabs (contour->area) >= f.min_area;
}

/* Finds outer rings, and counts what is kept; what a hole is in is larger. */
static __device__ void
finish_rings (CsInstancesCudaRing * rings, uint32_t n, CsInstancesCudaPlace * place)
{
  __shared__ uint32_t n_kept, n_points;

  if (threadIdx.x == 0)
    n_kept = n_points = 0;
  __syncthreads ();
  for (uint32_t k = threadIdx.x; k < n; k += THREADS) {
    uint32_t outer = rings[k].link;

    while (outer != NONE && rings[outer].link != NONE)
      outer = rings[outer].link;
    rings[k].contour.parent = (int32_t) outer;
    if (rings[k].kept) {
      atomicAdd (&n_kept, 1);
      atomicAdd (&n_points, rings[k].n_points);
    }
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    place->n_kept = n_kept;
    place->n_kept_points = n_points;
  }
}

template <int M> static __global__ void
__launch_bounds__ (THREADS)
trace_rings (const __grid_constant__ CsInstancesFrame f)
{
  __shared__ CsInstancesU64 shared[2 * MAX_SHARED];
  Jumps jumps = { shared, shared + MAX_SHARED };
  Object o;

  if (!list_segments (f, o))
    return;
  if (o.n > MAX_SHARED) {
    jumps.now = f.jumps + 2 * (o.segments - f.segments);
    jumps.then = jumps.now + o.n;
  }
  find_leaders (f, o, jumps);
  rank (o, jumps);
  if (!list_rings (f, o, jumps.now))
    return;
  CsInstancesCudaPlace *place = &f.places[blockIdx.x];
  CsInstancesCudaRing *rings = f.rings + place->first_ring;
  const uint32_t n = place->n_rings;

  write_points (f, o, rings, jumps.now);
  begin_records (f, o, rings, n);
  __syncthreads ();
  for (uint32_t k = threadIdx.x / 32; k < n; k += THREADS / 32)
    measure_ring<M> (f, &rings[k]);
  __syncthreads ();
  finish_rings (rings, n, place);
}

gboolean
cs_instances_cuda_trace (const CsInstancesFrame * frame, cudaStream_t stream,
    GError ** error)
{
  switch (frame->measures) {
    case CS_MEASURES_NONE:
      trace_rings<CS_MEASURES_NONE> <<<frame->n_grids, THREADS, 0,
          stream>>> (*frame);
      break;
    case CS_MEASURES_BASIC:
      trace_rings<CS_MEASURES_BASIC> <<<frame->n_grids, THREADS, 0,
          stream>>> (*frame);
      break;
    default:
      trace_rings<CS_MEASURES_FULL> <<<frame->n_grids, THREADS, 0,
          stream>>> (*frame);
      break;
  }
  return cs_cuda_check (cudaGetLastError (), "find polygons", error);
}

/* --- The result ----------------------------------------------------------- */

/* Rings and points of the objects before the block's, and of all. */
struct Sums
{
  uint32_t rings, points, all_rings, all_points, all_dropped;
};

static __device__ Sums
sum_places (const CsInstancesFrame & f)
{
  __shared__ uint32_t sums[5];
  uint32_t mine[5] = { 0 };

  if (threadIdx.x < 5)
    sums[threadIdx.x] = 0;
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < f.n_grids; i += THREADS) {
    const CsInstancesCudaPlace place = f.places[i];

    if (i < blockIdx.x) {
      mine[0] += place.n_kept;
      mine[1] += place.n_kept_points;
    }
    mine[2] += place.n_kept;
    mine[3] += place.n_kept_points;
    mine[4] += place.n_rings - place.n_kept;
  }
  for (int k = 0; k < 5; k++) {
    const uint32_t sum = cs_group_sum<32> (mine[k]);

    if (threadIdx.x % 32 == 0)
      atomicAdd (&sums[k], sum);
  }
  __syncthreads ();
  const Sums all = { sums[0], sums[1], sums[2], sums[3], sums[4] };

  return all;
}

/* Tells the host, and zeroes the counters for the next frame. */
static __device__ void
publish_counts (const CsInstancesFrame & f, const Sums & sums)
{
  f.published->n_contours = sums.all_rings;
  f.published->n_points = sums.all_points;
  f.published->n_dropped = sums.all_dropped;
  if (f.out.offsets && sums.all_rings <= f.max_contours)
    f.out.offsets[sums.all_rings] = sums.all_points;
  if (f.host.offsets && sums.all_rings <= f.max_contours)
    f.host.offsets[sums.all_rings] = sums.all_points;
}

/* New numbers and first points of the kept rings, in raw records. */
static __device__ void
number_rings (CsInstancesCudaRing * rings, uint32_t n, Sums & sums,
    const CsInstancesArrays & out, const CsInstancesArrays & host)
{
  __shared__ uint32_t counts[THREADS / 32], point_counts[THREADS / 32];

  for (uint32_t begin = 0; begin < n; begin += THREADS) {
    const uint32_t k = begin + threadIdx.x;
    const bool kept = k < n && rings[k].kept;
    uint32_t total, total_points;
    const uint32_t index = sums.rings +
        cs_instances_scan (counts, kept, &total);
    const uint32_t point = sums.points +
        cs_instances_scan (point_counts, kept ? rings[k].n_points : 0,
        &total_points);

    if (kept) {
      rings[k].index = index;
      out.offsets[index] = point;
      if (host.offsets)
        host.offsets[index] = point;
    }
    sums.rings += total;
    sums.points += total_points;
    __syncthreads ();
  }
}

static __device__ void
publish_ring (const CsInstancesFrame & f, const CsInstancesCudaRing * rings,
    uint32_t k)
{
  const uint32_t lane = threadIdx.x % 32, index = rings[k].index;
  const uint32_t to = f.out.offsets[index];
  const float2 *from = f.points + rings[k].first_point;

  for (uint32_t i = lane; i < rings[k].n_points; i += 32) {
    const float2 point = from[i];

    f.out.points[to + i] = point;
    if (f.host.points)
      f.host.points[to + i] = point;
  }
  if (lane > 0)
    return;
  CsContour contour = rings[k].contour;

  contour.id = (int32_t) ((uint32_t) f.first_id + index);
  if (contour.parent >= 0)
    contour.parent = (int32_t) ((uint32_t) f.first_id +
        rings[contour.parent].index);
  f.out.contours[index] = contour;
  if (f.host.contours)
    f.host.contours[index] = contour;
  if (f.out.moments)
    f.out.moments[index] = rings[k].moments;
  if (f.host.moments)
    f.host.moments[index] = rings[k].moments;
}

static __global__ void
__launch_bounds__ (THREADS)
publish_rings (const __grid_constant__ CsInstancesFrame f)
{
  if (blockIdx.x == 0 && threadIdx.x == 0)
    f.published->counters = *f.counters;
  if (cs_instances_overflow (&f))
    return;
  const CsInstancesCudaPlace place = f.places[blockIdx.x];
  Sums sums = sum_places (f);

  if (blockIdx.x == 0 && threadIdx.x == 0)
    publish_counts (f, sums);
  if (sums.all_rings > f.max_contours ||
      sums.all_points > f.max_contour_points)
    return;
  CsInstancesCudaRing *rings = f.rings + place.first_ring;

  number_rings (rings, place.n_rings, sums, f.out, f.host);
  for (uint32_t k = threadIdx.x / 32; k < place.n_rings; k += THREADS / 32)
    if (rings[k].kept)
      publish_ring (f, rings, k);
}

gboolean
cs_instances_cuda_publish (const CsInstancesFrame * frame, cudaStream_t stream,
    GError ** error)
{
  publish_rings <<<frame->n_grids, THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "publish polygons", error);
}
