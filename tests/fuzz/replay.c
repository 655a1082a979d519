/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a recorded lane's events and as its decisions, which are decided
 * again and compared. Whatever is said of them is plain text. */

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include <glib/gstdio.h>

#include "recording.h"
#include "replay.h"

static const char config_text[] =
    "[line]\nname=fuzz\nrecipe=r.ini\noutput=out\ndeadline-ms=50\n[geometry]\n"
    "columns=64\nrows=32\nmm-per-pixel=0.8\ncups=2\ncup-first=16\n"
    "cup-pitch=32\ntilt=0;0\n[lane fuzz]\nsource=simulate\n"
    "[geometry fuzz]\nmm-per-pixel=0.8;0.4\ncup-first=16;12\n";
static const char recipe_text[] =
    "[recipe]\nname=fuzz\nclasses=belt;skin;rot;scar\nfruit=skin;rot;scar\n"
    "defects=rot;scar\nundecided-outlet=9\nmin-diameter-mm=1\n"
    "[limits few]\nrot-mm2=10\nscar-length-mm=3\ndefect-count=1\n"
    "[rule good]\noutlet=1\nlimits=few\n[rule rest]\noutlet=2\n";

static char *folder;
static LineRecipe *recipe;
static const char *const names[] =
    { "line.ini", "fuzz.events", "decisions.jsonl" };

static void
remove_files (void)
{
  char *path = line_recipe_name_copy (folder, recipe->hash);

  g_unlink (path);
  g_free (path);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    path = g_build_filename (folder, names[i], NULL);
    g_unlink (path);
    g_free (path);
  }
  g_rmdir (folder);
  g_free (folder);
  line_recipe_unref (recipe);
}

static void
write_file (const char *name, const void *data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  fuzz_write_file (path, data, size);
}

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  LineFolder *copies = folder ? line_folder_open (folder, FALSE, NULL) : NULL;
  recipe = line_recipe_parse ("r", recipe_text, strlen (recipe_text), NULL);
  FUZZ_CHECK (copies && recipe && line_recipe_copy (recipe, copies, NULL),
      "no folder");
  line_folder_unref (copies);
  write_file (names[0], config_text, strlen (config_text));
  atexit (remove_files);
}

static void
append (GByteArray * file, GBytes * bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_byte_array_append (file, data, size);
  g_bytes_unref (bytes);
}

/* @version: of a recording, with what each one begins with, which hardly any
 * bytes are; 0: bytes alone */
static void
write_events (const Feed * feed, guint8 version)
{
  LineEvent first = {.type = LINE_EVENT_RECIPE,.recipe = recipe };
  g_autoptr (GByteArray) file = g_byte_array_new ();

  if (version) {
    append (file, line_recording_head ());
    file->data[4] = version;
    append (file, line_recording_encode (&first));
  }
  g_byte_array_append (file, feed->data, feed->size);
  write_file (names[1], file->data, file->len);
}

static void
check_replay (void)
{
  LineReplayResult result;
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream (&text, &size);
  const gboolean good = line_replay (folder, NULL, out, &result, &error);

  fclose (out);
  FUZZ_CHECK_ERROR (good, error);
  fuzz_check_plain (good ? text : error->message, good ? size :
      strlen (error->message));
  FUZZ_CHECK (!good || (result.moved <= result.different
          && result.different <= result.pieces), "%d of %d differ",
      (int) result.different, (int) result.pieces);
  free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };

  if (!folder)
    make_folder ();
  guint8 version = MIN (feed_u8 (&feed) % 4, 2);
  gsize n = feed_u16 (&feed);
  n = MIN (n, feed.size);
  write_file (names[2], feed.data, n);
  feed.data += n;
  feed.size -= n;
  write_events (&feed, version);
  check_replay ();
  return 0;
}
