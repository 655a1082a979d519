/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arbitrary shapes as a line of JSON: it is one line of valid JSON in UTF-8,
 * has as many shapes as it should, and its points are those of the set. */

#include "fuzz_shapes.h"

#include <math.h>

#include "json_check.h"

static GstShapeJsonOptions
feed_options (Feed * feed)
{
  GstShapeJsonOptions options = { 0, };
  const guint max_shapes = feed_u8 (feed);

  options.points = feed_below (feed, 3);
  options.simplify = feed_below (feed, 4) ? feed_u8 (feed) / 16. :
      fabs (feed_double (feed));
  if (isnan (options.simplify))
    options.simplify = 0.;
  options.max_shapes = max_shapes < 128 ? 0 : max_shapes - 128;
  return options;
}

/* @source is freed by the caller. */
static GstShapeJsonFrame
feed_frame (Feed * feed, gchar ** source)
{
  const guint how = feed_u8 (feed), length = feed_below (feed, 32);
  GstShapeJsonFrame frame = { 0, };

  *source = NULL;
  if (how & 1) {
    gchar text[32] = { 0, };

    feed_bytes (feed, text, length);
    *source = g_strdup (text);
  }
  frame.source = *source;
  frame.frame = feed_u64 (feed);
  frame.pts = how & 2 ? feed_u64 (feed) : GST_CLOCK_TIME_NONE;
  frame.offset = how & 4 ? feed_u64 (feed) : GST_BUFFER_OFFSET_NONE;
  frame.reference = how & 8 ? feed_u64 (feed) : GST_CLOCK_TIME_NONE;
  frame.width = how & 16 ? feed_u16 (feed) : 0;
  frame.height = how & 16 ? feed_u16 (feed) : 0;
  return frame;
}

static gboolean
is_same (gfloat value, gdouble written)
{
  return isfinite (value) ? (gfloat) written == value : isnan (written);
}

static gboolean
is_same_point (GstShapePoint point, const gdouble * written)
{
  return is_same (point.x, written[0]) && is_same (point.y, written[1]);
}

/* @written are points of the polyline, in order, with both ends; all of them
 * unless they are @simplified. */
static void
check_polyline (const GstShapePoint * points, gsize n, const gdouble * written,
    gsize n_written, gboolean simplified)
{
  gsize at = 0;

  FUZZ_CHECK (simplified ? n_written <= n : n_written == n, "%zu of %zu",
      n_written, n);
  FUZZ_CHECK (n == 0 || n_written > 0, "no points of %zu", n);
  for (gsize i = 0; i < n_written; i++) {
    while (at < n && !is_same_point (points[at], written + 2 * i))
      at++;
    FUZZ_CHECK (at < n, "point %zu is not the polyline's", i);
    FUZZ_CHECK (simplified || at == i, "point %zu comes as %zu", at, i);
    at++;
  }
  if (n > 0)
    FUZZ_CHECK (is_same_point (points[0], written)
        && is_same_point (points[n - 1], written + 2 * (n_written - 1)),
        "ends are missing");
}

static void
check_layer (GstShapeSet * set, guint layer, const GstShapeJsonOptions * options,
    const JsonFound * found, guint * n_left, guint * array, guint * number)
{
  const GstShapePoint *points = gst_shape_set_get_points (set, layer, NULL);
  const guint32 *offsets = gst_shape_set_get_offsets (set, layer, NULL);
  gsize n = gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (set, layer));

  for (gsize i = 0; i < n && *n_left > 0; i++, --*n_left) {
    if (!points || options->points == GST_SHAPE_JSON_POINTS_NONE)
      continue;
    FUZZ_CHECK (*array < found->point_counts->len, "points of %zu", i);
    guint n_written = g_array_index (found->point_counts, guint, *array);
    check_polyline (points + offsets[i], offsets[i + 1] - offsets[i],
        (const gdouble *) (gpointer) found->points->data + *number, n_written,
        options->points == GST_SHAPE_JSON_POINTS_SIMPLIFIED);
    *number += 2 * n_written;
    ++*array;
  }
}

static void
check_found (GstShapeSet * set, const GstShapeJsonOptions * options,
    const gchar * source, const JsonFound * found)
{
  guint n_shapes = 0, n_left, array = 0, number = 0;
  guint n_layers = set ? gst_shape_set_get_n_layers (set) : 0;

  for (guint i = 0; i < n_layers; i++)
    n_shapes += gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (set, i));
  n_left = options->max_shapes ? MIN (options->max_shapes, n_shapes) : n_shapes;
  FUZZ_CHECK (found->n_shapes == n_left, "%u shapes, not %u", found->n_shapes,
      n_left);
  for (guint i = 0; i < n_layers; i++)
    check_layer (set, i, options, found, &n_left, &array, &number);
  FUZZ_CHECK (number == found->points->len, "%u numbers, not %u",
      found->points->len, number);
  if (source) {
    g_autofree gchar *valid = g_utf8_make_valid (source, -1);

    FUZZ_CHECK (g_strcmp0 (found->source, valid) == 0, "\"%s\" is \"%s\"",
        source, found->source);
  } else {
    FUZZ_CHECK (!found->source, "\"%s\"", found->source);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  GstShapeJsonOptions options = feed_options (&feed);
  gchar *source, *problem;
  GstShapeJsonFrame frame = feed_frame (&feed, &source);
  GstShapeSet *set = feed_below (&feed, 8) ? feed_set (&feed) : NULL;
  g_autoptr (GString) line = g_string_new ("before");
  JsonFound found = { 0, };
  GError *error = NULL;
  gboolean ok = gst_shape_json_append_line (line, &frame, set, &options,
      &error);

  FUZZ_CHECK_ERROR (ok, error);
  FUZZ_CHECK (ok && g_str_has_prefix (line->str, "before"), "%s", line->str);
  g_string_erase (line, 0, strlen ("before"));
  FUZZ_CHECK (strlen (line->str) == line->len, "a zero is in it");
  FUZZ_CHECK (line->len > 0 && strchr (line->str, '\n') ==
      line->str + line->len - 1, "it is not one line");
  problem = json_check (line->str, line->len - 1, &found);
  FUZZ_CHECK (!problem, "%s: %s", problem, line->str);
  check_found (set, &options, source, &found);
  json_found_clear (&found);
  g_clear_pointer (&set, gst_shape_set_unref);
  g_free (source);
  return 0;
}
