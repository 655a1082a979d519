/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations on numbers */

#include "device.cuh"

#include <cuda_fp16.h>

#define N 4096

static __global__ void
round_all (const float *a, const float *b, const float *c, float *results)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = a[i], y = b[i], z = c[i];
  float *r = results + i * N_ROUNDED;

  r[0] = __fadd_rn (x, y);
  r[1] = __fadd_rd (x, y);
  r[2] = __fadd_ru (x, y);
  r[3] = __fadd_rz (x, y);
  r[4] = __fmul_rn (x, y);
  r[5] = __fmul_rd (x, y);
  r[6] = __fmul_ru (x, y);
  r[7] = __fmul_rz (x, y);
  r[8] = __fdiv_rn (x, y);
  r[9] = __fdiv_rd (x, y);
  r[10] = __fdiv_ru (x, y);
  r[11] = __fdiv_rz (x, y);
  r[12] = __fsqrt_rn (fabsf (x));
  r[13] = __fsqrt_rd (fabsf (x));
  r[14] = __fsqrt_ru (fabsf (x));
  r[15] = __fsqrt_rz (fabsf (x));
  r[16] = __fmaf_rn (x, y, z);
  r[17] = __fmaf_rd (x, y, z);
  r[18] = __fmaf_ru (x, y, z);
  r[19] = __fmaf_rz (x, y, z);
}

void
check_rounding (void)
{
  Array < float >a (N), b (N), c (N), results (N * N_ROUNDED);
  GRand *rand = g_rand_new_with_seed (1);
  guint i, k;

  for (i = 0; i < N; i++) {
    a.host[i] = (float) g_rand_double_range (rand, -1000, 1000);
    b.host[i] = (float) g_rand_double_range (rand, -10, 10);
    c.host[i] = (float) g_rand_double_range (rand, -1e-3, 1e-3);
  }
  a.upload ();
  b.upload ();
  c.upload ();
  round_all <<< N / 128, 128 >>> (a.device, b.device, c.device,
      results.device);
  results.download ();
  for (i = 0; i < N; i++) {
    float expected[N_ROUNDED];

    expect_rounded (a.host[i], b.host[i], c.host[i], expected);
    for (k = 0; k < N_ROUNDED; k++)
      g_assert_cmpfloat (results.host[i * N_ROUNDED + k], ==, expected[k]);
  }
  g_rand_free (rand);
}

static __global__ void
compute_ints (const guint32 *a, const guint32 *b, const guint32 *c,
    guint32 *results)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const guint32 x = a[i], y = b[i], z = c[i], by = z % 64;
  guint32 *r = results + i * N_INTS;

  r[INT_CLZ] = __clz (x);
  r[INT_POPC] = __popc (x);
  r[INT_BREV] = __brev (x);
  r[INT_FFS] = __ffs (x);
  r[INT_PERM] = __byte_perm (x, y, z & 0x7777);
  r[INT_MULHI] = __mulhi ((int) x, (int) y);
  r[INT_UMULHI] = __umulhi (x, y);
  r[INT_FUNNEL_L] = __funnelshift_l (x, y, z);
  r[INT_FUNNEL_R] = __funnelshift_r (x, y, z);
  r[INT_SAD] = __sad ((int) x, (int) y, z);
  asm ("shl.b32 %0, %1, %2;":"=r" (r[INT_SHIFT_LEFT]):"r" (x), "r" (by));
  asm ("shr.u32 %0, %1, %2;":"=r" (r[INT_SHIFT_RIGHT]):"r" (x), "r" (by));
  asm ("shr.s32 %0, %1, %2;":"=r" (r[INT_SHIFT_SIGNED]):"r" (x), "r" (by));
  r[INT_DIV] = y == 0 ? 0 : (int) x / (int) y;
  r[INT_REM] = y == 0 ? 0 : (int) x % (int) y;
}

void
check_integers (void)
{
  Array < guint32 > a (N), b (N), c (N), results (N * N_INTS);
  GRand *rand = g_rand_new_with_seed (2);
  guint i, k;

  for (i = 0; i < N; i++) {
    a.host[i] = random_word (rand);
    b.host[i] = random_word (rand);
    c.host[i] = random_word (rand);
  }
  a.upload ();
  b.upload ();
  c.upload ();
  compute_ints <<< N / 256, 256 >>> (a.device, b.device, c.device,
      results.device);
  results.download ();
  for (i = 0; i < N; i++) {
    guint32 expected[N_INTS];

    expect_ints (a.host[i], b.host[i], c.host[i], expected);
    for (k = 0; k < N_INTS; k++)
      if (results.host[i * N_INTS + k] != expected[k])
        g_error ("operation %u of %x, %x, %x: %x instead of %x", k,
            a.host[i], b.host[i], c.host[i], results.host[i * N_INTS + k],
            expected[k]);
  }
  g_rand_free (rand);
}

static __device__ guint32
float_bits (float x)
{
  return __float_as_uint (x);
}

static __global__ void
convert (const double *in, guint64 *results)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = in[i];
  const guint64 bits = __double_as_longlong (x);
  guint64 *r = results + i * N_CVTS;

  r[CVT_S32_RZ] = (guint32) __double2int_rz (x);
  r[CVT_S32_RN] = (guint32) __double2int_rn (x);
  r[CVT_S32_RD] = (guint32) __double2int_rd (x);
  r[CVT_S32_RU] = (guint32) __double2int_ru (x);
  r[CVT_U32_RZ] = __double2uint_rz (x);
  r[CVT_S64_RZ] = __double2ll_rz (x);
  r[CVT_U64_RZ] = __double2ull_rz (x);
  r[CVT_S32_OF_FLOAT] = (guint32) __float2int_rz (__double2float_rn (x));
  r[CVT_U32_OF_FLOAT] = __float2uint_rz (__double2float_rn (x));
  r[CVT_FLOAT_RN] = float_bits (__double2float_rn (x));
  r[CVT_FLOAT_RD] = float_bits (__double2float_rd (x));
  r[CVT_FLOAT_RU] = float_bits (__double2float_ru (x));
  r[CVT_FLOAT_RZ] = float_bits (__double2float_rz (x));
  r[CVT_FLOAT_OF_S64] = float_bits (__ll2float_rn (bits));
  r[CVT_FLOAT_OF_U32] = float_bits (__uint2float_rn ((guint32) bits));
  r[CVT_HALF] = float_bits (__half2float (__ushort_as_half
          ((unsigned short) bits)));
}

/* A number of some size, half of them near an integer or a half */
static double
random_number (GRand *rand)
{
  const double scale = ldexp (1, g_rand_int_range (rand, -3, 70));
  double x = g_rand_double_range (rand, -1, 1) * scale;

  if (g_rand_boolean (rand))
    x = floor (x * 2) / 2;
  return x;
}

void
check_conversions (void)
{
  static const double edges[] = { 0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5,
    2147483647.0, 2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5,
    4294967295.0, 4294967296.0, 9223372036854775808.0,
    -9223372036854775808.0, 18446744073709551616.0, INFINITY, -INFINITY, NAN
  };
  Array < double >in (N);
  Array < guint64 > results (N * N_CVTS);
  GRand *rand = g_rand_new_with_seed (3);
  guint i, k;

  for (i = 0; i < N; i++)
    in.host[i] = i < G_N_ELEMENTS (edges) ? edges[i] : random_number (rand);
  in.upload ();
  convert <<< N / 64, 64 >>> (in.device, results.device);
  results.download ();
  for (i = 0; i < N; i++) {
    guint64 expected[N_CVTS];

    expect_conversions (in.host[i], expected);
    for (k = 0; k < N_CVTS; k++)
      if (results.host[i * N_CVTS + k] != expected[k])
        g_error ("conversion %u of %.17g: %" G_GINT64_MODIFIER "x instead "
            "of %" G_GINT64_MODIFIER "x", k, in.host[i],
            results.host[i * N_CVTS + k], expected[k]);
  }
  g_rand_free (rand);
}
