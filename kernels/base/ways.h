/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The ways through an algorithm, for tests: each check program fails when its
 * cases leave one out. An algorithm NAME has a list in NAME_ways.h, which makes
 * an enumeration and, in the program, the names; and a flag for each.
 */

#include <glib.h>

G_BEGIN_DECLS

/* Of a list of WAY (identifier, name): an enumeration. */
#define CS_WAY_ID(id, name) id,

/* A flag that is set once: later a load that is in every cache, and a branch. */
static inline void
cs_way_take (gint * way)
{
  if (G_UNLIKELY (!g_atomic_int_get (way)))
    g_atomic_int_set (way, TRUE);
}

G_END_DECLS
