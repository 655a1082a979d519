/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes follow the picture: contours that were found before it was flipped,
 * cropped, framed or scaled are those that are found afterwards. */

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#include <math.h>

#define WIDTH 96
#define HEIGHT 64
#define SHAPES "cudacontours backend=cpu measures=full level=0.5 ! " \
    "cudahull backend=cpu source=contours measures=full"

static gboolean
has (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory)
    gst_object_unref (factory);
  else
    g_print ("left out: there is no %s\n", name);
  return factory != NULL;
}

/* Blobs of all sizes, some around others, that touch no border, or do. */
static GstBuffer *
make_frame (gboolean to_the_border)
{
  const gsize stride = GST_ROUND_UP_4 (WIDTH);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, stride * HEIGHT, NULL);
  const gint margin = to_the_border ? 0 : 20;
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, 0, map.size);
  for (gint y = margin; y < HEIGHT - margin; y++)
    for (gint x = margin; x < WIDTH - margin; x++) {
      const gdouble v = 120 + 60 * sin (x * .31 + y * .07) +
          50 * sin (y * .43 - x * .11) + 30 * cos (x * y * .013);

      map.data[y * stride + x] = CLAMP (v, 0, 255);
    }
  return buffer;
}

static GstBuffer *
run_line (const gchar * line, gboolean to_the_border)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width="
      G_STRINGIFY (WIDTH) ",height=" G_STRINGIFY (HEIGHT) ",framerate=25/1");
  return run (h, make_frame (to_the_border));
}

#define NEAR(a, b, within) (fabs ((a) - (b)) <= (within))

static gboolean
has_point (const GstShapePoint * points, gsize n, GstShapePoint wanted)
{
  for (gsize i = 0; i < n; i++)
    if (NEAR (points[i].x, wanted.x, 2e-3) && NEAR (points[i].y, wanted.y,
            2e-3))
      return TRUE;
  return FALSE;
}

static gboolean
same_points (const GstShapeArrays * a, gsize i, const GstShapeArrays * b,
    gsize j)
{
  const gsize n_a = a->offsets[i + 1] - a->offsets[i];
  const gsize n_b = b->offsets[j + 1] - b->offsets[j];

  if (n_a != n_b)
    return FALSE;
  for (gsize k = 0; k < n_a; k++)
    if (!has_point (b->points + b->offsets[j], n_b,
            a->points[a->offsets[i] + k]))
      return FALSE;
  return TRUE;
}

static gboolean
same_record (const GstShapePolyline * a, const GstShapePolyline * b)
{
  return a->flags == b->flags && a->kind == b->kind
      && NEAR (a->area, b->area, .02) && NEAR (a->perimeter, b->perimeter, .02)
      && NEAR (a->bbox_x0, b->bbox_x0, 1e-3)
      && NEAR (a->bbox_y0, b->bbox_y0, 1e-3)
      && NEAR (a->bbox_x1, b->bbox_x1, 1e-3)
      && NEAR (a->bbox_y1, b->bbox_y1, 1e-3)
      && (NEAR (a->solidity, b->solidity, 1e-3)
      || (isnan (a->solidity) && isnan (b->solidity)))
      && ((a->parent < 0) == (b->parent < 0));
}

/* Central moments do not depend on where a polyline begins. */
static void
assert_same_moments (const GstShapeMoments * a, const GstShapeMoments * b,
    GstShapePoint first_a, GstShapePoint first_b)
{
  GstShapeFeatures f, g;

  if (fabs (a->m[0]) < 1)
    return;
  fail_unless (NEAR (a->m[0], b->m[0], 1e-2));
  fail_unless (NEAR (first_a.x + a->m[1] / a->m[0],
          first_b.x + b->m[1] / b->m[0], 1e-2));
  fail_unless (NEAR (first_a.y + a->m[2] / a->m[0],
          first_b.y + b->m[2] / b->m[0], 1e-2));
  fail_unless (gst_shape_moments_get_features (a, &f)
      == gst_shape_moments_get_features (b, &g));
  fail_unless (NEAR (f.major_axis_length, g.major_axis_length, 1e-2));
  fail_unless (NEAR (f.minor_axis_length, g.minor_axis_length, 1e-2));
  if (f.eccentricity > .3)
    fail_unless (NEAR (sin (2 * (f.orientation - g.orientation)), 0, 1e-2));
}

static void
assert_same_hull (const GstShapeHullMeasures * a,
    const GstShapeHullMeasures * b)
{
  fail_unless (NEAR (a->feret_max, b->feret_max, 1e-2));
  fail_unless (NEAR (a->feret_min, b->feret_min, 1e-2));
  fail_unless (NEAR (a->circle_x, b->circle_x, 1e-2));
  fail_unless (NEAR (a->circle_y, b->circle_y, 1e-2));
  fail_unless (NEAR (a->circle_r, b->circle_r, 1e-2));
  fail_unless (NEAR (a->rect_width * a->rect_height,
          b->rect_width * b->rect_height, .05));
}

static void
assert_same_shape (const GstShapeArrays * a, gsize i, const GstShapeArrays * b,
    gsize j)
{
  fail_unless_equals_int (a->moments != NULL, b->moments != NULL);
  if (a->moments)
    assert_same_moments (&a->moments[i], &b->moments[j],
        a->points[a->offsets[i]], b->points[b->offsets[j]]);
  fail_unless_equals_int (a->hull_measures != NULL, b->hull_measures != NULL);
  if (a->hull_measures)
    assert_same_hull (&a->hull_measures[i], &b->hull_measures[j]);
}

/* Which points on an edge are vertices of a hull depends on rounding. */
static void
assert_same_layer (GstShapeLayer * followed, GstShapeLayer * found,
    const gchar * what)
{
  const GstShapeArrays *a = gst_shape_layer_map_host (followed, NULL);
  const GstShapeArrays *b = gst_shape_layer_map_host (found, NULL);
  gsize j;

  fail_unless (a && b);
  fail_unless_equals_int (a->n_shapes, b->n_shapes);
  for (gsize i = 0; i < a->n_shapes; i++) {
    for (j = 0; j < b->n_shapes; j++)
      if (same_record (&a->polylines[i], &b->polylines[j])
          && (a->polylines[i].kind == GST_SHAPE_KIND_HULL
              || (same_points (a, i, b, j) && same_points (b, j, a, i))))
        break;
    fail_unless (j < b->n_shapes, "%s: shape %d is not where the picture is",
        what, (gint) i);
    assert_same_shape (a, i, b, j);
  }
}

typedef struct
{
  const gchar *needs, *line;
  gboolean to_the_border;
} Exact;

static const Exact exact[] = {
  {"videoflip", "videoflip method=clockwise", TRUE},
  {"videoflip", "videoflip method=rotate-180", TRUE},
  {"videoflip", "videoflip method=counterclockwise", TRUE},
  {"videoflip", "videoflip method=horizontal-flip", TRUE},
  {"videoflip", "videoflip method=vertical-flip", TRUE},
  {"videoflip", "videoflip method=upper-left-diagonal", TRUE},
  {"videoflip", "videoflip method=upper-right-diagonal", TRUE},
  {"videocrop", "videocrop left=12 top=6 right=4 bottom=10", FALSE},
  {"videobox", "videobox left=-8 top=-20 right=-4 bottom=-2", FALSE},
  {"videobox", "videobox left=10 top=-6 right=-4 bottom=8", FALSE},
  {"aspectratiocrop", "videoconvert ! aspectratiocrop aspect-ratio=1/1 ! "
        "videoconvert", FALSE},
  /* one after another */
  {"videoflip", "videoflip method=clockwise ! videocrop left=7 top=3 ! "
        "videoflip method=horizontal-flip", FALSE},
};

TEST_TO_ADD (shapes_are_where_they_are_found_afterwards)
{
  const Exact *test = &exact[__i__];
  g_autofree gchar *before = g_strdup_printf (SHAPES " ! %s", test->line);
  g_autofree gchar *after = g_strdup_printf ("%s ! " SHAPES, test->line);
  g_autoptr (GstBuffer) followed = run_line (before, test->to_the_border);
  g_autoptr (GstBuffer) found = run_line (after, test->to_the_border);
  GstShapeSet *a = gst_buffer_get_shape_set (followed);
  GstShapeSet *b = gst_buffer_get_shape_set (found);

  fail_unless (a && b);
  fail_unless_equals_int (gst_shape_set_get_width (a),
      gst_shape_set_get_width (b));
  fail_unless_equals_int (gst_shape_set_get_height (a),
      gst_shape_set_get_height (b));
  fail_unless_equals_int (gst_shape_set_get_n_layers (a), 2);
  fail_unless_equals_int (gst_shape_set_get_n_layers (b), 2);
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (b,
                i)) > 3);
    assert_same_layer (gst_shape_set_get_layer (a, i),
        gst_shape_set_get_layer (b, i), before);
  }
}

/* @b's contours are those of @a, scaled by @s and moved by @x and @y. */
static void
assert_moved (GstShapeSet * a, GstShapeSet * b, gdouble x, gdouble y, gdouble s)
{
  const GstShapeArrays *from =
      gst_shape_layer_map_host (gst_shape_set_get_layer (a, 0), NULL);
  const GstShapeArrays *to =
      gst_shape_layer_map_host (gst_shape_set_get_layer (b, 0), NULL);

  fail_unless_equals_int (from->n_shapes, to->n_shapes);
  for (gsize i = 0; i < from->n_shapes; i++) {
    fail_unless (NEAR (to->polylines[i].centroid_x,
            (from->polylines[i].centroid_x + .5) * s + x - .5, 1e-3));
    fail_unless (NEAR (to->polylines[i].centroid_y,
            (from->polylines[i].centroid_y + .5) * s + y - .5, 1e-3));
    fail_unless (NEAR (to->polylines[i].area,
            from->polylines[i].area * s * s, 1e-3 * (1 + s * s *
                fabs (from->polylines[i].area))));
  }
}

TEST_TO_ADD (a_scaler_that_adds_borders_puts_shapes_between_them)
{
  g_autoptr (GstBuffer) found = run_line (SHAPES, FALSE);
  GstBuffer *framed = run_line (SHAPES " ! videoscale add-borders=true ! "
      "capsfilter caps=video/x-raw,width=192,height=200,"
      "pixel-aspect-ratio=1/1", FALSE);
  GstShapeSet *set = gst_buffer_get_shape_set (framed);

  fail_unless_equals_int (gst_shape_set_get_width (set), 192);
  fail_unless_equals_int (gst_shape_set_get_height (set), 200);
  assert_moved (gst_buffer_get_shape_set (found), set, 0, 36, 2);
  gst_buffer_unref (framed);
}

static GstBuffer *
pull_composed (const gchar * pads)
{
  gchar *line = g_strdup_printf ("compositor name=c background=black %s ! "
      "video/x-raw,format=GRAY8,width=300,height=200 ! appsink name=out "
      "videotestsrc num-buffers=1 pattern=ball ! video/x-raw,format=GRAY8,"
      "width=96,height=64,framerate=25/1 ! " SHAPES " ! tee name=t "
      "t. ! queue ! c.sink_0 t. ! queue ! c.sink_1 t. ! queue ! c.sink_2",
      pads);
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  GstSample *sample = NULL;

  fail_unless (pipeline != NULL && !error, "%s", line);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (sink, "pull-sample", &sample);
  fail_unless (sample != NULL);
  GstBuffer *buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (line);
  return buffer;
}

/* Three pads, one scaled: shapes of all three, with ids of their own. */
TEST_TO_ADD (composed_frames_keep_the_shapes_of_each)
{
  gsize n;
  g_autoptr (GstBuffer) buffer =
      pull_composed ("sink_0::xpos=0 sink_0::ypos=0 sink_1::xpos=101 "
      "sink_1::ypos=17 sink_2::xpos=40 sink_2::ypos=70 sink_2::width=192 "
      "sink_2::height=128");
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  fail_unless (set != NULL);
  fail_unless_equals_int (gst_shape_set_get_width (set), 300);
  fail_unless_equals_int (gst_shape_set_get_height (set), 200);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 6);
  const GstShapePolyline *first = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless (n > 0);
  gboolean *seen = g_new0 (gboolean, gst_shape_set_get_next_id (set));
  for (guint i = 0; i < 6; i += 2) {
    static const gdouble places[3][3] = { {0, 0, 1}, {101, 17, 1}, {40, 70, 2}
    };
    const gdouble *place = places[i / 2];
    const GstShapePolyline *here = gst_shape_set_get_polylines (set, i, &n);
    const GstShapePolyline *hulls = gst_shape_set_get_polylines (set, i + 1,
        &n);

    fail_unless (NEAR (here[0].centroid_x,
            (first[0].centroid_x + .5) * place[2] + place[0] - .5, 1e-3));
    fail_unless (NEAR (here[0].centroid_y,
            (first[0].centroid_y + .5) * place[2] + place[1] - .5, 1e-3));
    fail_unless (!seen[here[0].id] && !seen[hulls[0].id]);
    seen[here[0].id] = seen[hulls[0].id] = TRUE;
    fail_unless_equals_int (hulls[0].parent, here[0].id);
  }
  g_free (seen);
}

/* Shapes that somebody has taken off stay off. */
TEST_TO_ADD (shapes_that_were_removed_do_not_come_back)
{
  GstHarness *h = gst_harness_new_parse ("videoflip method=clockwise");
  g_autoptr (GstBuffer) buffer = run_line (SHAPES, FALSE);

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width="
      G_STRINGIFY (WIDTH) ",height=" G_STRINGIFY (HEIGHT) ",framerate=25/1");
  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_remove_meta (buffer, (GstMeta *) gst_buffer_get_shape_meta
      (buffer));
  buffer = run (h, buffer);
  fail_unless (gst_buffer_get_shape_set (buffer) == NULL);
  gst_harness_teardown (h);
}

static Suite *
follow_suite (void)
{
  Suite *suite = suite_create ("follow");
  TCase *tc = tcase_create ("follow");

  suite_add_tcase (suite, tc);
  for (guint i = 0; i < G_N_ELEMENTS (exact); i++)
    if (has (exact[i].needs))
      tcase_add_loop_test (tc, shapes_are_where_they_are_found_afterwards, i,
          i + 1);
  tcase_add_test (tc, a_scaler_that_adds_borders_puts_shapes_between_them);
  if (has ("compositor"))
    tcase_add_test (tc, composed_frames_keep_the_shapes_of_each);
  tcase_add_test (tc, shapes_that_were_removed_do_not_come_back);
  return suite;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  if (!GST_CHECK_VERSION (1, 28, 0)) {
    g_print ("skipped: metas follow the picture since GStreamer 1.28\n");
    return 77;
  }
  Suite *suite = follow_suite ();
  return gst_check_run_suite (suite, "follow", __FILE__);
}
