/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What kernels must give, computed without the instructions they use */

#include "emulated.h"

#include <math.h>

/* The float next to @exact in a direction. Numbers are such that operations
 * are exact in 113 bits, or @exact is near enough. */
static float
round_quad (__float128 exact, guint direction)
{
  float x = (float) exact;

  if (direction == ROUND_ZERO)
    direction = exact < 0 ? ROUND_UP : ROUND_DOWN;
  if (direction == ROUND_DOWN && (__float128) x > exact)
    x = nextafterf (x, -INFINITY);
  if (direction == ROUND_UP && (__float128) x < exact)
    x = nextafterf (x, INFINITY);
  return x;
}

/* a root to some 100 bits, by Newton's method */
static __float128
quad_root (__float128 x)
{
  __float128 root = sqrt ((double) x);

  for (guint k = 0; x > 0 && k < 3; k++)
    root = (root + x / root) / 2;
  return root;
}

void
expect_rounded (float a, float b, float c, float results[N_ROUNDED])
{
  const __float128 x = a, y = b, z = c;
  const __float128 exact[N_FLOATS] = {
    x + y, x * y, x / y, quad_root (x < 0 ? -x : x), x * y + z,
  };

  for (guint k = 0; k < N_FLOATS; k++)
    for (guint direction = 0; direction < N_ROUNDS; direction++)
      results[k * N_ROUNDS + direction] = round_quad (exact[k], direction);
}

static guint32
get_bit (guint32 x, guint k)
{
  return k < 32 ? x >> k & 1 : 0;
}

static void
expect_bits (guint32 a, guint32 results[N_INTS])
{
  results[INT_CLZ] = 32;
  results[INT_FFS] = results[INT_POPC] = results[INT_BREV] = 0;
  for (guint k = 0; k < 32; k++)
    if (get_bit (a, k)) {
      results[INT_CLZ] = 31 - k;
      results[INT_POPC]++;
      results[INT_BREV] |= 1u << (31 - k);
      if (results[INT_FFS] == 0)
        results[INT_FFS] = k + 1;
    }
}

void
expect_ints (guint32 a, guint32 b, guint32 c, guint32 results[N_INTS])
{
  const guint8 bytes[8] = { a, a >> 8, a >> 16, a >> 24, b, b >> 8, b >> 16,
    b >> 24
  };
  const gint64 product = (gint64) (gint32) a * (gint32) b;
  const guint n = c % 32, by = c % 64;

  expect_bits (a, results);
  results[INT_PERM] = results[INT_FUNNEL_L] = results[INT_FUNNEL_R] = 0;
  for (guint k = 0; k < 4; k++)
    results[INT_PERM] |= (guint32) bytes[c >> 4 * k & 7] << 8 * k;
  results[INT_MULHI] = (guint64) product >> 32;
  results[INT_UMULHI] = ((guint64) a * b) / (G_GUINT64_CONSTANT (1) << 32);
  for (guint k = 0; k < 32; k++) {
    /* b above a, shifted by n: bit k of the upper and of the lower half */
    const gint left = (gint) k - (gint) n;
    const guint right = k + n;

    results[INT_FUNNEL_L] |= (left >= 0 ? get_bit (b, left) :
        get_bit (a, 32 + left)) << k;
    results[INT_FUNNEL_R] |= (right < 32 ? get_bit (a, right) :
        get_bit (b, right - 32)) << k;
  }
  results[INT_SAD] = c + (guint32) (guint64) ABS ((gint64) (gint32) a -
      (gint32) b);
  results[INT_SHIFT_LEFT] = (guint32) ((__uint128_t) a << by);
  results[INT_SHIFT_RIGHT] = (guint32) ((guint64) a >> by);
  results[INT_SHIFT_SIGNED] = (guint32) ((gint64) (gint32) a >> by);
  results[INT_DIV] = (gint32) b == 0 ? 0 : (guint32) ((gint64) (gint32) a /
      (gint32) b);
  results[INT_REM] = (gint32) b == 0 ? 0 : (guint32) ((gint64) (gint32) a %
      (gint32) b);
}

static guint64
saturated (double x, double low, double high, guint64 least, guint64 most,
    guint64 of_nan)
{
  if (x != x)
    return of_nan;
  if (x <= low)
    return least;
  if (x >= high)
    return most;
  return x < 0 ? (guint64) (gint64) x : (guint64) x;
}

static guint64
to_s32 (double x)
{
  return (guint32) saturated (x, -2147483648.0, 2147483647.0, 0x80000000,
      0x7fffffff, 0x80000000);
}

/* ties to even */
static double
nearest (double x)
{
  const double down = floor (x), part = x - down;

  if (part != 0.5)
    return part < 0.5 ? down : down + 1;
  return fmod (down, 2) == 0 ? down : down + 1;
}

static guint64
float_bits (float x)
{
  union
  {
    float f;
    guint32 u;
  } bits = { x };

  return x != x ? 0x7fffffff : bits.u;
}

/* A half's bits in the low part of @bits, as a float */
static float
half_value (guint64 bits)
{
  const gint exponent = bits >> 10 & 31;
  const float fraction = (bits & 1023) / 1024.f;
  float x;

  if (exponent == 31)
    x = bits & 1023 ? NAN : INFINITY;
  else if (exponent == 0)
    x = fraction * powf (2, -14);
  else
    x = (1 + fraction) * powf (2, exponent - 15);
  return bits & 0x8000 ? -x : x;
}

void
expect_conversions (double x, guint64 results[N_CVTS])
{
  union
  {
    double f;
    guint64 u;
    gint64 s;
  } bits = { x };
  const float single = (float) x;

  results[CVT_S32_RZ] = to_s32 (x < 0 ? ceil (x) : floor (x));
  results[CVT_S32_RN] = to_s32 (nearest (x));
  results[CVT_S32_RD] = to_s32 (floor (x));
  results[CVT_S32_RU] = to_s32 (ceil (x));
  results[CVT_U32_RZ] = saturated (floor (x), 0, 4294967295.0, 0,
      G_MAXUINT32, 0x80000000);
  results[CVT_S64_RZ] = saturated (x < 0 ? ceil (x) : floor (x),
      -9223372036854775808.0, 9223372036854775808.0,
      G_GUINT64_CONSTANT (1) << 63, G_MAXINT64,
      G_GUINT64_CONSTANT (1) << 63);
  results[CVT_U64_RZ] = saturated (floor (x), 0, 18446744073709551616.0, 0,
      G_MAXUINT64, G_GUINT64_CONSTANT (1) << 63);
  results[CVT_S32_OF_FLOAT] = single != single ? 0 :
      to_s32 (single < 0 ? ceil (single) : floor (single));
  results[CVT_U32_OF_FLOAT] = saturated (floor (single), 0, 4294967295.0, 0,
      G_MAXUINT32, 0);
  for (guint k = 0; k < N_ROUNDS; k++)
    results[CVT_FLOAT_RN + k] = float_bits (x != x || isinf (x) ? single :
        round_quad (x, k));
  results[CVT_FLOAT_OF_S64] = float_bits (round_quad (bits.s, ROUND_NEAREST));
  results[CVT_FLOAT_OF_U32] = float_bits (round_quad ((guint32) bits.u,
          ROUND_NEAREST));
  results[CVT_HALF] = float_bits (half_value (bits.u));
}
