/* SPDX-License-Identifier: LGPL-2.1-or-later */
extern "C"
{
#include "hull_baseline.h"
}

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

typedef unsigned long long Key;

static void
check (cudaError_t status)
{
  if (status == cudaSuccess)
    return;
  fprintf (stderr, "baseline: %s\n", cudaGetErrorString (status));
  exit (1);
}

/* Memory on both sides, as large as the input. */
struct Memory
{
  const float *xy;
  float2 *points;
  guint32 *indices;
  guint8 *sides;
  Key *farthest;
  std::vector < guint8 > flags;
  gsize n_vertices;
};

static __device__ float
distance (float2 a, float2 b, float2 p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static __global__ void
farthest_kernel (const float2 * points, const guint32 * indices, guint32 n,
    guint32 a, guint32 b, Key * farthest)
{
  const guint32 i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n) {
    const float d = distance (points[a], points[b], points[indices[i]]);

    if (d > 0)
      atomicMax (farthest, (Key) __float_as_uint (d) << 32 | indices[i]);
  }
}

static __global__ void
mark_kernel (const float2 * points, const guint32 * indices, guint32 n,
    guint32 a, guint32 far, guint32 b, guint8 * sides)
{
  const guint32 i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n) {
    const float2 p = points[indices[i]];

    sides[i] = distance (points[a], points[far], p) > 0 ? 1 :
        distance (points[far], points[b], p) > 0 ? 2 : 0;
  }
}

static void
split_edge (Memory * m, guint32 a, guint32 b,
    const std::vector < guint32 > &indices)
{
  const guint32 n = indices.size ();
  std::vector < guint32 > first, second;
  Key key = 0;

  if (n > 0) {
    check (cudaMemcpy (m->indices, indices.data (), 4 * (gsize) n,
            cudaMemcpyHostToDevice));
    check (cudaMemcpy (m->farthest, &key, sizeof (key),
            cudaMemcpyHostToDevice));
    farthest_kernel <<< (n + 255) / 256, 256 >>> (m->points, m->indices, n, a,
        b, m->farthest);
    check (cudaMemcpy (&key, m->farthest, sizeof (key),
            cudaMemcpyDeviceToHost));
  }
  if (key == 0) {
    m->n_vertices++;
    return;
  }
  const guint32 far = (guint32) key;

  mark_kernel <<< (n + 255) / 256, 256 >>> (m->points, m->indices, n, a, far,
      b, m->sides);
  check (cudaMemcpy (m->flags.data (), m->sides, n, cudaMemcpyDeviceToHost));
  for (guint32 i = 0; i < n; i++) {
    if (m->flags[i] == 1)
      first.push_back (indices[i]);
    else if (m->flags[i] == 2)
      second.push_back (indices[i]);
  }
  split_edge (m, a, far, first);
  split_edge (m, far, b, second);
}

extern "C" gsize
baseline_hull_cuda (const float *xy, gsize n)
{
  std::vector < guint32 > above, below;
  guint32 left = 0, right = 0;
  Memory m;
  int n_devices = 0;

  if (cudaGetDeviceCount (&n_devices) != cudaSuccess || n_devices == 0)
    return 0;
  m.xy = xy;
  m.n_vertices = 0;
  m.flags.resize (n);
  check (cudaMalloc (&m.points, 8 * n));
  check (cudaMalloc (&m.indices, 4 * n));
  check (cudaMalloc (&m.sides, n));
  check (cudaMalloc (&m.farthest, sizeof (Key)));
  check (cudaMemcpy (m.points, xy, 8 * n, cudaMemcpyHostToDevice));
  for (guint32 i = 1; i < n; i++) {
    if (xy[2 * i] < xy[2 * left])
      left = i;
    if (xy[2 * i] > xy[2 * right])
      right = i;
  }
  for (guint32 i = 0; i < n; i++) {
    const float d = (xy[2 * right] - xy[2 * left]) *
        (xy[2 * i + 1] - xy[2 * left + 1]) - (xy[2 * right + 1] -
        xy[2 * left + 1]) * (xy[2 * i] - xy[2 * left]);

    if (d > 0)
      above.push_back (i);
    else
      below.push_back (i);
  }
  split_edge (&m, left, right, above);
  split_edge (&m, right, left, below);
  check (cudaFree (m.points));
  check (cudaFree (m.indices));
  check (cudaFree (m.sides));
  check (cudaFree (m.farthest));
  return m.n_vertices;
}
