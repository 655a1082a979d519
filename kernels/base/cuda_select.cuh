/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Stable selection, CUB's. */

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cuda_base.h"

/* Those of the @n at @in that pass @test, into @out, and how many into
 * @count. */
template <typename In, typename Test> static gboolean
cs_cuda_select (CsCudaScratch * temp, In in, uint32_t * out, uint32_t * count,
    gsize n, const Test & test, cudaStream_t stream, GError ** error)
{
  size_t size = 0;

  return cs_cuda_check (cub::DeviceSelect::If (NULL, size, in, out, count,
          (int) n, test, stream), "size a selection", error) &&
      cs_cuda_scratch_ensure (temp, size, stream, error) &&
      cs_cuda_check (cub::DeviceSelect::If (temp->data, size, in, out, count,
          (int) n, test, stream), "select", error);
}

/* The same of the numbers 0 .. @n - 1. */
template <typename Test> static gboolean
cs_cuda_select_numbers (CsCudaScratch * temp, uint32_t * out, uint32_t * count,
    gsize n, const Test & test, cudaStream_t stream, GError ** error)
{
  return cs_cuda_select (temp, thrust::make_counting_iterator<uint32_t> (0),
      out, count, n, test, stream, error);
}
