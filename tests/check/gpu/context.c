/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applications that destroy their CUDA context while it is in use. */
#include "gpu_test.h"

#define CAPS_WIDTH 320
#define CAPS_HEIGHT 240

static gchar *caps;
static GstBuffer *buffer;
static GstShapeSet *expected;
static CUcontext application;
static GstCudaContext *wrapped;

static void
setup (void)
{
  caps = video_caps ("", "GRAY8", CAPS_WIDTH, CAPS_HEIGHT);
  buffer = video_noise (caps, 4);
  expected = contours_of (NULL, "", caps, buffer);
  application = application_context_new ();
  wrapped = gst_cuda_context_new_wrapped (application, 0);
  fail_unless (wrapped != NULL);
}

static void
teardown (void)
{
  gst_clear_object (&wrapped);
  /* the GPU still works in a new context */
  g_autoptr (GstShapeSet) cuda = contours_of (test_context, "", caps, buffer);
  assert_same_sets (cuda, expected, "after a context has gone");
  gst_shape_set_unref (expected);
  gst_buffer_unref (buffer);
  g_free (caps);
}

static void
destroy_application_context (void)
{
  fail_unless_equals_int (CuCtxDestroy (application), CUDA_SUCCESS);
}

TEST (test_a_set_outlives_the_applications_context)
{
  g_autoptr (GstShapeSet) set = contours_of (wrapped, "", caps, buffer);

  destroy_application_context ();
  assert_same_sets (set, expected, "read without a context");
}

TEST (test_a_set_that_is_on_the_gpu_alone_is_lost_with_an_error)
{
  GstHarness *h = contours_on (wrapped, "");
  g_autoptr (GError) error = NULL;

  pretend_to_read_on_the_device (h);
  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstShapeSet) set = set_of (h, buffer);
  gst_harness_teardown (h);
  destroy_application_context ();
  fail_unless (gst_shape_layer_map_host (gst_shape_set_get_layer (set, 0),
          &error) == NULL);
  fail_unless (error != NULL);
  g_print ("  as it should: %s\n", error->message);
}

TEST (test_an_element_whose_context_goes_fails_and_stops)
{
  GstHarness *h = contours_on (wrapped, "");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstShapeSet) set = set_of (h, buffer);
  destroy_application_context ();
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (buffer)),
      GST_FLOW_ERROR);
  assert_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  free_harness (h);
  assert_same_sets (set, expected, "read without a context");
}

TEST (test_pinned_memory_outlives_the_applications_context)
{
  GstHarness *h = contours_on (wrapped, "");
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, caps);
  GstMemory *memory = pinned_memory_of (h, caps, CAPS_WIDTH * CAPS_HEIGHT);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, 7, map.size);
  gst_memory_unmap (memory, &map);
  gst_harness_teardown (h);
  destroy_application_context ();
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_equals_int (map.data[CAPS_WIDTH * CAPS_HEIGHT - 1], 7);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

GPU_SUITE (context)
{
  tcase_set_timeout (tcase, 120);
  tcase_add_checked_fixture (tcase, setup, teardown);
}
