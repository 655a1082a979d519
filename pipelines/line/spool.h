/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/* The files of a run's decisions. The one that is written is decisions.jsonl;
 * when it is full it becomes decisions-000001.jsonl, and a new one begins. These
 * are segments 1, 2, ... of the run; the last one is decisions.jsonl also after
 * the run's end. Of the closed ones the newest is never deleted before
 * decisions.jsonl, whose number follows from it. */
#define LINE_SPOOL_CURRENT "decisions.jsonl"

/* @number: 1 for a run's first
 * @size: bytes
 * @written_at: seconds since 1970
 * @is_closed: it has a numbered name */
typedef struct
{
  guint number;
  guint64 size;
  gint64 written_at;
  gboolean is_closed;
} LineSpoolSegment;

/* The path of a segment, to be freed. */
char *line_spool_get_path (const char *folder, guint number,
    gboolean is_closed);

/* The segments of the run in @folder (NULL: one that is not there), an array of
 * #LineSpoolSegment in order; empty if there is none. */
GArray *line_spool_list (const LineFolder * folder);

gboolean line_spool_is_closed (const LineFolder * folder, guint number);

/* Opens segment @number for reading. Returns: a file descriptor, or -1 if there
 * is no such segment, or with errno other than ENOENT */
int line_spool_open (const LineFolder * folder, guint number);

/* Returns: FALSE with errno */
gboolean line_spool_delete (const LineFolder * folder,
    const LineSpoolSegment * segment);

/* Closes segment @number, which is written by @fd, under its name, and begins
 * the next one. Both are on the disk then. Returns: the new file, with @fd
 * closed; or -1 with @error set, all as it was */
int line_spool_cut (const LineFolder * folder, int fd, guint number,
    GError ** error);
