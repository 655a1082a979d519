/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* The cameras of the world, in place of camera_device.c: each with a counter and
 * a clock of its own. What their pictures show is written into their first
 * bytes. */

#define PICTURE_MARK 0x70696374

/**
 * Picture:
 * @mark: PICTURE_MARK; a black one has none
 * @pulse: of the machine's; -1: it shows pieces between two cups
 */
typedef struct
{
  guint32 mark, view;
  gboolean is_dark;
  gint64 pulse;
} Picture;

void devices_begin (guint views, guint columns, guint rows);

/* The light barrier's pulse comes to all trigger inputs. */
void devices_pulse (gint64 pulse);

/* Faults, until they are ended */
typedef enum
{
  DEVICE_OFF = 1 << 0,
  DEVICE_MISSES = 1 << 1,       /* a third of the pulses */
  DEVICE_DROPS = 1 << 2,        /* a third of the pictures */
  DEVICE_TEARS = 1 << 3,        /* parts of a third of the pictures */
  DEVICE_LATE = 1 << 4,         /* pictures come up to 200 ms later */
  DEVICE_DARK = 1 << 5,         /* pictures show nothing */
  DEVICE_SPIKES = 1 << 6,       /* its trigger input sees pulses that are none */
} DeviceFault;

void devices_set_faults (guint view, guint faults);
guint devices_get_faults (guint view);

/* Since when the camera has had no fault; G_MAXINT64: it has one */
gint64 devices_get_sound_since (guint view);
