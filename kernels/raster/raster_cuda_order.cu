/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by depth, preparing marks and putting them into bins, on the GPU. */
#include "raster_cuda.h"
#include "raster_cuda_prepare.cuh"
#include "raster_warp.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#define THREADS 256

static guint
n_blocks (gsize n)
{
  return (guint) ((n + THREADS - 1) / THREADS);
}

static __global__ void
make_keys (const float *depths, guint32 n, guint32 * keys, guint32 * indices)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= n)
    return;
  keys[i] = cs_raster_depth_key (depths[i]);
  indices[i] = i;
}

/* --- Sorting a few hundred thousand ---------------------------------------
 *
 * A radix sort of so few takes a dozen microseconds a pass, of waiting. Here
 * depths are spread over buckets by their value, evenly between the least and
 * the greatest, and each bucket is sorted by a block, by depth and index
 * together, so that the order is that of a stable sort. A bucket that is too
 * full for shared memory is sorted where it is, which is slow but right, and
 * reported, so that the next picture's marks take the other way. */

#define MAX_BUCKETS 4096
#define MIN_BUCKETS 1024
#define EACH_BUCKET 64
#define BUCKET_THREADS 128
#define ALONE_THREADS 1024
#define BUCKET_ROOM 2048
#define MAX_BUCKETED (1 << 18)

struct Buckets
{
  guint32 counts[MAX_BUCKETS], starts[MAX_BUCKETS + 1];
  /* ordered like floats: cs_raster_time_key() of the negative least and of the
   * greatest depth, 0 at first */
  guint32 least, greatest;
};

#define RANGE_BLOCKS 64

static __global__ void __launch_bounds__ (1024)
find_range (const float *depths, guint32 n, Buckets * buckets)
{
  __shared__ unsigned shared[2];
  unsigned least = 0, greatest = 0;

  if (threadIdx.x < 2)
    shared[threadIdx.x] = 0;
  __syncthreads ();
  for (guint32 i = blockIdx.x * 1024 + threadIdx.x; i < n;
      i += RANGE_BLOCKS * 1024) {
    const float depth = depths[i];

    if (isfinite (depth)) {
      least = max (least, cs_raster_time_key (-depth));
      greatest = max (greatest, cs_raster_time_key (depth));
    }
  }
  least = warp_max (least);
  greatest = warp_max (greatest);
  if (threadIdx.x % 32 == 0) {
    atomicMax (&shared[0], least);
    atomicMax (&shared[1], greatest);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    atomicMax (&buckets->least, shared[0]);
    atomicMax (&buckets->greatest, shared[1]);
  }
}

/* Farther depths come first. Never decreases where depths do not increase. */
static __device__ guint32
bucket_of (float depth, const Buckets * buckets, guint32 n_buckets)
{
  const float least = buckets->greatest == 0 ? 0 :
      -cs_raster_key_time (buckets->least);
  const float greatest = buckets->greatest == 0 ? 0 :
      cs_raster_key_time (buckets->greatest);
  const float size = (greatest - least) / n_buckets;
  float at;

  if (!(depth < greatest))      /* NaN too */
    return 0;
  if (!(size > 0) || !isfinite (size))
    return n_buckets - 1;
  at = (greatest - fmaxf (depth, least)) / size;
  return min ((guint32) at, n_buckets - 1);
}

static __global__ void __launch_bounds__ (THREADS)
count_buckets (const float *depths, guint32 n, guint32 n_buckets,
    Buckets * buckets, guint32 * places)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i < n)
    places[i] = atomicAdd (&buckets->counts[bucket_of (depths[i], buckets,
                n_buckets)], 1);
}

/* Every block adds up the counts for itself: it is quicker than waiting. */
static __global__ void __launch_bounds__ (1024)
fill_buckets (const float *depths, guint32 n, guint32 n_buckets,
    Buckets * buckets, const guint32 * places, guint64 * entries)
{
  __shared__ guint32 starts[MAX_BUCKETS];
  __shared__ guint32 sums[32];
  const guint32 per_thread = n_buckets / 1024;
  const guint32 first = threadIdx.x * per_thread;
  guint32 sum = 0, before, total;

  for (guint32 j = 0; j < per_thread; j++) {
    starts[first + j] = sum;
    sum += buckets->counts[first + j];
  }
  total = sum;
  for (int step = 1; step < 32; step *= 2) {
    const guint32 add = __shfl_up_sync (~0u, sum, step);

    if (threadIdx.x % 32 >= step)
      sum += add;
  }
  if (threadIdx.x % 32 == 31)
    sums[threadIdx.x / 32] = sum;
  __syncthreads ();
  before = sum - total;
  for (guint32 w = 0; w < threadIdx.x / 32; w++)
    before += sums[w];
  for (guint32 j = 0; j < per_thread; j++) {
    starts[first + j] += before;
    if (blockIdx.x == 0)
      buckets->starts[first + j] = starts[first + j];
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    buckets->starts[n_buckets] = n;
  __syncthreads ();

  const guint32 i = blockIdx.x * 1024 + threadIdx.x;

  if (i < n)
    entries[starts[bucket_of (depths[i], buckets, n_buckets)] + places[i]] =
        (guint64) cs_raster_depth_key (depths[i]) << 32 | i;
}

/* A sorting network for any number: what is beyond the end is the greatest, and
 * never moves. */
template < int N_THREADS > static __device__ void
sort_entries (guint64 * entries, guint32 n)
{
  for (guint32 size = 2; size < 2 * n; size *= 2) {
    for (guint32 stride = size / 2; stride > 0; stride /= 2) {
      for (guint32 i = threadIdx.x; i < n; i += N_THREADS) {
        const guint32 other = stride == size / 2 ? i ^ (size - 1) : i ^ stride;

        if (other > i && other < n && entries[other] < entries[i]) {
          const guint64 swap = entries[i];

          entries[i] = entries[other];
          entries[other] = swap;
        }
      }
      __syncthreads ();
    }
  }
}

static __device__ __forceinline__ bool
is_fill (const CsMark & mark)
{
  return mark.half_width == CS_MARK_FILL;
}

static __device__ __forceinline__ bool
has_gradient (const CsMark & mark, int has_gradients)
{
  return has_gradients && (mark.group & CS_MARK_GRADIENT) && !is_fill (mark);
}

/* The place of each mark that begins a run, 0 for the others. */
static __global__ void
find_heads (const CsMark * marks, guint32 n, guint32 cut, int has_gradients,
    guint32 * heads)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= n)
    return;
  heads[i] = i == 0 || i == cut || marks[i].group == 0 ||
      marks[i].group != marks[i - 1].group || is_fill (marks[i]) ||
      is_fill (marks[i - 1]) || has_gradient (marks[i], has_gradients) ? i : 0;
}

static __device__ float4
reach_of (const CsRasterMark & mark)
{
  float disc[3];

  cs_raster_reach (&mark, disc);
  return make_float4 (disc[0], disc[1], disc[2], 0);
}

struct PrepareArgs
{
  CsRasterPrepare p;
  const guint32 *order, *heads;
  float4 *reach;
  CsRasterMark *marks;
  guint32 *entries, *masks;
  guint32 mask_words, masks_per_row;
  CsRasterCounters *counters;
};

/* Marks for each thread: fewer blocks add to the counters. */
#define PREPARE_EACH 4

/* As far as it can be painted. */
static __device__ __forceinline__ bool
prepare_geometry (const CsRasterPrepare & p, const CsMark & from,
    CsRasterMark * mark)
{
  const guint32 gradient = from.group & ~CS_MARK_GRADIENT;

  if (has_gradient (from, p.has_gradients)) {
    mark->run = CS_GRADIENT_RUN | gradient;
    if (gradient >= p.n_gradients) {
      mark->radius = -1;
      mark->x = mark->y = mark->bx = mark->by = mark->half_width = 0;
      return false;
    }
  }
  if (!is_fill (from))
    return cs_raster_prepare (&from, p.width, p.height, mark);
  mark->run = CS_FILL_RUN | from.group;
  if (from.group < p.n_regions)
    return cs_fill_prepare (&p.regions[from.group], mark);
  mark->radius = -1;
  mark->x = mark->y = mark->bx = mark->by = mark->half_width = 0;
  return false;
}

/* Sets the bit of mark @i for all pixels that it may touch. */
static __device__ void
put_into_masks (const PrepareArgs & a, const CsRasterMark & mark, guint32 i)
{
  const int side = CS_RASTER_MASK;
  const Range range = cell_range (mark, a.p.width, a.p.height, side);

  for (int y = range.y0; y <= range.y1; y++) {
    for (int x = range.x0; x <= range.x1; x++) {
      if (cs_raster_touches (&mark, x * side, y * side, x * side + side - 1,
              y * side + side - 1))
        atomicOr (&a.masks[(size_t) (y * a.masks_per_row + x) * a.mask_words +
                i / 32], 1u << i % 32);
    }
  }
}

/* Writes mark @from, the @i-th from the nearest. */
static __device__ __forceinline__ void
put_mark (const PrepareArgs & a, guint32 i, const CsMark & from, guint32 rgba,
    guint32 run, Tally & tally)
{
  unsigned entries = 0;
  CsRasterMark mark;

  mark.rgba = rgba;
  mark.run = run;
  if (prepare_geometry (a.p, from, &mark)) {
    a.reach[i] = reach_of (mark);
    entries = tally_mark (mark, a.p.width, a.p.height, tally);
    if (a.masks)
      put_into_masks (a, mark, i);
  } else {
    a.reach[i] = make_float4 (0, 0, -1, 0);
    tally.dropped++;
  }
  a.marks[i] = mark;
  a.entries[i] = entries;
}

static __device__ void
prepare_mark (const PrepareArgs & a, guint32 i, Tally & tally)
{
  const guint32 ordinal = a.p.n - 1 - i;
  const guint32 head = a.heads ? a.heads[ordinal] : ordinal;
  const CsMark from = a.p.marks[a.order ? a.order[ordinal] : ordinal];

  put_mark (a, i, from, a.heads ? a.p.marks[head].rgba : from.rgba, head,
      tally);
}

/* Writes mark @index where it belongs in the order of depths. */
static __device__ __forceinline__ void
place_mark (const PrepareArgs & a, guint32 * order, guint32 place,
    guint32 index, Tally & tally)
{
  const CsMark from = load_mark_as_given (a.p.marks, index);

  order[place] = index;
  put_mark (a, a.p.n - 1 - place, from, from.rgba, place, tally);
}

/* A block for each bucket; prepares what it has sorted. */
static __global__ void __launch_bounds__ (BUCKET_THREADS)
sort_buckets (const __grid_constant__ PrepareArgs a, const Buckets * buckets,
    guint64 * entries, guint32 * order)
{
  __shared__ guint64 shared[BUCKET_ROOM];
  const guint32 start = buckets->starts[blockIdx.x];
  const guint32 n = buckets->starts[blockIdx.x + 1] - start;
  guint64 *from = entries + start;
  Tally tally = { 0, 0, 0, false };

  if (n <= BUCKET_ROOM) {
    for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS)
      shared[i] = from[i];
    from = shared;
  } else if (threadIdx.x == 0) {
    a.counters->skewed = 1;
  }
  __syncthreads ();
  /* few: how many are before it is each one's place */
  if (n <= 4 * BUCKET_THREADS) {
    for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS) {
      const guint64 entry = from[i];
      guint32 place = start;

      for (guint32 j = 0; j < n; j++)
        place += from[j] < entry;
      place_mark (a, order, place, (guint32) entry, tally);
    }
  } else {
    sort_entries < BUCKET_THREADS > (from, n);
    for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS)
      place_mark (a, order, start + i, (guint32) from[i], tally);
  }
  add_tally (tally, a.counters);
}

static __global__ void __launch_bounds__ (THREADS)
prepare_marks (const __grid_constant__ PrepareArgs a)
{
  Tally tally = { 0, 0, 0, false };

#pragma unroll
  for (int j = 0; j < PREPARE_EACH; j++) {
    const guint32 i = (blockIdx.x * PREPARE_EACH + j) * THREADS + threadIdx.x;

    if (i < a.p.n)
      prepare_mark (a, i, tally);
  }
  add_tally (tally, a.counters);
}

/* What is needed where the direct way had no room, by one block: that happens
 * in a picture of which the one before it gave no idea. */
static __global__ void __launch_bounds__ (ALONE_THREADS)
order_alone (const __grid_constant__ PrepareArgs a, guint64 * entries,
    guint32 * order)
{
  Tally none = { 0, 0, 0, false };

  if (!a.counters->direct_failed)
    return;
  if (a.p.depths) {
    for (guint32 i = threadIdx.x; i < a.p.n; i += ALONE_THREADS)
      entries[i] = (guint64) cs_raster_depth_key (a.p.depths[i]) << 32 | i;
    __syncthreads ();
    sort_entries < ALONE_THREADS > (entries, a.p.n);
    for (guint32 i = threadIdx.x; i < a.p.n; i += ALONE_THREADS)
      order[i] = (guint32) entries[i];
    __syncthreads ();
  }
  for (guint32 i = threadIdx.x; i < a.p.n; i += ALONE_THREADS)
    prepare_mark (a, i, none);
}

/* Writes an entry for each bin and mark, in the order of marks. */
static __global__ void
emit_entries (const CsRasterMark * marks, const guint32 * offsets, guint32 n,
    int width, int height, guint32 capacity, guint32 * keys, guint32 * values,
    CsRasterCounters * counters)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;
  const int bins_per_row = (width + CS_RASTER_BIN - 1) / CS_RASTER_BIN;
  guint32 at;

  /* offsets are 32 bits: beyond that they mean nothing */
  if (counters->entries > capacity) {
    if (i == 0)
      counters->overflow = 1;
    return;
  }
  if (i >= n || marks[i].radius < 0)
    return;
  at = offsets[i];
  const Range range = cell_range (marks[i], width, height, CS_RASTER_BIN);
  for (int y = range.y0; y <= range.y1; y++) {
    for (int x = range.x0; x <= range.x1; x++, at++) {
      keys[at] = y * bins_per_row + x;
      values[at] = i;
    }
  }
}

/* Each entry that differs from the one before begins its bin, and the empty
 * ones between; what is not used, all ones, is behind the last. */
static __global__ void
find_starts (const guint32 * keys, guint32 n, guint32 n_bins, guint32 * starts)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i > n)
    return;
  const guint32 last = i < n ? min (keys[i], n_bins) : n_bins;

  for (guint32 bin = i > 0 ? min (keys[i - 1], n_bins) + 1 : 0; bin <= last;
      bin++)
    starts[bin] = i;
}

/* The memory of sorting: keys and values twice, and CUB's own. */
struct SortMemory
{
  guint32 *keys[2], *values[2];
  void *temp;
  size_t temp_size;
};

static gboolean
get_sort_memory (CsCudaScratch * scratch, gsize n, int bits, gsize extra,
    guint32 ** extra_at, SortMemory * m, cudaStream_t stream, GError ** error)
{
  cub::DoubleBuffer < guint32 > keys, values;
  CsCudaCarver carver = { NULL, 0 };

  m->temp_size = 0;
  if (!cs_cuda_check (cub::DeviceRadixSort::SortPairs (NULL, m->temp_size,
              keys, values, (int) n, 0, bits, stream), "size up sorting",
          error))
    return FALSE;
  for (int pass = 0; pass < 2; pass++) {
    m->keys[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->keys[1] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[1] = CS_CUDA_CARVE (&carver, guint32, n);
    *extra_at = CS_CUDA_CARVE (&carver, guint32, extra);
    m->temp = CS_CUDA_CARVE (&carver, guint8, m->temp_size);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (scratch, carver.used,
          stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  return TRUE;
}

/* Sorts what is in the first buffers; tells where the result is. */
static gboolean
sort_pairs (SortMemory * m, gsize n, int bits, const guint32 ** keys,
    const guint32 ** values, cudaStream_t stream, GError ** error)
{
  cub::DoubleBuffer < guint32 > k (m->keys[0], m->keys[1]);
  cub::DoubleBuffer < guint32 > v (m->values[0], m->values[1]);

  if (!cs_cuda_check (cub::DeviceRadixSort::SortPairs (m->temp, m->temp_size,
              k, v, (int) n, 0, bits, stream), "sort marks", error))
    return FALSE;
  *keys = k.Current ();
  *values = v.Current ();
  return TRUE;
}

/* By depth, in buckets, and prepared. */
static gboolean
prepare_in_buckets (CsRasterOrderCuda * order, const PrepareArgs args,
    Buckets * buckets, cudaStream_t stream, GError ** error)
{
  const float *depths = args.p.depths;
  const guint32 n = args.p.n;
  CsCudaCarver carver = { NULL, 0 };
  guint32 *places = NULL, *result = NULL, n_buckets = MIN_BUCKETS;
  guint64 *entries = NULL;

  while (n_buckets < MAX_BUCKETS && n > n_buckets * EACH_BUCKET)
    n_buckets *= 2;
  for (int pass = 0; pass < 2; pass++) {
    result = CS_CUDA_CARVE (&carver, guint32, n);
    places = CS_CUDA_CARVE (&carver, guint32, n);
    entries = CS_CUDA_CARVE (&carver, guint64, n);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->sort,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  find_range <<< MIN (RANGE_BLOCKS, (n + 1023) / 1024), 1024, 0,
      stream >>> (depths, n, buckets);
  count_buckets <<< n_blocks (n), THREADS, 0, stream >>> (depths, n, n_buckets,
      buckets, places);
  fill_buckets <<< (n + 1023) / 1024, 1024, 0, stream >>> (depths, n,
      n_buckets, buckets, places, entries);
  sort_buckets <<< n_buckets, BUCKET_THREADS, 0, stream >>> (args, buckets,
      entries, result);
  order->order = result;
  return cs_cuda_check (cudaGetLastError (), "sort marks", error);
}

static gboolean
sort_by_depth (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    cudaStream_t stream, GError ** error)
{
  const guint32 *keys;
  guint32 *none;
  SortMemory m;

  if (!get_sort_memory (&order->sort, p->n, 32, 0, &none, &m, stream, error))
    return FALSE;
  make_keys <<< n_blocks (p->n), THREADS, 0, stream >>> (p->depths, p->n,
      m.keys[0], m.values[0]);
  return sort_pairs (&m, p->n, 32, &keys, &order->order, stream, error);
}

/* For each mark the first of its run. */
static gboolean
find_runs (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    const guint32 ** heads, cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  guint32 *from = NULL, *to = NULL;
  void *temp = NULL;
  size_t size = 0;

  if (!cs_cuda_check (cub::DeviceScan::InclusiveScan (NULL, size, from, to,
              cuda::maximum <> (), (int) p->n, stream), "size up a scan",
          error))
    return FALSE;
  for (int pass = 0; pass < 2; pass++) {
    from = CS_CUDA_CARVE (&carver, guint32, p->n);
    to = CS_CUDA_CARVE (&carver, guint32, p->n);
    temp = CS_CUDA_CARVE (&carver, guint8, size);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->sort,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  find_heads <<< n_blocks (p->n), THREADS, 0, stream >>> (p->marks, p->n,
      p->cut, p->has_gradients, from);
  *heads = to;
  return cs_cuda_check (cub::DeviceScan::InclusiveScan (temp, size, from, to,
          cuda::maximum <> (), (int) p->n, stream), "join groups", error);
}

static gboolean
make_bins (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    const guint32 * entries, gsize capacity, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  const guint32 per_row = (p->width + CS_RASTER_BIN - 1) / CS_RASTER_BIN;
  const guint32 n_bins = per_row *
      ((p->height + CS_RASTER_BIN - 1) / CS_RASTER_BIN);
  const guint32 *keys, *values;
  guint32 *extra;
  size_t size = 0;
  SortMemory m;
  int bits = 1;

  /* so that all ones, of what is not used, is no bin */
  while (((guint64) 1 << bits) <= n_bins)
    bits++;
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (NULL, size, entries,
              (guint32 *) NULL, (int) p->n, stream), "size up a scan", error))
    return FALSE;
  const gsize scan_words = (size + 255) / 256 * 64;
  const gsize offset_words = ((gsize) p->n + 63) / 64 * 64;
  if (!get_sort_memory (&order->binned, capacity, bits,
          offset_words + scan_words + n_bins + 1, &extra, &m, stream, error))
    return FALSE;
  guint32 *starts = extra + offset_words + scan_words;
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (extra + offset_words,
              size, entries, extra, (int) p->n, stream), "place marks",
          error) ||
      !cs_cuda_check (cudaMemsetAsync (m.keys[0], 0xff,
              capacity * sizeof (guint32), stream), "clear bins", error))
    return FALSE;
  emit_entries <<< n_blocks (p->n), THREADS, 0, stream >>> (
      order->sorted.marks, extra, p->n, p->width, p->height,
      (guint32) capacity, m.keys[0], m.values[0], counters);
  if (!sort_pairs (&m, capacity, bits, &keys, &values, stream, error))
    return FALSE;
  find_starts <<< n_blocks (capacity + 1), THREADS, 0, stream >>> (keys,
      (guint32) capacity, n_bins, starts);
  order->sorted.bins = values;
  order->sorted.starts = starts;
  order->sorted.bins_per_row = per_row;
  return TRUE;
}

/* Clears buckets and, if they are wanted, masks, in one go. */
static gboolean
begin_masks (CsRasterOrderCuda * order, PrepareArgs * args, Buckets ** buckets,
    cudaStream_t stream, GError ** error)
{
  const gsize n = args->p.has_masks ? cs_raster_cuda_mask_words (&args->p) : 0;
  CsCudaCarver carver = { NULL, 0 };

  for (int pass = 0; pass < 2; pass++) {
    *buckets = CS_CUDA_CARVE (&carver, Buckets, 1);
    args->masks = n > 0 ? CS_CUDA_CARVE (&carver, guint32, n) : NULL;
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->masks,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  args->mask_words = (args->p.n + 31) / 32;
  args->masks_per_row = (args->p.width + CS_RASTER_MASK - 1) / CS_RASTER_MASK;
  order->sorted.masks = args->masks;
  order->sorted.mask_words = args->mask_words;
  order->sorted.masks_per_row = args->masks_per_row;
  return cs_cuda_check (cudaMemsetAsync (carver.base, 0, carver.used, stream),
      "clear masks", error);
}

gsize
cs_raster_cuda_mask_words (const CsRasterPrepare * p)
{
  const gsize columns = (p->width + CS_RASTER_MASK - 1) / CS_RASTER_MASK;
  const gsize rows = (p->height + CS_RASTER_MASK - 1) / CS_RASTER_MASK;

  return columns * rows * ((p->n + 31) / 32);
}

/* Memory of prepared marks, where @args and @order->sorted then point. */
static gboolean
begin_order (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    CsRasterCounters * counters, PrepareArgs * args, cudaStream_t stream,
    GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  memset (&order->sorted, 0, sizeof (order->sorted));
  order->sorted.counters = counters;
  order->sorted.n = p->n;
  memset (args, 0, sizeof (*args));
  args->p = *p;
  args->counters = counters;
  for (int pass = 0; pass < 2 && p->n > 0; pass++) {
    args->reach = CS_CUDA_CARVE (&carver, float4, p->n);
    args->marks = CS_CUDA_CARVE (&carver, CsRasterMark, p->n);
    args->entries = CS_CUDA_CARVE (&carver, guint32, p->n);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->prepared,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  order->sorted.reach = args->reach;
  order->sorted.marks = args->marks;
  return TRUE;
}

gboolean
cs_raster_cuda_order_failed (CsRasterOrderCuda * order,
    const CsRasterPrepare * p, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  guint32 *result = NULL;
  guint64 *entries = NULL;
  PrepareArgs args;

  if (!begin_order (order, p, counters, &args, stream, error))
    return FALSE;
  for (int pass = 0; pass < 2 && p->depths; pass++) {
    result = CS_CUDA_CARVE (&carver, guint32, p->n);
    entries = CS_CUDA_CARVE (&carver, guint64, p->n);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->sort,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  if (p->depths)
    args.order = result;
  order_alone <<< 1, ALONE_THREADS, 0, stream >>> (args, entries, result);
  return cs_cuda_check (cudaGetLastError (), "order marks", error);
}

gboolean
cs_raster_cuda_order (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    gboolean keep_order, gsize capacity, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  Buckets *buckets = NULL;
  PrepareArgs args;

  if (!begin_order (order, p, counters, &args, stream, error) ||
      !cs_cuda_check (cudaMemsetAsync (counters, 0, sizeof (*counters),
              stream), "clear counters", error))
    return FALSE;
  if (p->n == 0)
    return TRUE;
  const gboolean has_buckets = p->depths && !keep_order && !p->is_skewed &&
      p->n <= MAX_BUCKETED;

  if ((p->has_masks || has_buckets) &&
      !begin_masks (order, &args, &buckets, stream, error))
    return FALSE;
  if (has_buckets) {
    if (!prepare_in_buckets (order, args, buckets, stream, error))
      return FALSE;
  } else {
    if (p->depths && !keep_order && !sort_by_depth (order, p, stream, error))
      return FALSE;
    if (!p->depths && p->has_runs && !find_runs (order, p, &args.heads, stream,
            error))
      return FALSE;
    args.order = p->depths ? order->order : NULL;
    prepare_marks <<< n_blocks ((p->n + PREPARE_EACH - 1) / PREPARE_EACH),
        THREADS, 0, stream >>> (args);
  }
  if (capacity > 0 && !make_bins (order, p, args.entries, capacity, counters,
          stream, error))
    return FALSE;
  return cs_cuda_check (cudaGetLastError (), "order marks", error);
}

void
cs_raster_cuda_order_clear (CsRasterOrderCuda * order, cudaStream_t stream)
{
  cs_cuda_scratch_clear (&order->sort, stream);
  cs_cuda_scratch_clear (&order->prepared, stream);
  cs_cuda_scratch_clear (&order->binned, stream);
  cs_cuda_scratch_clear (&order->masks, stream);
}
