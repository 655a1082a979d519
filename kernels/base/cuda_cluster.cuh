/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CUDA_CLUSTER_CUH
#define CS_CUDA_CLUSTER_CUH

/* Clusters of blocks, from compute capability 9.0 on: what
 * cooperative_groups::this_cluster() does, without its header, which takes
 * longer to compile than some kernels. */

#ifndef CS_CUDA_FROM_90
#error "kernels/meson.build: this file has code of its own from 9.0 on"
#endif

#if !defined (__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* First half of a barrier over the cluster. */
static __device__ __forceinline__ void
cs_cluster_arrive (void)
{
  __cluster_barrier_arrive ();
}

/* The second half: earlier writes are visible to all blocks. */
static __device__ __forceinline__ void
cs_cluster_wait (void)
{
  __cluster_barrier_wait ();
}

/* Of block @rank what @own is of this one, in shared memory. */
template <typename T> static __device__ __forceinline__ T *
cs_cluster_map (T * own, int rank)
{
  return (T *) __cluster_map_shared_rank (own, rank);
}

#endif

#endif /* CS_CUDA_CLUSTER_CUH */
