/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "world.h"

/* The machine of the world: a belt with fruits in cups, which moves by a cup
 * with each pulse of a light barrier. It knows what every piece is. Times are
 * microseconds of the world. */

#define MACHINE_CLASSES 3
#define MACHINE_ROT 2

/**
 * MachinePiece:
 * @diameter: in mm; 0: the cup is empty
 * @is_rotten: one look shows it
 * @cup: of that look
 * @view: of that look
 */
typedef struct
{
  gdouble diameter;
  gboolean is_rotten;
  guint cup, view;
} MachinePiece;

/* @pulsed: at each pulse, in a fiber of the machine's; not if the line triggers
 * cameras itself, by a clock, and pieces are where they are at that time */
void machine_begin (guint views, guint cups, guint rate,
    void (*pulsed) (gint64 pulse));
void machine_end (void);

/* Pulses so far: the last one that there was has a number less. */
gint64 machine_count (void);
gint64 machine_get_time (gint64 pulse);

/* A time from a pulse on at which pieces are between two cups. */
gint64 machine_draw_between (void);

/* The belt stands still until @time. */
void machine_pause (gint64 time);

/* Where the line triggers: its first trigger came at @time. */
void machine_anchor (gint64 time);

/* The pulse that came nearest to @time, or -1 if there was none within a third of
 * the time between two */
gint64 machine_find (gint64 time);

/* A piece has the number of its first pulse. */
MachinePiece machine_get_piece (gint64 piece);
