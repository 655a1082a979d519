/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "element/gstshapesfile.h"
#include "element/gstshapespgm.h"

/* A file of @size bytes that begins with @text. */
static gchar *
make_file (const gchar * text, gsize n, guint64 size)
{
  gchar *path = g_build_filename (folder, "file", NULL);

  fail_unless (g_file_set_contents (path, text, n, NULL));
  fail_unless (truncate (path, size) == 0);
  return path;
}

/* Loading @path fails at once, with an error that names it and @what. */
static void
assert_not_loaded (const gchar * path, gsize max_size, const gchar * what)
{
  g_autoptr (GError) error = NULL;
  gchar *data = (gchar *) path;
  gsize size = 7;

  fail_if (gst_shapes_file_load (path, max_size, &data, &size, &error));
  fail_unless (data == NULL && size == 0);
  fail_unless (strstr (error->message, path) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
}

TEST (a_regular_file_is_loaded_up_to_the_limit)
{
  gchar *path = make_file ("some text", 9, 9), *data;
  gsize size;

  fail_unless (gst_shapes_file_load (path, 9, &data, &size, NULL));
  fail_unless_equals_int (size, 9);
  fail_unless_equals_string (data, "some text");
  g_free (data);
  assert_not_loaded (path, 8, "up to 8 bytes");
  remove_file (path);
}

TEST (an_empty_file_is_loaded)
{
  gchar *path = make_file ("", 0, 0), *data;
  gsize size;

  fail_unless (gst_shapes_file_load (path, 0, &data, &size, NULL));
  fail_unless_equals_int (size, 0);
  fail_unless_equals_string (data, "");
  g_free (data);
  remove_file (path);
}

TEST (what_is_no_regular_file_is_refused_at_once)
{
  g_autofree gchar *pipe = g_build_filename (folder, "pipe", NULL);

  fail_unless (mkfifo (pipe, 0600) == 0);
  assert_not_loaded (pipe, 100, "only regular files");
  assert_not_loaded ("/dev/zero", G_MAXSIZE - 1, "only regular files");
  assert_not_loaded (folder, 100, "only regular files");
  g_unlink (pipe);
}

TEST (a_file_that_is_not_there_is_named)
{
  assert_not_loaded ("/nonexistent/file", 100, "opened");
}

/* A terabyte of which no block exists. */
TEST (a_huge_file_takes_no_memory)
{
  gchar *path = make_file ("", 0, G_GUINT64_CONSTANT (1) << 40);

  assert_not_loaded (path, 1 << 20, "1099511627776 bytes; files of up to "
      "1048576 bytes");
  remove_file (path);
}

TEST (a_file_that_shrinks_while_it_is_read_is_an_error)
{
  gchar *path = make_file ("0123456789", 10, 10);
  GstShapesFile *file = gst_shapes_file_open (path, NULL);
  g_autoptr (GError) error = NULL;
  gchar data[10];

  fail_unless (gst_shapes_file_read (file, 4, data, 6, NULL));
  fail_unless (memcmp (data, "456789", 6) == 0);
  fail_unless (truncate (path, 7) == 0);
  fail_unless_equals_uint64 (gst_shapes_file_get_size (file), 10);
  fail_if (gst_shapes_file_read (file, 0, data, 10, &error));
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT));
  fail_unless (strstr (error->message, path) != NULL);
  gst_shapes_file_close (file);
  remove_file (path);
}

/* Images */

/* More than one block, of 8 or 16 bits. */
static void
load_image (gsize sample_size)
{
  const guint width = 701, height = 307;
  g_autoptr (GString) text = g_string_new (NULL);
  guint w, h;
  gsize n;

  g_string_printf (text, "P5\n# a comment\n%u %u\n%u\n", width, height,
      sample_size == 2 ? 65535 : 255);
  for (gsize i = 0; i < width * height * sample_size; i++)
    g_string_append_c (text, i % 7 == 0 || i % 11 == 3 ? i % 250 : 0);
  gchar *path = make_file (text->str, text->len, text->len);
  g_autofree guint8 *mask = gst_shapes_mask_load (path, width, height, NULL);
  guint8 *parsed = gst_shapes_pgm_parse (text->str, text->len, &w, &h, NULL);
  fail_unless (mask != NULL && parsed != NULL);
  fail_unless (memcmp (mask, parsed, width * height) == 0);
  for (gsize i = n = 0; i < width * height; i++)
    n += mask[i] != 0;
  fail_unless (n > width * height / 7 && n < width * height);
  g_free (parsed);
  remove_file (path);
}

TEST (images_are_loaded_in_parts)
{
  load_image (1);
  load_image (2);
}

/* Files of terabytes: reading beyond the header would be noticed. */
TEST (an_image_s_header_is_looked_at_first)
{
  static const gchar other[] = "P5 65535 65535 255\n", none[] = "BM";
  const guint64 size = G_GUINT64_CONSTANT (1) << 40;
  gchar *path = make_file (other, sizeof (other) - 1, size);

  assert_no_mask (path, 64, 48, "65535 x 65535 pixels, the frame 64 x 48");
  remove_file (path);
  path = make_file (none, sizeof (none) - 1, size);
  assert_no_mask (path, 64, 48, "not a PNG, JPEG or binary PGM");
  remove_file (path);
  path = make_file (other, sizeof (other) - 1, 1000);
  assert_no_mask (path, 65535, 65535, "cut off");
  remove_file (path);
  /* a header without end */
  path = make_file ("P5 #", 4, size);
  assert_no_mask (path, 64, 48, "damaged");
  remove_file (path);
  assert_no_mask ("/dev/zero", 64, 48, "only regular files");
}

SUITE (file)
{
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
}
