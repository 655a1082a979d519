/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_settings.h"

#include <string.h>

#define GROUP "publish"

static const char *const transports[] = { "mqtt", "kafka", NULL };

void
line_publish_config_free (LinePublishConfig * config)
{
  g_free (config->host);
  g_free (config->brokers);
  g_free (config->topic);
  g_free (config->client_id);
  g_free (config->username);
  g_free (config->password_file);
  g_free (config->ca_file);
  g_free (config->cert_file);
  g_free (config->key_file);
  g_strfreev (config->options);
  g_free (config);
}

/* NULL if the key is not there. */
static char *
read_text (LineIni * ini, const char *key)
{
  return line_ini_has (ini, GROUP, key) ?
      line_ini_string (ini, GROUP, key, "") : NULL;
}

/* A path beside the file; NULL if the key is not there. */
static char *
read_path (LineIni * ini, const char *file, const char *key)
{
  char *value = read_text (ini, key), *folder, *path;

  if (!value || g_path_is_absolute (value))
    return value;
  folder = g_path_get_dirname (file);
  path = g_build_filename (folder, value, NULL);
  g_free (folder);
  g_free (value);
  return path;
}

static void
read_mqtt (LineIni * ini, const char *file, LinePublishConfig * config)
{
  config->host = line_ini_string (ini, GROUP, "host", NULL);
  config->cert_file = read_path (ini, file, "cert-file");
  config->key_file = read_path (ini, file, "key-file");
  config->port = line_ini_integer (ini, GROUP, "port", 1, 65535,
      config->ca_file ? 8883 : 1883);
  config->mqtt_version =
      line_ini_integer (ini, GROUP, "mqtt-version", 3, 5, 5);
  if (config->mqtt_version == 4)
    line_ini_problem (ini, GROUP, "mqtt-version", "\"mqtt-version\" is 3, for "
        "3.1.1, or 5");
  config->keep_alive =
      line_ini_integer (ini, GROUP, "keep-alive", 5, 3600, 15);
  if (!config->cert_file != !config->key_file)
    line_ini_problem (ini, GROUP, config->cert_file ? "cert-file" : "key-file",
        "\"cert-file\" and \"key-file\" need each other");
  if (config->cert_file && !config->ca_file)
    line_ini_problem (ini, GROUP, "cert-file", "\"cert-file\" needs "
        "\"ca-file\", which the broker's certificate is checked with");
}

static void
read_kafka (LineIni * ini, LinePublishConfig * config)
{
  config->brokers = line_ini_string (ini, GROUP, "brokers", NULL);
  config->options = line_ini_list (ini, GROUP, "options");
  for (guint i = 0; config->options[i]; i++)
    if (!strchr (config->options[i], '='))
      line_ini_problem (ini, GROUP, "options", "\"%s\" in \"options\" must be "
          "NAME=VALUE", config->options[i]);
}

static void
check_topic (LineIni * ini, const LinePublishConfig * config,
    const char *line)
{
  char topic[LINE_PUBLISH_TOPIC];

  if (!line_publish_config_topic (config, line, "lane", topic))
    line_ini_problem (ini, GROUP, "topic", "with line \"%s\", \"%s\" is no "
        "topic: it must have 1 to %d characters, without %s", line,
        config->topic, LINE_PUBLISH_TOPIC - 1,
        config->transport == LINE_TRANSPORT_KAFKA ?
        "others than letters, digits, \".\", \"_\" and \"-\"" :
        "\"+\", \"#\" and control characters");
}

LinePublishConfig *
line_publish_config_read (LineIni * ini, const char *file, const char *line)
{
  LinePublishConfig *config;
  char *transport, *client;
  gint kind;

  if (!line_ini_has (ini, GROUP, NULL))
    return NULL;
  config = g_new0 (LinePublishConfig, 1);
  transport = line_ini_string (ini, GROUP, "transport", "mqtt");
  kind = line_ini_find (transports, transport);
  if (kind < 0)
    line_ini_problem (ini, GROUP, "transport", "\"transport\" is mqtt or kafka, "
        "not \"%s\"", transport);
  config->transport = (LineTransportKind) MAX (kind, 0);
  config->ca_file = read_path (ini, file, "ca-file");
  if (config->transport == LINE_TRANSPORT_MQTT)
    read_mqtt (ini, file, config);
  else
    read_kafka (ini, config);
  config->topic = line_ini_string (ini, GROUP, "topic",
      config->transport == LINE_TRANSPORT_MQTT ? "fruit-line/{line}/{lane}" :
      "fruit-line");
  client = g_strconcat ("fruit-line-", line, NULL);
  config->client_id = line_ini_string (ini, GROUP, "client-id", client);
  config->username = read_text (ini, "username");
  config->password_file = read_path (ini, file, "password-file");
  if (config->password_file && !config->username)
    line_ini_problem (ini, GROUP, "password-file", "\"password-file\" needs "
        "\"username\"");
  config->in_flight = line_ini_integer (ini, GROUP, "in-flight", 1,
      LINE_PUBLISH_WINDOW, 20);
  check_topic (ini, config, line);
  g_free (client);
  g_free (transport);
  return config;
}

static gboolean
is_topic (const LinePublishConfig * config, const char *topic)
{
  const gsize n = strlen (topic);

  if (config->transport == LINE_TRANSPORT_KAFKA)
    return n > 0 && n <= 249 && strcmp (topic, ".") != 0
        && strcmp (topic, "..") != 0
        && strspn (topic, "abcdefghijklmnopqrstuvwxyz._-0123456789"
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
  for (gsize i = 0; i < n; i++)
    if (g_ascii_iscntrl (topic[i]) || topic[i] == '+' || topic[i] == '#')
      return FALSE;
  return n > 0 && *topic != '$' && g_utf8_validate (topic, n, NULL);
}

gboolean
line_publish_config_topic (const LinePublishConfig * config,
    const char *line, const char *lane, char topic[LINE_PUBLISH_TOPIC])
{
  GString *text = g_string_new (config->topic);
  gboolean good;

  /* @lane first: no name of a line makes it one */
  g_string_replace (text, "{lane}", lane, 0);
  g_string_replace (text, "{line}", line, 0);
  good = is_topic (config, text->str)
      && g_strlcpy (topic, text->str, LINE_PUBLISH_TOPIC) < LINE_PUBLISH_TOPIC;
  g_string_free (text, TRUE);
  return good;
}

gboolean
line_publish_config_password (const LinePublishConfig * config,
    char **password, GError ** error)
{
  gsize size;

  *password = NULL;
  if (!config->password_file)
    return TRUE;
  if (!line_ini_load (config->password_file, password, &size, error))
    return FALSE;
  (*password)[strcspn (*password, "\r\n")] = '\0';
  return TRUE;
}
