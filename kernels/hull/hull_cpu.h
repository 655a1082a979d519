/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* State of the CPU backend. */

#include <math.h>

#include "base/scratch.h"
#include "hull_chain.h"
#include "hull_math.h"
#include "hull_private.h"

G_BEGIN_DECLS

/* Sets larger than this are worth all threads, smaller ones share them. */
#define CS_HULL_SHARED (1 << 17)

/**
 * CsHullSlot:
 * @filter: of the current set
 * @points, @n_points: what may be on its hull (CsHullVertex)
 * @reduce_at: number of points that starts a reduction
 * @chain: the last hull
 * @result, @n_result: indices of the vertices of all hulls found here
 * @vertices: of a hull that is measured ({double x, y}), and scratch
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

static inline void
cs_hull_slot_add_point (CsHullSlot * slot, double x, double y, guint64 index)
{
  CsHullVertex *vertex = (CsHullVertex *) slot->points.data + slot->n_points++;

  vertex->x = x;
  vertex->y = y;
  vertex->index = index;
}

/* Adds point @i of the input to @slot if it is finite. */
static inline void
cs_hull_slot_take_point (CsHullSlot * slot, const CsHullInput * input, gsize i)
{
  double x, y;

  cs_hull_load_point (input->points, input->stride, input->type, i, &x, &y);
  if (isfinite (x) && isfinite (y))
    cs_hull_slot_add_point (slot, x, y, i);
  else
    slot->n_ignored++;
}

static inline const guint32 *
cs_hull_set_indices (const CsHullSet * set)
{
  return (const guint32 *) set->slot->result.data + set->start;
}

/* Of one set (hull_cpu_set.c) */

/* Empties slots before a set. */
void cs_hull_reset_slots (CsHullSlot * slots, guint n_slots);

/* Room for @n more points in @slot. */
gboolean cs_hull_slot_reserve (CsHullSlot * slot, gsize n);

/* Replaces @slot's points by their hull when they have become many. */
gboolean cs_hull_slot_reduce (const CsHullCpu * cpu, CsHullSlot * slot);

/* Moves the points of the other slots to the first. */
gboolean cs_hull_gather_slots (CsHullSlot * slots, guint n_slots);

/* The hull of @slot's points, which are left of @n, into its chain. */
gboolean cs_hull_finish_set (const CsHullCpu * cpu, CsHullSlot * slot, gsize n);

/* The hull of points first .. end - 1 into slots[0].chain, with @n_slots
 * threads. */
gboolean cs_hull_find_set (const CsHullCpu * cpu, CsHullSlot * slots,
    guint n_slots, const CsHullInput * input, gsize first, gsize end);

/* The same for a polyline, by one thread, if its points' order says enough of
 * its hull: else FALSE, with nothing found. */
gboolean cs_hull_find_ring (const CsHullCpu * cpu, CsHullSlot * slot,
    const CsHullInput * input, gsize first, gsize end);

/* Keeps the indices of the hull in @slot's chain as those of @set. */
gboolean cs_hull_store_set (CsHullSlot * slot, CsHullSet * set);

/* Adds up what the slots ignored, and passes on what failed. */
gboolean cs_hull_collect_slots (CsHullCpu * cpu, gsize * n_ignored,
    GError ** error);

/* The hull of a mask (hull_cpu_mask.c) */
gboolean cs_hull_find_mask (CsHullCpu * cpu, const CsHullInput * input,
    CsHullSet * set, GError ** error);

/* Computes the requested measures from the @n >= 1 strict vertices {x, y} at @v;
 * @features is %NULL unless CS_MEASURES_FULL, for which @scratch has room for
 * 6 @n + 14 numbers. */
void cs_hull_measure (const double *v, guint n, double *scratch,
    CsMeasures measures, double contour_area, CsContour * hull,
    CsHullFeatures * features);

/* Writes the hulls of the sets that have one, with their measures. */
gboolean cs_hull_emit (CsHullCpu * cpu, const CsHullInput * input,
    const CsHullSet * sets, gsize n_sets, CsHullOutput * output,
    GError ** error);

G_END_DECLS
