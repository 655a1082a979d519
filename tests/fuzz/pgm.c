/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a PGM image. The result must equal that of an independent
 * parser. */

#include "fuzz.h"

#include "element/gstshapespgm.h"

#include <stdlib.h>

/* Skips comments, which may hold zeros, and white space; then reads a number
 * of @text, which ends in a newline. */
static guint
next_number (const char **at)
{
  char *end;

  while (g_ascii_isspace (**at) || **at == '#') {
    if (**at == '#')
      while (**at != '\n')
        ++*at;
    ++*at;
  }
  gulong number = strtoul (*at, &end, 10);
  FUZZ_CHECK (end > *at && number >= 1 && number <= 65535, "%lu", number);
  *at = end;
  return number;
}

static void
check_mask (const char *text, gsize size, const guint8 * mask, guint width,
    guint height)
{
  const char *at = text + 2;
  gsize n = (gsize) width * height, sample_size;

  FUZZ_CHECK (g_str_has_prefix (text, "P5"), "%.2s", text);
  FUZZ_CHECK (next_number (&at) == width, "%u columns", width);
  FUZZ_CHECK (next_number (&at) == height, "%u rows", height);
  sample_size = next_number (&at) > 255 ? 2 : 1;
  FUZZ_CHECK (g_ascii_isspace (*at), "samples begin at once");
  const guint8 *samples = (const guint8 *) at + 1;
  FUZZ_CHECK (samples + n * sample_size <= (const guint8 *) text + size,
      "%zu samples are not there", n);
  for (gsize i = 0; i < n; i++) {
    guint sample = samples[i * sample_size];

    if (sample_size == 2)
      sample = sample << 8 | samples[2 * i + 1];
    FUZZ_CHECK (mask[i] == (sample ? 255 : 0), "sample %zu", i);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GError *error = NULL;
  guint width = 0, height = 0;
  guint8 *mask = gst_shapes_pgm_parse (data, size, &width, &height, &error);

  FUZZ_CHECK_ERROR (mask != NULL, error);
  g_clear_error (&error);
  if (mask) {
    g_autofree gchar *text = g_malloc0 (size + 2);

    memcpy (text, data, size);
    text[size] = '\n';
    check_mask (text, size, mask, width, height);
    g_free (mask);
  }
  return 0;
}
