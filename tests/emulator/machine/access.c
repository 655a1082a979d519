/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Accesses of lanes, one by one: whichever memory, and every mistake. */

#include <string.h>

#include "machine.h"
#include "reach.h"

static void
fail_access (const Warp * warp, const Instruction * i, guint lane,
    gsize width, gboolean is_write, const gchar * what, guint64 address,
    guint64 size)
{
  fail_at (warp, i, lane, "%s of %" G_GSIZE_FORMAT " bytes at 0x%"
      G_GINT64_MODIFIER "x, of %s of %" G_GUINT64_FORMAT " bytes%s",
      is_write ? "a store" : "a load", width, address, what, size,
      address & (width - 1) ? ", is not aligned" : "");
}

static guint8 *
reach_shared (const Warp * warp, const Instruction * i, guint lane,
    guint64 address, gsize width, gboolean is_write)
{
  const gsize size = warp->run->shared_size;

  if (address & (width - 1) || address > size || width > size - address)
    fail_access (warp, i, lane, width, is_write, "shared memory", address,
        size);
  return warp->block->shared + address;
}

static guint8 *
reach_local (const Warp * warp, const Instruction * i, guint lane,
    guint64 address, gsize width, gboolean is_write)
{
  const gsize size = warp->run->kernel->local_size;

  if (address & (width - 1) || address > size || width > size - address)
    fail_access (warp, i, lane, width, is_write, "local memory", address, size);
  return warp->local + lane * size + address;
}

static guint8 *
reach_param (const Warp * warp, const Instruction * i, guint lane,
    guint64 address, gsize width, gboolean is_write)
{
  const gsize size = warp->run->kernel->params_size;

  if (is_write || address & (width - 1) || address > size ||
      width > size - address)
    fail_access (warp, i, lane, width, is_write, "parameters", address, size);
  return warp->run->launch->params + address;
}

static void
fail_global (const Warp * warp, const Instruction * i, guint lane,
    guint64 address, gsize width, gboolean is_write)
{
  gchar *where = memory_describe (address);

  fail_at (warp, i, lane, "%s of %" G_GSIZE_FORMAT " bytes at 0x%"
      G_GINT64_MODIFIER "x%s: %s", is_write ? "a store" : "a load", width,
      address, address & (width - 1) ? ", which is not aligned" : "", where);
}

/* Whether what is loaded has been written; notes what is stored. */
static void
check_written (const Warp * warp, const Instruction * i, guint lane,
    const Region * region, guint64 address, gsize width, gboolean is_write)
{
  guint8 *flags = region->is_written + (address - region->start);
  guint8 all = 1;

  if (is_write) {
    memset (flags, 1, width);
    return;
  }
  for (gsize k = 0; k < width; k++)
    all &= flags[k];
  if (!all) {
    gchar *where = memory_describe (address);

    fail_at (warp, i, lane, "a load of %" G_GSIZE_FORMAT " bytes that nobody "
        "has written, at 0x%" G_GINT64_MODIFIER "x: %s", width, address,
        where);
  }
}

static guint8 *
reach_global (const Warp * warp, Instruction * i, guint lane,
    guint64 address, gsize width, gboolean is_write)
{
  Region *region = i->region;

  if (!region || address - region->start >= region->size)
    i->region = region = memory_find (address);
  if (!region || address & (width - 1) ||
      width > region->start + region->size - address)
    fail_global (warp, i, lane, address, width, is_write);
  if (region->is_written)
    check_written (warp, i, lane, region, address, width, is_write);
  return (guint8 *) (address + region->distance);
}

void
access_lanes (Warp * warp, Instruction * i, const guint64 * addresses,
    gsize width, gboolean is_write, guint8 ** where)
{
  for (guint l = 0; l < LANES; l++) {
    guint64 at = addresses[l];
    guint space = i->space;

    if (!(warp->active >> l & 1))
      continue;
    if (space == SPACE_GENERIC) {
      static const guint8 spaces[] = {
        SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM,
      };
      const guint64 window = WINDOW_OF (at);

      space = window < G_N_ELEMENTS (spaces) ? spaces[window] : SPACE_GLOBAL;
      if (space != SPACE_GLOBAL)
        at &= (G_GUINT64_CONSTANT (1) << 56) - 1;
    }
    switch (space) {
      case SPACE_SHARED:
        where[l] = reach_shared (warp, i, l, at, width, is_write);
        break;
      case SPACE_LOCAL:
        where[l] = reach_local (warp, i, l, at, width, is_write);
        break;
      case SPACE_PARAM:
        where[l] = reach_param (warp, i, l, at, width, is_write);
        break;
      default:
        where[l] = reach_global (warp, i, l, at, width, is_write);
    }
  }
}
