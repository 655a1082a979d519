/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ini.h"
#include "kind.h"

/* More lines than these are never on their way. */
#define LINE_PUBLISH_WINDOW 1000

/* Bytes of a topic, at most */
#define LINE_PUBLISH_TOPIC 1024

typedef enum
{
  LINE_TRANSPORT_MQTT,
  LINE_TRANSPORT_KAFKA,
} LineTransportKind;

/**
 * LinePublishConfig:
 * @kind: what
 * @transport: how
 * @host: of an MQTT broker
 * @port: of that
 * @brokers: of Kafka, HOST:PORT between commas
 * @topic: with words of @kind
 * @client_id: by which the broker knows the publisher
 * @username: NULL for none
 * @password_file: its first line is the password; NULL for none
 * @secrets_file: of options of librdkafka that are secret; NULL for none
 * @has_tls: whether connections are encrypted
 * @is_clear: whether credentials go to another machine without that, as the
 *     configuration allows
 * @ca_file: certificates that the broker's is checked with; NULL for those of
 *     the system
 * @cert_file: own certificate; NULL for none
 * @key_file: its key
 * @mqtt_version: 3 (3.1.1) or 5
 * @keep_alive: seconds without a word after which the other side is gone
 * @in_flight: lines on their way, at most
 * @command_topic: that commands for the line come from; NULL if none do
 * @command_token_file: has the token that the line knows
 * @command_host: where its page listens
 * @command_port: of that
 * @options: of librdkafka, NAME=VALUE; none is secret
 *
 * Group [publish] of a configuration.
 */
typedef struct
{
  const LinePublishKind *kind;
  LineTransportKind transport;
  char *host, *brokers, *topic, *client_id, *username;
  char *password_file, *secrets_file, *ca_file, *cert_file, *key_file;
  char *command_topic, *command_token_file, *command_host;
  gboolean has_tls, is_clear;
  guint command_port;
  guint port, mqtt_version, keep_alive, in_flight;
  char **options;
} LinePublishConfig;

/* @file: name of the configuration, which paths are relative to. @name: that
 * client ids end with. Returns: NULL if there is no such group */
LinePublishConfig *line_publish_config_read (LineIni * ini, const char *file,
    const LinePublishKind * kind, const char *name);
/* The line's page, which takes commands that come by the broker. */
void line_publish_config_set_page (LineIni * ini, LinePublishConfig * config,
    const char *host, guint port);
void line_publish_config_free (LinePublishConfig * config);

/* The topic of a line. Returns: FALSE if that is none: empty, too long, or with
 * characters that topics do not have */
gboolean line_publish_config_topic (const LinePublishConfig * config,
    const LinePublishKey * key, char topic[LINE_PUBLISH_TOPIC]);

/* The password. Returns: FALSE with @error set if it cannot be read; @password
 * is NULL without one. To be freed by line_secret_free(). */
gboolean line_publish_config_password (const LinePublishConfig * config,
    char **password, GError ** error);

/* Whether the option @name of librdkafka is a secret. */
gboolean line_publish_config_is_secret (const char *name);
