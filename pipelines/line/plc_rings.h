/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "event.h"
#include "plc_numbers.h"
#include "plc_report.h"
#include "settings.h"

/**
 * LinePlcRings:
 *
 * The triggers that a PLC notes, of all lanes: when they are to be read, and what
 * they tell. It reads and prints nothing itself. Not thread-safe.
 */
typedef struct _LinePlcRings LinePlcRings;

/* @config: outlives it; its PLC notes triggers. @name: of the PLC, outlives it.
 * @delay: as the configuration's, if it says nothing */
LinePlcRings *line_plc_rings_new (const LineConfig * config,
    const char *name, gdouble delay);
void line_plc_rings_free (LinePlcRings * rings);

/* The lane's next trigger came at @time, in nanoseconds of line_clock_now(). */
void line_plc_rings_add (LinePlcRings * rings, guint lane, gint64 time);

/* The ring that is to be read first, and when. Returns: its index; @time is
 * set */
guint line_plc_rings_get_next (const LinePlcRings * rings, gint64 * time);
guint line_plc_rings_get_count (const LinePlcRings * rings);
/* Returns: the first register of the ring */
guint line_plc_rings_get_register (const LinePlcRings * rings, guint ring);

/* It could not be read; it is to be read again a little later than @now. */
void line_plc_rings_fail (LinePlcRings * rings, guint ring, gint64 now);

/* It was asked for at @asked, and there at @answered, with @values. */
void line_plc_rings_see (LinePlcRings * rings, guint ring,
    const guint16 * values, gint64 asked, gint64 answered);

/* What has changed since it was asked for last, as a LINE_EVENT_NUMBER. Returns:
 * FALSE if there is nothing */
gboolean line_plc_rings_take_event (LinePlcRings * rings, LineEvent * event);

/* (transfer full) (nullable): lines to be printed, since it was asked for last. */
char *line_plc_rings_take_messages (LinePlcRings * rings);

/* See line_plc_numbers_find(). */
LinePlcPairing line_plc_rings_find (const LinePlcRings * rings, guint lane,
    guint64 first, guint n, guint64 * number, LinePlcNumbered * last);

/* @rings: (nullable): without, the PLC counts as the line does. @first: number of
 * the run's first pieces. @piece: (out): the line's number of the piece that the
 * PLC counts as @number. Returns: LINE_PLC_PAIRED if it is that one; LINE_PLC_WAITS
 * if it will be if neither side misses a trigger; LINE_PLC_ALONE if it is none that
 * is remembered; LINE_PLC_UNREAD if nothing is known, @piece neither */
LinePlcPairing line_plc_rings_find_piece (const LinePlcRings * rings,
    guint lane, guint64 first, guint32 number, guint64 * piece);

/* Sets what it knows of them. */
void line_plc_rings_count (const LinePlcRings * rings,
    LinePlcCounts * counts);
