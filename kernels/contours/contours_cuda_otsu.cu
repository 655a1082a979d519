/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: levels from the samples: the ranges of targets, and Otsu's method. */
#include "contours_cuda.cuh"

#include "base/cuda_warp.cuh"
#include "contours_cuda_samples.cuh"

/* Auto-level: the range of a target's valid samples; rows are split over the
 * blocks. */
template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
find_range (const __grid_constant__ CsFrame f)
{
  const uint32_t target = blockIdx.x % f.n_targets;
  const uint32_t first = blockIdx.x / f.n_targets;
  const uint32_t step = gridDim.x / f.n_targets;
  const CsSource source = cs_target_source<V> (&f, target);
  CsU64 low = 0, high = 0;

  for (uint32_t y = first + f.border; y < f.height - f.border; y += step) {
    for (uint32_t x = threadIdx.x + f.border; x < f.width - f.border;
        x += CS_THREADS) {
      const V v = cs_load<T, V> (source.derived, source.data +
          (size_t) y * source.row_stride + (size_t) x * source.pixel_stride);

      if (v == v && (!f.mask || f.mask[(size_t) y * f.mask_row_stride +
                  (size_t) x * f.mask_pixel_stride])) {
        const CsU64 ordered = cs_ordered ((double) v);

        low = max (low, ~ordered);
        high = max (high, ordered);
      }
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    low = max (low, __shfl_down_sync (CS_ALL_LANES, low, o));
    high = max (high, __shfl_down_sync (CS_ALL_LANES, high, o));
  }
  if (threadIdx.x % 32 == 0 && high) {
    atomicMax (&f.ranges[2 * target], low);
    atomicMax (&f.ranges[2 * target + 1], high);
  }
}

const void *
cs_contours_range_kernel (CsSampleType type)
{
  return (const void *) CS_FOR_TYPE (find_range, type);
}

/* The range of a target's samples. Whether there is one, and it is finite. */
static __device__ __forceinline__ bool
get_range (const CsFrame & f, uint32_t target, double *low, double *high)
{
  const CsU64 ordered = f.ranges[2 * target + 1];

  *low = cs_unordered (~f.ranges[2 * target]);
  *high = cs_unordered (ordered);
  return ordered && !isinf (*high - *low);
}

static __device__ __forceinline__ bool
has_codes (const CsFrame & f, uint32_t target)
{
  return (target < CS_INLINE_TARGETS ? f.inline_targets[target].codes :
      f.targets[target].codes) != 0;
}

/* Histograms of targets; rows are split over the blocks. Those of few bins are
 * added up in shared memory first. */
template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
count_bins (const __grid_constant__ CsFrame f)
{
  __shared__ uint32_t shared[CS_OTSU_BINS];
  const uint32_t target = blockIdx.x % f.n_targets;
  const uint32_t first = blockIdx.x / f.n_targets;
  const uint32_t step = gridDim.x / f.n_targets;
  const CsSource source = cs_target_source<V> (&f, target);
  const bool codes = has_codes (f, target);
  uint32_t *bins = f.bins + (size_t) target * f.n_bins;
  uint32_t *counts = codes && f.n_bins > CS_OTSU_BINS ? bins : shared;
  double low, high;

  /* the same for all of the block */
  if (!get_range (f, target, &low, &high))
    return;
  for (uint32_t i = threadIdx.x; i < CS_OTSU_BINS; i += CS_THREADS)
    shared[i] = 0;
  __syncthreads ();
  for (uint32_t y = first + f.border; y < f.height - f.border; y += step) {
    for (uint32_t x = threadIdx.x + f.border; x < f.width - f.border;
        x += CS_THREADS) {
      const double v = (double) cs_load<T, V> (source.derived, source.data +
          (size_t) y * source.row_stride + (size_t) x * source.pixel_stride);

      if (v == v && (!f.mask || f.mask[(size_t) y * f.mask_row_stride +
                  (size_t) x * f.mask_pixel_stride]))
        atomicAdd (&counts[codes ? (int) v : cs_otsu_bin (v, low, high)], 1u);
    }
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; counts == shared && i < CS_OTSU_BINS;
      i += CS_THREADS) {
    if (shared[i])
      atomicAdd (&bins[i], shared[i]);
  }
}

/* A bin and its variance. */
struct Choice
{
  double variance;
  uint32_t bin;

  __device__ __forceinline__ void improve (double other, uint32_t other_bin)
  {
    if (other > variance || (other == variance && other_bin < bin)) {
      variance = other;
      bin = other_bin;
    }
  }
};

/* A block for each target, and consecutive bins for each thread. Zeroes the
 * bins for the next frame. */
static __global__ void
__launch_bounds__ (CS_THREADS)
choose_levels (const __grid_constant__ CsFrame f)
{
  __shared__ CsU64 ns[CS_THREADS], sums[CS_THREADS];
  __shared__ Choice choices[CS_THREADS];
  const uint32_t target = blockIdx.x, t = threadIdx.x;
  const uint32_t each = f.n_bins / CS_THREADS;
  uint32_t *bins = f.bins + (size_t) target * f.n_bins + t * each;
  const bool codes = has_codes (f, target);
  Choice choice = { -1., CS_NONE };
  CsU64 n = 0, sum = 0, all, all_sum;
  double low, high;

  if (!get_range (f, target, &low, &high)) {
    if (t == 0)
      f.levels[target] = INFINITY;
    return;
  }
  /* bins count from that of the least code */
  const uint32_t base = codes ? (uint32_t) low : 0;

  for (uint32_t i = 0; i < each; i++) {
    if (bins[i]) {
      n += bins[i];
      sum += (CsU64) bins[i] * (t * each + i - base);
    }
  }
  ns[t] = n;
  sums[t] = sum;
  __syncthreads ();
  for (uint32_t o = 1; o < CS_THREADS; o *= 2) {
    const CsU64 n_before = t >= o ? ns[t - o] : 0;
    const CsU64 sum_before = t >= o ? sums[t - o] : 0;

    __syncthreads ();
    ns[t] += n_before;
    sums[t] += sum_before;
    __syncthreads ();
  }
  all = ns[CS_THREADS - 1];
  all_sum = sums[CS_THREADS - 1];
  n = ns[t] - n;
  sum = sums[t] - sum;
  for (uint32_t i = 0; i < each; i++) {
    if (bins[i]) {
      n += bins[i];
      sum += (CsU64) bins[i] * (t * each + i - base);
      bins[i] = 0;
      choice.improve (cs_otsu_variance (n, sum, all, all_sum), t * each + i);
    }
  }
  choices[t] = choice;
  __syncthreads ();
  for (uint32_t o = CS_THREADS / 2; o > 0; o /= 2) {
    if (t < o)
      choices[t].improve (choices[t + o].variance, choices[t + o].bin);
    __syncthreads ();
  }
  if (t > 0)
    return;
  choice = choices[0];
  f.levels[target] = choice.variance < 0. ? low :
      codes ? choice.bin + .5 : cs_otsu_level ((int) choice.bin, low, high);
}

const void *
cs_contours_count_kernel (CsSampleType type)
{
  return (const void *) CS_FOR_TYPE (count_bins, type);
}

const void *const cs_contours_choose_kernel = (const void *) choose_levels;
