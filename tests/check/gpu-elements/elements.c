/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacontours and cudahull on a GPU: the same sets as on the CPU, from every
 * kind of memory, and nobody's memory lost. */
#include "gpu_test.h"

#define WIDTH 321
#define HEIGHT 123

static gchar *
tensor_caps (const gchar * type, const gchar * dimensions)
{
  return g_strdup_printf (TENSOR_CAPS "types=%s,dimensions=%s", type,
      dimensions);
}

GST_START_TEST (test_video_in_system_memory_gives_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "GRAY16_LE", "NV12", "I420",
    "Y444", "P010_10LE", "RGBA", "BGRx", "RGB"
  };
  static const gchar *properties[] = { "level=0.5",
    "level=0.45 hierarchy=true measures=full min-points=6",
    "levels=0.4,0.6 fully-connected=high positive-orientation=high",
    "level=0.5 roi=7,5,100,61 min-area=2", "auto-level=true measures=none"
  };
  guint f, p;

  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *caps = video_caps ("", formats[f], WIDTH, HEIGHT);
    GstBuffer *buffer = video_noise (caps, f);

    for (p = 0; p < G_N_ELEMENTS (properties); p++)
      fail_unless (assert_backends_agree (properties[p], caps, buffer) > 0);
    gst_buffer_unref (buffer);
    g_free (caps);
  }
}

GST_END_TEST;

GST_START_TEST (test_channels_of_rgb_give_what_the_cpu_gives)
{
  gchar *caps = video_caps ("", "RGBA", 67, 41);
  GstBuffer *buffer = video_noise (caps, 5);

  fail_unless (assert_backends_agree ("channel=r", caps, buffer) > 0);
  fail_unless (assert_backends_agree ("channel=a", caps, buffer) > 0);
  assert_backends_agree ("channel=g mask-alpha=true", caps, buffer);
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_tiny_frames_give_what_the_cpu_gives)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 3},
  {33, 2}
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gchar *caps = video_caps ("", "GRAY8", sizes[i][0], sizes[i][1]);
    GstBuffer *buffer = video_noise (caps, i);

    assert_backends_agree ("level=0.5", caps, buffer);
    gst_buffer_unref (buffer);
    g_free (caps);
  }
}

GST_END_TEST;

GST_START_TEST (test_tensors_give_what_the_cpu_gives)
{
  static const struct
  {
    const gchar *type, *properties;
    guint size;
  } types[] = {
    {"uint8", "level=128", 1},
    {"uint16", "levels=20000,30000,40000 classes=0,2,4", 2},
    {"float16", "level=0.5", 2},
    {"float32", "level=0.5 classes=1,3", 4}
  };
  guint t, chw;

  for (t = 0; t < G_N_ELEMENTS (types); t++) {
    for (chw = 0; chw < 2; chw++) {
      gchar *caps = tensor_caps (types[t].type, chw ? "97:43:5:2" :
          "5:97:43:2");
      gchar *properties = g_strdup_printf ("%s layout=%s",
          types[t].properties, chw ? "chw" : "hwc");
      GstBuffer *buffer = noise_buffer (97 * 43 * 5 * 2 * types[t].size, t);

      /* floats of random bits: NaN, infinities, denormals among them */
      fail_unless (assert_backends_agree (properties, caps, buffer) > 0);
      gst_buffer_unref (buffer);
      g_free (properties);
      g_free (caps);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_video_in_cuda_memory_gives_what_the_cpu_gives)
{
  static const gchar *formats[] = { "NV12", "I420", "Y444", "P010_10LE", "RGBA",
    "BGRx"
  };
  guint f;

  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *host_caps = video_caps ("", formats[f], 322, 124);
    gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], 322, 124);
    GstBuffer *host = video_noise (host_caps, f);
    GstBuffer *device = in_cuda_memory (test_context, host_caps, host);
    GstShapeSet *cpu = contours_of (NULL, "level=0.5", host_caps, host);
    GstShapeSet *cuda = contours_of (test_context, "level=0.5", cuda_caps,
        device);

    fail_unless (n_contours (cpu) > 0);
    assert_same_sets (cuda, cpu, cuda_caps);
    gst_shape_set_unref (cuda);
    gst_shape_set_unref (cpu);
    gst_buffer_unref (device);
    gst_buffer_unref (host);
    g_free (cuda_caps);
    g_free (host_caps);
  }
}

GST_END_TEST;

GST_START_TEST (test_memory_of_another_context_is_adopted)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  gchar *host_caps = video_caps ("", "NV12", 160, 90);
  gchar *cuda_caps = video_caps (CUDA_CAPS, "NV12", 160, 90);
  GstBuffer *host = video_noise (host_caps, 1);
  GstShapeSet *cpu = contours_of (NULL, "", host_caps, host);
  GstHarness *h = contours_on (test_context, "");
  GstCudaContext *contexts[] = { test_context, other, other, test_context };
  guint i;

  gst_harness_set_src_caps_str (h, cuda_caps);
  for (i = 0; i < G_N_ELEMENTS (contexts); i++) {
    GstBuffer *device = in_cuda_memory (contexts[i], host_caps, host);
    GstShapeSet *cuda = set_of (h, device);

    assert_same_sets (cuda, cpu, "adopted");
    gst_shape_set_unref (cuda);
    gst_buffer_unref (device);
  }
  gst_harness_teardown (h);
  gst_shape_set_unref (cpu);
  gst_buffer_unref (host);
  gst_object_unref (other);
  g_free (cuda_caps);
  g_free (host_caps);
}

GST_END_TEST;

GST_START_TEST (test_size_format_and_properties_change_while_playing)
{
  GstHarness *h = contours_on (test_context, "");
  GstElement *element = find_contours (h);
  guint i;

  for (i = 0; i < 24; i++) {
    const gchar *format = i / 4 % 2 ? "GRAY8" : "I420";
    gchar *caps = video_caps ("", format, 40 + 16 * (i / 2 % 3), 30);
    const gdouble level = .25 + i / 64.;
    gchar *properties = g_strdup_printf ("level=%.6f hierarchy=%s", level,
        i % 3 ? "false" : "true");
    GstBuffer *buffer = video_noise (caps, i);
    GstShapeSet *cpu = contours_of (NULL, properties, caps, buffer), *cuda;

    gst_harness_set_src_caps_str (h, caps);
    g_object_set (element, "level", level, "hierarchy", i % 3 == 0, NULL);
    cuda = set_of (h, buffer);
    assert_same_sets (cuda, cpu, properties);
    gst_shape_set_unref (cuda);
    gst_shape_set_unref (cpu);
    gst_buffer_unref (buffer);
    g_free (properties);
    g_free (caps);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_frames_that_need_more_memory_lose_nothing)
{
  gchar *caps = video_caps ("", "GRAY8", 640, 480);
  GstBuffer *noise = gst_buffer_new_allocate (NULL, 640 * 480, NULL);
  GRand *rand = g_rand_new_with_seed (1);
  GstMapInfo map;
  gsize i;

  gst_buffer_map (noise, &map, GST_MAP_WRITE);
  for (i = 0; i < map.size; i++)
    map.data[i] = (guint8) g_rand_int_range (rand, 0, 256);
  gst_buffer_unmap (noise, &map);
  g_rand_free (rand);
  fail_unless (assert_backends_agree ("max-segments=10", caps, noise) > 1000);
  gst_buffer_unref (noise);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_a_hundred_state_changes_keep_no_device_memory)
{
  gchar *caps = video_caps ("", "NV12", 320, 240);
  GstBuffer *buffer = video_noise (caps, 1);
  gsize before = 0, after;
  guint i;

  for (i = 0; i < 100; i++) {
    gst_shape_set_unref (contours_of (test_context, "", caps, buffer));
    if (i == 9)
      before = free_device_memory ();
  }
  after = free_device_memory ();
  /* the driver frees in large pieces */
  fail_unless (after + (64 << 20) >= before, "%" G_GSIZE_FORMAT " bytes gone",
      before - after);
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

static gpointer
read_and_drop (gpointer data)
{
  GstShapeSet *set = data;
  const GstShapeArrays *arrays =
      gst_shape_layer_map_host (gst_shape_set_get_layer (set, 0), NULL);
  const gsize n = arrays ? arrays->n_shapes : 0;

  gst_shape_set_unref (set);
  return GSIZE_TO_POINTER (n);
}

GST_START_TEST (test_sets_outlive_the_element_and_end_on_other_threads)
{
  gchar *caps = video_caps ("", "NV12", 320, 240);
  GstBuffer *buffer = video_noise (caps, 3);
  GstHarness *h = contours_on (test_context, "");
  GThread *threads[8];
  guint i;

  pretend_to_read_on_the_device (h);
  gst_harness_set_src_caps_str (h, caps);
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_and_drop, set_of (h, buffer));
  gst_harness_teardown (h);
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (GPOINTER_TO_SIZE (g_thread_join (threads[i])) > 0);
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_layers_are_read_on_their_device_and_nowhere_else)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  gchar *caps = video_caps ("", "GRAY8", 320, 240);
  GstBuffer *buffer = video_noise (caps, 3);
  GstHarness *h = contours_on (test_context, "");
  GstShapeArrays device = { 0, };
  GstShapeLayer *layer;
  GstShapeSet *set;
  GstShapePoint *points;

  pretend_to_read_on_the_device (h);
  gst_harness_set_src_caps_str (h, caps);
  set = set_of (h, buffer);
  layer = gst_shape_set_get_layer (set, 0);
  fail_if (gst_shape_layer_map_device (layer, other, NULL, &device));
  fail_unless (gst_shape_layer_map_device (layer, test_context, NULL,
          &device));
  points = g_new (GstShapePoint, device.n_points);
  copy_from_device (test_context, points, device.points,
      device.n_points * sizeof (*points));
  gst_shape_layer_unmap_device (layer, NULL);
  fail_unless (memcmp (points, gst_shape_set_get_points (set, 0, NULL),
          device.n_points * sizeof (*points)) == 0);
  g_free (points);
  gst_shape_set_unref (set);
  gst_harness_teardown (h);
  gst_buffer_unref (buffer);
  gst_object_unref (other);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_wrapped_context_of_the_application_is_used)
{
  GstCudaContext *wrapped =
      gst_cuda_context_new_wrapped (gst_cuda_context_get_handle (test_context),
      0);
  gchar *caps = video_caps ("", "GRAY8", 320, 240);
  GstBuffer *buffer = video_noise (caps, 4);
  GstShapeSet *cpu = contours_of (NULL, "", caps, buffer);
  GstShapeSet *cuda = contours_of (wrapped, "", caps, buffer);

  gst_object_unref (wrapped);
  assert_same_sets (cuda, cpu, "wrapped context");
  gst_shape_set_unref (cuda);
  gst_shape_set_unref (cpu);
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

/* Takes the device's memory until nothing is left; returns the pieces. */
static GArray *
fill_device_memory (void)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (CUdeviceptr));
  gsize size = (gsize) 8 << 30;
  CUdeviceptr piece;

  fail_unless (gst_cuda_context_push (test_context));
  while (size >= 64 << 10) {
    if (CuMemAlloc (&piece, size) == CUDA_SUCCESS)
      g_array_append_val (pieces, piece);
    else
      size /= 2;
  }
  gst_cuda_context_pop (NULL);
  return pieces;
}

static void
free_device_memory_pieces (GArray * pieces)
{
  guint i;

  fail_unless (gst_cuda_context_push (test_context));
  for (i = 0; i < pieces->len; i++)
    CuMemFree (g_array_index (pieces, CUdeviceptr, i));
  gst_cuda_context_pop (NULL);
  g_array_unref (pieces);
}

GST_START_TEST (test_no_device_memory_is_an_error_and_passes)
{
  gchar *small = video_caps ("", "GRAY8", 320, 240);
  gchar *large = video_caps ("", "GRAY8", 16000, 16000);
  GstCaps *parsed = gst_caps_from_string (large);
  GstBuffer *buffer = video_noise (small, 4), *frame;
  GstShapeSet *cpu = contours_of (NULL, "", small, buffer), *cuda;
  GstHarness *h = contours_on (test_context, "");
  GstBus *bus = take_bus (h);
  GstMessage *message;
  GArray *pieces;

  gst_harness_set_src_caps_str (h, small);
  cuda = set_of (h, buffer);
  gst_shape_set_unref (cuda);
  pieces = fill_device_memory ();
  /* the caps may be refused already, or the frame */
  gst_harness_push_event (h, gst_event_new_caps (parsed));
  frame = gst_buffer_new_allocate (NULL, (gsize) 16000 * 16000, NULL);
  gst_buffer_memset (frame, 0, 7, (gsize) 16000 * 16000);
  fail_if (gst_harness_push (h, frame) == GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  free_device_memory_pieces (pieces);
  give_bus_back (h, bus);
  gst_harness_teardown (h);

  cuda = contours_of (test_context, "", small, buffer);
  assert_same_sets (cuda, cpu, "after the memory came back");
  gst_shape_set_unref (cuda);
  gst_shape_set_unref (cpu);
  gst_buffer_unref (buffer);
  gst_caps_unref (parsed);
  g_free (large);
  g_free (small);
}

GST_END_TEST;

GST_START_TEST (test_pinned_memory_is_proposed_and_taken)
{
  gchar *caps = video_caps ("", "GRAY8", 320, 240);
  GstBuffer *buffer = video_noise (caps, 4), *pinned = gst_buffer_new ();
  GstShapeSet *cpu = contours_of (NULL, "", caps, buffer), *cuda;
  GstHarness *h = contours_on (test_context, "");
  GstCaps *parsed = gst_caps_from_string (caps);
  GstQuery *query = gst_query_new_allocation (parsed, FALSE);
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  GstMemory *memory;
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, caps);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_get_n_allocation_params (query) > 0);
  gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  memory = gst_allocator_alloc (allocator, 320 * 240, &params);
  fail_unless (gst_is_shapes_pinned_memory (memory));
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_buffer_extract (buffer, 0, map.data, map.size);
  gst_memory_unmap (memory, &map);
  gst_buffer_append_memory (pinned, memory);
  cuda = set_of (h, pinned);
  assert_same_sets (cuda, cpu, "pinned");
  gst_harness_teardown (h);
  gst_shape_set_unref (cuda);
  gst_shape_set_unref (cpu);
  gst_buffer_unref (pinned);
  gst_buffer_unref (buffer);
  gst_object_unref (allocator);
  gst_query_unref (query);
  gst_caps_unref (parsed);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_short_buffer_is_dropped_and_the_next_is_fine)
{
  gchar *caps = video_caps ("", "GRAY8", 64, 64);
  GstHarness *h = contours_on (test_context, "levels=0.3,0.4,0.5");

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, noise_buffer (64 * 32, 1)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_buffer_unref (run_buffer (h, noise_buffer (64 * 64, 1)));
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

static GstShapeSet *
hulls_of (GstCudaContext * context, const gchar * caps, GstBuffer * buffer,
    const gchar * contours, const gchar * hulls)
{
  const gchar *backend = context ? "cuda" : "cpu";
  gchar *line = *contours ?
      g_strdup_printf ("cudacontours backend=%s %s ! cudahull backend=%s %s",
      backend, contours, backend, hulls) :
      g_strdup_printf ("cudahull backend=%s %s", backend, hulls);
  GstHarness *h = harness_on (context, line);
  GstShapeSet *set;

  gst_harness_set_src_caps_str (h, caps);
  set = set_of (h, buffer);
  gst_harness_teardown (h);
  g_free (line);
  return set;
}

GST_START_TEST (test_hulls_are_what_the_cpu_gives)
{
  static const gchar *lines[][2] = {
    {"level=0.5", ""}, {"level=0.5", "measures=full"},
    {"level=0.5", "replace=true"}, {"levels=0.4,0.6", "scope=all"},
    {"level=0.5", "scope=per-class"}, {"", "source=mask level=0.6"}
  };
  gchar *caps = video_caps ("", "GRAY8", 320, 240);
  GstBuffer *buffer = video_noise (caps, 9);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstShapeSet *cpu = hulls_of (NULL, caps, buffer, lines[i][0], lines[i][1]);
    GstShapeSet *cuda = hulls_of (test_context, caps, buffer, lines[i][0],
        lines[i][1]);

    fail_unless (n_contours (cpu) > 0);
    assert_same_sets (cuda, cpu, lines[i][1]);
    gst_shape_set_unref (cpu);
    gst_shape_set_unref (cuda);
  }
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_hulls_of_point_tensors_are_what_the_cpu_gives)
{
  gchar *caps = tensor_caps ("int32", "2:5000:1:1");
  GstBuffer *buffer = noise_buffer (5000 * 8, 2);
  GstShapeSet *cpu = hulls_of (NULL, caps, buffer, "", "measures=full");
  GstShapeSet *cuda = hulls_of (test_context, caps, buffer, "",
      "measures=full");

  fail_unless_equals_int (n_contours (cpu), 1);
  assert_same_sets (cuda, cpu, "points");
  gst_shape_set_unref (cpu);
  gst_shape_set_unref (cuda);
  gst_buffer_unref (buffer);
  g_free (caps);
}

GST_END_TEST;

static Suite *
elements_suite (void)
{
  Suite *s = suite_create ("gpu-elements");
  TCase *tc = tcase_create ("general");

  tcase_set_timeout (tc, 120);
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_video_in_system_memory_gives_what_the_cpu_gives);
  tcase_add_test (tc, test_channels_of_rgb_give_what_the_cpu_gives);
  tcase_add_test (tc, test_tiny_frames_give_what_the_cpu_gives);
  tcase_add_test (tc, test_tensors_give_what_the_cpu_gives);
  tcase_add_test (tc, test_video_in_cuda_memory_gives_what_the_cpu_gives);
  tcase_add_test (tc, test_memory_of_another_context_is_adopted);
  tcase_add_test (tc, test_size_format_and_properties_change_while_playing);
  tcase_add_test (tc, test_frames_that_need_more_memory_lose_nothing);
  tcase_add_test (tc, test_a_hundred_state_changes_keep_no_device_memory);
  tcase_add_test (tc, test_sets_outlive_the_element_and_end_on_other_threads);
  tcase_add_test (tc, test_layers_are_read_on_their_device_and_nowhere_else);
  tcase_add_test (tc, test_wrapped_context_of_the_application_is_used);
  tcase_add_test (tc, test_pinned_memory_is_proposed_and_taken);
  tcase_add_test (tc, test_no_device_memory_is_an_error_and_passes);
  tcase_add_test (tc, test_short_buffer_is_dropped_and_the_next_is_fine);
  tcase_add_test (tc, test_hulls_are_what_the_cpu_gives);
  tcase_add_test (tc, test_hulls_of_point_tensors_are_what_the_cpu_gives);
  return s;
}

GPU_CHECK_MAIN (elements)
