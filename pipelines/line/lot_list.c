/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lot_list.h"

#include <string.h>

#include <jansson.h>

#include "lots.h"
#include "publish/names.h"

/* Lots that are listed */
#define MOST 50

/* What is taken over of a report */
static const char *const members[] = { "lot", "shift", "grower", "variety", "bin",
  "open", "running", "whole", "pieces", "first_ns", "last_ns"
};

typedef struct
{
  const char *name;
  gint64 written_at;
} File;

/* The latest first; of the same time in the order of their names */
static int
compare_files (gconstpointer a, gconstpointer b)
{
  const File *x = a, *y = b;

  if (x->written_at != y->written_at)
    return x->written_at < y->written_at ? 1 : -1;
  return strcmp (x->name, y->name);
}

static GArray *
find_files (const LineFolder * folder, const GPtrArray * names)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (File));

  for (guint i = 0; i < names->len; i++) {
    File file = {.name = names->pdata[i] };
    g_autofree char *lot = line_name_of_file (file.name, ".json");

    if (lot && line_folder_look (folder, file.name, NULL, &file.written_at))
      g_array_append_val (files, file);
  }
  g_array_sort (files, compare_files);
  return files;
}

/* Returns: NULL if it is no report */
static json_t *
read_lot (const LineFolder * folder, const char *name, const char *member)
{
  g_autofree char *text = NULL;
  gsize size;
  json_auto_t *report = line_folder_load (folder, name, LINE_MOST_LOT, &text, &size,
      NULL) ? json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;

  if (!json_is_string (json_object_get (report, member)))
    return NULL;
  json_t *lot = json_object ();
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    json_object_set (lot, members[i], json_object_get (report, members[i]));
  return lot;
}

char *
line_lot_list_read (const LineFolder * shared, const char *path)
{
  const char *member = strcmp (path, LINE_LOTS) == 0 ? "lot" : "shift";
  json_auto_t *list = json_array ();
  g_autoptr (LineFolder) folder = line_folder_open_inside (shared, path, FALSE,
      NULL);
  g_autoptr (GPtrArray) names = folder ? line_folder_list (folder) :
      g_ptr_array_new ();
  g_autoptr (GArray) files = find_files (folder, names);

  for (guint i = 0; i < files->len && json_array_size (list) < MOST; i++) {
    json_t *lot = read_lot (folder, g_array_index (files, File, i).name, member);

    if (lot)
      json_array_append_new (list, lot);
  }
  char *encoded = json_dumps (list, JSON_COMPACT);
  char *text = g_strdup_printf ("%s\n", encoded ? encoded : "[]");
  free (encoded);
  return text;
}
