/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exact filter as it was first computed on GPUs, for comparison: a block
 * for each coefficient, which remaps the coefficient's window of the image and
 * builds the window's Laplacian pyramid up to the coefficient's level. */
#include "bench_llf.h"

#include <stdint.h>

#include <cuda_runtime.h>

#define THREADS 128
#define BLOCKS 528
/* Levels that are timed; with more, windows outgrow a GPU's memory. */
#define LEVELS 5
/* Coefficients of a level that are timed, at most. */
#define SAMPLES 4224
#define SIDE ((6 << LEVELS) + 1)
#define WINDOW (SIDE * SIDE)

struct Curve
{
  float sigma, alpha, beta;
};

static __device__ float
remap (Curve curve, float i, float g)
{
  const float x = i - g, size = fabsf (x), sigma = curve.sigma;
  float y = __saturatef ((size - .01f) / .01f), to;

  if (size > sigma) {
    to = curve.beta * (size - sigma) + sigma;
  } else {
    y = y * y * (y - 2) * (y - 2);
    to = y * sigma * powf (size / sigma, curve.alpha) + (1 - y) * size;
  }
  return g + copysignf (to, x);
}

static __device__ float
tap (const float *in, int w, int h, int x, int y)
{
  return in[min (max (y, 0), h - 1) * w + min (max (x, 0), w - 1)];
}

static __device__ void
down (const float *in, int w, int h, float *out)
{
  const float taps[] = { 1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f };
  const int w1 = (w + 1) / 2, h1 = (h + 1) / 2;

  for (int at = threadIdx.x; at < w1 * h1; at += THREADS) {
    const int y = at / w1, x = at - y * w1;
    float sum = 0;

    for (int dy = 0; dy < 5; dy++)
      for (int dx = 0; dx < 5; dx++)
        sum += taps[dy] * taps[dx] * tap (in, w, h, 2 * x - 2 + dx,
            2 * y - 2 + dy);
    out[at] = sum;
  }
  __syncthreads ();
}

static __device__ float
up (const float *in, int w, int h, int x, int y)
{
  const float ox = x % 2 ? 0 : .125f, oy = y % 2 ? 0 : .125f;
  const float wx[] = { ox, x % 2 ? .5f : .75f, x % 2 ? .5f : .125f };
  const float wy[] = { oy, y % 2 ? .5f : .75f, y % 2 ? .5f : .125f };
  float sum = 0;

  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      sum += wx[dx] * wy[dy] * tap (in, w, h, x / 2 - 1 + dx, y / 2 - 1 + dy);
  return sum;
}

static __global__ void __launch_bounds__ (THREADS)
original_kernel (const uint16_t *codes, int w, int h, int l, int n, Curve curve,
    float *scratch, float *out)
{
  float *a = scratch + (size_t) blockIdx.x * 2 * WINDOW, *b = a + WINDOW;
  const int reach = 3 << (l + 1), columns = w >> l;
  const long all = (long) columns * (h >> l);

  for (int k = blockIdx.x; k < n; k += gridDim.x) {
    const int index = (int) (all * k / n);
    const int cx = (index % columns) << l, cy = (index / columns) << l;
    const int x0 = max (cx - reach, 0), y0 = max (cy - reach, 0);
    int side_x = min (cx + reach, w - 1) - x0 + 1;
    int side_y = min (cy + reach, h - 1) - y0 + 1;
    const float g = codes[cy * w + cx] / 255.f;

    for (int at = threadIdx.x; at < side_x * side_y; at += THREADS)
      a[at] = remap (curve, codes[(y0 + at / side_x) * w + x0 + at % side_x] /
          255.f, g);
    __syncthreads ();
    for (int level = 0; level < l; level++) {
      float *next = b;

      down (a, side_x, side_y, b);
      side_x = (side_x + 1) / 2;
      side_y = (side_y + 1) / 2;
      b = a;
      a = next;
    }
    down (a, side_x, side_y, b);
    if (threadIdx.x == 0) {
      const int x = (cx - x0) >> l, y = (cy - y0) >> l;

      out[k] = a[y * side_x + x] - up (b, (side_x + 1) / 2, (side_y + 1) / 2,
          x, y);
    }
    __syncthreads ();
  }
}

static float
time_level (const uint16_t *codes, int w, int h, int l, Curve curve,
    float *scratch, float *out)
{
  const double all = (double) (w >> l) * (h >> l);
  const int n = all < SAMPLES ? (int) all : SAMPLES;
  cudaEvent_t start, stop;
  float ms = 0;

  cudaEventCreate (&start);
  cudaEventCreate (&stop);
  original_kernel <<<BLOCKS, THREADS>>> (codes, w, h, l, n, curve, scratch,
      out);
  cudaEventRecord (start);
  original_kernel <<<BLOCKS, THREADS>>> (codes, w, h, l, n, curve, scratch,
      out);
  cudaEventRecord (stop);
  cudaEventSynchronize (stop);
  cudaEventElapsedTime (&ms, start, stop);
  cudaEventDestroy (start);
  cudaEventDestroy (stop);
  return (float) (ms * all / n);
}

extern "C" double
bench_llf_original_cuda (const guint16 *codes, guint w, guint h, double sigma,
    double alpha, double beta)
{
  const Curve curve = { (float) sigma, (float) alpha, (float) beta };
  uint16_t *device_codes = NULL;
  float *scratch = NULL, *out = NULL;
  double ms = 0;

  if (cudaMalloc (&device_codes, (size_t) w * h * 2) == cudaSuccess &&
      cudaMalloc (&scratch, sizeof (float) * BLOCKS * 2 * WINDOW) ==
      cudaSuccess && cudaMalloc (&out, SAMPLES * sizeof (float)) ==
      cudaSuccess) {
    cudaMemcpy (device_codes, codes, (size_t) w * h * 2,
        cudaMemcpyHostToDevice);
    for (int l = 0; l < LEVELS; l++)
      ms += time_level (device_codes, w, h, l, curve, scratch, out);
  }
  cudaFree (device_codes);
  cudaFree (scratch);
  cudaFree (out);
  return cudaGetLastError () == cudaSuccess ? ms : -1;
}
