/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "shapes_test.h"

static const GstShapeAnnotation two_annotations[] = {
  {.25f, 3, G_GINT64_CONSTANT (0x123456789a)}, GST_SHAPE_ANNOTATION_NONE
};

/* make_set() with annotated polylines. */
static GstShapeSet *
make_annotated_set (void)
{
  GstShapeSet *set = gst_shape_set_new (640, 480);
  g_autoptr (GstShapeLayer) plain = make_polylines (0);

  gst_shape_set_add_layer (set, gst_shape_layer_annotate (plain,
          two_annotations, 2));
  gst_shape_set_add_layer (set, make_circles ());
  return set;
}

static void
fail_unless_annotated (GstShapeSet * set)
{
  gsize n;

  fail_unless (memcmp (gst_shape_set_get_annotations (set, 0, &n),
          two_annotations, sizeof (two_annotations)) == 0);
  fail_unless_equals_int (n, 2);
  fail_unless (gst_shape_set_get_annotations (set, 1, &n) == NULL);
  fail_unless_equals_int (n, 0);
}

TEST (test_an_annotated_layer_shares_the_arrays)
{
  GstShapeLayer *plain = make_polylines (4), *annotated;

  annotated = gst_shape_layer_annotate (plain, two_annotations, 2);
  const GstShapeArrays *a = gst_shape_layer_map_host (plain, NULL);
  const GstShapeArrays *b = gst_shape_layer_map_host (annotated, NULL);
  fail_unless (a->points == b->points && a->offsets == b->offsets
      && a->polylines == b->polylines && a->moments == b->moments);
  fail_unless (a->annotations == NULL);
  fail_unless (b->annotations != NULL && b->annotations != two_annotations);
  fail_if (gst_shape_layer_has_annotations (plain));
  fail_unless (gst_shape_layer_has_annotations (annotated));
  fail_unless_equals_int (gst_shape_layer_get_next_id (annotated), 6);
  fail_unless (gst_shape_layer_has_kind (annotated, GST_SHAPE_KIND_CONTOUR));
  fail_if (gst_shape_layer_has_kind (annotated, GST_SHAPE_KIND_HULL));

  /* the arrays live as long as whoever shares them; annotations are replaced */
  gst_shape_layer_unref (plain);
  g_autoptr (GstShapeLayer) again = gst_shape_layer_annotate (annotated,
      (GstShapeAnnotation[2]) { {1, -1, 0}, {0, 0, -1} }, 2);
  gst_shape_layer_unref (annotated);
  b = gst_shape_layer_map_host (again, NULL);
  fail_unless (memcmp (b->points, two_points, sizeof (two_points)) == 0);
  fail_unless_equals_float (b->annotations[0].confidence, 1);
  fail_unless_equals_int (b->annotations[1].region_id, 0);
}

TEST (test_an_annotated_layer_stays_on_its_device)
{
  Payload payload = { 0, };
  GstShapeLayer *plain = make_payload_layer (&payload, 7), *annotated;
  GstShapeArrays device;

  gst_shape_layer_set_id_range (plain, 7, 9);
  gst_shape_layer_set_kind (plain, GST_SHAPE_KIND_CONTOUR);
  annotated = gst_shape_layer_annotate (plain, two_annotations, 2);
  fail_if (gst_shape_layer_has_annotations (plain));
  gst_shape_layer_unref (plain);
  fail_unless_equals_int (gst_shape_layer_get_next_id (annotated), 9);
  fail_unless (gst_shape_layer_has_kind (annotated, GST_SHAPE_KIND_CONTOUR));
  fail_unless (gst_shape_layer_has_annotations (annotated));
  fail_unless (gst_shape_layer_map_device (annotated, &payload, NULL, &device));
  fail_unless_equals_int (device.n_shapes, 2);
  fail_unless (device.annotations == NULL);
  gst_shape_layer_unmap_device (annotated, NULL);
  fail_unless_equals_int (payload.maps, 1);
  fail_unless_equals_int (payload.unmaps, 1);
  fail_unless_equals_int (payload.downloads, 0);

  fail_unless_equals_int (gst_shape_layer_map_host (annotated,
          NULL)->annotations[0].region_id, 3);
  fail_unless_equals_int (payload.downloads, 1);
  fail_unless_equals_int (payload.releases, 0);
  gst_shape_layer_unref (annotated);
  fail_unless_equals_int (payload.releases, 1);
}

TEST (test_failed_download_is_that_of_the_shared_layer)
{
  Payload payload = {.fails = TRUE };
  g_autoptr (GstShapeLayer) plain = make_payload_layer (&payload, 0);
  g_autoptr (GstShapeLayer) annotated = gst_shape_layer_annotate (plain,
      two_annotations, 2);
  g_autoptr (GError) error = NULL;

  fail_unless (gst_shape_layer_map_host (annotated, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ));
}

TEST (test_annotations_that_do_not_fit_are_refused)
{
  g_autoptr (GstShapeLayer) plain = make_polylines (0);
  g_autoptr (GstShapeLayer) circles = make_circles ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (two_annotations, 31);
  g_autoptr (GError) error = NULL;

  ASSERT_CRITICAL (gst_shape_layer_annotate (plain, two_annotations, 1));
  ASSERT_CRITICAL (gst_shape_layer_annotate (plain, NULL, 2));
  ASSERT_CRITICAL (gst_shape_layer_annotate (circles, two_annotations, 2));

  fail_unless (gst_shape_layer_annotate_bytes (plain, bytes, &error) == NULL);
  fail_unless (strstr (error->message, "32 bytes, not 31") != NULL);
  g_clear_error (&error);
  fail_unless (gst_shape_layer_annotate_bytes (circles, bytes, &error) == NULL);
  fail_unless (strstr (error->message, "circles") != NULL);
}

TEST (test_bytes_are_the_array)
{
  g_autoptr (GstShapeSet) set = make_annotated_set ();
  g_autoptr (GBytes) bytes = gst_shape_set_get_annotations_bytes (set, 0);
  gsize n, size;

  fail_unless (g_bytes_get_data (bytes, &size) ==
      gst_shape_set_get_annotations (set, 0, NULL));
  fail_unless_equals_int (size, sizeof (two_annotations));
  fail_unless (gst_shape_set_get_annotations_address (set, 0, &n) ==
      (guintptr) g_bytes_get_data (bytes, NULL));
  g_autoptr (GstShapeLayer) again =
      gst_shape_layer_annotate_bytes (gst_shape_set_get_layer (set, 0), bytes,
      NULL);
  fail_unless (memcmp (gst_shape_layer_map_host (again, NULL)->annotations,
          two_annotations, sizeof (two_annotations)) == 0);
}

TEST (test_annotations_read_back)
{
  g_autoptr (GstShapeSet) set = make_annotated_set ();
  GError *error = NULL;
  g_autoptr (GBytes) bytes = gst_shape_set_serialize (set, &error);

  g_assert_no_error (error);
  GstShapeSet *copy = gst_shape_set_deserialize (g_bytes_get_data (bytes, NULL),
      g_bytes_get_size (bytes), &error);
  g_assert_no_error (error);
  fail_unless_annotated (copy);
  fail_unless (memcmp (gst_shape_set_get_points (copy, 0, NULL), two_points,
          sizeof (two_points)) == 0);
  gst_shape_set_unref (copy);
}

/* A set as it was serialised before there were annotations: one hull, without
 * points, byte for byte. */
TEST (test_bytes_from_before_annotations_are_read)
{
  static const guint8 head[] = {
    'G', 'S', 'H', 'S', 1, 0, 0, 0, 8, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0,
    /* polylines, no flags, one shape of two points */
    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
    /* id, parent, class, image, kind, flags */
    5, 0, 0, 0, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0,
    0, 0
  };
  static const guint8 offsets[] = { 0, 0, 0, 0, 2, 0, 0, 0 };
  guint8 old[sizeof (head) + 80 + sizeof (offsets)] = { 0 };
  GError *error = NULL;

  memcpy (old, head, sizeof (head));
  memcpy (old + sizeof (head) + 80, offsets, sizeof (offsets));
  GstShapeSet *set = gst_shape_set_deserialize (old, sizeof (old), &error);
  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_polylines (set, 0, NULL)->id, 5);
  fail_unless (gst_shape_set_get_annotations (set, 0, NULL) == NULL);

  /* and what is not annotated is written as it was */
  g_autoptr (GBytes) bytes = gst_shape_set_serialize (set, NULL);
  fail_unless_equals_int (g_bytes_get_size (bytes), sizeof (old));
  fail_unless (memcmp (g_bytes_get_data (bytes, NULL), old, sizeof (old)) == 0);
  gst_shape_set_unref (set);
}

TEST (test_transformed_shapes_keep_their_annotations)
{
  g_autoptr (GstShapeSet) set = make_annotated_set ();
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set, 320, 480, NULL);

  fail_unless (scaled != set);
  fail_unless_annotated (scaled);
}

TEST (test_json_has_what_is_known_and_reads_back)
{
  static const gchar known[] = "\"parent\":null,\"confidence\":0.25,"
      "\"track-id\":78187493530,\"region-id\":3,\"area\":6,";
  g_autoptr (GstShapeSet) set = make_annotated_set ();
  GError *error = NULL;
  g_autofree gchar *json = gst_shape_set_to_json (set, &error);

  g_assert_no_error (error);
  fail_unless (strstr (json, known) != NULL, "%s", json);
  fail_unless (strstr (json, "\"parent\":0,\"area\":-0.125,") != NULL);
  fail_unless (strstr (strstr (json, "confidence") + 1, "confidence") == NULL);
  g_autoptr (GstShapeSet) copy = gst_shape_set_from_json (json, &error);
  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_n_layers (copy), 2);
  fail_unless_annotated (copy);
}

TEST (test_json_without_annotations_has_none)
{
  g_autoptr (GstShapeSet) set = make_set (8, 8);
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);

  fail_unless (strstr (json, "confidence") == NULL);
  fail_unless (strstr (json, "track-id") == NULL);
  fail_unless (strstr (json, "region-id") == NULL);
  g_autoptr (GstShapeSet) copy = gst_shape_set_from_json (json, NULL);
  fail_unless (gst_shape_set_get_annotations (copy, 0, NULL) == NULL);
}

TEST (test_annotations_in_json_that_are_wrong_are_named)
{
  static const gchar *const wrong[][2] = {
    {"\"confidence\":\"high\"", "shapes[0].confidence is not a number"},
    {"\"track-id\":1.5", "shapes[0].track-id is not a whole number"},
    {"\"region-id\":4294967296",
        "shapes[0].region-id is not a whole number of 32 bits"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gchar *json = g_strdup_printf ("{\"shapes\":[{\"kind\":\"contour\",%s}]}",
        wrong[i][0]);
    g_autoptr (GError) error = NULL;

    fail_unless (gst_shape_set_from_json (json, &error) == NULL);
    fail_unless_equals_string (error->message, wrong[i][1]);
    g_free (json);
  }
}

/* The cells of a row of CSV from "confidence" on. */
static void
fail_unless_cells (const gchar * row, const gchar * confidence,
    const gchar * track, const gchar * region)
{
  g_auto (GStrv) cells = g_strsplit (row, ",", -1);

  fail_unless_equals_string (cells[37], confidence);
  fail_unless_equals_string (cells[38], track);
  fail_unless_equals_string (cells[39], region);
}

/* A confidence that is no number of at least 0 is unknown to all writers. */
TEST (test_confidence_that_is_no_number_is_not_written)
{
  static const gfloat none[] = { NAN, INFINITY, -INFINITY, -.5f };

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    const GstShapeAnnotation annotations[] = { {none[i], -1, 4}, {0, -1, -1} };
    g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
    GstShapeLayer *plain = make_polylines (0);

    gst_shape_set_add_layer (set, gst_shape_layer_annotate (plain, annotations,
            2));
    gst_shape_layer_unref (plain);
    g_autofree gchar *json = gst_shape_set_to_json (set, NULL);
    fail_unless (strstr (json, "\"parent\":null,\"track-id\":4,") != NULL);
    fail_unless (strstr (json, "\"parent\":0,\"confidence\":0,") != NULL);
    g_autofree gchar *csv = gst_shape_set_to_csv (set, NULL);
    g_auto (GStrv) rows = g_strsplit (csv, "\n", 4);
    fail_unless (strstr (rows[0], ",color,confidence,track_id,region_id,"));
    fail_unless_cells (rows[1], "", "4", "");
    fail_unless_cells (rows[2], "0", "", "");
  }
}

SUITE (shapeannotate)
{
  shapes_note_criticals ();
}
