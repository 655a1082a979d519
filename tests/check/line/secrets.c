/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of secrets: whose they may be, who may read them, how long they are. */

#include "check.h"
#include "checks.h"
#include "publish/secret.h"
#include "tokens.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define LONGEST (64 << 10)

/* What is said of @text in a file that is @owner's and @group's; NULL if it is
 * read as it is */
static char *
load (const char *text, gsize size, guint mode, uid_t owner, gid_t group)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  char *path = g_build_filename (folder, "secret", NULL), *said = NULL;
  GError *error = NULL;

  g_assert_true (g_file_set_contents (path, text, size, NULL));
  if (geteuid () == 0)
    g_assert_cmpint (chown (path, owner, group), ==, 0);
  g_assert_cmpint (g_chmod (path, mode), ==, 0);
  char *secret = line_secret_load (path, &error);
  if (secret) {
    expect (!error && strlen (secret) == size
        && memcmp (secret, text, size) == 0, "it is not what was written");
    expect (line_secret_check (path, NULL), "it is not checked as it is read");
  } else {
    said = g_strdup (error->message);
    expect (strstr (said, path) != NULL, "%s", said);
    g_error_free (error);
  }
  line_secret_free (secret);
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  return said;
}

static void
expect_said (const char *wanted, char *said)
{
  expect (!wanted == !said && (!said || strstr (said, wanted)), "%s, not %s",
      said ? said : "it is read", wanted ? wanted : "that");
  g_free (said);
}

CHECK (modes)
{
  static const guint good[] = { 0600, 0400, 0700 }, bad[] = {
    0640, 0620, 0610, 0604, 0602, 0601, 0644
  };
  const uid_t user = geteuid ();

  begin ("who may use it");
  /* root's group has a rule of its own */
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    expect_said (NULL, load ("s\n", 2, good[i], user, user ? getegid () : 1));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect_said ("others than its owner may use it", load ("s", 1, bad[i],
            user, user ? getegid () : 1));
  end ();
}

CHECK (owners)
{
  begin ("whose it is");
  if (geteuid () == 0) {
    expect_said ("belongs to user 1, not to", load ("s", 1, 0600, 1, 0));
    /* as systemd gives them, by an access list */
    expect_said (NULL, load ("s", 1, 0440, 0, 0));
    expect_said ("others than", load ("s", 1, 0440, 0, 1));
    expect_said ("others than", load ("s", 1, 0460, 0, 0));
    expect_said ("others than", load ("s", 1, 0444, 0, 0));
  }
  end ();
}

CHECK (texts)
{
  g_autofree char *text = g_strnfill (LONGEST + 1, 'x');
  const uid_t user = geteuid ();
  g_autoptr (GError) error = NULL;

  begin ("what is in it");
  expect_said (NULL, load ("", 0, 0600, user, getegid ()));
  expect_said (NULL, load (text, LONGEST, 0600, user, getegid ()));
  expect_said ("larger than 64 KiB", load (text, LONGEST + 1, 0600, user,
          getegid ()));
  expect_said ("a byte 0", load ("a\0b", 3, 0600, user, getegid ()));
  expect_said ("a byte 0", load ("a\0", 2, 0600, user, getegid ()));
  expect (!line_secret_load ("/nowhere/at/all", &error)
      && strstr (error->message, "/nowhere/at/all"), "no file");
  g_clear_error (&error);
  expect (!line_secret_check ("/", &error) && error, "a folder");
  g_clear_error (&error);
  /* a file of this user's that cannot be read: nothing is at address 0 */
  expect (!line_secret_load ("/proc/self/mem", &error)
      && strstr (error->message, "/proc/self/mem: "), "what cannot be read");
  end ();
}

/* Tokens: who has which, and what is no file of them. No message has one. */
CHECK (tokens)
{
#define ONE "aaaaaaaaaaaaaaaaaaaa"
#define TWO "ABC-._~+/=0123456789x"
  static const struct
  {
    const char *text, *error;
  } cases[] = {
    {"anna " ONE "\n", NULL}, {"# who\n\n a_1\t " ONE "\r\nb " TWO, NULL},
    {"", "no token in it"}, {"\n# a\n", "no token in it"},
    {"anna\n", ":1: a token has"}, {"\nanna short\n", ":2: a token has"},
    {"anna " ONE " " ONE "\n", ":1: a token has"},
    {"anna " ONE "\303\244\n", ":1: a token has"},
    {"a/b " ONE "\n", ":1: a line has"}, {ONE "\n", ":1: a token has"},
    {"a " ONE "\nb " ONE "\n", ":2: this token is there already"},
  };
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "tokens", NULL);

  begin ("tokens");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_true (g_file_set_contents (path, cases[i].text, -1, NULL));
    g_assert_cmpint (g_chmod (path, 0600), ==, 0);
    LineTokens *tokens = line_tokens_load (path, &error);
    expect (!tokens == !!cases[i].error && (!error
            || (strstr (error->message, cases[i].error)
                && !strstr (error->message, "aaaa"))), "case %u: %s", i,
        error ? error->message : "read");
    if (tokens && i == 1) {
      expect (g_strcmp0 (line_tokens_find (tokens, ONE), "a_1") == 0
          && g_strcmp0 (line_tokens_find (tokens, TWO), "b") == 0, "whose");
      expect (!line_tokens_find (tokens, ONE "a")
          && !line_tokens_find (tokens, "") && !line_tokens_find (tokens, "b"),
          "nobody's");
    }
    g_clear_pointer (&tokens, line_tokens_free);
  }
  g_assert_true (g_file_set_contents (path, cases[0].text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  expect (!line_tokens_load (path, NULL), "others may read it");
  g_unlink (path);
  g_rmdir (folder);
  end ();
}

CHECKS
