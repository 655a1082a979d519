/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: records of rings. */
#include "base/cuda_base.h"
#include "labels_cuda.cuh"

#define THREADS CS_LABELS_THREADS
#define WARPS (THREADS / 32)
#define BLOCKS 1056

/* The number of the ring that @root lies in, or -1: of a hole the ring around it,
 * of another ring the hole. What a ray meets lies in the same, or is that. */
static __device__ int32_t
parent_of (const CsLabelsFrame & f, uint32_t root)
{
  const uint32_t is_hole = CS_LABELS_IS_HOLE (f, root);
  uint32_t at = cs_load_relaxed (&f.rings[root].met), n_steps = 0;

  while (at != CS_LABELS_NONE && CS_LABELS_IS_HOLE (f, at) == is_hole &&
      n_steps++ < f.counters->n_fragments) {
    at = cs_load_relaxed (&f.rings[at].met);
    cs_store_relaxed (&f.rings[root].met, at);
  }
  return at == CS_LABELS_NONE ? -1 : (int32_t) f.rings[at].index;
}

/* Lane 0 writes the record of ring @k. */
template <int M> static __device__ void
write_record (const CsLabelsFrame & f, uint32_t k, const double2 & origin,
    const CsSums & sums)
{
  const uint32_t root = f.sorted_roots[k];
  const int32_t parent = parent_of (f, root);
  const bool basic = M >= CS_MEASURES_BASIC;
  CsContour contour;

  contour.id = (int32_t) ((uint32_t) f.first_id + k);
  contour.parent = parent < 0 ? -1 : (int32_t) ((uint32_t) f.first_id + parent);
  contour.class_id = (int32_t) f.fragments[root].label;
  contour.image = f.image_index;
  contour.kind = 0;
  contour.flags = CS_CONTOUR_CLOSED | (CS_LABELS_IS_HOLE (f, root) ?
      CS_CONTOUR_HOLE : 0);
  contour.level = .5;
  contour.area = .5 * sums.cross;
  contour.solidity = NAN;
  contour.perimeter = basic ? sums.length : NAN;
  contour.bbox_x0 = basic ? sums.x0 : NAN;
  contour.bbox_y0 = basic ? sums.y0 : NAN;
  contour.bbox_x1 = basic ? sums.x1 : NAN;
  contour.bbox_y1 = basic ? sums.y1 : NAN;
  contour.centroid_x = basic ? cs_centroid (true, origin.x, sums.cross,
      sums.length, sums.cross_x, sums.length_x, sums.x0, sums.x1) : NAN;
  contour.centroid_y = basic ? cs_centroid (true, origin.y, sums.cross,
      sums.length, sums.cross_y, sums.length_y, sums.y0, sums.y1) : NAN;
  f.out.contours[k] = contour;
  f.out.offsets[k] = f.sums[k].first;
  for (int m = 0; M >= CS_MEASURES_FULL && m < CS_N_MOMENTS; m++)
    f.out.moments[k].m[m] = sums.moments[m] / cs_moment_divisor (m);
}

/* A warp measures an item; the one that is last of its ring's writes the
 * record. */
template <int M> static __device__ void
measure_item (const CsLabelsFrame & f, uint32_t item)
{
  const uint32_t k = min (f.item_ring[item], f.counters->n_rings - 1);
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t first = f.sums[k].first, first_item = f.sums[k].second;
  const uint32_t n_terms = f.sums[k + 1].first - first - 1;
  const uint32_t n_items = f.sums[k + 1].second - first_item;
  const uint32_t start = (item - first_item) * CS_SUM_BLOCK;
  const Points points = { f.out.points, 0 };
  uint32_t n_done = 1;
  CsSums sums;

  if (item - first_item >= n_items)
    return;
  sum_block<M> (points, first, first + start,
      min (n_terms - start, CS_SUM_BLOCK), sums);
  if (n_items > 1) {
    if (lane == 0) {
      f.item_sums[item] = sums;
      __threadfence ();
      n_done = atomicAdd (&f.n_done[k], 1) + 1;
      __threadfence ();
    }
    if (__shfl_sync (CS_ALL_LANES, n_done, 0) != n_items)
      return;
    sum_items (&f.item_sums[first_item], n_items, sums);
  }
  if (lane == 0)
    write_record<M> (f, k, points.at (first), sums);
}

template <int M> static __global__ void
__launch_bounds__ (THREADS)
measure_rings (const __grid_constant__ CsLabelsFrame f)
{
  if (cs_labels_result_overflow (f))
    return;
  const CsCudaPair all = f.sums[f.max_rings];

  if (blockIdx.x == 0 && threadIdx.x == 0)
    f.out.offsets[f.counters->n_rings] = all.first;
  for (uint32_t item = blockIdx.x * WARPS + threadIdx.x / 32; item < all.second;
      item += gridDim.x * WARPS)
    measure_item<M> (f, item);
}

gboolean
cs_labels_cuda_measure (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error)
{
  switch (frame->measures) {
    case CS_MEASURES_NONE:
      measure_rings<CS_MEASURES_NONE> <<<BLOCKS, THREADS, 0, stream>>> (*frame);
      break;
    case CS_MEASURES_BASIC:
      measure_rings<CS_MEASURES_BASIC> <<<BLOCKS, THREADS, 0, stream>>> (*frame);
      break;
    default:
      measure_rings<CS_MEASURES_FULL> <<<BLOCKS, THREADS, 0, stream>>> (*frame);
      break;
  }
  return cs_cuda_check (cudaGetLastError (), "measure rings of labels", error);
}
