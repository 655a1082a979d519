/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Fills made to hurt, and what their coverage is. */

#include "raster/raster.h"

G_BEGIN_DECLS

typedef struct
{
  CsFills fills;
  GArray *all, *rings, *points;
} Fills;

/* @n fills of stars, scribbles, specks, slivers, boxes on pixel borders, far
 * ones, empty ones, and rings that are not finite; of up to about @max_size
 * pixels. */
Fills *fills_new (GRand * rand, guint n, guint width, guint height,
    double max_size);
void fills_free (Fills * fills);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fills, fills_free)

/* The coverage of every pixel by fill @index, 0 to 1, to the bit: edge by edge
 * and pixel by pixel, into one sum for each pixel. */
void fills_cover (const CsFills * fills, guint index, guint width,
    guint height, gboolean antialias, float *coverage);

/* Whether the centre of one pixel is inside, and how far from the nearest edge
 * it is. */
gboolean fills_has_center (const CsFills * fills, guint index, int x, int y,
    double *distance);

/* The coverage of one pixel in real numbers: signed areas of the rings clipped
 * to the pixel (Sutherland and Hodgman), whose sum the rule turns into
 * coverage. @n_edges: (out): how many edges pass near the pixel */
double fills_area (const CsFills * fills, guint index, int x, int y,
    guint * n_edges);

G_END_DECLS
