/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* The PLC of the world, in place of plc_link.c: it counts the light barrier's
 * pulses by itself, notes them for the line, and takes what the line writes. */

/* The line has answered the command that was given last, for the first time. */
typedef void (*ControllerAnswered) (gboolean is_done);

/* @has_triggers: it notes its triggers. @has_commands: it may give some */
void controller_begin (gboolean has_triggers, guint cups,
    gboolean has_commands, ControllerAnswered answered);
void controller_end (void);

/* The light barrier's pulse. */
void controller_pulse (gint64 pulse);
/* It starts anew: it counts on, in another epoch. */
void controller_restart (void);

gboolean controller_has_commands (void);
/* Asks for another recipe, word by word. */
void controller_give (guint recipe, guint lane);

/* Faults, until they are ended */
typedef enum
{
  CONTROLLER_OFF = 1 << 0,
  CONTROLLER_SILENT = 1 << 1,   /* takes connections, answers nothing */
  CONTROLLER_BUSY = 1 << 2,     /* refuses half of the requests for now */
  CONTROLLER_REFUSES = 1 << 3,  /* has no registers */
  CONTROLLER_SLOW = 1 << 4,     /* takes up to twice the time that it may */
  CONTROLLER_MISSES = 1 << 5,   /* a fifth of the pulses */
  CONTROLLER_SPIKES = 1 << 6,   /* sees pulses that are none */
} ControllerFault;

void controller_set_faults (guint faults);
guint controller_get_faults (void);

/* Pieces that were written into it as ok, and heartbeats that it has seen. */
guint64 controller_count_good (void);
guint64 controller_count_beats (void);
