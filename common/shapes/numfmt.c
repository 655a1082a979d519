/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Coordinates lie between 1e-5 and 1e9 in magnitude. There, value * 10^k is
 * computed without any rounding in 128-bit integers, with k such that it has 17
 * digits before the point (9 for a float); it is cut to the fewest digits that
 * still lie inside the interval of numbers that read back as the value. That
 * test is exact too, and an interval's end counts as outside, so reading back
 * cannot fail. Whatever is outside this range, and any machine without 128-bit
 * integers, takes g_ascii_formatd(), which is right and slow. */

#include "numfmt.h"

#include <math.h>
#include <string.h>

static const gchar digit_pairs[201] =
    "00010203040506070809" "10111213141516171819" "20212223242526272829"
    "30313233343536373839" "40414243444546474849" "50515253545556575859"
    "60616263646566676869" "70717273747576777879" "80818283848586878889"
    "90919293949596979899";

/* The last @n digits of @value, zeros in front. */
static gchar *
write_digits (gchar * out, guint64 value, guint n)
{
  guint i = n;

  for (; i >= 2; value /= 100) {
    i -= 2;
    memcpy (out + i, digit_pairs + value % 100 * 2, 2);
  }
  if (i == 1)
    out[0] = '0' + value % 10;
  return out + n;
}

static guint
count_digits (guint64 value)
{
  guint n = 1;

  for (; value >= 10000; value /= 10000)
    n += 4;
  return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

gchar *
numfmt_uint (gchar * out, guint64 value)
{
  return write_digits (out, value, count_digits (value));
}

gchar *
numfmt_int (gchar * out, gint64 value)
{
  if (value >= 0)
    return numfmt_uint (out, value);
  *out++ = '-';
  return numfmt_uint (out, -(guint64) value);
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

  return write_literal (out, g_ascii_formatd (text, sizeof (text), format,
          value));
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

#define MANTISSA_BITS 52
#define FAST_MIN 1e-5
#define FAST_MAX 1e9

static const guint64 powers[20] = {
  G_GUINT64_CONSTANT (1), G_GUINT64_CONSTANT (10), G_GUINT64_CONSTANT (100),
  G_GUINT64_CONSTANT (1000), G_GUINT64_CONSTANT (10000),
  G_GUINT64_CONSTANT (100000), G_GUINT64_CONSTANT (1000000),
  G_GUINT64_CONSTANT (10000000), G_GUINT64_CONSTANT (100000000),
  G_GUINT64_CONSTANT (1000000000), G_GUINT64_CONSTANT (10000000000),
  G_GUINT64_CONSTANT (100000000000), G_GUINT64_CONSTANT (1000000000000),
  G_GUINT64_CONSTANT (10000000000000), G_GUINT64_CONSTANT (100000000000000),
  G_GUINT64_CONSTANT (1000000000000000),
  G_GUINT64_CONSTANT (10000000000000000),
  G_GUINT64_CONSTANT (100000000000000000),
  G_GUINT64_CONSTANT (1000000000000000000),
  G_GUINT64_CONSTANT (10000000000000000000),
};

static Wide
power (guint k)
{
  return k < G_N_ELEMENTS (powers) ? powers[k]
      : (Wide) powers[19] * powers[k - 19];
}

/* How many digits FAST_MIN <= value < FAST_MAX has from the fifth place after
 * the point on, leftwards; maybe one off right at a power of ten below 1, which
 * costs one digit of the 17. */
static guint
count_places (gdouble value)
{
  static const gdouble bounds[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3,
    1e4, 1e5, 1e6, 1e7, 1e8
  };
  guint n = 1;

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++)
    n += value >= bounds[i];
  return n;
}

/* A number as an exact integer. */
typedef struct
{
  Wide exact;                   /* value * 10^places * 2^shift */
  Wide unit;                    /* 10^places: one unit of the mantissa */
  guint shift;
  guint ulp_bits;               /* an ulp is unit * 2^ulp_bits */
  gboolean is_power;            /* half as far to the number below */
} Decimal;

/* Whether @digits reads back as the number: closer than half an ulp. */
static gboolean
reads_back (const Decimal * d, guint64 digits)
{
  Wide candidate = (Wide) digits << d->shift;
  Wide ulp = d->unit << d->ulp_bits;

  if (candidate >= d->exact)
    return candidate - d->exact < ulp >> 1;
  return d->exact - candidate < ulp >> (d->is_power ? 2 : 1);
}

/* @digits / 10^@places, in magnitude; @digits > 0. */
static gchar *
write_decimal (gchar * out, guint64 digits, gint places)
{
  guint64 whole, fraction;
  guint zeros;

  if (places < 0)
    return numfmt_uint (out, digits * powers[-places]);
  while (places > 0 && digits % 10 == 0) {
    digits /= 10;
    places--;
  }
  if (places == 0)
    return numfmt_uint (out, digits);

  whole = places < 20 ? digits / powers[places] : 0;
  fraction = whole ? digits - whole * powers[places] : digits;
  out = numfmt_uint (out, whole);
  *out++ = '.';
  for (zeros = places > 18 ? places - 18 : 0; zeros > 0; zeros--, places--)
    *out++ = '0';
  return write_digits (out, fraction, places);
}

/* @value > 0 within the fast range. @n_digits always suffice. A number that was
 * written with @n_short digits or fewer is found at @n_short, so that no fewer
 * need be tried: its trailing zeros are cut. */
static gchar *
write_fast (gchar * out, gdouble value, guint n_digits, guint n_short,
    guint ulp_bits)
{
  Decimal d;
  guint64 bits, mantissa, all, digits;
  guint places = n_digits + 5 - count_places (value);

  memcpy (&bits, &value, sizeof (bits));
  mantissa = bits & ((G_GUINT64_CONSTANT (1) << MANTISSA_BITS) - 1);
  d.is_power = mantissa == 0;
  mantissa |= G_GUINT64_CONSTANT (1) << MANTISSA_BITS;
  /* The value is below 2^30, so its last bit is well after the point. */
  d.shift = 1023 + MANTISSA_BITS - (guint) (bits >> MANTISSA_BITS);
  d.ulp_bits = ulp_bits;
  d.unit = power (places);
  d.exact = d.unit * mantissa;

  all = (guint64) ((d.exact + ((Wide) 1 << (d.shift - 1))) >> d.shift);
  for (guint n = n_short; n < n_digits; n++) {
    guint64 step = powers[n_digits - n];

    digits = (all + step / 2) / step;
    if (reads_back (&d, digits * step))
      return write_decimal (out, digits, (gint) places - (gint) (n_digits - n));
  }
  return write_decimal (out, all, places);
}

gchar *
numfmt_float (gchar * out, gfloat value)
{
  gdouble magnitude = fabs ((gdouble) value);

  if (!isfinite (value))
    return write_literal (out, "null");
  if (value == 0)
    return write_literal (out, signbit (value) ? "-0.0" : "0");
  if (!(magnitude >= FAST_MIN && magnitude < FAST_MAX))
    return write_slowly (out, value, "%.9g");
  if (value < 0)
    *out++ = '-';
  /* 24 of the 53 bits are the float's. */
  return write_fast (out, magnitude, 9, 6, 29);
}

gchar *
numfmt_double (gchar * out, gdouble value)
{
  gdouble magnitude = fabs (value);

  if (!isfinite (value))
    return write_literal (out, "null");
  if (value == 0)
    return write_literal (out, signbit (value) ? "-0.0" : "0");
  if (!(magnitude >= FAST_MIN && magnitude < FAST_MAX))
    return write_slowly (out, value, "%.17g");
  if (value < 0)
    *out++ = '-';
  return write_fast (out, magnitude, 17, 15, 0);
}

#else

gchar *
numfmt_float (gchar * out, gfloat value)
{
  if (!isfinite (value))
    return write_literal (out, "null");
  return write_slowly (out, value, "%.9g");
}

gchar *
numfmt_double (gchar * out, gdouble value)
{
  if (!isfinite (value))
    return write_literal (out, "null");
  return write_slowly (out, value, "%.17g");
}

#endif /* __SIZEOF_INT128__ */
