/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings.h"

#include <string.h>

#include <gio/gio.h>

#include "base/text.h"
#include "message.h"
#include "names.h"
#include "secret.h"

#define GROUP "publish"
#define KAFKA_PORT 9092

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
  g_free (config->secrets_file);
  g_free (config->ca_file);
  g_free (config->cert_file);
  g_free (config->key_file);
  g_free (config->command_topic);
  g_free (config->command_token_file);
  g_free (config->command_host);
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
  g_autofree char *value = read_text (ini, key);
  g_autofree char *folder = g_path_get_dirname (file);

  return !value || g_path_is_absolute (value) ? g_steal_pointer (&value) :
      g_build_filename (folder, value, NULL);
}

static void
read_mqtt (LineIni * ini, const char *file, LinePublishConfig * config)
{
  config->host = line_ini_string (ini, GROUP, "host", NULL);
  if (*config->host && !line_name_is_host (config->host))
    line_ini_problem (ini, GROUP, "host", LINE_HOST_RULE, "host");
  config->port = line_ini_integer (ini, GROUP, "port", 1, 65535,
      config->has_tls ? 8883 : 1883);
  config->mqtt_version = line_ini_integer (ini, GROUP, "mqtt-version", 3, 5, 5);
  if (config->mqtt_version == 4)
    line_ini_problem (ini, GROUP, "mqtt-version", "\"mqtt-version\" is 3, for "
        "3.1.1, or 5");
  config->keep_alive = line_ini_integer (ini, GROUP, "keep-alive", 5, 3600, 15);
}

gboolean
line_publish_config_is_secret (const char *name)
{
  static const char *const parts[] = { "password", "passphrase", "secret",
    "key.pem", "oauthbearer.config", NULL
  };

  for (guint i = 0; parts[i]; i++)
    if (strstr (name, parts[i]))
      return TRUE;
  return FALSE;
}

/* No message shows the value: it may be a secret in the wrong place. */
static void
check_option (LineIni * ini, const char *copies, const char *name,
    guint number)
{
  if (!name)
    line_ini_problem (ini, GROUP, "options", "part %u of \"options\" must be "
        "NAME=VALUE", number);
  else if (line_publish_config_is_secret (name))
    line_ini_problem (ini, GROUP, "options", "\"%s\" is a secret, and %s: "
        "write NAME=VALUE to a file of its own, chmod 600 that, and name it "
        "with \"secrets-file\"; for the password of \"username\" there is "
        "\"password-file\"", name, copies);
  else if (strcmp (name, "bootstrap.servers") == 0
      || strcmp (name, "metadata.broker.list") == 0)
    line_ini_problem (ini, GROUP, "options", "\"%s\": write brokers to "
        "\"brokers\"", name);
}

/* Leaves no spaces around names and values. */
static void
read_options (LineIni * ini, LinePublishConfig * config)
{
  config->options = line_ini_list (ini, GROUP, "options");
  for (guint i = 0; config->options[i]; i++) {
    g_auto (GStrv) words = g_strsplit (config->options[i], "=", 2);
    const gboolean is_option = words[0] && words[1];

    check_option (ini, config->kind->copies,
        is_option ? g_strchomp (words[0]) : NULL, i + 1);
    if (is_option) {
      g_free (config->options[i]);
      config->options[i] = g_strconcat (words[0], "=", g_strchug (words[1]),
          NULL);
    }
  }
}

/* The option's value; the last one counts. Returns: NULL if there is none */
static const char *
find_option (const LinePublishConfig * config, const char *name)
{
  const gsize length = strlen (name);
  const char *value = NULL;

  for (guint i = 0; config->options && config->options[i]; i++)
    if (strncmp (config->options[i], name, length) == 0
        && config->options[i][length] == '=')
      value = config->options[i] + length + 1;
  return value;
}

static void
read_kafka (LineIni * ini, const char *file, LinePublishConfig * config)
{
  config->brokers = line_ini_string (ini, GROUP, "brokers", NULL);
  g_auto (GStrv) brokers = g_strsplit (config->brokers, ",", -1);
  for (guint i = 0; brokers[i]; i++)
    if (!line_name_is_host (g_strstrip (brokers[i])))
      line_ini_problem (ini, GROUP, "brokers", LINE_HOST_RULE, "brokers");
  read_options (ini, config);
  config->secrets_file = read_path (ini, file, "secrets-file");
  const char *protocol = find_option (config, "security.protocol");
  if (protocol) {
    g_autofree char *lower = g_ascii_strdown (protocol, -1);
    const gboolean has_tls = strstr (lower, "ssl") != NULL;

    if (config->has_tls && !has_tls)
      line_ini_problem (ini, GROUP, "options", "\"security.protocol\" is "
          "without TLS, and \"tls\" or \"ca-file\" is with it: remove one");
    config->has_tls = has_tls;
  }
}

static void
read_tls (LineIni * ini, const char *file, LinePublishConfig * config)
{
  config->ca_file = read_path (ini, file, "ca-file");
  if (config->transport == LINE_TRANSPORT_MQTT) {
    config->cert_file = read_path (ini, file, "cert-file");
    config->key_file = read_path (ini, file, "key-file");
  }
  if (!config->cert_file != !config->key_file)
    line_ini_problem (ini, GROUP, config->cert_file ? "cert-file" : "key-file",
        "\"cert-file\" and \"key-file\" need each other");
  gboolean has_files = config->ca_file || config->cert_file;
  config->has_tls = line_ini_boolean (ini, GROUP, "tls", has_files);
  if (has_files && !config->has_tls)
    line_ini_problem (ini, GROUP, "tls", "\"tls\" is false, and \"ca-file\" or "
        "\"cert-file\" is there: remove one");
}

static gboolean
is_this_machine (const char *host)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (host);

  return g_ascii_strcasecmp (host, "localhost") == 0
      || (address && g_inet_address_get_is_loopback (address));
}

static gboolean
stays_here (const LinePublishConfig * config)
{
  g_auto (GStrv) brokers = g_strsplit (config->brokers ? config->brokers :
      config->host, ",", -1);
  gboolean stays = TRUE;

  for (guint i = 0; brokers[i] && stays; i++) {
    g_autoptr (GNetworkAddress) address = (GNetworkAddress *) (config->brokers ?
        g_network_address_parse (g_strstrip (brokers[i]), KAFKA_PORT, NULL) :
        g_network_address_new (brokers[i], config->port));

    stays = address
        && is_this_machine (g_network_address_get_hostname (address));
  }
  return stays;
}

static void
read_credentials (LineIni * ini, const char *file, LinePublishConfig * config)
{
  const char *protocol = find_option (config, "security.protocol");
  gboolean is_allowed, has_any;

  config->username = read_text (ini, "username");
  config->password_file = read_path (ini, file, "password-file");
  if (config->password_file && !config->username)
    line_ini_problem (ini, GROUP, "password-file", "\"password-file\" needs "
        "\"username\"");
  if (line_ini_has (ini, GROUP, "password"))
    line_ini_problem (ini, GROUP, "password", "%s: write the password to "
        "a file of its own, chmod 600 that, and name it with "
        "\"password-file\"", config->kind->copies);
  is_allowed = line_ini_boolean (ini, GROUP, "credentials-without-tls", FALSE);
  has_any = config->username || config->secrets_file
      || (protocol && g_ascii_strncasecmp (protocol, "sasl", 4) == 0);
  config->is_clear = has_any && !config->has_tls && !stays_here (config);
  if (config->is_clear && !is_allowed)
    line_ini_problem (ini, GROUP, config->username ? "username" : NULL,
        "without TLS everybody on the way to the broker can read the password: "
        "add \"tls=true\", or, where that is right, "
        "\"credentials-without-tls=true\"");
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
  return n > 0 && *topic != '$' && !strpbrk (topic, "+#")
      && cs_text_is_all_plain (topic);
}

gboolean
line_publish_config_topic (const LinePublishConfig * config,
    const LinePublishKey * key, char topic[LINE_PUBLISH_TOPIC])
{
  g_autoptr (GString) text = g_string_new (config->topic);

  /* the last one first: no name of a line makes a lane's word */
  for (guint i = config->kind->n_words; i-- > 0;)
    g_string_replace (text, config->kind->words[i], key->names[i], 0);
  return is_topic (config, text->str)
      && g_strlcpy (topic, text->str, LINE_PUBLISH_TOPIC) < LINE_PUBLISH_TOPIC;
}

/* With names that may be, the first one @name. */
static void
check_topic (LineIni * ini, const LinePublishConfig * config, const char *name)
{
  const char *word = config->kind->words[0];
  LinePublishKey key = { {"", "lane"} };
  char topic[LINE_PUBLISH_TOPIC];

  g_strlcpy (key.names[0], name, LINE_PUBLISH_NAME);
  g_autofree char *rest = g_strdup (config->topic);
  for (guint i = 0; i < config->kind->n_words; i++) {
    char *at;

    while ((at = strstr (rest, config->kind->words[i])))
      memset (at, ' ', strlen (config->kind->words[i]));
  }
  if (strpbrk (rest, "{}"))
    line_ini_problem (ini, GROUP, "topic", "\"%s\" has braces that are no word: "
        "the words are %s%s%s", config->topic, word,
        config->kind->n_words > 1 ? " and " : "",
        config->kind->n_words > 1 ? config->kind->words[1] : "");
  if (!line_publish_config_topic (config, &key, topic))
    line_ini_problem (ini, GROUP, "topic", "with %.*s \"%s\", \"%s\" is no "
        "topic: it must have 1 to %d characters, without %s",
        (int) strlen (word) - 2, word + 1, name, config->topic,
        LINE_PUBLISH_TOPIC - 1,
        config->transport == LINE_TRANSPORT_KAFKA ?
        "others than letters, digits, \".\", \"_\" and \"-\"" :
        "\"+\", \"#\" and control characters");
}

/* Only a line takes commands. */
static void
read_commands (LineIni * ini, const char *file, LinePublishConfig * config)
{
  if (config->kind->has_streams || config->transport != LINE_TRANSPORT_MQTT)
    return;
  config->command_topic = read_text (ini, "command-topic");
  config->command_token_file = read_path (ini, file, "command-token-file");
  if (!config->command_topic != !config->command_token_file)
    line_ini_problem (ini, GROUP, config->command_topic ? "command-topic" :
        "command-token-file", "\"command-topic\" and \"command-token-file\" "
        "need each other");
  if (config->command_topic && (strlen (config->command_topic) + 8 >
          LINE_PUBLISH_TOPIC || !is_topic (config, config->command_topic)))
    line_ini_problem (ini, GROUP, "command-topic", "\"%s\" is no topic: it "
        "must have 1 to %d characters, without \"+\", \"#\" and control "
        "characters", config->command_topic, LINE_PUBLISH_TOPIC - 8);
}

void
line_publish_config_set_page (LineIni * ini, LinePublishConfig * config,
    const char *host, guint port)
{
  config->command_host = g_strdup (host);
  config->command_port = port;
  if (config->command_topic && port == 0)
    line_ini_problem (ini, GROUP, "command-topic", "commands go to the line's "
        "page: add \"port\" and \"token-file\" to [line]");
}

LinePublishConfig *
line_publish_config_read (LineIni * ini, const char *file,
    const LinePublishKind * kind, const char *name)
{
  if (!line_ini_has (ini, GROUP, NULL))
    return NULL;
  LinePublishConfig *config = g_new0 (LinePublishConfig, 1);
  config->kind = kind;
  g_autofree char *transport =
      line_ini_string (ini, GROUP, "transport", "mqtt");
  gint found = line_ini_find (transports, transport);
  if (found < 0)
    line_ini_problem (ini, GROUP, "transport", "\"transport\" is mqtt or kafka, "
        "not \"%s\"", transport);
  config->transport = (LineTransportKind) MAX (found, 0);
  read_tls (ini, file, config);
  if (config->transport == LINE_TRANSPORT_MQTT)
    read_mqtt (ini, file, config);
  else
    read_kafka (ini, file, config);
  config->topic = line_ini_string (ini, GROUP, "topic",
      config->transport == LINE_TRANSPORT_MQTT ? kind->mqtt_topic :
      kind->kafka_topic);
  g_autofree char *client = g_strconcat (kind->client, name, NULL);
  config->client_id = line_ini_string (ini, GROUP, "client-id", client);
  read_credentials (ini, file, config);
  config->in_flight = line_ini_integer (ini, GROUP, "in-flight", 1,
      LINE_PUBLISH_WINDOW, 20);
  check_topic (ini, config, name);
  read_commands (ini, file, config);
  return config;
}

gboolean
line_publish_config_password (const LinePublishConfig * config,
    char **password, GError ** error)
{
  *password = NULL;
  if (!config->password_file)
    return TRUE;
  *password = line_secret_load (config->password_file, error);
  if (!*password)
    return FALSE;
  (*password)[strcspn (*password, "\r\n")] = '\0';
  return TRUE;
}
