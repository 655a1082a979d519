/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Hulls by sorting and monotone chain, without a filter. */

#include "base/scratch.h"
#include "hull_filter.h"

G_BEGIN_DECLS

/**
 * CsHullChain:
 * @hull: after cs_hull_chain(): @n vertices
 *
 * Scratch memory and result of one thread; zero-initialise it.
 */
typedef struct
{
  CsScratch items[2], sorted, stack;
  const CsHullVertex *hull;
  gsize n;
} CsHullChain;

/* The hull of @n finite points in any order into @chain; with @collinear also
 * the distinct points on its edges. Fails with CS_ERROR_NO_MEMORY. */
gboolean cs_hull_chain (CsHullChain * chain, const CsHullVertex * points,
    gsize n, gboolean collinear, GError ** error);
void cs_hull_chain_clear (CsHullChain * chain);

G_END_DECLS
