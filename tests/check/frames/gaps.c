/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gaps and flags: buffers with GST_BUFFER_FLAG_GAP, with and without memory,
 * go through all elements in time and in order, and nothing is drawn from those
 * that have none. */

#include "elements.h"

/* Every element of the plugin is in the table. */
TEST (no_element_is_left_out)
{
  GList *features = gst_registry_get_feature_list_by_plugin
      (gst_registry_get (), "cudashapes");
  guint n = 0;

  for (GList *at = features; at; at = at->next) {
    const gchar *name = gst_plugin_feature_get_name (at->data);
    gboolean found = FALSE;

    if (!GST_IS_ELEMENT_FACTORY (at->data))
      continue;
    for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
      const gsize length = strlen (name);

      found = found || (g_str_has_prefix (elements[i].line, name) &&
          (elements[i].line[length] == 0 || elements[i].line[length] == ' '));
    }
    fail_unless (found, "%s", name);
    n++;
  }
  fail_unless (n >= 15);
  gst_plugin_feature_list_free (features);
}

static GstBuffer *
make_gap (const Element * element, guint i, gboolean has_memory)
{
  GstBuffer *gap = has_memory ? make_buffer (element, i) : gst_buffer_new ();

  GST_BUFFER_PTS (gap) = i * FRAME;
  GST_BUFFER_DURATION (gap) = FRAME;
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  return gap;
}

static void
assert_quiet (Stream * stream, const gchar * line)
{
  GstMessage *message = gst_bus_pop_filtered (stream->bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_QOS);
  guint64 dropped = 0;

  if (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_QOS) {
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    fail ("%s: %s", line, error->message);
  }
  fail_unless (message == NULL, "%s: a frame was dropped", line);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (stream->element),
          "dropped"))
    g_object_get (stream->element, "dropped", &dropped, NULL);
  fail_unless (dropped == 0, "%s", line);
}

/* Gaps */

static void
assert_gap_passes (const Element * element, gboolean has_memory)
{
  Stream stream = begin (element);

  for (guint i = 0; i < 5; i++) {
    const gboolean is_gap = i == 1 || i == 2;
    GstBuffer *in = is_gap ? make_gap (element, i, has_memory) :
        make_buffer (element, i);

    fail_unless_equals_int (gst_harness_push (stream.h, in), GST_FLOW_OK);
    if (is_gap && (element->is & TAKES_TEXT) && !has_memory)
      continue;
    g_autoptr (GstBuffer) out = element->is & COMBINES
        ? gst_harness_pull (stream.h) : gst_harness_try_pull (stream.h);
    fail_unless (out != NULL, "%s: nothing comes of buffer %u", element->line,
        i);
    fail_unless (gst_harness_try_pull (stream.h) == NULL);
    if (!(element->is & TAKES_TEXT)) {
      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), FRAME);
    }
    if (is_gap && !has_memory && !strstr (element->line, "enc"))
      fail_unless (gst_buffer_get_size (out) == 0 &&
          GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP), "%s",
          element->line);
  }
  assert_quiet (&stream, element->line);
  end (&stream);
}

TEST_TO_ADD (gaps_without_memory_pass)
{
  assert_gap_passes (&elements[__i__], FALSE);
}

TEST_TO_ADD (gaps_with_memory_pass)
{
  assert_gap_passes (&elements[__i__], TRUE);
}

TEST_TO_ADD (gap_events_pass)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);

  fail_unless_equals_int (gst_harness_push (stream.h, make_buffer (element,
              0)), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (stream.h));
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_gap (FRAME,
              FRAME)));
  assert_event (&stream, element, GST_EVENT_GAP);
  fail_unless_equals_int (gst_harness_push (stream.h, make_buffer (element,
              2)), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (stream.h));
  assert_quiet (&stream, element->line);
  end (&stream);
}

/* Before there is anything to draw, and when nothing else comes. */
TEST_TO_ADD (a_gap_may_be_the_first)
{
  const Element *element = &elements[__i__];

  for (guint i = 0; i < 2; i++) {
    Stream stream = begin (element);

    fail_unless_equals_int (gst_harness_push (stream.h, make_gap (element, 0,
                i > 0)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (stream.h));
    fail_unless_equals_int (gst_harness_push (stream.h, make_buffer (element,
                1)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (stream.h));
    assert_quiet (&stream, element->line);
    end (&stream);
    stream = begin (element);
    fail_unless_equals_int (gst_harness_push (stream.h, make_gap (element, 0,
                i > 0)), GST_FLOW_OK);
    gst_harness_push_event (stream.h, gst_event_new_eos ());
    gst_buffer_unref (gst_harness_pull (stream.h));
    end (&stream);
  }
}

/* How many frames "fourierdraw mode=MODE" makes of pictures, with gaps between
 * them, or without. */
static guint
count_frames (const gchar * mode, gboolean gaps)
{
  gchar *line = g_strdup_printf ("fourierdraw backend=cpu min-points=1 mode=%s "
      "duration=0.2 hold=0", mode);
  const Element element = { line, GRAY };
  Stream stream = begin (&element);
  GstEventType type = GST_EVENT_UNKNOWN;
  GstBuffer *frame;
  guint n = 0;

  /* no picture is left out */
  gst_harness_set_live (stream.h, FALSE);
  for (guint i = 0; i < 6; i++)
    if (i % 3 == 1)
      gst_harness_push (stream.h, make_buffer (&element, i));
    else if (gaps)
      gst_harness_push (stream.h, make_gap (&element, i, i % 3 == 2));
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  while (type != GST_EVENT_EOS) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (stream.h);

    type = GST_EVENT_TYPE (event);
  }
  while ((frame = gst_harness_try_pull (stream.h))) {
    n++;
    gst_buffer_unref (frame);
  }
  assert_quiet (&stream, line);
  end (&stream);
  g_free (line);
  return n;
}

TEST (a_gap_is_no_picture_of_a_film)
{
  fail_unless_equals_int (count_frames ("redraw", FALSE), 10);
  fail_unless_equals_int (count_frames ("redraw", TRUE), 10);
  fail_unless_equals_int (count_frames ("still", FALSE), 2);
  fail_unless_equals_int (count_frames ("still", TRUE), 2);
}

/* Flags */

TEST_TO_ADD (flags_stay)
{
  static const GstBufferFlags flags[] = { GST_BUFFER_FLAG_DISCONT,
    GST_BUFFER_FLAG_DROPPABLE, GST_BUFFER_FLAG_CORRUPTED
  };
  const Element *element = &elements[__i__];
  Stream stream = begin (element);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (flags); i++) {
    const GstBufferFlags flag = flags[i / 2];
    /* the first one of a stream is a discontinuity */
    const gboolean is_set = i % 2 == (flag == GST_BUFFER_FLAG_DISCONT ? 0 : 1);
    GstBuffer *in = make_buffer (element, i);

    if (is_set)
      GST_BUFFER_FLAG_SET (in, flag);
    fail_unless_equals_int (gst_harness_push (stream.h, in), GST_FLOW_OK);
    g_autoptr (GstBuffer) out = gst_harness_pull (stream.h);
    fail_unless (!GST_BUFFER_FLAG_IS_SET (out, flag) == !is_set, "%s: %x",
        element->line, flag);
  }
  assert_quiet (&stream, element->line);
  end (&stream);
}

/* Nothing, which is no gap */

TEST_TO_ADD (an_empty_frame_is_told)
{
  const Element *element = &elements[__i__];
  GstBuffer *out;
  Stream stream = begin (element);
  GstBuffer *empty = make_gap (element, 0, FALSE);

  GST_BUFFER_FLAG_UNSET (empty, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (stream.h, empty), GST_FLOW_OK);
  if (element->is & COMBINES)
    out = gst_harness_pull (stream.h);
  else
    out = gst_harness_try_pull (stream.h);
  /* what needs no pixels goes on; the others say which buffer it was */
  if (out) {
    fail_unless (gst_buffer_get_size (out) == 0
        || strstr (element->line, "enc"), "%s", element->line);
    gst_buffer_unref (out);
  } else {
    assert_message (stream.bus, GST_MESSAGE_WARNING, "too short");
  }
  fail_unless_equals_int (gst_harness_push (stream.h, make_buffer (element,
              1)), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (stream.h));
  end (&stream);
}

SUITE (frames_gaps)
{
  tcase_set_timeout (tcase, 20);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    if (!is_there (&elements[i]))
      continue;
    ADD_ROW (gaps_without_memory_pass);
    ADD_ROW (gaps_with_memory_pass);
    ADD_ROW (gap_events_pass);
    if (elements[i].is & TAKES_TEXT)
      continue;
    ADD_ROW (a_gap_may_be_the_first);
    ADD_ROW (flags_stay);
    ADD_ROW (an_empty_frame_is_told);
  }
}
