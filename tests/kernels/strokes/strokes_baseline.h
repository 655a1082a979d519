/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef STROKES_BASELINE_H
#define STROKES_BASELINE_H

#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * Baseline:
 *
 * The stages as the literature has them, every point with every other, on
 * points in the same memory: how long they take, in milliseconds, or -1 where
 * there is nothing to run them on. What they find is returned too, so that it
 * can be compared.
 * @brush: distance from every point to every one of @n_dabs dabs
 * @duplicates: every point with all before it
 * @closeness: every contour with every other, whether they are close
 * @distances: the same, how close
 * @n_removed, @n_duplicates, @n_close, @sum: what they found
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
