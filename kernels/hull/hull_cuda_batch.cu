/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many sets, as the contours of a frame: tiny ones a thread each, medium ones a
 * warp each, long ones a block each, in one launch; and the way of all hulls
 * to the output. */
#include "hull_device.cuh"

#include <cub/device/device_scan.cuh>

#define THREADS 1024
#define WARPS (THREADS / 32)
#define DIRECTIONS 256
#define SAMPLE 512
#define AGAIN 64                /* survivors that are filtered again */
#define BINS 256
#define BIN_MARGIN 0x1p-8
#define BOUND_MARGIN 0x1p-48
#define MIN_WIDTH 0x1p-30
#define EMIT_THREADS 128
/* Bytes of shared memory of a tiny set's thread: its order and its chain. */
#define TINY_MEMORY (3 * CS_HULL_THREAD_POINTS)

/**
 * Queue:
 * @n_long, @n_medium: entries of the lists
 * @next_long, @next_medium, @next_tiny: what is taken next
 * @n_ignored, @n_unfinished: results
 */
typedef struct
{
  guint32 n_long, n_medium, next_long, next_medium, next_tiny;
  guint32 n_ignored, n_unfinished;
} Queue;

typedef struct
{
  HullJob job;
  HullLists lists;
  Queue *queue;
  guint32 *longs, *mediums;
  guint block_points, warp_points;
  guint tiny_threads;           /* of a block that have memory for tiny sets */
} BatchJob;

static __device__ __forceinline__ guint32
set_length (const HullJob & job, guint32 set, guint32 * start)
{
  /* offsets of the device are not checked: never beyond the points */
  const guint32 from = min (job.offsets[set], job.n);
  const guint32 to = min (job.offsets[set + 1], job.n);

  *start = from;
  return to > from ? to - from : 0;
}

static __global__ void
sort_out_kernel (BatchJob batch)
{
  const guint32 set = blockIdx.x * blockDim.x + threadIdx.x;
  guint32 start, n;

  if (set >= batch.job.n_sets)
    return;
  n = set_length (batch.job, set, &start);
  if (n > batch.warp_points)
    batch.longs[atomicAdd (&batch.queue->n_long, 1)] = set;
  else if (n > CS_HULL_THREAD_POINTS)
    batch.mediums[atomicAdd (&batch.queue->n_medium, 1)] = set;
}

/* --- Tiny sets ------------------------------------------------------------ */

/* Memory of a thread for bytes, in columns of shared memory. */
struct Column
{
  guint8 *bytes;
  guint stride;

  __device__ guint8 & operator[] (guint i) const
  {
    return bytes[i * stride];
  }
};

/* Point @at of the set that begins at @start. */
static __device__ __forceinline__ double2
tiny_point (const HullSource & source, guint32 start, guint at)
{
  double2 p;

  load_point (source, point_number (source, start + at), &p.x, &p.y);
  return p;
}

/* The threads of a warp have a set each, of up to CS_HULL_THREAD_POINTS points
 * or none. They call these functions together, and stay together: every turn
 * of a loop is one comparison, whatever comes of it, and begins with a vote. */

/* Sorts the finite points of the set into @order, without duplicates; their
 * number. */
static __device__ guint
sort_tiny (const BatchJob & batch, guint32 start, guint n,
    const Column & order)
{
  const HullSource & source = batch.job.source;
  guint n_sorted = 0, n_points = 0, i = 0, at = 0;
  double2 p = make_double2 (0, 0), last = p;

  while (__any_sync (0xffffffffu, i < n)) {
    if (i >= n)
      continue;
    if (at == 0) {
      p = tiny_point (source, start, i);
      if (is_finite (p.x, p.y)) {
        at = ++n_sorted;
      } else {
        atomicAdd (&batch.queue->n_ignored, 1);
        i++;
        continue;
      }
    }
    /* place at - 1 is free */
    const guint8 other = at > 1 ? order[at - 2] : 0;
    const double2 q = at > 1 ? tiny_point (source, start, other) : p;
    const bool equal = q.x == p.x && q.y == p.y;
    const bool before = q.x < p.x || (q.x == p.x && q.y < p.y);
    const bool moves = at > 1 && !before && (!equal || point_number (source,
            start + other) > point_number (source, start + i));

    order[at - 1] = moves ? other : (guint8) i;
    i += !moves;
    at = moves ? at - 1 : 0;
  }
  for (i = 0; __any_sync (0xffffffffu, i < n_sorted); i++) {
    if (i < n_sorted) {
      const guint8 other = order[i];

      p = tiny_point (source, start, other);
      if (n_points == 0 || p.x != last.x || p.y != last.y)
        order[n_points++] = other;
      last = p;
    }
  }
  return n_points;
}

/* Andrew's monotone chain by each thread, on points in the first cache. */
static __device__ void
find_tiny (const BatchJob & batch, void *memory, guint32 set, guint32 start,
    guint n, bool exists)
{
  const HullSource & source = batch.job.source;
  const guint stride = batch.tiny_threads;
  const Column order = { (guint8 *) memory + threadIdx.x, stride };
  const Column stack = { order.bytes + CS_HULL_THREAD_POINTS * stride, stride };
  const int least = batch.job.collinear ? 0 : 1;
  const guint n_points = sort_tiny (batch, start, n, order);
  const guint n_steps = n_points > 0 ? 2 * n_points - 1 : 0;
  guint n_stack = 0, bottom = 1, n_hull = n_points, step = 0;
  double2 before = make_double2 (0, 0), last = before;

  /* there below, back above: n_points, then the same but the last */
  while (__any_sync (0xffffffffu, step < n_steps)) {
    if (step >= n_steps)
      continue;
    const guint8 at = order[step < n_points ? step : 2 * n_points - 2 - step];
    const double2 p = tiny_point (source, start, at);

    if (step == n_points && bottom == 1)
      bottom = n_stack;
    if (n_stack > bottom && cs_hull_orient (before.x, before.y, last.x,
            last.y, p.x, p.y) < least) {
      n_stack--;
      last = before;
      if (n_stack >= 2)
        before = tiny_point (source, start, stack[n_stack - 2]);
    } else {
      stack[n_stack++] = at;
      before = last;
      last = p;
      step++;
    }
  }
  /* unless they are collinear points, there and back */
  if (n_points >= 2 && (bottom != n_points || n_stack != 2 * n_points - 1))
    n_hull = n_stack - 1;
  for (guint i = 0; i < n_hull; i++)
    batch.lists.hull[start + i] = point_number (source, start + stack[i]);
  if (exists)
    batch.lists.count[set] = n_hull;
}

/* --- Sets of a warp or a block -------------------------------------------- */

/* Puts point @i of the set into slot @slot; whether it counts. */
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
template < typename Team > static __device__ void
find_whole (const Team & team, const BatchJob & batch, ChainSpace & s,
    guint32 set, guint32 start, guint n)
{
  const guint slots = slots_for (n);
  guint32 n_ignored = 0;
  guint n_hull;

  for (guint i = team.rank; i < slots; i += team.size ()) {
    if (i >= n)
      s.clear (i);
    else if (!put_point (batch, s, start + i, i))
      n_ignored++;
  }
  if (n_ignored)
    atomicAdd (&batch.queue->n_ignored, n_ignored);
  n_hull = make_hull (team, s, slots, batch.job.collinear,
      batch.lists.hull + start);
  if (team.rank == 0)
    batch.lists.count[set] = n_hull;
  team.sync ();
}

/**
 * Strips:
 * @x, @y: extreme points of a sample, one for each direction
 * @low, @high: bounds of BINS strips along x
 * @extreme: the farthest point of the sample in each direction
 * @sample, @number: the sample
 *
 * What a block filters a long set with, in the memory where the survivors'
 * chains will be.
 */
struct Strips
{
  double x[DIRECTIONS], y[DIRECTIONS];
  double low[BINS + 1], high[BINS + 1];
  unsigned long long extreme[DIRECTIONS];
  float2 sample[SAMPLE];
  guint32 number[SAMPLE];
};

/* Number i of a list of a set's points, or of the set if there is no list. */
static __device__ __forceinline__ guint32
listed (const BatchJob & batch, const guint32 * list, guint32 start,
    guint32 i)
{
  return point_number (batch.job.source, list ? list[i] : start + i);
}

/* The extreme points of a sample of @n points: four threads a direction. */
static __device__ bool
find_extremes (const BatchJob & batch, Strips & s, const guint32 * list,
    guint32 start, guint32 n)
{
  const guint n_sample = min (n, SAMPLE);
  const guint32 step = n / n_sample;
  const guint d = threadIdx.x % DIRECTIONS, part = threadIdx.x / DIRECTIONS;
  float dx, dy, best = -INFINITY;
  guint at = 0;
  double x, y, x0, y0;
  bool found = true;

  load_point (batch.job.source, listed (batch, list, start, 0), &x0, &y0);
  if (!is_finite (x0, y0))
    x0 = y0 = 0;
  __syncthreads ();
  if (threadIdx.x < DIRECTIONS)
    s.extreme[threadIdx.x] = 0;
  for (guint i = threadIdx.x; i < n_sample; i += THREADS) {
    s.number[i] = listed (batch, list, start, i * step);
    load_point (batch.job.source, s.number[i], &x, &y);
    s.sample[i] = make_float2 (x - x0, y - y0);
  }
  __syncthreads ();
  sincospif (2.f * d / DIRECTIONS, &dy, &dx);
  for (guint i = part; i < n_sample; i += THREADS / DIRECTIONS) {
    const float along = s.sample[i].x * dx + s.sample[i].y * dy;

    if (along > best && along < INFINITY) {
      best = along;
      at = i;
    }
  }
  if (best > -INFINITY) {
    const guint32 bits = __float_as_uint (best);

    atomicMax (&s.extreme[d], (unsigned long long) (bits >> 31 ? ~bits :
            bits | 0x80000000u) << 32 | s.number[at]);
  }
  __syncthreads ();
  if (threadIdx.x < DIRECTIONS) {
    found = s.extreme[threadIdx.x] != 0;
    if (found)
      load_point (batch.job.source, (guint32) s.extreme[threadIdx.x],
          &s.x[threadIdx.x], &s.y[threadIdx.x]);
    found = found && is_finite (s.x[threadIdx.x], s.y[threadIdx.x]);
  }
  return __syncthreads_and (found);
}

/* y of the chain that starts on the left and goes down (@step 1) or up. */
static __device__ double
chain_value (const Strips & s, int step, double x)
{
  guint low = 0, high = DIRECTIONS / 2, a, b;

  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (s.x[(DIRECTIONS / 2 + step * middle) % DIRECTIONS] <= x)
      low = middle;
    else
      high = middle;
  }
  a = (DIRECTIONS / 2 + step * low) % DIRECTIONS;
  b = (DIRECTIONS / 2 + step * high) % DIRECTIONS;
  if (!(s.x[b] > s.x[a]))
    return s.y[a];
  return s.y[a] + (x - s.x[a]) * ((s.y[b] - s.y[a]) / (s.x[b] - s.x[a]));
}

/* Whether (x, y) is strictly inside the polygon, exactly enough. */
static __device__ bool
is_inside_polygon (const Strips & s, double margin, double x, double y)
{
  return x > s.x[DIRECTIONS / 2] && x < s.x[0] &&
      y > chain_value (s, 1, x) + margin &&
      y < chain_value (s, -1, x) - margin;
}

/* The same by strips: what they say is inside is. */
static __device__ bool
is_inside_strip (const Strips & s, double scale, double x, double y)
{
  const double left = s.x[DIRECTIONS / 2], right = s.x[0];
  guint k;

  if (!(x > left && x < right))
    return false;
  /* rounding may be off by one strip at a border: so strip k has the bounds of
   * its neighbours too */
  k = (guint) ((x - left) * scale);
  k = k < BINS ? k : BINS - 1;
  return y > s.low[k] && y < s.high[k];
}

/* The polygon of a sample; FALSE if it cannot serve. */
static __device__ bool
make_polygon (const BatchJob & batch, Strips & s, const guint32 * list,
    guint32 start, guint32 n, double *margin)
{
  Box size = { 0, 0, 0, 0 };

  if (!find_extremes (batch, s, list, start, n))
    return false;
  if (threadIdx.x < DIRECTIONS) {
    size.x1 = fabs (s.x[threadIdx.x]);
    size.y1 = fabs (s.y[threadIdx.x]);
  }
  size = BlockTeam ().reduce (size, GrowBox ());
  *margin = size.y1 * BOUND_MARGIN;
  return size.x1 >= 0x1p-100 && size.x1 <= 0x1p500 && size.y1 >= 0x1p-500 &&
      size.y1 <= 0x1p500 && s.x[0] - s.x[DIRECTIONS / 2] > size.x1 * MIN_WIDTH;
}

/* Makes the strips of the polygon; their number a unit. */
static __device__ double
make_strips (Strips & s, double margin)
{
  const double left = s.x[DIRECTIONS / 2], right = s.x[0];
  const double scale = BINS / (right - left);
  const guint k = threadIdx.x;
  double low = -INFINITY, high = INFINITY;

  if (k <= BINS) {
    const double x = k == BINS ? right : left + k / scale;

    s.low[k] = chain_value (s, 1, x) + margin;
    s.high[k] = chain_value (s, -1, x) - margin;
  }
  __syncthreads ();
  /* from one edge before the strip to one after it */
  for (guint edge = k > 0 ? k - 1 : 0; k < BINS && edge <= k + 2 &&
      edge <= BINS; edge++) {
    low = fmax (low, s.low[edge]);
    high = fmin (high, s.high[edge]);
  }
  __syncthreads ();
  if (k < BINS) {
    s.low[k] = low;
    s.high[k] = high;
  }
  __syncthreads ();
  return scale;
}

/* The points of a long set that its strips do not find inside, to @kept, their
 * number returned to all; not more than @capacity are written. Counts what is
 * not finite in @n_ignored. */
static __device__ guint32
filter_long (const BatchJob & batch, Strips & s, guint32 start, guint32 n,
    guint32 capacity, guint32 * kept, guint32 * n_ignored)
{
  __shared__ guint32 n_kept;
  double scale, margin;

  if (!make_polygon (batch, s, NULL, start, n, &margin))
    return 0xffffffffu;
  scale = make_strips (s, margin);
  if (threadIdx.x == 0)
    n_kept = 0;
  __syncthreads ();
  for (guint32 first = threadIdx.x; first < n; first += 4 * THREADS) {
    double x[4], y[4];

    /* on their way at once */
#pragma unroll
    for (guint k = 0; k < 4; k++) {
      const guint32 i = min (first + k * THREADS, n - 1);

      load_point (batch.job.source, point_number (batch.job.source,
              start + i), &x[k], &y[k]);
    }
#pragma unroll
    for (guint k = 0; k < 4; k++) {
      const guint32 i = first + k * THREADS;

      if (i >= n)
        break;
      if (!is_finite (x[k], y[k])) {
        ++*n_ignored;
      } else if (!is_inside_strip (s, scale, x[k], y[k])) {
        const guint32 at = atomicAdd (&n_kept, 1);

        if (at < capacity)
          kept[at] = start + i;
      }
    }
  }
  __syncthreads ();
  return n_kept;
}

/* The same for the @n survivors @from, to @to. */
static __device__ guint32
filter_again (const BatchJob & batch, Strips & s, const guint32 * from,
    guint32 n, guint32 * to)
{
  __shared__ guint32 n_kept;
  double margin;
  const bool serves = make_polygon (batch, s, from, 0, n, &margin);

  if (threadIdx.x == 0)
    n_kept = 0;
  __syncthreads ();
  for (guint32 i = threadIdx.x; i < n; i += THREADS) {
    double x, y;

    load_point (batch.job.source, point_number (batch.job.source, from[i]),
        &x, &y);
    if (!serves || !is_inside_polygon (s, margin, x, y))
      to[atomicAdd (&n_kept, 1)] = from[i];
  }
  __syncthreads ();
  return n_kept;
}

/* A set of more points than there are slots: what filters leave of it. */
static __device__ void
find_long (const BatchJob & batch, void *memory, guint32 set, guint32 start,
    guint32 n)
{
  const BlockTeam team;
  ChainSpace s (memory, batch.block_points);
  /* where the chains will be */
  Strips & strips = *(Strips *) memory;
  guint32 *kept = batch.lists.hull + start, n_ignored = 0, n_kept;
  guint slots, n_hull;

  __syncthreads ();
  n_kept = filter_long (batch, strips, start, n, batch.block_points, kept,
      &n_ignored);
  if (n_kept > batch.block_points) {
    /* the host sorts it as a whole, and counts what it ignores */
    if (threadIdx.x == 0) {
      batch.lists.count[set] = CS_HULL_UNFINISHED;
      atomicAdd (&batch.queue->n_unfinished, 1);
    }
    __syncthreads ();
    return;
  }
  if (n_ignored)
    atomicAdd (&batch.queue->n_ignored, n_ignored);
  if (n_kept > AGAIN) {
    guint32 *to = (guint32 *) (batch.lists.vertices + start);

    n_kept = filter_again (batch, strips, kept, n_kept, to);
    kept = to;
  }
  slots = slots_for (n_kept);
  __syncthreads ();
  for (guint i = team.rank; i < slots; i += team.size ()) {
    if (i < n_kept)
      put_point (batch, s, kept[i], i);
    else
      s.clear (i);
  }
  __syncthreads ();
  n_hull = make_hull (team, s, slots, batch.job.collinear,
      batch.lists.hull + start);
  if (threadIdx.x == 0)
    batch.lists.count[set] = n_hull;
  __syncthreads ();
}

static __global__ void __launch_bounds__ (THREADS, 1)
batch_kernel (BatchJob batch)
{
  extern __shared__ double memory[];
  __shared__ guint32 ticket;
  const WarpTeam warp;
  ChainSpace of_block (memory, batch.block_points);
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
    if (n <= batch.block_points)
      find_whole (BlockTeam (), batch, of_block, set, start, n);
    else
      find_long (batch, memory, set, start, n);
  }
  __syncthreads ();
  for (;;) {
    if (warp.rank == 0)
      at = atomicAdd (&batch.queue->next_medium, 1);
    at = __shfl_sync (0xffffffffu, at, 0);
    if (at >= batch.queue->n_medium)
      break;
    const guint32 set = batch.mediums[at];

    n = set_length (batch.job, set, &start);
    find_whole (warp, batch, of_warp, set, start, n);
  }
  /* the memory is of the whole block's threads from here on */
  __syncthreads ();
  while (threadIdx.x < batch.tiny_threads) {
    if (warp.rank == 0)
      at = atomicAdd (&batch.queue->next_tiny, 32);
    at = __shfl_sync (0xffffffffu, at, 0);
    if (at >= batch.job.n_sets)
      break;
    at += warp.rank;
    n = start = 0;
    if (at < batch.job.n_sets)
      n = set_length (batch.job, at, &start);
    const bool exists = at < batch.job.n_sets && n <= CS_HULL_THREAD_POINTS;

    find_tiny (batch, memory, at, start, exists ? n : 0, exists);
  }
}

static __global__ void
header_kernel (Queue * queue, HullHeader * header)
{
  header->n_ignored = queue->n_ignored;
  header->unfinished = queue->n_unfinished;
  header->n_survivors = header->n_second = 0;
}

gboolean
cs_hull_cuda_batch (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, HullHeader * header, GError ** error)
{
  const gsize size = ChainSpace::size (cuda->block_points);
  CsCudaCarver carver = { NULL, 0 };
  BatchJob batch;
  guint pass;

  batch.job = *job;
  batch.lists = *lists;
  batch.block_points = cuda->block_points;
  batch.warp_points = cuda->block_points / WARPS;
  batch.tiny_threads = MIN (size / TINY_MEMORY / 32 * 32, THREADS);
  for (pass = 0; pass < 2; pass++) {
    carver.used = 0;
    batch.queue = CS_CUDA_CARVE (&carver, Queue, 1);
    batch.longs = CS_CUDA_CARVE (&carver, guint32, job->n_sets);
    batch.mediums = CS_CUDA_CARVE (&carver, guint32, job->n_sets);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&cuda->batch,
          carver.used, cuda->stream, error);
      if (!carver.base)
        return FALSE;
    }
  }
  if (!cs_cuda_check (cudaMemsetAsync (batch.queue, 0, sizeof (Queue),
              cuda->stream), "clear a queue", error))
    return FALSE;
  if (job->n_sets > 0) {
    sort_out_kernel <<< (job->n_sets + 255) / 256, 256, 0, cuda->stream >>>
        (batch);
    batch_kernel <<< cuda->n_multiprocessors, THREADS, size, cuda->stream >>>
        (batch);
  }
  header_kernel <<< 1, 1, 0, cuda->stream >>> (batch.queue, header);
  return cs_cuda_check (cudaGetLastError (), "launch hulls", error);
}

gboolean
cs_hull_cuda_batch_init (HullCuda * cuda, GError ** error)
{
  int device, most;
  guint points = 8192;

  if (!cs_cuda_check (cudaGetDevice (&device), "find the GPU", error) ||
      !cs_cuda_check (cudaDeviceGetAttribute (&most,
              cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "ask for the GPU's shared memory", error))
    return FALSE;
  /* 4 KiB for what the kernels declare */
  while (points > CS_HULL_BLOCK_POINTS &&
      ChainSpace::size (points) + 4096 > (gsize) most)
    points /= 2;
  cuda->block_points = points;
  return cs_cuda_check (cudaFuncSetAttribute (batch_kernel,
          cudaFuncAttributeMaxDynamicSharedMemorySize,
          (int) ChainSpace::size (points)), "set a kernel's shared memory",
      error);
}

/* --- Output --------------------------------------------------------------- */

/* Hulls and points before a set's. */
struct Place
{
  guint32 hulls, points;
};

struct AddPlaces
{
  __host__ __device__ Place
  operator() (const Place & a, const Place & b) const
  {
    const Place sum = { a.hulls + b.hulls, a.points + b.points };

    return sum;
  }
};

static __global__ void
place_kernel (const guint32 * count, guint32 n_sets, guint32 closing,
    Place * places)
{
  const guint32 set = blockIdx.x * blockDim.x + threadIdx.x;

  if (set <= n_sets) {
    /* unfinished ones come back when they are finished */
    const guint32 n = set < n_sets && count[set] != CS_HULL_UNFINISHED ?
        count[set] : 0;

    places[set].hulls = n > 0;
    places[set].points = n > 0 ? n + closing : 0;
  }
}

static __device__ guint32
list_start (const HullJob & job, guint32 set)
{
  return job.offsets ? min (job.offsets[set], job.n) : 0;
}

/* emit_hull() for a tiny hull by one thread, in one go: basic measures of a
 * strict hull. */
static __device__ void
emit_tiny (const HullJob & job, guint32 set, guint32 number,
    const guint32 * hull, guint n, guint32 start)
{
  CsHullSums sums = { 0, 0, 0, 0 }, edge;
  double first[2], x, y, next_x, next_y, area;
  CsContour record;
  Box box;

  init_record (job, set, number, &record, &area);
  load_point (job.source, hull[0], &first[0], &first[1]);
  x = first[0];
  y = first[1];
  box.x0 = box.x1 = x + 0.;
  box.y0 = box.y1 = y + 0.;
  for (guint k = 0; k < n; k++) {
    const Box point = { x + 0., y + 0., x + 0., y + 0. };

    GrowBox () (box, point);
    write_point (job, hull[k], x, y, start + k);
    next_x = first[0];
    next_y = first[1];
    if (k + 1 < n)
      load_point (job.source, hull[k + 1], &next_x, &next_y);
    edge = cs_hull_edge_sums_at (first[0], first[1], x, y, next_x, next_y);
    cs_hull_sums_add (&sums, &edge);
    x = next_x;
    y = next_y;
  }
  if (job.closed)
    write_point (job, hull[0], x, y, start + n);
  job.out_offsets[number] = start;
  record.bbox_x0 = box.x0;
  record.bbox_y0 = box.y0;
  record.bbox_x1 = box.x1;
  record.bbox_y1 = box.y1;
  cs_hull_record_finish (&record, first, n, &sums, job.measures, area);
  job.out_hulls[number] = record;
}

/* A thread for each tiny hull, then a warp for each that is not. */
static __global__ void __launch_bounds__ (EMIT_THREADS)
emit_kernel (HullJob job, HullLists lists, const Place * places)
{
  const SoloTeam alone;
  const WarpTeam team;
  const guint32 stride = gridDim.x * EMIT_THREADS;
  const guint32 lane = threadIdx.x % 32;

  for (guint32 first = blockIdx.x * EMIT_THREADS + threadIdx.x - lane;
      first < job.n_sets; first += stride) {
    guint32 set = first + lane;
    guint32 n = set < job.n_sets ? lists.count[set] : 0;
    guint32 start = set < job.n_sets ? list_start (job, set) : 0;

    if (n > 0 && n <= CS_HULL_TINY && !job.out_features && !job.collinear)
      emit_tiny (job, set, places[set].hulls, lists.hull + start, n,
          places[set].points);
    else if (n > 0 && n <= CS_HULL_TINY)
      emit_hull (alone, job, set, places[set].hulls, lists.hull + start, n,
          places[set].points, lists.vertices + start, lists.strict + start);
    guint32 others = __ballot_sync (0xffffffffu, n > CS_HULL_TINY &&
        n <= CS_HULL_LARGE);

    for (; others; others &= others - 1) {
      set = first + __ffs (others) - 1;
      n = lists.count[set];
      start = list_start (job, set);
      emit_hull (team, job, set, places[set].hulls, lists.hull + start, n,
          places[set].points, lists.vertices + start, lists.strict + start);
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    job.header->n_hulls = places[job.n_sets].hulls;
    job.header->n_points = places[job.n_sets].points;
    job.out_offsets[places[job.n_sets].hulls] = places[job.n_sets].points;
  }
}

static __device__ __forceinline__ bool
is_large (guint32 count)
{
  return count > CS_HULL_LARGE && count != CS_HULL_UNFINISHED;
}

/* The points of a large hull, by the whole GPU, where there is but one. */
static __global__ void
emit_points_kernel (HullJob job, HullLists lists)
{
  const guint32 n = lists.count[0];

  if (!is_large (n))
    return;
  for (guint32 k = blockIdx.x * blockDim.x + threadIdx.x; k < n;
      k += gridDim.x * blockDim.x)
    emit_vertex (job, lists.hull, n, k, 0, lists.vertices);
}

static __global__ void __launch_bounds__ (CS_HULL_LANES_LARGE)
emit_large_kernel (HullJob job, HullLists lists, const Place * places)
{
  const LargeTeam team;

  for (guint32 first = blockIdx.x * blockDim.x; first < job.n_sets;
      first += gridDim.x * blockDim.x) {
    const bool mine = first + threadIdx.x < job.n_sets &&
        is_large (lists.count[first + threadIdx.x]);

    if (!__syncthreads_or (mine))
      continue;
    for (guint32 set = first; set < min (first + blockDim.x, job.n_sets);
        set++) {
      const guint32 n = lists.count[set], start = list_start (job, set);

      if (!is_large (n))
        continue;
      if (job.n_sets > 1)
        emit_vertices (team, job, lists.hull + start, n, places[set].points,
            lists.vertices + start);
      emit_record (team, job, set, places[set].hulls, n, places[set].points,
          lists.vertices + start, lists.strict + start);
    }
  }
}

gboolean
cs_hull_cuda_emit (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, GError ** error)
{
  const guint32 n = job->n_sets;
  Place *places = NULL, *sums = NULL;
  void *temporary = NULL;
  gsize size = 0;
  CsCudaCarver carver = { NULL, 0 };
  const Place zero = { 0, 0 };
  guint pass;

  if (!cs_cuda_check (cub::DeviceScan::ExclusiveScan (NULL, size, places,
              sums, AddPlaces (), zero, n + 1, cuda->stream), "plan a scan",
          error))
    return FALSE;
  for (pass = 0; pass < 2; pass++) {
    carver.used = 0;
    places = CS_CUDA_CARVE (&carver, Place, n + 1);
    sums = CS_CUDA_CARVE (&carver, Place, n + 1);
    temporary = cs_cuda_carve (&carver, size, 1);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&cuda->places,
          carver.used, cuda->stream, error);
      if (!carver.base)
        return FALSE;
    }
  }
  place_kernel <<< n / 256 + 1, 256, 0, cuda->stream >>> (lists->count, n,
      job->closed ? 1 : 0, places);
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveScan (temporary, size, places,
              sums, AddPlaces (), zero, n + 1, cuda->stream), "scan", error))
    return FALSE;
  emit_kernel <<< MIN (n / EMIT_THREADS + 1, 8 * cuda->n_multiprocessors),
      EMIT_THREADS, 0, cuda->stream >>> (*job, *lists, sums);
  if (n == 1)
    emit_points_kernel <<< 4 * cuda->n_multiprocessors, 256, 0,
        cuda->stream >>> (*job, *lists);
  emit_large_kernel <<< MIN (n / CS_HULL_LANES_LARGE + 1,
      cuda->n_multiprocessors), CS_HULL_LANES_LARGE, 0, cuda->stream >>> (
      *job, *lists, sums);
  return cs_cuda_check (cudaGetLastError (), "launch the output of hulls",
      error);
}

/* --- Classes -------------------------------------------------------------- */

static __global__ void
count_class_kernel (HullJob job, HullLists lists, guint32 n_classes,
    guint32 * lengths)
{
  const guint32 set = blockIdx.x * blockDim.x + threadIdx.x;

  if (set < job.n_sets) {
    const guint32 class_id = job.contours[set].class_id;

    if (class_id < n_classes && lists.count[set] != CS_HULL_UNFINISHED)
      atomicAdd (&lengths[class_id], lists.count[set]);
  }
}

static __global__ void
gather_class_kernel (HullJob job, HullLists lists, guint32 n_classes,
    const guint32 * offsets, guint32 * filled, guint32 * via)
{
  const guint32 set = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const guint lane = threadIdx.x % 32;
  guint32 class_id, n, at = 0;

  if (set >= job.n_sets)
    return;
  class_id = job.contours[set].class_id;
  n = lists.count[set];
  if (class_id >= n_classes || n == 0 || n == CS_HULL_UNFINISHED)
    return;
  if (lane == 0)
    at = offsets[class_id] + atomicAdd (&filled[class_id], n);
  at = __shfl_sync (0xffffffffu, at, 0);
  for (guint32 i = lane; i < n; i += 32)
    via[at + i] = lists.hull[list_start (job, set) + i];
}

gboolean
cs_hull_cuda_classes (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, HullJob * classes, GError ** error)
{
  const guint32 n = cuda->params->n_classes;
  guint32 *lengths = NULL, *offsets = NULL, *filled = NULL, *via = NULL;
  void *temporary = NULL;
  CsCudaCarver carver = { NULL, 0 };
  gsize size = 0;
  guint pass;

  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (NULL, size, lengths,
              offsets, n + 1, cuda->stream), "plan a scan", error))
    return FALSE;
  for (pass = 0; pass < 2; pass++) {
    carver.used = 0;
    lengths = CS_CUDA_CARVE (&carver, guint32, n + 1);
    filled = CS_CUDA_CARVE (&carver, guint32, n + 1);
    offsets = CS_CUDA_CARVE (&carver, guint32, n + 1);
    via = CS_CUDA_CARVE (&carver, guint32, job->n);
    temporary = cs_cuda_carve (&carver, size, 1);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&cuda->classes,
          carver.used, cuda->stream, error);
      if (!carver.base)
        return FALSE;
    }
  }
  if (!cs_cuda_check (cudaMemsetAsync (lengths, 0,
              (guint8 *) offsets - (guint8 *) lengths, cuda->stream),
          "clear the classes", error))
    return FALSE;
  if (job->n_sets > 0)
    count_class_kernel <<< (job->n_sets + 255) / 256, 256, 0, cuda->stream >>>
        (*job, *lists, n, lengths);
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (temporary, size, lengths,
              offsets, n + 1, cuda->stream), "scan", error))
    return FALSE;
  if (job->n_sets > 0)
    gather_class_kernel <<< (job->n_sets + 7) / 8, 256, 0, cuda->stream >>> (
        *job, *lists, n, offsets, filled, via);
  *classes = *job;
  classes->source.via = via;
  classes->offsets = offsets;
  classes->n_sets = n;
  classes->contours = NULL;
  return cs_cuda_check (cudaGetLastError (), "gather classes", error);
}
