/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "shapes_test.h"

static GBytes *
serialize (GstShapeSet * set)
{
  GError *error = NULL;
  GBytes *bytes = gst_shape_set_serialize (set, &error);

  g_assert_no_error (error);
  return bytes;
}

static GstShapeSet *
deserialize (GBytes * bytes, GError ** error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return gst_shape_set_deserialize (data, size, error);
}

TEST (test_set_reads_back_the_same)
{
  g_autoptr (GstShapeSet) set = make_set (640, 480);
  GstShapePolyline polylines[2];
  GError *error = NULL;

  two_polylines (polylines, 2);
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 6,
          two_offsets, polylines, 2, NULL));
  g_autoptr (GBytes) bytes = serialize (set);
  g_autoptr (GstShapeSet) copy = deserialize (bytes, &error);
  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_width (copy), 640);
  fail_unless_equals_int (gst_shape_set_get_height (copy), 480);
  fail_unless_equals_int (gst_shape_set_get_n_layers (copy), 3);
  fail_unless (memcmp (gst_shape_set_get_points (copy, 0, NULL), two_points,
          sizeof (two_points)) == 0);
  fail_unless_equals_float (gst_shape_set_get_moments (copy, 0, NULL)[0].m[5],
      9);
  fail_unless (memcmp (gst_shape_set_get_circles (copy, 1, NULL), two_circles,
          sizeof (two_circles)) == 0);
  fail_unless (memcmp (gst_shape_set_get_polylines (copy, 2, NULL), polylines,
          sizeof (polylines)) == 0);
  fail_unless (gst_shape_set_get_points (copy, 2, NULL) == NULL);
  fail_unless (gst_shape_set_get_moments (copy, 2, NULL) == NULL);

  g_autoptr (GBytes) again = serialize (copy);
  fail_unless (g_bytes_equal (bytes, again));
}

TEST (test_empty_sets_and_layers_read_back)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (0, 7);
  g_autoptr (GBytes) bytes = serialize (set);
  g_autoptr (GstShapeSet) copy = deserialize (bytes, NULL);

  fail_unless_equals_int (gst_shape_set_get_height (copy), 7);
  fail_unless_equals_int (gst_shape_set_get_n_layers (copy), 0);
  gst_shape_set_unref (copy);
  g_bytes_unref (bytes);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 0,
          NULL, NULL, 0, NULL));
  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (NULL, 0));
  bytes = serialize (set);
  copy = deserialize (bytes, NULL);
  fail_unless_equals_int (gst_shape_set_get_n_layers (copy), 2);
}

TEST (test_measures_of_hulls_read_back)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  GError *error = NULL;

  gst_shape_set_add_layer (set, make_measured_hull ());
  g_autoptr (GBytes) bytes = serialize (set);
  g_autoptr (GstShapeSet) copy = deserialize (bytes, &error);
  g_assert_no_error (error);
  fail_unless (memcmp (gst_shape_set_get_hull_measures (copy, 0, NULL),
          &one_measured, sizeof (one_measured)) == 0);
  fail_unless (memcmp (gst_shape_set_get_points (copy, 0, NULL), two_points,
          4 * sizeof (*two_points)) == 0);
  fail_unless (gst_shape_set_get_moments (copy, 0, NULL) == NULL);
}

/* More indices than all else would have room for. */
TEST (test_indices_without_points_read_back)
{
  guint32 indices[200], offsets[] = { 0, 200 };
  const GstShapeArrays extras = {.n_shapes = 1,.n_points = 200,
    .indices = indices
  };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  GstShapePolyline polylines[2];
  g_autoptr (GError) error = NULL;
  gsize size;

  for (guint i = 0; i < 200; i++)
    indices[i] = i * i + 7;
  two_polylines (polylines, 3);
  GstShapeLayer *plain = gst_shape_layer_new_polylines_copy (NULL, 200, offsets,
      polylines, 1, NULL);
  gst_shape_set_add_layer (set, gst_shape_layer_extend (plain, &extras));
  gst_shape_layer_unref (plain);
  g_autoptr (GBytes) bytes = serialize (set);
  g_autoptr (GstShapeSet) copy = deserialize (bytes, &error);
  g_assert_no_error (error);
  fail_unless (memcmp (gst_shape_layer_map_host (gst_shape_set_get_layer (copy,
                  0), NULL)->indices, indices, sizeof (indices)) == 0);
  /* the last index is not there */
  const guint8 *data = g_bytes_get_data (bytes, &size);
  fail_if (gst_shape_set_deserialize (data, size - 4, &error));
  fail_unless (strstr (error->message, "truncated"), "%s", error->message);
}

TEST (test_layer_on_a_device_is_downloaded_first)
{
  Payload payload = { 0, }, broken = {.fails = TRUE };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);
  g_autoptr (GError) error = NULL;

  gst_shape_set_add_layer (set, make_payload_layer (&payload, 0));
  g_autoptr (GBytes) bytes = serialize (set);
  GstShapeSet *copy = deserialize (bytes, NULL);
  fail_unless_equals_int (gst_shape_set_get_next_id (copy), 2);
  gst_shape_set_unref (copy);

  gst_shape_set_add_layer (set, make_payload_layer (&broken, 2));
  fail_unless (gst_shape_set_serialize (set, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ));
}

static void
fail_unless_refused (const guint8 * data, gsize size)
{
  g_autoptr (GError) error = NULL;
  /* Memory of just this size, so that a checker sees reads beyond it. */
  g_autofree guint8 *exact = g_memdup2 (data, size);

  fail_unless (gst_shape_set_deserialize (exact, size, &error) == NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_DECODE));
}

TEST (test_truncated_and_extended_bytes_are_refused)
{
  g_autoptr (GstShapeSet) set = make_set (640, 480);
  g_autoptr (GBytes) bytes = serialize (set);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *longer = g_malloc0 (size + 1);

  for (gsize n = 0; n < size; n++)
    fail_unless_refused (data, n);
  memcpy (longer, data, size);
  fail_unless_refused (longer, size + 1);
}

static void
fail_word (GBytes * bytes, guint word, guint32 value)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *changed = g_memdup2 (data, size);

  GST_WRITE_UINT32_LE (changed + word * 4, value);
  fail_unless_refused (changed, size);
}

TEST (test_headers_that_make_no_sense_are_refused)
{
  g_autoptr (GstShapeSet) set = make_set (640, 480);
  g_autoptr (GBytes) bytes = serialize (set);

  fail_word (bytes, 0, 0);      /* magic */
  fail_word (bytes, 1, 2);      /* version */
  fail_word (bytes, 4, 1);      /* layers */
  fail_word (bytes, 4, G_MAXUINT32);
  fail_word (bytes, 5, 2);      /* type */
  fail_word (bytes, 5, G_MAXUINT32);
  fail_word (bytes, 5, GST_SHAPE_LAYER_CIRCLES);
  fail_word (bytes, 6, 7);      /* flags */
  fail_word (bytes, 6, 0);
  fail_word (bytes, 7, 1);      /* shapes */
  fail_word (bytes, 7, G_MAXUINT32);
  fail_word (bytes, 7, G_MAXINT32);
  fail_word (bytes, 8, 5);      /* points */
  fail_word (bytes, 8, G_MAXUINT32);
  fail_word (bytes, 9 + 4, 2);  /* kind of the first polyline */
}

/* Whatever bytes are accepted must be readable in full. */
static void
read_everything (GstShapeSet * set)
{
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);

  fail_unless (json != NULL);
  fail_unless (g_utf8_validate (json, -1, NULL));
  gst_shape_set_get_next_id (set);
}

TEST (test_garbage_is_refused_or_readable)
{
  g_autoptr (GstShapeSet) set = make_set (640, 480);
  g_autoptr (GBytes) bytes = serialize (set);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint round = 0; round < 20000; round++) {
    gsize n = round % 2 ? size : (gsize) g_rand_int_range (rand, 0, size + 1);
    g_autofree guint8 *garbage = g_memdup2 (data, n);
    guint n_changes = g_rand_int_range (rand, 1, 5);

    for (guint i = 0; n > 0 && i < n_changes; i++)
      garbage[g_rand_int_range (rand, 0, n)] = g_rand_int (rand);
    GstShapeSet *copy = gst_shape_set_deserialize (garbage, n, NULL);
    if (copy) {
      read_everything (copy);
      gst_shape_set_unref (copy);
    }
  }
}

/* The header of a set of @n layers, then that many empty ones. */
static GByteArray *
empty_layers (guint n)
{
  const guint32 set[5] = { GST_MAKE_FOURCC ('G', 'S', 'H', 'S'), 1, 8, 6, n };
  const guint32 layer[4] = { GST_SHAPE_LAYER_CIRCLES, 0, 0, 0 };
  GByteArray *bytes = g_byte_array_sized_new (20 + 16 * n);

  g_byte_array_append (bytes, (const guint8 *) set, sizeof (set));
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, (const guint8 *) layer, sizeof (layer));
  /* all words are small, so this is little endian */
  for (guint i = 0; G_BYTE_ORDER == G_BIG_ENDIAN && i < bytes->len; i += 4)
    GST_WRITE_UINT32_LE (bytes->data + i, GST_READ_UINT32_BE (bytes->data + i));
  return bytes;
}

TEST (test_more_layers_than_the_limit_are_refused)
{
  g_autoptr (GByteArray) most = empty_layers (GST_SHAPE_SET_MAX_LAYERS);
  g_autoptr (GByteArray) more = empty_layers (GST_SHAPE_SET_MAX_LAYERS + 1);
  g_autoptr (GError) error = NULL;
  GstShapeSet *set = gst_shape_set_deserialize (most->data, most->len, &error);

  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set),
      GST_SHAPE_SET_MAX_LAYERS);
  g_autoptr (GBytes) bytes = serialize (set);
  fail_unless (g_bytes_get_size (bytes) == most->len);

  fail_unless (gst_shape_set_deserialize (more->data, more->len,
          &error) == NULL);
  fail_unless (strstr (error->message, "more than 65536 layers") != NULL,
      "%s", error->message);
  g_clear_error (&error);
  gst_shape_set_add_layer (set, make_circles ());
  fail_unless (gst_shape_set_serialize (set, &error) == NULL);
  fail_unless (strstr (error->message, "65537 layers are too many") != NULL,
      "%s", error->message);
  gst_shape_set_unref (set);
}

#if GST_CHECK_VERSION (1, 24, 0)
TEST (test_meta_goes_through_bytes)
{
  g_autoptr (GstBuffer) from = gst_buffer_new (), to = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = make_set (640, 480);
  g_autoptr (GByteArray) array = g_byte_array_new ();
  GstMeta *meta = (GstMeta *) gst_buffer_add_shape_meta (from, set);
  guint32 consumed;

  fail_unless (gst_meta_serialize_simple (meta, array));
  fail_unless (gst_meta_deserialize (to, array->data, array->len, &consumed)
      != NULL);
  fail_unless_equals_int (consumed, array->len);
  fail_unless_equals_int (gst_shape_set_get_n_layers (gst_buffer_get_shape_set
          (to)), 2);
}
#endif

/* Names of classes 1 and 3, the last 25 bytes, and a size of pixels */
static GBytes *
serialize_names (void)
{
  static const gchar *const names[] = { "", "ab", "", "xyz" };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (64, 48);
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy (NULL, 0, NULL,
      NULL, 0, NULL);

  gst_shape_layer_set_class_names (layer, names, G_N_ELEMENTS (names));
  gst_shape_set_add_layer (set, layer);
  gst_shape_set_set_pixel_size (set, 0.5, 0.25);
  return serialize (set);
}

static void
put_word (guint8 * at, guint32 word)
{
  for (guint i = 0; i < 4; i++)
    at[i] = word >> (8 * i);
}

/* With @word at @at, before the end if that is negative, the bytes are refused
 * for @problem, or not if it is %NULL. */
static void
check_word (gint at, guint32 word, const gchar * problem)
{
  GBytes *bytes = serialize_names ();
  gsize size;
  g_autofree guint8 *data = g_bytes_unref_to_data (bytes, &size);
  g_autoptr (GError) error = NULL;

  put_word (data + (at < 0 ? (gint) size + at : at), word);
  GstShapeSet *set = gst_shape_set_deserialize (data, size, &error);
  if (!set != !!problem || !error != !problem)
    fail ("%d, %x: %s", at, word, error ? error->message : "no error");
  if (problem && !strstr (error->message, problem))
    fail ("%d, %x: %s, not %s", at, word, error->message, problem);
  g_clear_pointer (&set, gst_shape_set_unref);
}

TEST (test_names_and_pixels_read_back)
{
  g_autoptr (GBytes) bytes = serialize_names ();
  g_autoptr (GstShapeSet) copy = deserialize (bytes, NULL);
  GstShapeLayer *layer = gst_shape_set_get_layer (copy, 0);
  gdouble x, y;

  fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 1), "ab");
  fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 3), "xyz");
  fail_unless (gst_shape_layer_get_class_name (layer, 0) == NULL
      && gst_shape_layer_get_class_name (layer, 2) == NULL);
  fail_unless (gst_shape_set_get_pixel_size (copy, &x, &y) && x == 0.5
      && y == 0.25);
}

TEST (test_wrong_names_and_pixels_are_refused)
{
  static const gchar *const names = "names of classes are invalid, or too many";
  static const gchar *const pixels = "the size of pixels is truncated or";

  check_word (-25, 2, NULL);
  check_word (-25, 0, names);
  check_word (-25, 1, "bytes are left over");
  check_word (-25, 3, names);
  check_word (-25, 65537, names);
  /* classes ascend */
  check_word (-21, 0, NULL);
  check_word (-21, 3, names);
  check_word (-21, 0x80000000, names);
  check_word (-11, 0x7fffffff, NULL);
  check_word (-11, 0x80000000, names);
  check_word (-11, 1, names);
  /* lengths */
  check_word (-17, 0, names);
  check_word (-7, 2, "bytes are left over");
  check_word (-7, 4, names);
  check_word (-7, 0xffffffff, names);
  /* "xyz" and what is before it: UTF-8, without a 0 */
  check_word (-4, 0x7a79c300, names);
  check_word (-4, 0x7a00a200, names);
  check_word (-4, 0xa9c37800, NULL);
  /* the upper halves of 0.5 and 0.25: 0, infinite, NaN, negative */
  for (gint at = 24; at <= 32; at += 8) {
    check_word (at, 0x3fe00000, NULL);
    check_word (at, 0, pixels);
    check_word (at, 0x7ff00000, pixels);
    check_word (at, 0x7ff80000, pixels);
    check_word (at, 0xbfe00000, pixels);
  }
}

TEST (test_names_that_end_too_early_are_refused)
{
  g_autoptr (GBytes) bytes = serialize_names ();
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize n = 0; n < size; n++) {
    g_autofree guint8 *copy = g_memdup2 (data, MAX (n, 1));
    g_autoptr (GError) error = NULL;

    fail_if (gst_shape_set_deserialize (copy, n, &error));
    fail_unless (error != NULL);
  }
}

SUITE (shapeserialize)
{
  shapes_note_criticals ();
  tcase_set_timeout (tcase, 120);
}
