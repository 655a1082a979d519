/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Canny edges as open chains: Gaussian blur, Sobel gradient, non-maximum
 * suppression, hysteresis, and linking of edge pixels into chains between end
 * points and junctions. Each pixel is visited once; a junction's pixel is an
 * end point of every chain that meets there. Sub-pixel positions: the maximum,
 * along the gradient, of a parabola through three magnitudes, less than half a
 * pixel away, so that points round to their pixels. Canny, "A Computational
 * Approach to Edge Detection" (PAMI 1986).
 */

#include "base/executor.h"
#include "base/image.h"
#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * CsEdgesParams:
 * @sigma: standard deviation of the blur in pixels, 0 (none) to 20
 * @low: low threshold of hysteresis, as Sobel magnitude of 8-bit codes: 8 times
 *     the gradient per pixel
 * @high: high threshold; at least @low
 * @automatic: thresholds from the image instead: the high one is the 80th
 *     percentile of the magnitudes after non-maximum suppression, but at least
 *     @low, so that noise of a flat image is no edge; the low one is .4 of it
 * @white: of samples of F32, of which 0 is black; 0 for 1
 */
typedef struct
{
  double sigma;
  double low, high;
  gboolean automatic;
  double white;
} CsEdgesParams;

/* sigma 3, low 10, high 100, not automatic, white 1. */
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

/* Finds chains in @image (one channel, U8, U16 or F32; U16 is scaled to 8-bit
 * codes by its full range, F32 by 0 to white; host memory on the CPU, any on CUDA).
 * The arrays are host memory owned by the plan, valid until its next run; a
 * closed chain repeats its first point. Both backends give the same bits. */
gboolean cs_edges_run (CsEdges * edges, const CsImage * image,
    const CsStrokePoint ** points, const guint32 ** offsets, gsize * n_chains,
    GError ** error);
void cs_edges_free (CsEdges * edges);

G_END_DECLS
