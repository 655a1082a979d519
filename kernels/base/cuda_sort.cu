/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda_sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace
{

struct AddPairs
{
  __host__ __device__ CsCudaPair
  operator() (const CsCudaPair & a, const CsCudaPair & b) const
  {
    const CsCudaPair sum = { a.first + b.first, a.second + b.second };

    return sum;
  }
};

template <typename Key> cudaError_t
sort_pairs (void *temp, gsize * size, Key * keys[2], guint32 * values[2],
    guint32 n, int n_bits, cudaStream_t stream)
{
  cub::DoubleBuffer<Key> k (keys[0], keys[1]);
  cub::DoubleBuffer<guint32> v (values[0], values[1]);
  const cudaError_t status = cub::DeviceRadixSort::SortPairs (temp, *size, k,
      v, n, 0, n_bits, stream);

  keys[0] = k.Current ();
  keys[1] = k.Alternate ();
  values[0] = v.Current ();
  values[1] = v.Alternate ();
  return status;
}

}                               /* namespace */

cudaError_t
cs_cuda_sort_pairs_u32 (void *temp, gsize * size, guint32 * keys[2],
    guint32 * values[2], guint32 n, int n_bits, cudaStream_t stream)
{
  return sort_pairs (temp, size, keys, values, n, n_bits, stream);
}

cudaError_t
cs_cuda_sort_pairs_u64 (void *temp, gsize * size, guint64 * keys[2],
    guint32 * values[2], guint32 n, int n_bits, cudaStream_t stream)
{
  return sort_pairs (temp, size, keys, values, n, n_bits, stream);
}

cudaError_t
cs_cuda_sort_keys_u32 (void *temp, gsize * size, const guint32 * keys,
    guint32 * sorted_keys, guint32 n, int n_bits, cudaStream_t stream)
{
  return cub::DeviceRadixSort::SortKeys (temp, *size, keys, sorted_keys, n, 0,
      n_bits, stream);
}

cudaError_t
cs_cuda_sort_pairs_descending_u32 (void *temp, gsize * size,
    const guint32 * keys, guint32 * sorted_keys, const guint32 * values,
    guint32 * sorted_values, guint32 n, int n_bits, cudaStream_t stream)
{
  return cub::DeviceRadixSort::SortPairsDescending (temp, *size, keys,
      sorted_keys, values, sorted_values, n, 0, n_bits, stream);
}

cudaError_t
cs_cuda_sum_u32 (void *temp, gsize * size, const guint32 * from, guint32 * to,
    guint32 n, cudaStream_t stream)
{
  return cub::DeviceScan::ExclusiveSum (temp, *size, from, to, n, stream);
}

cudaError_t
cs_cuda_sum_pairs (void *temp, gsize * size, const CsCudaPair * from,
    CsCudaPair * to, guint32 n, cudaStream_t stream)
{
  const CsCudaPair zero = { 0, 0 };

  return cub::DeviceScan::ExclusiveScan (temp, *size, from, to, AddPairs (),
      zero, n, stream);
}

cudaError_t
cs_cuda_running_max_u32 (void *temp, gsize * size, const guint32 * from,
    guint32 * to, guint32 n, cudaStream_t stream)
{
  return cub::DeviceScan::InclusiveScan (temp, *size, from, to,
      cuda::maximum <> (), n, stream);
}
