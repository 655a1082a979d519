/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "run.h"

#include <signal.h>

#include "mqtt_commands.h"

static volatile sig_atomic_t is_ending;

static void
end (int signal)
{
  is_ending = 1;
}

/* Returns: NULL with @error set if this build has none */
static const LineTransportClass *
find_transport (LineTransportKind kind, GError ** error)
{
  const char *library = kind == LINE_TRANSPORT_KAFKA ? "librdkafka" :
      "libmosquitto";

#ifdef HAVE_MOSQUITTO
  if (kind == LINE_TRANSPORT_MQTT)
    return &line_publish_mqtt;
#endif
#ifdef HAVE_RDKAFKA
  if (kind == LINE_TRANSPORT_KAFKA)
    return &line_publish_kafka;
#endif
  line_fail (error, LINE_ERROR_RUN, "this program was built without %s: "
      "install %s-dev, \"meson setup --reconfigure BUILD\", and build again",
      library, library);
  return NULL;
}

/* Until SIGTERM. Returns: FALSE with @error set if it cannot begin */
static gboolean
follow (LinePublisher * publisher, const LinePublishConfig * publish,
    GError ** error)
{
#ifdef HAVE_MOSQUITTO
  LineMqttCommands *commands = NULL;

  if (publish->command_topic
      && !(commands = line_mqtt_commands_new (publish, error)))
    return FALSE;
#endif
  while (!is_ending)
    line_publisher_step (publisher);
#ifdef HAVE_MOSQUITTO
  g_clear_pointer (&commands, line_mqtt_commands_free);
#endif
  return TRUE;
}

gboolean
line_publish_run (const LinePublishSource * source, GError ** error)
{
  const LinePublishConfig *publish = source->publish;
  LinePublisher *publisher = NULL;
  LinePublishStatus status;

  signal (SIGTERM, end);
  signal (SIGINT, end);
  const LineTransportClass *transport =
      find_transport (publish->transport, error);
  if (transport)
    publisher = line_publisher_new (source, transport, error);
  if (!publisher)
    return FALSE;
  line_publisher_get_status (publisher, &status);
  g_printerr ("%s: %s in %s, topic %s\n", status.target, publish->kind->what,
      source->folder, publish->topic);
  if (publish->is_clear)
    g_printerr ("warning: %s: there is no TLS: everybody on the way can read "
        "the password (credentials-without-tls=true)\n", status.target);
  const gboolean good = follow (publisher, publish, error);
  line_publisher_get_status (publisher, &status);
  g_print ("%" G_GUINT64_FORMAT " published, %" G_GUINT64_FORMAT
      " acknowledged, %" G_GUINT64_FORMAT " damaged, %" G_GUINT64_FORMAT
      " waiting\n", status.published, status.acknowledged, status.damaged,
      status.waiting_lines);
  line_publisher_free (publisher);
  return good;
}
