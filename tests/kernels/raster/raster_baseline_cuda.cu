/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_baseline.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 32
#define THREADS 1024

static void
check (cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  fprintf (stderr, "%s: %s\n", what, cudaGetErrorString (status));
  exit (1);
}

static __device__ guint32
to_word (const float c[3])
{
  return (guint32) (255 * c[0] + .5f) | (guint32) (255 * c[1] + .5f) << 8 |
      (guint32) (255 * c[2] + .5f) << 16 | 255u << 24;
}

static __device__ void
blend (const Disc & d, int x, int y, float c[3])
{
  const float dx = x - d.x, dy = y - d.y, a = (d.rgba & 255) / 255.f;

  if (dx * dx + dy * dy > d.r * d.r)
    return;
  c[0] = a * ((d.rgba >> 24) / 255.f) + (1 - a) * c[0];
  c[1] = a * ((d.rgba >> 16 & 255) / 255.f) + (1 - a) * c[1];
  c[2] = a * ((d.rgba >> 8 & 255) / 255.f) + (1 - a) * c[2];
}

/* A block a tile, a thread a pixel: as many discs as there are threads are
 * tested, a scan gives those that touch their places, and each pixel paints
 * them. */
static __global__ void __launch_bounds__ (THREADS)
paint_tiles (const Disc * discs, guint32 n, int width, int height,
    guint32 * pixels)
{
  __shared__ guint32 sums[THREADS];
  __shared__ Disc found[THREADS];
  const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  const int x = left + threadIdx.x % TILE, y = top + threadIdx.x / TILE;
  float c[3] = { 0, 0, 0 };

  for (guint32 base = 0; base < n; base += THREADS) {
    const guint32 i = base + threadIdx.x;
    guint32 touches = 0;
    Disc d;

    if (i < n) {
      d = discs[i];
      const float dx = fmaxf (fmaxf (left - d.x, d.x - (left + TILE - 1)), 0);
      const float dy = fmaxf (fmaxf (top - d.y, d.y - (top + TILE - 1)), 0);

      touches = dx * dx + dy * dy <= d.r * d.r * 1.00001f;
    }
    sums[threadIdx.x] = touches;
    __syncthreads ();
    for (int step = 1; step < THREADS; step *= 2) {
      const guint32 add = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;

      __syncthreads ();
      sums[threadIdx.x] += add;
      __syncthreads ();
    }
    if (touches)
      found[sums[threadIdx.x] - 1] = d;
    __syncthreads ();
    for (guint32 j = 0; j < sums[THREADS - 1]; j++)
      blend (found[j], x, y, c);
    __syncthreads ();
  }
  if (x < width && y < height)
    pixels[(size_t) y * width + x] = to_word (c);
}

static __global__ void
paint_racy (const Disc * discs, guint32 n, int width, int height, float *image)
{
  const guint32 i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= n)
    return;
  const Disc d = discs[i];
  const int x0 = (int) fmaxf (floorf (d.x - d.r), 0);
  const int y0 = (int) fmaxf (floorf (d.y - d.r), 0);
  const int x1 = (int) fminf (ceilf (d.x + d.r), width - 1.f);
  const int y1 = (int) fminf (ceilf (d.y + d.r), height - 1.f);

  for (int y = y0; y <= y1; y++) {
    for (int x = x0; x <= x1; x++)
      blend (d, x, y, &image[3 * ((size_t) y * width + x)]);
  }
}

static __global__ void
to_words (const float *image, size_t n, guint32 * pixels)
{
  const size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;

  if (i < n)
    pixels[i] = to_word (&image[3 * i]);
}

struct Run
{
  Disc *discs;
  guint32 n, width, height;
  guint32 *pixels;
  float *image;
  cudaStream_t stream;
};

static void
run_tiles (void *data)
{
  const Run *r = (const Run *) data;
  const dim3 grid ((r->width + TILE - 1) / TILE, (r->height + TILE - 1) / TILE);

  paint_tiles <<< grid, THREADS, 0, r->stream >>> (r->discs, r->n, r->width,
      r->height, r->pixels);
}

static void
run_racy (void *data)
{
  const Run *r = (const Run *) data;
  const size_t n = (size_t) r->width * r->height;

  check (cudaMemsetAsync (r->image, 0, n * 3 * sizeof (float), r->stream),
      "cudaMemsetAsync");
  paint_racy <<< (r->n + 127) / 128, 128, 0, r->stream >>> (r->discs, r->n,
      r->width, r->height, r->image);
  to_words <<< (n + 255) / 256, 256, 0, r->stream >>> (r->image, n, r->pixels);
}

double
baseline_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data)
{
  cudaEvent_t begin, end;
  float ms = 0;

  check (cudaEventCreate (&begin), "cudaEventCreate");
  check (cudaEventCreate (&end), "cudaEventCreate");
  check (cudaEventRecord (begin, (cudaStream_t) stream), "cudaEventRecord");
  for (guint i = 0; i < n; i++)
    func (user_data);
  check (cudaEventRecord (end, (cudaStream_t) stream), "cudaEventRecord");
  check (cudaEventSynchronize (end), "cudaEventSynchronize");
  check (cudaEventElapsedTime (&ms, begin, end), "cudaEventElapsedTime");
  check (cudaEventDestroy (begin), "cudaEventDestroy");
  check (cudaEventDestroy (end), "cudaEventDestroy");
  return ms / n;
}

static double
run_baseline (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels, void (*func) (void *))
{
  const size_t n_pixels = (size_t) width * height;
  Run r = { NULL, (guint32) n, width, height, NULL, NULL, NULL };
  double ms;

  check (cudaStreamCreate (&r.stream), "cudaStreamCreate");
  check (cudaMalloc (&r.discs, MAX (n, 1) * sizeof (Disc)), "cudaMalloc");
  check (cudaMalloc (&r.pixels, n_pixels * sizeof (guint32)), "cudaMalloc");
  check (cudaMalloc (&r.image, n_pixels * 3 * sizeof (float)), "cudaMalloc");
  check (cudaMemcpy (r.discs, discs, n * sizeof (Disc),
          cudaMemcpyHostToDevice), "cudaMemcpy");
  func (&r);
  ms = baseline_device_time (r.stream, 3, func, &r);
  check (cudaGetLastError (), "baseline");
  check (cudaMemcpy (pixels, r.pixels, n_pixels * sizeof (guint32),
          cudaMemcpyDeviceToHost), "cudaMemcpy");
  check (cudaFree (r.discs), "cudaFree");
  check (cudaFree (r.pixels), "cudaFree");
  check (cudaFree (r.image), "cudaFree");
  check (cudaStreamDestroy (r.stream), "cudaStreamDestroy");
  return ms;
}

double
baseline_tiles (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels)
{
  return run_baseline (discs, n, width, height, pixels, run_tiles);
}

double
baseline_racy (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels)
{
  return run_baseline (discs, n, width, height, pixels, run_racy);
}
