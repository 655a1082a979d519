/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef STROKES_BASELINE_H
#define STROKES_BASELINE_H

#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * Baseline:
 *
 * Brute-force versions of the stages, over all pairs of points, on points in
 * the same memory: times in milliseconds, or -1 without a device. Results are
 * returned, too, for comparison.
 * @brush: distance from every point to every one of @n_dabs dabs
 * @duplicates: every point with all before it
 * @closeness: every contour with every other, whether they are close
 * @distances: the same, how close
 * @n_removed, @n_duplicates, @n_close, @sum: results
 */
typedef struct
{
  double brush, duplicates, closeness, distances;
  gsize n_removed, n_duplicates, n_close;
  double sum;
} Baseline;

Baseline baseline_cpu (const CsStrokePoint * points, const guint32 * offsets,
    gsize n_contours, const CsStrokePoint * dabs, gsize n_dabs, float radius,
    float distance);
Baseline baseline_cuda (const CsStrokePoint * points, const guint32 * offsets,
    gsize n_contours, const CsStrokePoint * dabs, gsize n_dabs, float radius,
    float distance);

G_END_DECLS

#endif /* STROKES_BASELINE_H */
