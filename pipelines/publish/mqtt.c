/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MQTT with QoS 1, by libmosquitto. A thread of its own connects, which may
 * block, and does what there is to do on the connection. What is not
 * acknowledged when a connection is lost the library sends again by the next
 * one, before all else. */

#include "lock.h"
#include "transport.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>

#include "mqtt_client.h"

/* Microseconds from one attempt to connect to the next: at first and at most;
 * milliseconds that the thread waits for a packet; microseconds that it has to
 * end */
#define LEAST_DELAY (G_USEC_PER_SEC / 5)
#define MOST_DELAY (10 * G_USEC_PER_SEC)
#define POLL 1000
#define END (G_USEC_PER_SEC / 2)

/* With MQTT 5 a session has to be asked for: seconds that the broker keeps it,
 * for ever */
#define SESSION G_MAXUINT32

/* @mids: the library's numbers of lines on their way, at number %
 * LINE_PUBLISH_WINDOW; 0 for none
 * @problem: of the connection that is being made
 * @is_idle: nothing has been acknowledged on the connection
 * @delay: until the next attempt to connect; back to the least one when something
 *     is acknowledged, so that a broker that ends each connection is spared */
struct _LineTransport
{
  const LinePublishConfig *config;
  const LineTransportEvents *events;
  struct mosquitto *client;
  GThread *thread;
  char *problem;
  gboolean is_idle;
  GMutex lock;
  GCond changed;
  guint64 numbers[LINE_PUBLISH_WINDOW];
  int mids[LINE_PUBLISH_WINDOW];
  gboolean is_ending, has_ended;
  gint64 delay;
};

/* libmosquitto 2.0.11 may take the broker's last words for an error, too, and
 * over TLS its end for one of the system. */
static gboolean
is_end (int code)
{
  return code == MOSQ_ERR_CONN_LOST || code == MOSQ_ERR_PROTOCOL
      || (code == MOSQ_ERR_ERRNO && (errno == EPROTO || errno == ECONNRESET));
}

static char *
name_error (const LineTransport * transport, int code)
{
  if (is_end (code) && transport->is_idle)
    return g_strdup ("the broker has ended the connection without taking a "
        "line: may this user publish to the topic?");
  return g_strdup (code == MOSQ_ERR_ERRNO ? g_strerror (errno) :
      mosquitto_strerror (code));
}

/* In the library's callbacks */

static void
on_connect (struct mosquitto *client, void *user, int reason, int flags,
    const mosquitto_property * properties)
{
  LineTransport *transport = user;

  if (reason == 0) {
    transport->is_idle = TRUE;
    transport->events->changed (TRUE, NULL, transport->events->user);
  } else {
    g_free (transport->problem);
    transport->problem = g_strdup_printf ("the broker refuses the connection: "
        "%s", transport->config->mqtt_version == 5 ?
        mosquitto_reason_string (reason) : mosquitto_connack_string (reason));
  }
}

static void
on_publish (struct mosquitto *client, void *user, int mid, int reason,
    const mosquitto_property * properties)
{
  LineTransport *transport = user;
  guint64 number = 0;
  gboolean found = FALSE;

  g_mutex_lock (&transport->lock);
  for (guint i = 0; i < LINE_PUBLISH_WINDOW && !found; i++)
    if (transport->mids[i] == mid) {
      transport->mids[i] = 0;
      number = transport->numbers[i];
      found = TRUE;
    }
  g_mutex_unlock (&transport->lock);
  if (reason >= MQTT_RC_UNSPECIFIED) {
    g_autofree char *why = g_strdup_printf ("the broker refuses a line: %s",
        mosquitto_reason_string (reason));

    transport->events->refused (why, transport->events->user);
  } else if (found) {
    transport->is_idle = FALSE;
    transport->delay = LEAST_DELAY;
    transport->events->acknowledged (number, transport->events->user);
  }
}

/* In the thread */

static gboolean
is_ending (LineTransport * transport)
{
  LINE_LOCK (&transport->lock);

  return transport->is_ending;
}

/* Returns when the connection is lost, or could not be made: why */
static char *
stay_connected (LineTransport * transport)
{
  const LinePublishConfig *config = transport->config;
  mosquitto_property *properties = NULL;
  int code = MOSQ_ERR_SUCCESS;

  transport->is_idle = FALSE;
  if (config->mqtt_version == 5)
    code = mosquitto_property_add_int32 (&properties,
        MQTT_PROP_SESSION_EXPIRY_INTERVAL, SESSION);
  if (code == MOSQ_ERR_SUCCESS)
    code = mosquitto_connect_bind_v5 (transport->client, config->host,
        config->port, config->keep_alive, NULL, properties);
  mosquitto_property_free_all (&properties);
  while (code == MOSQ_ERR_SUCCESS && !is_ending (transport))
    code = mosquitto_loop (transport->client, POLL, 1);
  return transport->problem ? g_steal_pointer (&transport->problem) :
      name_error (transport, code);
}

static gpointer
run (gpointer user)
{
  LineTransport *transport = user;

  while (!is_ending (transport)) {
    g_autofree char *why = stay_connected (transport);

    if (!is_ending (transport)) {
      transport->events->changed (FALSE, why, transport->events->user);
      const gint64 until = g_get_monotonic_time () + transport->delay;
      transport->delay = MIN (2 * transport->delay, MOST_DELAY);
      LINE_LOCK (&transport->lock);
      while (!transport->is_ending && g_cond_wait_until (&transport->changed,
              &transport->lock, until));
    }
  }
  LINE_LOCK (&transport->lock);
  transport->has_ended = TRUE;
  g_cond_broadcast (&transport->changed);
  return NULL;
}

/* In the publisher's thread */

static void
free_transport (LineTransport * transport)
{
  if (transport->client)
    mosquitto_destroy (transport->client);
  g_cond_clear (&transport->changed);
  g_mutex_clear (&transport->lock);
  g_free (transport->problem);
  g_free (transport);
}

static gboolean
set_up (LineTransport * transport, GError ** error)
{
  struct mosquitto *client = transport->client;

  if (!line_mqtt_set_up (client, transport->config, error))
    return FALSE;
  mosquitto_int_option (client, MOSQ_OPT_SEND_MAXIMUM,
      MIN (transport->config->in_flight, G_MAXUINT16));
  mosquitto_threaded_set (client, true);
  mosquitto_connect_v5_callback_set (client, on_connect);
  mosquitto_publish_v5_callback_set (client, on_publish);
  return TRUE;
}

static LineTransport *
open_transport (const LinePublishConfig * config,
    const LineTransportEvents * events, GError ** error)
{
  LineTransport *transport = g_new0 (LineTransport, 1);

  mosquitto_lib_init ();
  transport->config = config;
  transport->events = events;
  transport->delay = LEAST_DELAY;
  g_mutex_init (&transport->lock);
  g_cond_init (&transport->changed);
  /* the session is kept */
  transport->client = mosquitto_new (config->client_id, false, transport);
  if (!transport->client)
    line_fail (error, LINE_ERROR_INVALID, "\"client-id\": %s",
        g_strerror (errno));
  else if (set_up (transport, error))
    transport->thread = g_thread_try_new ("line-mqtt", run, transport, error);
  if (transport->thread)
    return transport;
  free_transport (transport);
  return NULL;
}

/* Without a connection the library keeps it, and sends it when there is one. */
static gboolean
send_message (LineTransport * transport, const LineMessage * message,
    GError ** error)
{
  const guint slot = message->number % LINE_PUBLISH_WINDOW;
  int code, mid = 0;

  /* it may be acknowledged before this returns */
  g_mutex_lock (&transport->lock);
  code = mosquitto_publish (transport->client, &mid, message->topic,
      (int) message->size, message->data, 1, false);
  transport->mids[slot] = mid;
  transport->numbers[slot] = message->number;
  g_mutex_unlock (&transport->lock);
  if (code == MOSQ_ERR_SUCCESS || code == MOSQ_ERR_NO_CONN
      || code == MOSQ_ERR_CONN_LOST || code == MOSQ_ERR_ERRNO)
    return TRUE;
  return line_fail (error, LINE_ERROR_RUN, "a line cannot be sent: %s",
      mosquitto_strerror (code));
}

/* A thread that hangs, looking for a host or connecting, is left to the end of
 * the process, with all that it uses: it has no connection. */
static void
close_transport (LineTransport * transport)
{
  const gint64 until = g_get_monotonic_time () + END;

  /* first, for that the connection is lost is no news then */
  g_mutex_lock (&transport->lock);
  transport->is_ending = TRUE;
  g_cond_broadcast (&transport->changed);
  g_mutex_unlock (&transport->lock);
  mosquitto_disconnect (transport->client);
  g_mutex_lock (&transport->lock);
  while (!transport->has_ended
      && g_cond_wait_until (&transport->changed, &transport->lock, until));
  gboolean has_ended = transport->has_ended;
  g_mutex_unlock (&transport->lock);
  if (!has_ended)
    return;
  g_thread_join (transport->thread);
  free_transport (transport);
}

const LineTransportClass line_publish_mqtt = {
  FALSE, open_transport, send_message, close_transport
};
