/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeslabels.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gstshapesfile.h"

#define MAX_LABELS_SIZE (1 << 20)

/* What editors of Windows begin UTF-8 with */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The lines of @text, of @size bytes, without space around them: pointers to
 * them, then their bytes, in one block. %NULL without memory. */
static gchar **
split_lines (const gchar * text, gsize size)
{
  gsize n = 2, i;
  gchar **lines, *line;

  for (i = 0; i < size; i++)
    n += text[i] == '\n';
  lines = cs_try_malloc (n * sizeof (*lines) + size + 1);
  if (!lines)
    return NULL;
  line = memcpy (lines + n, text, size + 1);
  for (i = 0; line; i++) {
    gchar *end = strchr (line, '\n');

    if (end)
      *end++ = '\0';
    lines[i] = g_strstrip (line);
    line = end;
  }
  lines[i] = NULL;
  return lines;
}

gchar **
gst_shapes_load_labels (const gchar * path, GError ** error)
{
  gchar *data, **lines;
  gsize size;

  if (!gst_shapes_file_load (path, MAX_LABELS_SIZE, &data, &size, error)) {
    g_prefix_error (error, "no labels: ");
    return NULL;
  }
  if (!g_utf8_validate (data, size, NULL)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "no labels: \"%s\" is not "
        "text in UTF-8", path);
    g_free (data);
    return NULL;
  }
  const gsize skipped = g_str_has_prefix (data, BYTE_ORDER_MARK) ?
      strlen (BYTE_ORDER_MARK) : 0;
  lines = split_lines (data + skipped, size - skipped);
  g_free (data);
  if (!lines) {
    cs_fail_no_memory (error, "labels");
    return NULL;
  }
  guint n = g_strv_length (lines);
  while (n > 0 && !*lines[n - 1])
    lines[--n] = NULL;
  if (n > 0)
    return lines;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "no labels: \"%s\" has no "
      "names, which are a line each", path);
  g_free (lines);
  return NULL;
}
