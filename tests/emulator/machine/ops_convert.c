/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversions: the frequent ones by themselves, "cvt" is any other. */

#include "convert.h"
#include "ops.h"

#include <fenv.h>
#include <math.h>

static inline gint32
truncated_s32 (double x)
{
  x = x == x ? x : 0;
  x = x < 2147483647.0 ? x : 2147483647.0;
  x = x > -2147483648.0 ? x : -2147483648.0;
  return (gint32) x;
}

static inline guint32
truncated_u32 (double x)
{
  x = x == x ? x : 0;
  x = x < 4294967295.0 ? x : 4294967295.0;
  x = x > 0 ? x : 0;
  return (guint32) (gint64) x;
}

#define LIST_1(X) \
    X (cvt_u64_u32, "cvt.u64.u32", u64, u32, x) \
    X (cvt_s64_s32, "cvt.s64.s32", s64, s32, (gint64) x) \
    X (cvt_u64_u16, "cvt.u64.u16", u64, u16, x) \
    X (cvt_u32_u64, "cvt.u32.u64", u32, u64, x) \
    X (cvt_u32_u16, "cvt.u32.u16", u32, u16, x) \
    X (cvt_s32_s16, "cvt.s32.s16", s32, s16, (gint32) x) \
    X (cvt_u16_u32, "cvt.u16.u32", u16, u32, x) \
    X (cvt_u16_u64, "cvt.u16.u64", u16, u64, x) \
    X (cvt_f32_s32, "cvt.rn.f32.s32", f32, s32, x) \
    X (cvt_f32_u32, "cvt.rn.f32.u32", f32, u32, (float) (gint64) x) \
    X (cvt_f32_u16, "cvt.rn.f32.u16", f32, u16, (gint32) x) \
    X (cvt_f64_s32, "cvt.rn.f64.s32", f64, s32, x) \
    X (cvt_f64_u32, "cvt.rn.f64.u32", f64, u32, (gint64) x) \
    X (cvt_s32_f32, "cvt.rzi.s32.f32", s32, f32, truncated_s32 (x)) \
    X (cvt_u32_f32, "cvt.rzi.u32.f32", u32, f32, truncated_u32 (x)) \
    X (cvt_f32_f64, "cvt.rn.f32.f64", f32, f64, one_nan (x)) \
    X (cvt_f64_f32, "cvt.f64.f32", f64, f32, x)

LIST_1 (DEFINE_1)

/* What is converted: an integer, or floating point */
typedef struct
{
  gboolean is_float;
  gboolean is_signed;
  guint64 integer;
  double value;
} Number;

static const guint type_bits[N_TYPE_CODES] = {
  8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64,
};

static gboolean
is_float (guint type)
{
  return type >= TYPE_CODE_F16;
}

static double
half_value (guint16 bits)
{
  const guint exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31 ? fraction ? NAN : INFINITY :
      exponent == 0 ? ldexp (fraction, -24) :
      ldexp (1024 + fraction, exponent - 25);

  return bits & 0x8000 ? -magnitude : magnitude;
}

static Number
read_number (guint64 bits, guint type)
{
  const guint rest = 64 - type_bits[type];
  Number number = { is_float (type), type & 1, bits << rest >> rest, 0 };

  if (number.is_signed)
    number.integer = (gint64) (bits << rest) >> rest;
  if (type == TYPE_CODE_F16)
    number.value = half_value (bits);
  else if (type == TYPE_CODE_F32)
    number.value = as_float (bits);
  else if (type == TYPE_CODE_F64)
    number.value = as_double (bits);
  return number;
}

static double
round_to_integer (double x, guint direction)
{
  switch (direction) {
    case ROUND_DOWN:
      return floor (x);
    case ROUND_UP:
      return ceil (x);
    case ROUND_ZERO:
      return trunc (x);
    default:
      return nearbyint (x);
  }
}

/* Saturates; a NaN is 0 or, with doubles or 64 bits, the top bit. */
static guint64
float_to_integer (double x, guint to, guint from, guint direction)
{
  const guint bits = type_bits[to];
  const gboolean is_signed = to & 1;
  const double limit = ldexp (1, is_signed ? bits - 1 : bits);

  if (isnan (x))
    return from == TYPE_CODE_F64 || bits == 64 ?
        G_GUINT64_CONSTANT (1) << (bits - 1) : 0;
  x = round_to_integer (x, direction);
  if (x >= limit)
    return is_signed ? (G_GUINT64_CONSTANT (1) << (bits - 1)) - 1 :
        G_MAXUINT64 >> (64 - bits);
  if (is_signed && x <= -limit)
    return -(G_GUINT64_CONSTANT (1) << (bits - 1));
  if (!is_signed && x <= 0)
    return 0;
  return is_signed ? (guint64) (gint64) x : (guint64) x;
}

static guint64
clamp_integer (Number from, guint to)
{
  const guint bits = type_bits[to];
  const guint64 top = to & 1 ? (G_GUINT64_CONSTANT (1) << (bits - 1)) - 1 :
      G_MAXUINT64 >> (64 - bits);
  const gboolean is_negative = from.is_signed && (gint64) from.integer < 0;

  if (is_negative)
    return to & 1 ? (guint64) MAX ((gint64) from.integer,
        -(gint64) top - 1) : 0;
  return MIN (from.integer, top);
}

static const int directions[] = {
  FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO,
};

/* In the processor's direction, out of the compiler's sight */
static guint64
to_float (Number from, guint to, guint direction)
{
  union
  {
    guint64 u;
    guint32 w;
    float f;
    double d;
    guint16 h;
    _Float16 half;
  } result = { 0 };
  const volatile double value = from.value;
  const volatile gint64 as_signed = from.integer;
  const volatile guint64 as_unsigned = from.integer;

  fesetround (directions[direction]);
  if (to == TYPE_CODE_F64) {
    if (from.is_float)
      result.d = value;
    else if (from.is_signed)
      result.d = as_signed;
    else
      result.d = as_unsigned;
  } else if (from.is_float)
    result.f = value;
  else if (from.is_signed)
    result.f = as_signed;
  else
    result.f = as_unsigned;
  fesetround (FE_TONEAREST);
  if (to == TYPE_CODE_F32 && result.f != result.f)
    result.w = 0x7fffffff;
  if (to == TYPE_CODE_F16) {
    const float single = result.f;

    result.u = 0;
    result.half = (_Float16) single;
    if (single != single)
      result.h = 0x7fff;
  }
  return result.u;
}

static guint64
convert (guint64 bits, guint code)
{
  const guint to = CONVERSION_TO (code), from = CONVERSION_FROM (code);
  const guint direction = CONVERSION_ROUND (code);
  Number number = read_number (bits, from);

  if (is_float (to)) {
    if (CONVERSION_TO_INTEGER (code))
      number.value = round_to_integer (number.value, direction);
    if (CONVERSION_SATURATES (code))
      number.value = number.value > 0 ? MIN (number.value, 1) : 0;
    return to_float (number, to, direction);
  }
  if (number.is_float)
    bits = float_to_integer (number.value, to, from, direction);
  else
    bits = CONVERSION_SATURATES (code) ? clamp_integer (number, to) :
        number.integer;
  /* extended to the register as the type is */
  return read_number (bits, to).integer;
}

static void
cvt (Warp * warp, Instruction * i)
{
  for (guint l = 0; l < LANES; l++)
    if (warp->active >> l & 1) {
      const guint64 result = convert (i->wide & 2 ? U64 (1)[l] : U32 (1)[l],
          i->target);

      if (i->wide & 1)
        U64 (0)[l] = result;
      else
        U32 (0)[l] = result;
    }
}

const Op VARIANT (ops_convert)[] = {
  LIST_1 (ROW_1)
  {"cvt", NULL, cvt},
  {NULL, NULL, NULL},
};
