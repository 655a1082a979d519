/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between the files of the CPU backend:
 *
 *   instances_cpu.c --> instances_cpu_fields.c
 *          |
 *          +----------> instances_cpu_rings.c */

#include "base/array.h"
#include "base/scratch.h"
#include "instances_private.h"

G_BEGIN_DECLS

/**
 * CsInstancesRing:
 * @contour: its record, with indices of rings of its lane and object as ids
 * @first_point: of its lane
 * @n_points: the first one again at the end counts
 * @kept: 1, or 0 if it is dropped; then the number of those kept before it
 */
typedef struct
{
  CsContour contour;
  CsContourMoments moments;
  gsize first_point, n_points;
  guint32 kept;
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

G_END_DECLS
