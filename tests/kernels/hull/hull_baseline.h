/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HULL_BASELINE_H
#define HULL_BASELINE_H

/* QuickHull as it is usually written, to compare times with: for every edge the
 * distances of its points, the farthest, and a partition of the points. */

#include <glib.h>

G_BEGIN_DECLS

/* Vertices of the hull of @n points {float x, y}; rounding can lose some. */
gsize baseline_hull_cpu (const float *xy, gsize n);

/* The same with distances and flags computed on the GPU and the partition made
 * by the host, a round trip an edge; 0 without CUDA. */
gsize baseline_hull_cuda (const float *xy, gsize n);

G_END_DECLS

#endif /* HULL_BASELINE_H */
