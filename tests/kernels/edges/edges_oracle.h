/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "edges/edges.h"

/**
 * OracleEdges:
 * @is_edge: width * height
 * @points: width * height: where each edge pixel's point is
 * @n_edges: pixels that are edges
 */
typedef struct
{
  guint width, height;
  gboolean *is_edge;
  CsStrokePoint *points;
  gsize n_edges;
} OracleEdges;

/* Canny's edges, one pixel after the other, hysteresis by going over the
 * picture until nothing changes. @samples: width * height 8-bit codes. */
OracleEdges *oracle_edges (const CsEdgesParams * params, guint width,
    guint height, const float *samples);
void oracle_edges_free (OracleEdges * edges);

/* Whether two neighbours are linked: 4-neighbours, or diagonal without a common
 * 4-neighbour. */
gboolean oracle_is_linked (const OracleEdges * edges, gint x0, gint y0,
    gint x1, gint y1);
