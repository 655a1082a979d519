/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements that write pixels, on a GPU: frames in ordinary memory stay as they
 * are, and what comes out is in page-locked memory, with all that the frame
 * carried; page-locked frames are written where they are. */

#include "gpu_test.h"

#define WIDTH 62
#define HEIGHT 45

typedef struct
{
  const gchar *line, *format;
  gboolean is_left;             /* whether a writable frame is left alone */
} Case;

static const Case cases[] = {
  {"shapeoverlay backend=cuda", "NV12", TRUE},
  {"shapeoverlay backend=cuda", "RGBx", TRUE},
  {"cudacircles backend=cuda scene=pattern", "I420", TRUE},
  {"cudacircles backend=cuda scene=pattern background=frame", "RGBA", TRUE},
  {"cudallf backend=cuda", "GRAY8", TRUE},
  {"cudallf backend=cuda", "xRGB", TRUE},
  {"cudallf backend=cuda chroma=scale", "NV12", TRUE},
  /* chroma need not be copied */
  {"cudallf backend=cuda", "NV12", FALSE},
};

static GstShapeSet *
make_set (void)
{
  GError *error = NULL;
  GstShapeSet *set = gst_shape_set_from_json ("{\"version\":1,\"width\":62,"
      "\"height\":45,\"shapes\":[{\"id\":0,\"kind\":\"contour\",\"class\":0,"
      "\"closed\":true,\"points\":[[10,10],[50,12],[30,40],[10,10]]}]}",
      &error);

  fail_unless (set != NULL, "%s", error ? error->message : "");
  return set;
}

static void
describe (GstBuffer * buffer)
{
  g_autoptr (GstShapeSet) set = make_set ();

  GST_BUFFER_PTS (buffer) = 7 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 3;
  GST_BUFFER_OFFSET (buffer) = 11;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  gst_buffer_add_shape_meta (buffer, set);
  gst_buffer_add_video_region_of_interest_meta (buffer, "fruit", 1, 2, 3, 4);
}

static void
assert_described (GstBuffer * buffer)
{
  const GstVideoRegionOfInterestMeta *region =
      gst_buffer_get_video_region_of_interest_meta_id (buffer, 0);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 7 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 3);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 11);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER));
  fail_unless (gst_buffer_get_shape_set (buffer) != NULL);
  fail_unless (region != NULL && region->w == 3);
}

/* The same bytes, in memory that the buffer does not free. */
static GstBuffer *
wrap (GstBuffer * noise, gpointer * data, gsize * size)
{
  gst_buffer_extract_dup (noise, 0, -1, data, size);
  return gst_buffer_new_wrapped_full (0, *data, *size, 0, *size, NULL, NULL);
}

static GstHarness *
start (const gchar * line, const gchar * caps)
{
  GstHarness *h = harness_on (test_context, line);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

TEST_LOOP (test_ordinary_frames_stay_and_results_are_page_locked, 0,
    G_N_ELEMENTS (cases))
{
  const Case *c = &cases[__i__];
  g_autofree gchar *caps = video_caps ("", c->format, WIDTH, HEIGHT);
  g_autoptr (GstBuffer) noise = video_noise (caps, 5);
  g_autoptr (GstHarness) h = start (c->line, caps);

  /* the third frame gets the memory of the first */
  for (guint i = 0; i < 3; i++) {
    gpointer data;
    gsize size;
    GstBuffer *in = wrap (noise, &data, &size);

    describe (in);
    g_autoptr (GstBuffer) out = run (h, in);
    assert_described (out);
    fail_unless_equals_int (gst_is_shapes_pinned_memory (gst_buffer_peek_memory
            (out, 0)), c->is_left);
    fail_unless_equals_int (gst_buffer_memcmp (noise, 0, data, size) == 0,
        c->is_left);
    /* and something has been painted */
    fail_unless (gst_buffer_memcmp (out, 0, data, MIN (size,
                gst_buffer_get_size (out))) != 0 || !c->is_left);
    g_free (data);
  }
}

TEST_LOOP (test_page_locked_frames_are_written_where_they_are, 0,
    G_N_ELEMENTS (cases))
{
  const Case *c = &cases[__i__];
  g_autofree gchar *caps = video_caps ("", c->format, WIDTH, HEIGHT);
  g_autoptr (GstHarness) h = start (c->line, caps);
  GstBuffer *in = in_pinned_memory (h, caps, video_noise (caps, 5));
  GstMemory *memory = gst_buffer_peek_memory (in, 0);

  fail_unless (gst_is_shapes_pinned_memory (memory));
  describe (in);
  g_autoptr (GstBuffer) out = run (h, in);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  assert_described (out);
}

/* What a queue holds is written by no later frame. */
TEST (test_frames_downstream_stay)
{
  g_autofree gchar *caps = video_caps ("", "RGBx", WIDTH, HEIGHT);
  g_autoptr (GstHarness) h = start ("cudacircles backend=cuda scene=pattern "
      "background=frame", caps);
  GstBuffer *held[20];

  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    held[i] = run (h, video_noise (caps, i));
  g_autoptr (GstBuffer) again = run (h, video_noise (caps, 0));
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (held[i], &map, GST_MAP_READ));
    fail_unless_equals_int (gst_buffer_memcmp (again, 0, map.data,
            map.size) == 0, i == 0);
    gst_buffer_unmap (held[i], &map);
    gst_buffer_unref (held[i]);
  }
}

TEST (test_drawings_are_page_locked)
{
  g_autofree gchar *caps = video_caps ("", "RGBx", WIDTH, HEIGHT);
  GstHarness *h = start ("fourierdraw backend=cuda mode=live detect=iso "
      "n-vectors=10", caps);
  g_autoptr (GstBuffer) out = run (h, video_noise (caps, 1));

  fail_unless (gst_is_shapes_pinned_memory (gst_buffer_peek_memory (out, 0)));
  gst_harness_teardown (h);
}

/* Answers an allocation query with a pool of ordinary memory. */
static GstPadProbeReturn
offer_pool (GstPad * pad, GstPadProbeInfo * info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstVideoInfo video;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  fail_unless (gst_video_info_from_caps (&video, caps));
  gst_query_add_allocation_pool (query, pool, GST_VIDEO_INFO_SIZE (&video), 0,
      0);
  return GST_PAD_PROBE_HANDLED;
}

/* Downstream knows what memory its pool should have. */
TEST (test_drawings_are_in_the_pool_of_downstream)
{
  g_autofree gchar *caps = video_caps ("", "RGBx", WIDTH, HEIGHT);
  g_autoptr (GstHarness) h = harness_on (test_context,
      "fourierdraw backend=cuda " "mode=live detect=iso n-vectors=10");
  g_autoptr (GstBufferPool) pool = gst_video_buffer_pool_new ();

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_PUSH, offer_pool, pool, NULL);
  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) out = run (h, video_noise (caps, 1));
  fail_unless (out->pool == pool);
  fail_if (gst_is_shapes_pinned_memory (gst_buffer_peek_memory (out, 0)));
}

GPU_SUITE (output)
{
  tcase_set_timeout (tcase, 120);
}
