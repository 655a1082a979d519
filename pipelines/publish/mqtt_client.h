/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

#include <mosquitto.h>

/* What @config says of the protocol, of who this is, and of TLS. Returns: FALSE
 * with @error set if that cannot be */
gboolean line_mqtt_set_up (struct mosquitto *client,
    const LinePublishConfig * config, GError ** error);
