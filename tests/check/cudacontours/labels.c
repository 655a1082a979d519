/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on pictures of labels. What is expected of a label is the element
 * itself on the picture that is 1 at it and 0 elsewhere, closed at the border. */

#include "contours_test.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define LABELS "image-source=labels "
#define CAPS VIDEO ("GRAY8", 23, 17)
#define N (WIDTH * HEIGHT)
#define TENSOR(type, dimensions) "other/tensors,format=static,num_tensors=1," \
  "framerate=0/1,types=" type ",dimensions=(string)" dimensions

/* The background, and labels that touch each other and the border, in noise and
 * in squares, one in the other. */
static const guint all_labels[] = { 0, 12, 7, 200 };
static const guint squares[] = { 12, 7, 12, 0, 12, 200, 7 };

static void
draw_labels (guint8 picture[HEIGHT][WIDTH])
{
  draw (picture, 5);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      picture[y][x] = all_labels[picture[y][x] / 85];
  for (guint i = 0; i < G_N_ELEMENTS (squares); i++)
    for (guint y = 1 + i; y < 14 - i; y++)
      memset (&picture[y][2 + i], squares[i], 13 - 2 * i);
}

static GstBuffer *
labels_buffer (void)
{
  GstVideoInfo info;
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  gst_video_info_init (&info);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  return gray_buffer (&info, picture);
}

static GstShapeSet *
expected_of (guint8 picture[HEIGHT][WIDTH], guint label,
    const gchar * properties)
{
  g_autofree gchar *all = g_strconcat ("level-unit=sample close-at-border=true ",
      properties, NULL);
  guint8 binary[HEIGHT][WIDTH];

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      binary[y][x] = picture[y][x] == label;
  return gray8_contours (all, binary);
}

/* The arrays of layer @layer of @set. */
typedef struct
{
  gsize n;
  const GstShapePolyline *records;
  const GstShapePoint *points;
  const guint32 *offsets;
  const GstShapeMoments *moments;
} Arrays;

static Arrays
arrays_of (GstShapeSet * set, guint layer)
{
  Arrays arrays;
  gsize n;

  arrays.points = gst_shape_set_get_points (set, layer, &n);
  arrays.offsets = gst_shape_set_get_offsets (set, layer, &n);
  arrays.moments = gst_shape_set_get_moments (set, layer, &n);
  arrays.records = gst_shape_set_get_polylines (set, layer, &arrays.n);
  return arrays;
}

/* The number of a shape's parent in its label, which begins at @begin. */
static gint32
parent_of (const Arrays * arrays, gsize i, gsize begin)
{
  const gint32 parent = arrays->records[i].parent;

  return parent < 0 ? -1 : parent - arrays->records[begin].id;
}

/* Shape @i of @set's label that begins at @begin is @j of @expected, in all bits
 * but ids. */
static void
assert_ring (const Arrays * set, gsize begin, gsize i, const Arrays * expected,
    gsize j, guint label)
{
  const guint32 *a = &set->offsets[i], *b = &expected->offsets[j];
  GstShapePolyline record = set->records[i];

  fail_unless_equals_int (a[1] - a[0], b[1] - b[0]);
  fail_unless ((set->points == NULL) == (expected->points == NULL));
  fail_unless (!set->points || memcmp (set->points + a[0],
          expected->points + b[0], (a[1] - a[0]) * sizeof (GstShapePoint)) == 0,
      "points of %u, %u", label, (guint) j);
  fail_unless_equals_int (record.class_id, label);
  fail_unless_equals_int (parent_of (set, i, begin),
      parent_of (expected, j, 0));
  record.id = expected->records[j].id;
  record.parent = expected->records[j].parent;
  record.class_id = expected->records[j].class_id;
  fail_unless (memcmp (&record, &expected->records[j], sizeof (record)) == 0,
      "record of %u, %u", label, (guint) j);
  fail_unless ((set->moments == NULL) == (expected->moments == NULL));
  fail_unless (!set->moments || memcmp (&set->moments[i],
          &expected->moments[j], sizeof (GstShapeMoments)) == 0);
}

/* Layer @layer of @set has the polygons of @n_labels @labels of @picture, in
 * ascending order, as contours with @properties are. Returns their number */
static gsize
assert_labels (GstShapeSet * set, guint layer, guint8 picture[HEIGHT][WIDTH],
    const gchar * properties, const guint * labels, guint n_labels)
{
  const Arrays arrays = arrays_of (set, layer);
  gsize begin = 0;

  for (guint i = 0; i < n_labels; i++) {
    g_autoptr (GstShapeSet) one = expected_of (picture, labels[i], properties);
    const Arrays expected = arrays_of (one, 0);

    fail_unless (arrays.n >= begin + expected.n);
    for (gsize j = 0; j < expected.n; j++) {
      assert_ring (&arrays, begin, begin + j, &expected, j, labels[i]);
      fail_unless_equals_int (arrays.records[begin + j].id,
          arrays.records[0].id + begin + j);
    }
    begin += expected.n;
  }
  fail_unless_equals_int (arrays.n, begin);
  return begin;
}

#define MORE "hierarchy=true measures=full "

static const guint foreground[] = { 7, 12, 200 };

/* @set has them all; as many as there are without filters. */
static void
assert_all (GstShapeSet * set, guint layer)
{
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  fail_unless (assert_labels (set, layer, picture, MORE, foreground, 3) > 60);
}

/* Frames */

static GstBuffer *
video_of (GstVideoFormat format, gsize start, gsize stride)
{
  const gsize size = format == GST_VIDEO_FORMAT_GRAY8 ? 1 : 2;
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };
  gsize offsets[GST_VIDEO_MAX_PLANES] = { start };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, start + stride *
      (HEIGHT - 1) + WIDTH * size, NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, 0xee, map.size);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      guint8 *at = map.data + start + y * stride + x * size;
      const guint16 value = format == GST_VIDEO_FORMAT_GRAY16_BE ?
          GUINT16_TO_BE (picture[y][x]) : GUINT16_TO_LE (picture[y][x]);

      /* of any address */
      if (format == GST_VIDEO_FORMAT_GRAY8)
        *at = (guint8) picture[y][x];
      else
        memcpy (at, &value, sizeof (value));
    }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
      WIDTH, HEIGHT, 1, offsets, strides);
  return buffer;
}

TEST (every_label_of_a_frame_becomes_polygons)
{
  const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_BE
  };
  const gchar *caps[] = { CAPS, VIDEO ("GRAY16_LE", 23, 17),
    VIDEO ("GRAY16_BE", 23, 17)
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const gsize row = WIDTH * (i == 0 ? 1 : 2);
    /* with the caps' stride or another one, from an odd address on */
    const gsize layouts[][2] = { {0, GST_ROUND_UP_4 (row)}, {8, row + 6},
    {3, row + 2}, {0, row}
    };

    for (guint j = 0; j < G_N_ELEMENTS (layouts); j++) {
      g_autoptr (GstShapeSet) set = contours_of (LABELS MORE, caps[i],
          video_of (formats[i], layouts[j][0], layouts[j][1]));

      fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
      assert_all (set, 0);
    }
  }
}

/* Tensors */

typedef struct
{
  const gchar *name;
  gsize size;
  gboolean is_signed;
} LabelType;

static const LabelType types[] = {
  {"uint8", 1, FALSE}, {"int8", 1, TRUE}, {"uint16", 2, FALSE},
  {"int16", 2, TRUE}, {"uint32", 4, FALSE}, {"int32", 4, TRUE},
  {"uint64", 8, FALSE}, {"int64", 8, TRUE},
};

static void
write_label (guint8 * at, gsize size, gint64 label)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (at, &label, size);
#else
  memcpy (at, (guint8 *) & label + 8 - size, size);
#endif
}

/* Several images of the labels; those of int8 are less than 128, and with a
 * sign the background is below 0. */
static GstBuffer *
tensor_of (const LabelType * type, guint8 picture[HEIGHT][WIDTH],
    guint n_images)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n_images * N * type->size,
      NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < (gsize) n_images * N; i++) {
    const guint label = picture[i % N / WIDTH][i % WIDTH];

    write_label (map.data + i * type->size, type->size,
        label == 0 && type->is_signed ? -1 - (gint64) (i % 100) : label);
  }
  return buffer;
}

TEST_LOOP (every_label_of_a_tensor_becomes_polygons, 0, G_N_ELEMENTS (types))
{
  const LabelType *type = &types[__i__];
  const gchar *dimensions[] = { "1:23:17:2", "23:17:1:2" };
  const guint labels[] = { 7, 12, __i__ == 1 ? 100 : 200 };
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  for (guint i = 0; __i__ == 1 && i < N; i++)
    if (picture[i / WIDTH][i % WIDTH] == 200)
      picture[i / WIDTH][i % WIDTH] = 100;
  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *caps = g_strdup_printf (TENSOR ("%s", "%s"), type->name,
        dimensions[i]);
    g_autoptr (GstShapeSet) set = contours_of (LABELS "background-label=-1 "
        "classes=100,200,12,7,12", caps, tensor_of (type, picture, 2));

    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
    for (guint layer = 0; layer < 2; layer++) {
      const Arrays arrays = arrays_of (set, layer);

      fail_unless (arrays.n > 60);
      for (gsize j = 0; j < arrays.n; j++)
        fail_unless_equals_int (arrays.records[j].image, layer);
      fail_unless_equals_int (arrays.records[0].id, layer * arrays.n);
    }
    GstShapeSet *first = contours_of (LABELS MORE, caps,
        tensor_of (type, picture, 2));
    assert_labels (first, 0, picture, MORE, labels, 3);
    gst_shape_set_unref (first);
  }
}

/* Those up to the largest are classes. */
TEST (labels_beyond_the_largest_drop_the_frame)
{
  const guint32 good[4] = { 0, G_MAXINT32, 1, 1 };
  const guint32 bad[4] = { 0, 1u << 31, 1, 1 };
  g_autoptr (GstHarness) h = contours_new (LABELS);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, TENSOR ("uint32", "2:2:1:1"));
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_harness_push (h, buffer_of (bad, sizeof (bad))),
        GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (h) == NULL);
    g_autoptr (GstBuffer) out = run (h, buffer_of (good, sizeof (good)));
    const Arrays arrays = arrays_of (gst_buffer_get_shape_set (out), 0);
    fail_unless_equals_int (arrays.n, 2);
    fail_unless_equals_int (arrays.records[1].class_id, G_MAXINT32);
  }
  assert_message (bus, GST_MESSAGE_WARNING, "has the label 2147483648");
}

/* Properties */

TEST (classes_choose_labels_and_the_background_is_one)
{
  const struct
  {
    const gchar *properties;
    guint n, labels[4];
  } cases[] = {
    {"classes=12", 1, {12}},
    {"classes=200,0,99,12,0", 3, {0, 12, 200}},
    {"background-label=-1", 4, {0, 7, 12, 200}},
    {"background-label=12", 3, {0, 7, 200}},
    {"background-label=12 classes=7,12", 2, {7, 12}},
    {"background-label=2147483647", 4, {0, 7, 12, 200}},
    {"classes=2147483647,6", 0, {0}},
  };
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *all = g_strconcat (LABELS MORE, cases[i].properties,
        NULL);
    g_autoptr (GstShapeSet) set = contours_of (all, CAPS, labels_buffer ());

    assert_labels (set, 0, picture, MORE, cases[i].labels, cases[i].n);
  }
}

/* After shapes that the frame has already. */
static GstShapeSet *
after_others (const gchar * properties)
{
  const GstShapePoint points[] = { {0, 0}, {9, 0}, {5, 5}, {0, 0} };
  const GstShapePolyline record = {.id = 41,.parent = -1,
    .flags = GST_SHAPE_FLAG_CLOSED
  };
  const guint32 offsets[] = { 0, 4 };
  g_autoptr (GstShapeSet) others = gst_shape_set_new (WIDTH, HEIGHT);
  GstBuffer *buffer = labels_buffer ();

  gst_shape_set_add_layer (others, gst_shape_layer_new_polylines_copy (points,
          4, offsets, &record, 1, NULL));
  gst_buffer_add_shape_meta (buffer, others);
  return contours_of (properties, CAPS, buffer);
}

TEST (filters_and_measures_are_those_of_contours)
{
  const gchar *cases[] = { "min-area=3", "min-points=8", "max-area=20",
    "max-area=0.5", "min-area=0.5 min-points=9",
    "min-area=1 max-area=20 min-points=6", "measures-only=true",
    "positive-orientation=high", "measures=none", "measures=basic",
    "positive-orientation=high measures-only=true min-points=6",
    "positive-orientation=high measures=basic max-area=40",
    "min-points=100000"
  };
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *expected = g_strconcat (MORE, cases[i], NULL);
    g_autofree gchar *all = g_strconcat (LABELS, expected, NULL);
    g_autoptr (GstShapeSet) set = after_others (all);

    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
    const gsize n = assert_labels (set, 1, picture, expected, foreground, 3);
    fail_unless ((n == 0) == (i == G_N_ELEMENTS (cases) - 1));
    fail_unless (n == 0 || arrays_of (set, 1).records[0].id == 42);
  }
}

/* Holes have a parent, as those of iso-bands; outer rings with a hierarchy. */
TEST (holes_always_have_their_parent)
{
  g_autoptr (GstShapeSet) set = contours_of (LABELS, CAPS, labels_buffer ());
  const Arrays arrays = arrays_of (set, 0);
  guint n_holes = 0;

  for (gsize i = 0; i < arrays.n; i++) {
    const GstShapePolyline *record = &arrays.records[i];
    const gboolean hole = (record->flags & GST_SHAPE_FLAG_HOLE) != 0;

    fail_unless ((record->parent >= 0) == hole);
    fail_unless (!hole || (arrays.records[record->parent].class_id ==
            record->class_id && arrays.records[record->parent].area >
            -record->area));
    n_holes += hole;
  }
  fail_unless (n_holes > 3);
}

/* They tile the picture: areas of a label are the number of its pixels. */
TEST (outlines_of_pixels_count_pixels)
{
  g_autoptr (GstShapeSet) set = contours_of (LABELS "outline=pixels "
      "background-label=-1", CAPS, labels_buffer ());
  const Arrays arrays = arrays_of (set, 0);
  guint8 picture[HEIGHT][WIDTH];
  gdouble areas[256] = { 0 };
  guint n[256] = { 0 };

  draw_labels (picture);
  for (guint i = 0; i < N; i++)
    n[picture[i / WIDTH][i % WIDTH]]++;
  for (gsize i = 0; i < arrays.n; i++) {
    areas[arrays.records[i].class_id] += arrays.records[i].area;
    fail_unless (arrays.offsets[i + 1] - arrays.offsets[i] >= 5);
  }
  for (guint i = 0; i < 256; i++)
    fail_unless_equals_float (areas[i], n[i]);
}

/* The part of the picture in a region is a picture of its own. */
TEST (regions_of_interest_are_closed_at_their_border)
{
  g_autoptr (GstShapeSet) set = contours_of (LABELS
      "roi=\"2,3,11,9;0,0,5,0\"", CAPS, labels_buffer ());
  guint8 picture[HEIGHT][WIDTH], part[9 * 12];
  gsize n, m;

  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  draw_labels (picture);
  memset (part, 0, sizeof (part));
  for (guint y = 0; y < 9; y++)
    memcpy (part + 12 * y, &picture[y + 3][2], 11);
  g_autoptr (GstShapeSet) alone = contours_of (LABELS,
      VIDEO ("GRAY8", 11, 9), buffer_of (part, sizeof (part)));
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n);
  const GstShapePoint *expected = gst_shape_set_get_points (alone, 0, &m);
  fail_unless (n == m && n > 100);
  for (gsize i = 0; i < n; i++)
    fail_unless (points[i].x == expected[i].x + 2 &&
        points[i].y == expected[i].y + 3);
  for (guint layer = 0; layer < 2; layer++) {
    const GstShapeAnnotation *annotations = gst_shape_set_get_annotations (set,
        layer, &n);

    fail_unless (n > 5 && annotations[n - 1].region_id == (gint) layer);
  }
}

TEST (regions_of_tensors_are_those_of_frames)
{
  const gchar *roi = LABELS "roi=\"2,3,11,9;0,0,5,0\"";
  const LabelType type = { "int32", 4, TRUE };
  guint8 picture[HEIGHT][WIDTH];

  draw_labels (picture);
  g_autoptr (GstShapeSet) frame = contours_of (roi, CAPS, labels_buffer ());
  g_autoptr (GstShapeSet) tensor = contours_of (roi, TENSOR ("int32",
          "1:23:17:2"), tensor_of (&type, picture, 2));
  fail_unless_equals_int (gst_shape_set_get_n_layers (tensor), 4);
  for (guint layer = 0; layer < 4; layer++) {
    const Arrays a = arrays_of (tensor, layer);
    const Arrays b = arrays_of (frame, layer / 2);

    fail_unless (a.n == b.n && a.offsets[a.n] == b.offsets[b.n]);
    fail_unless (memcmp (a.points, b.points, a.offsets[a.n] *
            sizeof (GstShapePoint)) == 0);
  }
}

/* Names, messages */

static gchar *
write_names (void)
{
  gchar *path = g_build_filename (g_get_tmp_dir (), "labels-XXXXXX", NULL);
  const gint file = g_mkstemp (path);
  const gchar text[] = "\n\n\n\n\n\n\ncell\n\n\n\n\nnucleus\n";

  fail_unless (file >= 0 && close (file) == 0);
  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
assert_field (const GstStructure * structure, const gchar * field,
    const gchar * expected)
{
  const GValue *value = gst_structure_get_value (structure, field);

  fail_unless ((value != NULL) == (expected != NULL), "%s", field);
  if (value) {
    g_autofree gchar *text = gst_value_serialize (value);

    fail_unless_equals_string (text, expected);
  }
}

/* Of a tensor of two images of four labels. */
static void
assert_counts (const gchar * properties, const gchar * classes,
    const gchar * counts, const gchar * labels)
{
  const guint8 tensor[2][4] = { {7, 0, 7, 12}, {12, 12, 3, 0} };
  g_autofree gchar *all = g_strconcat (LABELS "post-messages=true ", properties,
      NULL);
  g_autoptr (GstHarness) h = contours_new (all);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstMessage *message;

  gst_harness_set_src_caps_str (h, TENSOR ("uint8", "4:1:1:2"));
  gst_buffer_unref (run (h, buffer_of (tensor, sizeof (tensor))));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) &&
      !gst_message_has_name (message, "cudacontours"))
    gst_message_unref (message);
  fail_unless (message != NULL);
  const GstStructure *structure = gst_message_get_structure (message);
  assert_field (structure, "classes", classes);
  assert_field (structure, "n-contours-by-class", counts);
  assert_field (structure, "labels", labels);
  gst_message_unref (message);
}

TEST (messages_count_labels_and_files_name_them)
{
  g_autofree gchar *path = write_names ();
  g_autofree gchar *named = g_strconcat ("labels-location=", path, NULL);

  assert_counts ("", "< (uint)3, (uint)7, (uint)12 >",
      "< (uint)1, (uint)2, (uint)2 >", NULL);
  assert_counts (named, "< (uint)3, (uint)7, (uint)12 >",
      "< (uint)1, (uint)2, (uint)2 >",
      "< (string)\"\", (string)cell, (string)nucleus >");
  assert_counts ("classes=5", "<  >", "<  >", NULL);
  assert_counts ("classes=12 min-area=0.9 positive-orientation=high",
      "< (uint)12 >", "< (uint)1 >", NULL);
  g_autofree gchar *all = g_strconcat (LABELS, named, NULL);
  g_autoptr (GstShapeSet) set = contours_of (all, CAPS, labels_buffer ());
  fail_unless_equals_string (gst_shape_layer_get_class_name
      (gst_shape_set_get_layer (set, 0), 12), "nucleus");
  fail_unless_equals_int (g_unlink (path), 0);
}

/* Errors, limits */

static void
assert_error (const gchar * properties, const gchar * caps, const gchar * what)
{
  g_autofree gchar *all = g_strconcat (LABELS, properties, NULL);
  g_autoptr (GstHarness) h = contours_new (all);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * N, NULL);

  gst_harness_set_src_caps_str (h, caps);
  fail_unless (gst_harness_push (h, buffer) != GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (what_labels_do_not_have_is_an_error)
{
  const gchar *settings[] = { "levels=0.1,0.2", "bands=true",
    "auto-level=true", "level-method=otsu", "class-groups=a=1+2",
    "exclusive=true", "class-min-area=1:2", "class-max-area=1:2",
    "mask-alpha=true", "fully-connected=high", "channel=r"
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree gchar *name = g_strdup (settings[i]);

    *strchr (name, '=') = '\0';
    g_autofree gchar *what = g_strconcat ("unset ", name, NULL);
    assert_error (settings[i], CAPS, what);
  }
  assert_error ("classes=none", CAPS, "list of integers");
  assert_error ("", VIDEO ("I420", 23, 17), "not at I420, whose values");
  assert_error ("", TENSOR ("float32", "23:17:1:1"), "has no labels");
  assert_error ("", TENSOR ("int32", "2:23:17:1"), "one channel, not 2");
  assert_error ("image-source=buffer", TENSOR ("int32", "23:17:1:1"),
      "set image-source=labels; as samples, tensors of type \"int32\"");
}

static gboolean
takes (GstHarness * h, const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstCaps) all = gst_pad_query_caps (GST_PAD_PEER (h->srcpad), NULL);

  return gst_caps_can_intersect (all, caps);
}

TEST (only_labels_are_read_in_either_endianness)
{
  g_autoptr (GstHarness) levels = contours_new ("");
  g_autoptr (GstHarness) labels = contours_new (LABELS);

  fail_if (takes (levels, VIDEO ("GRAY16_BE", 23, 17)));
  fail_unless (takes (levels, VIDEO ("GRAY16_LE", 23, 17)));
  fail_unless (takes (labels, VIDEO ("GRAY16_BE", 23, 17)));
  fail_unless (takes (labels, VIDEO ("GRAY16_LE", 23, 17)));
}

static void
set_property (GstHarness * h, const gchar * name, const gchar * value)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudacontours");

  gst_util_set_object_arg (G_OBJECT (element), name, value);
}

TEST (properties_hold_from_the_next_frame_on)
{
  g_autoptr (GstHarness) h = contours_new ("level=0.7");
  const struct
  {
    const gchar *name, *value;
    gsize n;
  } changes[] = {
    {"image-source", "labels", 0}, {"classes", "12", 0},
    {"image-source", "buffer", 0}, {"classes", "", 1},
    {"image-source", "labels", 0}, {"outline", "pixels", 0},
    {"background-label", "7", 0}, {"image-source", "buffer", 1},
  };

  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    set_property (h, changes[i].name, changes[i].value);
    /* video has no classes */
    if (i == 2) {
      set_property (h, "classes", "");
      i++;
    }
    g_autoptr (GstBuffer) out = run (h, labels_buffer ());
    const Arrays arrays = arrays_of (gst_buffer_get_shape_set (out), 0);
    fail_unless (arrays.n > 10);
    fail_unless ((arrays.records[arrays.n - 1].class_id == 0) ==
        (changes[i].n == 1), "%u", i);
    fail_unless (arrays.records[0].level == (changes[i].n == 1 ? .7 * 255 :
            .5));
  }
}

static void
set_limit (GstHarness * h, guint64 limit)
{
  gst_harness_set (h, "cudacontours", "max-memory", limit, NULL);
}

/* A byte for each pixel, of at least 64 x 64, and those of the result. */
TEST (the_memory_limit_is_exact)
{
  g_autoptr (GstHarness) h = contours_new (LABELS);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, CAPS);
  g_autoptr (GstBuffer) out = run (h, labels_buffer ());
  const Arrays arrays = arrays_of (gst_buffer_get_shape_set (out), 0);
  const gsize sizes[] = { arrays.offsets[arrays.n] * sizeof (GstShapePoint),
    (arrays.n + 1) * sizeof (guint32), arrays.n * sizeof (GstShapePolyline)
  };
  guint64 cost = 64 * 64;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    cost += (sizes[i] + 255) / 256 * 256;

  set_limit (h, cost);
  gst_buffer_unref (run (h, labels_buffer ()));
  set_limit (h, cost - 1);
  fail_unless_equals_int (gst_harness_push (h, labels_buffer ()), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  assert_message (bus, GST_MESSAGE_WARNING, "raise max-memory");
}

TEST (pixels_count_as_rows_and_columns_of_64_at_least)
{
  const gchar *caps[] = { VIDEO ("GRAY8", 200, 12), VIDEO ("GRAY8", 12, 200) };

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstHarness) h = contours_new (LABELS);
    g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
    GstBuffer *black = gst_buffer_new_allocate (NULL, 200 * 12, NULL);

    gst_buffer_memset (black, 0, 0, -1);
    gst_harness_set_src_caps_str (h, caps[i]);
    /* and an empty result */
    set_limit (h, 200 * 64 + 256);
    gst_buffer_unref (run (h, gst_buffer_ref (black)));
    set_limit (h, 200 * 64 + 255);
    fail_unless_equals_int (gst_harness_push (h, black), GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (h) == NULL);
  }
}

TEST (frames_beyond_the_memory_limit_are_dropped)
{
  g_autoptr (GstHarness) h = contours_new (LABELS "max-memory=9000");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *black = gst_buffer_new_allocate (NULL, 24 * HEIGHT, NULL);
  guint64 dropped;

  gst_buffer_memset (black, 0, 0, -1);
  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_harness_push (h, labels_buffer ()),
        GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (h) == NULL);
    gst_buffer_unref (run (h, gst_buffer_ref (black)));
  }
  gst_harness_get (h, "cudacontours", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 2);
  assert_message (bus, GST_MESSAGE_WARNING, "of 23 x 17 labels would take");
  set_limit (h, 64 * 64 + 256);
  gst_buffer_unref (run (h, gst_buffer_ref (black)));
  set_limit (h, 64 * 64 - 1);
  fail_unless_equals_int (gst_harness_push (h, black), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
}

TEST (frames_that_are_too_short_are_dropped)
{
  g_autoptr (GstHarness) h = contours_new (LABELS);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  guint8 tensor[N] = { 0 };

  gst_harness_set_src_caps_str (h, TENSOR ("int16", "23:17:1:1"));
  fail_unless_equals_int (gst_harness_push (h, buffer_of (tensor, N)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  assert_message (bus, GST_MESSAGE_WARNING, "the frame needs 782");
}

SUITE (labels) {}
