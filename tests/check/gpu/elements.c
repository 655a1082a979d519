/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacontours and cudahull on a GPU: the same sets as on the CPU, from every
 * kind of memory, without leaks. */
#include "gpu_pipelines.h"

#include <glib/gstdio.h>
#include <stdio.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaContext, gst_object_unref)

#define WIDTH 321
#define HEIGHT 123

static gchar *
tensor_caps (const gchar * type, const gchar * dimensions)
{
  return g_strdup_printf (TENSOR_CAPS "types=%s,dimensions=%s", type,
      dimensions);
}

TEST (test_video_in_system_memory_gives_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "GRAY16_LE", "NV12", "I420",
    "Y444", "P010_10LE", "RGBA", "BGRx", "RGB"
  };
  static const gchar *properties[] = { "level=0.5",
    "level=0.45 hierarchy=true measures=full min-points=6",
    "levels=0.4,0.6 fully-connected=high positive-orientation=high",
    "level=0.5 roi=7,5,100,61 min-area=2", "auto-level=true measures=none"
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *caps = video_caps ("", formats[f], WIDTH, HEIGHT);
    g_autoptr (GstBuffer) buffer = video_noise (caps, f);

    for (guint p = 0; p < G_N_ELEMENTS (properties); p++)
      fail_unless (assert_backends_agree (properties[p], caps, buffer) > 0);
  }
}

TEST (test_channels_of_rgb_give_what_the_cpu_gives)
{
  g_autofree gchar *caps = video_caps ("", "RGBA", 67, 41);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 5);

  fail_unless (assert_backends_agree ("channel=r", caps, buffer) > 0);
  fail_unless (assert_backends_agree ("channel=a", caps, buffer) > 0);
  assert_backends_agree ("channel=g mask-alpha=true", caps, buffer);
}

TEST (test_tiny_frames_give_what_the_cpu_gives)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 3},
  {33, 2}
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *caps = video_caps ("", "GRAY8", sizes[i][0], sizes[i][1]);
    g_autoptr (GstBuffer) buffer = video_noise (caps, i);

    assert_backends_agree ("level=0.5", caps, buffer);
  }
}

TEST (test_tensors_give_what_the_cpu_gives)
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

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint chw = 0; chw < 2; chw++) {
      g_autofree gchar *caps = tensor_caps (types[t].type, chw ? "97:43:5:2" :
          "5:97:43:2");
      g_autofree gchar *properties = g_strdup_printf ("%s layout=%s",
          types[t].properties, chw ? "chw" : "hwc");
      GstBuffer *buffer = noise_buffer (97 * 43 * 5 * 2 * types[t].size, t);

      /* floats of random bits: NaN, infinities, denormals among them */
      fail_unless (assert_backends_agree (properties, caps, buffer) > 0);
      gst_buffer_unref (buffer);
    }
}

TEST (test_video_in_cuda_memory_gives_what_the_cpu_gives)
{
  static const gchar *formats[] = { "NV12", "I420", "Y444", "P010_10LE", "RGBA",
    "BGRx"
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *host_caps = video_caps ("", formats[f], 322, 124);
    g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], 322, 124);
    g_autoptr (GstBuffer) host = video_noise (host_caps, f);
    GstBuffer *device = in_cuda_memory (test_context, host_caps, host);
    GstShapeSet *cpu = contours_of (NULL, "level=0.5", host_caps, host);
    g_autoptr (GstShapeSet) cuda = contours_of (test_context, "level=0.5",
        cuda_caps, device);

    fail_unless (n_contours (cpu) > 0);
    assert_same_sets (cuda, cpu, cuda_caps);
    gst_shape_set_unref (cpu);
    gst_buffer_unref (device);
  }
}

/* Both backends find the same in @host, which CUDA also gets in its memory;
 * @host_caps and @cuda_caps are what the elements are told. */
static void
assert_cuda_memory_agrees (const gchar * properties, const gchar * host_caps,
    GstBuffer * host, const gchar * cuda_caps, GstBuffer * device)
{
  g_autoptr (GstShapeSet) cpu = contours_of (NULL, properties, host_caps, host);
  g_autoptr (GstShapeSet) cuda = contours_of (test_context, properties,
      cuda_caps, device);

  fail_unless (n_contours (cpu) > 0);
  assert_same_sets (cuda, cpu, cuda_caps);
}

TEST (test_odd_sizes_in_cuda_memory_give_what_the_cpu_gives)
{
  static const gchar *formats[] = { "NV12", "I420", "RGBA", "Y444" };
  static const guint sizes[][2] = { {321, 123}, {33, 65}, {3, 5} };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      const guint w = sizes[i][0], h = sizes[i][1];
      g_autofree gchar *host_caps = video_caps ("", formats[f], w, h);
      g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], w, h);
      g_autoptr (GstBuffer) host = video_noise (host_caps, f + i);
      GstBuffer *device = in_cuda_memory (test_context, host_caps, host);

      assert_cuda_memory_agrees ("level=0.5", host_caps, host, cuda_caps,
          device);
      gst_buffer_unref (device);
    }
}

TEST (test_padded_strides_give_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "GRAY16_LE", "NV12", "I420",
    "P010_10LE", "RGBA", "RGB"
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    const gchar *format = formats[f];
    g_autofree gchar *large = video_caps ("", format, 352, 160);
    g_autofree gchar *caps = video_caps ("", format, 321, 123);
    g_autoptr (GstBuffer) buffer = video_noise (large, f);

    add_large_meta (buffer, gst_video_format_from_string (format), 352, 160);
    fail_unless (assert_backends_agree ("level=0.5", caps, buffer) > 0);
    fail_unless (assert_backends_agree ("roi=5,3,200,77", caps, buffer) > 0);
  }
}

TEST (test_padded_cuda_memory_gives_what_the_cpu_gives)
{
  static const gchar *formats[] = { "NV12", "I420", "P010_10LE", "RGBA" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *large = video_caps ("", formats[f], 352, 160);
    g_autofree gchar *host_caps = video_caps ("", formats[f], 322, 124);
    g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], 322, 124);
    g_autoptr (GstBuffer) host = video_noise (large, f);
    /* has the large frame's GstVideoMeta from its pool */
    g_autoptr (GstBuffer) device = in_cuda_memory (test_context, large, host);

    fail_unless (gst_buffer_get_video_meta (device)->width == 352);
    add_large_meta (host, gst_video_format_from_string (formats[f]), 352, 160);
    assert_cuda_memory_agrees ("level=0.5", host_caps, host, cuda_caps, device);
  }
}

/* A mask file of noise, half of it 0. */
static gchar *
write_mask (guint width, guint height)
{
  gchar *path = g_strdup_printf ("%s/gpu-elements-mask-%u.pgm",
      g_get_tmp_dir (), g_random_int ());
  g_autoptr (GString) file = g_string_new (NULL);
  const gsize n = (gsize) width * height;
  g_autofree guint8 *data = g_malloc (n);

  fill_noise (data, n, 77);
  for (gsize i = 0; i < n; i++)
    data[i] = data[i] > 100 ? 255 : 0;
  g_string_printf (file, "P5\n%u %u\n255\n", width, height);
  g_string_append_len (file, (const gchar *) data, n);
  fail_unless (g_file_set_contents (path, file->str, file->len, NULL));
  return path;
}

TEST (test_mask_files_give_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "NV12", "RGBA" };
  g_autofree gchar *path = write_mask (322, 124);
  gchar *properties[] = { g_strdup_printf ("mask-location=%s", path),
    g_strdup_printf ("mask-location=%s roi=9,7,200,100", path)
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *host_caps = video_caps ("", formats[f], 322, 124);
    g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], 322, 124);
    g_autoptr (GstBuffer) host = video_noise (host_caps, f);
    const gsize whole = assert_backends_agree ("", host_caps, host);

    for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
      const gsize n = assert_backends_agree (properties[p], host_caps, host);

      fail_unless (n > 0 && n != whole);
      if (f > 0) {
        GstBuffer *device = in_cuda_memory (test_context, host_caps, host);

        assert_cuda_memory_agrees (properties[p], host_caps, host, cuda_caps,
            device);
        gst_buffer_unref (device);
      }
    }
  }
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++)
    g_free (properties[p]);
  fail_unless_equals_int (g_remove (path), 0);
}

TEST (test_memory_of_another_context_is_adopted)
{
  g_autoptr (GstCudaContext) other = gst_cuda_context_new (0);
  g_autofree gchar *host_caps = video_caps ("", "NV12", 160, 90);
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, "NV12", 160, 90);
  g_autoptr (GstBuffer) host = video_noise (host_caps, 1);
  g_autoptr (GstShapeSet) cpu = contours_of (NULL, "", host_caps, host);
  g_autoptr (GstHarness) h = contours_on (test_context, "");
  GstCudaContext *contexts[] = { test_context, other, other, test_context };

  gst_harness_set_src_caps_str (h, cuda_caps);
  for (guint i = 0; i < G_N_ELEMENTS (contexts); i++) {
    GstBuffer *device = in_cuda_memory (contexts[i], host_caps, host);
    g_autoptr (GstShapeSet) cuda = set_of (h, device);

    assert_same_sets (cuda, cpu, "adopted");
    gst_buffer_unref (device);
  }
}

TEST (test_size_format_and_properties_change_while_playing)
{
  g_autoptr (GstHarness) h = contours_on (test_context, "");
  g_autoptr (GstElement) element = find_contours (h);

  for (guint i = 0; i < 24; i++) {
    const gchar *format = i / 4 % 2 ? "GRAY8" : "I420";
    g_autofree gchar *caps = video_caps ("", format, 40 + 16 * (i / 2 % 3), 30);
    const gdouble level = .25 + i / 64.;
    g_autofree gchar *properties = g_strdup_printf ("level=%.6f hierarchy=%s",
        level, i % 3 ? "false" : "true");
    g_autoptr (GstBuffer) buffer = video_noise (caps, i);
    g_autoptr (GstShapeSet) cpu = contours_of (NULL, properties, caps, buffer);

    gst_harness_set_src_caps_str (h, caps);
    g_object_set (element, "level", level, "hierarchy", i % 3 == 0, NULL);
    g_autoptr (GstShapeSet) cuda = set_of (h, buffer);
    assert_same_sets (cuda, cpu, properties);
  }
}

TEST (test_frames_that_need_more_memory_lose_nothing)
{
  g_autofree gchar *caps = video_caps ("", "GRAY8", 640, 480);
  g_autoptr (GstBuffer) noise = gst_buffer_new_allocate (NULL, 640 * 480, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  GstMapInfo map;

  gst_buffer_map (noise, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) g_rand_int_range (rand, 0, 256);
  gst_buffer_unmap (noise, &map);
  fail_unless (assert_backends_agree ("max-segments=10", caps, noise) > 1000);
}

TEST (test_a_hundred_state_changes_keep_no_device_memory)
{
  g_autofree gchar *caps = video_caps ("", "NV12", 320, 240);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 1);
  gsize before = 0;

  for (guint i = 0; i < 100; i++) {
    gst_shape_set_unref (contours_of (test_context, "", caps, buffer));
    if (i == 9)
      before = free_device_memory ();
  }
  gsize after = free_device_memory ();
  /* the driver frees in large pieces */
  fail_unless (after + (64 << 20) >= before, "%" G_GSIZE_FORMAT " bytes gone",
      before - after);
}

static gpointer
read_and_drop (gpointer data)
{
  g_autoptr (GstShapeSet) set = data;
  const GstShapeArrays *arrays =
      gst_shape_layer_map_host (gst_shape_set_get_layer (set, 0), NULL);
  const gsize n = arrays ? arrays->n_shapes : 0;

  return GSIZE_TO_POINTER (n);
}

TEST (test_sets_outlive_the_element_and_end_on_other_threads)
{
  g_autofree gchar *caps = video_caps ("", "NV12", 320, 240);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 3);
  GstHarness *h = contours_on (test_context, "");
  GThread *threads[8];

  pretend_to_read_on_the_device (h);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_and_drop, set_of (h, buffer));
  gst_harness_teardown (h);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (GPOINTER_TO_SIZE (g_thread_join (threads[i])) > 0);
}

TEST (test_layers_are_read_on_their_device_and_nowhere_else)
{
  g_autoptr (GstCudaContext) other = gst_cuda_context_new (0);
  g_autofree gchar *caps = video_caps ("", "GRAY8", 320, 240);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 3);
  g_autoptr (GstHarness) h = contours_on (test_context, "");
  GstShapeArrays device = { 0, };

  pretend_to_read_on_the_device (h);
  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstShapeSet) set = set_of (h, buffer);
  GstShapeLayer *layer = gst_shape_set_get_layer (set, 0);
  fail_if (gst_shape_layer_map_device (layer, other, NULL, &device));
  fail_unless (gst_shape_layer_map_device (layer, test_context, NULL,
          &device));
  g_autofree GstShapePoint *points = g_new (GstShapePoint, device.n_points);
  copy_from_device (test_context, points, device.points,
      device.n_points * sizeof (*points));
  gst_shape_layer_unmap_device (layer, NULL);
  fail_unless (memcmp (points, gst_shape_set_get_points (set, 0, NULL),
          device.n_points * sizeof (*points)) == 0);
}

TEST (test_wrapped_context_of_the_application_is_used)
{
  GstCudaContext *wrapped =
      gst_cuda_context_new_wrapped (gst_cuda_context_get_handle (test_context),
      0);
  g_autofree gchar *caps = video_caps ("", "GRAY8", 320, 240);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 4);
  g_autoptr (GstShapeSet) cpu = contours_of (NULL, "", caps, buffer);
  g_autoptr (GstShapeSet) cuda = contours_of (wrapped, "", caps, buffer);

  gst_object_unref (wrapped);
  assert_same_sets (cuda, cpu, "wrapped context");
}

/* Takes the device's memory until nothing is left; returns the pieces. */
static GArray *
fill_device_memory (void)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (CUdeviceptr));
  gsize size = (gsize) 8 << 30;
  CUdeviceptr piece;

  fail_unless (gst_cuda_context_push (test_context));
  while (size >= 64 << 10)
    if (CuMemAlloc (&piece, size) == CUDA_SUCCESS)
      g_array_append_val (pieces, piece);
    else
      size /= 2;
  gst_cuda_context_pop (NULL);
  return pieces;
}

TEST (test_no_device_memory_is_an_error_and_passes)
{
  g_autofree gchar *small = video_caps ("", "GRAY8", 320, 240);
  g_autofree gchar *large = video_caps ("", "GRAY8", 16000, 16000);
  g_autoptr (GstCaps) parsed = gst_caps_from_string (large);
  GstBuffer *buffer = video_noise (small, 4), *frame;
  g_autoptr (GstShapeSet) cpu = contours_of (NULL, "", small, buffer);
  GstHarness *h = contours_on (test_context, "");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, small);
  g_autoptr (GstShapeSet) cuda = set_of (h, buffer);
  gst_shape_set_unref (cuda);
  g_autoptr (GArray) pieces = fill_device_memory ();
  /* the caps may be refused already, or the frame */
  gst_harness_push_event (h, gst_event_new_caps (parsed));
  frame = gst_buffer_new_allocate (NULL, (gsize) 16000 * 16000, NULL);
  gst_buffer_memset (frame, 0, 7, (gsize) 16000 * 16000);
  fail_if (gst_harness_push (h, frame) == GST_FLOW_OK);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (gst_cuda_context_push (test_context));
  for (guint i = 0; i < pieces->len; i++)
    CuMemFree (g_array_index (pieces, CUdeviceptr, i));
  gst_cuda_context_pop (NULL);
  free_harness (h);

  cuda = contours_of (test_context, "", small, buffer);
  assert_same_sets (cuda, cpu, "after the memory came back");
  gst_buffer_unref (buffer);
}

TEST (test_pinned_memory_is_proposed_and_taken)
{
  g_autofree gchar *tensor = tensor_caps ("float32", "12:60:40:1");
  g_autofree gchar *video = video_caps ("", "GRAY8", 320, 240);
  const gchar *caps[] = { video, tensor };
  GstBuffer *buffers[] = { video_noise (video, 4),
    noise_buffer (12 * 60 * 40 * 4, 9)
  };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    g_autoptr (GstShapeSet) cpu = contours_of (NULL, "", caps[i], buffers[i]);
    g_autoptr (GstHarness) h = contours_on (test_context, "");

    gst_harness_set_src_caps_str (h, caps[i]);
    g_autoptr (GstBuffer) pinned = in_pinned_memory (h, caps[i], buffers[i]);
    g_autoptr (GstShapeSet) cuda = set_of (h, pinned);
    fail_unless (n_contours (cpu) > 0);
    assert_same_sets (cuda, cpu, "pinned");
    gst_buffer_unref (buffers[i]);
  }
}

TEST (test_short_buffer_is_dropped_and_the_next_is_fine)
{
  g_autofree gchar *caps = video_caps ("", "GRAY8", 64, 64);
  g_autoptr (GstHarness) h = contours_on (test_context, "levels=0.3,0.4,0.5");

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, noise_buffer (64 * 32, 1)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_buffer_unref (run (h, noise_buffer (64 * 64, 1)));
}

/* Pipelines */

static void
push_into (GstElement * pipeline, const gchar * caps, GstBuffer * buffer)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_object_set (src, "caps", parsed, NULL);
  g_signal_emit_by_name (src, "push-buffer", buffer, &flow);
  fail_unless_equals_int (flow, GST_FLOW_OK);
}

static void
assert_set_of_buffer (GstBuffer * buffer, GstShapeSet * expected,
    const gchar * what)
{
  fail_unless (buffer != NULL, "%s: no buffer", what);
  fail_unless (gst_buffer_get_shape_set (buffer) != NULL);
  assert_same_sets (gst_buffer_get_shape_set (buffer), expected, what);
  gst_buffer_unref (buffer);
}

TEST (test_branches_of_a_tee_share_cuda_memory)
{
  g_autofree gchar *host_caps = video_caps ("", "NV12", 322, 124);
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, "NV12", 322, 124);
  g_autoptr (GstBuffer) host = video_noise (host_caps, 1);
  g_autoptr (GstBuffer) device = in_cuda_memory (test_context, host_caps, host);
  GstShapeSet *low = contours_of (NULL, "level=0.45", host_caps, host);
  GstShapeSet *high = contours_of (NULL, "level=0.55", host_caps, host);
  GstElement *pipeline = pipeline_on (test_context, "appsrc name=src ! tee "
      "name=t ! queue ! cudacontours backend=cuda level=0.45 ! appsink name=a "
      "sync=false t. ! queue ! cudacontours backend=cuda level=0.55 ! appsink "
      "name=b sync=false");

  for (guint cycle = 0; cycle < 10; cycle++) {
    fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_FAILURE);
    /* shared: not writable */
    for (guint i = 0; i < 5; i++)
      push_into (pipeline, cuda_caps, device);
    for (guint i = 0; i < 5; i++) {
      assert_set_of_buffer (pull_from (pipeline, "a"), low, "branch a");
      assert_set_of_buffer (pull_from (pipeline, "b"), high, "branch b");
    }
    fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
  }
  fail_unless (gst_buffer_get_shape_set (device) == NULL);
  gst_object_unref (pipeline);
  gst_shape_set_unref (low);
  gst_shape_set_unref (high);
}

TEST_TO_ADD (test_decoded_video_gives_what_the_cpu_gives)
{
  GstBuffer *a;
  guint n = 0;
  g_autoptr (GstElement) pipeline = pipeline_on (test_context,
      "videotestsrc num-buffers=40 "
      "pattern=ball ! video/x-raw,format=I420,width=322,height=242 ! x264enc "
      "tune=zerolatency ! h264parse ! nvh264dec ! "
      "video/x-raw(memory:CUDAMemory) ! tee name=t ! queue ! cudacontours "
      "backend=cuda ! appsink name=a sync=false t. ! queue ! cudadownload ! "
      "cudacontours backend=cpu ! appsink name=b sync=false");

  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  while ((a = pull_from (pipeline, "a"))) {
    GstBuffer *b = pull_from (pipeline, "b");

    fail_unless (b != NULL);
    assert_set_of_buffer (a, gst_buffer_get_shape_set (b), "decoded");
    gst_buffer_unref (b);
    n++;
  }
  fail_unless_equals_int (n, 40);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

static gsize
resident_memory (void)
{
  g_autofree gchar *status = NULL;
  gsize pages = 0;

  fail_unless (g_file_get_contents ("/proc/self/statm", &status, NULL, NULL));
  fail_unless_equals_int (sscanf (status, "%*s %" G_GSIZE_FORMAT, &pages), 1);
  return pages * 4096;
}

/* As long as GPU_SOAK_MINUTES says, sizes and formats in turn. */
TEST_TO_ADD (test_memory_stays_constant)
{
  const gchar *minutes = g_getenv ("GPU_SOAK_MINUTES");
  static const gchar *formats[] = { "GRAY8", "NV12", "RGBA" };
  const gint64 begin = g_get_monotonic_time ();
  const gint64 length = minutes ? g_ascii_strtod (minutes, NULL) * 60e6 : 0;
  gsize host = 0, device = 0;
  gint64 time = 0;
  guint i;

  fail_unless (length > 0, "GPU_SOAK_MINUTES is no number of minutes");
  g_autoptr (GstHarness) h = contours_on (test_context, "hierarchy=true");
  for (i = 0; time < length || i < 20; i++) {
    gchar *caps = video_caps ("", formats[i % 3], 320 + 64 * (i % 5), 240);
    GstBuffer *buffer = video_noise (caps, i % 15);

    gst_harness_set_src_caps_str (h, caps);
    for (guint k = 0; k < 50; k++)
      gst_shape_set_unref (set_of (h, buffer));
    gst_buffer_unref (buffer);
    g_free (caps);
    time = g_get_monotonic_time () - begin;
    /* caches are full by the middle */
    if (host == 0 && i >= 15 && time >= length / 2) {
      host = resident_memory ();
      device = free_device_memory ();
    }
  }
  g_print ("  %u frames; in the second half %" G_GSSIZE_FORMAT " bytes more on "
      "the host, %" G_GSSIZE_FORMAT " on the GPU\n", 50 * i,
      (gssize) (resident_memory () - host),
      (gssize) (device - free_device_memory ()));
  fail_unless (resident_memory () < host + (32 << 20));
  fail_unless (free_device_memory () + (64 << 20) > device);
}

static GstShapeSet *
hulls_of (GstCudaContext * context, const gchar * caps, GstBuffer * buffer,
    const gchar * contours, const gchar * hulls)
{
  const gchar *backend = context ? "cuda" : "cpu";
  g_autofree gchar *line = *contours ?
      g_strdup_printf ("cudacontours backend=%s %s ! cudahull backend=%s %s",
      backend, contours, backend, hulls) :
      g_strdup_printf ("cudahull backend=%s %s", backend, hulls);
  g_autoptr (GstHarness) h = harness_on (context, line);

  gst_harness_set_src_caps_str (h, caps);
  return set_of (h, buffer);
}

/* @more: properties of cudahull on the GPU only */
static void
check_hulls (guint width, guint height, const gchar * contours,
    const gchar * hulls, const gchar * more)
{
  g_autofree gchar *caps = video_caps ("", "GRAY8", width, height);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 9);
  g_autofree gchar *line = g_strconcat (hulls, more, NULL);
  g_autoptr (GstShapeSet) cpu = hulls_of (NULL, caps, buffer, contours, hulls);
  GstShapeSet *cuda = hulls_of (test_context, caps, buffer, contours, line);

  fail_unless (n_contours (cpu) > 0);
  assert_same_sets (cuda, cpu, line);
  gst_shape_set_unref (cuda);
}

TEST (test_hulls_are_what_the_cpu_gives)
{
  static const gchar *lines[][2] = {
    {"level=0.5", ""}, {"level=0.5", "measures=full"},
    {"level=0.5", "replace=true"}, {"levels=0.4,0.6", "scope=all"},
    {"level=0.5", "scope=per-class"}, {"", "source=mask level=0.6"},
    {"roi=0,0,160,240;160,0,160,240", "replace=true measures=none"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_hulls (320, 240, lines[i][0], lines[i][1], "");
}

/* Few points: with backend=auto the CPU takes them from the GPU. */
TEST (test_hulls_of_few_contours_are_what_the_cpu_gives)
{
  static const gchar *lines[][2] = {
    {"level=0.5", "measures=full"}, {"level=0.5", ""},
    {"levels=0.4,0.6", "scope=per-class"}, {"roi=0,0,24,32;24,0,24,32", ""}
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_hulls (48, 32, lines[i][0], lines[i][1], " backend=auto");
}

TEST (test_hulls_of_point_tensors_are_what_the_cpu_gives)
{
  g_autofree gchar *caps = tensor_caps ("int32", "2:5000:1:1");
  g_autoptr (GstBuffer) buffer = noise_buffer (5000 * 8, 2);
  GstShapeSet *cpu = hulls_of (NULL, caps, buffer, "", "measures=full");
  g_autoptr (GstShapeSet) cuda = hulls_of (test_context, caps, buffer, "",
      "measures=full");

  fail_unless_equals_int (n_contours (cpu), 1);
  assert_same_sets (cuda, cpu, "points");
  gst_shape_set_unref (cpu);
}

GPU_SUITE (elements)
{
  tcase_set_timeout (tcase, 120);
  if (has_element ("nvh264dec") && has_element ("x264enc") &&
      has_element ("h264parse"))
    ADD (test_decoded_video_gives_what_the_cpu_gives);
  if (g_getenv ("GPU_SOAK_MINUTES"))
    ADD (test_memory_stays_constant);
  else
    g_print ("  left out: GPU_SOAK_MINUTES is not set\n");
}
