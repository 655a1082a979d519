/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_main.h"

#include <signal.h>
#include <stdlib.h>

#include "options.h"
#include "publish.h"

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

static gboolean
publish (const LineConfig * config, GError ** error)
{
  LinePublisher *publisher = NULL;
  LinePublishStatus status;

  if (!config->publish)
    return line_fail (error, LINE_ERROR_INVALID, "the configuration has no "
        "group [publish]: docs/publishing.md tells its keys");
  const LineTransportClass *transport =
      find_transport (config->publish->transport, error);
  if (transport)
    publisher = line_publisher_new (config, transport, error);
  if (!publisher)
    return FALSE;
  line_publisher_get_status (publisher, &status);
  g_printerr ("%s: decisions in %s, topic %s\n", status.target,
      config->output, config->publish->topic);
  if (config->publish->is_clear)
    g_printerr ("warning: %s: there is no TLS: everybody on the way can read "
        "the password (credentials-without-tls=true)\n", status.target);
  while (!is_ending)
    line_publisher_step (publisher);
  line_publisher_get_status (publisher, &status);
  g_print ("%" G_GUINT64_FORMAT " published, %" G_GUINT64_FORMAT
      " acknowledged, %" G_GUINT64_FORMAT " damaged, %" G_GUINT64_FORMAT
      " waiting\n", status.published, status.acknowledged, status.damaged,
      status.waiting_lines);
  line_publisher_free (publisher);
  return TRUE;
}

int
line_publish_main (int argc, char **argv)
{
  const GOptionEntry entries[] = { {NULL} };
  g_autoptr (GError) error = NULL;

  if (!line_options_parse (&argc, &argv, entries, 1, "CONFIG", "Sends the "
          "decisions of all runs in CONFIG's output folder to a broker, until "
          "SIGTERM comes."))
    return 2;
  signal (SIGTERM, end);
  signal (SIGINT, end);
  g_autoptr (LineConfig) config = line_config_load (argv[1], &error);
  if (config)
    publish (config, &error);
  return line_options_end (error);
}
