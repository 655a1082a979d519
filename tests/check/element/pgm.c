/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "element/gstshapespgm.h"

#define PARSE(text, width, height, error) \
  gst_shapes_pgm_parse (text, sizeof (text) - 1, width, height, error)

TEST (samples_that_are_not_0_are_valid)
{
  guint width, height;
  guint8 *mask = PARSE ("P5\n3 2\n255\n\0\1\377\7\0\0", &width, &height, NULL);
  const guint8 expected[] = { 0, 255, 255, 255, 0, 0 };

  fail_unless (mask != NULL);
  fail_unless_equals_int (width, 3);
  fail_unless_equals_int (height, 2);
  fail_unless (memcmp (mask, expected, 6) == 0);
  g_free (mask);
}

TEST (samples_may_have_16_bits)
{
  guint width, height;
  guint8 *mask = PARSE ("P5 3 1 65535 \0\0\0\1\1\0", &width, &height, NULL);
  const guint8 expected[] = { 0, 255, 255 };

  fail_unless (mask != NULL);
  fail_unless (memcmp (mask, expected, 3) == 0);
  g_free (mask);
}

TEST (headers_may_have_comments)
{
  guint width, height;
  g_autofree guint8 *mask = PARSE ("P5\n# by hand\n2 # columns\n1\n255\n\0\1",
      &width, &height, NULL);

  fail_unless (mask != NULL);
  fail_unless_equals_int (width, 2);
  fail_unless_equals_int (height, 1);
}

static void
assert_refused (const gchar * text, gsize size, const gchar * what)
{
  g_autoptr (GError) error = NULL;
  guint width, height;

  fail_unless (gst_shapes_pgm_parse (text, size, &width, &height,
          &error) == NULL);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA));
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
}

#define ASSERT_REFUSED(text, what) assert_refused (text, sizeof (text) - 1, what)

TEST (other_images_are_refused_with_a_way_to_convert)
{
  ASSERT_REFUSED ("\211PNG\r\n", "pngenc");
  ASSERT_REFUSED ("P6\n1 1\n255\n\0\0\0", "pngenc");
  ASSERT_REFUSED ("", "pngenc");
  ASSERT_REFUSED ("P", "pngenc");
}

TEST (damaged_images_are_refused)
{
  const gchar *headers[] = { "P5", "P5\n", "P5\n2", "P5\n2 2", "P5\n2 2\n255",
    "P5\n0 2\n255\n", "P5\n-2 2\n255\n    ", "P5\n70000 2\n255\n",
    "P5\n99999999999999999999 1\n255\n ", "P5\n2 2\n0\n    ",
    "P5\n2 2\n99999\n    ", "P5\n2 2x255\n    ", "P5#"
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    assert_refused (headers[i], strlen (headers[i]), "damaged");
  ASSERT_REFUSED ("P5\n2 2\n255\n\0\0\0", "cut off");
  ASSERT_REFUSED ("P5\n2 2\n256\n\0\0\0\0\0\0\0", "cut off");
  ASSERT_REFUSED ("P5\n65535 65535\n255\n\0", "cut off");
}

SUITE (pgm) {}
