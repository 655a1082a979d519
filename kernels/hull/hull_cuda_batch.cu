/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many sets, such as the contours of a frame: tiny ones by half a warp or a
 * warp, one thread per point; long ones by a block, as rings if they are; then
 * medium ones by a warp and what no ring is by a block, in one launch. */
#include "hull_ring.cuh"
#include "hull_steps.cuh"

#include "base/cuda_memory.h"

#define THREADS CS_HULL_BLOCK
#define WARPS (THREADS / 32)
#define SAMPLE 512
#define SECOND_MIN 64           /* more survivors: second pass */
#define MAX_ALL_PAIRS 512       /* more survivors: sort and chain */
#define TINY_THREADS 256
#define TINY_SETS 4             /* per warp */

/**
 * Queue:
 * @n_long, @n_medium: entries of the lists
 * @next_long, @next_medium: next entry to claim
 * @n_ignored, @n_unfinished, @n_rings: results
 */
typedef struct
{
  guint32 n_long, n_medium, next_long, next_medium;
  guint32 n_ignored, n_unfinished, n_rings;
} Queue;

typedef struct
{
  HullJob job;
  HullLists lists;
  Queue *queue;
  guint32 *longs, *mediums;
  guint block_points, warp_points;
} BatchJob;

static __device__ __forceinline__ guint32
set_length (const HullJob & job, guint32 set, guint32 * start)
{
  /* device offsets are not validated: clamp to the points */
  const guint32 from = min (job.offsets[set], job.n);
  const guint32 to = min (job.offsets[set + 1], job.n);

  *start = from;
  return to > from ? to - from : 0;
}

/* --- Rings ---------------------------------------------------------------- */

#define RING_THREADS 256
#define RING_POINTS (8 * RING_THREADS)

/* All sets to the lists of their length; long ones only if they are no rings.
 * Blocks take sets in turn, as long ones may follow one another. */
static __global__ void __launch_bounds__ (RING_THREADS)
ring_kernel (BatchJob batch)
{
  extern __shared__ double memory[];
  __shared__ guint32 rings[RING_THREADS], n_rings;
  const BlockTeam team;
  const RingSpace space (memory, RING_POINTS);
  guint32 start, n;

  for (guint32 first = blockIdx.x; first < batch.job.n_sets;
      first += gridDim.x * RING_THREADS) {
    const guint32 set = first + threadIdx.x * gridDim.x;

    n = set < batch.job.n_sets ? set_length (batch.job, set, &start) : 0;
    if (team.rank == 0)
      n_rings = 0;
    __syncthreads ();
    if (n > RING_POINTS)
      batch.longs[atomicAdd (&batch.queue->n_long, 1)] = set;
    else if (n > batch.warp_points)
      rings[atomicAdd (&n_rings, 1)] = set;
    else if (n > CS_HULL_THREAD_POINTS)
      batch.mediums[atomicAdd (&batch.queue->n_medium, 1)] = set;
    __syncthreads ();
    for (guint i = 0; i < n_rings; i++) {
      n = set_length (batch.job, rings[i], &start);
      const guint32 n_hull = find_ring (team, space, batch.job.source, start,
          n, batch.job.collinear, batch.lists.hull + start);

      if (team.rank == 0 && n_hull > 0) {
        batch.lists.count[rings[i]] = n_hull;
        atomicAdd (&batch.queue->n_rings, 1);
      } else if (team.rank == 0) {
        batch.longs[atomicAdd (&batch.queue->n_long, 1)] = rings[i];
      }
    }
    __syncthreads ();
  }
}

/* --- Tiny sets ------------------------------------------------------------ */

/* float2 halves the registers where the type fits. */
template <typename Real> struct PointOf { typedef double2 type; };
template <> struct PointOf<float> { typedef float2 type; };

/* As CS_ORIENT_ERROR_BOUND: (3 + 16 eps) eps, eps = 2^-24, rounded up, with a
 * margin for underflow. */
#define FLOAT_ERROR_BOUND 1.79e-7f
#define FLOAT_UNDERFLOW_BOUND 0x1p-100f

/* Sign of (a - p) x (b - p). */
static __device__ __forceinline__ int
turn_at (double2 p, double2 a, double2 b)
{
  return cs_cross_sign (a.x, a.y, p.x, p.y, b.x, b.y, p.x, p.y);
}

/* Filtered predicate: single precision first. */
static __device__ __forceinline__ int
turn_at (float2 p, float2 a, float2 b)
{
  const float l = (a.x - p.x) * (b.y - p.y), r = (a.y - p.y) * (b.x - p.x);
  const float det = l - r;
  const float bound = FLOAT_ERROR_BOUND * (fabsf (l) + fabsf (r)) +
      FLOAT_UNDERFLOW_BOUND;

  if (det > bound)
    return 1;
  if (det < -bound)
    return -1;
  return cs_cross_sign (a.x, a.y, p.x, p.y, b.x, b.y, p.x, p.y);
}

/**
 * AngularRange:
 * @first, @last: points in the extreme directions from a point among its
 *     predecessors, or successors, in lexicographic order: all lie within 180
 *     degrees
 * @any: whether there are any
 */
template <typename Point> struct AngularRange
{
  Point first, last;
  bool any;
};

template <typename Point> static __device__ __forceinline__ Point
choose (bool condition, Point a, Point b)
{
  const Point p = { condition ? a.x : b.x, condition ? a.y : b.y };

  return p;
}

/* Extends the range by the direction from @p to @q. */
template <typename Point> static __device__ __forceinline__ void
range_add (AngularRange<Point> *range, Point p, Point q)
{
  if (!range->any) {
    range->first = range->last = q;
    range->any = true;
    return;
  }
  if (turn_at (p, range->first, q) < 0)
    range->first = q;
  if (turn_at (p, range->last, q) > 0)
    range->last = q;
}

/* The hull of the @n points from @start on, by a team of @lanes threads of a
 * warp, one per point: each compares its point with all others. It is on the
 * lower chain if and only if all its successors lie to the left of all
 * directions from its predecessors. Called by all lanes of the warp. */
template <guint lanes, typename Real> static __device__ void
find_tiny (const BatchJob & batch, guint32 set, guint32 start, guint n,
    bool exists)
{
  typedef typename PointOf<Real>::type Point;
  const HullSource & source = batch.job.source;
  const guint rank = threadIdx.x % lanes;
  const int least = batch.job.collinear ? 0 : 1;
  const guint32 max_n = max (n, __shfl_xor_sync (CS_ALL_LANES, n, 16));
  AngularRange<Point> before = { { 0, 0 }, { 0, 0 }, false }, after = before;
  Point p = { (Real) INFINITY, 0 };
  guint32 number = 0, place = 0, lower, upper;
  bool counts = false, duplicate = false;

  if (rank < n) {
    number = point_number (source, start + rank);
    double x, y;

    load_point (source, number, &x, &y);
    counts = is_finite (x, y);
    if (counts) {
      p.x = x;
      p.y = y;
    } else {
      atomicAdd (&batch.queue->n_ignored, 1);
    }
  }
  for (guint k = 0; k < max_n; k++) {
    const Point q = {
      __shfl_sync (CS_ALL_LANES, p.x, k, lanes),
      __shfl_sync (CS_ALL_LANES, p.y, k, lanes)
    };
    const guint32 other = __shfl_sync (CS_ALL_LANES, number, k, lanes);

    if (k == rank || !counts || !(q.x < INFINITY))
      continue;
    const bool equal = q.x == p.x && q.y == p.y;
    const bool is_before = equal ? other < number :
        q.x < p.x || (q.x == p.x && q.y < p.y);

    place += is_before;
    duplicate |= equal && is_before;
    if (equal)
      continue;
    /* by value: addresses would force local memory */
    AngularRange<Point> range = {
      choose (is_before, before.first, after.first),
      choose (is_before, before.last, after.last),
      is_before ? before.any : after.any
    };

    range_add (&range, p, q);
    before.first = choose (is_before, range.first, before.first);
    before.last = choose (is_before, range.last, before.last);
    before.any |= is_before;
    after.first = choose (is_before, after.first, range.first);
    after.last = choose (is_before, after.last, range.last);
    after.any |= !is_before;
  }
  const bool is_end = !before.any || !after.any;
  /* directions from predecessors are reversed, hence the signs */
  const bool is_lower = counts && !duplicate && (is_end ||
      turn_at (p, before.last, after.first) <= -least);
  const bool is_upper = counts && !duplicate && !is_lower &&
      turn_at (p, before.first, after.last) >= least;

  lower = cs_group_or<lanes> (is_lower ? 1u << place : 0);
  upper = cs_group_or<lanes> (is_upper ? 1u << place : 0);
  /* the upper chain, reversed */
  if (is_lower)
    batch.lists.hull[start + __popc (lower & ((1u << place) - 1))] = number;
  else if (is_upper)
    batch.lists.hull[start + __popc (lower) + __popc (upper & ~((2u << place) -
                1))] = number;
  if (exists && rank == 0)
    batch.lists.count[set] = __popc (lower) + __popc (upper);
}

/* The tiny ones of TINY_SETS sets from @first on, two at a time if both fit
 * half a warp. */
template <typename Real> static __device__ void
find_tiny_sets (const BatchJob & batch, guint32 first)
{
  const guint lane = threadIdx.x % 32, half = lane / 16;
  const guint32 mine = first + lane;
  guint32 start = 0, n = 0;
  bool exists = lane < TINY_SETS && mine < batch.job.n_sets;

  if (exists)
    n = set_length (batch.job, mine, &start);
  exists = exists && n <= CS_HULL_THREAD_POINTS;
  if (exists && n == 0)
    batch.lists.count[mine] = 0;
  guint32 small = __ballot_sync (CS_ALL_LANES, exists && n > 0 && n <= 16);
  guint32 larger = __ballot_sync (CS_ALL_LANES, exists && n > 16);

  while (small) {
    const guint a = __ffs (small) - 1;

    small &= small - 1;
    const guint b = small ? __ffs (small) - 1 : 32;

    small &= small - 1;
    const guint which = half ? b : a;
    const guint32 n_of = __shfl_sync (CS_ALL_LANES, n, which % 32);
    const guint32 start_of = __shfl_sync (CS_ALL_LANES, start, which % 32);

    find_tiny<16, Real> (batch, first + which, start_of,
        which < 32 ? n_of : 0, which < 32);
  }
  for (; larger; larger &= larger - 1) {
    const guint which = __ffs (larger) - 1;

    find_tiny<32, Real> (batch, first + which, __shfl_sync (CS_ALL_LANES,
            start, which), __shfl_sync (CS_ALL_LANES, n, which), true);
  }
}

template <typename Real> static __global__ void
__launch_bounds__ (TINY_THREADS)
tiny_kernel (BatchJob batch)
{
  find_tiny_sets<Real> (batch, (blockIdx.x * TINY_THREADS + threadIdx.x) /
      32 * TINY_SETS);
}

/* --- Sets of a warp or a block -------------------------------------------- */

/* Loads point @i of the set into slot @slot; whether it is finite. */
static __device__ __forceinline__ bool
put_point (const BatchJob & batch, ChainSpace & s, guint32 i, guint slot)
{
  const guint32 number = point_number (batch.job.source, i);
  double x, y;

  load_point (batch.job.source, number, &x, &y);
  if (!is_finite (x, y)) {
    s.clear (slot);
    return false;
  }
  s.put (slot, x, y, number);
  return true;
}

/* A set that fits the slots. */
template <typename Team> static __device__ void
find_whole (const Team & team, const BatchJob & batch, ChainSpace & s,
    guint32 set, guint32 start, guint n)
{
  const guint slots = slots_for (n);
  guint32 n_ignored = 0;

  for (guint i = team.rank; i < slots; i += team.size ()) {
    if (i >= n)
      s.clear (i);
    else if (!put_point (batch, s, start + i, i))
      n_ignored++;
  }
  if (n_ignored)
    atomicAdd (&batch.queue->n_ignored, n_ignored);
  const guint n_hull = make_hull (team, s, slots, batch.job.collinear,
      batch.lists.hull + start);
  if (team.rank == 0)
    batch.lists.count[set] = n_hull;
  team.sync ();
}

/* Shared memory of the steps of a long set, overlaid. */
union LongMemory
{
  struct
  {
    unsigned long long extreme[CS_HULL_DIRECTIONS];
    SampleMemory<SAMPLE> sample;
    union
    {
      Strips strips;
      SecondPass<CS_HULL_DIRECTIONS> second;
    };
  } filter;
  struct
  {
    ClassifyMemory memory;
    guint32 ordered[CS_HULL_BLOCK_POINTS], n_ordered, n_ignored;
    guint8 chain_bits[CS_HULL_BLOCK_POINTS];
  } classify;
};

/* Entry i of a list of a set's points, or of the set if there is no list. */
static __device__ __forceinline__ guint32
listed (const BatchJob & batch, const guint32 * list, guint32 start, guint32 i)
{
  return point_number (batch.job.source, list ? list[i] : start + i);
}

/* The extreme points of a sample of @n points. */
static __device__ void
sample_set (const BatchJob & batch, LongMemory & m, const guint32 * list,
    guint32 start, guint32 n, double2 reference)
{
  const guint count = min (n, SAMPLE);

  __syncthreads ();
  if (threadIdx.x < CS_HULL_DIRECTIONS)
    m.filter.extreme[threadIdx.x] = 0;
  if (threadIdx.x < count) {
    double x, y;

    m.filter.sample.number[threadIdx.x] = listed (batch, list, start,
        (guint32) ((guint64) threadIdx.x * n / count));
    load_point (batch.job.source, m.filter.sample.number[threadIdx.x], &x, &y);
    m.filter.sample.xy[threadIdx.x] = relative (x, y, reference);
  }
  __syncthreads ();
  find_extremes<CS_HULL_DIRECTIONS> (m.filter.sample, count, m.filter.extreme);
  __syncthreads ();
}

/* First pass: the points of a long set not inside the strips of its sample,
 * into
 * @kept, at most @capacity; returns their number to all. Adds points that are
 *     not
 * finite to @n_ignored. */
template <typename Real> static __device__ guint32
filter_long (const BatchJob & batch, LongMemory & m, guint32 start, guint32 n,
    double2 reference, guint32 capacity, guint32 * kept, guint32 * n_ignored)
{
  __shared__ guint32 n_kept;
  Rotated<Real> rotated;

  sample_set (batch, m, NULL, start, n, reference);
  if (threadIdx.x == 0)
    n_kept = 0;
  rotated = make_strips<Real> (m.filter.strips, batch.job.source,
      m.filter.extreme, reference);
  __syncthreads ();
  for (guint32 first = threadIdx.x; first < n; first += 4 * THREADS) {
    double x[4], y[4];

    /* loads in flight together */
#pragma unroll
    for (guint k = 0; k < 4; k++) {
      const guint32 i = min (first + k * THREADS, n - 1);

      load_point (batch.job.source, point_number (batch.job.source,
              start + i), &x[k], &y[k]);
    }
#pragma unroll
    for (guint k = 0; k < 4; k++) {
      const guint32 i = first + k * THREADS;

      if (i >= n || is_inside (m.filter.strips, rotated, (Real) x[k],
              (Real) y[k]))
        continue;
      if (is_finite (x[k], y[k])) {
        const guint32 at = atomicAdd (&n_kept, 1);

        if (at < capacity)
          kept[at] = start + i;
      } else {
        ++*n_ignored;
      }
    }
  }
  __syncthreads ();
  return n_kept;
}

/* Second pass: those of the @n points @from not inside the polygon of their
 * sample, into @to. */
static __device__ guint32
filter_second (const BatchJob & batch, LongMemory & m, const guint32 * from,
    guint32 n, double2 reference, guint32 * to)
{
  __shared__ guint32 n_kept;
  double margin;

  sample_set (batch, m, from, 0, n, reference);
  if (threadIdx.x == 0)
    n_kept = 0;
  bool serves = load_polygon (m.filter.second, batch.job.source,
      m.filter.extreme, &margin);
  __syncthreads ();
  for (guint32 i = threadIdx.x; i < n; i += THREADS) {
    double x, y;

    load_point (batch.job.source, point_number (batch.job.source, from[i]),
        &x, &y);
    if (!serves || !is_inside_polygon (m.filter.second, margin, x, y))
      to[atomicAdd (&n_kept, 1)] = from[i];
  }
  __syncthreads ();
  return n_kept;
}

/* The hull of the @n points @kept by all-pairs comparison, into @hull. */
static __device__ guint
classify_set (const BatchJob & batch, LongMemory & m, const guint32 * kept,
    guint32 n, guint32 * hull)
{
  ClassifyMemory & classify = m.classify.memory;

  for (guint i = threadIdx.x; i < n; i += THREADS) {
    classify.number[i] = point_number (batch.job.source, kept[i]);
    load_point (batch.job.source, classify.number[i], &classify.xy[i].x,
        &classify.xy[i].y);
  }
  if (threadIdx.x == 0)
    m.classify.n_ordered = m.classify.n_ignored = 0;
  __syncthreads ();
  classify_points<8> (classify, n, 0, 1, batch.job.collinear,
      m.classify.ordered, m.classify.chain_bits, &m.classify.n_ordered,
      &m.classify.n_ignored);
  return order_vertices (hull, m.classify.ordered, m.classify.chain_bits, n);
}

/* The same by sort and chains. */
static __device__ guint
chain_set (const BatchJob & batch, void *memory, const guint32 * kept,
    guint32 n, guint32 * hull)
{
  const BlockTeam team;
  const guint slots = slots_for (n);
  ChainSpace s (memory, batch.block_points);

  for (guint i = team.rank; i < slots; i += team.size ()) {
    if (i < n)
      put_point (batch, s, kept[i], i);
    else
      s.clear (i);
  }
  __syncthreads ();
  return make_hull (team, s, slots, batch.job.collinear, hull);
}

/* What may be on the hull of a long set, into list @kept; more than
 * batch.block_points: not all of it. */
static __device__ guint32
filter_set (const BatchJob & batch, LongMemory & m, guint32 start, guint32 n,
    double2 reference, guint32 * kept)
{
  guint32 n_ignored = 0;
  const guint32 n_kept = batch.job.source.type == CS_HULL_F32 ?
      filter_long<float> (batch, m, start, n, reference,
      batch.block_points, kept, &n_ignored) :
      filter_long<double> (batch, m, start, n, reference,
      batch.block_points, kept, &n_ignored);

  if (n_ignored && n_kept <= batch.block_points)
    atomicAdd (&batch.queue->n_ignored, n_ignored);
  return n_kept;
}

/* A set that is worth a block. */
static __device__ void
find_long (const BatchJob & batch, void *memory, guint32 set, guint32 start,
    guint32 n)
{
  const BlockTeam team;
  LongMemory & m = *(LongMemory *) memory;
  guint32 *hull = batch.lists.hull + start, n_hull = 0;

  /* those of fewer points have been tried */
  if (n > RING_POINTS && n <= batch.block_points)
    n_hull = find_ring (team, RingSpace (memory, batch.block_points),
        batch.job.source, start, n, batch.job.collinear, hull);
  if (n_hull == 0) {
    const double2 reference = find_reference (batch.job.source, start, n);
    /* the memory of the hull's vertices holds two lists */
    guint32 *kept = (guint32 *) (batch.lists.vertices + start);
    guint32 n_kept = filter_set (batch, m, start, n, reference, kept);

    if (n_kept > batch.block_points) {
      if (team.rank == 0) {
        batch.lists.count[set] = CS_HULL_UNFINISHED;
        atomicAdd (&batch.queue->n_unfinished, 1);
      }
      __syncthreads ();
      return;
    }
    if (n_kept > SECOND_MIN) {
      n_kept = filter_second (batch, m, kept, n_kept, reference, kept + n);
      kept += n;
    }
    __syncthreads ();
    n_hull = n_kept <= MAX_ALL_PAIRS ?
        classify_set (batch, m, kept, n_kept, hull) :
        chain_set (batch, memory, kept, n_kept, hull);
  }
  if (team.rank == 0)
    batch.lists.count[set] = n_hull;
  __syncthreads ();
}

static __global__ void __launch_bounds__ (THREADS, 1)
batch_kernel (BatchJob batch)
{
  extern __shared__ double memory[];
  __shared__ guint32 ticket;
  const WarpTeam warp;
  ChainSpace of_warp ((guint8 *) memory + threadIdx.x / 32 *
      ChainSpace::size (batch.warp_points), batch.warp_points);
  guint32 start, n, at;

  for (;;) {
    __syncthreads ();
    if (threadIdx.x == 0)
      ticket = atomicAdd (&batch.queue->next_long, 1);
    __syncthreads ();
    if (ticket >= batch.queue->n_long)
      break;
    const guint32 set = batch.longs[ticket];

    n = set_length (batch.job, set, &start);
    find_long (batch, memory, set, start, n);
  }
  __syncthreads ();
  for (;;) {
    if (warp.rank == 0)
      at = atomicAdd (&batch.queue->next_medium, 1);
    at = __shfl_sync (CS_ALL_LANES, at, 0);
    if (at >= batch.queue->n_medium)
      break;
    const guint32 set = batch.mediums[at];

    n = set_length (batch.job, set, &start);
    find_whole (warp, batch, of_warp, set, start, n);
  }
}

static __global__ void
header_kernel (Queue * queue, HullHeader * header)
{
  header->n_ignored = queue->n_ignored;
  header->unfinished = queue->n_unfinished;
  header->n_survivors = header->n_second = 0;
  header->n_rings = queue->n_rings;
  header->n_long = queue->n_long;
  header->n_medium = queue->n_medium;
}

gboolean
cs_hull_cuda_batch (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, HullHeader * header, GError ** error)
{
  const gsize size = ChainSpace::size (cuda->block_points);
  CsCudaCarver carver = { NULL, 0 };
  BatchJob batch;

  batch.job = *job;
  batch.lists = *lists;
  batch.block_points = cuda->block_points;
  batch.warp_points = cuda->block_points / WARPS;
  do {
    batch.queue = CS_CUDA_CARVE (&carver, Queue, 1);
    batch.longs = CS_CUDA_CARVE (&carver, guint32, job->n_sets);
    batch.mediums = CS_CUDA_CARVE (&carver, guint32, job->n_sets);
  } while (cs_cuda_carve_again (&carver, &cuda->batch, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  if (!cs_cuda_check (cudaMemsetAsync (batch.queue, 0, sizeof (Queue),
              cuda->stream), "clear a queue", error))
    return FALSE;
  if (job->n_sets > 0) {
    const guint each = TINY_SETS * TINY_THREADS / 32;

    /* tiny sets need few multiprocessors, long ones one each: run both
     * concurrently, on a forked stream */
    if (!cs_cuda_check (cudaEventRecord (cuda->fork, cuda->stream), "branch",
            error) || !cs_cuda_check (cudaStreamWaitEvent (cuda->side,
                cuda->fork, 0), "branch", error))
      return FALSE;
    (job->source.type == CS_HULL_F32 ? tiny_kernel<float> :
        tiny_kernel<double>) <<< (job->n_sets + each - 1) / each,
        TINY_THREADS, 0, cuda->side >>> (batch);
    ring_kernel <<< MIN (job->n_sets, 5 * cuda->n_multiprocessors),
        RING_THREADS, RingSpace::size (RING_POINTS), cuda->stream >>> (batch);
    batch_kernel <<< cuda->n_multiprocessors, THREADS, size, cuda->stream >>>
        (batch);
    if (!cs_cuda_check (cudaEventRecord (cuda->join, cuda->side), "join",
            error) || !cs_cuda_check (cudaStreamWaitEvent (cuda->stream,
                cuda->join, 0), "join", error))
      return FALSE;
  }
  header_kernel <<< 1, 1, 0, cuda->stream >>> (batch.queue, header);
  return cs_cuda_check (cudaGetLastError (), "launch hulls", error);
}

void
cs_hull_cuda_batch_clear (HullCuda * cuda)
{
  /* destroyed with their context */
  if (cs_cuda_context_is_lost ())
    return;
  if (cuda->side)
    cudaStreamDestroy (cuda->side);
  if (cuda->fork)
    cudaEventDestroy (cuda->fork);
  if (cuda->join)
    cudaEventDestroy (cuda->join);
}

gboolean
cs_hull_cuda_batch_init (HullCuda * cuda, GError ** error)
{
  int max_shared;
  guint points = 8192;

  if (!cs_cuda_get_attribute (cudaDevAttrMaxSharedMemoryPerBlockOptin,
          &max_shared, error))
    return FALSE;
  /* 4 KiB are left for the kernels' static shared memory */
  while (points > CS_HULL_BLOCK_POINTS &&
      ChainSpace::size (points) + 4096 > (gsize) max_shared)
    points /= 2;
  cuda->block_points = points;
  return cs_cuda_check (cudaStreamCreateWithFlags (&cuda->side,
          cudaStreamNonBlocking), "make a stream", error) &&
      cs_cuda_check (cudaEventCreateWithFlags (&cuda->fork,
          cudaEventDisableTiming), "make an event", error) &&
      cs_cuda_check (cudaEventCreateWithFlags (&cuda->join,
          cudaEventDisableTiming), "make an event", error) &&
      cs_cuda_check (cudaFuncSetAttribute (batch_kernel,
          cudaFuncAttributeMaxDynamicSharedMemorySize,
          (int) ChainSpace::size (points)), "set a kernel's shared memory",
      error);
}
