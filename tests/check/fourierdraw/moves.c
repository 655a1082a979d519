/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many moves of the brush. */

#include <gst/video/navigation.h>

#include "fourierdraw_test.h"

#define RADIUS 3.25
/* Nothing but paint on black, and nothing is prepared anew by itself. */
#define LIVE "mode=live duration=1000 hold=1000 trail=none ghost-opacity=0 " \
  "draw-circles=false draw-arm=false draw-tip=false min-points=1 " \
  "brush-enabled=true brush-radius=3.25 "
#define LIVE_IN GRAY (64, 48, "10/1")
#define FRAME (GST_SECOND / 10)

static void
send (Film * film, const gchar * what, gdouble x, gdouble y)
{
  fail_unless (gst_harness_push_upstream_event (film->h,
          gst_event_new_navigation (gst_structure_new
              ("application/x-gst-navigation", "event", G_TYPE_STRING, what,
                  "button", G_TYPE_INT, 1, "pointer_x", G_TYPE_DOUBLE, x + .5,
                  "pointer_y", G_TYPE_DOUBLE, y + .5, NULL))));
}

/* The film's frame of a square at frame time @i. */
static GstBuffer *
show (Film * film, guint i)
{
  GstBuffer *picture = square_picture ();

  GST_BUFFER_PTS (picture) = i * FRAME;
  film_push (film, picture);
  return gst_harness_pull (film->h);
}

/* Place @i of a walk around the picture. */
static GstShapePoint
place (guint i)
{
  return (GstShapePoint) {
  (gfloat) (32. + 20. * cos (i * .17)), (gfloat) (24. + 15. * sin (i * .23))};
}

/* The walk's first @n moves, and a frame after each @step of them; the last
 * frame. */
static GstBuffer *
walk (const gchar * color, guint n, guint step)
{
  g_autofree gchar *properties = g_strconcat (LIVE "brush-color=", color, NULL);
  g_auto (Film) film = film_new (properties, LIVE_IN, GRAY_OUT ("10/1"));
  GstBuffer *frame = show (&film, 0);

  send (&film, "mouse-button-press", place (0).x, place (0).y);
  for (guint i = 1; i <= n; i++) {
    send (&film, "mouse-move", place (i).x, place (i).y);
    if (i % step == 0 || i == n) {
      gst_buffer_unref (frame);
      frame = show (&film, i);
    }
  }
  return frame;
}

static gdouble
distance (gdouble x, gdouble y, GstShapePoint a, GstShapePoint b)
{
  const gdouble dx = b.x - a.x, dy = b.y - a.y;
  const gdouble length2 = dx * dx + dy * dy;
  gdouble t = length2 > 0. ?
      ((x - a.x) * dx + (y - a.y) * dy) / length2 : 0.;

  t = CLAMP (t, 0., 1.);
  return hypot (x - a.x - t * dx, y - a.y - t * dy);
}

/* What a pixel is after the first @n moves: as much covered as by the one that
 * covers it most. */
static gdouble
expected (guint x, guint y, guint n, gdouble code)
{
  gdouble cover = 0.;

  for (guint i = 0; i < n; i++)
    cover = MAX (cover, CLAMP (.5 + RADIUS - distance (x, y, place (i),
                place (i + 1)), 0., 1.));
  return code * cover;
}

static void
assert_walked (GstBuffer * frame, guint n, gdouble code)
{
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      fail_unless (fabs (pixel (frame, x, y) - expected (x, y, n, code)) <= 1.,
          "(%u, %u): %u, not %g", x, y, pixel (frame, x, y), expected (x, y, n,
              code));
}

TEST (a_frame_shows_all_moves_however_they_came)
{
  g_autoptr (GstBuffer) all = walk ("0xffffffff", 60, 60);
  g_autoptr (GstBuffer) one = walk ("0xffffffff", 60, 1);
  g_autoptr (GstBuffer) some = walk ("0xffffffff", 60, 7);

  assert_walked (all, 60, 255.);
  fail_unless (same_bytes (all, one));
  fail_unless (same_bytes (all, some));
}

/* A stroke that is taken back, and one instead of it, between two frames */
TEST (a_stroke_in_place_of_another)
{
  g_auto (Film) film = film_new (LIVE "brush-color=0xffffffff", LIVE_IN,
      GRAY_OUT ("10/1"));
  g_autoptr (GstBuffer) frame = show (&film, 0);

  gst_buffer_unref (frame);
  send (&film, "mouse-button-press", 8., 9.);
  send (&film, "mouse-button-release", 8., 9.);
  frame = show (&film, 1);
  fail_unless_equals_int (pixel (frame, 8, 9), 255);
  gst_buffer_unref (frame);
  fail_unless (gst_harness_push_upstream_event (film.h,
          gst_event_new_navigation (gst_structure_new
              ("application/x-gst-navigation", "event", G_TYPE_STRING,
                  "key-press", "key", G_TYPE_STRING, "u", NULL))));
  send (&film, "mouse-button-press", 50., 6.);
  send (&film, "mouse-button-release", 50., 6.);
  frame = show (&film, 2);
  fail_unless_equals_int (pixel (frame, 8, 9), 0);
  fail_unless_equals_int (pixel (frame, 50, 6), 255);
  fail_unless_equals_int (pixel (frame, 50, 14), 0);
}

/* Where they cross, too. */
TEST (transparent_paint_is_nowhere_thicker)
{
  g_autoptr (GstBuffer) frame = walk ("0x80ffffff", 40, 3);

  assert_walked (frame, 40, 128.);
}

/* Whether the drawing has the square's left side, and its right one. */
static void
assert_sides (GstBuffer * frame, gboolean left, gboolean right)
{
  fail_unless_equals_int (pixel (frame, 22, 24) > 0, left);
  fail_unless_equals_int (pixel (frame, 42, 24) > 0, right);
  gst_buffer_unref (frame);
}

/* Not only of the last ones that are kept. */
TEST (all_of_very_many_moves_erase)
{
  g_auto (Film) film = film_new ("mode=live duration=1000 hold=1000 trail=none "
      "ghost-opacity=1 ghost-color=0xffffffff draw-circles=false "
      "draw-arm=false draw-tip=false min-points=1 brush-enabled=true "
      "brush-color=0 brush-radius=5", LIVE_IN, GRAY_OUT ("10/1"));
  guint i;

  assert_sides (show (&film, 0), TRUE, TRUE);
  send (&film, "mouse-button-press", 22, 12);
  send (&film, "mouse-move", 22, 36);
  send (&film, "mouse-button-release", 22, 36);
  /* where nothing is */
  send (&film, "mouse-button-press", 32, 24);
  for (i = 0; i < 150000; i++)
    send (&film, "mouse-move", 32 + i % 2, 24);
  send (&film, "mouse-button-release", 32, 24);
  assert_sides (show (&film, 1), TRUE, TRUE);
  g_signal_emit_by_name (film.element, "capture");
  for (i = 2; i < 2000; i++) {
    GstBuffer *frame = show (&film, i);
    const gboolean there = pixel (frame, 22, 24) > 0;

    gst_buffer_unref (frame);
    if (!there)
      break;
    g_usleep (1000);
  }
  assert_sides (show (&film, i), FALSE, TRUE);
  g_signal_emit_by_name (film.element, "brush-clear");
  g_signal_emit_by_name (film.element, "capture");
  for (i = 2000; i < 4000; i++) {
    GstBuffer *frame = show (&film, i);
    const gboolean there = pixel (frame, 22, 24) > 0;

    gst_buffer_unref (frame);
    if (there)
      break;
    g_usleep (1000);
  }
  assert_sides (show (&film, i), TRUE, TRUE);
}

SUITE (fourierdraw_moves) {}
