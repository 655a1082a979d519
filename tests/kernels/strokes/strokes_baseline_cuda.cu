/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every point with every other, on the GPU, in tiles of points that a block
 * shares; matrices of contours by atomic minima. */
#include "strokes_baseline.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 256

static void
check (cudaError_t status)
{
  if (status == cudaSuccess)
    return;
  fprintf (stderr, "baseline: %s\n", cudaGetErrorString (status));
  exit (1);
}

static __device__ float
distance2 (float2 a, float2 b)
{
  const float dx = a.x - b.x, dy = a.y - b.y;

  return dx * dx + dy * dy;
}

/* A flag for each point near a dab. */
static __global__ void
brush_kernel (const float2 *points, unsigned n, const float2 *dabs,
    unsigned n_dabs, float limit, unsigned char *flags)
{
  __shared__ float2 tile[TILE];
  const unsigned i = blockIdx.x * TILE + threadIdx.x;
  const float2 p = points[min (i, n - 1)];
  bool found = false;

  for (unsigned base = 0; base < n_dabs; base += TILE) {
    if (base + threadIdx.x < n_dabs)
      tile[threadIdx.x] = dabs[base + threadIdx.x];
    __syncthreads ();
    for (unsigned k = 0; k < min (TILE, n_dabs - base); k++)
      found |= distance2 (p, tile[k]) <= limit;
    __syncthreads ();
  }
  if (i < n)
    flags[i] = found;
}

/* A flag for each point that is equal to one before it. */
static __global__ void
duplicates_kernel (const float2 *points, unsigned n, unsigned char *flags)
{
  __shared__ float2 tile[TILE];
  const unsigned i = blockIdx.x * TILE + threadIdx.x;
  const float2 p = points[min (i, n - 1)];
  bool found = false;

  for (unsigned base = 0; base <= blockIdx.x * TILE; base += TILE) {
    tile[threadIdx.x] = points[min (base + threadIdx.x, n - 1)];
    __syncthreads ();
    for (unsigned k = 0; k < TILE; k++)
      found |= base + k < i && tile[k].x == p.x && tile[k].y == p.y;
    __syncthreads ();
  }
  if (i < n)
    flags[i] = found;
}

/* Patches of two tiles of points: the matrix's entries for their contours. */
static __global__ void
distances_kernel (const float2 *points, const unsigned *owners, unsigned n,
    unsigned n_contours, float *matrix)
{
  __shared__ float2 tile[TILE];
  __shared__ unsigned tile_owners[TILE];
  const unsigned i = blockIdx.x * TILE + threadIdx.x;
  const unsigned base = blockIdx.y * TILE;

  if (blockIdx.y < blockIdx.x)
    return;
  if (base + threadIdx.x < n) {
    tile[threadIdx.x] = points[base + threadIdx.x];
    tile_owners[threadIdx.x] = owners[base + threadIdx.x];
  }
  __syncthreads ();
  if (i >= n)
    return;

  const float2 p = points[i];
  const unsigned owner = owners[i], size = min (TILE, n - base);

  for (unsigned k = 0; k < size;) {
    const unsigned other = tile_owners[k];
    float least = INFINITY;

    for (; k < size && tile_owners[k] == other; k++)
      least = fminf (least, distance2 (p, tile[k]));
    /* not negative: their bits are in the same order */
    if (other > owner)
      atomicMin ((unsigned *) &matrix[(size_t) owner * n_contours + other],
          __float_as_uint (least));
  }
}

static __global__ void
closeness_kernel (const float2 *points, const unsigned *owners, unsigned n,
    unsigned n_contours, float limit, unsigned char *matrix)
{
  __shared__ float2 tile[TILE];
  __shared__ unsigned tile_owners[TILE];
  const unsigned i = blockIdx.x * TILE + threadIdx.x;
  const unsigned base = blockIdx.y * TILE;

  if (blockIdx.y < blockIdx.x)
    return;
  if (base + threadIdx.x < n) {
    tile[threadIdx.x] = points[base + threadIdx.x];
    tile_owners[threadIdx.x] = owners[base + threadIdx.x];
  }
  __syncthreads ();
  if (i >= n)
    return;
  for (unsigned k = 0; k < min (TILE, n - base); k++) {
    if (tile_owners[k] > owners[i] &&
        distance2 (points[i], tile[k]) <= limit)
      matrix[(size_t) owners[i] * n_contours + tile_owners[k]] = 1;
  }
}

class Timer
{
public:
  Timer ()
  {
    check (cudaEventCreate (&begin));
    check (cudaEventCreate (&end));
    check (cudaEventRecord (begin));
  }

  double stop ()
  {
    float ms;

    check (cudaGetLastError ());
    check (cudaEventRecord (end));
    check (cudaEventSynchronize (end));
    check (cudaEventElapsedTime (&ms, begin, end));
    cudaEventDestroy (begin);
    cudaEventDestroy (end);
    return ms;
  }

private:
  cudaEvent_t begin, end;
};

template <typename T> static T *
upload (const void *data, size_t n)
{
  T *copy;

  check (cudaMalloc (&copy, n * sizeof (T) + 1));
  if (data)
    check (cudaMemcpy (copy, data, n * sizeof (T), cudaMemcpyDefault));
  return copy;
}

static size_t
count_set (const unsigned char *flags, size_t n)
{
  unsigned char *host = (unsigned char *) malloc (n + 1);
  size_t count = 0;

  check (cudaMemcpy (host, flags, n, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++)
    count += host[i];
  free (host);
  return count;
}

static double
sum_of (const float *matrix, size_t n)
{
  float *host = (float *) malloc (n * sizeof (float) + 1);
  double sum = 0;

  check (cudaMemcpy (host, matrix, n * sizeof (float),
          cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++) {
    if (host[i] < 1e30f)
      sum += host[i];
  }
  free (host);
  return sum;
}

extern "C" Baseline
baseline_cuda (const CsStrokePoint *points, const guint32 *offsets,
    gsize n_contours, const CsStrokePoint *dabs, gsize n_dabs, float radius,
    float distance)
{
  const unsigned n = offsets[n_contours], blocks = (n + TILE - 1) / TILE;
  const size_t n_entries = n_contours * n_contours;
  const dim3 patches (blocks, blocks);
  Baseline result = Baseline ();
  unsigned *owners = (unsigned *) malloc (n * sizeof (unsigned) + 1);

  for (unsigned i = 0; i < n_contours; i++) {
    for (unsigned k = offsets[i]; k < offsets[i + 1]; k++)
      owners[k] = i;
  }

  float2 *d_points = upload<float2> (points, n);
  float2 *d_dabs = upload<float2> (dabs, n_dabs);
  unsigned *d_owners = upload<unsigned> (owners, n);
  unsigned char *flags = upload<unsigned char> (NULL, n);
  unsigned char *close = upload<unsigned char> (NULL, n_entries);
  float *matrix = upload<float> (NULL, n_entries);

  /* twice, the first of which warms up */
  for (int round = 0; round < 2; round++) {
    check (cudaDeviceSynchronize ());
    Timer brush;
    brush_kernel <<<blocks, TILE>>> (d_points, n, d_dabs, n_dabs,
        radius * radius, flags);
    result.brush = brush.stop ();
    result.n_removed = count_set (flags, n);

    Timer duplicates;
    duplicates_kernel <<<blocks, TILE>>> (d_points, n, flags);
    result.duplicates = duplicates.stop ();
    result.n_duplicates = count_set (flags, n);

    check (cudaMemset (close, 0, n_entries));
    check (cudaDeviceSynchronize ());
    Timer closeness;
    closeness_kernel <<<patches, TILE>>> (d_points, d_owners, n, n_contours,
        distance * distance, close);
    result.closeness = closeness.stop ();

    check (cudaMemset (matrix, 0x7f, n_entries * sizeof (float)));
    check (cudaDeviceSynchronize ());
    Timer distances;
    distances_kernel <<<patches, TILE>>> (d_points, d_owners, n, n_contours,
        matrix);
    result.distances = distances.stop ();
  }
  result.n_close = count_set (close, n_entries);
  /* uninitialised entries are 0x7f7f7f7f, some 3e38 */
  result.sum = sum_of (matrix, n_entries);
  free (owners);
  cudaFree (d_points);
  cudaFree (d_dabs);
  cudaFree (d_owners);
  cudaFree (flags);
  cudaFree (close);
  cudaFree (matrix);
  return result;
}
