/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacircles in a stream: strides and times. What all elements do in one is in
 * ../frames/contract.c. */

#include "circles_test.h"

#define DISC "circles=\"<[circle,x=9,y=7,r=5,color=(uint)0x80ff0000]>\" "

/* Rows with padding, and planes with gaps between them, as GstVideoMeta has
 * them: the padding stays as it is. */
TEST (padded_strides)
{
  static const gchar *const formats[] = { "RGBA", "RGB", "NV12", "I420",
    "P010_10LE", "GRAY8"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstHarness) h = circles_new (DISC), h2 = circles_new (DISC);
    GstVideoInfo info;
    g_autofree gchar *caps = make_caps (&info, formats[i], 21, 15, "");
    GstVideoAlignment alignment;
    GstVideoFrame a, b;

    gst_video_alignment_reset (&alignment);
    alignment.padding_right = 10;
    alignment.padding_bottom = 6;
    alignment.padding_top = 2;
    GstVideoInfo padded = info;
    fail_unless (gst_video_info_align (&padded, &alignment));
    GstBuffer *wide = gst_buffer_new_allocate (NULL, padded.size + 64, NULL);
    gst_buffer_memset (wide, 0, 0xa5, -1);
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&padded); p++)
      padded.offset[p] += 32;
    gst_buffer_add_video_meta_full (wide, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (&info), 21, 15,
        GST_VIDEO_INFO_N_PLANES (&padded), padded.offset, padded.stride);
    fill_frame (&info, wide, 9);
    g_autoptr (GstBuffer) before = gst_buffer_copy_deep (wide);
    g_autoptr (GstBuffer) dense = noise_buffer (&info, 9);

    gst_harness_set_src_caps_str (h, caps);
    gst_harness_set_src_caps_str (h2, caps);
    wide = run (h, wide);
    dense = run (h2, dense);
    fail_unless (gst_video_frame_map (&a, &info, wide, GST_MAP_READWRITE));
    fail_unless (gst_video_frame_map (&b, &info, dense, GST_MAP_READ));
    for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&a); c++)
      for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&a, c); y++)
        for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&a, c); x++)
          fail_unless (get_code (&a, c, x, y) == get_code (&b, c, x, y),
              "%s: component %u of %u,%u", formats[i], c, x, y);
    gst_video_frame_unmap (&a);
    gst_video_frame_unmap (&b);
    /* with the pixels as they were, all is as it was */
    fill_frame (&info, wide, 9);
    fail_unless (same_bytes (wide, before), "%s: the padding", formats[i]);
    gst_buffer_unref (wide);
  }
}

/* Time */

static GstBuffer *
frame_at (const gchar * properties, const gchar * rate, GstClockTime pts,
    guint n_before)
{
  g_autoptr (GstHarness) h = circles_new (properties);
  GstVideoInfo info;

  g_free (make_caps (&info, "RGBA", 48, 48, ""));
  gchar *text = g_strdup_printf ("video/x-raw,format=RGBA,width=48,height=48,"
      "framerate=%s", rate);
  gchar *caps = text;
  gst_harness_set_src_caps_str (h, caps);
  while (n_before--)
    gst_buffer_unref (run (h, noise_buffer (&info, 2)));
  GstBuffer *buffer = noise_buffer (&info, 2);
  GST_BUFFER_PTS (buffer) = pts;
  buffer = run (h, buffer);
  g_free (text);
  return buffer;
}

TEST_LOOP (the_same_time_shows_the_same_picture, 0, 4)
{
  static const gchar *const scenes[] = { "scene=snow", "scene=bouncingballs",
    "scene=fireworks", "scene=hypnosis"
  };
  const gchar *properties = scenes[__i__];
  g_autoptr (GstBuffer) a = frame_at (properties, "25/1", 4 * GST_SECOND, 0);
  g_autoptr (GstBuffer) b = frame_at (properties, "30/1", 4 * GST_SECOND, 3);
  GstBuffer *other = frame_at (properties, "25/1", 4100 * GST_MSECOND, 0);
  /* without times, frames are counted: the 100th of 25 a second */
  GstBuffer *counted = frame_at (properties, "25/1", GST_CLOCK_TIME_NONE, 100);
  GstBuffer *unknown = frame_at (properties, "0/1", GST_CLOCK_TIME_NONE, 120);

  fail_unless (same_bytes (a, b));
  fail_if (same_bytes (a, other));
  fail_unless (same_bytes (a, counted));
  fail_unless (same_bytes (a, unknown));
  gst_buffer_unref (other);
  gst_buffer_unref (counted);
  gst_buffer_unref (unknown);
}

/* It is the stream time that counts: where the segment begins, not the PTS. */
TEST (a_segment_moves_the_scene)
{
  g_autoptr (GstHarness) h = circles_new ("scene=bouncingballs");
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGBA", 48, 48, "");
  GstBuffer *a = frame_at ("scene=bouncingballs", "25/1", 2 * GST_SECOND, 0);
  g_autoptr (GstBuffer) b = noise_buffer (&info, 2);
  GstSegment segment;

  gst_harness_set_src_caps_str (h, caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 100 * GST_SECOND;
  segment.time = GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  GST_BUFFER_PTS (b) = 101 * GST_SECOND;
  b = run (h, b);
  fail_unless (same_bytes (a, b));
  gst_buffer_unref (a);
}

TEST (the_number_of_threads_does_not_matter)
{
  GstBuffer *one = frame_at ("scene=rand10k n-threads=1", "25/1", 0, 0);
  GstBuffer *four = frame_at ("scene=rand10k n-threads=4", "25/1", 0, 0);

  fail_unless (same_bytes (one, four));
  gst_buffer_unref (one);
  gst_buffer_unref (four);
}

TEST (flushing_counts_anew)
{
  g_autoptr (GstHarness) h = circles_new ("scene=snow");
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGBA", 48, 48, "");

  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) first = run (h, noise_buffer (&info, 2));
  g_autoptr (GstBuffer) later = run (h, noise_buffer (&info, 2));
  fail_if (same_bytes (first, later));
  flush (h, 0);
  g_autoptr (GstBuffer) again = run (h, noise_buffer (&info, 2));
  fail_unless (same_bytes (first, again));
}

SUITE (streams) {}
