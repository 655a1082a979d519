/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The factored filter, small levels: all of them down and up again, in shared
 * memory, one block per channel.
 */
#include "llf_cuda_rank.cuh"

#define COARSE_THREADS 1024
/* Zero padding around a level in shared memory. */
#define PADDING 2

/* A level in shared memory: its row stride, and its first sample's offset. */
static __device__ __forceinline__ int
padded_stride (int w)
{
  return w + 2 * PADDING;
}

static __host__ __device__ __forceinline__ int
padded_size (int w, int h)
{
  return (w + 2 * PADDING) * (h + 2 * PADDING);
}

static __device__ __forceinline__ int
padded_origin (int w)
{
  return PADDING * padded_stride (w) + PADDING;
}

/* Weighted sum of 5 x 5 samples around @c; the weights sum to 256. Bitwise
 * invariant under rotation and reflection. */
static __device__ __forceinline__ float
sum_25 (const float *c, int stride)
{
  const float *n = c - stride, *nn = n - stride, *s = c + stride;
  const float *ss = s + stride;
  const float corners = (nn[-2] + ss[2]) + (nn[2] + ss[-2]);
  const float ends = (nn[0] + c[-2]) + (ss[0] + c[2]);
  const float knights = ((nn[-1] + n[-2]) + (nn[1] + s[-2])) +
      ((n[2] + ss[-1]) + (s[2] + ss[1]));
  const float diagonals = (n[-1] + s[1]) + (n[1] + s[-1]);
  const float sides = (n[0] + c[-1]) + (s[0] + c[1]);

  return fmaf (36.f, c[0], fmaf (24.f, sides, fmaf (16.f, diagonals,
              fmaf (6.f, ends, fmaf (4.f, knights, corners)))));
}

/**
 * CoarseLevel:
 * @at: offset of its first sample in each of the pyramids
 * @by_width: 1 / w
 */
struct CoarseLevel
{
  int w, h, stride, at;
  float by_width;

  /* Row and column of sample @item; floats are exact for so few. */
  __device__ __forceinline__ int2 place (int item) const
  {
    const int y = (int) ((item + .5f) * by_width);

    return make_int2 (item - y * w, y);
  }
};

/* Downsamples @fine by all threads: G, then the channel. */
template <bool FIXED> static __device__ __forceinline__ void
coarse_down (const CoarseLevel fine, const CoarseLevel coarse, float *g,
    float *p, bool is_g)
{
  const int n = coarse.w * coarse.h;

#pragma unroll 1
  for (int item = threadIdx.x; item < (is_g ? n : 2 * n);
      item += COARSE_THREADS) {
    const bool of_p = item >= n;
    const int2 at = coarse.place (of_p ? item - n : item);
    float *plane = of_p ? p : g;
    const float by = llf_inverse (llf_down_sum (at.x, fine.w), 16) *
        llf_inverse (llf_down_sum (at.y, fine.h), 16);
    const float value = by * sum_25 (plane + fine.at + 2 * (at.y *
            fine.stride + at.x), fine.stride);

    plane[coarse.at + at.y * coarse.stride + at.x] =
        of_p && FIXED ? rintf (value) : value;
  }
  __syncthreads ();
}

/* The coefficients of @fine plus the coarser levels; also into @out, if any. */
static __device__ __forceinline__ void
coarse_up (const CoarseLevel fine, const CoarseLevel coarse, const float *g,
    const float *p, float *c, const float *v, float to_node, float weight,
    float *out)
{
#pragma unroll 1
  for (int item = threadIdx.x; item < fine.w * fine.h;
      item += COARSE_THREADS) {
    const int2 at = fine.place (item);
    const int corner = coarse.at + ((at.y >> 1) - 1) * coarse.stride +
        (at.x >> 1) - 1;
    const int pixel = fine.at + at.y * fine.stride + at.x;
    const int q = (at.y & 1) * 2 + (at.x & 1);
    const float node_at = g[pixel] * to_node;
    const int node = min ((int) node_at, LLF_NODES);
    const float by = llf_up_inverse (at.x, coarse.w) *
        llf_up_inverse (at.y, coarse.h);
    float up_p[4], up_c[4];

    llf_up_cell (p + corner, coarse.stride, up_p);
    llf_up_cell (c + corner, coarse.stride, up_c);

    const float sum_p = q & 2 ? q & 1 ? up_p[3] : up_p[2] : q & 1 ? up_p[1] :
        up_p[0];
    const float sum_c = q & 2 ? q & 1 ? up_c[3] : up_c[2] : q & 1 ? up_c[1] :
        up_c[0];
    const float change = fmaf (weight * lerp (v[node], v[node + 1],
            node_at - node), fmaf (-by, sum_p, p[pixel]), by * sum_c);

    c[pixel] = change;
    if (out)
      out[item] = change;
  }
  __syncthreads ();
}

/* Channel blockIdx.x; the last is G itself. */
template <bool FIXED> static __global__ void
    __launch_bounds__ (COARSE_THREADS, 1)
coarse_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights, int first)
{
  typedef typename Stored<FIXED>::Type S;
  extern __shared__ float4 memory4[];
  float *memory = (float *) memory4;
  __shared__ float v[LLF_NODES + 2];
  __shared__ CoarseLevel levels[LLF_MAX_LEVELS];
  const int k = blockIdx.x, n = pyramid.n;
  const bool is_g = k == pyramid.n_groups * LLF_GROUP;
  const LlfDeviceLevel &base = pyramid.levels[first];
  const int size = base.w * base.h;
  int total = 0;

#pragma unroll 1
  for (int l = first; l < n; l++) {
    const int w = pyramid.levels[l].w, h = pyramid.levels[l].h;

    if (threadIdx.x == 0)
      levels[l] = CoarseLevel { w, h, padded_stride (w),
        total + padded_origin (w), 1.f / w };
    total += padded_size (w, h);
  }

  float *g = memory, *c = memory + total;
  float *p = is_g ? g : memory + 2 * total;

#pragma unroll 4
  for (int at = threadIdx.x; at < (3 * total + 3) / 4; at += COARSE_THREADS)
    memory4[at] = make_float4 (0, 0, 0, 0);
  for (int at = threadIdx.x; at < LLF_NODES + 2; at += COARSE_THREADS)
    v[at] = is_g ? pyramid.tables.v0[at] :
        ((const float *) (pyramid.tables.v + k / LLF_GROUP * (LLF_NODES + 2) +
            at))[k % LLF_GROUP];
  llf_dependency_sync ();
  llf_trigger_dependents ();
  __syncthreads ();
#pragma unroll 4
  for (int item = threadIdx.x; item < size; item += COARSE_THREADS) {
    const int2 at = levels[first].place (item);
    const int to = levels[first].at + at.y * levels[first].stride + at.x;

    g[to] = base.g[item];
    if (!is_g) {
      const S *group = (const S *) base.p + (size_t) (k / LLF_GROUP) * size;
      const float4 all = llf_as_floats (group[item]);

      p[to] = k & 2 ? k & 1 ? all.w : all.z : k & 1 ? all.y : all.x;
    }
  }
  __syncthreads ();
#pragma unroll 1
  for (int l = first; l + 1 < n; l++)
    coarse_down<FIXED> (levels[l], levels[l + 1], g, p, is_g);
#pragma unroll 1
  for (int l = n - 2; l >= first; l--)
    coarse_up (levels[l], levels[l + 1], g, p, c, v, pyramid.to_node,
        weights.level[l], l == first ? base.c + (size_t) k * size : nullptr);
}

LlfLaunch
llf_cuda_coarse (const LlfDevicePyramid *pyramid, LlfKind kind, int l)
{
  size_t total = 0;

  for (int i = l; i < pyramid->n; i++)
    total += padded_size (pyramid->levels[i].w, pyramid->levels[i].h);
  return LlfLaunch {
    kind.fixed ? (const void *) coarse_kernel<true> :
        (const void *) coarse_kernel<false>,
    dim3 (pyramid->n_groups * LLF_GROUP + 1), dim3 (COARSE_THREADS),
    (3 * total + 3) / 4 * sizeof (float4) };
}
