/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on tensors that video frames carry. */

#include "contours_test.h"

#include <gst/analytics/analytics.h>

#define CHANNELS 3
#define LEVEL "level=100 level-unit=sample "

/* Dimensions: R rows, C columns, K channels. */
typedef struct
{
  const gchar *dimensions, *properties;
} Form;

static const Form forms[] = {
  {"RC", ""},
  {"1RC", ""},
  {"11RC", ""},
  {"RC1", ""},
  {"RCK", ""},
  {"RCK", "layout=hwc "},
  {"1RCK", ""},
  {"KRC", ""},
  {"KRC", "layout=chw "},
  {"1KRC", ""},
  {"111KRC", ""},
};

static const GstTensorDataType data_types[] = {
  GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DATA_TYPE_FLOAT16,
  GST_TENSOR_DATA_TYPE_UINT8, GST_TENSOR_DATA_TYPE_UINT16
};

static gsize
count_of (gchar dimension)
{
  switch (dimension) {
    case 'R':
      return HEIGHT;
    case 'C':
      return WIDTH;
    case 'K':
      return CHANNELS;
    default:
      return 1;
  }
}

/* The place of a sample, by the definition of both orders. */
static gsize
place_of (const gchar * dimensions, gboolean column_major, gsize row,
    gsize column, gsize channel)
{
  const gsize n = strlen (dimensions);
  gsize place = 0, step = 1;

  for (gsize k = 0; k < n; k++) {
    const gchar d = dimensions[column_major ? k : n - 1 - k];

    place += step * (d == 'R' ? row : d == 'C' ? column : d == 'K' ? channel :
        0);
    step *= count_of (d);
  }
  return place;
}

static GstTensor *
make_tensor (const gchar * id, const gchar * dimensions, Type type,
    gboolean column_major)
{
  const gsize n = strlen (dimensions);
  const guint channels = strchr (dimensions, 'K') ? CHANNELS : 1;
  const gsize size = type_sizes[type] * WIDTH * HEIGHT * channels;
  GstBuffer *data = gst_buffer_new_allocate (NULL, size, NULL);
  gsize dims[8];
  GstMapInfo map;

  for (gsize i = 0; i < n; i++)
    dims[i] = count_of (dimensions[i]);
  gst_buffer_map (data, &map, GST_MAP_WRITE);
  for (guint c = 0; c < channels; c++) {
    guint8 picture[HEIGHT][WIDTH];

    draw (picture, c);
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++)
        write_sample (map.data + type_sizes[type] * place_of (dimensions,
                column_major, y, x, c), type, picture[y][x]);
  }
  gst_buffer_unmap (data, &map);
  return gst_tensor_new_simple (g_quark_from_string (id), data_types[type],
      data, column_major ? GST_TENSOR_DIM_ORDER_COL_MAJOR :
      GST_TENSOR_DIM_ORDER_ROW_MAJOR, n, dims);
}

/* A meta of one tensor, whose ownership it takes. */
static void
attach (GstBuffer * buffer, GstTensor * tensor)
{
  GstTensorMeta *meta = gst_buffer_add_tensor_meta (buffer);
  GstTensor **tensors = g_new (GstTensor *, 1);

  tensors[0] = tensor;
  gst_tensor_meta_set (meta, 1, tensors);
}

/* A gray frame without contours of its own. */
static GstBuffer *
frame_of (guint width, guint height)
{
  GstVideoInfo info;

  gst_video_info_init (&info);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (buffer, 0, 0, -1);
  return buffer;
}

static GstBuffer *
frame_with (guint width, guint height, GstTensor * tensor)
{
  GstBuffer *buffer = frame_of (width, height);

  attach (buffer, tensor);
  return buffer;
}

static gchar *
frame_caps (guint width, guint height)
{
  return g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,height=%u,"
      "framerate=0/1", width, height);
}

static GstHarness *
start (const gchar * properties, guint width, guint height, GstBus ** bus)
{
  g_autofree gchar *all = g_strconcat ("image-source=tensor-meta ", properties,
      NULL);
  g_autofree gchar *caps = frame_caps (width, height);
  GstHarness *h = contours_new (all);

  *bus = take_bus (h, "cudacontours");
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static GstShapeSet *
shapes_of (const gchar * properties, guint width, guint height,
    GstTensor * tensor)
{
  g_autofree gchar *all = g_strconcat ("image-source=tensor-meta ", properties,
      NULL);
  g_autofree gchar *caps = frame_caps (width, height);

  return contours_of (all, caps, frame_with (width, height, tensor));
}

/* What the element finds in channel @c as a picture of its own. */
static GstShapeSet *
expected_of (const gchar * properties, guint c)
{
  guint8 picture[HEIGHT][WIDTH];

  draw (picture, c);
  return gray8_contours (properties, picture);
}

TEST_LOOP (every_type_layout_and_order_has_the_contours_of_pictures, 0,
    G_N_ELEMENTS (forms))
{
  const Form *form = &forms[__i__];
  const guint channels = strchr (form->dimensions, 'K') ? CHANNELS : 1;

  for (guint type = 0; type < N_TYPES; type++)
    for (guint order = 0; order < 2; order++)
      for (guint c = 0; c < channels; c++) {
        g_autofree gchar *what = g_strdup_printf ("%s, %s, order %u, class %u",
            form->dimensions, type_names[type], order, c);
        g_autofree gchar *properties = g_strdup_printf (LEVEL "classes=%u %s",
            c, form->properties);
        g_autoptr (GstShapeSet) set = shapes_of (properties, WIDTH, HEIGHT,
            make_tensor ("map", form->dimensions, type, order));
        g_autoptr (GstShapeSet) expected = expected_of (LEVEL, c);
        gsize n;

        fail_unless (n_contours (expected) > 10);
        assert_same_layer (set, 0, expected, 0, what);
        fail_unless_equals_int (gst_shape_set_get_polylines (set, 0,
                &n)->class_id, c);
        fail_unless_equals_int (gst_shape_set_get_width (set), WIDTH);
      }
}

/* 3 x 17 x 23: as rows, columns, channels there are 23 classes. */
TEST (the_layout_says_which_dimension_is_channels)
{
  g_autoptr (GstShapeSet) set = shapes_of (LEVEL "layout=hwc classes=22", WIDTH,
      HEIGHT, make_tensor ("map", "KRC", UINT8, FALSE));

  fail_unless_equals_int (gst_shape_set_get_width (set), WIDTH);
}

/* (x + .5) s - .5 */
TEST (shapes_are_in_the_picture_s_coordinates)
{
  g_autoptr (GstShapeSet) set = shapes_of (LEVEL, 2 * WIDTH, 3 * HEIGHT,
      make_tensor ("map", "1RC", UINT8, FALSE));
  g_autoptr (GstShapeSet) expected = expected_of (LEVEL, 0);
  gsize n, m;

  fail_unless_equals_int (gst_shape_set_get_width (set), 2 * WIDTH);
  fail_unless_equals_int (gst_shape_set_get_height (set), 3 * HEIGHT);
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n);
  const GstShapePoint *from = gst_shape_set_get_points (expected, 0, &m);
  fail_unless (n == m && n > 0);
  for (gsize i = 0; i < n; i++)
    fail_unless (fabs (points[i].x - ((from[i].x + .5) * 2 - .5)) < 1e-4 &&
        fabs (points[i].y - ((from[i].y + .5) * 3 - .5)) < 1e-4, "point %u",
        (guint) i);
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);
  const GstShapePolyline *unscaled = gst_shape_set_get_polylines (expected, 0,
      &m);
  for (gsize i = 0; i < n; i++)
    fail_unless (fabs (records[i].area - 6 * unscaled[i].area) < 1e-6);
}

static void
assert_areas (const gchar * properties, gdouble low, gdouble high)
{
  g_autoptr (GstShapeSet) all = shapes_of (LEVEL, 2 * WIDTH, 3 * HEIGHT,
      make_tensor ("map", "RC", UINT8, FALSE));
  g_autoptr (GstShapeSet) some = shapes_of (properties, 2 * WIDTH, 3 * HEIGHT,
      make_tensor ("map", "RC", UINT8, FALSE));
  gsize n, expected = 0;
  const GstShapePolyline *records = gst_shape_set_get_polylines (all, 0, &n);

  for (gsize i = 0; i < n; i++)
    expected += fabs (records[i].area) >= low && fabs (records[i].area) <= high;
  fail_unless (expected > 0 && expected < n);
  fail_unless_equals_int (n_contours (some), expected);
}

TEST (limits_of_area_count_the_picture_s_pixels)
{
  assert_areas (LEVEL "min-area=12", 12, 1e9);
  assert_areas (LEVEL "max-area=12", 0, 12);
}

/* Columns 3 and 4, rows 2 to 4 of the tensor. */
TEST (the_region_is_the_picture_s_and_takes_whole_samples)
{
  g_autoptr (GstShapeSet) set = shapes_of (LEVEL "roi=7,8,2,5", 2 * WIDTH,
      3 * HEIGHT, make_tensor ("map", "RC", UINT8, FALSE));
  g_autoptr (GstShapeSet) expected = expected_of (LEVEL "roi=3,2,2,3", 0);
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (expected, 2 * WIDTH,
      3 * HEIGHT, NULL);

  fail_unless (n_contours (set) > 0);
  assert_same_layer (set, 0, scaled, 0, "region");
}

/* Before 1.28 a buffer has one meta. */
static gboolean
buffers_have_several_metas (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return minor >= 28;
}

/* Tensors "a" (channel 0) and "b" (channels 0 to 2), in a meta each or in
 * one. */
static GstBuffer *
frame_of_two (gboolean together)
{
  GstBuffer *buffer = frame_of (WIDTH, HEIGHT);
  GstTensor *a = make_tensor ("a", "RC", UINT8, FALSE);
  GstTensor *b = make_tensor ("b", "KRC", FLOAT32, FALSE);

  if (!together) {
    attach (buffer, a);
    attach (buffer, b);
    return buffer;
  }
  GstTensor **tensors = g_new (GstTensor *, 2);
  tensors[0] = a;
  tensors[1] = b;
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (buffer), 2, tensors);
  return buffer;
}

TEST (a_tensor_of_several_has_a_name)
{
  for (guint together = !buffers_have_several_metas (); together < 2;
      together++) {
    const gchar *names[] = { "tensor-id=a", "tensor-id=b" };

    for (guint i = 0; i < 2; i++) {
      g_autoptr (GstBus) bus = NULL;
      g_autoptr (GstHarness) h = start (names[i], WIDTH, HEIGHT, &bus);
      g_autoptr (GstShapeSet) expected = expected_of (LEVEL, 0);

      gst_harness_set (h, "cudacontours", "level", 100., "classes", "0", NULL);
      g_autoptr (GstBuffer) buffer = run (h, frame_of_two (together));
      GstShapeSet *set = gst_buffer_get_shape_set (buffer);
      assert_same_layer (set, 0, expected, 0, names[i]);
    }
  }
}

/* The frame @buffer is an error that says @what. */
static void
assert_error (const gchar * properties, GstBuffer * buffer, const gchar * what)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = start (properties, WIDTH, HEIGHT, &bus);

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (a_tensor_that_is_not_clear_is_an_error_that_names_all)
{
  assert_error ("", frame_of_two (TRUE), "tensor-id: \"a\", \"b\"");
  assert_error ("tensor-id=c", frame_of_two (TRUE), "it has \"a\", \"b\"");
  if (buffers_have_several_metas ())
    assert_error ("", frame_of_two (FALSE), "tensor-id: \"a\", \"b\"");
}

/* gst_tensor_new_simple() would check them. */
static GstTensor *
tensor_of (GstTensorDataType type, gsize size, guint n, gsize * dims)
{
  GstTensor *tensor = gst_tensor_alloc (n);

  tensor->id = g_quark_from_string ("odd");
  tensor->data_type = type;
  tensor->data = gst_buffer_new_allocate (NULL, size, NULL);
  memcpy (tensor->dims, dims, n * sizeof (*dims));
  return tensor;
}

static void
assert_bad (GstTensorDataType type, gsize size, guint n, gsize * dims,
    const gchar * what)
{
  assert_error ("", frame_with (WIDTH, HEIGHT, tensor_of (type, size, n, dims)),
      what);
}

TEST (tensors_that_are_no_images_are_errors)
{
  gsize image[] = { 4, 4 }, batch[] = { 2, 4, 4, 1 }, line[] = { 16 };
  gsize empty[] = { 4, 0 }, five[] = { 1, 2, 1, 4, 4 }, cube[] = { 4, 4, 4 };
  gsize huge[] = { 3, G_MAXINT32, G_MAXINT32 };

  assert_bad (GST_TENSOR_DATA_TYPE_INT8, 16, 2, image,
      "type int8; only float32");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT64, 128, 2, image, "type uint64;");
  assert_bad (GST_TENSOR_DATA_TYPE_BFLOAT16, 32, 2, image, "type bfloat16;");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 32, 4, batch,
      "\"odd\" of 2 x 4 x 4 x 1 is not one image");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 16, 1, line, "of 16 is not one");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 16, 2, empty, "of 4 x 0 is not one");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 32, 5, five, "is not one image");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 64, 3, cube, "layout=hwc");
  assert_bad (GST_TENSOR_DATA_TYPE_FLOAT32, 64, 3, huge, "any memory");
  assert_bad (GST_TENSOR_DATA_TYPE_UINT8, 17, 2, image,
      "has 17 bytes, but its dimensions and its type need 16");
  assert_error ("classes=3", frame_with (WIDTH, HEIGHT, make_tensor ("map",
              "KRC", UINT8, FALSE)), "no class 3");
  assert_error ("mask-alpha=true", frame_with (WIDTH, HEIGHT, make_tensor
          ("map", "KRC", UINT8, FALSE)), "tensors have no alpha");
}

TEST (a_tensor_that_is_too_short_is_dropped)
{
  gsize dims[] = { 4, 4 };
  guint64 dropped;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = start ("level=100", WIDTH, HEIGHT, &bus);

  fail_unless_equals_int (gst_harness_push (h, frame_with (WIDTH, HEIGHT,
              tensor_of (GST_TENSOR_DATA_TYPE_UINT8, 15, 2, dims))),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_harness_get (h, "cudacontours", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 1);
  gst_buffer_unref (run (h, frame_with (WIDTH, HEIGHT, make_tensor ("map", "RC",
                  UINT8, FALSE))));
}

TEST (frames_without_tensors_are_one_warning_and_no_contours)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = start ("level=100", WIDTH, HEIGHT, &bus);

  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = i == 2 ? frame_with (WIDTH, HEIGHT, make_tensor ("map",
            "RC", UINT8, FALSE)) : frame_of (WIDTH, HEIGHT);

    buffer = run (h, buffer);
    GstShapeSet *set = gst_buffer_get_shape_set (buffer);
    fail_unless ((n_contours (set) > 0) == (i == 2));
    gst_buffer_unref (buffer);
    if (i == 0)
      assert_message (bus, GST_MESSAGE_WARNING, "carries no tensors");
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* Also from and to the picture. */
TEST (forms_may_change_with_every_frame)
{
  const gchar *dimensions[] = { "RC", "KRC", "1RCK", "RC" };
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = start ("level=100", WIDTH, HEIGHT, &bus);

  for (guint i = 0; i < 8; i++) {
    const gboolean picture = i == 3 || i == 5;
    g_autoptr (GstShapeSet) expected = expected_of (LEVEL, 0);
    g_autoptr (GstBuffer) buffer = frame_with (WIDTH, HEIGHT,
        make_tensor ("map", dimensions[i % 4], i % N_TYPES, i & 1));

    gst_harness_set (h, "cudacontours", "image-source", picture ? 0 : 1, NULL);
    buffer = run (h, buffer);
    gsize n = n_contours (gst_buffer_get_shape_set (buffer));
    fail_unless (picture ? n == 0 : n >= n_contours (expected));
  }
}

TEST (other_tensors_have_no_metadata_to_read)
{
  g_autoptr (GstHarness) h = contours_new ("image-source=tensor-meta");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, "other/tensors,format=static,num_tensors=1,"
      "types=uint8,dimensions=(string)1:4:4:1,framerate=0/1");
  fail_unless (gst_harness_push (h, gst_buffer_new_allocate (NULL, 16, NULL))
      != GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, "set image-source=buffer");
}

SUITE (tensormeta) {}
