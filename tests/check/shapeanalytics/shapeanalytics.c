/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analytics_test.h"

#include <math.h>

/* A frame through @chain. */
static GstBuffer *
frame_through (const gchar * chain, const gchar * caps, GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (chain);

  fail_unless (h != NULL, "%s", chain);
  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  return buffer;
}

static GArray *
objects_through (const gchar * chain, GstBuffer * buffer)
{
  buffer = frame_through (chain, GRAY_CAPS, buffer);
  GArray *objects = objects_of (buffer);
  gst_buffer_unref (buffer);
  return objects;
}

#define OBJECT(objects, i) (&g_array_index (objects, Object, i))

static void
assert_box (const Object * object, gint x, gint y, gint width, gint height)
{
  fail_unless (object->x == x && object->y == y && object->width == width &&
      object->height == height && object->rotation == 0,
      "%d,%d %dx%d at %g, not %d,%d %dx%d", object->x, object->y,
      object->width, object->height, object->rotation, x, y, width, height);
}

#define CONTOURS "cudacontours backend=cpu level=0.5 "
#define HULLS " ! cudahull backend=cpu measures=full "
#define BOXES "! shapeanalytics ids=true "

/* The contour lies half a pixel outside of the pixels' centres, on their
 * edges. */
TEST (boxes_are_those_of_the_pixels)
{
  GstBuffer *frame = black_frame ();

  draw_square (frame, 30, 5, 4);
  draw_square (frame, 3, 40, 17);
  g_autoptr (GArray) objects = objects_through (CONTOURS BOXES, frame);
  fail_unless_equals_int (objects->len, 2);
  assert_box (OBJECT (objects, 0), 30, 5, 4, 4);
  assert_box (OBJECT (objects, 1), 3, 40, 17, 17);
  fail_unless_equals_int (OBJECT (objects, 0)->shape, 0);
  fail_unless_equals_int (OBJECT (objects, 1)->shape, 1);
  fail_unless_equals_string (OBJECT (objects, 0)->type, "class 0");
  fail_unless_equals_float (OBJECT (objects, 0)->confidence, 1);
}

/* Bit for bit as with measures. */
TEST (boxes_without_measures_are_those_of_the_points)
{
  GstBuffer *frame = black_frame ();

  draw_square (frame, 30, 5, 4);
  GArray *objects = objects_through (CONTOURS "measures=none ! shapeanalytics",
      gst_buffer_ref (frame));
  fail_unless_equals_int (objects->len, 1);
  assert_box (OBJECT (objects, 0), 30, 5, 4, 4);
  g_array_unref (objects);
  objects = objects_through (CONTOURS "measures=none measures-only=true "
      "! shapeanalytics", frame);
  fail_unless_equals_int (objects->len, 0);
  g_array_unref (objects);
}

/* A ring has a hole, which is no object. */
TEST (holes_and_contours_with_hulls_get_no_boxes)
{
  const struct
  {
    const gchar *chain;
    guint n;
    gint32 first;
  } cases[] = {
    {CONTOURS BOXES, 2, 0},
    {CONTOURS HULLS BOXES "kind=contour", 2, 0},
    {CONTOURS BOXES "kind=hull", 0, 0},
    /* ids 0 to 2 are contours; the hull of the hole is 4 */
    {CONTOURS HULLS BOXES, 2, 3},
    {CONTOURS HULLS BOXES "kind=hull", 2, 3},
  };
  g_autoptr (GstBuffer) frame = black_frame ();

  draw_square (frame, 10, 10, 20);
  for (guint row = 15; row < 25; row++)
    gst_buffer_memset (frame, row * SIDE + 15, 0, 10);
  draw_square (frame, 40, 40, 7);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GArray *objects = objects_through (cases[i].chain, gst_buffer_ref (frame));

    fail_unless (objects->len == cases[i].n, "%s: %u", cases[i].chain,
        objects->len);
    if (cases[i].n > 0)
      fail_unless_equals_int (OBJECT (objects, 0)->shape, cases[i].first);
    g_array_unref (objects);
  }
}

/* How far (@x, @y), a pixel's centre is at an integer, lies outside of the
 * rotated box, by its definition: clockwise, y down. */
static gdouble
distance_outside (const Object * object, gdouble x, gdouble y)
{
  const gdouble dx = x + .5 - (object->x + object->width / 2.);
  const gdouble dy = y + .5 - (object->y + object->height / 2.);
  const gdouble c = cos (object->rotation), s = sin (object->rotation);
  const gdouble across = fabs (dx * c + dy * s) - object->width / 2.;
  const gdouble along = fabs (-dx * s + dy * c) - object->height / 2.;

  return MAX (across, along);
}

static void
draw_rectangle (GstBuffer * buffer, gdouble x0, gdouble y0, gdouble width,
    gdouble height, gdouble angle)
{
  const gdouble c = cos (angle), s = sin (angle);

  for (guint y = 0; y < SIDE; y++)
    for (guint x = 0; x < SIDE; x++) {
      const gdouble u = (x - x0) * c + (y - y0) * s;
      const gdouble v = -(x - x0) * s + (y - y0) * c;

      if (fabs (u) < width / 2 && fabs (v) < height / 2)
        gst_buffer_memset (buffer, y * SIDE + x, 255, 1);
    }
}

/* Each hull lies in its box, within the rounding to whole pixels, and the box
 * is no larger than the rectangle that was drawn. */
TEST (boxes_of_hulls_are_oriented)
{
  guint n_rotated = 0;

  for (guint degrees = 0; degrees < 180; degrees += 9) {
    g_autoptr (GstBuffer) frame = black_frame ();
    gsize n;

    draw_rectangle (frame, 31.3, 30.8, 44, 14, degrees * G_PI / 180);
    frame = frame_through (CONTOURS HULLS "! shapeanalytics", GRAY_CAPS, frame);
    GstShapeSet *set = gst_buffer_get_shape_set (frame);
    g_autoptr (GArray) objects = objects_of (frame);
    fail_unless_equals_int (objects->len, 1);
    const Object *object = OBJECT (objects, 0);
    fail_unless (object->rotation >= 0 && object->rotation < G_PI);
    n_rotated += object->rotation != 0;
    const GstShapePoint *points = gst_shape_set_get_points (set, 1, &n);
    for (gsize i = 0; i < n; i++)
      fail_unless (distance_outside (object, points[i].x, points[i].y) < 1.2,
          "%u degrees: %g", degrees, distance_outside (object, points[i].x,
              points[i].y));
    fail_unless (MAX (object->width, object->height) <= 47 &&
        MIN (object->width, object->height) <= 17, "%u degrees: %d x %d",
        degrees, object->width, object->height);
  }
  fail_unless (n_rotated >= 16);
}

TEST (boxes_can_be_parallel_to_the_axes)
{
  const gchar *chains[] = {
    CONTOURS HULLS "! shapeanalytics oriented=false",
    CONTOURS " ! cudahull backend=cpu ! shapeanalytics"
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    GstBuffer *frame = black_frame ();

    draw_rectangle (frame, 31.3, 30.8, 44, 14, 1);
    g_autoptr (GArray) objects = objects_through (chains[i], frame);
    fail_unless_equals_int (objects->len, 1);
    fail_unless (OBJECT (objects, 0)->rotation == 0);
  }
}

/* Polylines with nothing but a box, an id, a class and a confidence. */
static GstShapeSet *
set_of_boxes (guint n, guint width, guint height)
{
  GstShapeSet *set = gst_shape_set_new (width, height);
  g_autofree GstShapePolyline *records = g_new0 (GstShapePolyline, n);
  g_autofree GstShapeAnnotation *annotations = g_new (GstShapeAnnotation, n);
  g_autofree guint32 *offsets = g_new0 (guint32, n + 1);

  for (guint i = 0; i < n; i++) {
    records[i].id = records[i].class_id = i;
    records[i].class_id %= 3;
    records[i].parent = -1;
    records[i].flags = GST_SHAPE_FLAG_CLOSED;
    records[i].bbox_x0 = records[i].bbox_y0 = i - .5;
    records[i].bbox_x1 = i + (i % 4) + .5;
    records[i].bbox_y1 = i + .5;
    annotations[i] = (GstShapeAnnotation) {i % 2 ? .25f : -1, 9, -1};
  }
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy (NULL, 0, offsets,
      records, n, NULL);
  GstShapeLayer *annotated = gst_shape_layer_annotate (layer, annotations, n);
  gst_shape_layer_unref (layer);
  gst_shape_set_add_layer (set, annotated);
  return set;
}

static GstBuffer *
frame_of_boxes (guint n, guint width, guint height)
{
  GstBuffer *frame = black_frame ();
  g_autoptr (GstShapeSet) set = set_of_boxes (n, width, height);

  gst_buffer_add_shape_meta (frame, set);
  return frame;
}

TEST (classes_have_labels_and_shapes_confidences)
{
  g_autoptr (GstBuffer) frame = frame_through ("shapeanalytics ids=true "
      "labels=\"apple, pear\"", GRAY_CAPS, frame_of_boxes (6, SIDE, SIDE));
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  const gchar *labels[] = { "apple", "pear", "class 2" };
  g_autoptr (GArray) objects = objects_of (frame);
  guint class_mtds[3] = { 0, };

  fail_unless_equals_int (objects->len, 6);
  for (guint i = 0; i < 6; i++) {
    const Object *object = OBJECT (objects, i);
    GstAnalyticsMtd related;
    gpointer state = NULL;

    assert_box (object, i, i, 1 + i % 4, 1);
    fail_unless_equals_string (object->type, labels[i % 3]);
    fail_unless_equals_float (object->confidence, i % 2 ? .25 : 1);
    fail_unless_equals_int (object->shape, i);
    fail_unless (gst_analytics_relation_meta_get_direct_related (meta,
            object->id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
            gst_analytics_cls_mtd_get_mtd_type (), &state, &related));
    fail_unless_equals_string (g_quark_to_string
        (gst_analytics_cls_mtd_get_quark (&related, 0)), labels[i % 3]);
    /* one for all objects of a class */
    fail_unless (i < 3 || class_mtds[i % 3] == related.id);
    class_mtds[i % 3] = related.id;
  }
}

/* (x + .5) s - .5 of -.5 to .5 is -.5 to s - .5 */
TEST (shapes_of_another_size_are_scaled_to_the_frame)
{
  g_autoptr (GArray) objects = objects_through ("shapeanalytics",
      frame_of_boxes (2, SIDE / 4, SIDE / 2));

  fail_unless_equals_int (objects->len, 2);
  assert_box (OBJECT (objects, 0), 0, 0, 4, 2);
  assert_box (OBJECT (objects, 1), 4, 2, 8, 2);
}

/* Widths are 1, 2, 3, 4, 1, 2, ... */
TEST (the_largest_of_too_many_get_boxes_and_one_warning)
{
  g_autoptr (GstHarness) h =
      gst_harness_new_parse ("shapeanalytics max-boxes=5 ids=true");
  g_autoptr (GstBus) bus = take_bus (h, "shapeanalytics");
  const gint32 expected[] = { 2, 3, 6, 7, 11 };

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (guint frame = 0; frame < 3; frame++) {
    g_autoptr (GstBuffer) buffer = run (h, frame_of_boxes (12, SIDE, SIDE));
    g_autoptr (GArray) objects = objects_of (buffer);

    fail_unless_equals_int (objects->len, 5);
    for (guint i = 0; i < 5; i++)
      fail_unless_equals_int (OBJECT (objects, i)->shape, expected[i]);
  }
  assert_message (bus, GST_MESSAGE_WARNING, "7 more shapes than max-boxes=5");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* What is there keeps its ids and relations, however much is added. */
TEST (earlier_metadata_stays)
{
  const guint n = 500;
  g_autoptr (GstBuffer) frame = frame_of_boxes (n, SIDE, SIDE);
  GstAnalyticsRelationMeta *meta =
      gst_buffer_add_analytics_relation_meta (frame);
  const GQuark type = g_quark_from_static_string ("earlier");
  GstAnalyticsMtd object, class, related;
  gpointer state = NULL;

  gst_analytics_relation_meta_add_od_mtd (meta, type, 1, 2, 3, 4, .5, &object);
  gst_analytics_relation_meta_add_one_cls_mtd (meta, .75, type, &class);
  gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_CONTAIN, object.id, class.id);
  frame = frame_through ("shapeanalytics ids=true", GRAY_CAPS, frame);
  meta = gst_buffer_get_analytics_relation_meta (frame);
  g_autoptr (GArray) objects = objects_of (frame);
  fail_unless_equals_int (objects->len, n + 1);
  fail_unless_equals_string (OBJECT (objects, 0)->type, "earlier");
  assert_box (OBJECT (objects, 0), 1, 2, 3, 4);
  fail_unless (gst_analytics_relation_meta_get_direct_related (meta, object.id,
          GST_ANALYTICS_REL_TYPE_CONTAIN, gst_analytics_cls_mtd_get_mtd_type (),
          &state, &related));
  fail_unless_equals_int (related.id, class.id);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (OBJECT (objects, i + 1)->shape, i);
}

TEST (frames_without_shapes_get_nothing)
{
  const gchar *chains[] = { "shapeanalytics", "shapeanalytics transfer=tracks",
    CONTOURS "! shapeanalytics", CONTOURS "! shapeanalytics transfer=tracks"
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    GstBuffer *frame = frame_through (chains[i], GRAY_CAPS, black_frame ());

    fail_unless (gst_buffer_get_analytics_relation_meta (frame) == NULL);
    gst_buffer_unref (frame);
  }
}

/* Masks */

/* A mask of @picture, which has a ring, an island in it, and another one, is
 * the picture again: by its polygons, and pixel by pixel. */
static void
draw_island_picture (GstBuffer * frame)
{
  draw_square (frame, 10, 10, 30);
  for (guint row = 15; row < 35; row++)
    gst_buffer_memset (frame, row * SIDE + 15, 0, 20);
  draw_square (frame, 20, 20, 10);
  draw_square (frame, 50, 50, 9);
  draw_rectangle (frame, 51, 20, 20, 6, 1);
}

static GstBuffer *
mask_of (GstBuffer * frame)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  gint x, y;
  guint width, height;

  fail_unless (gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_segmentation_mtd_get_mtd_type (), &mtd));
  GstBuffer *mask = gst_analytics_segmentation_mtd_get_mask (&mtd, &x, &y,
      &width, &height);
  fail_unless (x == 0 && y == 0 && width == SIDE && height == SIDE);
  return mask;
}

TEST (a_mask_is_the_picture)
{
  g_autoptr (GstBuffer) frame = black_frame ();
  GstMapInfo map, picture;

  draw_island_picture (frame);
  frame = frame_through (CONTOURS "! shapeanalytics mask=true", GRAY_CAPS,
      frame);
  g_autoptr (GArray) objects = objects_of (frame);
  fail_unless_equals_int (objects->len, 4);
  g_autoptr (GstBuffer) mask = mask_of (frame);
  gst_buffer_map (mask, &map, GST_MAP_READ);
  gst_buffer_map (frame, &picture, GST_MAP_READ);
  fail_unless_equals_int (map.size, SIDE * SIDE);
  for (guint i = 0; i < SIDE * SIDE; i++) {
    fail_unless ((map.data[i] > 0) == (picture.data[i] > 0), "pixel %u, %u",
        i % SIDE, i / SIDE);
    /* each in its box */
    if (map.data[i] > 0)
      fail_unless (distance_outside (OBJECT (objects, map.data[i] - 1),
              i % SIDE, i / SIDE) < 0);
  }
  gst_buffer_unmap (frame, &picture);
  gst_buffer_unmap (mask, &map);
}

/* Polylines with points in one layer. */
typedef struct
{
  const GstShapePoint *points;
  guint n_points;
  guint flags, kind;
  gint32 parent;
} Line;

static GstBuffer *
frame_of_lines (const Line * lines, guint n)
{
  GstBuffer *frame = black_frame ();
  g_autoptr (GstShapeSet) set = gst_shape_set_new (SIDE, SIDE);
  GArray *points = g_array_new (FALSE, FALSE, sizeof (GstShapePoint));
  GstShapePolyline records[8] = { {0}, };
  guint32 offsets[9] = { 0, };

  for (guint i = 0; i < n; i++) {
    records[i].id = i;
    records[i].parent = lines[i].parent;
    records[i].kind = lines[i].kind;
    records[i].flags = lines[i].flags;
    g_array_append_vals (points, lines[i].points, lines[i].n_points);
    offsets[i + 1] = points->len;
  }
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy
      ((GstShapePoint *) (gpointer) points->data, points->len, offsets, records,
          n, NULL));
  g_array_unref (points);
  gst_buffer_add_shape_meta (frame, set);
  return frame;
}

#define C GST_SHAPE_FLAG_CLOSED
#define H (GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE)
#define HULL GST_SHAPE_KIND_HULL

/* A centre on a line is not inside, of the shape or of its hole; what is open
 * has no inside; a hole is one of its parent only, and a hull has none. Areas
 * are worked out by hand. */
TEST (a_mask_is_what_is_inside)
{
  /* around the centres 3 to 11 in both directions, or through 2 and 12 */
  static const GstShapePoint around[] = { {2.5, 2.5}, {11.5, 2.5}, {11.5, 11.5},
    {2.5, 11.5}, {2.5, 2.5}
  };
  static const GstShapePoint through[] = { {2, 2}, {12, 2}, {12, 12}, {2, 12},
    {2, 2}
  };
  /* centres 5 to 7; lines on 5 and 8 */
  static const GstShapePoint hole[] = { {4.5, 4.5}, {4.5, 7.5}, {7.5, 7.5},
    {7.5, 4.5}, {4.5, 4.5}
  };
  static const GstShapePoint on[] = { {5, 5}, {5, 8}, {8, 8}, {8, 5}, {5, 5} };
  /* a triangle whose slanting side runs through centres: x + y = 14 */
  static const GstShapePoint slanting[] = { {2.5, 2.5}, {11.5, 2.5},
    {2.5, 11.5}, {2.5, 2.5}
  };
  static const struct
  {
    Line lines[3];
    guint n, regions, pixels;
  } cases[] = {
    {{{around, 5, C, 0, -1}}, 1, 1, 81},
    {{{through, 5, C, 0, -1}}, 1, 1, 81},
    {{{slanting, 4, C, 0, -1}}, 1, 1, 36},
    {{{around, 5, C, 0, -1}, {hole, 5, H, 0, 0}}, 2, 1, 81 - 9},
    {{{around, 5, C, 0, -1}, {on, 5, H, 0, 0}}, 2, 1, 81 - 16},
    /* parents that nobody has looked for */
    {{{around, 5, C, 0, -1}, {hole, 5, H, 0, -1}}, 2, 1, 81 - 9},
    /* an island */
    {{{around, 5, C, 0, -1}, {hole, 5, H, 0, 0}, {on, 5, C, 0, 1}}, 3, 2,
        81 - 9 + 4},
    /* open */
    {{{around, 4, 0, 0, -1}}, 1, 1, 0},
    /* hulls, of a contour that has a hole */
    {{{around, 5, C, 0, -1}, {hole, 5, H, 0, 0}, {around, 5, C, HULL, 0}}, 3,
        1, 81},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstBuffer) frame = frame_through ("shapeanalytics mask=true",
        GRAY_CAPS, frame_of_lines (cases[i].lines, cases[i].n));
    g_autoptr (GstBuffer) mask = mask_of (frame);
    guint n_pixels = 0, highest = 0;
    g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

    gst_buffer_map (mask, &map, GST_MAP_READ);
    for (guint k = 0; k < map.size; k++) {
      n_pixels += map.data[k] > 0;
      highest = MAX (highest, map.data[k]);
    }
    fail_unless (n_pixels == cases[i].pixels, "case %u: %u pixels, not %u", i,
        n_pixels, cases[i].pixels);
    fail_unless (highest == (n_pixels > 0 ? cases[i].regions : 0), "case %u",
        i);
  }
}

/* There and back: the same areas, labels and confidences. */
TEST (polygons_of_a_mask_are_the_shapes_again)
{
  g_autoptr (GstBuffer) frame = black_frame ();
  gdouble ring = 0;
  gsize n, m;

  draw_island_picture (frame);
  frame = frame_through (CONTOURS "! shapeanalytics mask=true "
      "! cudacontours backend=cpu image-source=segmentation", GRAY_CAPS, frame);
  GstShapeSet *set = gst_buffer_get_shape_set (frame);
  /* one of the picture, and one for each region */
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 5);
  const GstShapePolyline *before = gst_shape_set_get_polylines (set, 0, &n);
  /* the outer one, its hole, and three others, in raster order */
  fail_unless_equals_int (n, 5);
  const GstShapePolyline *after = gst_shape_set_get_polylines (set, 1, &m);
  for (gsize i = 0; i < m; i++)
    ring += after[i].area;
  fail_unless_equals_float (ring, 30 * 30 - .5 - (20 * 20 - .5));
  for (gsize i = 2; i <= 4; i++) {
    guint n_same = 0;

    after = gst_shape_set_get_polylines (set, i, &m);
    const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set,
        i, &m);
    fail_unless_equals_int (m, 1);
    fail_unless_equals_int (annotations[0].region_id, i);
    fail_unless_equals_float (annotations[0].confidence, 1);
    for (guint k = 0; k < n; k++)
      n_same += fabs (before[k].area - after[0].area) < 1e-3 &&
          fabs (before[k].centroid_x - after[0].centroid_x) < 1e-3;
    fail_unless_equals_int (n_same, 1);
  }
}

/* Tracks */

/* Gives the object of shape @shape the track @id. */
static void
track (GstBuffer * frame, gint32 shape, guint64 id)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  g_autoptr (GArray) objects = objects_of (frame);
  GstAnalyticsTrackingMtd mtd;
  guint n_found = 0;

  fail_unless (gst_analytics_relation_meta_add_tracking_mtd (meta, id, 0,
          &mtd));
  for (guint i = 0; i < objects->len; i++) {
    if (OBJECT (objects, i)->shape != shape)
      continue;
    fail_unless (gst_analytics_relation_meta_set_relation (meta,
            GST_ANALYTICS_REL_TYPE_RELATE_TO, OBJECT (objects, i)->id, mtd.id));
    n_found++;
  }
  fail_unless_equals_int (n_found, 1);
}

static gint64
track_of (GstBuffer * frame, guint layer, gsize index)
{
  gsize n;
  const GstShapeAnnotation *annotations =
      gst_shape_set_get_annotations (gst_buffer_get_shape_set (frame), layer,
      &n);

  fail_unless (!annotations || index < n);
  return annotations ? annotations[index].track_id : -1;
}

TEST (tracks_of_objects_become_those_of_shapes)
{
  g_autoptr (GstBuffer) frame = frame_through ("shapeanalytics ids=true",
      GRAY_CAPS, frame_of_boxes (4, SIDE, SIDE));
  gsize n;

  track (frame, 1, 0);
  track (frame, 3, G_MAXUINT32 + G_GUINT64_CONSTANT (7));
  frame = frame_through ("shapeanalytics transfer=tracks", GRAY_CAPS, frame);
  fail_unless (track_of (frame, 0, 0) == -1);
  fail_unless (track_of (frame, 0, 1) == 0);
  fail_unless (track_of (frame, 0, 2) == -1);
  fail_unless (track_of (frame, 0, 3) == G_MAXUINT32 + G_GINT64_CONSTANT (7));
  /* what else was known stays */
  GstShapeSet *set = gst_buffer_get_shape_set (frame);
  const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set, 0,
      &n);
  fail_unless_equals_float (annotations[3].confidence, .25);
  fail_unless_equals_int (annotations[3].region_id, 9);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);
  fail_unless (strstr (json, "\"track-id\":4294967302") != NULL, "%s", json);
}

/* Whichever of them has the box. */
TEST (a_contour_and_its_hull_have_one_track)
{
  const gchar *chains[] = {
    CONTOURS HULLS BOXES,
    CONTOURS HULLS BOXES "kind=contour"
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    g_autoptr (GstBuffer) frame = black_frame ();

    draw_square (frame, 30, 5, 4);
    draw_square (frame, 3, 40, 17);
    frame = frame_through (chains[i], GRAY_CAPS, frame);
    track (frame, i == 0 ? 3 : 1, 77);
    frame = frame_through ("shapeanalytics transfer=tracks", GRAY_CAPS, frame);
    fail_unless (track_of (frame, 0, 0) == -1);
    fail_unless (track_of (frame, 0, 1) == 77);
    fail_unless (track_of (frame, 1, 0) == -1);
    fail_unless (track_of (frame, 1, 1) == 77);
  }
}

/* A detector's objects are no shapes; one that is not related has no track. */
TEST (tracks_of_others_leave_shapes_alone)
{
  g_autoptr (GstBuffer) frame = frame_of_boxes (4, SIDE, SIDE);
  GstShapeSet *set = gst_buffer_get_shape_set (frame);
  GstAnalyticsRelationMeta *meta =
      gst_buffer_add_analytics_relation_meta (frame);
  GstAnalyticsMtd object, mtd;

  gst_analytics_relation_meta_add_od_mtd (meta, 1, 1, 2, 3, 4, .5, &object);
  gst_analytics_relation_meta_add_tracking_mtd (meta, 5, 0, &mtd);
  gst_analytics_relation_meta_set_relation (meta,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, object.id, mtd.id);
  frame = frame_through ("shapeanalytics transfer=tracks", GRAY_CAPS, frame);
  fail_unless (gst_buffer_get_shape_set (frame) == set);
}

/* What gst-python knows, by the names of the library's own types. */
static gboolean
is_common (GstAnalyticsMtdType type)
{
  return type == gst_analytics_od_mtd_get_mtd_type () ||
      type == gst_analytics_cls_mtd_get_mtd_type () ||
      type == gst_analytics_segmentation_mtd_get_mtd_type ();
}

TEST (unless_asked_for_there_are_common_metadata_only)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) frame = frame_through (i == 0 ? "shapeanalytics" :
        "shapeanalytics ids=true", GRAY_CAPS, frame_of_boxes (6, SIDE, SIDE));
    GstAnalyticsRelationMeta *meta =
        gst_buffer_get_analytics_relation_meta (frame);
    const guint n = gst_analytics_relation_get_length (meta);
    guint n_others = 0;

    for (guint k = 0; k < n; k++) {
      const GstAnalyticsMtd mtd = { k, meta };

      n_others += !is_common (gst_analytics_mtd_get_mtd_type (&mtd));
    }
    fail_unless_equals_int (n_others, i == 0 ? 0 : 6);
    fail_unless_equals_int (n, 6 + 3 + n_others);
  }
}

TEST (tracks_of_objects_without_ids_are_warned_of_once)
{
  g_autoptr (GstHarness) h =
      gst_harness_new_parse ("shapeanalytics transfer=tracks");
  g_autoptr (GstBus) bus = take_bus (h, "shapeanalytics");

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *frame = frame_through ("shapeanalytics", GRAY_CAPS,
        frame_of_boxes (4, SIDE, SIDE));
    GstAnalyticsRelationMeta *meta =
        gst_buffer_get_analytics_relation_meta (frame);
    g_autoptr (GArray) objects = objects_of (frame);
    GstAnalyticsMtd mtd;

    fail_unless (gst_analytics_relation_meta_add_tracking_mtd (meta, 7, 0,
            &mtd) && gst_analytics_relation_meta_set_relation (meta,
            GST_ANALYTICS_REL_TYPE_RELATE_TO, OBJECT (objects, 0)->id,
            mtd.id));
    frame = run (h, frame);
    fail_unless (track_of (frame, 0, 0) == -1);
    gst_buffer_unref (frame);
    if (i == 0)
      assert_message (bus, GST_MESSAGE_WARNING, "ids=true");
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  }
}

SUITE (shapeanalytics) {}
