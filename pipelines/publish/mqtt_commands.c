/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mqtt_commands.h"

#include <string.h>

#include <mqtt_protocol.h>

#include "lock.h"
#include "mqtt_client.h"
#include "post.h"
#include "secret.h"

/* Commands that wait; answers that are remembered */
#define MOST_WAITING 8
#define MOST_ANSWERS 32

/* Seconds from one attempt to connect to the next, at first and at most */
#define LEAST_DELAY 1
#define MOST_DELAY 10

/* What has been answered: @ref, as text */
typedef struct
{
  char *ref, *answer;
} Answer;

/* With the lock: @waiting, @is_ending. @answers: of the worker, the oldest first.
 * @is_told: of the connection's callbacks: that it could not be made, or was lost */
struct _LineMqttCommands
{
  const LinePublishConfig *config;
  char *answer_topic;
  struct mosquitto *client;
  GCancellable *cancellable;
  GThread *worker;
  GQueue answers;
  gboolean is_told;
  GMutex lock;
  GCond changed;
  GQueue waiting;
  gboolean is_ending, has_loop;
};

static void
free_answer (gpointer data)
{
  Answer *answer = data;

  g_free (answer->ref);
  g_free (answer->answer);
  g_free (answer);
}

/* Nobody waits for it. */
static void
publish (LineMqttCommands * commands, const char *answer)
{
  mosquitto_publish (commands->client, NULL, commands->answer_topic,
      (int) strlen (answer), answer, 1, false);
}

/* In the library's callbacks */

static void
tell (LineMqttCommands * commands, const char *why)
{
  if (!commands->is_told)
    g_printerr ("commands by %s: %s; trying again until it works\n",
        commands->config->command_topic, why);
  commands->is_told = TRUE;
}

/* What is retained is old. */
static void
on_connect (struct mosquitto *client, void *user, int reason, int flags,
    const mosquitto_property * properties)
{
  LineMqttCommands *commands = user;
  const gboolean is_5 = commands->config->mqtt_version == 5;

  if (reason != 0)
    tell (commands, is_5 ? mosquitto_reason_string (reason) :
        mosquitto_connack_string (reason));
  else
    mosquitto_subscribe_v5 (client, NULL, commands->config->command_topic, 1,
        is_5 ? MQTT_SUB_OPT_SEND_RETAIN_NEVER : 0, NULL);
}

static void
on_subscribe (struct mosquitto *client, void *user, int mid, int n,
    const int *granted, const mosquitto_property * properties)
{
  LineMqttCommands *commands = user;

  if (n < 1 || granted[0] > 2) {
    tell (commands, "the broker does not let this user read it");
    return;
  }
  commands->is_told = FALSE;
  g_printerr ("commands by %s: ready\n", commands->config->command_topic);
}

static void
on_disconnect (struct mosquitto *client, void *user, int reason,
    const mosquitto_property * properties)
{
  if (reason != 0)
    tell (user, "the connection is lost");
}

/* Returns: FALSE if there is no room */
static gboolean
add (LineMqttCommands * commands, LinePost * post)
{
  LINE_LOCK (&commands->lock);

  if (commands->waiting.length >= MOST_WAITING)
    return FALSE;
  g_queue_push_tail (&commands->waiting, post);
  g_cond_signal (&commands->changed);
  return TRUE;
}

static void
on_message (struct mosquitto *client, void *user,
    const struct mosquitto_message *message,
    const mosquitto_property * properties)
{
  LineMqttCommands *commands = user;

  if (message->retain) {
    g_printerr ("commands by %s: one that is retained is not carried out\n",
        commands->config->command_topic);
    return;
  }
  LinePost *post = line_post_new (message->payload,
      (gsize) MAX (message->payloadlen, 0));
  if (!post->why && add (commands, post))
    return;
  g_autofree char *answer = line_post_answer (post, post->why ? "refused" :
      "busy", post->why ? post->why : "too many commands wait: this one is not "
      "carried out");
  publish (commands, answer);
  line_post_free (post);
}

/* In the worker */

static const char *
find_answer (const LineMqttCommands * commands, const char *ref)
{
  for (const GList * one = commands->answers.head; one; one = one->next)
    if (strcmp (((const Answer *) one->data)->ref, ref) == 0)
      return ((const Answer *) one->data)->answer;
  return NULL;
}

static void
remember (LineMqttCommands * commands, const char *ref, const char *answer)
{
  Answer *one = g_new (Answer, 1);

  *one = (Answer) {g_strdup (ref), g_strdup (answer)};
  g_queue_push_tail (&commands->answers, one);
  if (commands->answers.length > MOST_ANSWERS)
    free_answer (g_queue_pop_head (&commands->answers));
}

static void
carry_out (LineMqttCommands * commands, const LinePost * post)
{
  char *ref = json_is_null (post->ref) ? NULL :
      json_dumps (post->ref, JSON_ENCODE_ANY);
  const char *known = ref ? find_answer (commands, ref) : NULL;
  gboolean was_sent = FALSE;
  g_autofree char *answer = known ? g_strdup (known) :
      line_post_send (post, commands->config, commands->cancellable,
      &was_sent);

  if (ref && was_sent)
    remember (commands, ref, answer);
  publish (commands, answer);
  free (ref);
}

static LinePost *
take (LineMqttCommands * commands)
{
  LINE_LOCK (&commands->lock);

  while (commands->waiting.length == 0 && !commands->is_ending)
    g_cond_wait (&commands->changed, &commands->lock);
  return commands->is_ending ? NULL : g_queue_pop_head (&commands->waiting);
}

static gpointer
work (gpointer user)
{
  LineMqttCommands *commands = user;
  LinePost *post;

  while ((post = take (commands))) {
    carry_out (commands, post);
    line_post_free (post);
  }
  return NULL;
}

/* Start and end */

static gboolean
set_up (LineMqttCommands * commands, GError ** error)
{
  const LinePublishConfig *config = commands->config;
  struct mosquitto *client = commands->client;

  if (!line_secret_check (config->command_token_file, error)
      || !line_mqtt_set_up (client, config, error))
    return FALSE;
  mosquitto_connect_v5_callback_set (client, on_connect);
  mosquitto_subscribe_v5_callback_set (client, on_subscribe);
  mosquitto_disconnect_v5_callback_set (client, on_disconnect);
  mosquitto_message_v5_callback_set (client, on_message);
  mosquitto_reconnect_delay_set (client, LEAST_DELAY, MOST_DELAY, true);
  commands->worker = g_thread_try_new ("line-commands", work, commands, error);
  if (!commands->worker)
    return FALSE;
  /* what fails now the library tries again */
  const int code = mosquitto_connect_async (client, config->host,
      (int) config->port, (int) config->keep_alive);
  if (code != MOSQ_ERR_SUCCESS)
    tell (commands, code == MOSQ_ERR_ERRNO ? g_strerror (errno) :
        mosquitto_strerror (code));
  commands->has_loop = mosquitto_loop_start (client) == MOSQ_ERR_SUCCESS;
  return commands->has_loop || line_fail (error, LINE_ERROR_RUN,
      "commands by %s: no thread", config->command_topic);
}

LineMqttCommands *
line_mqtt_commands_new (const LinePublishConfig * config, GError ** error)
{
  LineMqttCommands *commands = g_new0 (LineMqttCommands, 1);
  g_autofree char *id = g_strconcat (config->client_id, "-commands", NULL);

  mosquitto_lib_init ();
  commands->config = config;
  commands->answer_topic = g_strconcat (config->command_topic, "/answer", NULL);
  commands->cancellable = g_cancellable_new ();
  g_mutex_init (&commands->lock);
  g_cond_init (&commands->changed);
  g_queue_init (&commands->waiting);
  g_queue_init (&commands->answers);
  /* no session: what came meanwhile is old */
  commands->client = mosquitto_new (id, true, commands);
  if (!commands->client)
    line_fail (error, LINE_ERROR_INVALID, "\"client-id\": %s",
        g_strerror (errno));
  if (!commands->client || !set_up (commands, error))
    g_clear_pointer (&commands, line_mqtt_commands_free);
  return commands;
}

void
line_mqtt_commands_free (LineMqttCommands * commands)
{
  g_mutex_lock (&commands->lock);
  commands->is_ending = TRUE;
  g_cond_broadcast (&commands->changed);
  g_mutex_unlock (&commands->lock);
  g_cancellable_cancel (commands->cancellable);
  if (commands->worker)
    g_thread_join (commands->worker);
  if (commands->has_loop) {
    mosquitto_disconnect (commands->client);
    mosquitto_loop_stop (commands->client, false);
  }
  if (commands->client)
    mosquitto_destroy (commands->client);
  g_queue_clear_full (&commands->waiting, (GDestroyNotify) line_post_free);
  g_queue_clear_full (&commands->answers, free_answer);
  g_object_unref (commands->cancellable);
  g_cond_clear (&commands->changed);
  g_mutex_clear (&commands->lock);
  g_free (commands->answer_topic);
  g_free (commands);
}
