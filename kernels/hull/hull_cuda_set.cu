/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One set of points, by one cooperative kernel: the hull of a sample, a filter
 * pass over all points, a second one over the survivors, then an all-pairs
 * comparison, which takes more comparisons than sort and chain, but little
 * time on so many processors. */
#include "hull_emit.cuh"
#include "hull_steps.cuh"

#define THREADS CS_HULL_BLOCK
#define SAMPLE_POINTS 256       /* maximum per block */
#define MIN_SAMPLE_STRIDE 64    /* minimum sampling stride */
#define FILTER_BUFFER 1024
/* Range of survivors for which the second pass pays. */
#define SECOND_MIN 256
#define SECOND_MAX 65536
/* Cache lines that a thread prefetches. */
#define PREFETCH_LINES 2

/**
 * HullSet:
 * @arrived, @done: blocks that have arrived at the barrier, and have finished
 * @n_survivors: points after the first pass; more than @capacity if a block had
 *     no room for its own
 * @n_first: those that blocks had room for in shared memory: first in @xy and
 *     @index; behind them each block has a share of the rest for its others
 * @n_second: points after the second pass; @second are their indices
 * @n_ignored: points that are not finite
 * @n_ordered: finite points of the last step
 * @last: the points of the last step, if the second pass ran
 * @ordered, @chain_bits: their indices in lexicographic order, and their chains
 *     (1 lower, 2 upper)
 * @extreme, @extreme_2: for each direction the extreme point of the sample
 *     (key, index), 0 if there is none
 * @strict: for the output
 *
 * State of a run on the device.
 */
struct HullSet
{
  guint32 arrived, done;
  guint32 n_survivors, n_first, n_second, n_ignored, n_ordered;
  double2 last[CS_HULL_BLOCK_POINTS];
  guint32 ordered[CS_HULL_BLOCK_POINTS];
  guint8 chain_bits[CS_HULL_BLOCK_POINTS];
  guint32 capacity;
  double2 *xy;
  guint32 *index, *second;
  double2 *strict;
  unsigned long long extreme[CS_HULL_DIRECTIONS];
  unsigned long long extreme_2[CS_HULL_DIRECTIONS_2];
};

/* Type in which coordinates of type T are subtracted. */
template <typename T> struct RealOf { typedef double type; };
template <> struct RealOf<float> { typedef float type; };

/* Whether the set skips the filter passes. */
static __device__ __forceinline__ bool
is_small (const HullJob & job)
{
  return job.n <= CS_HULL_BLOCK_POINTS;
}

/* Whether the second pass runs. */
static __device__ __forceinline__ bool
has_second_pass (const HullJob & job, const HullSet * set)
{
  const guint32 n = set->n_survivors;

  return !is_small (job) && n > SECOND_MIN && n <= set->capacity &&
      n <= max (job.n / 2, SECOND_MAX);
}

/* Resets the state for the next run. */
static __device__ void
reset_set (HullSet * set)
{
  if (threadIdx.x == 0) {
    set->arrived = set->done = 0;
    set->n_survivors = set->n_first = set->n_second = 0;
    set->n_ignored = set->n_ordered = 0;
  }
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS; i += blockDim.x)
    set->extreme[i] = 0;
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS_2; i += blockDim.x)
    set->extreme_2[i] = 0;
}

/* Increments @counter with release semantics: after this block's writes. */
static __device__ void
arrive (guint32 * counter)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    asm volatile ("fence.acq_rel.gpu;\n\t"
        "red.release.gpu.global.add.u32 [%0], 1;"::"l" (counter):"memory");
}

/* Spins until @counter is @n, with acquire semantics: the writes of arrived
 * blocks are visible. */
static __device__ void
wait_for (const guint32 * counter, guint32 n)
{
  guint32 value;

  if (threadIdx.x == 0) {
    do {
      asm volatile ("ld.acquire.gpu.global.u32 %0, [%1];":"=r" (value)
          :"l" (counter):"memory");
    } while (value < n);
    asm volatile ("fence.acq_rel.gpu;":::"memory");
  }
  __syncthreads ();
}

/* Barrier @n over the grid; earlier writes are visible to all. The launch is
 * cooperative, hence all blocks are resident. */
static __device__ void
grid_barrier (HullSet * set, guint n)
{
  arrive (&set->arrived);
  wait_for (&set->arrived, n * gridDim.x);
}

/* Last barrier, for the first block only: the others return false and end. */
static __device__ bool
is_first (HullSet * set)
{
  arrive (&set->done);
  if (blockIdx.x > 0)
    return false;
  wait_for (&set->done, gridDim.x);
  return true;
}

/* --- Extreme points ------------------------------------------------------- */

/* Prefetches the first points. */
static __device__ void
prefetch_points (const HullJob & job)
{
  const gsize size = job.n * job.source.stride;

  for (guint k = 0; k < PREFETCH_LINES; k++) {
    const gsize at = 128 * ((gsize) (k * gridDim.x + blockIdx.x) * THREADS +
        threadIdx.x);

    if (at < size)
      asm volatile ("prefetch.global.L2 [%0];"::"l" (job.source.points + at));
  }
}

/* This block's share of a sample of all points. */
static __device__ void
sample_points (SampleMemory<SAMPLE_POINTS> &m, const HullJob & job,
    HullSet * set, double2 reference)
{
  const guint32 max_sample = gridDim.x * SAMPLE_POINTS;
  const guint32 n_sample = min (max_sample, job.n / MIN_SAMPLE_STRIDE);
  const guint32 step = job.n / n_sample;
  const guint each = (n_sample + gridDim.x - 1) / gridDim.x;
  const guint32 first = blockIdx.x * each;
  const guint count = first < n_sample ? min (n_sample - first, each) : 0;

  if (threadIdx.x < count) {
    double x, y;

    m.number[threadIdx.x] = (first + threadIdx.x) * step;
    load_point (job.source, m.number[threadIdx.x], &x, &y);
    m.xy[threadIdx.x] = relative (x, y, reference);
  }
  __syncthreads ();
  prefetch_points (job);
  find_extremes<CS_HULL_DIRECTIONS> (m, count, set->extreme);
}

/* --- First pass ----------------------------------------------------------- */

/**
 * FilterMemory:
 * @kept: indices of the block's first survivors
 * @n_kept: all of them
 * @others, @room: where the others are, and how many can be
 */
typedef struct
{
  Strips strips;
  guint32 kept[FILTER_BUFFER];
  guint32 n_kept, n_ignored, base, others, room;
} FilterMemory;

/* Where in set->xy this block's survivors are that its buffer has no room for,
 * and how many can be there. */
static __device__ __forceinline__ guint32
other_survivors (const HullSet * set, guint32 * room)
{
  *room = set->capacity / gridDim.x - FILTER_BUFFER;
  return gridDim.x * FILTER_BUFFER + blockIdx.x * *room;
}

/* Keeps a survivor: in the block's buffer, or directly once it is full. */
static __device__ __forceinline__ void
keep_point (HullSet * set, FilterMemory & m, double x, double y, guint32 i)
{
  if (!is_finite (x, y)) {
    atomicAdd (&m.n_ignored, 1);
    return;
  }
  const guint32 at = atomicAdd (&m.n_kept, 1);

  if (at < FILTER_BUFFER) {
    m.kept[at] = i;
  } else if (at - FILTER_BUFFER < m.room) {
    set->xy[m.others + at - FILTER_BUFFER] = make_double2 (x, y);
    set->index[m.others + at - FILTER_BUFFER] = i;
  }
}

/* Two packed points, aligned to 16 bytes. */
static __device__ __forceinline__ void
load_pair (const float *p, float *value)
{
  const float4 v = __ldg ((const float4 *) p);

  value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

static __device__ __forceinline__ void
load_pair (const gint32 * p, gint32 * value)
{
  const int4 v = __ldg ((const int4 *) p);

  value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

static __device__ __forceinline__ void
load_pair (const double *p, double *value)
{
  const double2 v = __ldg ((const double2 *) p);
  const double2 w = __ldg ((const double2 *) p + 1);

  value[0] = v.x, value[1] = v.y, value[2] = w.x, value[3] = w.y;
}

/* Points in pairs, packed and aligned. */
template <typename T, typename Real> static __device__ void
filter_packed (HullSet * set, FilterMemory & m, const Rotated<Real> &rotated,
    const T * points, guint32 n)
{
  const guint32 n_pairs = n / 2, stride = gridDim.x * blockDim.x;
  const guint32 rank = blockIdx.x * blockDim.x + threadIdx.x;

  for (guint32 first = rank; first < n_pairs; first += 4 * stride) {
    T value[4][4];

#pragma unroll
    for (int k = 0; k < 4; k++) {
      const guint32 pair = first + k * stride;

      if (pair < n_pairs)
        load_pair (points + 4 * (gsize) pair, value[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const guint32 pair = first + k * stride;

      if (pair >= n_pairs)
        continue;
      if (!is_inside (m.strips, rotated, (Real) value[k][0],
              (Real) value[k][1]))
        keep_point (set, m, value[k][0], value[k][1], 2 * pair);
      if (!is_inside (m.strips, rotated, (Real) value[k][2],
              (Real) value[k][3]))
        keep_point (set, m, value[k][2], value[k][3], 2 * pair + 1);
    }
  }
  if (rank == 0 && n % 2) {
    const T x = points[2 * (gsize) (n - 1)], y = points[2 * (gsize) n - 1];

    if (!is_inside (m.strips, rotated, (Real) x, (Real) y))
      keep_point (set, m, x, y, n - 1);
  }
}

template <typename T, typename Real> static __device__ void
filter_strided (HullSet * set, FilterMemory & m, const Rotated<Real> &rotated,
    const HullSource & source, guint32 n)
{
  const guint32 stride = gridDim.x * blockDim.x;

  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T *p = (const T *) (source.points + (gsize) i * source.stride);

    if (!is_inside (m.strips, rotated, (Real) p[0], (Real) p[1]))
      keep_point (set, m, p[0], p[1], i);
  }
}

/* Copies the block's survivors to global memory. */
static __device__ void
store_survivors (HullSet * set, FilterMemory & m, const HullSource & source)
{
  const guint32 n_kept = min (m.n_kept, FILTER_BUFFER);

  if (threadIdx.x == 0) {
    m.base = n_kept ? atomicAdd (&set->n_first, n_kept) : 0;
    if (n_kept)
      atomicAdd (&set->n_survivors, m.n_kept - n_kept <= m.room ? m.n_kept :
          set->capacity + 1);
    if (m.n_ignored)
      atomicAdd (&set->n_ignored, m.n_ignored);
  }
  __syncthreads ();
  for (guint i = threadIdx.x; i < n_kept; i += blockDim.x) {
    const guint32 at = m.base + i;

    load_point (source, m.kept[i], &set->xy[at].x, &set->xy[at].y);
    set->index[at] = m.kept[i];
  }
}

/* The extreme points among the block's survivors, or a sample of them. */
static __device__ void
sample_survivors (const FilterMemory & m, SampleMemory<SAMPLE_POINTS> &sample,
    const HullJob & job, HullSet * set, double2 reference)
{
  const guint32 n = min (m.n_kept, FILTER_BUFFER);
  const guint32 count = min (n, SAMPLE_POINTS);

  if (threadIdx.x < count) {
    double x, y;

    sample.number[threadIdx.x] = m.kept[threadIdx.x * n / count];
    load_point (job.source, sample.number[threadIdx.x], &x, &y);
    sample.xy[threadIdx.x] = relative (x, y, reference);
  }
  __syncthreads ();
  find_extremes<CS_HULL_DIRECTIONS_2> (sample, count, set->extreme_2);
}

template <typename T> static __device__ void
filter_points (FilterMemory & m, const HullJob & job, HullSet * set,
    double2 reference)
{
  typedef typename RealOf<T>::type Real;
  const HullSource & source = job.source;
  Rotated<Real> rotated;

  if (threadIdx.x == 0) {
    m.n_kept = m.n_ignored = 0;
    m.others = other_survivors (set, &m.room);
  }
  rotated = make_strips<Real> (m.strips, source, set->extreme, reference);
  if (source.stride == 2 * sizeof (T) && (gsize) source.points % 16 == 0)
    filter_packed (set, m, rotated, (const T *) source.points, job.n);
  else
    filter_strided<T> (set, m, rotated, source, job.n);
  __syncthreads ();
  store_survivors (set, m, source);
}

/* --- Second pass ---------------------------------------------------------- */

/* @n_others: what this block had no room for in shared memory */
static __device__ void
filter_second (SecondPass<CS_HULL_DIRECTIONS_2> &m, const HullJob & job,
    HullSet * set, guint32 n_others)
{
  const guint32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double margin;
  const bool serves = load_polygon (m, job.source, set->extreme_2, &margin);

  /* the first survivors of all blocks are spread over them: each has few */
  guint32 first = 32 * (blockIdx.x + warp * gridDim.x), n = set->n_first;
  guint32 step = gridDim.x * blockDim.x, room;
  bool others = false;

  for (;; first += step) {
    if (first >= n && !others) {
      others = true;
      n = other_survivors (set, &room);
      first = n + 32 * warp;
      n += n_others;
      step = blockDim.x;
    }
    if (first >= n)
      break;
    const guint32 i = first + lane;
    const double2 p = i < n ? set->xy[i] : make_double2 (0, 0);
    const bool keeps = i < n && !(serves && is_inside_polygon (m, margin, p.x,
            p.y));
    const guint32 all = __ballot_sync (CS_ALL_LANES, keeps);
    guint32 at = 0;

    if (lane == 0 && all)
      at = atomicAdd (&set->n_second, __popc (all));
    at = __shfl_sync (CS_ALL_LANES, at, 0) + cs_lanes_before (all, lane);
    if (keeps) {
      set->second[at] = set->index[i];
      if (at < CS_HULL_BLOCK_POINTS)
        set->last[at] = p;
    }
  }
}

/* --- All pairs ------------------------------------------------------------ */

/* Number of points of the last step. */
static __device__ __forceinline__ guint32
count_last (const HullJob & job, const HullSet * set)
{
  if (is_small (job))
    return job.n;
  return has_second_pass (job, set) ? set->n_second : set->n_survivors;
}

/* Loads the @n points of the last step. */
static __device__ void
load_last (ClassifyMemory & m, const HullJob & job, const HullSet * set,
    guint32 n)
{
  const bool small = is_small (job), again = has_second_pass (job, set);

  for (guint k = threadIdx.x; k < n; k += blockDim.x) {
    if (small) {
      double x, y;

      load_point (job.source, k, &x, &y);
      if (!is_finite (x, y))
        x = y = INFINITY;
      m.xy[k] = make_double2 (x, y);
      m.number[k] = k;
    } else {
      m.xy[k] = again ? set->last[k] : set->xy[k];
      m.number[k] = again ? set->second[k] : set->index[k];
    }
  }
}

/* --- The hull ------------------------------------------------------------- */

static __device__ void
finish_header (const HullJob & job, const HullSet * set, guint32 n_hull,
    bool unfinished)
{
  HullHeader *header = job.header;
  const guint32 n_points = n_hull > 0 ? n_hull + (job.closed ? 1 : 0) : 0;

  header->n_hulls = n_hull > 0;
  header->n_points = n_points;
  header->n_ignored = job.mask_width ? 0 : set->n_ignored;
  header->unfinished = unfinished;
  header->n_survivors = min (set->n_survivors, job.n);
  header->n_second = set->n_second;
  header->n_passes = is_small (job) ? 0 : has_second_pass (job, set) ? 2 : 1;
  if (!unfinished)
    job.out_offsets[n_hull > 0] = n_points;
}

typedef struct
{
  double2 vertices[CS_HULL_BLOCK_POINTS];
  guint32 hull[CS_HULL_BLOCK_POINTS];
} FinishMemory;

/* Orders the vertices, measures, and writes everything. */
static __device__ void
finish_hull (FinishMemory & m, const HullJob & job, HullSet * set, guint32 n)
{
  const BlockTeam team;
  const bool unfinished = n > CS_HULL_BLOCK_POINTS;
  const guint32 n_hull = unfinished ? 0 : order_vertices (m.hull, set->ordered,
      set->chain_bits, set->n_ordered);

  if (n_hull > 0)
    emit_hull (team, job, 0, 0, m.hull, n_hull, 0, m.vertices, set->strict);
  if (team.rank == 0)
    finish_header (job, set, n_hull, unfinished);
  __syncthreads ();
  reset_set (set);
}

template <typename T> static __global__ void __launch_bounds__ (THREADS, 1)
set_kernel (const __grid_constant__ HullJob job, HullSet * set)
{
  __shared__ union
  {
    SampleMemory<SAMPLE_POINTS> sample;
    struct
    {
      FilterMemory points;
      SampleMemory<SAMPLE_POINTS> survivors;
    } filter;
    SecondPass<CS_HULL_DIRECTIONS_2> second_pass;
    ClassifyMemory classify;
    FinishMemory finish;
  } m;

  if (!is_small (job)) {
    const double2 reference = find_reference (job.source, 0, job.n);

    sample_points (m.sample, job, set, reference);
    grid_barrier (set, 1);
    filter_points<T> (m.filter.points, job, set, reference);
    const guint32 n_others = max (m.filter.points.n_kept, FILTER_BUFFER) -
        FILTER_BUFFER;
    sample_survivors (m.filter.points, m.filter.survivors, job, set, reference);
    grid_barrier (set, 2);
    if (has_second_pass (job, set)) {
      filter_second (m.second_pass, job, set, n_others);
      grid_barrier (set, 3);
    }
  }
  const guint32 n = count_last (job, set);

  if (n <= CS_HULL_BLOCK_POINTS && blockIdx.x < n) {
    load_last (m.classify, job, set, n);
    __syncthreads ();
    classify_points<32> (m.classify, n, blockIdx.x, gridDim.x, job.collinear,
        set->ordered, set->chain_bits, &set->n_ordered, &set->n_ignored);
  }
  /* always the same block, for its instruction cache */
  if (is_first (set))
    finish_hull (m.finish, job, set, n);
}

/* --- Host ----------------------------------------------------------------- */

gboolean
cs_hull_cuda_ensure_set (HullCuda * cuda, guint32 n, GError ** error)
{
  /* initial guess; rarely grows */
  const guint32 capacity = n <= 1u << 19 ? 1u << 19 : CS_HULL_MAX_SURVIVORS;
  CsCudaCarver carver = { NULL, 0 };
  HullSet host;

  if (cuda->state && capacity <= cuda->max_survivors)
    return TRUE;
  if (cuda->state)
    cs_hull_take (CS_HULL_MORE_SURVIVORS);
  memset (&host, 0, sizeof (host));
  host.capacity = capacity;
  do {
    cuda->state = CS_CUDA_CARVE (&carver, HullSet, 1);
    host.xy = CS_CUDA_CARVE (&carver, double2, capacity);
    host.index = CS_CUDA_CARVE (&carver, guint32, capacity);
    host.second = CS_CUDA_CARVE (&carver, guint32, capacity);
    host.strict = CS_CUDA_CARVE (&carver, double2, CS_HULL_BLOCK_POINTS);
  } while (cs_cuda_carve_again (&carver, &cuda->set, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  cuda->second_indices = host.second;
  cuda->max_survivors = capacity;
  /* pageable memory: staged before the call returns */
  return cs_cuda_check (cudaMemcpyAsync (cuda->state, &host, sizeof (host),
          cudaMemcpyHostToDevice, cuda->stream), "set up a hull", error);
}

static const void *
kernel_for (CsHullType type)
{
  switch (type) {
    case CS_HULL_F32:
      return (const void *) set_kernel<float>;
    case CS_HULL_F64:
      return (const void *) set_kernel<double>;
    default:
      return (const void *) set_kernel<gint32>;
  }
}

gboolean
cs_hull_cuda_set (HullCuda * cuda, const HullJob * job, GError ** error)
{
  void *args[] = { (void *) job, NULL };

  if (!cs_hull_cuda_ensure_set (cuda, job->n, error))
    return FALSE;
  /* one block per multiprocessor, each with room for survivors that its buffer
   * has none for; fewer for small sets */
  const guint n_blocks = CLAMP (job->n / 2, 1, MIN (cuda->n_resident,
          cuda->max_survivors / (FILTER_BUFFER + FILTER_BUFFER / 2)));
  if (n_blocks == 1)
    cs_hull_take (CS_HULL_SET_ALONE);
  args[1] = &cuda->state;
  return cs_cuda_check (n_blocks > 1 ?
      cudaLaunchCooperativeKernel (kernel_for (job->source.type), n_blocks,
          THREADS, args, 0, cuda->stream) :
      cudaLaunchKernel (kernel_for (job->source.type), 1, THREADS, args, 0,
          cuda->stream), "launch a hull", error);
}
