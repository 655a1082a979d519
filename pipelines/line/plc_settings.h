/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/ini.h"

/* A recipe that the PLC asks for by a number */
typedef struct
{
  guint number;
  char *name;
} LinePlcRecipe;

/**
 * LinePlcConfig:
 * @address: host; NULL: there is no PLC, and nothing else counts
 * @port: of Modbus TCP
 * @unit: Modbus unit
 * @layout: of the slots, 1 or 2
 * @lanes: of the line
 * @first: first holding register, from 0
 * @slots: of each lane: piece p is in slot p % slots
 * @heartbeat: register of the heartbeat; -1 for none
 * @triggers: first register of the PLC's triggers; -1 if it notes none
 * @delay: from the PLC's time of a trigger to a lane's, in milliseconds, about; NaN
 *     if that is not known
 * @step: from a lane's triggers to the next lane's; 0: all have the same
 * @command: first register of the PLC's commands; -1 if it gives none
 * @recipes: of LinePlcRecipe, by number
 * @weights: first register of what a scale says of pieces; -1 for none
 * @n_weights: of them that the PLC has noted at a time
 * @most_g: that a piece may weigh
 * @arrival_ms: from a piece's last trigger to its outlet
 * @timeout_ms: that the PLC has for a connection, and for an answer
 *
 * The group [plc] of a configuration.
 */
typedef struct
{
  char *address;
  guint port, unit, layout, lanes, first, slots, arrival_ms, timeout_ms;
  gint heartbeat, triggers;
  gdouble delay;
  guint step;
  gint command;
  GArray *recipes;
  gint weights;
  guint n_weights, most_g;
} LinePlcConfig;

/* Reads the group into @plc, or none; what is wrong becomes a problem of @ini.
 * @lanes, @deadline_ms, @rate: of the line, triggers a second */
void line_plc_settings_read (LineIni * ini, guint lanes, guint deadline_ms,
    gdouble rate, LinePlcConfig * plc);
/* Frees what @plc owns. */
void line_plc_settings_clear (LinePlcConfig * plc);
