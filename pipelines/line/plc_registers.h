/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_settings.h"
#include "recipe.h"

/* Registers of a slot, at most, and of the head */
#define LINE_PLC_SLOT 12
#define LINE_PLC_HEAD 5

/**
 * LinePlcCode:
 *
 * What the status register says. Other programs know these numbers.
 */
typedef enum
{
  LINE_PLC_CODE_EMPTY = 0,
  LINE_PLC_CODE_OK = 1,
  LINE_PLC_CODE_PARTIAL = 2,
  LINE_PLC_CODE_LATE = 3,
  LINE_PLC_CODE_UNDECIDED = 4,
} LinePlcCode;

/**
 * LinePlcSlot:
 * @run: of the line, 1 to 65535
 * @epoch: in which the PLC has counted @piece; 0 if it notes no triggers
 * @lane: its index
 * @piece: its number; a PLC has the lower 32 bits
 * @outlet: at most 65535
 * @status: how it was decided
 * @encoder: that the PLC has noted with its last trigger; 0 if it notes none
 * @time: of its last trigger, in milliseconds: the PLC's, or the line's if the
 *     PLC notes none
 *
 * What a PLC is told of a piece. Layout 1 has @piece, @outlet and @status.
 */
typedef struct
{
  guint run, epoch, lane;
  guint64 piece;
  guint outlet;
  LineStatus status;
  guint32 encoder, time;
} LinePlcSlot;

/* Returns: the registers of a slot */
guint line_plc_slot_size (const LinePlcConfig * plc);

/* Registers in which all slots follow each other: in layout 1 each lane's, else
 * all. Returns: their number; the one with @lane; its first register; its size */
guint line_plc_count_blocks (const LinePlcConfig * plc);
guint line_plc_find_block (const LinePlcConfig * plc, guint lane);
guint line_plc_block_first (const LinePlcConfig * plc, guint block);
guint line_plc_block_size (const LinePlcConfig * plc);

/* Returns: the first register of the slot of @piece of @lane: in layout 2 it is
 * beside that of the same piece of the next lane */
guint line_plc_find_register (const LinePlcConfig * plc, guint lane,
    guint64 piece);

/* Makes the slot's @values. Returns: their number */
guint line_plc_encode (const LinePlcConfig * plc, const LinePlcSlot * slot,
    guint16 values[LINE_PLC_SLOT]);

/* Makes the @values at the register of the heartbeat, which is 1 to 65535 and 1
 * again. @beats: so far; 0: there are none any more. @first: number of the run's
 * first pieces. Returns: their number */
guint line_plc_encode_head (const LinePlcConfig * plc, guint64 beats,
    guint run, guint64 first, guint16 values[LINE_PLC_HEAD]);
