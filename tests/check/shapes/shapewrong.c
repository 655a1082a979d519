/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of JSON with everything that shapes can have, and each of its values
 * replaced by one that does not fit: the error names it. */

#include <string.h>

#include "shapes_test.h"

#define CONTOUR "{\"id\":3,\"kind\":\"contour\",\"class\":2,\"class-name\":\"scar\"," \
    "\"image\":0,\"level\":0.5,\"closed\":true,\"hole\":false,\"parent\":null," \
    "\"area\":6,\"perimeter\":10.5,\"centroid\":[1.5,2.5]," \
    "\"bbox\":[1,2,4,7],\"confidence\":0.75,\"track-id\":9,\"region-id\":8," \
    "\"statistics\":{\"gray\":{\"pixels\":6,\"mean\":4.5,\"deviation\":1.5," \
    "\"min\":2,\"max\":11}},\"points\":[[1,2],[4,2],[4,7]]}"
#define HULL "{\"id\":4,\"kind\":\"hull\",\"solidity\":0.875,\"feret\":[3,5.5]," \
    "\"min-area-rect\":{\"center\":[2.5,4],\"size\":[3,5],\"angle\":30}," \
    "\"enclosing-circle\":{\"x\":2.5,\"y\":4.5,\"r\":2.75}," \
    "\"enclosing-ellipse\":{\"center\":[2.25,4],\"axes\":[6,3.5]," \
    "\"angle\":60},\"defects\":[{\"start\":[1,2],\"end\":[4,2]," \
    "\"farthest\":[3,3],\"depth\":1}],\"indices\":[7,5,6]," \
    "\"points\":[[1,2],[4,2],[4,7]]}"
#define CIRCLE "{\"kind\":\"circle\",\"x\":12,\"y\":13,\"r\":14,\"z\":15," \
    "\"color\":\"#0180fe7f\",\"parent\":3}"

static const gchar line[] = "{\"version\":1,\"frame\":21,\"source\":\"cam\","
    "\"pts\":22,\"offset\":23,\"reference-timestamp\":24,\"width\":64,"
    "\"height\":48,\"pixel-size\":[0.5,0.25],\"tags\":{\"a\":{\"b\":25}},"
    "\"shapes\":[" CONTOUR "," HULL "," CIRCLE "]}";

typedef struct
{
  const gchar *from, *to, *error;
} Change;

static const Change wrong[] = {
  /* the frame */
  {"\"version\":1", "\"version\":2", "version is 2, and only 1 is known"},
  {"\"version\":1", "\"version\":1.5", "version is not a whole number"},
  {"\"frame\":21", "\"frame\":-1", "frame is not a whole number"},
  {"\"source\":\"cam\"", "\"source\":5", "source is not a text"},
  {"\"pts\":22", "\"pts\":\"22\"", "pts is not a whole number"},
  {"\"offset\":23", "\"offset\":9223372036854775808",
      "offset is not a whole number"},
  {"\"reference-timestamp\":24", "\"reference-timestamp\":[]",
      "reference-timestamp is not a whole number"},
  {"\"width\":64", "\"width\":2147483648", "width is not a whole number"},
  {"\"height\":48", "\"height\":true", "height is not a whole number"},
  {"[0.5,0.25]", "0.5", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[0.5]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[\"0.5\",0.25]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[0.5,null]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[0,0.25]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[0.5,-1]", "pixel-size is not two positive numbers"},
  {"[0.5,0.25]", "[0.5,0.25,1]", "pixel-size is not two positive numbers"},
  {"{\"a\":{\"b\":25}}", "[25]", "tags is not an object"},
  {":25", ":9223372036854775808", "tags has a number that is too large"},
  {":25", ":[1,1e999]", "tags has a number that is too large"},
  {"\"shapes\":[", "\"shape\":[", "shapes is not an array"},
  /* a contour */
  {"\"id\":3", "\"id\":2147483648", "shapes[0].id is not a whole number of 32"},
  {"\"id\":3", "\"id\":0.5", "shapes[0].id is not a whole number"},
  {"\"class\":2", "\"class\":-2", "shapes[0].class is not at least 0, and"},
  {"\"class\":2", "\"class\":\"2\"", "shapes[0].class is not a whole number"},
  {"\"scar\"", "7", "shapes[0].class-name is not a text of at most"},
  {"\"image\":0", "\"image\":-2147483649", "shapes[0].image is not a whole"},
  {"\"level\":0.5", "\"level\":[]", "shapes[0].level is not a number"},
  {"\"closed\":true", "\"closed\":1", "shapes[0].closed is not true or false"},
  {"\"hole\":false", "\"hole\":null", "shapes[0].hole is not true or false"},
  {"\"parent\":null", "\"parent\":\"a\"", "shapes[0].parent is not a whole"},
  {"\"area\":6", "\"area\":\"6\"", "shapes[0].area is not a number"},
  {"\"perimeter\":10.5", "\"perimeter\":{}",
      "shapes[0].perimeter is not a number"},
  {"[1.5,2.5]", "[1.5]", "shapes[0].centroid is not two numbers"},
  {"[1.5,2.5]", "[1.5,2.5,3]", "shapes[0].centroid is not two numbers"},
  {"[1.5,2.5]", "[1.5,\"2\"]", "shapes[0].centroid is not two numbers"},
  {"[1,2,4,7]", "[1,2,4]", "shapes[0].bbox is not four numbers"},
  {"[1,2,4,7]", "1", "shapes[0].bbox is not four numbers"},
  {"0.75", "\"much\"", "shapes[0].confidence is not a number"},
  {"0.75", "1e39", "shapes[0].confidence is not in single precision"},
  {"\"track-id\":9", "\"track-id\":9.5", "shapes[0].track-id is not a whole"},
  {"\"region-id\":8", "\"region-id\":\"8\"",
      "shapes[0].region-id is not a whole"},
  {"{\"gray\":", "{\"gray\":{}},\"x\":{\"gray\":", NULL},
  {"\"pixels\":6", "\"pixels\":6.5", "shapes[0].pixels is not a whole number"},
  {"\"mean\":4.5", "\"mean\":[4]", "shapes[0].mean is not a number"},
  {"\"deviation\":1.5", "\"deviation\":\"1\"",
      "shapes[0].deviation is not a number"},
  {"\"min\":2", "\"min\":true", "shapes[0].min is not a number"},
  {"\"max\":11", "\"max\":{}", "shapes[0].max is not a number"},
  {"[4,2],[4,7]]},{\"id\":4", "[4,2],[4]]},{\"id\":4",
      "shapes[0].points[2] is not "},
  {"[4,2],[4,7]]},{\"id\":4", "[4,2],[1e39,7]]},{\"id\":4",
      "shapes[0].points[2] is not "},
  {"[4,2],[4,7]]},{\"id\":4", "[4,2],[4,-1e39]]},{\"id\":4",
      "shapes[0].points[2] is not "},
  /* a hull */
  {"\"solidity\":0.875", "\"solidity\":[]", "shapes[1].solidity is not a"},
  {"[3,5.5]", "[3,5,5]", "shapes[1].feret is not two numbers"},
  {"[2.5,4]", "2.5", "shapes[1].center is not two numbers"},
  {"[3,5],", "[3,\"5\"],", "shapes[1].size is not two numbers"},
  {"\"angle\":30", "\"angle\":\"30\"", "shapes[1].angle is not a number"},
  {"\"x\":2.5", "\"x\":[]", "shapes[1].x is not a number"},
  {"\"y\":4.5", "\"y\":[]", "shapes[1].y is not a number"},
  {"\"r\":2.75", "\"r\":[]", "shapes[1].r is not a number"},
  {"[2.25,4]", "[2.25,4,1]", "shapes[1].center is not two numbers"},
  {"[6,3.5]", "\"6\"", "shapes[1].axes is not two numbers"},
  {"\"angle\":60", "\"angle\":[60]", "shapes[1].angle is not a number"},
  {"\"start\":[1,2]", "\"start\":[1,\"2\"]",
      "shapes[1].start is not two numbers"},
  {"\"start\":[1,2]", "\"start\":[1e39,2]",
      "shapes[1].start is not in single precision"},
  {"\"end\":[4,2]", "\"end\":4", "shapes[1].end is not two numbers"},
  {"\"end\":[4,2]", "\"end\":[4,1e39]",
      "shapes[1].end is not in single precision"},
  {"[3,3]", "[3]", "shapes[1].farthest is not two numbers"},
  {"\"depth\":1", "\"depth\":{}", "shapes[1].depth is not a number"},
  {"\"indices\":[7,5,6]", "\"indices\":[7,5]",
      "shapes[1].indices is not an index for each point"},
  {"\"indices\":[7,5,6]", "\"indices\":[7,5,-1]",
      "shapes[1].indices is not an index for each point"},
  {"\"indices\":[7,5,6]", "\"indices\":[7,5,4294967296]",
      "shapes[1].indices is not an index for each point"},
  {"\"indices\":[7,5,6]", "\"indices\":[7,5,4294967295]", NULL},
  {"\"indices\":[7,5,6]", "\"indices\":[7,5,\"6\"]",
      "shapes[1].indices is not an index for each point"},
  /* a circle */
  {"\"x\":12", "\"x\":\"12\"", "shapes[2].x is not a number"},
  {"\"y\":13", "\"y\":1e39", "shapes[2].y is not in single precision"},
  {"\"r\":14", "\"r\":[]", "shapes[2].r is not a number"},
  {"\"z\":15", "\"z\":true", "shapes[2].z is not a number"},
  {"\"#0180fe7f\"", "\"0180fe7f\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "\"#0180fe7\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "\"#0180fe7fa\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "\"#0180fe7g\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "\"#-180fe7f\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "\"#0x80fe7f\"", "shapes[2].color is not a text"},
  {"\"#0180fe7f\"", "25264767", "shapes[2].color is not a text"},
  {"\"parent\":3}", "\"parent\":[]}", "shapes[2].parent is not a whole"},
  {"\"parent\":3}", "\"parent\":4294967299}",
      "shapes[2].parent is not a whole number of 32"},
  {"\"kind\":\"circle\"", "\"kind\":\"disc\"", "shapes[2].kind is not"},
  {"\"kind\":\"circle\"", "\"kind\":7", "shapes[2].kind is not"},
  /* the text */
  {"\"shapes\":[", "\"shapes\":[[", "byte "},
  {"[1.5,2.5]", "[1.5,2.5", "byte "}, {"[1.5,2.5]", "[1.5 2.5]", "byte "},
  {"[1.5,2.5]", "[1.5,]", "byte "}, {"[1.5,2.5]", "[1.,2]", "byte "},
  {"[1.5,2.5]", "[01,2]", "byte "}, {"[1.5,2.5]", "[-,2]", "byte "},
  {"[1.5,2.5]", "[1e,2]", "byte "}, {"[1.5,2.5]", "[1e+,2]", "byte "},
  {"[1.5,2.5]", "[15E-1,+2]", "byte "}, {"[1.5,2.5]", "[.5,2]", "byte "},
  {"[1.5,2.5]", "[15E-1,2]", NULL}, {"[1.5,2.5]", " [ 0.15e+1 , 2 ]\t", NULL},
  {"[1.5,2.5]", "[-0,2]", NULL}, {"[1.5,2.5]", "[nul,2]", "byte "},
  {"\"cam\"", "\"c\\x\"", "byte "}, {"\"cam\"", "\"c\\u12g4\"", "byte "},
  {"\"cam\"", "\"\\ud800\"", "byte "}, {"\"cam\"", "\"\\ud800a\"", "byte "},
  {"\"cam\"", "\"\\ud800\\n\"", "byte "},
  {"\"cam\"", "\"\\ud800\\ud800\"", "byte "},
  {"\"cam\"", "\"\\ud800\\u0041\"", "byte "},
  {"\"cam\"", "\"\\udc00\"", "byte "}, {"\"cam\"", "\"\\u0000\"", "byte "},
  {"\"cam\"", "\"\\ud834\\udd1e\"", NULL}, {"\"cam\"", "\"\\\"\\/\\b\"", NULL},
  {"\"cam\"", "\"a\nb\"", "byte "}, {"\"cam\"", "\"a\tb\"", "byte "},
  {"\"cam\"", "\"\xff\"", "byte "}, {"\"cam\"", "\"\xc0\x80\"", "byte "},
  {"\"frame\":21", "\"frame\" 21", "byte "}, {"\"frame\":21", "21", "byte "},
  {"\"frame\":21", "frame:21", "byte "}, {"\"frame\":21", "\"frame\":", "byte "},
};

static gchar *
replace (const Change * change)
{
  const gchar *at = strstr (line, change->from);

  if (!at)
    fail ("%s is not in the line", change->from);
  g_autofree gchar *before = g_strndup (line, at - line);
  return g_strconcat (before, change->to, at + strlen (change->from), NULL);
}

TEST (test_each_value_that_does_not_fit_is_named)
{
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree gchar *changed = replace (&wrong[i]);
    g_autoptr (GError) error = NULL;
    GstShapeSet *set = gst_shape_set_from_json (changed, &error);

    if (!wrong[i].error != !error || !set != !!error)
      fail ("%s: %s", wrong[i].to, error ? error->message : "no error");
    if (error && !strstr (error->message, wrong[i].error))
      fail ("%s: %s, not %s", wrong[i].to, error->message, wrong[i].error);
    g_clear_pointer (&set, gst_shape_set_unref);
  }
}

/* However a line is cut off, it is no line. */
TEST (test_no_part_of_a_line_is_read)
{
  GstShapeJsonFrame frame;

  for (gsize size = 0; size < sizeof (line) - 1; size++) {
    g_autofree gchar *text = g_memdup2 (line, size + 1);
    g_autoptr (GError) error = NULL;

    fail_if (gst_shape_json_read_line (text, size, &frame, &error));
    fail_unless (g_str_has_prefix (error->message, "byte "));
  }
}

TEST (test_all_of_the_line_is_read)
{
  GstShapeJsonFrame frame;
  g_autoptr (GstShapeSet) set = gst_shape_json_read_line (line,
      sizeof (line) - 1, &frame, NULL);
  gsize n;

  fail_unless (set != NULL);
  fail_unless_equals_uint64 (frame.frame, 21);
  fail_unless_equals_string (frame.source, "cam");
  fail_unless_equals_uint64 (frame.pts, 22);
  fail_unless_equals_uint64 (frame.offset, 23);
  fail_unless_equals_uint64 (frame.reference, 24);
  fail_unless_equals_string (frame.tags, "{\"a\":{\"b\":25}}");
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  const GstShapePolyline *polylines = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 1);
  fail_unless (polylines[0].id == 3 && polylines[0].class_id == 2
      && polylines[0].level == 0.5 && polylines[0].perimeter == 10.5
      && polylines[0].centroid_y == 2.5 && polylines[0].bbox_y1 == 7);
  const GstShapeCircle *circles = gst_shape_set_get_circles (set, 2, &n);
  fail_unless_equals_int (n, 1);
  fail_unless (circles[0].x == 12 && circles[0].y == 13 && circles[0].r == 14
      && circles[0].z == 15 && circles[0].rgba == 0x0180fe7f
      && circles[0].parent == 3);
  gst_shape_json_frame_clear (&frame);
}

SUITE (shapewrong)
{
  shapes_note_criticals ();
}
