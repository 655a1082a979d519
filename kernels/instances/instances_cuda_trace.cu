/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: rings of objects, and the result. */
#include "base/cuda_base.h"
#include "instances_cuda_fill.cuh"

#define MOST_THREADS CS_INSTANCES_MOST_THREADS
#define NONE CS_INSTANCES_NONE

/* What an object of usual size has. */
#define SHARED_NODES 2048
#define SHARED_WORDS 256
#define SHARED_SEGMENTS 512
#define SHARED_SAMPLES 2048
#define SHARED_FACTORS 64
#define SHARED_POINTS 1024
#define SHARED_RINGS 16

/* In shared memory, for each of which there is common memory, too, or another
 * way. */
struct Shared
{
  CsInstancesGrid grid;
  float values[SHARED_NODES];
  uint32_t bits[SHARED_WORDS], word_base[SHARED_WORDS];
  CsInstancesSegment segments[SHARED_SEGMENTS];
  uint32_t next[SHARED_SEGMENTS], weights[SHARED_SEGMENTS];
  uint32_t leaders[SHARED_SEGMENTS], ring_of[SHARED_SEGMENTS];
  float factors[SHARED_FACTORS];
  union
  {
    CsInstancesU64 jumps[2 * SHARED_SEGMENTS];
    float samples[SHARED_SAMPLES];
  };
  float2 points[SHARED_POINTS];
  CsInstancesCudaRing rings[SHARED_RINGS];
};

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
 * @now, @then: its segments' jumps, and room for what comes of them
 * @n: how many segments there are
 * @points, @rings: of its @n_rings rings
 * @curve: of the thread's first segment
 */
struct Object
{
  const CsInstancesGrid *grid;
  uint32_t *bits;
  float *values;
  uint32_t *word_base;
  CsInstancesSegment *segments;
  uint32_t *next, *weights, *leaders, *ring_of;
  CsInstancesU64 *now, *then;
  uint32_t n;
  float2 *points;
  CsInstancesCudaRing *rings;
  uint32_t n_rings;
  CsInstancesCurve curve;

  __device__ __forceinline__ void swap_jumps ()
  {
    CsInstancesU64 *last = now;

    now = then;
    then = last;
  }
};

/* What part of @n elements thread @t of the block has. */
struct Part
{
  uint32_t begin, end;
};

static __device__ __forceinline__ Part
part_of (uint32_t n)
{
  const uint32_t each = (n + blockDim.x - 1) / blockDim.x;
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
  return o.segments[i].cell & 0xffff;
}

static __device__ __forceinline__ uint32_t
row_of (const Object & o, uint32_t i)
{
  return o.segments[i].cell >> 16;
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

/* A warp lists the segments of word @word, a lane those of its cell. */
static __device__ void
list_word (const Object & o, uint32_t word)
{
  const CsInstancesCorners corners = corners_at (o, word);
  const uint32_t r = word / o.grid->words, lane = threadIdx.x % 32;
  const uint32_t c = word % o.grid->words * 32 + lane;
  const uint32_t crossed = cs_instances_crossed (&corners);

  if (!(crossed >> lane & 1))
    return;
  const int cell_case = cs_instances_case (&corners, lane);
  const int edges = cs_instances_segments (o.grid, o.values, c, r, cell_case);
  uint32_t i = o.word_base[word] + cs_lanes_before (crossed, lane) +
      cs_lanes_before (cs_instances_saddles (&corners), lane);

  for (int k = 0; k < cs_case_n_segments (cell_case); k++, i++) {
    o.segments[i].cell = r << 16 | c;
    o.segments[i].info = k << 4 | (edges >> 4 * k & 15);
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

/* Values and bits of the object's nodes: of samples in shared memory, each of
 * which is computed once, if there is room for them. */
static __device__ void
fill (const CsInstancesFrame & f, Shared & shared, const Object & o,
    uint32_t n_words)
{
  const CsInstancesGrid & grid = *o.grid;
  CsInstancesBase base = cs_instances_base (grid);
  const uint32_t n = base.columns * base.rows;

  if (n > SHARED_SAMPLES || f.n_coefficients > SHARED_FACTORS) {
    for (uint32_t i = threadIdx.x / 32; i < n_words; i += blockDim.x / 32)
      cs_instances_fill_word (f, grid, base, i, o.values, o.bits);
    return;
  }
  for (uint32_t k = threadIdx.x; k < f.n_coefficients; k += blockDim.x)
    shared.factors[k] = cs_instances_load (f.coefficients, 0, grid.field, k);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    shared.samples[i] = cs_instances_sample_at (f, shared.factors, grid.field,
        base.row + (int32_t) (i / base.columns),
        base.column + (int32_t) (i % base.columns));
  __syncthreads ();
  base.samples = shared.samples;
  for (uint32_t i = threadIdx.x / 32; i < n_words; i += blockDim.x / 32)
    cs_instances_fill_word (f, grid, base, i, o.values, o.bits);
}

/* The block's object, with its nodes. */
static __device__ void
begin_object (const CsInstancesFrame & f, Shared & shared, Object & o)
{
  const CsInstancesU64 *from = (const CsInstancesU64 *) &f.grids[blockIdx.x];
  CsInstancesU64 *to = (CsInstancesU64 *) &shared.grid;

  for (uint32_t i = threadIdx.x; i < sizeof (CsInstancesGrid) / 8; i += blockDim.x)
    to[i] = from[i];
  __syncthreads ();
  const CsInstancesGrid *grid = o.grid = &shared.grid;
  const uint32_t n_words = grid->words * (grid->y.n + 2);
  const bool fits = !f.is_filled && n_words <= SHARED_WORDS &&
      grid->x.n * grid->y.n <= SHARED_NODES;

  o.bits = fits ? shared.bits : f.bits + grid->first_word;
  o.values = fits ? shared.values : f.values + grid->first_value;
  o.word_base = fits ? shared.word_base : f.word_base + grid->first_word;
  if (f.is_filled)
    return;
  fill (f, shared, o, n_words);
  __syncthreads ();
}

/* Lists its segments. Returns: whether there is room */
static __device__ bool
list_segments (const CsInstancesFrame & f, Shared & shared, Object & o)
{
  __shared__ uint32_t counts[MOST_THREADS / 32];
  __shared__ CsInstancesU64 base;
  const uint32_t n_words = o.grid->words * (o.grid->y.n + 1);
  const Part part = part_of (n_words);
  uint32_t n = 0;

  for (uint32_t w = part.begin; w < part.end; w++)
    n += count_word (o, w);
  uint32_t i = cs_instances_scan (counts, n, &o.n);

  o.segments = shared.segments;
  o.next = shared.next;
  o.weights = shared.weights;
  o.leaders = shared.leaders;
  o.ring_of = shared.ring_of;
  o.now = shared.jumps;
  o.then = shared.jumps + SHARED_SEGMENTS;
  if (o.n > SHARED_SEGMENTS) {
    if (threadIdx.x == 0)
      base = atomicAdd (&f.counters->segments, o.n) - f.base.segments;
    __syncthreads ();
    if (base + o.n > f.max_segments)
      return false;
    o.segments = f.segments + base;
    o.next = f.next + base;
    o.weights = f.weights + base;
    o.leaders = f.leaders + base;
    o.ring_of = f.ring_of + base;
    o.now = f.jumps + 2 * base;
    o.then = o.now + o.n;
  }
  for (uint32_t w = part.begin; w < part.end; w++) {
    o.word_base[w] = i;
    i += count_word (o, w);
  }
  __syncthreads ();
  for (uint32_t w = threadIdx.x / 32; w < n_words; w += blockDim.x / 32)
    list_word (o, w);
  __syncthreads ();
  return true;
}

/* --- Ranks ---------------------------------------------------------------- */

/* Finds each segment's leader, the first one of its ring. */
static __device__ void
find_leaders (const CsInstancesFrame & f, Object & o)
{
  int changed;

  for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x) {
    const uint32_t next = next_of (o, i);
    CsInstancesCurve curve;

    curve_of (f, o, i, &curve);
    if (i == threadIdx.x)
      o.curve = curve;
    o.next[i] = next;
    o.weights[i] = curve.n_points;
    o.now[i] = jump_of (next, i);
  }
  __syncthreads ();
  do {
    changed = false;
    for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x) {
      const CsInstancesU64 jump = o.now[i];
      const CsInstancesU64 further = o.now[JUMP_TARGET (jump)];
      const uint32_t least = min (JUMP_SPAN (jump), JUMP_SPAN (further));

      changed |= least != JUMP_SPAN (jump);
      o.then[i] = jump_of (JUMP_TARGET (further), least);
    }
    o.swap_jumps ();
  } while (__syncthreads_or (changed));
  for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x)
    o.leaders[i] = JUMP_SPAN (o.now[i]);
  __syncthreads ();
}

/* Then a jump spans the points from the segment to the end of its ring. */
static __device__ void
rank (Object & o)
{
  int changed;

  for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x)
    o.now[i] = jump_of (o.next[i] == o.leaders[i] ? NONE : o.next[i],
        o.weights[i]);
  __syncthreads ();
  do {
    changed = false;
    for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x) {
      CsInstancesU64 jump = o.now[i];

      if (JUMP_TARGET (jump) != NONE) {
        const CsInstancesU64 further = o.now[JUMP_TARGET (jump)];

        changed = true;
        jump = jump_of (JUMP_TARGET (further), JUMP_SPAN (jump) +
            JUMP_SPAN (further));
      }
      o.then[i] = jump;
    }
    o.swap_jumps ();
  } while (__syncthreads_or (changed));
}

/* --- Rings ---------------------------------------------------------------- */

/* Room for @n_rings rings of @n_points points in all. Returns: whether there is
 * any */
static __device__ bool
take_rings (const CsInstancesFrame & f, Shared & shared, Object & o,
    uint32_t n_points)
{
  __shared__ CsInstancesU64 base, first_point;
  const bool many = o.n_rings > SHARED_RINGS, long_ones = n_points >
      SHARED_POINTS;

  o.rings = shared.rings;
  o.points = shared.points;
  if (!many && !long_ones)
    return true;
  if (threadIdx.x == 0) {
    base = many ? atomicAdd (&f.counters->rings, o.n_rings) -
        f.base.rings : 0;
    first_point = long_ones ? atomicAdd (&f.counters->points, n_points) -
        f.base.points : 0;
  }
  __syncthreads ();
  if ((many && base + o.n_rings > f.max_rings) ||
      (long_ones && first_point + n_points > f.max_points))
    return false;
  if (many)
    o.rings = f.rings + base;
  if (long_ones)
    o.points = f.points + first_point;
  return true;
}

/* Numbers the rings by their leaders, and gives them points. Returns: whether
 * there is room */
static __device__ bool
list_rings (const CsInstancesFrame & f, Shared & shared, Object & o)
{
  __shared__ uint32_t counts[MOST_THREADS / 32], point_counts[MOST_THREADS / 32];
  const Part part = part_of (o.n);
  uint32_t n = 0, n_points = 0, total_points;

  for (uint32_t i = part.begin; i < part.end; i++)
    if (o.leaders[i] == i) {
      n++;
      n_points += JUMP_SPAN (o.now[i]) + 1;
    }
  uint32_t ring = cs_instances_scan (counts, n, &o.n_rings);
  uint32_t point = cs_instances_scan (point_counts, n_points, &total_points);

  if (!take_rings (f, shared, o, total_points))
    return false;
  for (uint32_t i = part.begin; i < part.end; i++)
    if (o.leaders[i] == i) {
      CsInstancesCudaRing *to = &o.rings[ring];

      to->first_point = point;
      to->n_points = JUMP_SPAN (o.now[i]) + 1;
      to->leader = i;
      o.ring_of[i] = ring++;
      point += to->n_points;
    }
  __syncthreads ();
  return true;
}

/* Every segment writes its points; the leader's first one again at the end. */
static __device__ void
write_points (const CsInstancesFrame & f, const Object & o)
{
  CsInstancesCurve curve = o.curve;

  for (uint32_t i = threadIdx.x; i < o.n; i += blockDim.x) {
    const CsInstancesCudaRing *ring = &o.rings[o.ring_of[o.leaders[i]]];
    const uint32_t end = ring->first_point + ring->n_points - 1;
    const uint32_t to = end - JUMP_SPAN (o.now[i]);
    double power = 1.;

    if (i != threadIdx.x)
      curve_of (f, o, i, &curve);
    for (uint32_t k = 0; k < curve.n_points; k++, power *= curve.root) {
      float2 point;

      cs_instances_curve_point (&curve, power, &point.x, &point.y);
      o.points[to + k] = point;
      if (to + k == ring->first_point)
        o.points[end] = point;
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
begin_records (const CsInstancesFrame & f, const Object & o)
{
  CsInstancesCudaRing *rings = o.rings;

  for (uint32_t k = threadIdx.x; k < o.n_rings; k += blockDim.x) {
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
measure_ring (const CsInstancesFrame & f, const float2 * all_points,
    CsInstancesCudaRing * ring)
{
  const Points points = { all_points, 0 };
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

/* Finds outer rings. Returns: sums of the object's; what a hole is in is
 * larger */
static __device__ CsInstancesSums
finish_rings (const Object & o)
{
  __shared__ uint32_t n_kept, n_points;
  CsInstancesCudaRing *rings = o.rings;

  if (threadIdx.x == 0)
    n_kept = n_points = 0;
  __syncthreads ();
  for (uint32_t k = threadIdx.x; k < o.n_rings; k += blockDim.x) {
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
  const CsInstancesSums sums = { n_kept, n_points, o.n_rings - n_kept };

  return sums;
}

/* The rings of the block's object, in @o. Returns: their sums; none if there is
 * no room */
template <int M> static __device__ CsInstancesSums
trace (const CsInstancesFrame & f, Shared & shared, Object & o)
{
  const CsInstancesSums none = { 0, 0, 0 };

  o.n_rings = 0;
  begin_object (f, shared, o);
  if (!list_segments (f, shared, o))
    return none;
  find_leaders (f, o);
  rank (o);
  if (!list_rings (f, shared, o)) {
    o.n_rings = 0;
    return none;
  }
  write_points (f, o);
  begin_records (f, o);
  __syncthreads ();
  for (uint32_t k = threadIdx.x / 32; k < o.n_rings; k += blockDim.x / 32)
    measure_ring<M> (f, o.points, &o.rings[k]);
  __syncthreads ();
  return finish_rings (o);
}

/* --- Sums ----------------------------------------------------------------- */

static __device__ __forceinline__ CsInstancesU64
load_word (const CsInstancesU64 * at)
{
  CsInstancesU64 word;

  asm volatile ("ld.relaxed.gpu.global.b64 %0, [%1];":"=l" (word):"l" (at)
      :"memory");
  return word;
}

static __device__ __forceinline__ void
store_word (CsInstancesU64 * at, CsInstancesU64 word)
{
  asm volatile ("st.relaxed.gpu.global.b64 [%0], %1;"::"l" (at), "l" (word)
      :"memory");
}

static __device__ void
store_sums (const CsInstancesFrame & f, CsInstancesU64 to[3],
    const CsInstancesSums & sums)
{
  const CsInstancesU64 epoch = (CsInstancesU64) f.epoch << 32;

  store_word (&to[0], epoch | sums.rings);
  store_word (&to[1], epoch | sums.points);
  store_word (&to[2], epoch | sums.dropped);
}

/* Returns: whether they are known */
static __device__ bool
load_sums (const CsInstancesFrame & f, const CsInstancesU64 from[3],
    CsInstancesSums & sums)
{
  const CsInstancesU64 rings = load_word (&from[0]);
  const CsInstancesU64 points = load_word (&from[1]);
  const CsInstancesU64 dropped = load_word (&from[2]);

  sums.rings = (uint32_t) rings;
  sums.points = (uint32_t) points;
  sums.dropped = (uint32_t) dropped;
  return rings >> 32 == f.epoch && points >> 32 == f.epoch &&
      dropped >> 32 == f.epoch;
}

/* Of the objects before the block's, by a warp: a lane for each of 32, the last
 * ones first, up to one that knows the sums of all before. Those are of blocks
 * that have begun earlier, and wait for none after them. */
static __device__ CsInstancesSums
sum_before (const CsInstancesFrame & f)
{
  CsInstancesSums before = { 0, 0, 0 };
  uint32_t found = 0;

  for (uint32_t end = blockIdx.x; end > 0 && !found; end -= min (end, 32u)) {
    const uint32_t lane = threadIdx.x % 32;
    CsInstancesSums sums = { 0, 0, 0 };
    bool is_all = lane >= end, known = is_all;

    do
      if (!known) {
        const CsInstancesStatus *status = &f.status[end - 1 - lane];

        is_all = load_sums (f, status->all, sums);
        known = is_all || load_sums (f, status->own, sums);
      }
    while (__any_sync (CS_ALL_LANES, !known));
    found = __ballot_sync (CS_ALL_LANES, is_all);
    if (found && lane > __ffs (found) - 1)
      sums.rings = sums.points = sums.dropped = 0;
    before.rings += cs_group_sum<32> (sums.rings);
    before.points += cs_group_sum<32> (sums.points);
    before.dropped += cs_group_sum<32> (sums.dropped);
  }
  return before;
}

/* --- The result ----------------------------------------------------------- */

/* Tells the host of all objects: those @before, and the block's @own. */
static __device__ void
publish_sums (const CsInstancesFrame & f, const CsInstancesSums & before,
    const CsInstancesSums & own)
{
  const uint32_t rings = before.rings + own.rings;
  const uint32_t points = before.points + own.points;

  __threadfence ();
  f.published->counters.segments = load_word (&f.counters->segments);
  f.published->counters.points = load_word (&f.counters->points);
  f.published->counters.rings = load_word (&f.counters->rings);
  f.published->n_contours = rings;
  f.published->n_points = points;
  f.published->n_dropped = before.dropped + own.dropped;
  if (rings > f.max_contours)
    return;
  f.out.offsets[rings] = points;
  if (f.host.offsets)
    f.host.offsets[rings] = points;
}

/* The sums of the objects before the block's, whose own are @own. */
static __device__ CsInstancesSums
exchange_sums (const CsInstancesFrame & f, const CsInstancesSums & own)
{
  __shared__ CsInstancesSums shared;

  if (threadIdx.x < 32) {
    /* after what the block has counted */
    if (threadIdx.x == 0) {
      __threadfence ();
      store_sums (f, f.status[blockIdx.x].own, own);
    }
    const CsInstancesSums before = sum_before (f);

    if (threadIdx.x == 0) {
      const CsInstancesSums all = { before.rings + own.rings,
        before.points + own.points, before.dropped + own.dropped
      };

      store_sums (f, f.status[blockIdx.x].all, all);
      shared = before;
    }
  }
  __syncthreads ();
  return shared;
}

/* Numbers and first points of the kept rings in the result. */
static __device__ void
number_rings (const CsInstancesFrame & f, const Object & o,
    CsInstancesSums before)
{
  __shared__ uint32_t counts[MOST_THREADS / 32], point_counts[MOST_THREADS / 32];

  for (uint32_t begin = 0; begin < o.n_rings; begin += blockDim.x) {
    const uint32_t k = begin + threadIdx.x;
    const bool kept = k < o.n_rings && o.rings[k].kept;
    uint32_t total, total_points;
    const uint32_t index = before.rings +
        cs_instances_scan (counts, kept, &total);
    const uint32_t point = before.points +
        cs_instances_scan (point_counts, kept ? o.rings[k].n_points : 0,
        &total_points);

    if (kept) {
      o.rings[k].index = index;
      o.rings[k].to = point;
      f.out.offsets[index] = point;
      if (f.host.offsets)
        f.host.offsets[index] = point;
    }
    before.rings += total;
    before.points += total_points;
    __syncthreads ();
  }
}

/* A warp copies ring @k. */
static __device__ void
publish_ring (const CsInstancesFrame & f, const Object & o, uint32_t k)
{
  const CsInstancesCudaRing *ring = &o.rings[k];
  const uint32_t lane = threadIdx.x % 32, index = ring->index, to = ring->to;

  for (uint32_t i = lane; i < ring->n_points; i += 32) {
    const float2 point = o.points[ring->first_point + i];

    f.out.points[to + i] = point;
    if (f.host.points)
      f.host.points[to + i] = point;
  }
  if (lane > 0)
    return;
  CsContour contour = ring->contour;

  contour.id = (int32_t) ((uint32_t) f.first_id + index);
  if (contour.parent >= 0)
    contour.parent = (int32_t) ((uint32_t) f.first_id +
        o.rings[contour.parent].index);
  f.out.contours[index] = contour;
  if (f.host.contours)
    f.host.contours[index] = contour;
  if (f.out.moments)
    f.out.moments[index] = ring->moments;
  if (f.host.moments)
    f.host.moments[index] = ring->moments;
}

template <int M> static __global__ void
__launch_bounds__ (MOST_THREADS)
trace_rings (const __grid_constant__ CsInstancesFrame f)
{
  __shared__ Shared shared;
  Object o;
  const CsInstancesSums own = trace<M> (f, shared, o);
  const CsInstancesSums before = exchange_sums (f, own);

  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1)
    publish_sums (f, before, own);
  if (before.rings + own.rings > f.max_contours ||
      before.points + own.points > f.max_contour_points)
    return;
  number_rings (f, o, before);
  for (uint32_t k = threadIdx.x / 32; k < o.n_rings; k += blockDim.x / 32)
    if (o.rings[k].kept)
      publish_ring (f, o, k);
}

gboolean
cs_instances_cuda_trace (const CsInstancesFrame * frame, cudaStream_t stream,
    GError ** error)
{
  const guint n = frame->n_grids;
  const guint n_threads = n <= CS_INSTANCES_FEW ? MOST_THREADS :
      CS_INSTANCES_THREADS;

  switch (frame->measures) {
    case CS_MEASURES_NONE:
      trace_rings<CS_MEASURES_NONE> <<<n, n_threads, 0, stream>>> (*frame);
      break;
    case CS_MEASURES_BASIC:
      trace_rings<CS_MEASURES_BASIC> <<<n, n_threads, 0, stream>>> (*frame);
      break;
    default:
      trace_rings<CS_MEASURES_FULL> <<<n, n_threads, 0, stream>>> (*frame);
      break;
  }
  return cs_cuda_check (cudaGetLastError (), "find polygons", error);
}
