/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Points of a CSV file. */

#include <string.h>

#include "gstcudahullprivate.h"
#include "base/error.h"
#include "element/gstshapesfile.h"

#define MAX_SIZE ((gsize) 1 << 30)

/* Parses a number, and moves *@at past it and the separator. */
static gboolean
read_number (gchar ** at, gdouble * number)
{
  gchar *end;

  *number = g_ascii_strtod (*at, &end);
  if (end == *at)
    return FALSE;
  if (*end && !strchr (",; \t\r", *end))
    return FALSE;
  while (*end == ' ' || *end == '\t' || *end == '\r')
    end++;
  if (*end == ',' || *end == ';')
    end++;
  *at = end;
  return TRUE;
}

static gboolean
read_line (gchar * line, CsArray * points)
{
  gdouble numbers[2];

  if (!read_number (&line, &numbers[0]) || !read_number (&line, &numbers[1]))
    return FALSE;
  cs_array_append (points, numbers, 2);
  return TRUE;
}

/* Whether @line is empty or a comment. */
static gboolean
is_blank (const gchar * line)
{
  line += strspn (line, " \t\r");
  return !*line || *line == '#';
}

/* Names of columns: no number begins the line. */
static gboolean
is_header (gchar * line)
{
  gdouble number;

  return !read_number (&line, &number);
}

static gboolean
read_lines (const gchar * path, gchar * text, CsArray * points, GError ** error)
{
  gboolean is_first = TRUE;
  guint64 number = 0;
  gchar *next;

  for (; text && *text; text = next) {
    next = strchr (text, '\n');
    if (next)
      *next++ = '\0';
    number++;
    if (is_blank (text))
      continue;
    if (!read_line (text, points) && !(is_first && is_header (text)))
      return cs_error (error, CS_ERROR_INVALID, "\"%s\", line %"
          G_GUINT64_FORMAT ": \"%.40s\" does not begin with two numbers, x and "
          "y, such as \"12.5,40\"", path, number, text);
    is_first = FALSE;
    if (points->failed)
      return cs_fail_no_memory (error, "the points of a file");
    if (points->len / 2 > CS_HULL_MAX_POINTS)
      return cs_error (error, CS_ERROR_LIMIT, "\"%s\" has more than 2^28 "
          "points", path);
  }
  return TRUE;
}

CsArray *
hull_read_points (const gchar * path, GError ** error)
{
  gchar *text;
  gsize size;

  if (!gst_shapes_file_load (path, MAX_SIZE, &text, &size, error))
    return NULL;
  CsArray *points = cs_array_new (sizeof (gdouble));
  if (strlen (text) != size) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "\"%s\" is not text: it "
        "has a zero byte", path);
    g_clear_pointer (&points, cs_array_free);
  } else if (!read_lines (path, text, points, error)) {
    g_clear_pointer (&points, cs_array_free);
  }
  g_free (text);
  return points;
}
