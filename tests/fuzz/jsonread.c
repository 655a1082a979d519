/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a line of JSON: shapes, or an error with a reason. Shapes are
 * written, and must round-trip. */

#include "fuzz.h"
#include "shapes/gstshapes.h"

/* The shapes as text, which is freed by the caller. */
static GString *
write_line (GstShapeSet * set, const GstShapeJsonFrame * frame)
{
  GString *line = g_string_new (NULL);
  GError *error = NULL;

  FUZZ_CHECK (gst_shape_json_append_line (line, frame, set, NULL, &error),
      "%s", error ? error->message : "no error");
  return line;
}

static GstShapeSet *
read_line (const gchar * line, gsize size, GstShapeJsonFrame * frame)
{
  g_autoptr (GError) error = NULL;
  GstShapeSet *set = gst_shape_json_read_line (line, size, frame, &error);

  FUZZ_CHECK_ERROR (set != NULL, error);
  return set;
}

/* An angle becomes a direction and an angle again, not to the last bit. */
static gboolean
has_rectangles (const GString * line)
{
  return strstr (line->str, "\"min-area-rect\"") != NULL;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GstShapeJsonFrame frame, again;
  GstShapeSet *set = read_line ((const gchar *) data, size, &frame), *same;

  if (!set)
    return 0;
  g_autoptr (GString) first = write_line (set, &frame);
  same = read_line (first->str, first->len, &again);
  FUZZ_CHECK (same != NULL, "what was written cannot be read: %s", first->str);
  g_autoptr (GString) second = write_line (same, &again);
  FUZZ_CHECK (has_rectangles (first) || strcmp (first->str, second->str) == 0,
      "%s became %s", first->str, second->str);
  gst_shape_json_frame_clear (&frame);
  gst_shape_json_frame_clear (&again);
  gst_shape_set_unref (set);
  gst_shape_set_unref (same);
  return 0;
}
