/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mqtt_client.h"

#include <mqtt_protocol.h>

#include "secret.h"

/* The library wants a place beside an own certificate, and asks OpenSSL for the
 * system's in any case. */
#define SYSTEM_CERTIFICATES "/etc/ssl/certs"

/* Else OpenSSL would ask for it, at a terminal. */
static int
know_no_passphrase (char *text, int size, int is_new, void *user)
{
  return 0;
}

/* Without "ca-file" what the system trusts. */
static gboolean
set_tls (struct mosquitto *client, const LinePublishConfig * config,
    GError ** error)
{
  int code = MOSQ_ERR_SUCCESS;

  if (!config->has_tls)
    return TRUE;
  if (config->key_file && !line_secret_check (config->key_file, error))
    return FALSE;
  if (!config->ca_file)
    mosquitto_int_option (client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  if (config->ca_file || config->cert_file)
    code = mosquitto_tls_set (client, config->ca_file, config->ca_file ? NULL :
        SYSTEM_CERTIFICATES, config->cert_file, config->key_file,
        know_no_passphrase);
  return code == MOSQ_ERR_SUCCESS || line_fail (error, LINE_ERROR_INVALID,
      "\"ca-file\", \"cert-file\" or \"key-file\" cannot be read, or has no "
      "certificate: %s", mosquitto_strerror (code));
}

gboolean
line_mqtt_set_up (struct mosquitto *client, const LinePublishConfig * config,
    GError ** error)
{
  char *password;
  int code = MOSQ_ERR_SUCCESS;

  if (!line_publish_config_password (config, &password, error))
    return FALSE;
  mosquitto_int_option (client, MOSQ_OPT_PROTOCOL_VERSION,
      config->mqtt_version == 5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311);
  if (config->username)
    code = mosquitto_username_pw_set (client, config->username, password);
  line_secret_free (password);
  if (code != MOSQ_ERR_SUCCESS)
    return line_fail (error, LINE_ERROR_INVALID, "\"username\" or the "
        "password: %s", mosquitto_strerror (code));
  return set_tls (client, config, error);
}
