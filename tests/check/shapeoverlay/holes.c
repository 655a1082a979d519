/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is filled of regions and holes whose surroundings are missing: pictures
 * of blocks, bright or dark, whose middles are looked at. */

#include <gst/video/video.h>

#include "../lib/harness.h"
#include "../lib/suite.h"

/* Pixels of a block, of which the middle one is far from any contour. */
#define BLOCK 5
#define COLUMNS 12
#define ROWS 9
#define WIDTH (COLUMNS * BLOCK)
#define HEIGHT (ROWS * BLOCK)

#define PAINT 128

/* '#' is bright; a row after the other. */
typedef gchar Picture[ROWS][COLUMNS + 1];

static GstHarness *
make_harness (const gchar * contours)
{
  gchar *line = g_strdup_printf ("cudacontours backend=cpu %s ! shapeoverlay "
      "line-width=0 fill-opacity=1 color-mode=fixed color=0xff808080",
      contours);
  GstHarness *h = gst_harness_new_parse (line);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, WIDTH,
      "height", G_TYPE_INT, HEIGHT, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);

  gst_harness_set_src_caps (h, caps);
  g_free (line);
  return h;
}

/* The same picture, where '+' has been painted. */
static void
fill (const gchar * contours, Picture in, Picture out)
{
  g_autoptr (GstHarness) h = make_harness (contours);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo map;
  guint x;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] = in[y / BLOCK][x / BLOCK] == '#' ? 255 : 0;
  gst_buffer_unmap (buffer, &map);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint y = 0; y < ROWS; y++) {
    for (x = 0; x < COLUMNS; x++)
      out[y][x] = map.data[(y * BLOCK + BLOCK / 2) * WIDTH + x * BLOCK +
          BLOCK / 2] == PAINT ? '+' : in[y][x];
    out[y][x] = 0;
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static void
assert_filled (const gchar * contours, Picture in, Picture want)
{
  Picture out;

  fill (contours, in, out);
  for (guint y = 0; y < ROWS; y++)
    fail_unless (strcmp (out[y], want[y]) == 0, "%s, row %u: %s, not %s",
        contours, y, out[y], want[y]);
}

/* A ring with an island in it, on black. */
static Picture ring = {
  "            ",
  " ########   ",
  " #      #   ",
  " # #### #   ",
  " # #  # #   ",
  " # #### #   ",
  " #      #   ",
  " ########   ",
  "            ",
};

TEST (test_a_hole_in_what_fills_the_frame_stays_empty)
{
  Picture picture = {
    "############",
    "############",
    "###      ###",
    "###      ###",
    "###  ##  ###",
    "###      ###",
    "###      ###",
    "############",
    "############",
  };
  Picture want;

  memcpy (want, picture, sizeof (want));
  want[4][5] = want[4][6] = '+';
  assert_filled ("", picture, want);
  assert_filled ("positive-orientation=high", picture, want);
}

TEST (test_a_hole_whose_region_is_open_stays_empty)
{
  Picture picture = {
    "    ######  ",
    "    ######  ",
    "    ##  ##  ",
    "    ##  ##  ",
    "    ##  ##  ",
    "    ######  ",
    "    ######  ",
    "            ",
    "            ",
  };

  assert_filled ("", picture, picture);
}

TEST (test_rings_are_filled_but_for_their_holes)
{
  Picture want = {
    "            ",
    " ++++++++   ",
    " +      +   ",
    " + ++++ +   ",
    " + +  + +   ",
    " + ++++ +   ",
    " +      +   ",
    " ++++++++   ",
    "            ",
  };

  assert_filled ("", ring, want);
  assert_filled ("positive-orientation=high", ring, want);
}

TEST (test_holes_of_a_region_that_is_left_out_stay_empty)
{
  Picture want = {
    "            ",
    " ########   ",
    " #      #   ",
    " # ++++ #   ",
    " # +  + #   ",
    " # ++++ #   ",
    " #      #   ",
    " ########   ",
    "            ",
  };

  /* the ring's outer contour has 1400 square pixels */
  assert_filled ("max-area=1100", ring, want);
  assert_filled ("max-area=1100 positive-orientation=high", ring, want);
  /* and of the island only the hole */
  assert_filled ("max-area=100", ring, ring);
}

TEST (test_what_a_left_out_hole_would_have_emptied_is_filled)
{
  Picture want = {
    "            ",
    " ++++++++   ",
    " +      +   ",
    " + ++++ +   ",
    " + ++++ +   ",
    " + ++++ +   ",
    " +      +   ",
    " ++++++++   ",
    "            ",
  };

  assert_filled ("min-area=100", ring, want);
}

/* With a black border all contours are closed. */
TEST (test_masks_are_the_pictures)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  guint x;

  for (guint round = 0; round < 40; round++) {
    Picture picture, out;

    for (guint y = 0; y < ROWS; y++) {
      for (x = 0; x < COLUMNS; x++)
        picture[y][x] = x > 0 && y > 0 && x + 1 < COLUMNS && y + 1 < ROWS &&
            g_rand_boolean (random) ? '#' : ' ';
      picture[y][x] = 0;
    }
    fill (round % 2 ? "fully-connected=high" : "", picture, out);
    for (guint y = 0; y < ROWS; y++)
      for (x = 0; x < COLUMNS; x++)
        fail_unless ((picture[y][x] == '#') == (out[y][x] == '+'),
            "round %u: block %u, %u is '%c', was '%c'", round, x, y,
            out[y][x], picture[y][x]);
  }
}

/* Whatever is open or left out: what is dark is painted only if its own hole is
 * missing. */
TEST (test_the_dark_is_never_painted)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  guint x;

  for (guint round = 0; round < 60; round++) {
    g_autofree gchar *contours = g_strdup_printf ("max-area=%d",
        g_rand_int_range (random, 30, 2000));
    Picture picture, out;

    for (guint y = 0; y < ROWS; y++) {
      for (x = 0; x < COLUMNS; x++)
        picture[y][x] = g_rand_int_range (random, 0, 3) ? '#' : ' ';
      picture[y][x] = 0;
    }
    fill (contours, picture, out);
    for (guint y = 0; y < ROWS; y++)
      for (x = 0; x < COLUMNS; x++)
        fail_unless (picture[y][x] == '#' || out[y][x] != '+',
            "round %u, %s: block %u, %u is painted", round, contours, x, y);
  }
}

SUITE (holes) {}
