/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_link.h"
#include "plc_queue.h"

/* Slots of a request, at most */
#define LINE_PLC_BATCH (LINE_PLC_LINK_MAX / 4)

/**
 * LinePlcBatch:
 * @n: number of @pieces
 * @first: their first register
 *
 * Pieces whose slots follow each other, so that one request writes them.
 */
typedef struct
{
  guint n, first;
  LinePlcPiece pieces[LINE_PLC_BATCH];
} LinePlcBatch;

/* Whether the piece's slot is before the first, or behind the last; any is in an
 * empty batch. */
gboolean line_plc_batch_fits (const LinePlcConfig * plc,
    const LinePlcBatch * batch, const LinePlcPiece * piece);
/* Puts a piece that fits where its slot is. */
void line_plc_batch_add (const LinePlcConfig * plc, LinePlcBatch * batch,
    const LinePlcPiece * piece);

/* Makes the values of the first @n pieces. Returns: their number */
guint line_plc_batch_encode (const LinePlcConfig * plc,
    const LinePlcBatch * batch, guint n, guint16 values[LINE_PLC_LINK_MAX]);

/* Takes out the first @n pieces. */
void line_plc_batch_remove (const LinePlcConfig * plc, LinePlcBatch * batch,
    guint n);

/* Takes out those at the front that have arrived at @now. Returns: their number */
guint line_plc_batch_remove_late (const LinePlcConfig * plc,
    LinePlcBatch * batch, gint64 now);
