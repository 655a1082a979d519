/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_PLC_REGISTERS_H
#define LINE_PLC_REGISTERS_H

#include "plc_settings.h"
#include "recipe.h"

G_BEGIN_DECLS

/* Holding registers of a slot: the piece's number, low and high word, its
 * outlet, its status */
#define LINE_PLC_REGISTERS 4

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

/* Returns: the first register of the slot of @piece of @lane */
guint line_plc_find_register (const LinePlcConfig * plc, guint lane,
    guint64 piece);

/* Makes the slot's @values. @piece: without its upper 32 bits. @outlet: at most
 * 65535 */
void line_plc_encode (guint64 piece, guint outlet, LineStatus status,
    guint16 values[LINE_PLC_REGISTERS]);

G_END_DECLS

#endif /* LINE_PLC_REGISTERS_H */
