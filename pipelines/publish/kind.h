/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "names.h"
#include "reader.h"

/* Bytes of a name with the 0 behind it, at most */
#define LINE_PUBLISH_NAME (4 * LINE_NAME_LONGEST + 1)

/* Names of whose a line is, at most */
#define LINE_PUBLISH_NAMES 2

/* Streams of a publisher, at most */
#define LINE_PUBLISH_STREAMS 256

/* Whose a line is: a name for each of #LinePublishKind.words. Lines with the
 * same names stay in order. */
typedef struct
{
  char names[LINE_PUBLISH_NAMES][LINE_PUBLISH_NAME];
} LinePublishKey;

/**
 * LinePublishKind:
 * @what: lines are, for messages
 * @owner: member of the state that names a stream
 * @state_schema: of the file that says how far they are acknowledged
 * @status_schema: of what the publisher says of itself
 * @has_streams: each folder in the publisher's is a stream; else that is the
 *     only one
 * @files: of a stream
 * @words: of a topic, such as "{line}", each for a name of a key
 * @n_words: of them
 * @mqtt_topic: if none is given
 * @kafka_topic: if none is given
 * @client: what a client's name begins with, if none is given
 * @copies: who copies the configuration, for messages
 * @no_topic: what is wrong with a line whose names make none
 * @parse: a line of @stream. Returns: NULL, or what is wrong with the @size bytes
 *     of @text, any ones
 *
 * What is published.
 */
typedef struct
{
  const char *what, *owner, *state_schema, *status_schema;
  gboolean has_streams;
  const LineSpoolClass *files;
  const char *words[LINE_PUBLISH_NAMES];
  guint n_words;
  const char *mqtt_topic, *kafka_topic, *client, *copies, *no_topic;
  const char *(*parse) (const char *text, gsize size, const char *stream,
      LinePublishKey * key);
} LinePublishKind;
