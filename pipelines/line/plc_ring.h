/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Triggers that a PLC remembers, and the registers that they take: read in one
 * request */
#define LINE_PLC_RING_TRIGGERS 16
#define LINE_PLC_RING_REGISTERS (6 + 6 * LINE_PLC_RING_TRIGGERS)

/* What the first register says */
#define LINE_PLC_RING_VERSION 1

/**
 * LinePlcTrigger:
 * @number: as the PLC counts, from 0; on from 2^32 - 1 with 0
 * @encoder: position of its encoder then, on as @number; 0 without one
 * @time: when, by the PLC's clock, in milliseconds, on as @number
 *
 * A trigger, as a PLC remembers it.
 */
typedef struct
{
  guint32 number, encoder, time;
} LinePlcTrigger;

/**
 * LinePlcRing:
 * @epoch: 1 to 65535; another one when the PLC has begun to count anew
 * @next: number of the PLC's next trigger
 * @now: the PLC's clock when it answered, in milliseconds
 * @n: of @triggers that are there: the last ones before @next, oldest first
 *
 * A PLC's last triggers, of a reading.
 */
typedef struct
{
  guint16 epoch;
  guint32 next, now;
  guint n;
  LinePlcTrigger triggers[LINE_PLC_RING_TRIGGERS];
} LinePlcRing;

/* Words are pairs, the low one first: version, epoch, next, now, and then
 * number, encoder and time of each trigger, number n as the (n mod 16)th.
 * @values: LINE_PLC_RING_REGISTERS. Returns: NULL; or what is wrong, and @ring is
 * not to be used */
const char *line_plc_ring_decode (const guint16 * values, LinePlcRing * ring);
