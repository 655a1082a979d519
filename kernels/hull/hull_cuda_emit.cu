/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of hulls: their places in the result, their points and records;
 * and the points of a class's hulls as a set. */
#include "base/cuda_sort.h"
#include "hull_emit.cuh"

#define EMIT_THREADS 256
/* Vertices of a hull that a warp emits. */
#define EMIT_WARP 128

/* Numbers of hulls and of points that precede a set's. */
typedef CsCudaPair Place;

static __global__ void
place_kernel (const guint32 * count, guint32 n_sets, guint32 closing,
    Place * places)
{
  const guint32 set = blockIdx.x * blockDim.x + threadIdx.x;

  if (set <= n_sets) {
    /* unfinished sets are emitted in a later launch */
    const guint32 n = set < n_sets && count[set] != CS_HULL_UNFINISHED ?
        count[set] : 0;

    places[set].first = n > 0;
    places[set].second = n > 0 ? n + closing : 0;
  }
}

static __device__ guint32
list_start (const HullJob & job, guint32 set)
{
  return job.offsets ? min (job.offsets[set], job.n) : 0;
}

/* emit_hull() for a tiny strict hull with basic measures, by one thread in one
 * pass. */
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

/* The number of vertices of set @set; 0 if there is no such set. */
static __device__ __forceinline__ guint32
count_of (const HullJob & job, const HullLists & lists, guint32 set)
{
  return set < job.n_sets ? lists.count[set] : 0;
}

/* Up to how many vertices a thread emits a hull alone: features take it long. */
static __device__ __forceinline__ guint32
alone_up_to (const HullJob & job)
{
  return job.out_features ? 12 : CS_HULL_TINY;
}

template <typename Team> static __device__ void
emit_set (const Team & team, const HullJob & job, const HullLists & lists,
    const Place * places, guint32 set)
{
  const guint32 start = list_start (job, set);

  emit_hull (team, job, set, places[set].first, lists.hull + start,
      lists.count[set], places[set].second, lists.vertices + start,
      lists.strict + start);
}

/* Sets of tiny hulls, by a thread each. */
static __device__ void
emit_tiny_sets (const HullJob & job, const HullLists & lists,
    const Place * places)
{
  for (guint32 set = blockIdx.x * EMIT_THREADS + threadIdx.x; set < job.n_sets;
      set += gridDim.x * EMIT_THREADS) {
    const guint32 n = lists.count[set], start = list_start (job, set);

    if (n == 0 || n > alone_up_to (job))
      continue;
    if (!job.out_features && !job.collinear)
      emit_tiny (job, set, places[set].first, lists.hull + start, n,
          places[set].second);
    else
      emit_set (SoloTeam (), job, lists, places, set);
  }
}

/* The other ones, which are spread over the blocks, by a warp or a block
 * each. */
static __device__ void
emit_larger_sets (const HullJob & job, const HullLists & lists,
    const Place * places)
{
  __shared__ guint32 of_warps[EMIT_THREADS], of_blocks[EMIT_THREADS];
  __shared__ guint32 n_of_warps, n_of_blocks;

  for (guint32 first = blockIdx.x; first < job.n_sets;
      first += gridDim.x * EMIT_THREADS) {
    const guint32 set = first + threadIdx.x * gridDim.x;
    const guint32 n = count_of (job, lists, set);

    if (threadIdx.x == 0)
      n_of_warps = n_of_blocks = 0;
    __syncthreads ();
    if (n > alone_up_to (job) && n <= EMIT_WARP)
      of_warps[atomicAdd (&n_of_warps, 1)] = set;
    else if (n > EMIT_WARP && n <= CS_HULL_LARGE)
      of_blocks[atomicAdd (&n_of_blocks, 1)] = set;
    __syncthreads ();
    for (guint i = threadIdx.x / 32; i < n_of_warps; i += EMIT_THREADS / 32)
      emit_set (WarpTeam (), job, lists, places, of_warps[i]);
    __syncthreads ();
    for (guint i = 0; i < n_of_blocks; i++)
      emit_set (BlockTeam (), job, lists, places, of_blocks[i]);
    __syncthreads ();
  }
}

static __global__ void __launch_bounds__ (EMIT_THREADS)
emit_kernel (HullJob job, HullLists lists, const Place * places)
{
  emit_tiny_sets (job, lists, places);
  emit_larger_sets (job, lists, places);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    job.header->n_hulls = places[job.n_sets].first;
    job.header->n_points = places[job.n_sets].second;
    job.out_offsets[places[job.n_sets].first] = places[job.n_sets].second;
  }
}

static __device__ __forceinline__ bool
is_large (guint32 count)
{
  return count > CS_HULL_LARGE && count != CS_HULL_UNFINISHED;
}

/* The points of a single large hull, by the whole grid. */
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
        emit_vertices (team, job, lists.hull + start, n, places[set].second,
            lists.vertices + start);
      emit_record (team, job, set, places[set].first, n, places[set].second,
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

  if (!cs_cuda_check (cs_cuda_sum_pairs (NULL, &size, places, sums, n + 1,
              cuda->stream), "plan a scan", error))
    return FALSE;
  do {
    places = CS_CUDA_CARVE (&carver, Place, n + 1);
    sums = CS_CUDA_CARVE (&carver, Place, n + 1);
    temporary = cs_cuda_carve (&carver, size, 1);
  } while (cs_cuda_carve_again (&carver, &cuda->places, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  place_kernel <<< n / 256 + 1, 256, 0, cuda->stream >>> (lists->count, n,
      job->closed ? 1 : 0, places);
  if (!cs_cuda_check (cs_cuda_sum_pairs (temporary, &size, places, sums, n + 1,
              cuda->stream), "scan", error))
    return FALSE;
  emit_kernel <<< CLAMP (n, 1, 8 * cuda->n_multiprocessors),
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
  at = __shfl_sync (CS_ALL_LANES, at, 0);
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

  if (!cs_cuda_check (cs_cuda_sum_u32 (NULL, &size, lengths, offsets, n + 1,
              cuda->stream), "plan a scan", error))
    return FALSE;
  do {
    lengths = CS_CUDA_CARVE (&carver, guint32, n + 1);
    filled = CS_CUDA_CARVE (&carver, guint32, n + 1);
    offsets = CS_CUDA_CARVE (&carver, guint32, n + 1);
    via = CS_CUDA_CARVE (&carver, guint32, job->n);
    temporary = cs_cuda_carve (&carver, size, 1);
  } while (cs_cuda_carve_again (&carver, &cuda->classes, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  if (!cs_cuda_check (cudaMemsetAsync (lengths, 0,
              (guint8 *) offsets - (guint8 *) lengths, cuda->stream),
          "clear the classes", error))
    return FALSE;
  if (job->n_sets > 0)
    count_class_kernel <<< (job->n_sets + 255) / 256, 256, 0, cuda->stream >>>
        (*job, *lists, n, lengths);
  if (!cs_cuda_check (cs_cuda_sum_u32 (temporary, &size, lengths, offsets, n + 1,
              cuda->stream), "scan", error))
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
