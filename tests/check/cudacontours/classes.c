/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours: groups of classes, the greatest class, levels found by
 * themselves, limits and names of classes, regions of interest. What is expected
 * is the element itself on samples computed here. */

#include "contours_test.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define CHANNELS 4
#define N (WIDTH * HEIGHT)
#define TENSOR(channels) \
  "other/tensors,format=static,num_tensors=1,framerate=0/1,types=float32," \
  "dimensions=(string)" #channels ":23:17:1,"
#define HWC "layout=hwc "

/* Class probabilities: multiples of 1/64, whose sums are exact. */
static void
make_samples (float samples[N][CHANNELS])
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < N; i++)
    for (guint c = 0; c < CHANNELS; c++)
      samples[i][c] = g_rand_int_range (rand, 0, 33) / 64.f;
}

static GstBuffer *
make_tensor (void)
{
  float samples[N][CHANNELS];

  make_samples (samples);
  return buffer_of (samples, sizeof (samples));
}

static GstShapeSet *
contours_of_tensor (const gchar * properties)
{
  g_autofree gchar *all = g_strconcat (HWC, properties, NULL);

  return contours_of (all, TENSOR (4), make_tensor ());
}

/* The contours of one plane. */
static GstShapeSet *
contours_of_plane (const gchar * properties, const float *plane)
{
  g_autofree gchar *all = g_strconcat (HWC, properties, NULL);

  return contours_of (all, TENSOR (1), buffer_of (plane, N * sizeof (float)));
}

static const GstShapePolyline *
records_of (GstShapeSet * set, guint layer, gsize * n)
{
  return gst_shape_set_get_polylines (set, layer, n);
}

/* Whether the contours of class @class_id in @set are those of @expected. */
static void
assert_class (GstShapeSet * set, gint32 class_id, GstShapeSet * expected)
{
  gsize n, m, k = 0, n_points, at;
  const GstShapePolyline *records = records_of (set, 0, &n);
  const GstShapePolyline *wanted = records_of (expected, 0, &m);
  const guint32 *offsets = gst_shape_set_get_offsets (set, 0, &at);
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n_points);
  const guint32 *wanted_offsets = gst_shape_set_get_offsets (expected, 0, &at);
  const GstShapePoint *wanted_points =
      gst_shape_set_get_points (expected, 0, &n_points);

  fail_unless (m > 0);
  for (gsize i = 0; i < n; i++) {
    if (records[i].class_id != class_id)
      continue;
    fail_unless (k < m, "class %d has too many", class_id);
    fail_unless (records[i].area == wanted[k].area, "class %d: %g, not %g",
        class_id, records[i].area, wanted[k].area);
    gsize start = offsets[i + 1] - offsets[i];
    fail_unless (start == wanted_offsets[k + 1] - wanted_offsets[k]);
    fail_unless (memcmp (points + offsets[i], wanted_points +
            wanted_offsets[k], start * sizeof (*points)) == 0);
    k++;
  }
  fail_unless (k == m, "class %d: %u, not %u", class_id, (guint) k, (guint) m);
}

TEST (groups_are_sums_or_maxima_of_channels_beside_the_classes)
{
  float samples[N][CHANNELS], sum[N], max[N], first[N];

  make_samples (samples);
  for (guint i = 0; i < N; i++) {
    sum[i] = samples[i][1] + samples[i][3];
    max[i] = MAX (samples[i][1], MAX (samples[i][2], samples[i][3]));
    first[i] = samples[i][0];
  }
  g_autoptr (GstShapeSet) set =
      contours_of_tensor ("classes=0 level=0.4 class-groups=\"bad=1+3\"");
  g_autoptr (GstShapeSet) expected = contours_of_plane ("level=0.4", sum);
  assert_class (set, 4, expected);
  gst_shape_set_unref (expected);
  expected = contours_of_plane ("level=0.4", first);
  assert_class (set, 0, expected);
  gst_shape_set_unref (expected);
  gst_shape_set_unref (set);

  set = contours_of_tensor ("classes=none level=0.4 group-mode=max "
      "class-groups=\" some = 0 , other = 1 .. 3 \"");
  expected = contours_of_plane ("level=0.4", max);
  assert_class (set, 5, expected);
  gst_shape_set_unref (expected);
  expected = contours_of_plane ("level=0.4", first);
  assert_class (set, 4, expected);
}

TEST (levels_are_for_classes_and_then_groups)
{
  float samples[N][CHANNELS], sum[N];

  make_samples (samples);
  for (guint i = 0; i < N; i++)
    sum[i] = samples[i][1] + samples[i][3];
  GstShapeSet *set = contours_of_tensor ("classes=0,2 levels=\"0.1,0.2,0.7\" "
      "class-groups=bad=1+3");
  g_autoptr (GstShapeSet) expected = contours_of_plane ("level=0.7", sum);
  assert_class (set, 4, expected);
  gst_shape_set_unref (set);
}

TEST (exclusive_contours_are_around_the_greatest_class)
{
  float samples[N][CHANNELS], plane[N];
  GstShapeSet *set = contours_of_tensor ("exclusive=true classes=1,2 "
      "class-groups=pair=0+3 group-mode=max");
  gsize n;
  const GstShapePolyline *records = records_of (set, 0, &n);

  for (gsize k = 0; k < n; k++)
    fail_unless_equals_float (records[k].level, 0);
  make_samples (samples);
  for (guint i = 0; i < N; i++) {
    float best = -1;

    for (guint c = 0; c < CHANNELS; c++)
      best = c != 2 && samples[i][c] > best ? samples[i][c] : best;
    plane[i] = samples[i][2] - best;
    /* wins against class 3 */
    if (plane[i] == 0 && samples[i][0] != best && samples[i][1] != best)
      plane[i] = 1e-30f;
  }
  g_autoptr (GstShapeSet) expected = contours_of_plane ("level=0", plane);
  assert_class (set, 2, expected);
  gst_shape_set_unref (expected);
  for (guint i = 0; i < N; i++) {
    const float own = MAX (samples[i][0], samples[i][3]);
    const float best = MAX (samples[i][1], samples[i][2]);

    plane[i] = own == best ? 1e-30f : own - best;
  }
  expected = contours_of_plane ("level=0", plane);
  assert_class (set, 4, expected);
  gst_shape_set_unref (set);
}

/* The threshold of codes that splits them best, tried one by one. */
static guint
otsu_of (const guint8 * codes, guint n)
{
  gdouble best = -1;
  guint found = 0;

  for (guint t = 0; t < 255; t++) {
    gdouble n1 = 0, n2 = 0, s1 = 0, s2 = 0;

    for (guint i = 0; i < n; i++) {
      *(codes[i] <= t ? &n1 : &n2) += 1;
      *(codes[i] <= t ? &s1 : &s2) += codes[i];
    }
    gdouble variance = n1 && n2 ? n1 * n2 * pow (s1 / n1 - s2 / n2, 2) : -1;
    if (variance > best * (1 + 1e-12)) {
      best = variance;
      found = t;
    }
  }
  return found;
}

TEST (otsu_finds_the_level_of_codes)
{
  guint8 codes[N];
  g_autoptr (GstShapeSet) set = NULL;
  gsize n;

  for (guint i = 0; i < N; i++)
    codes[i] = i * 7919 % 101 + (i % 23 > 11 ? 90 : 0);
  /* rows of 24 bytes */
  {
    guint8 padded[HEIGHT][24] = { {0,}, };

    for (guint i = 0; i < N; i++)
      padded[i / WIDTH][i % WIDTH] = codes[i];
    set = contours_of ("level-method=otsu", VIDEO ("GRAY8", 23, 17),
        buffer_of (padded, sizeof (padded)));
  }
  /* between the codes */
  fail_unless_equals_float (records_of (set, 0, &n)[0].level,
      otsu_of (codes, N) + .5);
}

TEST (adaptive_contours_are_where_a_pixel_exceeds_its_surroundings)
{
  float samples[N][CHANNELS], first[N], plane[N];

  make_samples (samples);
  for (guint i = 0; i < N; i++)
    first[i] = samples[i][0];
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gdouble sum = 0;

      for (gint dy = -2; dy <= 2; dy++)
        for (gint dx = -2; dx <= 2; dx++) {
          gint u = x + dx, v = y + dy;

          u = u < 0 ? -1 - u : u >= WIDTH ? 2 * WIDTH - 1 - u : u;
          v = v < 0 ? -1 - v : v >= HEIGHT ? 2 * HEIGHT - 1 - v : v;
          sum += first[v * WIDTH + u];
        }
      plane[y * WIDTH + x] = first[y * WIDTH + x] - sum / 25 - .0625;
    }
  g_autoptr (GstShapeSet) set =
      contours_of_plane ("level-method=adaptive adaptive-window=5 "
      "adaptive-offset=0.0625", first);
  g_autoptr (GstShapeSet) expected = contours_of_plane ("level=0", plane);
  assert_class (set, 0, expected);
}

TEST (an_offset_of_video_is_in_the_unit_of_levels)
{
  guint8 picture[16][16];

  for (guint i = 0; i < 256; i++)
    ((guint8 *) picture)[i] = i * 97 % 256;
  GstShapeSet *a = contours_of ("level-method=adaptive adaptive-window=3 "
      "adaptive-offset=0.2", VIDEO ("GRAY8", 16, 16), buffer_of (picture,
          sizeof (picture)));
  GstShapeSet *b = contours_of ("level-method=adaptive adaptive-window=3 "
      "adaptive-offset=51 level-unit=sample", VIDEO ("GRAY8", 16, 16),
      buffer_of (picture, sizeof (picture)));
  fail_unless (n_contours (a) > 3);
  assert_same_layer (a, 0, b, 0, "offset");
  gst_shape_set_unref (a);
  gst_shape_set_unref (b);
}

static gchar *
write_labels (const gchar * text)
{
  gchar *path = g_strdup_printf ("%s/labels-%d-%u.txt", g_get_tmp_dir (),
      (gint) getpid (), g_random_int ());

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

TEST (areas_are_limited_by_class_number_group_and_label)
{
  g_autofree gchar *path = write_labels ("skin\nstem\r\n\nrot\n");
  g_autofree gchar *properties = NULL;
  guint n_of[6] = { 0, }, n_of_all[6] = { 0, };
  gsize n;

  properties = g_strdup_printf ("level=0.25 labels-location=%s "
      "class-groups=both=0+1 "
      "class-min-area=\"2:3, stem:1.5, both : 2\" class-max-area=\"3:0.5\"",
      path);
  g_autoptr (GstShapeSet) set = contours_of_tensor (properties);
  GstShapeSet *all = contours_of_tensor ("level=0.25 class-groups=both=0+1");
  const GstShapePolyline *records = records_of (set, 0, &n);
  for (gsize i = 0; i < n; i++) {
    const gdouble area = fabs (records[i].area);

    n_of[records[i].class_id]++;
    fail_unless (records[i].class_id != 1 || area >= 1.5);
    fail_unless (records[i].class_id != 2 || area >= 3);
    fail_unless (records[i].class_id != 3 || area <= .5);
    fail_unless (records[i].class_id != 4 || area >= 2);
  }
  records = records_of (all, 0, &n);
  for (gsize i = 0; i < n; i++)
    n_of_all[records[i].class_id]++;
  fail_unless_equals_int (n_of[0], n_of_all[0]);
  for (gsize i = 1; i < 5; i++)
    fail_unless (n_of[i] > 0 && n_of[i] < n_of_all[i]);
  gst_shape_set_unref (all);
  g_unlink (path);
}

/* A harness of @properties with a bus, given the caps. */
static GstHarness *
with_bus (const gchar * properties, const gchar * caps, GstBus ** bus)
{
  GstHarness *h = contours_new (properties);

  *bus = take_bus (h, "cudacontours");
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static void
assert_refused (const gchar * properties, const gchar * caps,
    const gchar * what)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = with_bus (properties, caps, &bus);

  fail_if (gst_harness_push (h, make_tensor ()) == GST_FLOW_OK, "%s",
      properties);
  /* one mistake, one message, although it was met with caps and with a buffer */
  assert_message (bus, GST_MESSAGE_ERROR, what);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR |
          GST_MESSAGE_WARNING) == NULL, "%s", properties);
}

TEST (shapes_and_json_have_the_names_of_classes)
{
  g_autofree gchar *path = write_labels ("skin\n\n\"rot\"");
  g_autofree gchar *properties = g_strdup_printf ("classes=0,1,2 level=0.3 "
      "labels-location=%s "
      "class-groups=bad=0+3 roi=\"0,0,12,0;12,0,0,0\"", path);
  g_autoptr (GstShapeSet) set = contours_of_tensor (properties);

  for (guint i = 0; i < 2; i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 0),
        "skin");
    fail_unless (gst_shape_layer_get_class_name (layer, 1) == NULL);
    fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 2),
        "\"rot\"");
    fail_unless (gst_shape_layer_get_class_name (layer, 3) == NULL);
    fail_unless_equals_string (gst_shape_layer_get_class_name (layer, 4),
        "bad");
    fail_unless (gst_shape_layer_get_class_name (layer, 5) == NULL);
    fail_unless (gst_shape_layer_get_class_name (layer, -1) == NULL);
  }
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);
  fail_unless (strstr (json, "\"class\":0,\"level\"") != NULL);
  fail_unless (strstr (json, "\"class-name\":\"skin\",\"points\"") != NULL,
      "%s", json);
  fail_unless (strstr (json, "\"class-name\":\"\\\"rot\\\"\"") != NULL);
  fail_unless (strstr (json, "\"class-name\":\"bad\"") != NULL);
  g_unlink (path);
}

TEST (messages_name_classes)
{
  g_autofree gchar *path = write_labels ("skin\nstem");
  g_autoptr (GstBus) bus = NULL;
  g_autofree gchar *properties = g_strdup_printf (HWC "classes=1,2 level=0.3 "
      "labels-location=%s class-groups=bad=0+3 post-messages=true", path);
  g_autoptr (GstHarness) h = with_bus (properties, TENSOR (4), &bus);

  fail_unless (gst_harness_push (h, make_tensor ()) == GST_FLOW_OK);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  while (!gst_message_has_name (message, "cudacontours")) {
    gst_message_unref (message);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  }
  gchar *text = gst_structure_to_string (gst_message_get_structure (message));
  fail_unless (strstr (text, "classes=(uint)< 1, 2, 4 >") != NULL, "%s", text);
  fail_unless (strstr (text, "stem, (string)\"\", (string)bad") != NULL ||
      strstr (text, "labels=(string)< stem, \"\", bad >") != NULL, "%s", text);
  g_free (text);
  gst_message_unref (message);
  g_unlink (path);
}

TEST (wrong_settings_of_classes_are_one_message_that_says_what_to_do)
{
  const gchar *tensor = TENSOR (4), *gray = VIDEO ("GRAY8", 16, 16);
  static const gchar *const wrong_groups[] = { "a", "a=", "=1", "a=1+1", "1=2",
    "a=1,a=2", "a=3..1", "a=1-2", "a=1,", "a=99999999999", "a=1+", "a=x", ",",
    "a=70000"
  };
  static const gchar *const wrong_areas[] = { "5", "5:", ":5", "5:-1", "5:nan",
    "5:1,", "a:b", "5:inf"
  };
  gchar *properties;

  for (guint i = 0; i < G_N_ELEMENTS (wrong_groups); i++) {
    properties = g_strdup_printf (HWC "class-groups=\"%s\"", wrong_groups[i]);
    assert_refused (properties, tensor, "comma-separated list of names");
    g_free (properties);
  }
  for (guint i = 0; i < G_N_ELEMENTS (wrong_areas); i++) {
    properties = g_strdup_printf (HWC "class-min-area=\"%s\"",
        wrong_areas[i]);
    assert_refused (properties, tensor, "class-min-area=");
    g_free (properties);
  }
  assert_refused (HWC "class-groups=a=2..4", tensor, "no channel 4 for the "
      "class group \"a\"");
  assert_refused (HWC "classes=none", tensor, "without class-groups");
  assert_refused (HWC "classes=0,1 levels=\"0.1,0.2\" class-groups=a=2+3",
      tensor, "2 levels for 3 classes");
  assert_refused (HWC "class-max-area=7:3", tensor, "no class \"7\"");
  assert_refused (HWC "classes=0 class-min-area=1:3", tensor,
      "no class \"1\"");
  assert_refused (HWC "exclusive=true auto-level=true", tensor,
      "unset auto-level");
  assert_refused (HWC "exclusive=true level-method=otsu", tensor,
      "unset level-method");
  assert_refused ("auto-level=true level-method=otsu", gray, "auto-level=true "
      "is level-method=midrange");
  assert_refused ("level-method=adaptive adaptive-window=4", gray,
      "adaptive-window=4 is not an odd number");
  assert_refused ("class-groups=a=0", gray, "class-groups is for tensors");
  assert_refused ("exclusive=true", gray, "exclusive is for tensors");
  assert_refused (HWC "bands=true levels=\"0.1,0.2\" class-groups=a=0+1",
      tensor, "unset class-groups");
  assert_refused ("bands=true levels=\"0.1,0.2\" level-method=otsu", gray,
      "unset level-method");
  assert_refused ("labels-location=/nonexistent", gray, "no labels");
  assert_refused ("labels-location=/dev/zero", gray, "only regular files");
  assert_refused ("roi-source=meta roi=0,0,4,4", gray, "roi-source=meta");
  assert_refused ("roi=\"0,0,4,4;1\"", gray, "four numbers");
  g_autofree gchar *path = write_labels ("\n\n");
  properties = g_strdup_printf ("labels-location=%s", path);
  assert_refused (properties, gray, "has no names");
  fail_unless (g_file_set_contents (path, "\xff\xfe", 2, NULL));
  assert_refused (properties, gray, "UTF-8");
  g_free (properties);
  g_unlink (path);
}

TEST (several_levels_out_of_range_are_one_warning)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = with_bus ("levels=\"2,3,4\"", VIDEO ("GRAY8", 16,
          16), &bus);

  fail_unless (gst_harness_push (h, gst_buffer_new_allocate (NULL, 256,
              NULL)) == GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_WARNING, "level-unit");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* Regions */

static GstBuffer *
make_picture (void)
{
  guint8 picture[48][48];
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < sizeof (picture); i++)
    ((guint8 *) picture)[i] = g_rand_int_range (rand, 0, 256);
  return buffer_of (picture, sizeof (picture));
}

#define PICTURE VIDEO ("GRAY8", 48, 48)

/* The region of every shape of @layer. */
static void
assert_region (GstShapeSet * set, guint layer, gint32 id)
{
  gsize n;
  const GstShapeAnnotation *annotations =
      gst_shape_set_get_annotations (set, layer, &n);

  fail_unless (n > 0);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (annotations[i].region_id, id);
    fail_unless_equals_int (annotations[i].track_id, -1);
    fail_unless_equals_float (annotations[i].confidence, -1);
  }
}

static const gchar *const regions[] = { "4,4,20,30", "10,0,20,30", "30,20,0,0"
};

TEST (each_of_several_regions_is_a_layer_with_its_number)
{
  GstShapeSet *set = contours_of ("roi=\"4,4,20,30; 10,0,20,30;30,20,0,0\"",
      PICTURE, make_picture ());

  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *properties = g_strdup_printf ("roi=%s", regions[i]);
    GstShapeSet *one = contours_of (properties, PICTURE, make_picture ());

    assert_same_layer (set, i, one, 0, regions[i]);
    assert_region (set, i, i);
    /* a single one has no number */
    fail_unless (gst_shape_set_get_annotations (one, 0, NULL) == NULL);
    gst_shape_set_unref (one);
  }
  fail_unless_equals_int (gst_shape_set_get_next_id (set), n_contours (set));
  gst_shape_set_unref (set);
}

TEST (regions_of_a_frame_are_layers_with_their_ids)
{
  GstHarness *h = contours_new ("roi-source=meta level-method=otsu");
  GstBuffer *buffer = make_picture ();
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (buffer, "a", 10, 0, 20, 30);

  meta->id = 77;
  meta = gst_buffer_add_video_region_of_interest_meta (buffer, "b", 30, 20,
      1000, 1000);
  meta->id = 5;
  gst_buffer_add_video_region_of_interest_meta (buffer, "c", 100, 20, 3, 3);
  g_autoptr (GstShapeSet) set = set_of (h, PICTURE, buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  assert_region (set, 0, 77);
  assert_region (set, 1, 5);
  g_autoptr (GstShapeSet) one = contours_of ("roi=30,20,0,0 level-method=otsu",
      PICTURE, make_picture ());
  assert_same_layer (set, 1, one, 0, "region");
}

TEST (frames_without_regions_are_warned_of_once)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstHarness) h = with_bus ("roi-source=meta", PICTURE, &bus);

  for (guint i = 0; i < 3; i++)
    fail_unless (gst_harness_push (h, make_picture ()) == GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_WARNING, "GstAnalyticsODMtd");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (buffer)), 0);
  }
}

TEST (settings_of_classes_change_while_playing)
{
  g_autoptr (GstHarness) h = contours_new (HWC "level=0.3");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudacontours");

  gst_harness_set_src_caps_str (h, TENSOR (4));
  for (guint i = 0; i < 12; i++) {
    g_object_set (element, "class-groups", i % 3 ? "a=0+1, b=2+3" : NULL,
        "class-min-area", i % 3 ? "a:2" : NULL, NULL);
    gst_util_set_object_arg (G_OBJECT (element), "level-method", i % 4 == 1 ?
        "otsu" : i % 4 == 2 ? "adaptive" : "fixed");
    g_object_set (element, "roi", i % 2 ? "0,0,9,9;5,5,9,9;2,2,12,14" : NULL,
        "exclusive", i % 4 == 0, NULL);
    g_autoptr (GstBuffer) buffer = run (h, make_tensor ());
    fail_unless (n_contours (gst_buffer_get_shape_set (buffer)) > 0, "%u", i);
    fail_unless_equals_int (gst_shape_set_get_n_layers
        (gst_buffer_get_shape_set (buffer)), i % 2 ? 3 : 1);
  }
}

SUITE (classes) {}
