/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "machine.h"

enum
{
  SPACE_GENERIC,
  SPACE_GLOBAL,
  SPACE_SHARED,
  SPACE_LOCAL,
  SPACE_PARAM,
};

/* of the register with the address, in the field "target" */
enum
{
  ADDRESS_NONE,
  ADDRESS_32,
  ADDRESS_64,
};
/* beside it: atomic or volatile */
#define ACCESS_IS_ATOMIC 4
#define ADDRESS_OPERAND 5

static inline void
get_addresses (const Warp * warp, const Instruction * i, guint64 * addresses)
{
  const guint how = i->target & 3;
  guint l;

  if (how == ADDRESS_64) {
    const guint64 *a = lanes_at (warp, i->o[ADDRESS_OPERAND]);

    for (l = 0; l < LANES; l++)
      addresses[l] = a[l] + i->offset;
  } else if (how == ADDRESS_32) {
    const guint32 *a = lanes_at (warp, i->o[ADDRESS_OPERAND]);

    for (l = 0; l < LANES; l++)
      addresses[l] = (guint32) (a[l] + i->offset);
  } else {
    for (l = 0; l < LANES; l++)
      addresses[l] = i->offset;
  }
}

/* Whether any active lane's address is not from @start on, in @size bytes, or
 * not a multiple of @width, a power of 2 */
static inline gboolean
is_outside (const Warp * warp, const guint64 * addresses, guint64 start,
    guint64 size, gsize width)
{
  const guint64 last = size - width;
  guint64 outside = 0;
  guint l;

  if (size < width)
    return TRUE;
  for (l = 0; l < LANES; l++) {
    const guint64 at = addresses[l] - start;

    outside |= ((guint64) (at > last) | (addresses[l] & (width - 1))) &
        warp->mask[l];
  }
  return outside != 0;
}

static inline void
reach (Warp * warp, Instruction * i, gsize width, gboolean is_write,
    guint8 ** where)
{
  guint64 addresses[LANES];
  const Region *region = i->region;
  guint l;

  get_addresses (warp, i, addresses);
  if (i->space == SPACE_SHARED) {
    if (!is_outside (warp, addresses, 0, warp->run->shared_size, width)) {
      for (l = 0; l < LANES; l++)
        where[l] = warp->block->shared + addresses[l];
      return;
    }
  } else if (i->space == SPACE_LOCAL) {
    const gsize size = warp->run->kernel->local_size;

    if (!is_outside (warp, addresses, 0, size, width)) {
      for (l = 0; l < LANES; l++)
        where[l] = warp->local + l * size + addresses[l];
      return;
    }
  } else if (region && !region->is_written && !is_outside (warp, addresses,
          region->start, region->size, width)) {
    for (l = 0; l < LANES; l++)
      where[l] = (guint8 *) (addresses[l] + region->distance);
    return;
  }
  access_lanes (warp, i, addresses, width, is_write, where);
}
