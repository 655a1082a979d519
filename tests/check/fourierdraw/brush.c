/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The brush: what the mouse in a window does, without a window. */

#include <gst/video/navigation.h>

#include "fourierdraw_test.h"

#define BRUSH "loop=0 duration=0.5 hold=0.5 brush-enabled=true " \
  "brush-radius=5 brush-color=0 " ONLY_INK
/* Frames after which what was asked for must be seen. */
#define TIMEOUT 2000

/* A film of a square that has begun. */
static Film
begun_film (const gchar * properties, const gchar * out)
{
  Film film = film_new (properties, GRAY_IN, out);

  film_push (&film, square_picture ());
  gst_buffer_unref (gst_harness_pull (film.h));
  gst_buffer_unref (gst_harness_pull (film.h));
  return film;
}

/* Sends @structure from the window. Returns: whether it stayed here. */
static gboolean
navigate (Film * film, GstStructure * structure)
{
  const guint before = gst_harness_upstream_events_received (film->h);
  const gboolean handled = gst_harness_push_upstream_event (film->h,
      gst_event_new_navigation (structure));
  const gboolean passed =
      gst_harness_upstream_events_received (film->h) > before;

  /* TRUE is said of what was consumed; what was not has been passed on */
  fail_unless (handled != passed || (handled && passed));
  while (passed) {
    GstEvent *event = gst_harness_try_pull_upstream_event (film->h);

    if (!event)
      break;
    gst_event_unref (event);
  }
  return !passed;
}

static gboolean
mouse (Film * film, const gchar * what, gint button, gdouble x, gdouble y)
{
  GstStructure *structure = gst_structure_new ("application/x-gst-navigation",
      "event", G_TYPE_STRING, what, "pointer_x", G_TYPE_DOUBLE, x,
      "pointer_y", G_TYPE_DOUBLE, y, NULL);

  if (button > 0)
    gst_structure_set (structure, "button", G_TYPE_INT, button, NULL);
  return navigate (film, structure);
}

static gboolean
key (Film * film, const gchar * name)
{
  return navigate (film, gst_structure_new ("application/x-gst-navigation",
          "event", G_TYPE_STRING, "key-press", "key", G_TYPE_STRING, name,
          NULL));
}

static gboolean
wheel (Film * film, gdouble dy)
{
  g_autoptr (GstEvent) event = gst_navigation_event_new_mouse_scroll (1., 1.,
      0., dy, GST_NAVIGATION_MODIFIER_NONE);

  return navigate (film, gst_structure_copy (gst_event_get_structure (event)));
}

/* Erases the left side of the square. */
static void
drag (Film * film)
{
  fail_unless (mouse (film, "mouse-button-press", 1, 22, 12));
  fail_unless (mouse (film, "mouse-move", 0, 22, 20));
  fail_unless (mouse (film, "mouse-move", 0, 22, 36));
  fail_unless (mouse (film, "mouse-button-release", 1, 22, 36));
}

static gboolean
is_empty (GstBuffer * frame)
{
  GstMapInfo map;
  gsize i = 0;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  while (i < map.size && map.data[i] == 0)
    i++;
  gst_buffer_unmap (frame, &map);
  return i == map.size;
}

/* The next frame in which nothing has been added to a drawing. */
static GstBuffer *
pull_finished (Film * film)
{
  GstBuffer *before = gst_harness_pull (film->h), *frame;

  for (;;) {
    frame = gst_harness_pull (film->h);
    if (same_bytes (before, frame) && !is_empty (frame))
      break;
    gst_buffer_unref (before);
    before = frame;
  }
  gst_buffer_unref (before);
  return frame;
}

/* Waits for a finished drawing that has the square's left side, or has not. */
static void
wait_for_left (Film * film, gboolean there)
{
  for (guint i = 0; i < TIMEOUT; i++) {
    GstBuffer *frame = pull_finished (film);
    const gboolean left = pixel (frame, 22, 24) > 0;
    const gboolean right = pixel (frame, 42, 24) > 0;
    const gboolean top = pixel (frame, 34, 14) > 0;
    const gboolean bottom = pixel (frame, 34, 34) > 0;

    gst_buffer_unref (frame);
    if (right && top && bottom && left == there)
      return;
  }
  fail ("it is never seen");
}

TEST (what_the_mouse_goes_over_is_gone_from_the_next_drawing)
{
  g_auto (Film) film = begun_film (BRUSH, GRAY_OUT ("20/1"));

  wait_for_left (&film, TRUE);
  drag (&film);
  wait_for_left (&film, FALSE);
  g_signal_emit_by_name (film.element, "brush-clear");
  fail_unless (key (&film, "r"));
  wait_for_left (&film, TRUE);
}

TEST (r_draws_again_at_once)
{
  Film film = begun_film ("loop=0 duration=1 hold=3600 brush-enabled=true "
      "brush-radius=5 brush-color=0 " ONLY_INK, GRAY_OUT ("20/1"));

  wait_for_left (&film, TRUE);
  drag (&film);
  fail_unless (key (&film, "r"));
  wait_for_left (&film, FALSE);
  film_free (&film);
}

TEST (only_what_is_for_the_brush_stays)
{
  g_auto (Film) film = begun_film (BRUSH, GRAY_OUT ("20/1"));

  fail_if (mouse (&film, "mouse-move", 0, 10, 10));
  fail_if (mouse (&film, "mouse-button-release", 1, 10, 10));
  fail_if (mouse (&film, "mouse-button-press", 2, 10, 10));
  fail_if (mouse (&film, "mouse-move", 0, 10, 10));
  fail_if (key (&film, "q"));
  fail_if (wheel (&film, 0.));
  fail_if (navigate (&film, gst_structure_new_empty
          ("application/x-gst-navigation")));
  fail_unless (mouse (&film, "mouse-button-press", 1, 2, 2));
  fail_unless (mouse (&film, "mouse-move", 0, 3, 3));
  fail_unless (mouse (&film, "mouse-button-release", 1, 3, 3));
  fail_if (mouse (&film, "mouse-move", 0, 10, 10));
  g_object_set (film.element, "brush-enabled", FALSE, NULL);
  fail_if (mouse (&film, "mouse-button-press", 1, 22, 22));
  fail_if (key (&film, "r"));
}

TEST (the_wheel_changes_the_brush)
{
  g_auto (Film) film = begun_film (BRUSH, GRAY_OUT ("20/1"));
  gdouble radius;

  fail_unless (wheel (&film, 1.));
  g_object_get (film.element, "brush-radius", &radius, NULL);
  fail_unless (radius > 5. && radius < 10.);
  fail_unless (wheel (&film, -1.));
  g_object_get (film.element, "brush-radius", &radius, NULL);
  fail_unless (fabs (radius - 5.) < 1e-9);
  /* as buttons, too */
  fail_unless (mouse (&film, "mouse-button-press", 4, 1, 1));
  g_object_get (film.element, "brush-radius", &radius, NULL);
  fail_unless (radius > 5.);
  fail_unless (mouse (&film, "mouse-button-press", 5, 1, 1));
}

/* The window may be larger than the picture, and show a part of it. */
TEST (the_mouse_points_at_what_is_seen)
{
  g_auto (Film) film = film_new (BRUSH, GRAY_IN,
      "video/x-raw,format=GRAY8,width=128,height=128,framerate=20/1");
  guint i;

  film_push (&film, square_picture ());
  gst_buffer_unref (gst_harness_pull (film.h));
  gst_buffer_unref (gst_harness_pull (film.h));
  /* twice as large, 16 rows below the top: from row 6.5 on, to row 24.5 */
  fail_unless (mouse (&film, "mouse-button-press", 1, 45, 30));
  fail_unless (mouse (&film, "mouse-button-release", 1, 45, 66));
  for (i = 0; i < TIMEOUT; i++) {
    GstBuffer *frame = pull_finished (&film);
    guint8 left, below, right, top;

    gst_buffer_extract (frame, 65 * 128 + 44, &left, 1);
    gst_buffer_extract (frame, 80 * 128 + 44, &below, 1);
    gst_buffer_extract (frame, 65 * 128 + 84, &right, 1);
    gst_buffer_extract (frame, 44 * 128 + 70, &top, 1);
    gst_buffer_unref (frame);
    if (right > 0 && top > 0 && below > 0 && left == 0)
      break;
  }
  fail_unless (i < TIMEOUT);
}

/* Until the next drawing begins, what is painted is shown. */
TEST (what_is_painted_is_seen)
{
  Film film = begun_film ("loop=0 duration=0.5 hold=3600 brush-enabled=true "
      "brush-color=0xffffffff brush-radius=4 " ONLY_INK, GRAY_OUT ("20/1"));
  guint i;

  fail_unless (mouse (&film, "mouse-button-press", 1, 8.5, 8.5));
  for (i = 0; i < TIMEOUT; i++) {
    GstBuffer *frame = gst_harness_pull (film.h);
    const gboolean seen = pixel (frame, 8, 8) == 255;

    fail_unless_equals_int (pixel (frame, 8, 14), 0);
    gst_buffer_unref (frame);
    if (seen)
      break;
  }
  fail_unless (i < TIMEOUT);
  film_free (&film);
}

/* As a window that has no size yet may send. */
TEST (places_that_are_no_numbers_are_not_gone_to)
{
  Film film = begun_film ("loop=0 duration=0.5 hold=3600 brush-enabled=true "
      "brush-color=0xffffffff brush-radius=2 " ONLY_INK, GRAY_OUT ("20/1"));
  static const gdouble places[] = { NAN, INFINITY, -INFINITY, 1e300 };
  guint i;

  /* no stroke begins there */
  for (i = 0; i < G_N_ELEMENTS (places); i++) {
    mouse (&film, "mouse-button-press", 1, places[i], 8.5);
    fail_if (mouse (&film, "mouse-move", 0, 8.5, 8.5), "%g", places[i]);
    mouse (&film, "mouse-button-press", 1, 8.5, places[i]);
    fail_if (mouse (&film, "mouse-move", 0, 8.5, 8.5), "%g", places[i]);
  }
  /* and none goes there */
  fail_unless (mouse (&film, "mouse-button-press", 1, 4.5, 8.5));
  for (i = 0; i < G_N_ELEMENTS (places); i++) {
    mouse (&film, "mouse-move", 0, places[i], 8.5);
    mouse (&film, "mouse-move", 0, 8.5, places[i]);
  }
  fail_unless (mouse (&film, "mouse-move", 0, 58.5, 8.5));
  for (i = 0; i < TIMEOUT; i++) {
    GstBuffer *frame = gst_harness_pull (film.h);
    const gboolean seen = pixel (frame, 31, 8) == 255;

    fail_unless_equals_int (pixel (frame, 8, 2), 0);
    gst_buffer_unref (frame);
    if (seen)
      break;
  }
  fail_unless (i < TIMEOUT);
  film_free (&film);
}

/* Events come on the window's thread while frames are made. */
static gpointer
paint_wildly (gpointer user_data)
{
  Film *film = user_data;
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  for (guint i = 0; i < 2000; i++) {
    static const gchar *whats[] = { "mouse-button-press", "mouse-move",
      "mouse-move", "mouse-button-release"
    };
    const guint what = g_rand_int_range (random, 0, 4);
    GstStructure *structure = gst_structure_new
        ("application/x-gst-navigation", "event", G_TYPE_STRING, whats[what],
        "pointer_x", G_TYPE_DOUBLE, g_rand_double_range (random, -100., 200.),
        "pointer_y", G_TYPE_DOUBLE, g_rand_double_range (random, -100., 200.),
        "button", G_TYPE_INT, 1, NULL);

    gst_pad_push_event (film->h->sinkpad,
        gst_event_new_navigation (structure));
    if (i % 100 == 0)
      g_signal_emit_by_name (film->element, i % 300 ? "brush-clear" :
          "capture");
  }
  return NULL;
}

TEST (the_mouse_has_a_thread_of_its_own)
{
  Film film = begun_film ("loop=0 duration=0.1 hold=0 brush-enabled=true "
      "brush-radius=1 " ONLY_INK, GRAY_OUT ("20/1"));
  GThread *thread = g_thread_new ("mouse", paint_wildly, &film);

  for (guint i = 0; i < 300; i++)
    gst_buffer_unref (gst_harness_pull (film.h));
  g_thread_join (thread);
  film_free (&film);
}

/* Waits for a finished drawing that has a line across the square, or has
 * not, and the square's left side, or not. */
static void
wait_for (Film * film, gboolean line, gboolean left)
{
  for (guint i = 0; i < TIMEOUT; i++) {
    GstBuffer *frame = pull_finished (film);
    const gboolean is_done = pixel (frame, 42, 24) > 0 &&
        pixel (frame, 34, 14) > 0 && pixel (frame, 34, 34) > 0;
    const gboolean seen = is_done && (pixel (frame, 32, 24) > 0) == line &&
        (pixel (frame, 22, 24) > 0) == left;

    gst_buffer_unref (frame);
    if (seen)
      return;
  }
  fail ("line %d, left %d: it is never seen", line, left);
}

static void
drag_line (Film * film, gint button)
{
  fail_unless (mouse (film, "mouse-button-press", button, 27, 24));
  fail_unless (mouse (film, "mouse-move", 0, 32, 24));
  fail_unless (mouse (film, "mouse-button-release", button, 37, 24));
}

TEST (the_third_button_draws_and_u_takes_it_back)
{
  g_auto (Film) film = begun_film (BRUSH, GRAY_OUT ("20/1"));

  wait_for (&film, FALSE, TRUE);
  drag_line (&film, 3);
  wait_for (&film, TRUE, TRUE);
  drag (&film);
  wait_for (&film, TRUE, FALSE);
  /* the last stroke, then the one before, and then there is none */
  fail_unless (key (&film, "u"));
  wait_for (&film, TRUE, TRUE);
  fail_unless (key (&film, "BackSpace"));
  wait_for (&film, FALSE, TRUE);
  fail_if (key (&film, "u"));
}

TEST (with_brush_mode_draw_the_first_button_draws)
{
  g_auto (Film) film = begun_film (BRUSH " brush-mode=draw", GRAY_OUT ("20/1"));

  drag_line (&film, 1);
  fail_unless (key (&film, "r"));
  wait_for (&film, TRUE, TRUE);
  g_signal_emit_by_name (film.element, "brush-clear");
  fail_unless (key (&film, "r"));
  wait_for (&film, FALSE, TRUE);
}

SUITE (fourierdraw_brush) {}
