/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a file of labels: what is read is what GLib splits
 * the text into. */

#include "element/gstshapeslabels.h"
#include "fuzz_file.h"

static void
check_labels (const uint8_t * data, size_t size, gchar ** labels)
{
  const guint mark = size >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  g_autofree gchar *text = g_strndup ((const gchar *) data + mark, size - mark);
  gchar **lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines), i;

  for (i = 0; i < n; i++)
    g_strstrip (lines[i]);
  while (n > 0 && !*lines[n - 1])
    n--;
  if (!labels)
    FUZZ_CHECK (n == 0 || !g_utf8_validate ((const gchar *) data, size, NULL),
        "%u labels are refused", n);
  for (i = 0; labels && i < n; i++)
    FUZZ_CHECK (g_strcmp0 (labels[i], lines[i]) == 0, "label %u", i);
  FUZZ_CHECK (!labels || (n > 0 && !labels[n]), "not %u labels", n);
  g_strfreev (lines);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autoptr (GError) error = NULL;
  gchar **labels = gst_shapes_load_labels (fuzz_file_write (data, size), &error);

  FUZZ_CHECK_ERROR (labels != NULL, error);
  check_labels (data, size, labels);
  g_free (labels);
  return 0;
}
