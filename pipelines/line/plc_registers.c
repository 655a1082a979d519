/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_registers.h"

#define SIZE_1 4

guint
line_plc_slot_size (const LinePlcConfig * plc)
{
  return plc->layout == 1 ? SIZE_1 : LINE_PLC_SLOT;
}

guint
line_plc_count_blocks (const LinePlcConfig * plc)
{
  return plc->layout == 1 ? plc->lanes : 1;
}

guint
line_plc_find_block (const LinePlcConfig * plc, guint lane)
{
  return plc->layout == 1 ? lane : 0;
}

guint
line_plc_block_size (const LinePlcConfig * plc)
{
  return (plc->layout == 1 ? 1 : plc->lanes) * plc->slots
      * line_plc_slot_size (plc);
}

guint
line_plc_block_first (const LinePlcConfig * plc, guint block)
{
  return plc->first + block * line_plc_block_size (plc);
}

guint
line_plc_find_register (const LinePlcConfig * plc, guint lane, guint64 piece)
{
  const guint at = (guint32) piece % plc->slots;
  const guint slot = plc->layout == 1 ? lane * plc->slots + at :
      at * plc->lanes + lane;

  return plc->first + slot * line_plc_slot_size (plc);
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

/* The low word first. Returns: what is behind it */
static guint16 *
put_long (guint16 * at, guint32 value)
{
  at[0] = value & 0xffff;
  at[1] = value >> 16;
  return at + 2;
}

guint
line_plc_encode (const LinePlcConfig * plc, const LinePlcSlot * slot,
    guint16 values[LINE_PLC_SLOT])
{
  guint16 *at = values, sum = 0;

  if (plc->layout != 1) {
    *at++ = slot->run;
    *at++ = slot->epoch;
    *at++ = slot->lane;
  }
  at = put_long (at, slot->piece);
  *at++ = slot->outlet;
  *at++ = find_code (slot->status);
  if (plc->layout == 1)
    return SIZE_1;
  at = put_long (at, slot->encoder);
  at = put_long (at, slot->time);
  for (const guint16 * value = values; value < at; value++)
    sum += *value;
  *at = sum;
  return LINE_PLC_SLOT;
}

guint
line_plc_encode_head (const LinePlcConfig * plc, guint64 beats, guint run,
    guint64 first, guint16 values[LINE_PLC_HEAD])
{
  values[0] = beats > 0 ? 1 + (beats - 1) % 65535 : 0;
  if (plc->layout == 1)
    return 1;
  values[1] = run;
  values[2] = plc->layout;
  put_long (values + 3, first);
  return LINE_PLC_HEAD;
}
