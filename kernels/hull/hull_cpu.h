/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_CPU_H
#define CS_HULL_CPU_H

/* State of the CPU backend. */

#include "base/scratch.h"
#include "hull_chain.h"
#include "hull_private.h"

G_BEGIN_DECLS

/**
 * CsHullSlot:
 * @filter: of the set at hand
 * @points, @n_points: what may be on its hull (CsHullVertex)
 * @reduce_at: number of points that starts a reduction
 * @chain: the last hull
 * @result, @n_result: indices of the vertices of all hulls found here
 * @vertices: of a hull that is measured ({double x, y})
 * @block: points that had to be packed
 * @n_ignored: points that were not finite
 * @error: what went wrong
 * @stats: of the last set
 *
 * What one thread works with.
 */
typedef struct
{
  CsHullFilter *filter;
  CsScratch points;
  gsize n_points, reduce_at;
  CsHullChain chain;
  CsScratch result;
  gsize n_result;
  CsScratch vertices;
  guint8 *block;
  gsize n_ignored;
  GError *error;
  CsHullStats stats;
} CsHullSlot;

/* Where the @n indices of a set's hull are: from @start on in the slot's
 * result. */
typedef struct
{
  const CsHullSlot *slot;
  gsize start, n;
} CsHullSet;

typedef struct
{
  const CsHullParams *params;
  CsExecutor *executor;
  CsHullSlot *slots;
  guint n_slots;
  CsScratch sets, class_sets, set_of_hull;
} CsHullCpu;

/* Whether pixel (x, y) is greater than @level. */
gboolean cs_hull_mask_pixel (const CsImage * mask, guint x, guint y,
    double level);

/* The first and the last such pixel of row @y; FALSE if there is none. */
gboolean cs_hull_mask_row (const CsImage * mask, guint y, double level,
    guint * first, guint * last);

G_END_DECLS

#endif /* CS_HULL_CPU_H */
