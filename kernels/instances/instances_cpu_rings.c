/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: rings of an object, followed from cell to cell. */
#include "instances_cpu.h"

#include <string.h>

#include "contours/contours_measure.h"

/**
 * Trace:
 * @first_ring: of the object's, in the lane
 * @bits, @pending, @ring_of, @values: the lane's
 */
typedef struct
{
  const CsInstancesJob *job;
  const CsInstancesGrid *grid;
  CsInstancesLane *lane;
  gsize first_ring;
  const guint32 *bits;
  const float *values;
  guint32 *pending[2];
  gint32 *ring_of;
} Trace;

/* The edge @edge of a cell, as that of the cell beyond it. */
static gint
opposite (gint edge)
{
  return edge ^ 2;
}

static guint32 *
pending_at (const Trace * trace, const CsInstancesSegment * at)
{
  return &trace->pending[at->k][(gsize) at->r * trace->grid->words + at->c / 32];
}

/* The edges of segment @k of cell (@c, @r). */
static CsInstancesSegment
segment_of (const Trace * trace, guint c, guint r, guint k)
{
  const CsInstancesCorners corners = cs_instances_corners (trace->bits,
      trace->grid->words, r, c / 32);
  const gint edges = cs_instances_segments (trace->grid, trace->values, c, r,
      cs_instances_case (&corners, c % 32)) >> 4 * k;

  return (CsInstancesSegment) { c, r, k, edges & 3, edges >> 2 & 3 };
}

/* The segment that begins where @at ends. */
static CsInstancesSegment
next_of (const Trace * trace, const CsInstancesSegment * at)
{
  const guint c = at->c + (at->to == CS_EDGE_R) - (at->to == CS_EDGE_L);
  const guint r = at->r + (at->to == CS_EDGE_B) - (at->to == CS_EDGE_T);
  const CsInstancesCorners corners = cs_instances_corners (trace->bits,
      trace->grid->words, r, c / 32);
  const gint edges = cs_instances_segments (trace->grid, trace->values, c, r,
      cs_instances_case (&corners, c % 32));
  const guint k = (edges & 3) != opposite (at->to);

  return (CsInstancesSegment) { c, r, k, edges >> 4 * k & 3, edges >> (4 * k + 2) & 3 };
}

/* Which ring crosses the edge above or below @at's cell, for find_parent(). */
static void
mark_edge (const Trace * trace, const CsInstancesSegment * at, gint32 ring)
{
  const gsize row = trace->grid->x.n + 1;

  if (at->from == CS_EDGE_T)
    trace->ring_of[at->r * row + at->c] = ring;
  else if (at->from == CS_EDGE_B)
    trace->ring_of[(at->r + 1) * row + at->c] = ring;
}

static gboolean
bit_at (const Trace * trace, guint c, guint r)
{
  return trace->bits[(gsize) r * trace->grid->words + c / 32] >> c % 32 & 1;
}

/* The outer ring around the hole that begins in the cell of @at. From the cell's
 * lower left node, which is above the level, its row meets that ring to the left,
 * or another hole of it. */
static gint32
find_parent (const Trace * trace, const CsInstancesSegment * at)
{
  const CsInstancesRing *rings = (const CsInstancesRing *) (gpointer)
      trace->lane->rings.data + trace->first_ring;
  guint c = at->c;

  while (bit_at (trace, c, at->r + 1))
    c--;
  const gint32 ring = trace->ring_of[(gsize) (at->r + 1) *
      (trace->grid->x.n + 1) + c];

  if (!(rings[ring].contour.flags & CS_CONTOUR_HOLE))
    return ring;
  cs_instances_take (CS_INSTANCES_HOLE_BESIDE_HOLE);
  return rings[ring].contour.parent;
}

/* Whether @ring is large enough. What a hole is in is larger. */
static gboolean
is_kept (const Trace * trace, const CsInstancesRing * ring)
{
  const double area = fabs (ring->contour.area);

  if (area > 0. && area >= trace->job->params->min_area)
    return TRUE;
  cs_instances_take (CS_INSTANCES_SMALL);
  return FALSE;
}

/* Closes and measures the ring from point @first on. */
static gboolean
finish_ring (const Trace * trace, gsize first, CsInstancesRing * ring)
{
  CsArray *points = &trace->lane->points;
  float begin[2];

  memcpy (begin, points->data + first * points->size, sizeof (begin));
  if (!cs_array_append (points, begin, 1))
    return FALSE;
  ring->first_point = first;
  ring->n_points = points->len - first;
  cs_contours_measure (points->data + first * points->size, CS_POINTS_F32,
      ring->n_points, trace->job->params->measures, &ring->contour,
      &ring->moments);
  ring->kept = is_kept (trace, ring);
  if (!ring->kept)
    points->len = first;
  return cs_array_append (&trace->lane->rings, ring, 1);
}

static gboolean
write_points (const Trace * trace, CsInstancesBatch * batch)
{
  return cs_instances_cpu_write (trace->grid, trace->job->params->tolerance,
      batch, &trace->lane->points);
}

/* The ring that begins with @begin. Returns: FALSE without memory */
static gboolean
follow (const Trace * trace, const CsInstancesSegment * begin)
{
  const gint32 index = (gint32) (trace->lane->rings.len - trace->first_ring);
  const gsize first = trace->lane->points.len;
  CsInstancesRing ring = {.contour = {.parent = -1,
          .class_id = trace->grid->class_id,
          .image = (gint32) trace->grid->instance,
          .flags = CS_CONTOUR_CLOSED,
          .level = trace->job->params->level}
  };
  CsInstancesSegment at = *begin;
  CsInstancesCrossing from, to;
  CsInstancesBatch batch;

  batch.n = 0;
  if (!bit_at (trace, begin->c + 1, begin->r + 1)) {
    cs_instances_take (CS_INSTANCES_HOLE);
    ring.contour.flags |= CS_CONTOUR_HOLE;
    ring.contour.parent = find_parent (trace, begin);
  }
  cs_instances_crossing (trace->grid, trace->values, at.c, at.r, at.from, &from);
  do {
    *pending_at (trace, &at) &= ~(1u << at.c % 32);
    mark_edge (trace, &at, index);
    cs_instances_crossing (trace->grid, trace->values, at.c, at.r, at.to, &to);
    if (batch.n == CS_INSTANCES_BATCH && !write_points (trace, &batch))
      return FALSE;
    cs_instances_cpu_add (trace->grid, trace->values, &at, &from, &to, &batch);
    from = to;
    at = next_of (trace, &at);
  } while (at.c != begin->c || at.r != begin->r || at.k != begin->k);
  if (!write_points (trace, &batch))
    return FALSE;
  return finish_ring (trace, first, &ring);
}

/* Follows all rings that begin in word @w of cell row @r. */
static gboolean
follow_word (const Trace * trace, guint r, guint w)
{
  const gsize i = (gsize) r * trace->grid->words + w;
  guint32 left;

  while ((left = trace->pending[0][i] | trace->pending[1][i])) {
    const guint bit = __builtin_ctz (left);
    const guint k = !(trace->pending[0][i] >> bit & 1);
    const CsInstancesSegment begin = segment_of (trace, 32 * w + bit, r, k);

    if (!follow (trace, &begin))
      return FALSE;
  }
  return TRUE;
}

static gboolean
ensure (Trace * trace, GError ** error)
{
  const CsInstancesGrid *grid = trace->grid;
  CsInstancesLane *lane = trace->lane;
  const gsize words = (gsize) grid->words * (grid->y.n + 1) * sizeof (guint32);
  const gsize edges = (gsize) (grid->x.n + 1) * (grid->y.n + 2);

  trace->bits = lane->bits.data;
  trace->values = lane->values.data;
  trace->pending[0] = cs_scratch_ensure (&lane->pending[0], words, error);
  trace->pending[1] = trace->pending[0] ?
      cs_scratch_ensure (&lane->pending[1], words, error) : NULL;
  trace->ring_of = trace->pending[1] ? cs_scratch_ensure (&lane->ring_of,
      edges * sizeof (gint32), error) : NULL;
  return trace->ring_of != NULL;
}

gboolean
cs_instances_cpu_trace (const CsInstancesJob * job,
    const CsInstancesGrid * grid, CsInstancesLane * lane, GError ** error)
{
  Trace trace = {.job = job,.grid = grid,.lane = lane,
    .first_ring = lane->rings.len
  };
  guint32 saddles = 0;
  guint r, w;

  if (!ensure (&trace, error))
    return FALSE;
  for (r = 0; r <= grid->y.n; r++)
    for (w = 0; w < grid->words; w++) {
      const CsInstancesCorners corners = cs_instances_corners (trace.bits,
          grid->words, r, w);
      const gsize i = (gsize) r * grid->words + w;

      trace.pending[0][i] = cs_instances_crossed (&corners);
      trace.pending[1][i] = cs_instances_saddles (&corners);
      saddles |= trace.pending[1][i];
    }
  if (saddles)
    cs_instances_take (CS_INSTANCES_SADDLE);
  for (r = 0; r <= grid->y.n; r++)
    for (w = 0; w < grid->words; w++)
      if (!follow_word (&trace, r, w))
        return cs_fail_no_memory (error, "polygons of objects");
  return TRUE;
}
