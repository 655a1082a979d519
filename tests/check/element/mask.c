/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Masks in files of every kind, written by GStreamer's encoders. */

#include <string.h>
#include <glib/gstdio.h>
#include <gio/gio.h>

#include "../lib/suite.h"
#include "element/gstshapesmask.h"

#define WIDTH 53
#define HEIGHT 41

static gchar *folder;

static void
setup (void)
{
  folder = g_dir_make_tmp ("mask-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

static void
teardown (void)
{
  g_rmdir (folder);
  g_free (folder);
}

/* videotestsrc's own gray has black at 16. */
#define GRAY "videoconvert ! video/x-raw,format=GRAY8 ! "

/* A white disc on black, encoded by @encoder. */
static gchar *
write_picture (const gchar * encoder)
{
  gchar *path = g_build_filename (folder, "picture", NULL);
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 pattern=ball ! "
      "video/x-raw,format=RGB,width=%d,height=%d ! %s ! filesink location=%s",
      WIDTH, HEIGHT, encoder, path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s",
      line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (line);
  return path;
}

static void
remove_file (gchar * path)
{
  g_unlink (path);
  g_free (path);
}

static guint8 *
load (const gchar * encoder)
{
  gchar *path = write_picture (encoder);
  GError *error = NULL;
  guint8 *mask = gst_shapes_mask_load (path, WIDTH, HEIGHT, &error);

  fail_unless (mask != NULL, "%s: %s", encoder, error ? error->message : "");
  remove_file (path);
  return mask;
}

/* The gray values themselves. */
static guint8 *
get_codes (void)
{
  gchar *path = write_picture (GRAY "identity");
  guint8 *codes = g_malloc (WIDTH * HEIGHT);
  const gsize stride = GST_ROUND_UP_4 (WIDTH);
  g_autofree gchar *data = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  fail_unless_equals_int (size, stride * HEIGHT);
  for (guint y = 0; y < HEIGHT; y++)
    memcpy (codes + y * WIDTH, data + y * stride, WIDTH);
  remove_file (path);
  return codes;
}

static void
assert_mask (const guint8 * mask, const guint8 * codes, guint sure_from,
    guint not_below)
{
  guint n_set = 0;

  for (guint i = 0; i < WIDTH * HEIGHT; i++) {
    fail_unless (mask[i] == 0 || mask[i] == 255);
    fail_unless (mask[i] == 255 || codes[i] < sure_from, "%u", i);
    fail_unless (mask[i] == 0 || codes[i] >= not_below, "%u", i);
    n_set += mask[i] != 0;
  }
  fail_unless (n_set > 100 && n_set < WIDTH * HEIGHT - 100, "%u", n_set);
}

TEST (a_png_is_a_mask_where_it_is_not_black)
{
  g_autofree guint8 *codes = get_codes (), *gray = load (GRAY "pngenc");
  g_autofree guint8 *rgb = load ("pngenc"), *pgm = load (GRAY "pnmenc");

  assert_mask (gray, codes, 1, 1);
  assert_mask (pgm, codes, 1, 1);
  fail_unless (memcmp (rgb, gray, WIDTH * HEIGHT) == 0);
}

TEST (a_jpeg_is_a_mask_where_it_is_bright)
{
  g_autofree guint8 *codes = get_codes (), *mask = load (GRAY "jpegenc");

  assert_mask (mask, codes, 160, 96);
}

static void
assert_refused (const gchar * path, guint width, guint height,
    const gchar * what)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_shapes_mask_load (path, width, height, &error) == NULL);
  fail_unless (strstr (error->message, path) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
}

TEST (another_size_is_refused_before_it_is_decoded)
{
  static const gchar *const encoders[] = { "pngenc", GRAY "jpegenc", GRAY "pnmenc"
  };

  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++) {
    gchar *path = write_picture (encoders[i]);

    assert_refused (path, HEIGHT, WIDTH, "53 x 41 pixels, the frame 41 x 53");
    remove_file (path);
  }
}

/* Truncates the file after @n bytes, and corrupts the last of them. */
static void
damage (const gchar * path, gsize n)
{
  g_autofree gchar *data = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  fail_unless (size > n);
  data[n - 1] ^= 0x55;
  fail_unless (g_file_set_contents (path, data, n, NULL));
}

TEST (damaged_files_are_refused)
{
  gchar *path = write_picture ("pngenc");

  damage (path, 60);
  assert_refused (path, WIDTH, HEIGHT, "cannot be decoded");
  damage (path, 12);
  assert_refused (path, WIDTH, HEIGHT, "damaged");
  remove_file (path);
  path = write_picture (GRAY "jpegenc");
  damage (path, 20);
  assert_refused (path, WIDTH, HEIGHT, "damaged");
  remove_file (path);
}

TEST (other_files_are_refused_with_what_to_do)
{
  gchar *path = g_build_filename (folder, "other", NULL);

  fail_unless (g_file_set_contents (path, "GIF89a", 6, NULL));
  assert_refused (path, WIDTH, HEIGHT, "not a PNG, JPEG or binary PGM");
  fail_unless (g_file_set_contents (path, "", 0, NULL));
  assert_refused (path, WIDTH, HEIGHT, "not a PNG, JPEG or binary PGM");
  remove_file (path);
  assert_refused ("/nonexistent/mask.png", WIDTH, HEIGHT, "opened");
  assert_refused ("/dev/zero", WIDTH, HEIGHT, "only regular files");
}

SUITE (mask)
{
  tcase_add_checked_fixture (tcase, setup, teardown);
}
