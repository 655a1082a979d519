/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/video/video.h>

#include "../lib/harness.h"
#include "shapes_test.h"

TEST (test_api_type_has_no_tags)
{
  const gchar *const *tags =
      gst_meta_api_type_get_tags (GST_SHAPE_META_API_TYPE);
  const GstMetaInfo *info = GST_SHAPE_META_INFO;

  fail_unless (tags == NULL || tags[0] == NULL);
  fail_unless (gst_meta_get_info ("GstShapeMeta") == info);
}

TEST (test_buffer_without_shapes_has_no_set)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  fail_unless (gst_buffer_get_shape_meta (buffer) == NULL);
  fail_unless (gst_buffer_get_shape_set (buffer) == NULL);
}

TEST (test_meta_holds_a_reference_and_drops_it_with_the_buffer)
{
  Payload payload = { 0, };
  GstBuffer *buffer = gst_buffer_new ();
  GstShapeSet *set = gst_shape_set_new (8, 6);

  gst_shape_set_add_layer (set, make_payload_layer (&payload, 0));
  fail_unless (gst_buffer_add_shape_meta (buffer, set)->set == set);
  fail_unless (gst_buffer_get_shape_set (buffer) == set);
  gst_shape_set_unref (set);
  fail_unless_equals_int (payload.releases, 0);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (payload.releases, 1);
  fail_unless_equals_int (payload.downloads, 0);
}

TEST (test_published_set_cannot_be_changed)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = make_set (8, 6);

  gst_buffer_add_shape_meta (buffer, set);
  ASSERT_CRITICAL (gst_shape_set_add_layer (set, make_circles ()));
}

TEST (test_meta_survives_copies_as_a_reference)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64, NULL);
  g_autoptr (GstShapeSet) set = make_set (8, 6);
  GstBuffer *copies[3];

  gst_buffer_add_shape_meta (buffer, set);
  copies[0] = gst_buffer_copy (buffer);
  copies[1] = gst_buffer_copy_deep (buffer);
  copies[2] = gst_buffer_make_writable (gst_buffer_ref (copies[0]));
  gst_buffer_unref (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (copies); i++) {
    fail_unless (gst_buffer_get_shape_set (copies[i]) == set);
    gst_buffer_unref (copies[i]);
  }
}

TEST (test_second_producer_merges_into_the_one_meta)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) old = make_set (8, 6);

  gst_buffer_add_shape_meta (buffer, old);
  g_autoptr (GstShapeSet) added = gst_shape_set_new (8, 6);
  gst_shape_set_add_layer (added,
      make_polylines (gst_shape_set_get_next_id (old)));
  fail_unless (gst_buffer_add_shape_meta (buffer, added)
      == gst_buffer_get_shape_meta (buffer));
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer,
          GST_SHAPE_META_API_TYPE), 1);

  GstShapeSet *merged = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (merged), 3);
  fail_unless_equals_int (gst_shape_set_get_next_id (merged), 4);
  fail_unless (gst_shape_set_get_layer (merged, 0)
      == gst_shape_set_get_layer (old, 0));
  fail_unless (gst_shape_set_get_layer (merged, 2)
      == gst_shape_set_get_layer (added, 0));
  fail_unless_equals_int (gst_shape_set_get_n_layers (old), 2);
}

TEST (test_derived_set_merges_without_doubling_layers)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = make_set (8, 6), derived = NULL;

  gst_buffer_add_shape_meta (buffer, set);
  derived = gst_shape_set_derive (gst_buffer_get_shape_set (buffer));
  gst_shape_set_add_layer (derived,
      make_polylines (gst_shape_set_get_next_id (derived)));
  gst_buffer_add_shape_meta (buffer, derived);
  gst_buffer_add_shape_meta (buffer, derived);
  fail_unless_equals_int (gst_shape_set_get_n_layers (gst_buffer_get_shape_set
          (buffer)), 3);
}

/* So many that looking for each layer among all others would take minutes. */
TEST (test_many_layers_merge_in_order)
{
  const guint n = 3 * 65536;
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) old = gst_shape_set_new (8, 6);

  for (guint i = 0; i < n; i++)
    gst_shape_set_add_layer (old, make_circles ());
  /* the last half of the old ones and as many new ones, in turn */
  g_autoptr (GstShapeSet) added = gst_shape_set_new (8, 6);
  for (guint i = 0; i < n / 2; i++) {
    gst_shape_set_add_layer (added, gst_shape_layer_ref
        (gst_shape_set_get_layer (old, n / 2 + i)));
    gst_shape_set_add_layer (added, make_circles ());
  }
  gst_buffer_add_shape_meta (buffer, old);
  gst_buffer_add_shape_meta (buffer, added);
  GstShapeSet *merged = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (merged), n + n / 2);
  for (guint i = 0; i < n + n / 2; i++)
    fail_unless (gst_shape_set_get_layer (merged, i) == (i < n ?
            gst_shape_set_get_layer (old, i) :
            gst_shape_set_get_layer (added, 2 * (i - n) + 1)), "layer %u", i);
}

TEST (test_merge_rescales_earlier_shapes_to_the_new_size)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) first = make_set (8, 6);

  gst_buffer_add_shape_meta (buffer, first);
  g_autoptr (GstShapeSet) second = gst_shape_set_new (16, 12);
  gst_shape_set_add_layer (second, make_polylines (2));
  gst_buffer_add_shape_meta (buffer, second);
  GstShapeSet *merged = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_width (merged), 16);
  fail_unless_equals_float (gst_shape_set_get_points (merged, 0, NULL)[1].x,
      8.5);
  fail_unless_equals_float (gst_shape_set_get_points (merged, 2, NULL)[1].x, 4);
}

TEST (test_merge_drops_shapes_that_cannot_be_rescaled)
{
  Payload payload = {.fails = TRUE };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstShapeSet *first = gst_shape_set_new (8, 6), *second = make_set (16, 12);

  gst_shape_set_add_layer (first, make_payload_layer (&payload, 0));
  gst_buffer_add_shape_meta (buffer, first);
  gst_shape_set_unref (first);
  gst_buffer_add_shape_meta (buffer, second);
  fail_unless (gst_buffer_get_shape_set (buffer) == second);
  fail_unless_equals_int (payload.releases, 1);
  gst_shape_set_unref (second);
}

TEST (test_meta_is_not_added_to_a_buffer_others_hold)
{
  GstBuffer *buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = make_set (8, 6);

  gst_buffer_ref (buffer);
  ASSERT_CRITICAL (gst_buffer_add_shape_meta (buffer, set));
  fail_unless (gst_buffer_get_shape_set (buffer) == NULL);
  gst_buffer_unref (buffer);
  gst_buffer_unref (buffer);
}

TEST (test_scale_keeps_the_set_and_other_transforms_drop_it)
{
  g_autoptr (GstBuffer) from = gst_buffer_new (), to = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = make_set (8, 6);
  GstMeta *meta = (GstMeta *) gst_buffer_add_shape_meta (from, set);

  fail_if (meta->info->transform_func (to, meta, from,
          g_quark_from_static_string ("some-other-transform"), NULL));
  fail_unless (gst_buffer_get_shape_set (to) == NULL);
  fail_unless (meta->info->transform_func (to, meta, from,
          gst_video_meta_transform_scale_get_quark (), NULL));
  fail_unless (gst_buffer_get_shape_set (to) == set);
}

/* Pushes a frame with shapes through @elements. */
static void
fail_unless_it_survives (const gchar * elements, const gchar * out_caps)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (elements);
  g_autoptr (GstShapeSet) set = make_set (320, 240);
  GstVideoInfo info;

  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=I420,width=320,height=240,framerate=30/1");
  gst_harness_set_sink_caps_str (h, out_caps);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 320, 240);
  g_autoptr (GstBuffer) buffer = gst_harness_create_buffer (h, info.size);
  gst_buffer_memset (buffer, 0, 0, info.size);
  gst_buffer_add_shape_meta (buffer, set);

  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL, "%s gave nothing", elements);
  fail_unless (gst_buffer_get_shape_set (buffer) == set,
      "%s lost the shapes", elements);
}

TEST (test_meta_survives_scaling_and_conversion)
{
  const gchar *small =
      "video/x-raw,format=I420,width=160,height=120,framerate=30/1";
  const gchar *rgba =
      "video/x-raw,format=RGBA,width=320,height=240,framerate=30/1";
  const gchar *both =
      "video/x-raw,format=GRAY8,width=200,height=150,framerate=30/1";

  fail_unless_it_survives ("videoscale", small);
  fail_unless_it_survives ("videoconvert", rgba);
  fail_unless_it_survives ("videoscale ! videoconvert ! queue", both);
}

TEST (test_the_library_says_which_version_it_is)
{
  guint major, minor, micro;

  gst_shapes_version (&major, &minor, &micro);
  fail_unless (GST_SHAPES_CHECK_VERSION (0, 1, 0));
  fail_unless (GST_SHAPES_CHECK_VERSION (0, 0, 9));
  fail_unless (!GST_SHAPES_CHECK_VERSION (GST_SHAPES_VERSION_MAJOR,
          GST_SHAPES_VERSION_MINOR, GST_SHAPES_VERSION_MICRO + 1));
  fail_unless (!GST_SHAPES_CHECK_VERSION (GST_SHAPES_VERSION_MAJOR,
          GST_SHAPES_VERSION_MINOR + 1, 0));
  assert_equals_int (major, GST_SHAPES_VERSION_MAJOR);
  assert_equals_int (minor, GST_SHAPES_VERSION_MINOR);
  assert_equals_int (micro, GST_SHAPES_VERSION_MICRO);
  g_autofree gchar *version = g_strdup_printf ("%u.%u.%u", major, minor, micro);
  fail_unless_equals_string (version, PACKAGE_VERSION);
  gst_shapes_version (NULL, NULL, NULL);
  fail_unless (gst_shapes_init ());
}

SUITE (shapemeta)
{
  shapes_note_criticals ();
}
