/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_batch.h"

#include <string.h>

static guint
find_register (const LinePlcConfig * plc, const LinePlcPiece * piece)
{
  return line_plc_find_register (plc, piece->lane, piece->slot.piece);
}

gboolean
line_plc_batch_fits (const LinePlcConfig * plc, const LinePlcBatch * batch,
    const LinePlcPiece * piece)
{
  const guint size = line_plc_slot_size (plc);
  const guint at = find_register (plc, piece);

  if (batch->n == 0)
    return TRUE;
  if ((batch->n + 1) * size > LINE_PLC_LINK_MAX
      || line_plc_find_block (plc, piece->lane)
      != line_plc_find_block (plc, batch->pieces[0].lane))
    return FALSE;
  return at + size == batch->first || at == batch->first + batch->n * size;
}

void
line_plc_batch_add (const LinePlcConfig * plc, LinePlcBatch * batch,
    const LinePlcPiece * piece)
{
  const guint at = find_register (plc, piece);
  const gboolean is_first = batch->n > 0 && at < batch->first;

  if (is_first)
    memmove (batch->pieces + 1, batch->pieces,
        batch->n * sizeof (*batch->pieces));
  if (is_first || batch->n == 0)
    batch->first = at;
  batch->pieces[is_first ? 0 : batch->n] = *piece;
  batch->n++;
}

guint
line_plc_batch_encode (const LinePlcConfig * plc, const LinePlcBatch * batch,
    guint n, guint16 values[LINE_PLC_LINK_MAX])
{
  guint16 slot[LINE_PLC_SLOT];
  guint n_values = 0;

  for (guint i = 0; i < n; i++) {
    const guint size = line_plc_encode (plc, &batch->pieces[i].slot, slot);

    memcpy (values + n_values, slot, size * sizeof (*slot));
    n_values += size;
  }
  return n_values;
}

void
line_plc_batch_remove (const LinePlcConfig * plc, LinePlcBatch * batch, guint n)
{
  batch->n -= n;
  memmove (batch->pieces, batch->pieces + n,
      batch->n * sizeof (*batch->pieces));
  batch->first += n * line_plc_slot_size (plc);
}

guint
line_plc_batch_remove_late (const LinePlcConfig * plc, LinePlcBatch * batch,
    gint64 now)
{
  guint n = 0;

  while (n < batch->n && batch->pieces[n].arrival <= now)
    n++;
  line_plc_batch_remove (plc, batch, n);
  return n;
}
