/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What files and other machines say, in messages; and names. */

#include "check.h"
#include "checks.h"
#include "publish/message.h"
#include "publish/names.h"

#include <string.h>

#define WRONG "\357\277\275"

static void
check_text (const char *what, const char *bytes, gssize size,
    const char *wanted)
{
  g_autofree char *text = line_message_text (bytes, size);

  check_that (strcmp (text, wanted) == 0, "%s: %s", what, text);
}

CHECK (texts)
{
  check_text ("plain", "a b\"c\\d", -1, "a b\"c\\d");
  check_text ("other scripts", "m\303\274de \360\237\215\216", -1,
      "m\303\274de \360\237\215\216");
  check_text ("what a terminal obeys", "a\033[2Jb\a\177", -1,
      "a" WRONG "[2Jb" WRONG WRONG);
  check_text ("lines", "a\r\nb\tc", -1, "a" WRONG WRONG "b" WRONG "c");
  check_text ("lines of Unicode", "a\302\205b\342\200\250c", -1,
      "a" WRONG "b" WRONG "c");
  check_text ("the other direction", "a\342\200\256b", -1, "a" WRONG "b");
  check_text ("parts of words", "a\342\200\214b\342\200\215c", -1,
      "a\342\200\214b\342\200\215c");
  check_text ("no UTF-8", "a\377\303b", -1, "a" WRONG WRONG "b");
  check_text ("a 0", "a\0b", 3, "a" WRONG "b");
  check_text ("nothing", "", -1, "");
  check_text ("a part", "abc", 2, "ab");
}

/* @unit: that the text has over and over */
static void
check_long (const char *unit, const char *seen)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  while (bytes->len < 100 * LINE_MESSAGE_LONGEST)
    g_string_append (bytes, unit);
  g_autofree char *text = line_message_text (bytes->str, bytes->len);
  gsize length = strlen (text);
  check_that (length <= LINE_MESSAGE_LONGEST
      && length > LINE_MESSAGE_LONGEST - 10 && g_utf8_validate (text, -1, NULL)
      && g_str_has_prefix (text, seen) && g_str_has_suffix (text, "...")
      && (length - 3) % strlen (seen) == 0, "too much of %s: %s", seen, text);
}

static char *
repeat (const char *text, guint n)
{
  GString *all = g_string_new (NULL);

  while (n-- > 0)
    g_string_append (all, text);
  return g_string_free (all, FALSE);
}

CHECK (names)
{
  static const char *const good[] = { "a", "1", "Linie 1", "class_1.b-c",
    "\304\260zmir", "\340\244\225\340\245\215\340\244\267", NULL
  };
  static const char *const bad[] = { "", " a", "-a", ".a", "=a", "a\n", "a\033",
    "a/b", "a+b", "a#", "a<b", "a\"", "a\\", "a\377", "a\342\200\256", NULL
  };
  static const char *const hosts[] = { "localhost", "plc-1.example.org",
    "192.168.0.10", "::1", "fe80::1%eth0", "b_1", NULL
  };
  static const char *const no_hosts[] = { "", "-h", "user:word@host", "a b",
    "http://a", "a/b", "a\n", NULL
  };
  g_autofree char *most = repeat ("\303\274", 64), *more = repeat ("a", 65);

  for (guint i = 0; good[i]; i++)
    check_that (line_name_is_good (good[i]), "the name %s", good[i]);
  for (guint i = 0; bad[i]; i++) {
    check_that (!line_name_is_good (bad[i]), "no name: %s", bad[i]);
    check_that (!line_name_is_lane (bad[i]) || strcmp (bad[i], "-a") == 0,
        "no lane: %s", bad[i]);
  }
  check_that (line_name_is_good (most), "64 characters");
  check_that (!line_name_is_good (more) && !line_name_is_lane (more),
      "65 characters");
  check_that (line_name_is_lane ("lane_1-b") && line_name_is_lane (more + 1)
      && !line_name_is_lane ("lane 1") && !line_name_is_lane ("a.b")
      && !line_name_is_lane (".."), "lanes");
  for (guint i = 0; hosts[i]; i++)
    check_that (line_name_is_host (hosts[i]), "the host %s", hosts[i]);
  for (guint i = 0; no_hosts[i]; i++)
    check_that (!line_name_is_host (no_hosts[i]), "no host: %s", no_hosts[i]);
}

/* Six at once, then one in ten seconds; after a minute's rest six again. */
CHECK (limit)
{
  LineMessageLimit limit = { 0 };
  gint64 now = 5 * G_USEC_PER_SEC;
  guint n = 0;

  for (guint i = 0; i < 1000; i++)
    n += line_message_may (&limit, now);
  check_that (n == 6, "%u at once", n);
  for (guint i = 0; i < 1000; i++, now += G_USEC_PER_SEC / 10)
    n += line_message_may (&limit, now);
  check_that (n == 6 + 9, "%u in a hundred seconds", n);
  now += 61 * G_USEC_PER_SEC;
  for (guint i = 0; i < 1000; i++)
    n += line_message_may (&limit, now);
  check_that (n >= 6 + 9 + 6 && n <= 6 + 9 + 7, "%u after a rest", n);
}

int
main (void)
{
  run_checks ();
  check_long ("a", "a");
  check_long ("\360\237\215\216", "\360\237\215\216");
  check_long ("\033", WRONG);
  return finish ();
}
