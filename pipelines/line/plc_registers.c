/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_registers.h"

guint
line_plc_find_register (const LinePlcConfig * plc, guint lane, guint64 piece)
{
  const guint slot = lane * plc->slots + (guint) (piece % plc->slots);

  return plc->first + slot * LINE_PLC_REGISTERS;
}

static LinePlcCode
find_code (LineStatus status)
{
  switch (status) {
    case LINE_STATUS_OK:
      return LINE_PLC_CODE_OK;
    case LINE_STATUS_PARTIAL:
      return LINE_PLC_CODE_PARTIAL;
    case LINE_STATUS_LATE:
      return LINE_PLC_CODE_LATE;
    case LINE_STATUS_UNDECIDED:
      return LINE_PLC_CODE_UNDECIDED;
  }
  g_return_val_if_reached (LINE_PLC_CODE_UNDECIDED);
}

void
line_plc_encode (guint64 piece, guint outlet, LineStatus status,
    guint16 values[LINE_PLC_REGISTERS])
{
  values[0] = piece & 0xffff;
  values[1] = piece >> 16 & 0xffff;
  values[2] = outlet;
  values[3] = find_code (status);
}
