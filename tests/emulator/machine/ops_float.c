/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Floating point. All operations are rounded as PTX says; those that are
 * approximate there (div.approx, ex2.approx and so on) are as exact as the
 * C library here, so that a kernel whose result depends on their error is not
 * found. */

#include "ops.h"

#include <fenv.h>
#include <math.h>

static inline guint32
as_bits (float value)
{
  return ((Bits32) {.f = value}).u;
}

static inline guint64
as_bits_64 (double value)
{
  return ((Bits64) {.f = value}).u;
}

/* A NaN loses against a number, and +0 is above -0. @equal: of two equal
 * ones, @end: what is done to the result */
#define DEFINE_EXTREME(name, T, compare, equal, end) \
    static inline T \
    name (T x, T y) \
    { \
      T extreme = x compare y ? x : y; \
 \
      extreme = x == y ? equal : extreme; \
      extreme = x != x ? y : extreme; \
      return end (y != y ? x : extreme); \
    }
DEFINE_EXTREME (least, float, <, as_float (as_bits (x) | as_bits (y)), one_nan)
DEFINE_EXTREME (greatest, float, >, as_float (as_bits (x) & as_bits (y)),
    one_nan)
DEFINE_EXTREME (least_64, double, <,
    as_double (as_bits_64 (x) | as_bits_64 (y)),)
DEFINE_EXTREME (greatest_64, double, >,
    as_double (as_bits_64 (x) & as_bits_64 (y)),)

#define ABS_32(x) as_float (as_bits (x) & 0x7fffffff)
#define ABS_64(x) as_double (as_bits_64 (x) & G_MAXINT64)
#define NEG_32(x) as_float (as_bits (x) ^ 0x80000000)
#define NEG_64(x) as_double (as_bits_64 (x) ^ \
    G_GUINT64_CONSTANT (0x8000000000000000))
#define CLAMP_1(x) ((x) > 0 ? (x) < 1 ? (x) : 1 : 0)

#define LIST_1(X) \
    X (abs_f32, "abs.f32", f32, f32, ABS_32 (x)) \
    X (abs_f64, "abs.f64", f64, f64, ABS_64 (x)) \
    X (neg_f32, "neg.f32", f32, f32, NEG_32 (x)) \
    X (neg_f64, "neg.f64", f64, f64, NEG_64 (x)) \
    X (sqrt_f32, "sqrt.rn.f32", f32, f32, one_nan (__builtin_sqrtf (x))) \
    X (sqrt_f64, "sqrt.rn.f64", f64, f64, __builtin_sqrt (x)) \
    X (rcp_f32, "rcp.rn.f32", f32, f32, one_nan (1 / x)) \
    X (rcp_f64, "rcp.rn.f64", f64, f64, 1 / x) \
    X (sqrt_approx, "sqrt.approx.f32", f32, f32, \
        one_nan (__builtin_sqrtf (x))) \
    X (sqrt_ftz, "sqrt.approx.ftz.f32", f32, f32, \
        one_nan (__builtin_sqrtf (x))) \
    X (rcp_approx, "rcp.approx.f32", f32, f32, one_nan (1 / x)) \
    X (rsqrt_f32, "rsqrt.approx.f32", f32, f32, \
        one_nan (1 / __builtin_sqrt ((double) x))) \
    X (rsqrt_ftz, "rsqrt.approx.ftz.f32", f32, f32, \
        one_nan (1 / __builtin_sqrt ((double) x))) \
    X (rsqrt_f64, "rsqrt.approx.f64", f64, f64, 1 / __builtin_sqrt (x)) \
    X (ex2_f32, "ex2.approx.f32", f32, f32, one_nan (exp2 (x))) \
    X (ex2_ftz, "ex2.approx.ftz.f32", f32, f32, one_nan (exp2 (x))) \
    X (lg2_f32, "lg2.approx.f32", f32, f32, one_nan (log2 (x))) \
    X (sin_f32, "sin.approx.f32", f32, f32, one_nan (sin (x))) \
    X (cos_f32, "cos.approx.f32", f32, f32, one_nan (cos (x))) \
    X (tanh_f32, "tanh.approx.f32", f32, f32, one_nan (tanh (x)))

#define LIST_2(X) \
    X (add_f32, "add.rn.f32", f32, f32, f32, one_nan (x + y)) \
    X (add_f64, "add.rn.f64", f64, f64, f64, x + y) \
    X (sub_f32, "sub.rn.f32", f32, f32, f32, one_nan (x - y)) \
    X (sub_f64, "sub.rn.f64", f64, f64, f64, x - y) \
    X (mul_f32, "mul.rn.f32", f32, f32, f32, one_nan (x * y)) \
    X (mul_f64, "mul.rn.f64", f64, f64, f64, x * y) \
    X (div_f32, "div.rn.f32", f32, f32, f32, one_nan (x / y)) \
    X (div_f64, "div.rn.f64", f64, f64, f64, x / y) \
    X (div_full, "div.full.f32", f32, f32, f32, one_nan (x / y)) \
    X (div_approx, "div.approx.f32", f32, f32, f32, one_nan (x / y)) \
    X (add_sat, "add.rn.sat.f32", f32, f32, f32, CLAMP_1 (x + y)) \
    X (mul_sat, "mul.rn.sat.f32", f32, f32, f32, CLAMP_1 (x * y)) \
    X (copysign_f32, "copysign.f32", f32, f32, f32, \
        as_float ((as_bits (x) & 0x80000000) | \
            (as_bits (y) & 0x7fffffff))) \
    X (copysign_f64, "copysign.f64", f64, f64, f64, \
        as_double ((as_bits_64 (x) & ~(guint64) G_MAXINT64) | \
            (as_bits_64 (y) & G_MAXINT64))) \
    X (min_f32, "min.f32", f32, f32, f32, least (x, y)) \
    X (max_f32, "max.f32", f32, f32, f32, greatest (x, y)) \
    X (min_nan_f32, "min.NaN.f32", f32, f32, f32, \
        x == x && y == y ? least (x, y) : as_float (0x7fffffff)) \
    X (max_nan_f32, "max.NaN.f32", f32, f32, f32, \
        x == x && y == y ? greatest (x, y) : as_float (0x7fffffff)) \
    X (min_f64, "min.f64", f64, f64, f64, least_64 (x, y)) \
    X (max_f64, "max.f64", f64, f64, f64, greatest_64 (x, y))

#define LIST_3(X) \
    X (fma_f32, "fma.rn.f32", f32, f32, f32, f32, \
        one_nan (__builtin_fmaf (x, y, z))) \
    X (fma_f64, "fma.rn.f64", f64, f64, f64, f64, __builtin_fma (x, y, z)) \
    X (fma_sat, "fma.rn.sat.f32", f32, f32, f32, f32, \
        CLAMP_1 (__builtin_fmaf (x, y, z)))

LIST_1 (DEFINE_1)
LIST_2 (DEFINE_2)
LIST_3 (DEFINE_3)

/* Other directions: the processor's, which the compiler must not compute
 * outside of. fesetround() would set those of its older unit, too. */
#if defined (__SSE2__)
#include <xmmintrin.h>
#define SET_DIRECTION(direction) \
    _mm_setcsr ((_mm_getcsr () & ~_MM_ROUND_MASK) | ((direction) << 3))
#else
#define SET_DIRECTION(direction) fesetround (direction)
#endif

#define DIRECTION_rm FE_DOWNWARD
#define DIRECTION_rp FE_UPWARD
#define DIRECTION_rz FE_TOWARDZERO

#define DEFINE_DIRECTED(name, way, n, T, operands, expr) \
    static void \
    name##_f##n##_##way (Warp * warp, Instruction * i) \
    { \
      T *d = lanes_at (warp, i->o[0]); \
      const volatile T *a = lanes_at (warp, i->o[1]); \
      const volatile T *b = lanes_at (warp, i->o[2]); \
      const volatile T *c = lanes_at (warp, i->o[3]); \
 \
      SET_DIRECTION (DIRECTION_##way); \
      for (guint l = 0; l < LANES; l++) \
        if (warp->active >> l & 1) { \
          const T x = a[l], y = b[l], z = c[l]; \
          const volatile T value = (expr); \
 \
          (void) y, (void) z; \
          d[l] = value == value ? value : sizeof (T) == 4 ? \
              (T) as_float (0x7fffffff) : value; \
        } \
      SET_DIRECTION (FE_TONEAREST); \
    }
#define ROW_DIRECTED(name, way, n, T, operands, expr) \
    {#name "." #way ".f" #n, operands, name##_f##n##_##way},
/* those with fewer operands read their first one again
 * @t: its letter, @f: of the C library's functions */
#define DIRECTED(X, way, n, T, t, f) \
    X (add, way, n, T, t t t, x + y) \
    X (sub, way, n, T, t t t, x - y) \
    X (mul, way, n, T, t t t, x * y) \
    X (div, way, n, T, t t t, x / y) \
    X (fma, way, n, T, t t t t, fma##f (x, y, z)) \
    X (rcp, way, n, T, t t, 1 / x) \
    X (sqrt, way, n, T, t t, sqrt##f (x))
#define LIST_DIRECTED(X) \
    DIRECTED (X, rm, 32, float, "f", f) DIRECTED (X, rm, 64, double, "d",) \
    DIRECTED (X, rp, 32, float, "f", f) DIRECTED (X, rp, 64, double, "d",) \
    DIRECTED (X, rz, 32, float, "f", f) DIRECTED (X, rz, 64, double, "d",)

LIST_DIRECTED (DEFINE_DIRECTED)

const Op VARIANT (ops_float)[] = {
  LIST_1 (ROW_1)
  LIST_2 (ROW_2)
  LIST_3 (ROW_3)
  {"add.f32", "fff", add_f32},
  {"add.f64", "ddd", add_f64},
  {"sub.f32", "fff", sub_f32},
  {"sub.f64", "ddd", sub_f64},
  {"mul.f32", "fff", mul_f32},
  {"mul.f64", "ddd", mul_f64},
  LIST_DIRECTED (ROW_DIRECTED)
  {NULL, NULL, NULL},
};
