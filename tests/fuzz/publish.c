/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as the decisions of two runs and as a publisher's state. Each line
 * is read once, as a search for newlines finds it; a state that is read is
 * written so that it is read again. */

#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "publish/state.h"
#include "publish/status.h"
#include "publish_line.h"
#include "publish_metrics.h"
#include "spool_files.h"

#define FIRST "2026-01-02T03-04-05Z"
#define SECOND "2026-01-02T03-04-06Z"

static char *output, *state_path, *status_path, *paths[2];

static void
remove_files (void)
{
  const char *const runs[] = { FIRST, SECOND };
  g_autofree char *next = g_strconcat (state_path, ".new", NULL);

  for (guint i = 0; i < 2; i++) {
    g_autofree char *folder = g_build_filename (output, runs[i], NULL);

    g_unlink (paths[i]);
    g_rmdir (folder);
  }
  g_unlink (next);
  g_unlink (state_path);
  g_unlink (status_path);
  g_rmdir (output);
}

static void
make_folders (void)
{
  const char *const runs[] = { FIRST, SECOND };

  output = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  FUZZ_CHECK (output != NULL, "no folder");
  state_path = line_publish_state_path (output);
  status_path = line_publish_status_path (output);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *folder = g_build_filename (output, runs[i], NULL);

    FUZZ_CHECK (g_mkdir (folder, 0700) == 0, "no folder");
    paths[i] = g_build_filename (folder, LINE_SPOOL_CURRENT, NULL);
  }
  atexit (remove_files);
}

/* The next line of @data from @at on, as it must be read. */
static void
check_line (LineSpoolReader * reader, const uint8_t * data, size_t size,
    size_t * at)
{
  const uint8_t *end = memchr (data + *at, '\n', size - *at);
  const char *text;
  LinePublishKey key;
  gsize length;
  LineSpoolResult result = line_spool_reader_next (reader, &text, &length);

  FUZZ_CHECK (result == (end ? LINE_SPOOL_LINE : LINE_SPOOL_HALF), "%d",
      result);
  if (!end) {
    *at = size;
    return;
  }
  FUZZ_CHECK (length == (gsize) (end - data) - *at
      && memcmp (text, data + *at, length) == 0, "another line");
  *at = end - data + 1;
  FUZZ_CHECK (line_spool_reader_tell (reader)->offset == *at, "offset");
  line_publish_parse (text, length, NULL, &key);
}

static void
check_spool (const uint8_t * data, size_t size)
{
  LineSpoolReader *reader;
  const char *text;
  gsize length;
  size_t at = 0;

  fuzz_write_file (paths[0], data, size);
  fuzz_write_file (paths[1], "end\n", 4);
  reader = line_spool_reader_new (&line_spool_decisions, output, &(LineSpoolPosition) {""});
  while (at < size)
    check_line (reader, data, size, &at);
  FUZZ_CHECK (line_spool_reader_next (reader, &text, &length)
      == LINE_SPOOL_LINE && length == 3, "the second run");
  line_spool_reader_free (reader);
}

static void
check_state (const uint8_t * data, size_t size)
{
  LineSpoolPosition position, again;
  GError *error = NULL;
  gboolean good;

  fuzz_write_file (state_path, data, size);
  good = line_publish_state_load (state_path, "line1", &position, &error);
  FUZZ_CHECK_ERROR (good, error);
  g_clear_error (&error);
  if (!good)
    return;
  FUZZ_CHECK (line_publish_state_save (state_path, "line1", &position, NULL)
      && line_publish_state_load (state_path, "line1", &again, NULL)
      && line_spool_compare (&position, &again) == 0
      && position.lines == again.lines, "another position");
}

static void
check_status (const uint8_t * data, size_t size)
{
  fuzz_write_file (status_path, data, size);
  g_autofree char *text = line_publish_status_to_metrics (status_path, 0);
  FUZZ_CHECK (!*text || g_str_has_prefix (text, "# HELP fruit_line_"), "%s",
      text);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  if (!output)
    make_folders ();
  check_spool (data, size);
  check_state (data, size);
  check_status (data, size);
  return 0;
}
