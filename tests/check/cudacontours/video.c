/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on video. */

#include "contours_test.h"

#include <glib/gstdio.h>

TEST (a_dot_is_a_diamond)
{
  g_autoptr (GstShapeSet) set = contours_of ("", VIDEO ("GRAY8", 4, 3),
      buffer_of ("\0\0\0\0\0\377\0\0\0\0\0", 12));
  const gfloat expected[5][2] = {
    {1, .5f}, {.5f, 1}, {1, 1.5f}, {1.5f, 1}, {1, .5f}
  };
  gsize n, found = 0;

  fail_unless_equals_int (gst_shape_set_get_width (set), 4);
  fail_unless_equals_int (gst_shape_set_get_height (set), 3);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (record->id, 0);
  fail_unless_equals_int (record->parent, -1);
  fail_unless_equals_int (record->kind, GST_SHAPE_KIND_CONTOUR);
  fail_unless_equals_int (record->flags, GST_SHAPE_FLAG_CLOSED);
  fail_unless_equals_float (record->level, 127.5);
  fail_unless_equals_float (record->area, .5);
  fail_unless (fabs (record->perimeter - 4 * M_SQRT1_2) < 1e-12);
  fail_unless_equals_float (record->centroid_x, 1);
  fail_unless_equals_float (record->centroid_y, 1);
  fail_unless_equals_float (record->bbox_x0, .5);
  fail_unless_equals_float (record->bbox_y1, 1.5);
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n);
  fail_unless_equals_int (n, 5);
  fail_unless (points[0].x == points[4].x && points[0].y == points[4].y);
  /* the four corners, wherever it starts */
  for (gsize i = 0; i < 4; i++)
    for (gsize j = 0; j < 4; j++)
      found += points[i].x == expected[j][0] && points[i].y == expected[j][1];
  fail_unless_equals_int (found, 4);
}

/* Every video format that the element takes in the memory of the system. */
static GPtrArray *
list_formats (void)
{
  g_autoptr (GstHarness) h = contours_new ("");
  GstPad *pad = GST_PAD_PEER (h->srcpad);
  GPtrArray *formats = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    const GValue *list = gst_structure_get_value (structure, "format");

    if (!gst_structure_has_name (structure, "video/x-raw") ||
        !gst_caps_features_is_equal (gst_caps_get_features (caps, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      continue;
    for (guint j = 0; j < gst_value_list_get_size (list); j++)
      g_ptr_array_add (formats,
          g_value_dup_string (gst_value_list_get_value (list, j)));
  }
  return formats;
}

TEST (every_format_has_the_contours_of_gray8)
{
  g_autoptr (GPtrArray) formats = list_formats ();
  guint8 picture[HEIGHT][WIDTH];

  draw (picture, 1);
  g_autoptr (GstShapeSet) reference = gray8_contours ("", picture);
  fail_unless (n_contours (reference) > 20);
  fail_unless (formats->len > 30);
  for (guint i = 0; i < formats->len; i++) {
    GstVideoInfo info;
    const gchar *name = g_ptr_array_index (formats, i);

    gst_video_info_init (&info);
    fail_unless (gst_video_info_set_format (&info,
            gst_video_format_from_string (name), WIDTH, HEIGHT));
    g_autofree gchar *caps = caps_text (&info);
    GstShapeSet *set = contours_of ("", caps, gray_buffer (&info, picture));
    assert_same_layer (set, 0, reference, 0, name);
    const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, NULL);
    gdouble range = (1u << GST_VIDEO_INFO_COMP_DEPTH (&info, 0)) - 1;
    fail_unless_equals_float (record->level, range / 2);
    gst_shape_set_unref (set);
  }
}

TEST (a_channel_of_rgb_is_that_channel)
{
  const gchar *formats[] = { "RGB", "BGR", "RGBA", "ABGR", "xRGB", "GBRA" };
  const gchar *channels = "rgba";
  guint8 picture[4][HEIGHT][WIDTH];

  for (guint c = 0; c < 4; c++)
    draw (picture[c], c + 10);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;
    GstVideoFrame frame;

    gst_video_info_init (&info);
    gst_video_info_set_format (&info, gst_video_format_from_string (formats[i]),
        WIDTH, HEIGHT);
    g_autofree gchar *caps = caps_text (&info);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++)
      write_component (&frame, c, picture[c]);
    gst_video_frame_unmap (&frame);
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
      gchar *properties = g_strdup_printf ("channel=%c", channels[c]);
      g_autoptr (GstShapeSet) reference = gray8_contours ("", picture[c]);
      g_autoptr (GstShapeSet) set = contours_of (properties, caps,
          gst_buffer_ref (buffer));

      assert_same_layer (set, 0, reference, 0, formats[i]);
      g_free (properties);
    }
    gst_buffer_unref (buffer);
  }
}

/* One pixel of pure green between black ones: its luma is 255 times the
 * weight. */
static void
assert_green_weight (const gchar * colorimetry, gdouble weight)
{
  g_autofree gchar *caps = g_strdup_printf (VIDEO ("RGBx", 3,
          3) ",colorimetry=%s", colorimetry);
  const gdouble levels[] = { 255 * weight - .01, 255 * weight + .01 };

  for (guint i = 0; i < 2; i++) {
    guint8 pixels[36] = { 0, };
    g_autofree gchar *properties =
        g_strdup_printf ("level-unit=sample level=%.6f", levels[i]);

    pixels[17] = 255;
    GstShapeSet *set = contours_of (properties, caps, buffer_of (pixels, 36));
    fail_unless_equals_int (n_contours (set), 1 - i);
    gst_shape_set_unref (set);
  }
}

TEST (luma_of_rgb_follows_the_colorimetry)
{
  assert_green_weight ("sRGB", .7152);
  assert_green_weight ("1:1:5:4", .587);
  assert_green_weight ("1:1:5:7", .6780);
}

TEST (strides_and_offsets_come_from_the_video_meta)
{
  guint8 picture[HEIGHT][WIDTH];
  GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_BGR
  };

  draw (picture, 2);
  g_autoptr (GstShapeSet) reference = gray8_contours ("", picture);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;
    GstVideoAlignment alignment;

    gst_video_info_init (&info);
    gst_video_info_set_format (&info, formats[i], WIDTH, HEIGHT);
    g_autofree gchar *caps = caps_text (&info);
    GstVideoInfo padded = info;
    gst_video_alignment_reset (&alignment);
    /* even: with an odd one GStreamer counts a row of chroma too few */
    alignment.padding_top = 4;
    alignment.padding_left = 8;
    for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
      alignment.stride_align[p] = 127;
    gst_video_info_align (&padded, &alignment);
    GstBuffer *buffer = gray_buffer (&padded, picture);
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        formats[i], WIDTH, HEIGHT, GST_VIDEO_INFO_N_PLANES (&padded),
        padded.offset, padded.stride);
    g_autoptr (GstShapeSet) set = contours_of ("", caps, buffer);
    assert_same_layer (set, 0, reference, 0, caps);
  }
}

TEST (level_units_mean_codes_or_shares)
{
  const struct
  {
    const gchar *properties, *format;
    guint bytes;
    gdouble level;
  } cases[] = {
    {"level=0.25", "GRAY8", 1, 63.75},
    {"level=128 level-unit=sample", "GRAY8", 1, 128},
    {"level=0.25", "GRAY16_LE", 2, 65535 * .25},
    {"level=0.25 bit-depth=12", "GRAY16_LE", 2, 4095 * .25},
    {"level=1000 level-unit=sample bit-depth=12", "GRAY16_LE", 2, 1000},
    {"level=0.25", "P010_10LE", 3, 1023 * .25},
    {"level=512 level-unit=sample", "P010_10LE", 3, 512},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=4,height=4,"
        "framerate=0/1", cases[i].format);
    guint8 pixels[48] = { 0, };

    /* one pixel of the largest code in two bytes, and not too large for one */
    if (cases[i].bytes == 1)
      pixels[5] = 255;
    else
      pixels[10] = pixels[11] = 0xff;
    g_autoptr (GstShapeSet) set = contours_of (cases[i].properties, caps,
        buffer_of (pixels, cases[i].bytes == 1 ? 16 : cases[i].bytes == 2 ? 32
            : 48));
    fail_unless_equals_int (n_contours (set), 1);
    fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->level,
        cases[i].level);
    g_free (caps);
  }
}

TEST (every_level_of_a_list_has_its_contours)
{
  g_autoptr (GstShapeSet) set = contours_of ("levels=\"0.25, 0.5,0.75\"",
      VIDEO ("GRAY8", 4, 3), buffer_of ("\0\0\0\0\0\377\0\0\0\0\0", 12));
  gsize n;
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);

  fail_unless_equals_int (n, 3);
  fail_unless_equals_float (records[0].level, 63.75);
  fail_unless_equals_float (records[1].level, 127.5);
  fail_unless_equals_float (records[2].level, 191.25);
  fail_unless (records[0].area > records[1].area);
  fail_unless_equals_int (records[2].id, 2);
}

TEST (automatic_level_is_the_midrange)
{
  /* whatever the other levels are */
  g_autoptr (GstShapeSet) set = contours_of ("auto-level=true levels=0.1,0.2",
      VIDEO ("GRAY8", 4, 3),
      buffer_of ("\10\10\10\10\10\50\10\10\10\10\10\10", 12));

  fail_unless_equals_int (n_contours (set), 1);
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->level,
      24);
}

TEST (orientation_and_saddles_follow_their_properties)
{
  /* two high pixels that touch at a corner */
  const gchar pixels[] = "\0\0\0\0\0\377\0\0\0\0\377\0\0\0\0";
  g_autoptr (GstShapeSet) low = contours_of ("fully-connected=low",
      VIDEO ("GRAY8", 4, 4), buffer_of (pixels, 16));
  g_autoptr (GstShapeSet) high =
      contours_of ("fully-connected=high positive-orientation=high",
      VIDEO ("GRAY8", 4, 4), buffer_of (pixels, 16));

  fail_unless_equals_int (n_contours (low), 2);
  fail_unless_equals_int (n_contours (high), 1);
  fail_unless (gst_shape_set_get_polylines (low, 0, NULL)->area > 0);
  fail_unless (gst_shape_set_get_polylines (high, 0, NULL)->area < 0);
}

/* A ring of 255 around a low middle with a high dot: three nested contours. */
static GstBuffer *
ring (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16 * 16, NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < 16; y++)
    for (guint x = 0; x < 16; x++) {
      const gint r = MAX (abs ((gint) x - 7), abs ((gint) y - 7));

      map.data[16 * y + x] = r == 5 || r == 6 || r == 0 ? 255 : 0;
    }
  return buffer;
}

TEST (hierarchy_names_parents)
{
  GstShapeSet *without = contours_of ("", VIDEO ("GRAY8", 16, 16), ring ());
  g_autoptr (GstShapeSet) with = contours_of ("hierarchy=true", VIDEO ("GRAY8",
          16, 16), ring ());
  gsize n;
  const GstShapePolyline *records = gst_shape_set_get_polylines (without, 0,
      &n);

  fail_unless_equals_int (n, 3);
  fail_unless_equals_int (records[2].parent, -1);
  fail_unless (records[1].flags & GST_SHAPE_FLAG_HOLE);
  records = gst_shape_set_get_polylines (with, 0, &n);
  fail_unless_equals_int (records[0].parent, -1);
  fail_unless_equals_int (records[1].parent, 0);
  fail_unless_equals_int (records[2].parent, 1);
  gst_shape_set_unref (without);
}

TEST (small_and_large_contours_can_be_dropped)
{
  const struct
  {
    const gchar *properties;
    guint n;
  } cases[] = {
    {"", 3}, {"min-area=1", 2}, {"max-area=1", 1},
    {"min-area=1 max-area=120", 1}, {"min-points=6", 2}, {"min-points=5", 3},
    {"min-area=1000", 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstShapeSet) set = contours_of (cases[i].properties,
        VIDEO ("GRAY8", 16, 16), ring ());

    fail_unless (n_contours (set) == cases[i].n, "%s: %u", cases[i].properties,
        (guint) n_contours (set));
  }
}

TEST (measures_are_what_was_asked)
{
  gsize n;
  g_autoptr (GstShapeSet) set = contours_of ("measures=none", VIDEO ("GRAY8",
          16, 16), ring ());
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, NULL);

  fail_unless (record->area > 100 && isnan (record->perimeter));
  fail_unless (gst_shape_set_get_moments (set, 0, &n) == NULL);
  gst_shape_set_unref (set);

  set = contours_of ("measures=full", VIDEO ("GRAY8", 16, 16), ring ());
  record = gst_shape_set_get_polylines (set, 0, NULL);
  fail_unless (gst_shape_set_get_moments (set, 0, &n)->m[0] == record->area);
  fail_unless_equals_int (n, 3);
  gst_shape_set_unref (set);

  set = contours_of ("measures-only=true", VIDEO ("GRAY8", 16, 16), ring ());
  fail_unless (gst_shape_set_get_points (set, 0, &n) == NULL);
  fail_unless_equals_int (n_contours (set), 3);
  fail_unless (gst_shape_layer_get_n_points (gst_shape_set_get_layer (set,
              0)) > 10);
}

TEST (the_region_of_interest_keeps_the_picture_s_coordinates)
{
  const struct
  {
    const gchar *roi;
    guint n;
    gfloat x, y;
  } cases[] = {
    {"5,5,5,5", 1, 7, 7}, {" 5 , 5,5, 5 ", 1, 7, 7}, {"5,5,0,0", 3, 0, 0},
    {"0,0,16,16", 3, 7, 7}, {"0,0,100,100", 3, 7, 7}, {"15,15,1,1", 0, 0, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("roi=\"%s\"", cases[i].roi);
    g_autoptr (GstShapeSet) set = contours_of (properties, VIDEO ("GRAY8", 16,
            16), ring ());
    const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0,
        NULL);

    fail_unless (n_contours (set) == cases[i].n, "%s: %u", cases[i].roi,
        (guint) n_contours (set));
    fail_unless_equals_int (gst_shape_set_get_width (set), 16);
    if (cases[i].x > 0) {
      fail_unless (fabs (records[cases[i].n - 1].centroid_x -
              cases[i].x) < 1e-9);
      fail_unless (fabs (records[cases[i].n - 1].centroid_y -
              cases[i].y) < 1e-9);
    }
  }
}

/* White from the left edge to column @n_white, in 20 x 12 pixels. */
static GstBuffer *
white_up_to (guint n_white)
{
  guint8 samples[12 * 20] = { 0, };

  for (guint i = 0; i < sizeof (samples); i++)
    samples[i] = i % 20 < n_white ? 255 : 0;
  return buffer_of (samples, sizeof (samples));
}

/* By the rectangle that is white: to the middle between the last white column
 * and the first black one, or to the edge. */
TEST (contours_close_along_the_border)
{
  const struct
  {
    guint n_white;
    const gchar *roi;
    gdouble x0, y0, x1, y1;
  } cases[] = {
    {20, "", -.5, -.5, 19.5, 11.5}, {8, "", -.5, -.5, 7.5, 11.5},
    {1, "", -.5, -.5, .5, 11.5}, {20, "4,2,10,5", 3.5, 1.5, 13.5, 6.5},
    {8, "4,2,10,5", 3.5, 1.5, 7.5, 6.5}, {5, "4,2,10,5", 3.5, 1.5, 4.5, 6.5},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strdup_printf ("close-at-border=true hierarchy=true "
        "measures=full roi=\"%s\"", cases[i].roi);
    g_autoptr (GstShapeSet) set = contours_of (properties, VIDEO ("GRAY8", 20,
            12), white_up_to (cases[i].n_white));
    const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, NULL);

    fail_unless_equals_int (n_contours (set), 1);
    fail_unless (record->flags & GST_SHAPE_FLAG_CLOSED);
    fail_unless_equals_float (record->bbox_x0, cases[i].x0);
    fail_unless_equals_float (record->bbox_y0, cases[i].y0);
    fail_unless_equals_float (record->bbox_x1, cases[i].x1);
    fail_unless_equals_float (record->bbox_y1, cases[i].y1);
    fail_unless_equals_float (record->area,
        (cases[i].x1 - cases[i].x0) * (cases[i].y1 - cases[i].y0) - .5);
    gst_shape_set_unref (set);
    set = contours_of ("", VIDEO ("GRAY8", 20, 12),
        white_up_to (cases[i].n_white));
    fail_unless_equals_int (n_contours (set), cases[i].n_white < 20);
    g_free (properties);
  }
}

static gchar *
write_mask (guint width, guint height, const guint8 * samples)
{
  gchar *path = NULL;
  g_autoptr (GString) file = g_string_new (NULL);
  gint fd = g_file_open_tmp ("mask-XXXXXX.pgm", &path, NULL);

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  g_string_append_printf (file, "P5\n%u %u\n255\n", width, height);
  g_string_append_len (file, (const gchar *) samples, width * height);
  fail_unless (g_file_set_contents (path, file->str, file->len, NULL));
  return path;
}

TEST (a_mask_hides_pixels)
{
  guint8 samples[256];

  memset (samples, 255, sizeof (samples));
  samples[16 * 7 + 7] = 0;
  g_autofree gchar *path = write_mask (16, 16, samples);
  g_autofree gchar *properties = g_strdup_printf ("mask-location=%s", path);
  GstShapeSet *set = contours_of (properties, VIDEO ("GRAY8", 16, 16), ring ());
  fail_unless_equals_int (n_contours (set), 2);
  gst_shape_set_unref (set);
  g_unlink (path);
}

TEST (a_mask_covers_the_whole_picture_also_with_a_region)
{
  guint8 samples[256];

  memset (samples, 0, sizeof (samples));
  for (guint y = 5; y < 10; y++)
    memset (samples + 16 * y + 5, 1, 5);
  g_autofree gchar *path = write_mask (16, 16, samples);
  gchar *properties = g_strdup_printf ("mask-location=%s roi=4,4,12,12", path);
  GstShapeSet *set = contours_of (properties, VIDEO ("GRAY8", 16, 16), ring ());
  fail_unless_equals_int (n_contours (set), 1);
  gst_shape_set_unref (set);
  g_unlink (path);
  g_free (properties);
}

TEST (transparent_pixels_can_be_left_out)
{
  guint8 pixels[36];

  for (guint i = 0; i < 9; i++) {
    memset (pixels + 4 * i, i == 4 ? 255 : 0, 3);
    pixels[4 * i + 3] = 1;
  }
  g_autoptr (GstShapeSet) set = contours_of ("mask-alpha=true", VIDEO ("RGBA",
          3, 3), buffer_of (pixels, 36));
  fail_unless_equals_int (n_contours (set), 1);
  gst_shape_set_unref (set);
  pixels[4 * 4 + 3] = 0;
  set = contours_of ("mask-alpha=true", VIDEO ("RGBA", 3, 3),
      buffer_of (pixels, 36));
  fail_unless_equals_int (n_contours (set), 0);
}

TEST (pictures_without_cells_have_no_contours)
{
  const gchar *caps[] = { VIDEO ("GRAY8", 1, 1), VIDEO ("NV12", 1, 1),
    VIDEO ("RGB", 1, 1), VIDEO ("GRAY8", 1, 40), VIDEO ("GRAY8", 40, 1)
  };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    GstVideoInfo info;
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps[i]);

    gst_video_info_from_caps (&info, parsed);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 200, -1);
    g_autoptr (GstShapeSet) set =
        contours_of ("auto-level=true measures=full hierarchy=true", caps[i],
        buffer);
    fail_unless_equals_int (n_contours (set), 0);
  }
}

TEST (more_segments_than_expected_lose_nothing)
{
  const guint side = 301;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 304 * side, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < 304; x++)
      map.data[304 * y + x] = x % 2 && y % 2 ? 255 : 0;
  gst_buffer_unmap (buffer, &map);
  g_autoptr (GstShapeSet) set = contours_of ("max-segments=1", VIDEO ("GRAY8",
          301, 301), buffer);
  fail_unless_equals_int (n_contours (set), 150 * 150);
}

/* Errors */

static void
assert_refused (const gchar * properties, const gchar * caps,
    const gchar * what)
{
  g_autoptr (GstHarness) h = contours_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4096, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  gst_harness_set_src_caps_str (h, caps);
  fail_if (gst_harness_push (h, buffer) == GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, what);
  fail_unless (gst_harness_try_pull (h) == NULL);
}

TEST (wrong_settings_are_errors_that_say_what_to_do)
{
  const gchar *gray = VIDEO ("GRAY8", 16, 16);

  assert_refused ("levels=0.5;0.6", gray, "levels=");
  assert_refused ("levels=a", gray, "not a comma-separated list of numbers");
  assert_refused ("levels=1,", gray, "not a comma-separated list of numbers");
  assert_refused ("levels=nan", gray, "not a comma-separated list of numbers");
  assert_refused ("levels=inf", gray, "not a comma-separated list of numbers");
  assert_refused ("roi=1,2,3", gray, "four numbers");
  assert_refused ("roi=-1,2,3,4", gray, "four numbers");
  assert_refused ("roi=1.5,2,3,4", gray, "four numbers");
  assert_refused ("classes=1", gray, "for tensors");
  assert_refused ("channel=r", gray, "videoconvert");
  assert_refused ("channel=a", VIDEO ("RGB", 16, 16), "no such channel");
  assert_refused ("mask-alpha=true", gray, "alpha");
  assert_refused ("mask-alpha=true", VIDEO ("RGBA64_LE", 16, 16), "8 bits");
  assert_refused ("mask-location=/nonexistent.pgm", gray, "no mask");
  assert_refused ("mask-location=/dev/zero", gray, "only regular files");
}

TEST (a_mask_of_another_size_is_a_clear_error)
{
  guint8 samples[256] = { 0, };
  g_autofree gchar *path = write_mask (8, 8, samples);
  g_autofree gchar *properties = g_strdup_printf ("mask-location=%s", path);

  assert_refused (properties, VIDEO ("GRAY8", 16, 16),
      "has 8 x 8 pixels, the frame 16 x 16");
  g_free (properties);
  properties = g_strdup_printf ("mask-location=%s mask-alpha=true", path);
  assert_refused (properties, VIDEO ("RGBA", 8, 8), "together");
  g_free (properties);
  fail_unless (g_file_set_contents (path, "\211PNG", 4, NULL));
  properties = g_strdup_printf ("mask-location=%s", path);
  assert_refused (properties, VIDEO ("GRAY8", 16, 16), "pngenc");
  g_unlink (path);
}

TEST (a_level_out_of_range_is_one_warning_and_no_contours)
{
  const gchar *properties[] = { "level=128", "level=-0.1", "level=1",
    "level=256 level-unit=sample"
  };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_autoptr (GstHarness) h = contours_new (properties[i]);
    g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

    gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 16, 16));
    for (guint frame = 0; frame < 3; frame++) {
      g_autoptr (GstBuffer) buffer = run (h, ring ());

      fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (buffer)),
          0);
    }
    assert_message (bus, GST_MESSAGE_WARNING, "outside the samples' range");
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  }
}

TEST (a_region_outside_the_frame_is_a_warning_and_no_contours)
{
  g_autoptr (GstHarness) h = contours_new ("roi=16,0,5,5");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 16, 16));
  GstBuffer *buffer = run (h, ring ());
  fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (buffer)), 0);
  gst_buffer_unref (buffer);
  assert_message (bus, GST_MESSAGE_WARNING, "outside the frame");
}

TEST (a_short_frame_is_dropped_and_counted)
{
  g_autoptr (GstHarness) h = contours_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  guint64 dropped;

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 16, 16));
  gst_buffer_unref (run (h, ring ()));
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 255, NULL);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_harness_get (h, "cudacontours", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 2);
  assert_message (bus, GST_MESSAGE_WARNING, "too short");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_buffer_unref (run (h, ring ()));
}

static gboolean
init_tensor_meta (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  return TRUE;
}

/* What onnxinference and tfliteinference attach; this GStreamer need not have
 * it. */
static const GstMetaInfo *
get_tensor_meta (void)
{
  static const gchar *tags[] = { NULL };
  GType api = g_type_from_name ("GstTensorMetaAPI");

  if (api == 0)
    api = gst_meta_api_type_register ("GstTensorMetaAPI", tags);
  return gst_meta_register (api, "TestTensorMeta", sizeof (GstMeta),
      init_tensor_meta, NULL, NULL);
}

TEST (tensors_that_are_not_read_are_one_warning)
{
  const GstMetaInfo *info = get_tensor_meta ();
  g_autoptr (GstHarness) h = contours_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 16, 16));
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 256, NULL);

    gst_buffer_memset (buffer, 0, 0, 256);
    if (i > 0)
      gst_buffer_add_meta (buffer, info, NULL);
    gst_buffer_unref (run (h, buffer));
    if (i == 1)
      assert_message (bus, GST_MESSAGE_WARNING, "image-source=tensor-meta");
    else
      fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  }
}

#ifndef HAVE_ANALYTICS
TEST (metadata_that_this_build_lacks_is_an_error)
{
  assert_refused ("image-source=tensor-meta", VIDEO ("GRAY8", 16, 16),
      "1.26 or later");
}
#endif

SUITE (video) {}
