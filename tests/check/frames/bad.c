/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Malformed frames: all elements that read or write frames drop them in the
 * same way, and access nothing outside of the frame. */

#include <gst/video/video.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define WIDTH 64
#define HEIGHT 48
#define Y_SIZE (WIDTH * HEIGHT)
#define SIZE (Y_SIZE * 3 / 2)
#define CAPS "video/x-raw,format=NV12,width=64,height=48,framerate=25/1"

/* All elements that filter frames, or add shapes to them. */
static const gchar *const elements[] = {
  "cudacontours backend=cpu",
  "cudahull backend=cpu source=mask",
  "cudallf backend=cpu",
  "cudacircles backend=cpu circles=<[circle,x=20,y=20,r=9.5]>",
  "shapeoverlay",
  "shapeoverlay fill-opacity=0.5 draw-points=true",
  "shapestats backend=cpu",
  "fourierdraw backend=cpu mode=live",
  "fourierdraw backend=cpu mode=live background=frame",
};

/* Frames */

/* Triangles that cover most of the frame, so that all of it is written. */
static void
add_shapes (GstBuffer * buffer)
{
  static const GstShapePoint points[] = { {1, 1}, {62, 1}, {1, 46}, {1, 1},
  {62, 2}, {62, 46}, {2, 46}, {62, 2}
  };
  static const guint32 offsets[] = { 0, 4, 8 };
  const GstShapePolyline lines[2] = {
    {.id = 0,.parent = -1,.flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 1,.parent = -1,.flags = GST_SHAPE_FLAG_CLOSED}
  };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (WIDTH, HEIGHT);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 8,
          offsets, lines, 2, NULL));
  gst_buffer_add_shape_meta (buffer, set);
}

/* A gray square on black; @size bytes of it. */
static GstBuffer *
frame_of_size (gsize size)
{
  guint8 *data = g_malloc (SIZE);
  GstBuffer *buffer = gst_buffer_new ();

  memset (data, 0, Y_SIZE);
  memset (data + Y_SIZE, 128, SIZE - Y_SIZE);
  for (guint y = 12; y < 36; y++)
    for (guint x = 16; x < 48; x++)
      data[y * WIDTH + x] = 200;
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, data, SIZE, 0,
          size, data, g_free));
  return buffer;
}

typedef struct
{
  const gchar *name;
  gsize size;
  gboolean has_meta;
  GstVideoFormat format;
  guint width, height;
  gsize offset[2];
  gint stride[2];
} Frame;

#define META(offset0, offset1, stride0, stride1) SIZE, TRUE, \
  GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT, {offset0, offset1}, {stride0, stride1}

static const Frame bad_frames[] = {
  {"a byte short", SIZE - 1},
  {"one plane only", Y_SIZE},
  {"one byte", 1},
  {"no byte", 0},
  {"first plane behind the end", META (SIZE, Y_SIZE, WIDTH, WIDTH)},
  {"second plane behind the end", META (0, SIZE, WIDTH, WIDTH)},
  {"second plane a byte too far", META (0, Y_SIZE + 1, WIDTH, WIDTH)},
  {"offset as large as can be", META (0, G_MAXSIZE, WIDTH, WIDTH)},
  {"offset that wraps around", META (G_MAXSIZE - 64, Y_SIZE, WIDTH, WIDTH)},
  {"rows too far apart", META (0, Y_SIZE, 2 * WIDTH, WIDTH)},
  {"rows of chroma too far apart", META (0, Y_SIZE, WIDTH, WIDTH + 1)},
  {"rows as far apart as can be", META (0, Y_SIZE, G_MAXINT, G_MAXINT)},
  {"rows that overlap", META (0, Y_SIZE, WIDTH - 1, WIDTH)},
  {"rows upwards", META (Y_SIZE - WIDTH, Y_SIZE, -WIDTH, WIDTH)},
  {"rows upwards from the beginning", META (0, Y_SIZE, -WIDTH, WIDTH)},
  {"rows far upwards", META (0, Y_SIZE, G_MININT, WIDTH)},
  {"all in one row", META (0, Y_SIZE, 0, 0)},
  {"less wide than the caps", SIZE, TRUE, GST_VIDEO_FORMAT_NV12, WIDTH - 2,
      HEIGHT, {0, Y_SIZE}, {WIDTH, WIDTH}},
  {"less high than the caps", SIZE, TRUE, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT - 2, {0, Y_SIZE}, {WIDTH, WIDTH}},
  {"without pixels", SIZE, TRUE, GST_VIDEO_FORMAT_NV12, 0, 0, {0, Y_SIZE},
      {WIDTH, WIDTH}},
  {"larger than the memory", SIZE, TRUE, GST_VIDEO_FORMAT_NV12, 2 * WIDTH,
      2 * HEIGHT, {0, 4 * Y_SIZE}, {2 * WIDTH, 2 * WIDTH}},
  {"another format", SIZE, TRUE, GST_VIDEO_FORMAT_NV21, WIDTH, HEIGHT,
      {0, Y_SIZE}, {WIDTH, WIDTH}},
  {"fewer planes", SIZE, TRUE, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, {0},
      {WIDTH}},
};

static GstBuffer *
make_frame (const Frame * frame, gboolean has_shapes)
{
  GstBuffer *buffer = frame_of_size (frame->size);

  if (frame->has_meta) {
    GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
        GST_VIDEO_FRAME_FLAG_NONE, frame->format, 16, 16);

    meta->width = frame->width;
    meta->height = frame->height;
    for (guint i = 0; i < meta->n_planes; i++) {
      meta->offset[i] = frame->offset[i];
      meta->stride[i] = frame->stride[i];
    }
  }
  if (has_shapes)
    add_shapes (buffer);
  return buffer;
}

static GstBuffer *
good_frame (gboolean has_shapes)
{
  static const Frame whole = { "all", SIZE };

  return make_frame (&whole, has_shapes);
}

/* Elements */

static gchar *
name_of (const gchar * line)
{
  return g_strndup (line, strcspn (line, " "));
}

/* shapeoverlay and shapestats need shapes; the others do not. */
static gboolean
needs_shapes (const gchar * line)
{
  return g_str_has_prefix (line, "shapeoverlay")
      || g_str_has_prefix (line, "shapestats");
}

static guint64
get_dropped (GstHarness * h, const gchar * name)
{
  guint64 dropped;

  gst_harness_get (h, name, "dropped", &dropped, NULL);
  return dropped;
}

#define TOLD (GST_MESSAGE_QOS | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)

/* Fails unless the next message is the QoS message of the @nth dropped
 * frame. */
static void
assert_qos (GstBus * bus, const gchar * what, guint64 nth)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, TOLD);
  GstFormat format;
  guint64 dropped;

  fail_unless (message != NULL, "%s: no message", what);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS, "%s: %s", what,
      GST_MESSAGE_TYPE_NAME (message));
  gst_message_parse_qos_stats (message, &format, NULL, &dropped);
  fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
  fail_unless_equals_uint64 (dropped, nth);
}

static void
drop_all (const gchar * line)
{
  const gboolean has_shapes = needs_shapes (line);
  g_autofree gchar *name = name_of (line);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  g_autoptr (GstBus) bus = take_bus (h, name);

  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (bad_frames); i++) {
    gchar *what = g_strdup_printf ("%s: %s", line, bad_frames[i].name);
    GstBuffer *buffer = make_frame (&bad_frames[i], has_shapes);
    GstBuffer *copy = gst_buffer_copy_deep (buffer);

    /* one that may be written where it is, and one that others hold, too */
    fail_unless (gst_harness_push (h, copy) == GST_FLOW_OK, "%s", what);
    gst_buffer_ref (buffer);
    fail_unless (gst_harness_push (h, buffer) == GST_FLOW_OK, "%s", what);
    gst_buffer_unref (buffer);
    fail_unless (gst_harness_try_pull (h) == NULL, "%s", what);
    fail_unless (get_dropped (h, name) == 2 * i + 2, "%s: %" G_GUINT64_FORMAT,
        what, get_dropped (h, name));
    /* told once */
    if (i == 0)
      assert_message (bus, GST_MESSAGE_WARNING, "left out");
    assert_qos (bus, what, 2 * i + 1);
    assert_qos (bus, what, 2 * i + 2);
    g_free (what);
  }
  /* the stream continues */
  fail_unless (gst_bus_pop_filtered (bus, TOLD) == NULL, "%s", line);
  gst_buffer_unref (run (h, good_frame (has_shapes)));
}

TEST_LOOP (every_element_drops_counts_and_reports_them, 0,
    G_N_ELEMENTS (elements))
{
  drop_all (elements[__i__]);
}

TEST_LOOP (a_new_stream_is_told_again, 0, G_N_ELEMENTS (elements))
{
  const gchar *line = elements[__i__];
  g_autofree gchar *name = name_of (line);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  g_autoptr (GstElement) element = gst_harness_find_element (h, name);
  g_autoptr (GstBus) bus = take_bus (h, name);

  for (guint i = 0; i < 2; i++) {
    gst_harness_set_src_caps_str (h, CAPS);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&bad_frames[0],
                needs_shapes (line))), GST_FLOW_OK);
    assert_message (bus, GST_MESSAGE_WARNING, "too short");
    fail_unless_equals_uint64 (get_dropped (h, name), i + 1);
    change_state (h, element, 1);
  }
}

/* Larger than the caps, but within the memory, is valid: a decoder's
 * padding. */
TEST_LOOP (a_larger_frame_whose_memory_is_there_is_taken, 0,
    G_N_ELEMENTS (elements))
{
  const gchar *line = elements[__i__];
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * SIZE, NULL);
  gsize offset[4] = { 7, 4 * Y_SIZE + 9 };
  gint stride[4] = { 2 * WIDTH, 2 * WIDTH };

  gst_buffer_memset (buffer, 0, 90, -1);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, WIDTH + 8, HEIGHT + 8, 2, offset, stride);
  if (needs_shapes (line))
    add_shapes (buffer);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_unref (run (h, buffer));
}

/* Films */

static GPtrArray *
film_of (const gchar * line, gboolean has_bad_ones, GstBus ** bus)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GPtrArray *frames =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  g_autoptr (GstBus) own = take_bus (h, "fourierdraw");
  GstBuffer *buffer;
  guint k;

  gst_harness_set_live (h, FALSE);
  gst_harness_set_sink_caps_str (h, "video/x-raw,framerate=5/1");
  gst_harness_set_src_caps_str (h, CAPS);
  for (k = 0; k < 2; k++) {
    for (guint i = 0; has_bad_ones && i < G_N_ELEMENTS (bad_frames); i++)
      fail_unless_equals_int (gst_harness_push (h, make_frame (&bad_frames[i],
                  FALSE)), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_push (h, good_frame (FALSE)),
        GST_FLOW_OK);
  }
  for (guint i = 0; has_bad_ones && i < G_N_ELEMENTS (bad_frames); i++)
    fail_unless_equals_int (gst_harness_push (h, make_frame (&bad_frames[i],
                FALSE)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  do {
    g_autoptr (GstEvent) event = gst_harness_pull_event (h);

    fail_unless (event != NULL, "%s: no end", line);
    k = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  } while (!k);
  while ((buffer = gst_harness_try_pull (h)))
    g_ptr_array_add (frames, buffer);
  fail_unless_equals_uint64 (get_dropped (h, "fourierdraw"),
      has_bad_ones ? 3 * G_N_ELEMENTS (bad_frames) : 0);
  *bus = gst_object_ref (own);
  return frames;
}

TEST_LOOP (films_are_those_of_the_good_pictures, 0, 2)
{
  static const gchar *const lines[] = {
    "fourierdraw backend=cpu mode=redraw duration=1 hold=0",
    "fourierdraw backend=cpu mode=redraw duration=1 hold=0 background=frame",
  };
  const gchar *line = lines[__i__];
  g_autoptr (GstBus) bus = NULL, quiet = NULL;
  g_autoptr (GPtrArray) expected = film_of (line, FALSE, &quiet);
  g_autoptr (GPtrArray) frames = film_of (line, TRUE, &bus);

  fail_unless (expected->len >= 10);
  fail_unless_equals_int (frames->len, expected->len);
  for (guint i = 0; i < frames->len; i++)
    fail_unless (same_bytes (g_ptr_array_index (frames, i),
            g_ptr_array_index (expected, i)), "frame %u", i);
  assert_message (bus, GST_MESSAGE_WARNING, "left out");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING |
          GST_MESSAGE_ERROR) == NULL);
  fail_unless (gst_bus_pop_filtered (quiet, TOLD) == NULL);
}

SUITE (bad) {}
