/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "reader.h"

/* A longer line, in bytes, is passed over. */
#define LINE_FILES_LONGEST (16 << 20)

/* The files NAME.jsonl of a folder, in the order of their names' bytes. Whoever
 * writes them adds to the last one only: once there is one behind it, a file is
 * complete. Another file of the same name is one behind it, too. */
extern const LineSpoolClass line_files_by_name;

/* @written_at: microseconds since 1970 */
typedef struct
{
  char name[LINE_SPOOL_NAME];
  guint64 size;
  gint64 written_at;
} LineFile;

/* Those of the folder @path, an array of #LineFile in order, to be freed by
 * g_array_unref(); empty if it is not there. */
GArray *line_files_list (const char *path);
