/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_ring.h"

#define N LINE_PLC_RING_TRIGGERS

static guint32
get_long (const guint16 * at)
{
  return at[0] | (guint32) at[1] << 16;
}

static LinePlcTrigger
get_trigger (const guint16 * values, guint32 number)
{
  const guint16 *at = values + 6 + number % N * 6;

  return (LinePlcTrigger) {
    get_long (at), get_long (at + 2), get_long (at + 4)
  };
}

const char *
line_plc_ring_decode (const guint16 * values, LinePlcRing * ring)
{
  if (values[0] != LINE_PLC_RING_VERSION)
    return "the first register is not 1, the version";
  if (values[1] == 0)
    return "the epoch is 0";
  *ring = (LinePlcRing) {
    values[1], get_long (values + 2), get_long (values + 4)
  };
  /* Those before @next, as far back as their numbers say that they are. */
  guint n = 0;
  while (n < N && get_trigger (values, ring->next - n - 1).number
      == ring->next - n - 1)
    n++;
  ring->n = n;
  guint32 last = ring->now;
  for (guint i = ring->n; i-- > 0; last = ring->triggers[i].time) {
    ring->triggers[i] = get_trigger (values, ring->next - ring->n + i);
    /* Clocks go on from 2^32 - 1 with 0. */
    if ((gint32) (last - ring->triggers[i].time) < 0)
      return "its times go back";
  }
  return NULL;
}
