/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kafka, by librdkafka: an idempotent producer, which writes each line once
 * while it lives, acknowledged by all replicas, and for ever tries again. A
 * thread serves its callbacks. */

/* strsep() */
#define _DEFAULT_SOURCE

#include "transport.h"

#include <string.h>

#include <librdkafka/rdkafka.h>

#include "secret.h"

/* Milliseconds that the thread waits for an event, and that lines on their way
 * have at the end */
#define POLL 100
#define END 300

/* @has_arrived: a line was acknowledged after the last error; the library tells
 * nothing else of a connection */
struct _LineTransport
{
  const LineTransportEvents *events;
  rd_kafka_t *client;
  GThread *thread;
  gint is_ending;
  gboolean has_arrived;
};

/* In the thread, but for errors of the start */

/* @message->_private: number + 1 */
static void
delivered (rd_kafka_t * client, const rd_kafka_message_t * message, void *user)
{
  LineTransport *transport = user;
  const LineTransportEvents *events = transport->events;
  const guint64 number = (guint64) (guintptr) message->_private - 1;

  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (!transport->has_arrived)
      events->changed (TRUE, NULL, events->user);
    transport->has_arrived = TRUE;
    events->acknowledged (number, events->user);
  } else if (!g_atomic_int_get (&transport->is_ending)) {
    g_autofree char *why = g_strdup_printf ("a line was not taken: %s",
        rd_kafka_err2str (message->err));

    events->refused (why, events->user);
  }
}

static void
failed (rd_kafka_t * client, int code, const char *reason, void *user)
{
  LineTransport *transport = user;
  const LineTransportEvents *events = transport->events;

  if (code == RD_KAFKA_RESP_ERR__FATAL) {
    events->refused (reason, events->user);
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
      || code == RD_KAFKA_RESP_ERR__AUTHENTICATION
      || code == RD_KAFKA_RESP_ERR__SSL || !transport->has_arrived) {
    /* the library connects again by itself; lines are still taken */
    events->changed (FALSE, reason, events->user);
    transport->has_arrived = FALSE;
  }
}

/* What the library says goes by failed(). */
static void
say_nothing (const rd_kafka_t * client, int level, const char *facility,
    const char *text)
{
}

static gpointer
run (gpointer user)
{
  LineTransport *transport = user;

  while (!g_atomic_int_get (&transport->is_ending))
    rd_kafka_poll (transport->client, POLL);
  return NULL;
}

/* In the publisher's thread */

static gboolean
set (rd_kafka_conf_t * conf, const char *name, const char *value,
    GError ** error)
{
  char text[512];

  if (!value || rd_kafka_conf_set (conf, name, value, text, sizeof (text))
      == RD_KAFKA_CONF_OK)
    return TRUE;
  return line_fail (error, LINE_ERROR_INVALID, "Kafka's option \"%s\": %s",
      name, text);
}

/* @line: "NAME=VALUE"; is changed. No message has the value. */
static gboolean
set_secret (rd_kafka_conf_t * conf, const char *path, guint number, char *line,
    GError ** error)
{
  char text[512], *value = strchr (line, '=');
  const char *problem = NULL;

  if (value)
    *value++ = '\0';
  if (!value)
    problem = "must be NAME=VALUE";
  else if (!line_publish_config_is_secret (g_strstrip (line)))
    problem = "is no secret option of librdkafka: write it to \"options\"";
  else if (rd_kafka_conf_set (conf, line, g_strstrip (value), text,
          sizeof (text)) != RD_KAFKA_CONF_OK)
    problem = "is refused by librdkafka: correct its name or its value";
  return !problem || line_fail (error, LINE_ERROR_INVALID, "%s: line %u %s",
      path, number, problem);
}

static gboolean
set_secrets (rd_kafka_conf_t * conf, const char *path, GError ** error)
{
  char *secrets = line_secret_load (path, error), *next = secrets;
  gboolean good = secrets != NULL;

  for (guint number = 1; good && next; number++) {
    char *line = g_strstrip (strsep (&next, "\n"));

    if (*line && *line != '#')
      good = set_secret (conf, path, number, line, error);
  }
  line_secret_free (secrets);
  return good;
}

static gboolean
set_security (rd_kafka_conf_t * conf, const LinePublishConfig * config,
    GError ** error)
{
  static const char *const protocols[2][2] = {
    {"plaintext", "ssl"}, {"sasl_plaintext", "sasl_ssl"}
  };
  char *password;
  gboolean good = line_publish_config_password (config, &password, error)
      && set (conf, "security.protocol",
      protocols[config->username != NULL][config->has_tls], error)
      && set (conf, "ssl.ca.location", config->ca_file, error)
      && set (conf, "ssl.endpoint.identification.algorithm",
      config->has_tls ? "https" : NULL, error)
      && set (conf, "sasl.username", config->username, error)
      && set (conf, "sasl.password", password, error)
      && set (conf, "sasl.mechanism", config->username ? "PLAIN" : NULL, error);

  line_secret_free (password);
  return good && (!config->secrets_file
      || set_secrets (conf, config->secrets_file, error));
}

static gboolean
set_all (rd_kafka_conf_t * conf, const LinePublishConfig * config,
    GError ** error)
{
  gboolean good = set (conf, "bootstrap.servers", config->brokers, error)
      && set (conf, "client.id", config->client_id, error)
      && set (conf, "linger.ms", "5", error)
      && set (conf, "reconnect.backoff.max.ms", "10000", error)
      && set_security (conf, config, error);

  for (guint i = 0; good && config->options[i]; i++) {
    g_auto (GStrv) words = g_strsplit (config->options[i], "=", 2);
    good = set (conf, words[0], words[1], error);
  }
  /* last, for nothing may weaken them */
  return good && set (conf, "enable.idempotence", "true", error)
      && set (conf, "acks", "all", error)
      && set (conf, "message.timeout.ms", "0", error);
}

static LineTransport *
open_transport (const LinePublishConfig * config,
    const LineTransportEvents * events, GError ** error)
{
  LineTransport *transport = g_new0 (LineTransport, 1);
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  char text[512];

  transport->events = events;
  rd_kafka_conf_set_opaque (conf, transport);
  rd_kafka_conf_set_dr_msg_cb (conf, delivered);
  rd_kafka_conf_set_error_cb (conf, failed);
  rd_kafka_conf_set_log_cb (conf, say_nothing);
  if (set_all (conf, config, error)) {
    transport->client = rd_kafka_new (RD_KAFKA_PRODUCER, conf, text,
        sizeof (text));
    if (!transport->client)
      line_fail (error, LINE_ERROR_RUN, "Kafka: %s", text);
  }
  if (transport->client)
    transport->thread = g_thread_try_new ("line-kafka", run, transport, error);
  else
    rd_kafka_conf_destroy (conf);
  if (transport->thread)
    return transport;
  g_clear_pointer (&transport->client, rd_kafka_destroy);
  g_free (transport);
  return NULL;
}

static gboolean
send_message (LineTransport * transport, const LineMessage * message,
    GError ** error)
{
  rd_kafka_resp_err_t code = rd_kafka_producev (transport->client,
      RD_KAFKA_V_TOPIC (message->topic),
      RD_KAFKA_V_KEY (message->key, strlen (message->key)),
      RD_KAFKA_V_VALUE ((void *) message->data, message->size),
      RD_KAFKA_V_MSGFLAGS (RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_OPAQUE ((void *) (guintptr) (message->number + 1)),
      RD_KAFKA_V_END);

  if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  return line_fail (error, LINE_ERROR_RUN, "a line cannot be sent: %s",
      rd_kafka_err2str (code));
}

static void
close_transport (LineTransport * transport)
{
  g_atomic_int_set (&transport->is_ending, TRUE);
  g_thread_join (transport->thread);
  rd_kafka_flush (transport->client, END);
  rd_kafka_purge (transport->client,
      RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush (transport->client, 0);
  rd_kafka_destroy_flags (transport->client,
      RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  g_free (transport);
}

const LineTransportClass line_publish_kafka = {
  TRUE, open_transport, send_message, close_transport
};
