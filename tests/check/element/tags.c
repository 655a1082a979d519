/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What others have noted on a frame, of every type, and texts that do not fit. */

#include <math.h>
#include <string.h>

#include <gst/video/video.h>
#include <jansson.h>

#include "../lib/suite.h"
#include "element/gstshapestags.h"

#define NAME "TagsTest"

static void
fail_unless_json (GstBuffer * buffer, const gchar * wanted)
{
  gchar *text = NULL;

  fail_unless (gst_shapes_tags_from_buffer (buffer, &text, NULL));
  if (!wanted) {
    fail_unless (text == NULL);
    return;
  }
  json_auto_t *got = json_loads (text, 0, NULL);
  json_auto_t *expected = json_loads (wanted, 0, NULL);
  fail_unless (expected != NULL);
  if (!json_equal (got, expected))
    fail ("%s, not %s", text, wanted);
  g_free (text);
}

static GstStructure *
add_meta (GstBuffer * buffer)
{
  fail_unless (gst_shapes_tags_register (NAME, NULL));
  return gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer,
          NAME));
}

static void
append_double (GstStructure * structure, const gchar * name, gdouble value)
{
  gst_structure_set (structure, name, G_TYPE_DOUBLE, value, NULL);
}

TEST (test_values_of_each_type)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstStructure *inner = gst_structure_new ("inner", "a", G_TYPE_INT, 3, NULL);
  GValue list = G_VALUE_INIT, array = G_VALUE_INIT, item = G_VALUE_INIT;

  fail_unless_json (buffer, NULL);
  GstStructure *structure = add_meta (buffer);
  fail_unless_json (buffer, "{\"metas\":{\"" NAME "\":{}}}");
  gst_structure_set (structure, "yes", G_TYPE_BOOLEAN, TRUE, "no",
      G_TYPE_BOOLEAN, FALSE, "i", G_TYPE_INT, G_MININT, "u", G_TYPE_UINT,
      G_MAXUINT, "i64", G_TYPE_INT64, G_MININT64, "u64", G_TYPE_UINT64,
      (guint64) G_MAXINT64, "large", G_TYPE_UINT64, G_MAXUINT64, "l",
      G_TYPE_LONG, -5L, "ul", G_TYPE_ULONG, 6UL, "f", G_TYPE_FLOAT, 0.25f,
      "nof", G_TYPE_FLOAT, INFINITY, "s", G_TYPE_STRING, "\303\244\"", "null",
      G_TYPE_STRING, NULL, "in", GST_TYPE_STRUCTURE, inner, "q",
      GST_TYPE_FRACTION, 30, 7, NULL);
  append_double (structure, "d", -1.5);
  append_double (structure, "nod", INFINITY);
  g_value_init (&list, GST_TYPE_LIST);
  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&item, G_TYPE_INT);
  for (gint i = 7; i < 10; i++) {
    g_value_set_int (&item, i);
    if (i < 9)
      gst_value_list_append_value (&list, &item);
    gst_value_array_append_value (&array, &item);
  }
  gst_structure_take_value (structure, "list", &list);
  gst_structure_take_value (structure, "array", &array);
  fail_unless_json (buffer, "{\"metas\":{\"" NAME "\":{\"yes\":true,"
      "\"no\":false,\"i\":-2147483648,\"u\":4294967295,"
      "\"i64\":-9223372036854775808,\"u64\":9223372036854775807,"
      "\"large\":\"18446744073709551615\",\"l\":-5,\"ul\":6,\"f\":0.25,"
      "\"nof\":\"inf\",\"s\":\"\303\244\\\"\",\"null\":null,"
      "\"in\":{\"a\":3},\"q\":\"30/7\",\"d\":-1.5,\"nod\":\"inf\","
      "\"list\":[7,8],\"array\":[7,8,9]}}}");
  g_value_unset (&item);
  gst_structure_free (inner);
}

/* What is in eight others is written, and nothing that is deeper. */
TEST (test_structures_in_structures_end)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstStructure *structure = add_meta (buffer);
  GstStructure *inner = gst_structure_new ("s", "n", G_TYPE_INT, 11, NULL);

  for (gint i = 10; i > 0; i--) {
    GstStructure *outer = gst_structure_new ("s", "n", G_TYPE_INT, i, "s",
        GST_TYPE_STRUCTURE, inner, NULL);

    gst_structure_free (inner);
    inner = outer;
  }
  gst_structure_set (structure, "s", GST_TYPE_STRUCTURE, inner, NULL);
  gst_structure_free (inner);
  fail_unless_json (buffer, "{\"metas\":{\"" NAME "\":{\"s\":{\"n\":1,\"s\":{"
      "\"n\":2,\"s\":{\"n\":3,\"s\":{\"n\":4,\"s\":{\"n\":5,\"s\":{\"n\":6,"
      "\"s\":{\"n\":7,\"s\":{\"n\":8,\"s\":{}}}}}}}}}}}}");
}

static void
attach (GstBuffer * buffer, const gchar * json)
{
  static const gchar *const listed[] = { "Other", NAME, NULL };

  fail_unless (gst_shapes_tags_to_buffer (json, listed, buffer, NULL));
}

TEST (test_listed_metas_become_metas)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  gboolean flag = FALSE;
  gint64 whole = 0;
  gdouble real = 0;

  attach (buffer, "{\"metas\":{\"" NAME "\":{\"i\":-9223372036854775808,"
      "\"d\":2.5,\"yes\":true,\"s\":\"x\",\"none\":null,\"list\":[1],"
      "\"in\":{\"a\":1},\"1a\":1,\"\":2,\"a b\":3,\"a\\u00e4\":4,"
      "\"a_-1\":5},\"unlisted\":{\"a\":[1]},\"number\":7}}");
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, NAME);
  fail_unless (meta != NULL);
  const GstStructure *structure = gst_custom_meta_get_structure (meta);
  fail_unless_equals_int (gst_structure_n_fields (structure), 5);
  fail_unless (gst_structure_get_int64 (structure, "i", &whole)
      && whole == G_MININT64);
  fail_unless (gst_structure_get_double (structure, "d", &real)
      && real == 2.5);
  fail_unless (gst_structure_get_boolean (structure, "yes", &flag) && flag);
  fail_unless_equals_string (gst_structure_get_string (structure, "s"), "x");
  fail_unless (gst_structure_has_field (structure, "a_-1"));
  meta = gst_buffer_get_custom_meta (buffer, GST_SHAPES_TAGS_META);
  fail_unless (meta != NULL);
  fail_unless_equals_string (gst_structure_get_string
      (gst_custom_meta_get_structure (meta), "json"),
      "{\"unlisted\":{\"a\":[1]}}");
  /* and as others wrote it */
  fail_unless_json (buffer, "{\"metas\":{\"" NAME "\":{"
      "\"i\":-9223372036854775808,\"d\":2.5,\"yes\":true,\"s\":\"x\","
      "\"a_-1\":5},\"unlisted\":{\"a\":[1]}}}");
}

TEST (test_regions_are_as_they_were_as_far_as_they_can_be)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  attach (buffer, "{\"regions\":[{\"id\":4,\"type\":\"lane\",\"x\":1,\"y\":2,"
      "\"width\":3,\"height\":5},7,null,{\"type\":9,\"x\":-1,"
      "\"y\":4294967296,\"width\":2147483647,\"height\":\"6\"},{}]}");
  fail_unless_json (buffer, "{\"regions\":[{\"id\":4,\"type\":\"lane\",\"x\":1,"
      "\"y\":2,\"width\":3,\"height\":5},{\"id\":0,\"type\":\"region\",\"x\":0,"
      "\"y\":2147483647,\"width\":2147483647,\"height\":0},{\"id\":0,"
      "\"type\":\"region\",\"x\":0,\"y\":0,\"width\":0,\"height\":0}]}");
}

TEST (test_what_is_no_tags_adds_nothing)
{
  static const gchar *const texts[] = { "", "{", "[]", "7", "{}",
    "{\"metas\":[1]}", "{\"metas\":7,\"regions\":{}}", "{\"metas\":{}}",
    "{\"metas\":{\"" NAME "\":[1]},\"regions\":[]}"
  };
  g_autofree gchar *text = g_strnfill (256 * 1024, ' ');
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    attach (buffer, texts[i]);
  fail_unless_json (buffer, NULL);
  /* the longest text, and a longer one */
  memcpy (text, "{\"regions\":[{}]", 15);
  text[256 * 1024 - 1] = '}';
  attach (buffer, text + 0);
  fail_unless_json (buffer, "{\"regions\":[{\"id\":0,\"type\":\"region\","
      "\"x\":0,\"y\":0,\"width\":0,\"height\":0}]}");
  gst_buffer_unref (buffer);
  buffer = gst_buffer_new ();
  g_free (text);
  text = g_strnfill (256 * 1024 + 1, ' ');
  memcpy (text, "{\"regions\":[{}]}", 16);
  attach (buffer, text);
  fail_unless_json (buffer, NULL);
}

/* A text of others in the meta that keeps them is what counts less. */
TEST (test_texts_of_others)
{
  static const gchar *const wrong[] = { "[]", "{", "7" };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  fail_unless (gst_shapes_tags_register (GST_SHAPES_TAGS_META, NULL));
  GstStructure *structure =
      gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer,
          GST_SHAPES_TAGS_META));
  fail_unless_json (buffer, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gst_structure_set (structure, "json", G_TYPE_STRING, wrong[i], NULL);
    fail_unless_json (buffer, NULL);
  }
  gst_structure_set (structure, "json", G_TYPE_STRING,
      "{\"" NAME "\":{\"a\":1},\"x\":{\"b\":2}}", NULL);
  gst_structure_set (add_meta (buffer), "a", G_TYPE_INT, 3, NULL);
  fail_unless_json (buffer, "{\"metas\":{\"" NAME "\":{\"a\":3},"
      "\"x\":{\"b\":2}}}");
}

TEST (test_names)
{
  static const gchar *const wrong[] = { "", "ab", "1abc", "a c", "a.bc",
    "GstThing", "GObject", "gchararray", "-abc", "_abc",
    "a1234567890123456789012345678901234567890123456789012345678901234"
  };
  GError *error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    if (gst_shapes_tags_register (wrong[i], &error))
      fail ("%s is registered", wrong[i]);
    fail_unless (strstr (error->message, "cannot be the name of") != NULL);
    g_clear_error (&error);
  }
  fail_unless (gst_shapes_tags_register ("abc", NULL));
  fail_unless (gst_shapes_tags_register ("abc", NULL));
  fail_unless (gst_shapes_tags_register
      ("a123456789012345678901234567890123456789012345678901234567890-_Z",
          NULL));
}

SUITE (tags) {}
