/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers that go on from run to run, however a run ends. */

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "checks.h"
#include "full.h"
#include "journal.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineJournal, line_journal_free)

#define NOW 1800000000
#define RATE 10.0
#define RESERVED 6000

static char *output;

/* A run's folder, as a line makes it. */
static void
make_run (const char *name)
{
  g_autofree char *path = g_build_filename (output, name, NULL);
  g_autofree char *decisions = g_build_filename (path, "decisions.jsonl", NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
  g_assert_true (g_file_set_contents (decisions, "", 0, NULL));
}

static LineJournal *
begin_run (LineRun * run)
{
  GError *error = NULL;
  LineJournal *journal = line_journal_new (output, NOW, RATE, run, &error);

  g_assert_no_error (error);
  return journal;
}

static char *
get_path (void)
{
  return g_build_filename (output, "numbers.json", NULL);
}

static void
change (const char *text)
{
  g_autofree char *path = get_path ();

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

CHECK (runs)
{
  LineRun first, second, third, fourth;
  g_autoptr (LineJournal) journal = begin_run (&first);

  g_assert_cmpuint (first.id, ==, 1 + NOW % 65535);
  g_assert_cmpuint (first.first, ==, 0);
  g_assert_true (isnan (first.delay));
  /* it is killed before it has noted anything */
  line_journal_free (journal);
  journal = begin_run (&second);
  g_assert_cmpuint (second.id, ==, first.id % 65535 + 1);
  g_assert_cmpuint (second.first, ==, RESERVED);
  line_journal_note (journal, 100, NAN, FALSE);
  line_journal_note (journal, 5000, -12.3456e6, FALSE);
  /* while it runs */
  line_journal_free (journal);
  journal = begin_run (&third);
  g_assert_cmpuint (third.id, ==, second.id % 65535 + 1);
  g_assert_cmpuint (third.first, ==, 5000 + 2 * RESERVED);
  g_assert_cmpfloat (fabs (third.delay + 12.346e6), <, 1);
  line_journal_note (journal, 7, third.delay, FALSE);
  line_journal_note (journal, 7, third.delay, TRUE);
  /* at an orderly end */
  line_journal_free (journal);
  journal = begin_run (&fourth);
  g_assert_cmpuint (fourth.first, ==, third.first + 7);
}

/* Two at once would give the same numbers. */
CHECK (twice)
{
  LineRun one, two;
  g_autoptr (LineJournal) journal = begin_run (&one);
  g_autoptr (GError) error = NULL;

  g_assert_null (line_journal_new (output, NOW, RATE, &two, &error));
  g_assert_nonnull (strstr (error->message, "another run has this output"));
  line_journal_free (journal);
  journal = begin_run (&two);
  g_assert_cmpuint (two.first, ==, one.first + RESERVED);
}

/* What is no journal is told, and what follows is beyond all there can have
 * been. */
CHECK (mistakes)
{
  static const char *const texts[] = {
    "[]", "{", "{\"run\":0,\"next\":5}", "{\"run\":65536,\"next\":5}",
    "{\"run\":5,\"next\":-1}", "{\"run\":5,\"next\":4503599627370497}",
    "{\"run\":true,\"next\":1}", "{\"run\":5,\"next\":1.5}",
    "{\"run\":5,\"run\":6,\"next\":1}"
  };
  LineRun run;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    change (texts[i]);
    line_journal_free (begin_run (&run));
    g_assert_cmpuint (run.first, ==, G_GUINT64_CONSTANT (18000000000));
    line_journal_free (begin_run (&run));
    g_assert_cmpuint (run.first, ==, G_GUINT64_CONSTANT (18000006000));
  }
  change ("{\"run\":65535,\"next\":77,\"delay_us\":-3}");
  line_journal_free (begin_run (&run));
  g_assert_cmpuint (run.id, ==, 1);
  g_assert_cmpuint (run.first, ==, 77);
  g_assert_cmpfloat (run.delay, ==, -3000);
  change ("{\"run\":1,\"next\":0,\"delay_us\":-999999999999999999}");
  line_journal_free (begin_run (&run));
  g_assert_true (isnan (run.delay));
}

/* It was lost, by itself or with all runs. */
CHECK (missing)
{
  g_autofree char *path = get_path ();
  LineRun run;

  make_run ("2026-01-04T00-00-00Z");
  g_assert_cmpint (g_remove (path), ==, 0);
  line_journal_free (begin_run (&run));
  g_assert_cmpuint (run.first, ==, G_GUINT64_CONSTANT (18000000000));
  change ("");
  line_journal_free (begin_run (&run));
  g_assert_cmpuint (run.first, ==, G_GUINT64_CONSTANT (18000000000));
  /* what is there in its place is no file of its own */
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (symlink ("/dev/null", path), ==, 0);
  g_assert_null (line_journal_new (output, NOW, RATE, &run, NULL));
  g_assert_cmpint (g_remove (path), ==, 0);
}

/* A disk that is full in the middle of the first one: the next run begins as if
 * it had not been there. */
CHECK (full)
{
  g_autofree char *before = output;
  g_autoptr (GError) error = NULL;
  LineRun run;

  output = g_build_filename (before, "full", NULL);
  limit_files (50);
  g_assert_null (line_journal_new (output, NOW, RATE, &run, &error));
  g_assert_nonnull (strstr (error->message, "make room"));
  limit_files (RLIM_INFINITY);
  line_journal_free (begin_run (&run));
  g_assert_cmpuint (run.first, ==, 0);
  g_free (output);
  output = g_steal_pointer (&before);
}

static void
clean (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *inside = g_build_filename (path, name, NULL);

    clean (inside);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  signal (SIGXFSZ, SIG_IGN);
  g_test_init (&argc, &argv, NULL);
  output = g_dir_make_tmp ("line-journal-XXXXXX", NULL);
  add_checks ("/journal");
  int status = g_test_run ();
  clean (output);
  g_free (output);
  return status;
}
