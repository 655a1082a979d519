/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/**
 * LineWriter:
 *
 * Appends records to files, by a thread of its own, so that nobody else waits
 * for a disk. What a file does not take is tried again each second; its records
 * wait, as many as there is room for, and the others are dropped and counted. In
 * the end no file has half a record. What is
 * written is on the disk within a second or so. Thread-safe.
 */
typedef struct _LineWriter LineWriter;

LineWriter *line_writer_new (void);

/* Writes what waits, for at most 2 seconds. What is left is dropped, as is
 * whatever comes later. */
void line_writer_close (LineWriter * writer);

/* Closes it before, if that was not done. */
void line_writer_free (LineWriter * writer);

/* A new file in @folder, which is needed as long as the writer. Before the first
 * line_writer_append(). Files added first go first. @capacity: bytes that may
 * wait for it. Returns: its number; -1 with @error set if there is such a file
 * already, or it cannot be made */
gint line_writer_add (LineWriter * writer, const LineFolder * folder,
    const char *name, gsize capacity, GError ** error);

/* The file becomes a run's spool (spool.h), with a new segment after each
 * @bytes. Before the first line_writer_append(). @file: of the name
 * LINE_SPOOL_CURRENT. A segment that cannot be closed grows. */
void line_writer_set_segments (LineWriter * writer, gint file, guint64 bytes);

/* Returns: FALSE if there is no room: @record is dropped */
gboolean line_writer_append (LineWriter * writer, gint file, GBytes * record);

/* Records of @file. Those that wait are neither @written nor @dropped. */
void line_writer_get_counts (LineWriter * writer, gint file,
    guint64 * written, guint64 * dropped);

/* Bytes that wait to be written to @file. */
gsize line_writer_get_waiting (LineWriter * writer, gint file);

/* A number that changes twice a second at least, unless the thread hangs. */
guint line_writer_get_pulse (LineWriter * writer);
