/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "spool_reader.h"

/**
 * LinePublishStatus:
 * @line: its name
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
 * @connected_at: ns since 1970; 0 without a connection
 * @position: behind what is acknowledged
 *
 * What a publisher says of itself. Counts begin with the process.
 */
typedef struct
{
  const char *line, *target, *last_error;
  guint64 published, acknowledged, waiting_lines, waiting_bytes;
  guint64 reconnects, errors, damaged, gaps;
  gint64 connected_at;
  LineSpoolPosition position;
} LinePublishStatus;

/* Writes it as JSON. @now: ns since 1970 */
gboolean line_publish_status_write (const char *path,
    const LinePublishStatus * status, gint64 now, GError ** error);

/* That file as it is. Returns: NULL if there is none that can be read; to be
 * freed */
char *line_publish_status_read (const char *path);

/* The same as Prometheus' text; "" if there is no such file or it is damaged.
 * Never fails. @now: ns since 1970. To be freed. */
char *line_publish_status_to_metrics (const char *path, gint64 now);
