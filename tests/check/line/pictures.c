/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of pieces, decoded and looked at: a square mark on a round fruit */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include "checks.h"
#include "event.h"
#include "mosaic.h"
#include "painter.h"
#include "pictures.h"

#define CUPS 2
#define VIEWS 2
#define ROT 6
#define GRAY 100

static const char line_text[] =
    "[line]\nname=line1\nrecipe=r\noutput=o\ndeadline-ms=50\n"
    "[geometry]\ncolumns=200\nrows=90\nmm-per-pixel=0.8\ncups=2\n"
    "cup-first=50\ncup-pitch=100\ntilt=-20;20\n"
    "[lane a]\nsource=simulate\n"
    "[lane b]\nsource=simulate\n"
    "[geometry b]\nrows=70\ncups=3\ncup-pitch=60;50\n";

static LineConfig *config;

static const LineGeometry *
get_geometry (guint lane)
{
  return line_config_get_lane (config, lane)->geometry;
}
static LineRecipe *recipe;

/* The ground of all pictures; a hand that keeps the painter from painting */
static GMutex hand;

static gboolean
look_at (guint lane, guint64 trigger, guint view, guint8 * rgb, gpointer user)
{
  g_mutex_lock (&hand);
  g_mutex_unlock (&hand);
  memset (rgb, GRAY, 200 * 90 * 3);
  /* one view is missing */
  return !(trigger == 5 && view == 1);
}

/* One that takes a while as soon as the end is near: looks since then */
static gint looks, end_is_near;

static gboolean
look_slowly (guint lane, guint64 trigger, guint view, guint8 * rgb,
    gpointer user)
{
  while (!g_atomic_int_get (&end_is_near))
    g_usleep (1000);
  g_usleep (G_USEC_PER_SEC);
  g_atomic_int_inc (&looks);
  return FALSE;
}

static LineContour
add_points (LinePoint * points, gint32 class_id, gsize first,
    const LinePoint * corners, gsize n)
{
  LineContour contour = {.class_id = class_id,.first = first,.n_points = n + 1,
    .x0 = 1e9,.y0 = 1e9,.x1 = -1e9,.y1 = -1e9
  };

  for (gsize i = 0; i <= n; i++) {
    const LinePoint *from = &corners[i % n], *to = &corners[(i + 1) % n];

    points[first + i] = *from;
    contour.x0 = MIN (contour.x0, from->x);
    contour.x1 = MAX (contour.x1, from->x);
    contour.y0 = MIN (contour.y0, from->y);
    contour.y1 = MAX (contour.y1, from->y);
    if (i < n)
      contour.area += (from->x * to->y - to->x * from->y) / 2;
  }
  return contour;
}

/* A fruit of 30 pixels' radius in cup 1, at column 150, row 45; a mark of 20 x 20
 * pixels in its middle. */
static LineSeen *
make_seen (void)
{
  static const LinePoint square[] = {
    {140, 35}, {160, 35}, {160, 55}, {140, 55}
  };
  LinePoint circle[90];
  LineSeen *seen = g_new0 (LineSeen, 1);

  for (guint i = 0; i < 90; i++)
    circle[i] = (LinePoint) {
      150 + 30 * cosf (i * (gfloat) G_PI / 45),
      45 + 30 * sinf (i * (gfloat) G_PI / 45)
    };
  seen->view.points = g_new0 (LinePoint, 91 + 5);
  seen->view.contours = g_new0 (LineContour, 2);
  seen->view.n_contours = 2;
  seen->view.contours[0] = add_points (seen->view.points,
      (gint32) recipe->n_classes, 0, circle, 90);
  seen->view.contours[1] = add_points (seen->view.points, ROT, 91, square, 4);
  return seen;
}

static void
add_of_lane (LinePictures * pictures, guint lane, guint64 number)
{
  LinePiece piece = {.piece = number,.n_looks = 1 };
  LineMeasures measures = {.diameter = 48 };
  LineOutcome outcome = {.outlet = 8,.reasons = g_ptr_array_new () };
  LineDecision decision = {.line = "line1",.lane = "a",.software = "1",
    .geometry = get_geometry (lane),.recipe = recipe,.piece = &piece,
    .measures = &measures,.outcome = &outcome,.encoder = -1
  };

  g_ptr_array_add (outcome.reasons, (char *) "reject");
  measures.figures[1].mm2 = 256;
  /* cup 1, view 0 */
  piece.looks[1 * VIEWS + 0].data = make_seen ();
  line_pictures_add (pictures, lane, &decision);
  line_seen_free (piece.looks[1 * VIEWS + 0].data);
  g_ptr_array_unref (outcome.reasons);
}

static void
add (LinePictures * pictures, guint64 number)
{
  add_of_lane (pictures, 0, number);
}

static void
wait_until_written (LinePictures * pictures, guint64 n)
{
  guint64 written = 0, dropped, failed;

  for (guint i = 0; i < 6000 && written < n; i++) {
    line_pictures_get_counts (pictures, &written, &dropped, &failed);
    g_assert_cmpuint (failed, ==, 0);
    g_usleep (10000);
  }
  g_assert_cmpuint (written, ==, n);
}

static guint8 *
decode (const char *path, guint * width, guint * height)
{
  char *text = g_strdup_printf ("filesrc location=%s ! jpegdec ! videoconvert "
      "! video/x-raw,format=RGBA ! appsink name=sink", path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  gpointer data;
  gsize size;

  g_free (text);
  g_assert_nonnull (pipeline);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstSample *sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  g_assert_nonnull (sample);
  GstStructure *caps = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  gst_structure_get_int (caps, "width", (gint *) width);
  gst_structure_get_int (caps, "height", (gint *) height);
  gst_buffer_extract_dup (gst_sample_get_buffer (sample), 0,
      (gsize) * width * *height * 4, &data, &size);
  gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  return data;
}

/* Alike in brightness, roughly, and in how far it is from gray: thin lines mix
 * with what is around them. */
static gboolean
is_like (const guint8 * pixel, guint32 color)
{
  const gint r = color >> 16, g = color >> 8 & 0xff, b = color & 0xff;

  return ABS (pixel[0] - r) < 70 && ABS (pixel[1] - g) < 70
      && ABS (pixel[2] - b) < 70
      && ABS ((pixel[0] - pixel[1]) - (r - g)) < 50
      && ABS ((pixel[2] - pixel[1]) - (b - g)) < 30;
}

/* Is a pixel of the colour within two pixels of (x, y)? */
static gboolean
is_near (const guint8 * rgba, guint width, gdouble x, gdouble y, guint32 color)
{
  for (gint dy = -2; dy <= 2; dy++)
    for (gint dx = -2; dx <= 2; dx++)
      if (is_like (rgba + 4 * ((gsize) (y + dy) * width + (gsize) (x + dx)),
              color))
        return TRUE;
  return FALSE;
}

static void
check_picture (const char *path)
{
  const guint32 rot = line_painter_get_color (recipe, ROT);
  const guint32 fruit = line_painter_get_color (recipe, recipe->n_classes);
  guint width, height;
  g_autofree guint8 *rgba = decode (path, &width, &height);
  guint x, y;

  g_assert_cmpuint (width, ==, line_mosaic_get_size (get_geometry (0)).width);
  g_assert_cmpuint (height, ==,
      line_mosaic_get_size (get_geometry (0)).height);
  line_mosaic_get_place (get_geometry (0), 1, 0, &x, &y);
  /* column 100 of the view is at the left of the cell of cup 1, scale 2: the
   * square is from (80, 70) to (120, 110) in it, the circle's right end at 160 */
  g_assert_true (is_near (rgba, width, x + 80, y + 90, rot));
  g_assert_true (is_near (rgba, width, x + 100, y + 110, rot));
  g_assert_true (is_near (rgba, width, x + 160, y + 90, fruit));
  g_assert_false (is_near (rgba, width, x + 100, y + 90, rot));
  g_assert_false (is_near (rgba, width, x + 160, y + 90, rot));
  g_assert_true (is_near (rgba, width, x + 20, y + 20,
          GRAY << 16 | GRAY << 8 | GRAY));
  /* nothing is painted in the other cup */
  line_mosaic_get_place (get_geometry (0), 0, 0, &x, &y);
  g_assert_false (is_near (rgba, width, x + 80, y + 90, rot));
  /* the picture of (trigger 4, view 1) is there, in cup 0 */
  line_mosaic_get_place (get_geometry (0), 0, 1, &x, &y);
  g_assert_true (is_near (rgba, width, x + 20, y + 20,
          GRAY << 16 | GRAY << 8 | GRAY));
  /* that of (trigger 5, view 1), in cup 1, is not: plain ground */
  line_mosaic_get_place (get_geometry (0), 1, 1, &x, &y);
  g_assert_false (is_near (rgba, width, x + 20, y + 20,
          GRAY << 16 | GRAY << 8 | GRAY));
}

static char *
read_text (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_assert_cmpint (g_unlink (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static LineFolder *
open_folder (const char *path)
{
  LineFolder *folder = line_folder_open (path, FALSE, NULL);

  g_assert_nonnull (folder);
  return folder;
}

/* Of a picture whose colours rise by 1 a column and 3 a row: cup 1 begins at
 * column 100, a row's middle is between two of the mosaic. */
CHECK (mosaic)
{
  const LineMosaicSize size = line_mosaic_get_size (get_geometry (0));
  g_autofree guint8 *picture = g_malloc (200 * 90 * 3);
  g_autofree guint8 *rgb = g_malloc ((gsize) size.width * size.height * 3);
  guint x, y;

  for (guint i = 0; i < 200 * 90; i++) {
    picture[3 * i] = i % 200;
    picture[3 * i + 1] = MIN (i / 200 * 3, 255);
    picture[3 * i + 2] = 7;
  }
  line_mosaic_clear (get_geometry (0), rgb);
  line_mosaic_put (get_geometry (0), 1, 1, picture, rgb);
  line_mosaic_get_place (get_geometry (0), 1, 1, &x, &y);
  for (guint j = 1; j < 160; j++)
    for (guint i = 0; i < 190; i++) {
      const guint8 *at = rgb + ((gsize) (y + j) * size.width + x + i) * 3;
      const gdouble column = 100 + (i + 0.5) / 2, row = (j + 0.5) / 2 - 0.5;

      g_assert_cmpfloat_with_epsilon (at[0], column, 0.51);
      g_assert_cmpfloat_with_epsilon (at[1], 3 * row, 0.51);
      g_assert_cmpuint (at[2], ==, 7);
    }
}

/* The stated area of each outline is what its points enclose; x and y are not
 * the same in the middle of the square, nor is the cup the first. */
CHECK (shapes)
{
  LinePiece piece = {.piece = 1,.n_looks = 1 };
  LineDecision decision = {.geometry = get_geometry (0),.recipe = recipe,
    .piece = &piece
  };
  gsize n;
  guint x, y;

  piece.looks[1 * VIEWS + 0].data = make_seen ();
  GstShapeSet *set = line_mosaic_get_shapes (&decision);
  g_assert_nonnull (set);
  const GstShapePolyline *polylines = gst_shape_set_get_polylines (set, 0, &n);
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, NULL);
  const guint32 *offsets = gst_shape_set_get_offsets (set, 0, NULL);
  g_assert_cmpuint (n, ==, 2);
  for (gsize i = 0; i < n; i++) {
    gdouble area = 0;

    for (guint32 k = offsets[i]; k + 1 < offsets[i + 1]; k++)
      area += (points[k].x * points[k + 1].y - points[k + 1].x * points[k].y)
          / 2;
    g_assert_cmpfloat_with_epsilon (polylines[i].area, area, area / 1e4);
  }
  /* 20 x 20 pixels, twice as large */
  g_assert_cmpint (polylines[1].class_id, ==, ROT);
  g_assert_cmpfloat_with_epsilon (polylines[1].area, 1600, 0.01);
  line_mosaic_get_place (get_geometry (0), 1, 0, &x, &y);
  g_assert_cmpfloat_with_epsilon (points[offsets[1]].x, x + 80, 1);
  g_assert_cmpfloat_with_epsilon (points[offsets[1]].y, y + 70, 1);
  gst_shape_set_unref (set);
  line_seen_free (piece.looks[1 * VIEWS + 0].data);
}

/* Each is as large as its lane's looks together. */
CHECK (lanes)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  LinePictures *pictures =
      line_pictures_new (config, open_folder (folder), 9, look_at, NULL, NULL);

  g_assert_nonnull (pictures);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf ("%03u.jpg", i);
    g_autofree char *path = g_build_filename (folder, name, NULL);
    guint width, height;

    add_of_lane (pictures, i % 2, i);
    wait_until_written (pictures, i + 1);
    g_autofree guint8 *rgba = decode (path, &width, &height);
    /* 4 between cells, 34 above them, 170 beside them */
    g_assert_cmpuint (width, ==, i % 2 ? 3 * (2 * 60 + 4) + 4 + 170 :
        2 * (2 * 100 + 4) + 4 + 170);
    g_assert_cmpuint (height, ==, i % 2 ? 2 * (2 * 70 + 4) + 4 + 34 :
        2 * (2 * 90 + 4) + 4 + 34);
  }
  line_pictures_free (pictures);
  remove_folder (folder);
}

/* Five pictures in a ring of two. */
CHECK (ring)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "000.jpg", NULL);
  LinePictures *pictures =
      line_pictures_new (config, open_folder (folder), 2, look_at, NULL, NULL);

  g_assert_nonnull (pictures);
  for (guint i = 0; i < 5; i++) {
    add (pictures, i);
    wait_until_written (pictures, i + 1);
  }
  line_pictures_free (pictures);
  check_picture (path);
  g_autofree char *text = read_text (folder, "000.json");
  g_assert_nonnull (strstr (text, "\"piece\":4,"));
  g_free (text);
  text = read_text (folder, "001.json");
  g_assert_nonnull (strstr (text, "\"piece\":3,"));
  g_assert_null (read_text (folder, "002.json"));
  remove_folder (folder);
}

/* While the painter is kept from painting, four wait and the others are
 * dropped; nobody else waits. */
CHECK (full)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  LinePictures *pictures =
      line_pictures_new (config, open_folder (folder), 9, look_at, NULL, NULL);
  guint64 written, dropped, failed;

  g_mutex_lock (&hand);
  add (pictures, 0);
  /* until the painter has it, and waits for the hand */
  do {
    g_usleep (1000);
    line_pictures_get_counts (pictures, &written, &dropped, &failed);
  } while (dropped > 0);
  for (guint i = 1; i <= 7; i++)
    add (pictures, i);
  line_pictures_get_counts (pictures, &written, &dropped, &failed);
  g_assert_cmpuint (written, ==, 0);
  g_assert_cmpuint (dropped, ==, 7);
  g_mutex_unlock (&hand);
  wait_until_written (pictures, 5);
  line_pictures_get_counts (pictures, &written, &dropped, &failed);
  g_assert_cmpuint (dropped, ==, 3);
  line_pictures_free (pictures);
  remove_folder (folder);
}

/* The end waits for a look, not for the picture. */
CHECK (end)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  LinePictures *pictures =
      line_pictures_new (config, open_folder (folder), 9, look_slowly, NULL, NULL);
  guint64 written, dropped = 1, failed;

  add (pictures, 0);
  /* until the painter has it */
  while (dropped > 0) {
    g_usleep (1000);
    line_pictures_get_counts (pictures, &written, &dropped, &failed);
  }
  g_atomic_int_set (&end_is_near, TRUE);
  line_pictures_free (pictures);
  g_assert_cmpint (g_atomic_int_get (&looks), <, CUPS * VIEWS);
  remove_folder (folder);
}

/* The folder goes while pictures are painted: they are counted as failed. */
CHECK (lost_folder)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  LinePictures *pictures =
      line_pictures_new (config, open_folder (folder), 2, NULL, NULL, NULL);
  guint64 written, dropped, failed = 0;

  remove_folder (folder);
  add (pictures, 0);
  for (guint i = 0; i < 6000 && failed == 0; i++) {
    line_pictures_get_counts (pictures, &written, &dropped, &failed);
    g_usleep (10000);
  }
  g_assert_cmpuint (failed, ==, 1);
  g_assert_cmpuint (written, ==, 0);
  line_pictures_free (pictures);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  if (!gst_registry_check_feature_version (gst_registry_get (), "jpegenc", 1, 0,
          0)) {
    g_print ("skipped: there is no jpegenc (gstreamer1.0-plugins-good)\n");
    return 77;
  }
  config = line_config_parse ("line.ini", line_text, strlen (line_text),
      &error);
  g_assert_no_error (error);
  recipe = line_recipe_load (LINE_FILES "/apricot.ini", &error);
  g_assert_no_error (error);
  add_checks ("/pictures");
  int status = g_test_run ();
  line_recipe_unref (recipe);
  line_config_free (config);
  return status;
}
