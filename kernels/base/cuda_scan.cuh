/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Prefix sums of numbers that are computed on the way, CUB's. For the compiler
 * this header costs more than most kernels: those of arrays are in cuda_sort.h. */

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "cuda_base.h"

/* sums[i] = count (0) + ... + count (i - 1) for i < @n. */
template <typename T, typename Count> static gboolean
cs_cuda_sum_counts (CsCudaScratch * temp, const Count & count, T * sums,
    gsize n, cudaStream_t stream, GError ** error)
{
  const auto counts = thrust::make_transform_iterator (
      thrust::make_counting_iterator<uint32_t> (0), count);
  size_t size = 0;

  return cs_cuda_check (cub::DeviceScan::ExclusiveSum (NULL, size, counts,
          sums, (int) n, stream), "size a scan", error) &&
      cs_cuda_scratch_ensure (temp, size, stream, error) &&
      cs_cuda_check (cub::DeviceScan::ExclusiveSum (temp->data, size,
          counts, sums, (int) n, stream), "scan", error);
}
