/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What fourierdraw draws, looked at pixel by pixel. */

#include <glib/gstdio.h>

#include "fourierdraw_test.h"

#define STILL GRAY_OUT ("0/1")

/* The finished drawing of one picture. */
static GstBuffer *
drawing_of (const gchar * properties, const gchar * out, GstBuffer * picture)
{
  g_autofree gchar *all = g_strconcat (ONLY_INK, properties, NULL);
  g_autoptr (GPtrArray) frames = film_of (all, GRAY_IN, out, picture);

  return gst_buffer_ref (frame_of (frames, frames->len - 1));
}

/* A frame to look at often. */
typedef guint8 Samples[HEIGHT][WIDTH];

/* How far the nearest pixel with ink is from (x, y). */
static gdouble
distance_to_ink (Samples samples, gdouble x, gdouble y)
{
  gdouble nearest = G_MAXDOUBLE;

  for (guint i = 0; i < HEIGHT; i++)
    for (guint k = 0; k < WIDTH; k++)
      if (samples[i][k] >= 128)
        nearest = MIN (nearest, hypot (k - x, i - y));
  return nearest;
}

/* A bright disc on black, which has contours but no metadata. */
static GstBuffer *
disc_picture (void)
{
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] =
          255 * CLAMP (15.5 - hypot (x - 32., y - 24.), 0., 1.);
  return buffer;
}

/* Points of contours within 1.5 pixels of ink, ink within 2.5 of contours. */
static void
assert_drawn (GstBuffer * frame, const GstShapePoint * points, gsize n)
{
  Samples samples;

  gst_buffer_extract (frame, 0, samples, sizeof (samples));
  for (gsize i = 0; i < n; i++)
    fail_unless (distance_to_ink (samples, points[i].x, points[i].y) <= 1.5,
        "(%g, %g) is %g from ink", points[i].x, points[i].y,
        distance_to_ink (samples, points[i].x, points[i].y));
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      gdouble nearest = G_MAXDOUBLE;

      if (samples[y][x] == 0)
        continue;
      for (gsize i = 0; i < n; i++)
        nearest = MIN (nearest, hypot (points[i].x - x, points[i].y - y));
      fail_unless (nearest <= 2.5, "ink at (%u, %u), %g from contours", x, y,
          nearest);
    }
}

static void
assert_shapes_drawn (const gchar * properties, GstBuffer * picture)
{
  g_autoptr (GstShapeSet) set =
      gst_shape_set_ref (gst_buffer_get_shape_set (picture));
  g_autoptr (GstBuffer) frame = drawing_of (properties, STILL, picture);
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n);

  fail_unless (n > 0);
  assert_drawn (frame, points, n);
}

/* Ink */

TEST (every_contour_is_drawn_and_nothing_else)
{
  assert_shapes_drawn ("", square_picture ());
  /* with the pen up between them */
  assert_shapes_drawn ("", two_squares ());
  assert_shapes_drawn ("order=min-distance", two_squares ());
  assert_shapes_drawn ("merge-distance=60", two_squares ());
  assert_shapes_drawn ("merge-distance=60 merge-method=lift", two_squares ());
  assert_shapes_drawn ("order=none", two_squares ());
  assert_shapes_drawn ("path-mode=per-contour", two_squares ());
  assert_shapes_drawn ("n-samples=1000 travel-speed=1", two_squares ());
}

/* The contours of a picture that has none attached: a circle. */
static void
assert_circle (const gchar * properties, gdouble low, gdouble high)
{
  g_autoptr (GstBuffer) frame = drawing_of (properties, STILL, disc_picture ());
  guint n = 0;

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      const gdouble radius = hypot (x - 32., y - 24.);

      if (pixel (frame, x, y) < 128)
        continue;
      n++;
      fail_unless (radius > low && radius < high, "%s: ink at %g", properties,
          radius);
    }
  /* all around, two pixels wide */
  fail_unless (n > 100, "%s: %u pixels", properties, n);
}

TEST (pictures_without_shapes_are_looked_at)
{
  assert_circle ("detect=iso levels=0.5", 13.5, 16.5);
  assert_circle ("detect=iso levels=0.2,0.4,0.6", 13.5, 17.);
  assert_circle ("detect=canny canny-sigma=1", 12.5, 17.5);
  assert_circle ("detect=canny canny-sigma=1 canny-auto=false canny-low=50 "
      "canny-high=200", 12.5, 17.5);
}

TEST (shapes_of_another_size_are_scaled)
{
  static const GstShapePoint center = { 64, 48 };
  GstBuffer *picture = gray_picture (WIDTH, HEIGHT, 0);

  add_squares (picture, 2 * WIDTH, 2 * HEIGHT, &center, 1, 40);
  g_autoptr (GstBuffer) frame = drawing_of ("", STILL, picture);
  fail_unless (pixel (frame, 32, 14) >= 128);
  fail_unless (pixel (frame, 22, 24) >= 128);
}

static gdouble
rms_of (const gchar * properties, GstBuffer * picture)
{
  g_auto (Film) film = film_new (properties, GRAY_IN, STILL);
  gdouble rms_error;

  film_push (&film, picture);
  film_eos (&film);
  g_ptr_array_unref (film_collect (&film));
  g_object_get (film.element, "rms-error", &rms_error, NULL);
  return rms_error;
}

TEST (fewer_vectors_cost_more)
{
  const gdouble all = rms_of (ONLY_INK, square_picture ());
  const gdouble many = rms_of (ONLY_INK "n-vectors=12", square_picture ());
  const gdouble few = rms_of (ONLY_INK "n-vectors=3", square_picture ());
  const gdouble one = rms_of (ONLY_INK "n-vectors=1", square_picture ());

  fail_unless (all == 0.);
  fail_unless (0. < many && many < few && few < one, "%g %g %g", many, few,
      one);
  /* a circle instead of a square of 20 pixels, whose half diagonal is 14.1:
   * the term k = 1 has 8 / pi^2 * half the side as its length */
  fail_unless (one > .5 && one < 2., "%g", one);
  fail_unless (rms_of (ONLY_INK "n-vectors=1 path-mode=per-contour",
          two_squares ()) < rms_of (ONLY_INK "n-vectors=1", two_squares ()));
  fail_unless (rms_of (ONLY_INK "n-vectors=2000000", square_picture ()) == 0.);
}

/* Degenerate pictures */

static GstBuffer *
points_picture (const GstShapePoint * points, const guint32 * offsets, guint n)
{
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);
  g_autoptr (GstShapeSet) set = gst_shape_set_new (WIDTH, HEIGHT);
  g_autofree GstShapePolyline *lines = g_new0 (GstShapePolyline, n);

  for (guint i = 0; i < n; i++) {
    lines[i].id = i;
    lines[i].parent = -1;
  }
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
          offsets[n], offsets, lines, n, NULL));
  gst_buffer_add_shape_meta (buffer, set);
  return buffer;
}

TEST (one_point_is_a_dot)
{
  static const GstShapePoint points[] = { {20, 10}, {20, 10}, {20, 10} };
  static const guint32 one[] = { 0, 1 }, equal[] = { 0, 3 };
  static const gchar *ways[] = { "", "path-mode=per-contour",
    "duplicate-distance=-1", "n-vectors=5"
  };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (GstBuffer) a = drawing_of (ways[i], STILL,
        points_picture (points, one, 1));
    g_autoptr (GstBuffer) b = drawing_of (ways[i], STILL,
        points_picture (points, equal, 1));

    fail_unless (pixel (a, 20, 10) >= 128, "%s", ways[i]);
    fail_unless (same_bytes (a, b));
    fail_unless (count_bright (a) <= 9);
  }
}

/* Its arm has no vectors, and is where the dot is. */
TEST (the_tip_is_on_a_dot)
{
  static const GstShapePoint points[] = { {20, 10}, {47, 33} };
  static const guint32 offsets[] = { 0, 1, 2 };
  g_autoptr (GPtrArray) frames = film_of ("duration=1 hold=0 arms=2 order=none "
      ONLY_INK "trail=none draw-tip=true tip-radius=3", GRAY_IN,
      GRAY_OUT ("10/1"), points_picture (points, offsets, 2));
  GstBuffer *frame = frame_of (frames, 5);

  fail_unless (pixel (frame, 20, 10) >= 128 && pixel (frame, 47, 33) >= 128);
  fail_unless (count_bright (frame) <= 2 * 49);
}

TEST (thousands_of_points_alone)
{
  const guint n = 3000;
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n);
  g_autofree guint32 *offsets = g_new (guint32, n + 1);

  for (guint i = 0; i < n; i++) {
    points[i].x = i % 60 + 1 + (i / 60 % 7) * .1;
    points[i].y = i / 60 * .9 + 1;
    offsets[i] = i;
  }
  offsets[n] = n;
  g_autoptr (GstBuffer) frame = drawing_of ("n-samples=20000", STILL,
      points_picture (points, offsets, n));
  fail_unless (pixel (frame, 30, 20) >= 128);
  gst_buffer_unref (frame);
  frame = drawing_of ("min-points=10", STILL, points_picture (points, offsets,
          n));
  fail_unless_equals_int (count_bright (frame), 0);
}

TEST (an_empty_set_is_no_reason_to_look_for_more)
{
  GstBuffer *picture = disc_picture ();
  GstShapeSet *set = gst_shape_set_new (WIDTH, HEIGHT);

  gst_buffer_add_shape_meta (picture, set);
  gst_shape_set_unref (set);
  g_autoptr (GstBuffer) frame = drawing_of ("", STILL, picture);
  fail_unless_equals_int (count_bright (frame), 0);
}

/* What is excluded */

TEST (excluded_points_are_not_drawn)
{
  GstBuffer *frame = drawing_of ("brush-radius=5 exclude=\"22,14 22,34\"",
      STILL, square_picture ());

  /* the left side is gone, the right one is there */
  fail_unless_equals_int (pixel (frame, 22, 24), 0);
  fail_unless_equals_int (pixel (frame, 24, 14), 0);
  fail_unless (pixel (frame, 42, 24) >= 128);
  fail_unless (pixel (frame, 32, 14) >= 128);
  gst_buffer_unref (frame);

  /* and the arm does not draw across what was erased */
  frame = drawing_of ("brush-radius=4 exclude=\" 32,14 ; 32,34;\"", STILL,
      square_picture ());
  fail_unless_equals_int (pixel (frame, 32, 14), 0);
  fail_unless_equals_int (pixel (frame, 32, 34), 0);
  fail_unless (pixel (frame, 22, 24) >= 128 && pixel (frame, 42, 24) >= 128);
  gst_buffer_unref (frame);

  /* a stroke goes from each of its points to the next */
  frame = drawing_of ("brush-radius=3 exclude=\"42,14 22,14 22,34 24,34\"",
      STILL, square_picture ());
  fail_unless_equals_int (pixel (frame, 32, 14), 0);
  fail_unless_equals_int (pixel (frame, 22, 24), 0);
  fail_unless (pixel (frame, 32, 34) >= 128 && pixel (frame, 42, 24) >= 128);
  gst_buffer_unref (frame);
}

TEST (excluded_contours_go_as_a_whole)
{
  GstBuffer *frame = drawing_of ("exclude-mode=contours brush-radius=2 "
      "exclude=6,24", STILL, two_squares ());

  fail_unless_equals_int (pixel (frame, 22, 24), 0);
  fail_unless (pixel (frame, 42, 24) >= 128);
  gst_buffer_unref (frame);
}

TEST (a_mask_excludes)
{
  g_autofree gchar *path = g_strdup_printf ("%s/fourierdraw-mask-%u.pgm",
      g_get_tmp_dir (), g_random_int ());
  g_autoptr (GString) mask = g_string_new ("P5 64 48 255\n");
  g_autofree gchar *properties = g_strdup_printf ("exclude-mask-location=%s",
      path);

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    g_string_append_c (mask, i % WIDTH < 32 ? 1 : 0);
  fail_unless (g_file_set_contents (path, mask->str, mask->len, NULL));
  g_autoptr (GstBuffer) frame = drawing_of (properties, STILL, two_squares ());
  fail_unless_equals_int (pixel (frame, 22, 24), 0);
  fail_unless (pixel (frame, 42, 24) >= 128);
  g_remove (path);
}

static void
assert_fails (const gchar * properties, const gchar * what)
{
  g_auto (Film) film = film_new (properties, GRAY_IN, STILL);

  gst_harness_push (film.h, disc_picture ());
  assert_message (film.bus, GST_MESSAGE_ERROR, what);
}

TEST (bad_texts_say_what_to_do)
{
  assert_fails ("exclude=\"1,2 3\"", "such as \"10,10 90,10; 50,40\"");
  assert_fails ("exclude=nan,1", "such as");
  assert_fails ("exclude=\"1,2,3\"", "such as");
  assert_fails ("detect=iso levels=0.5,", "such as \"0.3,0.6\"");
  assert_fails ("detect=iso levels=1,2,3,4,5,6,7,8,9", "1 to 8 numbers");
  assert_fails ("exclude-mask-location=/nowhere/mask.pgm", "mask.pgm");
  assert_fails ("exclude-mask-location=/dev/zero", "only regular files");
}

/* What is behind, and around */

static guint32
corner_of (const gchar * properties)
{
  g_autoptr (GstBuffer) frame = drawing_of (properties, RGBA_OUT ("0/1"),
      square_picture ());
  const guint32 value = rgba_pixel (frame, 2, 2);

  fail_unless (rgba_pixel (frame, 32, 14) != value);
  return value;
}

TEST (backgrounds)
{
  fail_unless_equals_int_hex (corner_of ("background=black"), 0x000000ff);
  fail_unless_equals_int_hex (corner_of ("background=white "
          "trail-color=0xff000000"), 0xffffffff);
  fail_unless_equals_int_hex (corner_of ("background=transparent"), 0);
}

/* The warnings of a film with @background, whose text has @what. */
static guint
count_warnings (const gchar * background, const gchar * out, const gchar * what)
{
  g_auto (Film) film = film_new (background, GRAY_IN, out);

  film_push (&film, square_picture ());
  film_eos (&film);
  g_ptr_array_unref (film_collect (&film));
  return count_told (film.bus, what);
}

TEST (transparency_that_cannot_be_is_told)
{
  fail_unless_equals_int (count_warnings ("background=transparent",
          GRAY_OUT ("0/1"), "alpha"), 1);
  fail_unless_equals_int (count_warnings ("background=transparent",
          RGBA_OUT ("0/1"), ""), 0);
  fail_unless_equals_int (count_warnings ("background=black",
          GRAY_OUT ("0/1"), ""), 0);
}

/* A drawing on nothing, its ghost too, is see-through where nothing is. */
TEST (a_transparent_film_has_alpha_where_something_is)
{
  GPtrArray *frames = film_of ("background=transparent duration=1 hold=0 "
      "ghost-opacity=0.5 ghost-color=0xffff0000 min-points=1 "
      "draw-circles=false draw-arm=false draw-tip=false", GRAY_IN,
      RGBA_OUT ("10/1"), square_picture ());
  const guint32 ghost = rgba_pixel (frame_of (frames, 0), 32, 14);

  fail_unless (ghost >> 24 >= 0xf0 && (ghost >> 8 & 0xffff) == 0, "%08x",
      ghost);
  fail_unless ((ghost & 0xff) > 0x60 && (ghost & 0xff) < 0xa0, "%08x", ghost);
  fail_unless_equals_int_hex (rgba_pixel (frame_of (frames, 0), 2, 2), 0);
  fail_unless_equals_int_hex (rgba_pixel (frame_of (frames, 9), 32, 14) & 0xff,
      0xff);
  g_ptr_array_unref (frames);
}

TEST (the_picture_can_be_behind)
{
  g_autoptr (GstBuffer) picture = disc_picture ();
  static const GstShapePoint center = { 32, 24 };
  g_auto (Film) film = film_new (ONLY_INK "background=frame", GRAY_IN,
      "video/x-raw,format={RGBA,GRAY8},framerate=0/1");

  add_squares (picture, WIDTH, HEIGHT, &center, 1, 40);
  film_push (&film, gst_buffer_ref (picture));
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  GstBuffer *frame = frame_of (frames, 0);
  fail_unless_equals_int (gst_buffer_get_size (frame), WIDTH * HEIGHT);
  fail_unless_equals_int (pixel (frame, 32, 24), 255);
  fail_unless_equals_int (pixel (frame, 2, 2), 0);
  fail_unless (pixel (frame, 12, 24) >= 128);
}

TEST (a_background_that_does_not_fit_is_refused)
{
  g_auto (Film) film = film_new (ONLY_INK "background=frame", GRAY_IN,
      RGBA_OUT ("0/1"));

  fail_unless_equals_int (gst_harness_push (film.h, disc_picture ()),
      GST_FLOW_NOT_NEGOTIATED);
}

TEST (trails)
{
  GPtrArray *full = film_of ("duration=2 hold=1 " ONLY_INK "trail=full",
      GRAY_IN, GRAY_OUT ("10/1"), square_picture ());
  GPtrArray *fade = film_of ("duration=2 hold=1 " ONLY_INK "trail=fade "
      "fade-time=0.5", GRAY_IN, GRAY_OUT ("10/1"), square_picture ());
  GPtrArray *none = film_of ("duration=2 hold=1 " ONLY_INK "trail=none",
      GRAY_IN, GRAY_OUT ("10/1"), square_picture ());

  for (guint i = 0; i < 30; i++)
    fail_unless_equals_int (count_bright (frame_of (none, i)), 0);
  fail_unless (count_bright (frame_of (fade, 15)) > 10);
  fail_unless (count_bright (frame_of (fade, 15)) * 2 <
      count_bright (frame_of (full, 15)));
  /* half a second into the hold it is gone */
  fail_unless_equals_int (count_bright (frame_of (fade, 29)), 0);
  g_ptr_array_unref (full);
  g_ptr_array_unref (fade);
  g_ptr_array_unref (none);
}

TEST (the_camera_follows_the_tip)
{
  g_autoptr (GPtrArray) frames = film_of ("duration=1 hold=0 min-points=1 "
      "camera=follow-tip zoom=3 tip-color=0xffff0000 tip-radius=3", GRAY_IN,
      RGBA_OUT ("10/1"), square_picture ());

  for (guint i = 0; i < frames->len; i++)
    fail_unless_equals_int_hex (rgba_pixel (frame_of (frames, i), 32, 24),
        0xff0000ff);
  fail_if (same_bytes (frame_of (frames, 2), frame_of (frames, 3)));
}

/* Each part of the machine can be left out. */
TEST (parts_can_be_hidden)
{
  static const gchar *parts[] = { "draw-circles=true circle-color=0xffff0000 ",
    "draw-arm=true arm-color=0xffff0000 ",
    "draw-tip=true tip-color=0xffff0000 ",
    "ghost-opacity=1 ghost-color=0xffff0000 "
  };
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree gchar *properties = g_strconcat ("duration=1 hold=0 " ONLY_INK,
        parts[i], NULL);
    g_autoptr (GPtrArray) frames = film_of (properties, GRAY_IN,
        RGBA_OUT ("10/1"), two_squares ());

    for (guint k = n = 0; k < WIDTH * HEIGHT; k++)
      n += rgba_pixel (frame_of (frames, 4), k % WIDTH, k / WIDTH) ==
          0xff0000ff;
    fail_unless (n > 0, "%s", parts[i]);
  }
}

SUITE (fourierdraw_drawing) {}
