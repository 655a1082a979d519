/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Against jansson: the same texts are JSON, and say the same. */

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "../lib/suite.h"
#include "shapes/jsontext.h"

#define N_MUTANTS 300000

static guint64 state = 1;

static guint
below (guint n)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (guint) (state % n);
}

static void check_value (const gchar * value, const json_t * wanted);

static void
check_array (const gchar * value, const json_t * wanted)
{
  const gchar *item = json_text_first (value), *last;
  gsize i = 0;

  fail_unless (json_text_count (value, &last) == json_array_size (wanted));
  for (; item; item = json_text_next (item), i++) {
    check_value (item, json_array_get (wanted, i));
    fail_unless ((item == last) == (i + 1 == json_array_size (wanted)));
  }
  fail_unless_equals_uint64 (i, json_array_size (wanted));
}

static void
check_object (const gchar * value, const json_t * wanted)
{
  const gchar *key = json_text_first (value);
  gchar name[256];
  gsize n = 0;

  for (; key; key = json_text_next (json_text_value_of (key))) {
    fail_unless (json_text_get_string (key, name, sizeof (name)));
    fail_unless (json_text_is_string (key, name));
    check_value (json_text_get (value, name), json_object_get (wanted, name));
    n++;
  }
  /* of keys that come twice the last one counts */
  fail_unless (n >= json_object_size (wanted));
  fail_unless (json_text_get (value, "not there") == NULL);
}

static void
check_value (const gchar * value, const json_t * wanted)
{
  gchar text[256];
  gdouble number;
  gint64 integer;
  gboolean is_true;

  fail_unless (wanted != NULL);
  fail_unless (json_text_get_number (value, &number) == json_is_number (wanted));
  fail_unless (json_text_get_integer (value, &integer)
      == json_is_integer (wanted));
  fail_unless (json_text_get_boolean (value, &is_true)
      == json_is_boolean (wanted));
  fail_unless (json_text_get_string (value, text, sizeof (text))
      == json_is_string (wanted));
  fail_unless ((json_text_get_type (value) == JSON_TEXT_NULL)
      == json_is_null (wanted));
  if (json_is_number (wanted)) {
    const gdouble other = json_number_value (wanted);

    fail_unless (memcmp (&number, &other, sizeof (other)) == 0
        || (number == 0 && other == 0), "%.17g, not %.17g", number, other);
  }
  if (json_is_integer (wanted))
    fail_unless_equals_int64 (integer, json_integer_value (wanted));
  if (json_is_boolean (wanted))
    fail_unless (is_true == json_is_true (wanted));
  if (json_is_string (wanted)) {
    fail_unless_equals_string (text, json_string_value (wanted));
    fail_unless (json_text_is_string (value, text));
  }
  if (json_is_array (wanted))
    check_array (value, wanted);
  if (json_is_object (wanted))
    check_object (value, wanted);
}

/* The text without blanks says the same. */
static void
check_compact (const gchar * root, const json_t * wanted)
{
  const gsize size = json_text_compact (root, NULL);
  g_autofree gchar *text = g_malloc (size + 1);

  fail_unless_equals_uint64 (json_text_compact (root, text), size);
  json_auto_t *again = json_loadb (text, size, 0, NULL);
  fail_unless (json_equal (again, wanted), "%.*s", (gint) size, text);
  fail_unless (strpbrk (root, " \t\n\r") || size == strlen (root));
}

/* Returns: whether it is JSON */
static gboolean
check_text (const gchar * text, gsize size)
{
  /* exactly as long, so that a sanitizer sees what reads on */
  g_autofree gchar *copy = g_memdup2 (text, size);
  const gchar *problem;
  json_error_t error;
  json_auto_t *wanted = json_loadb (text, size, 0, &error);
  gsize where = 0;
  gboolean ok = json_text_check (copy, size, &where, &problem);

  /* Another reader's limits are not those of the format: numbers that are too
   * large are errors there, and values here that no getter returns. */
  if (wanted ||
      !(strstr (error.text, "too big") || strstr (error.text, "overflow")))
    fail_unless (ok == json_is_object (wanted), "%.*s: %s, %s", (gint) size,
        text, problem, error.text);
  fail_unless (ok == (problem == NULL));
  fail_unless (where >= 1 && where <= size + 1);
  if (ok && wanted) {
    check_value (json_text_root (copy), wanted);
    check_compact (json_text_root (text), wanted);
  }
  return ok;
}

static const gchar *const seeds[] = {
  "{}", " { \"a\" : [ ] } ", "{\"a\":1}", "{\"a\":-0}", "{\"a\":1.5e3}",
  "{\"a\":[1,-2.25,3e-7,4E+2,0.1,123456789012345,1234567890123456789,"
      "0.000001,99999999999999.9,9007199254740993,5e-324,1.7976931348623157e308]"
      ",\"b\":{\"c\":null,\"d\":[true,false]}}",
  "{\"text\":\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te\\u00e9\\ud83d\\ude00\303\251\"}",
  "{\"a\":1,\"a\":{\"b\":2},\"\\u0061\":[3]}",
  "{\"kind\":\"contour\",\"points\":[[1,2],[3.5,-4],[1,2]],\"closed\":true}",
  "{\"a\":[[[[[[]]]],{}]],\"b\":\"\"}\r\n\t ",
};

static const gchar *const wrong[] = {
  "", " ", "[]", "1", "null", "{", "{}{}", "{} x", "{\"a\"}", "{\"a\":}",
  "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\":01}", "{\"a\":1.}",
  "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":1e+}", "{\"a\":-}",
  "{\"a\":0x10}", "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":tru}",
  "{\"a\":True}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":[}", "{\"a\":[1}",
  "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}",
  "{\"a\":\"\\ud800\"}", "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\\udc00\"}",
  "{\"a\":\"\\u0000\"}", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":\"\377\"}",
  "{\"a\":\"\355\240\200\"}", "\357\273\277{}", "{\"a\":1/*b*/}",
};

TEST (what_is_json_says_the_same)
{
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    fail_unless (check_text (seeds[i], strlen (seeds[i])), "%s", seeds[i]);
}

TEST (what_is_no_json_is_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    fail_if (check_text (wrong[i], strlen (wrong[i])), "%s", wrong[i]);
  fail_if (check_text ("{\"a\":\"\0\"}", 9));
  fail_if (check_text ("{}\0", 3));
}

TEST (parts_of_json_are_no_json)
{
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    for (gsize size = 0; size < strlen (seeds[i]); size++)
      check_text (seeds[i], size);
}

/* A character more, less, or another one. */
TEST (mutants_are_judged_as_by_another_reader)
{
  static const gchar letters[] = "{}[]\",:\\/ \t\n0123456789-+.eEutrfalsn\xff\xc3";
  guint n_json = 0;

  for (guint i = 0; i < N_MUTANTS; i++) {
    GString *text = g_string_new (seeds[below (G_N_ELEMENTS (seeds))]);

    for (guint n = 1 + below (3); n > 0 && text->len > 0; n--) {
      const gsize at = below ((guint) text->len);
      const guint how = below (3);

      if (how > 0)
        g_string_erase (text, (gssize) at, 1);
      if (how < 2)
        g_string_insert_c (text, (gssize) at,
            letters[below (sizeof (letters) - 1)]);
    }
    n_json += check_text (text->str, text->len);
    g_string_free (text, TRUE);
  }
  fail_unless (n_json > N_MUTANTS / 20 && n_json < N_MUTANTS / 2, "%u", n_json);
}

TEST (what_is_too_deep_is_refused)
{
  g_autoptr (GString) text = g_string_new ("{\"a\":");

  for (guint depth = 1; depth < 2 * JSON_TEXT_MAX_DEPTH; depth++) {
    g_autoptr (GString) whole = g_string_new (text->str);
    const gchar *problem;
    gsize where;

    g_string_append_c (whole, '1');
    for (guint i = 1; i < depth; i++)
      g_string_append_c (whole, ']');
    g_string_append_c (whole, '}');
    fail_unless (json_text_check (whole->str, whole->len, &where, &problem)
        == (depth <= JSON_TEXT_MAX_DEPTH), "%u", depth);
    g_string_append_c (text, '[');
  }
}

TEST (numbers_out_of_range_are_none)
{
  static const gchar text[] = "{\"a\":1e400,\"b\":9223372036854775808,"
      "\"c\":-9223372036854775808,\"d\":1e0}";
  const gchar *problem;
  gdouble number;
  gint64 integer;
  gsize where;

  fail_unless (json_text_check (text, strlen (text), &where, &problem));
  fail_if (json_text_get_number (json_text_get (text, "a"), &number));
  fail_if (json_text_get_integer (json_text_get (text, "b"), &integer));
  fail_unless (json_text_get_number (json_text_get (text, "b"), &number));
  fail_unless (number == 9223372036854775808.);
  fail_unless (json_text_get_integer (json_text_get (text, "c"), &integer));
  fail_unless (integer == G_MININT64);
  fail_if (json_text_get_integer (json_text_get (text, "d"), &integer));
}

TEST (strings_that_do_not_fit_are_refused)
{
  static const gchar text[] = "{\"a\":\"12\\u00e9\"}";
  const gchar *a = json_text_get (text, "a");
  gchar out[5];

  fail_if (json_text_get_string (a, out, 4));
  fail_unless (json_text_get_string (a, out, 5));
  fail_unless_equals_string (out, "12\303\251");
  fail_if (json_text_is_string (a, "12"));
  fail_if (json_text_is_string (a, "12\303\251 "));
}

SUITE (jsontext) {}
