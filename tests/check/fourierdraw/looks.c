/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stills, several arms, ink of many colours, casings. */

#include "fourierdraw_test.h"

#define RGBA_IN "video/x-raw,format=RGBA,width=64,height=48,framerate=0/1"
#define RED 0xff0000ffu
#define GREEN 0x00ff00ffu

/* Two squares; the picture is red on the left and green on the right. */
static GstBuffer *
red_and_green (void)
{
  static const GstShapePoint centers[2] = { {14, 24}, {50, 24} };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    GST_WRITE_UINT32_BE (map.data + 4 * i, i % WIDTH < WIDTH / 2 ? RED : GREEN);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = 0;
  add_squares (buffer, WIDTH, HEIGHT, centers, 2, 16);
  return buffer;
}

TEST (a_still_is_the_finished_drawing_of_each_picture)
{
  g_autoptr (GPtrArray) want = film_of (ONLY_INK, GRAY_IN, GRAY_OUT ("0/1"),
      two_squares ());
  g_auto (Film) film = film_new ("mode=still " ONLY_INK, GRAY (64, 48, "25/1"),
      "video/x-raw,format=GRAY8");

  film_push (&film, square_picture ());
  film_push (&film, two_squares ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 2);
  fail_unless (pixel (frame_of (frames, 0), 22, 24) > 200);
  fail_unless (same_bytes (frame_of (frames, 1), frame_of (want, 0)));
}

/* Pushes two pictures. Returns: whether there was a warning */
static gboolean
is_warned (const gchar * properties)
{
  g_auto (Film) film = film_new (properties, GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  film_push (&film, two_squares ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  GstMessage *message = gst_bus_pop_filtered (film.bus, GST_MESSAGE_WARNING);
  gboolean warned = message != NULL;
  if (message) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, "mode=live") != NULL);
    gst_message_unref (message);
    fail_if (gst_bus_have_pending (film.bus) && (message =
            gst_bus_pop_filtered (film.bus, GST_MESSAGE_WARNING)));
  }
  return warned;
}

TEST (a_second_picture_is_worth_a_warning)
{
  fail_unless (is_warned ("duration=0.2 hold=0 " ONLY_INK));
  fail_if (is_warned ("mode=redraw duration=0.2 hold=0 " ONLY_INK));
  fail_if (is_warned ("mode=still " ONLY_INK));
}

/* Ink in one half of a frame of squares. */
static guint
count_ink (GstBuffer * frame, gboolean right)
{
  guint n = 0;

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH / 2; x++)
      n += pixel (frame, right ? x + WIDTH / 2 : x, y) > 100;
  return n;
}

TEST (arms_draw_at_the_same_time_and_finish_together)
{
  g_autoptr (GPtrArray) one = film_of ("duration=2 hold=0 " ONLY_INK, GRAY_IN,
      GRAY_OUT ("10/1"), two_squares ());
  g_autoptr (GPtrArray) two = film_of ("arms=2 duration=2 hold=0 " ONLY_INK,
      GRAY_IN, GRAY_OUT ("10/1"), two_squares ());
  const guint all = count_ink (frame_of (one, 19), FALSE);
  const guint left = count_ink (frame_of (two, 10), FALSE);
  const guint right = count_ink (frame_of (two, 10), TRUE);

  fail_unless_equals_int (two->len, 20);
  fail_unless (all > 60);
  /* one arm has drawn one square, two arms half of each */
  fail_unless (MIN (count_ink (frame_of (one, 9), FALSE),
          count_ink (frame_of (one, 9), TRUE)) < 12);
  fail_unless (left > all * .35 && left < all * .75, "%u of %u", left, all);
  fail_unless (right > all * .35 && right < all * .75, "%u of %u", right, all);
  fail_unless (abs ((gint) count_ink (frame_of (two, 19), FALSE) -
          (gint) all) < 12);
  fail_unless (abs ((gint) count_ink (frame_of (two, 19), TRUE) -
          (gint) all) < 12);
}

/* Of the square of 12 pixels around (@x, @y), how much of its line is there. */
static gdouble
drawn_of (GstBuffer * frame, GstBuffer * all, gint x, gint y)
{
  guint n = 0, n_all = 0;

  for (gint i = y - 7; i <= y + 7; i++)
    for (gint k = x - 7; k <= x + 7; k++) {
      n += pixel (frame, k, i) > 100;
      n_all += pixel (all, k, i) > 100;
    }
  fail_unless (n_all >= 40, "%u", n_all);
  return (gdouble) n / n_all;
}

/* Squares of one size are divided into as many for each arm, and an arm takes
 * as long for each. */
TEST (arms_have_shares)
{
  static const GstShapePoint centers[] = { {8, 8}, {24, 8}, {40, 8}, {56, 8},
  {8, 40}
  };
  static const gchar line[] = "arms=2 duration=2 hold=0.1 order=none "
      "path-mode=per-contour " ONLY_INK;
  /* after half of the time */
  static const struct
  {
    guint n;
    gdouble drawn[5];
  } cases[] = {
    {2, {.5, .5}}, {3, {.5, 1, 0}}, {4, {1, 0, 1, 0}}, {5, {1, 0, 1, .5, 0}}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *picture = gray_picture (WIDTH, HEIGHT, 0);

    add_squares (picture, WIDTH, HEIGHT, centers, cases[i].n, 12);
    GPtrArray *frames = film_of (line, GRAY_IN, GRAY_OUT ("10/1"), picture);
    for (guint k = 0; k < cases[i].n; k++) {
      const gdouble drawn = drawn_of (frame_of (frames, 10),
          frame_of (frames, 20), centers[k].x, centers[k].y);

      fail_unless (fabs (drawn - cases[i].drawn[k]) < .15, "%u of %u: %g", k,
          cases[i].n, drawn);
    }
    g_ptr_array_unref (frames);
  }
}

TEST (there_may_be_more_arms_than_contours)
{
  static const gchar *const modes[] = { "single", "per-contour" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    gchar *line = g_strdup_printf ("arms=64 path-mode=%s duration=1 hold=0 "
        "draw-circles=true draw-tip=true " ONLY_INK, modes[i]);
    g_autoptr (GPtrArray) frames = film_of (line, GRAY_IN, GRAY_OUT ("10/1"),
        two_squares ());

    fail_unless_equals_int (frames->len, 10);
    fail_unless (count_ink (frame_of (frames, 5), FALSE) > 20);
    fail_unless (count_ink (frame_of (frames, 5), TRUE) > 20);
    g_free (line);
  }
}

/* The arms share n-vectors: with two for two squares, each has one. */
TEST (arms_share_the_vectors)
{
  g_auto (Film) film = film_new ("arms=2 n-vectors=2 mode=still " ONLY_INK,
      GRAY_IN, "video/x-raw,format=GRAY8");
  gdouble error = 0.;

  film_push (&film, two_squares ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  g_object_get (film.element, "rms-error", &error, NULL);
  /* a circle for a square of 16: about a pixel off, not the 18 that one vector
   * leaves of two squares */
  fail_unless (error > .1 && error < 2., "%g", error);
}

TEST (ink_has_the_colours_of_the_picture)
{
  GPtrArray *frames = film_of ("mode=still ink-source=picture trail-width=3 "
      ONLY_INK, RGBA_IN, "video/x-raw,format=RGBA", red_and_green ());
  const guint32 left = rgba_pixel (frame_of (frames, 0), 6, 24);
  const guint32 right = rgba_pixel (frame_of (frames, 0), 58, 24);

  fail_unless_equals_int (left, RED);
  fail_unless_equals_int (right, GREEN);
  fail_unless_equals_int (rgba_pixel (frame_of (frames, 0), 32, 4), 0xff);
  g_ptr_array_unref (frames);
}

/* Of every kind of input, the same colour: that of a plain picture. */
TEST (ink_has_the_colours_of_any_format)
{
  static const gchar *const formats[] = { "NV12", "I420", "Y444", "BGRx",
    "P010_10LE", "GRAY8"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 pattern=ball "
        "foreground-color=0xff%s ! video/x-raw,format=%s,width=64,height=64"
        " ! fourierdraw mode=still detect=iso levels=0.3 backend=cpu "
        "ink-source=picture trail-width=3 " ONLY_INK " ! videoconvert ! "
        "video/x-raw,format=RGBA ! appsink name=sink sync=false",
        strcmp (formats[i], "GRAY8") == 0 ? "ffffff" : "20e040", formats[i]);
    g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    GstSample *sample = NULL;
    GstMapInfo map;
    guint best = 0, at = 0;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_signal_emit_by_name (sink, "pull-sample", &sample);
    fail_unless (sample != NULL, "%s", line);
    fail_unless (gst_buffer_map (gst_sample_get_buffer (sample), &map,
            GST_MAP_READ));
    for (guint k = 0; k + 3 < map.size; k += 4)
      if (map.data[k + 1] > best) {
        best = map.data[k + 1];
        at = k;
      }
    /* inside of the ball's edge */
    fail_unless (best > 60, "%s: green %u", formats[i], best);
    if (strcmp (formats[i], "GRAY8") == 0)
      fail_unless (abs ((gint) map.data[at] - (gint) best) < 12);
    else
      fail_unless (map.data[at] < best / 2 && map.data[at + 2] < best * 2 / 3,
          "%s: %u %u %u", formats[i], map.data[at], best, map.data[at + 2]);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (sink);
    g_free (line);
  }
}

TEST (ink_goes_from_one_colour_to_another)
{
  GPtrArray *frames = film_of ("mode=still ink-source=gradient trail-width=3 "
      ONLY_INK " trail-color=0xffff0000 gradient-color=0xff0000ff", RGBA_IN,
      "video/x-raw,format=RGBA", red_and_green ());
  const guint32 first = rgba_pixel (frame_of (frames, 0), 14, 16);
  const guint32 last = rgba_pixel (frame_of (frames, 0), 58, 24);
  guint n_blue = 0, n_red = 0;

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      const guint32 value = rgba_pixel (frame_of (frames, 0), x, y);

      n_red += (value >> 24) > 200 && (value >> 8 & 0xff) < 60;
      n_blue += (value >> 8 & 0xff) > 200 && (value >> 24) < 60;
    }
  fail_unless (first != last);
  fail_unless (n_red > 10 && n_blue > 10, "%u red, %u blue", n_red, n_blue);
  g_ptr_array_unref (frames);
}

static GstBuffer *
three_squares (void)
{
  static const GstShapePoint centers[] = { {12, 12}, {29, 36}, {54, 20} };
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);

  add_squares (buffer, WIDTH, HEIGHT, centers, 3, 14);
  return buffer;
}

/* Ink that is drawn in pieces, for its colours, is where other ink is: whatever
 * the last piece has. */
TEST (pieces_are_all_of_the_ink)
{
  static const guint samples[] = { 12, 20, 30, 36, 40, 48, 64, 100 };
  guint n_inked = 0;

  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    const guint n = samples[k];
    gchar *line = g_strdup_printf ("duration=0.4 hold=0.1 n-samples=%u "
        ONLY_INK "gradient-color=0xffffffff ink-source=", n);
    g_autofree gchar *as_pieces = g_strconcat (line, "gradient", NULL);
    g_autofree gchar *as_whole = g_strconcat (line, "color", NULL);
    g_autoptr (GPtrArray) pieces = film_of (as_pieces, GRAY_IN,
        GRAY_OUT ("10/1"), three_squares ());
    g_autoptr (GPtrArray) whole = film_of (as_whole, GRAY_IN, GRAY_OUT ("10/1"),
        three_squares ());

    for (guint i = 0; i < whole->len; i++)
      for (guint y = 0; y < HEIGHT; y++)
        for (guint x = 0; x < WIDTH; x++) {
          if (pixel (frame_of (whole, i), x, y) < 250)
            continue;
          fail_unless (pixel (frame_of (pieces, i), x, y) >= 128,
              "%u samples, frame %u: %u,%u", n, i, x, y);
          n_inked++;
        }
    g_free (line);
  }
  fail_unless (n_inked > 1000);
}

/* What is white on white is seen by its casing. */
TEST (a_casing_is_seen_on_any_ground)
{
  GPtrArray *plain = film_of ("mode=still background=white " ONLY_INK, GRAY_IN,
      "video/x-raw,format=GRAY8", two_squares ());
  GPtrArray *cased = film_of ("mode=still background=white casing=1.5 "
      ONLY_INK, GRAY_IN, "video/x-raw,format=GRAY8", two_squares ());
  guint n_plain = 0, n_cased = 0;

  for (guint x = 0; x < WIDTH; x++) {
    n_plain += pixel (frame_of (plain, 0), x, 24) < 100;
    n_cased += pixel (frame_of (cased, 0), x, 24) < 100;
  }
  fail_unless_equals_int (n_plain, 0);
  /* both sides of four lines */
  fail_unless (n_cased >= 8, "%u", n_cased);
  fail_unless (pixel (frame_of (cased, 0), 6, 24) > 200);
  g_ptr_array_unref (plain);
  g_ptr_array_unref (cased);
}

/* Whether two frames differ by rounding only. */
static gboolean
is_near_frame (GstBuffer * a, GstBuffer * b)
{
  g_auto (GstBufferMapInfo) x = GST_MAP_INFO_INIT, y = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (a, &x, GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &y, GST_MAP_READ));
  gboolean near = x.size == y.size;
  for (gsize i = 0; near && i < x.size; i++)
    near = abs ((gint) x.data[i] - y.data[i]) <= 2;
  return near;
}

/* Ink that is kept from frame to frame is that which is painted at once, but
 * codes are rounded in between. */
TEST (a_frame_does_not_depend_on_those_before)
{
  static const gchar *const looks[] = { "ink-source=gradient ",
    "ink-source=gradient casing=1 ", "casing=1 arms=2 ",
    "casing=1 background=transparent ", "ink-source=gradient trail=fade "
  };

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    g_autofree gchar *line = g_strconcat ("duration=2 hold=1 arm-fade=0 ",
        looks[i], ONLY_INK, NULL);
    g_autoptr (GPtrArray) fine = film_of (line, GRAY_IN, RGBA_OUT ("20/1"),
        two_squares ());
    g_autoptr (GPtrArray) coarse = film_of (line, GRAY_IN, RGBA_OUT ("4/1"),
        two_squares ());

    /* the finished drawing; each rate spreads the path over its own frames */
    for (guint k = 0; k < 4; k++)
      fail_unless (strstr (looks[i], "fade") || is_near_frame (frame_of
              (fine, 40 + 5 * k), frame_of (coarse, 8 + k)), "%s, frame %u",
          looks[i], k);
    fail_unless (count_bright (frame_of (fine, 20)) >
        count_bright (frame_of (fine, 3)));
  }
}

/* Ink that the base has is gone after a seek back. */
TEST (a_seek_takes_ink_away)
{
  g_auto (Film) film = film_new ("duration=1 hold=0 loop=1 ink-source=gradient "
      ONLY_INK, GRAY_IN, RGBA_OUT ("10/1"));

  film_push (&film, two_squares ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless (gst_harness_push_upstream_event (film.h, gst_event_new_seek (1.,
              GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_NONE, 0)));
  g_autoptr (GPtrArray) again = film_collect (&film);
  fail_unless_equals_int (again->len, frames->len);
  for (guint i = 0; i < frames->len; i++)
    fail_unless (same_bytes (frame_of (frames, i), frame_of (again, i)),
        "frame %u", i);
}

SUITE (fourierdraw)
{
  tcase_set_timeout (tcase, 120);
}
