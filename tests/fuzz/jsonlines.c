/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a line of shapejsonenc, as jansson reads it; as the configuration
 * and as the state of cudashapes-publish; and as a file that is cut short while it
 * is read. */

#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "publish/files.h"
#include "publish/settings.h"
#include "publish/shapes.h"
#include "publish/state.h"
#include "shapes/jsontext.h"

static char *folder, *state_path, *next_path, *file_path;

static void
remove_files (void)
{
  g_unlink (state_path);
  g_unlink (next_path);
  g_unlink (file_path);
  g_rmdir (folder);
}

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
  FUZZ_CHECK (folder != NULL, "no folder");
  state_path = line_publish_state_path (folder);
  next_path = g_strconcat (state_path, ".new", NULL);
  file_path = g_build_filename (folder, "a.jsonl", NULL);
  atexit (remove_files);
}

/* At least as deep as values in values are */
static guint
count_depth (const char *text, size_t size)
{
  guint n = 0;

  for (size_t i = 0; i < size; i++)
    n += text[i] == '[' || text[i] == '{';
  return n;
}

/* What jansson reads as an object is a line, and both find the same source. */
static void
check_line (const char *text, size_t size)
{
  json_auto_t *json = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const json_t *source = json_object_get (json, "source");
  const char *name = json_string_value (source);
  LinePublishKey key;
  const char *problem = line_publish_shapes.parse (text, size, "stream", &key);

  if (!json_is_object (json) || count_depth (text, size) > JSON_TEXT_MAX_DEPTH)
    return;
  if (name && strlen (name) < LINE_PUBLISH_NAME)
    FUZZ_CHECK (!problem && strcmp (key.names[0], *name ? name : "stream") == 0,
        "%s", name);
  else
    FUZZ_CHECK (!problem == !source, "%s", problem ? problem : "none");
}

static void
check_config (const char *text, size_t size)
{
  GError *error = NULL;
  LinePublishSource *source = line_shapes_config_parse ("file", text, size,
      &error);

  FUZZ_CHECK_ERROR (source != NULL, error);
  if (error)
    fuzz_check_plain (error->message, strlen (error->message));
  if (source) {
    LinePublishKey key = { {"a"} };
    char topic[LINE_PUBLISH_TOPIC];

    FUZZ_CHECK (source->publish && *source->name && *source->folder, "empty");
    line_publish_config_topic (source->publish, &key, topic);
    line_shapes_config_free (source);
  }
  g_clear_error (&error);
}

static void
check_state (const uint8_t * data, size_t size)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GHashTable) got = NULL, again = NULL;
  GHashTableIter iter;
  gpointer name, position;
  GError *error = NULL;

  fuzz_write_file (state_path, data, size);
  got = line_publish_state_read (&line_publish_shapes, state_path, &error);
  FUZZ_CHECK_ERROR (got != NULL, error);
  g_clear_error (&error);
  if (!got)
    return;
  g_hash_table_iter_init (&iter, got);
  while (g_hash_table_iter_next (&iter, &name, &position))
    line_publish_state_add (&line_publish_shapes, text, name, position);
  FUZZ_CHECK (line_publish_state_write (state_path, text, NULL), "written");
  again = line_publish_state_read (&line_publish_shapes, state_path, NULL);
  FUZZ_CHECK (again && g_hash_table_size (again) == g_hash_table_size (got),
      "another state");
}

/* To the end of what there is of the @size bytes of @data. Returns: what is
 * behind */
static LineSpoolResult
read_all (LineSpoolReader * reader, const uint8_t * data, size_t size)
{
  const char *text;
  gsize length;
  LineSpoolResult result;

  while ((result = line_spool_reader_next (reader, &text, &length))
      == LINE_SPOOL_LINE) {
    const guint64 end = line_spool_reader_tell (reader)->offset;

    FUZZ_CHECK (end > length && end <= size && data[end - 1] == '\n'
        && memcmp (data + end - 1 - length, text, length) == 0, "no line");
  }
  return result;
}

/* Bytes of a line that are compared when more of the file is read */
#define COMPARED 256

/* What is read of a file is a line of it, before and after it is cut short. */
static void
check_file (const uint8_t * data, size_t size)
{
  const size_t cut = size > 0 ? data[0] % size : 0;
  LineSpoolReader *reader = line_spool_reader_new (&line_files_by_name, folder,
      &(LineSpoolPosition) {"a.jsonl"});
  LineSpoolResult result;

  fuzz_write_file (file_path, data, size);
  result = read_all (reader, data, size);
  FUZZ_CHECK (result == LINE_SPOOL_WAIT, "%d", result);
  fuzz_write_file (file_path, data + cut, size - cut);
  result = read_all (reader, data + cut, size - cut);
  if (result == LINE_SPOOL_CHANGED)
    result = read_all (reader, data + cut, size - cut);
  FUZZ_CHECK (result == LINE_SPOOL_WAIT, "%d", result);
  line_spool_reader_free (reader);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  if (!folder)
    make_folder ();
  check_line ((const char *) data, size);
  check_config ((const char *) data, size);
  check_state (data, size);
  check_file (data, MIN (size, COMPARED));
  return 0;
}
