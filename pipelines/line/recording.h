/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_RECORDING_H
#define LINE_RECORDING_H

#include <stdio.h>

#include "event.h"

G_BEGIN_DECLS

/* A lane's events on their way to a file and back. A recording starts with
 * line_recording_head(); an event after the other follows. All numbers are
 * little endian. */

/* Returns: (transfer full): what stands first in a file */
GBytes *line_recording_head (void);

/* Returns: (transfer full): @event as a file has it; NULL if memory runs out */
GBytes *line_recording_encode (const LineEvent * event);

/* Reads what stands first. Returns: FALSE with @error set (@name: of the file,
 * for it) */
gboolean line_recording_open (FILE * file, const char *name, GError ** error);

/**
 * line_recording_next:
 * @file: at an event
 * @name: of the file, for @error
 * @event: (out): to be cleared with line_event_clear(); its recipe is not set,
 *     @hash is
 * @hash: (out): of the recipe of a LINE_EVENT_RECIPE, 65 bytes
 *
 * Trusts nothing that it reads: sizes have limits, views' contours lie within
 * their points.
 *
 * Returns: FALSE at the end, or with @error set
 */
gboolean line_recording_next (FILE * file, const char *name,
    LineEvent * event, char *hash, GError ** error);

G_END_DECLS

#endif /* LINE_RECORDING_H */
