/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of many pixels: what is found in them, and how it is drawn. */

#include "fourierdraw_test.h"

/* Points of contours in pixels of a film of WIDE x HIGH. */
#define WIDE 320
#define HIGH 240
#define FILM "video/x-raw,format=GRAY8,framerate=0/1"
#define SMALL_FILM FILM ",width=320,height=240"

/* Scenes */

/* A scene of WIDE x HIGH units: its brightness at a place. */
typedef gdouble (*Scene) (gdouble x, gdouble y);

/* From 0 to 1 where @distance falls below 0, over one unit. */
static gdouble
inside (gdouble distance)
{
  return CLAMP (.5 - distance, 0., 1.);
}

/* A bright head with eyes and a mouth before a dark ground. */
static gdouble
get_face (gdouble x, gdouble y)
{
  static const gdouble eyes[2] = { 130., 190. };
  gdouble light = 60. + 120. * inside (hypot ((x - 160.) / 70., (y - 120.) /
          95.) * 70. - 70.);

  for (guint i = 0; i < 2; i++) {
    light += 40. * inside (hypot ((x - eyes[i]) / 2., y - 95.) - 5.);
    light -= 130. * inside (hypot (x - eyes[i], y - 95.) - 3.);
  }
  return light - 70. * inside (MAX (fabs (x - 160.) - 25., fabs (y - 165.) -
          3.));
}

/* The scene as a camera of @width x @height pixels sees it, with its noise. */
static GstBuffer *
see (Scene scene, guint width, guint height)
{
  GstBuffer *buffer = gray_picture (width, height, 0);
  g_autoptr (GRand) random = g_rand_new_with_seed (width);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      map.data[(gsize) y * GST_ROUND_UP_4 (width) + x] = CLAMP (scene ((x + .5)
              * WIDE / width, (y + .5) * HIGH / height) +
          g_rand_double_range (random, -6., 6.), 0., 255.);
  return buffer;
}

/* Drawings */

static gchar *
describe_caps (guint width, guint height)
{
  return g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,height=%u,"
      "framerate=0/1", width, height);
}

/* The strokes of the drawing of @picture, which it takes. */
static GstShapeSet *
strokes_of (const gchar * properties, GstBuffer * picture, guint width,
    guint height, const gchar * out)
{
  g_autofree gchar *all = g_strconcat ("attach-shapes=true ", properties, NULL);
  g_autofree gchar *in = describe_caps (width, height);
  g_autoptr (GPtrArray) frames = film_of (all, in, out, picture);
  GstShapeSet *set = gst_buffer_get_shape_set (frame_of (frames, 0));

  fail_unless (set != NULL);
  gst_shape_set_ref (set);
  fail_unless_equals_int (gst_shape_set_get_width (set), width);
  fail_unless_equals_int (gst_shape_set_get_height (set), height);
  return set;
}

/* Appends the line from @a to @b, without @a, in steps of a pixel at most. */
static void
append_line (GArray * points, GstShapePoint a, GstShapePoint b)
{
  const guint n = MAX (1, ceil (hypot (b.x - a.x, b.y - a.y)));

  for (guint i = 1; i <= n; i++) {
    const GstShapePoint point = { a.x + (b.x - a.x) * i / n,
      a.y + (b.y - a.y) * i / n
    };

    g_array_append_val (points, point);
  }
}

/* Where the strokes are in the scene. */
static GArray *
points_in_scene (GstShapeSet * set)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (GstShapePoint));
  const gdouble sx = (gdouble) WIDE / gst_shape_set_get_width (set);
  const gdouble sy = (gdouble) HIGH / gst_shape_set_get_height (set);
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, NULL);
  const guint32 *offsets = gst_shape_set_get_offsets (set, 0, &n);

  for (gsize i = 0; i + 1 < n; i++) {
    GstShapePoint last = { 0 };

    for (guint32 k = offsets[i]; k < offsets[i + 1]; k++) {
      const GstShapePoint point = { (points[k].x + .5) * sx,
        (points[k].y + .5) * sy
      };

      append_line (all, k > offsets[i] ? last : point, point);
      last = point;
    }
  }
  return all;
}

static gdouble
distance_to (const GArray * points, gdouble x, gdouble y)
{
  gdouble nearest = G_MAXDOUBLE;

  for (guint i = 0; i < points->len; i++) {
    const GstShapePoint *p = &g_array_index (points, GstShapePoint, i);

    nearest = MIN (nearest, hypot (p->x - x, p->y - y));
  }
  return nearest;
}

/* Which share of @points is within a pixel of the film of @others. */
static gdouble
share_near (const GArray * points, const GArray * others)
{
  guint n = 0;

  for (guint i = 0; i < points->len; i++) {
    const GstShapePoint *p = &g_array_index (points, GstShapePoint, i);

    n += distance_to (others, p->x, p->y) <= 1.;
  }
  return (gdouble) n / MAX (1, points->len);
}

static GArray *
draw_scene (const gchar * properties, Scene scene, guint width, guint height,
    const gchar * out)
{
  g_autoptr (GstShapeSet) set = strokes_of (properties, see (scene, width,
          height), width, height, out);

  return points_in_scene (set);
}

/* Sizes */

static void
assert_same_drawings (const gchar * properties)
{
  static const guint sizes[][2] = { {1600, 1200}, {961, 721} };
  GArray *want = draw_scene (properties, get_face, WIDE, HIGH, SMALL_FILM);

  fail_unless (want->len > 300, "%s: %u points", properties, want->len);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GArray) got = draw_scene (properties, get_face, sizes[i][0],
        sizes[i][1], SMALL_FILM);
    const gdouble there = share_near (got, want);
    const gdouble back = share_near (want, got);

    fail_unless (there > .85 && back > .85, "%s, %u pixels wide: %g of %u and "
        "%g of %u points", properties, sizes[i][0], there, got->len, back,
        want->len);
  }
  g_array_unref (want);
}

TEST (a_picture_of_many_pixels_has_the_drawing_of_a_small_one)
{
  assert_same_drawings ("");
  assert_same_drawings ("canny-sigma=3 merge-distance=2 min-length=40 "
      "duplicate-distance=0.7 simplify=0.3");
  assert_same_drawings ("detect=iso levels=0.4 min-length=50");
}

TEST (a_face_keeps_its_eyes)
{
  static const guint sizes[][2] = { {WIDE, HIGH}, {1600, 1200} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GArray) points = draw_scene ("", get_face, sizes[i][0],
        sizes[i][1], SMALL_FILM);

    /* at the sides of both, where they are darkest */
    for (guint k = 0; k < 2; k++) {
      const gdouble eye = k == 0 ? 130. : 190.;

      fail_unless (distance_to (points, eye - 3., 95.) < 1.5);
      fail_unless (distance_to (points, eye + 3., 95.) < 1.5);
    }
  }
}

/* Noise is not a drawing, however many pixels it has. */
static gdouble
get_nothing (gdouble x, gdouble y)
{
  return 120. + 100. * inside (hypot (x - 160., y - 120.) - 80.);
}

TEST (noise_is_no_field_of_specks)
{
  GArray *points = draw_scene ("", get_nothing, 1600, 1200, SMALL_FILM);
  gdouble x = 0., y = 0.;

  fail_unless (points->len > 400);
  for (guint i = 0; i < points->len; i++) {
    const GstShapePoint *p = &g_array_index (points, GstShapePoint, i);

    fail_unless (fabs (hypot (p->x - 160., p->y - 120.) - 80.) < 3.);
    x += p->x / points->len;
    y += p->y / points->len;
  }
  /* nothing has moved */
  fail_unless (hypot (x - 160., y - 120.) < .15, "%g %g", x, y);
  g_array_unref (points);
}

static gsize
count_points (const gchar * properties, const gchar * out)
{
  g_autoptr (GstShapeSet) set = strokes_of (properties, see (get_face, 640,
          480), 640, 480, out);
  gsize n;

  gst_shape_set_get_points (set, 0, &n);
  return n;
}

TEST (the_size_of_detection_can_be_chosen)
{
  const gsize film = count_points ("", SMALL_FILM);
  const gsize all = count_points ("", FILM);

  /* about twice as long in pixels */
  fail_unless (all > 1.6 * film, "%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT, all,
      film);
  fail_unless (count_points ("detect-size=320", FILM) ==
      film);
  fail_unless (count_points ("detect-size=160", SMALL_FILM) < .7 * film);
  /* it is not larger than the picture */
  fail_unless (count_points ("detect-size=0", FILM) ==
      all);
  fail_unless (count_points ("detect-size=100000",
          FILM ",width=1280,height=960") == all);
  /* of which the film shows a part only */
  fail_unless (count_points ("camera=follow-tip", SMALL_FILM) == all);
}

TEST (a_live_picture_is_drawn_as_a_still_one)
{
  static const gchar *const outs[] = { SMALL_FILM, FILM };

  for (guint i = 0; i < G_N_ELEMENTS (outs); i++) {
    g_autoptr (GstShapeSet) still = strokes_of ("mode=still", see (get_face,
            1000, 750), 1000, 750, outs[i]);
    g_autoptr (GstShapeSet) live = strokes_of ("mode=live", see (get_face, 1000,
            750), 1000, 750, outs[i]);
    gsize n, n_live;
    const GstShapePoint *points = gst_shape_set_get_points (still, 0, &n);

    fail_unless (n > 300);
    gst_shape_set_get_points (live, 0, &n_live);
    fail_unless_equals_int (n, n_live);
    fail_unless (memcmp (points, gst_shape_set_get_points (live, 0, NULL),
            n * sizeof (*points)) == 0);
  }
}

/* Strokes to exclude are in pixels of the picture. */
TEST (the_brush_is_where_the_picture_has_it)
{
  g_autoptr (GArray) points = draw_scene ("brush-radius=50 exclude=\"650,475\"",
      get_face, 1600, 1200, SMALL_FILM);

  fail_unless (distance_to (points, 130., 95.) > 9.5);
  fail_unless (distance_to (points, 190., 95.) < 5.);
}

/* Colours */

/* Pixels that are black and white in turn, with the contour of a square. */
static GstBuffer *
checkerboard (guint width, guint height)
{
  const GstShapePoint center = { width / 2., height / 2. };
  GstBuffer *buffer = gray_picture (width, height, 0);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (i + i / width) % 2 ? 255 : 0;
  gst_buffer_unmap (buffer, &map);
  add_squares (buffer, width, height, &center, 1, 400);
  return buffer;
}

TEST (ink_has_the_colour_that_the_film_would_show)
{
  g_autoptr (GPtrArray) frames =
      film_of (ONLY_INK "ink-source=picture trail-width=3", GRAY (640, 480,
          "0/1"), FILM ",width=64,height=48", checkerboard (640, 480));
  guint n = 0, most = 0;

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      n += pixel (frame_of (frames, 0), x, y) > 100;
      most = MAX (most, pixel (frame_of (frames, 0), x, y));
    }
  fail_unless (n > 200, "%u", n);
  fail_unless (most > 120 && most < 135, "%u", most);
}

/* Widths */

/* Rows of ink in a column through the upper edge of a square. */
static gdouble
measure_line (const gchar * properties, guint width)
{
  g_autofree gchar *all = g_strconcat (ONLY_INK, properties, NULL);
  g_autofree gchar *out = g_strdup_printf (FILM ",width=%u,height=%u",
      width, width * 3 / 4);
  g_autoptr (GPtrArray) frames = film_of (all, GRAY_IN, out, square_picture ());
  gdouble sum = 0.;
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (frame_of (frames, 0), &map, GST_MAP_READ));
  for (guint y = 0; y < width * 3 / 8; y++)
    sum += map.data[y * width + width / 2] / 255.;
  return sum;
}

TEST (lines_of_a_large_film_are_as_wide_to_the_eye)
{
  fail_unless (fabs (measure_line ("", 640) - 2.) < .1);
  fail_unless (fabs (measure_line ("", 1920) - 2.) < .1);
  fail_unless (fabs (measure_line ("", 3840) - 4.) < .1);
  fail_unless (fabs (measure_line ("trail-width=3", 3840) - 6.) < .1);
  fail_unless (fabs (measure_line ("width-scale=1", 3840) - 2.) < .1);
  fail_unless (fabs (measure_line ("width-scale=3", 640) - 6.) < .1);
}

SUITE (fourierdraw_sizes)
{
  tcase_set_timeout (tcase, 120);
}
