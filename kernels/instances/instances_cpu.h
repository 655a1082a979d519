/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between the files of the CPU backend:
 *
 *   instances_cpu.c --> instances_cpu_fields.c
 *          |
 *          +----------> instances_cpu_rings.c --> instances_cpu_curves.c */

#include "base/array.h"
#include "base/scratch.h"
#include "instances_private.h"

G_BEGIN_DECLS

/**
 * CsInstancesRing:
 * @contour: its record; as parent, until all are found, the number of a ring of
 *     its object
 * @first_point: of its lane
 * @n_points: the first one again at the end counts
 * @kept: whether it is large enough
 */
typedef struct
{
  CsContour contour;
  CsContourMoments moments;
  gsize first_point, n_points;
  gboolean kept;
} CsInstancesRing;

/**
 * CsInstancesLane:
 * @values: of the object's nodes
 * @bits: words of nodes
 * @pending: words of cells whose first and second segment are in no ring yet
 * @ring_of: of each node the ring that crosses the edge to the right of it
 * @samples, @bases, @lines, @coefficients: rows while values are computed
 * @points: of all rings, {float x, y}
 * @rings: of all objects
 *
 * What one thread has.
 */
typedef struct
{
  CsScratch values, bits, pending[2], ring_of;
  CsScratch samples, bases, lines, coefficients;
  CsArray points, rings;
} CsInstancesLane;

/* Values and bits of the nodes of @grid, in @lane. @fields: the input's, or with
 * coefficients a planar copy of single precision */
gboolean cs_instances_cpu_fill (const CsInstancesJob * job,
    const CsImage * fields, const CsInstancesGrid * grid,
    CsInstancesLane * lane, GError ** error);

/* The rings of @grid, whose nodes are in @lane, added to it. */
gboolean cs_instances_cpu_trace (const CsInstancesJob * job,
    const CsInstancesGrid * grid, CsInstancesLane * lane, GError ** error);

/* A segment: its cell, which of two it is, and its edges. */
typedef struct
{
  guint c, r, k;
  gint from, to;
} CsInstancesSegment;

#define CS_INSTANCES_BATCH 64

/**
 * CsInstancesBatch:
 * @x, @y: where segments begin, and the last one ends
 * @slope_from, @slope_to: see cs_instances_slope(); 1 beside the grid, where
 *     there are only lines
 * @ratio: see #CsInstancesCurve
 * @root: of the ratio or the inverse, the greater
 * @splits: how often the curve is split in halves: never, once or more often
 * @c, @r: cells
 * @n_points: 0 or 1, as long as they are lines
 *
 * Some segments of a ring, one after the other, whose curves are computed at
 * once.
 */
typedef struct
{
  double x[CS_INSTANCES_BATCH + 1], y[CS_INSTANCES_BATCH + 1];
  double slope_from[CS_INSTANCES_BATCH], slope_to[CS_INSTANCES_BATCH];
  double ratio[CS_INSTANCES_BATCH], root[CS_INSTANCES_BATCH];
  double splits[CS_INSTANCES_BATCH];
  guint c[CS_INSTANCES_BATCH], r[CS_INSTANCES_BATCH];
  guint8 n_points[CS_INSTANCES_BATCH];
  guint n;
} CsInstancesBatch;

/* Adds @segment, which is not one too many, with its crossings. */
void cs_instances_cpu_add (const CsInstancesGrid * grid, const float *values,
    const CsInstancesSegment * segment, const CsInstancesCrossing * from,
    const CsInstancesCrossing * to, CsInstancesBatch * batch);

/* Adds the segments' points but the last one's end to @points, and empties
 * @batch. Returns: FALSE without memory */
gboolean cs_instances_cpu_write (const CsInstancesGrid * grid, double tolerance,
    CsInstancesBatch * batch, CsArray * points);

G_END_DECLS
