/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bits as numbers to the formatter, and decimal fractions, which are the
 * corner cases of truncation: the output must be a JSON number of few enough
 * digits that round-trips to the same bits. */

#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "json_check.h"
#include "shapes/numfmt.h"

/* The text as a string; @end is what the formatter returned. */
static const gchar *
finish (gchar * text, gchar * end)
{
  FUZZ_CHECK (end > text && end < text + NUMFMT_MAX, "%td bytes", end - text);
  *end = '\0';
  gchar *problem = json_check (text, end - text, NULL);
  FUZZ_CHECK (!problem, "%s: %s", text, problem);
  return text;
}

/* From the first that is not 0 to the last, the exponent's not. */
static guint
count_digits (const gchar * text)
{
  guint n = 0, zeros = 0;

  for (; *text && *text != 'e'; text++) {
    if (!g_ascii_isdigit (*text) || (*text == '0' && n == 0))
      continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    n++;
  }
  return n - zeros;
}

static void
check_double (gdouble value)
{
  g_autofree gchar *memory = g_malloc (NUMFMT_MAX);
  const gchar *text = finish (memory, numfmt_double (memory, value));
  gdouble again = strtod (text, NULL);

  if (isfinite (value)) {
    FUZZ_CHECK (memcmp (&again, &value, sizeof (value)) == 0, "%a is %s",
        value, text);
    FUZZ_CHECK (count_digits (text) <= 17, "%s", text);
  } else {
    FUZZ_CHECK (strcmp (text, "null") == 0, "%s", text);
  }
}

static void
check_float (gfloat value)
{
  g_autofree gchar *memory = g_malloc (NUMFMT_MAX);
  const gchar *text = finish (memory, numfmt_float (memory, value));
  gfloat again = strtof (text, NULL);

  if (isfinite (value)) {
    FUZZ_CHECK (memcmp (&again, &value, sizeof (value)) == 0, "%a is %s",
        value, text);
    FUZZ_CHECK (count_digits (text) <= 9, "%s", text);
  } else {
    FUZZ_CHECK (strcmp (text, "null") == 0, "%s", text);
  }
}

static void
check_integers (guint64 value)
{
  g_autofree gchar *memory = g_malloc (NUMFMT_MAX);
  const gchar *text = finish (memory, numfmt_uint (memory, value));

  FUZZ_CHECK (strtoull (text, NULL, 10) == value, "%s", text);
  text = finish (memory, numfmt_int (memory, (gint64) value));
  FUZZ_CHECK (strtoll (text, NULL, 10) == (gint64) value, "%s", text);
}

/* A number of up to 17 digits with the point anywhere. */
static void
check_decimal (guint64 digits, guint places)
{
  g_autofree gchar *text = g_strdup_printf ("%" G_GUINT64_FORMAT "e-%u",
      digits % G_GUINT64_CONSTANT (100000000000000000), places % 32);

  check_double (strtod (text, NULL));
  check_float (strtof (text, NULL));
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };

  while (feed.size > 0) {
    const guint places = feed_u8 (&feed);
    const guint64 bits = feed_u64 (&feed);
    const guint32 low = (guint32) bits;
    gdouble d;
    gfloat f;

    memcpy (&d, &bits, sizeof (d));
    memcpy (&f, &low, sizeof (f));
    check_double (d);
    check_float (f);
    check_float ((gfloat) (gint32) low / (1 << places % 31));
    check_integers (bits >> places % 64);
    check_decimal (bits >> places % 64, places);
  }
  return 0;
}
