/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"

/**
 * LineMqttCommands:
 *
 * Takes commands for the line from a topic of an MQTT broker, by a connection and
 * threads of its own, and publishes the line's answers at that topic with "/answer"
 * behind it. What came while there was no connection, or is retained, is not
 * carried out: it is old. Of those with one "ref" the first is.
 */
typedef struct _LineMqttCommands LineMqttCommands;

/* @config: has a topic of commands; outlives it. Returns: NULL with @error set if
 * its settings cannot be */
LineMqttCommands *line_mqtt_commands_new (const LinePublishConfig * config,
    GError ** error);
/* What is on its way to the line is given up. */
void line_mqtt_commands_free (LineMqttCommands * commands);
