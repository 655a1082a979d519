/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "kind.h"

/**
 * LinePublishStream:
 * @name: of the line, or of the folder in the publisher's
 * @path: of the folder
 * @reader: what is sent
 * @ahead: what waits
 * @position: behind all that is acknowledged, @done_read lines were read before
 *     it
 * @saved: that is on the disk
 * @n_read: lines by @reader
 * @n_ahead: lines by @ahead
 * @on_way: lines
 * @rest_until: microseconds of the monotonic clock; there was nothing to read
 * @read_error: errno that was told
 * @left: guint64: bytes of each file that is not read any more, by its name
 *
 * Lines that are sent in order.
 */
typedef struct
{
  char *name, *path;
  LineSpoolReader *reader, *ahead;
  LineSpoolPosition position, saved;
  guint64 n_read, n_ahead, done_read;
  guint on_way;
  gint64 rest_until;
  int read_error;
  GHashTable *left;
} LinePublishStream;

/* The stream that goes on at @position; an element of @streams, an array of
 * pointers that g_ptr_array_unref() frees with them. */
LinePublishStream *line_publish_stream_add (GPtrArray * streams,
    const LinePublishKind * kind, const char *name, const char *path,
    const LineSpoolPosition * position);
GPtrArray *line_publish_streams_new (void);

/* A file of @size bytes is not read any more, unless that is known already. */
void line_publish_stream_leave (LinePublishStream * stream, const char *name,
    guint64 size);

/* All that is read and not acknowledged is read again. */
void line_publish_stream_go_back (LinePublishStream * stream,
    const LinePublishKind * kind);

/* Counts the lines that wait; of many only some. */
void line_publish_stream_look_ahead (LinePublishStream * stream);

/* The same from what is read on: lines before, which may have been counted, are
 * not there any more. */
void line_publish_stream_count_anew (LinePublishStream * stream,
    const LinePublishKind * kind);

/* Adds the folders in @folder that are no streams yet, by their names. What can
 * be none is printed once: then its name is in @told. */
void line_publish_streams_find (GPtrArray * streams,
    const LinePublishKind * kind, const char *folder, GHashTable * told);
