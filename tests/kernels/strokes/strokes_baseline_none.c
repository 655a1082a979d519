/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* strokes_baseline.h's GPU part in a build without CUDA. */
#include "strokes_baseline.h"

Baseline
baseline_cuda (const CsStrokePoint * points, const guint32 * offsets,
    gsize n_contours, const CsStrokePoint * dabs, gsize n_dabs, float radius,
    float distance)
{
  return (Baseline) {
  -1, -1, -1, -1};
}
