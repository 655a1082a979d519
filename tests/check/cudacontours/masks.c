/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on masks of regions that video frames carry. */

#include "contours_test.h"

#include <gst/analytics/analytics.h>

#define FRAME_WIDTH 100
#define FRAME_HEIGHT 60
#define CAPS VIDEO ("GRAY8", 100, 60)

/* Regions 0 (background), 12, 7 and 31, as the documentation of
 * GstAnalyticsSegmentationMtd has them. */
static const guint all_ids[] = { 0, 12, 7, 31 };

static void
draw_ids (guint8 picture[HEIGHT][WIDTH])
{
  draw (picture, 5);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      picture[y][x] = all_ids[picture[y][x] / 85];
}

/* With strides of their own, which the GstVideoMeta tells. */
static GstBuffer *
mask_of (GstVideoFormat format, guint8 picture[HEIGHT][WIDTH])
{
  const gsize size = format == GST_VIDEO_FORMAT_GRAY8 ? 1 : 2;
  gint stride[GST_VIDEO_MAX_PLANES] = { (WIDTH + 5) * size };
  gsize offset[GST_VIDEO_MAX_PLANES] = { 8 };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 8 + stride[0] * HEIGHT,
      NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0xee, map.size);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      guint8 *at = map.data + 8 + y * stride[0] + x * size;

      if (format == GST_VIDEO_FORMAT_GRAY8)
        *at = picture[y][x];
      else if (format == GST_VIDEO_FORMAT_GRAY16_LE)
        GST_WRITE_UINT16_LE (at, picture[y][x]);
      else
        GST_WRITE_UINT16_BE (at, picture[y][x]);
    }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
      WIDTH, HEIGHT, 1, offset, stride);
  return buffer;
}

static GstBuffer *
plain_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, FRAME_WIDTH * FRAME_HEIGHT,
      NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  return buffer;
}

/* Adds @mask, which covers the rectangle, to @frame. */
static GstAnalyticsSegmentationMtd
attach (GstBuffer * frame, GstBuffer * mask, guint n_ids, const guint * ids,
    gint x, gint y, guint width, guint height)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  GstAnalyticsSegmentationMtd mtd;

  if (!meta)
    meta = gst_buffer_add_analytics_relation_meta (frame);
  fail_unless (gst_analytics_relation_meta_add_segmentation_mtd (meta, mask,
          GST_SEGMENTATION_TYPE_INSTANCE, n_ids, (guint *) ids, x, y, width,
          height, &mtd));
  return mtd;
}

static GstBuffer *
frame_with (GstVideoFormat format, guint8 picture[HEIGHT][WIDTH], gint x,
    gint y, guint width, guint height)
{
  GstBuffer *frame = plain_frame ();

  attach (frame, mask_of (format, picture), G_N_ELEMENTS (all_ids), all_ids, x,
      y, width, height);
  return frame;
}

/* The contours of one region, from a picture with a border of a pixel, where
 * the mask's pixel (0, 0) is (1, 1). */
static GstShapeSet *
expected_of (guint8 picture[HEIGHT][WIDTH], guint id, const gchar * properties)
{
  g_autofree gchar *all = g_strconcat ("level-unit=sample ", properties, NULL);
  const gchar *caps = "video/x-raw,format=GRAY8,width=28,height=19,"
      "framerate=0/1";
  guint8 bordered[HEIGHT + 2][28] = { {0}, };

  G_STATIC_ASSERT (WIDTH + 2 <= 28 && HEIGHT + 2 == 19);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      bordered[y + 1][x + 1] = picture[y][x] == id ? 1 : 0;
  return contours_of (all, caps, buffer_of (bordered, sizeof (bordered)));
}

/* Layer @layer of @set is the region @id of a mask that begins at (@x0, @y0)
 * and whose pixels are @sx x @sy in size, as contours with @properties are. */
static void
assert_region_with (const gchar * properties, GstShapeSet * set, guint layer,
    guint8 picture[HEIGHT][WIDTH], guint id, gdouble x0, gdouble y0, gdouble sx,
    gdouble sy)
{
  g_autoptr (GstShapeSet) expected = expected_of (picture, id, properties);
  const GstShapePolyline *records, *unscaled;
  gsize n, m;
  const GstShapePoint *points = gst_shape_set_get_points (set, layer, &n);
  const GstShapePoint *from = gst_shape_set_get_points (expected, 0, &m);

  fail_unless (n == m && n > 20, "%u points, not %u", (guint) n, (guint) m);
  for (gsize i = 0; i < n; i++)
    fail_unless (fabs (points[i].x - (x0 + (from[i].x - .5) * sx - .5)) < 1e-4
        && fabs (points[i].y - (y0 + (from[i].y - .5) * sy - .5)) < 1e-4,
        "region %u, point %u: %g,%g", id, (guint) i, points[i].x, points[i].y);
  const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set,
      layer, &n);
  records = gst_shape_set_get_polylines (set, layer, &n);
  unscaled = gst_shape_set_get_polylines (expected, 0, &m);
  fail_unless_equals_int (n, m);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (records[i].class_id, id);
    fail_unless_equals_int (annotations[i].region_id, id);
    fail_unless (annotations[i].track_id == -1);
    fail_unless_equals_int (records[i].flags, unscaled[i].flags);
    fail_unless (records[i].flags & GST_SHAPE_FLAG_CLOSED);
    fail_unless (fabs (records[i].area - unscaled[i].area * sx * sy) < 1e-6);
    fail_unless_equals_int (records[i].parent < 0 ? -1 :
        records[i].parent - records[0].id, unscaled[i].parent);
  }
}

static void
assert_region (GstShapeSet * set, guint layer, guint8 picture[HEIGHT][WIDTH],
    guint id, gdouble x0, gdouble y0, gdouble sx, gdouble sy)
{
  assert_region_with ("", set, layer, picture, id, x0, y0, sx, sy);
}

TEST (every_region_becomes_closed_polygons_of_its_id)
{
  const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_BE
  };
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation",
        CAPS,
        frame_with (formats[i], picture, 0, 0, WIDTH, HEIGHT));

    fail_unless_equals_int (gst_shape_set_get_width (set), FRAME_WIDTH);
    fail_unless_equals_int (gst_shape_set_get_height (set), FRAME_HEIGHT);
    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
    assert_region (set, 0, picture, 7, 0, 0, 1, 1);
    assert_region (set, 1, picture, 12, 0, 0, 1, 1);
    assert_region (set, 2, picture, 31, 0, 0, 1, 1);
  }
}

/* By hand: two pixels in the mask's corner, of 5 x 10 in the picture. */
TEST (polygons_end_at_the_edges_of_pixels)
{
  guint8 picture[HEIGHT][WIDTH] = { {12, 12}, };
  g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation", CAPS,
      frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 20, 10, 5 * WIDTH,
          10 * HEIGHT));
  gsize n;
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, &n);

  fail_unless_equals_int (n, 1);
  fail_unless_equals_float (record->bbox_x0, 19.5);
  fail_unless_equals_float (record->bbox_x1, 29.5);
  fail_unless_equals_float (record->bbox_y0, 9.5);
  fail_unless_equals_float (record->bbox_y1, 19.5);
  /* four corners of 1/8 pixel are missing */
  fail_unless_equals_float (record->area, 1.5 * 50);
}

TEST (masks_lie_where_their_location_is)
{
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation "
      "classes=31",
      CAPS, frame_with (GST_VIDEO_FORMAT_GRAY8, picture, -7, 11, 2 * WIDTH,
          3 * HEIGHT));
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  assert_region (set, 0, picture, 31, -7, 11, 2, 3);
}

TEST (classes_choose_regions_and_the_background)
{
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  g_autoptr (GstShapeSet) set =
      contours_of ("image-source=segmentation classes=0,12,99", CAPS,
      frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, WIDTH, HEIGHT));
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  assert_region (set, 0, picture, 0, 0, 0, 1, 1);
  assert_region (set, 1, picture, 12, 0, 0, 1, 1);
}

/* Those of a picture of one region, whatever of it is left. */
TEST (regions_have_the_properties_of_contours)
{
  const gchar *cases[] = { "hierarchy=true", "fully-connected=high",
    "positive-orientation=high", "min-points=8 hierarchy=true",
    "max-area=20 hierarchy=true", "min-area=2 fully-connected=high"
  };
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  /* a hole with an island */
  for (guint i = 0; i < 4; i++)
    for (guint y = 2 + i; y < 13 - i; y++)
      memset (&picture[y][3 + i], i % 2 ? 31 : 12, 11 - 2 * i);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *all = g_strconcat ("image-source=segmentation ", cases[i],
        NULL);
    g_autoptr (GstShapeSet) set = contours_of (all, CAPS,
        frame_with (GST_VIDEO_FORMAT_GRAY16_BE, picture, 0, 0, WIDTH, HEIGHT));

    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
    for (guint layer = 0; layer < 3; layer++)
      assert_region_with (cases[i], set, layer, picture,
          layer == 0 ? 7 : layer == 1 ? 12 : 31, 0, 0, 1, 1);
  }
}

TEST (another_region_may_be_the_background)
{
  guint8 picture[HEIGHT][WIDTH];
  const gint backgrounds[] = { -1, 12 };

  draw_ids (picture);
  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *all = g_strdup_printf ("image-source=segmentation "
        "background-label=%d", backgrounds[i]);
    g_autoptr (GstShapeSet) set = contours_of (all, CAPS,
        frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, WIDTH, HEIGHT));

    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 4 - i);
    assert_region (set, 0, picture, 0, 0, 0, 1, 1);
    assert_region (set, 3 - i, picture, 31, 0, 0, 1, 1);
  }
}

/* Of 3 x 2 pixels of the picture each. */
TEST (outlines_of_regions_count_the_picture_s_pixels)
{
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation "
      "outline=pixels", CAPS, frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 4, 5,
          3 * WIDTH, 2 * HEIGHT));
  for (guint layer = 0; layer < 3; layer++) {
    gsize n;
    const GstShapePolyline *records = gst_shape_set_get_polylines (set, layer,
        &n);
    gdouble area = 0;

    fail_unless (n > 10);
    for (gsize i = 0; i < n; i++)
      area += records[i].area;
    for (guint i = 0; i < WIDTH * HEIGHT; i++)
      area -= 6 * ((gint) picture[i / WIDTH][i % WIDTH] == records->class_id);
    fail_unless_equals_float (area, 0);
  }
}

TEST (several_masks_have_ids_of_their_own)
{
  guint8 picture[HEIGHT][WIDTH];
  gint32 next = 0;

  draw_ids (picture);
  GstBuffer *frame = frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, WIDTH,
      HEIGHT);
  attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY16_LE, picture),
      G_N_ELEMENTS (all_ids), all_ids, 30, 20, 2 * WIDTH, HEIGHT);
  GstShapeSet *set = contours_of ("image-source=segmentation", CAPS, frame);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 6);
  assert_region (set, 2, picture, 31, 0, 0, 1, 1);
  assert_region (set, 5, picture, 31, 30, 20, 2, 1);
  for (guint layer = 0; layer < 6; layer++) {
    gsize n;
    const GstShapePolyline *records = gst_shape_set_get_polylines (set, layer,
        &n);

    for (gsize i = 0; i < n; i++)
      fail_unless_equals_int (records[i].id, next++);
  }
  gst_shape_set_unref (set);
}

/* A region of 1 x 1 is .5 pixels of the mask, 3 of the picture. */
TEST (limits_of_area_count_the_picture_s_pixels)
{
  guint8 picture[HEIGHT][WIDTH] = { {0}, };

  picture[3][3] = 12;
  GstBuffer *frame = frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0,
      2 * WIDTH, 3 * HEIGHT);
  attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY8, picture),
      G_N_ELEMENTS (all_ids), all_ids, 0, 0, WIDTH, HEIGHT);
  g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation "
      "min-area=2.9", CAPS, gst_buffer_ref (frame));
  fail_unless_equals_int (n_contours (set), 1);
  gst_shape_set_unref (set);
  set = contours_of ("image-source=segmentation min-area=3.1", CAPS,
      gst_buffer_ref (frame));
  fail_unless_equals_int (n_contours (set), 0);
  gst_shape_set_unref (set);
  set = contours_of ("image-source=segmentation max-area=0.6", CAPS, frame);
  fail_unless_equals_int (n_contours (set), 1);
}

static gchar *
labels_of (GstBuffer * frame)
{
  g_autoptr (GstHarness) h = contours_new ("image-source=segmentation "
      "post-messages=true");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_unref (run (h, frame));
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  while (message && !gst_message_has_name (message, "cudacontours")) {
    gst_message_unref (message);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  }
  fail_unless (message != NULL);
  gchar *text = gst_value_serialize (gst_structure_get_value
      (gst_message_get_structure (message), "labels"));
  gst_message_unref (message);
  return text;
}

static void
assert_labels (GstBuffer * frame, const gchar * expected)
{
  g_autofree gchar *labels = labels_of (frame);

  fail_unless_equals_string (labels, expected);
}

/* That of region 12 is @expected; the frame stays the caller's. */
static void
assert_confidence (GstBuffer * frame, gfloat expected)
{
  g_autoptr (GstShapeSet) set = contours_of ("image-source=segmentation "
      "classes=12", CAPS, gst_buffer_ref (frame));
  gsize n;
  const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set, 0,
      &n);

  fail_unless (n > 0 && annotations[n - 1].confidence == expected);
}

/* In the order of the regions' indices, or of the detected object. */
TEST (labels_are_in_messages_and_confidences_in_shapes)
{
  const gchar *names[] = { "background", "strawberry", "berry", "leaf" };
  gfloat levels[4] = { -1, .6f, .9f, .8f };
  guint8 picture[HEIGHT][WIDTH];
  GstAnalyticsMtd related;
  GQuark quarks[4];

  draw_ids (picture);
  for (guint i = 0; i < 4; i++)
    quarks[i] = g_quark_from_static_string (names[i]);
  GstBuffer *frame = plain_frame ();
  GstAnalyticsSegmentationMtd mtd = attach (frame,
      mask_of (GST_VIDEO_FORMAT_GRAY8, picture), 4, all_ids, 0, 0, WIDTH,
      HEIGHT);
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  gst_analytics_relation_meta_add_cls_mtd (meta, 4, levels, quarks, &related);
  gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, mtd.id, related.id);
  assert_confidence (frame, .6f);
  assert_labels (frame, "< (string)berry, (string)strawberry, (string)leaf >");

  frame = plain_frame ();
  mtd = attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY8, picture), 4, all_ids,
      0, 0, WIDTH, HEIGHT);
  meta = gst_buffer_get_analytics_relation_meta (frame);
  gst_analytics_relation_meta_add_od_mtd (meta, quarks[3], 0, 0, 9, 9, .5,
      &related);
  gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, mtd.id, related.id);
  assert_confidence (frame, .5);
  assert_labels (frame, "< (string)leaf, (string)leaf, (string)leaf >");

  frame = frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, WIDTH, HEIGHT);
  assert_confidence (frame, -1);
  assert_labels (frame, "< (string)\"\", (string)\"\", (string)\"\" >");
}

static void
assert_error (const gchar * properties, GstBuffer * frame, const gchar * what)
{
  gchar *all = g_strconcat ("image-source=segmentation ", properties, NULL);
  g_autoptr (GstHarness) h = contours_new (all);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, what);
  g_free (all);
}

TEST (regions_that_are_not_listed_are_an_error)
{
  guint8 picture[HEIGHT][WIDTH];
  const guint some[] = { 0, 12, 31 };
  GstBuffer *frame = plain_frame ();

  draw_ids (picture);
  attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY8, picture), 3, some, 0, 0,
      WIDTH, HEIGHT);
  assert_error ("", frame, "the region 7, which its "
      "GstAnalyticsSegmentationMtd does not list: it has 0, 12, 31");
  frame = plain_frame ();
  attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY8, picture), 0, NULL, 0, 0,
      WIDTH, HEIGHT);
  assert_error ("", frame, "it has no regions");
}

/* As yolosegv8tensordec of GStreamer 1.28 does. */
TEST (a_list_of_the_background_only_lists_nothing)
{
  guint8 picture[HEIGHT][WIDTH];
  const guint background[] = { 0 };
  GstBuffer *frame = plain_frame ();

  draw_ids (picture);
  attach (frame, mask_of (GST_VIDEO_FORMAT_GRAY8, picture), 1, background, 0, 0,
      WIDTH, HEIGHT);
  GstShapeSet *set = contours_of ("image-source=segmentation", CAPS, frame);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  gst_shape_set_unref (set);
}

TEST (settings_that_masks_do_not_have_are_errors)
{
  const gchar *settings[] = { "levels=0.1,0.2", "bands=true",
    "auto-level=true", "roi=1,2,3,4", "mask-alpha=true"
  };
  guint8 picture[HEIGHT][WIDTH];

  draw_ids (picture);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree gchar *name = g_strdup (settings[i]);

    *strchr (name, '=') = '\0';
    g_autofree gchar *what = g_strconcat ("unset ", name, NULL);
    assert_error (settings[i], frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0,
            0, WIDTH, HEIGHT), what);
  }
  assert_error ("fully-connected=high outline=pixels",
      frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, WIDTH, HEIGHT),
      "unset fully-connected, or outline");
  assert_error ("classes=a", frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0,
          WIDTH, HEIGHT), "list of integers");
}

TEST (a_mask_that_is_too_short_is_dropped)
{
  guint8 picture[HEIGHT][WIDTH];
  GstBuffer *frame = plain_frame ();
  g_autoptr (GstHarness) h = contours_new ("image-source=segmentation");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  guint64 dropped;

  draw_ids (picture);
  GstBuffer *mask = mask_of (GST_VIDEO_FORMAT_GRAY8, picture);
  gst_buffer_resize (mask, 0, 100);
  attach (frame, mask, 4, all_ids, 0, 0, WIDTH, HEIGHT);
  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_harness_get (h, "cudacontours", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 1);
}

TEST (frames_without_masks_are_one_warning_and_no_contours)
{
  guint8 picture[HEIGHT][WIDTH];
  g_autoptr (GstHarness) h = contours_new ("image-source=segmentation");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  draw_ids (picture);
  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < 4; i++) {
    /* the third covers nothing */
    GstBuffer *frame = i < 2 ? plain_frame () :
        frame_with (GST_VIDEO_FORMAT_GRAY8, picture, 0, 0, i == 2 ? 0 : WIDTH,
        HEIGHT);

    frame = run (h, frame);
    GstShapeSet *set = gst_buffer_get_shape_set (frame);
    fail_unless ((n_contours (set) > 0) == (i == 3));
    gst_buffer_unref (frame);
    if (i == 0)
      assert_message (bus, GST_MESSAGE_WARNING, "carries no masks");
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

SUITE (masks) {}
