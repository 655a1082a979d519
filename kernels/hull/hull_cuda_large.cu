/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set with too many survivors, such as points on a circle: sort all, chain
 * within blocks, then join adjacent chains level by level. */
#include "base/cuda_sort.h"
#include "hull_device.cuh"

#define CHUNK CS_HULL_BLOCK_POINTS
#define CHUNK_THREADS 512
#define EACH (CHUNK / CHUNK_THREADS)
#define JOIN_THREADS 256
#define NOT_FINITE (~(guint64) 0)

/**
 * Large:
 * @source, @numbers, @first, @n: the points; @numbers sorted
 * @key, @other_key: sorting keys: x and y of types of 32 bits, else one of them
 * @number, @other_number: indices sorted by them
 * @xy: points in order
 * @chain: for each side (0 lower, 1 upper) two buffers of positions in @xy, a
 *     node's from its first position on
 * @length: of each node's chain, for each side
 * @kept, @from: as ChainSpace, for each side and pair
 * @counters: distinct points, ignored points
 */
typedef struct
{
  HullSource source;
  const guint32 *numbers;
  guint32 first, n, n_chunks;
  guint64 *key, *other_key;
  guint32 *number, *other_number;
  double2 *xy;
  guint32 *chain[2][2], *length[2][2], *kept[2], *from[2];
  guint32 *counters;
} Large;

static __device__ __forceinline__ guint32
key_32 (double value, CsHullType type)
{
  if (type == CS_HULL_I32)
    return (guint32) (gint32) value ^ 0x80000000u;
  const guint32 bits = __float_as_uint ((float) value + 0.f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The coordinate of a key, without the sign of 0. */
static __device__ __forceinline__ double
value_32 (guint32 key, CsHullType type)
{
  if (type == CS_HULL_I32)
    return (gint32) (key ^ 0x80000000u);
  return __uint_as_float (key >> 31 ? key & 0x7fffffffu : ~key);
}

static __global__ void
first_key_kernel (Large large)
{
  guint32 n_ignored = 0;

  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < large.n;
      i += gridDim.x * blockDim.x) {
    const guint32 number = large.numbers ? large.numbers[i] : large.first + i;
    double x, y;

    load_point (large.source, number, &x, &y);
    large.number[i] = number;
    if (!is_finite (x, y)) {
      large.key[i] = NOT_FINITE;
      n_ignored++;
    } else if (large.source.type == CS_HULL_F64) {
      large.key[i] = cs_hull_key (y);
    } else {
      large.key[i] = (guint64) key_32 (x, large.source.type) << 32 |
          key_32 (y, large.source.type);
    }
  }
  if (n_ignored)
    atomicAdd (&large.counters[1], n_ignored);
}

/* After the sort by y: keys to sort by x. */
static __global__ void
second_key_kernel (Large large, const guint32 * number)
{
  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < large.n;
      i += gridDim.x * blockDim.x) {
    double x, y;

    load_point (large.source, number[i], &x, &y);
    large.key[i] = is_finite (x, y) ? cs_hull_key (x) : NOT_FINITE;
  }
}

/* The points in order: from sorted keys that have both coordinates, or from
 * where they are. */
static __global__ void
gather_kernel (Large large, const guint64 * key, const guint32 * number)
{
  const CsHullType type = large.source.type;

  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < large.n;
      i += gridDim.x * blockDim.x) {
    double x, y;

    if (type == CS_HULL_F64) {
      load_point (large.source, number[i], &x, &y);
    } else {
      x = value_32 (key[i] >> 32, type);
      y = value_32 ((guint32) key[i], type);
    }
    if (!is_finite (x, y))
      x = y = INFINITY;
    large.xy[i] = make_double2 (x, y);
  }
}

static __device__ __forceinline__ bool
same_point (double2 a, double2 b)
{
  return a.x == b.x && a.y == b.y;
}

/* Whether the point is certainly beyond the line from @a to @b, to its left if
 * @left is 1, to its right if -1. Products that may have underflowed say
 * nothing. */
static __device__ __forceinline__ bool
is_beyond (double2 a, double2 b, double2 p, int left)
{
  const double u = (b.x - a.x) * (p.y - a.y), v = (b.y - a.y) * (p.x - a.x);
  const double size = fabs (u) + fabs (v);

  return size > 0x1p-900 && left * (u - v) > 0x1p-48 * size;
}

/* The slots of a chunk's points, each once, without those that are beyond the
 * line from the first to the last one; their number to all. */
static __device__ guint
fill_chunk (const Large & large, ChainSpace & s, guint32 start, int above)
{
  __shared__ guint32 counts[CHUNK_THREADS / 32];
  const guint32 last = min (start + CHUNK, large.n) - 1;
  const double2 a = large.xy[start], b = large.xy[last];
  bool is_point[EACH], keeps[EACH];
  guint32 n_points = 0, n_kept = 0, n;
  double2 p[EACH];

#pragma unroll
  for (guint k = 0; k < EACH; k++) {
    const guint32 i = start + threadIdx.x * EACH + k;

    p[k] = large.xy[min (i, last)];
    is_point[k] = i <= last && p[k].x < INFINITY && (i == 0 ||
        !same_point (p[k], large.xy[i - 1]));
    keeps[k] = is_point[k] && !(b.x < INFINITY && is_beyond (a, b, p[k],
            -above));
    n_points += is_point[k];
    n_kept += keeps[k];
  }
  if (above < 0) {
    n_points = cs_warp_sum (n_points);
    if (threadIdx.x % 32 == 0 && n_points)
      atomicAdd (&large.counters[0], n_points);
  }
  const guint32 sum = cs_warp_inclusive_sum (n_kept);
  guint slot = sum - n_kept +
      cs_block_count_before<CHUNK_THREADS / 32> (counts, __shfl_sync (
          CS_ALL_LANES, sum, 31), &n);
#pragma unroll
  for (guint k = 0; k < EACH; k++)
    if (keeps[k])
      s.put (slot++, p[k].x, p[k].y, start + threadIdx.x * EACH + k);
  return n;
}

/* The chain of a chunk: blockIdx.y is the side. */
static __global__ void __launch_bounds__ (CHUNK_THREADS)
chunk_kernel (Large large, gboolean collinear)
{
  __shared__ double memory[(CHUNK * 22 + CHUNK / CHAIN_RUN * 2 +
          CHUNK / (2 * CHAIN_RUN) * 8) / sizeof (double)];
  ChainSpace s (memory, CHUNK);
  const BlockTeam team;
  const guint32 chunk = blockIdx.x, side = blockIdx.y;
  const guint32 start = chunk * CHUNK;
  const int above = side == 0 ? -1 : 1;
  const guint n = fill_chunk (large, s, start, above), slots = slots_for (n);

  for (guint i = n + team.rank; i < slots; i += team.size ())
    s.clear (i);
  team.sync ();
  const guint length = make_chain (team, s, slots, above, collinear ? 1 : 0);
  for (guint i = team.rank; i < length; i += team.size ())
    large.chain[side][0][start + i] = s.index[s.chain[i]];
  if (team.rank == 0)
    large.length[side][0][chunk] = length;
}

/* --- Joining -------------------------------------------------------------- */

static __device__ __forceinline__ int
orient_at (const double2 * xy, guint32 a, guint32 b, guint32 c)
{
  return cs_orient (xy[a].x, xy[a].y, xy[b].x, xy[b].y, xy[c].x, xy[c].y);
}

/* tangent() of hull_device.cuh */
static __device__ guint32
tangent_at (const double2 * xy, guint32 u, const guint32 * right, guint32 n,
    int above, int min_sign)
{
  guint32 low = 0, high = n - 1;

  while (low < high) {
    const guint32 middle = (low + high) / 2;

    if (above * orient_at (xy, u, right[middle], right[middle + 1]) >= min_sign)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The bridge of pair blockIdx.x on side blockIdx.y, by a search of the left
 * chain with as many probes per step as threads: its left end is the first
 * point at which bridge_is_right() does not hold. */
static __global__ void __launch_bounds__ (JOIN_THREADS)
bridge_kernel (Large large, guint32 run, guint buffer, gboolean collinear)
{
  __shared__ guint32 last_right, first_other;
  const guint32 pair = blockIdx.x, side = blockIdx.y;
  const int above = side == 0 ? -1 : 1, min_sign = collinear ? 1 : 0;
  const guint32 *left = large.chain[side][buffer] + (gsize) 2 * pair * run;
  const guint32 *right = left + run;
  const guint32 n_left = large.length[side][buffer][2 * pair];
  const guint32 n_right = large.length[side][buffer][2 * pair + 1];
  guint32 low = 0, high = n_left - 1;

  if (n_left == 0 || n_right == 0) {
    if (threadIdx.x == 0) {
      large.kept[side][pair] = n_left;
      large.from[side][pair] = 0;
    }
    return;
  }
  while (low < high) {
    /* the last one is not to the left of the bridge's left end */
    const guint32 u = low + (guint32) ((guint64) (high - low) * threadIdx.x /
        JOIN_THREADS);

    __syncthreads ();
    if (threadIdx.x == 0) {
      last_right = low;
      first_other = high;
    }
    __syncthreads ();
    const guint32 t = right[tangent_at (large.xy, left[u], right, n_right,
            above, min_sign)];

    if (above * orient_at (large.xy, left[u], t, left[u + 1]) >= 1 - min_sign)
      atomicMax (&last_right, u + 1);
    else
      atomicMin (&first_other, u);
    __syncthreads ();
    low = last_right;
    high = first_other;
  }
  if (threadIdx.x == 0) {
    large.kept[side][pair] = low + 1;
    large.from[side][pair] = tangent_at (large.xy, left[low], right, n_right,
        above, min_sign);
  }
}

/* Moves the joined chains of pair blockIdx.x to the other buffer; side
 * blockIdx.y; blockIdx.z takes its part of them. */
static __global__ void
join_kernel (Large large, guint32 run, guint buffer, guint32 n_nodes)
{
  const guint32 side = blockIdx.y, pair = blockIdx.x;
  const bool joined = 2 * pair + 1 < n_nodes;
  const guint32 *from = large.chain[side][buffer] + (gsize) 2 * pair * run;
  guint32 *to = large.chain[side][1 - buffer] + (gsize) 2 * pair * run;
  const guint32 *lengths = large.length[side][buffer];
  const guint32 n_left = lengths[2 * pair];
  const guint32 n_right = joined ? lengths[2 * pair + 1] : 0;
  const guint32 kept = joined ? large.kept[side][pair] : n_left;
  const guint32 skipped = joined ? large.from[side][pair] : 0;
  const guint32 length = kept + n_right - skipped;
  const guint32 rank = blockIdx.z * blockDim.x + threadIdx.x;

  for (guint32 i = rank; i < length; i += gridDim.z * blockDim.x)
    to[i] = i < kept ? from[i] : from[run + i - kept + skipped];
  if (rank == 0)
    large.length[side][1 - buffer][pair] = length;
}

static __global__ void
hull_kernel (Large large, guint buffer, const guint32 * number,
    guint32 * hull, guint32 * count, HullHeader * header)
{
  const guint32 n_lower = large.length[0][buffer][0];
  const guint32 n_upper = large.length[1][buffer][0];
  const guint32 n_points = large.counters[0];
  const guint32 rank = blockIdx.x * blockDim.x + threadIdx.x;
  const bool there_and_back = n_points < 2 || (n_lower == n_points &&
      n_upper == n_points);

  for (guint32 i = rank; i < n_lower; i += gridDim.x * blockDim.x)
    hull[i] = number[large.chain[0][buffer][i]];
  for (guint32 i = rank + 1; !there_and_back && i + 1 < n_upper;
      i += gridDim.x * blockDim.x)
    hull[n_lower + n_upper - 2 - i] = number[large.chain[1][buffer][i]];
  if (rank == 0) {
    *count = there_and_back ? n_lower : n_lower + n_upper - 2;
    if (header)
      header->n_ignored += large.counters[1];
  }
}

/* --- Host ----------------------------------------------------------------- */

/* Carves scratch memory for @n points. */
static gboolean
carve_large (HullCuda * cuda, Large * large, guint32 ** numbers,
    void **temporary, gsize * temporary_size, GError ** error)
{
  const guint32 n = large->n, n_chunks = large->n_chunks;
  guint64 *keys[2] = { NULL, NULL };
  guint32 *values[2] = { NULL, NULL };
  gsize size = 0, other_size = 0;
  CsCudaCarver carver = { NULL, 0 };

  if (!cs_cuda_check (cs_cuda_sort_pairs_u64 (NULL, &size, keys, values, n,
              64, cuda->stream), "plan a sort", error) ||
      !cs_cuda_check (cs_cuda_sort_keys_u32 (NULL, &other_size, NULL, NULL, n,
              32, cuda->stream), "plan a sort", error))
    return FALSE;
  *temporary_size = MAX (size, other_size);
  do {
    large->key = CS_CUDA_CARVE (&carver, guint64, n);
    large->other_key = CS_CUDA_CARVE (&carver, guint64, n);
    large->number = CS_CUDA_CARVE (&carver, guint32, n);
    large->other_number = CS_CUDA_CARVE (&carver, guint32, n);
    large->xy = CS_CUDA_CARVE (&carver, double2, n);
    for (guint side = 0; side < 2; side++) {
      for (guint buffer = 0; buffer < 2; buffer++) {
        large->chain[side][buffer] = CS_CUDA_CARVE (&carver, guint32, n);
        large->length[side][buffer] =
            CS_CUDA_CARVE (&carver, guint32, n_chunks + 1);
      }
      large->kept[side] = CS_CUDA_CARVE (&carver, guint32, n_chunks + 1);
      large->from[side] = CS_CUDA_CARVE (&carver, guint32, n_chunks + 1);
    }
    large->counters = CS_CUDA_CARVE (&carver, guint32, 2);
    *numbers = CS_CUDA_CARVE (&carver, guint32, n);
    *temporary = cs_cuda_carve (&carver, *temporary_size, 1);
  } while (cs_cuda_carve_again (&carver, &cuda->large, cuda->stream, error));
  return carver.base != NULL;
}

static guint
blocks_for (const HullCuda * cuda, guint32 n)
{
  return MIN ((n + 255) / 256, 16 * cuda->n_multiprocessors);
}

/* Sorts indices in lexicographic order of their points, then by index. */
static gboolean
sort_large (HullCuda * cuda, Large * large, void *temporary,
    gsize temporary_size, const guint32 ** sorted, GError ** error)
{
  guint64 *keys[2] = { large->key, large->other_key };
  guint32 *numbers[2] = { large->number, large->other_number };
  const guint blocks = blocks_for (cuda, large->n);

  first_key_kernel <<< blocks, 256, 0, cuda->stream >>> (*large);
  if (!cs_cuda_check (cs_cuda_sort_pairs_u64 (temporary, &temporary_size, keys,
              numbers, large->n, 64, cuda->stream), "sort", error))
    return FALSE;
  if (large->source.type == CS_HULL_F64) {
    large->key = keys[0];
    second_key_kernel <<< blocks, 256, 0, cuda->stream >>> (*large, numbers[0]);
    if (!cs_cuda_check (cs_cuda_sort_pairs_u64 (temporary, &temporary_size, keys,
                numbers, large->n, 64, cuda->stream), "sort", error))
      return FALSE;
    cs_hull_take (CS_HULL_SORT_BOTH);
  }
  *sorted = numbers[0];
  gather_kernel <<< blocks, 256, 0, cuda->stream >>> (*large, keys[0],
      *sorted);
  return TRUE;
}

gboolean
cs_hull_cuda_large (HullCuda * cuda, const HullSource * source,
    const guint32 * numbers, guint32 first, guint32 n, const HullLists * lists,
    guint32 set, HullHeader * header, GError ** error)
{
  const gboolean collinear = cuda->params->include_collinear;
  Large large = { *source, NULL, first, n, (n + CHUNK - 1) / CHUNK };
  guint32 *sorted_numbers, run, n_nodes;
  const guint32 *sorted;
  gsize temporary_size;
  void *temporary;
  guint buffer = 0;

  if (!carve_large (cuda, &large, &sorted_numbers, &temporary,
          &temporary_size, error))
    return FALSE;
  if (!cs_cuda_check (cudaMemsetAsync (large.counters, 0,
              2 * sizeof (guint32), cuda->stream), "clear counters", error))
    return FALSE;
  /* unordered indices: sort them, for the lowest index of equal points */
  if (numbers) {
    if (!cs_cuda_check (cs_cuda_sort_keys_u32 (temporary, &temporary_size,
                numbers, sorted_numbers, n, 32, cuda->stream), "sort", error))
      return FALSE;
    large.numbers = sorted_numbers;
  }
  if (!sort_large (cuda, &large, temporary, temporary_size, &sorted, error))
    return FALSE;

  chunk_kernel <<< dim3 (large.n_chunks, 2), CHUNK_THREADS, 0,
      cuda->stream >>> (large, collinear);
  for (run = CHUNK, n_nodes = large.n_chunks; n_nodes > 1;
      run *= 2, n_nodes = (n_nodes + 1) / 2, buffer = 1 - buffer) {
    if (n_nodes % 2)
      cs_hull_take (CS_HULL_ODD_CHUNKS);
    bridge_kernel <<< dim3 (n_nodes / 2, 2), JOIN_THREADS, 0,
        cuda->stream >>> (large, run, buffer, collinear);
    join_kernel <<< dim3 ((n_nodes + 1) / 2, 2, 1 + 256 / n_nodes), 256, 0,
        cuda->stream >>> (large, run, buffer, n_nodes);
  }
  hull_kernel <<< blocks_for (cuda, n), 256, 0, cuda->stream >>> (large,
      buffer, sorted, lists->hull + first, lists->count + set, header);
  return cs_cuda_check (cudaGetLastError (), "launch a large hull", error);
}
