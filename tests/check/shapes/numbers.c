/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/suite.h"
#include "shapes/numfmt.h"

/* An independent generator: every run sees the same values. */
static guint64 state = 1;

static guint64
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static gfloat
float_from_bits (guint32 bits)
{
  gfloat value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

static gdouble
double_from_bits (guint64 bits)
{
  gdouble value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

/* Significant digits of a number without exponent. */
static guint
count_digits (const gchar * text)
{
  guint n = 0;
  gboolean leading = TRUE;

  for (; *text && *text != 'e'; text++) {
    if (!g_ascii_isdigit (*text) || (leading && *text == '0'))
      continue;
    leading = FALSE;
    n++;
  }
  return n;
}

static void
fail_unless_json_number (const gchar * text)
{
  static GRegex *number = NULL;

  if (!number)
    number = g_regex_new ("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[+-]?[0-9]+)?$",
        G_REGEX_OPTIMIZE, 0, NULL);
  if (!g_regex_match (number, text, 0, NULL))
    fail ("not a JSON number: %s", text);
}

static void
check_float (gfloat value)
{
  gchar text[NUMFMT_MAX + 1];
  gchar *end = numfmt_float (text, value);

  if (end - text > NUMFMT_MAX)
    fail ("too long");
  *end = '\0';
  if (!isfinite (value)) {
    fail_unless_equals_string (text, "null");
    return;
  }
  gfloat back = strtof (text, NULL);
  if (memcmp (&back, &value, sizeof (value)) != 0)
    fail ("%.9g was written as %s", value, text);
  if (count_digits (text) > 9)
    fail ("too many digits: %s", text);
}

static void
check_double (gdouble value)
{
  gchar text[NUMFMT_MAX + 1];
  gchar *end = numfmt_double (text, value);

  if (end - text > NUMFMT_MAX)
    fail ("too long");
  *end = '\0';
  if (!isfinite (value)) {
    fail_unless_equals_string (text, "null");
    return;
  }
  gdouble back = strtod (text, NULL);
  if (memcmp (&back, &value, sizeof (value)) != 0)
    fail ("%.17g was written as %s", value, text);
  if (count_digits (text) > 17)
    fail ("too many digits: %s", text);
}

static void
check_both (gdouble value)
{
  check_float (value);
  check_float (-value);
  check_double (value);
  check_double (-value);
}

#define N_RANDOM 1000000

TEST (test_random_bits_read_back)
{
  for (guint i = 0; i < N_RANDOM; i++) {
    check_float (float_from_bits (next_random ()));
    check_double (double_from_bits (next_random ()));
  }
}

TEST (test_random_coordinates_read_back)
{
  for (guint i = 0; i < N_RANDOM; i++) {
    /* Every exponent of the fast way, and some around it. */
    gdouble value = ldexp (1 + (next_random () >> 12) * 0x1p-52,
        (gint) (next_random () % 60) - 25);

    check_float (value);
    check_double (value);
  }
}

TEST (test_neighbours_of_powers_read_back)
{
  for (gint e = -1074; e < 1024; e++) {
    gdouble power = ldexp (1, e);

    check_both (power);
    check_double (nextafter (power, 0));
    check_double (nextafter (power, INFINITY));
    check_float (nextafterf (power, 0));
    check_float (nextafterf (power, INFINITY));
  }
  for (gint e = -320; e <= 308; e++) {
    g_autofree gchar *text = g_strdup_printf ("1e%d", e);
    gdouble power = strtod (text, NULL);
    gdouble value = power;
    gfloat single = power;

    for (guint i = 0; i < 50; i++) {
      check_double (value);
      check_float (single);
      value = nextafter (value, 0);
      single = nextafterf (single, 0);
    }
    value = power;
    single = power;
    for (guint i = 0; i < 50; i++) {
      check_double (value);
      check_float (single);
      value = nextafter (value, INFINITY);
      single = nextafterf (single, INFINITY);
    }
  }
}

TEST (test_integers_halves_and_decimals_read_back)
{
  for (guint i = 0; i < 200000; i++) {
    check_both (i);
    check_both (i + .5);
    check_both (i * .0625);
    check_both (i / 1000.);
    check_both (i / 255.);
  }
}

TEST (test_denormals_read_back)
{
  for (guint i = 1; i < 20000; i++) {
    check_float (float_from_bits (i));
    check_double (double_from_bits (i));
    check_double (double_from_bits ((next_random () >> 12)));
  }
}

static void
fail_unless_float (gfloat value, const gchar * expected)
{
  gchar text[NUMFMT_MAX + 1];

  *numfmt_float (text, value) = '\0';
  fail_unless_equals_string (text, expected);
}

static void
fail_unless_double (gdouble value, const gchar * expected)
{
  gchar text[NUMFMT_MAX + 1];

  *numfmt_double (text, value) = '\0';
  fail_unless_equals_string (text, expected);
}

TEST (test_numbers_are_as_short_as_they_can_be)
{
  fail_unless_float (0, "0");
  fail_unless_float (-0.f, "-0.0");
  fail_unless_float (12.5f, "12.5");
  fail_unless_float (-.1f, "-0.1");
  fail_unless_float (1 / 3.f, "0.33333334");
  fail_unless_float (2e-5f, "0.00002");
  fail_unless_float (0x1p-20f, "9.53674316e-07");
  fail_unless_float (16777216, "16777216");
  fail_unless_float (123456792, "123456790");
  fail_unless_float (999999936, "999999940");
  fail_unless_float (NAN, "null");
  fail_unless_float (-INFINITY, "null");
  fail_unless_double (0, "0");
  fail_unless_double (.1, "0.1");
  fail_unless_double (.1 + .2, "0.30000000000000004");
  fail_unless_double (-1 / 3., "-0.3333333333333333");
  fail_unless_double (123456789.125, "123456789.125");
  fail_unless_double (.000123, "0.000123");
  fail_unless_double (NAN, "null");
  fail_unless_double (INFINITY, "null");
}

TEST (test_decimals_come_back_as_they_were)
{
  for (guint i = 0; i < 300000; i++) {
    guint places = next_random () % 6;
    guint digits = next_random () % 1000000;
    g_autofree gchar *expected = g_strdup_printf ("%.*f", places,
        digits / pow (10, places));
    gchar *point = strchr (expected, '.');

    if (point) {
      gchar *end = expected + strlen (expected);

      while (end[-1] == '0')
        *--end = '\0';
      if (end[-1] == '.')
        *--end = '\0';
    }
    fail_unless_float (strtof (expected, NULL), expected);
    fail_unless_double (strtod (expected, NULL), expected);
  }
}

TEST (test_text_is_always_a_json_number)
{
  gchar text[NUMFMT_MAX + 1];

  for (guint i = 0; i < 200000; i++) {
    gdouble value = double_from_bits (next_random ());
    gfloat single = float_from_bits (next_random ());

    if (isfinite (value)) {
      *numfmt_double (text, value) = '\0';
      fail_unless_json_number (text);
    }
    if (isfinite (single)) {
      *numfmt_float (text, single) = '\0';
      fail_unless_json_number (text);
    }
    *numfmt_float (text, fmodf (single, 5000)) = '\0';
    if (isfinite (single))
      fail_unless_json_number (text);
  }
}

static void
check_int (gint64 value)
{
  gchar text[NUMFMT_MAX + 1];

  *numfmt_int (text, value) = '\0';
  g_autofree gchar *expected = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  fail_unless_equals_string (text, expected);
  g_free (expected);
  *numfmt_uint (text, value) = '\0';
  expected = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value);
  fail_unless_equals_string (text, expected);
}

TEST (test_integers)
{
  guint64 power = 1;

  for (guint i = 0; i < 20; i++, power *= 10) {
    check_int (power - 1);
    check_int (power);
    check_int (-power);
    check_int (power + 1);
  }
  check_int (G_MININT64);
  check_int (G_MAXINT64);
  for (guint i = 0; i < 1000; i++)
    check_int (next_random () >> (next_random () % 64));
}

SUITE (numbers)
{
  tcase_set_timeout (tcase, 300);
}
