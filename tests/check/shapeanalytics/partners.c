/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Analytics metadata between our elements and GStreamer's own.
 *
 * usage: partners ELEMENT; exits with 77 (skip) where GStreamer does not have
 * it. */

#include "../cudacontours/contours_test.h"
#include "analytics_test.h"
#include "onnx_test.h"

#include <glib/gstdio.h>

/* ioutracker */

/* Two squares that pass each other: the one that is first in raster order, and
 * so has the id 0, changes. */
TEST_TO_ADD (a_tracker_s_tracks_stay_with_their_objects)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu level=0.5 "
      "! cudahull backend=cpu measures=full ! shapeanalytics ids=true "
      "! ioutracker ! shapeanalytics transfer=tracks");
  gint64 left = -1, right = -1;
  guint n_first_left = 0;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (guint frame = 0; frame < 20; frame++) {
    g_autoptr (GstBuffer) buffer = black_frame ();
    gsize n;

    draw_square (buffer, 5, 5 + frame, 15);
    draw_square (buffer, 40, 25 - frame, 15);
    GST_BUFFER_PTS (buffer) = frame * 40 * GST_MSECOND;
    buffer = run (h, buffer);
    for (guint layer = 0; layer < 2; layer++) {
      GstShapeSet *set = gst_buffer_get_shape_set (buffer);
      const GstShapePolyline *records = gst_shape_set_get_polylines (set, layer,
          &n);
      const GstShapeAnnotation *annotations =
          gst_shape_set_get_annotations (set, layer, &n);

      fail_unless (annotations != NULL && n == 2, "frame %u, layer %u", frame,
          layer);
      for (gsize i = 0; i < 2; i++) {
        gint64 *track = records[i].centroid_x < SIDE / 2 ? &left : &right;

        n_first_left += layer == 0 && i == 0 && track == &left;
        fail_unless (annotations[i].track_id >= 0);
        if (*track < 0)
          *track = annotations[i].track_id;
        fail_unless_equals_int64 (annotations[i].track_id, *track);
      }
    }
  }
  fail_unless (left != right);
  fail_unless (n_first_left > 5 && n_first_left < 15);
  gst_harness_teardown (h);
}

/* objectdetectionoverlay */

#define PICTURE_SIDE 128

/* A pixel of BGRA. */
static guint32
pixel (const GstMapInfo * map, guint x, guint y)
{
  return ((const guint32 *) (gpointer) map->data)[y * PICTURE_SIDE + x];
}

/* Whether any pixel within 2 of (@x, @y) is not @gray. */
static gboolean
is_drawn (const GstMapInfo * map, guint x, guint y, guint32 gray)
{
  for (guint i = 0; i < 25; i++)
    if (pixel (map, x + i % 5 - 2, y + i / 5 - 2) != gray)
      return TRUE;
  return FALSE;
}

static const guint32 black = 0xff000000, white = 0xffffffff;

/* A white rectangle of columns 30 to 79, rows 50 to 109, through @h. */
static GstBuffer *
run_rectangle (GstHarness * h)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      4 * PICTURE_SIDE * PICTURE_SIDE, NULL);
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, "video/x-raw,format=BGRA,width=128,"
      "height=128,framerate=25/1");
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < PICTURE_SIDE; y++)
    for (guint x = 0; x < PICTURE_SIDE; x++)
      ((guint32 *) (gpointer) map.data)[y * PICTURE_SIDE + x] =
          x >= 30 && x < 80 && y >= 50 && y < 110 ? white : black;
  gst_buffer_unmap (buffer, &map);
  return run (h, buffer);
}

/* Draws the four edges of the box, and nothing inside of it. */
TEST_TO_ADD (an_overlay_draws_the_boxes)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu level=0.5 "
      "! shapeanalytics ! objectdetectionoverlay draw-labels=false "
      "object-detection-outline-color=0xffff0000");
  g_autoptr (GstBuffer) buffer = run_rectangle (h);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (guint y = 55; y < 105; y += 10) {
    fail_unless (is_drawn (&map, 27, y, black) || is_drawn (&map, 33, y,
            white), "left, row %u", y);
    fail_unless (is_drawn (&map, 77, y, white) || is_drawn (&map, 83, y,
            black), "right, row %u", y);
  }
  for (guint x = 35; x < 75; x += 10) {
    fail_unless (is_drawn (&map, x, 47, black) || is_drawn (&map, x, 53,
            white), "top, column %u", x);
    fail_unless (is_drawn (&map, x, 107, white) || is_drawn (&map, x, 113,
            black), "bottom, column %u", x);
  }
  fail_if (is_drawn (&map, 55, 80, white));
  fail_if (is_drawn (&map, 15, 80, black));
  fail_if (is_drawn (&map, 110, 20, black));
  gst_buffer_unmap (buffer, &map);
  gst_harness_teardown (h);
}

/* segmentationoverlay */

/* One colour in the shape, and another one, or none, around. */
TEST_TO_ADD (an_overlay_draws_the_mask)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu level=0.5 "
      "! shapeanalytics mask=true ! segmentationoverlay");
  g_autoptr (GstBuffer) buffer = run_rectangle (h);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_if (pixel (&map, 50, 80) == white);
  for (guint y = 0; y < PICTURE_SIDE; y++)
    for (guint x = 0; x < PICTURE_SIDE; x++)
      fail_unless (pixel (&map, x, y) == (x >= 30 && x < 80 && y >= 50 &&
              y < 110 ? pixel (&map, 50, 80) : pixel (&map, 5, 5)),
          "%u, %u", x, y);
  gst_buffer_unmap (buffer, &map);
  gst_harness_teardown (h);
}

/* yolosegv8tensordec */

#define YOLO "yolo-v8-segmentation-out"
#define YOLO_CAPS "video/x-raw,format=GRAY8,width=64,height=64," \
  "framerate=25/1,tensors=(structure)[tensorgroups," YOLO \
  "=(/uniquelist){(GstCaps)[tensor/strided,tensor-id=" YOLO "-detections," \
  "dims=(int)<1,8,2>,dims-order=(string)col-major,type=(string)float32]," \
  "(GstCaps)[tensor/strided,tensor-id=" YOLO "-protos," \
  "dims=(int)<1,3,64,64>,dims-order=(string)col-major,type=(string)float32]}]"

static GstTensor *
yolo_tensor (const gchar * id, const gfloat * data, guint n_dims, gsize * dims)
{
  gsize n = sizeof (gfloat);

  for (guint i = 0; i < n_dims; i++)
    n *= dims[i];
  return gst_tensor_new_simple (g_quark_from_string (id),
      GST_TENSOR_DATA_TYPE_FLOAT32, buffer_of (data, n),
      GST_TENSOR_DIM_ORDER_COL_MAJOR, n_dims, dims);
}

/* One object, whose outline the first of three prototypes has: a rectangle of
 * 12 x 8 pixels in a box that is larger. The box is as wide as the frame, as
 * 1.28 states a wrong stride for others. The other candidate is none. */
TEST_TO_ADD (masks_of_a_decoder_become_polygons)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse ("yolosegv8tensordec "
      "! cudacontours backend=cpu image-source=segmentation");
  /* x, y, width, height, confidence of the class, coefficients of the mask */
  const gfloat detections[8][2] = {
    {32, 45}, {14, 40}, {64, 20}, {20, 30}, {.75, 0}, {1, 1}, {0, 0},
    {0, 0}
  };
  const GstVideoRectangle shape = { 12, 10, 12, 8 };
  gsize detections_dims[3] = { 1, 8, 2 }, protos_dims[4] = { 1, 3, 64, 64 };
  GstTensor **tensors = g_new (GstTensor *, 2);
  g_autoptr (GstBuffer) buffer = black_frame ();
  gfloat protos[3][64][64] = { {{0,}}, };
  gsize n;

  for (gint y = 0; y < 64; y++)
    for (gint x = 0; x < 64; x++)
      protos[0][y][x] = x >= shape.x && x < shape.x + shape.w && y >= shape.y &&
          y < shape.y + shape.h ? 5 : -5;
  tensors[0] = yolo_tensor (YOLO "-detections", detections[0], 3,
      detections_dims);
  tensors[1] = yolo_tensor (YOLO "-protos", protos[0][0], 4, protos_dims);
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (buffer), 2, tensors);
  gst_harness_set_src_caps_str (h, YOLO_CAPS);
  buffer = run (h, buffer);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless_equals_float (gst_shape_set_get_annotations (set, 0,
          &n)->confidence, .75);
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (record->class_id, 1);
  fail_unless_equals_float (record->area, shape.w * shape.h - .5);
  fail_unless_equals_float (record->bbox_x0, shape.x - .5);
  fail_unless_equals_float (record->bbox_y0, shape.y - .5);
  fail_unless_equals_float (record->bbox_x1, shape.x + shape.w - .5);
  fail_unless_equals_float (record->bbox_y1, shape.y + shape.h - .5);
}

/* onnxinference */

/* A frame of RGB, whose blocks of 2 x 2 pixels are those of @picture. */
static GstBuffer *
frame_of_blocks (guint8 picture[HEIGHT][WIDTH])
{
  GstVideoInfo info;
  GstVideoFrame frame;

  gst_video_info_init (&info);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, 2 * WIDTH,
      2 * HEIGHT);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE);
  for (guint y = 0; y < 2 * HEIGHT; y++)
    for (guint x = 0; x < 2 * WIDTH; x++)
      memset ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) +
          y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + 3 * x,
          picture[y / 2][x / 2], 3);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* Writes the network into @folder. Returns: (transfer full): its name */
static gchar *
write_network (const gchar * folder)
{
  gchar *path = g_build_filename (folder, "means.onnx", NULL);
  g_autofree gchar *info_path = g_strconcat (path, ".modelinfo", NULL);
  g_autofree gchar *info = new_network_info (2 * WIDTH, 2 * HEIGHT);
  g_autoptr (GByteArray) network = new_network (2 * WIDTH, 2 * HEIGHT);

  fail_unless (g_file_set_contents (path, (gchar *) network->data,
          network->len, NULL));
  fail_unless (g_file_set_contents (info_path, info, -1, NULL));
  return path;
}

static void
remove_network (gchar * path, gchar * folder)
{
  g_autofree gchar *info_path = g_strconcat (path, ".modelinfo", NULL);

  g_unlink (info_path);
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
}

/* 1.26 has to be told, 1.28 finds out by itself. */
static const gchar *
layout_setting (void)
{
  g_autoptr (GstElement) net = gst_element_factory_make ("onnxinference", NULL);
  const gboolean has_property =
      g_object_class_find_property (G_OBJECT_GET_CLASS (net),
      "input-image-format") != NULL;

  return has_property ? "input-image-format=chw" : "";
}

/* The network's map has half the size of the picture. */
TEST_TO_ADD (contours_of_a_network_s_output_lie_on_the_picture)
{
  gchar *folder = g_dir_make_tmp ("shapeanalytics-XXXXXX", NULL);
  gchar *path = write_network (folder);
  g_autofree gchar *line = g_strdup_printf ("onnxinference model-file=%s %s "
      "! cudacontours backend=cpu image-source=tensor-meta tensor-id=the-map "
      "level=100", path, layout_setting ());
  guint8 picture[HEIGHT][WIDTH];
  GstShapeSet *expected, *scaled, *set;
  GstHarness *h = gst_harness_new_parse (line);

  draw (picture, 3);
  expected = gray8_contours ("level=100 level-unit=sample", picture);
  scaled = gst_shape_set_rescale (expected, 2 * WIDTH, 2 * HEIGHT, NULL);
  set = set_of (h, "video/x-raw,format=RGB,width=46,height=34,framerate=0/1",
      frame_of_blocks (picture));
  fail_unless_equals_int (gst_shape_set_get_width (set), 2 * WIDTH);
  fail_unless (n_contours (set) > 10);
  assert_same_layer (set, 0, scaled, 0, "network");
  gst_shape_set_unref (set);
  gst_shape_set_unref (scaled);
  gst_shape_set_unref (expected);
  remove_network (path, folder);
}

/* All */

static void
add_test (TCase * tests, const gchar * element)
{
  if (g_str_equal (element, "ioutracker"))
    tcase_add_test (tests, a_tracker_s_tracks_stay_with_their_objects);
  else if (g_str_equal (element, "objectdetectionoverlay"))
    tcase_add_test (tests, an_overlay_draws_the_boxes);
  else if (g_str_equal (element, "segmentationoverlay"))
    tcase_add_test (tests, an_overlay_draws_the_mask);
  else if (g_str_equal (element, "yolosegv8tensordec"))
    tcase_add_test (tests, masks_of_a_decoder_become_polygons);
  else if (g_str_equal (element, "onnxinference"))
    tcase_add_test (tests, contours_of_a_network_s_output_lie_on_the_picture);
}

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("partners");
  TCase *tests = tcase_create ("partners");

  gst_check_init (&argc, &argv);
  const gchar *element = argc > 1 ? argv[1] : "";
  GstElementFactory *factory = gst_element_factory_find (element);
  if (!factory) {
    g_print ("skip: GStreamer %u.%u has no %s here\n", GST_VERSION_MAJOR,
        GST_VERSION_MINOR, element);
    return 77;
  }
  gst_object_unref (factory);
  suite_add_tcase (suite, tests);
  add_test (tests, element);
  return gst_check_run_suite (suite, "partners", __FILE__);
}
