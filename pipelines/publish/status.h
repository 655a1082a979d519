/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "kind.h"

/**
 * LinePublishProgress:
 * @name: of a stream
 * @waiting_lines: of it that are not acknowledged
 * @waiting_bytes: of those
 * @position: behind what is acknowledged
 */
typedef struct
{
  const char *name;
  guint64 waiting_lines, waiting_bytes;
  LineSpoolPosition position;
} LinePublishProgress;

/**
 * LinePublishStatus:
 * @kind: what is published
 * @name: of the line, or of the publisher
 * @target: "mqtt HOST:PORT", "kafka BROKERS"
 * @last_error: NULL for none
 * @published: lines that were sent, repetitions too
 * @acknowledged: lines
 * @waiting_lines: not acknowledged
 * @waiting_bytes: of those
 * @reconnects: connections after the first
 * @errors: attempts to connect, send, read and save that failed
 * @damaged: lines that were passed over
 * @gaps: places where files were missing
 * @deleted: files
 * @connected_at: ns since 1970; 0 without a connection
 * @streams: @n_streams of them
 *
 * What a publisher says of itself. Counts begin with the process.
 */
typedef struct
{
  const LinePublishKind *kind;
  const char *name, *target, *last_error;
  guint64 published, acknowledged, waiting_lines, waiting_bytes;
  guint64 reconnects, errors, damaged, gaps, deleted;
  gint64 connected_at;
  const LinePublishProgress *streams;
  guint n_streams;
} LinePublishStatus;

/* Writes it as JSON. @now: ns since 1970 */
gboolean line_publish_status_write (const char *path,
    const LinePublishStatus * status, gint64 now, GError ** error);

/* That file as it is. Returns: NULL if there is none that can be read; to be
 * freed */
char *line_publish_status_read (const char *path);
