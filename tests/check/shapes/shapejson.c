/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <locale.h>
#include <math.h>
#include <string.h>

#include "shapes_test.h"

/* A line begins so. */
#define BEGIN "{\"version\":1,"

#define FRAME_0 { 0, NULL, 0, 0, GST_CLOCK_TIME_NONE, 0, 0 }

#define TRIANGLE_HEAD "{\"id\":0,\"kind\":\"contour\",\"class\":2,"
#define TRIANGLE_TAIL "\"level\":0.5,\"closed\":true,\"hole\":false," \
    "\"parent\":null,\"area\":6,\"perimeter\":12," \
    "\"centroid\":[1.3333333333333333,1],\"bbox\":[0,0,4,3]"
#define TRIANGLE TRIANGLE_HEAD TRIANGLE_TAIL
#define TRIANGLE_POINTS ",\"points\":[[0,0],[4,0],[0,3],[0,0]]}"
#define LINE_HEAD "{\"id\":1,\"kind\":\"contour\",\"class\":2,"
#define LINE_TAIL "\"level\":0.5,\"closed\":false,\"hole\":true," \
    "\"parent\":0,\"area\":-0.125,\"perimeter\":6.8784082461," \
    "\"centroid\":[4.75,0.875],\"bbox\":[1.5,-0.25,8,2]"
#define LINE LINE_HEAD LINE_TAIL
#define LINE_POINTS ",\"points\":[[1.5,2],[8,-0.25]]}"
#define CIRCLES "{\"kind\":\"circle\",\"x\":1,\"y\":2,\"r\":3.5,\"z\":0," \
    "\"color\":\"#11223344\",\"parent\":null}," \
    "{\"kind\":\"circle\",\"x\":0.1,\"y\":-2,\"r\":0,\"z\":1," \
    "\"color\":\"#ff0000ff\",\"parent\":1}"

static void
fail_unless_line (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, const gchar * expected)
{
  g_autoptr (GString) out = g_string_new ("before\n");
  GError *error = NULL;

  fail_unless (gst_shape_json_append_line (out, frame, set, options, &error));
  g_assert_no_error (error);
  fail_unless (g_str_has_prefix (out->str, "before\n"));
  fail_unless_equals_uint64 (out->len, strlen (out->str));
  fail_unless_equals_string (out->str + strlen ("before\n"), expected);
}

TEST (test_frame_without_shapes_has_an_empty_list)
{
  GstShapeJsonFrame frame = { 7, "cam1", 40000000, 8, GST_CLOCK_TIME_NONE,
    640, 480
  };

  fail_unless_line (&frame, NULL, NULL, BEGIN "\"frame\":7,\"source\":\"cam1\","
      "\"pts\":40000000,\"offset\":8,\"width\":640,\"height\":480,"
      "\"shapes\":[]}\n");
}

TEST (test_unknown_is_null_or_left_out)
{
  GstShapeJsonFrame frame = { G_MAXUINT64, NULL, GST_CLOCK_TIME_NONE,
    GST_BUFFER_OFFSET_NONE, GST_CLOCK_TIME_NONE, 0, 0
  };

  fail_unless_line (&frame, NULL, NULL, BEGIN "\"frame\":18446744073709551615,"
      "\"pts\":null,\"offset\":null,\"width\":null,\"height\":null,"
      "\"shapes\":[]}\n");
}

TEST (test_reference_timestamp_is_written_when_there_is_one)
{
  GstShapeJsonFrame frame = FRAME_0;

  frame.reference = G_GUINT64_CONSTANT (1700000000123456789);
  fail_unless_line (&frame, NULL, NULL, BEGIN "\"frame\":0,\"pts\":0,"
      "\"reference-timestamp\":1700000000123456789,\"offset\":0,"
      "\"width\":null,\"height\":null,\"shapes\":[]}\n");
}

TEST (test_source_is_escaped)
{
  GstShapeJsonFrame frame = FRAME_0;

  frame.source = "a\"b\\c\n\x01\xc3\xa4\xff\xe2\x82!";
  fail_unless_line (&frame, NULL, NULL, BEGIN "\"frame\":0,\"source\":"
      "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa4\xef\xbf\xbd"
      "\xef\xbf\xbd\xef\xbf\xbd!\",\"pts\":0,\"offset\":0,\"width\":null,"
      "\"height\":null,\"shapes\":[]}\n");
}

#define HEAD BEGIN \
    "\"frame\":0,\"pts\":0,\"offset\":0,\"width\":8,\"height\":6," \
    "\"shapes\":["

TEST (test_polylines_and_circles_in_the_order_of_layers)
{
  GstShapeJsonFrame frame = FRAME_0;
  g_autoptr (GstShapeSet) set = make_set (8, 6);

  fail_unless_line (&frame, set, NULL, HEAD TRIANGLE TRIANGLE_POINTS ","
      LINE LINE_POINTS "," CIRCLES "]}\n");
}

TEST (test_hulls_have_a_solidity)
{
  GstShapeJsonFrame frame = FRAME_0;
  GstShapePolyline polylines[2];
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);
  const guint32 offsets[] = { 0, 4 };

  two_polylines (polylines, 3);
  polylines[0].kind = GST_SHAPE_KIND_HULL;
  polylines[0].parent = 0;
  polylines[0].solidity = .1;
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (two_points,
          4, offsets, polylines, 1, NULL));
  fail_unless_line (&frame, set, NULL, HEAD "{\"id\":3,\"kind\":\"hull\","
      "\"class\":2,\"level\":0.5,\"closed\":true,\"hole\":false,"
      "\"parent\":0,\"area\":6,\"perimeter\":12,"
      "\"centroid\":[1.3333333333333333,1],\"bbox\":[0,0,4,3],"
      "\"solidity\":0.1" TRIANGLE_POINTS "]}\n");
}

TEST (test_image_is_written_only_for_batches)
{
  GstShapeJsonFrame frame = FRAME_0;
  GstShapeJsonOptions options = { GST_SHAPE_JSON_POINTS_NONE, 0, 0 };
  GstShapePolyline polylines[2];
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);

  two_polylines (polylines, 0);
  polylines[1].image = 1;
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (two_points,
          6, two_offsets, polylines, 2, NULL));
  fail_unless_line (&frame, set, &options, HEAD TRIANGLE_HEAD "\"image\":0,"
      TRIANGLE_TAIL "}," LINE_HEAD "\"image\":1," LINE_TAIL "}]}\n");
}

TEST (test_options_keep_the_volume_down)
{
  GstShapeJsonFrame frame = FRAME_0;
  GstShapeJsonOptions options = { GST_SHAPE_JSON_POINTS_NONE, 0, 3 };
  g_autoptr (GstShapeSet) set = make_set (8, 6);
  const gchar *first_circle = "{\"kind\":\"circle\",\"x\":1,\"y\":2,"
      "\"r\":3.5,\"z\":0,\"color\":\"#11223344\",\"parent\":null}";
  g_autofree gchar *expected = g_strconcat (HEAD TRIANGLE "}," LINE "},",
      first_circle, "]}\n", NULL);

  fail_unless_line (&frame, set, &options, expected);

  options.max_shapes = 1;
  fail_unless_line (&frame, set, &options, HEAD TRIANGLE "}]}\n");

  /* No point is farther than 3 pixels from the long side, but two points are no
   * polygon. */
  options.points = GST_SHAPE_JSON_POINTS_SIMPLIFIED;
  options.simplify = 3;
  fail_unless_line (&frame, set, &options, HEAD TRIANGLE
      ",\"points\":[[0,0],[4,0],[0,3],[0,0]]}]}\n");
}

TEST (test_what_is_not_finite_is_null)
{
  GstShapeJsonFrame frame = FRAME_0;
  const GstShapeCircle circle = { NAN, INFINITY, -INFINITY, 1e-42f, 0, -1 };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  fail_unless_line (&frame, set, NULL, HEAD "{\"kind\":\"circle\","
      "\"x\":null,\"y\":null,\"r\":null,\"z\":1.0005271e-42,"
      "\"color\":\"#00000000\",\"parent\":null}]}\n");
}

TEST (test_polyline_without_points_has_an_empty_list)
{
  GstShapeJsonFrame frame = FRAME_0;
  GstShapePolyline polylines[2];
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);
  const guint32 offsets[] = { 0, 0 };

  two_polylines (polylines, 0);
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (two_points,
          0, offsets, polylines, 1, NULL));
  fail_unless_line (&frame, set, NULL, HEAD TRIANGLE ",\"points\":[]}]}\n");
  gst_shape_set_unref (set);

  /* Measures only: no list. */
  set = gst_shape_set_new (8, 6);
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 6,
          two_offsets, polylines, 2, NULL));
  fail_unless_line (&frame, set, NULL, HEAD TRIANGLE "}," LINE "}]}\n");
}

TEST (test_failed_download_leaves_the_string_as_it_was)
{
  GstShapeJsonFrame frame = FRAME_0;
  Payload payload = {.fails = TRUE };
  g_autoptr (GstShapeSet) set = make_set (8, 6);
  g_autoptr (GString) out = g_string_new ("before\n");
  g_autoptr (GError) error = NULL;

  gst_shape_set_add_layer (set, make_payload_layer (&payload, 2));
  fail_if (gst_shape_json_append_line (out, &frame, set, NULL, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ));
  fail_unless_equals_string (out->str, "before\n");
  g_clear_error (&error);
  fail_unless (gst_shape_set_to_json (set, &error) == NULL);
  fail_unless (error != NULL);
}

TEST (test_set_to_json_is_the_line_without_its_newline)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 6);

  gst_shape_set_add_layer (set, make_circles ());
  g_autofree gchar *json = gst_shape_set_to_json (set, NULL);
  fail_unless_equals_string (json, BEGIN "\"frame\":0,\"pts\":null,"
      "\"offset\":null,\"width\":8,\"height\":6,\"shapes\":[" CIRCLES "]}");
}

static gboolean
set_comma_locale (void)
{
  static const gchar *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE",
    "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8", "pl_PL.UTF-8"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (setlocale (LC_ALL, names[i])
        && strcmp (localeconv ()->decimal_point, ",") == 0)
      return TRUE;
  return FALSE;
}

TEST_TO_ADD (test_numbers_have_a_point_in_every_locale)
{
  GstShapeJsonFrame frame = FRAME_0;
  const GstShapeCircle circle = { .5f, -1.5f, 1e-30f, 1e30f, 0, -1 };

  fail_unless (set_comma_locale ());
  GstShapeSet *set = gst_shape_set_new (8, 6);
  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  fail_unless_line (&frame, set, NULL, HEAD "{\"kind\":\"circle\","
      "\"x\":0.5,\"y\":-1.5,\"r\":1e-30,\"z\":1.00000002e+30,"
      "\"color\":\"#00000000\",\"parent\":null}]}\n");
  gst_shape_set_unref (set);
  setlocale (LC_ALL, "C");
}

TEST (test_points_property_type_has_nicks)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_SHAPE_JSON_POINTS);

  fail_unless_equals_int (g_enum_get_value_by_nick (klass,
          "simplified")->value, GST_SHAPE_JSON_POINTS_SIMPLIFIED);
  fail_unless_equals_int (klass->n_values, 3);
  g_type_class_unref (klass);
}

TEST (test_hulls_have_their_measures)
{
  GstShapeJsonFrame frame = FRAME_0;
  GstShapeJsonOptions options = { GST_SHAPE_JSON_POINTS_NONE, 0, 0 };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, make_measured_hull ());
  fail_unless_line (&frame, set, &options, BEGIN "\"frame\":0,\"pts\":0,"
      "\"offset\":0,\"width\":8,\"height\":8,\"shapes\":[{\"id\":5,"
      "\"kind\":\"hull\",\"class\":0,\"level\":0,\"closed\":true,"
      "\"hole\":false,\"parent\":null,\"area\":6,\"perimeter\":0,"
      "\"centroid\":[0,0],\"bbox\":[0,0,0,0],\"solidity\":0.5,"
      "\"feret\":[2.4,5],\"min-area-rect\":{\"center\":[2,1.5],"
      "\"size\":[3,4],\"angle\":90},\"enclosing-circle\":{\"x\":2,\"y\":1.5,"
      "\"r\":2.5}}]}\n");
}

SUITE (shapejson)
{
  shapes_note_criticals ();
  if (set_comma_locale ())
    ADD (test_numbers_have_a_point_in_every_locale);
  else
    g_print ("left out: no locale with a decimal comma is installed\n");
  setlocale (LC_ALL, "C");
}
