/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Exact orientation of points, compiled as C and as device code. Needs strict
 * IEEE 754 double arithmetic: no contraction, no fast math.
 */

#include <math.h>

#include <glib.h>

#ifdef __CUDACC__
#define CS_EXACT_FN static __host__ __device__ __forceinline__
#define CS_EXACT_SLOW static __host__ __device__ __noinline__
#else
#define CS_EXACT_FN static inline
#define CS_EXACT_SLOW static G_GNUC_UNUSED __attribute__ ((noinline))
#endif

/*
 * cs_cross_sign() is the sign of (p - q) x (r - s), in three stages:
 *
 * 1. Plain double with the static error bound of orient2d (Shewchuk, "Adaptive
 *    precision floating-point arithmetic and fast robust geometric predicates",
 *    1997, section 4.3), with a margin for underflow.
 * 2. Where the four differences are exact (two-diff tails of zero: integers
 *    below 2^53, single-precision points of like magnitude) the two products as
 *    unevaluated sums of two doubles (two-product). Rounding is monotone, so
 *    comparing high parts, then low parts, compares the products.
 * 3. Otherwise the eight products of the expanded determinant, 106 bits each,
 *    are added from the highest exponent down in 128 bits, until the rest
 *    cannot change the sign. Unlike Shewchuk's expansions, which fail when a
 *    product over- or underflows, this is exact for all finite doubles.
 */

/* Who includes this may learn what decides where plain double does not:
 * DIFFERENCE_OF_0, PRODUCTS, EXACT. */
#ifndef CS_ORIENT_DECIDED_BY
#define CS_ORIENT_DECIDED_BY(what) ((void) 0)
#endif

/* (3 + 16 eps) eps, eps = 2^-53 */
#define CS_ORIENT_ERROR_BOUND 3.3306690738754716e-16
#define CS_ORIENT_UNDERFLOW_BOUND 0x1p-1000

typedef struct
{
  guint64 mantissa;
  gint exponent;
  gboolean negative;
} CsExactFloat;

/* value = (-1)^negative * mantissa * 2^exponent */
CS_EXACT_FN CsExactFloat
cs_exact_split_float (double value)
{
  CsExactFloat f;

  union
  {
    double value;
    guint64 bits;
  } u;

  u.value = value;
  const gint biased = (gint) (u.bits >> 52 & 0x7ff);
  f.mantissa = u.bits & 0xfffffffffffffu;
  f.negative = (u.bits >> 63) != 0;
  if (biased == 0) {
    f.exponent = -1074;
  } else {
    f.mantissa |= (guint64) 1 << 52;
    f.exponent = biased - 1075;
  }
  return f;
}

/* A signed number of 128 bits, two's complement, and its unit 2^exponent. */
typedef struct
{
  guint64 high, low;
  gint exponent;
} CsExactFixed;

/* a * b, or -a * b */
CS_EXACT_FN CsExactFixed
cs_exact_product (double a, double b, gboolean negate)
{
  const CsExactFloat f = cs_exact_split_float (a), g = cs_exact_split_float (b);
  const guint64 f0 = f.mantissa & 0xffffffffu, f1 = f.mantissa >> 32;
  const guint64 g0 = g.mantissa & 0xffffffffu, g1 = g.mantissa >> 32;
  const guint64 p00 = f0 * g0, p01 = f0 * g1, p10 = f1 * g0, p11 = f1 * g1;
  const guint64 middle = (p00 >> 32) + (p01 & 0xffffffffu) +
      (p10 & 0xffffffffu);
  CsExactFixed p;

  p.low = (middle << 32) | (p00 & 0xffffffffu);
  p.high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
  p.exponent = f.exponent + g.exponent;
  if (f.negative ^ g.negative ^ (negate != 0)) {
    p.low = ~p.low + 1;
    p.high = ~p.high + (p.low == 0);
  }
  return p;
}

/* Bit length of |value|. */
CS_EXACT_FN gint
cs_exact_bits (CsExactFixed value)
{
  guint64 high = value.high, low = value.low;
  gint n = 0;

  if (high >> 63) {
    low = ~low + 1;
    high = ~high + (low == 0);
  }
  if (high) {
    n = 64;
    low = high;
  }
  for (; low; low >>= 1)
    n++;
  return n;
}

CS_EXACT_SLOW gint
cs_cross_sign_exact (double px, double py, double qx, double qy,
    double rx, double ry, double sx, double sy)
{
  CsExactFixed term[8], sum;
  gint i, j, shift;

  term[0] = cs_exact_product (px, ry, 0);
  term[1] = cs_exact_product (px, sy, 1);
  term[2] = cs_exact_product (qx, ry, 1);
  term[3] = cs_exact_product (qx, sy, 0);
  term[4] = cs_exact_product (py, rx, 1);
  term[5] = cs_exact_product (py, sx, 0);
  term[6] = cs_exact_product (qy, rx, 0);
  term[7] = cs_exact_product (qy, sx, 1);
  for (i = 1; i < 8; i++) {
    const CsExactFixed t = term[i];

    for (j = i; j > 0 && term[j - 1].exponent < t.exponent; j--)
      term[j] = term[j - 1];
    term[j] = t;
  }

  sum = term[0];
  for (i = 1; i < 8; i++) {
    shift = sum.exponent - term[i].exponent;
    if (sum.high | sum.low) {
      /* the rest is less than 7 * 2^106 units of term[i] */
      if (cs_exact_bits (sum) - 1 + shift >= 109)
        break;
      if (shift >= 64) {
        sum.high = sum.low << (shift - 64);
        sum.low = 0;
      } else if (shift > 0) {
        sum.high = (sum.high << shift) | (sum.low >> (64 - shift));
        sum.low <<= shift;
      }
    }
    sum.exponent = term[i].exponent;
    sum.low += term[i].low;
    sum.high += term[i].high + (sum.low < term[i].low);
  }
  if (sum.high >> 63)
    return -1;
  return (sum.high | sum.low) != 0;
}

/* The rounding error of @difference = a - b. */
CS_EXACT_FN double
cs_difference_tail (double a, double b, double difference)
{
  const double bv = a - difference, av = difference + bv;

  return (a - av) + (bv - b);
}

/* The rounding error of @product = a * b. */
CS_EXACT_FN double
cs_product_tail (double a, double b, double product)
{
#ifdef __CUDA_ARCH__
  return __fma_rn (a, b, -product);
#else
  const double a_split = 134217729. * a, b_split = 134217729. * b;
  const double a_high = a_split - (a_split - a), a_low = a - a_high;
  const double b_high = b_split - (b_split - b), b_low = b - b_high;

  return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) -
      a_high * b_low);
#endif
}

/* Whether the tail of product = a * b is exact. */
CS_EXACT_FN gboolean
cs_product_in_range (double a, double b, double product)
{
  const double size = fabs (product);

  return a == 0 || b == 0 || (size >= 0x1p-960 && size <= 0x1p1000 &&
      fabs (a) <= 0x1p990 && fabs (b) <= 0x1p990);
}

CS_EXACT_SLOW gint
cs_cross_sign_close (double px, double py, double qx, double qy,
    double rx, double ry, double sx, double sy)
{
  const double ux = px - qx, uy = py - qy, vx = rx - sx, vy = ry - sy;
  const double l = ux * vy, r = uy * vx;

  /* a difference of zero is exact */
  if ((ux == 0 || vy == 0) && (uy == 0 || vx == 0)) {
    CS_ORIENT_DECIDED_BY (DIFFERENCE_OF_0);
    return 0;
  }
  if (cs_difference_tail (px, qx, ux) == 0 &&
      cs_difference_tail (py, qy, uy) == 0 &&
      cs_difference_tail (rx, sx, vx) == 0 &&
      cs_difference_tail (ry, sy, vy) == 0 &&
      cs_product_in_range (ux, vy, l) &&
      cs_product_in_range (uy, vx, r)) {
    const double lt = cs_product_tail (ux, vy, l);
    const double rt = cs_product_tail (uy, vx, r);

    CS_ORIENT_DECIDED_BY (PRODUCTS);
    if (l != r)
      return l > r ? 1 : -1;
    return (lt > rt) - (lt < rt);
  }
  CS_ORIENT_DECIDED_BY (EXACT);
  return cs_cross_sign_exact (px, py, qx, qy, rx, ry, sx, sy);
}

/* The sign of (p - q) x (r - s). */
CS_EXACT_FN gint
cs_cross_sign (double px, double py, double qx, double qy,
    double rx, double ry, double sx, double sy)
{
  const double l = (px - qx) * (ry - sy), r = (py - qy) * (rx - sx);
  const double det = l - r;
  const double bound = CS_ORIENT_ERROR_BOUND * (fabs (l) + fabs (r)) +
      CS_ORIENT_UNDERFLOW_BOUND;

  if (det > bound)
    return 1;
  if (det < -bound)
    return -1;
  return cs_cross_sign_close (px, py, qx, qy, rx, ry, sx, sy);
}

/* 1 if a, b, c turn left (counter-clockwise, y up), -1 right, 0 collinear. */
CS_EXACT_FN gint
cs_orient (double ax, double ay, double bx, double by, double cx, double cy)
{
  return cs_cross_sign (ax, ay, cx, cy, bx, by, cx, cy);
}

/* Twice the signed area of a ring of @n points {float x, y}, at least one,
 * positive where they go clockwise with y down. In double, not exact. */
static inline double
cs_ring_area2 (const float *points, gsize n)
{
  double area = 0;
  gsize i, last = n - 1;

  for (i = 0; i < n; last = i++)
    area += ((double) points[2 * last] - points[0]) *
        ((double) points[2 * i + 1] - points[1]) -
        ((double) points[2 * i] - points[0]) *
        ((double) points[2 * last + 1] - points[1]);
  return area;
}
