/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting some hundred thousand marks by depth, and preparing them, in few
 * kernels: a radix sort of so few takes a dozen microseconds a pass, of waiting.
 * Depths are spread over buckets by their value, evenly between the least and
 * the greatest, and each bucket is sorted by a block, by depth and index
 * together, so that the order is that of a stable sort. If a bucket has no room,
 * one block sorts all marks, which is slow but right, and that is reported, so
 * that the next picture's marks take the other way. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_put.cuh"

/* Marks that a bucket has on an average, as long as there are more buckets, and
 * that it has room for. */
#define MIN_BUCKETS 1024
#define MAX_BUCKETS 4096
#define EACH_BUCKET 64
#define ROOM 1024

/* More are sorted faster otherwise: a bucket's marks are compared each with
 * each. */
#define MAX_BUCKETED (MAX_BUCKETS * EACH_BUCKET)

#define RANGE_BLOCKS 64
#define RANGE_THREADS 1024
#define SCATTER_THREADS 256
#define SCATTER_EACH 4
#define BUCKET_THREADS 64
#define ALONE_THREADS 1024

/* @least, @greatest: of each block's finite depths, ordered like floats:
 * cs_raster_time_key() of the negative least and of the greatest, 0 without
 * @tallies: what each block has counted */
struct Buckets
{
  guint32 counts[MAX_BUCKETS];
  unsigned least[RANGE_BLOCKS], greatest[RANGE_BLOCKS];
  Tally tallies[RANGE_BLOCKS];
};

struct BucketArgs
{
  PrepareArgs prepare;
  Buckets *buckets;
  guint64 *entries;             /* ROOM for each bucket */
  guint32 *order;
  guint32 n_buckets;
  gsize all_mask_words;
};

static __device__ __forceinline__ void
clear (void *words, gsize n)
{
  const gsize first = (gsize) blockIdx.x * RANGE_THREADS + threadIdx.x;

  for (gsize i = first; i < n; i += RANGE_BLOCKS * RANGE_THREADS)
    ((guint32 *) words)[i] = 0;
}

/* The range of depths, and what marks count; clears what the kernels after it
 * count in. */
static __global__ void __launch_bounds__ (RANGE_THREADS)
find_range (const __grid_constant__ BucketArgs a)
{
  __shared__ unsigned shared[2];
  const CsRasterPrepare & p = a.prepare.p;
  unsigned least = 0, greatest = 0;
  Tally tally = { 0, 0, 0, false };

  clear (a.buckets->counts, a.n_buckets);
  clear (a.prepare.counters, sizeof (CsRasterCounters) / sizeof (guint32));
  clear (a.prepare.masks, a.all_mask_words);
  if (threadIdx.x < 2)
    shared[threadIdx.x] = 0;
  __syncthreads ();
  for (guint32 i = blockIdx.x * RANGE_THREADS + threadIdx.x; i < p.n;
      i += RANGE_BLOCKS * RANGE_THREADS) {
    const float depth = p.depths[i];
    const CsMark from = load_mark_as_given (p.marks, i);
    CsRasterMark mark;

    if (prepare_geometry (p, from, &mark))
      tally_mark (mark, p.width, p.height, tally);
    else
      tally.dropped++;
    if (isfinite (depth)) {
      least = max (least, cs_raster_time_key (-depth));
      greatest = max (greatest, cs_raster_time_key (depth));
    }
  }
  least = cs_warp_max (least);
  greatest = cs_warp_max (greatest);
  if (threadIdx.x % 32 == 0) {
    atomicMax (&shared[0], least);
    atomicMax (&shared[1], greatest);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    a.buckets->least[blockIdx.x] = shared[0];
    a.buckets->greatest[blockIdx.x] = shared[1];
  }
  add_up (tally, &a.buckets->tallies[blockIdx.x]);
}

struct Depths
{
  float least, greatest, size;  /* of all, and of a bucket */
};

/* What all blocks have counted; a whole warp comes here. */
static __device__ __forceinline__ void
publish_tallies (const BucketArgs & a)
{
  CsRasterCounters *counters = a.prepare.counters;
  Tally tally = { 0, 0, 0, false };

  for (unsigned i = threadIdx.x; i < RANGE_BLOCKS; i += 32) {
    const Tally & other = a.buckets->tallies[i];

    tally.dropped += other.dropped;
    tally.entries += other.entries;
    tally.area += other.area;
    tally.is_mixed |= other.is_mixed;
  }
  tally = sum_of_warp (tally);
  if (threadIdx.x == 0) {
    counters->dropped = tally.dropped;
    counters->entries = tally.entries;
    counters->area = tally.area;
    counters->mixed = tally.is_mixed;
  }
}

/* Of all depths; whole warps come here. */
static __device__ __forceinline__ Depths
load_range (const BucketArgs & a)
{
  const unsigned lane = threadIdx.x % 32;
  unsigned least = 0, greatest = 0;
  Depths range = { 0, 0, 0 };

#pragma unroll
  for (unsigned i = 0; i < RANGE_BLOCKS; i += 32) {
    least = max (least, a.buckets->least[i + lane]);
    greatest = max (greatest, a.buckets->greatest[i + lane]);
  }
  least = cs_warp_max (least);
  greatest = cs_warp_max (greatest);
  if (greatest != 0) {
    range.least = -cs_raster_key_time (least);
    range.greatest = cs_raster_key_time (greatest);
  }
  range.size = (range.greatest - range.least) / a.n_buckets;
  return range;
}

/* Farther depths come first. Never decreases where depths do not increase. */
static __device__ __forceinline__ guint32
bucket_of (float depth, const Depths & range, guint32 n_buckets)
{
  if (!(depth < range.greatest))        /* NaN too */
    return 0;
  if (!(range.size > 0) || !isfinite (range.size))
    return n_buckets - 1;
  const float at = (range.greatest - fmaxf (depth, range.least)) / range.size;
  return min ((guint32) at, n_buckets - 1);
}

static __global__ void __launch_bounds__ (SCATTER_THREADS)
put_into_buckets (const __grid_constant__ BucketArgs a)
{
  const CsRasterPrepare & p = a.prepare.p;
  const guint32 first = blockIdx.x * (SCATTER_EACH * SCATTER_THREADS) +
      threadIdx.x;
  float depths[SCATTER_EACH];
  guint32 buckets[SCATTER_EACH], slots[SCATTER_EACH];

#pragma unroll
  for (int j = 0; j < SCATTER_EACH; j++) {
    if (first + j * SCATTER_THREADS < p.n)
      depths[j] = p.depths[first + j * SCATTER_THREADS];
  }
  const Depths range = load_range (a);

#pragma unroll
  for (int j = 0; j < SCATTER_EACH; j++) {
    if (first + j * SCATTER_THREADS < p.n) {
      buckets[j] = bucket_of (depths[j], range, a.n_buckets);
      slots[j] = atomicAdd (&a.buckets->counts[buckets[j]], 1);
    }
  }
#pragma unroll
  for (int j = 0; j < SCATTER_EACH; j++) {
    const guint32 i = first + j * SCATTER_THREADS;

    if (i >= p.n)
      continue;
    if (slots[j] < ROOM)
      a.entries[(gsize) buckets[j] * ROOM + slots[j]] =
          (guint64) cs_raster_depth_key (depths[j]) << 32 | i;
    else
      a.prepare.counters->skewed = 1;
  }
  if (blockIdx.x == 0 && threadIdx.x < 32)
    publish_tallies (a);
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

/* Writes mark @index where it belongs in the order of depths. */
static __device__ __forceinline__ void
place_mark (const BucketArgs & a, guint32 place, guint32 index)
{
  const CsMark from = load_mark_as_given (a.prepare.p.marks, index);
  Tally counted = { 0, 0, 0, false };   /* by find_range() */

  a.order[place] = index;
  put_mark (a.prepare, a.prepare.p.n - 1 - place, from, from.rgba, place,
      counted);
}

/* How many marks there are in all buckets before this block's; all of the block
 * come here. */
static __device__ __forceinline__ guint32
count_before (const BucketArgs & a)
{
  __shared__ guint32 sums[BUCKET_THREADS / 32];
  guint32 sum = 0, total;

  for (guint32 i = threadIdx.x; i < blockIdx.x; i += BUCKET_THREADS)
    sum += a.buckets->counts[i];
  cs_block_count_before < BUCKET_THREADS / 32 > (sums, cs_warp_sum (sum),
      &total);
  return total;
}

/* A block for each bucket; prepares what it has sorted. */
static __global__ void __launch_bounds__ (BUCKET_THREADS)
sort_buckets (const __grid_constant__ BucketArgs a)
{
  __shared__ guint64 entries[ROOM];
  const guint64 *from = a.entries + (gsize) blockIdx.x * ROOM;

  if (a.prepare.counters->skewed)
    return;
  const guint32 n = a.buckets->counts[blockIdx.x];

  for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS)
    entries[i] = from[i];
  const guint32 start = count_before (a);

  /* few: how many are before it is each one's place */
  if (n <= 4 * BUCKET_THREADS) {
    for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS) {
      const guint64 entry = entries[i];
      guint32 place = start;

      for (guint32 j = 0; j < n; j++)
        place += entries[j] < entry;
      place_mark (a, place, (guint32) entry);
    }
  } else {
    sort_entries < BUCKET_THREADS > (entries, n);
    for (guint32 i = threadIdx.x; i < n; i += BUCKET_THREADS)
      place_mark (a, start + i, (guint32) entries[i]);
  }
}

/* What is needed where buckets, or the tiles of the direct way, had no room, by
 * one block: that happens in a picture of which the one before it gave no
 * idea. Marks have been counted. */
static __global__ void __launch_bounds__ (ALONE_THREADS)
order_alone (const __grid_constant__ BucketArgs a)
{
  const CsRasterPrepare & p = a.prepare.p;
  Tally counted = { 0, 0, 0, false };

  if (!a.prepare.counters->skewed && !a.prepare.counters->direct_failed)
    return;
  if (p.depths) {
    for (guint32 i = threadIdx.x; i < p.n; i += ALONE_THREADS)
      a.entries[i] = (guint64) cs_raster_depth_key (p.depths[i]) << 32 | i;
    __syncthreads ();
    sort_entries < ALONE_THREADS > (a.entries, p.n);
    for (guint32 i = threadIdx.x; i < p.n; i += ALONE_THREADS)
      a.order[i] = (guint32) a.entries[i];
    __syncthreads ();
  }
  for (guint32 i = threadIdx.x; i < p.n; i += ALONE_THREADS)
    prepare_mark (a.prepare, i, counted);
}

/* Memory for @n_entries. */
static gboolean
begin_buckets (CsRasterOrderCuda * order, BucketArgs * args, gsize n_entries,
    cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  do {
    args->order = CS_CUDA_CARVE (&carver, guint32, args->prepare.p.n);
    args->buckets = CS_CUDA_CARVE (&carver, Buckets, 1);
    args->entries = CS_CUDA_CARVE (&carver, guint64, n_entries);
  } while (cs_cuda_carve_again (&carver, &order->sort, stream, error));
  return carver.base != NULL;
}

gboolean
cs_raster_cuda_has_buckets (const CsRasterPrepare * p)
{
  return p->depths && !p->is_skewed && p->n <= MAX_BUCKETED;
}

/* Clears counters and masks, and puts marks into buckets, as far as they have
 * room. */
static gboolean
fill_buckets (CsRasterOrderCuda * order, const PrepareArgs * prepare,
    BucketArgs * args, cudaStream_t stream, GError ** error)
{
  const guint32 n = prepare->p.n;

  args->prepare = *prepare;
  args->n_buckets = MIN_BUCKETS;
  while (args->n_buckets < MAX_BUCKETS && n > args->n_buckets * EACH_BUCKET)
    args->n_buckets *= 2;
  args->all_mask_words = prepare->masks ?
      cs_raster_cuda_mask_words (&prepare->p) : 0;
  if (!begin_buckets (order, args, (gsize) args->n_buckets * ROOM, stream,
          error))
    return FALSE;
  find_range <<< RANGE_BLOCKS, RANGE_THREADS, 0, stream >>> (*args);
  put_into_buckets <<< cs_cuda_blocks (n, SCATTER_EACH * SCATTER_THREADS),
      SCATTER_THREADS, 0, stream >>> (*args);
  return TRUE;
}

gboolean
cs_raster_cuda_prepare_in_buckets (CsRasterOrderCuda * order,
    const PrepareArgs * prepare, cudaStream_t stream, GError ** error)
{
  BucketArgs args;

  if (!fill_buckets (order, prepare, &args, stream, error))
    return FALSE;
  sort_buckets <<< args.n_buckets, BUCKET_THREADS, 0, stream >>> (args);
  args.prepare.order = order->order = args.order;
  order_alone <<< 1, ALONE_THREADS, 0, stream >>> (args);
  return cs_cuda_check (cudaGetLastError (), "sort marks", error);
}

gboolean
cs_raster_cuda_prepare_alone (CsRasterOrderCuda * order,
    const PrepareArgs * prepare, cudaStream_t stream, GError ** error)
{
  BucketArgs args;

  memset (&args, 0, sizeof (args));
  args.prepare = *prepare;
  if (prepare->p.depths) {
    if (!begin_buckets (order, &args, prepare->p.n, stream, error))
      return FALSE;
    args.prepare.order = args.order;
  }
  order_alone <<< 1, ALONE_THREADS, 0, stream >>> (args);
  return cs_cuda_check (cudaGetLastError (), "order marks", error);
}
