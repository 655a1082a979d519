/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* attach-shapes: the drawing's contours, in drawing order. */

#include "fourierdraw_test.h"

#define STILL GRAY_OUT ("0/1")

/* Four open lines, of which the longest is the first, and the order is not that
 * of the picture: with order=endpoints 0, 2 (reversed), 1, 3. */
static GstBuffer *
lines_picture (void)
{
  static const GstShapePoint points[] = {
    {2, 2}, {20, 2}, {40, 2}, {60, 2},
    {10, 40}, {5, 40}, {2, 40},
    {20, 20}, {50, 20}, {60, 20},
    {2, 44}, {30, 44},
  };
  static const guint32 offsets[] = { 0, 4, 7, 10, 12 };
  const GstShapePolyline lines[4] = {
    {.parent = -1}, {.id = 1,.parent = -1}, {.id = 2,.parent = -1},
    {.id = 3,.parent = -1}
  };
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);
  g_autoptr (GstShapeSet) set = gst_shape_set_new (WIDTH, HEIGHT);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
          G_N_ELEMENTS (points), offsets, lines, 4, NULL));
  gst_buffer_add_shape_meta (buffer, set);
  return buffer;
}

/* The drawing of @picture, which it takes; @travel is the element's figure. */
static GPtrArray *
draw (const gchar * properties, const gchar * out, GstBuffer * picture,
    gdouble * travel)
{
  g_auto (Film) film = film_new (properties, GRAY_IN, out);

  film_push (&film, picture);
  film_eos (&film);
  GPtrArray *frames = film_collect (&film);
  g_object_get (film.element, "pen-up-travel", travel, NULL);
  return frames;
}

/* How far the pen moves from each polyline's end to the next one's begin. */
static gdouble
measure_travel (GstShapeSet * set)
{
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, NULL);
  const guint32 *offsets = gst_shape_set_get_offsets (set, 0, &n);
  gdouble travel = 0;

  for (gsize i = 1; i + 1 < n; i++) {
    const GstShapePoint *to = &points[offsets[i]];

    travel += hypot ((gdouble) to->x - to[-1].x, (gdouble) to->y - to[-1].y);
  }
  return travel;
}

TEST (contours_come_in_drawing_order)
{
  static const GstShapePoint expected[] = {
    {2, 2}, {20, 2}, {40, 2}, {60, 2}, {60, 20}, {50, 20}, {20, 20},
    {10, 40}, {5, 40}, {2, 40}, {2, 44}, {30, 44},
  };
  static const guint32 expected_offsets[] = { 0, 4, 7, 10, 12 };
  /* 60,2 to 60,20; 20,20 to 10,40; 2,40 to 2,44 */
  const gdouble by_hand = 18 + hypot (10, 20) + 4;
  gdouble travel;
  g_autoptr (GPtrArray) frames = draw ("min-points=1 attach-shapes=true", STILL,
      lines_picture (), &travel);
  GstShapeSet *set = gst_buffer_get_shape_set (frame_of (frames, 0));
  gsize n;

  fail_unless (set != NULL);
  fail_unless_equals_int (gst_shape_set_get_width (set), WIDTH);
  fail_unless_equals_int (gst_shape_set_get_height (set), HEIGHT);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless (memcmp (gst_shape_set_get_points (set, 0, &n), expected,
          sizeof (expected)) == 0);
  fail_unless_equals_int (n, G_N_ELEMENTS (expected));
  fail_unless (memcmp (gst_shape_set_get_offsets (set, 0, &n), expected_offsets,
          sizeof (expected_offsets)) == 0);
  const GstShapePolyline *lines = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 4);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (lines[i].id, i);
    fail_unless_equals_int (lines[i].parent, -1);
    fail_unless_equals_int (lines[i].flags, 0);
  }
  fail_unless_equals_float (lines[1].perimeter, 40);
  fail_unless_equals_float (lines[1].bbox_x0, 20);
  fail_unless_equals_float (lines[1].bbox_x1, 60);
  fail_unless_equals_float (lines[1].bbox_y0, 20);
  fail_unless (fabs (travel - by_hand) < 1e-9, "%g", travel);
  fail_unless (fabs (measure_travel (set) - by_hand) < 1e-9);
}

TEST (closed_contours_are_closed_and_rotated)
{
  gdouble travel;
  g_autoptr (GPtrArray) frames = draw ("attach-shapes=true", STILL,
      two_squares (), &travel);
  GstShapeSet *set = gst_buffer_get_shape_set (frame_of (frames, 0));
  gsize n;
  const GstShapePolyline *lines = gst_shape_set_get_polylines (set, 0, &n);

  fail_unless_equals_int (n, 2);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (lines[i].flags, GST_SHAPE_FLAG_CLOSED);
    fail_unless_equals_float (lines[i].perimeter, 64);
  }
  fail_unless (travel > 0);
  fail_unless (fabs (measure_travel (set) - travel) < 1e-9);
}

TEST (every_frame_of_a_film_has_the_same_shapes)
{
  gdouble travel;
  g_autoptr (GPtrArray) frames = draw ("attach-shapes=true duration=0.5 hold=0",
      GRAY_OUT ("10/1"), two_squares (), &travel);
  GstShapeSet *set = gst_buffer_get_shape_set (frame_of (frames, 0));

  fail_unless_equals_int (frames->len, 5);
  fail_unless (set != NULL);
  for (guint i = 1; i < frames->len; i++)
    fail_unless (gst_buffer_get_shape_set (frame_of (frames, i)) == set);
}

TEST (each_picture_has_its_own_shapes)
{
  g_auto (Film) film = film_new ("attach-shapes=true duration=0.1 hold=0",
      GRAY_IN, GRAY_OUT ("10/1"));
  gsize n;

  film_push (&film, two_squares ());
  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 2);
  gst_shape_set_get_polylines (gst_buffer_get_shape_set (frame_of (frames, 0)),
      0, &n);
  fail_unless_equals_int (n, 2);
  gst_shape_set_get_polylines (gst_buffer_get_shape_set (frame_of (frames, 1)),
      0, &n);
  fail_unless_equals_int (n, 1);
}

TEST (nothing_to_draw_is_an_empty_layer)
{
  gdouble travel;
  GstBuffer *picture = gray_picture (WIDTH, HEIGHT, 0);
  GstShapeSet *set = gst_shape_set_new (WIDTH, HEIGHT);
  gsize n;

  gst_buffer_add_shape_meta (picture, set);
  gst_shape_set_unref (set);
  GPtrArray *frames = draw ("attach-shapes=true", STILL, picture, &travel);
  set = gst_buffer_get_shape_set (frame_of (frames, 0));
  fail_unless (set != NULL);
  gst_shape_set_get_offsets (set, 0, &n);
  fail_unless_equals_int (n, 1);
  fail_unless (travel == 0);
  g_ptr_array_unref (frames);
}

TEST (frames_have_no_shapes_unless_asked_for)
{
  gdouble travel;
  g_autoptr (GPtrArray) frames = draw ("", STILL, two_squares (), &travel);

  fail_unless (gst_buffer_get_shape_set (frame_of (frames, 0)) == NULL);
  fail_unless (travel > 0);
}

SUITE (shapes) {}
