/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "../lib/suite.h"
#include "base/text.h"
#include "element/gstshapesmessage.h"

#define LONGEST 200

/* What terminals obey, byte by byte: below 0x20, 0x7f, and in UTF-8 c2 80 to
 * c2 9f. */
static gboolean
has_control (const gchar * text)
{
  for (const guchar * c = (const guchar *) text; *c; c++)
    if (*c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0))
      return TRUE;
  return FALSE;
}

static void
check_plain (const gchar * bytes, gssize size)
{
  g_autofree gchar *text = cs_text_make_plain (bytes, size, LONGEST, FALSE);

  fail_unless (g_utf8_validate (text, -1, NULL));
  fail_if (has_control (text), "%s", text);
  fail_unless (strlen (text) <= LONGEST);
}

TEST (any_bytes_become_plain_text)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  gchar bytes[256];

  for (guint i = 0; i < 20000; i++) {
    const gint size = g_rand_int_range (random, 0, sizeof (bytes));

    for (gint k = 0; k < size; k++)
      bytes[k] = (gchar) (g_rand_boolean (random) ?
          g_rand_int_range (random, 0, 256) :
          "\033\302\205\342\200\256\r\n\177"[g_rand_int_range (random, 0, 9)]);
    check_plain (bytes, size);
  }
}

static void
check_same (const gchar * bytes, const gchar * wanted, gboolean has_lines)
{
  g_autofree gchar *text = cs_text_make_plain (bytes, -1, LONGEST, has_lines);

  fail_unless_equals_string (text, wanted);
}

TEST (text_stays_as_it_is)
{
  g_autofree gchar *much = g_strnfill (LONGEST + 1, 'a');
  g_autofree gchar *less = cs_text_make_plain (much, -1, LONGEST, FALSE);

  check_same ("", "", FALSE);
  check_same ("\303\244 \346\227\245 \360\237\215\221", "\303\244 \346\227\245 "
      "\360\237\215\221", FALSE);
  check_same ("a\nb", "a\nb", TRUE);
  check_same ("a\nb\033[2J", "a\357\277\275b\357\277\275[2J", FALSE);
  check_same ("a\377b", "a\357\277\275b", FALSE);
  fail_unless (g_str_has_suffix (less, "a...") && strlen (less) <= LONGEST);
}

TEST (messages_are_plain_text)
{
  g_autoptr (GstElement) bin = gst_bin_new (NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  gst_element_set_bus (bin, bus);
  GST_SHAPES_ERROR_FULL (bin, RESOURCE, READ,
      ("\"%s\" is no file", "a\033[31m\377"), ("%s", "\r\n"));
  g_autoptr (GstMessage) message = gst_bus_pop (bus);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, &debug);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ));
  fail_unless_equals_string (error->message, "\"a\357\277\275[31m\357\277\275\" "
      "is no file");
  fail_unless (strchr (debug, '\r') == NULL);
  gst_message_unref (message);
  GST_SHAPES_WARNING_FULL (bin, STREAM, FORMAT, (NULL), (NULL));
  message = gst_bus_pop (bus);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
  gst_element_set_bus (bin, NULL);
}

SUITE (message) {}
