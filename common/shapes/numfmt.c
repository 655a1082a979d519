/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shortest round-trip formatting. For magnitudes between 1e-5 and 1e9, the
 * range of coordinates, value * 10^places is computed exactly in integers of
 * 64 bits (floats) or 128 bits (doubles), with places such that it has 9 or 17
 * digits. It is truncated to the fewest digits inside the rounding interval of
 * the value. This test is exact, too, and the interval's ends are excluded, so
 * that parsing gives the same value. Outside of this range, and without
 * 128-bit integers, the slow g_ascii_formatd() is used.
 *
 * The number of digits is unpredictable, hence few branches: where cheap, all
 * variants are computed and one is selected, and whole words are written
 * beyond the end of the text. */

#include "numfmt.h"

#include <math.h>
#include <string.h>

#define POWER(n) G_GUINT64_CONSTANT (1##n)

static const guint64 powers[20] = {
  POWER (), POWER (0), POWER (00), POWER (000), POWER (0000), POWER (00000),
  POWER (000000), POWER (0000000), POWER (00000000), POWER (000000000),
  POWER (0000000000), POWER (00000000000), POWER (000000000000),
  POWER (0000000000000), POWER (00000000000000), POWER (000000000000000),
  POWER (0000000000000000), POWER (00000000000000000),
  POWER (000000000000000000), POWER (0000000000000000000)
};

static inline guint
count_digits (guint64 value)
{
  /* 1233 / 4096 is log10 (2). */
  guint n = g_bit_storage (value | 1) * 1233 >> 12;

  return n + (n == 0 || value >= powers[n]);
}

/* The 8 digits of @value < 10^8, with leading zeros, first digit in the lowest
 * byte: SIMD within a register splits fours, pairs, then digits. */
static inline guint64
split_digits (guint32 value)
{
  guint64 fours = value / 10000 | (guint64) (value % 10000) << 32;
  guint64 hundreds = (fours * 10486 >> 20) & G_GUINT64_CONSTANT (0x7f0000007f);
  guint64 pairs = hundreds | (fours - hundreds * 100) << 16;
  guint64 tens = (pairs * 103 >> 10) & G_GUINT64_CONSTANT (0xf000f000f000f);

  return (tens | (pairs - tens * 10) << 8)
      + G_GUINT64_CONSTANT (0x3030303030303030);
}

static inline void
write_word (gchar * out, guint64 digits)
{
  digits = GUINT64_TO_LE (digits);
  memcpy (out, &digits, sizeof (digits));
}

/* Writes up to 7 bytes beyond the end. */
static inline gchar *
write_short (gchar * out, guint32 value)
{
  guint n = count_digits (value);

  write_word (out, split_digits (value) >> (64 - 8 * n));
  return out + n;
}

gchar *
numfmt_uint (gchar * out, guint64 value)
{
  if (value < powers[8])
    return write_short (out, value);
  if (value < powers[16]) {
    out = write_short (out, value / powers[8]);
  } else {
    out = write_short (out, value / powers[16]);
    write_word (out, split_digits (value / powers[8] % powers[8]));
    out += 8;
  }
  write_word (out, split_digits (value % powers[8]));
  return out + 8;
}

gchar *
numfmt_int (gchar * out, gint64 value)
{
  guint64 magnitude = value;

  *out = '-';
  return numfmt_uint (out + (value < 0), value < 0 ? -magnitude : magnitude);
}

static gchar *
write_literal (gchar * out, const gchar * literal)
{
  gsize length = strlen (literal);

  memcpy (out, literal, length);
  return out + length;
}

static gchar *
write_slowly (gchar * out, gdouble value, const gchar * format)
{
  gchar text[NUMFMT_MAX];

  if (!isfinite (value))
    return write_literal (out, "null");
  /* With a fraction: some parsers would read an integer without the sign. */
  if (value == 0)
    return write_literal (out, signbit (value) ? "-0.0" : "0");
  return write_literal (out, g_ascii_formatd (text, sizeof (text), format,
          value));
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

#define MANTISSA_BITS 52
#define FAST_MIN 1e-5
#define FAST_MAX 1e9

/* Powers of ten from FAST_MIN on; the first is decade 0. */
static const gdouble decades[] = {
  1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
  1e9
};

static const guint64 powers_of_5[] = {
  G_GUINT64_CONSTANT (1), G_GUINT64_CONSTANT (5), G_GUINT64_CONSTANT (25),
  G_GUINT64_CONSTANT (125), G_GUINT64_CONSTANT (625),
  G_GUINT64_CONSTANT (3125), G_GUINT64_CONSTANT (15625),
  G_GUINT64_CONSTANT (78125), G_GUINT64_CONSTANT (390625),
  G_GUINT64_CONSTANT (1953125), G_GUINT64_CONSTANT (9765625),
  G_GUINT64_CONSTANT (48828125), G_GUINT64_CONSTANT (244140625),
  G_GUINT64_CONSTANT (1220703125), G_GUINT64_CONSTANT (6103515625),
  G_GUINT64_CONSTANT (30517578125), G_GUINT64_CONSTANT (152587890625),
  G_GUINT64_CONSTANT (762939453125), G_GUINT64_CONSTANT (3814697265625),
  G_GUINT64_CONSTANT (19073486328125), G_GUINT64_CONSTANT (95367431640625),
  G_GUINT64_CONSTANT (476837158203125)
};

/* A magnitude between FAST_MIN and FAST_MAX. */
typedef struct
{
  guint64 mantissa;             /* with its leading bit */
  gint exponent;                /* value = mantissa * 2^exponent */
  gint decade;                  /* value >= decades[decade] */
  gboolean is_power;            /* of two: the lower neighbour is nearer */
} Magnitude;

static inline Magnitude
decompose (gdouble value)
{
  Magnitude m;
  guint64 bits;
  gint log2;

  memcpy (&bits, &value, sizeof (bits));
  log2 = (gint) (bits >> MANTISSA_BITS) - 1023;
  m.mantissa = bits & ((G_GUINT64_CONSTANT (1) << MANTISSA_BITS) - 1);
  m.is_power = m.mantissa == 0;
  m.mantissa |= G_GUINT64_CONSTANT (1) << MANTISSA_BITS;
  m.exponent = log2 - MANTISSA_BITS;
  /* The decade of 2^log2 (64 keeps the division positive; log10 (2^64) is
   * 19.3), or the next. */
  m.decade = ((log2 + 64) * 1233 >> 12) - 19 + 5;
  m.decade = MAX (m.decade, 0);
  m.decade += value >= decades[m.decade + 1];
  return m;
}

/* @digits without trailing zeros; 1 to 8 remain. */
static inline gchar *
write_stripped (gchar * out, guint64 digits)
{
  write_word (out, digits);
  digits &= G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  return out + (g_bit_storage (digits) + 7) / 8;
}

/* The digits of @fraction / 10^@places, @fraction > 0, without trailing zeros.
 * Writes up to 8 bytes beyond the end. */
static inline gchar *
write_fraction (gchar * out, guint64 fraction, gint places)
{
  *out++ = '.';
  if (places <= 8)
    return write_stripped (out, split_digits (fraction * powers[8 - places]));

  /* Of more than 16 places, all but the last 17 are 0. */
  for (; places > 17; places--)
    *out++ = '0';
  if (places == 17) {
    *out++ = '0' + fraction / powers[16];
    fraction %= powers[16];
    places = 16;
  }
  fraction *= powers[16 - places];
  if (fraction % powers[8] == 0)
    return write_stripped (out, split_digits (fraction / powers[8]));
  write_word (out, split_digits (fraction / powers[8]));
  return write_stripped (out + 8, split_digits (fraction % powers[8]));
}

/* @digits / 10^@places, which is very close to @value. */
static inline gchar *
write_decimal (gchar * out, guint64 digits, gint places, gdouble value)
{
  guint64 whole = (guint64) value;

  if (places <= 0)
    return numfmt_uint (out, digits * powers[-places]);
  /* Below 1, there can be more places than a 64-bit power has. */
  if (whole > 0 || places < 20) {
    digits -= whole * powers[places];
    /* rounded up to the next integer */
    if (digits >= powers[places]) {
      whole++;
      digits = 0;
    }
  }
  out = numfmt_uint (out, whole);
  return digits == 0 ? out : write_fraction (out, digits, places);
}

/* 24 bits times 5^13 leave 9 of 64 bits, so that every shift is positive. */
#define FLOAT_SPARE 8
#define FLOAT_BITS 24

static gchar *
write_float (gchar * out, gdouble value)
{
  Magnitude m = decompose (value);
  gint unused = MANTISSA_BITS + 1 - FLOAT_BITS;
  gint places = 8 + 5 - m.decade;
  guint64 ulp = powers_of_5[places] << FLOAT_SPARE;
  guint64 exact = (m.mantissa >> unused) * ulp;
  guint shift = FLOAT_SPARE - (m.exponent + unused + places);
  /* The rounding interval, scaled by 2^shift: [low, low + range], less than
   * half an ulp on each side. */
  guint64 low = exact - (ulp >> (m.is_power ? 2 : 1)) + 1;
  guint64 range = exact + (ulp >> 1) - 1 - low;
  guint32 nine = (exact + (G_GUINT64_CONSTANT (1) << (shift - 1))) >> shift;
  guint32 eight = (nine + 5) / 10;
  guint32 seven = (nine + 50) / 100;
  guint32 six = (nine + 500) / 1000;
  guint cut = ((guint64) eight * 10 << shift) - low <= range;

  /* Numbers with at most 6 digits end here. */
  if (((guint64) six * 1000 << shift) - low <= range)
    return write_decimal (out, six, places - 3, value);
  nine = cut ? eight : nine;
  if (((guint64) seven * 100 << shift) - low <= range) {
    nine = seven;
    cut = 2;
  }
  return write_decimal (out, nine, places - cut, value);
}

static gchar *
write_double (gchar * out, gdouble value)
{
  Magnitude m = decompose (value);
  gint places = 16 + 5 - m.decade;
  Wide ulp = powers_of_5[places];
  Wide exact = m.mantissa * ulp;
  guint shift = -(m.exponent + places);
  Wide low = exact - (ulp >> (m.is_power ? 2 : 1)) + 1;
  Wide range = exact + (ulp >> 1) - 1 - low;
  guint64 all = (guint64) ((exact + ((Wide) 1 << (shift - 1))) >> shift);
  guint64 sixteen = (all + 5) / 10;
  guint64 fifteen = (all + 50) / 100;

  /* Numbers with at most 15 digits end here. */
  if (((Wide) (fifteen * 100) << shift) - low <= range)
    return write_decimal (out, fifteen, places - 2, value);
  if (((Wide) (sixteen * 10) << shift) - low <= range)
    return write_decimal (out, sixteen, places - 1, value);
  return write_decimal (out, all, places, value);
}

gchar *
numfmt_float (gchar * out, gfloat value)
{
  gdouble magnitude = fabs ((gdouble) value);

  if (!(magnitude >= FAST_MIN && magnitude < FAST_MAX))
    return write_slowly (out, value, "%.9g");
  *out = '-';
  return write_float (out + (value < 0), magnitude);
}

gchar *
numfmt_double (gchar * out, gdouble value)
{
  gdouble magnitude = fabs (value);

  if (!(magnitude >= FAST_MIN && magnitude < FAST_MAX))
    return write_slowly (out, value, "%.17g");
  *out = '-';
  return write_double (out + (value < 0), magnitude);
}

#else

gchar *
numfmt_float (gchar * out, gfloat value)
{
  return write_slowly (out, value, "%.9g");
}

gchar *
numfmt_double (gchar * out, gdouble value)
{
  return write_slowly (out, value, "%.17g");
}

#endif /* __SIZEOF_INT128__ */
