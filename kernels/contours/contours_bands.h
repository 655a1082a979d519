/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside iso-bands, which are made of contours on the host for all backends:
 *
 *   rings    lines to rings, rings to polygons (contours_bands_rings.c)
 *   bands    the plan, where valid cells end, and the result (contours_bands.c)
 *
 * For a fixed rule at saddles the contours of two levels never cross: in every
 * cell those of the upper one lie in what is above the lower one. So a band is
 * bounded by the contours of its lower level, by those of its upper level in
 * the opposite direction, and by the pieces of the border whose values are in
 * between; all of them have it on their right. What happens inside of a cell,
 * collapsed crossings included, is left to the contours.
 */

#include "base/array.h"
#include "base/scratch.h"
#include "contours_private.h"

G_BEGIN_DECLS

/**
 * CsBandRing:
 * @first: its first corner in #CsBandRings.corners
 * @n: its corners
 * @hole: whether the band is outside of it
 * @shell: index of the outer ring that it belongs to, or its own
 * @edge: the edge that leaves its first corner
 *
 * A simple closed line, from its topmost corner on, of several from the
 * leftmost.
 */
typedef struct
{
  gsize first, n;
  gboolean hole;
  guint32 shell;
  guint32 edge;
} CsBandRing;

/**
 * CsBandRings:
 * @ordered: #CsBandRing: polygon after polygon, an outer ring and then its holes;
 *     polygons, and the holes of one, are ordered by their first corners
 * @corners: guint32: vertices of all rings
 *
 * The polygons of one band, from directed lines that have it on their right.
 * Lines are joined where their coordinates are equal.
 */
typedef struct
{
  CsPointFormat format;
  CsArray vertices, edges, table;
  CsArray rings, ordered, corners;
  CsArray stack, around, items, sorted;
} CsBandRings;

void cs_band_rings_init (CsBandRings * rings, CsPointFormat format);
void cs_band_rings_clear (CsBandRings * rings);

/* Forgets the lines of the last band; there will be at most @n_edges. */
gboolean cs_band_rings_begin (CsBandRings * rings, gsize n_edges,
    GError ** error);

/* A polyline of @n points in the rings' format. */
void cs_band_rings_add_line (CsBandRings * rings, const void *points, gsize n,
    gboolean reversed);

/* A straight line along a row or column of pixels, rounded to the format.
 * Pixels on it need not be corners. */
void cs_band_rings_add_border (CsBandRings * rings, double x0, double y0,
    double x1, double y1);

gboolean cs_band_rings_finish (CsBandRings * rings, GError ** error);

/* Corner @i of @corners, in the rings' format. */
void cs_band_rings_get_corner (const CsBandRings * rings, gsize i, void *point);

/* What only CUDA has: memory for contours of which but the host's copy is
 * used, and images of the device. Only in builds with HAVE_CUDA. */
typedef struct _CsBandsCuda CsBandsCuda;

CsBandsCuda *cs_bands_cuda_new (CsExecutor * executor);
void cs_bands_cuda_free (CsBandsCuda * cuda);
void *cs_bands_cuda_alloc (CsBandsCuda * cuda, gsize size, gboolean host);

/* A copy of @image, on the device, in ordinary memory of @copy; @view is the
 * image there. Waits for it. */
gboolean cs_bands_cuda_download (CsBandsCuda * cuda, const CsImage * image,
    CsScratch * copy, CsImage * view, GError ** error);

G_END_DECLS
