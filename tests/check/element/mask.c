/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Masks in files of every kind, written by GStreamer's encoders. */

#include <gio/gio.h>

#include "folder.h"

#define WIDTH 53
#define HEIGHT 41

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

  run_to_end (line);
  g_free (line);
  return path;
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

TEST (another_size_is_refused_before_it_is_decoded)
{
  static const gchar *const encoders[] = { "pngenc", GRAY "jpegenc", GRAY "pnmenc"
  };

  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++) {
    gchar *path = write_picture (encoders[i]);

    assert_no_mask (path, HEIGHT, WIDTH, "53 x 41 pixels, the frame 41 x 53");
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
  assert_no_mask (path, WIDTH, HEIGHT, "cannot be decoded");
  damage (path, 12);
  assert_no_mask (path, WIDTH, HEIGHT, "damaged");
  remove_file (path);
  path = write_picture (GRAY "jpegenc");
  damage (path, 20);
  assert_no_mask (path, WIDTH, HEIGHT, "damaged");
  remove_file (path);
}

TEST (other_files_are_refused_with_what_to_do)
{
  gchar *path = g_build_filename (folder, "other", NULL);

  fail_unless (g_file_set_contents (path, "GIF89a", 6, NULL));
  assert_no_mask (path, WIDTH, HEIGHT, "not a PNG, JPEG or binary PGM");
  fail_unless (g_file_set_contents (path, "", 0, NULL));
  assert_no_mask (path, WIDTH, HEIGHT, "not a PNG, JPEG or binary PGM");
  remove_file (path);
  assert_no_mask ("/nonexistent/mask.png", WIDTH, HEIGHT, "opened");
  assert_no_mask ("/dev/zero", WIDTH, HEIGHT, "only regular files");
}

SUITE (mask)
{
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
}
