/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Warps of a block, blocks of a grid, and their memory */

#include "device.cuh"

/* A scan, each step between barriers, and what barriers count */
static __global__ void
scan_block (const unsigned *in, unsigned *out, unsigned *counted)
{
  extern __shared__ unsigned sums[];
  const unsigned t = threadIdx.x, n = blockDim.x;
  unsigned x = in[t];

  sums[t] = x;
  for (unsigned by = 1; by < n; by *= 2) {
    __syncthreads ();
    x = t >= by ? sums[t - by] : 0;
    __syncthreads ();
    sums[t] += x;
  }
  out[t] = sums[t];
  counted[3 * t] = __syncthreads_count (in[t] % 3 == 0);
  counted[3 * t + 1] = __syncthreads_or (in[t] == 17);
  counted[3 * t + 2] = __syncthreads_and (in[t] < 100);
}

void
check_barriers (void)
{
  const guint n = 1000;
  Array < unsigned >in (n), out (n), counted (3 * n);
  guint sum = 0, thirds = 0, i;
  gboolean any = FALSE, all = TRUE;

  for (i = 0; i < n; i++) {
    in.host[i] = i * 31 % 101;
    thirds += in.host[i] % 3 == 0;
    any |= in.host[i] == 17;
    all &= in.host[i] < 100;
  }
  in.upload ();
  scan_block <<< 1, n, n * sizeof (unsigned) >>> (in.device, out.device,
      counted.device);
  out.download ();
  counted.download ();
  for (i = 0; i < n; i++) {
    sum += in.host[i];
    g_assert_cmpuint (out.host[i], ==, sum);
    g_assert_cmpuint (counted.host[3 * i], ==, thirds);
    g_assert_cmpint (counted.host[3 * i + 1] != 0, ==, any);
    g_assert_cmpint (counted.host[3 * i + 2] != 0, ==, all);
  }
}

/* Each block waits for the one in front of it. */
static __global__ void
chain (volatile unsigned *sums)
{
  const unsigned b = blockIdx.x;

  if (threadIdx.x == 0) {
    unsigned before = 0;

    while (b > 0 && (before = sums[b - 1]) == 0);
    __threadfence ();
    sums[b] = before + b + 1;
  }
}

void
check_chain (void)
{
  Array < unsigned >sums (200);
  guint i;

  sums.upload ();
  chain <<< 200, 64 >>> (sums.device);
  sums.download ();
  for (i = 0; i < 200; i++)
    g_assert_cmpuint (sums.host[i], ==, (i + 1) * (i + 2) / 2);
}

/* All blocks write, then each reads what its neighbour wrote. */
static __global__ void
exchange (unsigned *arrived, unsigned *slots, unsigned n_rounds)
{
  const unsigned b = blockIdx.x, n = gridDim.x;

  for (unsigned round = 1; round <= n_rounds; round++) {
    const unsigned x = round == 1 ? b : slots[((round - 1) & 1) * n +
        (b + 1) % n];

    __syncthreads ();
    if (threadIdx.x == 0) {
      slots[(round & 1) * n + b] = x + 1;
      __threadfence ();
      atomicAdd (arrived, 1);
      while (*(volatile unsigned *) arrived < round * n);
      __threadfence ();
    }
    __syncthreads ();
  }
}

void
check_grid_barrier (void)
{
  const guint n = 20;
  Array < unsigned >arrived (1), slots (2 * n);
  unsigned rounds = 5;
  void *args[] = { &arrived.device, &slots.device, &rounds };
  guint b;

  arrived.upload ();
  g_assert_cmpint (cudaLaunchCooperativeKernel ((const void *) exchange,
          dim3 (n), dim3 (96), args, 0, NULL), ==, cudaSuccess);
  slots.download ();
  for (b = 0; b < n; b++)
    g_assert_cmpuint (slots.host[(rounds & 1) * n + b], ==,
        (b + rounds - 1) % n + rounds);
}

__device__ unsigned table[5] = { 3, 1, 4, 1, 5 };

/* Every kind of memory, by addresses that say which it is and by others */
static __device__ __noinline__ unsigned
sum_of (const unsigned *data, unsigned n)
{
  unsigned sum = 0;

  for (unsigned k = 0; k < n; k++)
    sum += data[k];
  return sum;
}

struct Large
{
  unsigned values[20];
};

static __global__ void
touch_all (const uint4 *in, Large params, unsigned *out)
{
  __shared__ unsigned own[64];
  unsigned local[16];
  const unsigned t = threadIdx.x;
  const uint4 four = in[t];

  for (unsigned k = 0; k < 16; k++)
    local[(k * 5 + t) % 16] = k + t;
  own[t] = four.x + four.y * 2 + four.z * 3 + four.w * 4;
  __syncthreads ();
  out[t] = sum_of (local, 1 + t % 16) + sum_of (own, t) * 3 +
      sum_of (table, t % 5) * 5 + sum_of (params.values, t % 20) * 7;
}

void
check_memory (void)
{
  static const guint constants[5] = { 3, 1, 4, 1, 5 };
  Array < uint4 > in (64);
  Array < unsigned >out (64);
  Large params;
  guint t, k, before = 0;

  for (k = 0; k < 20; k++)
    params.values[k] = k * k;
  for (t = 0; t < 64; t++)
    in.host[t] = make_uint4 (t, t + 1, t * 2, 7);
  in.upload ();
  touch_all <<< 1, 64 >>> (in.device, params, out.device);
  out.download ();
  for (t = 0; t < 64; t++) {
    guint local[16], expected = before * 3;

    for (k = 0; k < 16; k++)
      local[(k * 5 + t) % 16] = k + t;
    for (k = 0; k < 1 + t % 16; k++)
      expected += local[k];
    for (k = 0; k < t % 5; k++)
      expected += constants[k] * 5;
    for (k = 0; k < t % 20; k++)
      expected += k * k * 7;
    before += t + 2 * (t + 1) + 3 * 2 * t + 4 * 7;
    g_assert_cmpuint (out.host[t], ==, expected);
  }
}

static __global__ void
add (unsigned *x, unsigned by)
{
  x[threadIdx.x] = x[threadIdx.x] * 2 + by;
}

/* What is captured runs when its graph is launched, in order, and again. */
void
check_graph (void)
{
  Array < unsigned >x (32);
  unsigned other[32];
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  guint i;

  g_assert_cmpint (cudaStreamCreate (&stream), ==, cudaSuccess);
  cudaMemsetAsync (x.device, 0, sizeof (other), stream);
  cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
  add <<< 1, 32, 0, stream >>> (x.device, 1);
  add <<< 1, 16, 0, stream >>> (x.device, 5);
  cudaMemcpyAsync (other, x.device, sizeof (other), cudaMemcpyDeviceToHost,
      stream);
  cudaStreamEndCapture (stream, &graph);
  g_assert_cmpint (cudaGraphInstantiate (&exec, graph, 0), ==, cudaSuccess);
  cudaGraphDestroy (graph);
  x.download ();
  g_assert_cmpuint (x.host[0], ==, 0);
  cudaGraphLaunch (exec, stream);
  cudaGraphLaunch (exec, stream);
  for (i = 0; i < 32; i++)
    g_assert_cmpuint (other[i], ==, i < 16 ? ((7 * 2) + 1) * 2 + 5 : 3);
  cudaGraphExecDestroy (exec);
  cudaStreamDestroy (stream);
}
