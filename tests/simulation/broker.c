/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "broker.h"

#include <string.h>

/* Microseconds from one try to connect to the next, and of a round */
#define RETRY (200 * 1000)
#define ROUND (2 * 1000)
#define DELAY (20 * 1000)

/* @has_arrived: by this connection
 * @answer_at: when that is acknowledged */
typedef struct
{
  guint64 number;
  char *text;
  gsize size;
  gboolean has_arrived;
  gint64 answer_at;
} Message;

/* @messages: not acknowledged, in their order */
struct _LineTransport
{
  const LineTransportEvents *events;
  GMutex lock;
  GCond changed;
  GThread *thread;
  GPtrArray *messages;
  gboolean is_connected, is_closing, was_cut;
  gint64 connect_at;
};

static struct
{
  void (*arrived) (const char *text, gsize size);
  void (*disturbed) (void);
  LineTransportClass class;
  LineTransport *connected;
  gboolean is_up;
  guint n_refused;
  gint64 delay;
} broker;

static void
message_free (gpointer data)
{
  g_free (((Message *) data)->text);
  g_free (data);
}

static void
set_connected (LineTransport * transport, gboolean is_connected,
    const char *why)
{
  transport->is_connected = is_connected;
  broker.connected = is_connected ? transport : NULL;
  for (guint i = 0; i < transport->messages->len; i++)
    ((Message *) g_ptr_array_index (transport->messages, i))->has_arrived =
        FALSE;
  g_mutex_unlock (&transport->lock);
  broker.disturbed ();
  world_tell (is_connected ? "connected" : "not connected");
  transport->events->changed (is_connected, why, transport->events->user);
  g_mutex_lock (&transport->lock);
}

/* With the lock. Returns: whether the connection is as it was */
static gboolean
look_after_connection (LineTransport * transport)
{
  const gint64 now = world_now ();

  if (transport->is_connected && (!broker.is_up || transport->was_cut)) {
    transport->was_cut = FALSE;
    transport->connect_at = now + (gint64) world_below (RETRY);
    set_connected (transport, FALSE, "the connection was lost");
    return FALSE;
  }
  if (!transport->is_connected && now >= transport->connect_at) {
    transport->was_cut = FALSE;
    transport->connect_at = now + RETRY;
    if (!broker.is_up && world_one_in (3))
      return TRUE;
    set_connected (transport, broker.is_up, "nobody answers");
    return FALSE;
  }
  return TRUE;
}

/* Lines arrive in order; each moves on its own. */
static gboolean
deliver (LineTransport * transport)
{
  for (guint i = 0; i < transport->messages->len; i++) {
    Message *message = g_ptr_array_index (transport->messages, i);

    if (message->has_arrived)
      continue;
    if (world_one_in (4))
      return TRUE;
    if (broker.n_refused > 0) {
      broker.n_refused--;
      broker.disturbed ();
      g_mutex_unlock (&transport->lock);
      transport->events->refused ("no right", transport->events->user);
      g_mutex_lock (&transport->lock);
      return FALSE;
    }
    message->has_arrived = TRUE;
    message->answer_at = world_now () + world_delay (broker.delay);
    broker.arrived (message->text, message->size);
  }
  return TRUE;
}

static void
acknowledge (LineTransport * transport)
{
  guint i = 0;

  while (i < transport->messages->len) {
    const Message *message = g_ptr_array_index (transport->messages, i);
    const guint64 number = message->number;

    if (!message->has_arrived || message->answer_at > world_now ()) {
      i++;
      continue;
    }
    g_ptr_array_remove_index (transport->messages, i);
    g_mutex_unlock (&transport->lock);
    transport->events->acknowledged (number, transport->events->user);
    g_mutex_lock (&transport->lock);
    /* others may have come meanwhile */
    i = 0;
  }
}

static gpointer
run (gpointer data)
{
  LineTransport *transport = data;

  g_mutex_lock (&transport->lock);
  while (!transport->is_closing) {
    if (look_after_connection (transport) && transport->is_connected
        && !transport->was_cut && deliver (transport))
      acknowledge (transport);
    g_cond_wait_until (&transport->changed, &transport->lock,
        world_now () + (transport->messages->len > 0 ? ROUND : 10 * ROUND));
  }
  g_mutex_unlock (&transport->lock);
  return NULL;
}

static LineTransport *
open_transport (const LinePublishConfig * config,
    const LineTransportEvents * events, GError ** error)
{
  LineTransport *transport = g_new0 (LineTransport, 1);

  transport->events = events;
  transport->messages = g_ptr_array_new_with_free_func (message_free);
  transport->connect_at = world_now () + world_delay (RETRY);
  g_mutex_init (&transport->lock);
  g_cond_init (&transport->changed);
  transport->thread = g_thread_try_new ("network", run, transport, NULL);
  return transport;
}

static gboolean
send_message (LineTransport * transport, const LineMessage * message,
    GError ** error)
{
  Message *copy = g_new0 (Message, 1);

  copy->number = message->number;
  copy->text = g_strndup (message->data, message->size);
  copy->size = message->size;
  g_mutex_lock (&transport->lock);
  g_ptr_array_add (transport->messages, copy);
  if (transport->messages->len > LINE_PUBLISH_WINDOW)
    world_fail ("%u lines are on their way", transport->messages->len);
  g_cond_signal (&transport->changed);
  g_mutex_unlock (&transport->lock);
  return TRUE;
}

static void
close_transport (LineTransport * transport)
{
  g_mutex_lock (&transport->lock);
  transport->is_closing = TRUE;
  g_cond_signal (&transport->changed);
  g_mutex_unlock (&transport->lock);
  g_thread_join (transport->thread);
  if (broker.connected == transport)
    broker.connected = NULL;
  g_ptr_array_unref (transport->messages);
  g_free (transport);
}

const LineTransportClass *
broker_get_transport (void)
{
  return &broker.class;
}

void
broker_begin (gboolean can_queue, void (*arrived) (const char *text,
        gsize size), void (*disturbed) (void))
{
  memset (&broker, 0, sizeof (broker));
  broker.arrived = arrived;
  broker.disturbed = disturbed;
  broker.is_up = TRUE;
  broker.delay = DELAY;
  broker.class = (LineTransportClass) {can_queue, open_transport, send_message,
    close_transport
  };
}

void
broker_end (void)
{
  broker.connected = NULL;
}

void
broker_set_up (gboolean is_up)
{
  world_tell (is_up ? "broker: up" : "broker: down");
  broker.is_up = is_up;
}

void
broker_cut (void)
{
  if (broker.connected)
    broker.connected->was_cut = TRUE;
}

void
broker_refuse (guint n)
{
  broker.n_refused = n;
}

void
broker_set_delay (gint64 most)
{
  broker.delay = most > 0 ? most : DELAY;
}
