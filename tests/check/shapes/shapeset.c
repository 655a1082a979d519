/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "shapes_test.h"

TEST (test_new_set_has_its_size_and_no_layers)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (640, 480);
  gsize n = 7;

  fail_unless_equals_int (gst_shape_set_get_width (set), 640);
  fail_unless_equals_int (gst_shape_set_get_height (set), 480);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 0);
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 0);
  fail_unless (gst_shape_set_get_points (set, 0, &n) == NULL);
  fail_unless_equals_uint64 (n, 0);
}

TEST (test_layer_out_of_range_is_null_and_0_quietly)
{
  g_autoptr (GstShapeSet) set = make_set (8, 8);
  const guint beyond[] = { 2, 3, G_MAXUINT };

  for (guint i = 0; i < G_N_ELEMENTS (beyond); i++) {
    fail_unless (gst_shape_set_get_layer (set, beyond[i]) == NULL);
    fail_unless_equals_int (gst_shape_set_get_layer_type (set, beyond[i]), 0);
    gsize n = 7;
    fail_unless (gst_shape_set_get_offsets (set, beyond[i], &n) == NULL);
    fail_unless_equals_uint64 (n, 0);
    fail_unless (gst_shape_set_get_circles (set, beyond[i], NULL) == NULL);
    fail_unless (gst_shape_set_get_points_bytes (set, beyond[i]) == NULL);
    n = 7;
    fail_unless (gst_shape_set_get_polylines_address (set, beyond[i], &n)
        == 0);
    fail_unless_equals_uint64 (n, 0);
  }
}

TEST (test_arrays_are_what_the_producer_gave)
{
  g_autoptr (GstShapeSet) set = make_set (8, 8);
  GstShapePolyline polylines[2];
  gsize n;

  two_polylines (polylines, 0);
  fail_unless (memcmp (gst_shape_set_get_points (set, 0, &n), two_points,
          sizeof (two_points)) == 0);
  fail_unless_equals_uint64 (n, 6);
  fail_unless (memcmp (gst_shape_set_get_offsets (set, 0, &n), two_offsets,
          sizeof (two_offsets)) == 0);
  fail_unless_equals_uint64 (n, 3);
  fail_unless (memcmp (gst_shape_set_get_polylines (set, 0, &n), polylines,
          sizeof (polylines)) == 0);
  fail_unless_equals_uint64 (n, 2);
  fail_unless_equals_float (gst_shape_set_get_moments (set, 0, &n)[0].m[3], 16);
  fail_unless_equals_uint64 (n, 2);
  fail_unless (memcmp (gst_shape_set_get_circles (set, 1, &n), two_circles,
          sizeof (two_circles)) == 0);
  fail_unless_equals_uint64 (n, 2);
  fail_unless_equals_int (gst_shape_set_get_layer_type (set, 1),
      GST_SHAPE_LAYER_CIRCLES);
}

TEST (test_arrays_of_the_other_type_are_null)
{
  g_autoptr (GstShapeSet) set = make_set (8, 8);
  gsize n = 7;

  fail_unless (gst_shape_set_get_circles (set, 0, &n) == NULL);
  fail_unless_equals_uint64 (n, 0);
  fail_unless (gst_shape_set_get_points (set, 1, NULL) == NULL);
  fail_unless (gst_shape_set_get_offsets (set, 1, NULL) == NULL);
  fail_unless (gst_shape_set_get_polylines (set, 1, NULL) == NULL);
  fail_unless (gst_shape_set_get_moments (set, 1, NULL) == NULL);
}

TEST (test_measures_only_layer_counts_points_it_does_not_have)
{
  GstShapePolyline polylines[2];
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  gsize n = 7;

  two_polylines (polylines, 0);
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 6,
          two_offsets, polylines, 2, NULL));
  fail_unless (gst_shape_set_get_points (set, 0, &n) == NULL);
  fail_unless_equals_uint64 (n, 0);
  fail_unless (gst_shape_set_get_moments (set, 0, NULL) == NULL);
  fail_unless_equals_uint64 (gst_shape_layer_get_n_points
      (gst_shape_set_get_layer (set, 0)), 6);
  fail_unless (gst_shape_set_get_offsets (set, 0, NULL)[2] == 6);
}

TEST (test_empty_layers_have_one_offset_and_no_id)
{
  const GstShapeArrays none = { 0, }, bare = {.offsets = two_offsets };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  gsize n;

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 0,
          NULL, NULL, 0, NULL));
  gst_shape_set_add_layer (set,
      gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 0, 0, &none, NULL, NULL));
  gst_shape_set_add_layer (set,
      gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 0, 0, &bare, NULL, NULL));
  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (NULL, 0));
  for (guint i = 0; i < 3; i++) {
    fail_unless (gst_shape_set_get_offsets (set, i, &n)[0] == 0);
    fail_unless_equals_uint64 (n, 1);
  }
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 0);
}

static GstShapeLayer *
try_polylines (gsize n_shapes, gsize n_points, GstShapeArrays arrays)
{
  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, n_shapes, n_points,
      &arrays, NULL, NULL);
}

TEST (test_layer_with_wrong_arguments_is_refused)
{
  static const guint32 late[] = { 1, 4, 6 }, early[] = { 0, 4, 5 };
  static const guint32 falling[] = { 0, 5, 4, 6 };
  GstShapePolyline polylines[3] = { {0,}, };
  GstShapeArrays good = { 2, 6, two_points, two_offsets, polylines };
  GstShapeArrays bad;
  GstShapePayloadOps no_download = { NULL, NULL, NULL, payload_release };
  Payload payload = { 0, };

  ASSERT_CRITICAL (gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 2, 6, NULL,
          NULL, NULL));
  ASSERT_CRITICAL (gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 2, 6, NULL,
          &no_download, &payload));
  ASSERT_CRITICAL (gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 2, 6, &good,
          NULL, &payload));
  ASSERT_CRITICAL (gst_shape_layer_new ((GstShapeLayerType) 7, 2, 6, &good,
          NULL, NULL));
  ASSERT_CRITICAL (gst_shape_layer_new (GST_SHAPE_LAYER_CIRCLES, 2, 6, &good,
          NULL, NULL));
  ASSERT_CRITICAL (try_polylines (1, 6, good));
  ASSERT_CRITICAL (try_polylines (2, 5, good));
  bad = good, bad.offsets = NULL;
  ASSERT_CRITICAL (try_polylines (2, 6, bad));
  bad = good, bad.polylines = NULL;
  ASSERT_CRITICAL (try_polylines (2, 6, bad));
  bad.n_shapes = 1, bad.n_points = 4;
  ASSERT_CRITICAL (try_polylines (1, 4, bad));
  bad = good, bad.circles = two_circles;
  ASSERT_CRITICAL (try_polylines (2, 6, bad));
  bad = good, bad.offsets = late;
  ASSERT_CRITICAL (try_polylines (2, 6, bad));
  bad = good, bad.offsets = early;
  ASSERT_CRITICAL (try_polylines (2, 6, bad));
  bad = good, bad.offsets = falling, bad.n_shapes = 3;
  ASSERT_CRITICAL (try_polylines (3, 6, bad));
  ASSERT_CRITICAL (gst_shape_layer_new_polylines_copy (two_points, 6, early,
          polylines, 2, NULL));
  ASSERT_CRITICAL (gst_shape_layer_new_polylines_copy (two_points, 6,
          two_offsets, NULL, 2, NULL));
  ASSERT_CRITICAL (gst_shape_layer_new_circles_copy (NULL, 2));
  /* On failure ownership is not transferred. */
  fail_unless_equals_int (payload.releases, 0);
}

TEST (test_add_layer_is_refused_on_a_set_others_hold)
{
  GstShapeSet *set = make_set (8, 8);
  Payload payload = { 0, };

  gst_shape_set_ref (set);
  ASSERT_CRITICAL (gst_shape_set_add_layer (set,
          make_payload_layer (&payload, 2)));
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  fail_unless_equals_int (payload.releases, 1);
  gst_shape_set_unref (set);

  gst_shape_set_add_layer (set, make_polylines (2));
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  gst_shape_set_unref (set);
}

TEST (test_derived_set_shares_layers_and_leaves_the_first_alone)
{
  GstShapeSet *set = make_set (8, 6);
  g_autoptr (GstShapeSet) derived = gst_shape_set_derive (set);

  fail_unless_equals_int (gst_shape_set_get_width (derived), 8);
  fail_unless_equals_int (gst_shape_set_get_height (derived), 6);
  gst_shape_set_add_layer (derived, make_polylines (2));
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  fail_unless_equals_int (gst_shape_set_get_n_layers (derived), 3);
  for (guint i = 0; i < 2; i++)
    fail_unless (gst_shape_set_get_layer (set, i)
        == gst_shape_set_get_layer (derived, i));

  gst_shape_set_unref (set);
  fail_unless_equals_float (gst_shape_set_get_points (derived, 0, NULL)[1].x,
      4);
}

TEST (test_next_id_follows_the_highest_id_of_any_polyline_layer)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, make_circles ());
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 0);
  gst_shape_set_add_layer (set, make_polylines (10));
  gst_shape_set_add_layer (set, make_polylines (3));
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 12);
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 12);
}

TEST (test_next_id_does_not_download_when_the_range_is_stated)
{
  Payload stated = { 0, }, unknown = { 0, };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  GstShapeLayer *layer = make_payload_layer (&stated, 5);

  gst_shape_layer_set_id_range (layer, 5, 7);
  gst_shape_set_add_layer (set, layer);
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 7);
  fail_unless_equals_int (stated.downloads, 0);

  gst_shape_set_add_layer (set, make_payload_layer (&unknown, 20));
  fail_unless_equals_int (gst_shape_set_get_next_id (set), 22);
  fail_unless_equals_int (stated.downloads, 0);
  fail_unless_equals_int (unknown.downloads, 1);
}

TEST (test_id_range_is_stated_before_the_layer_is_shared)
{
  GstShapeLayer *layer = make_polylines (0);

  ASSERT_CRITICAL (gst_shape_layer_set_id_range (layer, 4, 3));
  ASSERT_CRITICAL (gst_shape_layer_set_id_range (layer, -1, 3));
  gst_shape_layer_ref (layer);
  ASSERT_CRITICAL (gst_shape_layer_set_id_range (layer, 0, 2));
  gst_shape_layer_unref (layer);
  gst_shape_layer_unref (layer);
}

static gpointer
read_points (gpointer set)
{
  return (gpointer) gst_shape_set_get_points (set, 0, NULL);
}

TEST (test_payload_is_downloaded_once_from_many_threads)
{
  Payload payload = { 0, };
  GstShapeSet *set = gst_shape_set_new (8, 8);
  GThread *threads[16];

  gst_shape_set_add_layer (set, make_payload_layer (&payload, 0));
  fail_unless_equals_int (payload.downloads, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_points, set);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (g_thread_join (threads[i]) == two_points);
  fail_unless_equals_int (payload.downloads, 1);
  gst_shape_set_unref (set);
  fail_unless_equals_int (payload.releases, 1);
}

TEST (test_counts_need_no_download)
{
  Payload payload = { 0, };
  GstShapeLayer *layer = make_payload_layer (&payload, 0);

  fail_unless_equals_uint64 (gst_shape_layer_get_n_shapes (layer), 2);
  fail_unless_equals_uint64 (gst_shape_layer_get_n_points (layer), 6);
  gst_shape_layer_unref (layer);
  fail_unless_equals_int (payload.downloads, 0);
  fail_unless_equals_int (payload.releases, 1);
}

static void
fail_to_map (Payload * payload, const gchar * message)
{
  GstShapeLayer *layer = make_payload_layer (payload, 0);
  GError *error = NULL;

  for (guint i = 0; i < 3; i++) {
    fail_unless (gst_shape_layer_map_host (layer, &error) == NULL);
    fail_unless (error && strstr (error->message, message));
    g_clear_error (&error);
  }
  fail_unless (gst_shape_layer_map_host (layer, NULL) == NULL);
  fail_unless_equals_int (payload->downloads, 1);
  gst_shape_layer_unref (layer);
  fail_unless_equals_int (payload->releases, 1);
}

TEST (test_failed_download_is_reported_and_not_tried_again)
{
  Payload payload = {.fails = TRUE };

  fail_to_map (&payload, "the device is gone");
}

TEST (test_download_that_does_not_fit_the_layer_is_an_error)
{
  Payload payload = {.lies = TRUE };

  fail_to_map (&payload, "do not fit");
}

TEST (test_device_is_reached_only_through_the_ops)
{
  Payload payload = { 0, };
  GstShapeArrays device;
  g_autoptr (GstShapeLayer) layer = make_payload_layer (&payload, 0);

  fail_unless (gst_shape_layer_map_device (layer, &payload, NULL, &device));
  gst_shape_layer_unmap_device (layer, NULL);
  fail_if (gst_shape_layer_map_device (layer, layer, NULL, &device));
  fail_unless_equals_int (payload.maps, 2);
  fail_unless_equals_int (payload.unmaps, 1);
  fail_unless_equals_int (payload.downloads, 0);
  gst_shape_layer_unref (layer);

  layer = make_polylines (0);
  fail_if (gst_shape_layer_map_device (layer, &payload, NULL, &device));
}

static gpointer
drop_set (gpointer set)
{
  gst_shape_set_unref (set);
  return g_thread_self ();
}

TEST (test_last_unref_releases_once_on_its_own_thread)
{
  Payload payload = { 0, };
  GstShapeSet *set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, make_payload_layer (&payload, 0));
  GstShapeSet *derived = gst_shape_set_derive (set);
  gst_shape_set_unref (set);
  fail_unless_equals_int (payload.releases, 0);

  GThread *thread = g_thread_new ("dropper", drop_set, derived);
  fail_unless (g_thread_join (thread) == payload.releaser);
  fail_unless (payload.releaser != g_thread_self ());
  fail_unless_equals_int (payload.releases, 1);
}

TEST (test_bytes_and_addresses_are_the_arrays_themselves)
{
  GstShapeSet *set = make_set (8, 8);
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, NULL);
  g_autoptr (GBytes) bytes = gst_shape_set_get_points_bytes (set, 0);
  g_autoptr (GBytes) circles = gst_shape_set_get_circles_bytes (set, 1);

  fail_unless (gst_shape_set_get_circles_bytes (set, 0) == NULL);
  fail_unless (gst_shape_set_get_points_address (set, 0, &n)
      == (guintptr) points);
  fail_unless_equals_uint64 (n, 6);

  /* They outlive the set. */
  gst_shape_set_unref (set);
  fail_unless (g_bytes_get_data (bytes, &n) == points);
  fail_unless_equals_uint64 (n, sizeof (two_points));
  fail_unless (memcmp (points, two_points, n) == 0);
  fail_unless_equals_uint64 (g_bytes_get_size (circles), sizeof (two_circles));
}

static void
fail_bytes (const guint32 * offsets, gsize n_offsets, gsize n_point_bytes,
    gsize n_polyline_bytes, gsize n_moment_bytes, const gchar * message)
{
  guint8 zeros[512] = { 0, };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) o = g_bytes_new (offsets, n_offsets * 4);
  g_autoptr (GBytes) p = g_bytes_new (zeros, n_point_bytes);
  g_autoptr (GBytes) l = g_bytes_new (zeros, n_polyline_bytes);
  g_autoptr (GBytes) m = g_bytes_new (zeros, n_moment_bytes);

  fail_unless (gst_shape_layer_new_polylines_bytes (p, o, l, m, &error)
      == NULL);
  fail_unless (error && strstr (error->message, message), "%s", error->message);
}

TEST (test_layer_from_bytes_says_what_does_not_fit)
{
  static const guint32 offsets[] = { 0, 4, 6 }, falling[] = { 0, 7, 6 };
  const gsize l = sizeof (GstShapePolyline), m = sizeof (GstShapeMoments);

  fail_bytes (offsets, 3, 47, 2 * l, 2 * m, "points");
  fail_bytes (offsets, 3, 48, 2 * l + 1, 2 * m, "polylines");
  fail_bytes (offsets, 3, 48, 2 * l, 2 * m + 1, "moments");
  fail_bytes (offsets, 3, 48, 2 * l, m, "as many moments");
  fail_bytes (offsets, 2, 48, 2 * l, 2 * m, "need 3 offsets");
  fail_bytes (offsets, 0, 0, 0, 0, "need 1 offsets");
  fail_bytes (offsets, 3, 40, 2 * l, 2 * m, "number of points");
  fail_bytes (falling, 3, 48, 2 * l, 2 * m, "not decrease");
}

TEST (test_layer_from_bytes_copies_them_from_any_alignment)
{
  GstShapePolyline polylines[2];
  guint8 shifted[sizeof (polylines) + 1];
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);
  GError *error = NULL;

  two_polylines (polylines, 0);
  memcpy (shifted + 1, polylines, sizeof (polylines));
  g_autoptr (GBytes) l = g_bytes_new_static (shifted + 1, sizeof (polylines));
  g_autoptr (GBytes) o = g_bytes_new_static (two_offsets, sizeof (two_offsets));
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_bytes (NULL, o,
          l, NULL, &error));
  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_polylines (set, 0, NULL)[1].id, 1);
  fail_unless_equals_uint64 (gst_shape_layer_get_n_points
      (gst_shape_set_get_layer (set, 0)), 6);
}

#define fail_unless_near(a, b) \
    fail_unless (fabs ((gdouble) (a) - (b)) < \
        1e-12 * MAX (1, fabs ((gdouble) (b))), \
        #a " is %.17g, not %.17g", (gdouble) (a), (gdouble) (b))

/* An axis-parallel a x b rectangle, moments about its corner. */
static GstShapeMoments
rectangle_moments (gdouble a, gdouble b, gdouble sign)
{
  return (GstShapeMoments) { {
  sign *a * b, sign * a * a * b / 2, sign * a * b * b / 2,
          sign * a * a * a * b / 3, sign * a * a * b * b / 4,
          sign * a * b * b * b / 3,}
  };
}

TEST (test_features_of_rectangles)
{
  GstShapeMoments wide = rectangle_moments (6, 3, 1);
  GstShapeMoments tall = rectangle_moments (3, 6, -1);
  GstShapeFeatures f;

  fail_unless (gst_shape_moments_get_features (&wide, &f));
  fail_unless_near (f.major_axis_length, 4 * 6 / sqrt (12));
  fail_unless_near (f.minor_axis_length, 4 * 3 / sqrt (12));
  fail_unless_near (f.eccentricity, sqrt (.75));
  fail_unless_near (fabs (f.orientation), G_PI / 2);
  fail_unless_near (f.equivalent_diameter, sqrt (4 * 18 / G_PI));

  /* The sign of a hole makes no difference. */
  fail_unless (gst_shape_moments_get_features (&tall, &f));
  fail_unless_near (f.major_axis_length, 4 * 6 / sqrt (12));
  fail_unless_near (f.eccentricity, sqrt (.75));
  fail_unless_near (f.orientation, 0);
  fail_unless_near (f.equivalent_diameter, sqrt (4 * 18 / G_PI));
}

TEST (test_features_of_a_square_have_no_orientation)
{
  GstShapeMoments square = rectangle_moments (2, 2, 1);
  GstShapeFeatures f;

  fail_unless (gst_shape_moments_get_features (&square, &f));
  fail_unless_near (f.eccentricity, 0);
  fail_unless_near (f.orientation, 0);
}

TEST (test_features_of_nothing_are_refused)
{
  GstShapeMoments m = { {0,}
  };
  GstShapeFeatures f;

  fail_if (gst_shape_moments_get_features (&m, &f));
  fail_unless_equals_float (f.major_axis_length, 0);
  m = rectangle_moments (2, 2, 1);
  m.m[4] = NAN;
  fail_if (gst_shape_moments_get_features (&m, &f));
  m.m[4] = INFINITY;
  fail_if (gst_shape_moments_get_features (&m, &f));
}

TEST (test_rescaled_pixel_borders_stay_pixel_borders)
{
  g_autoptr (GstShapeSet) set = make_set (8, 6);
  GError *error = NULL;
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set, 16, 12, &error);

  g_assert_no_error (error);
  fail_unless_equals_int (gst_shape_set_get_width (scaled), 16);
  const GstShapePoint *points = gst_shape_set_get_points (scaled, 0, NULL);
  fail_unless_near (points[0].x, .5);
  fail_unless_near (points[1].x, 8.5);
  fail_unless_near (points[2].y, 6.5);
  const GstShapePolyline *p = gst_shape_set_get_polylines (scaled, 0, NULL);
  fail_unless_near (p[0].area, 24);
  fail_unless_near (p[0].perimeter, 24);
  fail_unless_near (p[0].centroid_y, 2.5);
  fail_unless_near (p[0].bbox_x1, 8.5);
  fail_unless_equals_int (p[1].parent, 0);
  fail_unless_near (gst_shape_set_get_moments (scaled, 0, NULL)[0].m[3], 256);
  const GstShapeCircle *c = gst_shape_set_get_circles (scaled, 1, NULL);
  fail_unless_near (c[0].x, 2.5);
  fail_unless_near (c[0].r, 7);
  gst_shape_set_unref (scaled);

  /* Unequal axes: the triangle is 4 x 6 now. */
  scaled = gst_shape_set_rescale (set, 8, 12, &error);
  p = gst_shape_set_get_polylines (scaled, 0, NULL);
  fail_unless_near (p[0].area, 12);
  fail_unless_near (p[0].perimeter, 4 + 6 + sqrt (52));
}

TEST (test_rescale_leaves_measures_that_were_not_taken_unknown)
{
  GstShapePolyline polyline = {.area = 2,.perimeter = NAN,.centroid_x = NAN,
    .bbox_x1 = NAN
  };
  const guint32 offsets[] = { 0, 4 };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (two_points,
          4, offsets, &polyline, 1, NULL));
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set, 16, 8, NULL);
  const GstShapePolyline *p = gst_shape_set_get_polylines (scaled, 0, NULL);
  fail_unless_near (p->area, 4);
  fail_unless (isnan (p->perimeter));
  fail_unless (isnan (p->centroid_x));
  fail_unless (isnan (p->bbox_x1));
}

TEST (test_rescale_to_the_same_or_no_size_is_the_set_itself)
{
  GstShapeSet *set = make_set (8, 6), *bare = make_set (0, 0);

  fail_unless (gst_shape_set_rescale (set, 8, 6, NULL) == set);
  fail_unless (gst_shape_set_rescale (set, 0, 6, NULL) == set);
  fail_unless (gst_shape_set_rescale (bare, 8, 6, NULL) == bare);
  gst_shape_set_unref (set);
  gst_shape_set_unref (set);
  gst_shape_set_unref (set);
  gst_shape_set_unref (bare);
  gst_shape_set_unref (bare);
}

TEST (test_set_is_a_boxed_type)
{
  GValue value = G_VALUE_INIT;
  g_autoptr (GstShapeSet) set = make_set (8, 6);

  g_value_init (&value, GST_TYPE_SHAPE_SET);
  g_value_take_boxed (&value, set);
  set = g_value_dup_boxed (&value);
  fail_unless (set == g_value_get_boxed (&value));
  g_value_unset (&value);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
}

/* Measures of hulls, and kinds */

static GstShapeSet *
make_measured_set (void)
{
  GstShapeSet *set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, make_polylines (0));
  gst_shape_set_add_layer (set, make_measured_hull ());
  return set;
}

TEST (test_hulls_can_have_measures)
{
  g_autoptr (GstShapeSet) set = make_measured_set ();
  gsize n = 7;

  fail_unless (gst_shape_set_get_hull_measures (set, 0, &n) == NULL);
  fail_unless_equals_uint64 (n, 0);
  const GstShapeHullMeasures *measures = gst_shape_set_get_hull_measures (set,
      1, &n);
  fail_unless_equals_uint64 (n, 1);
  fail_unless (memcmp (measures, &one_measured, sizeof (*measures)) == 0);
  fail_unless (gst_shape_set_get_hull_measures_address (set, 1, &n) ==
      (guintptr) measures);
  g_autoptr (GBytes) bytes = gst_shape_set_get_hull_measures_bytes (set, 1);
  fail_unless_equals_uint64 (g_bytes_get_size (bytes), sizeof (*measures));
}

TEST (test_a_rectangle_s_angle_is_that_of_a_line)
{
  const gdouble cases[][3] = { {1, 0, 0}, {-1, 0, 0}, {0, 1, 90}, {0, -1, 90},
  {-.6, -.8, 53.13010235415598}, {.6, -.8, -53.13010235415598}, {-1, -0., 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstShapeHullMeasures m = { 0, };

    m.rect_ux = cases[i][0];
    m.rect_uy = cases[i][1];
    fail_unless_near (gst_shape_hull_measures_get_rect_angle (&m), cases[i][2]);
  }
}

TEST (test_measures_of_hulls_are_rescaled_if_they_can_be)
{
  g_autoptr (GstShapeSet) set = make_measured_set ();
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set, 16, 16, NULL);
  const GstShapeHullMeasures *m =
      gst_shape_set_get_hull_measures (scaled, 1, NULL);

  fail_unless_near (m->feret_max, 10);
  fail_unless_near (m->feret_max_ux, -.6);
  fail_unless_near (m->feret_min, 4.8);
  fail_unless_near (m->rect_x, 4.5);
  fail_unless_near (m->rect_height, 8);
  fail_unless_near (m->circle_y, 3.5);
  fail_unless_near (m->circle_r, 5);
  gst_shape_set_unref (scaled);

  scaled = gst_shape_set_rescale (set, 16, 8, NULL);
  fail_unless (gst_shape_set_get_polylines (scaled, 1, NULL)->area == 12);
  fail_unless (gst_shape_set_get_hull_measures (scaled, 1, NULL) == NULL);
}

TEST (test_a_layer_knows_its_kinds)
{
  g_autoptr (GstShapeLayer) layer = make_polylines (0);
  Payload payload = { 0, };

  fail_unless (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR));
  fail_if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL));
  gst_shape_layer_unref (layer);
  layer = make_circles ();
  fail_if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR));
  gst_shape_layer_unref (layer);

  layer = make_payload_layer (&payload, 0);
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_HULL);
  fail_unless (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL));
  fail_if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR));
  fail_unless_equals_int (payload.downloads, 0);
  gst_shape_layer_unref (layer);
  layer = make_payload_layer (&payload, 0);
  fail_unless (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR));
  fail_unless (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR));
  fail_unless_equals_int (payload.downloads, 1);
}

static gpointer
name_classes (gpointer unused)
{
  static const gchar *const names[] = { "skin", "rot" };

  for (guint i = 0; i < 100000; i++) {
    g_autoptr (GstShapeLayer) layer = make_polylines (0);

    gst_shape_layer_set_class_names (layer, names, G_N_ELEMENTS (names));
    fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 1),
        "rot");
  }
  return NULL;
}

/* With strings that GLib interns as long as they are used, threads trip over
 * each other. */
TEST (test_threads_name_classes_alike)
{
  GThread *other = g_thread_new ("other", name_classes, NULL);

  name_classes (NULL);
  g_thread_join (other);
}

TEST (test_layers_take_names_of_others)
{
  static const gchar *const fruits[] = { "", "apple", "pear", "", "plum" };
  static const gchar *const parts[] = { "skin", "", "rot", "stem" };
  static const gchar *const both[] = { "skin", "apple", "pear", "stem", "plum",
    NULL
  };
  g_autoptr (GstShapeLayer) first = make_polylines (0);
  g_autoptr (GstShapeLayer) second = make_polylines (0);
  g_autoptr (GstShapeLayer) layer = make_polylines (0);
  g_autoptr (GstShapeLayer) unnamed = make_polylines (0);

  gst_shape_layer_set_class_names (first, fruits, G_N_ELEMENTS (fruits));
  gst_shape_layer_set_class_names (second, parts, G_N_ELEMENTS (parts));
  gst_shape_layer_copy_class_names (layer, unnamed);
  fail_unless (gst_shape_layer_get_class_name (layer, 1) == NULL);
  gst_shape_layer_copy_class_names (layer, first);
  fail_unless (gst_shape_layer_get_class_name (layer, 0) == NULL);
  gst_shape_layer_copy_class_names (layer, second);
  gst_shape_layer_copy_class_names (layer, layer);
  for (gint32 i = 0; i < (gint32) G_N_ELEMENTS (both); i++)
    fail_unless_equals_string (gst_shape_layer_get_class_name (layer, i),
        both[i]);
  /* the others keep theirs */
  fail_unless (gst_shape_layer_get_class_name (first, 0) == NULL);
  fail_unless_equals_string (gst_shape_layer_get_class_name (second, 2), "rot");
}

SUITE (shapeset)
{
  shapes_note_criticals ();
}
