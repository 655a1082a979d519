/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include "event.h"
#include "settings.h"
#include "rules.h"

/* A lane's events on their way to a file and back. A recording starts with
 * line_recording_head(); an event after the other follows. All numbers are
 * little endian. What is written is of version 2, which has what LINE_RULES_2
 * depend on; version 1 is read, too. docs/fruit-line.md has the layout. */

/* Of a view. */
#define LINE_RECORDING_MAX_CONTOURS 1000000
#define LINE_RECORDING_MAX_POINTS 10000000

/* Times are from 0 to this, so that a deadline can be added to them. */
#define LINE_RECORDING_MAX_TIME (G_MAXINT64 / 2)

/* Saves what replay needs beside the lanes' events: the configuration, and the
 * recipe that they begin with. */
gboolean line_recording_begin (const LineConfig * config,
    const LineRecipe * recipe, const LineFolder * folder, GError ** error);

/* Returns: (transfer full): what stands first in a file */
GBytes *line_recording_head (void);

/* @event: its lane is not recorded, its recipe by its hash. Returns: (transfer
 * full): @event as a file has it; NULL if memory runs out, or @event is beyond
 * the limits above */
GBytes *line_recording_encode (const LineEvent * event);

/**
 * LineRecording:
 *
 * Reads a recording. For one thread.
 */
typedef struct _LineRecording LineRecording;

/* Reads what stands first. @file: taken, and closed also after an error. @name:
 * of the file, for errors. Returns: NULL with @error set */
LineRecording *line_recording_open (FILE * file, const char *name,
    GError ** error);
void line_recording_close (LineRecording * recording);

/* By which its events were decided on: its version. */
LineRules line_recording_get_rules (const LineRecording * recording);

/* Returns: where the event that was read last is in the file */
guint64 line_recording_get_start (const LineRecording * recording);

/**
 * line_recording_next:
 * @recording: a recording
 * @event: (out): to be cleared with line_event_clear(), unless FALSE is
 *     returned; its lane is 0, its recipe is not set, @hash is
 * @hash: (out): of the recipe of a LINE_EVENT_RECIPE, 65 bytes: 64 lower-case
 *     hexadecimal digits; else empty
 *
 * Trusts nothing that it reads: sizes have limits, views' contours lie within
 * their points, times never go back, reasons of losses are known ones.
 * Coordinates, areas and turns may be any, also not finite; a class may be none
 * of the recipe's; turns may be of other cups than the line's. Memory grows with
 * what is read, not with what is announced.
 *
 * Returns: FALSE at the end, or with @error set; it names file and byte
 */
gboolean line_recording_next (LineRecording * recording, LineEvent * event,
    char *hash, GError ** error);
