/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Samples, and shapes on them. */

#include "stats_placed.h"

#define MAX_RINGS 256
#define MAX_POINTS 4096

/**
 * Case:
 * @input: of what is below
 * @pixels: of the picture or image, @size bytes
 */
typedef struct
{
  CsStatsInput input;
  CsPicture picture;
  CsImage image;
  guint8 *pixels;
  gsize size;
  guint width, height;
  float points[2 * MAX_POINTS];
  gsize n_points;
  CsStatsRing rings[MAX_RINGS];
  gsize n_rings;
  CsStatsRegion regions[MAX_RINGS];
} Case;

/* Random samples in a picture or image of a random layout. */
void case_init (Case * test, CsStatsKind kind, guint width, guint height,
    guint64 * state);
void case_clear (Case * test);

/* What the case has. */
Memory case_memory (const Case * test);

/* Regions of rings that cross each other and themselves, none and single points
 * too; some repeat their first point. */
void add_random_regions (Case * test, guint64 * state);

/* Triangles that share all sides and cover more than the picture, of whole
 * pixels or on the oracle's grid. */
void add_mesh (Case * test, gboolean whole, guint64 * state);

/* A rectangle, as a region. */
void add_box (Case * test, float x0, float y0, float x1, float y1,
    guint64 * state);
