/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on other/tensors. */

#include "contours_test.h"

#include <glib/gstdio.h>

#define STATIC "other/tensors,format=static,num_tensors=1,framerate=0/1,"
#define CHANNELS 3

/* A batch of @n images of three channels, seeded 100 * image + channel. */
static GstBuffer *
tensor_buffer (Type type, gboolean hwc, guint n)
{
  const gsize plane = WIDTH * HEIGHT;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      n * CHANNELS * plane * type_sizes[type], NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < CHANNELS; c++) {
      guint8 picture[HEIGHT][WIDTH];

      draw (picture, 100 * i + c);
      for (guint p = 0; p < plane; p++)
        write_sample (map.data + type_sizes[type] * (i * CHANNELS * plane +
                (hwc ? p * CHANNELS + c : c * plane + p)), type,
            ((guint8 *) picture)[p]);
    }
  return buffer;
}

static gchar *
tensor_caps (Type type, gboolean hwc, guint n)
{
  return g_strdup_printf (STATIC "types=%s,dimensions=(string)%u:%u:%u:%u",
      type_names[type], hwc ? CHANNELS : WIDTH, hwc ? WIDTH : HEIGHT,
      hwc ? HEIGHT : CHANNELS, n);
}

/* The contours of one class as a set of their own. */
static GstShapeSet *
class_contours (const gchar * properties, Type type, gboolean hwc, guint c)
{
  g_autofree gchar *all = g_strdup_printf ("%s classes=%u", properties, c);
  g_autofree gchar *caps = tensor_caps (type, hwc, 1);

  return contours_of (all, caps, tensor_buffer (type, hwc, 1));
}

TEST (every_type_and_layout_has_the_contours_of_video)
{
  for (guint c = 0; c < CHANNELS; c++) {
    guint8 picture[HEIGHT][WIDTH];

    draw (picture, c);
    g_autoptr (GstShapeSet) reference =
        gray8_contours ("level=100 level-unit=sample", picture);
    for (guint type = 0; type < N_TYPES; type++)
      for (guint hwc = 0; hwc < 2; hwc++) {
        GstShapeSet *set = class_contours ("level=100", type, hwc, c);
        const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0,
            NULL);

        assert_same_layer (set, 0, reference, 0, type_names[type]);
        fail_unless_equals_int (record->class_id, c);
        fail_unless_equals_float (record->level, 100);
        fail_unless_equals_int (gst_shape_set_get_width (set), WIDTH);
        fail_unless_equals_int (gst_shape_set_get_height (set), HEIGHT);
        gst_shape_set_unref (set);
      }
  }
}

TEST (all_classes_are_in_one_layer_in_order)
{
  g_autofree gchar *caps = tensor_caps (FLOAT32, TRUE, 1);
  g_autoptr (GstShapeSet) set = contours_of ("level=100", caps,
      tensor_buffer (FLOAT32, TRUE, 1));
  gsize n, expected = 0;

  for (guint c = 0; c < CHANNELS; c++) {
    GstShapeSet *one = class_contours ("level=100", FLOAT32, TRUE, c);

    expected += n_contours (one);
    gst_shape_set_unref (one);
  }
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, expected);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (records[i].id, i);
    fail_unless (i == 0 || records[i].class_id >= records[i - 1].class_id);
  }
}

TEST (every_class_may_have_a_level_of_its_own)
{
  g_autofree gchar *caps = tensor_caps (UINT8, TRUE, 1);
  g_autoptr (GstShapeSet) set = contours_of ("classes=0,2 levels=50,200", caps,
      tensor_buffer (UINT8, TRUE, 1));
  gsize n;
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);

  fail_unless (n > 10);
  for (gsize i = 0; i < n; i++)
    fail_unless_equals_float (records[i].level,
        records[i].class_id == 0 ? 50 : 200);
  gst_shape_set_unref (set);

  set = contours_of ("classes=1 levels=50,200", caps, tensor_buffer (UINT8,
          TRUE, 1));
  records = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_float (records[0].level, 50);
  fail_unless_equals_float (records[n - 1].level, 200);
  fail_unless_equals_int (records[n - 1].class_id, 1);
}

TEST (a_batch_has_a_layer_for_each_image)
{
  for (guint hwc = 0; hwc < 2; hwc++) {
    g_autofree gchar *caps = tensor_caps (FLOAT32, hwc, 3);
    g_autoptr (GstShapeSet) set = contours_of ("level=100 classes=1", caps,
        tensor_buffer (FLOAT32, hwc, 3));
    gint32 id = 0;

    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
    for (guint i = 0; i < 3; i++) {
      guint8 picture[HEIGHT][WIDTH];
      gsize n;

      draw (picture, 100 * i + 1);
      g_autoptr (GstShapeSet) reference =
          gray8_contours ("level=100 level-unit=sample", picture);
      assert_same_layer (set, i, reference, 0, "batch");
      const GstShapePolyline *records = gst_shape_set_get_polylines (set, i,
          &n);
      for (gsize j = 0; j < n; j++) {
        fail_unless_equals_int (records[j].image, i);
        fail_unless_equals_int (records[j].id, id++);
      }
    }
  }
}

TEST (regions_and_samples_that_lie_across_work_with_tensors)
{
  g_autofree gchar *caps = tensor_caps (FLOAT32, TRUE, 1);
  GstBuffer *buffer = tensor_buffer (FLOAT32, TRUE, 1);
  g_autoptr (GstShapeSet) reference = contours_of ("level=100 roi=3,2,9,8",
      caps, gst_buffer_ref (buffer));
  GstBuffer *shifted = buffer_of ("?", 1);

  shifted = gst_buffer_append (shifted, buffer);
  shifted = gst_buffer_make_writable (shifted);
  gst_buffer_replace_all_memory (shifted, gst_buffer_get_all_memory (shifted));
  gst_buffer_resize (shifted, 1, -1);
  GstShapeSet *set = contours_of ("level=100 roi=3,2,9,8", caps, shifted);
  assert_same_layer (set, 0, reference, 0, "shifted");
  fail_unless (n_contours (set) > 5);
  fail_unless (gst_shape_set_get_polylines (set, 0, NULL)->bbox_x0 >= 3);
  gst_shape_set_unref (set);
}

/* 4 x 4 floats. */
static GstShapeSet *
float_contours (const gchar * properties, const gfloat samples[16])
{
  return contours_of (properties, STATIC "types=float32,"
      "dimensions=(string)4:4:1:1", buffer_of (samples, 64));
}

TEST (not_a_number_is_no_pixel)
{
  gfloat samples[16] = { 0, };

  samples[5] = 1;
  g_autoptr (GstShapeSet) set = float_contours ("", samples);
  fail_unless_equals_int (n_contours (set), 1);
  gst_shape_set_unref (set);
  samples[0] = NAN;
  set = float_contours ("", samples);
  fail_unless_equals_int (n_contours (set), 1);
  fail_if (gst_shape_set_get_polylines (set, 0, NULL)->flags &
      GST_SHAPE_FLAG_CLOSED);
  gst_shape_set_unref (set);
  for (guint i = 0; i < 16; i++)
    samples[i] = NAN;
  set = float_contours ("auto-level=true", samples);
  fail_unless_equals_int (n_contours (set), 0);
}

TEST (infinite_values_are_crossed_in_the_middle)
{
  gfloat samples[16] = { 0, };

  samples[5] = INFINITY;
  g_autoptr (GstShapeSet) set = float_contours ("", samples);
  fail_unless_equals_int (n_contours (set), 1);
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->area,
      .5);
}

TEST (levels_of_floats_have_no_range)
{
  gfloat samples[16] = { 0, };

  samples[5] = 3e8f;
  g_autoptr (GstShapeSet) set = float_contours ("level=1e8", samples);
  fail_unless_equals_int (n_contours (set), 1);
  gst_shape_set_unref (set);
  samples[5] = -2;
  set = float_contours ("level=-1", samples);
  fail_unless_equals_int (n_contours (set), 1);
  fail_unless (gst_shape_set_get_polylines (set, 0, NULL)->flags &
      GST_SHAPE_FLAG_HOLE);
}

static void
assert_refused (const gchar * properties, const gchar * caps, gsize size,
    const gchar * what)
{
  g_autoptr (GstHarness) h = contours_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  gst_harness_set_src_caps_str (h, caps);
  fail_if (gst_harness_push (h, buffer) == GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (other_tensors_are_errors_that_say_what_to_do)
{
  assert_refused ("", "other/tensors,format=flexible,framerate=0/1", 64,
      "format=static");
  assert_refused ("", "other/tensor,type=uint8,dimension=(string)4:4:1:1,"
      "framerate=0/1", 64, "obsolete");
  assert_refused ("", STATIC "types=int32,dimensions=(string)4:4:1:1", 64,
      "int32");
  assert_refused ("", STATIC "types=uint8,dimensions=(string)4:4:3:1", 64,
      "layout=hwc");
  assert_refused ("", STATIC "types=uint8,dimensions=(string)4:0:1:1", 64,
      "not those of images");
  assert_refused ("", STATIC "types=uint8", 64, "not those of images");
  assert_refused ("classes=0,7", STATIC "types=uint8,dimensions=(string)"
      "2:4:8:1", 64, "there is no class 7");
  assert_refused ("layout=hwc", STATIC "types=uint8,dimensions=(string)"
      "65537:1:1:1", 65537, "at most 65536 layers; choose channels");
  assert_refused ("levels=1,2,3", STATIC "types=uint8,dimensions=(string)"
      "2:4:8:1", 64, "3 levels for 2 classes");
  assert_refused ("mask-alpha=true", STATIC "types=uint8,dimensions=(string)"
      "2:4:8:1", 64, "no alpha");
  assert_refused ("", STATIC "types=uint8,dimensions=(string)2:4:8:1", 65,
      "blocksize=64");
}

TEST (the_layout_decides_what_dimensions_do_not)
{
  g_autoptr (GstShapeSet) set = contours_of ("layout=hwc classes=3 level=100",
      STATIC "types=uint8,dimensions=(string)4:4:3:1",
      gst_buffer_new_wrapped (g_malloc0 (48), 48));

  fail_unless_equals_int (gst_shape_set_get_height (set), 3);
  gst_shape_set_unref (set);
  set = contours_of ("layout=chw classes=2 level=100",
      STATIC "types=uint8,dimensions=(string)4:4:3:1",
      gst_buffer_new_wrapped (g_malloc0 (48), 48));
  fail_unless_equals_int (gst_shape_set_get_height (set), 4);
}

static gint
run_pipeline (const gchar * line, guint64 * dropped)
{
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline != NULL && !error, "%s", error ? error->message : "");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gint type = GST_MESSAGE_TYPE (message);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "c");
  g_object_get (element, "dropped", dropped, NULL);
  gst_object_unref (element);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return type;
}

TEST (a_file_of_tensors_ends_with_a_short_one)
{
  g_autofree gchar *path = NULL;
  guint64 dropped;
  gint fd = g_file_open_tmp ("tensors-XXXXXX", &path, NULL);
  guint8 bytes[3 * 64 + 10] = { 0, };

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  g_file_set_contents (path, (gchar *) bytes, sizeof (bytes), NULL);
  gchar *line = g_strdup_printf ("filesrc location=%s blocksize=64 ! "
      STATIC "types=uint8,dimensions=(string)2:4:8:1 ! "
      "cudacontours backend=cpu name=c ! fakesink", path);
  fail_unless_equals_int (run_pipeline (line, &dropped), GST_MESSAGE_EOS);
  fail_unless_equals_uint64 (dropped, 1);
  g_free (line);
  g_unlink (path);
}

SUITE (tensors) {}
