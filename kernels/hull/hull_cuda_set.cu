/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One set of points, by one kernel whose blocks wait for each other: the hull
 * of a sample, one pass over all points against it, another over what is left,
 * and what is left then is compared each with each, which takes more
 * comparisons than a sort and a chain, and no time on that many processors. */
#include "hull_steps.cuh"

#define THREADS CS_HULL_BLOCK
#define SAMPLE_POINTS 256       /* of a block, at most */
#define SAMPLE_EACH 64          /* every how manieth point, at least */
#define FILTER_BUFFER 1024
/* Survivors that are worth the second pass: more than these, and not most. */
#define AGAIN_MIN 256
#define AGAIN_MAX 65536
/* Lines of memory a thread asks for ahead. */
#define AHEAD 2

/**
 * HullSet:
 * @arrived, @done: blocks that wait for all others, and that have no more to do
 * @n_survivors: points after the first pass; they are in @xy and @index if
 *     they are @capacity at most
 * @n_second: points after the second pass; @second are their numbers
 * @n_ignored: points that were not finite
 * @n_judged: finite points of the last step
 * @last: the points of the last step, if the second pass ran
 * @judged, @verdict: their numbers in lexicographic order, and which chains of
 *     the hull they are on (1 below, 2 above)
 * @extreme, @extreme_2: for each direction the farthest point of the sample
 *     (highest key, number), 0 if there is none
 * @strict: for the output
 *
 * State of a run on the device.
 */
struct HullSet
{
  guint32 arrived, done;
  guint32 n_survivors, n_second, n_ignored, n_judged;
  double2 last[CS_HULL_BLOCK_POINTS];
  guint32 judged[CS_HULL_BLOCK_POINTS];
  guint8 verdict[CS_HULL_BLOCK_POINTS];
  guint32 capacity;
  double2 *xy;
  guint32 *index, *second;
  double2 *strict;
  unsigned long long extreme[CS_HULL_DIRECTIONS];
  unsigned long long extreme_2[CS_HULL_DIRECTIONS_2];
};

/* Whether the set goes to the last step as it is. */
static __device__ __forceinline__ bool
is_small (const HullJob & job)
{
  return job.n <= CS_HULL_BLOCK_POINTS;
}

/* Whether the second pass runs. */
static __device__ __forceinline__ bool
is_filtered_again (const HullJob & job, const HullSet * set)
{
  const guint32 n = set->n_survivors;

  return !is_small (job) && n > AGAIN_MIN && n <= set->capacity &&
      n <= max (job.n / 2, AGAIN_MAX);
}

/* Makes the state as every run leaves it. */
static __device__ void
reset_set (HullSet * set)
{
  if (threadIdx.x == 0) {
    set->arrived = set->done = 0;
    set->n_survivors = set->n_second = set->n_ignored = set->n_judged = 0;
  }
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS; i += blockDim.x)
    set->extreme[i] = 0;
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS_2; i += blockDim.x)
    set->extreme_2[i] = 0;
}

/* Adds 1 to @counter, after all that this block has written before. */
static __device__ void
report_to (guint32 * counter)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    asm volatile ("fence.acq_rel.gpu;\n\t"
        "red.release.gpu.global.add.u32 [%0], 1;"::"l" (counter):"memory");
}

/* Waits until @counter is @n; then all that the blocks have written before they
 * reported to it can be read. */
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

/* Waits until all blocks are here the @n th time, and sees what each has
 * written. They run at the same time: the launch is cooperative. */
static __device__ void
wait_for_all (HullSet * set, guint n)
{
  report_to (&set->arrived);
  wait_for (&set->arrived, n * gridDim.x);
}

/* Ends the other blocks, and has the first one see what all have written. */
static __device__ bool
is_first (HullSet * set)
{
  report_to (&set->done);
  if (blockIdx.x > 0)
    return false;
  wait_for (&set->done, gridDim.x);
  return true;
}

/* --- Extreme points ------------------------------------------------------- */

/* Asks for the first points before they are needed. */
static __device__ void
look_ahead (const HullJob & job)
{
  const gsize size = job.n * job.source.stride;

  for (guint k = 0; k < AHEAD; k++) {
    const gsize at = 128 * ((gsize) (k * gridDim.x + blockIdx.x) * THREADS +
        threadIdx.x);

    if (at < size)
      asm volatile ("prefetch.global.L2 [%0];"::"l" (job.source.points + at));
  }
}

/* This block's share of a sample of all points. */
static __device__ void
sample_points (SampleMemory < SAMPLE_POINTS > &m, const HullJob & job,
    HullSet * set, double2 reference)
{
  const guint32 most = gridDim.x * SAMPLE_POINTS;
  const guint32 n_sample = min (most, job.n / SAMPLE_EACH);
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
  look_ahead (job);
  find_extremes < CS_HULL_DIRECTIONS > (m, count, set->extreme);
}

/* --- First pass ----------------------------------------------------------- */

/* @kept: numbers of the block's survivors */
typedef struct
{
  Strips strips;
  guint32 kept[FILTER_BUFFER];
  guint32 n_kept, n_ignored, base;
} FilterMemory;

/* Keeps a survivor: the block's first ones in its buffer, the rest at once. */
static __device__ __forceinline__ void
keep_point (HullSet * set, FilterMemory & m, double x, double y, guint32 i)
{
  if (!is_finite (x, y)) {
    atomicAdd (&m.n_ignored, 1);
    return;
  }
  guint32 at = atomicAdd (&m.n_kept, 1);

  if (at < FILTER_BUFFER) {
    m.kept[at] = i;
    return;
  }
  at = atomicAdd (&set->n_survivors, 1);
  if (at < set->capacity) {
    set->xy[at] = make_double2 (x, y);
    set->index[at] = i;
  }
}

template < typename T > struct RealOf { typedef double type; };
template <> struct RealOf < float > { typedef float type; };

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
template < typename T, typename Real > static __device__ void
filter_packed (HullSet * set, FilterMemory & m, const Turned < Real > &turned,
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
      if (!is_inside (m.strips, turned, (Real) value[k][0], (Real) value[k][1]))
        keep_point (set, m, value[k][0], value[k][1], 2 * pair);
      if (!is_inside (m.strips, turned, (Real) value[k][2], (Real) value[k][3]))
        keep_point (set, m, value[k][2], value[k][3], 2 * pair + 1);
    }
  }
  if (rank == 0 && n % 2) {
    const T x = points[2 * (gsize) (n - 1)], y = points[2 * (gsize) n - 1];

    if (!is_inside (m.strips, turned, (Real) x, (Real) y))
      keep_point (set, m, x, y, n - 1);
  }
}

template < typename T, typename Real > static __device__ void
filter_strided (HullSet * set, FilterMemory & m, const Turned < Real > &turned,
    const HullSource & source, guint32 n)
{
  const guint32 stride = gridDim.x * blockDim.x;

  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T *p = (const T *) (source.points + (gsize) i * source.stride);

    if (!is_inside (m.strips, turned, (Real) p[0], (Real) p[1]))
      keep_point (set, m, p[0], p[1], i);
  }
}

/* Copies the block's survivors to where all are. */
static __device__ void
store_survivors (HullSet * set, FilterMemory & m, const HullSource & source)
{
  const guint32 n_kept = min (m.n_kept, FILTER_BUFFER);

  if (threadIdx.x == 0) {
    m.base = n_kept ? atomicAdd (&set->n_survivors, n_kept) : 0;
    if (m.n_ignored)
      atomicAdd (&set->n_ignored, m.n_ignored);
  }
  __syncthreads ();
  for (guint i = threadIdx.x; i < n_kept; i += blockDim.x) {
    const guint32 at = m.base + i;

    if (at < set->capacity) {
      load_point (source, m.kept[i], &set->xy[at].x, &set->xy[at].y);
      set->index[at] = m.kept[i];
    }
  }
}

/* The extreme points among the block's survivors, or a sample of them. */
static __device__ void
sample_survivors (const FilterMemory & m,
    SampleMemory < SAMPLE_POINTS > &sample, const HullJob & job, HullSet * set,
    double2 reference)
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
  find_extremes < CS_HULL_DIRECTIONS_2 > (sample, count, set->extreme_2);
}

template < typename T > static __device__ void
filter_points (FilterMemory & m, const HullJob & job, HullSet * set,
    double2 reference)
{
  typedef typename RealOf < T >::type Real;
  const HullSource & source = job.source;
  Turned < Real > turned;

  if (threadIdx.x == 0)
    m.n_kept = m.n_ignored = 0;
  turned = make_strips < Real > (m.strips, source, set->extreme, reference);
  if (source.stride == 2 * sizeof (T) && (gsize) source.points % 16 == 0)
    filter_packed (set, m, turned, (const T *) source.points, job.n);
  else
    filter_strided < T > (set, m, turned, source, job.n);
  __syncthreads ();
  store_survivors (set, m, source);
}

/* --- Second pass ---------------------------------------------------------- */

static __device__ void
filter_again (AgainMemory < CS_HULL_DIRECTIONS_2 > &m, const HullJob & job,
    HullSet * set)
{
  const guint32 n = set->n_survivors, lane = threadIdx.x % 32;
  double margin;
  const bool serves = load_polygon (m, job.source, set->extreme_2,
      &margin);

  /* neighbours go to different blocks: each has few */
  for (guint32 first = 32 * (blockIdx.x + threadIdx.x / 32 * gridDim.x);
      first < n; first += gridDim.x * blockDim.x) {
    const guint32 i = first + lane;
    const double2 p = i < n ? set->xy[i] : make_double2 (0, 0);
    const bool keeps = i < n && !(serves && is_inside_polygon (m, margin, p.x,
            p.y));
    const guint32 all = __ballot_sync (0xffffffffu, keeps);
    guint32 at = 0;

    if (lane == 0 && all)
      at = atomicAdd (&set->n_second, __popc (all));
    at = __shfl_sync (0xffffffffu, at, 0) + __popc (all & ((1u << lane) - 1));
    if (keeps) {
      set->second[at] = set->index[i];
      if (at < CS_HULL_BLOCK_POINTS)
        set->last[at] = p;
    }
  }
}

/* --- Each with each ------------------------------------------------------- */

/* How many points there are in the last step. */
static __device__ __forceinline__ guint32
count_last (const HullJob & job, const HullSet * set)
{
  if (is_small (job))
    return job.n;
  return is_filtered_again (job, set) ? set->n_second : set->n_survivors;
}

/* Loads the @n points of the last step. */
static __device__ void
load_last (JudgeMemory & m, const HullJob & job, const HullSet * set,
    guint32 n)
{
  const bool small = is_small (job), again = is_filtered_again (job, set);

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
  header->n_survivors = set->n_survivors;
  header->n_second = set->n_second;
  header->n_passes = is_small (job) ? 0 : is_filtered_again (job, set) ? 2 :
      1;
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
  const guint32 n_hull = unfinished ? 0 : order_vertices (m.hull, set->judged,
      set->verdict, set->n_judged);

  if (n_hull > 0)
    emit_hull (team, job, 0, 0, m.hull, n_hull, 0, m.vertices, set->strict);
  if (team.rank == 0)
    finish_header (job, set, n_hull, unfinished);
  __syncthreads ();
  reset_set (set);
}

template < typename T > static __global__ void __launch_bounds__ (THREADS, 1)
set_kernel (const __grid_constant__ HullJob job, HullSet * set)
{
  __shared__ union
  {
    SampleMemory < SAMPLE_POINTS > sample;
    struct
    {
      FilterMemory points;
      SampleMemory < SAMPLE_POINTS > survivors;
    } filter;
    AgainMemory < CS_HULL_DIRECTIONS_2 > again;
    JudgeMemory judge;
    FinishMemory finish;
  } m;

  if (!is_small (job)) {
    const double2 reference = find_reference (job.source, 0, job.n);

    sample_points (m.sample, job, set, reference);
    wait_for_all (set, 1);
    filter_points < T > (m.filter.points, job, set, reference);
    sample_survivors (m.filter.points, m.filter.survivors, job, set,
        reference);
    wait_for_all (set, 2);
    if (is_filtered_again (job, set)) {
      filter_again (m.again, job, set);
      wait_for_all (set, 3);
    }
  }
  const guint32 n = count_last (job, set);

  if (n <= CS_HULL_BLOCK_POINTS && blockIdx.x < n) {
    load_last (m.judge, job, set, n);
    __syncthreads ();
    judge_points < 32 > (m.judge, n, blockIdx.x, gridDim.x, job.collinear,
        set->judged, set->verdict, &set->n_judged, &set->n_ignored);
  }
  /* always the same block, whose multiprocessor then has the code at hand */
  if (is_first (set))
    finish_hull (m.finish, job, set, n);
}

/* --- Host ----------------------------------------------------------------- */

static HullSet *
carve (CsCudaCarver * carver, guint32 capacity, HullSet * host)
{
  HullSet *set = CS_CUDA_CARVE (carver, HullSet, 1);

  host->capacity = capacity;
  host->xy = CS_CUDA_CARVE (carver, double2, capacity);
  host->index = CS_CUDA_CARVE (carver, guint32, capacity);
  host->second = CS_CUDA_CARVE (carver, guint32, capacity);
  host->strict = CS_CUDA_CARVE (carver, double2, CS_HULL_BLOCK_POINTS);
  return set;
}

/* Scratch memory for sets of @n points, and the state in it. */
static gboolean
ensure_set (HullCuda * cuda, guint32 n, GError ** error)
{
  /* half a million for any set: it rarely grows */
  const guint32 capacity = n <= 1u << 19 ? 1u << 19 : CS_HULL_MAX_SURVIVORS;
  CsCudaCarver carver = { NULL, 0 };
  HullSet host;
  void *memory;

  memset (&host, 0, sizeof (host));
  carve (&carver, capacity, &host);
  if (cuda->state && capacity <= cuda->max_survivors)
    return TRUE;
  cuda->state = NULL;
  memory = cs_cuda_scratch_ensure (&cuda->set, carver.used, cuda->stream,
      error);
  if (!memory)
    return FALSE;
  carver.base = (guint8 *) memory;
  carver.used = 0;
  cuda->state = carve (&carver, capacity, &host);
  cuda->survivor_indices = host.index;
  cuda->second_indices = host.second;
  cuda->max_survivors = capacity;
  /* from pageable memory: read before the call returns */
  return cs_cuda_check (cudaMemcpyAsync (cuda->state, &host, sizeof (host),
          cudaMemcpyHostToDevice, cuda->stream), "set up a hull", error);
}

static const void *
kernel_for (CsHullType type)
{
  switch (type) {
    case CS_HULL_F32:
      return (const void *) set_kernel < float >;
    case CS_HULL_F64:
      return (const void *) set_kernel < double >;
    default:
      return (const void *) set_kernel < gint32 >;
  }
}

gboolean
cs_hull_cuda_set (HullCuda * cuda, const HullJob * job, GError ** error)
{
  /* a block a multiprocessor; fewer where there is not a warp a point to do */
  const guint n_blocks = CLAMP (job->n / 2, 1, cuda->n_together);
  void *args[] = { (void *) job, NULL };

  if (!ensure_set (cuda, job->n, error))
    return FALSE;
  args[1] = &cuda->state;
  return cs_cuda_check (n_blocks > 1 ?
      cudaLaunchCooperativeKernel (kernel_for (job->source.type), n_blocks,
          THREADS, args, 0, cuda->stream) :
      cudaLaunchKernel (kernel_for (job->source.type), 1, THREADS, args, 0,
          cuda->stream), "launch a hull", error);
}
