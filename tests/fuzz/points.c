/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as cudahull's file of points: each line but blank ones and a heading
 * is a point, of the first two fields. */

#include "cudahull/gstcudahullprivate.h"
#include "fuzz_file.h"

/* Space for strtod(), and what separates numbers. */
#define SEPARATORS ",; \t\r\v\f"

static gboolean
is_blank (const gchar * line)
{
  line += strspn (line, " \t\r");
  return !*line || *line == '#';
}

static guint
count_lines (gchar ** lines)
{
  guint i, n = 0;

  for (i = 0; lines[i]; i++)
    n += !is_blank (lines[i]);
  return n;
}

/* The next field that is not empty, as a number. */
static double
next_field (gchar *** fields)
{
  while (**fields && !***fields)
    (*fields)++;
  FUZZ_CHECK (**fields, "a field is missing");
  return g_ascii_strtod (*(*fields)++, NULL);
}

static void
check_line (const gchar * line, const double *point)
{
  gchar **fields = g_strsplit_set (line, SEPARATORS, -1), **at = fields;
  double numbers[2];

  numbers[0] = next_field (&at);
  numbers[1] = next_field (&at);
  FUZZ_CHECK (memcmp (point, numbers, sizeof (numbers)) == 0, "(%g, %g) is read "
      "of \"%s\"", point[0], point[1], line);
  g_strfreev (fields);
}

static void
check_points (const gchar * text, const CsArray * points)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  const guint n_lines = count_lines (lines);
  const gsize n = points->len / 2;
  /* a heading is no point */
  gsize i, k, heading = n_lines - n;

  FUZZ_CHECK (points->len % 2 == 0 && (n == n_lines || n + 1 == n_lines),
      "%zu numbers in %u lines", points->len, n_lines);
  for (i = k = 0; lines[i]; i++) {
    if (is_blank (lines[i]))
      continue;
    if (heading > 0)
      heading--;
    else
      check_line (lines[i], &cs_array_index (points, double, 2 * k++));
  }
  g_strfreev (lines);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GError *error = NULL;
  CsArray *points = hull_read_points (fuzz_file_write (data, size), &error);

  FUZZ_CHECK_ERROR (points != NULL, error);
  g_clear_error (&error);
  if (points) {
    g_autofree gchar *text = g_strndup ((const gchar *) data, size);

    FUZZ_CHECK (strlen (text) == size, "a zero byte is read");
    check_points (text, points);
    cs_array_free (points);
  }
  return 0;
}
