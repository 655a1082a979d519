/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/**
 * LineMessage:
 * @number: of a line, never used twice; the next one's is greater
 * @topic: that it goes to
 * @key: whose: lines with one key stay in order
 * @data: the line, as it is in its file
 */
typedef struct
{
  guint64 number;
  const char *topic, *key, *data;
  gsize size;
} LineMessage;

/**
 * LineTransportEvents:
 * @acknowledged: the line has arrived, and is not forgotten there
 * @changed: there is a connection now, or not, and why; also told when it is as
 *     it was
 * @refused: some line was refused, or lost: all that are not acknowledged are to
 *     be sent again, by another transport
 *
 * What a transport tells, from any thread.
 */
typedef struct
{
  void (*acknowledged) (guint64 number, gpointer user);
  void (*changed) (gboolean is_connected, const char *why, gpointer user);
  void (*refused) (const char *why, gpointer user);
  gpointer user;
} LineTransportEvents;

typedef struct _LineTransport LineTransport;

/**
 * LineTransportClass:
 * @can_queue: takes lines without a connection, too; keeps them until there is
 *     one
 * @open: returns at once; the connection comes later, and again whenever it is
 *     lost. Fails for wrong settings only. @events outlives the process.
 * @send: puts a line on its way, in order, once or more often. Never waits for
 *     the other side.
 * @close: no lines are acknowledged after it. Takes a second at most.
 *
 * A way out of the machine: at least once, and in order up to the first line
 * that is not acknowledged.
 */
typedef struct
{
  gboolean can_queue;
  LineTransport *(*open) (const LinePublishConfig * config,
      const LineTransportEvents * events, GError ** error);
  gboolean (*send) (LineTransport * transport, const LineMessage * message,
      GError ** error);
  void (*close) (LineTransport * transport);
} LineTransportClass;

/* They need libmosquitto and librdkafka: publish_mqtt.c, publish_kafka.c. */
extern const LineTransportClass line_publish_mqtt;
extern const LineTransportClass line_publish_kafka;
