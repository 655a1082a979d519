/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors of several images in cudacontours: whatever of a batch overlaps on the
 * GPU, the sets are those of the CPU. */
#include "gpu_pipelines.h"

#include <glib/gstdio.h>

#define WIDTH 60
#define HEIGHT 40
#define CHANNELS 5
#define IMAGE ((gsize) WIDTH * HEIGHT * CHANNELS)

static gchar *
batch_caps (guint n_images, gboolean chw)
{
  return chw ? g_strdup_printf (TENSOR_CAPS "types=float32,dimensions="
      "%u:%u:%u:%u", WIDTH, HEIGHT, CHANNELS, n_images) :
      g_strdup_printf (TENSOR_CAPS "types=float32,dimensions=%u:%u:%u:%u",
      CHANNELS, WIDTH, HEIGHT, n_images);
}

/* In turn an image of smooth noise, one of rough noise, which has so many
 * contours that there is no room for them at first, and an empty one. */
static void
fill_image (gfloat * samples, guint number, GRand * rand)
{
  gfloat last = .5f;

  for (gsize i = 0; i < IMAGE; i++) {
    const gfloat noise = (gfloat) g_rand_double (rand);

    last = (6 * last + noise) / 7;
    samples[i] = number % 3 == 0 ? last : number % 3 == 1 ? noise : 0.f;
  }
}

static GstBuffer *
batch_new (guint n_images, guint32 seed)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n_images * IMAGE *
      sizeof (gfloat), NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < n_images; i++)
    fill_image ((gfloat *) (gpointer) map.data + i * IMAGE, i + seed, rand);
  return buffer;
}

/* @line on both backends, "BACKEND" replaced: CPU, CUDA. */
static void
open_both (const gchar * line, const gchar * caps, GstHarness ** h)
{
  g_auto (GStrv) parts = g_strsplit (line, "BACKEND", -1);

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *own = g_strjoinv (i ? "cuda" : "cpu", parts);

    h[i] = harness_on (i ? test_context : NULL, own);
  }
  gst_harness_set_src_caps_str (h[0], caps);
  gst_harness_set_src_caps_str (h[1], caps);
}

/* Returns how many contours there are. */
static gsize
assert_same (GstHarness ** h, GstBuffer * buffer, const gchar * what)
{
  g_autoptr (GstShapeSet) cpu = set_of (h[0], buffer);
  g_autoptr (GstShapeSet) cuda = set_of (h[1], buffer);
  const gsize n = n_contours (cpu);

  assert_same_sets (cuda, cpu, what);
  return n;
}

static void
close_both (GstHarness ** h)
{
  gst_harness_teardown (h[0]);
  gst_harness_teardown (h[1]);
}

static void
set_min_points (GstHarness ** h, guint n)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstElement) element = find_contours (h[i]);

    g_object_set (element, "min-points", n, NULL);
  }
}

static guint64
count_dropped (GstHarness * h)
{
  g_autoptr (GstElement) element = find_contours (h);
  guint64 n;

  g_object_get (element, "dropped", &n, NULL);
  return n;
}

/* Several frames, one of them in page-locked memory, and a change on the way. */
static void
check_batches (const gchar * properties, guint n_images, gboolean chw,
    gboolean device)
{
  gchar *line = g_strdup_printf ("cudacontours backend=BACKEND layout=%s %s",
      chw ? "chw" : "hwc", properties);
  g_autofree gchar *caps = batch_caps (n_images, chw);
  g_autofree gchar *what = g_strdup_printf ("%u images, %s", n_images, line);
  GstHarness *h[2];

  open_both (line, caps, h);
  if (device)
    pretend_to_read_on_the_device (h[1]);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = batch_new (n_images, i);

    if (i == 2) {
      GstBuffer *pinned = in_pinned_memory (h[1], caps, buffer);

      gst_buffer_unref (buffer);
      buffer = pinned;
    }
    if (i == 3)
      set_min_points (h, 6);
    fail_unless (assert_same (h, buffer, what) > 0 || n_images < 3);
  }
  close_both (h);
  g_free (line);
}

TEST (test_batches_give_what_the_cpu_gives)
{
  static const gchar *properties[] = { "level=0.5",
    "level=0.5 max-segments=10 measures=full hierarchy=true min-area=1",
    "levels=0.4,0.5 classes=0,1 roi=3,4,50,30",
    "class-groups=a=0+2,b=1..4 group-mode=max level=0.6",
    "exclusive=true close-at-border=true", "level-method=otsu measures=none",
    "level-method=adaptive adaptive-window=5",
    "roi=\"0,0,30,40;10,5,50,35\" level=0.45",
    "bands=true levels=0.3,0.5,0.7 classes=0"
  };
  static const guint n_images[] = { 2, 4, 8, 11 };

  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    check_batches (properties[p], n_images[p % 4], FALSE, FALSE);
    check_batches (properties[p], n_images[(p + 1) % 4], TRUE, p % 2);
  }
  check_batches ("level=0.5", 4, FALSE, TRUE);
}

TEST (test_batches_with_masks_give_what_the_cpu_gives)
{
  g_autofree gchar *path = g_strdup_printf ("%s/gpu-batches-mask-%u.pgm",
      g_get_tmp_dir (), g_random_int ());
  g_autofree gchar *properties = g_strdup_printf ("level=0.5 mask-location=%s",
      path);
  g_autoptr (GString) file = g_string_new (NULL);

  g_string_printf (file, "P5\n%u %u\n255\n", WIDTH, HEIGHT);
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    g_string_append_c (file, i % 13 && i % 71 ? '\xff' : '\0');
  fail_unless (g_file_set_contents (path, file->str, file->len, NULL));
  check_batches (properties, 4, FALSE, FALSE);
  check_batches (properties, 4, TRUE, TRUE);
  fail_unless_equals_int (g_remove (path), 0);
}

/* Ids count on from shape to shape and layer to layer, and are known to be
 * used. */
static void
assert_numbered (GstShapeSet * set, guint n_images)
{
  gint32 id = 0;

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL);

    fail_unless (arrays != NULL);
    for (gsize k = 0; k < arrays->n_shapes; k++, id++) {
      fail_unless_equals_int (arrays->polylines[k].id, id);
      fail_unless_equals_int (arrays->polylines[k].image, i % n_images);
    }
  }
  fail_unless_equals_int (gst_shape_set_get_next_id (set), id);
}

/* A layer is that of its image by itself. */
static void
assert_layer_is_of_image (GstShapeSet * set, guint i, GstHarness * single,
    GstBuffer * batch)
{
  g_autoptr (GstBuffer) image = gst_buffer_copy_region (batch,
      GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_DEEP,
      i * IMAGE * sizeof (gfloat), IMAGE * sizeof (gfloat));
  g_autoptr (GstShapeSet) alone = set_of (single, image);
  const GstShapeArrays *a =
      gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL);
  const GstShapeArrays *b =
      gst_shape_layer_map_host (gst_shape_set_get_layer (alone, 0), NULL);

  fail_unless (a != NULL && b != NULL && a->n_shapes == b->n_shapes &&
      a->n_points == b->n_points, "image %u", i);
  fail_unless (a->n_points == 0 || memcmp (a->points, b->points,
          a->n_points * sizeof (*a->points)) == 0, "points of image %u", i);
}

TEST (test_layers_of_a_batch_are_those_of_its_images)
{
  const guint n_images = 11;
  g_autofree gchar *caps = batch_caps (n_images, FALSE);
  g_autofree gchar *one = batch_caps (1, FALSE);
  g_autoptr (GstBuffer) buffer = batch_new (n_images, 0);

  for (guint b = 0; b < 2; b++) {
    GstCudaContext *context = b ? test_context : NULL;
    GstHarness *single = contours_on (context, "layout=hwc level=0.5");
    g_autoptr (GstShapeSet) set = contours_of (context, "layout=hwc level=0.5",
        caps, buffer);

    gst_harness_set_src_caps_str (single, one);
    fail_unless_equals_int (gst_shape_set_get_n_layers (set), n_images);
    assert_numbered (set, n_images);
    for (guint i = 0; i < n_images; i++)
      assert_layer_is_of_image (set, i, single, buffer);
    gst_harness_teardown (single);
  }
}

/* Ids go on after those that are there, from image to image. */
TEST (test_ids_of_batches_go_on)
{
  g_autofree gchar *caps = batch_caps (4, FALSE);
  g_autoptr (GstBuffer) buffer = batch_new (4, 0);
  GstHarness *h[2];

  open_both ("cudacontours backend=BACKEND level=0.5 ! cudacontours "
      "backend=BACKEND level=0.4 hierarchy=true measures=full", caps, h);
  fail_unless (assert_same (h, buffer, "two elements") > 0);
  fail_unless (assert_same (h, buffer, "two elements again") > 0);
  GstShapeSet *set = set_of (h[1], buffer);
  assert_numbered (set, 4);
  gst_shape_set_unref (set);
  close_both (h);
}

/* A frame is dropped if one of its images is too much; the next one is not. */
TEST (test_batch_with_an_image_that_is_too_much_is_dropped)
{
  g_autofree gchar *caps = batch_caps (4, FALSE);
  g_autoptr (GstBuffer) rough = batch_new (4, 0), empty = batch_new (4, 0);
  GstHarness *h[2];

  gst_buffer_memset (empty, 0, 0, gst_buffer_get_size (empty));
  open_both ("cudacontours backend=BACKEND level=0.5 max-memory=100000", caps,
      h);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_harness_push (h[i], gst_buffer_ref (rough)),
        GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (h[i]) == NULL);
    fail_unless_equals_int (count_dropped (h[i]), 1);
  }
  assert_same (h, empty, "after a drop");
  close_both (h);
}

GPU_SUITE (batches)
{
  tcase_set_timeout (tcase, 120);
}
