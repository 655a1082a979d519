/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A few bytes again and again, as shapes, defects, points and regions of one
 * line: shapes or an error, in no more memory than lines may take. */

#include <sanitizer/allocator_interface.h>

#include "fuzz.h"
#include "shapes/gstshapes.h"

#define LINE_SIZE (64 * 1024)
#define MAX_SIZE 128

/* Bytes that are allocated, and were at most since a line began. */
static gsize allocated, peak;

static void
count_malloc (const volatile void *memory, size_t size)
{
  allocated += size;
  peak = MAX (peak, allocated);
}

static void
count_free (const volatile void *memory)
{
  if (memory)
    allocated -= MIN (allocated, __sanitizer_get_allocated_size (memory));
}

static void
count_memory (void)
{
  static gboolean is_counted;

  if (!is_counted)
    __sanitizer_install_malloc_and_free_hooks (count_malloc, count_free);
  is_counted = TRUE;
}

static void
check_memory (const gchar * begin, const gchar * end, const uint8_t * data,
    size_t size)
{
  g_autoptr (GString) line = g_string_new (begin);
  GstShapeJsonFrame frame;
  GstShapeSet *set;
  g_autoptr (GError) error = NULL;
  gsize before;

  while (line->len < LINE_SIZE) {
    g_string_append_len (line, (const gchar *) data, size);
    g_string_append_c (line, ',');
  }
  g_string_append_len (line, (const gchar *) data, size);
  g_string_append (line, end);
  before = peak = allocated;
  set = gst_shape_json_read_line (line->str, line->len, &frame, &error);
  FUZZ_CHECK_ERROR (set != NULL, error);
  FUZZ_CHECK (peak - before <= 16 * line->len + 1024 * 1024,
      "%zu bytes take %zu", line->len, peak - before);
  if (set) {
    gst_shape_json_frame_clear (&frame);
    gst_shape_set_unref (set);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static const gchar *const lines[][2] = {
    {"{\"shapes\":[", "]}"},
    {"{\"shapes\":[{\"kind\":\"hull\",\"defects\":[", "]}]}"},
    {"{\"shapes\":[{\"kind\":\"contour\",\"points\":[", "]}]}"},
    {"{\"shapes\":[],\"tags\":{\"regions\":[", "]}}"},
  };

  if (size == 0 || size > MAX_SIZE)
    return 0;
  count_memory ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_memory (lines[i][0], lines[i][1], data, size);
  return 0;
}
