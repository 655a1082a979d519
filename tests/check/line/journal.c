/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers that go on from run to run, however a run ends. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "journal.h"

#define NOW 1800000000
#define RESERVE 600

static char *output;

/* The run's folder, as a line makes it. */
static LineFolder *
make_run (const char *name)
{
  char *path = g_build_filename (output, name, NULL);
  char *decisions = g_build_filename (path, "decisions.jsonl", NULL);
  LineFolder *folder = line_folder_open (path, TRUE, NULL);

  g_assert_nonnull (folder);
  g_assert_true (g_file_set_contents (decisions, "", 0, NULL));
  g_free (decisions);
  g_free (path);
  return folder;
}

static LineJournal *
begin_run (const char *name, LineRun * run)
{
  LineFolder *folder = make_run (name);
  GError *error = NULL;
  LineJournal *journal;

  line_journal_begin (output, NOW, run);
  journal = line_journal_new (folder, run, RESERVE, &error);
  g_assert_no_error (error);
  line_folder_unref (folder);
  return journal;
}

static void
change (const char *run, const char *text)
{
  char *path = g_build_filename (output, run, "numbers.json", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_free (path);
}

static void
test_without (void)
{
  LineRun run;

  line_journal_begin (NULL, NOW, &run);
  g_assert_cmpuint (run.id, ==, 1 + NOW % 65535);
  g_assert_cmpuint (run.first, ==, 0);
  g_assert_true (isnan (run.delay));
  line_journal_begin ("/nowhere", 65534, &run);
  g_assert_cmpuint (run.id, ==, 65535);
  g_assert_cmpuint (run.first, ==, 0);
}

static void
test_runs (void)
{
  LineRun first, second, third, fourth;
  LineJournal *journal = begin_run ("2026-01-01T00-00-00Z", &first);

  /* it is killed before it has noted anything */
  line_journal_free (journal);
  journal = begin_run ("2026-01-02T00-00-00Z", &second);
  g_assert_cmpuint (second.id, ==, first.id % 65535 + 1);
  g_assert_cmpuint (second.first, ==, RESERVE);
  line_journal_note (journal, 100, NAN, FALSE);
  line_journal_note (journal, 5000, -12.3456e6, FALSE);
  /* while it runs */
  line_journal_free (journal);
  journal = begin_run ("2026-01-03T00-00-00Z", &third);
  g_assert_cmpuint (third.id, ==, second.id % 65535 + 1);
  g_assert_cmpuint (third.first, ==, 5000 + 2 * RESERVE);
  g_assert_cmpfloat (fabs (third.delay + 12.346e6), <, 1);
  line_journal_note (journal, 7, third.delay, FALSE);
  line_journal_note (journal, 7, third.delay, TRUE);
  /* at an orderly end */
  line_journal_free (journal);
  journal = begin_run ("2026-01-03T00-00-00Z-2", &fourth);
  g_assert_cmpuint (fourth.first, ==, third.first + 7);
  line_journal_free (journal);
}

/* What is no journal is passed over, and told. */
static void
test_mistakes (void)
{
  static const char *const texts[] = {
    "", "[]", "{", "{\"run\":0,\"next\":5}", "{\"run\":65536,\"next\":5}",
    "{\"run\":5,\"next\":-1}", "{\"run\":5,\"next\":9007199254740993}",
    "{\"run\":5,\"run\":6,\"next\":1}"
  };
  LineRun before, run;

  line_journal_begin (output, NOW, &before);
  line_folder_unref (make_run ("2026-01-04T00-00-00Z"));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    change ("2026-01-04T00-00-00Z", texts[i]);
    line_journal_begin (output, NOW, &run);
    g_assert_cmpuint (run.id, ==, before.id);
    g_assert_cmpuint (run.first, ==, before.first);
  }
  change ("2026-01-04T00-00-00Z", "{\"run\":65535,\"next\":77,\"delay_us\":-3}");
  line_journal_begin (output, NOW, &run);
  g_assert_cmpuint (run.id, ==, 1);
  g_assert_cmpuint (run.first, ==, 77);
  g_assert_cmpfloat (run.delay, ==, -3000);
}

static void
clean (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    char *inside = g_build_filename (path, name, NULL);

    clean (inside);
    g_free (inside);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  output = g_dir_make_tmp ("line-journal-XXXXXX", NULL);
  g_test_add_func ("/journal/without", test_without);
  g_test_add_func ("/journal/runs", test_runs);
  g_test_add_func ("/journal/mistakes", test_mistakes);
  status = g_test_run ();
  clean (output);
  g_free (output);
  return status;
}
