/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels that do something wrong. Each ends the process with a message. */

#include "device.cuh"

static __global__ void
store_at (unsigned *data, int index)
{
  if (threadIdx.x == 5)
    data[index] = 1;
}

static void
store_behind (void)
{
  Array < unsigned >data (100);

  store_at <<< 2, 32 >>> (data.device, 100);
}

static void
store_before (void)
{
  Array < unsigned >data (100);

  store_at <<< 1, 32 >>> (data.device, -1);
}

static void
store_freed (void)
{
  unsigned *data;

  cudaMalloc ((void **) &data, 400);
  cudaFree (data);
  store_at <<< 1, 32 >>> (data, 0);
}

static void
store_unaligned (void)
{
  Array < unsigned >data (100);

  store_at <<< 1, 32 >>> ((unsigned *) ((char *) data.device + 2), 0);
}

static void
store_host (void)
{
  unsigned data[100] = { 0 };

  store_at <<< 1, 32 >>> (data, 0);
}

static __global__ void
store_shared (unsigned at, unsigned *out)
{
  extern __shared__ unsigned data[];

  data[at + threadIdx.x] = 1;
  out[threadIdx.x] = data[31 - threadIdx.x];
}

static void
store_behind_shared (void)
{
  Array < unsigned >out (32);

  store_shared <<< 1, 32, 32 * 4 >>> (1, out.device);
}

static __global__ void
wait_apart (unsigned *out)
{
  if (threadIdx.x < 32)
    asm volatile ("bar.sync 1, 64;");
  else
    asm volatile ("bar.sync 2, 64;");
  out[threadIdx.x] = 1;
}

static void
wait_for_nothing (void)
{
  Array < unsigned >out (64);

  wait_apart <<< 1, 64 >>> (out.device);
}

static __global__ void
wait_for_lane (unsigned *out)
{
  if (threadIdx.x < 16)
    out[0] = __shfl_sync (0xffffffff, threadIdx.x, 3);
  else
    out[1] = __shfl_sync (0xffffffff, threadIdx.x * 2, 4);
}

static void
wait_for_lanes (void)
{
  Array < unsigned >out (2);

  wait_for_lane <<< 1, 32 >>> (out.device);
}

static __global__ void
shuffle_as_other (unsigned *out)
{
  out[threadIdx.x] = __shfl_sync (0x0000ffff, threadIdx.x, 3);
}

static void
shuffle_without_lanes (void)
{
  Array < unsigned >out (32);

  shuffle_as_other <<< 1, 32 >>> (out.device);
}

static __global__ void
spin (volatile unsigned *flag)
{
  while (*flag == 0);
}

static void
run_for_ever (void)
{
  Array < unsigned >flag (1);

  g_setenv ("CUDASHAPES_EMULATE_TIMEOUT", "1", TRUE);
  flag.upload ();
  spin <<< 1, 32 >>> (flag.device);
}

static __global__ void
copy_one (const unsigned *in, unsigned *out)
{
  out[0] = in[threadIdx.x];
}

static void
load_unwritten (void)
{
  g_setenv ("CUDASHAPES_EMULATE_INIT", "1", TRUE);
  {
    Array < unsigned >in (32), out (1);

    cudaMemset (in.device, 0, 31 * 4);
    copy_one <<< 1, 31 >>> (in.device, out.device);
    g_printerr ("the first launch was right\n");
    copy_one <<< 1, 32 >>> (in.device, out.device);
  }
}

/* @first, a barrier is missing before the reads, else behind them. */
static __global__ void
reverse (unsigned *data, int first)
{
  __shared__ unsigned own[64];
  const unsigned t = threadIdx.x;
  unsigned x;

  own[t] = data[t];
  if (!first)
    __syncthreads ();
  x = own[63 - t];
  if (first)
    __syncthreads ();
  own[t] = x + 1;
  __syncthreads ();
  data[t] = own[t ^ 32];
}

static void
race (int first)
{
  Array < unsigned >data (64);

  g_setenv ("CUDASHAPES_EMULATE_RACES", "1", TRUE);
  data.upload ();
  reverse <<< 1, 64 >>> (data.device, first);
}

static void
read_too_early (void)
{
  race (1);
}

static void
write_too_early (void)
{
  race (0);
}

static void
launch_too_large (void)
{
  Array < unsigned >out (32);

  store_shared <<< 1, 32, 230 << 10 >>> (0, out.device);
}

const Mistake mistakes[] = {
  {"behind", "*a store of 4 bytes*thread (5, 0, 0) of block (0, 0, 0)*",
      store_behind},
  {"before", "*a store of 4 bytes*nearest memory has 400 bytes*",
      store_before},
  {"freed", "*memory of 400 bytes that has been freed*", store_freed},
  {"unaligned", "*which is not aligned*", store_unaligned},
  {"host", "*a store of 4 bytes*", store_host},
  {"shared", "*shared memory of 128 bytes*", store_behind_shared},
  {"barrier", "*warp 0*wait at a barrier*bar.sync*all wait*",
      wait_for_nothing},
  {"lanes", "*wait for other lanes*shfl*all wait*", wait_for_lanes},
  {"members", "*not among the members*", shuffle_without_lanes},
  {"endless", "*the kernel does not end*", run_for_ever},
  {"unwritten", "*first launch was right*that nobody has written*",
      load_unwritten},
  {"race-read", "*byte*shared memory*no barrier lies between*", read_too_early},
  {"race-write", "*byte*shared memory*no barrier lies between*", write_too_early},
  {"large", "*more shared memory than there is*", launch_too_large},
  {NULL, NULL, NULL},
};
