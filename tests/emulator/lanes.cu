/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lanes of a warp: with each other, apart, and at the same memory */

#include "device.cuh"

#define ALL 0xffffffffu

/* four exchanges in segments of @width, by @by, of every thread's number */
static __global__ void
shuffle (int width, int by, int *results)
{
  const int t = threadIdx.x;
  int *r = results + t * 4;

  r[0] = __shfl_sync (ALL, t, by, width);
  r[1] = __shfl_up_sync (ALL, t, by, width);
  r[2] = __shfl_down_sync (ALL, t, by, width);
  r[3] = __shfl_xor_sync (ALL, t, by, width);
}

/* odd lanes rotate among themselves, even ones do something else first */
static __global__ void
shuffle_apart (int *results)
{
  const int t = threadIdx.x, odd = t & 1;
  int x = t;

  if (odd)
    x = __shfl_sync (0xaaaaaaaa, t, (t + 2) & 31);
  else
    for (int k = 0; k < t; k++)
      x += __shfl_sync (__activemask (), k, t);
  __syncwarp ();
  results[t] = __shfl_xor_sync (ALL, x, 1);
}

void
check_shuffles (void)
{
  Array < int >results (64 * 4);
  guint width, by, t;

  for (width = 1; width <= 32; width *= 2)
    for (by = 0; by < width; by++) {
      shuffle <<< 1, 64 >>> (width, by, results.device);
      results.download ();
      for (t = 0; t < 64; t++) {
        const guint in = t % width, first = t - in;
        const int *r = results.host + t * 4;

        g_assert_cmpint (r[0], ==, first + by);
        g_assert_cmpint (r[1], ==, in >= by ? t - by : t);
        g_assert_cmpint (r[2], ==, in + by < width ? t + by : t);
        g_assert_cmpint (r[3], ==, first + (in ^ by));
      }
    }
  shuffle_apart <<< 1, 32 >>> (results.device);
  results.download ();
  for (t = 0; t < 32; t++) {
    const int even = t & ~1, odd = t | 1;

    g_assert_cmpint (results.host[t], ==, t & 1 ?
        even + even * (even - 1) / 2 : (odd + 2) % 32);
  }
}

static __global__ void
vote (const guint32 *in, guint32 *results)
{
  const int t = threadIdx.x;
  const guint32 x = in[t];
  guint32 *r = results + t * 8;

  r[0] = __ballot_sync (ALL, x > 5);
  r[1] = __any_sync (ALL, x == 3);
  r[2] = __all_sync (ALL, x < 10);
  r[3] = __match_any_sync (ALL, x);
  r[4] = __reduce_add_sync (ALL, x);
  r[5] = __reduce_max_sync (ALL, x);
  r[6] = __reduce_min_sync (ALL, x);
  r[7] = x & 1 ? __ballot_sync (__activemask (), x > 5) : 0;
}

void
check_votes (void)
{
  Array < guint32 > in (32), results (32 * 8);
  GRand *rand = g_rand_new_with_seed (4);
  guint round, t, k;

  for (round = 0; round < 50; round++) {
    guint32 expected[8] = { 0, 0, 1, 0, 0, 0, G_MAXUINT32, 0 };

    for (t = 0; t < 32; t++) {
      const guint32 x = in.host[t] = g_rand_int (rand) % (2 + round % 11);

      expected[0] += (x > 5 ? 1u : 0) << t;
      expected[1] |= x == 3;
      expected[2] &= x < 10;
      expected[4] += x;
      expected[5] = MAX (expected[5], x);
      expected[6] = MIN (expected[6], x);
      expected[7] += (x > 5 && x % 2 ? 1u : 0) << t;
    }
    in.upload ();
    vote <<< 1, 32 >>> (in.device, results.device);
    results.download ();
    for (t = 0; t < 32; t++)
      for (k = 0; k < 8; k++) {
        guint32 e = k == 7 && in.host[t] % 2 == 0 ? 0 : expected[k], j;

        for (j = 0; k == 3 && j < 32; j++)
          e |= (in.host[j] == in.host[t] ? 1u : 0) << j;
        g_assert_cmphex (results.host[t * 8 + k], ==, e);
      }
  }
  g_rand_free (rand);
}

static __device__ __noinline__ unsigned
steps_of (unsigned x)
{
  unsigned n = 0;

  while (x != 1) {
    if (x % 2)
      x = 3 * x + 1;
    else
      x /= 2;
    n++;
    if (n > 1000)
      return 0;
  }
  return n;
}

/* Loops that end at another time for each lane, and a switch */
static __global__ void
collatz (unsigned *results)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned n = steps_of (i + 1);

  switch (i % 7) {
    case 0:
      n += 100;
      break;
    case 1:
      n *= 3;
      break;
    case 2:
      n = steps_of (n + 1);
      break;
    case 3:
      n -= steps_of (i + 2);
      break;
    case 4:
      n ^= 0x55;
      break;
    case 5:
      return;
  }
  results[i] = n;
}

void
check_divergence (void)
{
  Array < unsigned >results (1000);
  guint steps[2000] = { 0 }, i;

  for (i = 2; i < 2000; i++) {
    guint64 x = i;

    for (; x > 1; steps[i]++)
      x = x & 1 ? x + (x << 1) + 1 : x >> 1;
  }
  results.upload ();
  collatz <<< 10, 100 >>> (results.device);
  results.download ();
  for (i = 0; i < 1000; i++) {
    const guint n = steps[i + 1];
    const guint expected[7] = { n + 100, 3 * n, steps[n + 1],
      n - steps[i + 2], n ^ 0x55, 0, n
    };

    g_assert_cmpuint (results.host[i], ==, expected[i % 7]);
  }
}

static __global__ void
count (unsigned *bins, unsigned *wrapped, unsigned *greatest,
    unsigned long long *sum, int *next, int *head, float *total)
{
  __shared__ unsigned own[16];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  unsigned old, seen = *(volatile unsigned *) greatest;

  if (t < 16)
    own[t] = 0;
  __syncthreads ();
  atomicAdd (&own[i * i % 16], 1);
  atomicInc (wrapped, 9);
  atomicAdd (sum, (unsigned long long) i << 32);
  atomicAdd (total, 0.5f);
  /* the maximum by compare and swap */
  do {
    old = seen;
    seen = atomicCAS (greatest, old, max (old, i * 7919 % 10007));
  } while (seen != old);
  next[i] = atomicExch (head, i);
  __syncthreads ();
  if (t < 16)
    atomicAdd (&bins[t], own[t]);
}

void
check_atomics (void)
{
  const guint n = 2048;
  Array < unsigned >bins (18);
  Array < unsigned long long >sum (1);
  Array < int >next (n + 1);
  Array < float >total (1);
  guint expected[16] = { 0 }, greatest = 0, i;
  int at;

  next.host[n] = -1;
  bins.upload ();
  sum.upload ();
  next.upload ();
  total.upload ();
  count <<< n / 256, 256 >>> (bins.device, bins.device + 16,
      bins.device + 17, sum.device, next.device, next.device + n,
      total.device);
  bins.download ();
  sum.download ();
  next.download ();
  total.download ();
  for (i = 0; i < n; i++) {
    expected[i * i % 16]++;
    greatest = MAX (greatest, i * 7919 % 10007);
  }
  for (i = 0; i < 16; i++)
    g_assert_cmpuint (bins.host[i], ==, expected[i]);
  g_assert_cmpuint (bins.host[16], ==, n % 10);
  g_assert_cmpuint (bins.host[17], ==, greatest);
  g_assert_cmpuint (sum.host[0], ==, (guint64) n * (n - 1) / 2 << 32);
  g_assert_cmpfloat (total.host[0], ==, n / 2.f);
  /* the list has all of them */
  for (i = 0, at = next.host[n]; at >= 0; i++)
    at = next.host[at];
  g_assert_cmpuint (i, ==, n);
}
