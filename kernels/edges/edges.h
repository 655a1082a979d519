/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_EDGES_H
#define CS_EDGES_H

/**
 * Canny's edges as open chains: Gaussian blur, gradient (Sobel), thinning
 * across the gradient, hysteresis, and then edge pixels linked into chains
 * that end at ends and junctions, each pixel visited once (a junction's pixel
 * belongs to every chain that meets there, as its end). Points are moved along
 * the gradient to where a parabola through three magnitudes has its maximum, by
 * less than half a pixel: rounded, they are their pixels. Canny, "A
 * Computational Approach to Edge Detection" (PAMI 1986).
 */

#include "base/executor.h"
#include "base/image.h"
#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * CsEdgesParams:
 * @sigma: of the blur, in pixels, 0 (none) to 20
 * @low: gradient magnitude that continues an edge, in 8-bit codes a pixel times
 *     8 (plain Sobel sums)
 * @high: gradient magnitude that begins one; at least @low
 * @automatic: both come from the picture instead: @high is the 80th percentile
 *     of the magnitudes of thinned pixels, @low .4 of it
 */
typedef struct
{
  double sigma;
  double low, high;
  gboolean automatic;
} CsEdgesParams;

/* sigma 3, low 10, high 100, not automatic. */
void cs_edges_params_init (CsEdgesParams * params);

/**
 * CsEdges:
 *
 * A plan. Not thread-safe.
 */
typedef struct _CsEdges CsEdges;

CsEdges *cs_edges_new (const CsEdgesParams * params, CsExecutor * executor,
    GError ** error);
gboolean cs_edges_set_params (CsEdges * edges, const CsEdgesParams * params,
    GError ** error);

/* Finds chains in @image (one channel, U8, U16 or F32; U16 and F32 are scaled
 * to 8-bit codes as full range and 0 to 1; host memory on the CPU, any on
 * CUDA). The arrays are host memory of the plan until its next run; a chain
 * that is a ring repeats its first point. Both backends give the same. */
gboolean cs_edges_run (CsEdges * edges, const CsImage * image,
    const CsStrokePoint ** points, const guint32 ** offsets, gsize * n_chains,
    GError ** error);
void cs_edges_free (CsEdges * edges);

G_END_DECLS

#endif /* CS_EDGES_H */
