/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "transport.h"
#include "reader.h"

/**
 * LinePublishLink:
 *
 * What a publisher and the threads of its transport share: which lines are on
 * their way and which of them are acknowledged, and how the connection is.
 */
typedef struct _LinePublishLink LinePublishLink;

/* @connections: so far; @connected_at: ns since 1970, 0 without one
 * @failures: since the last time this was asked; @why: of the last one, or NULL,
 * to be freed */
typedef struct
{
  guint64 connections, failures;
  gint64 connected_at;
  char *why;
} LinePublishConnection;

/* @target: name of the other side, for what is printed; outlives it */
LinePublishLink *line_publish_link_new (const char *target);
void line_publish_link_free (LinePublishLink * link);

/* What a transport tells. */
const LineTransportEvents *line_publish_link_events (LinePublishLink * link);

/**
 * LinePublishMark:
 * @stream: of a line
 * @size: bytes of it
 * @read: lines of the stream that were read when it was
 * @end: where the next one begins
 */
typedef struct
{
  guint stream;
  gsize size;
  guint64 read;
  LineSpoolPosition end;
} LinePublishMark;

/* A line is about to be sent: there are less than LINE_PUBLISH_WINDOW on their
 * way. Returns: its number; they count from 0 */
guint64 line_publish_link_add (LinePublishLink * link,
    const LinePublishMark * mark);

/* @sent: number of the next line that is sent; @done: of the first that is not
 * acknowledged; @bytes: from there on
 * @is_refused: a line cannot be sent */
typedef struct
{
  guint64 sent, done, bytes;
  gboolean is_refused, is_connected;
} LinePublishState;

LinePublishState line_publish_link_get_state (LinePublishLink * link);

/* Takes the first line that is not taken, if it is acknowledged. Returns: FALSE
 * if it is not, or there is none */
gboolean line_publish_link_take (LinePublishLink * link,
    LinePublishMark * mark);

/* A line cannot be sent. */
void line_publish_link_refuse (LinePublishLink * link, const char *why);

/* The transport is closed: there is no connection, and nothing on its way. */
void line_publish_link_reset (LinePublishLink * link);

/* Prints how the connection is, once when that changes. @is_resting: after a
 * refusal: that a connection comes back before anything was acknowledged is no
 * news. */
void line_publish_link_report (LinePublishLink * link, gboolean is_resting,
    LinePublishConnection * connection);

/* Until something is told, @timeout microseconds at most; not at all if the
 * first line on its way is acknowledged. */
void line_publish_link_wait (LinePublishLink * link, gint64 timeout);
